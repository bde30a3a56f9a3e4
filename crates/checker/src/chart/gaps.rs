//! Gaps of any length, settled at all their boundaries at once.
//!
//! Inside such a gap lexemes lead in circles. What that does to a parse is the same for
//! every gap with the same boundaries, and worked out once
//! ([`gap_group`](crate::gap_group)); here it is applied to what came to one gap.

use lacuna_lexer::SortFew;
use std::sync::Arc;

use super::node::{InGap, NOT_QUEUED};
use super::parser::Parser;
use super::{NodeId, plain};
use crate::sets::{Costed, GroupId, NOTHING, SetId};

impl Parser<'_, '_> {
    /// All consequences of what is known in a gap of any length, at all its
    /// boundaries at once. `None` if the node stands in none, or its boundaries are
    /// too many.
    pub(super) fn settle_gap(&mut self, id: NodeId) -> Option<()> {
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
        pending.sort_few();
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
}
