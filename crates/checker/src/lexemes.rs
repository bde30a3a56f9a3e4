//! Automata of the regular parts of a grammar.
//!
//! Members of objects and items of lists are names, colons, white space and values, one
//! behind the other. The automaton of each of these is made once, however often it
//! stands somewhere, and they are joined where one byte tells where the next begins. All
//! else is determinised as a whole.

use std::sync::Arc;

use lacuna_grammar::Expr;
use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits};
use rustc_hash::FxHashMap;

use crate::normalize::Normalized;
use crate::unroll::write_out_expression;

pub(crate) struct Lexemes<'a> {
    normalized: &'a Normalized,
    limits: &'a Limits,
    /// By spelling.
    known: FxHashMap<Vec<u64>, Arc<Dfa>>,
}

impl<'a> Lexemes<'a> {
    pub(crate) fn new(normalized: &'a Normalized, limits: &'a Limits) -> Self {
        Self {
            normalized,
            limits,
            known: FxHashMap::default(),
        }
    }

    /// The automaton of a regular expression, small, but not always the smallest.
    pub(crate) fn automaton(&mut self, expr: &Expr) -> Result<Arc<Dfa>, AutomatonError> {
        let mut parts = Vec::new();
        self.parts(expr, &mut parts)?;
        if let [part] = &*parts {
            return Ok(Arc::clone(part));
        }
        let joined = Dfa::in_turn(&parts, self.limits.dfa_states);
        joined
            .map_or_else(|| self.written_out(expr), Ok)
            .map(Arc::new)
    }

    /// Appends the automata of what stands in turn.
    fn parts(&mut self, expr: &Expr, parts: &mut Vec<Arc<Dfa>>) -> Result<(), AutomatonError> {
        match expr {
            Expr::Sequence(inner) => {
                for part in inner {
                    self.parts(part, parts)?;
                }
            }
            Expr::Automaton(dfa) => parts.push(Arc::clone(dfa)),
            // Longer ones are too large either way, and said to be before they are made.
            Expr::Literal(bytes) if bytes.len() < self.limits.dfa_states => {
                parts.push(Arc::new(Dfa::of_text(bytes)));
            }
            _ => {
                let mut spelled = Vec::new();
                spell(expr, &mut spelled);
                let part = match self.known.get(&spelled) {
                    Some(known) => Arc::clone(known),
                    None => {
                        let made = Arc::new(self.written_out(expr)?);
                        self.known.insert(spelled, Arc::clone(&made));
                        made
                    }
                };
                parts.push(part);
            }
        }
        Ok(())
    }

    fn written_out(&self, expr: &Expr) -> Result<Dfa, AutomatonError> {
        let Normalized {
            grammar, recursive, ..
        } = self.normalized;
        write_out_expression(grammar, expr, recursive, self.limits)
    }
}

/// Appends what tells an expression from any other: equal expressions over the
/// same rules and automata spell the same numbers.
pub(crate) fn spell(expr: &Expr, numbers: &mut Vec<u64>) {
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
