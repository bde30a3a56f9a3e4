//! The subset construction, with the alphabet compressed to byte classes.
//!
//! Only states with byte transitions (and acceptance) are kept in a subset, and only if
//! they lead to acceptance, so subsets that differ in ways that no text can show are one
//! state, and what is made is trimmed.

use rustc_hash::FxHashMap;

use super::dfa::DEAD;
use super::{AutomatonError, Dfa, Grouped, Limits, Nfa, NfaState, Steps, byte_classes};

impl Nfa {
    /// The same language as a trimmed deterministic automaton.
    ///
    /// # Errors
    /// When it would have more states than the limit, or take too many steps.
    pub fn determinize(&self, limits: &Limits) -> Result<Dfa, AutomatonError> {
        self.subsets(limits, Closure::new(self))
    }

    /// The same for an automaton over few bytes, of which this is the last. States from
    /// which every text is accepted stand for all that may be with them: what is searched
    /// for in a text need not be looked for again once it was found.
    ///
    /// # Errors
    /// The same.
    pub(super) fn determinize_over(
        &self,
        last: u8,
        limits: &Limits,
    ) -> Result<Dfa, AutomatonError> {
        let mut closure = Closure::new(self);
        let states = 0..self.first_copies.len() as NfaState;
        let candidates = states.filter(|&state| covers(self.byte_edges.of(state), last));
        for state in candidates {
            let targets = self.byte_edges.of(state).iter();
            let targets: Vec<NfaState> = targets.map(|edge| edge.2).collect();
            let returns = targets.into_iter().all(|target| {
                let subset = closure.of(&[target]);
                let holds = |wanted: NfaState| subset.binary_search(&wanted).is_ok();
                holds(state) && holds(self.accept)
            });
            if returns {
                closure.takes_all.push(state);
            }
        }
        self.subsets(limits, closure)
    }

    fn subsets(&self, limits: &Limits, mut closure: Closure<'_>) -> Result<Dfa, AutomatonError> {
        let mut ranges = self
            .byte_edges
            .all()
            .iter()
            .map(|&(low, high, _)| (low, high));
        let (classes, representatives) = byte_classes(&mut ranges);
        let class_count = representatives.len();
        let nfa_states = self.first_copies.len();
        let mut ids = Ids::new(nfa_states);
        // What was found for targets, before empty edges are followed.
        let mut found = Ids::new(nfa_states);
        let mut subsets: Grouped<NfaState> = Grouped::default();
        let mut table = Vec::new();

        let start = closure.of(&[self.start]);
        ids.insert(start, 0);
        subsets.open().extend_from_slice(start);
        subsets.close();
        let mut targets: Vec<Vec<NfaState>> = vec![Vec::new(); class_count];
        let mut touched: Vec<u8> = Vec::new();
        let mut done = 0;
        let mut count = 1;
        let mut steps = Steps::default();
        while done < count {
            for &state in subsets.of(done) {
                for &(low, high, next) in self.byte_edges.of(state) {
                    let last = classes[high as usize];
                    for class in classes[low as usize]..=last {
                        let target = &mut targets[class as usize];
                        if target.is_empty() {
                            touched.push(class);
                        }
                        target.push(next);
                    }
                }
            }
            let row = table.len();
            table.resize(row + class_count, DEAD);
            touched.sort_unstable();
            for class in touched.drain(..) {
                let target = &mut targets[class as usize];
                let to = &mut table[row + class as usize];
                if let Some(id) = found.get(target) {
                    steps.take(target.len())?;
                    target.clear();
                    *to = id;
                    continue;
                }
                closure.of(target);
                steps.take(closure.steps)?;
                let subset = closure.subset.as_slice();
                let id = match ids.get(subset) {
                    _ if subset.is_empty() => DEAD,
                    Some(known) => known,
                    None => {
                        ids.insert(subset, count);
                        subsets.open().extend_from_slice(subset);
                        subsets.close();
                        count += 1;
                        count - 1
                    }
                };
                if count as usize > limits.dfa_states {
                    return Err(AutomatonError::TooLarge {
                        what: "deterministic states",
                        limit: limits.dfa_states,
                    });
                }
                found.insert(target, id);
                target.clear();
                *to = id;
            }
            done += 1;
        }
        let accepting = subsets
            .each()
            .map(|subset| subset.binary_search(&self.accept).is_ok())
            .collect();
        Ok(Dfa {
            classes,
            class_count,
            table,
            accepting,
            start: 0,
        })
    }

    /// For each state, whether acceptance can be reached from it.
    fn live(&self) -> Vec<bool> {
        let count = self.first_copies.len();
        let mut edges = Vec::new();
        for state in 0..count as NfaState {
            let bytes = self.byte_edges.of(state).iter().map(|edge| edge.2);
            let beside = self.empty_edges.of(state).iter().copied();
            edges.extend(bytes.chain(beside).map(|next| (next, state)));
        }
        let before = Grouped::new(count, &edges);
        let mut live = vec![false; count];
        live[self.accept as usize] = true;
        let mut stack = vec![self.accept];
        while let Some(state) = stack.pop() {
            for &state in before.of(state) {
                if !std::mem::replace(&mut live[state as usize], true) {
                    stack.push(state);
                }
            }
        }
        live
    }
}

/// Whether some edge reads each byte from the first to `last`.
fn covers(edges: &[(u8, u8, NfaState)], last: u8) -> bool {
    let mut ranges: Vec<(u8, u8)> = edges.iter().map(|&(low, high, _)| (low, high)).collect();
    ranges.sort_unstable();
    let mut next = 0u16;
    for (low, high) in ranges {
        if u16::from(low) > next {
            return false;
        }
        next = next.max(u16::from(high) + 1);
    }
    next > u16::from(last)
}

/// Numbers of lists of states. Most lists are of one state, and then nothing is kept but
/// its number.
struct Ids {
    /// For each state, the number of the list that holds it alone, or [`UNKNOWN`].
    alone: Vec<u32>,
    others: FxHashMap<Box<[NfaState]>, u32>,
}

/// No number yet; not [`DEAD`], which is one.
const UNKNOWN: u32 = DEAD - 1;

impl Ids {
    fn new(states: usize) -> Self {
        Self {
            alone: vec![UNKNOWN; states],
            others: FxHashMap::default(),
        }
    }

    fn get(&self, list: &[NfaState]) -> Option<u32> {
        match list {
            &[state] => Some(self.alone[state as usize]).filter(|&id| id != UNKNOWN),
            list => self.others.get(list).copied(),
        }
    }

    fn insert(&mut self, list: &[NfaState], id: u32) {
        match list {
            &[state] => self.alone[state as usize] = id,
            list => drop(self.others.insert(list.into(), id)),
        }
    }
}

/// Follows empty edges; scratch space is kept between calls.
struct Closure<'a> {
    nfa: &'a Nfa,
    /// For each state that stands for its copies, the last round in which one was
    /// visited, and the first of these.
    visited: Vec<(u32, NfaState)>,
    round: u32,
    stack: Vec<NfaState>,
    /// The last closure.
    subset: Vec<NfaState>,
    /// Edges that it followed.
    steps: usize,
    /// States that, with acceptance beside them, take every text.
    takes_all: Vec<NfaState>,
    /// From which states acceptance can be reached.
    live: Vec<bool>,
}

impl<'a> Closure<'a> {
    fn new(nfa: &'a Nfa) -> Self {
        Self {
            nfa,
            visited: vec![(0, 0); nfa.first_copies.len()],
            round: 0,
            stack: Vec::new(),
            subset: Vec::new(),
            steps: 0,
            takes_all: Vec::new(),
            live: nfa.live(),
        }
    }

    /// The states that seeds lead to, in order, without those that read no more than an
    /// earlier repetition of them that is there too.
    fn of(&mut self, seeds: &[NfaState]) -> &[NfaState] {
        self.round += 1;
        self.steps = seeds.len();
        let mut subset = std::mem::take(&mut self.subset);
        subset.clear();
        for &seed in seeds {
            self.visit(seed);
        }
        while let Some(state) = self.stack.pop() {
            if !self.nfa.byte_edges.of(state).is_empty() || state == self.nfa.accept {
                subset.push(state);
            }
            let beside = self.nfa.empty_edges.of(state);
            self.steps += beside.len() + 1;
            for &next in beside {
                self.visit(next);
            }
        }
        let all = self.takes_all.iter().find(|&&state| self.holds(state));
        if let Some(&all) = all.filter(|_| self.holds(self.nfa.accept)) {
            subset.clear();
            subset.extend([all, self.nfa.accept]);
        }
        subset.retain(|&state| self.holds(state) && self.live[state as usize]);
        subset.sort_unstable();
        self.subset = subset;
        &self.subset
    }

    fn visit(&mut self, state: NfaState) {
        let (round, first) = &mut self.visited[self.nfa.first_copies[state as usize] as usize];
        if *round != self.round || state < *first {
            (*round, *first) = (self.round, state);
            self.stack.push(state);
        }
    }

    /// Whether a state was visited in this round, and no earlier copy of it.
    fn holds(&self, state: NfaState) -> bool {
        let copies = self.nfa.first_copies[state as usize];
        self.visited[copies as usize] == (self.round, state)
    }
}
