//! What becomes of a grammar once, whatever is asked of it later.
//!
//! A [`Compiled`] grammar never changes, so checkers share it: what fills with use
//! (memos, charts, rows of the spanner table) is each [`Checker`](crate::Checker)'s
//! own. A regular grammar is its automaton. Any other has the parser's productions with their
//! lexer, and automata below and above its language, which are made when they are asked for.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, SHORTCUTS};
use lacuna_lexer::{Lexer, Representatives, Vocabulary};

use crate::CheckerLimits;
use crate::bounds::{LazyBounds, regular_language};
use crate::cfg::Cfg;
use crate::normalize::normalize;
use crate::tables::SharedTables;

/// Sizes of what was built for a grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Whether the grammar is regular, so that one automaton decides.
    pub regular: bool,
    /// States of the automaton that says yes (the language itself if regular).
    pub inner_states: usize,
    /// Levels of recursion it writes out.
    pub levels: usize,
    /// States of the regular cover, if the grammar is not regular.
    pub cover_states: usize,
    /// Terminals of the parser.
    pub terminals: usize,
    /// Nonterminals of the parser.
    pub nonterminals: usize,
    /// Productions of the parser.
    pub productions: usize,
    /// States of the combined lexer.
    pub lexer_states: usize,
}

/// A grammar ready to be checked against.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub(crate) shape: Shape,
    /// Of the vocabulary asked about last, for all that share this.
    representatives: Arc<Mutex<Option<Known>>>,
    /// Of the parser, for all that share this.
    pub(crate) tables: SharedTables,
}

type Known = (Weak<Vocabulary>, Arc<Representatives>);

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// A regular language, whose automaton decides alone.
    Regular {
        language: Arc<Dfa>,
        /// Made when first asked for, because few questions need it.
        parser: OnceLock<Result<Arc<Cfg>, AutomatonError>>,
    },
    /// A language that is not regular, or not visibly so.
    Parsed {
        /// Of gaps that count cells.
        bounds: LazyBounds,
        parser: Arc<Cfg>,
    },
}

impl Compiled {
    /// An automaton of the language, or of a part of it: of a grammar that is not
    /// regular, the texts in which recursion goes a few levels deep. `None` where none
    /// was made.
    pub fn automaton(&self) -> Option<&Arc<Dfa>> {
        match &self.shape {
            Shape::Regular { language, .. } => Some(language),
            Shape::Parsed { bounds, .. } => bounds.get().inner.as_ref(),
        }
    }

    pub(crate) fn of(shape: Shape) -> Self {
        Self {
            shape,
            representatives: Arc::default(),
            tables: SharedTables::default(),
        }
    }

    /// One token of each class of those that the lexer does not tell apart, found when a
    /// vocabulary is first asked about.
    pub(crate) fn representatives(
        &self,
        lexer: &Lexer,
        vocabulary: &Arc<Vocabulary>,
    ) -> Arc<Representatives> {
        // What a thread that panicked left here is whole.
        let mut known = self
            .representatives
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((of, representatives)) = &*known
            && of.as_ptr() == Arc::as_ptr(vocabulary)
        {
            return Arc::clone(representatives);
        }
        let fresh = Arc::new(Representatives::new(lexer, vocabulary));
        *known = Some((Arc::downgrade(vocabulary), Arc::clone(&fresh)));
        fresh
    }

    /// Compiles a grammar; `counts_cells` says whether gaps that count cells will
    /// be asked about, for which more is made.
    ///
    /// # Errors
    /// When an automaton of the grammar outgrows the limits.
    pub fn new(
        grammar: &Grammar,
        counts_cells: bool,
        limits: &CheckerLimits,
    ) -> Result<Self, AutomatonError> {
        let (few, many) = (limits.copied_states, limits.copied_states_in_cells);
        let (copied, otherwise) = if counts_cells {
            (many, few)
        } else {
            (few, many)
        };
        let normalized = normalize(grammar, copied);
        // Of larger grammars the parser's tables are made sooner.
        let try_regular = counts_cells || normalized.grammar.rules.len() == 1;
        if let Some(language) = try_regular
            .then(|| regular_language(&normalized, limits))
            .flatten()
        {
            return Ok(Self::of(Shape::Regular {
                language: Arc::new(language),
                parser: OnceLock::new(),
            }));
        }
        let automata = &limits.automata;
        let mut parser = Cfg::new(&normalized, limits.contexts, true, automata);
        // What makes one lexer too large may suit the other.
        let counts = SHORTCUTS && grammar.rules.iter().any(|rule| rule.body.counts());
        let others = [(true, otherwise, true), (counts, copied, false)];
        for (is_other, copied, encloses) in others {
            let is_too_large = matches!(parser, Err(AutomatonError::TooLarge { .. }));
            if is_other && is_too_large && grammar.lexicon.is_none() {
                let normalized = normalize(grammar, copied);
                parser = Cfg::new(&normalized, limits.contexts, encloses, automata).or(parser);
            }
        }
        Ok(Self::of(Shape::Parsed {
            parser: Arc::new(parser?),
            bounds: match counts_cells {
                true => LazyBounds::of(normalized, &limits.approximations),
                false => LazyBounds::default(),
            },
        }))
    }

    /// Bytes of memory that it takes, closely.
    pub fn heap_bytes(&self) -> usize {
        let shape = match &self.shape {
            Shape::Regular { language, parser } => {
                let parser = parser.get().and_then(|made| made.as_ref().ok());
                language.heap_bytes() + parser.map_or(0, |parser| parser.heap_bytes())
            }
            Shape::Parsed { bounds, parser } => bounds.heap_bytes() + parser.heap_bytes(),
        };
        #[cfg(feature = "shortcuts")]
        let shape = shape + self.tables.heap_bytes();
        shape
    }

    /// Whether the language was found to be regular.
    pub fn is_regular(&self) -> bool {
        matches!(self.shape, Shape::Regular { .. })
    }

    /// The parser's productions and lexer.
    pub(crate) fn parser(&self, limits: &Limits) -> Result<Arc<Cfg>, AutomatonError> {
        match &self.shape {
            Shape::Regular { language, parser } => parser
                .get_or_init(|| Cfg::of_language(language, limits).map(Arc::new))
                .clone(),
            Shape::Parsed { parser, .. } => Ok(Arc::clone(parser)),
        }
    }

    /// Sizes of everything that a check may use.
    ///
    /// # Errors
    /// When an automaton of the grammar outgrows the limits.
    pub fn statistics(&self, limits: &CheckerLimits) -> Result<Statistics, AutomatonError> {
        let cfg = self.parser(&limits.automata)?;
        let states = |dfa: &Option<Arc<Dfa>>| dfa.as_ref().map_or(0, |dfa| dfa.state_count());
        let (inner_states, levels, cover_states) = match &self.shape {
            Shape::Regular { language, .. } => (language.state_count(), 0, 0),
            Shape::Parsed { bounds, .. } => {
                let bounds = bounds.get();
                (states(&bounds.inner), bounds.levels, states(&bounds.cover))
            }
        };
        Ok(Statistics {
            regular: self.is_regular(),
            inner_states,
            levels,
            cover_states,
            terminals: cfg.lexer.terminal_count(),
            nonterminals: cfg.productions.len(),
            productions: cfg.productions.iter().map(Vec::len).sum(),
            lexer_states: cfg.lexer.state_count(),
        })
    }
}
