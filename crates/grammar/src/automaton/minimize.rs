//! Minimisation in O(transitions · log states): Valmari's refinement of
//! Hopcroft's algorithm for partial automata ("Fast brief practical DFA
//! minimization", 2012), which refines a partition of the states and one of the
//! transitions against each other.
//!
//! Where transitions lead in no circle, as in texts of bounded length, states are compared
//! instead, the last ones first: they are alike where their transitions are, which one look at
//! each tells (Revuz, "Minimisation of acyclic deterministic automata in linear time",
//! Theoretical Computer Science 92, 1992).

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use super::dfa::DEAD;
use super::{Dfa, Grouped, StateId};

impl Dfa {
    /// The smallest automaton of the same language.
    pub fn minimize(self) -> Self {
        let (set_of, found) = match self.alike_by_futures() {
            Some(alike) => alike,
            None => {
                let blocks = refine(&self.accepting, &self.transitions(), self.class_count);
                let found = blocks.sets();
                (blocks.set_of, found)
            }
        };
        if found == self.state_count() {
            return self;
        }
        // Numbered as they are met: in the order in which a walk from the start finds them,
        // if the states are in such an order.
        let mut numbers = vec![DEAD; found];
        let mut firsts = Vec::with_capacity(found);
        let names: Vec<StateId> = ((0..).zip(&set_of))
            .map(|(state, &block)| {
                let number = &mut numbers[block as usize];
                if *number == DEAD {
                    *number = firsts.len() as StateId;
                    firsts.push(state);
                }
                *number
            })
            .collect();
        let mut table = Vec::with_capacity(found * self.class_count);
        for &state in &firsts {
            table.extend(self.row(state).iter().map(|&next| match next {
                DEAD => DEAD,
                next => names[next as usize],
            }));
        }
        Self {
            start: names[self.start as usize],
            accepting: firsts.iter().map(|&it| self.is_accepting(it)).collect(),
            classes: self.classes,
            class_count: self.class_count,
            table,
        }
    }

    fn transitions(&self) -> Vec<Transition> {
        let mut transitions = Vec::new();
        for tail in 0..self.state_count() as StateId {
            for (class, &head) in (0..).zip(self.row(tail)) {
                if head != DEAD {
                    transitions.push(Transition { tail, class, head });
                }
            }
        }
        transitions
    }

    /// The coarsest partition of the states, where transitions lead in no circle: the set of
    /// each, and how many there are.
    fn alike_by_futures(&self) -> Option<(Vec<u32>, usize)> {
        let order = self.ends_first()?;
        let mut set_of = vec![DEAD; order.len()];
        // Of each set: where its states lead, whether they accept, and the set before it
        // whose hash is the same.
        let mut rows: Vec<u32> = Vec::new();
        let mut sets: Vec<(bool, u32)> = Vec::new();
        let mut last_of: FxHashMap<u64, u32> = FxHashMap::default();
        for state in order {
            let accepts = self.is_accepting(state);
            let begin = rows.len();
            let mut hasher = FxHasher::default();
            hasher.write_u32(u32::from(accepts));
            for (class, &next) in (0..).zip(self.row(state)) {
                let mut set = DEAD;
                if next != DEAD {
                    set = set_of[next as usize];
                    hasher.write_u32(class);
                    hasher.write_u32(set);
                }
                rows.push(set);
            }
            let last = last_of.entry(hasher.finish()).or_insert(DEAD);
            let (known, row) = rows.split_at(begin);
            let mut set = *last;
            while set != DEAD {
                let (accepting, before) = sets[set as usize];
                let at = set as usize * row.len();
                if accepting == accepts && known[at..at + row.len()] == *row {
                    break;
                }
                set = before;
            }
            if set == DEAD {
                set = sets.len() as u32;
                sets.push((accepts, *last));
                *last = set;
            } else {
                rows.truncate(begin);
            }
            set_of[state as usize] = set;
        }
        Some((set_of, sets.len()))
    }

    /// All states, each behind all that it leads to, where transitions lead in no circle.
    fn ends_first(&self) -> Option<Vec<StateId>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            None,
            Open,
            Done,
        }
        let count = self.state_count();
        let mut visits = vec![Visit::None; count];
        let mut order = Vec::with_capacity(count);
        // States that lead one to the next, each with the classes looked at.
        let mut path: Vec<(StateId, usize)> = Vec::new();
        for root in 0..count as StateId {
            if visits[root as usize] == Visit::None {
                visits[root as usize] = Visit::Open;
                path.push((root, 0));
            }
            while let Some((state, looked_at)) = path.last_mut() {
                let left = &self.row(*state)[*looked_at..];
                let open = |&next: &StateId| next != DEAD && visits[next as usize] != Visit::Done;
                if let Some(at) = left.iter().position(open) {
                    let next = left[at];
                    *looked_at += at + 1;
                    if visits[next as usize] == Visit::Open {
                        return None;
                    }
                    visits[next as usize] = Visit::Open;
                    path.push((next, 0));
                } else {
                    visits[*state as usize] = Visit::Done;
                    order.push(*state);
                    path.pop();
                }
            }
        }
        Some(order)
    }
}

struct Transition {
    tail: u32,
    class: u32,
    head: u32,
}

/// The numbers of transitions by what is asked of them.
fn grouped(transitions: &[Transition], count: usize, of: fn(&Transition) -> u32) -> Grouped<u32> {
    let transitions = (0..).zip(transitions);
    let transitions: Vec<_> = transitions.map(|(index, it)| (of(it), index)).collect();
    Grouped::new(count, &transitions)
}

/// The coarsest partition of the states that acceptance and transitions respect.
fn refine(accepting: &[bool], transitions: &[Transition], class_count: usize) -> Partition {
    let mut blocks = Partition::new(accepting.len());
    for (state, _) in accepting
        .iter()
        .enumerate()
        .filter(|(_, accepts)| **accepts)
    {
        blocks.mark(state as u32);
    }
    blocks.split();

    // Transitions with one label begin in one set.
    let mut cords = Partition::new(transitions.len());
    for labelled in grouped(transitions, class_count, |it| it.class).each() {
        for &index in labelled {
            cords.mark(index);
        }
        cords.split();
    }

    let incoming = grouped(transitions, accepting.len(), |it| it.head);
    let mut next_cord = 0;
    let mut next_block = 1;
    while next_cord < cords.sets() {
        for at in cords.range(next_cord) {
            blocks.mark(transitions[cords.elements[at] as usize].tail);
        }
        blocks.split();
        next_cord += 1;
        while next_block < blocks.sets() {
            for at in blocks.range(next_block) {
                for &index in incoming.of(blocks.elements[at]) {
                    cords.mark(index);
                }
            }
            cords.split();
            next_block += 1;
        }
    }
    blocks
}

/// A partition whose sets are split by marking elements; the smaller part
/// becomes the new set.
struct Partition {
    elements: Vec<u32>,
    place: Vec<u32>,
    set_of: Vec<u32>,
    first: Vec<u32>,
    past: Vec<u32>,
    marked: Vec<u32>,
    touched: Vec<u32>,
}

impl Partition {
    fn new(count: usize) -> Self {
        let sets = usize::from(count > 0);
        let count = count as u32;
        Self {
            elements: (0..count).collect(),
            place: (0..count).collect(),
            set_of: vec![0; count as usize],
            first: vec![0; sets],
            past: vec![count; sets],
            marked: vec![0; sets],
            touched: Vec::new(),
        }
    }

    fn sets(&self) -> usize {
        self.first.len()
    }

    fn range(&self, set: usize) -> std::ops::Range<usize> {
        self.first[set] as usize..self.past[set] as usize
    }

    fn mark(&mut self, element: u32) {
        let set = self.set_of[element as usize];
        let marked = &mut self.marked[set as usize];
        let from = self.place[element as usize];
        let to = self.first[set as usize] + *marked;
        if from < to {
            return;
        }
        if *marked == 0 {
            self.touched.push(set);
        }
        *marked += 1;
        self.elements.swap(from as usize, to as usize);
        self.place[self.elements[from as usize] as usize] = from;
        self.place[element as usize] = to;
    }

    fn split(&mut self) {
        while let Some(set) = self.touched.pop() {
            let set = set as usize;
            let middle = self.first[set] + std::mem::take(&mut self.marked[set]);
            if middle == self.past[set] {
                continue;
            }
            let new = self.sets();
            if middle - self.first[set] <= self.past[set] - middle {
                self.first.push(self.first[set]);
                self.past.push(middle);
                self.first[set] = middle;
            } else {
                self.first.push(middle);
                self.past.push(self.past[set]);
                self.past[set] = middle;
            }
            self.marked.push(0);
            for at in self.range(new) {
                self.set_of[self.elements[at] as usize] = new as u32;
            }
        }
    }
}
