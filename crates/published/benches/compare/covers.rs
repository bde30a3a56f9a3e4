//! How much of what is impossible the regular cover refuses.
//!
//! Canvases of a workload are disturbed, a token of the text put where it is not, and what
//! the checker says is held against the cover alone. What the cover passes and the
//! checker refuses is a false accept of EPIC's filter (its section 4.3).

use std::sync::Arc;

use lacuna_checker::{CanvasVerdict, Checker, CheckerLimits, Pattern};

use super::vocabulary::Encoder;
use super::workload::{Case, Source};

/// Disturbed canvases for each case.
const DISTURBED: usize = 6;

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Covers {
    /// Canvases that cannot be completed.
    pub impossible: usize,
    /// Of them, those that the cover passes.
    pub passed: usize,
    /// Canvases that were not decided, by either.
    pub undecided: usize,
}

/// Counts on the disturbed canvases of a workload.
pub fn count(source: &Source, encoder: &Encoder, cases: &[Case]) -> Covers {
    let mut covers = Covers::default();
    let vocabulary = Some(Arc::clone(&encoder.vocabulary));
    let Ok(mut checker) = Checker::new(&source.read(), vocabulary, CheckerLimits::default()) else {
        return covers;
    };
    let mut random = fastrand::Rng::with_seed(cases.len() as u64);
    for case in cases {
        let known: Vec<_> = case.cells.iter().flatten().copied().collect();
        let open = (0..case.cells.len()).filter(|&cell| case.cells[cell].is_none());
        let open: Vec<usize> = open.collect();
        for _ in 0..DISTURBED {
            let (Some(&cell), Some(&token)) = (random.choice(&open), random.choice(&known)) else {
                continue;
            };
            let mut cells = case.cells.clone();
            cells[cell] = Some(token);
            let Some(pattern) = Pattern::of_canvas(&cells, &encoder.vocabulary) else {
                continue;
            };
            match (checker.check_canvas(&cells).0, checker.is_covered(&pattern)) {
                (CanvasVerdict::Impossible { .. }, Some(passes)) => {
                    covers.impossible += 1;
                    covers.passed += usize::from(passes);
                }
                (CanvasVerdict::Completable(_), _) | (CanvasVerdict::Malformed, _) => {}
                _ => covers.undecided += 1,
            }
        }
    }
    covers
}
