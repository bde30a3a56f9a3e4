//! What a run does while its model computes.
//!
//! Oracle: a model that answers at once leaves no time for anything; with one that answers
//! later the same is written, and the checker is asked while it computes.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use lacuna_checker::{Checker, CheckerLimits};
use lacuna_decoder::{
    CommitKind, DenoiseRequest, Denoiser, DenoiserError, Event, NarrowRequest, Options,
    RecoveryKind, Run, Timings,
};
use lacuna_grammar::gbnf;
use lacuna_logits::{RowSummary, Scored};
use pollster::block_on;

use crate::support::{ADVERSARIES, ARITHMETIC, Adversary, COUNTED, JSON, Model, vocabulary};

/// A model that gives others a turn before it answers, if it is late.
struct Late {
    model: Model,
    is_late: bool,
    is_computing: Rc<Cell<bool>>,
}

impl Denoiser for Late {
    fn vocabulary_size(&self) -> usize {
        self.model.vocabulary_size()
    }

    async fn denoise(
        &mut self,
        request: &DenoiseRequest<'_>,
    ) -> Result<Vec<RowSummary>, DenoiserError> {
        self.is_computing.set(true);
        let mut turns = u32::from(self.is_late);
        poll_fn(|context| {
            if turns == 0 {
                return Poll::Ready(());
            }
            turns -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.is_computing.set(false);
        self.model.denoise(request).await
    }

    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
    ) -> Result<Vec<Vec<Scored>>, DenoiserError> {
        self.model.narrow(asks).await
    }
}

struct Ended {
    /// All but the end.
    events: Vec<Event>,
    text: Vec<u8>,
    timings: Timings,
    /// How often the time was looked at while the model computed: around every question to
    /// the checker it is.
    looks: usize,
}

/// Runs to the end by a clock on which each look takes a millisecond.
fn decode(grammar: &str, adversary: Adversary, is_late: bool, options: &Options) -> Ended {
    let vocabulary = vocabulary();
    let grammar = gbnf::parse(grammar).expect("a grammar");
    let limits = CheckerLimits::default();
    let checker = Checker::new(&grammar, Some(Arc::clone(&vocabulary)), limits);
    let is_computing = Rc::new(Cell::new(false));
    let (time, looks) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let clock = {
        let (is_computing, time, looks) = (is_computing.clone(), time.clone(), looks.clone());
        move || {
            looks.set(looks.get() + usize::from(is_computing.get()));
            time.set(time.get() + 1);
            f64::from(time.get())
        }
    };
    let model = Late {
        model: Model::new(adversary, Arc::clone(&vocabulary)),
        is_late,
        is_computing,
    };
    let checker = Some(checker.expect("a checker"));
    let run = Run::new(model, vocabulary, checker, options.clone(), Box::new(clock));
    let mut run = run.expect("a run");
    let mut events = Vec::new();
    while !run.is_done() {
        events.extend(block_on(run.step()).expect("a step"));
    }
    let Some(Event::Done { text, timings, .. }) = events.pop() else {
        panic!("the run is over")
    };
    Ended {
        events,
        text,
        timings,
        looks: looks.get(),
    }
}

#[test]
fn the_checker_works_while_the_model_computes_and_writes_the_same() {
    let commits = [CommitKind::Bisect, CommitKind::Sequential, CommitKind::Best];
    let recoveries = [RecoveryKind::Guided, RecoveryKind::Witness];
    for masks_after in [Some(8), Some(0), None] {
        let (mut beside, mut prepared, mut looks) = (0.0, 0, 0);
        for index in 0..60 {
            let options = Options {
                masks_after,
                length: 14,
                steps: [3, 5, 9][index % 3],
                commit: commits[(index / 3) % 3],
                recovery: recoveries[index % 2],
                refusals_per_step: [2000, 3][(index / 2) % 2],
                temperature: [0.0, 0.7][(index / 5) % 2],
                seed: index as u64,
                ..Options::default()
            };
            let adversary = ADVERSARIES[index % ADVERSARIES.len()];
            let grammar = [JSON, COUNTED, ARITHMETIC][(index / 4) % 3];
            let at_once = decode(grammar, adversary, false, &options);
            let later = decode(grammar, adversary, true, &options);
            let shown = format!("{adversary:?}, {options:?}");
            assert_eq!(later.events, at_once.events, "{shown}");
            assert_eq!(later.text, at_once.text, "{shown}");
            assert_eq!(at_once.looks, 0, "{shown}");
            assert_eq!(at_once.timings.beside_ms, 0.0, "{shown}");
            assert_eq!(at_once.timings.prepared, 0, "{shown}");
            assert!(
                later.timings.beside_ms <= later.timings.checker_ms,
                "{shown}"
            );
            beside += later.timings.beside_ms;
            prepared += later.timings.prepared;
            looks += later.looks;
        }
        assert!(beside > 50.0 && looks > 50, "{beside}, {looks}");
        // Where all masks are needed these are prepared, else checks, some of which are asked for.
        assert!(prepared > 0 || masks_after == Some(0), "{prepared}");
        println!("{masks_after:?}: {looks} looks, {prepared} checks decided ahead");
    }
}
