//! A run with few of the states, where all of them are many.
//!
//! Behind a dozen free cells a set may hold most of an automaton's states, tens of thousands where
//! a language pairs what it opens, and each further cell costs all their rows. One filling is
//! enough for a yes, and states that are spread over such a set are as good as all of them, as a
//! rule: what text there is behind keeps those that suit it. So the rest of the pattern is run
//! with a few dozen, and then with some more, before all are. It never says no.
//!
//! Cost: the rows of the states that are followed.

use std::sync::Arc;

use lacuna_grammar::automaton::StateId;

use super::{RegularChecker, SetId};
use crate::{Gap, Segment};

/// How many states are many, and how many are followed, first and then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Followed {
    many: usize,
    few: [usize; 3],
}

impl Default for Followed {
    fn default() -> Self {
        Self {
            many: 300,
            few: [24, 128, 512],
        }
    }
}

impl RegularChecker {
    /// Whether a masked cell's step from a set is not known and takes long.
    pub(super) fn is_long_step(&self, set: SetId) -> bool {
        self.after_cell[set as usize].is_none()
            && self.sets[set as usize].len() >= self.followed.many
    }

    /// Sets of few states each, from behind one set up to the end of a pattern of which its first
    /// segment and the ones behind it are left, `done` cells of the first aside.
    pub(super) fn run_with_few(
        &mut self,
        set: SetId,
        segments: &[Segment],
        done: usize,
    ) -> Option<Vec<Arc<[StateId]>>> {
        let from = Arc::clone(&self.sets[set as usize]);
        let sizes = self.followed.few.into_iter();
        let mut sizes = sizes.filter(|&few| few < from.len());
        sizes.find_map(|few| self.run_with(few, &from, segments, done))
    }

    fn run_with(
        &mut self,
        few: usize,
        from: &[StateId],
        segments: &[Segment],
        mut done: usize,
    ) -> Option<Vec<Arc<[StateId]>>> {
        let mut here: Arc<[StateId]> = spread(from, few).into();
        let mut trail = Vec::new();
        for segment in segments {
            match segment {
                Segment::Text(bytes) => {
                    for &byte in bytes {
                        here = self.behind_byte(&here, byte)?;
                        trail.push(Arc::clone(&here));
                    }
                }
                Segment::Gap(Gap::Any) => return None,
                Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells)) => {
                    let may_end = matches!(segment, Segment::Gap(Gap::UpTo(_)));
                    for _ in std::mem::take(&mut done)..*cells {
                        if may_end && self.has_end(&here) {
                            break;
                        }
                        here = spread(&here, few).into();
                        here = self.behind_cell(&here)?;
                        trail.push(Arc::clone(&here));
                    }
                }
            }
        }
        self.has_end(&here).then_some(trail)
    }

    fn behind_byte(&self, states: &[StateId], byte: u8) -> Option<Arc<[StateId]>> {
        let next = states.iter();
        let next = next.filter_map(|&state| self.dfa.next(state, byte));
        let mut next: Vec<StateId> = next.collect();
        next.sort_unstable();
        next.dedup();
        (!next.is_empty()).then(|| next.into())
    }

    fn behind_cell(&mut self, states: &[StateId]) -> Option<Arc<[StateId]>> {
        let next = self.gather(states);
        (!next.is_empty()).then(|| next.into())
    }

    fn has_end(&self, states: &[StateId]) -> bool {
        states.iter().any(|&state| self.dfa.is_accepting(state))
    }
}

/// So many of some states, evenly spread; all of them if they are no more.
fn spread(states: &[StateId], few: usize) -> Vec<StateId> {
    match states.len() <= few {
        true => states.to_vec(),
        false => (0..few).map(|at| states[at * states.len() / few]).collect(),
    }
}

#[cfg(test)]
mod tests {
    //! Oracle: a run with all states.

    use lacuna_grammar::automaton::{Dfa, Limits};
    use lacuna_grammar::regex;
    use lacuna_lexer::Vocabulary;

    use super::*;
    use crate::witness::completed;
    use crate::{Filling, Pattern};

    const TEXTS: &str = "a(b(a)b)*|(ab)*c|(a|b)*a(a|b){5}c?";

    fn checker(followed: Followed) -> RegularChecker {
        let grammar = regex::parse(TEXTS).expect("an expression");
        let body = &grammar.rule(grammar.start).body;
        let dfa = Dfa::from_expr(body, &Limits::default()).expect("a small automaton");
        let texts = ["a", "b", "c", "ab", "ba", "bab", "aac"];
        let tokens = texts.map(|text| Some(text.as_bytes().to_vec()));
        let tokens = [None, None].into_iter().chain(tokens).collect();
        let vocabulary = Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary");
        let mut checker = RegularChecker::new(Arc::new(dfa), Arc::new(vocabulary), 1 << 20);
        checker.followed = followed;
        checker
    }

    #[test]
    fn what_few_states_find_is_a_filling_and_what_they_do_not_all_decide() {
        let all = Followed {
            many: usize::MAX,
            few: [0; 3],
        };
        let mut all = checker(all);
        let few = Followed {
            many: 3,
            few: [1, 2, 4],
        };
        let mut random = fastrand::Rng::with_seed(7);
        let (mut found, mut by_few) = ([0; 2], 0);
        for _ in 0..2_000 {
            // A fresh one, which knows no step.
            let mut few = checker(few);
            let pattern = pattern(&mut random);
            let trail = few.run(&pattern);
            by_few += usize::from(trail.is_some_and(|trail| !trail.few.is_empty()));
            let witness = few.witness(&pattern);
            assert_eq!(
                witness.is_some(),
                all.is_completable(&pattern),
                "{pattern:?}"
            );
            found[usize::from(witness.is_some())] += 1;
            let Some(witness) = witness else { continue };
            let asked = pattern.segments.iter().filter_map(|segment| match segment {
                Segment::Gap(Gap::Cells(cells)) => Some(*cells..=*cells),
                Segment::Gap(Gap::UpTo(cells)) => Some(0..=*cells),
                _ => None,
            });
            for (asked, filling) in asked.zip(&witness.gaps) {
                let Filling::Tokens(tokens) = filling else {
                    panic!("{pattern:?}: {witness:?}");
                };
                assert!(asked.contains(&tokens.len()), "{pattern:?}");
            }
            let text = completed(&pattern, &witness, &all.vocabulary).expect("all tokens");
            let end = all.dfa.read(all.dfa.start(), &text);
            assert!(
                end.is_some_and(|end| all.dfa.is_accepting(end)),
                "{pattern:?}"
            );
        }
        assert!(found.iter().all(|&verdict| verdict >= 300), "{found:?}");
        assert!(by_few >= 100, "{by_few}");
    }

    fn pattern(random: &mut fastrand::Rng) -> Pattern {
        let mut segments = Vec::new();
        for _ in 0..random.usize(1..4) {
            segments.push(Segment::Gap(Gap::Cells(random.usize(1..6))));
            let text = (0..random.usize(1..3)).map(|_| b"abc"[random.usize(..3)]);
            segments.push(Segment::Text(text.collect()));
        }
        if random.bool() {
            segments.push(Segment::Gap(Gap::UpTo(random.usize(1..6))));
        }
        Pattern { segments }
    }
}
