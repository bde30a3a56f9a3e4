//! A set of small numbers that is emptied at the cost of what is in it.
//!
//! Sets of an automaton's states are gathered cell by cell, each a few of hundreds of thousands:
//! a set of bits made anew for each would often cost more than what goes into it. So a second set
//! of bits says which words of the first are in use.
//!
//! Cost: a bit for each number that may be in it, kept; to empty it, a word for each 4,096 of
//! these, and the words in use.

const BITS: usize = u64::BITS as usize;

/// The set. It is empty whenever nobody is filling it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScratchSet {
    words: Vec<u64>,
    /// A bit for each word that is not zero.
    used: Vec<u64>,
}

impl ScratchSet {
    /// A set of numbers below `size`.
    pub fn new(size: usize) -> Self {
        let words = size.div_ceil(BITS);
        Self {
            words: vec![0; words],
            used: vec![0; words.div_ceil(BITS)],
        }
    }

    /// Adds a number.
    pub fn insert(&mut self, number: u32) {
        let (word, bit) = place(number as usize);
        self.words[word] |= bit;
        let (word, bit) = place(word);
        self.used[word] |= bit;
    }

    /// Whether a number is in it.
    pub fn contains(&self, number: u32) -> bool {
        let (word, bit) = place(number as usize);
        self.words[word] & bit != 0
    }

    /// Empties it; what was in it, in order.
    pub fn take(&mut self) -> Vec<u32> {
        let mut numbers = Vec::new();
        self.drain(|word, bits| {
            for_each_bit(bits, |bit| numbers.push((word * BITS + bit) as u32));
        });
        numbers
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.drain(|_, _| {});
    }

    fn drain(&mut self, mut visit: impl FnMut(usize, u64)) {
        for (at, used) in self.used.iter_mut().enumerate() {
            for_each_bit(std::mem::take(used), |bit| {
                let word = at * BITS + bit;
                visit(word, std::mem::take(&mut self.words[word]));
            });
        }
    }
}

fn place(number: usize) -> (usize, u64) {
    (number / BITS, 1 << (number % BITS))
}

fn for_each_bit(mut bits: u64, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    //! Oracle: `BTreeSet`.

    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn it_is_a_set_and_empty_once_taken() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut set = ScratchSet::new(1000);
        for round in 0..50 {
            let mut known = BTreeSet::new();
            for _ in 0..random.usize(..200) {
                let number = random.u32(..1000);
                assert_eq!(set.contains(number), !known.insert(number));
                set.insert(number);
            }
            for number in 0..1000 {
                assert_eq!(set.contains(number), known.contains(&number));
            }
            match round % 3 {
                0 => set.clear(),
                _ => assert_eq!(set.take(), known.into_iter().collect::<Vec<_>>()),
            }
        }
    }
}
