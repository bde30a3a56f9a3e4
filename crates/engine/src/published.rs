//! The published methods as guards, to be run in the same loop.
//!
//! They let a gap become any text, whatever its cells; their completion is a whole text,
//! which need not fit the canvas either. A check that takes too long, or too much memory, is
//! undecided.

use std::sync::{Arc, Mutex};

use lacuna_checker::Pattern;
use lacuna_decoder::{Cell, Completion, DecodeError, Guard, Reason, Refused};
use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::Limits;
use lacuna_lexer::{MemoUse, Vocabulary};
use lacuna_published::{
    Answer, Epic, EpicParts, LexicalMap, Mundler, PublishedError, Stopped, Ticker,
};

use crate::Fault;

/// A published method.
pub enum Published {
    /// Mündler and others.
    Mundler(Box<Mundler>),
    /// EPIC, with some of its parts.
    Epic(Box<Epic>),
}

impl Published {
    /// The method for a grammar, with all that a run may ask of it; `None` is Mündler's.
    ///
    /// # Errors
    /// When the method cannot hold the grammar.
    pub fn new(grammar: &Grammar, parts: Option<EpicParts>) -> Result<Self, PublishedError> {
        let (map, limits) = (LexicalMap::Described, Limits::default());
        Ok(match parts {
            None => {
                let mut method = Mundler::new(grammar, map, &limits)?;
                method.prepare();
                Self::Mundler(Box::new(method))
            }
            Some(parts) => {
                let mut method = Epic::new(grammar, map, parts, &limits)?;
                method.prepare();
                Self::Epic(Box::new(method))
            }
        })
    }

    fn time_lexing(&mut self, clock: fn() -> f64) {
        match self {
            Self::Mundler(method) => method.time_lexing(clock),
            Self::Epic(method) => method.time_lexing(clock),
        }
    }

    fn lexing_ms(&self) -> f64 {
        match self {
            Self::Mundler(method) => method.lexing_ms(),
            Self::Epic(method) => method.lexing_ms(),
        }
    }

    fn memo_use(&self) -> MemoUse {
        let (asked, known) = match self {
            Self::Mundler(_) => (0, 0),
            Self::Epic(method) => method.memo_use(),
        };
        MemoUse {
            asked,
            made: asked - known,
        }
    }
}

impl From<PublishedError> for Fault {
    fn from(error: PublishedError) -> Self {
        Self::new("method", error.to_string())
    }
}

/// Milliseconds from any origin, and how many of them one check may take.
pub struct Patience {
    /// The time.
    pub clock: Box<dyn Fn() -> f64>,
    /// What a check may take.
    pub limit_ms: f64,
}

/// Allows what a published method does.
pub struct PublishedGuard {
    method: Option<Published>,
    /// Who takes the method in the end.
    keep: Option<Box<dyn FnOnce(Published)>>,
    before: MemoUse,
    vocabulary: Arc<Vocabulary>,
    patience: Patience,
    last: Option<(Pattern, Answer)>,
    /// What the last check without an answer ran out of.
    stopped: Stopped,
    uses: Arc<Mutex<MemoUse>>,
}

impl PublishedGuard {
    /// A guard by a method.
    pub fn new(method: Published, vocabulary: Arc<Vocabulary>, patience: Patience) -> Self {
        Self {
            before: method.memo_use(),
            method: Some(method),
            keep: None,
            vocabulary,
            patience,
            last: None,
            stopped: Stopped::Time,
            uses: Arc::default(),
        }
    }

    /// The same guard, handing its method to `keep` in the end: what it has found out is
    /// of use to the next run under the same grammar.
    pub fn keeping(mut self, keep: impl FnOnce(Published) + 'static) -> Self {
        self.keep = Some(Box::new(keep));
        self
    }

    /// The same guard, its lexing timed.
    pub fn timing_lexing(mut self, clock: fn() -> f64) -> Self {
        if let Some(method) = &mut self.method {
            method.time_lexing(clock);
        }
        self
    }

    /// What is asked of the memo through this guard, kept up to date.
    pub fn uses(&self) -> Arc<Mutex<MemoUse>> {
        Arc::clone(&self.uses)
    }

    fn answer(&mut self, pattern: &Pattern) -> Answer {
        let stop = stopping(&self.patience);
        let Some(method) = &mut self.method else {
            return Answer::Stopped(Stopped::Time);
        };
        let answer = match method {
            Published::Mundler(method) => method.check(pattern, &stop),
            Published::Epic(method) => method.check(pattern, &stop),
        };
        let now = method.memo_use();
        if let Ok(mut uses) = self.uses.lock() {
            *uses = now.since(self.before);
        }
        answer
    }
}

/// Whether the time of the check that begins now has run out.
fn stopping(patience: &Patience) -> impl Fn() -> bool + '_ {
    let end = (patience.clock)() + patience.limit_ms;
    move || (patience.clock)() > end
}

impl Drop for PublishedGuard {
    fn drop(&mut self) {
        if let (Some(keep), Some(method)) = (self.keep.take(), self.method.take()) {
            keep(method);
        }
    }
}

impl Guard for PublishedGuard {
    fn lexing_ms(&self) -> f64 {
        self.method.as_ref().map_or(0.0, Published::lexing_ms)
    }

    fn open(&mut self, cells: &[Cell]) -> Result<(), DecodeError> {
        self.check(cells).map_err(|refused| match refused.reason {
            Reason::Exhausted => {
                let (what, limit) = match self.stopped {
                    Stopped::Time => ("milliseconds", self.patience.limit_ms as usize),
                    Stopped::Memory => ("bytes", Ticker::ROOM),
                };
                DecodeError::Exhausted { what, limit }
            }
            Reason::Impossible | Reason::EndBeforeText => DecodeError::no_filling(cells),
        })
    }

    fn check(&mut self, cells: &[Cell]) -> Result<(), Refused> {
        let pattern = Pattern::of_canvas(cells, &self.vocabulary).ok_or(Reason::EndBeforeText)?;
        match self.answer(&pattern) {
            answer @ Answer::Completable(_) => {
                self.last = Some((pattern, answer));
                Ok(())
            }
            Answer::Impossible => Err(Reason::Impossible.into()),
            Answer::Stopped(stopped) => {
                self.stopped = stopped;
                Err(Reason::Exhausted.into())
            }
        }
    }

    fn allows(&mut self, cells: &[Cell]) -> bool {
        let Some(pattern) = Pattern::of_canvas(cells, &self.vocabulary) else {
            return false;
        };
        let stop = stopping(&self.patience);
        match &mut self.method {
            None | Some(Published::Mundler(_)) => true,
            // What takes too long goes to the exact check.
            Some(Published::Epic(method)) => method.cover_allows(&pattern, &stop).unwrap_or(true),
        }
    }

    fn completion(&mut self) -> Option<Completion> {
        let (pattern, answer) = self.last.as_ref()?;
        let stop = stopping(&self.patience);
        let witness = match &mut self.method {
            None => None,
            Some(Published::Mundler(method)) => method.witness(pattern, answer, &stop),
            Some(Published::Epic(method)) => method.witness(pattern, answer, &stop),
        };
        Some(Completion::Text(
            witness?.text(pattern, Some(&self.vocabulary)),
        ))
    }
}
