//! Which terminals can still come next, for every state of a lexer.
//!
//! Found backwards from where lexemes finish: over bytes, and over the ends of
//! ignored lexemes, until nothing is new. Equal answers are kept once. Cost: a union of
//! sets for every way into a state, as often as the state's set grows; mostly once.

use lacuna_grammar::automaton::Grouped;
use rustc_hash::FxHashMap;

use crate::{BitSet, Finish, LexerState};

/// For each state, the terminals that the next lexeme that is not ignored may
/// have; behind them, whether nothing but ignored lexemes need follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alive {
    pub set_of: Vec<u32>,
    pub sets: Vec<BitSet>,
}

impl Alive {
    pub(crate) fn new(
        moves: &Grouped<(u8, LexerState)>,
        finishes: &Grouped<Finish>,
        ends: &[bool],
        terminal_count: usize,
    ) -> Self {
        let mut alive: Vec<BitSet> = Vec::with_capacity(ends.len());
        for (finishes, &end) in finishes.each().zip(ends) {
            let mut found = BitSet::new(terminal_count + 1);
            let terminals = finishes.iter().filter_map(|finish| finish.terminal);
            for terminal in terminals.map(|terminal| terminal as usize) {
                found.insert(terminal);
            }
            if end {
                found.insert(terminal_count);
            }
            alive.push(found);
        }
        let mut before: Vec<Vec<LexerState>> = vec![Vec::new(); ends.len()];
        for (state, (moves, finishes)) in (0..).zip(moves.each().zip(finishes.each())) {
            let ignored = finishes.iter().filter(|finish| finish.terminal.is_none());
            let leads = moves.iter().map(|&(_, next)| next);
            for next in leads.chain(ignored.map(|finish| finish.to)) {
                before[next as usize].push(state);
            }
        }
        // Bytes mostly lead to states that were found later.
        let mut open: Vec<LexerState> = (0..ends.len() as LexerState).collect();
        while let Some(state) = open.pop() {
            let found = std::mem::take(&mut alive[state as usize]);
            for &earlier in &before[state as usize] {
                if earlier != state && alive[earlier as usize].union_with(&found) {
                    open.push(earlier);
                }
            }
            alive[state as usize] = found;
        }
        Self::of(alive)
    }

    /// Of the sets of all states.
    pub(crate) fn of(alive: Vec<BitSet>) -> Self {
        let mut ids: FxHashMap<BitSet, u32> = FxHashMap::default();
        let mut sets = Vec::new();
        let places = alive.into_iter().map(|found| {
            *ids.entry(found).or_insert_with_key(|found| {
                sets.push(found.clone());
                sets.len() as u32 - 1
            })
        });
        Self {
            set_of: places.collect(),
            sets,
        }
    }

    pub(crate) fn contains(&self, state: LexerState, terminal: usize) -> bool {
        self.sets[self.set_of[state as usize] as usize].contains(terminal)
    }

    /// The number of a state's set, below [`count`](Self::count).
    pub(crate) fn set_of(&self, state: LexerState) -> u32 {
        self.set_of[state as usize]
    }

    /// Number of different sets.
    pub(crate) fn count(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let set = |set: &BitSet| set.heap_bytes() + size_of::<BitSet>();
        size_of_val(self.set_of.as_slice()) + self.sets.iter().map(set).sum::<usize>()
    }
}
