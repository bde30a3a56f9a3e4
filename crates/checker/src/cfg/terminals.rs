//! Regular parts as terminals; equal languages are the same one.

use lacuna_grammar::Expr;
use lacuna_grammar::automaton::{AutomatonError, Dfa};
use lacuna_lexer::TerminalId;

use super::Symbol;
use super::lowering::Lowering;
use crate::normalize::Normalized;
use crate::unroll::write_out_expression;

/// Of each state of a minimal automaton, whether it accepts, and its transitions.
pub(super) type CanonicalTerminal = Vec<(bool, Vec<(u8, u8, u32)>)>;

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
                let fresh = self.new_terminal(expr)?;
                self.known_parts.insert(spelled, fresh);
                fresh
            }
        };
        let mut alternatives = Vec::new();
        if nullable {
            alternatives.push(Vec::new());
        }
        alternatives.extend(terminal.map(|terminal| vec![Symbol::Terminal(terminal)]));
        Ok(alternatives)
    }

    fn new_terminal(&mut self, expr: &Expr) -> Result<Part, AutomatonError> {
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
        let ranges = terminal.ranges().into_iter();
        let canonical: CanonicalTerminal = (0..)
            .zip(ranges)
            .map(|(state, ranges)| (terminal.is_accepting(state), ranges))
            .collect();
        let terminals = &mut self.terminals;
        let id = *self.known_terminals.entry(canonical).or_insert_with(|| {
            terminals.push(terminal);
            terminals.len() as TerminalId - 1
        });
        Ok((nullable, Some(id)))
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
