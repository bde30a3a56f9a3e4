//! The integration tests in one program: each more takes seconds to link.

mod any_gaps;
mod brute_force;
mod budget;
mod front_ends;
mod fuzz_regressions;
mod incremental;
mod interleave;
#[cfg(feature = "shortcuts")]
mod judged;
mod long_masks;
// Whoever keeps compiled grammars has all that saves time.
#[cfg(feature = "shortcuts")]
mod packed;
mod shared_tables;
mod support;
