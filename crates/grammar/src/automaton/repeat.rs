//! Repetition of a language whose texts no other of its texts begin with, such as that of
//! one character and its escapes.
//!
//! Behind such a text the next one begins, and nothing else can follow, so the automaton is
//! copied, once for each of the texts that are counted: none of it is determinised, and as it
//! is smallest, so are the copies in turn, which differ in how many follow.
//!
//! Cost: the states that come of it.

use super::dfa::DEAD;
use super::{AutomatonError, Dfa, Limits, StateId};

impl Dfa {
    /// From `min` to `max` texts one behind the other, or `min` and more; `None` where
    /// one of them may go on behind its end, or come by its beginning again, or be empty, and
    /// where there are none or only the empty text.
    ///
    /// # Errors
    /// When it has more states than the limit.
    pub fn repeated(
        &self,
        min: u32,
        max: Option<u32>,
        limits: &Limits,
    ) -> Option<Result<Dfa, AutomatonError>> {
        let mut ends = (0..).zip(&self.accepting).filter(|&(_, &accepts)| accepts);
        let (end, _) = ends.next()?;
        let copies = max.map_or(min.checked_add(1), Some)?;
        let is_one = ends.next().is_none() && end != self.start && copies >= min.max(1);
        let is_last = self.row(end).iter().all(|&next| next == DEAD);
        let begins_once = !self.table.contains(&self.start);
        (is_one && is_last && begins_once).then(|| self.in_copies(end, min, copies, max, limits))
    }

    fn in_copies(
        &self,
        end: StateId,
        min: u32,
        copies: u32,
        max: Option<u32>,
        limits: &Limits,
    ) -> Result<Dfa, AutomatonError> {
        // The end is the start of the next copy; that of the last stays, if there is one.
        let size = self.state_count() as StateId - 1;
        let states = u64::from(size) * u64::from(copies) + u64::from(max.is_some());
        if states > limits.dfa_states as u64 {
            return Err(AutomatonError::TooLarge {
                what: "deterministic states",
                limit: limits.dfa_states,
            });
        }
        let mut names: Vec<StateId> = (0..).take(self.state_count()).collect();
        names[end as usize + 1..]
            .iter_mut()
            .for_each(|name| *name -= 1);
        let mut table = Vec::with_capacity(states as usize * self.class_count);
        let mut accepting = vec![false; states as usize];
        let start = names[self.start as usize];
        for copy in 0..copies {
            let base = copy * size;
            accepting[(base + start) as usize] = copy >= min;
            let behind = match (copy + 1 == copies, max) {
                (true, Some(_)) => base + size,
                (true, None) => base + start,
                (false, _) => base + size + start,
            };
            for (state, row) in (0..).zip(self.table.chunks(self.class_count)) {
                if state == end {
                    continue;
                }
                table.extend(row.iter().map(|&next| match next {
                    DEAD => DEAD,
                    next if next == end => behind,
                    next => base + names[next as usize],
                }));
            }
        }
        if max.is_some() {
            table.resize(states as usize * self.class_count, DEAD);
            accepting[states as usize - 1] = true;
        }
        let whole = Dfa {
            classes: self.classes.clone(),
            class_count: self.class_count,
            table,
            accepting,
            start,
        };
        // What comes round again is like the copy before it.
        Ok(match max {
            None if min > 0 => whole.minimize(),
            _ => whole,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Expr;

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
            let automaton = Dfa::from_expr(&item, &limits).unwrap();
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
            let automaton = Dfa::from_expr(&item, &limits).unwrap();
            assert!(automaton.repeated(1, Some(3), &limits).is_none());
        }
    }

    #[test]
    fn counts_that_no_copies_have_are_left_to_others() {
        let limits = Limits::default();
        let automaton = Dfa::from_expr(&one("ab"), &limits).unwrap();
        for (min, max) in [(0, Some(0)), (3, Some(2)), (u32::MAX, None)] {
            assert!(automaton.repeated(min, max, &limits).is_none());
        }
        assert!(Dfa::nothing().repeated(0, Some(3), &limits).is_none());
    }

    #[test]
    fn too_many_copies_are_an_error() {
        let limits = Limits {
            dfa_states: 1_000,
            ..Limits::default()
        };
        let automaton = Dfa::from_expr(&one("ab"), &limits).unwrap();
        let fits = automaton.repeated(0, Some(999), &limits).unwrap();
        assert_eq!(fits.unwrap().state_count(), 1_000);
        let found = automaton.repeated(0, Some(u32::MAX), &limits).unwrap();
        assert!(matches!(found, Err(AutomatonError::TooLarge { .. })));
    }
}
