//! What committing one by one would commit, with fewer checks.
//!
//! All candidates are tried together. If they are refused, the first that does not go with the
//! more preferred ones is looked for, those before it are committed, and the others are tried
//! again without it. So each candidate is committed exactly if it goes with those that were
//! committed before it: committing one by one commits the same.
//!
//! A refusal tells which cells it is due to ([`Refused::within`]): what a text cannot go on behind
//! is to blame, or what stands before that. So the candidates of those cells alone are halved,
//! and first it is tried to leave out the one that stands last among them, which is the wrong one
//! two times out of three in C++.
//!
//! It takes one check where all go together. For each candidate that does not, it is two more where
//! one alone is to blame, three where the last is, and else as many as halving those takes, and up to
//! two in vain. Two checks without an answer end it; the loop goes on with what is left.

use std::ops::Range;

use super::{Attempt, Batch, BatchCommit};
use crate::guard::Refused;
use crate::{Candidate, Reason};

pub(super) struct Bisect;

/// Checks that ran out of their budget after which a batch is left alone: each took as
/// long as a check can take, and what is left of the batch is as hard.
const UNDECIDED: usize = 2;

/// How often the candidate that stands last is taken for the wrong one before they are halved.
const GUESSES: usize = 2;

impl BatchCommit for Bisect {
    fn commit(
        &self,
        candidates: &[Candidate],
        refusals: usize,
        attempt: &mut dyn Attempt,
    ) -> Batch {
        let mut bisection = Bisection {
            attempt,
            left: candidates
                .iter()
                .map(|&candidate| (candidate, None))
                .collect(),
            committed: Vec::new(),
            refusals: refusals.max(1),
            undecided: 0,
        };
        bisection.run();
        bisection.batch()
    }
}

struct Bisection<'a> {
    attempt: &'a mut dyn Attempt,
    /// Candidates that were not committed, in order, and the reason why each cannot be, if that
    /// is known.
    left: Vec<(Candidate, Option<Reason>)>,
    /// Those that were, and whether alone.
    committed: Vec<(Candidate, bool)>,
    /// After so many that cannot be it ends.
    refusals: usize,
    undecided: usize,
}

/// Candidates that cannot be committed together.
struct Conflict {
    /// In order, none left out but what is known to be wrong.
    candidates: Vec<Candidate>,
    /// Where those of them are that are enough for that.
    blamed: Vec<usize>,
    reason: Reason,
    /// Whether it is known which cells that is due to.
    is_placed: bool,
}

impl Conflict {
    fn new(candidates: Vec<Candidate>, refused: Refused) -> Self {
        let Refused { reason, within } = refused;
        let mut blamed = blamed(&candidates, &within);
        if blamed.is_empty() {
            blamed = (0..candidates.len()).collect();
        }
        Self {
            is_placed: within.end != usize::MAX,
            candidates,
            blamed,
            reason,
        }
    }

    /// Leaves out the first few, which were committed, and those behind the last that is to blame.
    fn cut(&mut self, committed: usize) {
        if let Some(&last) = self.blamed.last() {
            self.candidates.truncate(last + 1);
        }
        self.candidates.drain(..committed);
        self.blamed.retain(|&at| at >= committed);
        self.blamed.iter_mut().for_each(|at| *at -= committed);
    }

    /// Of those that are to blame, the one in the last cell.
    fn last_in_text(&self) -> Option<usize> {
        let blamed = self.blamed.iter().copied();
        blamed.max_by_key(|&at| self.candidates[at].cell)
    }
}

fn blamed(candidates: &[Candidate], within: &Range<usize>) -> Vec<usize> {
    let blamed = candidates.iter().enumerate();
    let blamed = blamed.filter(|(_, candidate)| within.contains(&candidate.cell));
    blamed.map(|(at, _)| at).collect()
}

impl Bisection<'_> {
    fn run(&mut self) {
        while !self.is_over() {
            let together = self.together(None);
            if together.is_empty() {
                return;
            }
            match self.try_all(&together) {
                Ok(()) => return,
                Err(refused) => self.find_one(Conflict::new(together, refused)),
            }
        }
    }

    fn is_over(&self) -> bool {
        self.undecided >= UNDECIDED
    }

    /// Those left before one refusal too many, without those that cannot be committed, and one that
    /// is taken for such.
    fn together(&self, wrong: Option<usize>) -> Vec<Candidate> {
        let mut refusals = self.refusals;
        let mut together = Vec::with_capacity(self.left.len());
        for &(candidate, reason) in &self.left {
            if reason.is_none() && Some(candidate.cell) != wrong {
                together.push(candidate);
                continue;
            }
            refusals -= 1;
            if refusals == 0 {
                break;
            }
        }
        together
    }

    fn try_all(&mut self, candidates: &[Candidate]) -> Result<(), Refused> {
        let outcome = self.attempt.commit(candidates);
        match &outcome {
            Ok(()) => {
                let cells: Vec<usize> = candidates.iter().map(|candidate| candidate.cell).collect();
                self.left.retain(|(left, _)| !cells.contains(&left.cell));
                let alone = candidates.len() == 1;
                let committed = candidates.iter().map(|&candidate| (candidate, alone));
                self.committed.extend(committed);
            }
            Err(refused) => self.undecided += usize::from(refused.reason == Reason::Exhausted),
        }
        outcome
    }

    fn refuse(&mut self, cell: usize, reason: Reason) {
        for (left, known) in &mut self.left {
            if left.cell == cell {
                *known = Some(reason);
            }
        }
    }

    /// Finds a candidate that cannot be committed with those before it, and commits some of these.
    fn find_one(&mut self, mut conflict: Conflict) {
        let mut guesses = GUESSES;
        while !self.is_over() {
            let Some(&last) = conflict.blamed.last() else {
                return;
            };
            let is_certain = conflict.reason != Reason::Exhausted;
            if let [one] = conflict.blamed[..]
                && (is_certain || conflict.candidates.len() == 1)
            {
                return self.refuse(conflict.candidates[one].cell, conflict.reason);
            }
            let guess = conflict.last_in_text();
            if guesses > 0
                && conflict.is_placed
                && let Some(guess) = guess
            {
                guesses -= 1;
                if guess == last {
                    let wrong = conflict.candidates[last];
                    let others = self.together(Some(wrong.cell));
                    match self.try_all(&others) {
                        Ok(()) => return self.refuse(wrong.cell, conflict.reason),
                        Err(refused) => {
                            let other = Conflict::new(others, refused);
                            // Which of both comes first is asked of what is less.
                            if other.blamed.last() < Some(&last) {
                                conflict = other;
                            }
                            guesses = 0;
                        }
                    }
                    continue;
                }
                self.try_first(&mut conflict, guess + 1);
                continue;
            }
            // The more preferred half of those to blame, and what comes before the next.
            let half = conflict.blamed.len().div_ceil(2);
            let end = conflict.blamed.get(half).copied();
            self.try_first(&mut conflict, end.unwrap_or(last));
        }
    }

    /// Tries the first few of what cannot be committed together, and keeps what cannot of it.
    fn try_first(&mut self, conflict: &mut Conflict, end: usize) {
        let first = conflict.candidates[..end].to_vec();
        match self.try_all(&first) {
            Ok(()) => {
                conflict.cut(end);
                if conflict.reason == Reason::Exhausted {
                    // What was not decided before is easier now.
                    self.ask_again(conflict);
                }
            }
            Err(refused) => *conflict = Conflict::new(first, refused),
        }
    }

    /// Asks again about all of what was not decided.
    fn ask_again(&mut self, conflict: &mut Conflict) {
        let all = std::mem::take(&mut conflict.candidates);
        match self.try_all(&all) {
            Ok(()) => conflict.blamed.clear(),
            Err(refused) => *conflict = Conflict::new(all, refused),
        }
    }

    fn batch(self) -> Batch {
        let refused = self.left.into_iter();
        let refused = refused.filter_map(|(candidate, reason)| Some((candidate, reason?)));
        Batch {
            committed: self.committed,
            refused: refused.take(self.refusals).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MOST, Sums, Undecided, candidates, weights};
    use super::*;

    /// What committing one by one commits, up to a number of refusals; how many were refused.
    fn one_by_one(all: &[u32], most: usize) -> (Vec<u32>, usize) {
        let (mut sum, mut refused) = (0, 0);
        let mut committed = Vec::new();
        for &weight in all {
            if refused == most {
                break;
            }
            match sum + weight <= MOST {
                true => {
                    sum += weight;
                    committed.push(weight);
                }
                false => refused += 1,
            }
        }
        (committed, refused)
    }

    /// The same that tells up to which cell the sum is too large.
    #[derive(Default)]
    struct Placed {
        sums: Sums,
        cells: Vec<Candidate>,
    }

    impl Attempt for Placed {
        fn allows(&mut self, candidates: &[Candidate]) -> bool {
            self.sums.allows(candidates)
        }

        fn commit(&mut self, candidates: &[Candidate]) -> Result<(), Refused> {
            let mut all = self.cells.clone();
            all.extend(candidates);
            self.sums.commit(candidates).map_err(|mut refused| {
                all.sort_by_key(|candidate| candidate.cell);
                let mut sum = 0;
                let too_large = all.iter().position(|candidate| {
                    sum += candidate.token;
                    sum > MOST
                });
                refused.within = 0..too_large.map_or(usize::MAX, |at| all[at].cell + 1);
                refused
            })?;
            self.cells = all;
            Ok(())
        }
    }

    /// Candidates in any cells.
    fn shuffled(weights: &[u32], random: &mut impl FnMut(u32) -> u32) -> Vec<Candidate> {
        let mut shuffled = candidates(weights);
        for at in (1..shuffled.len()).rev() {
            let other = random(at as u32 + 1) as usize;
            let (a, b) = (shuffled[at].cell, shuffled[other].cell);
            (shuffled[at].cell, shuffled[other].cell) = (b, a);
        }
        shuffled
    }

    fn sorted(mut weights: Vec<u32>) -> Vec<u32> {
        weights.sort_unstable();
        weights
    }

    #[test]
    fn it_commits_what_one_by_one_commits_up_to_a_number_of_refusals() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..4000 {
            let all: Vec<u32> = (0..1 + random(12)).map(|_| random(8)).collect();
            let most = 1 + random(4) as usize;
            let (committed, refused) = one_by_one(&all, most);
            let committed = sorted(committed);
            let mut sums = Sums::default();
            let batch = Bisect.commit(&candidates(&all), most, &mut sums);
            assert_eq!(sorted(weights(&batch)), committed, "{all:?}, {most}");
            assert_eq!(batch.refused.len(), refused, "{all:?}, {most}");
            let mut placed = Placed::default();
            let all = shuffled(&all, &mut random);
            let batch = Bisect.commit(&all, most, &mut placed);
            assert_eq!(sorted(weights(&batch)), committed, "{all:?}, {most}");
            assert_eq!(batch.refused.len(), refused, "{all:?}, {most}");
        }
    }

    /// Checks of one after another, and of those whose place is told.
    fn checks(weights: &[u32]) -> (usize, usize) {
        let (mut sums, mut placed) = (Sums::default(), Placed::default());
        Bisect.commit(&candidates(weights), usize::MAX, &mut sums);
        Bisect.commit(&candidates(weights), usize::MAX, &mut placed);
        (sums.exact, placed.sums.exact)
    }

    #[test]
    fn few_checks_where_few_are_refused() {
        assert_eq!(checks(&[1; 8]), (1, 1));
        // Halving eight; and all without the last up to where it goes wrong.
        assert_eq!(checks(&[1, 1, 1, 1, 1, 99, 1, 1]), (5, 2));
        assert_eq!(checks(&[99, 1, 1, 1, 1, 1, 1, 1]), (5, 2));
        assert_eq!(checks(&[99, 1, 1, 1, 99, 1, 1, 1]), (9, 3));
    }

    #[test]
    fn a_batch_that_cannot_be_decided_is_left_alone() {
        let mut undecided = Undecided(0);
        let batch = Bisect.commit(&candidates(&[1; 32]), usize::MAX, &mut undecided);
        assert_eq!((batch, undecided.0), (Batch::default(), UNDECIDED));
    }
}
