//! The product of all terminals' automata: what the bytes since the last lexeme
//! boundary may still become.
//!
//! A state is the set of positions, one in each terminal that is still alive.
//! Only the reachable part is built, within a limit on states.

use std::hash::Hash;

use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, Ranged, byte_classes};
use rustc_hash::FxHashMap;

use crate::alive::Alive;
use crate::product::{Labels, SetId, Sets, product};
use crate::{BitSet, Contexts, LexerState, TerminalId};

pub(crate) const DEAD: LexerState = LexerState::MAX;

/// Terminals that all sets of them may hold together; a quarter of a gigabyte.
const MOST_MEMBERS: usize = 1 << 26;

/// The product, a table by state and byte class. The first states are "no byte yet", one for
/// each context; no byte leads back to them.
pub(crate) struct Combined {
    pub classes: Box<[u8; 256]>,
    /// One byte of each class.
    pub representatives: Vec<u8>,
    pub table: Vec<LexerState>,
    /// The terminals that a state accepts, and those that it leads to.
    product: Vec<[SetId; 2]>,
    sets: Sets,
    /// Those of accepted terminals written out, and the place of each state's.
    accepted: Vec<Vec<TerminalId>>,
    accepts: Vec<u32>,
}

impl Combined {
    /// The bytes of a `constraint` are told apart, too.
    pub(crate) fn new(
        terminals: &[Ranged],
        contexts: &Contexts,
        labels: &Labels<'_>,
        constraint: Option<&Dfa>,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let (product, sets) = product(terminals, contexts, labels, limits)?;
        let more = constraint.map_or(Vec::new(), |dfa| dfa.ranges().all().to_vec());
        let more = more.into_iter().map(|(low, high, _)| (low, high));
        let (classes, representatives) = byte_classes(&mut product.turns().into_iter().chain(more));
        let states = 0..product.state_count() as LexerState;
        let mut table = Vec::with_capacity(states.len() * representatives.len());
        for state in states {
            let row = table.len();
            for &(end, next) in product.runs(state) {
                table.resize(row + classes[end as usize] as usize + 1, next);
            }
        }
        let (accepts, different) = sets.told_apart(&product.sets, 0);
        let mut accepted: Vec<Vec<TerminalId>> = Vec::with_capacity(different.len());
        let mut members = 0;
        for set in different {
            let set = sets.members(set);
            accepted.push(set.iter().map(|terminal| terminal as TerminalId).collect());
            members += accepted[accepted.len() - 1].len();
            bounded(members)?;
        }
        Ok(Self {
            classes,
            representatives,
            table,
            product: product.sets,
            sets,
            accepted,
            accepts,
        })
    }

    /// What can come next where lexemes may end anywhere, and texts between them.
    pub(crate) fn alive(
        &self,
        contexts: &Contexts,
        terminal_count: usize,
    ) -> Result<Alive, AutomatonError> {
        let (mut set_of, different) = self.sets.told_apart(&self.product, 1);
        bounded(different.len() * (terminal_count / 32 + 1))?;
        let mut sets: Vec<BitSet> = Vec::with_capacity(different.len() + 1);
        sets.extend(different.into_iter().map(|set| self.sets.members(set)));
        // Only where no lexeme has begun may a text end.
        for set_of in set_of.iter_mut().take(contexts.sets.len()) {
            let mut start = sets[*set_of as usize].clone();
            start.insert(terminal_count);
            *set_of = sets.len() as u32;
            sets.push(start);
        }
        Ok(Alive { set_of, sets })
    }

    /// For each state, the place of the set of terminals that it accepts, and the sets.
    pub(crate) fn accepted_sets(&self) -> (&[u32], &[Vec<TerminalId>]) {
        (&self.accepts, &self.accepted)
    }

    /// For each state, the labels of what can come of it, in order.
    pub(crate) fn alive_labels(&self) -> Result<(Vec<u32>, Vec<Vec<u32>>), AutomatonError> {
        let (set_of, different) = self.sets.told_apart(&self.product, 1);
        let mut sets = Vec::with_capacity(different.len());
        let mut members = 0;
        for set in different {
            let set = self.sets.members(set);
            sets.push(set.iter().map(|label| label as u32).collect::<Vec<_>>());
            members += sets[sets.len() - 1].len();
            bounded(members)?;
        }
        Ok((set_of, sets))
    }

    /// Takes states for one that accept alike, and lead on to such.
    pub(crate) fn merge<T: Eq + Hash>(&mut self, accepts: impl Fn(&[TerminalId]) -> T) {
        let classes = self.representatives.len();
        let mut kinds: FxHashMap<T, u32> = FxHashMap::default();
        let first = (0..self.state_count() as LexerState).map(|state| {
            let fresh = kinds.len() as u32;
            // No byte leads back to the start.
            match state {
                0 => u32::MAX,
                _ => *kinds.entry(accepts(self.accepts(state))).or_insert(fresh),
            }
        });
        let blocks: Vec<u32> = first.collect();
        let blocks = refined(blocks, |state, blocks, signature| {
            let row = &self.table[state * classes..][..classes];
            signature.extend(row.iter().map(|&next| match next {
                DEAD => DEAD,
                next => blocks[next as usize],
            }));
        });
        let mut kept = Vec::new();
        for (state, &block) in blocks.iter().enumerate() {
            if block as usize == kept.len() {
                kept.push(state);
            }
        }
        let rows = kept.iter().flat_map(|&state| {
            self.table[state * classes..][..classes]
                .iter()
                .map(|&next| match next {
                    DEAD => DEAD,
                    next => blocks[next as usize],
                })
        });
        self.table = rows.collect();
        self.accepts = kept.iter().map(|&state| self.accepts[state]).collect();
        self.product = kept.iter().map(|&state| self.product[state]).collect();
    }

    /// The terminals that a state accepts, in order.
    pub(crate) fn accepts(&self, state: LexerState) -> &[TerminalId] {
        &self.accepted[self.accepts[state as usize] as usize]
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
        let blocks = refined(vec![0; self.state_count()], |state, blocks, signature| {
            let row = &self.table[state * classes..][..classes];
            signature.extend(row.iter().map(|&next| match next {
                DEAD => DEAD,
                next if self.is_accepting(next) => ACCEPTED,
                next => blocks[next as usize],
            }));
        });
        let count = blocks.iter().max().map_or(0, |&last| last as usize + 1);
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
        !self.accepts(state).is_empty()
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

/// Splits blocks of states until those of one block have one signature (Moore's partition
/// refinement). Blocks are numbered as their first states are.
fn refined(mut blocks: Vec<u32>, sign: impl Fn(usize, &[u32], &mut Vec<u32>)) -> Vec<u32> {
    let mut count = 0;
    loop {
        let mut ids: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
        let states = 0..blocks.len();
        let split = states.map(|state| {
            let mut signature = vec![blocks[state]];
            sign(state, &blocks, &mut signature);
            let fresh = ids.len() as u32;
            *ids.entry(signature.into()).or_insert(fresh)
        });
        blocks = split.collect();
        if std::mem::replace(&mut count, ids.len()) == ids.len() {
            return blocks;
        }
    }
}

fn bounded(members: usize) -> Result<(), AutomatonError> {
    match members > MOST_MEMBERS {
        true => Err(AutomatonError::TooLarge {
            what: "terminals in the states of the lexer",
            limit: MOST_MEMBERS,
        }),
        false => Ok(()),
    }
}
