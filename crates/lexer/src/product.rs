//! Products of automata, made two by two.
//!
//! A state of a product of many automata is as many positions: complements of the names
//! of objects, say, are nearly all alive in nearly every state. A state of a product of
//! two, each a product already, is two. None on the way is larger than the last, because
//! each of its states is what some state of the last shows of it.
//!
//! Bytes beside one another that lead to the same are one *run*, so that a state costs
//! its turns, not the alphabet. Cost: each automaton as often as it is part of a product,
//! the logarithm of their number if they are alike.

use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits};
use rustc_hash::FxHashMap;

use crate::combined::DEAD;
use crate::{BitSet, LexerState};

/// The last byte of a run, and where it leads.
pub(crate) type Run = (u8, LexerState);

/// A set of terminals, below [`Sets::count`].
pub(crate) type SetId = u32;

/// The product of some automata.
pub(crate) struct Product {
    start: LexerState,
    /// Where the runs of a state begin, and behind the last state, where they end.
    begins: Vec<usize>,
    /// Those of a state hold all bytes, in order, also bytes that lead nowhere.
    runs: Vec<Run>,
    /// For each state, the terminals that accept, and those that still may.
    pub sets: Vec<[SetId; 2]>,
}

/// Sets of terminals: the empty one, then those of one terminal, then unions of two that
/// share nothing. No two are alike.
pub(crate) struct Sets {
    terminals: u32,
    unions: Vec<(SetId, SetId)>,
}

const NOWHERE: [Run; 1] = [(u8::MAX, DEAD)];
const NOTHING: SetId = 0;

/// The product of all `terminals`, where texts begin as its first state. No byte leads
/// there, even where bytes lead to the like of it.
pub(crate) fn product(
    terminals: &[&Dfa],
    limits: &Limits,
) -> Result<(Product, Sets), AutomatonError> {
    let mut sets = Sets {
        terminals: terminals.len() as u32,
        unions: Vec::new(),
    };
    // Like a counter in base two: what is large is gone through few times.
    let mut by_size = [const { None }; usize::BITS as usize];
    for (set, terminal) in (1..).zip(terminals) {
        let mut part = Product::of(terminal, set);
        loop {
            let slot = &mut by_size[part.state_count().ilog2() as usize];
            let Some(other) = slot.take() else {
                *slot = Some(part);
                break;
            };
            part = Pairs::new(&other, &part, &mut sets).run(limits)?;
        }
    }
    let mut all = Product::of_nothing();
    for part in by_size.into_iter().flatten() {
        all = Pairs::new(&all, &part, &mut sets).run(limits)?;
    }
    all.set_start_apart();
    Ok((all, sets))
}

impl Product {
    fn of_nothing() -> Self {
        Self {
            start: 0,
            begins: vec![0, 1],
            runs: NOWHERE.into(),
            sets: vec![[NOTHING; 2]],
        }
    }

    /// Of one terminal, with the set that holds it.
    fn of(terminal: &Dfa, set: SetId) -> Self {
        let leads = if terminal.is_empty() { NOTHING } else { set };
        let mut made = Self {
            start: terminal.start(),
            begins: vec![0],
            runs: Vec::new(),
            sets: Vec::new(),
        };
        for (state, ranges) in (0..).zip(terminal.ranges().each()) {
            let mut end = 0u16;
            for &(low, high, next) in ranges {
                if u16::from(low) > end {
                    made.runs.push((low - 1, DEAD));
                }
                made.runs.push((high, next));
                end = u16::from(high) + 1;
            }
            if end <= u16::from(u8::MAX) {
                made.runs.push((u8::MAX, DEAD));
            }
            made.begins.push(made.runs.len());
            let is_accepting = terminal.is_accepting(state);
            made.sets
                .push([if is_accepting { set } else { NOTHING }, leads]);
        }
        made
    }

    /// Gives the first state to the start alone.
    fn set_start_apart(&mut self) {
        let copy = self.state_count() as LexerState;
        let mut is_entered = false;
        for (_, next) in &mut self.runs {
            if *next == 0 {
                (*next, is_entered) = (copy, true);
            }
        }
        if is_entered {
            self.runs.extend_from_within(..self.begins[1]);
            self.begins.push(self.runs.len());
            self.sets.push(self.sets[0]);
        }
    }

    pub(crate) fn state_count(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn runs(&self, state: LexerState) -> &[Run] {
        match state {
            DEAD => &NOWHERE,
            state => &self.runs[self.begins[state as usize]..self.begins[state as usize + 1]],
        }
    }

    /// From the first byte to a place where some state turns.
    pub(crate) fn turns(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        self.runs.iter().map(|&(end, _)| (0, end))
    }

    fn sets_of(&self, state: LexerState) -> [SetId; 2] {
        match state {
            DEAD => [NOTHING; 2],
            state => self.sets[state as usize],
        }
    }
}

impl Sets {
    pub(crate) fn count(&self) -> usize {
        1 + self.terminals as usize + self.unions.len()
    }

    /// The members of a set.
    pub(crate) fn members(&self, set: SetId) -> BitSet {
        let mut members = BitSet::new(self.terminals as usize + 1);
        let mut open = vec![set];
        while let Some(set) = open.pop() {
            if let Some(union) = set.checked_sub(self.terminals + 1) {
                let (one, other) = self.unions[union as usize];
                open.extend([one, other]);
            } else if let Some(terminal) = set.checked_sub(1) {
                members.insert(terminal as usize);
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
    parts: [&'a Product; 2],
    /// For each state of a part, the state for it where the other is dead.
    alone: [Vec<LexerState>; 2],
    together: FxHashMap<(LexerState, LexerState), LexerState>,
    order: Vec<(LexerState, LexerState)>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    sets: &'a mut Sets,
}

impl<'a> Pairs<'a> {
    fn new(one: &'a Product, other: &'a Product, sets: &'a mut Sets) -> Self {
        Self {
            parts: [one, other],
            alone: [one, other].map(|part| vec![DEAD; part.state_count()]),
            together: FxHashMap::default(),
            order: Vec::new(),
            unions: FxHashMap::default(),
            sets,
        }
    }

    fn run(mut self, limits: &Limits) -> Result<Product, AutomatonError> {
        let [one, other] = self.parts;
        let mut made = Product {
            start: self.state((one.start, other.start)),
            begins: vec![0],
            runs: Vec::new(),
            sets: Vec::new(),
        };
        while let Some(&(left, right)) = self.order.get(made.sets.len()) {
            self.runs(one.runs(left), other.runs(right), &mut made.runs);
            made.begins.push(made.runs.len());
            let (left, right) = (one.sets_of(left), other.sets_of(right));
            made.sets
                .push([0, 1].map(|kind| self.union((left[kind], right[kind]))));
            if self.order.len() > limits.dfa_states {
                return Err(AutomatonError::TooLarge {
                    what: "lexer states",
                    limit: limits.dfa_states,
                });
            }
        }
        Ok(made)
    }

    /// Appends the runs of a state, from those of its two.
    fn runs(&mut self, mut one: &[Run], mut other: &[Run], runs: &mut Vec<Run>) {
        let first = runs.len();
        let mut last = (DEAD, DEAD);
        while let (&[(one_end, left), ..], &[(other_end, right), ..]) = (one, other) {
            let end = one_end.min(other_end);
            if runs.len() > first && (left, right) == last {
                runs.pop();
            }
            last = (left, right);
            runs.push((end, self.state(last)));
            one = &one[usize::from(one_end == end)..];
            other = &other[usize::from(other_end == end)..];
        }
    }

    fn state(&mut self, pair: (LexerState, LexerState)) -> LexerState {
        let known = match pair {
            (DEAD, DEAD) => return DEAD,
            (one, DEAD) => &mut self.alone[0][one as usize],
            (DEAD, other) => &mut self.alone[1][other as usize],
            both => self.together.entry(both).or_insert(DEAD),
        };
        if *known == DEAD {
            *known = self.order.len() as LexerState;
            self.order.push(pair);
        }
        *known
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
