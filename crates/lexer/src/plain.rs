//! A few tokens that are enough for most texts.
//!
//! Many tokens do in one go what others do one after the other, or write a name that
//! might as well be another one. Where any text will do, a much smaller choice of tokens
//! is enough as a rule: what begins between lexemes, finishes the same ones and
//! may end as the same ones is one token, the shortest; and so that any keyword can be
//! spelled, so are single bytes that no state tells apart. What ends a string, a comma behind it
//! included, or a comment begins inside one: so does the like of that, where there are not many
//! whole lexemes. Of texts that need other tokens, none is found with these.
//!
//! Fewer still write whole lexemes, one or two ([`PlainTokens::lexemes`]): the states that any
//! spelling of a keyword leads through are none of them.
//!
//! Cost: a descent of the token trie from where lexemes begin, and from each of a few in long lexemes.

use std::hash::{Hash, Hasher};

use lacuna_grammar::automaton::SHORTCUTS;
use rustc_hash::FxHasher;

use crate::{BitSet, Finish, Lexer, LexerState, TokenId, TokenPartition, Vocabulary};

/// Bytes that a long lexeme can go on with for ever.
const LONG: usize = 32;
/// Long lexemes that are looked at, and tokens of each.
const LONG_LEXEMES: usize = 8;
const INSIDE_EACH: usize = 32;

/// The plain tokens of a vocabulary, the shortest first.
pub struct PlainTokens<'a> {
    vocabulary: &'a Vocabulary,
    tokens: Vec<TokenId>,
    /// Those that are whole lexemes: one, and behind these, two.
    lexemes: Vec<TokenId>,
    /// Whether many are one.
    has_many_lexemes: bool,
    /// How many there are that a lexeme can begin with.
    all: usize,
}

/// A token that stands for its class.
#[derive(Clone, Copy)]
struct Chosen {
    token: TokenId,
    length: usize,
    /// Lexemes that it finishes before the last.
    finished: u32,
}

impl<'a> PlainTokens<'a> {
    /// Finds them; `many` is the number of tokens that are one whole lexeme from which on these
    /// are many.
    pub fn new(lexer: &Lexer, vocabulary: &'a Vocabulary, many: usize) -> Self {
        let rows = lexer.finishes.each();
        let landing: Vec<u32> = rows.map(endings).collect();
        let from = |states| TokenPartition::from_states(lexer, vocabulary, states, &landing);
        let by_end = from(lexer.starts());
        let mut plain = shortest(&by_end, vocabulary);
        let mut lexemes = Vec::new();
        let mut has_many_lexemes = false;
        if SHORTCUTS {
            let whole = plain.iter().filter(|it| {
                it.finished <= 1 && vocabulary.bytes(it.token).is_some_and(|it| ends(lexer, it))
            });
            lexemes.extend(whole.copied());
            lexemes.sort_unstable_by_key(|it| (it.finished, it.length, it.token));
            has_many_lexemes = lexemes.iter().filter(|it| it.finished == 0).count() >= many;
        }
        if SHORTCUTS && !has_many_lexemes {
            for state in inside_long_lexemes(lexer) {
                let mut inside = shortest(&from(state..state + 1), vocabulary);
                inside.sort_unstable_by_key(|it| (it.length, it.token));
                plain.extend(inside.into_iter().take(INSIDE_EACH));
            }
        }
        let mut tokens: Vec<(u32, TokenId)> = plain
            .iter()
            .map(|it| (it.length as u32, it.token))
            .collect();
        let trie = vocabulary.trie();
        let mut met = BitSet::new(256);
        for (byte, node) in trie.children(0) {
            let class = usize::from(lexer.classes[usize::from(byte)]);
            if !met.contains(class)
                && let Some(&token) = trie.tokens_at(node).first()
            {
                met.insert(class);
                tokens.push((1, token));
            }
        }
        tokens.sort_unstable();
        tokens.dedup();
        Self {
            vocabulary,
            tokens: tokens.into_iter().map(|(_, token)| token).collect(),
            has_many_lexemes,
            lexemes: lexemes.into_iter().map(|it| it.token).collect(),
            all: by_end.of_token.iter().flatten().count(),
        }
    }

    /// All tokens of the vocabulary, of which only plain ones are in the trie: at most so many.
    /// `None` if they are not less than half of all.
    pub fn vocabulary(&self, most: usize) -> Option<Vocabulary> {
        let plain = &self.tokens[..self.tokens.len().min(most.max(1))];
        (2 * plain.len() < self.all).then(|| self.vocabulary.filled_by(plain))
    }

    /// All tokens of the vocabulary, of which only one is in the trie: a byte that is ignored
    /// wherever a lexeme may begin, a blank if that is. `None` if none is.
    pub fn blank(&self, lexer: &Lexer) -> Option<Vocabulary> {
        let trie = self.vocabulary.trie();
        let children = trie.children(0);
        let ignored = children.filter(|&(byte, _)| is_ignored(lexer, byte));
        let (_, node) = ignored.min_by_key(|&(byte, _)| byte != b' ')?;
        let token = trie.tokens_at(node).first()?;
        Some(self.vocabulary.filled_by(std::slice::from_ref(token)))
    }

    /// How many are whole lexemes, one or two.
    pub fn lexeme_count(&self) -> usize {
        self.lexemes.len()
    }

    /// How many of these are one of one byte, which come first.
    pub fn short_lexemes(&self) -> usize {
        let is_short =
            |&&token: &&TokenId| self.vocabulary.bytes(token).map(<[u8]>::len) == Some(1);
        self.lexemes.iter().take_while(is_short).count()
    }

    /// The same of tokens that are whole lexemes, single ones first; `None` if of these there
    /// are not many.
    pub fn lexemes(&self, most: usize) -> Option<Vocabulary> {
        let lexemes = &self.lexemes[..self.lexemes.len().min(most)];
        let are_fewer = lexemes.len() < self.all && !lexemes.is_empty();
        (are_fewer && self.has_many_lexemes).then(|| self.vocabulary.filled_by(lexemes))
    }
}

/// Whether a byte is ignored wherever a lexeme may begin.
fn is_ignored(lexer: &Lexer, byte: u8) -> bool {
    lexer.starts().all(|start| {
        let next = lexer.next(start, byte);
        let mut finishes = next.into_iter().flat_map(|next| lexer.finishes(next));
        finishes.any(|finish| finish.terminal.is_none())
    })
}

/// Whether a text that begins between lexemes is whole ones, however it is read.
fn ends(lexer: &Lexer, text: &[u8]) -> bool {
    let mut here: Vec<LexerState> = lexer.starts().collect();
    for (at, &byte) in text.iter().enumerate() {
        let mut open = if at > 0 { 0 } else { here.len() };
        while let Some(&state) = here.get(open) {
            open += 1;
            for finish in lexer.finishes(state) {
                if !here.contains(&finish.to) {
                    here.push(finish.to);
                }
            }
        }
        let next = here.iter().filter_map(|&state| lexer.next(state, byte));
        here = next.collect();
    }
    here.iter().all(|&state| {
        let mut finishes = lexer.finishes(state).iter();
        finishes.any(|finish| finish.terminal.is_some())
    })
}

/// States of lexemes that go on for long and may not end yet: inside strings and comments.
fn inside_long_lexemes(lexer: &Lexer) -> impl Iterator<Item = LexerState> {
    let mut bytes = vec![0; lexer.class_count];
    for &class in lexer.classes.iter() {
        bytes[usize::from(class)] += 1;
    }
    let rows = (0..).zip(lexer.table.chunks_exact(lexer.class_count));
    let open = rows.filter(|&(core, _)| lexer.core_finishes(core).is_empty());
    let long = open.filter_map(|(state, row)| {
        let row = row.iter().zip(&bytes);
        let stays = row.filter_map(|(&next, &bytes)| (next == state).then_some(bytes));
        let stays: usize = stays.sum();
        (stays >= LONG).then_some((stays, state))
    });
    let mut long: Vec<(usize, LexerState)> = long.collect();
    long.sort_by_key(|&(stays, _)| std::cmp::Reverse(stays));
    long.into_iter().take(LONG_LEXEMES).map(|(_, state)| state)
}

/// The same number for the same lexemes that may end.
fn endings(finishes: &[Finish]) -> u32 {
    let terminals = finishes.iter().map(|finish| finish.terminal);
    let mut terminals: Vec<u32> = terminals.map(|it| it.map_or(0, |it| it + 1)).collect();
    terminals.sort_unstable();
    let mut hasher = FxHasher::default();
    terminals.hash(&mut hasher);
    hasher.finish() as u32
}

/// A token of each class.
fn shortest(partition: &TokenPartition, vocabulary: &Vocabulary) -> Vec<Chosen> {
    let mut chosen: Vec<Option<Chosen>> = vec![None; partition.classes];
    for (token, class) in (0..).zip(&partition.of_token) {
        let Some(class) = class else {
            continue;
        };
        let length = vocabulary.bytes(token).map_or(0, <[u8]>::len);
        let known = &mut chosen[*class as usize];
        if known.is_none_or(|known| length < known.length) {
            *known = Some(Chosen {
                token,
                length,
                finished: partition.finished[*class as usize],
            });
        }
    }
    chosen.into_iter().flatten().collect()
}
