//! The exact tiers for grammars that are not regular: search, look ahead, parse.
//!
//! In the order of their cost: a short [`search`](crate::search) for a witness; the
//! regular cover over the completion graph ([`lookahead`](crate::lookahead)), which
//! refuses, or leaves a smaller graph; of that, a few columns for each node
//! ([`beam`](crate::beam); a long tail is left open for it at first ([`open_end`]), or cut
//! short), and a chart of bits over it ([`useful`](crate::useful)), which comes first where
//! boundaries are few. Before a large one come what is sooner tried: a small one, more
//! columns, a longer search, and a parse in which gaps have any length, which refuses, or says
//! which terminals to write in the cells (`fit`, `respell`). Each is sound in what it answers;
//! only the chart answers everything, within its budget.
//!
//! Gaps of any length are parsed at once if that is little work; else the last completion
//! is mended ([`recent`]), short lexemes are searched for ([`sketch`]), and the look ahead,
//! a beam and a full parse come as above.
//!
//! A witness is first looked for among a few tokens of the vocabulary, and then among more of
//! them if it is large ([`PlainTokens`]): there are fewer places to look at then.
//!
//! All of them work on the same interned sets, kept from check to check up to a bound.

use std::sync::Arc;

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::{PlainTokens, Representatives, Spanner, Stopwatch, Vocabulary};

use crate::Witness;
use crate::cfg::Cfg;
use crate::chart::Chart;
use crate::checker::CheckerLimits;
use crate::compiled::Compiled;
use crate::gap_reach::GapReaches;
use crate::memo_use::MemoUses;

mod bounds;
mod memos;
mod open_end;
mod questions;
mod recent;
mod sketch;
mod tiers;

use memos::Memos;
use recent::Recent;
use sketch::Sketch;

/// States of a lexer up to which classes of tokens are looked for.
const MAX_CLASSED_STATES: usize = 20_000;

/// How many times as many plain tokens there are when a few have not been enough.
const MORE_TOKENS: usize = 6;

/// How soon a first search is to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    /// Where there is another way to go on.
    Much,
    /// Where what comes next takes longer.
    Some,
}

/// What the exact tiers say.
pub(crate) enum Decision {
    /// Yes, for instance so.
    Completable(Witness),
    /// No filling exists.
    Impossible,
    /// The budget was not enough.
    Exhausted,
}

impl Decision {
    fn witness(self) -> Option<Witness> {
        match self {
            Self::Completable(witness) => Some(witness),
            Self::Impossible | Self::Exhausted => None,
        }
    }
}

/// The exact tiers of one grammar, with memos.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    cfg: Arc<Cfg>,
    vocabulary: Option<Arc<Vocabulary>>,
    /// If tokens stand for others.
    representatives: Option<Arc<Representatives>>,
    memos: Memos,
    reaches: GapReaches,
    spanner: Option<Spanner>,
    /// Of plain tokens, which witnesses are first looked for among, if these are few.
    few: Option<Spanner>,
    /// Of more of them, where the vocabulary is large.
    more: Option<Spanner>,
    /// Of short lexemes; made when gaps of any length ask for it.
    sketch: Option<Box<Sketch>>,
    /// What forgotten memos were used for.
    past: MemoUses,
    /// For gaps of any length, for gaps that count cells, and for what is mended.
    charts: [Chart; 3],
    /// Of gaps of any length.
    recent: Option<Recent>,
    /// Items of all parses.
    pub(crate) parsed: usize,
    limits: CheckerLimits,
}

impl Exact {
    pub(crate) fn new(
        cfg: Arc<Cfg>,
        vocabulary: Option<Arc<Vocabulary>>,
        limits: CheckerLimits,
    ) -> Self {
        Self {
            memos: Memos::new(&cfg),
            reaches: GapReaches::default(),
            spanner: None,
            few: None,
            more: None,
            sketch: None,
            representatives: None,
            past: MemoUses::default(),
            charts: Default::default(),
            recent: None,
            parsed: 0,
            cfg,
            vocabulary,
            limits,
        }
    }

    /// Makes ready for gaps that count cells, if there is a vocabulary: finds its plain
    /// tokens, and of a large one the classes of tokens.
    pub(crate) fn count_cells(&mut self, compiled: &Compiled) {
        let Some(vocabulary) = self.vocabulary.as_ref().filter(|_| self.spanner.is_none()) else {
            return;
        };
        let lexer = &self.cfg.lexer;
        let is_large = vocabulary.len() >= self.limits.classes_from;
        let mut all = Arc::clone(vocabulary);
        if is_large && lexer.state_count() <= MAX_CLASSED_STATES {
            let known = compiled.representatives(lexer, vocabulary);
            all = Arc::clone(known.vocabulary());
            self.representatives = Some(known);
        }
        let plain = PlainTokens::new(lexer, &all);
        let few = self.limits.few_tokens;
        let spanner = |plain| Spanner::new(Arc::new(plain));
        self.few = plain.vocabulary(few).map(spanner);
        if SHORTCUTS && is_large {
            self.more = plain.vocabulary(MORE_TOKENS * few).map(spanner);
        }
        self.spanner = Some(Spanner::new(all));
    }

    /// Times from now on what finds lexemes in text and gaps.
    pub(crate) fn time_lexing(&mut self, clock: fn() -> f64) {
        self.reaches.stopwatch = Stopwatch::by(clock);
    }

    /// Milliseconds that finding lexemes has taken since it is timed.
    pub(crate) fn lexing_ms(&self) -> f64 {
        self.reaches.stopwatch.ms()
    }

    /// How often the memos were asked.
    pub(crate) fn memo_uses(&self) -> MemoUses {
        let mut uses = self.past + self.memos.uses();
        for spanner in [&self.spanner, &self.few, &self.more].into_iter().flatten() {
            uses.lexing += spanner.memo_use();
        }
        uses
    }

    /// What is found where none but a few tokens stand in cells; `None` if all do.
    pub(super) fn among_few<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.few.as_ref()?;
        std::mem::swap(&mut self.spanner, &mut self.few);
        let found = ask(self);
        std::mem::swap(&mut self.spanner, &mut self.few);
        Some(found)
    }

    /// The same with more of them; `None` if there are not.
    pub(super) fn among_more<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.more.as_ref()?;
        std::mem::swap(&mut self.spanner, &mut self.more);
        let found = ask(self);
        std::mem::swap(&mut self.spanner, &mut self.more);
        Some(found)
    }

    /// Keeps the memory within its bound.
    pub(super) fn forget(&mut self) {
        let bound = self.limits.memo_members;
        for few in [&mut self.few, &mut self.more].into_iter().flatten() {
            if few.entry_count() > bound {
                few.clear();
            }
        }
        if let Some(spanner) = &mut self.spanner
            && spanner.entry_count() > bound
        {
            spanner.clear();
            self.charts.iter_mut().for_each(Chart::clear);
        }
        let sketched = self.sketch.as_deref().map_or(0, Sketch::size);
        if self.memos.size() + sketched > bound {
            self.sketch = None;
            self.past = self.past + self.memos.uses();
            self.memos = Memos::new(&self.cfg);
            self.charts.iter_mut().for_each(Chart::clear);
        }
    }
}
