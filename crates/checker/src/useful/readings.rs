//! What the states at a boundary read: kept from chart to chart, for lists of states.
//!
//! Many boundaries predict the same states, and many have the same states under way, in one
//! text and in the next. What a list of states reads is found once.
//!
//! Cost: a place for each symbol that the states of a list can read; then a search among the
//! symbols for each question.

use std::sync::Arc;

use lacuna_lexer::SortFew;
use lacuna_lexer::{key, keys_of};
use rustc_hash::FxHashMap;

use super::waits::{self, SymbolId};
use crate::cfg::Cfg;
use crate::lr::{State, StateId};
use crate::sets::StateSets;

/// Index of a list of states.
pub(super) type ReadingId = u32;

/// A state that reads a symbol: its place in its list, and the state behind. In a [`key`] the
/// symbol comes before them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader {
    pub place: u32,
    pub target: StateId,
}

impl From<u128> for Reader {
    fn from(key: u128) -> Self {
        Self {
            place: (key >> 32) as u32,
            target: key as StateId,
        }
    }
}

/// What lists of states read. All numbers in it refer to the same sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readings {
    /// The grammar's states with all symbols listed, as they are asked for.
    states: Vec<Option<Arc<State>>>,
    /// By list, what is read, by symbol ([`Reader`]).
    all: Vec<Vec<u128>>,
    ids: FxHashMap<Box<[StateId]>, ReadingId>,
    size: usize,
}

impl Readings {
    /// A state with all symbols listed.
    pub fn state(&mut self, cfg: &Cfg, sets: &mut StateSets, state: StateId) -> &State {
        let at = state as usize;
        if at >= self.states.len() {
            self.states.resize(at + 1, None);
        }
        self.states[at].get_or_insert_with(|| sets.listed_state(cfg, state))
    }

    /// The number of a list of states.
    pub(super) fn id(&mut self, cfg: &Cfg, sets: &mut StateSets, states: &[StateId]) -> ReadingId {
        if let Some(&known) = self.ids.get(states) {
            return known;
        }
        let mut keys = Vec::new();
        for (place, &state) in (0..).zip(states) {
            let state = self.state(cfg, sets, state);
            for &(terminal, target) in &state.terminals {
                keys.push(key([0, waits::terminal(terminal), place, target]));
            }
            for &(nonterminal, target) in &state.nonterminals {
                keys.push(key([0, waits::nonterminal(nonterminal), place, target]));
            }
        }
        keys.sort_few();
        self.size += states.len() + 2 * keys.len();
        let id = self.all.len() as ReadingId;
        self.ids.insert(states.into(), id);
        self.all.push(keys);
        id
    }

    /// What reads a symbol in a list.
    pub(super) fn readers(&self, id: ReadingId, symbol: SymbolId) -> &[u128] {
        keys_of(&self.all[id as usize], [0, symbol])
    }

    /// How many readers a list has.
    pub(super) fn len(&self, id: ReadingId) -> usize {
        self.all[id as usize].len()
    }

    /// Words of all lists, about.
    pub fn size(&self) -> usize {
        self.size
    }
}
