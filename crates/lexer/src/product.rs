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

use std::collections::VecDeque;

use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits};
use rustc_hash::FxHashMap;

use crate::combined::DEAD;
use crate::{LexerState, TerminalId};

/// The last byte of a run, and where it leads.
pub(crate) type Run = (u8, LexerState);

/// A set of terminals, as the two sets that it was made of.
pub(crate) type SetId = u32;

/// The product of some automata. Its first state is where texts begin.
pub(crate) struct Product {
    /// Where the runs of a state begin, and behind the last state, where they end.
    starts: Vec<usize>,
    /// Those of a state hold all bytes, in order, also bytes that lead nowhere.
    runs: Vec<Run>,
    /// For each state, the terminals that accept, and those that still may.
    pub sets: Vec<[SetId; 2]>,
}

/// Sets of terminals: the empty one, then those of one terminal, then unions of two that
/// share nothing. No two are alike.
pub(crate) struct Sets {
    terminals: u32,
    unions: Vec<[SetId; 2]>,
}

const NOWHERE: [Run; 1] = [(u8::MAX, DEAD)];
const NOTHING: SetId = 0;

/// The product of all `terminals`. No byte leads to its first state, even where bytes
/// lead to the like of it.
pub(crate) fn product(
    terminals: &[&Dfa],
    limits: &Limits,
) -> Result<(Product, Sets), AutomatonError> {
    let mut sets = Sets {
        terminals: terminals.len() as u32,
        unions: Vec::new(),
    };
    let mut parts: Vec<Product> = (1..)
        .zip(terminals)
        .map(|(set, terminal)| Product::of(terminal, set))
        .collect();
    // The smallest first, so that what is large is gone through few times.
    parts.sort_by_key(Product::state_count);
    let (mut parts, mut made) = (VecDeque::from(parts), VecDeque::<Product>::new());
    loop {
        let mut smallest = || {
            let is_made = match (parts.front(), made.front()) {
                (Some(part), Some(made)) => made.state_count() < part.state_count(),
                (part, _) => part.is_none(),
            };
            let from = if is_made { &mut made } else { &mut parts };
            from.pop_front().unwrap_or_else(Product::of_nothing)
        };
        let (one, other) = (smallest(), smallest());
        let is_last = parts.is_empty() && made.is_empty();
        let both = Pairs::new(&one, &other, &mut sets).run(is_last, limits)?;
        if is_last {
            return Ok((both, sets));
        }
        made.push_back(both);
    }
}

impl Product {
    fn of_nothing() -> Self {
        Self {
            starts: vec![0, 1],
            runs: NOWHERE.into(),
            sets: vec![[NOTHING; 2]],
        }
    }

    /// Of one terminal, with the set that holds it.
    fn of(terminal: &Dfa, set: SetId) -> Self {
        let mut ranges = terminal.ranges();
        // Where texts begin changes places with the first state.
        let start = terminal.start();
        ranges.swap(0, start as usize);
        let renamed = |state| match state {
            0 => start,
            state if state == start => 0,
            state => state,
        };
        let may_accept = if terminal.is_empty() { NOTHING } else { set };
        let mut made = Self {
            starts: vec![0],
            runs: Vec::new(),
            sets: Vec::with_capacity(ranges.len()),
        };
        for (state, ranges) in (0..).zip(ranges) {
            let mut end = 0u16;
            for (low, high, next) in ranges {
                if u16::from(low) > end {
                    made.runs.push((low - 1, DEAD));
                }
                made.runs.push((high, renamed(next)));
                end = u16::from(high) + 1;
            }
            if end <= u16::from(u8::MAX) {
                made.runs.push((u8::MAX, DEAD));
            }
            made.starts.push(made.runs.len());
            let accepts = terminal.is_accepting(renamed(state));
            made.sets
                .push([if accepts { set } else { NOTHING }, may_accept]);
        }
        made
    }

    pub(crate) fn state_count(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn runs(&self, state: LexerState) -> &[Run] {
        match state {
            DEAD => &NOWHERE,
            state => &self.runs[self.starts[state as usize]..self.starts[state as usize + 1]],
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
    /// The members of a set, in order.
    pub(crate) fn members(&self, set: SetId) -> Vec<TerminalId> {
        let mut members = Vec::new();
        let mut open = vec![set];
        while let Some(set) = open.pop() {
            match set.checked_sub(self.terminals + 1) {
                Some(union) => open.extend(self.unions[union as usize]),
                None => members.extend(set.checked_sub(1)),
            }
        }
        members.sort_unstable();
        members
    }
}

/// Two products being made one.
struct Pairs<'a> {
    one: &'a Product,
    other: &'a Product,
    /// The states for those of one where the other is dead, and the other way round.
    alone: [Vec<LexerState>; 2],
    together: FxHashMap<(LexerState, LexerState), LexerState>,
    order: Vec<(LexerState, LexerState)>,
    unions: FxHashMap<[SetId; 2], SetId>,
    sets: &'a mut Sets,
}

impl<'a> Pairs<'a> {
    fn new(one: &'a Product, other: &'a Product, sets: &'a mut Sets) -> Self {
        Self {
            one,
            other,
            alone: [one, other].map(|part| vec![DEAD; part.state_count()]),
            together: FxHashMap::default(),
            order: vec![(0, 0)],
            unions: FxHashMap::default(),
            sets,
        }
    }

    /// `start_apart`: no byte is to lead to the first state.
    fn run(mut self, start_apart: bool, limits: &Limits) -> Result<Product, AutomatonError> {
        if !start_apart {
            self.together.insert((0, 0), 0);
        }
        let mut made = Product {
            starts: vec![0],
            runs: Vec::new(),
            sets: Vec::new(),
        };
        while let Some(&(one, other)) = self.order.get(made.sets.len()) {
            self.runs(self.one.runs(one), self.other.runs(other), &mut made.runs);
            made.starts.push(made.runs.len());
            let (one, other) = (self.one.sets_of(one), self.other.sets_of(other));
            made.sets
                .push([0, 1].map(|kind| self.union(one[kind], other[kind])));
            if self.order.len() > limits.dfa_states {
                return Err(AutomatonError::TooLarge {
                    what: "lexer states",
                    limit: limits.dfa_states,
                });
            }
        }
        Ok(made)
    }

    fn runs(&mut self, mut one: &[Run], mut other: &[Run], runs: &mut Vec<Run>) {
        let first = runs.len();
        let mut last = (DEAD, DEAD);
        while let (&[(one_end, left), ..], &[(other_end, right), ..]) = (one, other) {
            let end = one_end.min(other_end);
            if runs.len() > first && (left, right) == last {
                if let Some(run) = runs.last_mut() {
                    run.0 = end;
                }
            } else {
                runs.push((end, self.state(left, right)));
            }
            last = (left, right);
            if one_end == end {
                one = &one[1..];
            }
            if other_end == end {
                other = &other[1..];
            }
        }
    }

    fn state(&mut self, one: LexerState, other: LexerState) -> LexerState {
        let known = match (one, other) {
            (DEAD, DEAD) => return DEAD,
            (one, DEAD) => &mut self.alone[0][one as usize],
            (DEAD, other) => &mut self.alone[1][other as usize],
            both => self.together.entry(both).or_insert(DEAD),
        };
        if *known == DEAD {
            *known = self.order.len() as LexerState;
            self.order.push((one, other));
        }
        *known
    }

    fn union(&mut self, one: SetId, other: SetId) -> SetId {
        if one == NOTHING || other == NOTHING {
            return one.max(other);
        }
        *self.unions.entry([one, other]).or_insert_with(|| {
            self.sets.unions.push([one, other]);
            self.sets.terminals + self.sets.unions.len() as SetId
        })
    }
}
