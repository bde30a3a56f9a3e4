//! A step's commits: together as far as that goes, then one by one.

use lacuna_checker::{HEEDED_TOKENS, Weights};
use lacuna_logits::TokenSet;

use super::Run;
use crate::commit::{Attempt, Batch};
use crate::foresight::Foreseen;
use crate::propose::Proposals;
use crate::{Candidate, CellView, DecodeError, Denoiser, Event, How, Options, Reason, Refusal};

/// Refusals that one check which ran out of budget counts for: it cost as much,
/// and the next one probably runs out too.
const EXHAUSTED_WEIGHT: usize = 500;

impl<D: Denoiser> Run<D> {
    /// The cells that have a candidate, most preferred first.
    pub(super) fn in_order(&self, proposals: &[Proposals]) -> Vec<usize> {
        let preference = |at: usize| {
            let (row, step) = (&proposals[at], self.step);
            row.best().map(|best| {
                self.decisions.order.preference(&CellView {
                    cell: row.cell(),
                    step,
                    probability: best.probability,
                    margin: row.margin(),
                    entropy: row.entropy(),
                })
            })
        };
        let mut order: Vec<(usize, f32)> = (0..proposals.len())
            .filter_map(|at| Some((at, preference(at)?)))
            .collect();
        order.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        order.into_iter().map(|(at, _)| at).collect()
    }

    /// Those of them that the step may still commit: where the schedule asks for sure ones, these,
    /// or one that is not, if none was committed.
    pub(super) fn in_turn(&self, proposals: &[Proposals]) -> Vec<usize> {
        let mut order = self.in_order(proposals);
        if let Some(least) = self.least_probability {
            let best = |at: usize| proposals[at].best();
            let is_sure = |&at: &usize| best(at).is_some_and(|best| best.probability >= least);
            match self.commits_of_step > 0 || order.iter().any(is_sure) {
                true => order.retain(is_sure),
                false => order.truncate(1),
            }
        }
        order
    }

    /// The candidates of so many cells, most preferred first.
    pub(super) fn first_candidates(&self, proposals: &[Proposals], cells: usize) -> Vec<Candidate> {
        let order = self.in_turn(proposals).into_iter().take(cells);
        order.filter_map(|at| proposals[at].best()).collect()
    }

    /// Sees to it that the completion which has the candidates that are to be committed now has what
    /// later steps will commit, unless the one at hand will do; whether it is left to the next check,
    /// which goes by what the model finds likely.
    pub(super) fn foresee(&mut self, now: Vec<Candidate>, proposals: &[Proposals]) -> bool {
        if self.foresight.is_none() || self.board.agrees(&now) {
            return false;
        }
        if self.board.heeds() {
            let weights = self.weights_without(&now, proposals);
            self.board.heed(weights);
            return true;
        }
        if self.board.foresees() {
            let foreseen = self.foreseen(now, proposals);
            if foreseen.has_others() {
                let outcome = self.board.foresee(&foreseen);
                self.foresight
                    .learn(outcome.map_err(|refused| refused.reason));
            }
        }
        false
    }

    /// What the model finds likely in the cells that are not to be written now: where those are not,
    /// that is because their candidates are wrong.
    fn weights_without(&self, now: &[Candidate], proposals: &[Proposals]) -> Vec<Option<Weights>> {
        let tokens = self.board.vocabulary.len();
        let mut weights = vec![None; self.board.canvas.cells().len()];
        for row in proposals {
            if now.iter().all(|candidate| candidate.cell != row.cell()) {
                weights[row.cell()] = Some(row.weights(HEEDED_TOKENS, tokens));
            }
        }
        weights
    }

    /// Candidates that are to be committed now, with those that are looked at beside them.
    pub(super) fn foreseen(&self, now: Vec<Candidate>, proposals: &[Proposals]) -> Foreseen {
        let others = match self.board.foresees() {
            true => proposals.iter().filter_map(Proposals::best).collect(),
            false => Vec::new(),
        };
        self.foresight.with_others(now, others)
    }

    /// Commits what it can of the step's preferred candidates together; how many.
    pub(super) async fn commit_batch(
        &mut self,
        proposals: &mut Vec<Proposals>,
        quota: usize,
        events: &mut Vec<Event>,
    ) -> Result<usize, DecodeError> {
        if self.refusals_left() == 0 {
            return Ok(0);
        }
        if self.decisions.commit.follows_best() && self.board.is_strict() {
            self.follow_best(proposals, events).await?;
        }
        let candidates = self.first_candidates(proposals, quota);
        self.foresee(candidates.clone(), proposals);
        let forced = proposals.iter().filter(|row| row.is_forced());
        let forced: Vec<usize> = forced.map(Proposals::cell).collect();
        let refusals = self.refusals_left();
        let Batch { committed, refused } =
            (self.decisions.commit).commit(&candidates, refusals, &mut self.board);
        for &(candidate, alone) in &committed {
            let how = match alone || !self.board.is_strict() {
                _ if forced.contains(&candidate.cell) => How::Forced,
                true => How::Model,
                false => How::Batch,
            };
            self.report(candidate, how, events);
        }
        proposals.retain(|row| !committed.iter().any(|(c, _)| c.cell == row.cell()));
        self.report_cleared(events);
        let any_refused = !refused.is_empty();
        for (candidate, reason) in refused {
            let at = proposals
                .iter()
                .position(|row| row.cell() == candidate.cell);
            if let Some(at) = at {
                self.refuse(candidate, reason, &mut proposals[at], events)
                    .await?;
            }
        }
        if any_refused {
            self.mask(proposals, events).await?;
        }
        Ok(committed.len())
    }

    /// Puts the tokens of the most probable completion first, if it is known.
    pub(super) async fn follow_best(
        &mut self,
        proposals: &mut [Proposals],
        events: &mut Vec<Event>,
    ) -> Result<(), DecodeError> {
        let (asking, board) = (&mut self.asking, &mut self.board);
        let tokens = board.vocabulary.len();
        let mut weights = vec![None; board.canvas.cells().len()];
        for row in proposals.iter() {
            weights[row.cell()] = Some(row.weights(self.options.width, tokens));
        }
        let Some(best) = board.best(&weights) else {
            return Ok(());
        };
        let asks = proposals.iter().map(|row| {
            let token = best[row.cell()];
            (row.row(), TokenSet::from_fn(tokens, |t| t == token))
        });
        let asks = asks.collect();
        let answers = asking.narrow(self.step, asks, board, events).await?;
        for (row, scored) in proposals.iter_mut().zip(answers) {
            if let Some(&scored) = scored.first() {
                row.prefer(scored);
            }
        }
        Ok(())
    }

    /// Commits the most preferred candidates one at a time; a refused one makes way
    /// for the cell's next. How many, until refusals or candidates run out.
    pub(super) async fn commit_one_by_one(
        &mut self,
        proposals: &mut Vec<Proposals>,
        cells: usize,
        events: &mut Vec<Event>,
    ) -> Result<usize, DecodeError> {
        let mut committed = 0;
        while committed < cells && !self.is_over() {
            let spent = self.refusals_left() == 0;
            let Some(&at) = self.in_turn(proposals).first().filter(|_| !spent) else {
                break;
            };
            let Some(candidate) = proposals[at].best() else {
                break;
            };
            self.asking.pause().await?;
            match self.board.commit(&[candidate]) {
                Ok(()) => {
                    self.report_one(candidate, proposals.remove(at), events);
                    committed += 1;
                }
                Err(refused) => {
                    self.refuse(candidate, refused.reason, &mut proposals[at], events)
                        .await?;
                    self.mask(proposals, events).await?;
                }
            }
        }
        Ok(committed)
    }

    /// Tells of a candidate that was committed alone, and of what that cleared.
    pub(super) fn report_one(
        &mut self,
        candidate: Candidate,
        from: Proposals,
        events: &mut Vec<Event>,
    ) {
        let how = match from.is_forced() {
            true => How::Forced,
            false => How::Model,
        };
        self.report(candidate, how, events);
        self.report_cleared(events);
    }

    /// Draws the masks anew after enough refusals: those that there were, if any, are of
    /// before the last commits.
    async fn mask(
        &mut self,
        proposals: &mut [Proposals],
        events: &mut Vec<Event>,
    ) -> Result<(), DecodeError> {
        let due = |after: usize| self.since_masks >= after.max(1);
        if !self.options.masks_after.is_some_and(due) {
            return Ok(());
        }
        self.since_masks = 0;
        let (step, asking, board) = (self.step, &mut self.asking, &mut self.board);
        let masks = board.masks();
        let masks = masks.as_deref();
        asking.keep(step, masks, proposals, board, events).await
    }

    /// Refusals that the step may still have; with none, what is left of it is recovered.
    pub(super) fn refusals_left(&self) -> usize {
        if !self.board.is_strict() {
            // Nothing is refused.
            return usize::MAX;
        }
        let Options {
            refusals_per_step: of_step,
            refusals_per_run: of_run,
            ..
        } = self.options;
        let of_run = of_run.unwrap_or(usize::MAX).saturating_sub(self.refusals);
        of_run.min(of_step.saturating_sub(self.refusals_of_step))
    }

    /// Drops a refused candidate, and of the cell's others what can be ruled out.
    pub(super) async fn refuse(
        &mut self,
        candidate: Candidate,
        reason: Reason,
        proposals: &mut Proposals,
        events: &mut Vec<Event>,
    ) -> Result<(), DecodeError> {
        self.refusals += 1;
        self.refusals_of_step += match reason {
            Reason::Exhausted => EXHAUSTED_WEIGHT,
            Reason::Impossible | Reason::EndBeforeText => 1,
        };
        self.since_masks += 1;
        self.board.refused(&candidate, reason);
        let Candidate {
            cell,
            token,
            probability,
        } = candidate;
        events.push(Event::Refusal(Refusal {
            step: self.step,
            cell,
            token,
            probability,
            reason,
        }));
        proposals.refuse();
        if let Some(possible) = self.board.possible(cell) {
            proposals.keep(&possible);
        }
        let (step, asking, board) = (self.step, &mut self.asking, &mut self.board);
        asking.replenish(step, proposals, board, events).await
    }
}
