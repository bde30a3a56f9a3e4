//! The product of all terminals' automata: what the bytes since the last lexeme
//! boundary may still become.
//!
//! A state is the set of positions, one in each terminal that is still alive.
//! Only the reachable part is built, within a limit on states.

use std::rc::Rc;

use lacuna_grammar::automaton::{AutomatonError, ByteRange, Dfa, Limits, StateId, byte_classes};
use rustc_hash::FxHashMap;

use crate::{LexerState, TerminalId};

pub(crate) const DEAD: LexerState = LexerState::MAX;

/// Terminals in all states together; half a gigabyte.
const MOST_MEMBERS: usize = 1 << 26;

/// Terminals with the states that they are in.
pub(crate) type Members = Rc<[(TerminalId, StateId)]>;

/// The product, a table by state and byte class. State 0 is "no byte yet"; no
/// byte leads back to it.
pub(crate) struct Combined {
    pub classes: Box<[u8; 256]>,
    /// One byte of each class.
    pub representatives: Vec<u8>,
    pub table: Vec<LexerState>,
    /// The terminals that a state accepts, in order.
    pub accepts: Vec<Box<[TerminalId]>>,
}

impl Combined {
    /// `more` are automata whose bytes must be told apart too.
    pub(crate) fn new<'a>(
        terminals: &'a [&'a Dfa],
        more: impl Iterator<Item = &'a Dfa>,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let moves: Vec<Vec<Vec<ByteRange>>> = terminals.iter().map(|dfa| dfa.ranges()).collect();
        let more: Vec<Vec<Vec<ByteRange>>> = more.map(Dfa::ranges).collect();
        let ranges = moves.iter().chain(&more).flatten().flatten();
        let (classes, representatives) = byte_classes(ranges.map(|&(low, high, _)| (low, high)));
        let start: Members = (0..)
            .zip(terminals)
            .map(|(id, dfa)| (id, dfa.start()))
            .collect();
        let mut ids: FxHashMap<Members, LexerState> = FxHashMap::default();
        let mut subsets = vec![start];
        let mut table = Vec::new();
        let (mut done, mut members) = (0, 0);
        // The start is a state of its own even if bytes lead back to an equal
        // subset: only it stands for "no lexeme begun".
        let mut targets: Vec<Vec<(TerminalId, StateId)>> = vec![Vec::new(); representatives.len()];
        while done < subsets.len() {
            for &(id, state) in subsets[done].iter() {
                for &(low, high, next) in &moves[id as usize][state as usize] {
                    let last = classes[high as usize];
                    for class in classes[low as usize]..=last {
                        targets[class as usize].push((id, next));
                    }
                }
            }
            // Classes beside one another often lead to the same.
            let mut last: (&[(TerminalId, StateId)], LexerState) = (&[], DEAD);
            for next in &targets {
                if next.as_slice() != last.0 {
                    let fresh = subsets.len() as LexerState;
                    let id = match ids.get(next.as_slice()) {
                        Some(&known) => known,
                        None if next.is_empty() => DEAD,
                        None => {
                            members += next.len();
                            let next: Members = next.as_slice().into();
                            subsets.push(next.clone());
                            ids.insert(next, fresh);
                            fresh
                        }
                    };
                    last = (next, id);
                }
                table.push(last.1);
            }
            targets.iter_mut().for_each(Vec::clear);
            if subsets.len() > limits.dfa_states {
                return Err(AutomatonError::TooLarge {
                    what: "lexer states",
                    limit: limits.dfa_states,
                });
            }
            if members > MOST_MEMBERS {
                return Err(AutomatonError::TooLarge {
                    what: "terminals in the states of the lexer",
                    limit: MOST_MEMBERS,
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
        Ok(Self {
            classes,
            representatives,
            table,
            accepts,
        })
    }

    pub(crate) fn state_count(&self) -> usize {
        self.accepts.len()
    }

    /// The state after a byte of the class; `None` where no terminal goes on so.
    pub(crate) fn next(&self, state: LexerState, class: usize) -> Option<LexerState> {
        let next = self.table[state as usize * self.representatives.len() + class];
        (next != DEAD).then_some(next)
    }

    /// For each state, the first of those from which the same bytes lead to
    /// acceptance for the first time, whatever terminal accepts (Moore's partition
    /// refinement). Obligations need no more than that, and all prefixes of keywords
    /// are then one with names.
    pub(crate) fn representatives_by_acceptance(&self) -> Vec<LexerState> {
        const ACCEPTED: u32 = u32::MAX - 1;
        let classes = self.representatives.len();
        let mut blocks: Vec<u32> = vec![0; self.state_count()];
        let mut count = 1;
        loop {
            let mut ids: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
            let refined: Vec<u32> = (0..self.state_count())
                .map(|state| {
                    let row = &self.table[state * classes..][..classes];
                    let targets = row.iter().map(|&next| match next {
                        DEAD => u32::MAX,
                        next if self.is_accepting(next) => ACCEPTED,
                        next => blocks[next as usize],
                    });
                    let signature = std::iter::once(blocks[state]).chain(targets).collect();
                    let fresh = ids.len() as u32;
                    *ids.entry(signature).or_insert(fresh)
                })
                .collect();
            let (before, found) = (count, ids.len());
            (blocks, count) = (refined, found);
            if found == before {
                break;
            }
        }
        let mut first = vec![DEAD; count];
        for (state, &block) in (0..).zip(&blocks) {
            if first[block as usize] == DEAD {
                first[block as usize] = state;
            }
        }
        blocks.iter().map(|&block| first[block as usize]).collect()
    }

    /// Whether some terminal accepts what leads here.
    pub(crate) fn is_accepting(&self, state: LexerState) -> bool {
        !self.accepts[state as usize].is_empty()
    }

    /// For each state, whether it is one of `wanted` or bytes lead to one.
    pub(crate) fn leads_to(&self, wanted: impl Fn(LexerState) -> bool) -> Vec<bool> {
        let states = 0..self.state_count() as LexerState;
        let wanted: Vec<bool> = states.map(wanted).collect();
        let mut leads = self.extends_to(&wanted);
        for (leads, wanted) in leads.iter_mut().zip(wanted) {
            *leads |= wanted;
        }
        leads
    }

    /// For each state, whether one byte or more can lead to an accepting one.
    pub(crate) fn extends(&self) -> Vec<bool> {
        let states = 0..self.state_count() as LexerState;
        self.extends_to(
            &states
                .map(|state| self.is_accepting(state))
                .collect::<Vec<_>>(),
        )
    }

    fn extends_to(&self, wanted: &[bool]) -> Vec<bool> {
        let classes = self.representatives.len();
        let mut before: Vec<Vec<LexerState>> = vec![Vec::new(); self.state_count()];
        for (at, &next) in self.table.iter().enumerate() {
            if next != DEAD {
                before[next as usize].push((at / classes) as LexerState);
            }
        }
        let mut extends = vec![false; self.state_count()];
        let mut work: Vec<LexerState> = (0..self.state_count() as LexerState)
            .filter(|&state| wanted[state as usize])
            .collect();
        while let Some(state) = work.pop() {
            for &earlier in &before[state as usize] {
                if !std::mem::replace(&mut extends[earlier as usize], true) {
                    work.push(earlier);
                }
            }
        }
        extends
    }
}
