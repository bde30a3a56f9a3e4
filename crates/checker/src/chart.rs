//! The exact parse: Earley's algorithm over a completion graph, on LR(0) states.
//!
//! An *entry* is a state of [`lr`](crate::lr) with the node where its productions
//! began (its origin) and the node reached. Where the textbook moves single items
//! from word to word, here whole states move along the graph's edges, each of
//! which is a lexeme. Graphs have cycles (gaps of any length) and branches, so
//! entries are settled from a queue: by place first (no edge leads back), and at
//! one place the cheapest first, where the cost is what a derivation writes into
//! gaps. That order is Knuth's generalisation of Dijkstra's algorithm to grammars
//! (Information Processing Letters 6, 1977), so each entry's first derivation is a
//! cheapest one, and the witness, read off the derivations, is short.
//!
//! Cost: O(places² · states) entries at worst, and a place in plain text usually
//! holds a handful. Bounded by a budget of entries and of points walked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfg::{Cfg, NonterminalId};
use crate::graph::{Addition, CompletionGraph, NodeId};
use crate::lr::{StateId, States};

/// What a parse found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parse {
    /// A path to the end, as what it adds to the gaps, in order.
    Found(Vec<Addition>),
    /// There is none.
    Nothing,
    /// More work than the budget allows.
    Exhausted,
}

/// Looks for a path through the graph that the grammar derives, settling at
/// most `budget` entries and points.
pub fn parse(
    cfg: &Cfg,
    states: &mut States,
    graph: &mut CompletionGraph<'_>,
    budget: usize,
) -> Parse {
    let mut chart = Chart {
        cfg,
        states,
        graph,
        entries: Vec::new(),
        known: FxHashMap::default(),
        sets: Vec::new(),
        reduced: FxHashSet::default(),
        queue: BinaryHeap::new(),
    };
    chart.run(budget)
}

/// Steps of a derivation that a witness may take to write.
const MAX_SPELLED: usize = 4_000_000;

/// Entries at one node from which on they are found by nonterminal.
const INDEXED_FROM: usize = 24;

type EntryId = u32;

#[derive(Clone, Copy)]
struct Entry {
    state: StateId,
    origin: NodeId,
    at: NodeId,
    cost: u32,
    settled: bool,
    reason: Reason,
}

/// How an entry cheapest comes to be.
#[derive(Clone, Copy)]
enum Reason {
    Predicted,
    /// The entry before, and which of its node's edges was taken.
    Edge(EntryId, u32),
    /// The entry before, and the completed one of the nonterminal passed.
    Completed(EntryId, EntryId),
}

/// What is known at a node.
#[derive(Default)]
struct Set {
    settled: Vec<EntryId>,
    /// Those that wait for a nonterminal, once they are many.
    waiting: Option<FxHashMap<NonterminalId, Vec<EntryId>>>,
    /// Nonterminals completed from here, and the entries that did.
    completed: Vec<(NonterminalId, EntryId)>,
}

struct Chart<'a, 'g> {
    cfg: &'a Cfg,
    states: &'a mut States,
    graph: &'a mut CompletionGraph<'g>,
    entries: Vec<Entry>,
    known: FxHashMap<(StateId, NodeId, NodeId), EntryId>,
    sets: Vec<Set>,
    reduced: FxHashSet<(NonterminalId, NodeId, NodeId)>,
    queue: BinaryHeap<Reverse<(u32, u32, EntryId)>>,
}

impl Chart<'_, '_> {
    fn run(&mut self, budget: usize) -> Parse {
        let start = self.graph.start();
        self.add(States::START, start, start, 0, Reason::Predicted);
        while let Some(Reverse((_, cost, id))) = self.queue.pop() {
            let entry = self.entries[id as usize];
            if entry.settled || cost > entry.cost {
                continue;
            }
            if self.entries.len() + self.graph.visited() > budget {
                return Parse::Exhausted;
            }
            self.entries[id as usize].settled = true;
            if let Some(end) = self.settle(id, entry) {
                let additions = self.spell(id, end);
                return additions.map_or(Parse::Exhausted, Parse::Found);
            }
        }
        Parse::Nothing
    }

    /// All consequences of an entry; the edge to the text's end, if it leads there.
    fn settle(&mut self, id: EntryId, entry: Entry) -> Option<u32> {
        let Entry {
            state: state_id,
            origin,
            at,
            cost,
            ..
        } = entry;
        let cfg = self.cfg;
        let state = self.states.get(cfg, state_id).clone();
        if state.ends || !state.terminals.is_empty() {
            for (index, edge) in (0..).zip(self.graph.edges(at).iter()) {
                let Some(terminal) = edge.terminal else {
                    if state.ends {
                        return Some(index);
                    }
                    continue;
                };
                if let Some(next) = state.after_terminal(terminal) {
                    let cost = cost.saturating_add(edge.cost);
                    self.add(next, origin, edge.to, cost, Reason::Edge(id, index));
                }
            }
        }
        if let Some(prediction) = state.prediction {
            self.add(prediction, at, at, 0, Reason::Predicted);
        }
        if !state.nonterminals.is_empty() {
            self.wait(id, entry, &state.nonterminals);
        }
        for &nonterminal in &state.completes {
            self.complete(id, entry, nonterminal);
        }
        None
    }

    /// Lets an entry pass what was completed at its node before.
    fn wait(&mut self, id: EntryId, entry: Entry, targets: &[(NonterminalId, StateId)]) {
        let set = self.set(entry.at);
        set.settled.push(id);
        if let Some(waiting) = &mut set.waiting {
            for &(nonterminal, _) in targets {
                waiting.entry(nonterminal).or_default().push(id);
            }
        } else if set.settled.len() >= INDEXED_FROM {
            self.index(entry.at);
        }
        for at in 0..self.sets[entry.at as usize].completed.len() {
            let (nonterminal, completed) = self.sets[entry.at as usize].completed[at];
            self.advance(id, completed, nonterminal);
        }
    }

    fn index(&mut self, node: NodeId) {
        let mut waiting: FxHashMap<NonterminalId, Vec<EntryId>> = FxHashMap::default();
        for &id in &self.sets[node as usize].settled {
            let state = self.entries[id as usize].state;
            for &(nonterminal, _) in &self.states.get(self.cfg, state).nonterminals {
                waiting.entry(nonterminal).or_default().push(id);
            }
        }
        self.sets[node as usize].waiting = Some(waiting);
    }

    fn complete(&mut self, id: EntryId, entry: Entry, nonterminal: NonterminalId) {
        if !self.reduced.insert((nonterminal, entry.origin, entry.at)) {
            return;
        }
        let set = self.set(entry.origin);
        set.completed.push((nonterminal, id));
        let waiting = match &set.waiting {
            Some(waiting) => waiting.get(&nonterminal).cloned().unwrap_or_default(),
            None => set.settled.clone(),
        };
        for waiting in waiting {
            self.advance(waiting, id, nonterminal);
        }
    }

    /// Moves an entry over a nonterminal, if it waits for that one.
    fn advance(&mut self, waiting: EntryId, completed: EntryId, nonterminal: NonterminalId) {
        let (before, inner) = (
            self.entries[waiting as usize],
            self.entries[completed as usize],
        );
        let state = self.states.get(self.cfg, before.state);
        if let Some(next) = state.after_nonterminal(nonterminal) {
            let cost = before.cost.saturating_add(inner.cost);
            let reason = Reason::Completed(waiting, completed);
            self.add(next, before.origin, inner.at, cost, reason);
        }
    }

    fn add(&mut self, state: StateId, origin: NodeId, at: NodeId, cost: u32, reason: Reason) {
        let fresh = self.entries.len() as EntryId;
        let id = *self.known.entry((state, origin, at)).or_insert(fresh);
        if id == fresh {
            self.entries.push(Entry {
                state,
                origin,
                at,
                cost,
                settled: false,
                reason,
            });
        } else {
            let entry = &mut self.entries[id as usize];
            if entry.settled || entry.cost <= cost {
                return;
            }
            (entry.cost, entry.reason) = (cost, reason);
        }
        self.queue.push(Reverse((self.graph.rank(at), cost, id)));
    }

    fn set(&mut self, node: NodeId) -> &mut Set {
        let node = node as usize;
        if self.sets.len() <= node {
            self.sets.resize_with(node + 1, Set::default);
        }
        &mut self.sets[node]
    }

    /// What the derivation of an entry adds to the gaps, in order, and the edge
    /// to the end behind it; `None` if that is too long to write (entries are
    /// shared, so it can be exponentially longer than the chart).
    fn spell(&mut self, goal: EntryId, end: u32) -> Option<Vec<Addition>> {
        let mut visited = 0;
        let mut reversed = Vec::new();
        let last = self.entries[goal as usize].at;
        reversed.extend(self.graph.edges(last)[end as usize].additions.iter().rev());
        let mut stack = vec![goal];
        while let Some(id) = stack.pop() {
            visited += 1;
            if visited > MAX_SPELLED {
                return None;
            }
            match self.entries[id as usize].reason {
                Reason::Predicted => {}
                Reason::Edge(before, edge) => {
                    let node = self.entries[before as usize].at;
                    reversed.extend(self.graph.edges(node)[edge as usize].additions.iter().rev());
                    stack.push(before);
                }
                Reason::Completed(before, completed) => {
                    stack.push(before);
                    stack.push(completed);
                }
            }
        }
        reversed.reverse();
        Some(reversed)
    }
}
