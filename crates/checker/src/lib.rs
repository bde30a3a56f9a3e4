//! Decides whether a canvas with gaps can still become a sentence of a grammar.
//!
//! [`Checker::check`] answers a [`Pattern`] (text, gaps, perhaps an open tail)
//! with a [`Verdict`]: completable, together with a [`Witness`] that fills every
//! gap; impossible, only if no filling exists; or exhausted, when a budget ran
//! out first. Gaps are either *any* (any bytes) or exactly so many cells, each
//! of which becomes one token of a vocabulary.
//!
//! Several tiers answer, cheapest first:
//! 1. `regular`: of a regular grammar its automaton decides, and this is the end;
//! 2. `search`: a guided search for one path through the *completion graph*
//!    (`graph`), its lexemes parsed by interned Earley `columns`, says yes with a
//!    witness, or no where nothing is left to try;
//! 3. `regular` automata that hold at most or at least the language, recursion unrolled a
//!    few levels (`unroll`), say yes or no;
//! 4. `lookahead`: a regular `cover` of the parser over that graph says no, or
//!    leaves a smaller graph. In that, a few columns for each node (`beam`) say yes, and the
//!    search is made again;
//! 5. a parse in which gaps may have any length (`chart`, Earley's on `sets` of LR(0)
//!    states (`lr`), on the productions' networks (`cfg`)) says no, or yes where its
//!    witness can be made to fit the cells;
//! 6. an exact chart of the graph, of parser states with sets of origins as bits (`useful`).
//!
//! [`Checker::masks`] tells for every masked cell which tokens keep a canvas
//! completable: that chart is gone through backwards.
//!
//! [`Checker::best`] gives the completion that weighs most under a model's
//! probabilities, from places paired with columns ([`Weights`], `weighted`).
//!
//! This crate does no I/O and reads no clock but one that is handed over to time lexing; budgets
//! count work.

mod any_length;
mod at_place;
#[cfg_attr(
    not(feature = "shortcuts"),
    expect(dead_code, reason = "charts do instead")
)]
mod beam;
mod best;
mod bounds;
mod canvas;
mod cells;
mod cfg;
mod chart;
mod checker;
mod columns;
mod compiled;
mod cover;
mod derivation;
mod dots;
mod exact;
#[cfg(feature = "shortcuts")]
mod fit;
mod gap_group;
mod gap_reach;
mod graph;
mod guide;
#[cfg(feature = "shortcuts")]
mod judged;
#[cfg(feature = "shortcuts")]
mod judged_pattern;
mod landings;
#[cfg(feature = "shortcuts")]
mod likely;
mod limits;
mod look;
mod lookahead;
mod lr;
mod many_items;
mod masks;
mod memo_use;
mod node_sets;
mod normalize;
mod optimum;
mod packed;
mod pattern;
mod regular;
#[cfg(feature = "shortcuts")]
mod respell;
mod scratch_set;
mod search;
mod sets;
mod sweep;
mod tables;
mod tidy;
mod unroll;
mod useful;
mod verdict;
mod weighted;
#[cfg(feature = "shortcuts")]
mod widening;
mod witness;

pub use best::{Best, Weights};
pub use canvas::{Ahead, CanvasVerdict, HEEDED_TOKENS};
pub use checker::Checker;
pub use compiled::{Compiled, Statistics};
#[cfg(feature = "shortcuts")]
pub use judged::{Judge, Judgement};
/// Times lexing, for a caller that wants to know.
pub use lacuna_lexer::Stopwatch;
pub use limits::{CheckerLimits, ContextLimits};
pub use masks::Masks;
pub use memo_use::MemoUses;
pub use pattern::{Gap, Pattern, Segment};
pub use verdict::{Budget, Filling, Tier, Verdict, Witness};
