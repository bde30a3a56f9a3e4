//! Automata as short lists of numbers, to be kept somewhere and read again.
//!
//! The rows of a table are mostly runs of one target, and targets are mostly near
//! the state they are reached from; so a row is a list of runs, each a length and
//! a distance. Numbers are small, which suits a variable-length encoding.
//!
//! What is read may come from anywhere, so reading takes nothing on trust: every
//! index is checked, no list grows beyond the limits, and what is not as packing
//! would have made it is [`Damaged`]. Cost: linear in the table.

use serde::{Deserialize, Serialize};

use super::dfa::DEAD;
use super::{Dfa, Limits, StateId};

/// What is read is nothing that was packed; it says what is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not as it was packed: {0}")]
pub struct Damaged(pub &'static str);

/// A [`Dfa`] as lists of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedDfa {
    classes: Vec<u32>,
    rows: Vec<u32>,
    accepting: Vec<u32>,
    start: StateId,
}

impl Dfa {
    /// The automaton as lists of numbers.
    pub fn pack(&self) -> PackedDfa {
        PackedDfa {
            classes: pack_classes(&self.classes),
            rows: pack_rows(&self.table, self.class_count),
            accepting: pack_flags(&self.accepting),
            start: self.start,
        }
    }

    /// Reads what [`pack`](Self::pack) made.
    ///
    /// # Errors
    /// Where it is something else, or has more states than the limit.
    pub fn unpack(packed: &PackedDfa, limits: &Limits) -> Result<Self, Damaged> {
        let (classes, class_count) = unpack_classes(&packed.classes)?;
        let table = unpack_rows(&packed.rows, class_count, limits.dfa_states)?;
        let states = table.len() / class_count;
        let dfa = Self {
            classes,
            class_count,
            accepting: unpack_flags(&packed.accepting, states)?,
            table,
            start: packed.start,
        };
        if dfa.start as usize >= states {
            return Err(Damaged("an automaton's start"));
        }
        match dfa.is_trimmed() {
            true => Ok(dfa),
            false => Err(Damaged("states of an automaton that lead nowhere")),
        }
    }

    /// Bytes of memory that the automaton takes.
    pub fn heap_bytes(&self) -> usize {
        256 + size_of_val(self.table.as_slice()) + self.accepting.len()
    }

    /// Whether every state is reachable and, but for the start, reaches acceptance.
    fn is_trimmed(&self) -> bool {
        let states = self.state_count();
        let row = |state: StateId| {
            let from = state as usize * self.class_count;
            let row = &self.table[from..from + self.class_count];
            row.iter().copied().filter(|&next| next != DEAD)
        };
        let mut reached = vec![false; states];
        reached[self.start as usize] = true;
        let mut work = vec![self.start];
        // Every transition once, in the order in which states are left.
        let mut edges: Vec<(StateId, StateId)> = Vec::new();
        while let Some(state) = work.pop() {
            let mut last = DEAD;
            for next in row(state) {
                if next != last {
                    edges.push((next, state));
                }
                last = next;
                if !std::mem::replace(&mut reached[next as usize], true) {
                    work.push(next);
                }
            }
        }
        if !reached.iter().all(|&reached| reached) {
            return false;
        }
        let mut first = vec![0u32; states + 1];
        for &(head, _) in &edges {
            first[head as usize + 1] += 1;
        }
        for state in 0..states {
            first[state + 1] += first[state];
        }
        let mut tails = vec![0; edges.len()];
        let mut free = first.clone();
        for &(head, tail) in &edges {
            let at = &mut free[head as usize];
            tails[*at as usize] = tail;
            *at += 1;
        }
        let mut live = self.accepting.clone();
        let mut work: Vec<usize> = (0..states).filter(|&state| live[state]).collect();
        while let Some(state) = work.pop() {
            for &tail in &tails[first[state] as usize..first[state + 1] as usize] {
                if !std::mem::replace(&mut live[tail as usize], true) {
                    work.push(tail as usize);
                }
            }
        }
        live[self.start as usize] = true;
        live.iter().all(|&live| live)
    }
}

/// Classes of bytes, as runs of bytes of one class.
pub fn pack_classes(classes: &[u8; 256]) -> Vec<u32> {
    let runs = classes.chunk_by(|a, b| a == b);
    runs.flat_map(|run| [run.len() as u32, u32::from(run[0])])
        .collect()
}

/// The classes, and how many they are.
///
/// # Errors
/// Where there are not 256 bytes, or a class has none.
pub fn unpack_classes(packed: &[u32]) -> Result<(Box<[u8; 256]>, usize), Damaged> {
    const WRONG: Damaged = Damaged("classes of bytes");
    let mut classes = Box::new([0u8; 256]);
    let mut inhabited = [false; 256];
    let mut at = 0;
    for run in packed.chunks(2) {
        let &[length, class] = run else {
            return Err(WRONG);
        };
        let class = u8::try_from(class).map_err(|_| WRONG)?;
        let end = at + length as usize;
        let bytes = classes.get_mut(at..end).filter(|bytes| !bytes.is_empty());
        bytes.ok_or(WRONG)?.fill(class);
        inhabited[class as usize] = true;
        at = end;
    }
    let count = inhabited.iter().take_while(|&&inhabited| inhabited).count();
    let all = at == 256 && !inhabited[count..].iter().any(|&inhabited| inhabited);
    match all {
        true => Ok((classes, count)),
        false => Err(WRONG),
    }
}

/// A table of so many columns, `u32::MAX` for no transition, as runs.
pub fn pack_rows(table: &[u32], width: usize) -> Vec<u32> {
    let mut packed = Vec::new();
    for (state, row) in (0u32..).zip(table.chunks(width)) {
        for run in row.chunk_by(|a, b| a == b) {
            packed.push(run.len() as u32);
            packed.push(match run[0] {
                DEAD => 0,
                target => 1 + zigzag(target.wrapping_sub(state)),
            });
        }
    }
    packed
}

/// The table, every target a row of it, of at most so many rows.
///
/// # Errors
/// Where runs do not fill the rows, or a target is none.
pub fn unpack_rows(packed: &[u32], width: usize, most: usize) -> Result<Vec<u32>, Damaged> {
    const WRONG: Damaged = Damaged("the runs of a table");
    let mut table = Vec::new();
    let (mut state, mut left) = (0u32, width);
    for run in packed.chunks(2) {
        let &[length, code] = run else {
            return Err(WRONG);
        };
        if state as usize >= most {
            return Err(Damaged("more states than the limit"));
        }
        let length = length as usize;
        let target = match code.checked_sub(1) {
            None => DEAD,
            Some(distance) => state.wrapping_add(unzigzag(distance)),
        };
        if length == 0 || length > left {
            return Err(WRONG);
        }
        table.extend(std::iter::repeat_n(target, length));
        left -= length;
        if left == 0 {
            (state, left) = (state + 1, width);
        }
    }
    let within = |&target: &u32| target == DEAD || target < state;
    match state > 0 && left == width && table.iter().all(within) {
        true => Ok(table),
        false => Err(WRONG),
    }
}

/// Flags as the lengths of their runs, the first of `false`.
pub fn pack_flags(flags: &[bool]) -> Vec<u32> {
    let mut runs = vec![0];
    let mut current = false;
    for &flag in flags {
        if flag != current {
            runs.push(0);
            current = flag;
        }
        if let Some(run) = runs.last_mut() {
            *run += 1;
        }
    }
    runs
}

/// So many flags.
///
/// # Errors
/// Where there are more or fewer.
pub fn unpack_flags(packed: &[u32], count: usize) -> Result<Vec<bool>, Damaged> {
    const WRONG: Damaged = Damaged("the number of flags");
    let mut flags = Vec::with_capacity(count);
    let mut current = false;
    for &run in packed {
        if run as usize > count - flags.len() {
            return Err(WRONG);
        }
        flags.extend(std::iter::repeat_n(current, run as usize));
        current = !current;
    }
    match flags.len() == count {
        true => Ok(flags),
        false => Err(WRONG),
    }
}

/// Small distances in either direction as small numbers.
fn zigzag(distance: u32) -> u32 {
    let signed = distance as i32;
    ((signed << 1) ^ (signed >> 31)) as u32
}

fn unzigzag(number: u32) -> u32 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regex;

    fn limits() -> Limits {
        Limits::default()
    }

    fn dfa(pattern: &str) -> Dfa {
        let grammar = regex::parse(pattern).unwrap();
        Dfa::from_expr(&grammar.rule(grammar.start).body, &limits()).unwrap()
    }

    fn parts(dfa: &Dfa) -> (&[u8; 256], usize, &[StateId], &[bool], StateId) {
        let Dfa {
            classes,
            class_count,
            table,
            accepting,
            start,
        } = dfa;
        (classes, *class_count, table, accepting, *start)
    }

    #[test]
    fn what_was_packed_is_read_as_it_was() {
        let patterns = [
            "",
            "a",
            "[a-z]+(?:,[a-z]+)*",
            "(?:é|ü){3,9}",
            ".*b.{6}",
            "[^a]",
        ];
        let mut automata: Vec<Dfa> = patterns.map(dfa).into();
        automata.push(Dfa::nothing());
        for dfa in automata {
            let packed = dfa.pack();
            let read = Dfa::unpack(&packed, &limits()).unwrap();
            assert_eq!(parts(&read), parts(&dfa));
            assert_eq!(read.pack(), packed);
        }
    }

    #[test]
    fn more_states_than_the_limit_are_refused() {
        let packed = dfa("a{50}").pack();
        let small = Limits {
            dfa_states: 50,
            ..limits()
        };
        assert!(Dfa::unpack(&packed, &small).is_err());
    }

    #[test]
    fn what_is_not_trimmed_is_refused() {
        let mut packed = dfa("ab|cd").pack();
        packed.accepting = pack_flags(&vec![false; dfa("ab|cd").state_count()]);
        assert_eq!(
            Dfa::unpack(&packed, &limits()).unwrap_err(),
            Damaged("states of an automaton that lead nowhere")
        );
    }

    /// A changed number is refused, or what is read is a whole automaton: it is
    /// trimmed, answers, and packs to what reads as the same.
    #[test]
    fn changed_numbers_are_refused_or_another_automaton() {
        let packed = dfa("(?:[a-c]|d[^e]){1,4}f").pack();
        let (mut refused, mut read) = (0, 0);
        for list in 0..3 {
            let part = |packed: &mut PackedDfa, at: usize, change: u32| {
                let numbers = match list {
                    0 => &mut packed.classes,
                    1 => &mut packed.rows,
                    _ => &mut packed.accepting,
                };
                let there = at < numbers.len();
                if let Some(number) = numbers.get_mut(at) {
                    *number = number.wrapping_add(change);
                }
                there
            };
            for at in (0..).take_while(|&at| part(&mut packed.clone(), at, 0)) {
                for change in [1, 2, 255, u32::MAX / 2, u32::MAX] {
                    let mut changed = packed.clone();
                    part(&mut changed, at, change);
                    let Ok(dfa) = Dfa::unpack(&changed, &limits()) else {
                        refused += 1;
                        continue;
                    };
                    read += 1;
                    assert!(dfa.shortest_member().is_some_and(|text| dfa.accepts(&text)));
                    let again = Dfa::unpack(&dfa.pack(), &limits()).unwrap();
                    assert_eq!(parts(&again), parts(&dfa));
                }
            }
        }
        assert!(refused > read && read > 0, "{refused} {read}");
    }
}
