//! Canvases, which fill up a few cells at a time.
//!
//! A canvas that is asked about is, as a rule, one that was asked about before with a
//! token more. So completions that were found are kept, and asked first:
//!
//! - one that has the new tokens completes the new canvas as well: no check is needed;
//! - one that has most of them may be *mended*: of the masked cells only those near a
//!   token that it does not have are left free, the others become its tokens. That canvas
//!   is decided in a fraction of the time; its yes is a yes for the canvas asked about.
//!   Where terminals are many and gaps too, searches give up sooner than they find, so a
//!   chart among short lexemes comes first.
//!
//! What a model finds likely, where that is told, leads to completions of large canvases sooner
//! ([`Checker::check_canvas_by`]).
//!
//! What is kept never decides more than a yes that comes with its completion, so
//! verdicts do not depend on what was asked before; completions may.
//!
//! Cost: a comparison with each completion that is kept, and a few short checks.

use std::collections::VecDeque;
use std::sync::Arc;

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::{TokenId, Vocabulary};

use crate::exact::{Haste, is_searched_longer};
use crate::{Budget, Checker, Filling, Gap, Pattern, Segment, Tier, Verdict, Weights, Witness};

/// Completions that are kept.
const MOST_KEPT: usize = 32;

/// Masked cells that are left free at each side of a token to be mended.
const NEAR: &[usize] = &[2, 6];
const FAR: &[usize] = &[6, 18];

/// Tokens of a cell, the heaviest, that [`Checker::check_canvas_by`] heeds.
pub const HEEDED_TOKENS: usize = 16;

/// Cells of a canvas above which weights are heeded: up to it, completions are found as fast
/// without them.
const MANY_CELLS: usize = 64;

/// Tokens that a completion may lack for it to be mended.
const MOST_LACKING: usize = 16;

/// The answer to "can this canvas still become a sentence?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CanvasVerdict {
    /// Yes, with these tokens for instance: one for each cell, ends behind the text.
    Completable(Vec<TokenId>),
    /// No filling exists.
    Impossible {
        /// So many cells from the first are enough to say so: there is none whatever stands
        /// behind them. All cells, where no fewer are known to be enough.
        first_cells: usize,
    },
    /// Text stands behind an end, or a special token in the text: no filling makes that
    /// well formed.
    Malformed,
    /// The budget ran out before the answer was known.
    Exhausted {
        /// What ran out.
        what: Budget,
        /// The limit in force.
        limit: usize,
    },
}

/// A canvas that was decided before it was asked about.
#[derive(Clone, Debug)]
pub struct Ahead {
    verdict: CanvasVerdict,
    tier: Tier,
    completions: Completions,
}

/// The completions found last, of canvases of one size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Completions {
    kept: VecDeque<Vec<TokenId>>,
}

impl Checker {
    /// Decides a canvas, and says which tier did. The answers are those of
    /// [`check`](Self::check); they come sooner where a canvas is like one before.
    pub fn check_canvas(&mut self, cells: &[Option<TokenId>]) -> (CanvasVerdict, Tier) {
        self.check_canvas_heeding(cells, None)
    }

    /// Whether [`check_canvas_by`](Self::check_canvas_by) goes by weights where a canvas has so many
    /// cells; else it says what [`check_canvas`](Self::check_canvas) does.
    pub fn heeds_weights(&mut self, cells: usize) -> bool {
        SHORTCUTS && cells > MANY_CELLS && self.has_short_lexemes()
    }

    /// Decides a canvas as [`check_canvas`](Self::check_canvas) does, but looks first for a
    /// completion of what a model finds likely, for each masked cell its weights. Where these are
    /// `None`, or missing, anything may stand. The verdict is the same; the completion, if there is
    /// one, is nearer to what the model would write.
    pub fn check_canvas_by(
        &mut self,
        cells: &[Option<TokenId>],
        weights: &[Option<Weights>],
    ) -> (CanvasVerdict, Tier) {
        let weights = self.heeds_weights(cells.len()).then_some(weights);
        self.check_canvas_heeding(cells, weights)
    }

    fn check_canvas_heeding(
        &mut self,
        cells: &[Option<TokenId>],
        weights: Option<&[Option<Weights>]>,
    ) -> (CanvasVerdict, Tier) {
        let Some(vocabulary) = self.vocabulary().cloned() else {
            let verdict = CanvasVerdict::Exhausted {
                what: Budget::VOCABULARIES,
                limit: 0,
            };
            return (verdict, Tier::Parse);
        };
        if let Some(known) = self.completions.of(cells) {
            return (CanvasVerdict::Completable(known), Tier::Kept);
        }
        let Some(pattern) = Pattern::of_canvas(cells, &vocabulary) else {
            return (CanvasVerdict::Malformed, Tier::Kept);
        };
        let (verdict, tier) = self.decide_canvas(cells, weights, &pattern, &vocabulary);
        #[cfg(feature = "shortcuts")]
        let verdict = self.judged_canvas(cells, verdict, &vocabulary);
        if let CanvasVerdict::Completable(tokens) = &verdict {
            self.completions.keep(tokens);
        }
        (verdict, tier)
    }

    /// Decides a canvas of which no completion is known.
    fn decide_canvas(
        &mut self,
        cells: &[Option<TokenId>],
        #[cfg_attr(not(feature = "shortcuts"), expect(unused_variables))] weights: Option<
            &[Option<Weights>],
        >,
        pattern: &Pattern,
        vocabulary: &Arc<Vocabulary>,
    ) -> (CanvasVerdict, Tier) {
        self.take_reach();
        let mut searched = Searched::default();
        // Where terminals are many, a chart of a canvas with few free cells is sooner drawn than a
        // search goes through what may stand in them.
        let is_charted = SHORTCUTS && !is_searched_longer(pattern) && self.has_short_lexemes();
        let (near, mut decided) = match is_charted {
            true => (By::Chart, None),
            false => (By::Search, self.decide_at_once(pattern, Haste::Much)),
        };
        #[cfg(feature = "shortcuts")]
        if decided.is_none()
            && let Some(weights) = weights
            && let Some(tokens) = self.likely_completion(cells, weights, vocabulary)
        {
            return (CanvasVerdict::Completable(tokens), Tier::Likely);
        }
        for (reaches, by) in [(NEAR, near), (FAR, By::Both)] {
            if decided.is_some() {
                break;
            }
            let mended = self.mend(cells, reaches, by, &mut searched, vocabulary);
            if let Some(tokens) = mended {
                return (CanvasVerdict::Completable(tokens), Tier::Mended);
            }
            if by == By::Search && is_searched_longer(pattern) {
                decided = self.decide_at_once(pattern, Haste::Some);
            }
        }
        let (verdict, tier) = decided.unwrap_or_else(|| self.decide_at_length(pattern));
        let verdict = match verdict {
            Verdict::Completable(witness) => {
                CanvasVerdict::Completable(witness.tokens(cells, pattern, vocabulary))
            }
            Verdict::Impossible => CanvasVerdict::Impossible {
                first_cells: match self.take_reach() {
                    Some(reach) => cells_within(cells, reach, vocabulary),
                    None => cells.len(),
                },
            },
            Verdict::Exhausted { what, limit } => CanvasVerdict::Exhausted { what, limit },
        };
        (verdict, tier)
    }

    /// Decides a canvas ahead. But for memos of the grammar and the vocabulary, which change
    /// no answer, the checker is as before.
    pub fn check_ahead(&mut self, cells: &[Option<TokenId>]) -> Ahead {
        let before = self.completions.clone();
        let (verdict, tier) = self.check_canvas(cells);
        Ahead {
            verdict,
            tier,
            completions: std::mem::replace(&mut self.completions, before),
        }
    }

    /// What [`check_canvas`](Self::check_canvas) says of the canvas that was decided ahead;
    /// the same if nothing was asked in between.
    pub fn accept(&mut self, ahead: Ahead) -> (CanvasVerdict, Tier) {
        self.completions = ahead.completions;
        (ahead.verdict, ahead.tier)
    }

    /// Forgets the completions of earlier canvases, so that the next ones are found as if
    /// there had been none. Memos of the grammar and the vocabulary stay.
    pub fn forget_completions(&mut self) {
        self.completions = Completions::default();
    }

    /// Looks for a completion that differs little from one that is kept.
    fn mend(
        &mut self,
        cells: &[Option<TokenId>],
        reaches: &[usize],
        by: By,
        searched: &mut Searched,
        vocabulary: &Vocabulary,
    ) -> Option<Vec<TokenId>> {
        let (known, lacking) = self.completions.nearest(cells)?;
        let known = known.to_vec();
        let all = cells.iter().filter(|cell| cell.is_none()).count();
        let mut last_free = 0;
        for &reach in reaches {
            let mended = all_but_near(cells, &known, &lacking, reach, vocabulary);
            let free = mended.iter().filter(|cell| cell.is_none()).count();
            let too_many = match by {
                By::Chart => free > all / 2,
                By::Search | By::Both => free == all,
            };
            if free == last_free || too_many {
                continue;
            }
            last_free = free;
            let outcome = searched.outcome(free);
            if matches!(outcome, Some(Outcome::Nothing | Outcome::Charted)) {
                continue;
            }
            let pattern = Pattern::of_canvas(&mended, vocabulary)?;
            let mut found = None;
            if outcome.is_none() && by != By::Chart {
                found = match self.decide_at_once(&pattern, Haste::Much) {
                    Some((Verdict::Completable(witness), _)) => Some(witness),
                    Some(_) => {
                        searched.0.push((free, Outcome::Nothing));
                        continue;
                    }
                    None => None,
                };
            }
            if found.is_none() && by != By::Search {
                found = self.beamed_witness(&pattern);
            }
            if let Some(witness) = found {
                return Some(witness.tokens(&mended, &pattern, vocabulary));
            }
            let outcome = match by {
                By::Search => Outcome::Open,
                By::Chart | By::Both => Outcome::Charted,
            };
            searched.0.push((free, outcome));
        }
        None
    }
}

/// How a mended completion is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// By short searches, which go through fillings one by one.
    Search,
    /// By charts of all fillings with short lexemes.
    Chart,
    /// By the one, then by the other.
    Both,
}

/// What searches for a mended completion said, by how many cells were free: with more reach,
/// other cells are free too, and none less.
#[derive(Default)]
struct Searched(Vec<(usize, Outcome)>);

#[derive(Clone, Copy)]
enum Outcome {
    /// There is none.
    Nothing,
    /// The search gave up.
    Open,
    /// A chart had none.
    Charted,
}

impl Searched {
    fn outcome(&self, free: usize) -> Option<Outcome> {
        let mut known = self.0.iter();
        known
            .find(|(of, _)| *of == free)
            .map(|&(_, outcome)| outcome)
    }
}

impl Completions {
    /// One of a canvas, if one is known.
    fn of(&self, cells: &[Option<TokenId>]) -> Option<Vec<TokenId>> {
        self.all_of(cells).next().map(<[TokenId]>::to_vec)
    }

    /// All that are known of a canvas.
    pub(crate) fn all_of<'a>(
        &'a self,
        cells: &'a [Option<TokenId>],
    ) -> impl Iterator<Item = &'a [TokenId]> {
        let known = self.kept.iter().filter(|known| known.len() == cells.len());
        known
            .map(Vec::as_slice)
            .filter(|known| lacking(cells, known).next().is_none())
    }

    /// The one that has most of a canvas's tokens, and where it lacks them.
    fn nearest(&self, cells: &[Option<TokenId>]) -> Option<(&[TokenId], Vec<usize>)> {
        let alike = self.kept.iter().filter(|known| known.len() == cells.len());
        let nearest = alike.min_by_key(|known| lacking(cells, known).count())?;
        let lacking: Vec<usize> = lacking(cells, nearest).collect();
        (lacking.len() <= MOST_LACKING).then_some((nearest, lacking))
    }

    pub(crate) fn keep(&mut self, tokens: &[TokenId]) {
        self.kept.truncate(MOST_KEPT - 1);
        self.kept.push_front(tokens.to_vec());
    }
}

/// The cells whose tokens a completion does not have.
fn lacking<'a>(
    cells: &'a [Option<TokenId>],
    known: &'a [TokenId],
) -> impl Iterator<Item = usize> + 'a {
    let both = cells.iter().zip(known).enumerate();
    both.filter_map(|(at, (cell, known))| cell.is_some_and(|token| token != *known).then_some(at))
}

/// A canvas with the tokens of a completion in its masked cells, but for those within
/// reach of where it lacks tokens or must not have its own, and for its ends.
pub(crate) fn all_but_near(
    cells: &[Option<TokenId>],
    known: &[TokenId],
    lacking: &[usize],
    reach: usize,
    vocabulary: &Vocabulary,
) -> Vec<Option<TokenId>> {
    let mut free = vec![false; cells.len()];
    for &at in lacking {
        free[at] = true;
        let is_masked = |&cell: &usize| cells[cell].is_none();
        let before = (0..at).rev().filter(is_masked).take(reach);
        let behind = (at + 1..cells.len()).filter(is_masked).take(reach);
        for cell in before.chain(behind) {
            free[cell] = true;
        }
    }
    let is_end = |cell: &Option<TokenId>| cell.is_some_and(|token| vocabulary.is_end(token));
    let text = cells.iter().position(is_end).unwrap_or(cells.len());
    let mended = cells.iter().zip(known).zip(free).enumerate();
    mended
        .map(|(at, ((cell, &known), free))| {
            let is_free = free || at >= text || vocabulary.is_end(known);
            cell.or((!is_free).then_some(known))
        })
        .collect()
}

/// So many cells from the first that what was read up to a rank of their pattern would be read of
/// them, whatever stood behind them: a gap is as long as it is only with what it ends before.
fn cells_within(cells: &[Option<TokenId>], reach: u32, vocabulary: &Vocabulary) -> usize {
    let mut rank = 0usize;
    let within = cells.iter().position(|cell| {
        let bytes = cell.map(|token| vocabulary.bytes(token).map_or(0, <[u8]>::len));
        rank += bytes.unwrap_or(1);
        cell.is_some() && rank > reach as usize
    });
    within.map_or(cells.len(), |last| last + 1)
}

impl Witness {
    /// A token for every cell of a canvas, as this witness of its pattern fills them.
    pub fn tokens(
        &self,
        cells: &[Option<TokenId>],
        pattern: &Pattern,
        vocabulary: &Vocabulary,
    ) -> Vec<TokenId> {
        let gaps = pattern.segments.iter().filter_map(|segment| match segment {
            Segment::Gap(gap) => Some(*gap),
            Segment::Text(_) => None,
        });
        let mut fillings = gaps.zip(&self.gaps).flat_map(|(gap, filling)| {
            let tokens = match filling {
                Filling::Tokens(tokens) => tokens.as_slice(),
                Filling::Bytes(_) => &[],
            };
            let cells = match gap {
                Gap::Cells(cells) | Gap::UpTo(cells) => cells,
                Gap::Any => 0,
            };
            let ends = cells - tokens.len().min(cells);
            let ends = std::iter::repeat_n(vocabulary.end(), ends);
            tokens.iter().copied().chain(ends)
        });
        let cells = cells.iter().map(|cell| match cell {
            Some(token) => *token,
            // Behind a committed end nothing but ends may stand.
            None => fillings.next().unwrap_or_else(|| vocabulary.end()),
        });
        cells.collect()
    }
}
