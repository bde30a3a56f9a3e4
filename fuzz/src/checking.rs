//! The checker: a grammar, tokens and a pattern.
//!
//! Oracles: a verdict on a text without gaps is the plain recogniser's; a witness
//! fits the pattern and the recogniser accepts its text; of what is called
//! impossible no filling that is tried, all of them where they are few, is
//! accepted; and with less to spend an answer is the same or none.

use std::sync::Arc;

use lacuna_checker::{Checker, CheckerLimits, Filling, Gap, Pattern, Segment, Verdict, Witness};
use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::Limits;
use lacuna_grammar::recognize::recognize;
use lacuna_lexer::Vocabulary;

use super::input;

/// Fillings that are tried of a pattern that is called impossible.
const MAX_FILLINGS: usize = 400;

struct Question {
    grammar: Grammar,
    vocabulary: Arc<Vocabulary>,
    pattern: Pattern,
}

impl Question {
    fn read(input: &[u8]) -> Option<Self> {
        let [grammar, tokens, pattern] = input::parts(input)?;
        let pattern = pattern.strip_suffix('\n').unwrap_or(pattern);
        if pattern.len() > 40 {
            return None;
        }
        Some(Self {
            grammar: input::small_grammar(grammar)?,
            vocabulary: Arc::new(Vocabulary::new(input::tokens(tokens), vec![0], 1).ok()?),
            pattern: input::pattern(pattern),
        })
    }

    fn verdict(&self, parse_items: usize) -> Option<Verdict> {
        let limits = CheckerLimits {
            automata: Limits {
                nfa_states: 20_000,
                dfa_states: 5_000,
            },
            parse_items,
            ..CheckerLimits::default()
        };
        let vocabulary = Some(Arc::clone(&self.vocabulary));
        let mut checker = Checker::new(&self.grammar, vocabulary, limits).ok()?;
        Some(checker.check(&self.pattern).0)
    }

    fn judge(&self, verdict: &Verdict) {
        match verdict {
            Verdict::Completable(witness) => {
                self.assert_fits(witness);
                let text = witness.text(&self.pattern, Some(&self.vocabulary));
                assert!(recognize(&self.grammar, &text), "witness {text:?}");
            }
            Verdict::Impossible => {
                for text in self.fillings() {
                    assert!(!recognize(&self.grammar, &text), "missed {text:?}");
                }
            }
            Verdict::Exhausted { .. } => {}
        }
    }

    fn assert_fits(&self, witness: &Witness) {
        let mut fillings = witness.gaps.iter();
        for segment in &self.pattern.segments {
            let Segment::Gap(gap) = segment else { continue };
            let filling = fillings.next();
            match (gap, filling) {
                (Gap::Any, Some(Filling::Bytes(_))) => continue,
                (Gap::Cells(cells), Some(Filling::Tokens(tokens))) if tokens.len() == *cells => {}
                (Gap::UpTo(cells), Some(Filling::Tokens(tokens))) if tokens.len() <= *cells => {}
                _ => panic!("{gap:?} is filled by {filling:?}"),
            }
        }
        assert!(fillings.next().is_none());
    }

    /// Texts that the pattern can become: all of them where cells are counted and
    /// they are few, otherwise some.
    fn fillings(&self) -> Vec<Vec<u8>> {
        let ids = 0..self.vocabulary.len() as u32;
        let tokens: Vec<&[u8]> = ids.filter_map(|id| self.vocabulary.bytes(id)).collect();
        let longer = |texts: &[Vec<u8>]| -> Vec<Vec<u8>> {
            let texts = texts.iter();
            let longer =
                texts.flat_map(|text| tokens.iter().map(move |token| [text, *token].concat()));
            longer.take(MAX_FILLINGS).collect()
        };
        let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
        for segment in &self.pattern.segments {
            match segment {
                Segment::Text(bytes) => texts.iter_mut().for_each(|text| text.extend(bytes)),
                Segment::Gap(Gap::Cells(cells)) => {
                    for _ in 0..*cells {
                        texts = longer(&texts);
                    }
                }
                Segment::Gap(gap) => {
                    let most = match gap {
                        Gap::UpTo(cells) => *cells,
                        _ => 2,
                    };
                    let mut last = texts.clone();
                    for _ in 0..most {
                        last = longer(&last);
                        texts.extend(last.iter().cloned());
                        if texts.len() > MAX_FILLINGS {
                            break;
                        }
                    }
                }
            }
            texts.truncate(MAX_FILLINGS);
        }
        texts
    }
}

/// A grammar, tokens and a pattern, decided with all that a check may spend.
pub fn checker(input: &[u8]) {
    let Some(question) = Question::read(input) else {
        return;
    };
    let Some(verdict) = question.verdict(20_000) else {
        return;
    };
    question.judge(&verdict);
    let whole = question
        .pattern
        .segments
        .iter()
        .all(|it| matches!(it, Segment::Text(_)));
    if whole && !matches!(verdict, Verdict::Exhausted { .. }) {
        let text = Witness::default().text(&question.pattern, None);
        assert_eq!(
            verdict.is_completable(),
            recognize(&question.grammar, &text)
        );
    }
}

/// The same, with less and less to spend.
pub fn budget(input: &[u8]) {
    let Some(question) = Question::read(input) else {
        return;
    };
    let Some(whole) = question.verdict(20_000) else {
        return;
    };
    for parse_items in [1000, 100, 10, 1, 0] {
        let Some(verdict) = question.verdict(parse_items) else {
            return;
        };
        question.judge(&verdict);
        let decided = |verdict: &Verdict| match verdict {
            Verdict::Exhausted { .. } => None,
            verdict => Some(verdict.is_completable()),
        };
        if let (Some(whole), Some(decided)) = (decided(&whole), decided(&verdict)) {
            assert_eq!(whole, decided, "with {parse_items} items");
        }
    }
}
