//! A set of small numbers that is emptied at the cost of what is in it.
//!
//! Sets of an automaton's states are gathered cell by cell, each a few of hundreds of thousands:
//! a set of bits made anew for each would often cost more than what goes into it. So a second set
//! of bits says which words of the first are in use.
//!
//! Cost: a bit for each number that may be in it, kept; to empty it, a word for each 4,096 of
//! these, and the words in use.

use lacuna_lexer::BitSet;

const BITS: u32 = u64::BITS;

/// The set. It is empty whenever nobody is filling it.
#[derive(Clone, Debug)]
pub(crate) struct ScratchSet {
    words: Vec<u64>,
    /// The words that are not zero.
    used: BitSet,
}

impl ScratchSet {
    /// A set of numbers below `size`.
    pub fn new(size: usize) -> Self {
        let words = size.div_ceil(BITS as usize);
        Self {
            words: vec![0; words],
            used: BitSet::new(words),
        }
    }

    /// Adds a number.
    pub fn insert(&mut self, number: u32) {
        let word = (number / BITS) as usize;
        self.words[word] |= 1 << (number % BITS);
        self.used.insert(word);
    }

    /// Whether a number is in it.
    pub fn contains(&self, number: u32) -> bool {
        self.words[(number / BITS) as usize] & (1 << (number % BITS)) != 0
    }

    /// Empties it; what was in it, in order.
    pub fn take(&mut self) -> Vec<u32> {
        let mut numbers = Vec::new();
        let unused = BitSet::new(self.words.len());
        for word in std::mem::replace(&mut self.used, unused).iter() {
            let mut bits = std::mem::take(&mut self.words[word]);
            while bits != 0 {
                numbers.push(word as u32 * BITS + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        numbers
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
        for _ in 0..50 {
            let mut known = BTreeSet::new();
            for _ in 0..random.usize(..200) {
                let number = random.u32(..1000);
                assert_eq!(set.contains(number), !known.insert(number));
                set.insert(number);
            }
            for number in 0..1000 {
                assert_eq!(set.contains(number), known.contains(&number));
            }
            assert_eq!(set.take(), known.into_iter().collect::<Vec<_>>());
        }
    }
}
