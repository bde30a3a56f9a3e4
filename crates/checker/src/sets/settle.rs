//! What follows from a set at once, with no text between: completion, and in a gap all
//! that it may hold.
//!
//! Dijkstra's algorithm over places, each taken at its least cost once. Where items may
//! stand in any order, states whose futures others have too are left out; without that,
//! a gap of *n* items would hold each subset of them.

use lacuna_lexer::SortFew;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::places::{STATE_BITS, STATES, at};
use super::{GroupId, INDEXED_FROM, NO_GROUP, NOTHING, SetId, StateSets};
use crate::cfg::{Cfg, Symbol};
use crate::lr::StateId;

impl StateSets {
    /// All that follows from a set where it stands: what completes lets
    /// `predicted`, the states that began where the set began, go on.
    pub fn settle(&mut self, cfg: &Cfg, set: SetId, predicted: SetId) -> SetId {
        self.close(cfg, set, predicted, None)
    }

    /// The same for a set of places in a gap, where lexemes may follow as well.
    pub fn settle_gap(
        &mut self,
        cfg: &Cfg,
        places: SetId,
        predicted: SetId,
        group: GroupId,
    ) -> SetId {
        self.close(cfg, places, predicted, Some(group))
    }

    fn close(&mut self, cfg: &Cfg, set: SetId, predicted: SetId, group: Option<GroupId>) -> SetId {
        let key = (set, predicted, group.unwrap_or(NO_GROUP));
        if let Some(&known) = self.settled.get(&key) {
            return known;
        }
        let members = self.members(set);
        let waiting = self.members(predicted);
        let waiting_by = match waiting.len() < INDEXED_FROM {
            true => None,
            false => Some(self.by_nonterminal(cfg, predicted)),
        };
        let mut queue = Relaxation::default();
        let mut behind = Vec::new();
        for &(place, cost) in members.iter() {
            queue.relax(place, cost);
        }
        // Where items stand in any order, what follows one state in a gap may all follow
        // a cheaper one.
        let mut between = Between::default();
        let mut needless: FxHashSet<u32> = FxHashSet::default();
        while let Some((place, cost)) = queue.settle() {
            self.work += 1;
            if self.overruns() {
                return NOTHING;
            }
            let (state, member) = (place & STATES, place >> STATE_BITS);
            if group.is_some() && !cfg.interleaves.is_empty() && self.states.is_between(state) {
                let alike = between.alike(at(self.states.within(state), member));
                let serves = |better: &u32| self.states.serves(cfg, better & STATES, state);
                self.work += alike.len() / 64;
                if alike.iter().any(serves) {
                    needless.insert(place);
                    continue;
                }
                alike.push(place);
            }
            let here = |state: StateId| at(state, member);
            if let Some(group) = group {
                let relax = |_, target, (to, step): (u32, u32)| {
                    queue.relax(at(target, to), cost.saturating_add(step));
                };
                self.each_inside(cfg, group, state, member, relax);
            }
            let state = self.states.get(cfg, state);
            for &nonterminal in &state.completes {
                match &waiting_by {
                    None => {
                        for &(waiting, before) in waiting.iter() {
                            let symbol = Symbol::Nonterminal(nonterminal);
                            if let Some(target) = self.states.after(cfg, waiting, symbol) {
                                queue.relax(here(target), cost.saturating_add(before));
                            }
                        }
                    }
                    Some(targets) => {
                        let symbol = Symbol::Nonterminal(nonterminal);
                        behind.clear();
                        self.step(cfg, targets, symbol, &mut behind);
                        for &(target, before) in &behind {
                            queue.relax(here(target), cost.saturating_add(before));
                        }
                    }
                }
            }
        }
        self.mark_needless(cfg, &between, &queue, &mut needless);
        if self.is_overrun() {
            return NOTHING;
        }
        let mut settled = queue.settled();
        settled.retain(|&(place, _)| !needless.contains(&place));
        let id = self.intern(settled);
        self.settled.insert(key, id);
        id
    }

    /// Marks those places whose future others have too that saw fewer items, though they
    /// cost more; but the cheapest stay, which have the shortest witnesses.
    fn mark_needless(
        &mut self,
        cfg: &Cfg,
        between: &Between,
        queue: &Relaxation,
        needless: &mut FxHashSet<u32>,
    ) {
        let cost = |place: u32| queue.costs.get(&place).copied().unwrap_or(u32::MAX);
        for alike in &between.alike {
            let cheapest = alike.iter().map(|&place| cost(place)).min();
            let mut fewest_first: Vec<(u32, u32)> = alike
                .iter()
                .map(|&place| (self.states.seen(place & STATES), place))
                .collect();
            fewest_first.sort_unstable();
            let mut kept: Vec<(u32, u32)> = Vec::new();
            for (seen, place) in fewest_first {
                self.work += kept.len() / 64;
                if self.overruns() {
                    return;
                }
                let serves = |&(fewer, better): &(u32, u32)| {
                    fewer < seen && self.states.serves(cfg, better & STATES, place & STATES)
                };
                if cheapest != Some(cost(place)) && kept.iter().any(serves) {
                    needless.insert(place);
                } else {
                    kept.push((seen, place));
                }
            }
        }
    }
}

/// The places between items in any order, by their boundary and where in which items they are:
/// only such as are alike can serve one another.
#[derive(Default)]
struct Between {
    numbers: FxHashMap<u32, u32>,
    alike: Vec<Vec<u32>>,
}

impl Between {
    fn alike(&mut self, kind: u32) -> &mut Vec<u32> {
        let fresh = self.alike.len() as u32;
        let number = *self.numbers.entry(kind).or_insert(fresh);
        if number == fresh {
            self.alike.push(Vec::new());
        }
        &mut self.alike[number as usize]
    }
}

/// Dijkstra's algorithm, the graph being known to whoever drives it.
#[derive(Default)]
struct Relaxation {
    costs: FxHashMap<u32, u32>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Relaxation {
    fn relax(&mut self, place: u32, cost: u32) {
        let known = self.costs.entry(place).or_insert(u32::MAX);
        if cost < *known {
            *known = cost;
            self.queue.push(Reverse((cost, place)));
        }
    }

    /// The cheapest place not settled yet.
    fn settle(&mut self) -> Option<(u32, u32)> {
        loop {
            let Reverse((cost, place)) = self.queue.pop()?;
            if self.costs.get(&place) == Some(&cost) {
                return Some((place, cost));
            }
        }
    }

    fn settled(self) -> Vec<(u32, u32)> {
        let mut settled: Vec<(u32, u32)> = self.costs.into_iter().collect();
        settled.sort_few();
        settled
    }
}
