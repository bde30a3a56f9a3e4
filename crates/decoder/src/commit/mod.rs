//! How a step's candidates are committed together.
//!
//! A step proposes as many candidates as its quota, most preferred first. A
//! [`BatchCommit`] commits several of them with few checks; whatever it leaves over, the
//! loop goes on with one by one. Nothing is committed that the guard did not allow
//! together with all that was committed before.

mod bisect;
mod relaxed;

use crate::guard::Refused;
use crate::{Candidate, CommitKind, Reason};

/// Tries candidates on the canvas.
pub trait Attempt {
    /// Whether the guard's cheap check allows them together; a no is certain.
    fn allows(&mut self, candidates: &[Candidate]) -> bool;

    /// Commits them if they are allowed together with all that was committed before.
    ///
    /// # Errors
    /// Why they are not; the canvas is as before then.
    fn commit(&mut self, candidates: &[Candidate]) -> Result<(), Refused>;
}

/// What became of a step's candidates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Those committed, in order, and whether alone.
    pub committed: Vec<(Candidate, bool)>,
    /// Those refused alone, in order.
    pub refused: Vec<(Candidate, Reason)>,
}

/// How a step's candidates are committed together.
pub trait BatchCommit {
    /// Whether the candidates are those of the most probable completion, where it is
    /// known; they need no check then.
    fn follows_best(&self) -> bool {
        false
    }

    /// Commits some of the candidates, most preferred first; after so many that were refused
    /// alone, at least one, no more.
    fn commit(&self, candidates: &[Candidate], refusals: usize, attempt: &mut dyn Attempt)
    -> Batch;
}

impl CommitKind {
    /// The way of this name.
    pub fn batch_commit(self) -> Box<dyn BatchCommit> {
        match self {
            Self::Sequential => Box::new(Sequential),
            Self::Whole => Box::new(Whole),
            Self::Relaxed => Box::new(relaxed::Relaxed),
            Self::Bisect => Box::new(bisect::Bisect),
            Self::Best => Box::new(Best),
        }
    }
}

/// Nothing together.
struct Sequential;

impl BatchCommit for Sequential {
    fn commit(&self, _: &[Candidate], _: usize, _: &mut dyn Attempt) -> Batch {
        Batch::default()
    }
}

/// All together, or nothing.
struct Whole;

impl BatchCommit for Whole {
    fn commit(&self, candidates: &[Candidate], _: usize, attempt: &mut dyn Attempt) -> Batch {
        let mut batch = Batch::default();
        if candidates.len() > 1 && attempt.commit(candidates).is_ok() {
            let committed = candidates.iter().map(|&candidate| (candidate, false));
            batch.committed.extend(committed);
        }
        batch
    }
}

/// Along the most probable completion.
struct Best;

impl BatchCommit for Best {
    fn follows_best(&self) -> bool {
        true
    }

    fn commit(
        &self,
        candidates: &[Candidate],
        refusals: usize,
        attempt: &mut dyn Attempt,
    ) -> Batch {
        bisect::Bisect.commit(candidates, refusals, attempt)
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Candidates that go together while their sum stays small; the relaxed check
    //! allows twice as much.

    use super::*;

    #[derive(Debug, Default)]
    pub struct Sums {
        pub committed: u32,
        pub relaxed: usize,
        pub exact: usize,
    }

    pub const MOST: u32 = 10;

    fn sum(candidates: &[Candidate]) -> u32 {
        candidates.iter().map(|candidate| candidate.token).sum()
    }

    impl Attempt for Sums {
        fn allows(&mut self, candidates: &[Candidate]) -> bool {
            self.relaxed += 1;
            self.committed + sum(candidates) <= 2 * MOST
        }

        fn commit(&mut self, candidates: &[Candidate]) -> Result<(), Refused> {
            self.exact += 1;
            let sum = self.committed + sum(candidates);
            if sum > MOST {
                return Err(Reason::Impossible.into());
            }
            self.committed = sum;
            Ok(())
        }
    }

    /// Allows all, and never knows; how often it was asked.
    pub struct Undecided(pub usize);

    impl Attempt for Undecided {
        fn allows(&mut self, _candidates: &[Candidate]) -> bool {
            true
        }

        fn commit(&mut self, _candidates: &[Candidate]) -> Result<(), Refused> {
            self.0 += 1;
            Err(Reason::Exhausted.into())
        }
    }

    pub fn candidates(weights: &[u32]) -> Vec<Candidate> {
        let candidate = |(cell, &token): (usize, &u32)| Candidate {
            cell,
            token,
            probability: 1.0,
        };
        weights.iter().enumerate().map(candidate).collect()
    }

    pub fn weights(batch: &Batch) -> Vec<u32> {
        batch.committed.iter().map(|(c, _)| c.token).collect()
    }
}
