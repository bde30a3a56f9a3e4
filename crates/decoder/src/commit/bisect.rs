//! What committing one by one would commit, with fewer checks.
//!
//! All candidates are tried together; if that fails, the more preferred half, in the
//! same way, and then the other half on top of what was committed of it. A set is
//! committed together only if all of it can be, so each candidate is committed exactly
//! if it goes with those committed before it: committing one by one commits the same.
//! It takes one check where all go together, and about 2·log₂ n for each one that
//! does not.

use super::{Attempt, Batch, BatchCommit};
use crate::Candidate;

pub(super) struct Bisect;

impl BatchCommit for Bisect {
    fn commit(&self, candidates: &[Candidate], attempt: &mut dyn Attempt) -> Batch {
        let mut batch = Batch::default();
        halve(candidates, attempt, &mut batch);
        batch
    }
}

fn halve(candidates: &[Candidate], attempt: &mut dyn Attempt, batch: &mut Batch) {
    match (attempt.commit(candidates), candidates) {
        (_, []) => {}
        (Ok(()), _) => {
            let alone = candidates.len() == 1;
            let committed = candidates.iter().map(|&candidate| (candidate, alone));
            batch.committed.extend(committed);
        }
        (Err(reason), [one]) => batch.refused.push((*one, reason)),
        (Err(_), _) => {
            let (high, low) = candidates.split_at(candidates.len().div_ceil(2));
            halve(high, attempt, batch);
            halve(low, attempt, batch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MOST, Sums, candidates, weights};
    use super::*;

    #[test]
    fn it_commits_what_one_by_one_commits() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..2000 {
            let all: Vec<u32> = (0..1 + random(12)).map(|_| random(8)).collect();
            let mut sum = 0;
            let one_by_one: Vec<u32> = all
                .iter()
                .copied()
                .filter(|&weight| {
                    let goes = sum + weight <= MOST;
                    sum += if goes { weight } else { 0 };
                    goes
                })
                .collect();
            let mut sums = Sums::default();
            let batch = Bisect.commit(&candidates(&all), &mut sums);
            assert_eq!(weights(&batch), one_by_one, "{all:?}");
            let ended = batch.committed.len() + batch.refused.len();
            assert_eq!(ended, all.len());
        }
    }

    #[test]
    fn few_checks_where_few_are_refused() {
        let check = |weights: &[u32]| {
            let mut sums = Sums::default();
            Bisect.commit(&candidates(weights), &mut sums);
            sums.exact
        };
        assert_eq!(check(&[1; 8]), 1);
        assert_eq!(check(&[1, 1, 1, 1, 1, 99, 1, 1]), 7);
    }
}
