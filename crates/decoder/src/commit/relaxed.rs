//! EPIC's Algorithm 4: a batch that a regular cover allows.
//!
//! A batch that the cover refuses is halved until it allows what is left; that goes to
//! the exact check, and is halved again until it passes. Only batches of two and more
//! are tried so. Where the paper leaves open what becomes of the less preferred half
//! when the other one fails, it is tried next, as in `lacuna_published::select`. Two exact
//! checks without an answer end it; the loop goes on with what is left.

use super::{Attempt, Batch, BatchCommit};
use crate::{Candidate, Reason};

pub(super) struct Relaxed;

/// Exact checks that ran out of their budget after which a batch is left alone: each took
/// as long as a check can take, and what is left of the batch is as hard.
const UNDECIDED: usize = 2;

impl BatchCommit for Relaxed {
    fn commit(&self, candidates: &[Candidate], _: usize, attempt: &mut dyn Attempt) -> Batch {
        let relaxed = halve(candidates, &mut |batch| attempt.allows(batch));
        let mut undecided = 0;
        let exact = halve(relaxed, &mut |batch| {
            if undecided == UNDECIDED {
                return false;
            }
            let refused = attempt.commit(batch).err();
            let reason = refused.map(|refused| refused.reason);
            undecided += usize::from(reason == Some(Reason::Exhausted));
            reason.is_none()
        });
        Batch {
            committed: exact.iter().map(|&candidate| (candidate, false)).collect(),
            refused: Vec::new(),
        }
    }
}

/// The first batch of two or more that passes: all, or of the more preferred half, or
/// of the other.
fn halve<'a>(
    candidates: &'a [Candidate],
    passes: &mut dyn FnMut(&[Candidate]) -> bool,
) -> &'a [Candidate] {
    if candidates.len() < 2 {
        return &[];
    }
    if passes(candidates) {
        return candidates;
    }
    let (high, low) = candidates.split_at(candidates.len().div_ceil(2));
    match halve(high, passes) {
        [] => halve(low, passes),
        found => found,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sums, Undecided, candidates, weights};
    use super::*;

    fn batch(all: &[u32]) -> (Vec<u32>, Sums) {
        let mut sums = Sums::default();
        let batch = Relaxed.commit(&candidates(all), 1, &mut sums);
        (weights(&batch), sums)
    }

    #[test]
    fn a_batch_that_passes_costs_one_check_of_each_kind() {
        let (found, sums) = batch(&[1, 2, 3, 4]);
        assert_eq!(found, [1, 2, 3, 4]);
        assert_eq!((sums.relaxed, sums.exact), (1, 1));
    }

    #[test]
    fn the_cover_halves_and_the_exact_check_halves_again() {
        assert_eq!(batch(&[4, 5, 30, 1]).0, [4, 5]);
        // The cover allows all four, the exact check the less preferred half.
        let (found, sums) = batch(&[9, 7, 2, 2]);
        assert_eq!(found, [2, 2]);
        assert_eq!(sums.relaxed, 1);
    }

    #[test]
    fn a_batch_that_cannot_be_decided_is_left_alone() {
        let mut undecided = Undecided(0);
        let batch = Relaxed.commit(&candidates(&[1; 32]), usize::MAX, &mut undecided);
        assert_eq!((batch, undecided.0), (Batch::default(), UNDECIDED));
    }

    #[test]
    fn single_candidates_are_left_to_the_loop() {
        let (found, sums) = batch(&[7]);
        assert!(found.is_empty());
        assert_eq!((sums.relaxed, sums.exact), (0, 0));
    }
}
