//! What a share of some figures does not exceed.

/// The figure below which so large a share of all lies, which are in order; between two of them, in
/// proportion. NaN if there are none.
pub fn quantile(figures: &[f64], share: f64) -> f64 {
    let Some(last) = figures.len().checked_sub(1) else {
        return f64::NAN;
    };
    let at = share * last as f64;
    let below = figures[at as usize];
    let above = figures[last.min(at as usize + 1)];
    below + at.fract() * (above - below)
}
