//! Sets of origins, as bits in a row: each a window of words, outside of which it is empty.

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

    /// One word of the full row.
    pub fn word(self, all: &[u64], word: u32) -> u64 {
        let at = word.wrapping_sub(self.first);
        match at < self.words {
            true => all[self.at + at as usize],
            false => 0,
        }
    }

    /// The words that both windows have: of the full row, from the first on.
    pub fn shared(self, other: Self) -> std::ops::Range<u32> {
        let end = (self.first + self.words).min(other.first + other.words);
        self.first.max(other.first)..end
    }
}
