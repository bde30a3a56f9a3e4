//! A pattern's ε-NFA by the chosen lexical map, with or without a memo.

use std::sync::Arc;

use lacuna_checker::{Pattern, Stopwatch, Witness};
use lacuna_grammar::automaton::{AutomatonError, Limits};

use crate::completion::{Unremembered, completion};
use crate::exact::ExactLexer;
use crate::lexing::{Ends, FragmentLexer};
use crate::memo::{Memo, Remembered};
use crate::{Enfa, Language, LexicalMap, Stopped, TerminalId, Ticker};

/// Makes ε-NFAs of one language.
pub(crate) struct Lexical {
    pub(crate) language: Arc<Language>,
    map: LexicalMap,
    fragments: FragmentLexer,
    exact: ExactLexer,
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
        Ok(Self {
            fragments: FragmentLexer::new(Arc::clone(&language), map),
            exact: ExactLexer::new(Arc::clone(&language), limits)?,
            map,
            language,
            memo: remember.then(Memo::default),
            stopwatch: Stopwatch::default(),
        })
    }

    /// Empties the memo.
    pub(crate) fn forget(&mut self) {
        if let Some(memo) = &mut self.memo {
            *memo = Memo::default();
        }
    }

    /// Fragments asked of the memo so far, and how many it knew.
    pub(crate) fn memo_use(&self) -> (u64, u64) {
        let lexings = self.memo.as_ref().map(|memo| &memo.lexings);
        lexings.map_or((0, 0), |lexings| (lexings.lookups, lexings.hits))
    }

    pub(crate) fn enfa(
        &mut self,
        pattern: &Pattern,
        stop: &dyn Fn() -> bool,
    ) -> Result<Enfa, Stopped> {
        let started = self.stopwatch.start();
        let enfa = self.lexed(pattern, stop);
        self.stopwatch.stop(started);
        enfa
    }

    fn lexed(&mut self, pattern: &Pattern, stop: &dyn Fn() -> bool) -> Result<Enfa, Stopped> {
        let pattern = &joined(pattern);
        let mut ticker = Ticker::new(stop);
        if self.map == LexicalMap::Exact {
            return self.exact.enfa(pattern, &mut ticker);
        }
        let mut lexing = Ticker::new(stop);
        let (language, fragments) = (&*self.language, &mut self.fragments);
        match &mut self.memo {
            None => {
                let mut lex =
                    |text: &[u8], ends: Ends| Ok(fragments.lex(text, ends, &mut lexing)?.into());
                let mut joins = Unremembered(language);
                completion(pattern, language, &mut joins, &mut lex, &mut ticker)
            }
            Some(memo) => {
                memo.empty_if_full();
                let Memo { lexings, joined } = memo;
                let mut lex = |text: &[u8], ends: Ends| {
                    lexings.get(text, ends, || fragments.lex(text, ends, &mut lexing))
                };
                let mut joins = Remembered { language, joined };
                completion(pattern, language, &mut joins, &mut lex, &mut ticker)
            }
        }
    }

    pub(crate) fn witness(
        &mut self,
        pattern: &Pattern,
        terminals: &[TerminalId],
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Witness>, Stopped> {
        self.exact
            .witness(pattern, terminals, &mut Ticker::new(stop))
    }
}

/// Neighbouring texts are one fragment.
fn joined(pattern: &Pattern) -> Pattern {
    Pattern::with_open_tail(pattern.segments.iter().cloned())
}
