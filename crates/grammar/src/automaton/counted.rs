//! Languages of so many characters, without a state for each count.
//!
//! As an automaton, a pattern of a hundred states within two thousand characters has a
//! state for each of both. Here it is the pattern's automaton and a count beside it. From
//! each state it is known how few characters can follow and how many, so that from a state
//! and a count it is certain whether a text can still end within the bounds: then nothing
//! has to be made to know what goes on.
//!
//! Cost: the automaton, once; a step is one of the automaton and a comparison.

use rustc_hash::FxHashMap;

use super::lengths::{Bounds, Lengths};
use super::spell::{Spelling, Utf8};
use super::{AutomatonError, Dfa, Grouped, Language, Limits, Ranged, SHORTCUTS, StateId};
use crate::Expr;

/// Texts of an automaton with so many characters.
#[derive(Clone, Debug)]
pub struct Counted {
    texts: Dfa,
    ahead: Box<[Ahead]>,
    bounds: Bounds,
}

/// What can follow a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// The fewest characters that a text has from here on; one of which a part was read
    /// counts.
    pub fewest: u32,
    /// The most, if there is a most.
    pub most: Option<u32>,
    /// Whether no part of a character was read.
    pub is_between: bool,
}

/// A state of the automaton and the number of whole characters that were read; where there is no
/// most of these, up to the fewest.
pub type Place = (StateId, u32);

/// Of a state from which no text goes on.
const NOTHING: Ahead = Ahead {
    fewest: u32::MAX,
    most: Some(0),
    is_between: true,
};

impl Ahead {
    /// Whether a text within bounds can come of a state, behind so many characters.
    pub fn can_end(&self, count: u32, min: u32, max: Option<u32>) -> bool {
        let most = self
            .most
            .is_none_or(|most| count.saturating_add(most) >= min);
        most && max.is_none_or(|max| count.saturating_add(self.fewest) <= max)
    }
}

impl Language {
    /// Its texts within bounds, spelled; `None` where it is not certain from the fewest and the
    /// most characters that can follow whether a text can end.
    pub(crate) fn counted(
        &self,
        lengths: &Lengths<'_>,
        spelling: &dyn Spelling,
        bounds: Bounds,
        limits: &Limits,
    ) -> Result<Option<Counted>, AutomatonError> {
        // The grammar engine alone makes none, and has no code for any.
        if !SHORTCUTS {
            return Ok(None);
        }
        if bounds.max.is_some_and(|max| max < bounds.min) {
            let texts = Dfa::nothing();
            return Ok(Some(Counted {
                ahead: vec![NOTHING; texts.state_count()].into(),
                texts,
                bounds,
            }));
        }
        let texts = self.spelled(spelling, limits)?;
        // The states of the automaton over characters are the first.
        let states = 0..self.state_count() as StateId;
        let between: Vec<Ahead> = states.map(|state| lengths.ahead(state)).collect();
        let ahead = ahead(&texts, between);
        let is_certain = bounds.min == 0 || are_runs(&texts, &ahead);
        Ok(is_certain.then(|| Counted {
            ahead: ahead.into(),
            texts,
            bounds,
        }))
    }
}

impl Expr {
    /// Whether what counts characters is part of it, rules aside.
    pub fn counts(&self) -> bool {
        SHORTCUTS && self.has_part(&|part| matches!(part, Expr::Counted(_)))
    }
}

impl Counted {
    /// The texts of an expression without rules that have so many characters, in UTF-8; `None`
    /// where that is not certain state by state, as of texts of an odd number of characters.
    ///
    /// ```
    /// use lacuna_grammar::Expr;
    /// use lacuna_grammar::automaton::{Counted, Limits};
    /// let any = Expr::Chars(Box::new([(0x61, 0x7A)])).star();
    /// let counted = Counted::of_expr(&any, 0, Some(2_000), &Limits::default());
    /// let counted = counted.unwrap().unwrap();
    /// assert_eq!(counted.state_count(), 1);
    /// let place = counted.next(counted.start(), b'a').unwrap();
    /// assert!(counted.is_accepting(place));
    /// ```
    ///
    /// # Errors
    /// When its automaton has more states than the limit, or it mentions a rule.
    pub fn of_expr(
        expr: &Expr,
        min: u32,
        max: Option<u32>,
        limits: &Limits,
    ) -> Result<Option<Self>, AutomatonError> {
        let language = Language::of_expr(expr, limits)?;
        match language.lengths() {
            None => Ok(None),
            Some(lengths) => language.counted(&lengths, &Utf8, Bounds { min, max }, limits),
        }
    }

    /// Where texts begin.
    pub fn start(&self) -> Place {
        (self.texts.start(), 0)
    }

    /// Where one more byte leads; `None` where no text goes on so.
    pub fn next(&self, (state, count): Place, byte: u8) -> Option<Place> {
        if !SHORTCUTS {
            return None;
        }
        let next = self.texts.next(state, byte)?;
        let ahead = &self.ahead[next as usize];
        let Bounds { min, max } = self.bounds;
        // Where there is no most, enough are enough.
        let count = match max {
            None if count >= min => count,
            _ => count.saturating_add(ahead.is_between.into()),
        };
        ahead.can_end(count, min, max).then_some((next, count))
    }

    /// Whether a text may end here.
    pub fn is_accepting(&self, (state, count): Place) -> bool {
        let Bounds { min, max } = self.bounds;
        let within = SHORTCUTS && count >= min && max.is_none_or(|max| count <= max);
        within && self.texts.is_accepting(state)
    }

    /// What is ahead of a state.
    pub fn ahead(&self, state: StateId) -> Ahead {
        self.ahead[state as usize]
    }

    /// Whether it holds the empty text.
    pub fn holds_empty_text(&self) -> bool {
        self.is_accepting(self.start())
    }

    /// Whether it holds no text.
    pub fn is_empty(&self) -> bool {
        let Bounds { min, max } = self.bounds;
        let start = self.ahead.get(self.texts.start() as usize);
        self.texts.is_empty() || !start.is_some_and(|start| start.can_end(0, min, max))
    }

    /// Bytes of a shortest text.
    pub fn shortest(&self) -> Option<usize> {
        if !SHORTCUTS {
            return None;
        }
        let ranges = self.texts.ranges();
        let mut here = vec![self.start()];
        let mut met: FxHashMap<Place, StateId> = FxHashMap::default();
        for bytes in 0.. {
            if here.iter().any(|&place| self.is_accepting(place)) {
                return Some(bytes);
            }
            let mut behind = Vec::new();
            for place in here {
                let steps = ranges.of(place.0).iter();
                let steps = steps.filter_map(|&(low, ..)| self.next(place, low));
                behind.extend(steps.filter(|&next| met.insert(next, 0).is_none()));
            }
            if behind.is_empty() {
                break;
            }
            here = behind;
        }
        None
    }

    /// States of the automaton, without counts.
    pub fn state_count(&self) -> usize {
        self.texts.state_count()
    }

    /// The fewest characters and the most.
    pub fn bounds(&self) -> (u32, Option<u32>) {
        (self.bounds.min, self.bounds.max)
    }

    /// The automaton of texts of any length but the empty one, and what is ahead of its states.
    pub fn of_any_length(&self) -> (Ranged, Vec<Ahead>) {
        let mut ranges = self.texts.ranges();
        let mut accepting = self.texts.accepting.clone();
        let mut ahead = self.ahead.to_vec();
        let mut start = self.texts.start();
        if self.texts.is_accepting(start) {
            let from_start = ranges.of(start).to_vec();
            ranges.add(from_start);
            accepting.push(false);
            ahead.push(self.ahead[start as usize]);
            start = accepting.len() as StateId - 1;
        }
        (Ranged::of_ranges(ranges, accepting, start), ahead)
    }

    /// The same with a text before and one behind, both of characters that are one or more
    /// bytes of UTF-8 each, which are counted too: the automaton, what is ahead of its states,
    /// and how many characters are more. `None` where its own texts may go on as the text
    /// behind begins, so that it would not be certain where that begins.
    pub fn enclosed(&self, before: &[u8], behind: &[u8]) -> Option<(Ranged, Vec<Ahead>, u32)> {
        let of_texts = self.texts.ranges();
        let characters = |text: &[u8]| text.iter().filter(|&&byte| is_first(byte)).count() as u32;
        // Whether no part of a character was read, by how much was.
        let is_between = |text: &[u8], read: usize| text.get(read).is_none_or(|&it| is_first(it));
        let more = characters(behind);
        let first = before.len() as StateId;
        let last = first + self.texts.state_count() as StateId;
        let mut ranges = Grouped::default();
        let mut ahead = Vec::new();
        let start = self.ahead[self.texts.start() as usize];
        let longer = |of: Ahead, by: u32, is_between: bool| Ahead {
            fewest: of.fewest.saturating_add(by),
            most: of.most.map(|most| most.saturating_add(by)),
            is_between,
        };
        for (read, &byte) in before.iter().enumerate() {
            let next = match read + 1 == before.len() {
                true => first + self.texts.start(),
                false => read as StateId + 1,
            };
            ranges.add([(byte, byte, next)]);
            // A character of which a part was read counts.
            let left = characters(&before[read..]) + u32::from(!is_between(before, read));
            ahead.push(longer(start, left + more, is_between(before, read)));
        }
        for (state, of_state) in (0..).zip(of_texts.each()) {
            let own = of_state.iter();
            let mut own: Vec<_> = own
                .map(|&(low, high, to)| (low, high, first + to))
                .collect();
            if let Some(&byte) = behind.first().filter(|_| self.texts.is_accepting(state)) {
                let place = own.partition_point(|&(_, high, _)| high < byte);
                if own.get(place).is_some_and(|&(low, ..)| low <= byte) {
                    return None;
                }
                own.insert(place, (byte, byte, last));
            }
            ranges.add(own);
            let of_state = self.ahead[state as usize];
            ahead.push(longer(of_state, more, of_state.is_between));
        }
        for read in 1..=behind.len() {
            ranges.add(
                behind
                    .get(read)
                    .map(|&byte| (byte, byte, last + read as StateId)),
            );
            let left = characters(&behind[read..]) + u32::from(!is_between(behind, read));
            ahead.push(Ahead {
                fewest: left,
                most: Some(left),
                is_between: is_between(behind, read),
            });
        }
        let accepting = (0..ahead.len() as StateId).map(|state| match behind.is_empty() {
            true => state >= first && self.texts.is_accepting(state - first),
            false => state as usize == ahead.len() - 1,
        });
        let accepting = accepting.collect();
        let start = if before.is_empty() {
            self.texts.start()
        } else {
            0
        };
        let whole = Ranged::of_ranges(ranges, accepting, start);
        Some((whole, ahead, more + characters(before)))
    }

    /// The automaton with a state for each count.
    ///
    /// # Errors
    /// When it has more states than the limit.
    pub fn written_out(&self, limits: &Limits) -> Result<Dfa, AutomatonError> {
        if !SHORTCUTS || self.is_empty() {
            return Ok(Dfa::nothing());
        }
        let (classes, class_count) = self.texts.classes();
        let mut byte_of = vec![0u8; class_count];
        for (byte, &class) in (0..=u8::MAX).zip(classes) {
            byte_of[class as usize] = byte;
        }
        let mut places = vec![self.start()];
        let mut known: FxHashMap<Place, StateId> = FxHashMap::default();
        known.insert(self.start(), 0);
        let mut accepting = Vec::new();
        let mut table = Vec::new();
        while let Some(&place) = places.get(accepting.len()) {
            accepting.push(self.is_accepting(place));
            for &byte in &byte_of {
                let fresh = places.len() as StateId;
                table.push(self.next(place, byte).map_or(Dfa::NOWHERE, |next| {
                    *known.entry(next).or_insert_with(|| {
                        places.push(next);
                        fresh
                    })
                }));
            }
            if places.len() > limits.dfa_states {
                return Err(AutomatonError::TooLarge {
                    what: "deterministic states",
                    limit: limits.dfa_states,
                });
            }
        }
        let classes = Box::new(*classes);
        Ok(Dfa::of_table(classes, class_count, table, accepting, 0).minimize())
    }

    /// Bytes of memory that it takes, closely.
    pub fn heap_bytes(&self) -> usize {
        self.texts.heap_bytes() + size_of_val(&*self.ahead)
    }
}

/// Whether a byte of UTF-8 is the first of a character.
fn is_first(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// What is ahead of all states, given that of the first ones, which are those between
/// characters; from any other few bytes lead to these.
fn ahead(texts: &Dfa, between: Vec<Ahead>) -> Vec<Ahead> {
    let characters = between.len();
    let ranges: Grouped<_> = texts.ranges();
    let mut found: Vec<Option<Ahead>> = between.into_iter().map(Some).collect();
    found.resize(texts.state_count(), None);
    let mut open: Vec<StateId> = (characters as StateId..texts.state_count() as StateId).collect();
    while let Some(&state) = open.last() {
        if found[state as usize].is_some() {
            open.pop();
            continue;
        }
        let before = open.len();
        let mut all: Option<Ahead> = None;
        for &(_, _, next) in ranges.of(state) {
            let Some(ahead) = found[next as usize] else {
                open.push(next);
                continue;
            };
            let read = u32::from(ahead.is_between);
            let (fewest, most) = (ahead.fewest + read, ahead.most.map(|most| most + read));
            all = Some(match all {
                None => Ahead {
                    fewest,
                    most,
                    is_between: false,
                },
                Some(known) => Ahead {
                    fewest: known.fewest.min(fewest),
                    most: known.most.zip(most).map(|(one, other)| one.max(other)),
                    is_between: false,
                },
            });
        }
        if open.len() == before {
            found[state as usize] = all.or(Some(NOTHING));
        }
    }
    found.into_iter().flatten().collect()
}

/// Whether surely from each state on texts of all numbers of characters end between the fewest
/// and the most: where the steps from each state, and an end there, leave none out, by induction
/// none is.
fn are_runs(texts: &Dfa, ahead: &[Ahead]) -> bool {
    let ranges = texts.ranges();
    (0..texts.state_count() as StateId).all(|state| {
        let targets = ranges.of(state).iter();
        let mut runs: Vec<(u32, Option<u32>)> = targets
            .map(|&(_, _, next)| {
                let next = &ahead[next as usize];
                let read = u32::from(next.is_between);
                (next.fewest + read, next.most.map(|most| most + read))
            })
            .collect();
        if texts.is_accepting(state) {
            runs.push((0, Some(0)));
        }
        // From the fewest on, each run that joins those before is taken.
        let mut most: Option<u32> = Some(0);
        let mut left = runs.len();
        let mut is_begun = false;
        while left > 0 {
            let joins = |&(from, _): &(u32, Option<u32>)| match (most, is_begun) {
                (None, _) => true,
                (Some(most), true) => from <= most.saturating_add(1),
                (Some(_), false) => from == ahead[state as usize].fewest,
            };
            let Some(at) = runs[..left].iter().position(joins) else {
                return false;
            };
            let (_, to) = runs[at];
            most = most.zip(to).map(|(one, other)| one.max(other));
            is_begun = true;
            left -= 1;
            runs.swap(at, left);
        }
        true
    })
}

impl Lengths<'_> {
    /// What can follow a state.
    fn ahead(&self, state: StateId) -> Ahead {
        Ahead {
            fewest: self.fewest[state as usize],
            most: self.most[state as usize],
            is_between: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regex::parse_ecma_search;

    const PATTERNS: [&str; 12] = [
        "^[a-c]*$",
        "^(ab)*$",
        "^(ab|é)*c?$",
        "^a(-[^:]+)?:[b-d]*:x{2,5}$",
        "a.*b.*a",
        "^[aé\u{10000}]{1,3}$",
        "^(?!ab)[\\s\\S]*$",
        "^$|^a(b|cd){2,9}$",
        "^(a|bcd|efgh\\u4e00)+$",
        "^\\u00e9*[^\\u00e9]$",
        "^[^\\u0000-\\u001f/]+$",
        "^a{3}$",
    ];
    const BOUNDS: [(u32, Option<u32>); 9] = [
        (0, Some(0)),
        (0, Some(1)),
        (0, Some(4)),
        (0, Some(11)),
        (2, Some(2)),
        (3, Some(7)),
        (1, None),
        (5, None),
        (9, Some(8)),
    ];

    /// The language by other means: the automaton of the pattern and one of all texts of so many
    /// characters, both over bytes.
    fn by_intersection(expr: &Expr, min: u32, max: Option<u32>, limits: &Limits) -> Dfa {
        let any = Expr::Chars(Box::new([(0, 0x10_FFFF)]));
        let length = match max.is_some_and(|max| max < min) {
            true => Expr::never(),
            false => Expr::Repeat {
                item: Box::new(any),
                min,
                max,
            },
        };
        let length = Dfa::from_expr(&length, limits).unwrap();
        let both = Dfa::from_expr(expr, limits).unwrap();
        both.intersect(&length, limits).unwrap().minimize()
    }

    #[test]
    fn counting_is_an_intersection_with_lengths() {
        let limits = Limits::default();
        let mut refused = 0;
        for pattern in PATTERNS {
            let expr = parse_ecma_search(pattern).unwrap();
            for (min, max) in BOUNDS {
                let shown = format!("{pattern} {min} {max:?}");
                let expected = by_intersection(&expr, min, max, &limits);
                let counted = Counted::of_expr(&expr, min, max, &limits).unwrap();
                let Some(counted) = counted else {
                    assert!(min > 0, "{shown}");
                    refused += 1;
                    continue;
                };
                let written_out = counted.written_out(&limits).unwrap();
                let difference = |one: &Dfa, other: &Dfa| one.minus(other, &limits).unwrap();
                assert!(difference(&written_out, &expected).is_empty(), "{shown}");
                assert!(difference(&expected, &written_out).is_empty(), "{shown}");
                assert_eq!(counted.is_empty(), expected.is_empty(), "{shown}");
                assert_eq!(counted.holds_empty_text(), expected.accepts(b""), "{shown}");
                let shortest = expected.shortest_member().map(|text| text.len());
                assert_eq!(counted.shortest(), shortest, "{shown}");
            }
        }
        // Of texts of two characters and two characters, say.
        assert!((1..40).contains(&refused), "{refused}");
    }

    /// Wherever a byte leads, a text ends further on: no count is let in that leads nowhere.
    #[test]
    fn what_goes_on_can_end() {
        let limits = Limits::default();
        for pattern in PATTERNS {
            let expr = parse_ecma_search(pattern).unwrap();
            for (min, max) in BOUNDS {
                let Some(counted) = Counted::of_expr(&expr, min, max, &limits).unwrap() else {
                    continue;
                };
                let expected = by_intersection(&expr, min, max, &limits);
                let mut open = vec![(counted.start(), expected.start())];
                let mut met = std::collections::HashSet::new();
                while let Some((place, state)) = open.pop() {
                    if place.1 > 12 || expected.is_empty() || !met.insert((place, state)) {
                        continue;
                    }
                    assert_eq!(counted.is_accepting(place), expected.is_accepting(state));
                    for byte in 0..=u8::MAX {
                        let next = expected.next(state, byte);
                        let found = counted.next(place, byte);
                        let shown = format!("{pattern} {min} {max:?} {place:?} {byte}");
                        assert_eq!(found.is_some(), next.is_some(), "{shown}");
                        open.extend(found.zip(next));
                    }
                }
            }
        }
    }
}
