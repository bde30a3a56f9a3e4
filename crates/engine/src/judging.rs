//! What a request's method is judged by, and the guards that this makes.

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use lacuna_decoder::{Guard, NoGuard};
use lacuna_grammar::Grammar;
use lacuna_lexer::Vocabulary;
use lacuna_published::EpicParts;

use crate::cache::{Found, Origin};
use crate::engine::{Begin, grammar_source};
use crate::source::Extent;
use crate::{
    Engine, Fault, Finding, GenerateRequest, GrammarWarning, Judge, MemoUse, Patience, Published,
    PublishedGuard, Purpose,
};

/// Milliseconds that one check of a published method may take.
const PATIENCE_MS: f64 = 2000.0;

/// What a request is judged by, its grammar compiled.
pub(crate) enum Judging {
    Nobody,
    Checker(Found),
    Published(Grammar, Option<EpicParts>, Vec<Finding>),
}

/// A guard, with what it counts in.
pub(crate) struct Opened {
    pub guard: Box<dyn Guard>,
    pub vocabulary: Arc<Vocabulary>,
    /// What is asked of its memos, if it has any.
    pub memo: Option<Arc<Mutex<MemoUse>>>,
}

impl Judging {
    pub fn of(request: &GenerateRequest, engine: &Engine) -> Result<Self, Fault> {
        Ok(match request.judge {
            Judge::Nobody => Self::Nobody,
            Judge::Checker => Self::Checker(engine.compile(request)?),
            Judge::Published(parts) => {
                let source = grammar_source(request)?;
                let read = source.read(Purpose::Writing, None, Extent::Exact)?;
                let warnings = source.findings(&read);
                Self::Published(read.grammar, parts, warnings)
            }
        })
    }

    /// Where the compiled grammar came from; the published methods keep none.
    pub fn origin(&self) -> Option<Origin> {
        match self {
            Self::Checker(found) => Some(found.origin),
            Self::Nobody | Self::Published(..) => None,
        }
    }

    /// What looks wrong with the grammar.
    pub fn warnings(&self) -> Vec<GrammarWarning> {
        let warnings = match self {
            Self::Checker(found) => found.grammar.warnings(),
            Self::Published(_, _, warnings) => warnings,
            Self::Nobody => &[],
        };
        GrammarWarning::of(None, warnings).collect()
    }

    /// A guard on an empty memo, or on one that an earlier run has filled.
    pub fn guard(
        &self,
        engine: &Engine,
        begin: &Begin,
        clock: &Rc<dyn Fn() -> f64>,
    ) -> Result<Opened, Fault> {
        let writable = || Arc::clone(&begin.writable);
        Ok(match self {
            Self::Nobody => Opened {
                guard: Box::new(NoGuard),
                vocabulary: writable(),
                memo: None,
            },
            Self::Checker(found) => {
                let (guard, vocabulary) = engine.pool.guard(&found.grammar, &begin.writable);
                Opened {
                    memo: Some(guard.uses()),
                    guard: Box::new(guard),
                    vocabulary,
                }
            }
            Self::Published(grammar, parts, _) => {
                let method = Published::new(grammar, *parts)?;
                let clock = Rc::clone(clock);
                let patience = Patience {
                    clock: Box::new(move || clock()),
                    limit_ms: PATIENCE_MS,
                };
                let guard = PublishedGuard::new(method, writable(), patience);
                Opened {
                    vocabulary: writable(),
                    memo: parts.filter(|parts| parts.memo).map(|_| guard.uses()),
                    guard: Box::new(guard),
                }
            }
        })
    }
}
