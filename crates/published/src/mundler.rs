//! The method of Mündler and others, as a whole.

use std::sync::Arc;

use lacuna_checker::{Pattern, Stopwatch, Witness};
use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::Limits;

use crate::dfa::TerminalDfa;
use crate::intersection::intersect;
use crate::lexical::Lexical;
use crate::normal_form::NormalForm;
use crate::{Answer, Language, LexicalMap, PublishedError, Stopped, TerminalId, Ticker};

/// Decides by intersecting the grammar with the language of all completions.
pub struct Mundler {
    lexical: Lexical,
    grammar: NormalForm,
}

impl Mundler {
    /// The method for a grammar.
    ///
    /// # Errors
    /// When an automaton outgrows the limits, or the grammar has what the papers
    /// have not.
    pub fn new(
        grammar: &Grammar,
        map: LexicalMap,
        limits: &Limits,
    ) -> Result<Self, PublishedError> {
        let language = Arc::new(Language::new(grammar, limits)?.accept(map)?);
        Ok(Self {
            grammar: NormalForm::new(&language.cfg, language.terminals.len()),
            lexical: Lexical::new(language, map, false, limits)?,
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
        match TerminalDfa::minimal(&enfa, &mut ticker)? {
            Some(dfa) => intersect(&self.grammar, &dfa, &mut ticker),
            None => Ok(None),
        }
    }

    /// A text for a yes: a filling that is lexed as the answer says. `None` if the
    /// answer is no, or if its lexemes cannot stand so, which the lexical map took
    /// for granted; or when it takes too much. The first makes what reads witnesses.
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

    /// Makes now what is otherwise made when it is first asked: what reads witnesses.
    pub fn prepare(&mut self) {
        self.lexical.prepare();
    }

    /// Forgets all that was met: what comes next is as on the first check.
    pub fn forget(&mut self) {
        self.lexical.forget();
    }
}
