//! A step's commits where every candidate is drawn from an exact mask.
//!
//! A mask is exact for its cell alone, so each commit leaves those of the other cells too
//! wide. It can only take tokens from them, which puts a cell's candidate further back, not
//! ahead. So a mask is drawn anew when its cell comes first, and not where the completion at
//! hand has the candidate, which proves it to be in the mask. What is written is what it would
//! be if all masks were drawn anew after every commit (with noise, a cell's place is that of
//! its candidate before that), and nothing is refused, but where a budget of the
//! checker runs out. So no mask is drawn before a step either, but where what they leave matters
//! before a cell comes first: with noise, or where the schedule or the batch looks at
//! probabilities.
//!
//! Cost: before each commit that the completion at hand does not have, a new mask of each cell that
//! comes first, as a rule of one.

use super::Run;
use crate::asking::CellMasks;
use crate::commit::Attempt;
use crate::foresight::Foreseen;
use crate::propose::Proposals;
use crate::{DecodeError, Denoiser, Event};

impl<D: Denoiser> Run<D> {
    /// Commits the most preferred candidates one after another, each from its cell's mask as
    /// it is by then. How many, until so many are committed, or a mask is not known.
    pub(super) async fn commit_under_masks(
        &mut self,
        masks: Option<CellMasks>,
        proposals: &mut Vec<Proposals>,
        cells: usize,
        events: &mut Vec<Event>,
    ) -> Result<usize, DecodeError> {
        if self.refusals_left() == 0 {
            return Ok(0);
        }
        if self.decisions.commit.follows_best() {
            self.follow_best(proposals, events).await?;
        }
        let candidates = self.first_candidates(proposals, cells);
        if self.foresee(candidates.clone(), proposals) {
            // A completion that has them all needs no mask.
            let _ = self.board.foresee(&Foreseen::only(candidates));
        }
        let mut committed = 0;
        let has_mask = |cell: usize| masks.as_ref().is_none_or(|masks| masks[cell].is_some());
        // Commits when each cell's mask was drawn, if it was.
        let drawn = masks.is_some().then_some(0);
        let mut drawn_at = vec![drawn; self.board.canvas.cells().len()];
        while committed < cells && !self.is_over() {
            let first = self.in_turn(proposals).first().copied();
            let first = first.and_then(|at| Some((at, proposals[at].best()?)));
            let Some((at, candidate)) = first else {
                break;
            };
            let cell = candidate.cell;
            self.asking.pause().await?;
            let is_drawn = drawn_at[cell] == Some(committed);
            if !is_drawn && has_mask(cell) && !self.board.agrees(&[candidate]) {
                let Some(mask) = self.board.mask_of(cell) else {
                    break;
                };
                let (asking, board) = (&mut self.asking, &mut self.board);
                proposals[at].keep(&mask);
                asking
                    .replenish(self.step, &mut proposals[at], board, events)
                    .await?;
                drawn_at[cell] = Some(committed);
                continue;
            }
            if let Err(refused) = self.board.commit(&[candidate]) {
                // No mask is known of this cell, or its budget ran out.
                self.refuse(candidate, refused.reason, &mut proposals[at], events)
                    .await?;
                break;
            }
            self.report_one(candidate, proposals.remove(at), events);
            committed += 1;
        }
        Ok(committed)
    }
}
