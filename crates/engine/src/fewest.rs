//! The fewest tokens that a text of a grammar has.
//!
//! A text fits a canvas of some length if the grammar has one of so many tokens or
//! fewer, which is what an open tail asks the checker; so the fewest are found by
//! halving, between what the regular cover rules out and the tokens of a shortest
//! text in bytes. Exact as the checker is: where one of its budgets runs out, the
//! two bounds that are known then are what is said.

use lacuna_checker::{Checker, Gap, Pattern, Segment, Verdict};
use lacuna_lexer::Vocabulary;

/// Cells beyond which a length is not looked for.
const MOST: usize = 100_000;
/// Cells up to which the cover is asked.
const NEAR: usize = 1000;

/// Bounds on the tokens of the text that has the fewest; alike if they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fewest {
    /// No text has fewer.
    pub at_least: usize,
    /// Some text has so many; `None` if none is known.
    pub at_most: Option<usize>,
}

/// The fewest tokens, of which it is known that no text has fewer than some number; no check is
/// begun once it is late. `None` without a vocabulary to count in, and for a language without
/// members.
pub(crate) fn fewest_tokens(
    checker: &mut Checker,
    known: usize,
    is_late: &dyn Fn() -> bool,
) -> Option<Fewest> {
    let vocabulary = checker.vocabulary()?.clone();
    // The cover knows nothing of grammars that are cut into lexemes.
    let mut at_least = checker.shortest(NEAR).unwrap_or(0).max(known);
    // As a rule that is it: the cover errs below the shortest texts.
    match fits(checker, at_least) {
        Some(true) => {
            return Some(Fewest {
                at_least,
                at_most: Some(at_least),
            });
        }
        Some(false) => at_least += 1,
        None => {}
    }
    let any = vec![Segment::Gap(Gap::Any)];
    let any = Pattern { segments: any };
    let mut at_most = match checker.check(&any).0 {
        Verdict::Impossible => return None,
        Verdict::Exhausted { .. } => None,
        Verdict::Completable(witness) => in_tokens(&vocabulary, &witness.text(&any, None)),
    };
    if at_most.is_none() {
        // No spelling of that text; others may have one.
        let mut length = at_least.next_power_of_two();
        while length <= MOST && !is_late() {
            match fits(checker, length) {
                Some(true) => {
                    at_most = Some(length);
                    break;
                }
                Some(false) => at_least = length + 1,
                None => break,
            }
            length *= 2;
        }
    }
    while let Some(most) = at_most.filter(|&most| at_least < most) {
        if is_late() {
            break;
        }
        let middle = at_least + (most - at_least) / 2;
        match fits(checker, middle) {
            Some(true) => at_most = Some(middle),
            Some(false) => at_least = middle + 1,
            None => break,
        }
    }
    Some(Fewest { at_least, at_most })
}

/// Whether some text has at most so many tokens; `None` if that stays open.
fn fits(checker: &mut Checker, cells: usize) -> Option<bool> {
    let tail = Pattern::with_open_tail([Segment::Gap(Gap::Cells(cells))].into_iter());
    match checker.check(&tail).0 {
        Verdict::Completable(_) => Some(true),
        Verdict::Impossible => Some(false),
        Verdict::Exhausted { .. } => None,
    }
}

/// The fewest tokens that spell a text.
pub(crate) fn in_tokens(vocabulary: &Vocabulary, text: &[u8]) -> Option<usize> {
    let mut fewest: Vec<Option<usize>> = vec![None; text.len() + 1];
    fewest[text.len()] = Some(0);
    for at in (0..text.len()).rev() {
        let rests = vocabulary.trie().prefixes(&text[at..]);
        let rests = rests.filter_map(|(length, _)| fewest[at + length]);
        fewest[at] = rests.min().map(|rest| rest + 1);
    }
    fewest[0]
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use lacuna_checker::CheckerLimits;
    use lacuna_grammar::{Grammar, gbnf, lark};

    use super::*;

    pub(crate) fn checker(grammar: &Grammar, tokens: &[&str]) -> Checker {
        let tokens = tokens.iter().map(|token| Some(token.as_bytes().to_vec()));
        let tokens = [None, None].into_iter().chain(tokens).collect();
        let vocabulary = Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary");
        let limits = CheckerLimits::default();
        let checker = Checker::new(grammar, Some(Arc::new(vocabulary)), limits);
        checker.expect("a checker")
    }

    fn fewest(grammar: &Grammar, tokens: &[&str]) -> Option<Fewest> {
        fewest_tokens(&mut checker(grammar, tokens), 0, &|| false)
    }

    fn exactly(tokens: usize) -> Option<Fewest> {
        Some(Fewest {
            at_least: tokens,
            at_most: Some(tokens),
        })
    }

    #[test]
    fn the_fewest_tokens_need_not_be_the_fewest_bytes() {
        let grammar = gbnf::parse(r#"root ::= "abc" | "xxxxxx""#).unwrap();
        assert_eq!(fewest(&grammar, &["a", "b", "c", "x", "xxx"]), exactly(2));
        assert_eq!(fewest(&grammar, &["a", "b", "c", "x"]), exactly(3));
        assert_eq!(fewest(&grammar, &["x", "xx"]), exactly(3));
    }

    #[test]
    fn recursion_and_lexemes() {
        let nested = gbnf::parse(r#"root ::= "(" root ")" root | "a"{40} | "()"{9}"#).unwrap();
        assert_eq!(fewest(&nested, &["(", ")", "a"]), exactly(18));
        assert_eq!(fewest(&nested, &["(", ")", "a", "()()()"]), exactly(3));
        let munched = lark::parse("start: \"if\" A A\nA: /[a-z]+/\n%ignore \" \"").unwrap();
        let letters = ["i", "f", "a", " ", "if "];
        assert_eq!(fewest(&munched, &letters), exactly(4));
        assert_eq!(fewest(&munched, &letters[..4]), exactly(6));
    }

    #[test]
    fn a_language_that_the_tokens_cannot_spell() {
        let grammar = gbnf::parse(r#"root ::= "ab""#).unwrap();
        let found = fewest(&grammar, &["a"]).expect("a language with members");
        assert_eq!(found.at_most, None);
        assert_eq!(
            fewest(&gbnf::parse("root ::= \"\"").unwrap(), &["a"]),
            exactly(0)
        );
    }

    #[test]
    fn halving_agrees_with_trying_every_length() {
        let grammar = gbnf::parse(r#"root ::= "a" root "b" | "c"{7} | "ab"{5}"#).unwrap();
        for tokens in [
            &["a", "b", "c"][..],
            &["a", "b", "ab", "cc", "c"],
            &["abab", "a", "b"],
        ] {
            let mut checker = checker(&grammar, tokens);
            let by_trying = (0..30).find(|&cells| fits(&mut checker, cells) == Some(true));
            assert_eq!(
                fewest(&grammar, tokens),
                exactly(by_trying.expect("a text"))
            );
        }
    }
}
