//! What may begin at a boundary: states that are predicted together.
//!
//! Many boundaries predict the same states, and what these read is found once.
//!
//! Cost: a place for each symbol that the states of a set can read.

use lacuna_lexer::{TerminalId, key, keys_of};
use rustc_hash::FxHashMap;

use super::forward::Parser;
use super::places::NONE;
use crate::cfg::NonterminalId;
use crate::lr::StateId;

/// Index of a set of states that begin together.
pub(super) type BeginningId = u32;

/// States that begin together.
#[derive(Clone, Debug)]
struct Beginning {
    /// What is read, by terminal ([`Reader`]).
    reads: Box<[u128]>,
    /// Where nonterminals lead.
    waits: Box<[(NonterminalId, StateId)]>,
}

/// A state that reads a terminal: its place among all that is known, [`NONE`] if it begins
/// there itself, and the state behind. In a [`key`] the terminal comes before them.
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

/// The sets of states that begin together.
#[derive(Default)]
pub(super) struct Beginnings {
    all: Vec<Beginning>,
    ids: FxHashMap<Box<[StateId]>, BeginningId>,
}

impl Beginnings {
    /// The number of a set of states, ascending.
    pub fn id(&mut self, parser: &mut Parser<'_>, states: Vec<StateId>) -> BeginningId {
        if let Some(&known) = self.ids.get(states.as_slice()) {
            return known;
        }
        let (mut reads, mut waits) = (Vec::new(), Vec::new());
        for &state in &states {
            let state = parser.state(state);
            waits.extend_from_slice(&state.nonterminals);
            for &(terminal, target) in &state.terminals {
                reads.push(key([0, terminal, NONE, target]));
            }
        }
        reads.sort_unstable();
        let id = self.all.len() as BeginningId;
        self.ids.insert(states.into(), id);
        self.all.push(Beginning {
            reads: reads.into(),
            waits: waits.into(),
        });
        id
    }

    /// What reads a terminal in a set.
    pub fn reads(&self, id: BeginningId, terminal: TerminalId) -> &[u128] {
        keys_of(&self.all[id as usize].reads, [0, terminal])
    }

    /// Where nonterminals lead from a set.
    pub fn waits(&self, id: BeginningId) -> &[(NonterminalId, StateId)] {
        &self.all[id as usize].waits
    }
}
