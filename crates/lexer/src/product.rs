//! Products of automata, made two by two.
//!
//! A state of a product of many automata is as many positions: complements of the names
//! of objects, say, are nearly all alive in nearly every state. A state of a product of
//! two, each a product already, is two. None on the way is larger than the last, because
//! each of its states is what some state of the last shows of it.
//!
//! All states are in one list, those of parts too: where only one of two is left, what
//! follows is that one's states as they are. So names that differ are paired as far as
//! they are alike.
//!
//! Bytes beside one another that lead to the same are one *run*, so that a state costs
//! its turns, not the alphabet. Cost: each automaton's states once, and the pairs.

use lacuna_grammar::automaton::{Ahead, AutomatonError, Limits, Ranged, SHORTCUTS};
use rustc_hash::FxHashMap;

use crate::combined::DEAD;
use crate::{BitSet, Contexts, Counts, LexerState, TerminalId};

/// The last byte of a run, and where it leads.
pub(crate) type Run = (u8, LexerState);

/// A set of terminals, below [`Sets::count`].
pub(crate) type SetId = u32;

/// Automata and products of them.
#[derive(Default)]
pub(crate) struct Product {
    /// Where the runs of a state end.
    ends: Vec<usize>,
    /// Those of a state hold all bytes, in order, also bytes that lead nowhere.
    runs: Vec<Run>,
    /// For each state, the terminals that accept, and those that still may.
    pub sets: Vec<[SetId; 2]>,
}

/// What terminals are told apart by in the states of a product: themselves, and where
/// characters are counted, what is ahead of a state.
pub(crate) struct Labels<'a> {
    /// Number of terminals, which are the first labels.
    pub terminals: usize,
    counts: &'a [(TerminalId, Counts)],
    /// Of labels behind those of terminals, which of these it is, and what is ahead.
    ahead: Vec<(u32, Ahead)>,
    /// For each of these, the label of each state.
    of_states: Vec<Vec<u32>>,
}

/// Sets of labels: the empty one, then those of one label, then unions of two that
/// share nothing. No two are alike.
pub(crate) struct Sets {
    labels: u32,
    unions: Vec<(SetId, SetId)>,
}

impl<'a> Labels<'a> {
    /// Of so many terminals, some of which are counted, in order.
    pub(crate) fn new(terminals: usize, counts: &'a [(TerminalId, Counts)]) -> Self {
        let mut labels = Self {
            terminals,
            counts,
            ahead: Vec::new(),
            of_states: Vec::new(),
        };
        if !SHORTCUTS {
            return labels;
        }
        let mut known: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
        for (at, (_, counts)) in (0..).zip(counts) {
            let of_states = counts.ahead.iter().map(|&ahead| {
                let most = ahead.most.map_or([0, 0], |most| [1, most]);
                let key = [at, ahead.fewest, ahead.is_between.into(), most[0], most[1]];
                let fresh = (terminals + labels.ahead.len()) as u32;
                let label = *known.entry(key.into()).or_insert(fresh);
                if label == fresh {
                    labels.ahead.push((at, ahead));
                }
                label
            });
            let of_states = of_states.collect();
            labels.of_states.push(of_states);
        }
        labels
    }

    /// The label of what a state of a terminal leads to.
    fn of_state(&self, terminal: TerminalId, state: LexerState) -> u32 {
        match self.place_of(terminal) {
            None => terminal,
            Some(at) => self.of_states[at][state as usize],
        }
    }

    fn place_of(&self, terminal: TerminalId) -> Option<usize> {
        match SHORTCUTS {
            true => self.counts.binary_search_by_key(&terminal, |it| it.0).ok(),
            false => None,
        }
    }

    /// How a terminal is counted, if it is.
    pub(crate) fn counts(&self, terminal: TerminalId) -> Option<&'a Counts> {
        Some(&self.counts[self.place_of(terminal)?].1)
    }

    /// The terminal of a label.
    pub(crate) fn terminal(&self, label: u32) -> TerminalId {
        let behind = (label as usize).checked_sub(self.terminals);
        behind.map_or(label, |at| self.counts[self.ahead[at].0 as usize].0)
    }

    /// What is ahead where a label is, of what is counted.
    pub(crate) fn ahead(&self, label: u32) -> Option<(&'a Counts, Ahead)> {
        let behind = (label as usize).checked_sub(self.terminals)?;
        let (at, ahead) = self.ahead[behind];
        Some((&self.counts[at as usize].1, ahead))
    }

    /// The counts at which something else is accepted or alive than before, from 0 on.
    pub(crate) fn turns(&self, accepted: &[TerminalId], alive: &[u32]) -> Vec<u32> {
        let mut turns = vec![0];
        for counts in accepted.iter().filter_map(|&it| self.counts(it)) {
            turns.push(counts.min);
            turns.extend(counts.max.map(|max| max.saturating_add(1)));
        }
        for (counts, ahead) in alive.iter().filter_map(|&label| self.ahead(label)) {
            turns.extend(ahead.most.map(|most| counts.min.saturating_sub(most)));
            let over = counts.max.map(|max| max.saturating_add(1));
            turns.extend(over.map(|over| over.saturating_sub(ahead.fewest)));
        }
        turns.sort_unstable();
        turns.dedup();
        turns
    }
}

const NOWHERE: [Run; 1] = [(u8::MAX, DEAD)];
const NOTHING: SetId = 0;

/// So many times the states that the product may have are in the list before those that no
/// part needs any more are left out of it.
const IN_PARTS: usize = 8;

/// So many pairs of states are made for each state that the product may have.
const PAIRS: usize = 4;

/// The products of the `terminals` of each context, where lexemes begin in these as its first
/// states. No byte leads there, even where bytes lead to the like of it.
pub(crate) fn product(
    terminals: &[Ranged],
    contexts: &Contexts,
    labels: &Labels<'_>,
    limits: &Limits,
) -> Result<(Product, Sets), AutomatonError> {
    let mut sets = Sets {
        labels: (labels.terminals + labels.ahead.len()) as u32,
        unions: Vec::new(),
    };
    let mut all = Product::default();
    let mut most = IN_PARTS * limits.dfa_states;
    let mut starts: Vec<LexerState> = Vec::with_capacity(contexts.sets.len());
    // Where terminals begin that may stand in other contexts as well.
    let is_one = contexts.sets.len() == 1;
    let mut kept = vec![DEAD; if is_one { 0 } else { terminals.len() }];
    let mut pairs = 0;
    for context in &contexts.sets {
        // Like a counter in base two: what is large is paired few times.
        let mut by_size = [DEAD; usize::BITS as usize];
        for &id in context {
            let terminal = &terminals[id as usize];
            let mut start = match kept.get(id as usize) {
                Some(&known) if known != DEAD => known,
                _ => all.add(terminal, id, labels),
            };
            if let Some(kept) = kept.get_mut(id as usize) {
                *kept = start;
            }
            let mut size = terminal.state_count();
            loop {
                let slot = &mut by_size[size.ilog2() as usize];
                let other = std::mem::replace(slot, DEAD);
                if other == DEAD {
                    *slot = start;
                    break;
                }
                // Counts as larger than either, however few its pairs are.
                size = 2 << size.ilog2();
                let before = all.sets.len();
                start = Pairs::new(&mut all, &mut sets).run((other, start), limits)?;
                pairs += all.sets.len() - before;
                size = size.max(all.sets.len() - before);
            }
            if all.state_count() > most {
                let parts = by_size.iter_mut().chain(&mut starts).chain(&mut kept);
                let parts = parts.filter(|start| **start != DEAD);
                all = all.reached_from(&mut parts.collect::<Vec<_>>());
                most = most.max(2 * all.state_count());
            }
            if !is_one && pairs > PAIRS * limits.dfa_states {
                return Err(too_large(limits));
            }
        }
        let mut start = DEAD;
        for part in by_size {
            let before = all.sets.len();
            start = Pairs::new(&mut all, &mut sets).run((start, part), limits)?;
            pairs += all.sets.len() - before;
            if !is_one && pairs > PAIRS * limits.dfa_states {
                return Err(too_large(limits));
            }
        }
        starts.push(start);
    }
    let all = all.reached_from(&mut starts.iter_mut().collect::<Vec<_>>());
    match all.state_count() > limits.dfa_states {
        true => Err(too_large(limits)),
        false => Ok((all, sets)),
    }
}

impl Product {
    /// Adds a terminal, and says where it starts.
    fn add(&mut self, terminal: &Ranged, id: TerminalId, labels: &Labels<'_>) -> LexerState {
        // Sets of one label come behind the empty one.
        let set = id + 1;
        let first = self.sets.len() as LexerState;
        let is_empty = terminal.is_empty();
        for (state, ranges) in (0..).zip(terminal.ranges().each()) {
            let mut end = 0u16;
            for &(low, high, next) in ranges {
                if u16::from(low) > end {
                    self.runs.push((low - 1, DEAD));
                }
                self.runs.push((high, first + next));
                end = u16::from(high) + 1;
            }
            if end <= u16::from(u8::MAX) {
                self.runs.push((u8::MAX, DEAD));
            }
            let is_accepting = terminal.is_accepting(state);
            let leads = match is_empty {
                true => NOTHING,
                false => labels.of_state(id, state) + 1,
            };
            self.close([if is_accepting { set } else { NOTHING }, leads]);
        }
        first + terminal.start()
    }

    /// Ends the state whose runs were added last.
    fn close(&mut self, sets: [SetId; 2]) {
        self.ends.push(self.runs.len());
        self.sets.push(sets);
    }

    /// The states that are reached from some, which are the first and are led to by none.
    fn reached_from(&self, starts: &mut [&mut LexerState]) -> Self {
        let mut names = vec![DEAD; self.state_count()];
        let mut order: Vec<LexerState> = starts.iter().map(|start| **start).collect();
        for (name, start) in (0..).zip(starts) {
            **start = name;
        }
        let mut found = Self::default();
        while let Some(&state) = order.get(found.state_count()) {
            for &(end, next) in self.runs(state) {
                let name = match names.get_mut(next as usize) {
                    None => DEAD,
                    Some(name) => {
                        if *name == DEAD {
                            *name = order.len() as LexerState;
                            order.push(next);
                        }
                        *name
                    }
                };
                found.runs.push((end, name));
            }
            found.close(self.sets_of(state));
        }
        found
    }

    pub(crate) fn state_count(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn runs(&self, state: LexerState) -> &[Run] {
        let from = match state {
            DEAD => return &NOWHERE,
            0 => 0,
            state => self.ends[state as usize - 1],
        };
        &self.runs[from..self.ends[state as usize]]
    }

    /// From the first byte to a place where some state turns.
    pub(crate) fn turns(&self) -> Vec<(u8, u8)> {
        let mut turns = [false; 256];
        for &(end, _) in &self.runs {
            turns[end as usize] = true;
        }
        let ends = (0..=u8::MAX).filter(|&end| turns[end as usize]);
        ends.map(|end| (0, end)).collect()
    }

    fn sets_of(&self, state: LexerState) -> [SetId; 2] {
        match state {
            DEAD => [NOTHING; 2],
            state => self.sets[state as usize],
        }
    }
}

fn too_large(limits: &Limits) -> AutomatonError {
    AutomatonError::TooLarge {
        what: "lexer states",
        limit: limits.dfa_states,
    }
}

impl Sets {
    pub(crate) fn count(&self) -> usize {
        1 + self.labels as usize + self.unions.len()
    }

    /// The members of a set.
    pub(crate) fn members(&self, set: SetId) -> BitSet {
        let mut members = BitSet::new(self.labels as usize + 1);
        let mut open = vec![set];
        while let Some(set) = open.pop() {
            if let Some(union) = set.checked_sub(self.labels + 1) {
                let (one, other) = self.unions[union as usize];
                open.extend([one, other]);
            } else if let Some(label) = set.checked_sub(1) {
                members.insert(label as usize);
            }
        }
        members
    }

    /// For each state the place of its set, of one kind, among the different ones.
    pub(crate) fn told_apart(
        &self,
        of_states: &[[SetId; 2]],
        kind: usize,
    ) -> (Vec<u32>, Vec<SetId>) {
        let mut different = Vec::new();
        let mut known = vec![u32::MAX; self.count()];
        let places = of_states.iter().map(|sets| {
            let place = &mut known[sets[kind] as usize];
            if *place == u32::MAX {
                *place = different.len() as u32;
                different.push(sets[kind]);
            }
            *place
        });
        (places.collect(), different)
    }
}

/// Two products being made one.
struct Pairs<'a> {
    /// With the states of its parts.
    all: &'a mut Product,
    /// The first state of the new product.
    first: LexerState,
    known: FxHashMap<(LexerState, LexerState), LexerState>,
    order: Vec<(LexerState, LexerState)>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    sets: &'a mut Sets,
}

impl<'a> Pairs<'a> {
    fn new(all: &'a mut Product, sets: &'a mut Sets) -> Self {
        Self {
            first: all.state_count() as LexerState,
            all,
            known: FxHashMap::default(),
            order: Vec::new(),
            unions: FxHashMap::default(),
            sets,
        }
    }

    /// Where the product starts of what starts at two states.
    fn run(
        mut self,
        starts: (LexerState, LexerState),
        limits: &Limits,
    ) -> Result<LexerState, AutomatonError> {
        let start = self.state(starts);
        let mut done = 0;
        while let Some(&(left, right)) = self.order.get(done) {
            self.runs(left, right);
            let (left, right) = (self.all.sets_of(left), self.all.sets_of(right));
            let sets = [0, 1].map(|kind| self.union((left[kind], right[kind])));
            self.all.close(sets);
            done += 1;
            if self.order.len() > limits.dfa_states {
                return Err(too_large(limits));
            }
        }
        Ok(start)
    }

    /// Adds the runs of a state, from those of its two.
    fn runs(&mut self, left: LexerState, right: LexerState) {
        let [mut one, mut other] = [left, right].map(|state| match state {
            0 => 0,
            state => self.all.ends[state as usize - 1],
        });
        let first = self.all.runs.len();
        let mut last = (DEAD, DEAD);
        loop {
            let (one_end, left) = self.all.runs[one];
            let (other_end, right) = self.all.runs[other];
            let end = one_end.min(other_end);
            if self.all.runs.len() > first && (left, right) == last {
                self.all.runs.pop();
            }
            last = (left, right);
            let state = self.state(last);
            self.all.runs.push((end, state));
            if end == u8::MAX {
                return;
            }
            one += usize::from(one_end == end);
            other += usize::from(other_end == end);
        }
    }

    /// The state for two of which some may be left; [`DEAD`] if none is.
    fn state(&mut self, pair: (LexerState, LexerState)) -> LexerState {
        match pair {
            (one, DEAD) => return one,
            (DEAD, other) => return other,
            _ => {}
        }
        let fresh = self.first + self.order.len() as LexerState;
        let known = *self.known.entry(pair).or_insert(fresh);
        if known == fresh {
            self.order.push(pair);
        }
        known
    }

    fn union(&mut self, pair: (SetId, SetId)) -> SetId {
        if pair.0 == NOTHING || pair.1 == NOTHING {
            return pair.0.max(pair.1);
        }
        *self.unions.entry(pair).or_insert_with(|| {
            self.sets.unions.push(pair);
            self.sets.count() as SetId - 1
        })
    }
}
