//! Completions, and those skipped that are only handed on (Leo 1991).

use super::node::{Skipped, Top};
use super::parser::Parser;
use super::{Node, NodeId};
use crate::cfg::Cfg;
use crate::sets::{Costed, PassedId, StateSets};

impl Parser<'_, '_> {
    /// Lets all that waited at `origin` pass what was completed.
    pub(super) fn complete(
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
            if self.sets.is_broad(self.cfg, waiting.settled.set)
                && let Some((asked, cover)) = self.asks(id)
                && !self
                    .sets
                    .may_pass(self.cfg, cover, waiting.settled.set, passed, asked)
            {
                continue;
            }
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
        if self.sets.is_overrun() {
            return None;
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
        if sets.is_broad(cfg, entry.settled.set) {
            return None;
        }
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
