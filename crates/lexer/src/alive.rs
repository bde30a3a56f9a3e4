//! Which terminals can still come next, for every state of a lexer.
//!
//! Found backwards from where lexemes finish: over bytes, and over the ends of
//! ignored lexemes. States that reach one another have the same answer, so it is
//! worked out once for each component of the automaton (Tarjan's algorithm, which
//! meets a component after all that it leads to), and equal answers are kept once.
//! Cost: the transitions, each with one union of sets at most.

use rustc_hash::FxHashMap;

use crate::combined::DEAD;
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
        table: &[LexerState],
        finishes: &[Box<[Finish]>],
        ends: &[bool],
        terminal_count: usize,
    ) -> Self {
        let count = finishes.len();
        let mut search = Search {
            classes: table.len() / count.max(1),
            table,
            finishes,
            ends,
            terminal_count,
            index: vec![NEW; count],
            stack: Vec::new(),
            ids: FxHashMap::default(),
            alive: Self {
                set_of: vec![NEW; count],
                sets: Vec::new(),
            },
        };
        for root in 0..count as LexerState {
            search.visit(root);
        }
        search.alive
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

const NEW: u32 = u32::MAX;

struct Search<'a> {
    table: &'a [LexerState],
    classes: usize,
    finishes: &'a [Box<[Finish]>],
    ends: &'a [bool],
    terminal_count: usize,
    /// When a state was met.
    index: Vec<u32>,
    /// States met whose component is still open.
    stack: Vec<LexerState>,
    ids: FxHashMap<BitSet, u32>,
    alive: Alive,
}

/// A state being visited.
struct Visit {
    state: LexerState,
    /// Its next successor to look at.
    at: usize,
    /// The earliest open state that it is known to reach.
    low: u32,
}

impl Search<'_> {
    /// The `at`th place where a successor may be; `None` behind the last.
    fn successor(&self, state: LexerState, at: usize) -> Option<Option<LexerState>> {
        if at < self.classes {
            let next = self.table[state as usize * self.classes + at];
            return Some((next != DEAD).then_some(next));
        }
        let finish = self.finishes[state as usize].get(at - self.classes)?;
        Some(finish.terminal.is_none().then_some(finish.to))
    }

    fn visit(&mut self, root: LexerState) {
        if self.index[root as usize] != NEW {
            return;
        }
        let mut met = 0;
        let mut path = vec![self.enter(root, &mut met)];
        while let Some(visit) = path.last_mut() {
            let state = visit.state;
            let Some(next) = self.successor(state, visit.at) else {
                let low = visit.low;
                path.pop();
                if low == self.index[state as usize] {
                    self.close(state);
                } else if let Some(before) = path.last_mut() {
                    before.low = before.low.min(low);
                }
                continue;
            };
            visit.at += 1;
            let Some(next) = next else { continue };
            if self.index[next as usize] == NEW {
                let next = self.enter(next, &mut met);
                path.push(next);
            } else if self.alive.set_of[next as usize] == NEW {
                visit.low = visit.low.min(self.index[next as usize]);
            }
        }
    }

    fn enter(&mut self, state: LexerState, met: &mut u32) -> Visit {
        self.index[state as usize] = *met;
        self.stack.push(state);
        let low = *met;
        *met += 1;
        Visit { state, at: 0, low }
    }

    /// Settles the component whose first state this is.
    fn close(&mut self, first: LexerState) {
        let from = self.stack.iter().rposition(|&state| state == first);
        let members = self.stack.split_off(from.unwrap_or(0));
        let mut found = BitSet::new(self.terminal_count + 1);
        let mut behind: Vec<u32> = Vec::new();
        for &member in &members {
            for finish in &self.finishes[member as usize] {
                if let Some(terminal) = finish.terminal {
                    found.insert(terminal as usize);
                }
            }
            if self.ends[member as usize] {
                found.insert(self.terminal_count);
            }
            let successors = (0..).map_while(|at| self.successor(member, at)).flatten();
            let sets = successors.map(|next| self.alive.set_of[next as usize]);
            behind.extend(sets.filter(|&set| set != NEW));
            behind.sort_unstable();
            behind.dedup();
        }
        for set in behind {
            found.union_with(&self.alive.sets[set as usize]);
        }
        let fresh = self.alive.sets.len() as u32;
        let sets = &mut self.alive.sets;
        let id = *self.ids.entry(found).or_insert_with_key(|found| {
            sets.push(found.clone());
            fresh
        });
        for member in members {
            self.alive.set_of[member as usize] = id;
        }
    }
}
