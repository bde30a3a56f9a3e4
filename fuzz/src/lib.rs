//! What each fuzz target does with an input, and the oracle that judges it.
//!
//! The same functions run over the seeds and the findings of the past in the
//! ordinary tests (`crates/checker/tests/fuzz_regressions.rs`), so nothing here
//! knows libFuzzer. Inputs are text, parts separated by a line of three hyphens,
//! so that seeds can be read and written by hand.

mod checking;
mod front_ends;
mod input;
mod lexing;
mod slots;

pub use checking::{budget, checker};
pub use front_ends::{gbnf, json_schema, lark, regex};
pub use lexing::lexer;
pub use slots::slots;
