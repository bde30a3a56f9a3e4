//! Minimisation by partition refinement (Moore's algorithm with hashed
//! signatures): rounds of O(states × classes), usually few.

use rustc_hash::FxHashMap;

use super::Dfa;
use super::dfa::DEAD;

impl Dfa {
    /// The smallest automaton of the same language.
    pub fn minimize(self) -> Self {
        let count = self.state_count();
        let mut block: Vec<u32> = self
            .accepting
            .iter()
            .map(|&accepts| accepts as u32)
            .collect();
        let mut blocks = 0;
        loop {
            let mut signatures: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
            let mut refined = Vec::with_capacity(count);
            for state in 0..count {
                let row = &self.table[state * self.class_count..][..self.class_count];
                let mut signature = Vec::with_capacity(self.class_count + 1);
                signature.push(block[state]);
                signature.extend(
                    row.iter()
                        .map(|&n| if n == DEAD { DEAD } else { block[n as usize] }),
                );
                let fresh = signatures.len() as u32;
                refined.push(*signatures.entry(signature).or_insert(fresh));
            }
            let found = signatures.len();
            block = refined;
            if found == blocks {
                break;
            }
            blocks = found;
        }
        let mut table = vec![DEAD; blocks * self.class_count];
        let mut accepting = vec![false; blocks];
        for state in 0..count {
            let to = block[state] as usize;
            accepting[to] = self.accepting[state];
            for class in 0..self.class_count {
                let next = self.table[state * self.class_count + class];
                if next != DEAD {
                    table[to * self.class_count + class] = block[next as usize];
                }
            }
        }
        let start = block[self.start as usize];
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
