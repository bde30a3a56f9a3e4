//! The loop: propose, check, commit or refuse, and recover from the witness.

use lacuna_checker::{Checker, Pattern, Verdict};
use lacuna_lexer::{TokenId, Vocabulary};
use lacuna_logits::{Scored, TokenSet};
use std::sync::Arc;

use crate::propose::{Candidate, Proposals};
use crate::{
    Canvas, Commit, DecodeError, DenoiseRequest, Denoiser, DenoiserError, Event, How,
    NarrowRequest, Options, Outcome, Reason, Refusal, Timings, quota,
};

/// Cells up to which the shortest text is looked for, for the error's sake.
const SHORTEST_SEARCH: usize = 4096;

/// Refusals that one check which ran out of budget counts for: it cost as much,
/// and the next one probably runs out too.
const EXHAUSTED_WEIGHT: usize = 500;

/// A decode in progress.
pub struct Run<D> {
    denoiser: D,
    vocabulary: Arc<Vocabulary>,
    checker: Option<Checker>,
    clock: Box<dyn Fn() -> f64>,
    options: Options,
    canvas: Canvas,
    /// A token for every cell that completes the canvas; empty without grammar.
    witness: Vec<TokenId>,
    /// The tokens that a cell may hold at all.
    writable: TokenSet,
    step: usize,
    done: bool,
    timings: Timings,
}

impl<D: Denoiser> Run<D> {
    /// A run under the grammar of `checker`, or without grammar. `clock` gives
    /// milliseconds from any origin.
    ///
    /// # Errors
    /// When the options make no sense, or no text of the grammar fits; the
    /// model has not been asked then.
    pub fn new(
        denoiser: D,
        vocabulary: Arc<Vocabulary>,
        checker: Option<Checker>,
        options: Options,
        clock: Box<dyn Fn() -> f64>,
    ) -> Result<Self, DecodeError> {
        if options.length == 0 || options.steps == 0 {
            return Err(DecodeError::Invalid(
                "a run needs at least one cell and one step",
            ));
        }
        if !options.temperature.is_finite() || options.temperature < 0.0 {
            return Err(DecodeError::Invalid(
                "the temperature must be a number from 0 up",
            ));
        }
        let (logits, tokens) = (denoiser.vocabulary_size(), vocabulary.len());
        if logits != tokens {
            return Err(DecodeError::VocabularyMismatch { logits, tokens });
        }
        let writable = TokenSet::from_fn(tokens, |token| {
            vocabulary.bytes(token).is_some() || vocabulary.is_end(token)
        });
        let mut run = Self {
            denoiser,
            vocabulary,
            checker,
            clock,
            canvas: Canvas::masked(options.length),
            witness: Vec::new(),
            writable,
            step: 0,
            done: false,
            timings: Timings::default(),
            options: Options {
                steps: options.steps.min(options.length),
                candidates: options.candidates.max(1),
                ..options
            },
        };
        run.find_first_witness()?;
        Ok(run)
    }

    /// The model.
    pub fn denoiser(&self) -> &D {
        &self.denoiser
    }

    /// The canvas as it stands.
    pub fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    /// The options in force: never more steps than cells.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether the run is over.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// One denoising step; nothing once the run is over.
    ///
    /// The future is to be run to its end: a run whose step was dropped half way
    /// may have committed tokens that no event tells of.
    ///
    /// # Errors
    /// When the model fails.
    pub async fn step(&mut self) -> Result<Vec<Event>, DecodeError> {
        if self.done {
            return Ok(Vec::new());
        }
        let masks = self.canvas.masks();
        let mut events = vec![Event::Step {
            step: self.step,
            masked: masks.len(),
        }];
        let mut proposals = self.propose(&masks, &mut events).await?;
        let quota = match self.step + 1 >= self.options.steps {
            true => masks.len(),
            false => quota(self.options.length, self.options.steps, self.step).min(masks.len()),
        };
        let batch = self.commit_batch(&mut proposals, quota, &mut events);
        if !batch {
            self.commit_one_by_one(&mut proposals, quota, &mut events)
                .await?;
        }
        self.step += 1;
        if self.canvas.is_settled(&self.vocabulary) {
            self.done = true;
            events.push(Event::Done {
                text: self.canvas.text(&self.vocabulary),
                outcome: Outcome::Complete,
                steps: self.step,
                timings: self.timings,
            });
        }
        Ok(events)
    }

    /// What the model proposes for each masked cell.
    async fn propose(
        &mut self,
        masks: &[usize],
        events: &mut Vec<Event>,
    ) -> Result<Vec<Proposals>, DecodeError> {
        let top = self.options.candidates;
        let request = DenoiseRequest {
            cells: self.canvas.cells(),
            masked: masks,
            writable: &self.writable,
            top,
            noise: self.options.noise(self.step),
        };
        let started = (self.clock)();
        let summaries = self.denoiser.denoise(&request).await?;
        self.timings.model_ms += (self.clock)() - started;
        self.report_move(events);
        check_count(summaries.len(), masks.len())?;
        let summaries = summaries.into_iter().enumerate();
        Ok(masks
            .iter()
            .zip(summaries)
            .map(|(&cell, (row, summary))| Proposals::new(cell, row, summary, &self.writable, top))
            .collect())
    }

    /// Asks the model again about cells of this step.
    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
        events: &mut Vec<Event>,
    ) -> Result<Vec<Vec<Scored>>, DecodeError> {
        let started = (self.clock)();
        let answers = self.denoiser.narrow(asks).await?;
        self.timings.model_ms += (self.clock)() - started;
        self.report_move(events);
        check_count(answers.len(), asks.len())?;
        Ok(answers)
    }

    fn find_first_witness(&mut self) -> Result<(), DecodeError> {
        let Some(checker) = &mut self.checker else {
            return Ok(());
        };
        let started = (self.clock)();
        let Some(pattern) = Pattern::of_canvas(self.canvas.cells(), &self.vocabulary) else {
            return Err(DecodeError::Invalid("the canvas is not well formed"));
        };
        let (verdict, _) = checker.check(&pattern);
        self.timings.checks += 1;
        self.timings.checker_ms += (self.clock)() - started;
        match verdict {
            Verdict::Completable(witness) => {
                self.witness = self.canvas.filled(&pattern, &witness, &self.vocabulary);
                Ok(())
            }
            Verdict::Impossible => Err(DecodeError::NoMember {
                length: self.options.length,
                shortest: checker.shortest(SHORTEST_SEARCH),
            }),
            Verdict::Exhausted { what, limit } => Err(DecodeError::Exhausted { what, limit }),
        }
    }

    /// Tries the step's most confident candidates all at once.
    fn commit_batch(
        &mut self,
        proposals: &mut Vec<Proposals>,
        quota: usize,
        events: &mut Vec<Event>,
    ) -> bool {
        let mut batch: Vec<Candidate> = proposals.iter().filter_map(Proposals::best).collect();
        batch.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        batch.truncate(quota);
        if batch.len() < quota || quota < 2 && self.checker.is_some() {
            return false;
        }
        if self.try_candidates(&batch).is_err() {
            return false;
        }
        let how = if quota > 1 && self.checker.is_some() {
            How::Batch
        } else {
            How::Model
        };
        for candidate in batch {
            self.report(candidate, how, events);
        }
        proposals.clear();
        true
    }

    /// Commits the most confident candidates one at a time; a refused one makes
    /// way for the cell's next. When refusals run out, the witness decides.
    async fn commit_one_by_one(
        &mut self,
        proposals: &mut Vec<Proposals>,
        quota: usize,
        events: &mut Vec<Event>,
    ) -> Result<(), DecodeError> {
        let mut refusals = 0;
        for _ in 0..quota {
            while let Some(at) = most_confident(proposals) {
                if refusals >= self.options.refusals_per_step {
                    break;
                }
                let Some(candidate) = proposals[at].best() else {
                    break;
                };
                match self.try_candidates(&[candidate]) {
                    Ok(()) => {
                        self.report(candidate, How::Model, events);
                        proposals.swap_remove(at);
                        break;
                    }
                    Err(reason) => {
                        refusals += match reason {
                            Reason::Exhausted => EXHAUSTED_WEIGHT,
                            Reason::Impossible | Reason::EndBeforeText => 1,
                        };
                        self.timings.refusals += 1;
                        let Candidate {
                            cell,
                            token,
                            probability,
                        } = candidate;
                        let step = self.step;
                        let refusal = Refusal {
                            step,
                            cell,
                            token,
                            probability,
                            reason,
                        };
                        events.push(Event::Refusal(refusal));
                        proposals[at].refuse();
                        self.rule_out(&mut proposals[at]);
                        self.replenish(&mut proposals[at], events).await?;
                    }
                }
            }
            let exhausted =
                refusals >= self.options.refusals_per_step || most_confident(proposals).is_none();
            if exhausted {
                break;
            }
            if self.canvas.is_settled(&self.vocabulary) {
                return Ok(());
            }
        }
        let committed = events
            .iter()
            .filter(|event| matches!(event, Event::Commit(_)))
            .count();
        self.recover(proposals, quota.saturating_sub(committed), events)
            .await
    }

    /// Drops a cell's candidates that the checker can rule out all at once.
    fn rule_out(&mut self, proposals: &mut Proposals) {
        let Some(checker) = &mut self.checker else {
            return;
        };
        let started = (self.clock)();
        let possible = checker.possible(self.canvas.cells(), proposals.cell());
        self.timings.checker_ms += (self.clock)() - started;
        if let Some(possible) = possible {
            proposals.keep(&possible, &self.vocabulary);
        }
    }

    /// Gets a cell further candidates when all known ones are gone.
    async fn replenish(
        &mut self,
        proposals: &mut Proposals,
        events: &mut Vec<Event>,
    ) -> Result<(), DecodeError> {
        let Some(allowed) = proposals.wants_more() else {
            return Ok(());
        };
        let row = proposals.row();
        let ask = [NarrowRequest { row, allowed }];
        let mut answers = self.narrow(&ask, events).await?;
        proposals.learn(answers.swap_remove(0), self.options.candidates);
        Ok(())
    }

    /// Fills cells from the witness, those the model likes best first.
    async fn recover(
        &mut self,
        proposals: &[Proposals],
        cells: usize,
        events: &mut Vec<Event>,
    ) -> Result<(), DecodeError> {
        if cells == 0 || proposals.is_empty() {
            return Ok(());
        }
        let end = self.vocabulary.end();
        let tokens: Vec<TokenId> = proposals
            .iter()
            .map(|proposals| self.witness.get(proposals.cell()).copied().unwrap_or(end))
            .collect();
        let size = self.vocabulary.len();
        let alone: Vec<TokenSet> = tokens
            .iter()
            .map(|&token| {
                let mut set = TokenSet::empty(size);
                set.insert(token);
                set
            })
            .collect();
        let asks: Vec<NarrowRequest<'_>> = proposals
            .iter()
            .zip(&alone)
            .map(|(proposals, allowed)| NarrowRequest {
                row: proposals.row(),
                allowed,
            })
            .collect();
        let answers = self.narrow(&asks, events).await?;
        let mut choices: Vec<Candidate> = proposals
            .iter()
            .zip(tokens)
            .zip(answers)
            .map(|((proposals, token), scored)| match scored.first() {
                Some(scored) => proposals.candidate(scored),
                None => Candidate {
                    cell: proposals.cell(),
                    token,
                    probability: 0.0,
                },
            })
            .collect();
        choices.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        for candidate in choices.into_iter().take(cells) {
            self.canvas.set(candidate.cell, Some(candidate.token));
            self.report(candidate, How::Recovery, events);
        }
        Ok(())
    }

    /// Writes the candidates into the canvas if it can still be completed then.
    fn try_candidates(&mut self, candidates: &[Candidate]) -> Result<(), Reason> {
        let Some(checker) = &mut self.checker else {
            for candidate in candidates {
                self.canvas.set(candidate.cell, Some(candidate.token));
            }
            return Ok(());
        };
        for candidate in candidates {
            self.canvas.set(candidate.cell, Some(candidate.token));
        }
        if candidates
            .iter()
            .all(|candidate| self.witness[candidate.cell] == candidate.token)
        {
            self.timings.agreed += 1;
            return Ok(());
        }
        let started = (self.clock)();
        let reason = match Pattern::of_canvas(self.canvas.cells(), &self.vocabulary) {
            None => Some(Reason::EndBeforeText),
            Some(pattern) => {
                self.timings.checks += 1;
                match checker.check(&pattern).0 {
                    Verdict::Completable(witness) => {
                        self.witness = self.canvas.filled(&pattern, &witness, &self.vocabulary);
                        None
                    }
                    Verdict::Impossible => Some(Reason::Impossible),
                    Verdict::Exhausted { .. } => Some(Reason::Exhausted),
                }
            }
        };
        self.timings.checker_ms += (self.clock)() - started;
        let Some(reason) = reason else { return Ok(()) };
        for candidate in candidates {
            self.canvas.set(candidate.cell, None);
        }
        Err(reason)
    }

    fn report_move(&mut self, events: &mut Vec<Event>) {
        if let Some(to) = self.denoiser.moved() {
            let step = self.step;
            events.push(Event::Move { step, to });
        }
    }

    fn report(&self, candidate: Candidate, how: How, events: &mut Vec<Event>) {
        let Candidate {
            cell,
            token,
            probability,
        } = candidate;
        events.push(Event::Commit(Commit {
            step: self.step,
            cell,
            token,
            probability,
            how,
        }));
    }
}

/// A model that answers another number of questions than it was asked is broken.
fn check_count(answers: usize, questions: usize) -> Result<(), DenoiserError> {
    match answers == questions {
        true => Ok(()),
        false => Err(DenoiserError {
            message: format!("it gave {answers} answers to {questions} questions"),
        }),
    }
}

fn most_confident(proposals: &[Proposals]) -> Option<usize> {
    let confidence = |at: &usize| proposals[*at].best().map(|best| best.probability);
    (0..proposals.len())
        .filter(|at| confidence(at).is_some())
        .max_by(|a, b| {
            confidence(a)
                .unwrap_or(0.0)
                .total_cmp(&confidence(b).unwrap_or(0.0))
        })
}
