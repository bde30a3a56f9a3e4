//! Languages by the numbers of characters of their texts.
//!
//! A counter beside an automaton makes a state for each state and count. Many of them
//! need none: where every way to the end keeps to the bounds, the count is forgotten, and
//! what cannot end within them is left out beforehand. So little is left to minimise, while
//! characters are symbols: spelled, it would take several times as long as all the rest.

use super::alphabet::Alphabet;
use super::dfa::DEAD;
use super::{AutomatonError, Dfa, Language, Limits, StateId};

/// What is looked through for a text within bounds.
const FEW: Limits = Limits {
    nfa_states: 0,
    dfa_states: 5_000,
};

/// Fewest characters and most, if there is a most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bounds {
    pub min: u32,
    pub max: Option<u32>,
}

/// An automaton over characters, of which only the number matters.
pub(crate) struct Lengths<'l> {
    pub(super) dfa: &'l Dfa,
    alphabet: &'l Alphabet,
    /// The states one character on, in order.
    next: Vec<Vec<StateId>>,
    /// For each state and class, where the target is in that list; behind its end where
    /// there is none.
    places: Vec<u8>,
    /// Fewest characters to the end.
    pub(super) fewest: Vec<u32>,
    /// Most characters to the end, where there is a most.
    pub(super) most: Vec<Option<u32>>,
}

impl Language {
    /// The texts by their lengths; `None` where there is no text, or where the automaton
    /// does not tell characters.
    pub(crate) fn lengths(&self) -> Option<Lengths<'_>> {
        let alphabet = self.alphabet.as_ref().filter(|_| !self.is_empty())?;
        let dfa = &self.automaton;
        let targets = |state| {
            let mut targets: Vec<StateId> = dfa.row(state).to_vec();
            targets.sort_unstable();
            targets.dedup();
            targets.retain(|&target| target != DEAD);
            targets
        };
        let next: Vec<_> = (0..dfa.state_count() as StateId).map(targets).collect();
        let mut places = Vec::with_capacity(dfa.table.len());
        for (row, next) in dfa.table.chunks_exact(dfa.class_count).zip(&next) {
            let place = |target| next.binary_search(target).unwrap_or(next.len());
            places.extend(row.iter().map(|target| place(target) as u8));
        }
        let mut before = vec![Vec::new(); next.len()];
        for (state, targets) in (0..).zip(&next) {
            for &target in targets {
                before[target as usize].push(state);
            }
        }
        Some(Lengths {
            fewest: fewest(dfa, &before),
            most: most(&next, &before),
            next,
            places,
            dfa,
            alphabet,
        })
    }
}

impl Lengths<'_> {
    /// Where texts begin.
    pub(crate) fn start(&self) -> StateId {
        self.dfa.start()
    }

    /// Number of states.
    pub(crate) fn state_count(&self) -> usize {
        self.next.len()
    }

    /// How many runs of characters are told apart.
    pub(crate) fn breadth(&self) -> usize {
        self.alphabet.runs().len()
    }

    /// Those of all texts.
    pub(crate) fn bounds(&self) -> Bounds {
        let start = self.start() as usize;
        Bounds {
            min: self.fewest[start],
            max: self.most[start],
        }
    }

    /// Of bounds what says something beside those of all texts.
    pub(crate) fn needed(&self, bounds: Bounds) -> Bounds {
        let own = self.bounds();
        Bounds {
            min: if own.min >= bounds.min { 0 } else { bounds.min },
            max: bounds
                .max
                .filter(|&max| own.max.is_none_or(|most| most > max)),
        }
    }

    /// Whether surely no text keeps to bounds.
    pub(crate) fn are_none(&self, bounds: Bounds) -> bool {
        let is_over = |min: u32, max: Option<u32>| max.is_some_and(|max| max < min);
        let own = self.bounds();
        if is_over(own.min, bounds.max) || is_over(bounds.min, own.max) {
            return true;
        }
        if own.max.is_none() && bounds.max.is_none() {
            return false;
        }
        // What is too large is not nothing.
        let kept = self.rest(self.start(), bounds, &FEW);
        kept.is_ok_and(|kept| kept.is_empty())
    }

    /// The states behind so many characters, in order.
    pub(crate) fn after(&self, from: StateId, count: u32) -> Vec<StateId> {
        (0..count).fold(vec![from], |here, _| self.behind(&here))
    }

    /// What leads from a state to the end of a text and keeps to bounds.
    pub(crate) fn rest(
        &self,
        from: StateId,
        bounds: Bounds,
        limits: &Limits,
    ) -> Result<Language, AutomatonError> {
        if !self.can_end(from, 0, bounds) {
            return Ok(Language::nothing());
        }
        self.check(from, bounds, limits)?;
        let mut rows = Rows::new(self);
        // Of states with the last count, and of those that need none.
        let mut known = vec![[(DEAD, 0); 2]; self.state_count()];
        let mut places: Vec<(StateId, u32)> = Vec::new();
        let mut place = |state: StateId, count: u32, places: &mut Vec<(StateId, u32)>| {
            let is_free = self.is_free(state, count, bounds);
            let (place, at) = &mut known[state as usize][usize::from(is_free)];
            if *place == DEAD || !is_free && *at != count {
                (*place, *at) = (places.len() as StateId, count);
                places.push((state, count));
            }
            *place
        };
        place(from, 0, &mut places);
        while let Some(&(state, count)) = places.get(rows.accepting.len()) {
            let ends = self.dfa.is_accepting(state) && count >= bounds.min;
            rows.add(state, ends, |target| {
                let can_end = self.can_end(target, count + 1, bounds);
                can_end.then(|| place(target, count + 1, &mut places))
            });
        }
        Ok(rows.finish())
    }

    /// What leads from a state to another through these layers.
    pub(crate) fn run(&self, layers: &[Vec<StateId>]) -> Language {
        let mut rows = Rows::new(self);
        let mut behind = 0;
        for (at, layer) in layers.iter().enumerate() {
            behind += layer.len();
            for &state in layer {
                rows.add(state, at + 1 == layers.len(), |target| {
                    let place = layers.get(at + 1)?.binary_search(&target).ok()?;
                    Some((behind + place) as StateId)
                });
            }
        }
        rows.finish()
    }

    /// The states on the ways from a state to another in so many characters, in order,
    /// behind each number of them.
    pub(crate) fn layers(&self, from: StateId, to: StateId, count: u32) -> Vec<Vec<StateId>> {
        let mut layers = vec![vec![from]];
        for _ in 0..count {
            let behind = layers.last().map(|last| self.behind(last));
            layers.extend(behind);
        }
        let mut wanted: &[StateId] = &[to];
        for (at, layer) in layers.iter_mut().enumerate().rev() {
            match at == count as usize {
                true => layer.retain(|&state| state == to),
                false => layer.retain(|&state| {
                    let mut targets = self.next[state as usize].iter();
                    targets.any(|target| wanted.binary_search(target).is_ok())
                }),
            }
            wanted = layer;
        }
        layers
    }

    /// Whether a text may end from here on, for all that its length says.
    fn can_end(&self, state: StateId, count: u32, bounds: Bounds) -> bool {
        let at = state as usize;
        let most = self.most[at].is_none_or(|most| count + most >= bounds.min);
        most && bounds.max.is_none_or(|max| count + self.fewest[at] <= max)
    }

    /// Whether every end from here on keeps to the bounds.
    fn is_free(&self, state: StateId, count: u32, bounds: Bounds) -> bool {
        let at = state as usize;
        let within = |max| self.most[at].is_some_and(|most| count + most <= max);
        count + self.fewest[at] >= bounds.min && bounds.max.is_none_or(within)
    }

    /// Refuses what takes too many states once it is spelled, before any are made, by what
    /// each state surely takes.
    pub(crate) fn check_spelled(
        &self,
        sizes: &[usize],
        bounds: Bounds,
        limits: &Limits,
    ) -> Result<(), AutomatonError> {
        // Only then it is certain what can end.
        if bounds.min > 0 {
            return Ok(());
        }
        let size = |state: StateId, count: u32| {
            let mut targets = self.next[state as usize].iter();
            match targets.all(|&target| self.can_end(target, count + 1, bounds)) {
                true => sizes[state as usize],
                false => 1,
            }
        };
        self.count(self.start(), bounds, limits, size)
    }

    /// Refuses what takes too many states, before any are made.
    fn check(&self, from: StateId, bounds: Bounds, limits: &Limits) -> Result<(), AutomatonError> {
        self.count(from, bounds, limits, |_, _| 1)
    }

    /// Adds up what the states take, each with the characters before it.
    fn count(
        &self,
        from: StateId,
        bounds: Bounds,
        limits: &Limits,
        size: impl Fn(StateId, u32) -> usize,
    ) -> Result<(), AutomatonError> {
        let mut here = vec![from];
        let (mut count, mut states) = (0, 0);
        while !here.is_empty() {
            states += here.iter().map(|&state| size(state, count)).sum::<usize>();
            if states > limits.dfa_states {
                return Err(AutomatonError::TooLarge {
                    what: "deterministic states",
                    limit: limits.dfa_states,
                });
            }
            count += 1;
            here = self.behind(&here);
            here.retain(|&state| {
                self.can_end(state, count, bounds) && !self.is_free(state, count, bounds)
            });
        }
        Ok(())
    }

    /// The states one character on, in order.
    fn behind(&self, here: &[StateId]) -> Vec<StateId> {
        if let [state] = here {
            return self.next[*state as usize].clone();
        }
        let mut found = vec![false; self.state_count()];
        for &state in here {
            for &target in &self.next[state as usize] {
                found[target as usize] = true;
            }
        }
        let states = (0..).zip(found);
        let states = states.filter_map(|(state, found)| found.then_some(state));
        states.collect()
    }
}

/// The states of an automaton in the making, the first of which is the start.
struct Rows<'l> {
    of: &'l Lengths<'l>,
    table: Vec<StateId>,
    accepting: Vec<bool>,
    /// Where the state that is added leads.
    leads: Vec<StateId>,
}

impl<'l> Rows<'l> {
    fn new(of: &'l Lengths<'l>) -> Self {
        Self {
            of,
            table: Vec::new(),
            accepting: Vec::new(),
            leads: Vec::new(),
        }
    }

    /// A state that leads on as another one, to what it is told for the targets.
    fn add(
        &mut self,
        like: StateId,
        accepts: bool,
        mut lead: impl FnMut(StateId) -> Option<StateId>,
    ) {
        let targets = self.of.next[like as usize].iter();
        self.leads.clear();
        self.leads
            .extend(targets.map(|&target| lead(target).unwrap_or(DEAD)));
        self.leads.push(DEAD);
        let count = self.of.dfa.class_count;
        let places = &self.of.places[like as usize * count..][..count];
        self.table
            .extend(places.iter().map(|&place| self.leads[place as usize]));
        self.accepting.push(accepts);
    }

    fn finish(self) -> Language {
        let dfa = self.of.dfa;
        let automaton = Dfa {
            classes: dfa.classes.clone(),
            class_count: dfa.class_count,
            table: self.table,
            accepting: self.accepting,
            start: 0,
        };
        Language {
            alphabet: Some(self.of.alphabet.clone()),
            automaton: automaton.trim().minimize(),
        }
    }
}

fn fewest(dfa: &Dfa, before: &[Vec<StateId>]) -> Vec<u32> {
    let mut fewest = vec![u32::MAX; before.len()];
    let states = 0..before.len() as StateId;
    let mut queue: Vec<StateId> = states.filter(|&state| dfa.is_accepting(state)).collect();
    for &state in &queue {
        fewest[state as usize] = 0;
    }
    let mut done = 0;
    while let Some(&state) = queue.get(done) {
        for &earlier in &before[state as usize] {
            if fewest[earlier as usize] == u32::MAX {
                fewest[earlier as usize] = fewest[state as usize] + 1;
                queue.push(earlier);
            }
        }
        done += 1;
    }
    fewest
}

/// The length of the longest path from each state; all states lead to acceptance, so
/// there is none where a loop can be reached.
fn most(next: &[Vec<StateId>], before: &[Vec<StateId>]) -> Vec<Option<u32>> {
    let mut left: Vec<usize> = next.iter().map(Vec::len).collect();
    let mut most = vec![None; next.len()];
    let states = 0..next.len() as StateId;
    let mut ready: Vec<StateId> = states.filter(|&state| left[state as usize] == 0).collect();
    while let Some(state) = ready.pop() {
        let behind = next[state as usize].iter();
        let behind = behind.filter_map(|&target| most[target as usize]);
        most[state as usize] = Some(behind.max().map_or(0, |most: u32| most + 1));
        for &earlier in &before[state as usize] {
            left[earlier as usize] -= 1;
            if left[earlier as usize] == 0 {
                ready.push(earlier);
            }
        }
    }
    most
}
