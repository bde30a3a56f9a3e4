//! Deterministic automata as lists of byte ranges, and texts in turn without determinising.
//!
//! What stands one behind the other mostly begins with bytes that nothing before it goes on
//! with. Then from each byte it is certain where it belongs, and the automaton is those of the
//! parts, joined where one ends: nothing is made deterministic, and if the parts are smallest,
//! mostly nothing can be made smaller. Ranges of several states are joined without a table over
//! the classes of all their bytes.
//!
//! Cost: the ranges of the parts, once.

use super::{AutomatonError, ByteRange, Dfa, Grouped, Limits, StateId};

/// A deterministic automaton over bytes, without a table.
///
/// ```
/// use lacuna_grammar::automaton::{Dfa, Limits, Ranged, Turn};
/// let digit = Ranged::from(&Dfa::of_text(b"7"));
/// let turns = [Turn::Text(b"a"), Turn::Automaton(&digit)];
/// let both = Ranged::in_turn(&turns, &Limits::default()).unwrap().unwrap();
/// assert_eq!(both.state_count(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Ranged {
    /// For each state, where ranges of bytes lead, in order.
    ranges: Grouped<ByteRange>,
    accepting: Vec<bool>,
    start: StateId,
}

/// What stands between others.
#[derive(Clone, Copy, Debug)]
pub enum Turn<'a> {
    /// One text.
    Text(&'a [u8]),
    /// Any text of an automaton.
    Automaton(&'a Ranged),
}

impl From<&Dfa> for Ranged {
    fn from(dfa: &Dfa) -> Self {
        Self {
            ranges: dfa.ranges(),
            accepting: dfa.accepting.clone(),
            start: dfa.start,
        }
    }
}

impl Ranged {
    /// Of states all of which can be reached and reach acceptance.
    pub(super) fn of_ranges(
        ranges: Grouped<ByteRange>,
        accepting: Vec<bool>,
        start: StateId,
    ) -> Self {
        Self {
            ranges,
            accepting,
            start,
        }
    }

    /// Where every text begins.
    pub fn start(&self) -> StateId {
        self.start
    }

    /// Number of states.
    pub fn state_count(&self) -> usize {
        self.accepting.len()
    }

    /// Whether a text that ends here belongs to the language.
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.accepting[state as usize]
    }

    /// For each state, where ranges of bytes lead, in order.
    pub fn ranges(&self) -> &Grouped<ByteRange> {
        &self.ranges
    }

    /// Whether no text belongs to the language.
    pub fn is_empty(&self) -> bool {
        !self.accepting.contains(&true)
    }

    /// One text behind the other; `None` where some byte may go on with one or begin
    /// another, and where a part has no texts.
    ///
    /// # Errors
    /// When it has more states than the limit.
    pub fn in_turn(turns: &[Turn<'_>], limits: &Limits) -> Result<Option<Self>, AutomatonError> {
        let mut joined = Joined::new();
        for turn in turns.iter().rev() {
            let is_told = match turn {
                Turn::Text(bytes) => {
                    bytes.iter().rev().for_each(|&byte| joined.byte(byte));
                    true
                }
                Turn::Automaton(part) => joined.automaton(part),
            };
            if !is_told {
                return Ok(None);
            }
            joined.check(limits)?;
        }
        joined.made.start = joined.entry();
        joined.check(limits)?;
        Ok(Some(joined.made))
    }

    /// The same texts and the empty one.
    pub fn with_empty_text(&self) -> Self {
        let mut whole = self.clone();
        let begins_again = || self.ranges.all().iter().any(|it| it.2 == self.start);
        if !self.is_accepting(self.start) && begins_again() {
            whole.start = self.state_count() as StateId;
            let first = self.ranges.of(self.start);
            whole.ranges.open().extend_from_slice(first);
            whole.ranges.close();
            whole.accepting.push(true);
        }
        whole.accepting[whole.start as usize] = true;
        whole
    }

    /// The same texts but the empty one, with the states that they need, numbered in the
    /// order in which they are met. So of smallest automata of one language the same comes.
    pub fn without_empty_text(&self) -> Self {
        const UNMET: StateId = StateId::MAX;
        let mut names = vec![UNMET; self.state_count()];
        let mut order = vec![self.start];
        let mut found = Self {
            ranges: Grouped::default(),
            accepting: Vec::with_capacity(self.state_count()),
            start: 0,
        };
        // A start of its own, to which nothing leads back.
        if !self.is_accepting(self.start) {
            names[self.start as usize] = 0;
        }
        while let Some(&state) = order.get(found.accepting.len()) {
            for &(low, high, next) in self.ranges.of(state) {
                let name = &mut names[next as usize];
                if *name == UNMET {
                    *name = order.len() as StateId;
                    order.push(next);
                }
                found.ranges.open().push((low, high, *name));
            }
            found.ranges.close();
            let is_start = found.accepting.is_empty();
            found.accepting.push(self.is_accepting(state) && !is_start);
        }
        found
    }
}

/// Parts joined from the last to the first.
struct Joined {
    made: Ranged,
    /// The ranges of what was joined, at its beginning, and whether it has the empty text.
    first: Vec<ByteRange>,
    ends: bool,
    /// The state with these ranges, if there is one.
    entry: Option<StateId>,
    /// For each state of the part that is joined, which one it becomes.
    names: Vec<StateId>,
}

impl Joined {
    fn new() -> Self {
        Self {
            made: Ranged::of_ranges(Grouped::default(), Vec::new(), 0),
            first: Vec::new(),
            ends: true,
            entry: None,
            names: Vec::new(),
        }
    }

    /// The state where what was joined begins.
    fn entry(&mut self) -> StateId {
        if let Some(entry) = self.entry {
            return entry;
        }
        let entry = self.made.accepting.len() as StateId;
        self.made.ranges.open().extend_from_slice(&self.first);
        self.made.ranges.close();
        self.made.accepting.push(self.ends);
        self.entry = Some(entry);
        entry
    }

    fn check(&self, limits: &Limits) -> Result<(), AutomatonError> {
        match self.made.state_count() > limits.dfa_states {
            true => Err(AutomatonError::TooLarge {
                what: "deterministic states",
                limit: limits.dfa_states,
            }),
            false => Ok(()),
        }
    }

    fn byte(&mut self, byte: u8) {
        let entry = self.entry();
        self.first.clear();
        self.first.push((byte, byte, entry));
        self.ends = false;
        self.entry = None;
    }

    /// Puts a part before what was joined; whether it is told where the part ends.
    fn automaton(&mut self, part: &Ranged) -> bool {
        if part.is_empty() {
            return false;
        }
        let is_end = |state| part.is_accepting(state) && part.ranges.of(state).is_empty();
        if is_end(part.start) {
            return true;
        }
        let states = 0..part.state_count() as StateId;
        // What goes on nowhere goes on with what is behind it.
        let end = states.clone().any(is_end).then(|| self.entry());
        // A start that nothing leads back to is only made if it is needed.
        let begins_again = part.ranges.all().iter().any(|it| it.2 == part.start);
        let is_made = |state| begins_again || state != part.start;
        self.names.clear();
        let mut next = self.made.accepting.len() as StateId;
        for state in states.clone() {
            self.names.push(match end {
                Some(end) if is_end(state) => end,
                _ if !is_made(state) => StateId::MAX,
                _ => {
                    next += 1;
                    next - 1
                }
            });
        }
        for state in states.filter(|&state| is_made(state) && !is_end(state)) {
            let accepts = part.is_accepting(state);
            let behind = if accepts { &*self.first } else { &[] };
            let ranges = self.made.ranges.open();
            if !join(part.ranges.of(state), &self.names, behind, ranges) {
                return false;
            }
            self.made.ranges.close();
            self.made.accepting.push(accepts && self.ends);
        }
        let begins = part.is_accepting(part.start);
        let behind = match begins {
            true => std::mem::take(&mut self.first),
            false => Vec::new(),
        };
        self.first.clear();
        self.ends &= begins;
        self.entry = begins_again.then(|| self.names[part.start as usize]);
        join(
            part.ranges.of(part.start),
            &self.names,
            &behind,
            &mut self.first,
        )
    }
}

/// Appends the ranges of a state, led to where its states are `names`, and those of what may
/// follow; whether they have no byte in common.
pub(super) fn join(
    own: &[ByteRange],
    names: &[StateId],
    behind: &[ByteRange],
    ranges: &mut Vec<ByteRange>,
) -> bool {
    let mut behind = behind.iter().copied().peekable();
    let from = ranges.len();
    let mut push = |(low, high, next): ByteRange| match ranges[from..].last_mut() {
        Some((_, last, _)) if *last >= low => false,
        Some((_, last, target)) if *target == next && *last + 1 == low => {
            *last = high;
            true
        }
        _ => {
            ranges.push((low, high, next));
            true
        }
    };
    let mut is_told = true;
    for &(low, high, next) in own {
        while let Some(before) = behind.next_if(|it| it.0 < low) {
            is_told &= push(before);
        }
        is_told &= push((low, high, names[next as usize]));
    }
    is_told && behind.all(push)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_text_is_added_and_nothing_else() {
        // "a"; any number of "b", then "a", which leads back to the start; any number of "a".
        type Ranges<'a> = &'a [&'a [ByteRange]];
        let automata: [(Ranges<'_>, &[bool], bool); 3] = [
            (&[&[(b'a', b'a', 1)], &[]], &[false, true], false),
            (
                &[&[(b'a', b'a', 1), (b'b', b'b', 0)], &[]],
                &[false, true],
                true,
            ),
            (&[&[(b'a', b'a', 0)]], &[true], false),
        ];
        for (of_states, accepting, has_fresh_start) in automata {
            let mut ranges = Grouped::default();
            for of_state in of_states {
                ranges.add(of_state.iter().copied());
            }
            let automaton = Ranged::of_ranges(ranges, accepting.to_vec(), 0);
            let with_empty = automaton.with_empty_text();
            let accepts = |automaton: &Ranged, text: &[u8]| {
                let mut state = Some(automaton.start());
                for &byte in text {
                    let ranges = state.map_or(&[][..], |state| automaton.ranges().of(state));
                    let range = ranges.iter().find(|it| (it.0..=it.1).contains(&byte));
                    state = range.map(|it| it.2);
                }
                state.is_some_and(|state| automaton.is_accepting(state))
            };
            assert!(accepts(&with_empty, b""));
            for text in [&b"a"[..], b"b", b"aa", b"ba", b"bb", b"bba", b"ab"] {
                assert_eq!(accepts(&with_empty, text), accepts(&automaton, text));
            }
            let fresh = with_empty.state_count() - automaton.state_count();
            assert_eq!(fresh, usize::from(has_fresh_start));
        }
    }
}
