//! Places, the states at the boundaries of a gap, as members of sets: what may begin at
//! each boundary, and the states of each apart.

use std::sync::Arc;
#[cfg(feature = "shortcuts")]
use std::sync::PoisonError;

#[cfg(feature = "shortcuts")]
use super::Grouped;
use super::{Costed, GroupId, NOTHING, SetId, StateSets};
use crate::cfg::{Cfg, Symbol};
use crate::gap_group::{Boundaries, GapGroup, Member};
use crate::lr::StateId;

/// Bits of a place that tell its state; the rest tell its boundary.
pub(super) const STATE_BITS: u32 = 24;

/// The bits that tell a place's state.
pub(super) const STATES: u32 = (1 << STATE_BITS) - 1;

/// A state as a place at a boundary.
pub(super) fn at(state: StateId, member: Member) -> u32 {
    state | (member << STATE_BITS)
}

/// Groups that copies of sets share, and the bytes that these may take.
#[cfg(feature = "shortcuts")]
const MOST_SHARED: (usize, usize) = (64, 16 << 20);

/// What is predicted at each boundary of a gap.
pub(super) type Beginning = (GroupId, Box<[SetId]>);

impl StateSets {
    /// A set of states as places at a boundary of a gap.
    pub fn lift(&mut self, set: SetId, member: Member) -> SetId {
        if member == 0 {
            return set;
        }
        if let Some(&known) = self.lifted.get(&(set, member)) {
            return known;
        }
        let members = self.members(set);
        let places = members.iter();
        let places = places.map(|&(state, cost)| (at(state, member), cost));
        let lifted = self.intern(places.collect());
        self.lifted.insert((set, member), lifted);
        lifted
    }

    /// The states of a set of places at each boundary.
    pub fn part(&mut self, places: SetId) -> Arc<[(Member, Costed)]> {
        if let Some(known) = self.parted.get(&places) {
            return Arc::clone(known);
        }
        let members = self.members(places);
        let mut parts = Vec::new();
        for places in members.chunk_by(|a, b| a.0 >> STATE_BITS == b.0 >> STATE_BITS) {
            let states = places.iter();
            let states = states.map(|&(place, cost)| (place & STATES, cost));
            let member = places[0].0 >> STATE_BITS;
            parts.extend(self.normalise(states.collect()).map(|part| (member, part)));
        }
        let parts: Arc<[(Member, Costed)]> = parts.into();
        self.parted.insert(places, Arc::clone(&parts));
        parts
    }

    /// The states of a set that are not in another.
    fn without(&mut self, set: SetId, other: SetId) -> SetId {
        let (members, other) = (self.members(set), self.members(other));
        let is_known = |state| {
            other
                .binary_search_by_key(&state, |&(state, _)| state)
                .is_ok()
        };
        let left = members.iter().filter(|&&(state, _)| !is_known(state));
        let left = left.copied().collect();
        self.normalise(left).map_or(NOTHING, |left| left.set)
    }

    /// All that may begin at the boundaries of a gap, where what `predicted` holds
    /// for each boundary may begin, and what may begin behind lexemes. For each
    /// boundary, the places of what began there.
    pub fn begin_gap(&mut self, cfg: &Cfg, predicted: &[SetId], group: GroupId) -> Arc<[SetId]> {
        let key = (group, predicted.into());
        if let Some(known) = self.begun.get(&key) {
            return Arc::clone(known);
        }
        // Each round goes on from what the last one added; what began is closed at the end,
        // where of states that serve alike the best is known.
        let mut all = predicted.to_vec();
        let mut fresh = all.clone();
        while fresh.iter().any(|&set| set != NOTHING) {
            let mut found: Vec<Vec<Costed>> = vec![Vec::new(); all.len()];
            for (origin, &set) in fresh.iter().enumerate() {
                let places = self.lift(set, origin as Member);
                let begun = self.settle_gap(cfg, places, NOTHING, group);
                for &(member, part) in self.part(begun).iter() {
                    let set = self.facts(cfg, part.set).predicts;
                    found[member as usize].push(Costed { set, cost: 0 });
                }
            }
            for (at, found) in found.into_iter().enumerate() {
                let found = self.union_of(found);
                fresh[at] = self.without(found.set, all[at]);
                let known = Costed {
                    set: all[at],
                    cost: 0,
                };
                all[at] = self.union(known, found).set;
            }
        }
        let mut begun: Vec<SetId> = Vec::with_capacity(all.len());
        for (origin, &set) in all.iter().enumerate() {
            let places = self.lift(set, origin as Member);
            begun.push(self.settle_gap(cfg, places, NOTHING, group));
        }
        let begun: Arc<[SetId]> = begun.into();
        if !self.is_overrun() {
            self.begun.insert(key, Arc::clone(&begun));
        }
        begun
    }

    /// The group of a gap's boundaries; `None` if there are too many of them.
    pub fn group(&mut self, cfg: &Cfg, boundaries: &Arc<Boundaries>) -> Option<GroupId> {
        let mut known = self.groups.iter();
        let known = known.position(|(known, _)| {
            Arc::ptr_eq(known, boundaries) || known.as_ref() == boundaries.as_ref()
        });
        let id = known.unwrap_or_else(|| {
            let group = self.make_group(cfg, boundaries);
            self.groups.push((Arc::clone(boundaries), group));
            self.groups.len() - 1
        });
        self.groups[id].1.as_ref().map(|_| id as GroupId)
    }

    #[cfg(not(feature = "shortcuts"))]
    fn make_group(&self, cfg: &Cfg, boundaries: &Arc<Boundaries>) -> Option<Arc<GapGroup>> {
        GapGroup::new(cfg, self.states.nullable(), boundaries).map(Arc::new)
    }

    /// A group, worked out once for all copies of these sets.
    #[cfg(feature = "shortcuts")]
    fn make_group(&self, cfg: &Cfg, boundaries: &Arc<Boundaries>) -> Option<Arc<GapGroup>> {
        // What a thread that panicked left here is whole.
        let known = self.shared_groups.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        let is_its = |(of, _): &&Grouped| of.as_ref() == boundaries.as_ref();
        if let Some((_, group)) = known.iter().find(is_its) {
            return group.clone();
        }
        let group = GapGroup::new(cfg, self.states.nullable(), boundaries).map(Arc::new);
        let all = known.iter().map(|(_, group)| group).chain([&group]);
        let bytes: usize = all.flatten().map(|group| group.heap_bytes()).sum();
        if known.len() < MOST_SHARED.0 && bytes <= MOST_SHARED.1 {
            known.push((Arc::clone(boundaries), group.clone()));
        }
        group
    }

    #[cfg(feature = "shortcuts")]
    pub(super) fn shared_group_bytes(&self) -> usize {
        let known = self.shared_groups.lock();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        let groups = known.iter().filter_map(|(_, group)| group.as_ref());
        groups.map(|group| group.heap_bytes()).sum()
    }

    /// Shows where a state leads in a group over whole symbols, from a boundary.
    pub(crate) fn each_inside(
        &mut self,
        cfg: &Cfg,
        group: GroupId,
        state: StateId,
        from: Member,
        show: impl FnMut(Symbol, StateId, (Member, u32)),
    ) {
        if let Some(group) = self.groups[group as usize].1.as_ref() {
            group.each_inside(cfg, &mut self.states, state, from, show);
        }
    }

    /// How symbols are read one after another between two boundaries of a group; `None` if they
    /// are not.
    pub(crate) fn way(
        &self,
        group: GroupId,
        symbols: &[Symbol],
        from: Member,
        to: Member,
    ) -> Option<Vec<(Symbol, Member)>> {
        let way = self
            .gap_group(group)?
            .way(self.states.nullable(), symbols, from, to);
        (!way.is_empty()).then_some(way)
    }

    /// What symbols do in a group that there is.
    pub(crate) fn gap_group(&self, group: GroupId) -> Option<&GapGroup> {
        self.groups[group as usize].1.as_deref()
    }
}
