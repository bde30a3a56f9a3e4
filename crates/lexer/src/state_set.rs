//! Sets of states of a lexer.

use lacuna_grammar::automaton::SHORTCUTS;
use rustc_hash::FxHashSet;

use crate::{BitSet, Lexer, LexerState};

/// A set of states: bits, or where characters are counted, and states are numbers far apart,
/// a list of them.
///
/// Cost: a bit for each state of the lexer, or a few bytes for each member.
#[derive(Clone, Debug)]
pub struct StateSet {
    bits: BitSet,
    bound: usize,
    far: FxHashSet<LexerState>,
}

/// States below this are bits.
const NEAR: usize = 1 << 16;

impl StateSet {
    /// An empty set of states of a lexer.
    pub fn new(lexer: &Lexer) -> Self {
        let bound = match lexer.counts() {
            false => lexer.core_count(),
            true => lexer.core_count().min(NEAR),
        };
        Self {
            bits: BitSet::new(bound),
            bound,
            far: FxHashSet::default(),
        }
    }

    /// Adds a state; whether it is new.
    pub fn insert(&mut self, state: LexerState) -> bool {
        if (state as usize) < self.bound {
            let is_new = !self.bits.contains(state as usize);
            self.bits.insert(state as usize);
            return is_new;
        }
        SHORTCUTS && self.far.insert(state)
    }

    /// Whether a state is in it.
    pub fn contains(&self, state: LexerState) -> bool {
        match (state as usize) < self.bound {
            true => self.bits.contains(state as usize),
            false => SHORTCUTS && self.far.contains(&state),
        }
    }
}
