//! Automata of what a backtracking matcher finds.
//!
//! A pattern with lazy quantifiers does not mean its language: `".*?"` should
//! end at the first quote. A backtracking matcher tries the ways of matching in
//! an order, and takes the first that succeeds. The subset construction can do
//! the same, keeping each subset as a list in that order and dropping what
//! comes after a way that has succeeded (R. Cox, "Regular Expression Matching:
//! the Virtual Machine Approach", 2009). Of the automaton that results, the
//! longest match is the one that the matcher finds: so laziness turns into a
//! language, and the rule of the longest match can stay the only one.
//!
//! Cost: subsets in order are more than subsets; the limits hold, and one on steps.

use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::utf8::Utf8Sequences;
use rustc_hash::FxHashMap;

use super::dfa::DEAD;
use super::{AutomatonError, Dfa, Limits, Steps, byte_classes};

impl Dfa {
    /// The texts that a backtracking matcher takes for a match of `pattern`:
    /// the longest of them that a text begins with is the match in it.
    ///
    /// Assertions match nowhere.
    ///
    /// # Errors
    /// When the automaton outgrows the limits.
    pub fn leftmost_first(pattern: &Hir, limits: &Limits) -> Result<Dfa, AutomatonError> {
        let mut program = Program {
            states: vec![State::Match],
            limit: limits.nfa_states,
        };
        let start = program.compile(pattern, 0)?;
        program.determinize(start, limits)
    }
}

type Index = u32;

enum State {
    /// The pattern has matched.
    Match,
    /// Goes on at the state, after a byte of the range.
    Byte(u8, u8, Index),
    /// Goes on at any of these, the preferred first. Between the turns of a repetition there is
    /// what follows them, too: behind one that read nothing no other is tried.
    Split(Vec<Index>, Option<Index>),
}

struct Program {
    states: Vec<State>,
    limit: usize,
}

impl Program {
    fn add(&mut self, state: State) -> Result<Index, AutomatonError> {
        if self.states.len() >= self.limit {
            return Err(AutomatonError::TooLarge {
                what: "nondeterministic states",
                limit: self.limit,
            });
        }
        self.states.push(state);
        Ok(self.states.len() as Index - 1)
    }

    /// A state that matches `pattern` and goes on at `next`.
    fn compile(&mut self, pattern: &Hir, next: Index) -> Result<Index, AutomatonError> {
        match pattern.kind() {
            HirKind::Empty => Ok(next),
            HirKind::Look(_) => self.add(State::Split(vec![], None)),
            HirKind::Literal(literal) => literal
                .0
                .iter()
                .rev()
                .try_fold(next, |next, &byte| self.add(State::Byte(byte, byte, next))),
            HirKind::Class(class) => self.class(class, next),
            HirKind::Capture(capture) => self.compile(&capture.sub, next),
            HirKind::Concat(parts) => parts
                .iter()
                .rev()
                .try_fold(next, |next, part| self.compile(part, next)),
            HirKind::Alternation(parts) => {
                let starts = parts.iter().map(|part| self.compile(part, next));
                let starts = starts.collect::<Result<_, _>>()?;
                self.add(State::Split(starts, None))
            }
            HirKind::Repetition(repetition) => {
                let order = |inside, after| match repetition.greedy {
                    true => vec![inside, after],
                    false => vec![after, inside],
                };
                let mut at = next;
                match repetition.max {
                    None => {
                        let hub = self.add(State::Split(vec![], None))?;
                        let inside = self.compile(&repetition.sub, hub)?;
                        self.states[hub as usize] = State::Split(order(inside, next), Some(next));
                        at = hub;
                    }
                    Some(max) => {
                        for _ in repetition.min..max {
                            let inside = self.compile(&repetition.sub, at)?;
                            at = self.add(State::Split(order(inside, next), None))?;
                        }
                    }
                }
                for _ in 0..repetition.min {
                    at = self.compile(&repetition.sub, at)?;
                }
                Ok(at)
            }
        }
    }

    fn class(&mut self, class: &Class, next: Index) -> Result<Index, AutomatonError> {
        let mut starts = Vec::new();
        match class {
            Class::Bytes(class) => {
                for range in class.ranges() {
                    starts.push(self.add(State::Byte(range.start(), range.end(), next))?);
                }
            }
            Class::Unicode(class) => {
                for range in class.ranges() {
                    for sequence in Utf8Sequences::new(range.start(), range.end()) {
                        let ranges = sequence.as_slice().iter().rev();
                        starts.push(ranges.clone().try_fold(next, |next, range| {
                            self.add(State::Byte(range.start, range.end, next))
                        })?);
                    }
                }
            }
        }
        self.add(State::Split(starts, None))
    }

    fn determinize(&self, start: Index, limits: &Limits) -> Result<Dfa, AutomatonError> {
        let mut ranges = self.states.iter().filter_map(|state| match state {
            State::Byte(low, high, _) => Some((*low, *high)),
            _ => None,
        });
        let (classes, representatives) = byte_classes(&mut ranges);
        let mut ids: FxHashMap<Box<[Index]>, u32> = FxHashMap::default();
        let mut subsets: Vec<Box<[Index]>> = Vec::new();
        let (mut table, mut accepting) = (Vec::new(), Vec::new());
        let mut closure = Closure {
            states: &self.states,
            mark: vec![0; self.states.len()],
            round: 0,
            stack: Vec::new(),
            steps: 0,
        };
        let mut steps = Steps::default();
        let first = closure.ordered([start].into_iter());
        ids.insert(first.clone(), 0);
        subsets.push(first);
        let mut done = 0;
        while done < subsets.len() {
            let subset = subsets[done].clone();
            accepting.push(subset.last() == Some(&0));
            for &byte in &representatives {
                let targets = subset
                    .iter()
                    .filter_map(|&at| match self.states[at as usize] {
                        State::Byte(low, high, next) if low <= byte && byte <= high => Some(next),
                        _ => None,
                    });
                let next = closure.ordered(targets);
                steps.take(closure.steps + subset.len())?;
                if next.is_empty() {
                    table.push(DEAD);
                    continue;
                }
                let fresh = subsets.len() as u32;
                let id = *ids.entry(next).or_insert_with_key(|next| {
                    subsets.push(next.clone());
                    fresh
                });
                if subsets.len() > limits.dfa_states {
                    return Err(AutomatonError::TooLarge {
                        what: "deterministic states",
                        limit: limits.dfa_states,
                    });
                }
                table.push(id);
            }
            done += 1;
        }
        Ok(Dfa {
            classes,
            class_count: representatives.len(),
            table,
            accepting,
            start: 0,
        }
        .trim()
        .minimize())
    }
}

/// Follows splits; scratch space is kept between calls.
struct Closure<'a> {
    states: &'a [State],
    mark: Vec<u32>,
    round: u32,
    stack: Vec<Index>,
    /// States that the last closure met.
    steps: usize,
}

impl Closure<'_> {
    /// The states that read or match, reached from `starts` without reading, in
    /// order of preference and up to the first match.
    fn ordered(&mut self, starts: impl Iterator<Item = Index>) -> Box<[Index]> {
        self.round += 1;
        self.steps = 0;
        self.stack.clear();
        let mut found = Vec::new();
        for start in starts {
            self.stack.push(start);
            while let Some(at) = self.stack.pop() {
                self.steps += 1;
                let mark = &mut self.mark[at as usize];
                let is_known = std::mem::replace(mark, self.round) == self.round;
                match &self.states[at as usize] {
                    State::Split(_, after) if is_known => self.stack.extend(after),
                    _ if is_known => {}
                    State::Match => {
                        found.push(at);
                        return found.into();
                    }
                    State::Byte(..) => found.push(at),
                    State::Split(next, _) => self.stack.extend(next.iter().rev()),
                }
            }
        }
        found.into()
    }
}
