//! A run with few of the states, where all of them are many.
//!
//! Behind a dozen free cells a set may hold most of an automaton's states, tens of thousands where
//! a language pairs what it opens, and each further cell costs all their rows. One filling is
//! enough for a yes, and states that are spread over such a set are as good as all of them, as a
//! rule: what text there is behind keeps those that suit it. So the rest of the pattern is run
//! with a few dozen, and then with some more, before all are. It never says no.
//!
//! Cost: the rows of the states that are followed. What is thinned out is a set as others are, and
//! its steps are remembered.

use lacuna_grammar::automaton::StateId;

use super::{RegularChecker, SetId};
use crate::Segment;

/// How many states are many, and how many are followed then, first and later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thinning {
    many: usize,
    few: [usize; 3],
}

impl Default for Thinning {
    fn default() -> Self {
        Self {
            many: 300,
            few: [24, 128, 512],
        }
    }
}

/// Which states of a set are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Followed {
    /// All, but where they are many few are at first.
    All,
    /// All: few have led nowhere.
    AllAtLast,
    /// So many.
    Few(usize),
}

impl RegularChecker {
    /// The sets behind each byte and cell of what is left of a pattern, from a set on, if few states
    /// of it are enough; where it has many, and what a masked cell makes of it is not known.
    pub(super) fn run_with_few(
        &mut self,
        set: SetId,
        segments: &[Segment],
        done: usize,
        followed: &mut Followed,
    ) -> Option<Vec<SetId>> {
        let states = self.sets[set as usize].len();
        let is_long = states >= self.thinning.many && self.after_cell[set as usize].is_none();
        if *followed != Followed::All || !is_long {
            return None;
        }
        *followed = Followed::AllAtLast;
        let mut sizes = self.thinning.few.into_iter().filter(|&few| few < states);
        sizes.find_map(|few| self.run_behind(set, segments, done, Followed::Few(few)))
    }

    /// The states of a set that are followed: evenly spread, where few are.
    pub(super) fn thinned(&mut self, set: SetId, followed: Followed) -> SetId {
        let states = &self.sets[set as usize];
        match followed {
            Followed::Few(few) if states.len() > few => {
                let spread = (0..few).map(|at| states[at * states.len() / few]);
                let spread: Vec<StateId> = spread.collect();
                self.intern(spread)
            }
            _ => set,
        }
    }
}

#[cfg(test)]
mod tests {
    //! Oracle: a run with all states.

    use std::sync::Arc;

    use lacuna_grammar::automaton::{Dfa, Limits};
    use lacuna_grammar::regex;
    use lacuna_lexer::Vocabulary;

    use super::*;
    use crate::witness::completed;
    use crate::{Filling, Gap, Pattern};

    const TEXTS: &str = "a(b(a)b)*|(ab)*c|(a|b)*a(a|b){5}c?";

    fn checker(many: usize, few: [usize; 3]) -> RegularChecker {
        let grammar = regex::parse(TEXTS).expect("an expression");
        let body = &grammar.rule(grammar.start).body;
        let dfa = Dfa::from_expr(body, &Limits::default()).expect("a small automaton");
        let texts = ["a", "b", "c", "ab", "ba", "bab", "aac"];
        let tokens = texts.map(|text| Some(text.as_bytes().to_vec()));
        let tokens = [None, None].into_iter().chain(tokens).collect();
        let vocabulary = Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary");
        let mut checker = RegularChecker::new(Arc::new(dfa), Arc::new(vocabulary), 1 << 20);
        checker.thinning = Thinning { many, few };
        checker
    }

    #[test]
    fn what_few_states_find_is_a_filling_and_what_they_do_not_all_decide() {
        let mut all = checker(usize::MAX, [0; 3]);
        let mut random = fastrand::Rng::with_seed(7);
        let (mut found, mut by_few) = ([0; 2], 0);
        for _ in 0..2_000 {
            // A fresh one, which knows no step.
            let mut few = checker(3, [1, 2, 4]);
            let pattern = pattern(&mut random);
            by_few += usize::from(sizes(&mut few, &pattern) != sizes(&mut all, &pattern));
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

    /// How many states the sets of a run have.
    fn sizes(checker: &mut RegularChecker, pattern: &Pattern) -> Option<Vec<usize>> {
        let trail = checker.run(pattern)?;
        let sizes = trail.iter().map(|&set| checker.sets[set as usize].len());
        Some(sizes.collect())
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
