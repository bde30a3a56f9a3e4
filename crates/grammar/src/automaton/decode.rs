//! Automata over UTF-8 read character by character.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{Dfa, StateId};

/// Characters from the first to the last, and the state behind them.
pub(super) type Range = (u32, u32, StateId);

/// What an automaton over UTF-8 reads, as characters. Rests of characters are read
/// once, however many beginnings lead to them.
pub(super) struct Decoder<'d> {
    dfa: &'d Dfa,
    rests: FxHashMap<(StateId, u32), Rc<Vec<Range>>>,
}

impl<'d> Decoder<'d> {
    pub(super) fn new(dfa: &'d Dfa) -> Self {
        Self {
            dfa,
            rests: FxHashMap::default(),
        }
    }

    /// The characters that may come next, and where they lead; none inside of a
    /// character.
    pub(super) fn characters_from(&mut self, state: StateId) -> Vec<Range> {
        let mut ranges = Vec::new();
        for (low, high, next) in self.dfa.byte_ranges(state) {
            if low < 0x80 {
                push_merging(&mut ranges, (low as u32, high.min(0x7F) as u32, next));
            }
            for lead in low.max(0xC0)..=high {
                let (groups, bits) = match lead {
                    0xC0..=0xDF => (1, lead & 0x1F),
                    0xE0..=0xEF => (2, lead & 0x0F),
                    _ => (3, lead & 0x07),
                };
                let base = (bits as u32) << (6 * groups);
                for &(low, high, next) in self.rest(next, groups).iter() {
                    push_merging(&mut ranges, (base + low, base + high, next));
                }
            }
        }
        ranges
    }

    fn rest(&mut self, state: StateId, groups: u32) -> Rc<Vec<Range>> {
        if let Some(known) = self.rests.get(&(state, groups)) {
            return known.clone();
        }
        let mut ranges = Vec::new();
        let size = 1 << (6 * (groups - 1));
        for (low, high, next) in self.dfa.byte_ranges(state) {
            let (low, high) = (low.max(0x80), high.min(0xBF));
            if groups == 1 && low <= high {
                let code = |byte: u8| byte as u32 & 0x3F;
                push_merging(&mut ranges, (code(low), code(high), next));
                continue;
            }
            for byte in low..=high {
                let base = (byte as u32 & 0x3F) * size;
                for &(low, high, next) in self.rest(next, groups - 1).iter() {
                    push_merging(&mut ranges, (base + low, base + high, next));
                }
            }
        }
        let ranges = Rc::new(ranges);
        self.rests.insert((state, groups), ranges.clone());
        ranges
    }
}

/// Adds a range, to the last one if it goes on there.
pub(super) fn push_merging(ranges: &mut Vec<Range>, (low, high, next): Range) {
    match ranges.last_mut() {
        Some(last) if last.2 == next && last.1 + 1 == low => last.1 = high,
        _ => ranges.push((low, high, next)),
    }
}
