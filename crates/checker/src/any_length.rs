//! Gaps of any length in texts of a regular language.
//!
//! Where the grammar is regular, its automaton decides them without a parse: a
//! piece of text takes each state to at most one, a gap takes a state to all
//! that it reaches. States carry the number of bytes that were filled in, the
//! smallest first. A gap of a large automaton reaches most of its states; so the nearest
//! ones are tried first, which makes the witness a short one, and all of them before
//! the answer is no.
//!
//! Cost: a gap, the moves of the states that are tried; a text, its length for each
//! state that the gaps before it leave open.

use std::sync::{Arc, OnceLock};

use lacuna_grammar::automaton::{Dfa, StateId};

use crate::{Filling, Gap, Pattern, Segment, Witness};

/// A regular language, ready to be asked.
#[derive(Clone, Debug)]
pub struct RegularLanguage {
    automaton: Arc<Dfa>,
    /// For each state, made when a gap first comes to it.
    moves: OnceLock<Box<[OnceLock<Moves>]>>,
}

/// The states that one byte leads to, each with one byte.
type Moves = Box<[(u8, StateId)]>;

/// How a state behind a piece is cheapest come by.
#[derive(Clone, Copy)]
struct Reached {
    cost: u32,
    /// The state before the piece or, inside a gap, before the byte.
    from: StateId,
    byte: Option<u8>,
}

/// The states behind a piece, sorted.
type Front = Vec<(StateId, Reached)>;

/// States behind a gap that are tried, one after the other.
const NEAREST: [usize; 3] = [256, 8_192, usize::MAX];

impl RegularLanguage {
    /// The language of an automaton.
    pub fn new(automaton: Arc<Dfa>) -> Self {
        Self {
            automaton,
            moves: OnceLock::new(),
        }
    }

    /// A short filling of a pattern whose gaps are all of any length, a shortest one if
    /// the automaton is small; `None` if there is none.
    pub fn short_filling(&self, pattern: &Pattern) -> Option<Witness> {
        let states = self.automaton.state_count();
        let smaller = NEAREST.iter().filter(|&&most| most < states).count();
        let mut tried = NEAREST.iter().take(smaller + 1);
        tried.find_map(|&most| self.filling_by(pattern, most))
    }

    /// A shortest filling by at most so many states behind each gap.
    fn filling_by(&self, pattern: &Pattern, most: usize) -> Option<Witness> {
        let start = self.automaton.start();
        let mut places = vec![NO_PLACE; self.automaton.state_count()];
        let mut fronts = vec![vec![(start, stay(0, start))]];
        for segment in &pattern.segments {
            let front = fronts.last()?;
            let next = match segment {
                Segment::Text(bytes) => self.read(front, bytes),
                Segment::Gap(Gap::Any) => self.reach(front, most, &mut places),
                Segment::Gap(Gap::Cells(_) | Gap::UpTo(_)) => return None,
            };
            fronts.push(next);
        }
        let accepted = fronts.last()?.iter();
        let accepted = accepted.filter(|(state, _)| self.automaton.is_accepting(*state));
        let (mut state, _) = *accepted.min_by_key(|(_, reached)| reached.cost)?;
        let mut gaps = Vec::new();
        for (segment, front) in pattern.segments.iter().zip(&fronts[1..]).rev() {
            let mut bytes = Vec::new();
            let mut reached = found(front, state)?;
            while let Some(byte) = reached.byte {
                bytes.push(byte);
                reached = found(front, reached.from)?;
            }
            state = reached.from;
            if let Segment::Gap(_) = segment {
                bytes.reverse();
                gaps.push(Filling::Bytes(bytes));
            }
        }
        gaps.reverse();
        Some(Witness { gaps })
    }

    fn read(&self, front: &Front, bytes: &[u8]) -> Front {
        let mut behind: Front = Vec::new();
        for &(from, Reached { cost, .. }) in front {
            if let Some(to) = self.automaton.read(from, bytes) {
                behind.push((to, stay(cost, from)));
            }
        }
        put_in_order(&mut behind);
        behind.dedup_by_key(|&mut (state, _)| state);
        behind
    }

    /// Dijkstra's algorithm, for the nearest states; all bytes cost the same, so a list
    /// for each cost does. `places` is for its own use.
    fn reach(&self, front: &Front, most: usize, places: &mut [u32]) -> Front {
        let moves = self.moves.get_or_init(|| {
            let states = 0..self.automaton.state_count();
            states.map(|_| OnceLock::new()).collect()
        });
        let mut entering: Vec<(u32, StateId)> = front
            .iter()
            .map(|&(state, reached)| (reached.cost, state))
            .collect();
        entering.sort_unstable();
        entering.reverse();
        let mut behind: Front = Vec::new();
        let mut reach = |state: StateId, reached: Reached| {
            let place = &mut places[state as usize];
            let is_new = *place == NO_PLACE;
            if is_new {
                *place = behind.len() as u32;
                behind.push((state, reached));
            }
            is_new
        };
        let mut settled = 0;
        let mut level: Vec<StateId> = Vec::new();
        let mut cost = 0;
        while settled < most {
            if level.is_empty() {
                match entering.last() {
                    Some(&(next, _)) => cost = next,
                    None => break,
                }
            }
            while let Some(&(at, state)) = entering.last()
                && at == cost
            {
                entering.pop();
                if reach(state, stay(cost, state)) {
                    level.push(state);
                }
            }
            settled += level.len();
            cost += 1;
            for from in std::mem::take(&mut level) {
                let moves = moves[from as usize].get_or_init(|| moves_of(&self.automaton, from));
                for &(byte, to) in moves {
                    let byte = Some(byte);
                    if reach(to, Reached { cost, from, byte }) {
                        level.push(to);
                    }
                }
            }
        }
        for &(state, _) in &behind {
            places[state as usize] = NO_PLACE;
        }
        put_in_order(&mut behind);
        behind
    }
}

/// By state, the cheapest of each first.
fn put_in_order(front: &mut Front) {
    front.sort_unstable_by_key(|&(state, reached)| (state, reached.cost));
}

/// No place among the states behind a gap.
const NO_PLACE: u32 = u32::MAX;

fn stay(cost: u32, from: StateId) -> Reached {
    Reached {
        cost,
        from,
        byte: None,
    }
}

fn found(front: &Front, state: StateId) -> Option<Reached> {
    let at = front
        .binary_search_by_key(&state, |&(state, _)| state)
        .ok()?;
    Some(front[at].1)
}

fn moves_of(automaton: &Dfa, state: StateId) -> Moves {
    let mut ranges = automaton.byte_ranges(state);
    ranges.sort_unstable_by_key(|&(_, _, to)| to);
    ranges.dedup_by_key(|&mut (_, _, to)| to);
    ranges.iter().map(|&(low, _, to)| (low, to)).collect()
}

#[cfg(test)]
mod tests {
    use lacuna_grammar::automaton::Limits;
    use lacuna_grammar::regex;

    use super::*;

    fn completed(pattern: &str, pieces: &[Option<&str>]) -> Option<String> {
        let grammar = regex::parse(pattern).unwrap();
        let language =
            Dfa::from_expr(&grammar.rule(grammar.start).body, &Limits::default()).unwrap();
        let pattern = Pattern::with_open_tail(pieces.iter().map(|piece| match piece {
            Some(text) => Segment::Text(text.as_bytes().to_vec()),
            None => Segment::Gap(Gap::Any),
        }));
        let filling = RegularLanguage::new(Arc::new(language.clone())).short_filling(&pattern);
        let text = filling?.text(&pattern, None);
        assert!(language.accepts(&text));
        Some(String::from_utf8(text).unwrap())
    }

    #[test]
    fn the_short_filling_is_found_or_none() {
        let even = "(?:[^1]*1[^1]*1)*[^1]*";
        type Case = (
            &'static str,
            &'static [Option<&'static str>],
            Option<&'static str>,
        );
        let cases: [Case; 8] = [
            (even, &[Some("a1b")], None),
            (even, &[Some("a1b"), None], Some("a1b1")),
            (even, &[None, Some("1"), None, Some("1"), None], Some("11")),
            (even, &[], Some("")),
            ("a{3}b{2}", &[None, Some("b")], Some("aaabb")),
            (
                "a{3}b{2}",
                &[None, Some("a"), None, Some("a"), None],
                Some("aaabb"),
            ),
            ("a{3}b{2}", &[Some("b"), None], None),
            (
                "aaaa|ba{9}c|ad",
                &[None, Some("a"), None, Some("c")],
                Some("baaaaaaaaac"),
            ),
        ];
        for (pattern, pieces, expected) in cases {
            assert_eq!(
                completed(pattern, pieces).as_deref(),
                expected,
                "{pattern} {pieces:?}"
            );
        }
    }

    #[test]
    fn far_states_are_tried_in_the_end() {
        let far = format!("{}c", "a".repeat(9_000));
        let language = "a{9000}c|b+";
        assert_eq!(completed(language, &[None, Some("c")]), Some(far));
        assert_eq!(completed(language, &[None, Some("d")]), None);
        assert_eq!(
            completed(language, &[None, Some("b"), None]).as_deref(),
            Some("b")
        );
    }
}
