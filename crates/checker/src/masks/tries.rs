//! Masks where no chart can be drawn: token by token, checked like any canvas.
//!
//! Cost: a check for each token that no completion shows, up to a bound.

use lacuna_lexer::{TokenId, Vocabulary};

use super::Masks;
use crate::{CanvasVerdict, Checker};

/// Work that checks for one drawing may take, in items of parses: as much as a few checks that
/// run out of their budgets. What a check counts for whose parses take none.
const EFFORT: usize = 20_000_000;
const CHECK: usize = 4_000;

impl Checker {
    /// Tries each token in each hole, or in one.
    pub(super) fn try_tokens(
        &mut self,
        cells: &[Option<TokenId>],
        holes: &[usize],
        only: Option<usize>,
        vocabulary: &Vocabulary,
        masks: &mut Masks,
    ) {
        for known in self.completions.all_of(cells) {
            show(holes, known, vocabulary, masks);
        }
        let mut effort = EFFORT;
        for &cell in holes {
            if only.is_some_and(|only| only != cell) {
                continue;
            }
            for token in 0..vocabulary.len() as TokenId {
                let at = token as usize;
                let is_known = masks.cells[cell].as_ref().is_some_and(|m| m.contains(at));
                if is_known || !vocabulary.is_fillable(token) {
                    continue;
                }
                if effort == 0 {
                    masks.undecided += 1;
                    continue;
                }
                let mut tried = cells.to_vec();
                tried[cell] = Some(token);
                let parsed = self.parsed();
                let (verdict, _) = self.check_canvas(&tried);
                effort = effort.saturating_sub(CHECK + self.parsed() - parsed);
                match verdict {
                    CanvasVerdict::Impossible { .. } | CanvasVerdict::Malformed => {}
                    CanvasVerdict::Exhausted { .. } => masks.undecided += 1,
                    CanvasVerdict::Completable(found) => show(holes, &found, vocabulary, masks),
                }
            }
        }
    }
}

/// Adds what a completion shows.
fn show(holes: &[usize], completion: &[TokenId], vocabulary: &Vocabulary, masks: &mut Masks) {
    for &cell in holes {
        if let (Some(mask), Some(&token)) = (&mut masks.cells[cell], completion.get(cell))
            && !vocabulary.is_end(token)
        {
            mask.insert(token as usize);
        }
    }
}
