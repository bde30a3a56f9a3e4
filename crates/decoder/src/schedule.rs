//! How many cells each step commits.

/// LLaDA's fixed schedule: the cells spread evenly over the steps, the earlier
/// ones taking what does not divide. Sums to `cells`.
///
/// ```
/// assert_eq!((0..3).map(|step| lacuna_decoder::quota(8, 3, step)).collect::<Vec<_>>(), [3, 3, 2]);
/// ```
pub fn quota(cells: usize, steps: usize, step: usize) -> usize {
    let steps = steps.max(1);
    cells / steps + usize::from(step < cells % steps)
}
