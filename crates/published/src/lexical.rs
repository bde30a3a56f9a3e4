//! A pattern's ε-NFA by the chosen lexical map, with or without a memo.
//!
//! What is met is kept from check to check: automata of parts of lexemes within their
//! bound, lexings if there is a memo. The exact lexer, whose automaton of all terminals
//! takes long to make, is made where it is first asked: for a witness, unless it is the
//! lexical map itself.

use std::sync::Arc;

use lacuna_checker::{Pattern, Stopwatch, Witness};
use lacuna_grammar::automaton::{AutomatonError, Limits};

use crate::completion::completion;
use crate::exact::ExactLexer;
use crate::lexing::{Ends, FragmentLexer, Parts};
use crate::memo::Memo;
use crate::{Enfa, Language, LexicalMap, Stopped, TerminalId, Ticker};

/// Makes ε-NFAs of one language.
pub(crate) struct Lexical {
    pub(crate) language: Arc<Language>,
    limits: Limits,
    map: LexicalMap,
    fragments: FragmentLexer,
    /// Of lexemes that are cut at gaps.
    joins: Parts,
    exact: Option<Result<ExactLexer, AutomatonError>>,
    memo: Option<Memo>,
    /// Of all that makes ε-NFAs.
    pub(crate) stopwatch: Stopwatch,
}

impl Lexical {
    pub(crate) fn new(
        language: Arc<Language>,
        map: LexicalMap,
        remember: bool,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let mut lexical = Self {
            joins: Parts::new(Arc::clone(&language)),
            fragments: FragmentLexer::new(Arc::clone(&language), map),
            exact: None,
            limits: *limits,
            map,
            language,
            memo: remember.then(Memo::default),
            stopwatch: Stopwatch::default(),
        };
        if map == LexicalMap::Exact {
            lexical.exact()?;
        }
        Ok(lexical)
    }

    /// Makes what is otherwise made when it is first asked.
    pub(crate) fn prepare(&mut self) {
        // A witness asks again whether that can be had.
        let _ = self.exact();
    }

    /// The exact lexer, made if it was not.
    fn exact(&mut self) -> Result<&mut ExactLexer, AutomatonError> {
        let made = self
            .exact
            .get_or_insert_with(|| ExactLexer::new(Arc::clone(&self.language), &self.limits));
        made.as_mut().map_err(|error| error.clone())
    }

    /// Forgets all that was met.
    pub(crate) fn forget(&mut self) {
        self.fragments.forget();
        self.joins.forget();
        if let Some(Ok(exact)) = &mut self.exact {
            exact.forget();
        }
        if let Some(memo) = &mut self.memo {
            *memo = Memo::default();
        }
    }

    /// Fragments asked of the memo so far, and how many it knew.
    pub(crate) fn memo_use(&self) -> (u64, u64) {
        let memo = self.memo.as_ref();
        memo.map_or((0, 0), |memo| (memo.lookups, memo.hits))
    }

    pub(crate) fn enfa(
        &mut self,
        pattern: &Pattern,
        ticker: &mut Ticker<'_>,
    ) -> Result<Enfa, Stopped> {
        let started = self.stopwatch.start();
        let enfa = self.lexed(pattern, ticker);
        self.stopwatch.stop(started);
        enfa
    }

    fn lexed(&mut self, pattern: &Pattern, ticker: &mut Ticker<'_>) -> Result<Enfa, Stopped> {
        let pattern = &joined(pattern);
        if self.map == LexicalMap::Exact {
            // It is there: the method was not made without it.
            let exact = self.exact().map_err(|_| Stopped::Memory)?;
            return exact.enfa(pattern, ticker);
        }
        self.joins.empty_if_full();
        let (fragments, mut memo) = (&mut self.fragments, self.memo.as_mut());
        if let Some(memo) = &mut memo {
            memo.empty_if_full();
        }
        let mut lex = |text: &[u8], ends: Ends, ticker: &mut Ticker<'_>| match &mut memo {
            None => Ok(fragments.lex(text, ends, ticker)?.into()),
            Some(memo) => memo.get(text, ends, || fragments.lex(text, ends, ticker)),
        };
        completion(pattern, &self.language, &mut self.joins, &mut lex, ticker)
    }

    /// A filling that is lexed as the terminals say; `None` as well if no automaton of
    /// all terminals can be made.
    pub(crate) fn witness(
        &mut self,
        pattern: &Pattern,
        terminals: &[TerminalId],
        ticker: &mut Ticker<'_>,
    ) -> Result<Option<Witness>, Stopped> {
        match self.exact() {
            Ok(exact) => exact.witness(pattern, terminals, ticker),
            Err(_) => Ok(None),
        }
    }
}

/// Neighbouring texts are one fragment.
fn joined(pattern: &Pattern) -> Pattern {
    Pattern::with_open_tail(pattern.segments.iter().cloned())
}
