//! Sets of origins, as bits in a row: each a window of words, outside of which it is empty.

use std::ops::Range;

/// Where a set's words are kept, and which words of it they are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    /// The first word that is kept.
    pub first: u32,
    /// How many are.
    pub words: u32,
    /// Where they are.
    pub at: usize,
}

impl Span {
    /// The window of a full row that holds all its bits; `None` if there are none. The
    /// words are kept at `at`.
    pub fn of(row: &[u64], at: usize) -> Option<Self> {
        let first = row.iter().position(|&word| word != 0)?;
        let last = row.iter().rposition(|&word| word != 0)?;
        Some(Self {
            first: first as u32,
            words: (last + 1 - first) as u32,
            at,
        })
    }

    /// Its words, among all.
    pub fn of_all(self, all: &[u64]) -> &[u64] {
        &all[self.at..self.at + self.words as usize]
    }

    /// The same.
    pub fn of_all_mut(self, all: &mut [u64]) -> &mut [u64] {
        &mut all[self.at..self.at + self.words as usize]
    }

    /// The words that it has of a full row.
    pub fn in_row(self, row: &[u64]) -> &[u64] {
        &row[self.first as usize..(self.first + self.words) as usize]
    }

    /// The same.
    pub fn of_row(self, row: &mut [u64]) -> &mut [u64] {
        &mut row[self.first as usize..(self.first + self.words) as usize]
    }

    /// Whether it has a bit.
    pub fn has(self, all: &[u64], bit: u32) -> bool {
        let word = (bit / 64).wrapping_sub(self.first);
        word < self.words && all[self.at + word as usize] >> (bit % 64) & 1 == 1
    }

    /// Sets a bit that lies in the window.
    pub fn set(self, all: &mut [u64], bit: u32) {
        let word = bit / 64 - self.first;
        all[self.at + word as usize] |= 1 << (bit % 64);
    }

    /// The words that both windows have: of the full row, from the first on.
    pub fn shared(self, other: Self) -> Range<u32> {
        let end = (self.first + self.words).min(other.first + other.words);
        self.first.max(other.first)..end
    }
}

/// The next bit that is set, from one on.
pub(super) fn next_bit(words: &[u64], from: u32) -> Option<u32> {
    let mut word = from as usize / 64;
    let mut left = words.get(word)? >> (from % 64) << (from % 64);
    while left == 0 {
        word += 1;
        left = *words.get(word)?;
    }
    Some(word as u32 * 64 + left.trailing_zeros())
}

pub(super) fn has(words: &[u64], bit: u32) -> bool {
    words[bit as usize / 64] >> (bit % 64) & 1 == 1
}

pub(super) fn set(words: &mut [u64], bit: u32) {
    words[bit as usize / 64] |= 1 << (bit % 64);
}

pub(super) fn join(words: &mut [u64], more: &[u64]) {
    for (word, more) in words.iter_mut().zip(more) {
        *word |= more;
    }
}
