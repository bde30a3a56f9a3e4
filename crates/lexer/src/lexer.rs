//! All terminals of a grammar as one deterministic automaton.
//!
//! A state is the set of positions, one in each terminal that the bytes since
//! the last lexeme boundary may still become. State 0 is that boundary itself.
//! The construction is the product of the terminals' automata, reachable part
//! only, within a limit on states.

use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, StateId, byte_classes};
use rustc_hash::FxHashMap;

use crate::BitSet;

/// Index of a terminal.
pub type TerminalId = u32;

/// Index of a state of the [`Lexer`]; [`Lexer::BOUNDARY`] is between lexemes.
pub type LexerState = u32;

const DEAD: LexerState = LexerState::MAX;

/// The combined automaton.
#[derive(Clone, Debug)]
pub struct Lexer {
    classes: Box<[u8; 256]>,
    class_count: usize,
    table: Vec<LexerState>,
    accepts: Vec<Box<[TerminalId]>>,
    alive: Vec<BitSet>,
    terminal_count: usize,
}

impl Lexer {
    /// The state between lexemes.
    pub const BOUNDARY: LexerState = 0;

    /// The combined automaton of `terminals`, none of which may hold the empty
    /// text (a grammar says that with an optional terminal).
    ///
    /// # Errors
    /// When it would have more states than the limit.
    pub fn new(terminals: &[Dfa], limits: &Limits) -> Result<Self, AutomatonError> {
        let ranges = terminals.iter().flat_map(|dfa| {
            let states = 0..dfa.state_count() as StateId;
            states.flat_map(|state| {
                dfa.byte_ranges(state)
                    .into_iter()
                    .map(|(low, high, _)| (low, high))
            })
        });
        let (classes, representatives) = byte_classes(ranges);
        let start: Box<[(TerminalId, StateId)]> = (0..)
            .zip(terminals)
            .map(|(id, dfa)| (id, dfa.start()))
            .collect();
        let mut ids = FxHashMap::default();
        let mut subsets = vec![start.clone()];
        let mut table = Vec::new();
        let mut done = 0;
        // The boundary is a state of its own even if bytes lead back to an
        // equal subset: only it stands for "no lexeme begun".
        while done < subsets.len() {
            for &byte in &representatives {
                let next: Box<[(TerminalId, StateId)]> = subsets[done]
                    .iter()
                    .filter_map(|&(id, state)| {
                        Some((id, terminals[id as usize].next(state, byte)?))
                    })
                    .collect();
                if next.is_empty() {
                    table.push(DEAD);
                    continue;
                }
                let fresh = subsets.len() as LexerState;
                let id = *ids.entry(next).or_insert_with_key(|next| {
                    subsets.push(next.clone());
                    fresh
                });
                table.push(id);
            }
            if subsets.len() > limits.dfa_states {
                return Err(AutomatonError::TooLarge {
                    what: "lexer states",
                    limit: limits.dfa_states,
                });
            }
            done += 1;
        }
        let accepts = subsets
            .iter()
            .map(|subset| {
                let accepted = subset
                    .iter()
                    .filter(|&&(id, state)| terminals[id as usize].is_accepting(state));
                accepted.map(|&(id, _)| id).collect()
            })
            .collect();
        let alive = subsets
            .iter()
            .map(|subset| {
                let mut alive = BitSet::new(terminals.len());
                for &(id, _) in subset {
                    alive.insert(id as usize);
                }
                alive
            })
            .collect();
        let class_count = representatives.len();
        let terminal_count = terminals.len();
        Ok(Self {
            classes,
            class_count,
            table,
            accepts,
            alive,
            terminal_count,
        })
    }

    /// Number of states.
    pub fn state_count(&self) -> usize {
        self.accepts.len()
    }

    /// Number of terminals.
    pub fn terminal_count(&self) -> usize {
        self.terminal_count
    }

    /// The state after one more byte; `None` where no terminal goes on so.
    pub fn next(&self, state: LexerState, byte: u8) -> Option<LexerState> {
        let class = self.classes[byte as usize] as usize;
        let next = self.table[state as usize * self.class_count + class];
        (next != DEAD).then_some(next)
    }

    /// The terminals that may end in this state.
    pub fn accepts(&self, state: LexerState) -> &[TerminalId] {
        if state == Self::BOUNDARY {
            &[]
        } else {
            &self.accepts[state as usize]
        }
    }

    /// Whether the bytes so far may be part of `terminal`.
    pub fn is_alive(&self, state: LexerState, terminal: TerminalId) -> bool {
        self.alive[state as usize].contains(terminal as usize)
    }

    /// One byte, the most readable one, for each target a state leads to.
    pub fn moves(&self, state: LexerState) -> Vec<(u8, LexerState)> {
        let mut moves: Vec<(u8, LexerState)> = Vec::new();
        let readable = (b'a'..=b'z').chain(b' '..=b'~');
        for byte in readable.chain(0..=255) {
            if let Some(next) = self.next(state, byte)
                && !moves.iter().any(|&(_, known)| known == next)
            {
                moves.push((byte, next));
            }
        }
        moves
    }
}
