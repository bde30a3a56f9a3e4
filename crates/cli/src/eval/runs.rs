//! One run of a method on an example.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use lacuna_decoder::{Canvas, Denoiser, Event, Guard, NoGuard, Options, Outcome, Run, Timings};
use lacuna_engine::{
    Dialect, Fault, GenerateRequest, Judge, MemoUse, Method, Patience, Published, PublishedGuard,
    block_on,
};
use lacuna_grammar::Grammar;
use lacuna_lexer::TokenId;

use super::Evaluation;
use super::dense::{Recorder, Recording};
use super::front::Front;
use crate::error::CommandError;
use crate::files::{clock, now_ms};

/// Milliseconds that one check of a published method may take.
const PATIENCE_MS: f64 = 5000.0;

/// Published methods that runs have used, by name, for the next run under the same grammar.
#[derive(Clone, Default)]
pub struct Kept(Rc<RefCell<BTreeMap<String, Published>>>);

impl Kept {
    fn take(&self, name: &str) -> Option<Published> {
        self.0.borrow_mut().remove(name)
    }

    fn keep(&self, name: String, method: Published) {
        self.0.borrow_mut().insert(name, method);
    }
}

/// Where the answers of a run come from.
#[derive(Clone)]
pub enum Source {
    /// The model.
    Live,
    /// What the model said once.
    Recorded(Arc<Recording>),
    /// A reference and how often tokens occur, as logarithms.
    Synthetic(Vec<TokenId>, Arc<Vec<f32>>),
}

/// What is run.
pub struct OneRun<'a> {
    pub request: &'a GenerateRequest,
    pub grammar: &'a Grammar,
    pub method: &'a Method,
    pub seed: u64,
}

/// How it ended.
pub struct Ended {
    pub bytes: Vec<u8>,
    pub outcome: Outcome,
    pub steps: usize,
    pub timings: Timings,
    pub memo: (u64, u64),
    pub ms: f64,
}

impl Evaluation<'_> {
    /// What the model says along an unconstrained run.
    pub fn record(&self, request: &GenerateRequest) -> Result<Arc<Recording>, CommandError> {
        let model = self.engine.prompted(request)?;
        let options = Options {
            early_stop: false,
            ..request.options.clone()
        };
        let vocabulary = Arc::clone(self.engine.vocabulary());
        let model = Recorder::new(model, clock());
        let run = Run::new(model, vocabulary, None, options, clock());
        let mut run = run.map_err(Fault::from)?;
        while !run.is_done() {
            block_on(run.step()).map_err(Fault::from)?;
        }
        Ok(Arc::new(run.denoiser().recording.clone()))
    }

    /// Runs a method with a model that answers.
    pub fn decode<D: Denoiser>(&self, model: D, run: &OneRun<'_>) -> Result<Ended, CommandError> {
        let OneRun {
            request,
            grammar,
            method,
            seed,
        } = *run;
        let vocabulary = Arc::clone(self.engine.vocabulary());
        let mut uses = Arc::new(Mutex::new(MemoUse::default()));
        let guard: Box<dyn Guard> = match method.judge {
            Judge::Nobody => Box::new(NoGuard),
            Judge::Checker => {
                let guard = self.engine.guard(request)?.timing_lexing(now_ms);
                uses = guard.uses();
                match &self.front {
                    None => Box::new(guard),
                    Some(front) => {
                        Box::new(front.before(self.arguments.length, guard, &vocabulary))
                    }
                }
            }
            Judge::Published(_) if self.front.is_some() => {
                let message = "a published method judges a whole canvas, not a region";
                return Err(Fault::new("invalid-input", message).into());
            }
            Judge::Published(parts) => {
                let published = match self.kept.take(&method.name) {
                    Some(published) => published,
                    None => Published::new(grammar, parts)
                        .map_err(|error| CommandError::content(&self.arguments.grammar, error))?,
                };
                let patience = Patience {
                    clock: clock(),
                    limit_ms: PATIENCE_MS,
                };
                let guard = PublishedGuard::new(published, Arc::clone(&vocabulary), patience)
                    .timing_lexing(now_ms);
                uses = guard.uses();
                // A schema's grammar is another for each request, and one with slots is.
                let (dialect, text) = &self.grammar;
                match *dialect == Dialect::JsonSchema || text.contains("%slot") {
                    true => Box::new(guard),
                    false => {
                        let (kept, name) = (self.kept.clone(), method.name.clone());
                        Box::new(guard.keeping(move |method| kept.keep(name, method)))
                    }
                }
            }
        };
        let options = Options {
            length: request.options.length,
            steps: request.options.steps,
            seed,
            early_stop: method.options.early_stop && !self.arguments.fill,
            ..method.options.clone()
        };
        let canvas = match &self.front {
            None => Canvas::masked(options.length),
            Some(front) => front.canvas(self.arguments.length),
        };
        let started = Instant::now();
        let of_run = Arc::clone(&vocabulary);
        let run = Run::with_guard(model, of_run, canvas, guard, options, clock());
        let mut run = run.map_err(Fault::from)?;
        loop {
            for event in block_on(run.step()).map_err(Fault::from)? {
                if let Event::Done {
                    text,
                    outcome,
                    steps,
                    timings,
                } = event
                {
                    let memo = uses.lock().map(|uses| *uses).unwrap_or_default();
                    let memo = (memo.asked, memo.known());
                    return Ok(Ended {
                        bytes: match &self.front {
                            None => text,
                            Some(_) => Front::text(run.canvas(), &vocabulary),
                        },
                        outcome,
                        steps,
                        timings,
                        memo,
                        ms: started.elapsed().as_secs_f64() * 1000.0,
                    });
                }
            }
        }
    }
}
