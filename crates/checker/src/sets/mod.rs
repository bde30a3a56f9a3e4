//! Sets of parser states with costs, and what symbols do to them.
//!
//! Where a gap leaves open what stands in it, a parse is in many states at once.
//! All that began at one place are kept together, as one set, each with the least
//! that must be written into gaps to be in it. Sets are normalised (the cheapest
//! state costs nothing; the rest is kept beside the set), interned, and their
//! steps memoised: a weighted determinisation of the LR(0) automaton, as far as
//! texts ask for it. Moving a whole set over a lexeme is one look-up then.
//!
//! Inside a gap of any length lexemes may follow one another, from boundary to
//! boundary. There a set is one of *places*, a state at a boundary of the gap each,
//! and [`StateSets::settle_gap`] closes it under all that can follow at once, whole
//! nonterminals included, at the cost of their cheapest texts
//! ([`gap_group`](crate::gap_group)).
//!
//! Cost: a step that was not made before, the states in its sets; one that was,
//! a look-up.

mod places;
mod settle;

use lacuna_lexer::SortFew;
use std::sync::Arc;
#[cfg(feature = "shortcuts")]
use std::sync::Mutex;

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::{MemoUse, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfg::{Cfg, NonterminalId, Symbol};
use crate::cover::{Cover, CoverSetId};
use crate::gap_group::{Boundaries, GapGroup, Member};
use crate::lr::{State, StateId, States};
use places::Beginning;

/// Index of a set; [`NOTHING`] is the empty one.
pub type SetId = u32;

/// The empty set.
pub const NOTHING: SetId = 0;

/// Index of a set of nonterminals with costs.
pub type PassedId = u32;

/// Index of a group of boundaries.
pub type GroupId = u32;

/// No group.
const NO_GROUP: GroupId = GroupId::MAX;

/// A set, with what is to be added to the costs in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Costed {
    /// The set.
    pub set: SetId,
    /// What all its states cost beyond what stands in the set.
    pub cost: u32,
}

#[derive(Clone, Debug)]
struct Set {
    members: Arc<[(StateId, u32)]>,
    facts: Option<Facts>,
    /// For sets of many states: where nonterminals lead, with costs.
    by_nonterminal: Option<Arc<Targets>>,
    by_terminal: Option<Arc<Targets>>,
}

/// Where symbols lead from the states of a set, with costs.
#[derive(Debug)]
struct Targets {
    by_symbol: FxHashMap<u32, Vec<(StateId, u32)>>,
    /// The states that list no symbols.
    lean: Vec<(StateId, u32)>,
}

/// What follows from being in the states of a set.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The nonterminals that are complete, with what is to be added.
    pub completes: Option<(PassedId, u32)>,
    /// The states of all that may begin.
    pub predicts: SetId,
    /// The least cost at which the text may end.
    pub ends: Option<u32>,
    /// Whether nothing can follow but that what encloses it goes on.
    pub only_completes: bool,
}

/// The sets met so far, and their steps.
#[derive(Clone, Debug)]
pub struct StateSets {
    states: States,
    sets: Vec<Set>,
    ids: FxHashMap<Arc<[(StateId, u32)]>, SetId>,
    passed: Vec<Arc<[(NonterminalId, u32)]>>,
    passed_ids: FxHashMap<Arc<[(NonterminalId, u32)]>, PassedId>,
    groups: Vec<Grouped>,
    /// Those that any copy of these sets has worked out.
    #[cfg(feature = "shortcuts")]
    shared_groups: Arc<Mutex<Vec<Grouped>>>,
    read: FxHashMap<(SetId, TerminalId), Option<Costed>>,
    passes: FxHashMap<(SetId, PassedId), Option<Costed>>,
    unions: FxHashMap<(SetId, SetId, u32), SetId>,
    /// With the group, or [`NO_GROUP`].
    settled: FxHashMap<(SetId, SetId, GroupId), SetId>,
    unions_of: FxHashMap<Arc<[(u32, SetId)]>, SetId>,
    kept: FxHashMap<(SetId, CoverSetId), Option<Costed>>,
    lifted: FxHashMap<(SetId, Member), SetId>,
    parted: FxHashMap<SetId, Arc<[(Member, Costed)]>>,
    begun: FxHashMap<Beginning, Arc<[SetId]>>,
    work: usize,
    /// Work, since it was last taken, beyond which long steps are broken off.
    limit: usize,
    is_overrun: bool,
    members: usize,
    memo_use: MemoUse,
}

/// The group of some boundaries; `None` if it is too large.
type Grouped = (Arc<Boundaries>, Option<Arc<GapGroup>>);

/// Members from which on a set is indexed.
const INDEXED_FROM: usize = 24;

impl StateSets {
    /// No set but the empty one, and the first state's.
    pub fn new(cfg: &Cfg) -> Self {
        let mut sets = Self {
            states: States::new(cfg),
            sets: Vec::new(),
            ids: FxHashMap::default(),
            passed: Vec::new(),
            passed_ids: FxHashMap::default(),
            groups: Vec::new(),
            #[cfg(feature = "shortcuts")]
            shared_groups: Arc::default(),
            read: FxHashMap::default(),
            passes: FxHashMap::default(),
            unions: FxHashMap::default(),
            settled: FxHashMap::default(),
            unions_of: FxHashMap::default(),
            kept: FxHashMap::default(),
            lifted: FxHashMap::default(),
            parted: FxHashMap::default(),
            begun: FxHashMap::default(),
            work: 0,
            limit: usize::MAX,
            is_overrun: false,
            members: 0,
            memo_use: MemoUse::default(),
        };
        sets.intern(Vec::new());
        sets
    }

    /// How often it was asked for a step, and how often that was not known.
    pub fn memo_use(&self) -> MemoUse {
        self.memo_use
    }

    /// Bytes of memory that states and shared groups take, closely.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn heap_bytes(&self) -> usize {
        self.states.heap_bytes() + self.shared_group_bytes()
    }

    /// The set of the first state.
    pub fn start(&mut self) -> Costed {
        let set = self.intern(vec![(States::START, 0)]);
        Costed { set, cost: 0 }
    }

    /// Members of all sets and memos, a measure of the memory.
    pub fn size(&self) -> usize {
        let memos = self.read.len()
            + self.unions_of.len()
            + self.kept.len()
            + self.passes.len()
            + self.unions.len();
        let known = memos + self.settled.len() + self.sets.len();
        self.members + 4 * known + self.states.size()
    }

    /// States looked at since the last call, a measure of the work.
    pub fn take_work(&mut self) -> usize {
        std::mem::take(&mut self.work) + self.states.take_work()
    }

    /// Breaks long steps off that go beyond so much work, from the work that is next taken on.
    /// What a step that was broken off led to is neither known nor kept.
    pub fn limit(&mut self, work: usize) {
        self.limit = work;
        self.is_overrun = false;
    }

    /// Whether a step was broken off since the limit was set.
    pub fn is_overrun(&self) -> bool {
        SHORTCUTS && self.is_overrun
    }

    fn overruns(&mut self) -> bool {
        self.is_overrun |= SHORTCUTS && self.work + self.states.work() > self.limit;
        self.is_overrun
    }

    /// The state that stands for one where sets of items seen are forgotten.
    pub fn outline(&self, state: StateId) -> StateId {
        self.states.outline(state)
    }

    /// A parser state with all symbols listed.
    pub fn listed_state(&mut self, cfg: &Cfg, state: StateId) -> Arc<State> {
        let listed = self.states.listed(cfg, state);
        self.work += listed.terminals.len() + listed.nonterminals.len();
        listed
    }

    /// A parser state.
    pub fn state(&mut self, cfg: &Cfg, state: StateId) -> Arc<State> {
        self.states.get(cfg, state)
    }

    /// The states of a set, by their numbers.
    pub fn members(&self, set: SetId) -> Arc<[(StateId, u32)]> {
        Arc::clone(&self.sets[set as usize].members)
    }

    /// The set after a lexeme of a terminal.
    pub fn read(&mut self, cfg: &Cfg, set: SetId, terminal: TerminalId) -> Option<Costed> {
        self.memo_use.asked += 1;
        if let Some(&known) = self.read.get(&(set, terminal)) {
            return known;
        }
        self.memo_use.made += 1;
        let mut next = Vec::new();
        if self.sets[set as usize].members.len() < INDEXED_FROM {
            let members = self.members(set);
            self.work += members.len();
            for &(state, cost) in members.iter() {
                let target = self.states.after(cfg, state, Symbol::Terminal(terminal));
                next.extend(target.map(|target| (target, cost)));
            }
        } else {
            let targets = self.by_terminal(cfg, set);
            self.work += self.step(cfg, &targets, Symbol::Terminal(terminal), &mut next);
        }
        let next = self.normalise(next);
        self.read.insert((set, terminal), next);
        next
    }

    /// The set after any of some nonterminals.
    pub fn pass(&mut self, cfg: &Cfg, set: SetId, passed: PassedId) -> Option<Costed> {
        self.memo_use.asked += 1;
        if let Some(&known) = self.passes.get(&(set, passed)) {
            return known;
        }
        self.memo_use.made += 1;
        let mut next = Vec::new();
        let nonterminals = Arc::clone(&self.passed[passed as usize]);
        if self.sets[set as usize].members.len() < INDEXED_FROM {
            let members = self.members(set);
            self.work += members.len();
            for &(state, cost) in members.iter() {
                for &(nonterminal, inner) in nonterminals.iter() {
                    let symbol = Symbol::Nonterminal(nonterminal);
                    let target = self.states.after(cfg, state, symbol);
                    next.extend(target.map(|target| (target, cost.saturating_add(inner))));
                }
            }
        } else {
            let targets = self.by_nonterminal(cfg, set);
            let mut behind = Vec::new();
            for &(nonterminal, inner) in nonterminals.iter() {
                if self.overruns() {
                    return None;
                }
                behind.clear();
                let symbol = Symbol::Nonterminal(nonterminal);
                self.work += self.step(cfg, &targets, symbol, &mut behind);
                let behind = behind.iter();
                next.extend(behind.map(|&(target, cost)| (target, cost.saturating_add(inner))));
            }
        }
        let next = self.normalise(next);
        self.passes.insert((set, passed), next);
        next
    }

    /// Whether there are so many states in a set whose steps are looked up that no step of it
    /// should be made in vain. What such a step leads to is never only complete.
    pub fn is_broad(&mut self, cfg: &Cfg, set: SetId) -> bool {
        SHORTCUTS
            && self.sets[set as usize].members.len() >= INDEXED_FROM
            && !self.by_nonterminal(cfg, set).lean.is_empty()
    }

    /// Whether some state that a set leads to over some nonterminals may be one of those asked
    /// for; told by outlines, without making these states.
    pub fn may_pass(
        &mut self,
        cfg: &Cfg,
        cover: &Cover,
        set: SetId,
        passed: PassedId,
        asked: CoverSetId,
    ) -> bool {
        let members = self.members(set);
        self.work += members.len() / 16;
        let outlines = members.iter().map(|&(state, _)| self.states.outline(state));
        let outlines: FxHashSet<StateId> = outlines.collect();
        let nonterminals = Arc::clone(&self.passed[passed as usize]);
        let states = self.states.outlines();
        outlines.into_iter().any(|outline| {
            let state = states.get(cfg, outline);
            let mut passed = nonterminals.iter();
            passed.any(|&(nonterminal, _)| {
                let target = state.after_nonterminal(nonterminal);
                target.is_some_and(|target| cover.holds(asked, target))
            })
        })
    }

    /// Both sets as one.
    pub fn union(&mut self, a: Costed, b: Costed) -> Costed {
        let (low, high) = match a.cost <= b.cost {
            true => (a, b),
            false => (b, a),
        };
        if low.set == high.set || high.set == NOTHING {
            return low;
        }
        if low.set == NOTHING {
            return high;
        }
        let apart = high.cost - low.cost;
        let key = (low.set, high.set, apart);
        let set = match self.unions.get(&key) {
            Some(&known) => known,
            None => {
                let (low, high) = (self.members(low.set), self.members(high.set));
                self.work += low.len() + high.len();
                let set = self.intern(merged(&low, &high, apart));
                self.unions.insert(key, set);
                set
            }
        };
        Costed {
            set,
            cost: low.cost,
        }
    }

    /// All of some sets as one.
    pub fn union_of(&mut self, mut all: Vec<Costed>) -> Costed {
        all.retain(|costed| costed.set != NOTHING);
        let least = all.iter().map(|costed| costed.cost).min().unwrap_or(0);
        let mut key: Vec<(u32, SetId)> = all
            .iter()
            .map(|costed| (costed.cost - least, costed.set))
            .collect();
        key.sort_few();
        key.dedup();
        let costed = |set| Costed { set, cost: least };
        match key.as_slice() {
            [] => return costed(NOTHING),
            &[(_, set)] => return costed(set),
            _ => {}
        }
        if let Some(&known) = self.unions_of.get(key.as_slice()) {
            return costed(known);
        }
        let mut members = Vec::new();
        for &(apart, set) in &key {
            let set = self.members(set);
            members.extend(set.iter().map(|&(m, cost)| (m, cost.saturating_add(apart))));
        }
        self.work += members.len();
        members.sort_few();
        members.dedup_by_key(|&mut (member, _)| member);
        let set = self.intern(members);
        self.members += key.len();
        self.unions_of.insert(key.into(), set);
        costed(set)
    }

    /// What is left of a set where only some states are asked for.
    pub fn keep(&mut self, cover: &Cover, costed: Costed, asked: CoverSetId) -> Option<Costed> {
        let key = (costed.set, asked);
        let kept = match self.kept.get(&key) {
            Some(&known) => known,
            None => {
                let members = self.members(costed.set);
                self.work += members.len();
                let left = members.iter().copied();
                let left =
                    left.filter(|&(state, _)| cover.holds(asked, self.states.outline(state)));
                let kept = self.normalise(left.collect());
                self.kept.insert(key, kept);
                kept
            }
        };
        let kept = kept?;
        let cost = costed.cost.saturating_add(kept.cost);
        Some(Costed { cost, ..kept })
    }

    /// The parser states.
    pub fn states(&mut self) -> &mut States {
        &mut self.states
    }

    /// What follows from being in a set.
    pub fn facts(&mut self, cfg: &Cfg, set: SetId) -> Facts {
        if let Some(facts) = self.sets[set as usize].facts {
            return facts;
        }
        let members = self.members(set);
        self.work += members.len();
        let mut completes: Vec<(NonterminalId, u32)> = Vec::new();
        let mut predictions: Vec<(StateId, u32)> = Vec::new();
        let mut ends: Option<u32> = None;
        let mut only_completes = true;
        for &(state, cost) in members.iter() {
            let state = self.states.get(cfg, state);
            completes.extend(state.completes.iter().map(|&n| (n, cost)));
            predictions.extend(state.predictions().map(|prediction| (prediction, 0)));
            if state.ends {
                ends = Some(ends.map_or(cost, |known| known.min(cost)));
            }
            only_completes &= !state.ends
                && !state.is_lean()
                && state.terminals.is_empty()
                && state.nonterminals.is_empty();
        }
        let completes = cheapest_first(completes).map(|(cost, completes)| {
            let fresh = self.passed.len() as PassedId;
            let completes: Arc<[(NonterminalId, u32)]> = completes.into();
            let id = *self.passed_ids.entry(completes).or_insert_with_key(|key| {
                self.passed.push(Arc::clone(key));
                fresh
            });
            (id, cost)
        });
        let predicts = self.normalise(predictions).map_or(NOTHING, |p| p.set);
        let facts = Facts {
            completes,
            predicts,
            ends,
            only_completes,
        };
        self.sets[set as usize].facts = Some(facts);
        facts
    }

    fn by_nonterminal(&mut self, cfg: &Cfg, set: SetId) -> Arc<Targets> {
        if let Some(known) = &self.sets[set as usize].by_nonterminal {
            return Arc::clone(known);
        }
        let targets = self.targets(cfg, set, |state| &state.nonterminals);
        self.sets[set as usize].by_nonterminal = Some(Arc::clone(&targets));
        targets
    }

    fn by_terminal(&mut self, cfg: &Cfg, set: SetId) -> Arc<Targets> {
        if let Some(known) = &self.sets[set as usize].by_terminal {
            return Arc::clone(known);
        }
        let targets = self.targets(cfg, set, |state| &state.terminals);
        self.sets[set as usize].by_terminal = Some(Arc::clone(&targets));
        targets
    }

    /// The states that a set leads to, by symbol.
    fn targets(
        &mut self,
        cfg: &Cfg,
        set: SetId,
        transitions: impl Fn(&State) -> &[(u32, StateId)],
    ) -> Arc<Targets> {
        let mut by: FxHashMap<u32, Vec<(StateId, u32)>> = FxHashMap::default();
        let mut lean = Vec::new();
        for &(state, cost) in self.members(set).iter() {
            let made = self.states.get(cfg, state);
            for &(symbol, target) in transitions(&made) {
                by.entry(symbol).or_default().push((target, cost));
            }
            if made.is_lean() {
                lean.push((state, cost));
            }
        }
        for targets in by.values_mut() {
            targets.sort_few();
            targets.dedup_by_key(|&mut (target, _)| target);
            self.members += targets.len();
            self.work += targets.len();
        }
        self.members += lean.len();
        Arc::new(Targets {
            by_symbol: by,
            lean,
        })
    }

    /// Adds the states that a symbol leads to, with costs, and says how many of these were known
    /// beforehand. The work of those that had to be looked up is counted.
    fn step(
        &mut self,
        cfg: &Cfg,
        targets: &Targets,
        symbol: Symbol,
        behind: &mut Vec<(StateId, u32)>,
    ) -> usize {
        if let Symbol::Terminal(number) | Symbol::Nonterminal(number) = symbol {
            behind.extend(targets.by_symbol.get(&number).into_iter().flatten());
        }
        let known = behind.len();
        if SHORTCUTS {
            for &(state, cost) in targets.lean.iter() {
                let target = self.states.after(cfg, state, symbol);
                behind.extend(target.map(|target| (target, cost)));
            }
            self.work += (behind.len() - known) / 4 + targets.lean.len() / 16;
        }
        known
    }

    fn normalise(&mut self, members: Vec<(StateId, u32)>) -> Option<Costed> {
        let (cost, members) = cheapest_first(members)?;
        let set = self.intern(members);
        Some(Costed { set, cost })
    }

    fn intern(&mut self, members: Vec<(StateId, u32)>) -> SetId {
        if let Some(&known) = self.ids.get(members.as_slice()) {
            return known;
        }
        let fresh = self.sets.len() as SetId;
        let members: Arc<[(StateId, u32)]> = members.into();
        self.members += members.len();
        self.ids.insert(Arc::clone(&members), fresh);
        self.sets.push(Set {
            members,
            facts: None,
            by_nonterminal: None,
            by_terminal: None,
        });
        fresh
    }
}

/// Two sets as one, the second with its costs raised; one of the first's costs
/// nothing, so the result is normalised.
fn merged(low: &[(u32, u32)], high: &[(u32, u32)], apart: u32) -> Vec<(u32, u32)> {
    let mut all = Vec::with_capacity(low.len() + high.len());
    let mut low = low.iter().copied().peekable();
    for &(member, cost) in high {
        let mut cost = cost.saturating_add(apart);
        while let Some(before) = low.next_if(|&(known, _)| known < member) {
            all.push(before);
        }
        if let Some((_, known)) = low.next_if(|&(known, _)| known == member) {
            cost = cost.min(known);
        }
        all.push((member, cost));
    }
    all.extend(low);
    all
}

/// Each number once, at its least cost, with the least of all taken off.
fn cheapest_first(mut members: Vec<(u32, u32)>) -> Option<(u32, Vec<(u32, u32)>)> {
    members.sort_few();
    members.dedup_by_key(|&mut (member, _)| member);
    let least = members.iter().map(|&(_, cost)| cost).min()?;
    if least > 0 {
        for (_, cost) in &mut members {
            *cost -= least;
        }
    }
    Some((least, members))
}
