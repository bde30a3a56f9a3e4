//! Minimisation in O(transitions · log states): Valmari's refinement of
//! Hopcroft's algorithm for partial automata ("Fast brief practical DFA
//! minimization", 2012), which refines a partition of the states and one of the
//! transitions against each other.

use super::dfa::DEAD;
use super::{Dfa, StateId};

impl Dfa {
    /// The smallest automaton of the same language.
    pub fn minimize(self) -> Self {
        let count = self.state_count();
        let transitions: Vec<Transition> = (0..self.table.len())
            .filter(|&at| self.table[at] != DEAD)
            .map(|at| Transition {
                tail: at / self.class_count,
                class: at % self.class_count,
                head: self.table[at] as usize,
            })
            .collect();
        let blocks = refine(&self.accepting, &transitions, self.class_count);
        let found = blocks.sets();
        if found == count {
            return self;
        }
        let mut table = vec![DEAD; found * self.class_count];
        let mut accepting = vec![false; found];
        for (state, &accepts) in self.accepting.iter().enumerate() {
            accepting[blocks.set_of[state]] |= accepts;
        }
        for transition in &transitions {
            let row = blocks.set_of[transition.tail] * self.class_count;
            table[row + transition.class] = blocks.set_of[transition.head] as StateId;
        }
        let start = blocks.set_of[self.start as usize] as StateId;
        Self {
            classes: self.classes,
            class_count: self.class_count,
            table,
            accepting,
            start,
        }
        .trim()
    }
}

struct Transition {
    tail: usize,
    class: usize,
    head: usize,
}

/// The coarsest partition of the states that acceptance and transitions respect.
fn refine(accepting: &[bool], transitions: &[Transition], class_count: usize) -> Partition {
    let mut blocks = Partition::new(accepting.len());
    for (state, _) in accepting
        .iter()
        .enumerate()
        .filter(|(_, accepts)| **accepts)
    {
        blocks.mark(state);
    }
    blocks.split();

    // Transitions with one label begin in one set.
    let mut cords = Partition::new(transitions.len());
    for class in 0..class_count {
        let labelled = transitions
            .iter()
            .enumerate()
            .filter(|(_, t)| t.class == class);
        for (index, _) in labelled {
            cords.mark(index);
        }
        cords.split();
    }

    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); accepting.len()];
    for (index, transition) in transitions.iter().enumerate() {
        incoming[transition.head].push(index);
    }

    let mut next_cord = 0;
    let mut next_block = 1;
    while next_cord < cords.sets() {
        for at in cords.range(next_cord) {
            blocks.mark(transitions[cords.elements[at]].tail);
        }
        blocks.split();
        next_cord += 1;
        while next_block < blocks.sets() {
            for at in blocks.range(next_block) {
                for &index in &incoming[blocks.elements[at]] {
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
    elements: Vec<usize>,
    place: Vec<usize>,
    set_of: Vec<usize>,
    first: Vec<usize>,
    past: Vec<usize>,
    marked: Vec<usize>,
    touched: Vec<usize>,
}

impl Partition {
    fn new(count: usize) -> Self {
        Self {
            elements: (0..count).collect(),
            place: (0..count).collect(),
            set_of: vec![0; count],
            first: vec![0; usize::from(count > 0)],
            past: vec![count; usize::from(count > 0)],
            marked: vec![0; usize::from(count > 0)],
            touched: Vec::new(),
        }
    }

    fn sets(&self) -> usize {
        self.first.len()
    }

    fn range(&self, set: usize) -> std::ops::Range<usize> {
        self.first[set]..self.past[set]
    }

    fn mark(&mut self, element: usize) {
        let set = self.set_of[element];
        let from = self.place[element];
        let to = self.first[set] + self.marked[set];
        if from < to {
            return;
        }
        self.elements.swap(from, to);
        self.place[self.elements[from]] = from;
        self.place[element] = to;
        if self.marked[set] == 0 {
            self.touched.push(set);
        }
        self.marked[set] += 1;
    }

    fn split(&mut self) {
        while let Some(set) = self.touched.pop() {
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
                self.set_of[self.elements[at]] = new;
            }
        }
    }
}
