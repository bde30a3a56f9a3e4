//! What waits for nonterminals, by the state that each becomes behind one.
//!
//! A state of the parser is reached by one symbol. So where a nonterminal is complete, the
//! states that may follow are known, and of each the origins from which it does: where
//! something waits that began there itself, as bits, and where something waits that began
//! before, one by one.
//!
//! Cost: a bit or an entry for each symbol that a state at a boundary waits for.

use super::spans::set;
use crate::cfg::NonterminalId;
use crate::lr::StateId;

/// What waits.
#[derive(Default)]
pub(super) struct Waits {
    /// By state, as far as known.
    by_state: Vec<Waiting>,
    /// By nonterminal, the states that follow it.
    behind: Vec<Vec<StateId>>,
}

/// What becomes of one state behind its nonterminal.
#[derive(Clone, Default)]
pub(super) struct Waiting {
    is_known: bool,
    /// The origins where what waits began there itself.
    pub here: Vec<u64>,
    /// Origins, ascending, and what waits there: its place among all that is known.
    pub before: Vec<(u32, u32)>,
}

impl Waiting {
    /// Those entries of [`before`](Self::before) whose origins lie in a range.
    pub fn before_in(&self, origins: std::ops::Range<u32>) -> &[(u32, u32)] {
        let place = |origin| self.before.partition_point(|&(known, _)| known < origin);
        &self.before[place(origins.start)..place(origins.end)]
    }
}

impl Waits {
    /// The states that may follow a nonterminal.
    pub fn behind(&self, nonterminal: NonterminalId) -> &[StateId] {
        let states = self.behind.get(nonterminal as usize);
        states.map_or(&[], Vec::as_slice)
    }

    /// What becomes of a state.
    pub fn of(&self, state: StateId) -> &Waiting {
        &self.by_state[state as usize]
    }

    /// Takes note that what begins at an origin waits there.
    pub fn add_here(&mut self, origin: u32, nonterminal: NonterminalId, target: StateId) {
        let here = &mut self.target(nonterminal, target).here;
        let words = origin as usize / 64 + 1;
        if here.len() < words {
            here.resize(words, 0);
        }
        set(here, origin);
    }

    /// Takes note that what is known waits at an origin, higher than those before.
    pub fn add_before(
        &mut self,
        origin: u32,
        known: u32,
        nonterminal: NonterminalId,
        target: StateId,
    ) {
        let before = &mut self.target(nonterminal, target).before;
        before.push((origin, known));
    }

    fn target(&mut self, nonterminal: NonterminalId, target: StateId) -> &mut Waiting {
        let (behind, at) = (nonterminal as usize, target as usize);
        if at >= self.by_state.len() {
            self.by_state.resize(at + 1, Waiting::default());
        }
        if behind >= self.behind.len() {
            self.behind.resize(behind + 1, Vec::new());
        }
        let waiting = &mut self.by_state[at];
        if !std::mem::replace(&mut waiting.is_known, true) {
            self.behind[behind].push(target);
        }
        waiting
    }
}
