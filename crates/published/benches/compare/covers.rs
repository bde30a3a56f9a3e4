//! How much of what is impossible regular covers refuse.
//!
//! Canvases of a workload are disturbed, a token of the text put where it is not, and what
//! the checker says is held against a cover alone. What a cover passes and the checker refuses is a
//! false accept: of EPIC's filter (its section 4.3, the flattened productions), and of ours (an
//! automaton of the parser's states), where gaps are of any length; and of ours where they count
//! cells, which it knows about.

use lacuna_checker::{CanvasVerdict, Checker, CheckerLimits, Pattern, Verdict};
use lacuna_grammar::automaton::Limits;
use lacuna_published::{Epic, EpicParts, LexicalMap};
use std::sync::Arc;

use super::vocabulary::Encoder;
use super::workload::{Case, Source, any_length};

/// Disturbed canvases for each case.
const DISTURBED: usize = 6;

/// Canvases that cannot be completed, and those of them that a cover passes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub impossible: usize,
    pub passed: usize,
}

impl Tally {
    fn add(&mut self, passes: bool) {
        self.impossible += 1;
        self.passed += usize::from(passes);
    }
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Covers {
    /// EPIC's, gaps being of any length; `None` where the method does not take the grammar.
    pub epic: Option<Tally>,
    /// Ours, on the same.
    pub any: Tally,
    /// Ours, gaps being of so many cells; `None` where an automaton says all of that.
    pub fits: Option<Tally>,
    /// Canvases that were not decided, by a cover or by the checker.
    pub undecided: usize,
}

/// Counts on the disturbed canvases of a workload.
pub fn count(source: &Source, encoder: &Encoder, cases: &[Case]) -> Covers {
    let mut covers = Covers::default();
    let vocabulary = Some(Arc::clone(&encoder.vocabulary));
    let grammar = source.read();
    let Ok(mut checker) = Checker::new(&grammar, vocabulary, CheckerLimits::default()) else {
        return covers;
    };
    let (map, parts, limits) = (
        LexicalMap::Described,
        EpicParts::default(),
        Limits::default(),
    );
    let mut epic = Epic::new(&grammar, map, parts, &limits).ok();
    covers.epic = epic.as_ref().map(|_| Tally::default());
    covers.fits = (!checker.is_regular()).then(Tally::default);
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
            let any = any_length(&cells, encoder);
            match (checker.check(&any).0, checker.is_covered(&any)) {
                (Verdict::Impossible, Some(passes)) => {
                    covers.any.add(passes);
                    if let (Some(epic), Some(tally)) = (&mut epic, &mut covers.epic) {
                        match epic.cover_allows(&any, &|| false) {
                            Ok(passes) => tally.add(passes),
                            Err(_) => covers.undecided += 1,
                        }
                    }
                }
                (Verdict::Completable(_), _) => {}
                _ => covers.undecided += 1,
            }
            let (Some(tally), Some(counted)) = (
                &mut covers.fits,
                Pattern::of_canvas(&cells, &encoder.vocabulary),
            ) else {
                continue;
            };
            match (checker.check_canvas(&cells).0, checker.is_covered(&counted)) {
                (CanvasVerdict::Impossible { .. }, Some(passes)) => tally.add(passes),
                (CanvasVerdict::Completable(_), _) | (CanvasVerdict::Malformed, _) => {}
                _ => covers.undecided += 1,
            }
        }
    }
    covers
}
