//! What committing one by one would commit, with fewer checks.
//!
//! All candidates are tried together; if that fails, the more preferred half, in the
//! same way, and then the other half on top of what was committed of it. A set is
//! committed together only if all of it can be, so each candidate is committed exactly
//! if it goes with those committed before it: committing one by one commits the same.
//! It takes one check where all go together, and about 2·log₂ n for each one that
//! does not. Two checks without an answer end it; the loop goes on with what is left.

use super::{Attempt, Batch, BatchCommit};
use crate::{Candidate, Reason};

pub(super) struct Bisect;

/// Checks that ran out of their budget after which a batch is left alone: each took as
/// long as a check can take, and what is left of the batch is as hard.
const UNDECIDED: usize = 2;

impl BatchCommit for Bisect {
    fn commit(
        &self,
        candidates: &[Candidate],
        refusals: usize,
        attempt: &mut dyn Attempt,
    ) -> Batch {
        let mut halving = Halving {
            attempt,
            batch: Batch::default(),
            refusals: refusals.max(1),
            undecided: 0,
        };
        halving.halve(candidates);
        halving.batch
    }
}

struct Halving<'a> {
    attempt: &'a mut dyn Attempt,
    batch: Batch,
    /// After so many it ends.
    refusals: usize,
    undecided: usize,
}

impl Halving<'_> {
    fn halve(&mut self, candidates: &[Candidate]) {
        let is_over = self.undecided >= UNDECIDED || self.batch.refused.len() >= self.refusals;
        if candidates.is_empty() || is_over {
            return;
        }
        let reason = match self.attempt.commit(candidates) {
            Ok(()) => {
                let alone = candidates.len() == 1;
                let committed = candidates.iter().map(|&candidate| (candidate, alone));
                self.batch.committed.extend(committed);
                return;
            }
            Err(reason) => reason,
        };
        self.undecided += usize::from(reason == Reason::Exhausted);
        match candidates {
            [one] => self.batch.refused.push((*one, reason)),
            _ => {
                let (high, low) = candidates.split_at(candidates.len().div_ceil(2));
                self.halve(high);
                self.halve(low);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MOST, Sums, candidates, weights};
    use super::*;

    #[test]
    fn it_commits_what_one_by_one_commits_up_to_a_number_of_refusals() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..2000 {
            let all: Vec<u32> = (0..1 + random(12)).map(|_| random(8)).collect();
            let most = 1 + random(4) as usize;
            let (mut sum, mut refused) = (0, 0);
            let mut one_by_one: Vec<u32> = Vec::new();
            for &weight in &all {
                if refused == most {
                    break;
                }
                match sum + weight <= MOST {
                    true => {
                        sum += weight;
                        one_by_one.push(weight);
                    }
                    false => refused += 1,
                }
            }
            let mut sums = Sums::default();
            let batch = Bisect.commit(&candidates(&all), most, &mut sums);
            assert_eq!(weights(&batch), one_by_one, "{all:?}, {most}");
            assert_eq!(batch.refused.len(), refused);
        }
    }

    #[test]
    fn few_checks_where_few_are_refused() {
        let check = |weights: &[u32]| {
            let mut sums = Sums::default();
            Bisect.commit(&candidates(weights), usize::MAX, &mut sums);
            sums.exact
        };
        assert_eq!(check(&[1; 8]), 1);
        assert_eq!(check(&[1, 1, 1, 1, 1, 99, 1, 1]), 7);
    }

    /// Never knows.
    struct Undecided(usize);

    impl Attempt for Undecided {
        fn allows(&mut self, _candidates: &[Candidate]) -> bool {
            true
        }

        fn commit(&mut self, _candidates: &[Candidate]) -> Result<(), Reason> {
            self.0 += 1;
            Err(Reason::Exhausted)
        }
    }

    #[test]
    fn a_batch_that_cannot_be_decided_is_left_alone() {
        let mut undecided = Undecided(0);
        let batch = Bisect.commit(&candidates(&[1; 32]), usize::MAX, &mut undecided);
        assert_eq!((batch, undecided.0), (Batch::default(), UNDECIDED));
    }
}
