//! Full rows of bits, one for each of a few numbers, for the place that is looked at.

use super::places::NONE;

/// Rows, found by the numbers that they are for.
#[derive(Default)]
pub(super) struct Rows {
    /// When a number was last put, and its slot then.
    slots: Vec<(u32, u32)>,
    now: u32,
    width: usize,
    bits: Vec<u64>,
    /// The number of each slot.
    pub numbers: Vec<u32>,
}

impl Rows {
    /// Forgets all rows; the next ones have so many words.
    pub fn clear(&mut self, width: usize) {
        self.now += 1;
        self.width = width;
        self.bits.clear();
        self.numbers.clear();
    }

    /// The slot of a number, [`NONE`] if it was refused one.
    pub fn get(&self, number: u32) -> Option<u32> {
        let &(when, slot) = self.slots.get(number as usize)?;
        (when == self.now).then_some(slot)
    }

    /// A slot with an empty row for a number that has none.
    pub fn add(&mut self, number: u32) -> u32 {
        let slot = self.numbers.len() as u32;
        self.numbers.push(number);
        self.bits.resize(self.bits.len() + self.width, 0);
        self.put(number, slot);
        slot
    }

    /// The slot of a number, a new one if it has none.
    pub fn slot(&mut self, number: u32) -> u32 {
        self.get(number).unwrap_or_else(|| self.add(number))
    }

    /// Takes note that a number is to have no row.
    pub fn refuse(&mut self, number: u32) {
        self.put(number, NONE);
    }

    /// Takes note of a number's place elsewhere.
    pub fn put(&mut self, number: u32, slot: u32) {
        let at = number as usize;
        if at >= self.slots.len() {
            self.slots.resize(at + 1, (0, 0));
        }
        self.slots[at] = (self.now, slot);
    }

    /// The row of a slot.
    pub fn row(&self, slot: u32) -> &[u64] {
        let at = slot as usize * self.width;
        &self.bits[at..at + self.width]
    }

    /// The same.
    pub fn row_mut(&mut self, slot: u32) -> &mut [u64] {
        let at = slot as usize * self.width;
        &mut self.bits[at..at + self.width]
    }
}
