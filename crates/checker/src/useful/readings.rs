//! What the states at a boundary read: kept from chart to chart, for lists of states.
//!
//! Many boundaries predict the same states, and many have the same states under way, in one
//! text and in the next. What a list of states reads is found once.
//!
//! So is what becomes of one that reads a symbol, which has a number.
//!
//! Cost: a place for each way in which the states of a list can read a symbol, and the symbols in
//! order; then a search among them for each question.

use std::sync::Arc;

use lacuna_lexer::SortFew;
use rustc_hash::FxHashMap;

use super::places::NONE;
use super::waits::{self, SymbolId};
use crate::cfg::Cfg;
use crate::cover::CoverSetId;
use crate::lr::{State, StateId};
use crate::sets::StateSets;

/// Index of a list of states.
pub(super) type ReadingId = u32;

/// Number of a symbol and a state behind it.
pub(super) type MoveId = u32;

/// A state that reads a symbol: its place in its list, and what becomes of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reader {
    pub place: u32,
    pub becomes: MoveId,
}

/// A state with all symbols listed.
#[derive(Clone, Debug)]
struct Listed {
    state: Arc<State>,
    /// What it reads: each symbol, and the move.
    reads: Box<[(SymbolId, MoveId)]>,
}

/// What a list of states reads.
#[derive(Clone, Debug)]
struct Reading {
    /// The symbols, ascending, and behind which of the readers those of each end.
    symbols: Box<[SymbolId]>,
    ends: Box<[u32]>,
    readers: Box<[Reader]>,
}

/// What lists of states read. All numbers in it refer to the same sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readings {
    /// The grammar's states, as they are asked for.
    states: Vec<Option<Listed>>,
    /// By symbol, how many of a list read it, or where these begin; none between lists.
    counts: Vec<u32>,
    /// By list.
    all: Vec<Reading>,
    ids: FxHashMap<Box<[StateId]>, ReadingId>,
    /// The state behind each move.
    targets: Vec<StateId>,
    moves: FxHashMap<(SymbolId, StateId), MoveId>,
    /// By state, the symbols that lead to it, ascending, each with its move.
    before: Vec<Vec<(SymbolId, MoveId)>>,
    /// What begins behind a list where some states are asked for.
    begun: FxHashMap<(ReadingId, CoverSetId), ReadingId>,
    size: usize,
}

impl Readings {
    /// A state with all symbols listed.
    pub fn state(&mut self, cfg: &Cfg, sets: &mut StateSets, state: StateId) -> &State {
        &self.listed(cfg, sets, state).state
    }

    fn listed(&mut self, cfg: &Cfg, sets: &mut StateSets, id: StateId) -> &Listed {
        let at = id as usize;
        if at >= self.states.len() {
            self.states.resize_with(at + 1, || None);
        }
        let listed = self.states[at].take().unwrap_or_else(|| {
            let state = sets.listed_state(cfg, id);
            let terminals = state.terminals.iter();
            let terminals = terminals.map(|&(terminal, to)| (waits::terminal(terminal), to));
            let nonterminals = state.nonterminals.iter();
            let nonterminals = nonterminals.map(|&(it, to)| (waits::nonterminal(it), to));
            let all = terminals.chain(nonterminals);
            let reads: Box<[_]> = all
                .map(|(symbol, to)| (symbol, self.move_to(symbol, to)))
                .collect();
            self.size += 2 * reads.len();
            Listed { state, reads }
        });
        self.states[at].insert(listed)
    }

    /// The number of a list of states.
    pub(super) fn id(&mut self, cfg: &Cfg, sets: &mut StateSets, states: &[StateId]) -> ReadingId {
        if let Some(&known) = self.ids.get(states) {
            return known;
        }
        let mut symbols: Vec<SymbolId> = Vec::new();
        let mut counts = std::mem::take(&mut self.counts);
        for &state in states {
            self.listed(cfg, sets, state);
            for &(symbol, _) in self.reads(state) {
                let at = symbol as usize;
                if at >= counts.len() {
                    counts.resize(at + 1, 0);
                }
                if counts[at] == 0 {
                    symbols.push(symbol);
                }
                counts[at] += 1;
            }
        }
        symbols.sort_few();
        let mut ends = Vec::with_capacity(symbols.len());
        let mut end = 0;
        for &symbol in &symbols {
            let first = end;
            end += std::mem::replace(&mut counts[symbol as usize], first);
            ends.push(end);
        }
        self.size += states.len() + 2 * end as usize;
        let mut readers = vec![Reader::default(); end as usize];
        for (place, &state) in (0..).zip(states) {
            for &(symbol, becomes) in self.reads(state) {
                let at = &mut counts[symbol as usize];
                readers[*at as usize] = Reader { place, becomes };
                *at += 1;
            }
        }
        for &symbol in &symbols {
            counts[symbol as usize] = 0;
        }
        self.counts = counts;
        let id = self.all.len() as ReadingId;
        self.ids.insert(states.into(), id);
        self.all.push(Reading {
            readers: readers.into(),
            symbols: symbols.into(),
            ends: ends.into(),
        });
        id
    }

    fn reads(&self, state: StateId) -> &[(SymbolId, MoveId)] {
        let listed = self.states[state as usize].as_ref();
        listed.map_or(&[], |listed| &listed.reads)
    }

    fn move_to(&mut self, symbol: SymbolId, target: StateId) -> MoveId {
        if let Some(&known) = self.moves.get(&(symbol, target)) {
            return known;
        }
        let fresh = self.targets.len() as MoveId;
        self.moves.insert((symbol, target), fresh);
        self.targets.push(target);
        let at = target as usize;
        if at >= self.before.len() {
            self.before.resize_with(at + 1, Vec::new);
        }
        let before = &mut self.before[at];
        before.push((symbol, fresh));
        before.sort_few();
        self.size += 4;
        fresh
    }

    /// The number of moves known.
    pub(super) fn move_count(&self) -> usize {
        self.targets.len()
    }

    /// The state behind a move.
    pub(super) fn behind(&self, id: MoveId) -> StateId {
        self.targets[id as usize]
    }

    /// The symbols that lead to a state, each with its move.
    pub(super) fn before(&self, state: StateId) -> &[(SymbolId, MoveId)] {
        let before = self.before.get(state as usize);
        before.map_or(&[], |before| before)
    }

    /// What begins behind a list where some states are asked for, if that is known.
    pub(super) fn begun(&self, id: ReadingId, asks: Option<CoverSetId>) -> Option<ReadingId> {
        self.begun.get(&(id, asks.unwrap_or(NONE))).copied()
    }

    /// Takes note of it.
    pub(super) fn keep_begun(&mut self, id: ReadingId, asks: Option<CoverSetId>, begun: ReadingId) {
        self.size += 2;
        self.begun.insert((id, asks.unwrap_or(NONE)), begun);
    }

    /// What reads a symbol in a list.
    pub(super) fn readers(&self, id: ReadingId, symbol: SymbolId) -> &[Reader] {
        let reading = &self.all[id as usize];
        let Ok(at) = reading.symbols.binary_search(&symbol) else {
            return &[];
        };
        let first = at.checked_sub(1).map_or(0, |before| reading.ends[before]);
        &reading.readers[first as usize..reading.ends[at] as usize]
    }

    /// How many readers a list has.
    pub(super) fn len(&self, id: ReadingId) -> usize {
        self.all[id as usize].readers.len()
    }

    /// Words of all lists, about.
    pub fn size(&self) -> usize {
        self.size
    }
}
