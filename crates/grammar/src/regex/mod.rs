//! Regular expressions, in two notations.
//!
//! [`parse`] takes the syntax of the `regex` crate (documented at
//! <https://docs.rs/regex-syntax>): Unicode throughout, counted repetition,
//! flags, properties of characters; the whole text must match, so a leading `^`
//! and a trailing `$` change nothing, and neither does whether a quantifier is
//! lazy. `docs/regex.md` lists it all.
//!
//! [`parse_ecma_search`] takes ECMA-262's syntax as the keyword `pattern` of
//! JSON Schema means it: the pattern must match somewhere in the text.
//!
//! Both refuse back-references by name, which are not regular; the first also what looks
//! around: look-ahead and look-behind, word boundaries, and `^` and `$` anywhere but at
//! the ends.

mod anchored;
mod ecma;
mod hir;
mod looking;

pub use ecma::parse_ecma_search;
pub(crate) use ecma::{Searched, search};
pub use hir::parse;
pub(crate) use hir::{PatternFlags, expression, read_hir};

/// Longest pattern that is read, in bytes.
pub const MAX_TEXT: usize = 1 << 20;
/// Deepest nesting of groups.
pub const MAX_NESTING: u32 = 128;
/// Largest number in `{m,n}`.
pub const MAX_REPETITION: u32 = 100_000;
