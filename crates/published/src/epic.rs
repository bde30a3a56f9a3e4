//! EPIC, as a whole, its parts switchable.

use std::sync::Arc;

use lacuna_checker::{Pattern, Stopwatch, Witness};
use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::Limits;

use crate::cover::Cover;
use crate::dfa::TerminalDfa;
use crate::earley::{Dotted, parse};
use crate::intersection::intersect;
use crate::lexical::Lexical;
use crate::normal_form::NormalForm;
use crate::select::{Compatible, commit_step};
use crate::{Answer, Language, LexicalMap, PublishedError, Stopped, TerminalId, Ticker};

/// Which of the paper's three parts are on; what is off is done as by
/// [`Mundler`](crate::Mundler).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpicParts {
    /// Lexings are remembered.
    pub memo: bool,
    /// Earley's algorithm on the ε-NFA, in place of automata and intersection.
    pub dfa_free: bool,
    /// Tokens are committed in batches.
    pub parallel: bool,
}

impl Default for EpicParts {
    fn default() -> Self {
        Self {
            memo: true,
            dfa_free: true,
            parallel: true,
        }
    }
}

/// Decides by parsing the graph of all completions, and commits in batches.
pub struct Epic {
    lexical: Lexical,
    exact: Exact,
    /// Made when it is first asked; there may be none.
    cover: Option<Option<Cover>>,
    parallel: bool,
}

enum Exact {
    Earley(Dotted),
    Intersection(NormalForm),
}

impl Epic {
    /// The method for a grammar.
    ///
    /// # Errors
    /// When an automaton outgrows the limits, or the grammar has what the papers
    /// have not.
    pub fn new(
        grammar: &Grammar,
        map: LexicalMap,
        parts: EpicParts,
        limits: &Limits,
    ) -> Result<Self, PublishedError> {
        let language = Arc::new(Language::new(grammar, limits)?.accept(map)?);
        let (cfg, terminals) = (&language.cfg, language.terminals.len());
        Ok(Self {
            exact: match parts.dfa_free {
                true => Exact::Earley(Dotted::new(cfg)),
                false => Exact::Intersection(NormalForm::new(cfg, terminals)),
            },
            cover: None,
            parallel: parts.parallel,
            lexical: Lexical::new(language, map, parts.memo, limits)?,
        })
    }

    /// Times from now on what lexes fragments and makes ε-NFAs of them.
    pub fn time_lexing(&mut self, clock: fn() -> f64) {
        self.lexical.stopwatch = Stopwatch::by(clock);
    }

    /// Milliseconds that this has taken.
    pub fn lexing_ms(&self) -> f64 {
        self.lexical.stopwatch.ms()
    }

    /// Whether the pattern can be completed, gaps of whatever kind being of any
    /// length; `stop` says when it has taken too long. More than about a gigabyte is too
    /// much.
    pub fn check(&mut self, pattern: &Pattern, stop: &dyn Fn() -> bool) -> Answer {
        match self.decide(pattern, stop) {
            Ok(Some(terminals)) => Answer::Completable(terminals),
            Ok(None) => Answer::Impossible,
            Err(stopped) => Answer::Stopped(stopped),
        }
    }

    fn decide(
        &mut self,
        pattern: &Pattern,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<TerminalId>>, Stopped> {
        let mut ticker = Ticker::new(stop);
        let enfa = self.lexical.enfa(pattern, &mut ticker)?;
        match &self.exact {
            Exact::Earley(grammar) => parse(grammar, &enfa, &mut ticker),
            Exact::Intersection(grammar) => match TerminalDfa::minimal(&enfa, &mut ticker)? {
                Some(dfa) => intersect(grammar, &dfa, &mut ticker),
                None => Ok(None),
            },
        }
    }

    /// The relaxed check: whether the regular cover allows the pattern. A no is the
    /// exact check's no. The first makes the cover; a grammar that is too large for one
    /// has all allowed.
    ///
    /// # Errors
    /// When the time or the memory is over.
    pub fn cover_allows(
        &mut self,
        pattern: &Pattern,
        stop: &dyn Fn() -> bool,
    ) -> Result<bool, Stopped> {
        let mut ticker = Ticker::new(stop);
        let enfa = self.lexical.enfa(pattern, &mut ticker)?;
        match self.cover() {
            Some(cover) => cover.meets(&enfa, &mut ticker),
            None => Ok(true),
        }
    }

    fn cover(&mut self) -> Option<&Cover> {
        let language = &self.lexical.language;
        self.cover
            .get_or_insert_with(|| Cover::new(&language.cfg, language.terminals.len()))
            .as_ref()
    }

    /// Algorithm 1's step: commits up to `wanted` of the candidates, most confident
    /// first; `apply` is the pattern with some of them committed.
    ///
    /// # Errors
    /// When the time or the memory is over.
    pub fn commit<C: Clone + PartialEq>(
        &mut self,
        candidates: &[C],
        wanted: usize,
        apply: &dyn Fn(&[C]) -> Pattern,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<C>, Stopped> {
        let in_parallel = self.parallel;
        let mut checks = Checks {
            epic: self,
            apply,
            stop,
        };
        commit_step(candidates, wanted, in_parallel, &mut checks)
    }

    /// A text for a yes; see [`Mundler::witness`](crate::Mundler::witness).
    pub fn witness(
        &mut self,
        pattern: &Pattern,
        answer: &Answer,
        stop: &dyn Fn() -> bool,
    ) -> Option<Witness> {
        match answer {
            Answer::Completable(terminals) => {
                let mut ticker = Ticker::new(stop);
                let witness = self.lexical.witness(pattern, terminals, &mut ticker);
                witness.ok().flatten()
            }
            Answer::Impossible | Answer::Stopped(_) => None,
        }
    }

    /// Makes now what is otherwise made when it is first asked: what reads witnesses, and
    /// the cover if batches are committed.
    pub fn prepare(&mut self) {
        self.lexical.prepare();
        if self.parallel {
            self.cover();
        }
    }

    /// Forgets all that was met: what comes next is as on the first check.
    pub fn forget(&mut self) {
        self.lexical.forget();
    }

    /// Fragments asked of the memo so far, and how many it knew.
    pub fn memo_use(&self) -> (u64, u64) {
        self.lexical.memo_use()
    }
}

struct Checks<'a, C> {
    epic: &'a mut Epic,
    apply: &'a dyn Fn(&[C]) -> Pattern,
    stop: &'a dyn Fn() -> bool,
}

impl<C> Compatible<C> for Checks<'_, C> {
    type Error = Stopped;

    fn relaxed(&mut self, commits: &[C]) -> Result<bool, Stopped> {
        let pattern = (self.apply)(commits);
        self.epic.cover_allows(&pattern, self.stop)
    }

    fn exact(&mut self, commits: &[C]) -> Result<bool, Stopped> {
        let pattern = (self.apply)(commits);
        Ok(self.epic.decide(&pattern, self.stop)?.is_some())
    }
}
