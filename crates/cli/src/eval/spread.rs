//! A middle and how far the rest lies from it, which a busy machine moves less than a mean.

use std::fmt;

/// The quartiles of some figures, the largest, and the mean.
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
    /// Their sum over their number.
    pub mean: f64,
}

impl Spread {
    /// The spread of figures; `None` if there are none.
    pub fn of(figures: impl Iterator<Item = f64>) -> Option<Self> {
        let mut figures: Vec<f64> = figures.collect();
        figures.sort_by(f64::total_cmp);
        let last = figures.len().checked_sub(1)?;
        // Between two figures, in proportion.
        let quarter = |quarters: usize| {
            let (below, rest) = (last * quarters / 4, (last * quarters % 4) as f64 / 4.0);
            let above = figures[last.min(below + 1)];
            figures[below] + rest * (above - figures[below])
        };
        Some(Self {
            low: quarter(1),
            median: quarter(2),
            high: quarter(3),
            most: quarter(4),
            mean: figures.iter().sum::<f64>() / figures.len() as f64,
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
    fn quartiles_part_the_figures() {
        assert_eq!(Spread::of([].into_iter()), None);
        let one = Spread::of([7.0].into_iter()).expect("one figure");
        assert_eq!(
            (one.low, one.median, one.high, one.most, one.mean),
            (7.0, 7.0, 7.0, 7.0, 7.0)
        );
        let nine = (1..=9).rev().map(f64::from);
        let nine = Spread::of(nine).expect("nine figures");
        assert_eq!(
            (nine.low, nine.median, nine.high, nine.most),
            (3.0, 5.0, 7.0, 9.0)
        );
        assert_eq!(nine.to_string(), "5.0 (3.0–7.0)");
        let two = Spread::of([1.0, 2.0].into_iter()).expect("two figures");
        assert_eq!(
            (two.low, two.median, two.high, two.most, two.mean),
            (1.25, 1.5, 1.75, 2.0, 1.5)
        );
    }
}
