//! Which terminals can stand next, by the terminal before.
//!
//! One automaton of all terminals tells apart what is in all of them at once, though hardly
//! any two of them ever begin at one place: some dozens of patterns that hold for long make
//! tens of thousands of states. Where it is known what can follow what, lexemes begin at one
//! boundary of several, each with the product of those terminals that can stand there.

use crate::TerminalId;

/// Sets of terminals that lexemes can begin with, a *context* each, and what leads to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contexts {
    /// The terminals of each context, in order. Texts begin in the first.
    pub sets: Vec<Vec<TerminalId>>,
    /// For each terminal, the context behind it.
    pub behind: Vec<u32>,
}

impl Contexts {
    /// One in which any of so many terminals can stand.
    pub fn any(terminals: usize) -> Self {
        Self {
            sets: vec![(0..terminals as TerminalId).collect()],
            behind: vec![0; terminals],
        }
    }
}
