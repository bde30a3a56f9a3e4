//! The exact tiers for grammars that are not regular: search, look ahead, parse.
//!
//! In the order of their cost: a short [`search`](crate::search) for a witness; where gaps are few,
//! a very short parse in which they have any length, and a longer search; where gaps are long, the
//! same with shorter ones, and a parse in which these alone have any length (`long_gaps`); the
//! regular cover over the completion graph ([`lookahead`](crate::lookahead)), which refuses, or
//! leaves a smaller graph; of that, a few columns for each node ([`beam`](crate::beam); a long tail is left open for
//! it at first ([`open_end`]), or cut short), and a chart of bits over it
//! ([`useful`](crate::useful)), which comes first where boundaries are few. Before a large one come
//! what is sooner tried: a small one, more columns, a longer search, and a parse in which gaps have
//! any length, which refuses, or says which terminals to write in the cells (`fit`, `respell`).
//! Each is sound in what it answers; only the chart answers everything, within its budget.
//!
//! Gaps of any length are parsed at once if that is little work; else the last completion
//! is mended (`recent`), the nearest states are parsed alone (`nearest`; after a beam, where
//! lexemes owe something to what follows them), short lexemes are searched for (`sketch`; one for
//! each of many gaps after a beam), and the look ahead, a beam and a full parse come as above. The
//! grammar engine alone goes without those three.
//!
//! A witness is first looked for among fewer tokens than all ([`choice`]): there are fewer
//! places to look at then.
//!
//! All of them work on the same interned sets, kept from check to check up to a bound.

use std::sync::Arc;

use lacuna_lexer::{Representatives, Stopwatch, Vocabulary};

use crate::CheckerLimits;
use crate::Witness;
use crate::cfg::Cfg;
use crate::chart::Chart;
use crate::compiled::Compiled;
use crate::gap_reach::GapReaches;
use crate::memo_use::MemoUses;
use crate::tables::SharedTables;

mod bounds;
mod choice;
#[cfg(feature = "shortcuts")]
mod long_gaps;
mod memos;
#[cfg(feature = "shortcuts")]
mod nearest;
mod open_end;
mod questions;
#[cfg(feature = "shortcuts")]
mod recent;
#[cfg(feature = "shortcuts")]
mod sketch;
mod tiers;
#[cfg(feature = "shortcuts")]
mod widened;

use choice::Choice;
use memos::Memos;
#[cfg(feature = "shortcuts")]
use nearest::Nearest;
#[cfg(feature = "shortcuts")]
use recent::Recent;
#[cfg(feature = "shortcuts")]
pub(crate) use sketch::Sketch;
pub(crate) use tiers::is_searched_longer;

/// States of a lexer up to which classes of tokens are looked for.
const MAX_CLASSED_STATES: usize = 20_000;

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

/// A witness, or the segment behind which nothing goes on, where that is known.
type Sought = Result<Witness, Option<u32>>;

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
    tables: SharedTables,
    vocabulary: Option<Arc<Vocabulary>>,
    /// Where tokens stand for others.
    representatives: Option<Arc<Representatives>>,
    memos: Memos,
    reaches: GapReaches,
    choice: Choice,
    /// Of short lexemes; made when gaps of any length ask for it.
    #[cfg(feature = "shortcuts")]
    sketch: Option<Box<Sketch>>,
    /// Of gaps of any length too; made when they ask for it.
    #[cfg(feature = "shortcuts")]
    nearest: Option<Box<Nearest>>,
    /// What forgotten memos were used for.
    past: MemoUses,
    /// For gaps of any length, for gaps that count cells, and for what is mended.
    charts: [Chart; 3],
    /// Of gaps of any length.
    #[cfg(feature = "shortcuts")]
    recent: Option<Recent>,
    /// The rank behind which nothing mattered to the last no, where that is known.
    #[cfg(feature = "shortcuts")]
    pub(crate) refused_within: Option<u32>,
    /// Items of all parses.
    pub(crate) parsed: usize,
    limits: CheckerLimits,
}

impl Exact {
    pub(crate) fn new(
        cfg: Arc<Cfg>,
        tables: SharedTables,
        vocabulary: Option<Arc<Vocabulary>>,
        limits: CheckerLimits,
    ) -> Self {
        Self {
            memos: Memos::new(&cfg, &tables),
            reaches: GapReaches::default(),
            choice: Choice::default(),
            #[cfg(feature = "shortcuts")]
            sketch: None,
            #[cfg(feature = "shortcuts")]
            nearest: None,
            representatives: None,
            past: MemoUses::default(),
            charts: Default::default(),
            #[cfg(feature = "shortcuts")]
            recent: None,
            #[cfg(feature = "shortcuts")]
            refused_within: None,
            parsed: 0,
            cfg,
            tables,
            vocabulary,
            limits,
        }
    }

    /// Makes ready for gaps that count cells, if there is a vocabulary: finds its plain
    /// tokens, and of a large one the classes of tokens.
    pub(crate) fn count_cells(&mut self, compiled: &Compiled) {
        let is_ready = self.choice.spanner.is_some();
        let Some(vocabulary) = self.vocabulary.as_ref().filter(|_| !is_ready) else {
            return;
        };
        let is_large = vocabulary.len() >= self.limits.classes_from;
        let mut all = Arc::clone(vocabulary);
        if is_large {
            all = self.one_of_each(compiled).unwrap_or(all);
        }
        self.choice = Choice::new(&self.cfg.lexer, all, &self.limits, is_large);
    }

    /// One token of each class, if they are few enough to be told apart.
    fn one_of_each(&mut self, compiled: &Compiled) -> Option<Arc<Vocabulary>> {
        let (lexer, vocabulary) = (&self.cfg.lexer, self.vocabulary.as_ref()?);
        if lexer.core_count() > MAX_CLASSED_STATES {
            return None;
        }
        let known = compiled.representatives(lexer, vocabulary);
        let known = self.representatives.insert(known);
        Some(Arc::clone(known.vocabulary()))
    }

    /// Times from now on what finds lexemes in text and gaps.
    pub(crate) fn time_lexing(&mut self, clock: fn() -> f64) {
        self.reaches.stopwatch = Stopwatch::sampling(clock);
    }

    /// Milliseconds that finding lexemes has taken since it is timed.
    pub(crate) fn lexing_ms(&self) -> f64 {
        self.reaches.stopwatch.ms()
    }

    /// How often the memos were asked.
    pub(crate) fn memo_uses(&self) -> MemoUses {
        let mut uses = self.past + self.memos.uses();
        uses.lexing += self.choice.memo_use();
        uses
    }

    /// Keeps the memory within its bound.
    pub(super) fn forget(&mut self) {
        let bound = self.limits.memo_members;
        if self.choice.forget(bound) {
            self.charts.iter_mut().for_each(Chart::clear);
        }
        #[cfg(feature = "shortcuts")]
        let sketched = self.sketch.as_deref().map_or(0, Sketch::size);
        #[cfg(not(feature = "shortcuts"))]
        let sketched = 0;
        if self.memos.size() + sketched > bound {
            #[cfg(feature = "shortcuts")]
            {
                self.sketch = None;
            }
            self.past = self.past + self.memos.uses();
            self.memos = Memos::new(&self.cfg, &self.tables);
            self.charts.iter_mut().for_each(Chart::clear);
        }
    }
}
