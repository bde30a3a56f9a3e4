//! The terminals of a grammar that has no lexicon: automata of its regular parts.
//!
//! Members of objects and items of lists are names, colons, white space and values, one
//! behind the other. The automaton of each of these is made once, however often it
//! stands somewhere, and they are joined where one byte tells where the next begins. All
//! else is determinised as a whole.

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
    /// By spelling.
    automata: FxHashMap<Vec<u64>, Arc<Dfa>>,
    /// By the address of the automaton, which is kept here or in the grammar.
    ids: FxHashMap<usize, usize>,
    /// What was asked for, without the empty text.
    pub terminals: Vec<Dfa>,
}

impl<'a> Lexemes<'a> {
    pub(crate) fn new(normalized: &'a Normalized, limits: &'a Limits) -> Self {
        Self {
            normalized,
            limits,
            automata: FxHashMap::default(),
            ids: FxHashMap::default(),
            terminals: Vec::new(),
        }
    }

    /// Whether a regular expression derives the empty text, and the terminal for all
    /// else, if there is more.
    pub(crate) fn terminal(
        &mut self,
        expr: &Expr,
    ) -> Result<(bool, Option<TerminalId>), AutomatonError> {
        let whole = self.automaton(expr)?;
        let nullable = whole.is_accepting(whole.start());
        let address = Arc::as_ptr(&whole) as usize;
        if let Some(&known) = self.ids.get(&address) {
            return Ok((nullable, Some(known as TerminalId)));
        }
        let terminal = Arc::unwrap_or_clone(whole).without_empty_text();
        if terminal.is_empty() {
            return Ok((nullable, None));
        }
        let id = self.terminals.len();
        self.ids.insert(address, id);
        self.terminals.push(terminal);
        Ok((nullable, Some(id as TerminalId)))
    }

    /// The automaton of a regular expression, small, but not always the smallest.
    fn automaton(&mut self, expr: &Expr) -> Result<Arc<Dfa>, AutomatonError> {
        if let Expr::Automaton(dfa) = expr {
            return Ok(Arc::clone(dfa));
        }
        let mut spelled = Vec::new();
        spell(expr, &mut spelled);
        if let Some(known) = self.automata.get(&spelled) {
            return Ok(Arc::clone(known));
        }
        let made = match expr {
            // Longer ones are too large either way, and said to be before they are made.
            Expr::Literal(bytes) if bytes.len() < self.limits.dfa_states => {
                Arc::new(Dfa::of_text(bytes))
            }
            Expr::Sequence(parts) => {
                let mut turns = Vec::new();
                self.turns(parts, &mut turns)?;
                match &*turns {
                    [part] => Arc::clone(part),
                    turns => Arc::new(self.in_turn(turns)?),
                }
            }
            _ => self.written_out(expr)?,
        };
        self.automata.insert(spelled, Arc::clone(&made));
        Ok(made)
    }

    /// Appends the automata of what stands in turn.
    fn turns(&mut self, parts: &[Expr], turns: &mut Vec<Arc<Dfa>>) -> Result<(), AutomatonError> {
        for part in parts {
            match part {
                Expr::Sequence(parts) => self.turns(parts, turns)?,
                part => turns.push(self.automaton(part)?),
            }
        }
        Ok(())
    }

    fn in_turn(&self, parts: &[Arc<Dfa>]) -> Result<Dfa, AutomatonError> {
        let mut builder = NfaBuilder::new(self.limits);
        let start = builder.state()?;
        let mut at = start;
        for part in parts {
            let next = builder.state()?;
            builder.automaton(part, at, next)?;
            at = next;
        }
        let joined = builder.finish(start, at).determinize(self.limits)?;
        let apart = parts.iter().map(|part| part.state_count()).sum();
        Ok(match joined.state_count() > apart {
            true => joined.minimize(),
            false => joined,
        })
    }

    fn written_out(&self, expr: &Expr) -> Result<Arc<Dfa>, AutomatonError> {
        let Normalized {
            grammar, recursive, ..
        } = self.normalized;
        write_out_expression(grammar, expr, recursive, self.limits).map(Arc::new)
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
