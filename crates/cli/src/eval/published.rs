//! The published methods as guards, to be run in the same loop.
//!
//! They let a gap become any text, whatever its cells; their completion is a whole text,
//! which need not fit the canvas either. A check that takes too long is undecided.

use std::sync::Arc;
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

/// Allows what a published method does.
pub struct PublishedGuard {
    method: Published,
    vocabulary: Arc<Vocabulary>,
    last: Option<(Pattern, Answer)>,
    uses: Arc<std::sync::Mutex<(u64, u64)>>,
}

impl PublishedGuard {
    /// A guard; `uses` is told what was asked of the memo so far, and how much it knew.
    pub fn new(
        method: Published,
        vocabulary: Arc<Vocabulary>,
        uses: Arc<std::sync::Mutex<(u64, u64)>>,
    ) -> Self {
        Self {
            method,
            vocabulary,
            last: None,
            uses,
        }
    }

    fn answer(&mut self, pattern: &Pattern) -> Answer {
        let end = Instant::now() + PATIENCE;
        let stop = move || Instant::now() > end;
        match &mut self.method {
            Published::Mundler(method) => method.check(pattern, &stop),
            Published::Epic(method) => {
                let answer = method.check(pattern, &stop);
                if let Ok(mut uses) = self.uses.lock() {
                    *uses = method.memo_use();
                }
                answer
            }
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
            Published::Mundler(_) => true,
            // What takes too long goes to the exact check.
            Published::Epic(method) => method
                .cover_allows(&pattern, &move || Instant::now() > end)
                .unwrap_or(true),
        }
    }

    fn completion(&mut self) -> Option<Completion> {
        let (pattern, answer) = self.last.as_ref()?;
        let end = Instant::now() + PATIENCE;
        let stop = move || Instant::now() > end;
        let witness = match &mut self.method {
            Published::Mundler(method) => method.witness(pattern, answer, &stop),
            Published::Epic(method) => method.witness(pattern, answer, &stop),
        };
        Some(Completion::Text(
            witness?.text(pattern, Some(&self.vocabulary)),
        ))
    }
}
