//! What the parser's tables say of a grammar before any text, for all checkers of it.
//!
//! The states of the parser with sets of items forgotten ([outlines](crate::lr)), the
//! [cover](crate::cover) over them, the [guide](crate::guide)'s distances, and short lexemes with
//! theirs: no pattern has a part in them. Each is made when a checker first asks for it, and
//! the next begins with it. What fills with use is not shared, so what a checker finds does not
//! depend on others.
//!
//! Cost: what they cost once, and a copy of the states for each checker. The grammar engine alone
//! makes them anew, which takes less code.

#[cfg(not(feature = "shortcuts"))]
mod alone;
#[cfg(feature = "shortcuts")]
mod shared;

#[cfg(not(feature = "shortcuts"))]
pub(crate) use alone::{SharedTables, Tables};
#[cfg(feature = "shortcuts")]
pub(crate) use shared::{SharedTables, Tables};
