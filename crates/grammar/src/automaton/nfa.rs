//! Nondeterministic automata and Thompson's construction.
//!
//! [`NfaBuilder`] adds expressions between states; a caller decides what a rule
//! mentioned in an expression becomes, so the same builder serves regular
//! expressions (where a mention is an error) and the unrolling of recursive
//! grammars.

use super::characters::Characters;
use super::{AutomatonError, ByteRange, Dfa, Grouped, Limits, Ranged, SHORTCUTS, Turn};
use crate::{Expr, RuleId};

/// Index of a state of an [`Nfa`].
pub type NfaState = u32;

/// A nondeterministic automaton over bytes.
#[derive(Clone, Debug)]
pub struct Nfa {
    pub(super) byte_edges: Grouped<ByteRange>,
    pub(super) empty_edges: Grouped<NfaState>,
    pub(super) start: NfaState,
    pub(super) accept: NfaState,
    /// For each state of an optional repetition the same state of the first one, for
    /// others themselves. Of states with the same one, the first reads all that the
    /// others read: from a later repetition fewer may follow.
    pub(super) first_copies: Vec<NfaState>,
}

/// Builds an [`Nfa`] piece by piece.
#[derive(Debug)]
pub struct NfaBuilder {
    states: NfaState,
    /// Each with the state that it leaves.
    byte_edges: Vec<(NfaState, ByteRange)>,
    empty_edges: Vec<(NfaState, NfaState)>,
    limit: usize,
    /// Runs of repetitions: the first state, the states of each, and how many there are.
    copies: Vec<(NfaState, NfaState, u32)>,
    /// The last class of characters beyond ASCII: a string's stands at each mention of one.
    recent: (Box<[(u32, u32)]>, Characters),
}

/// Called for each rule an expression mentions: `(builder, rule, from, to, tail)`
/// must connect `from` to `to` by what the rule derives.
pub type OnRule<'a> =
    dyn FnMut(&mut NfaBuilder, RuleId, NfaState, NfaState) -> Result<(), AutomatonError> + 'a;

impl NfaBuilder {
    /// An automaton without states.
    pub fn new(limits: &Limits) -> Self {
        Self {
            states: 0,
            byte_edges: Vec::new(),
            empty_edges: Vec::new(),
            limit: limits.nfa_states,
            copies: Vec::new(),
            recent: Default::default(),
        }
    }

    /// Number of states so far.
    pub fn state_count(&self) -> usize {
        self.states as usize
    }

    /// A new state.
    pub fn state(&mut self) -> Result<NfaState, AutomatonError> {
        if self.state_count() >= self.limit {
            return Err(AutomatonError::TooLarge {
                what: "nondeterministic states",
                limit: self.limit,
            });
        }
        self.states += 1;
        Ok(self.states - 1)
    }

    /// A transition that reads nothing.
    pub fn empty_edge(&mut self, from: NfaState, to: NfaState) {
        self.empty_edges.push((from, to));
    }

    /// A transition on any byte of `low..=high`.
    pub fn byte_edge(&mut self, from: NfaState, low: u8, high: u8, to: NfaState) {
        self.byte_edges.push((from, (low, high, to)));
    }

    /// Connects `from` to `to` by what `expr` derives.
    pub fn expression(
        &mut self,
        expr: &Expr,
        from: NfaState,
        to: NfaState,
        on_rule: &mut OnRule<'_>,
    ) -> Result<(), AutomatonError> {
        match expr {
            Expr::Literal(bytes) => self.text(bytes, from, to)?,
            Expr::Chars(ranges) => self.characters(ranges, from, to)?,
            Expr::Sequence(parts) => {
                let Some((last, parts)) = parts.split_last() else {
                    self.empty_edge(from, to);
                    return Ok(());
                };
                let mut at = from;
                for part in parts {
                    let next = self.state()?;
                    self.expression(part, at, next, on_rule)?;
                    at = next;
                }
                self.expression(last, at, to, on_rule)?;
            }
            Expr::Choice(parts) => {
                for part in parts {
                    self.expression(part, from, to, on_rule)?;
                }
            }
            Expr::Repeat { item, min, max } => {
                self.repeated(*min, *max, from, to, &mut |builder, from, to| {
                    builder.expression(item, from, to, on_rule)
                })?;
            }
            Expr::Rule(rule) => on_rule(self, *rule, from, to)?,
            Expr::Automaton(dfa) => self.automaton(dfa, from, to)?,
            Expr::Counted(_) if !SHORTCUTS => {}
            Expr::Counted(counted) => {
                let limits = Limits {
                    nfa_states: self.limit,
                    dfa_states: self.limit,
                };
                self.automaton(&counted.written_out(&limits)?, from, to)?;
            }
            Expr::Interleave(_) => return Err(AutomatonError::MentionsInterleave),
            Expr::Terminal(terminal) => return Err(AutomatonError::MentionsTerminal(terminal.0)),
        }
        Ok(())
    }

    /// The finished automaton, with its one start and its one accepting state.
    pub fn finish(mut self, start: NfaState, accept: NfaState) -> Nfa {
        let mut first_copies: Vec<NfaState> = (0..self.states).collect();
        // Of repetitions inside of others only one kind counts, that with more of them.
        self.copies.sort_by_key(|&(_, _, count)| count);
        for (first, period, count) in self.copies {
            for at in 0..period * count {
                first_copies[(first + at) as usize] = first + at % period;
            }
        }
        Nfa {
            first_copies,
            byte_edges: Grouped::new(self.states as usize, &self.byte_edges),
            empty_edges: Grouped::new(self.states as usize, &self.empty_edges),
            start,
            accept,
        }
    }

    /// Connects `from` to `to` by so many of what `item` connects two states by.
    pub(super) fn repeated(
        &mut self,
        min: u32,
        max: Option<u32>,
        from: NfaState,
        to: NfaState,
        item: &mut dyn FnMut(&mut Self, NfaState, NfaState) -> Result<(), AutomatonError>,
    ) -> Result<(), AutomatonError> {
        let mut at = from;
        for _ in 0..min {
            let next = self.state()?;
            item(self, at, next)?;
            at = next;
        }
        match max {
            None => {
                // A state of its own keeps the loop from leaking into what
                // else leaves `at` or enters `to`.
                let hub = self.state()?;
                let back = self.state()?;
                self.empty_edge(at, hub);
                item(self, hub, back)?;
                self.empty_edge(back, hub);
                self.empty_edge(hub, to);
            }
            Some(max) => {
                let first = self.state_count();
                let mut period = 0;
                for _ in min..max {
                    self.empty_edge(at, to);
                    let next = self.state()?;
                    item(self, at, next)?;
                    at = next;
                    if period == 0 {
                        period = self.state_count() - first;
                    }
                }
                self.empty_edge(at, to);
                let count = max.saturating_sub(min);
                if count > 1 && self.state_count() - first == period * count as usize {
                    let copies = (first as NfaState, period as NfaState, count);
                    self.copies.push(copies);
                }
            }
        }
        Ok(())
    }

    /// Connects `from` to `to` by one character, in UTF-8.
    pub fn character(
        &mut self,
        character: char,
        from: NfaState,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        let mut buffer = [0; 4];
        let bytes = character.encode_utf8(&mut buffer).as_bytes();
        let mut at = from;
        for (index, &byte) in bytes.iter().enumerate() {
            let next = match index + 1 == bytes.len() {
                true => to,
                false => self.state()?,
            };
            self.byte_edge(at, byte, byte, next);
            at = next;
        }
        Ok(())
    }

    /// Connects `from` to `to` by one character of inclusive ranges, in UTF-8.
    pub fn characters(
        &mut self,
        ranges: &[(u32, u32)],
        from: NfaState,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        if ranges.last().is_none_or(|&(_, high)| high < 0x80) {
            return Characters::new(ranges).connect(self, from, to);
        }
        let mut recent = std::mem::take(&mut self.recent);
        if *recent.0 != *ranges {
            recent = (ranges.into(), Characters::new(ranges));
        }
        recent.1.connect(self, from, to)?;
        self.recent = recent;
        Ok(())
    }

    /// Connects `from` to `to` by the language of an automaton.
    pub fn automaton(
        &mut self,
        dfa: &Dfa,
        from: NfaState,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        self.ranged(&Ranged::from(dfa), from, to)
    }

    /// Adds what stands next behind a state, and gives the state behind that.
    pub fn turn(&mut self, turn: Turn<'_>, at: NfaState) -> Result<NfaState, AutomatonError> {
        let next = self.state()?;
        match turn {
            Turn::Text(bytes) => self.text(bytes, at, next)?,
            Turn::Automaton(automaton) => self.ranged(automaton, at, next)?,
        }
        Ok(next)
    }

    fn text(&mut self, bytes: &[u8], from: NfaState, to: NfaState) -> Result<(), AutomatonError> {
        let mut at = from;
        for &byte in bytes {
            let next = self.state()?;
            self.byte_edge(at, byte, byte, next);
            at = next;
        }
        self.empty_edge(at, to);
        Ok(())
    }

    fn ranged(
        &mut self,
        automaton: &Ranged,
        from: NfaState,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        let base = self.states;
        for _ in 0..automaton.state_count() {
            self.state()?;
        }
        for (state, ranges) in (0..).zip(automaton.ranges().each()) {
            for &(low, high, next) in ranges {
                self.byte_edge(base + state, low, high, base + next);
            }
            if automaton.is_accepting(state) {
                self.empty_edge(base + state, to);
            }
        }
        self.empty_edge(from, base + automaton.start());
        Ok(())
    }
}
