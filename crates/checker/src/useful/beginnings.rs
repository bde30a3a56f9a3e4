//! What may begin at a boundary: states that are predicted together.
//!
//! Many boundaries predict the same states, and what these read is found once.
//!
//! Cost: a place for each symbol that the states of a set can read.

use lacuna_lexer::SortFew;
use lacuna_lexer::{key, keys_of};
use rustc_hash::FxHashMap;

use super::forward::Parser;
use super::places::NONE;
use super::waits::{self, SymbolId};
use crate::lr::StateId;

/// Index of a set of states that begin together.
pub(super) type BeginningId = u32;

/// A state that reads a symbol: its place among all that is known, [`NONE`] if it begins
/// there itself, and the state behind. In a [`key`] the symbol comes before them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader {
    pub known: u32,
    pub target: StateId,
}

impl From<u128> for Reader {
    fn from(key: u128) -> Self {
        Self {
            known: (key >> 32) as u32,
            target: key as StateId,
        }
    }
}

/// The sets of states that begin together: what is read, by symbol ([`Reader`]).
#[derive(Default)]
pub(super) struct Beginnings {
    all: Vec<Vec<u128>>,
    ids: FxHashMap<Box<[StateId]>, BeginningId>,
}

impl Beginnings {
    /// The number of a set of states, ascending.
    pub fn id(&mut self, parser: &mut Parser<'_>, states: Vec<StateId>) -> BeginningId {
        if let Some(&known) = self.ids.get(states.as_slice()) {
            return known;
        }
        let mut reads = Vec::new();
        for &state in &states {
            parser.add_reads(state, NONE, &mut reads);
        }
        reads.sort_few();
        let id = self.all.len() as BeginningId;
        self.ids.insert(states.into(), id);
        self.all.push(reads);
        id
    }

    /// What reads a symbol in a set.
    pub fn reads(&self, id: BeginningId, symbol: SymbolId) -> &[u128] {
        keys_of(&self.all[id as usize], [0, symbol])
    }
}

impl Parser<'_> {
    /// Adds what a state reads, with the place where it is known.
    pub fn add_reads(&mut self, state: StateId, known: u32, reads: &mut Vec<u128>) {
        let state = self.state(state);
        for &(terminal, target) in &state.terminals {
            reads.push(key([0, waits::terminal(terminal), known, target]));
        }
        for &(nonterminal, target) in &state.nonterminals {
            reads.push(key([0, waits::nonterminal(nonterminal), known, target]));
        }
    }
}
