//! EPIC's Algorithms 1 and 4: committing several of a step's tokens at once.
//!
//! A batch that the regular cover refuses cannot be completed; it is halved by
//! confidence until the cover allows what is left. That goes to the exact check, and
//! is halved again until it passes. Only batches of two and more are tried so;
//! single candidates are left to the sequential loop, which checks one by one what
//! the batch left over.
//!
//! The paper leaves open what becomes of the less confident half when the more
//! confident one fails: here it is tried next.

/// What a set of commits is asked, on top of what is committed already. The order
/// of the candidates is that of confidence, highest first.
pub trait Compatible<C> {
    /// Why an answer can be missing.
    type Error;

    /// Whether the relaxed check allows them together.
    ///
    /// # Errors
    /// When there is no answer.
    fn relaxed(&mut self, commits: &[C]) -> Result<bool, Self::Error>;

    /// Whether the exact check allows them together.
    ///
    /// # Errors
    /// When there is no answer.
    fn exact(&mut self, commits: &[C]) -> Result<bool, Self::Error>;
}

/// Algorithm 4: the candidates that the cover allows together, halved until it
/// does; and, of these, halved until the exact check does. Empty if no batch of two
/// is left.
///
/// # Errors
/// When a check has no answer.
pub fn relaxed_subset<C: Clone, T: Compatible<C>>(
    candidates: &[C],
    checks: &mut T,
) -> Result<Vec<C>, T::Error> {
    let relaxed = halve(candidates, &mut |batch| checks.relaxed(batch))?;
    let exact = halve(relaxed, &mut |batch| checks.exact(batch))?;
    Ok(exact.to_vec())
}

/// The first batch of two or more that passes: all, or of the more confident half,
/// or of the other.
fn halve<'a, C, E>(
    candidates: &'a [C],
    passes: &mut dyn FnMut(&[C]) -> Result<bool, E>,
) -> Result<&'a [C], E> {
    if candidates.len() < 2 {
        return Ok(&[]);
    }
    if passes(candidates)? {
        return Ok(candidates);
    }
    let (high, low) = candidates.split_at(candidates.len().div_ceil(2));
    let found = halve(high, passes)?;
    match found.is_empty() {
        true => halve(low, passes),
        false => Ok(found),
    }
}

/// Algorithm 1's step: a batch, then the rest one by one, until so many are
/// committed or none is left. What is committed, in that order.
///
/// # Errors
/// When a check has no answer.
pub fn commit_step<C: Clone + PartialEq, T: Compatible<C>>(
    candidates: &[C],
    wanted: usize,
    in_parallel: bool,
    checks: &mut T,
) -> Result<Vec<C>, T::Error> {
    let mut committed = match in_parallel {
        true => relaxed_subset(&candidates[..wanted.min(candidates.len())], checks)?,
        false => Vec::new(),
    };
    for candidate in candidates {
        if committed.len() >= wanted {
            break;
        }
        if committed.contains(candidate) {
            continue;
        }
        committed.push(candidate.clone());
        if !checks.exact(&committed)? {
            committed.pop();
        }
    }
    Ok(committed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Numbers go together while their sum stays small; the relaxed check allows
    /// twice as much.
    #[derive(Default)]
    struct Sums {
        relaxed: usize,
        exact: usize,
    }

    impl Compatible<u32> for Sums {
        type Error = Infallible;

        fn relaxed(&mut self, commits: &[u32]) -> Result<bool, Infallible> {
            self.relaxed += 1;
            Ok(commits.iter().sum::<u32>() <= 20)
        }

        fn exact(&mut self, commits: &[u32]) -> Result<bool, Infallible> {
            self.exact += 1;
            Ok(commits.iter().sum::<u32>() <= 10)
        }
    }

    fn step(candidates: &[u32], in_parallel: bool) -> (Vec<u32>, Sums) {
        let mut sums = Sums::default();
        let Ok(found) = commit_step(candidates, candidates.len(), in_parallel, &mut sums);
        (found, sums)
    }

    #[test]
    fn a_batch_that_passes_costs_one_check_of_each_kind() {
        let (found, sums) = step(&[1, 2, 3, 4], true);
        assert_eq!(found, [1, 2, 3, 4]);
        assert_eq!((sums.relaxed, sums.exact), (1, 1));
        assert_eq!(step(&[1, 2, 3, 4], false).1.exact, 4);
    }

    #[test]
    fn the_cover_halves_by_confidence() {
        let (found, sums) = step(&[4, 5, 30, 1], true);
        // All, then 4 and 5; the rest one by one.
        assert_eq!(found, [4, 5, 1]);
        assert_eq!((sums.relaxed, sums.exact), (2, 3));
    }

    #[test]
    fn what_the_cover_allows_is_verified() {
        // The cover allows all four, the exact check the less confident half.
        let (found, sums) = step(&[9, 7, 2, 2], true);
        assert_eq!(found, [2, 2]);
        assert_eq!(sums.relaxed, 1);
    }

    #[test]
    fn single_candidates_are_left_to_the_loop() {
        let (found, sums) = step(&[7], true);
        assert_eq!(found, [7]);
        assert_eq!((sums.relaxed, sums.exact), (0, 1));
    }
}
