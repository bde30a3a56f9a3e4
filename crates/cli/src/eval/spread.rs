//! A middle and how far the rest lies from it, which a busy machine moves less than a mean.

use std::fmt;

/// The quartiles of some figures, and the largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// A quarter is below.
    pub low: f64,
    /// Half is below.
    pub median: f64,
    /// Three quarters are below.
    pub high: f64,
    /// None is above.
    pub most: f64,
}

impl Spread {
    /// The spread of figures; `None` if there are none.
    pub fn of(figures: impl Iterator<Item = f64>) -> Option<Self> {
        let mut figures: Vec<f64> = figures.collect();
        figures.sort_by(f64::total_cmp);
        let last = figures.len().checked_sub(1)?;
        let quarter = |quarters: usize| figures[(last * quarters).div_ceil(4)];
        Some(Self {
            low: quarter(1),
            median: quarter(2),
            high: quarter(3),
            most: quarter(4),
        })
    }
}

/// The median, and between which two values half of the figures are.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            low, median, high, ..
        } = self;
        write!(f, "{median:.1} ({low:.1}–{high:.1})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_figures_that_were_given() {
        assert_eq!(Spread::of([].into_iter()), None);
        let one = Spread::of([7.0].into_iter()).expect("one figure");
        assert_eq!(
            (one.low, one.median, one.high, one.most),
            (7.0, 7.0, 7.0, 7.0)
        );
        let nine = (1..=9).rev().map(f64::from);
        let nine = Spread::of(nine).expect("nine figures");
        assert_eq!(
            (nine.low, nine.median, nine.high, nine.most),
            (3.0, 5.0, 7.0, 9.0)
        );
        assert_eq!(nine.to_string(), "5.0 (3.0–7.0)");
    }
}
