//! Minimisation in O(transitions · log states): Valmari's refinement of
//! Hopcroft's algorithm for partial automata ("Fast brief practical DFA
//! minimization", 2012), which refines a partition of the states and one of the
//! transitions against each other.
//!
//! Where transitions lead in no circle, as in texts of bounded length, states are compared
//! instead, the last ones first: they are alike where their transitions are, which one look at
//! each tells (Revuz, "Minimisation of acyclic deterministic automata in linear time",
//! Theoretical Computer Science 92, 1992).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::dfa::DEAD;
use super::{Dfa, Grouped, StateId};

impl Dfa {
    /// The smallest automaton of the same language.
    pub fn minimize(self) -> Self {
        let count = self.state_count();
        let transitions: Vec<Transition> = (0..self.table.len())
            .filter(|&at| self.table[at] != DEAD)
            .map(|at| Transition {
                tail: (at / self.class_count) as u32,
                class: (at % self.class_count) as u32,
                head: self.table[at],
            })
            .collect();
        let (set_of, found) = match self.alike_from_the_end(&transitions) {
            Some(alike) => alike,
            None => {
                let blocks = refine(&self.accepting, &transitions, self.class_count);
                let found = blocks.sets();
                (blocks.set_of, found)
            }
        };
        if found == count {
            return self;
        }
        // Numbered as they are met: in the order in which a walk from the start finds them,
        // if the states are in such an order.
        let mut numbers = vec![DEAD; found];
        let mut accepting = Vec::with_capacity(found);
        let names: Vec<StateId> = (set_of.iter().zip(&self.accepting))
            .map(|(&block, &accepts)| {
                let number = &mut numbers[block as usize];
                if *number == DEAD {
                    *number = accepting.len() as StateId;
                    accepting.push(accepts);
                }
                *number
            })
            .collect();
        let mut table = vec![DEAD; found * self.class_count];
        for transition in &transitions {
            let row = names[transition.tail as usize] as usize * self.class_count;
            table[row + transition.class as usize] = names[transition.head as usize];
        }
        Self {
            start: names[self.start as usize],
            classes: self.classes,
            class_count: self.class_count,
            table,
            accepting,
        }
    }

    /// The coarsest partition of the states, where transitions lead in no circle: the set of
    /// each, and how many there are.
    fn alike_from_the_end(&self, transitions: &[Transition]) -> Option<(Vec<u32>, usize)> {
        let count = self.state_count();
        let incoming = grouped(transitions, count, |it| it.head);
        let mut open = vec![0; count];
        for transition in transitions {
            open[transition.tail as usize] += 1;
        }
        // Each behind all that it leads to.
        let states = 0..count as StateId;
        let mut order: Vec<StateId> = states.filter(|&it| open[it as usize] == 0).collect();
        let mut done = 0;
        while let Some(&state) = order.get(done) {
            done += 1;
            for &index in incoming.of(state) {
                let tail = transitions[index as usize].tail;
                open[tail as usize] -= 1;
                if open[tail as usize] == 0 {
                    order.push(tail);
                }
            }
        }
        if order.len() < count {
            return None;
        }
        let mut sets: FxHashMap<Arc<[u32]>, u32> = FxHashMap::default();
        let mut set_of = vec![0; count];
        let mut alike = Vec::new();
        for state in order {
            alike.push(u32::from(self.is_accepting(state)));
            for (class, &next) in (0..).zip(self.row(state)) {
                if next != DEAD {
                    alike.extend([class, set_of[next as usize]]);
                }
            }
            let fresh = sets.len() as u32;
            set_of[state as usize] = match sets.get(alike.as_slice()) {
                Some(&known) => known,
                None => {
                    sets.insert(alike.as_slice().into(), fresh);
                    fresh
                }
            };
            alike.clear();
        }
        Some((set_of, sets.len()))
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
