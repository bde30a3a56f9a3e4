//! The parser's loop: nodes in the order of their places, their edges, and what these
//! bring where they lead.

use lacuna_lexer::SortFew;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::sync::Arc;

use super::node::{NOT_QUEUED, Node};
use super::{Chart, Entry, Found, NodeId, Parse, plain};
use crate::cfg::Cfg;
use crate::cover::{Cover, CoverSetId};
use crate::derivation::Derivation;
use crate::graph::{CompletionGraph, Edge, Label, Point};
use crate::sets::{Costed, NOTHING, StateSets};

/// Steps that one walk may take for each item of the budget.
const WALKED: usize = 4;

/// A parse under way.
pub(super) struct Parser<'a, 'g> {
    pub chart: &'a mut Chart,
    pub cfg: &'a Cfg,
    pub sets: &'a mut StateSets,
    pub graph: &'a mut CompletionGraph<'g>,
    pub cover: Option<&'a Cover>,
    pub budget: usize,
    /// The lowest rank of a node whose edges were too much work to find.
    pub overrun: Option<u32>,
}

impl<'a> Parser<'a, '_> {
    /// The parse, and the rank below which it is complete.
    pub fn run(&mut self, again: Vec<NodeId>) -> (Parse, u32) {
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
            self.sets.limit(self.budget - self.chart.work);
            match self.settle_gap(id) {
                Some(()) => {}
                None => self.settle(id, cost),
            }
            if self.sets.is_overrun() {
                return (Parse::Exhausted, rank);
            }
        }
        self.sets.limit(usize::MAX);
        let cheapest = self.chart.ends.iter().min_by_key(|&&(_, cost)| cost);
        let Some(&(end, cost)) = cheapest else {
            return (Parse::Nothing, u32::MAX);
        };
        let derivation = Derivation {
            nodes: &mut self.chart.nodes,
            cfg: self.cfg,
            sets: self.sets,
            last: 0,
            work: 0,
            arrivals: FxHashMap::default(),
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
        pending.sort_few();
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

    pub fn take_edges(&mut self, id: NodeId) {
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

    /// Brings states to a node along an edge.
    fn join(&mut self, id: NodeId, origin: NodeId, costed: Costed) {
        self.chart.nodes[id as usize]
            .arrivals
            .push((origin, costed));
        self.enqueue(id, costed.cost);
    }

    /// Makes entries of what edges brought to a node, all of one origin at once.
    pub fn absorb(&mut self, id: NodeId) {
        let mut arrivals = std::mem::take(&mut self.chart.nodes[id as usize].arrivals);
        arrivals.sort_few();
        for arrived in arrivals.chunk_by(|a, b| a.0 == b.0) {
            let all = arrived.iter().map(|&(_, costed)| costed).collect();
            let union = self.sets.union_of(all);
            self.merge(id, arrived[0].0, union);
        }
    }

    /// Adds states to a node; whether that says anything new.
    pub fn merge(&mut self, id: NodeId, origin: NodeId, costed: Costed) -> bool {
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
    pub fn asked(&mut self, id: NodeId, costed: Costed) -> Option<Costed> {
        match self.asks(id) {
            None => Some(costed),
            Some((asked, cover)) => self.sets.keep(cover, costed, asked),
        }
    }

    /// The states that the rest of the pattern asks for at a node; `None` if all may be.
    pub fn asks(&self, id: NodeId) -> Option<(CoverSetId, &'a Cover)> {
        let node = &self.chart.nodes[id as usize];
        let (ahead, cover) = self.chart.ahead.as_ref().zip(self.cover)?;
        match node.point.within {
            true => None,
            false => Some((ahead.asks(node.point, node.rank)?, cover)),
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
            let edges: Arc<[Edge]> = asked.edges.into();
            node.reach = asked.reach;
            node.edges = Some(Arc::clone(&edges));
            return edges;
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

    pub fn node(&mut self, point: Point) -> NodeId {
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
