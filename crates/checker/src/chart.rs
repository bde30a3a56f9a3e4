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
//! cheapest one, and the witness, read off the derivations, is a shortest one.
//!
//! The chart is kept: the next pattern is parsed from the first place on at which
//! it differs from the last one.
//!
//! Cost: O(places² · states) entries at worst, and a place in plain text usually
//! holds a handful. Bounded by a budget of entries and of points walked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Pattern;
use crate::cfg::{Cfg, NonterminalId};
use crate::graph::{Addition, Additions, CompletionGraph, Edge, Point, common_rank};
use crate::lr::{State, StateId, States};

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

/// Steps of a derivation that a witness may take to write.
const MAX_SPELLED: usize = 4_000_000;

/// Steps that one walk may take for each item of the budget.
const WALKED: usize = 4;

/// Entries at one node from which on they are found by nonterminal.
const INDEXED_FROM: usize = 24;

const FREED: u32 = u32::MAX;

type NodeId = u32;

/// An entry, by its node and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct EntryId {
    node: NodeId,
    number: u32,
}

#[derive(Clone, Debug)]
struct Entry {
    state: StateId,
    origin: NodeId,
    cost: u32,
    settled: bool,
    reason: Reason,
}

/// How an entry cheapest comes to be.
#[derive(Clone, Debug)]
enum Reason {
    Predicted,
    /// The entry before, and what the edge added.
    Edge(EntryId, Additions),
    /// The entry before, and the completed one of the nonterminal passed.
    Completed(EntryId, EntryId),
}

/// A node of the graph with all that is known there.
#[derive(Clone, Debug)]
struct Node {
    point: Point,
    /// [`FREED`] once the node was dropped.
    rank: u32,
    /// The highest rank that its edges were found by looking at.
    reach: u32,
    edges: Option<Arc<[Edge]>>,
    entries: Vec<Entry>,
    known: FxHashMap<(StateId, NodeId), u32>,
    /// Nonterminals completed here, with their origins.
    reduced: FxHashSet<(NonterminalId, NodeId)>,
    /// Entries here that wait for a nonterminal, in the order they settled.
    waiting: Vec<u32>,
    /// The same by nonterminal, once they are many.
    waiting_for: Option<FxHashMap<NonterminalId, Vec<u32>>>,
    /// Nonterminals that began here, and the entries that completed them, in order.
    completed: Vec<(NonterminalId, EntryId)>,
    /// The same by nonterminal, once they are many.
    completed_by: Option<FxHashMap<NonterminalId, Vec<EntryId>>>,
}

impl Node {
    fn completed_by(&mut self) -> &FxHashMap<NonterminalId, Vec<EntryId>> {
        let completed = &self.completed;
        self.completed_by.get_or_insert_with(|| {
            let mut by: FxHashMap<NonterminalId, Vec<EntryId>> = FxHashMap::default();
            for &(nonterminal, entry) in completed {
                by.entry(nonterminal).or_default().push(entry);
            }
            by
        })
    }
}

/// A chart, with what it was made for.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    nodes: Vec<Node>,
    ids: FxHashMap<Point, NodeId>,
    free: Vec<NodeId>,
    queue: BinaryHeap<Reverse<(u32, u32, EntryId)>>,
    work: usize,
    last: Option<Last>,
}

#[derive(Clone, Debug)]
struct Last {
    pattern: Pattern,
    parse: Parse,
    /// Below this rank every consequence has been drawn.
    settled_below: u32,
}

impl Chart {
    /// Looks for a path through the graph that the grammar derives, settling at
    /// most `budget` entries and points. A chart serves one grammar, one
    /// vocabulary and one `states`.
    pub fn parse(
        &mut self,
        cfg: &Cfg,
        states: &mut States,
        graph: &mut CompletionGraph<'_>,
        budget: usize,
    ) -> Parse {
        let kept = match self.last.take() {
            Some(last) if last.pattern == *graph.pattern() && last.parse != Parse::Exhausted => {
                let parse = last.parse.clone();
                self.last = Some(last);
                return parse;
            }
            Some(last) => common_rank(&last.pattern, graph.pattern()).min(last.settled_below),
            None => 0,
        };
        self.work = 0;
        self.queue.clear();
        self.forget(kept);
        let mut parser = Parser {
            chart: self,
            cfg,
            states,
            graph,
            budget,
            overrun: None,
        };
        let (mut parse, mut settled_below) = parser.run(kept);
        if let Some(overrun) = parser.overrun {
            settled_below = settled_below.min(overrun);
            // Edges are missing: only a path that was found anyway is an answer.
            if parse == Parse::Nothing {
                parse = Parse::Exhausted;
            }
        }
        self.last = Some(Last {
            pattern: graph.pattern().clone(),
            parse: parse.clone(),
            settled_below,
        });
        parse
    }

    /// Drops all that stands at a rank or above it.
    fn forget(&mut self, rank: u32) {
        if rank == 0 {
            *self = Self::default();
            return;
        }
        let gone: Vec<bool> = self.nodes.iter().map(|node| node.rank >= rank).collect();
        for (id, node) in (0..).zip(&mut self.nodes) {
            if gone[id as usize] {
                if node.rank != FREED {
                    self.ids.remove(&node.point);
                    self.free.push(id);
                    node.rank = FREED;
                    node.entries.clear();
                }
                continue;
            }
            while let Some((_, completed)) = node.completed.last()
                && gone[completed.node as usize]
            {
                node.completed.pop();
                node.completed_by = None;
            }
        }
    }
}

struct Parser<'a, 'g> {
    chart: &'a mut Chart,
    cfg: &'a Cfg,
    states: &'a mut States,
    graph: &'a mut CompletionGraph<'g>,
    budget: usize,
    /// The lowest rank of a node whose edges were too much work to find.
    overrun: Option<u32>,
}

impl Parser<'_, '_> {
    /// The parse, and the rank below which it is complete.
    fn run(&mut self, kept: u32) -> (Parse, u32) {
        let start = self.node(self.graph.start());
        self.add(States::START, start, start, 0, Reason::Predicted);
        if let Some((id, end)) = self.resume(kept) {
            let additions = self.spell(id, end);
            return (additions.map_or(Parse::Exhausted, Parse::Found), kept);
        }
        while let Some(Reverse((rank, cost, id))) = self.chart.queue.pop() {
            let entry = self.entry(id);
            if entry.settled || cost > entry.cost {
                continue;
            }
            if self.chart.work > self.budget || self.overrun.is_some() {
                return (Parse::Exhausted, rank);
            }
            self.chart.work = self.chart.work.saturating_add(1);
            if let Some(end) = self.settle(id) {
                let additions = self.spell(id, end);
                return (additions.map_or(Parse::Exhausted, Parse::Found), rank);
            }
        }
        (Parse::Nothing, u32::MAX)
    }

    /// Looks again along edges that were found by looking at what has changed; the
    /// cheapest entry that an edge to the text's end leaves now.
    fn resume(&mut self, kept: u32) -> Option<(EntryId, Additions)> {
        let mut ends: Vec<(u32, EntryId, Additions)> = Vec::new();
        let ids = 0..self.chart.nodes.len() as NodeId;
        let stale: Vec<NodeId> = ids
            .filter(|&id| {
                let node = &self.chart.nodes[id as usize];
                node.rank < kept && node.reach >= kept
            })
            .collect();
        for id in stale {
            self.chart.nodes[id as usize].edges = None;
            for number in 0..self.chart.nodes[id as usize].entries.len() as u32 {
                let entry = EntryId { node: id, number };
                let state = self.state(entry);
                if let Some(end) = self.take_edges(entry, &state) {
                    ends.push((self.entry(entry).cost, entry, end));
                }
            }
        }
        let cheapest = ends.into_iter().min_by_key(|&(cost, ..)| cost);
        cheapest.map(|(_, entry, end)| (entry, end))
    }

    /// All consequences of an entry; what an edge to the text's end adds, if it
    /// leads there.
    fn settle(&mut self, id: EntryId) -> Option<Additions> {
        let state = self.state(id);
        self.chart.nodes[id.node as usize].entries[id.number as usize].settled = true;
        if let Some(end) = self.take_edges(id, &state) {
            return Some(end);
        }
        if let Some(prediction) = state.prediction {
            self.add(prediction, id.node, id.node, 0, Reason::Predicted);
        }
        if !state.nonterminals.is_empty() {
            self.wait(id, &state);
        }
        for &nonterminal in &state.completes {
            self.complete(id, nonterminal);
        }
        None
    }

    fn take_edges(&mut self, id: EntryId, state: &State) -> Option<Additions> {
        if !state.ends && state.terminals.is_empty() {
            return None;
        }
        let (origin, cost) = (self.entry(id).origin, self.entry(id).cost);
        for edge in self.edges(id.node).iter() {
            let Some(terminal) = edge.terminal else {
                if state.ends {
                    return Some(edge.additions.clone());
                }
                continue;
            };
            if let Some(next) = state.after_terminal(terminal) {
                let to = self.node(edge.to);
                let cost = cost.saturating_add(edge.cost);
                let reason = Reason::Edge(id, edge.additions.clone());
                self.add(next, origin, to, cost, reason);
            }
        }
        None
    }

    /// Lets an entry pass what was completed from its node before.
    fn wait(&mut self, id: EntryId, state: &State) {
        let node = &mut self.chart.nodes[id.node as usize];
        node.waiting.push(id.number);
        if let Some(waiting_for) = &mut node.waiting_for {
            for &(nonterminal, _) in &state.nonterminals {
                waiting_for.entry(nonterminal).or_default().push(id.number);
            }
        } else if node.waiting.len() >= INDEXED_FROM {
            self.index(id.node);
        }
        if self.chart.nodes[id.node as usize].completed.len() < INDEXED_FROM {
            let mut at = 0;
            while let Some(&(nonterminal, completed)) =
                self.chart.nodes[id.node as usize].completed.get(at)
            {
                self.advance(id, completed, nonterminal);
                at += 1;
            }
            return;
        }
        for &(nonterminal, _) in &state.nonterminals {
            let mut at = 0;
            while let Some(&completed) = self.chart.nodes[id.node as usize]
                .completed_by()
                .get(&nonterminal)
                .and_then(|completed| completed.get(at))
            {
                self.advance(id, completed, nonterminal);
                at += 1;
            }
        }
    }

    fn index(&mut self, node: NodeId) {
        let mut waiting_for: FxHashMap<NonterminalId, Vec<u32>> = FxHashMap::default();
        for number in self.chart.nodes[node as usize].waiting.clone() {
            let state = self.state(EntryId { node, number });
            for &(nonterminal, _) in &state.nonterminals {
                waiting_for.entry(nonterminal).or_default().push(number);
            }
        }
        self.chart.nodes[node as usize].waiting_for = Some(waiting_for);
    }

    fn complete(&mut self, id: EntryId, nonterminal: NonterminalId) {
        let origin = self.entry(id).origin;
        let node = &mut self.chart.nodes[id.node as usize];
        if !node.reduced.insert((nonterminal, origin)) {
            return;
        }
        let node = &mut self.chart.nodes[origin as usize];
        node.completed.push((nonterminal, id));
        if let Some(completed_by) = &mut node.completed_by {
            completed_by.entry(nonterminal).or_default().push(id);
        }
        let mut at = 0;
        loop {
            let node = &self.chart.nodes[origin as usize];
            let waiting = match &node.waiting_for {
                Some(waiting_for) => waiting_for
                    .get(&nonterminal)
                    .and_then(|waiting| waiting.get(at)),
                None => node.waiting.get(at),
            };
            let Some(&number) = waiting else { return };
            let waiting = EntryId {
                node: origin,
                number,
            };
            self.advance(waiting, id, nonterminal);
            at += 1;
        }
    }

    /// Moves an entry over a nonterminal, if it waits for that one.
    fn advance(&mut self, waiting: EntryId, completed: EntryId, nonterminal: NonterminalId) {
        let state = self.state(waiting);
        if let Some(next) = state.after_nonterminal(nonterminal) {
            let (before, inner) = (self.entry(waiting), self.entry(completed));
            let (origin, cost) = (before.origin, before.cost.saturating_add(inner.cost));
            let reason = Reason::Completed(waiting, completed);
            self.add(next, origin, completed.node, cost, reason);
        }
    }

    fn add(&mut self, state: StateId, origin: NodeId, at: NodeId, cost: u32, reason: Reason) {
        let node = &mut self.chart.nodes[at as usize];
        let fresh = node.entries.len() as u32;
        let number = *node.known.entry((state, origin)).or_insert(fresh);
        if number == fresh {
            node.entries.push(Entry {
                state,
                origin,
                cost,
                settled: false,
                reason,
            });
        } else {
            let entry = &mut node.entries[number as usize];
            if entry.settled || entry.cost <= cost {
                return;
            }
            (entry.cost, entry.reason) = (cost, reason);
        }
        let id = EntryId { node: at, number };
        self.chart.queue.push(Reverse((node.rank, cost, id)));
    }

    fn state(&mut self, id: EntryId) -> Arc<State> {
        let state = self.entry(id).state;
        self.states.get(self.cfg, state)
    }

    fn entry(&self, id: EntryId) -> &Entry {
        &self.chart.nodes[id.node as usize].entries[id.number as usize]
    }

    fn edges(&mut self, id: NodeId) -> Arc<[Edge]> {
        let node = &mut self.chart.nodes[id as usize];
        if let Some(edges) = &node.edges {
            return Arc::clone(edges);
        }
        // A walk may take many steps for each point that counts as work; memory
        // is what bounds it.
        let Some(found) = self.graph.edges(node.point, WALKED * self.budget) else {
            self.overrun = Some(self.overrun.map_or(node.rank, |rank| rank.min(node.rank)));
            return Arc::new([]);
        };
        let edges: Arc<[Edge]> = found.edges.into();
        node.reach = found.reach;
        node.edges = Some(Arc::clone(&edges));
        self.chart.work = self.chart.work.saturating_add(found.work);
        edges
    }

    fn node(&mut self, point: Point) -> NodeId {
        if let Some(&known) = self.chart.ids.get(&point) {
            return known;
        }
        let node = Node {
            point,
            rank: self.graph.rank(point),
            reach: 0,
            edges: None,
            entries: Vec::new(),
            known: FxHashMap::default(),
            reduced: FxHashSet::default(),
            waiting: Vec::new(),
            waiting_for: None,
            completed: Vec::new(),
            completed_by: None,
        };
        let id = match self.chart.free.pop() {
            Some(id) => {
                self.chart.nodes[id as usize] = node;
                id
            }
            None => {
                self.chart.nodes.push(node);
                self.chart.nodes.len() as NodeId - 1
            }
        };
        self.chart.ids.insert(point, id);
        id
    }

    /// What the derivation of an entry adds to the gaps, in order, with what the
    /// edge to the end behind it adds; `None` if that is too long to write
    /// (entries are shared, so it can be exponentially longer than the chart).
    fn spell(&self, goal: EntryId, end: Additions) -> Option<Vec<Addition>> {
        let mut visited = 0;
        let mut reversed = Vec::new();
        let mut prepend = |additions: &Additions| {
            reversed.extend(additions.iter().flat_map(|added| added.iter().rev()));
        };
        prepend(&end);
        let mut stack = vec![goal];
        while let Some(id) = stack.pop() {
            visited += 1;
            if visited > MAX_SPELLED {
                return None;
            }
            match &self.entry(id).reason {
                Reason::Predicted => {}
                Reason::Edge(before, additions) => {
                    prepend(additions);
                    stack.push(*before);
                }
                Reason::Completed(before, completed) => {
                    stack.push(*before);
                    stack.push(*completed);
                }
            }
        }
        reversed.reverse();
        Some(reversed)
    }
}
