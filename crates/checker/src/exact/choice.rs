//! Which tokens are looked at in masked cells.
//!
//! One filling is enough for a yes, and most tokens do what others do. So a witness is first
//! looked for among few ([`PlainTokens`]): where a grammar has many terminals, among whole
//! lexemes, and any token in those gaps only near which nothing goes on with these
//! ([`CompletionGraph::widen_near`]); then among a few tokens, and among more of them if the
//! vocabulary is large. Only what all tokens allow is the answer where there is no witness.

use std::sync::Arc;

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::{Lexer, MemoUse, PlainTokens, Spanner, Vocabulary};

use super::Exact;
use crate::Pattern;
use crate::gap_reach::GapReaches;
use crate::graph::{CompletionGraph, Wider};

/// How many times as many plain tokens there are when a few have not been enough.
const MORE_TOKENS: usize = 6;

/// How many tokens write whole lexemes.
const LEXEMES: usize = 110;

/// The tokens that are looked at, and those that may be.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    /// What is looked at now: all, as a rule.
    pub spanner: Option<Spanner>,
    /// What is not, in order.
    others: [Option<Spanner>; 3],
    /// Where whole lexemes are looked at, the gaps in which any token is.
    wide: Option<Vec<bool>>,
}

/// Fewer tokens than all, the place of these among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fewer {
    /// Whole lexemes; any token where these are not enough.
    Lexemes,
    /// A few.
    Few,
    /// Some more.
    More,
}

impl Choice {
    /// Of all tokens, those that stand for others left out; `is_large` says whether there are
    /// many.
    pub fn new(lexer: &Lexer, all: Arc<Vocabulary>, few: usize, is_large: bool) -> Self {
        let plain = PlainTokens::new(lexer, &all);
        let more = is_large.then_some(MORE_TOKENS * few);
        let others = match SHORTCUTS {
            true => [
                plain.lexemes(LEXEMES),
                plain.vocabulary(few),
                more.and_then(|more| plain.vocabulary(more)),
            ],
            false => [None, plain.vocabulary(few), None],
        };
        Self {
            others: others.map(|tokens| tokens.map(|tokens| Spanner::new(Arc::new(tokens)))),
            spanner: Some(Spanner::new(all)),
            wide: None,
        }
    }

    /// The graph of a pattern in which these stand.
    pub fn graph<'a>(
        &'a mut self,
        pattern: &'a Pattern,
        lexer: &'a Lexer,
        reaches: &'a mut GapReaches,
    ) -> CompletionGraph<'a> {
        // While whole lexemes are looked at, all tokens have their place.
        let all = self.others[Fewer::Lexemes as usize].as_mut();
        let wider = all.zip(self.wide.as_mut());
        let wider = wider.map(|(spanner, gaps)| Wider { spanner, gaps });
        CompletionGraph::new(pattern, lexer, self.spanner.as_mut(), reaches).with_wider(wider)
    }

    /// How often their rows were asked for.
    pub fn memo_use(&self) -> MemoUse {
        let mut sum = MemoUse::default();
        for spanner in self.spanner.iter().chain(self.others.iter().flatten()) {
            sum += spanner.memo_use();
        }
        sum
    }

    /// Keeps the rows of each within a bound; whether those of all tokens were forgotten.
    pub fn forget(&mut self, bound: usize) -> bool {
        let forget = |spanner: &mut Spanner| {
            let is_over = spanner.entry_count() > bound;
            if is_over {
                spanner.clear();
            }
            is_over
        };
        for spanner in self.others.iter_mut().flatten() {
            forget(spanner);
        }
        self.spanner.as_mut().is_some_and(forget)
    }

    fn exchange(&mut self, fewer: Fewer) {
        std::mem::swap(&mut self.spanner, &mut self.others[fewer as usize]);
    }
}

impl Exact {
    /// What is found where none but some tokens stand in cells; `None` if all do.
    pub(super) fn among<T>(&mut self, fewer: Fewer, ask: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.choice.others[fewer as usize].as_ref()?;
        self.choice.exchange(fewer);
        self.choice.wide = (fewer == Fewer::Lexemes).then(Vec::new);
        let found = ask(self);
        self.choice.wide = None;
        self.choice.exchange(fewer);
        Some(found)
    }
}
