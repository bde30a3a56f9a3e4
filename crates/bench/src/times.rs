//! Repeated measurements of one thing.

use serde::Serialize;

/// Microseconds of runs of the same work.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// Runs.
    pub runs: usize,
    /// The fastest.
    pub fastest: f64,
    /// The one in the middle.
    pub median: f64,
    /// The slowest.
    pub slowest: f64,
}

impl Times {
    /// Of the microseconds of each run; none without a run.
    pub fn of(mut micros: Vec<f64>) -> Option<Self> {
        micros.sort_by(f64::total_cmp);
        Some(Self {
            runs: micros.len(),
            fastest: *micros.first()?,
            median: micros[micros.len() / 2],
            slowest: *micros.last()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Times;

    #[test]
    fn the_middle_is_the_middle() {
        assert_eq!(Times::of(vec![]), None);
        let times =
            Times::of(vec![9.0, 1.0, 4.0]).map(|t| (t.runs, t.fastest, t.median, t.slowest));
        assert_eq!(times, Some((3, 1.0, 4.0, 9.0)));
    }
}
