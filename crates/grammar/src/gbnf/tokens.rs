//! What a grammar says about the tokens of one tokenizer, as languages of texts.
//!
//! llama.cpp matches a token terminal against ids, one token at a time; the texts
//! that such a grammar admits are those in which the terminal is the token's text.
//! That is its meaning here. `!<t>` is the text of any one token but `t`, an
//! automaton as large as the vocabulary; where it is repeated without bound, as in
//! `!</think>*`, tokens that others spell add nothing, and leaving them out makes
//! the automaton small (of a vocabulary with all bytes, the bytes are left).

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::NamedToken;
use crate::automaton::{AutomatonError, Dfa, Limits, NfaBuilder};
use crate::{Diagnostic, Expr, Place, TokenTexts};

/// What the automaton of `!<t>` may need.
const LIMITS: Limits = Limits {
    nfa_states: 4_000_000,
    dfa_states: 400_000,
};
/// Tokens that may be negated, since each makes an automaton.
const MAX_NEGATED: usize = 32;

type Found<T> = Result<T, Box<Diagnostic>>;

/// How often a negated token may follow itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Uses {
    /// It stands there once, or is counted.
    Once,
    /// It is repeated at least so and so often, without bound.
    Unbounded,
}

/// The tokenizer that a grammar is read with, if there is one, and what was asked
/// of it.
pub(super) struct Tokens<'a> {
    texts: Option<&'a dyn TokenTexts>,
    by_text: Option<FxHashMap<&'a [u8], Vec<u32>>>,
    named: Vec<u32>,
    others: FxHashMap<(Vec<u32>, Uses), Arc<Dfa>>,
}

impl<'a> Tokens<'a> {
    pub fn new(texts: Option<&'a dyn TokenTexts>) -> Self {
        Self {
            texts,
            by_text: None,
            named: Vec::new(),
            others: FxHashMap::default(),
        }
    }

    /// The tokens whose texts the grammar names.
    pub fn named(&self) -> Vec<u32> {
        let mut named = self.named.clone();
        named.sort_unstable();
        named.dedup();
        named
    }

    /// The tokens that a name means: one, or all that share a text.
    pub fn read(&mut self, named: &NamedToken, place: &Place) -> Found<Vec<u32>> {
        let error = |kind, message: String, note: &str| {
            Box::new(Diagnostic::error(kind, place.clone(), message).with_note(note))
        };
        let texts = self.texts.ok_or_else(|| {
            error(
                "token-terminal",
                "what names a token can only be read with its tokenizer".to_owned(),
                "name the tokenizer (on the command line with --tokenizer), or write the \
                 token's text as a literal",
            )
        })?;
        match named {
            NamedToken::Text(text) => {
                let known = self.by_text.get_or_insert_with(|| by_text(texts));
                known.get(text.as_bytes()).cloned().ok_or_else(|| {
                    error(
                        "unknown-token",
                        format!("no token of the tokenizer has the text {text}"),
                        "the angle brackets belong to the text; a token can also be named by its \
                         number, <[12]>",
                    )
                })
            }
            NamedToken::Id(Some(id)) if *id < texts.count() => match texts.text(*id) {
                Some(_) => Ok(vec![*id]),
                None => Err(error(
                    "unusable-token",
                    format!("token {id} has no place in a text"),
                    "the mask, what ends the text and ids that no token has cannot be named",
                )),
            },
            NamedToken::Id(_) => {
                let message = format!("the tokenizer has {} tokens", texts.count());
                Err(error("unknown-token", message, "ids count from 0"))
            }
        }
    }

    /// The text that the tokens share.
    pub fn text(&mut self, tokens: Vec<u32>) -> Found<Expr> {
        let text = tokens.first().and_then(|&id| self.texts?.text(id));
        self.named.extend(tokens);
        Ok(text.map_or_else(Expr::never, Expr::literal))
    }

    /// The texts of all tokens but these; where they are used without bound, those
    /// of them that are not made of others.
    pub fn any_other(&mut self, tokens: Vec<u32>, uses: Uses, place: &Place) -> Found<Expr> {
        let key = (tokens, uses);
        if let Some(known) = self.others.get(&key) {
            return Ok(Expr::Automaton(Arc::clone(known)));
        }
        let too_large =
            |message: String| Box::new(Diagnostic::error("too-large", place.clone(), message));
        if self.others.len() >= MAX_NEGATED {
            let message = format!("more than {MAX_NEGATED} tokens are negated");
            return Err(too_large(message));
        }
        let texts = self.texts.into_iter().flat_map(|texts| {
            let others = (0..texts.count()).filter(|id| !key.0.contains(id));
            others.filter_map(|id| texts.text(id))
        });
        let mut texts: Vec<&[u8]> = texts.filter(|text| !text.is_empty()).collect();
        texts.sort_unstable();
        texts.dedup();
        if uses == Uses::Unbounded {
            texts = not_made_of_others(&texts);
        }
        let language = any_of(&texts).map_err(|error| too_large(error.to_string()))?;
        let language = Arc::new(language);
        self.others.insert(key, Arc::clone(&language));
        Ok(Expr::Automaton(language))
    }
}

fn by_text(texts: &dyn TokenTexts) -> FxHashMap<&[u8], Vec<u32>> {
    let mut known: FxHashMap<&[u8], Vec<u32>> = FxHashMap::default();
    for id in 0..texts.count() {
        if let Some(text) = texts.text(id) {
            known.entry(text).or_default().push(id);
        }
    }
    known
}

/// The texts that no several others, one after the other, are.
fn not_made_of_others<'a>(texts: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let known: FxHashSet<&[u8]> = texts.iter().copied().collect();
    let made_of_others = |text: &[u8]| {
        // Whether the text up to a position can be spelled, itself aside.
        let mut spelled = vec![false; text.len() + 1];
        spelled[0] = true;
        for end in 1..=text.len() {
            spelled[end] = (0..end).any(|start| {
                let part = &text[start..end];
                spelled[start] && part.len() < text.len() && known.contains(part)
            });
        }
        spelled[text.len()]
    };
    let texts = texts.iter().copied();
    texts.filter(|text| !made_of_others(text)).collect()
}

/// Any one of `texts`, which are sorted: their trie, minimised.
fn any_of(texts: &[&[u8]]) -> Result<Dfa, AutomatonError> {
    let mut builder = NfaBuilder::new(&LIMITS);
    let (start, accept) = (builder.state()?, builder.state()?);
    let mut path = vec![start];
    let mut previous: &[u8] = &[];
    for &text in texts {
        let shared = text
            .iter()
            .zip(previous)
            .take_while(|(a, b)| a == b)
            .count();
        path.truncate(shared + 1);
        let mut here = path.last().copied().unwrap_or(start);
        for &byte in &text[shared..] {
            let next = builder.state()?;
            builder.byte_edge(here, byte, byte, next);
            path.push(next);
            here = next;
        }
        builder.empty_edge(here, accept);
        previous = text;
    }
    let trie = builder.finish(start, accept).determinize(&LIMITS)?;
    Ok(trie.minimize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_spell_is_left_out() {
        let texts: [&[u8]; 6] = [b"a", b"aa", b"aab", b"ab", b"abc", b"c"];
        assert_eq!(not_made_of_others(&texts), [&b"a"[..], b"ab", b"c"]);
        let left: [&[u8]; 3] = [b"ab", b"ba", b"aba"];
        assert_eq!(not_made_of_others(&left), left);
    }

    #[test]
    fn the_automaton_holds_the_texts_and_nothing_else() {
        let texts: [&[u8]; 4] = [b"a", b"ab", b"ba", b"\xff"];
        let language = any_of(&texts).unwrap();
        for text in texts {
            assert!(language.accepts(text));
        }
        for text in [&b""[..], b"b", b"aba", b"\xfe"] {
            assert!(!language.accepts(text));
        }
    }
}
