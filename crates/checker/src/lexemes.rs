//! The terminals of a grammar that has no lexicon: automata of its regular parts.
//!
//! Members of objects and items of lists are names, colons, white space and values, one
//! behind the other. The automaton of each of these is made once, however often it
//! stands somewhere, and joined with others from there.

use std::sync::Arc;

use lacuna_grammar::Expr;
use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, NfaBuilder};
use lacuna_lexer::TerminalId;
use rustc_hash::FxHashMap;

use crate::normalize::Normalized;
use crate::unroll::write_out_expression;

pub(crate) struct Lexemes<'a> {
    normalized: &'a Normalized,
    limits: &'a Limits,
    /// Where in `automata` that of an expression is, by spelling.
    known: FxHashMap<Box<[u64]>, u32>,
    automata: Vec<Automaton>,
    /// What was asked for, without the empty text.
    pub terminals: Vec<Dfa>,
}

struct Automaton {
    whole: Arc<Dfa>,
    /// Where it was asked for, and holds more than the empty text.
    terminal: Option<TerminalId>,
}

impl<'a> Lexemes<'a> {
    pub(crate) fn new(normalized: &'a Normalized, limits: &'a Limits) -> Self {
        Self {
            normalized,
            limits,
            known: FxHashMap::default(),
            automata: Vec::new(),
            terminals: Vec::new(),
        }
    }

    /// Whether a regular expression derives the empty text, and the terminal for all
    /// else, if there is more.
    pub(crate) fn terminal(
        &mut self,
        expr: &Expr,
    ) -> Result<(bool, Option<TerminalId>), AutomatonError> {
        let at = self.automaton(expr)?;
        let Automaton { whole, terminal } = &mut self.automata[at as usize];
        if terminal.is_none() {
            let fresh = Dfa::clone(whole).without_empty_text();
            if !fresh.is_empty() {
                *terminal = Some(self.terminals.len() as TerminalId);
                self.terminals.push(fresh);
            }
        }
        Ok((whole.is_accepting(whole.start()), *terminal))
    }

    /// The place of the automaton of a regular expression: small, but not always the
    /// smallest.
    fn automaton(&mut self, expr: &Expr) -> Result<u32, AutomatonError> {
        let mut spelled = Vec::new();
        spell(expr, &mut spelled);
        let spelled = spelled.into_boxed_slice();
        if let Some(&known) = self.known.get(&spelled) {
            return Ok(known);
        }
        let whole = match expr {
            Expr::Automaton(whole) => Arc::clone(whole),
            // Longer ones are too large either way, and said to be before they are made.
            Expr::Literal(bytes) if bytes.len() < self.limits.dfa_states => {
                Arc::new(Dfa::of_text(bytes))
            }
            Expr::Sequence(parts) => {
                let mut turns = Vec::new();
                self.turns(parts, &mut turns)?;
                if let &[only] = &*turns {
                    self.known.insert(spelled, only);
                    return Ok(only);
                }
                Arc::new(self.in_turn(&turns)?)
            }
            _ => {
                let Normalized {
                    grammar, recursive, ..
                } = self.normalized;
                Arc::new(write_out_expression(grammar, expr, recursive, self.limits)?)
            }
        };
        let fresh = self.automata.len() as u32;
        self.known.insert(spelled, fresh);
        self.automata.push(Automaton {
            whole,
            terminal: None,
        });
        Ok(fresh)
    }

    /// Appends the automata of what stands in turn.
    fn turns(&mut self, parts: &[Expr], turns: &mut Vec<u32>) -> Result<(), AutomatonError> {
        for part in parts {
            match part {
                Expr::Sequence(parts) => self.turns(parts, turns)?,
                part => turns.push(self.automaton(part)?),
            }
        }
        Ok(())
    }

    /// Parts that are minimal and mostly begin with bytes that no part before them goes on
    /// with, so that what is made of them need not be made minimal again.
    fn in_turn(&self, parts: &[u32]) -> Result<Dfa, AutomatonError> {
        let mut builder = NfaBuilder::new(self.limits);
        let start = builder.state()?;
        let (mut at, mut states) = (start, 0);
        for &part in parts {
            let next = builder.state()?;
            let part = &self.automata[part as usize].whole;
            builder.automaton(part, at, next)?;
            states += part.state_count();
            at = next;
        }
        let joined = builder.finish(start, at).determinize(self.limits)?;
        Ok(match joined.state_count() > states {
            true => joined.minimize(),
            false => joined,
        })
    }
}

/// Appends what tells an expression from any other: equal expressions over the
/// same rules and automata spell the same numbers.
fn spell(expr: &Expr, numbers: &mut Vec<u64>) {
    let several = |tag: u64, parts: &[Expr], numbers: &mut Vec<u64>| {
        numbers.extend([tag, parts.len() as u64]);
        parts.iter().for_each(|part| spell(part, numbers));
    };
    match expr {
        Expr::Literal(bytes) => {
            numbers.extend([0, bytes.len() as u64]);
            numbers.extend(bytes.iter().map(|&byte| u64::from(byte)));
        }
        Expr::Chars(ranges) => {
            numbers.extend([1, ranges.len() as u64]);
            let ends = ranges.iter().flat_map(|&(low, high)| [low, high]);
            numbers.extend(ends.map(u64::from));
        }
        Expr::Sequence(parts) => several(2, parts, numbers),
        Expr::Choice(parts) => several(3, parts, numbers),
        Expr::Repeat { item, min, max } => {
            let max = max.map_or(u64::MAX, u64::from);
            numbers.extend([4, u64::from(*min), max]);
            spell(item, numbers);
        }
        Expr::Rule(rule) => numbers.extend([5, u64::from(rule.0)]),
        // The grammar keeps its automata alive, so an address stands for one.
        Expr::Automaton(dfa) => numbers.extend([6, Arc::as_ptr(dfa) as usize as u64]),
        Expr::Terminal(terminal) => numbers.extend([7, u64::from(terminal.0)]),
        // Never part of a terminal.
        Expr::Interleave(interleave) => {
            numbers.extend([8, std::ptr::from_ref(interleave.as_ref()) as usize as u64]);
        }
    }
}
