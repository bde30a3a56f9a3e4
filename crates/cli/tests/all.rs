//! The integration tests in one program: each more takes seconds to link.

mod cache;
mod check;
mod compile;
mod eval;
mod generate;
mod infill;
mod mask;
#[path = "../../model/tests/common/parted.rs"]
mod parted;
mod shards;
mod support;
mod token_terminals;
mod warnings;
