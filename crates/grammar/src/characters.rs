//! Sets of Unicode characters as sorted, disjoint, inclusive ranges.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use rustc_hash::FxHashMap;

/// Every character there is.
pub(crate) const ANY_CHARACTER: (u32, u32) = (0, LAST);
const LAST: u32 = char::MAX as u32;

/// Sorts, merges what touches, and cuts off what no character reaches.
pub(crate) fn normalise(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.retain(|&(low, high)| low <= high && low <= LAST);
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match merged.last_mut() {
            Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
            _ => merged.push((low, high)),
        }
    }
    merged
        .iter_mut()
        .for_each(|range| range.1 = range.1.min(LAST));
    merged
}

/// The characters outside normalised ranges.
pub(crate) fn complement(ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut outside = Vec::with_capacity(ranges.len() + 1);
    let mut next = 0;
    for &(low, high) in ranges {
        if next < low {
            outside.push((next, low - 1));
        }
        next = high + 1;
    }
    if next <= LAST {
        outside.push((next, LAST));
    }
    outside
}

/// Whether normalised ranges hold a character; surrogates are none.
pub(crate) fn any_character_in(ranges: &[(u32, u32)]) -> bool {
    ranges
        .iter()
        .any(|&(low, high)| low < 0xD800 || high > 0xDFFF)
}

/// What characters are when case is ignored: by Unicode's simple folding, as in
/// regular expressions. Answers are kept.
#[derive(Debug, Default)]
pub(crate) struct Folding {
    known: FxHashMap<char, Box<[(u32, u32)]>>,
}

impl Folding {
    /// The characters that differ from this one in case only, itself included.
    pub(crate) fn of(&mut self, character: char) -> &[(u32, u32)] {
        self.known.entry(character).or_insert_with(|| {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(character, character)]);
            class.case_fold_simple();
            let ranges = class.iter();
            ranges
                .map(|range| (range.start() as u32, range.end() as u32))
                .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complement_of_a_complement_is_the_set() {
        let set = normalise(vec![
            (5, 9),
            (0x10_FFFE, LAST),
            (7, 12),
            (13, 13),
            (0, 0),
            (20, 19),
        ]);
        assert_eq!(set, [(0, 0), (5, 13), (0x10_FFFE, LAST)]);
        assert_eq!(complement(&complement(&set)), set);
        assert_eq!(complement(&[]), [ANY_CHARACTER]);
    }
}
