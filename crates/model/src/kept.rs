//! Keys and values of an earlier input, kept for later ones: Fast-dLLM's caches (Wu et al.
//! 2025, arXiv 2505.22618).
//!
//! In a bidirectional transformer a token that is written changes every position, so nothing
//! may be kept exactly. Approximately it may: where the prompt and what is written are far from
//! done changing, their keys and values hardly do. A step then computes only a range of
//! positions, which attend to fresh keys and values of that range and to kept ones of all
//! others. With the range of the block that is being written and all behind it, that is the
//! prefix cache; with the block's alone, the dual cache.
//!
//! What is approximated is said by the request alone ([`Kept`] names the earlier input, not a
//! device's memory), so that an answer depends on nothing else: a device that has not stored
//! the earlier input's keys computes them first. The answer is exact, bit for bit on the
//! processor, where
//! - both inputs are the same, so the first step after a refresh costs nothing in accuracy; or
//! - the range is all positions; or
//! - the model has one block, whose keys and values depend on their own token only, and the
//!   inputs differ within the range only.

use crate::input::Input;
use std::ops::Range;

/// Keys and values that are those of an earlier input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept<'a> {
    /// The earlier input, as long as the present one.
    pub ids: &'a [u32],
    /// The first position that is computed …
    pub start: usize,
    /// … and the one behind the last. What wanted rows need besides is computed too.
    pub end: usize,
}

/// Of which input the keys and values are that a device has stored.
#[derive(Debug, Default)]
pub struct Stored {
    /// Empty where there are none.
    ids: Vec<u32>,
    /// Positions that were written for another input since.
    changed: Range<usize>,
}

/// The passes that answer a request which keeps something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// One over all positions.
    Whole,
    /// One over the positions that are computed.
    Part,
    /// One over all positions of the earlier input, for its keys and values, and then
    /// [`Passes::Part`].
    Both,
}

impl Stored {
    /// What has to be done for an input, of which these positions are computed.
    pub fn passes(&self, input: &Input<'_>, kept: Kept<'_>, computed: &Range<usize>) -> Passes {
        let untouched = self.changed.is_empty()
            || computed.start <= self.changed.start && self.changed.end <= computed.end;
        match () {
            () if *computed == (0..input.ids.len()) => Passes::Whole,
            () if self.ids == kept.ids && untouched => Passes::Part,
            () if input.ids == kept.ids => Passes::Whole,
            () => Passes::Both,
        }
    }

    /// All positions were written for this input.
    pub fn holds(&mut self, ids: &[u32]) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.changed = 0..0;
    }

    /// These positions were written for another input.
    pub fn wrote(&mut self, positions: Range<usize>) {
        self.changed = positions;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_used_as_long_as_it_is_what_is_asked_for() {
        let (old, new) = ([1, 2, 3, 4], [1, 2, 9, 4]);
        let mut stored = Stored::default();
        let asked = |stored: &Stored, ids: &[u32], computed: Range<usize>| {
            let kept = Kept {
                ids: &old,
                start: computed.start,
                end: computed.end,
            };
            let input = Input {
                ids,
                rows: &[2],
                kept: Some(kept),
            };
            stored.passes(&input, kept, &computed)
        };
        assert_eq!(asked(&stored, &old, 2..3), Passes::Whole);
        assert_eq!(asked(&stored, &new, 2..3), Passes::Both);
        stored.holds(&old);
        assert_eq!(asked(&stored, &new, 2..3), Passes::Part);
        stored.wrote(2..3);
        assert_eq!(asked(&stored, &new, 2..3), Passes::Part);
        assert_eq!(asked(&stored, &new, 1..4), Passes::Part);
        // Position 2 is another input's.
        assert_eq!(asked(&stored, &new, 1..2), Passes::Both);
        assert_eq!(asked(&stored, &old, 1..2), Passes::Whole);
        assert_eq!(asked(&stored, &new, 0..4), Passes::Whole);
        stored.holds(&new);
        assert_eq!(asked(&stored, &new, 2..3), Passes::Both);
    }
}
