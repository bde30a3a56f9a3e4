//! The suffixes of a terminal's lexemes, as an automaton that is determinised as it
//! is used.

use lacuna_grammar::automaton::StateId;
use rustc_hash::FxHashMap;

use crate::{Stopped, Terminal, Ticker};

/// Members of sets that are kept before all are forgotten.
const MEMBERS: usize = 4_000_000;

/// The automaton of proper suffixes: a state is the set of states that the
/// terminal's automaton may be in.
#[derive(Clone, Debug)]
pub(super) struct Suffixes {
    sets: Vec<Set>,
    ids: FxHashMap<Box<[StateId]>, u32>,
    members: usize,
}

#[derive(Clone, Debug)]
struct Set {
    states: Box<[StateId]>,
    accepting: bool,
    extends: bool,
    next: FxHashMap<u8, u32>,
}

/// What a fragment is as the end of a lexeme.
pub(super) struct Read {
    /// Where the lexeme may end, from the left; not before the first byte.
    pub accepted: Vec<usize>,
    /// Whether it may go on behind the fragment.
    pub goes_on: bool,
}

impl Suffixes {
    pub(super) fn new(terminal: &Terminal) -> Self {
        let mut suffixes = Self {
            sets: Vec::new(),
            ids: FxHashMap::default(),
            members: 0,
        };
        suffixes.id(terminal, terminal.inside());
        suffixes
    }

    pub(super) fn read(
        &mut self,
        terminal: &Terminal,
        text: &[u8],
        ticker: &mut Ticker<'_>,
    ) -> Result<Read, Stopped> {
        if self.members > MEMBERS {
            *self = Self::new(terminal);
        }
        let mut accepted = Vec::new();
        let mut here = 0;
        for (at, &byte) in text.iter().enumerate() {
            here = self.step(terminal, here, byte, ticker)?;
            let set = &self.sets[here as usize];
            if set.states.is_empty() {
                let goes_on = false;
                return Ok(Read { accepted, goes_on });
            }
            if set.accepting {
                accepted.push(at + 1);
            }
        }
        let goes_on = self.sets[here as usize].extends;
        Ok(Read { accepted, goes_on })
    }

    fn step(
        &mut self,
        terminal: &Terminal,
        from: u32,
        byte: u8,
        ticker: &mut Ticker<'_>,
    ) -> Result<u32, Stopped> {
        if let Some(&known) = self.sets[from as usize].next.get(&byte) {
            return Ok(known);
        }
        ticker.spend(self.sets[from as usize].states.len())?;
        let next = terminal.step(&self.sets[from as usize].states, byte);
        let next = self.id(terminal, next);
        self.sets[from as usize].next.insert(byte, next);
        Ok(next)
    }

    fn id(&mut self, terminal: &Terminal, states: Vec<StateId>) -> u32 {
        let states = states.into_boxed_slice();
        if let Some(&known) = self.ids.get(&states) {
            return known;
        }
        let id = self.sets.len() as u32;
        self.members += states.len() + 8;
        self.sets.push(Set {
            accepting: states.iter().any(|&s| terminal.language.is_accepting(s)),
            extends: states.iter().any(|&s| terminal.extends(s)),
            states: states.clone(),
            next: FxHashMap::default(),
        });
        self.ids.insert(states, id);
        id
    }
}
