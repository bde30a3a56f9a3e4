//! Regular parts as terminals; equal languages are the same one.

use lacuna_grammar::Expr;
use lacuna_grammar::automaton::{AutomatonError, Dfa};
use lacuna_lexer::TerminalId;

use super::Symbol;
use super::lowering::Lowering;
use crate::normalize::Normalized;
use crate::unroll::write_out_expression;

/// Whether a regular part holds the empty text, and the terminal of all others, if there are.
pub(super) type Part = (bool, Option<TerminalId>);

impl Lowering<'_> {
    /// The alternatives of a regular part: its terminal, or nothing, or both.
    pub fn terminal(&mut self, expr: &Expr) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        let mut spelled = Vec::new();
        spell(expr, &mut spelled);
        let (nullable, terminal) = match self.known_parts.get(&spelled) {
            Some(&known) => known,
            None => {
                let part = self.part(expr)?;
                self.known_parts.insert(spelled, part);
                part
            }
        };
        let mut alternatives = Vec::new();
        if nullable {
            alternatives.push(Vec::new());
        }
        alternatives.extend(terminal.map(|terminal| vec![Symbol::Terminal(terminal)]));
        Ok(alternatives)
    }

    fn part(&mut self, expr: &Expr) -> Result<Part, AutomatonError> {
        let Normalized {
            grammar, recursive, ..
        } = self.normalized;
        let mut text = Vec::new();
        // Longer ones are too large either way, and said to be before they are made.
        let whole = match is_text(expr, &mut text) && text.len() < self.limits.dfa_states {
            true => Dfa::of_text(&text),
            false => write_out_expression(grammar, expr, recursive, self.limits)?,
        };
        let nullable = whole.is_accepting(whole.start());
        let terminal = whole.without_empty_text();
        if terminal.is_empty() {
            return Ok((nullable, None));
        }
        let spelled = spell_automaton(&terminal);
        if let Some(&(_, known)) = self.known_parts.get(&spelled) {
            return Ok((nullable, known));
        }
        let fresh = Some(self.terminals.len() as TerminalId);
        self.terminals.push(terminal);
        self.known_parts.insert(spelled, (false, fresh));
        Ok((nullable, fresh))
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
        Expr::Automaton(dfa) => numbers.extend([6, std::sync::Arc::as_ptr(dfa) as usize as u64]),
        Expr::Terminal(terminal) => numbers.extend([7, u64::from(terminal.0)]),
        // Never part of a terminal.
        Expr::Interleave(interleave) => {
            numbers.extend([8, std::ptr::from_ref(interleave.as_ref()) as usize as u64]);
        }
    }
}

/// The same for a minimal automaton, unlike any expression.
fn spell_automaton(dfa: &Dfa) -> Vec<u64> {
    let mut numbers = vec![9];
    for (state, ranges) in (0..).zip(dfa.ranges()) {
        numbers.extend([u64::from(dfa.is_accepting(state)), ranges.len() as u64]);
        let spelled =
            |(low, high, next)| u64::from(low) | u64::from(high) << 8 | u64::from(next) << 16;
        numbers.extend(ranges.into_iter().map(spelled));
    }
    numbers
}

/// Whether an expression is one text, which is written behind `text`.
fn is_text(expr: &Expr, text: &mut Vec<u8>) -> bool {
    match expr {
        Expr::Literal(bytes) => {
            text.extend_from_slice(bytes);
            true
        }
        Expr::Sequence(parts) => parts.iter().all(|part| is_text(part, text)),
        _ => false,
    }
}
