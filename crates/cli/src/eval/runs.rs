//! One run of a method on an example.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use lacuna_checker::Checker;
use lacuna_decoder::{
    Canvas, Denoiser, Event, GrammarGuard, Guard, NoGuard, Options, Outcome, Run, Timings,
};
use lacuna_engine::cache::CacheKey;
use lacuna_engine::{
    Fault, GenerateRequest, Judge, MemoUse, Method, Patience, Published, PublishedGuard, Purpose,
    block_on, grammar_source,
};
use lacuna_grammar::Grammar;
use lacuna_lexer::TokenId;

use super::Evaluation;
use super::dense::{Recorder, Recording};
use super::front::Front;
use crate::error::CommandError;
use crate::files::clock;

/// Milliseconds that one check of a published method may take.
const PATIENCE_MS: f64 = 5000.0;

/// What methods have found out of a grammar, by their names, for their next run under it: of
/// what one knows, another has no use, whoever comes first.
#[derive(Clone, Default)]
pub struct Kept {
    published: Rc<RefCell<BTreeMap<String, (CacheKey, Published)>>>,
    checkers: Rc<RefCell<BTreeMap<String, (CacheKey, Checker)>>>,
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
    pub opening_ms: f64,
    pub ms: f64,
}

impl Evaluation<'_> {
    /// What the model says along an unconstrained run, its blocks and the order of its cells those
    /// that are asked for.
    pub fn record(&self, request: &GenerateRequest) -> Result<Arc<Recording>, CommandError> {
        let model = self.engine.prompted(request)?;
        let options = self.arguments.with_blocks(&Options {
            early_stop: false,
            ..request.options.clone()
        });
        let vocabulary = Arc::clone(self.engine.vocabulary());
        let model = Recorder::new(model, clock());
        let run = Run::new(model, vocabulary, None, options, clock());
        let mut run = run.map_err(Fault::from)?;
        while !run.is_done() {
            block_on(run.step()).map_err(Fault::from)?;
        }
        Ok(Arc::new(run.denoiser().recording.clone()))
    }

    /// A guard by the request's grammar with the memos that this method has filled.
    fn guard(
        &self,
        request: &GenerateRequest,
        method: &Method,
    ) -> Result<GrammarGuard, CommandError> {
        let (engine, name) = (self.engine, method.name.clone());
        let key = engine.grammar_key(request)?;
        let known = self.kept.checkers.borrow_mut().remove(&name);
        let checker = match known.filter(|(known, _)| *known == key) {
            Some((_, checker)) => checker,
            None => {
                let (source, vocabulary) = (grammar_source(request)?, engine.vocabulary());
                let purpose = Purpose::Writing;
                let found = engine
                    .cache()
                    .compile(&source, purpose, Some(vocabulary), false)?;
                found.grammar.checker(Some(Arc::clone(vocabulary)))
            }
        };
        let vocabulary = checker.vocabulary().unwrap_or(engine.vocabulary());
        let vocabulary = Arc::clone(vocabulary);
        let kept = self.kept.clone();
        Ok(
            GrammarGuard::new(checker, vocabulary).keeping(move |checker| {
                kept.checkers.borrow_mut().insert(name, (key, checker));
            }),
        )
    }

    /// Runs a method with a model that answers; `time` says what it takes.
    pub fn decode<D: Denoiser>(
        &self,
        model: D,
        run: &OneRun<'_>,
        time: fn() -> f64,
    ) -> Result<Ended, CommandError> {
        let OneRun {
            request,
            grammar,
            method,
            seed,
        } = *run;
        let opened = time();
        let mut vocabulary = Arc::clone(self.engine.vocabulary());
        let mut uses = Arc::new(Mutex::new(MemoUse::default()));
        let guard: Box<dyn Guard> = match method.judge {
            Judge::Nobody => Box::new(NoGuard),
            Judge::Checker => {
                let guard = self.guard(request, method)?.timing_lexing(time);
                uses = guard.uses();
                vocabulary = Arc::clone(guard.vocabulary());
                match &self.front {
                    None => Box::new(guard),
                    Some(front) => {
                        Box::new(front.before(self.arguments.length, guard, &vocabulary))
                    }
                }
            }
            Judge::Published(parts) => {
                let (name, key) = (method.name.clone(), self.engine.grammar_key(request)?);
                let known = self.kept.published.borrow_mut().remove(&name);
                let published = match known.filter(|(known, _)| *known == key) {
                    Some((_, published)) => published,
                    None => Published::new(grammar, parts)
                        .map_err(|error| CommandError::content(&self.arguments.grammar, error))?,
                };
                let patience = Patience {
                    clock: Box::new(time),
                    limit_ms: PATIENCE_MS,
                };
                let guard = PublishedGuard::new(published, Arc::clone(&vocabulary), patience)
                    .timing_lexing(time);
                uses = guard.uses();
                let kept = self.kept.clone();
                Box::new(guard.keeping(move |method| {
                    kept.published.borrow_mut().insert(name, (key, method));
                }))
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
        let started = time();
        let of_run = Arc::clone(&vocabulary);
        let run = Run::with_guard(model, of_run, canvas, guard, options, Box::new(time));
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
                        opening_ms: started - opened,
                        ms: time() - started,
                    });
                }
            }
        }
    }
}
