//! The published methods as guards, to be run in the same loop.
//!
//! They let a gap become any text, whatever its cells; their completion is a whole text,
//! which need not fit the canvas either. A check that takes too long is undecided.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lacuna_checker::Pattern;
use lacuna_decoder::{Cell, Completion, DecodeError, Guard, Reason};
use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::Limits;
use lacuna_lexer::Vocabulary;
use lacuna_published::{Answer, Epic, EpicParts, LexicalMap, Mundler, PublishedError};

/// What one check may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A published method.
pub enum Published {
    /// Mündler and others.
    Mundler(Box<Mundler>),
    /// EPIC, with some of its parts.
    Epic(Box<Epic>),
}

impl Published {
    /// The method for a grammar; `None` is Mündler's.
    pub fn new(grammar: &Grammar, parts: Option<EpicParts>) -> Result<Self, PublishedError> {
        let (map, limits) = (LexicalMap::Described, Limits::default());
        Ok(match parts {
            None => Self::Mundler(Box::new(Mundler::new(grammar, map, &limits)?)),
            Some(parts) => Self::Epic(Box::new(Epic::new(grammar, map, parts, &limits)?)),
        })
    }
}

/// Methods that runs have used, by name, for the next run under the same grammar.
#[derive(Clone, Default)]
pub struct Kept(Rc<RefCell<BTreeMap<String, Published>>>);

impl Kept {
    /// The method of this name, if it was used before.
    pub fn take(&self, name: &str) -> Option<Published> {
        self.0.borrow_mut().remove(name)
    }
}

/// Allows what a published method does.
pub struct PublishedGuard {
    method: Option<Published>,
    /// Who takes the method in the end.
    kept: Option<(Kept, String)>,
    /// What the memo had been asked before the run, and knew.
    before: (u64, u64),
    vocabulary: Arc<Vocabulary>,
    last: Option<(Pattern, Answer)>,
    uses: Arc<Mutex<(u64, u64)>>,
}

impl PublishedGuard {
    /// A guard; `uses` is told what is asked of the memo in this run, and how much it
    /// knew.
    pub fn new(
        method: Published,
        vocabulary: Arc<Vocabulary>,
        uses: Arc<Mutex<(u64, u64)>>,
        kept: Option<(Kept, String)>,
    ) -> Self {
        Self {
            before: match &method {
                Published::Mundler(_) => (0, 0),
                Published::Epic(method) => method.memo_use(),
            },
            method: Some(method),
            kept,
            vocabulary,
            last: None,
            uses,
        }
    }

    fn answer(&mut self, pattern: &Pattern) -> Answer {
        let end = Instant::now() + PATIENCE;
        let stop = move || Instant::now() > end;
        match &mut self.method {
            None => Answer::Stopped,
            Some(Published::Mundler(method)) => method.check(pattern, &stop),
            Some(Published::Epic(method)) => {
                let answer = method.check(pattern, &stop);
                let (asked, known) = method.memo_use();
                if let Ok(mut uses) = self.uses.lock() {
                    *uses = (asked - self.before.0, known - self.before.1);
                }
                answer
            }
        }
    }
}

impl Drop for PublishedGuard {
    fn drop(&mut self) {
        if let (Some((kept, name)), Some(method)) = (self.kept.take(), self.method.take()) {
            kept.0.borrow_mut().insert(name, method);
        }
    }
}

impl Guard for PublishedGuard {
    fn open(&mut self, cells: &[Cell]) -> Result<(), DecodeError> {
        let masked = cells.iter().filter(|cell| cell.is_none()).count();
        self.check(cells)
            .map_err(|_| DecodeError::NoFilling { masked })
    }

    fn check(&mut self, cells: &[Cell]) -> Result<(), Reason> {
        let pattern = Pattern::of_canvas(cells, &self.vocabulary).ok_or(Reason::EndBeforeText)?;
        match self.answer(&pattern) {
            answer @ Answer::Completable(_) => {
                self.last = Some((pattern, answer));
                Ok(())
            }
            Answer::Impossible => Err(Reason::Impossible),
            Answer::Stopped => Err(Reason::Exhausted),
        }
    }

    fn allows(&mut self, cells: &[Cell]) -> bool {
        let Some(pattern) = Pattern::of_canvas(cells, &self.vocabulary) else {
            return false;
        };
        let end = Instant::now() + PATIENCE;
        match &mut self.method {
            None | Some(Published::Mundler(_)) => true,
            // What takes too long goes to the exact check.
            Some(Published::Epic(method)) => method
                .cover_allows(&pattern, &move || Instant::now() > end)
                .unwrap_or(true),
        }
    }

    fn completion(&mut self) -> Option<Completion> {
        let (pattern, answer) = self.last.as_ref()?;
        let end = Instant::now() + PATIENCE;
        let stop = move || Instant::now() > end;
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
