//! Texts one behind the other, without the subset construction.
//!
//! Names, colons, white space and values mostly begin with bytes that what stands before
//! them does not go on with. Their automata are then joined at the ends, and what was
//! minimal stays so, nearly. Cost: the transitions of the parts.

use std::sync::Arc;

use super::classes::byte_classes;
use super::dfa::{ByteRange, DEAD};
use super::{Dfa, StateId};

impl Dfa {
    /// The texts of one part behind the other. `None` where it takes more than the next
    /// byte to tell whether a part goes on or the next begins, or more than so many states.
    ///
    /// ```
    /// use lacuna_grammar::automaton::Dfa;
    /// let [one, two] = [b"one", b"two"].map(|text| Dfa::of_text(text).into());
    /// let both = Dfa::in_turn(&[one, two], 100).unwrap();
    /// assert!(both.accepts(b"onetwo") && !both.accepts(b"one"));
    /// ```
    pub fn in_turn(parts: &[Arc<Dfa>], states: usize) -> Option<Self> {
        let mut rows: Vec<Vec<ByteRange>> = vec![Vec::new()];
        // Where the text so far may end.
        let mut ends: Vec<StateId> = vec![0];
        for part in parts {
            let ranges = part.ranges();
            let start = part.start();
            let is_entered = ranges.iter().flatten().any(|&(_, _, next)| next == start);
            // One end that nothing leads away from is where the part begins.
            let only = match *ends {
                [end] if rows[end as usize].is_empty() => Some(end),
                _ => None,
            };
            let mut fresh = rows.len() as StateId;
            let names = (0..part.state_count() as StateId).map(|state| {
                if state == start && (only.is_some() || !is_entered) {
                    return only.unwrap_or(DEAD);
                }
                fresh += 1;
                fresh - 1
            });
            let names: Vec<StateId> = names.collect();
            if fresh as usize > states {
                return None;
            }
            rows.resize(fresh as usize, Vec::new());
            let renamed = |&(low, high, next): &ByteRange| (low, high, names[next as usize]);
            for (ranges, &name) in ranges.iter().zip(&names) {
                if name != DEAD {
                    rows[name as usize] = ranges.iter().map(renamed).collect();
                }
            }
            if only.is_none() {
                for &end in &ends {
                    let row = &mut rows[end as usize];
                    row.extend(ranges[start as usize].iter().map(renamed));
                    row.sort_unstable();
                    if row.windows(2).any(|two| two[0].1 >= two[1].0) {
                        return None;
                    }
                }
            }
            if only.is_some() || !part.is_accepting(start) {
                ends.clear();
            }
            let named = (0..).zip(names).filter(|&(_, name)| name != DEAD);
            let accepting = named.filter(|&(state, _)| part.is_accepting(state));
            ends.extend(accepting.map(|(_, name)| name));
        }
        if ends.is_empty() {
            return Some(Self::nothing());
        }
        let mut ranges = rows.iter().flatten().map(|&(low, high, _)| (low, high));
        let (classes, first_bytes) = byte_classes(&mut ranges);
        let class_count = first_bytes.len();
        let mut table = vec![DEAD; rows.len() * class_count];
        for (row, ranges) in table.chunks_mut(class_count).zip(&rows) {
            for &(low, high, next) in ranges {
                row[classes[low as usize] as usize..=classes[high as usize] as usize].fill(next);
            }
        }
        let mut accepting = vec![false; rows.len()];
        for end in ends {
            accepting[end as usize] = true;
        }
        Some(Self {
            classes,
            class_count,
            table,
            accepting,
            start: 0,
        })
    }
}
