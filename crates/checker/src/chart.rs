//! The exact parse: Earley's algorithm over a completion graph, on sets of LR(0)
//! states.
//!
//! An *entry* of a node is a set of parser states ([`sets`](crate::sets)) with the
//! node where their productions began (its origin). Where the textbook moves
//! single items from word to word, here all that has one origin moves along an
//! edge of the graph, which is a lexeme, in one look-up. Nodes are settled in the
//! order of their places; at one place, what began last completes first, so a
//! completion finds all that waits for it settled. Where edges lead in circles
//! (inside a gap of any length, unless one node stands for all its boundaries), a
//! node is settled again when something new or cheaper reaches it.
//!
//! Costs are what a derivation writes into gaps, and each state of an entry carries
//! the least one: a path that cheapest explains the goal's is a shortest witness
//! ([`derivation`](crate::derivation)).
//!
//! Right recursion would pile up completions, one for each level, at every lexeme.
//! Those that only hand on to the next are skipped (Leo, "A general context-free
//! parsing algorithm running in linear time on every LR(k) grammar without using
//! lookahead", Theoretical Computer Science 82, 1991): see `top`.
//!
//! The chart is kept: the next pattern is parsed from the first place on at which
//! it differs from the last one.
//!
//! Cost: an entry for each origin still open, at each node; a node in plain text
//! behind plain text has a handful. Bounded by a budget of entries, of states in
//! sets not met before, and of points walked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use lacuna_lexer::TerminalId;
use rustc_hash::FxHashMap;

use crate::Pattern;
use crate::cfg::Cfg;
use crate::cover::Cover;
use crate::derivation::Derivation;
use crate::gap_group::Member;
use crate::graph::{Addition, CompletionGraph, Edge, Label, Point, Step, common_rank};
use crate::lookahead::Lookahead;
use crate::sets::{Costed, GroupId, NOTHING, PassedId, SetId, StateSets};

/// What a parse found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parse {
    /// A path to the end.
    Found(Found),
    /// There is none.
    Nothing,
    /// More work than the budget allows.
    Exhausted,
}

/// A path through the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its edges, in order.
    pub path: Vec<Step>,
    /// What it adds to the gaps.
    pub additions: Vec<Addition>,
}

impl Found {
    /// The terminals of its lexemes, ignored ones left out.
    pub fn terminals(&self) -> Vec<TerminalId> {
        let labels = self.path.iter().map(|step| step.label);
        let terminals = labels.filter_map(|label| match label {
            Label::Lexeme(terminal) => Some(terminal),
            Label::Within | Label::End => None,
        });
        terminals.collect()
    }
}

/// Steps that one walk may take for each item of the budget.
const WALKED: usize = 4;

/// Entries of one node from which on they are found by a table.
const INDEXED_FROM: usize = 16;

pub(crate) type NodeId = u32;

const FREED: u32 = u32::MAX;

const NOT_QUEUED: u32 = u32::MAX;

/// All states at a node that began at one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub origin: NodeId,
    /// What edges and completions brought here.
    pub came: Costed,
    /// That, with all that follows at this node.
    pub settled: Costed,
    /// Whether it, or what waited where it began, has changed since it was settled.
    pub is_stale: bool,
    /// Whether it has changed since edges were taken from it.
    pub is_unread: bool,
}

impl Entry {
    pub(crate) fn new(origin: NodeId, came: Costed) -> Self {
        Self {
            origin,
            came,
            settled: Costed {
                set: NOTHING,
                cost: 0,
            },
            is_stale: true,
            is_unread: true,
        }
    }
}

/// A completion that was handed on over several levels at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skipped {
    /// What was complete, and where it began.
    pub passed: PassedId,
    pub cost: u32,
    pub origin: NodeId,
}

/// A node of the graph with all that is known there.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub point: Point,
    /// [`FREED`] once the node was dropped.
    rank: u32,
    /// The highest rank that its edges were found by looking at.
    reach: u32,
    pub edges: Option<Arc<[Edge]>>,
    /// Edges that stay inside a gap of any length, where its boundaries are too many
    /// to be worked out as a group.
    pub inside: Option<Arc<[Edge]>>,
    /// The boundaries of the gap of any length that it stands in.
    pub gap: Option<InGap>,
    pub entries: Vec<Entry>,
    /// What edges brought here since it was settled, by origin.
    arrivals: Vec<(NodeId, Costed)>,
    by_origin: FxHashMap<NodeId, u32>,
    /// The states of all that entries predict.
    predicted: SetId,
    /// The states of all that may begin here.
    pub begun: SetId,
    is_begun_unread: bool,
    /// Where edges come from.
    pub before: Vec<NodeId>,
    /// Nodes that have an entry whose origin is this one.
    users: Vec<NodeId>,
    pub skipped: Vec<Skipped>,
    /// Where completions of what began here come out, if they are only handed on.
    tops: FxHashMap<PassedId, Option<Top>>,
    /// The least cost at which it waits to be settled.
    queued: u32,
    is_settled: bool,
}

/// A node's place among the boundaries of a gap.
#[derive(Clone, Debug)]
pub(crate) struct InGap {
    pub group: GroupId,
    pub member: Member,
    /// The nodes of all members.
    pub nodes: Arc<[NodeId]>,
}

/// Where a chain of completions that only hand on comes out.
#[derive(Clone, Copy, Debug)]
struct Top {
    origin: NodeId,
    costed: Costed,
}

impl Node {
    fn new(point: Point, rank: u32) -> Self {
        Self {
            point,
            rank,
            reach: 0,
            edges: None,
            inside: None,
            gap: None,
            entries: Vec::new(),
            arrivals: Vec::new(),
            by_origin: FxHashMap::default(),
            predicted: NOTHING,
            begun: NOTHING,
            is_begun_unread: true,
            before: Vec::new(),
            users: Vec::new(),
            skipped: Vec::new(),
            tops: FxHashMap::default(),
            queued: NOT_QUEUED,
            is_settled: false,
        }
    }

    fn place(&self, origin: NodeId) -> Option<usize> {
        if self.entries.len() < INDEXED_FROM {
            return self.entries.iter().position(|e| e.origin == origin);
        }
        self.by_origin.get(&origin).map(|&at| at as usize)
    }

    pub(crate) fn insert(&mut self, entry: Entry) {
        if self.entries.len() + 1 == INDEXED_FROM {
            let all = self.entries.iter().map(|entry| entry.origin);
            self.by_origin = all.zip(0..).collect();
        }
        if self.entries.len() + 1 >= INDEXED_FROM {
            let at = self.entries.len() as u32;
            self.by_origin.insert(entry.origin, at);
        }
        self.entries.push(entry);
    }

    /// The settled states here that began at a node.
    pub(crate) fn began_at(&self, origin: NodeId) -> Option<Costed> {
        self.place(origin).map(|at| self.entries[at].settled)
    }
}

/// A chart, with what it was made for.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub(crate) nodes: Vec<Node>,
    ids: FxHashMap<Point, NodeId>,
    free: Vec<NodeId>,
    /// The nodes in each gap of any length.
    in_gaps: FxHashMap<u32, Vec<NodeId>>,
    queue: BinaryHeap<Reverse<(u32, u32, u32, NodeId)>>,
    work: usize,
    /// Nodes from which the text can end, with the cost of getting there.
    ends: Vec<(NodeId, u32)>,
    last: Option<Last>,
    /// What the rest of the pattern asks for.
    ahead: Option<Lookahead>,
}

#[derive(Clone, Debug)]
struct Last {
    pattern: Pattern,
    parse: Parse,
    /// Below this rank every consequence has been drawn.
    settled_below: u32,
}

impl Chart {
    /// Looks for a path through the graph that the grammar derives, within a
    /// budget of work. A chart serves one grammar, one vocabulary and one `sets`.
    pub fn parse(
        &mut self,
        cfg: &Cfg,
        sets: &mut StateSets,
        graph: &mut CompletionGraph<'_>,
        ahead: Option<(Lookahead, &Cover)>,
        budget: usize,
    ) -> Parse {
        let (ahead, cover) = ahead.unzip();
        let mut kept = match self.last.take() {
            Some(last) if last.pattern == *graph.pattern() && last.parse != Parse::Exhausted => {
                let parse = last.parse.clone();
                self.last = Some(last);
                return parse;
            }
            Some(last) => common_rank(&last.pattern, graph.pattern()).min(last.settled_below),
            None => 0,
        };
        if let (Some(before), Some(ahead)) = (&self.ahead, &ahead) {
            kept = before.differs(ahead, kept);
        }
        self.work = 0;
        sets.take_work();
        let again = self.forget(kept);
        self.ahead = ahead;
        let mut parser = Parser {
            chart: self,
            cfg,
            sets,
            graph,
            cover,
            budget,
            overrun: None,
        };
        let (mut parse, mut settled_below) = parser.run(again);
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

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Drops all that stands at a rank or above it, or was found by looking
    /// there; the nodes that are left whose edges led to what was dropped.
    fn forget(&mut self, changed: u32) -> Vec<NodeId> {
        self.queue.clear();
        self.ends.clear();
        let looked_at = self.nodes.iter().filter(|node| node.rank < changed);
        let looked_at = looked_at.filter(|node| node.reach >= changed);
        // What lies behind a node whose edges must be found again may be wrong.
        let kept = looked_at.map(|node| node.rank + 1).min();
        let kept = kept.unwrap_or(changed).min(changed);
        if kept == 0 {
            self.clear();
            return Vec::new();
        }
        let gone: Vec<bool> = self.nodes.iter().map(|node| node.rank >= kept).collect();
        for nodes in self.in_gaps.values_mut() {
            nodes.retain(|&id| !gone[id as usize]);
        }
        let mut again = Vec::new();
        for (id, node) in (0..).zip(&mut self.nodes) {
            if gone[id as usize] {
                if node.rank != FREED {
                    self.ids.remove(&node.point);
                    self.free.push(id);
                    node.rank = FREED;
                    node.entries.clear();
                    node.arrivals.clear();
                }
                continue;
            }
            node.users.retain(|&user| !gone[user as usize]);
            node.before.retain(|&before| !gone[before as usize]);
            node.queued = NOT_QUEUED;
            if node.reach >= kept {
                node.edges = None;
                again.push(id);
                node.is_begun_unread = true;
                for entry in &mut node.entries {
                    entry.is_unread = true;
                }
            }
        }
        again
    }
}

struct Parser<'a, 'g> {
    chart: &'a mut Chart,
    cfg: &'a Cfg,
    sets: &'a mut StateSets,
    graph: &'a mut CompletionGraph<'g>,
    cover: Option<&'a Cover>,
    budget: usize,
    /// The lowest rank of a node whose edges were too much work to find.
    overrun: Option<u32>,
}

impl Parser<'_, '_> {
    /// The parse, and the rank below which it is complete.
    fn run(&mut self, again: Vec<NodeId>) -> (Parse, u32) {
        let start = self.node(self.graph.start());
        if self.chart.nodes[start as usize].entries.is_empty() {
            let first = self.sets.start();
            self.join(start, start, first);
        }
        for id in again {
            self.enqueue(id, 0);
        }
        while let Some(Reverse((rank, _, cost, id))) = self.chart.queue.pop() {
            if self.chart.nodes[id as usize].queued != cost {
                continue;
            }
            self.chart.work += self.sets.take_work();
            if self.chart.work > self.budget || self.overrun.is_some() {
                return (Parse::Exhausted, rank);
            }
            match self.settle_gap(id) {
                Some(()) => {}
                None => self.settle(id, cost),
            }
        }
        let cheapest = self.chart.ends.iter().min_by_key(|&&(_, cost)| cost);
        let Some(&(end, cost)) = cheapest else {
            return (Parse::Nothing, u32::MAX);
        };
        let derivation = Derivation {
            nodes: &mut self.chart.nodes,
            cfg: self.cfg,
            sets: self.sets,
        };
        let found = derivation.path(end, start, cost).and_then(|mut path| {
            if let Some(ahead) = &self.chart.ahead {
                path = ahead.path(self.graph, &path)?;
            }
            let additions = self.graph.additions(&path)?;
            Some(Found { path, additions })
        });
        (found.map_or(Parse::Exhausted, Parse::Found), u32::MAX)
    }

    /// All consequences of what is known at a node; where edges may lead in
    /// circles, of what costs no more than `limit`, so that little is drawn twice.
    fn settle(&mut self, id: NodeId, limit: u32) {
        let node = &mut self.chart.nodes[id as usize];
        node.queued = NOT_QUEUED;
        let is_within = node.point.within;
        self.absorb(id);
        if is_within {
            return self.pass_on(id);
        }
        let again = std::mem::replace(&mut self.chart.nodes[id as usize].is_settled, true);
        let limit = match self.graph.gap(self.chart.nodes[id as usize].point) {
            Some(_) => limit,
            None => u32::MAX,
        };
        let mut grown = false;
        let stale = self.chart.nodes[id as usize].entries.iter();
        let stale = stale.filter(|entry| entry.is_stale);
        let mut pending: Vec<(u32, NodeId)> = stale
            .map(|entry| (self.chart.nodes[entry.origin as usize].rank, entry.origin))
            .collect();
        // What began last completes first.
        pending.sort_unstable();
        while let Some((_, origin)) = pending.pop() {
            self.chart.work += 1;
            let begun = self.chart.nodes[origin as usize].begun;
            let node = &mut self.chart.nodes[id as usize];
            let Some(at) = node.place(origin) else {
                continue;
            };
            let entry = &mut node.entries[at];
            if entry.came.cost > limit {
                continue;
            }
            entry.is_stale = false;
            let set = self.sets.settle(self.cfg, entry.came.set, begun);
            let came = entry.came;
            let settled = self.asked(id, Costed { set, ..came });
            let settled = settled.unwrap_or(plain(NOTHING));
            let node = &mut self.chart.nodes[id as usize];
            let entry = &mut node.entries[at];
            if settled != entry.settled {
                grown = true;
                entry.settled = settled;
                entry.is_unread = true;
            }
            let facts = self.sets.facts(self.cfg, settled.set);
            let predicted = (plain(node.predicted), plain(facts.predicts));
            node.predicted = self.sets.union(predicted.0, predicted.1).set;
            if let Some((passed, cost)) = facts.completes {
                let cost = cost.saturating_add(settled.cost);
                self.complete(id, origin, passed, cost, &mut pending);
            }
        }
        let left = self.chart.nodes[id as usize].entries.iter();
        let left = left.filter(|entry| entry.is_stale);
        if let Some(cost) = left.map(|entry| entry.came.cost).min() {
            self.enqueue(id, cost);
        }
        let predicted = plain(self.chart.nodes[id as usize].predicted);
        let begun = self.asked(id, predicted).map_or(NOTHING, |kept| kept.set);
        let node = &mut self.chart.nodes[id as usize];
        if begun != node.begun {
            grown = true;
            node.begun = begun;
            node.is_begun_unread = true;
        }
        // What began here may be complete here, within a gap.
        if grown && (again || node.place(id).is_some()) {
            // What waits here has changed after others completed what began here.
            node.tops.clear();
            for user in node.users.clone() {
                let user_node = &mut self.chart.nodes[user as usize];
                if user_node.is_settled
                    && let Some(at) = user_node.place(id)
                {
                    let entry = &mut user_node.entries[at];
                    entry.is_stale = true;
                    let cost = entry.came.cost;
                    self.enqueue(user, cost);
                }
            }
        }
        self.take_edges(id);
    }

    /// Within a lexeme nothing follows but that it goes on.
    fn pass_on(&mut self, id: NodeId) {
        let node = &mut self.chart.nodes[id as usize];
        self.chart.work += node.entries.len();
        node.is_settled = true;
        for entry in &mut node.entries {
            entry.is_unread |= std::mem::take(&mut entry.is_stale);
            entry.settled = entry.came;
        }
        self.take_edges(id);
    }

    /// All consequences of what is known in a gap of any length, at all its
    /// boundaries at once. `None` if the node stands in none, or its boundaries are
    /// too many.
    fn settle_gap(&mut self, id: NodeId) -> Option<()> {
        let segment = self.graph.gap(self.chart.nodes[id as usize].point)?;
        if self.chart.nodes[id as usize].gap.is_some() {
            // Nothing new can come to a gap that was settled.
            self.chart.nodes[id as usize].queued = NOT_QUEUED;
            self.take_edges(id);
            return Some(());
        }
        let known = self
            .chart
            .in_gaps
            .get(&segment)
            .cloned()
            .unwrap_or_default();
        known.iter().for_each(|&id| self.absorb(id));
        let points = known.iter().map(|&id| self.chart.nodes[id as usize].point);
        let boundaries = self.graph.boundaries(self.cfg, points);
        let group = self.sets.group(self.cfg, &boundaries)?;
        let nodes = boundaries.states.iter();
        let nodes: Arc<[NodeId]> = nodes
            .map(|&state| self.node(self.graph.node_in_gap(segment, state)))
            .collect();
        let mut pending: Vec<(u32, NodeId)> = Vec::new();
        for (member, &id) in (0..).zip(nodes.iter()) {
            let nodes = Arc::clone(&nodes);
            self.chart.nodes[id as usize].queued = NOT_QUEUED;
            self.chart.nodes[id as usize].is_settled = true;
            self.chart.nodes[id as usize].gap = Some(InGap {
                group,
                member,
                nodes,
            });
            for entry in &self.chart.nodes[id as usize].entries {
                pending.push((self.chart.nodes[entry.origin as usize].rank, entry.origin));
            }
        }
        // What began last completes first.
        pending.sort_unstable();
        pending.dedup();
        let mut predicted = vec![NOTHING; nodes.len()];
        while let Some((_, origin)) = pending.pop() {
            self.settle_gap_origin(group, &nodes, origin, &mut predicted, &mut pending);
        }
        let begun = self.sets.begin_gap(self.cfg, &predicted, group);
        for (origin, &places) in nodes.iter().zip(begun.iter()) {
            for &(member, part) in self.sets.part(places).iter() {
                let node = nodes[member as usize];
                let Some(part) = self.asked(node, part) else {
                    continue;
                };
                match node == *origin {
                    true => self.chart.nodes[node as usize].begun = part.set,
                    false => {
                        self.merge(node, *origin, part);
                        let node = &mut self.chart.nodes[node as usize];
                        if let Some(at) = node.place(*origin) {
                            let known = node.entries[at].settled;
                            node.entries[at].settled = self.sets.union(known, part);
                            node.entries[at].is_stale = false;
                        }
                    }
                }
            }
        }
        for &id in nodes.iter() {
            self.take_edges(id);
        }
        Some(())
    }

    /// All consequences, in a gap, of what began at one place before it.
    fn settle_gap_origin(
        &mut self,
        group: GroupId,
        nodes: &[NodeId],
        origin: NodeId,
        predicted: &mut [SetId],
        pending: &mut Vec<(u32, NodeId)>,
    ) {
        let mut places = plain(NOTHING);
        for (member, &id) in (0..).zip(nodes) {
            let node = &mut self.chart.nodes[id as usize];
            if let Some(at) = node.place(origin) {
                node.entries[at].is_stale = false;
                let came = node.entries[at].came;
                let set = self.sets.lift(came.set, member);
                places = self.sets.union(places, Costed { set, ..came });
            }
        }
        let begun = self.chart.nodes[origin as usize].begun;
        let begun = match nodes.contains(&origin) {
            true => NOTHING,
            false => begun,
        };
        let settled = self.sets.settle_gap(self.cfg, places.set, begun, group);
        for &(member, part) in self.sets.part(settled).iter() {
            self.chart.work += 1;
            let id = nodes[member as usize];
            let settled = Costed {
                cost: part.cost.saturating_add(places.cost),
                ..part
            };
            let Some(settled) = self.asked(id, settled) else {
                continue;
            };
            if self.chart.nodes[id as usize].place(origin).is_none() {
                self.merge(id, origin, settled);
            }
            let node = &mut self.chart.nodes[id as usize];
            let Some(at) = node.place(origin) else {
                continue;
            };
            node.entries[at].settled = settled;
            node.entries[at].is_stale = false;
            let facts = self.sets.facts(self.cfg, settled.set);
            let known = plain(predicted[member as usize]);
            predicted[member as usize] = self.sets.union(known, plain(facts.predicts)).set;
            if let Some((passed, cost)) = facts.completes
                && !nodes.contains(&origin)
            {
                let cost = cost.saturating_add(settled.cost);
                self.complete(id, origin, passed, cost, pending);
            }
        }
    }

    fn take_edges(&mut self, id: NodeId) {
        let edges = self.edges(id);
        let inside = self.edges_inside(id);
        let inside = inside.iter().flat_map(|edges| edges.iter());
        for edge in edges.iter().chain(inside) {
            if edge.label == Label::End {
                self.end(id, edge.cost);
                continue;
            }
            let mut to = None;
            let count = self.chart.nodes[id as usize].entries.len();
            for at in 0..=count {
                let node = &self.chart.nodes[id as usize];
                let (origin, from) = match node.entries.get(at) {
                    Some(entry) if entry.is_unread => (entry.origin, entry.settled),
                    None if node.is_begun_unread => (id, plain(node.begun)),
                    Some(_) | None => continue,
                };
                let read = match edge.label {
                    Label::Lexeme(terminal) => self.sets.read(self.cfg, from.set, terminal),
                    Label::Within | Label::End => (from.set != NOTHING).then(|| plain(from.set)),
                };
                if let Some(read) = read {
                    let to = *to.get_or_insert_with(|| self.node(edge.to));
                    let cost = from.cost.saturating_add(read.cost);
                    let cost = cost.saturating_add(edge.cost);
                    self.chart.work += 1;
                    self.join(to, origin, Costed { cost, ..read });
                }
            }
            if let Some(to) = to {
                let before = &mut self.chart.nodes[to as usize].before;
                if !before.contains(&id) {
                    before.push(id);
                }
            }
        }
        let node = &mut self.chart.nodes[id as usize];
        node.is_begun_unread = false;
        for entry in &mut node.entries {
            entry.is_unread = false;
        }
    }

    /// The text may end behind a node.
    fn end(&mut self, id: NodeId, cost: u32) {
        let mut cheapest: Option<u32> = None;
        for at in 0..self.chart.nodes[id as usize].entries.len() {
            let settled = self.chart.nodes[id as usize].entries[at].settled;
            if let Some(end) = self.sets.facts(self.cfg, settled.set).ends {
                let cost = cost.saturating_add(end).saturating_add(settled.cost);
                cheapest = Some(cheapest.map_or(cost, |known| known.min(cost)));
            }
        }
        self.chart.ends.retain(|&(known, _)| known != id);
        self.chart.ends.extend(cheapest.map(|cost| (id, cost)));
    }

    /// Lets all that waited at `origin` pass what was completed.
    fn complete(
        &mut self,
        id: NodeId,
        origin: NodeId,
        passed: PassedId,
        cost: u32,
        pending: &mut Vec<(u32, NodeId)>,
    ) {
        let nodes = &self.chart.nodes;
        // What stands earlier does not change any more.
        if nodes[origin as usize].rank < nodes[id as usize].rank
            && let Some(top) = self.top(origin, passed)
        {
            let skipped = Skipped {
                passed,
                cost,
                origin,
            };
            self.chart.nodes[id as usize].skipped.push(skipped);
            let cost = cost.saturating_add(top.costed.cost);
            let costed = Costed { cost, ..top.costed };
            self.join_here(id, top.origin, costed, pending);
            return;
        }
        for at in 0..self.chart.nodes[origin as usize].entries.len() {
            let waiting = self.chart.nodes[origin as usize].entries[at];
            if let Some(next) = self.sets.pass(self.cfg, waiting.settled.set, passed) {
                let before = waiting.settled.cost.saturating_add(next.cost);
                let cost = cost.saturating_add(before);
                self.join_here(id, waiting.origin, Costed { cost, ..next }, pending);
            }
        }
    }

    /// Where a completion comes out that is only handed on, over two levels or
    /// more.
    fn top(&mut self, origin: NodeId, passed: PassedId) -> Option<Top> {
        if let Some(&known) = self.chart.nodes[origin as usize].tops.get(&passed) {
            return known;
        }
        let mut chain: Vec<(NodeId, PassedId, u32)> = Vec::new();
        let (mut at, mut what, mut cost) = (origin, passed, 0u32);
        let mut top: Option<Top> = None;
        let mut levels = 0;
        while let Some(handed) = handed_on(&self.chart.nodes, self.sets, self.cfg, at, what) {
            chain.push((at, what, cost));
            levels += 1;
            let costed = Costed {
                cost: cost.saturating_add(handed.costed.cost),
                ..handed.costed
            };
            top = Some(Top {
                origin: handed.origin,
                costed,
            });
            cost = costed.cost.saturating_add(handed.completes.1);
            (at, what) = (handed.origin, handed.completes.0);
            if let Some(Some(known)) = self.chart.nodes[at as usize].tops.get(&what) {
                let cost = cost.saturating_add(known.costed.cost);
                let costed = Costed {
                    cost,
                    ..known.costed
                };
                top = Some(Top { costed, ..*known });
                levels += 1;
                break;
            }
        }
        let top = top.filter(|_| levels > 1);
        self.chart.nodes[origin as usize].tops.insert(passed, top);
        let top = top?;
        // The last level has nothing to skip.
        for &(at, what, before) in &chain[..chain.len() - 1] {
            let costed = Costed {
                cost: top.costed.cost - before,
                ..top.costed
            };
            let top = Top { costed, ..top };
            self.chart.nodes[at as usize].tops.insert(what, Some(top));
        }
        Some(top)
    }

    fn join_here(
        &mut self,
        id: NodeId,
        origin: NodeId,
        costed: Costed,
        pending: &mut Vec<(u32, NodeId)>,
    ) {
        self.chart.work += 1;
        if self.merge(id, origin, costed) {
            let rank = self.chart.nodes[origin as usize].rank;
            if let Err(at) = pending.binary_search(&(rank, origin)) {
                pending.insert(at, (rank, origin));
            }
        }
    }

    /// Brings states to a node along an edge.
    fn join(&mut self, id: NodeId, origin: NodeId, costed: Costed) {
        self.chart.nodes[id as usize]
            .arrivals
            .push((origin, costed));
        self.enqueue(id, costed.cost);
    }

    /// Makes entries of what edges brought to a node, all of one origin at once.
    fn absorb(&mut self, id: NodeId) {
        let mut arrivals = std::mem::take(&mut self.chart.nodes[id as usize].arrivals);
        arrivals.sort_unstable();
        for arrived in arrivals.chunk_by(|a, b| a.0 == b.0) {
            let all = arrived.iter().map(|&(_, costed)| costed).collect();
            let union = self.sets.union_of(all);
            self.merge(id, arrived[0].0, union);
        }
    }

    /// Adds states to a node; whether that says anything new.
    fn merge(&mut self, id: NodeId, origin: NodeId, costed: Costed) -> bool {
        let Some(costed) = self.asked(id, costed) else {
            return false;
        };
        let node = &mut self.chart.nodes[id as usize];
        if let Some(at) = node.place(origin) {
            let came = node.entries[at].came;
            let union = self.sets.union(came, costed);
            if union == came {
                return false;
            }
            node.entries[at].came = union;
            node.entries[at].is_stale = true;
            return true;
        }
        node.insert(Entry::new(origin, costed));
        self.chart.nodes[origin as usize].users.push(id);
        true
    }

    /// What is left of a set at a node where the rest of the pattern asks for some
    /// states only.
    fn asked(&mut self, id: NodeId, costed: Costed) -> Option<Costed> {
        let node = &self.chart.nodes[id as usize];
        if node.point.within {
            return Some(costed);
        }
        let ahead = self.chart.ahead.as_ref().zip(self.cover);
        let asked =
            ahead.and_then(|(ahead, cover)| Some((ahead.asks(node.point, node.rank)?, cover)));
        match asked {
            None => Some(costed),
            Some((asked, cover)) => self.sets.keep(cover, costed, asked),
        }
    }

    fn enqueue(&mut self, id: NodeId, cost: u32) {
        let node = &mut self.chart.nodes[id as usize];
        if cost < node.queued {
            node.queued = cost;
            let place = (node.rank, node.point.order(), cost, id);
            self.chart.queue.push(Reverse(place));
        }
    }

    fn edges(&mut self, id: NodeId) -> Arc<[Edge]> {
        let node = &mut self.chart.nodes[id as usize];
        if let Some(edges) = &node.edges {
            return Arc::clone(edges);
        }
        // A walk may take many steps for each point that counts as work; memory
        // is what bounds it.
        let ahead = self.chart.ahead.as_ref();
        if let Some(asked) = ahead.and_then(|ahead| ahead.edges(node.point)) {
            node.reach = asked.reach;
            node.edges = Some(Arc::clone(&asked.edges));
            return asked.edges;
        }
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

    /// The edges inside a gap whose boundaries are too many to be settled at once.
    fn edges_inside(&mut self, id: NodeId) -> Option<Arc<[Edge]>> {
        let node = &mut self.chart.nodes[id as usize];
        if node.gap.is_none() && node.inside.is_none() && self.graph.gap(node.point).is_some() {
            node.inside = Some(self.graph.edges_inside(node.point).into());
        }
        node.inside.clone()
    }

    fn node(&mut self, point: Point) -> NodeId {
        if let Some(&known) = self.chart.ids.get(&point) {
            return known;
        }
        let node = Node::new(point, self.graph.rank(point));
        let gap = self.graph.gap(point);
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
        if let Some(segment) = gap {
            self.chart.in_gaps.entry(segment).or_default().push(id);
        }
        id
    }
}

/// One level of a completion that is only handed on.
pub(crate) struct HandedOn {
    /// Where what it becomes began.
    pub origin: NodeId,
    /// What it becomes.
    pub costed: Costed,
    /// What that completes, and at what further cost.
    pub completes: (PassedId, u32),
}

/// What a completion becomes if exactly one entry waits for it and is then complete
/// itself and nothing else.
pub(crate) fn handed_on(
    nodes: &[Node],
    sets: &mut StateSets,
    cfg: &Cfg,
    at: NodeId,
    passed: PassedId,
) -> Option<HandedOn> {
    let node = &nodes[at as usize];
    if sets.pass(cfg, node.begun, passed).is_some() {
        return None;
    }
    let mut found: Option<(NodeId, Costed)> = None;
    for entry in &node.entries {
        if let Some(next) = sets.pass(cfg, entry.settled.set, passed) {
            if found.is_some() {
                return None;
            }
            let cost = entry.settled.cost.saturating_add(next.cost);
            found = Some((entry.origin, Costed { cost, ..next }));
        }
    }
    let (origin, costed) = found?;
    let facts = sets.facts(cfg, costed.set);
    let earlier = nodes[origin as usize].rank < node.rank;
    (earlier && facts.only_completes).then_some(HandedOn {
        origin,
        costed,
        completes: facts.completes?,
    })
}

fn plain(set: SetId) -> Costed {
    Costed { set, cost: 0 }
}
