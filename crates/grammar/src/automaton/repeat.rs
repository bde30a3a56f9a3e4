//! Repetition of a language whose texts no other of its texts begin with, such as that of
//! one character and its escapes.
//!
//! Behind such a text the next one begins, and nothing else can follow, so the automaton is
//! copied, once for each of the texts that are counted: none of it is determinised, and as it
//! is smallest, so are the copies in turn, which differ in how many follow.
//!
//! Cost: the states that come of it.

use super::ranged::join;
use super::{AutomatonError, ByteRange, Grouped, Limits, Ranged, StateId};

impl Ranged {
    /// From `min` to `max` texts one behind the other, or `min` and more; `None` where
    /// one of them may go on behind its end, or come by its beginning again, or be empty, and
    /// where there are none or only the empty text. Of any number of texts one may go on, if
    /// no other begins with what it goes on with.
    ///
    /// # Errors
    /// When it has more states than the limit.
    pub fn repeated(
        &self,
        min: u32,
        max: Option<u32>,
        limits: &Limits,
    ) -> Option<Result<Self, AutomatonError>> {
        let states = 0..self.state_count() as StateId;
        let mut ends = states.filter(|&state| self.is_accepting(state));
        let end = ends.next()?;
        let is_one = ends.next().is_none() && end != self.start();
        let is_possible = is_one && max.is_none_or(|max| max >= min.max(1));
        let is_last = self.ranges().of(end).is_empty();
        let begins_once = self.ranges().all().iter().all(|it| it.2 != self.start());
        if is_possible && is_last && begins_once {
            return Some(self.in_copies(end, min, max, limits));
        }
        match (min, max) {
            (0, None) => self.any_number().map(Ok),
            _ => None,
        }
    }

    /// Any number of texts one behind the other: where one may end another may begin.
    fn any_number(&self) -> Option<Self> {
        let start = self.start();
        let begins_again = self.ranges().all().iter().any(|it| it.2 == start);
        if begins_again && !self.is_accepting(start) {
            return None;
        }
        // What goes on nowhere is the start again.
        let goes_on = |state: StateId| state == start || !self.ranges().of(state).is_empty();
        let mut names = Vec::with_capacity(self.state_count());
        let mut next = 0;
        for state in 0..self.state_count() as StateId {
            names.push(next);
            next += StateId::from(goes_on(state));
        }
        for state in (0..self.state_count() as StateId).filter(|&state| !goes_on(state)) {
            names[state as usize] = names[start as usize];
        }
        let first = self.ranges().of(start).iter();
        let first: Vec<ByteRange> = first
            .map(|&(low, high, next)| (low, high, names[next as usize]))
            .collect();
        let mut ranges = Grouped::default();
        let mut accepting = Vec::with_capacity(next as usize);
        for state in (0..self.state_count() as StateId).filter(|&state| goes_on(state)) {
            let ends = self.is_accepting(state);
            let behind = match ends && state != start {
                true => first.as_slice(),
                false => &[],
            };
            if !join(self.ranges().of(state), &names, behind, ranges.open()) {
                return None;
            }
            ranges.close();
            accepting.push(ends || state == start);
        }
        Some(Self::of_ranges(ranges, accepting, names[start as usize]))
    }

    fn in_copies(
        &self,
        end: StateId,
        min: u32,
        max: Option<u32>,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let copies = max.unwrap_or(min.max(1));
        // The end is the start of the next copy; behind the last one stands a state for it,
        // but where the only copy is led back to.
        let is_loop = max.is_none() && min == 0;
        let size = self.state_count() as StateId - 1;
        let states = u64::from(size) * u64::from(copies) + u64::from(!is_loop);
        if states > limits.dfa_states as u64 {
            return Err(AutomatonError::TooLarge {
                what: "deterministic states",
                limit: limits.dfa_states,
            });
        }
        let name = |state: StateId| state - StateId::from(state > end);
        let start = name(self.start());
        let mut ranges = Grouped::default();
        let mut accepting = vec![false; states as usize];
        let mut add = |state: StateId, copy: StateId| {
            let base = copy * size;
            let behind = match copy + 1 == copies {
                true if is_loop => start,
                true => base + size,
                false => base + size + start,
            };
            for &(low, high, next) in self.ranges().of(state) {
                let next = if next == end {
                    behind
                } else {
                    base + name(next)
                };
                ranges.open().push((low, high, next));
            }
            ranges.close();
        };
        for copy in 0..copies {
            accepting[(copy * size + start) as usize] = copy >= min;
            let states = 0..self.state_count() as StateId;
            for state in states.filter(|&state| state != end) {
                add(state, copy);
            }
        }
        if !is_loop {
            // What comes round again is like the last copy.
            add(if max.is_none() { self.start() } else { end }, copies - 1);
            accepting[states as usize - 1] = true;
        }
        Ok(Self::of_ranges(ranges, accepting, start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Expr;
    use crate::automaton::{Dfa, NfaBuilder, Turn};

    fn ranged(expr: &Expr) -> Ranged {
        Ranged::from(&Dfa::from_expr(expr, &Limits::default()).unwrap())
    }

    fn determinized(automaton: &Ranged) -> Dfa {
        let limits = Limits::default();
        let mut builder = NfaBuilder::new(&limits);
        let start = builder.state().unwrap();
        let end = builder.turn(Turn::Automaton(automaton), start).unwrap();
        builder.finish(start, end).determinize(&limits).unwrap()
    }

    fn repeat(item: &Expr, min: u32, max: Option<u32>) -> Expr {
        let item = Box::new(item.clone());
        Expr::Repeat { item, min, max }
    }

    fn one(characters: &str) -> Expr {
        let ranges = characters.chars().map(|c| (u32::from(c), u32::from(c)));
        Expr::Chars(ranges.collect())
    }

    #[test]
    fn copies_are_what_the_subset_construction_makes() {
        let limits = Limits::default();
        let escaped = Expr::Sequence(vec![one("\\"), one("\\n")]);
        let characters = Expr::Chars(Box::new([(0x20, 0x5B), (0x5D, 0x10_FFFF)]));
        let items = [
            one("ab"),
            escaped.clone(),
            Expr::Choice(vec![characters, escaped]),
        ];
        for item in items {
            let automaton = ranged(&item);
            for min in 0..4 {
                let counts = (min.max(1)..5).map(Some).chain([None]);
                for max in counts {
                    let expected = Dfa::from_expr(&repeat(&item, min, max), &limits).unwrap();
                    let copies = automaton.repeated(min, max, &limits).unwrap().unwrap();
                    assert_eq!(
                        copies.state_count(),
                        expected.state_count(),
                        "{min} {max:?}"
                    );
                    let copies = determinized(&copies);
                    let more = copies.minus(&expected, &limits).unwrap();
                    let less = expected.minus(&copies, &limits).unwrap();
                    assert!(more.is_empty() && less.is_empty(), "{min} {max:?}");
                }
            }
        }
    }

    #[test]
    fn what_may_go_on_or_begin_again_is_not_copied() {
        let limits = Limits::default();
        let more = Expr::Sequence(vec![one("a"), repeat(&one("b"), 0, None)]);
        let again = Expr::Sequence(vec![repeat(&one("b"), 0, None), one("a")]);
        let either = Expr::Choice(vec![one("a"), Expr::Literal(b"ab"[..].into())]);
        for item in [more, again, either, repeat(&one("a"), 0, Some(1))] {
            let automaton = ranged(&item);
            assert!(automaton.repeated(1, Some(3), &limits).is_none());
        }
    }

    #[test]
    fn what_may_go_on_is_repeated_where_others_begin_otherwise() {
        let limits = Limits::default();
        let number = Expr::Choice(vec![
            one("0"),
            Expr::Sequence(vec![one("12"), repeat(&one("012"), 0, None)]),
        ]);
        let item = Expr::Sequence(vec![one(","), number]);
        let items = [
            item.clone(),
            Expr::Choice(vec![item.clone(), one("ab")]),
            Expr::Choice(vec![Expr::Sequence(Vec::new()), item]),
        ];
        for item in items {
            let expected = Dfa::from_expr(&repeat(&item, 0, None), &limits).unwrap();
            let found = ranged(&item).repeated(0, None, &limits).unwrap().unwrap();
            assert_eq!(found.state_count(), expected.state_count());
            let found = determinized(&found);
            let more = found.minus(&expected, &limits).unwrap();
            let less = expected.minus(&found, &limits).unwrap();
            assert!(more.is_empty() && less.is_empty());
        }
        let more = Expr::Sequence(vec![one("a"), repeat(&one("a"), 0, None)]);
        let again = Expr::Sequence(vec![repeat(&one("b"), 0, None), one("a")]);
        for item in [more, again] {
            assert!(ranged(&item).repeated(0, None, &limits).is_none());
        }
    }

    #[test]
    fn counts_that_no_copies_have_are_left_to_others() {
        let limits = Limits::default();
        let automaton = ranged(&one("ab"));
        for (min, max) in [(0, Some(0)), (3, Some(2))] {
            assert!(automaton.repeated(min, max, &limits).is_none());
        }
        assert!(
            Ranged::from(&Dfa::nothing())
                .repeated(0, Some(3), &limits)
                .is_none()
        );
    }

    #[test]
    fn too_many_copies_are_an_error() {
        let limits = Limits {
            dfa_states: 1_000,
            ..Limits::default()
        };
        let automaton = ranged(&one("ab"));
        let fits = automaton.repeated(0, Some(999), &limits).unwrap();
        assert_eq!(fits.unwrap().state_count(), 1_000);
        for (min, max) in [(0, Some(u32::MAX)), (u32::MAX, None)] {
            let found = automaton.repeated(min, max, &limits).unwrap();
            assert!(matches!(found, Err(AutomatonError::TooLarge { .. })));
        }
    }
}
