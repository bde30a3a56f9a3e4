//! What may begin at a boundary: states that are predicted together.
//!
//! Many boundaries predict the same states, and what these read is found once.
//!
//! Cost: a place for each symbol that the states of a set can read.

use lacuna_lexer::TerminalId;
use rustc_hash::FxHashMap;

use super::forward::Parser;
use crate::cfg::NonterminalId;
use crate::lr::StateId;

/// Index of a set of states that begin together.
pub(super) type BeginningId = u32;

/// States that begin together.
#[derive(Clone, Debug)]
struct Beginning {
    /// Where terminals lead, by terminal.
    reads: Box<[(TerminalId, StateId)]>,
    /// Where nonterminals lead.
    waits: Box<[(NonterminalId, StateId)]>,
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
            reads.extend(state.terminals.iter().copied());
            waits.extend(state.nonterminals.iter().copied());
        }
        sort_by_symbol(&mut reads);
        let id = self.all.len() as BeginningId;
        self.ids.insert(states.into(), id);
        self.all.push(Beginning {
            reads: reads.into(),
            waits: waits.into(),
        });
        id
    }

    /// Where a terminal leads from a set.
    pub fn reads(&self, id: BeginningId, terminal: TerminalId) -> &[(TerminalId, StateId)] {
        of(&self.all[id as usize].reads, terminal)
    }

    /// Where nonterminals lead from a set.
    pub fn waits(&self, id: BeginningId) -> &[(NonterminalId, StateId)] {
        &self.all[id as usize].waits
    }
}

fn sort_by_symbol(all: &mut [(u32, StateId)]) {
    let mut keys: Vec<u128> = all
        .iter()
        .map(|&(symbol, state)| u128::from(symbol) << 64 | u128::from(state))
        .collect();
    keys.sort_unstable();
    for (entry, key) in all.iter_mut().zip(keys) {
        *entry = ((key >> 64) as u32, key as StateId);
    }
}

/// The entries of one symbol, among those of all, by symbol.
pub(super) fn of<T>(all: &[(u32, T)], symbol: u32) -> &[(u32, T)] {
    let begin = all.partition_point(|&(known, _)| known < symbol);
    let all = &all[begin..];
    &all[..all.partition_point(|&(known, _)| known == symbol)]
}
