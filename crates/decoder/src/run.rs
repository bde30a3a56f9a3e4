//! The loop: propose, check, commit or refuse, and recover from the witness.

use lacuna_checker::{Checker, Pattern, Verdict};
use lacuna_lexer::{TokenId, Vocabulary};
use std::sync::Arc;

use crate::propose::{Candidate, Proposals};
use crate::random::Random;
use crate::{
    Canvas, Commit, Denoiser, DenoiserError, Event, How, Outcome, Reason, Refusal, Timings, quota,
};

/// How a run decodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Cells of the canvas.
    pub length: usize,
    /// Denoising steps; more than cells are as many as cells.
    pub steps: usize,
    /// Seed of the noise.
    pub seed: u64,
    /// 0 takes the most probable candidates; 1 samples.
    pub temperature: f32,
    /// Refusals in one step after which it is finished from the witness.
    pub refusals_per_step: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            length: 64,
            steps: 16,
            seed: 0,
            temperature: 0.0,
            refusals_per_step: 2000,
        }
    }
}

/// Why a run could not begin, or could not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The language has no text that fits the canvas.
    #[error("{}", no_member_message(*.length, *.shortest))]
    NoMember {
        /// Cells of the canvas.
        length: usize,
        /// Cells below which there is certainly no text, where known.
        shortest: Option<usize>,
    },
    /// Whether a text fits could not be decided within the budget.
    #[error("the checker ran out of its budget of {limit} {what} before the first step")]
    Exhausted {
        /// What ran out.
        what: &'static str,
        /// The limit in force.
        limit: usize,
    },
    /// The canvas has no cells, or the temperature is no temperature.
    #[error("{0}")]
    Invalid(&'static str),
    /// The model and the grammar engine disagree about the vocabulary.
    #[error("the model gives {logits} logits a cell, but the vocabulary has {tokens} tokens")]
    VocabularyMismatch {
        /// Logits a cell.
        logits: usize,
        /// Tokens of the vocabulary.
        tokens: usize,
    },
    /// The model failed.
    #[error(transparent)]
    Denoiser(#[from] DenoiserError),
}

fn no_member_message(length: usize, shortest: Option<usize>) -> String {
    let needs = shortest.map_or(String::new(), |cells| {
        format!(": it needs at least {cells}")
    });
    format!("no text of the grammar fits a canvas of {length} cells{needs}")
}

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
    random: Random,
    step: usize,
    done: bool,
    timings: Timings,
    logits: Vec<f32>,
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
        let mut run = Self {
            denoiser,
            vocabulary,
            checker,
            clock,
            canvas: Canvas::masked(options.length),
            witness: Vec::new(),
            random: Random::new(options.seed),
            step: 0,
            done: false,
            timings: Timings::default(),
            logits: Vec::new(),
            options: Options {
                steps: options.steps.min(options.length),
                ..options
            },
        };
        run.find_first_witness()?;
        Ok(run)
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
    /// # Errors
    /// When the model fails.
    pub fn step(&mut self) -> Result<Vec<Event>, DecodeError> {
        if self.done {
            return Ok(Vec::new());
        }
        let masks = self.canvas.masks();
        let mut events = vec![Event::Step {
            step: self.step,
            masked: masks.len(),
        }];
        let started = (self.clock)();
        self.denoiser
            .denoise(self.canvas.cells(), &masks, &mut self.logits)?;
        self.timings.model_ms += (self.clock)() - started;

        let size = self.vocabulary.len();
        let mut proposals: Vec<Proposals> = masks
            .iter()
            .zip(self.logits.chunks_exact(size))
            .map(|(&cell, row)| {
                let temperature = self.options.temperature;
                Proposals::new(cell, row, &self.vocabulary, temperature, &mut self.random)
            })
            .collect();
        let quota = match self.step + 1 >= self.options.steps {
            true => masks.len(),
            false => quota(self.options.length, self.options.steps, self.step).min(masks.len()),
        };
        let batch = self.commit_batch(&mut proposals, quota, &mut events);
        if !batch {
            self.commit_one_by_one(&mut proposals, quota, &mut events);
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
    fn commit_one_by_one(
        &mut self,
        proposals: &mut Vec<Proposals>,
        quota: usize,
        events: &mut Vec<Event>,
    ) {
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
                    }
                }
            }
            let exhausted =
                refusals >= self.options.refusals_per_step || most_confident(proposals).is_none();
            if exhausted {
                break;
            }
            if self.canvas.is_settled(&self.vocabulary) {
                return;
            }
        }
        let committed = events
            .iter()
            .filter(|event| matches!(event, Event::Commit(_)))
            .count();
        self.recover(proposals, quota.saturating_sub(committed), events);
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

    /// Fills cells from the witness, those the model likes best first.
    fn recover(&mut self, proposals: &[Proposals], cells: usize, events: &mut Vec<Event>) {
        let mut choices: Vec<Candidate> = proposals
            .iter()
            .map(|proposals| {
                let cell = proposals.cell();
                let end = self.vocabulary.end();
                let token = self.witness.get(cell).copied().unwrap_or(end);
                Candidate {
                    cell,
                    token,
                    probability: proposals.probability(token),
                }
            })
            .collect();
        choices.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        for candidate in choices.into_iter().take(cells) {
            self.canvas.set(candidate.cell, Some(candidate.token));
            self.report(candidate, How::Recovery, events);
        }
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
