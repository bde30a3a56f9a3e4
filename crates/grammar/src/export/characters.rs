//! Automata over bytes, read as automata over characters.

use rustc_hash::FxHashMap;

use crate::automaton::{Dfa, StateId};
use crate::characters::normalise;

/// Ranges of characters that lead to a state.
type Steps = Vec<(Vec<(u32, u32)>, usize)>;

/// A state between two characters; the first is the start.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub accepts: bool,
    /// The characters that lead to each further state.
    pub steps: Steps,
}

/// The states between characters; `None` if some text is not UTF-8.
pub(super) fn states(dfa: &Dfa) -> Option<Vec<State>> {
    let mut reading = Reading {
        dfa,
        tails: FxHashMap::default(),
    };
    let mut numbers: FxHashMap<StateId, usize> = FxHashMap::default();
    numbers.insert(dfa.start(), 0);
    let mut order = vec![dfa.start()];
    let mut states = Vec::new();
    while let Some(&state) = order.get(states.len()) {
        let mut by_target: Vec<(StateId, Vec<(u32, u32)>)> = Vec::new();
        for (low, high, target) in reading.characters(state)? {
            match by_target.iter_mut().find(|(known, _)| *known == target) {
                Some((_, ranges)) => ranges.push((low, high)),
                None => by_target.push((target, vec![(low, high)])),
            }
        }
        let steps = by_target.into_iter().map(|(target, ranges)| {
            let number = *numbers.entry(target).or_insert_with(|| {
                order.push(target);
                order.len() - 1
            });
            (normalise(ranges), number)
        });
        states.push(State {
            accepts: dfa.is_accepting(state),
            steps: steps.collect(),
        });
    }
    Some(states)
}

type Ranges = Vec<(u32, u32, StateId)>;

struct Reading<'a> {
    dfa: &'a Dfa,
    /// What the last so many bytes of a character, read from a state, add to its number.
    tails: FxHashMap<(StateId, u32), Option<Ranges>>,
}

impl Reading<'_> {
    fn characters(&mut self, state: StateId) -> Option<Ranges> {
        let mut found = Vec::new();
        for (low, high, next) in self.dfa.byte_ranges(state) {
            for lead in low..=high {
                let (tail, first) = match lead {
                    0x00..=0x7F => (0, u32::from(lead)),
                    0xC2..=0xDF => (1, u32::from(lead & 0x1F) << 6),
                    0xE0..=0xEF => (2, u32::from(lead & 0x0F) << 12),
                    0xF0..=0xF4 => (3, u32::from(lead & 0x07) << 18),
                    _ => return None,
                };
                if tail == 0 {
                    found.push((first, first, next));
                    continue;
                }
                let rest = self.tail(next, tail)?;
                found.extend(
                    rest.into_iter()
                        .map(|(low, high, to)| (first + low, first + high, to)),
                );
            }
        }
        // Too short a spelling, surrogates, and what lies beyond: no characters.
        let ranges = found.iter();
        let mut gone = ranges.filter(|&&(low, high, _)| {
            (low..=high).contains(&0xD800) || (0xD800..=0xDFFF).contains(&low) || high > 0x10FFFF
        });
        gone.next().is_none().then_some(found)
    }

    fn tail(&mut self, state: StateId, bytes: u32) -> Option<Ranges> {
        if let Some(known) = self.tails.get(&(state, bytes)) {
            return known.clone();
        }
        let found = self.new_tail(state, bytes);
        self.tails.insert((state, bytes), found.clone());
        found
    }

    fn new_tail(&mut self, state: StateId, bytes: u32) -> Option<Ranges> {
        if self.dfa.is_accepting(state) {
            return None;
        }
        let mut found: Ranges = Vec::new();
        for (low, high, next) in self.dfa.byte_ranges(state) {
            if low < 0x80 || high > 0xBF {
                return None;
            }
            let (low, high) = (u32::from(low & 0x3F), u32::from(high & 0x3F));
            if bytes == 1 {
                found.push((low, high, next));
                continue;
            }
            let shift = 6 * (bytes - 1);
            let rest = self.tail(next, bytes - 1)?;
            for value in low..=high {
                let first = value << shift;
                for &(low, high, to) in &rest {
                    match found.last_mut() {
                        Some((_, last, known)) if *known == to && *last + 1 == first + low => {
                            *last = first + high;
                        }
                        _ => found.push((first + low, first + high, to)),
                    }
                }
            }
        }
        Some(found)
    }
}
