//! Terminals: regular languages of lexemes, and what can be read of one when only
//! part of a lexeme is in sight.

use std::sync::Arc;

use lacuna_grammar::automaton::{Dfa, StateId};

/// Index of a terminal.
pub type TerminalId = u32;

/// How a text is cut into lexemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// The longest lexeme that any terminal matches, from the left; ties go to the
    /// terminal that comes first.
    Munch,
    /// Any segmentation counts.
    Free,
}

/// A terminal with what reading parts of its lexemes needs.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Its lexemes; not the empty text.
    pub language: Arc<Dfa>,
    /// Whether its lexemes are dropped.
    pub ignored: bool,
    /// For each state, the states that a byte leads to.
    successors: Vec<Box<[StateId]>>,
}

impl Terminal {
    /// A terminal of these lexemes.
    pub fn new(language: Arc<Dfa>, ignored: bool) -> Self {
        let successors = (0..language.state_count() as StateId).map(|state| {
            let ranges = language.byte_ranges(state).into_iter();
            let next = ranges.map(|(_, _, next)| next).collect();
            sorted(next).into_boxed_slice()
        });
        Self {
            successors: successors.collect(),
            language,
            ignored,
        }
    }

    /// Whether some lexeme goes on behind the state.
    pub fn extends(&self, state: StateId) -> bool {
        !self.successors[state as usize].is_empty()
    }

    /// The states in which a lexeme can be after at least one byte that is not in
    /// sight.
    pub fn inside(&self) -> Vec<StateId> {
        let start = self.language.start();
        self.anything(&self.successors[start as usize])
    }

    /// The states after one more byte.
    pub fn step(&self, states: &[StateId], byte: u8) -> Vec<StateId> {
        let next = states
            .iter()
            .filter_map(|&state| self.language.next(state, byte));
        sorted(next.collect())
    }

    /// Number of states.
    pub fn state_count(&self) -> usize {
        self.successors.len()
    }

    /// The states after any bytes, also none.
    pub fn anything(&self, states: &[StateId]) -> Vec<StateId> {
        let mut seen = vec![false; self.successors.len()];
        states.iter().for_each(|&state| seen[state as usize] = true);
        let mut found = states.to_vec();
        let mut done = 0;
        while done < found.len() {
            for &next in &self.successors[found[done] as usize] {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    found.push(next);
                }
            }
            done += 1;
        }
        sorted(found)
    }
}

fn sorted(mut states: Vec<StateId>) -> Vec<StateId> {
    states.sort_unstable();
    states.dedup();
    states
}
