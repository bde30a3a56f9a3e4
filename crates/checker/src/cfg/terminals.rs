//! Regular parts as terminals; those with equal automata are the same.
//!
//! Members of objects and items of lists are names, colons, white space and values, one
//! behind the other. The automaton of each of these is made once, however often it stands
//! somewhere, and joined with others from there.

use std::sync::Arc;

use lacuna_grammar::Expr;
use lacuna_grammar::automaton::{AutomatonError, Dfa, NfaBuilder, NfaState, SHORTCUTS};
use lacuna_lexer::TerminalId;

use super::Symbol;
use super::lowering::Lowering;
use crate::normalize::Normalized;
use crate::unroll::write_out_expression;

/// A regular part.
pub(super) struct Part {
    whole: Arc<Dfa>,
    /// The terminal of its texts but the empty one, if it was asked for and there are any.
    terminal: Option<TerminalId>,
}

impl Lowering<'_> {
    /// The alternatives of a regular part: its terminal, or nothing, or both.
    pub fn terminal(&mut self, expr: &Expr) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        let part = self.part(expr)?;
        let Part { whole, terminal } = &mut self.parts[part as usize];
        if terminal.is_none() {
            let fresh = Dfa::clone(whole).without_empty_text();
            if !fresh.is_empty() {
                let known = self.known.entry(spell_automaton(&fresh));
                let next = self.terminals.len() as TerminalId;
                let known = *known.or_insert(next);
                *terminal = Some(known);
                if known == next {
                    self.terminals.push(fresh);
                }
            }
        }
        let mut alternatives = Vec::new();
        if whole.is_accepting(whole.start()) {
            alternatives.push(Vec::new());
        }
        alternatives.extend(terminal.map(|terminal| vec![Symbol::Terminal(terminal)]));
        Ok(alternatives)
    }

    /// The place of a part: its automaton is small, but not always the smallest.
    fn part(&mut self, expr: &Expr) -> Result<u32, AutomatonError> {
        let mut spelled = Vec::new();
        spell(expr, &mut spelled);
        let spelled = spelled.into_boxed_slice();
        if let Some(&known) = self.known.get(&spelled) {
            return Ok(known);
        }
        let whole = match expr {
            Expr::Automaton(whole) => Arc::new(Dfa::clone(whole).minimize()),
            Expr::Sequence(parts) => {
                let mut builder = NfaBuilder::new(self.limits);
                let start = builder.state()?;
                let end = self.in_turn(parts, &mut builder, start)?;
                // Parts are smallest, or short ones written out, and mostly begin with bytes
                // that no part before them goes on with.
                Arc::new(builder.finish(start, end).determinize_parts(self.limits)?)
            }
            _ => Arc::new(match self.repeated(expr)? {
                Some(whole) => whole,
                None => {
                    let Normalized {
                        grammar, recursive, ..
                    } = self.normalized;
                    write_out_expression(grammar, expr, recursive, self.limits)?
                }
            }),
        };
        let fresh = self.parts.len() as u32;
        self.known.insert(spelled, fresh);
        self.parts.push(Part {
            whole,
            terminal: None,
        });
        Ok(fresh)
    }

    /// The automaton of a repetition, copies of what is repeated, where these will do.
    fn repeated(&mut self, expr: &Expr) -> Result<Option<Dfa>, AutomatonError> {
        match expr {
            &Expr::Repeat { ref item, min, max } if SHORTCUTS => {
                let item = self.part(item)?;
                let item = &self.parts[item as usize].whole;
                item.repeated(min, max, self.limits).transpose()
            }
            _ => Ok(None),
        }
    }

    /// Adds what stands in turn from a state on, and gives the state behind it.
    fn in_turn(
        &mut self,
        parts: &[Expr],
        builder: &mut NfaBuilder,
        mut at: NfaState,
    ) -> Result<NfaState, AutomatonError> {
        for part in parts {
            at = match part {
                Expr::Sequence(parts) => self.in_turn(parts, builder, at)?,
                part if matches!(part, Expr::Literal(_)) || is_short(part, &mut { SHORT }) => {
                    let next = builder.state()?;
                    builder.expression(part, at, next, &mut |_, rule, _, _| {
                        Err(AutomatonError::MentionsRule(rule.0))
                    })?;
                    next
                }
                part => {
                    let part = self.part(part)?;
                    let next = builder.state()?;
                    builder.automaton(&self.parts[part as usize].whole, at, next)?;
                    next
                }
            };
        }
        Ok(at)
    }
}

/// Parts of this size are written out where they stand: a character and its escapes, say.
const SHORT: usize = 32;

/// Whether an expression takes no more than `left` bytes and characters, and nothing else.
fn is_short(expr: &Expr, left: &mut usize) -> bool {
    let size = match expr {
        Expr::Literal(bytes) => bytes.len(),
        Expr::Chars(ranges) if ranges.iter().all(|&(_, high)| high < 0x80) => ranges.len(),
        Expr::Sequence(parts) | Expr::Choice(parts) => {
            return parts.iter().all(|part| is_short(part, left));
        }
        _ => return false,
    };
    let is_within = size <= *left;
    *left = left.saturating_sub(size);
    is_within
}

/// Appends what tells an expression from any other: equal expressions over the
/// same rules and automata spell the same numbers.
fn spell(expr: &Expr, numbers: &mut Vec<u32>) {
    let several = |tag: u32, parts: &[Expr], numbers: &mut Vec<u32>| {
        numbers.extend([tag, parts.len() as u32]);
        parts.iter().for_each(|part| spell(part, numbers));
    };
    match expr {
        Expr::Literal(bytes) => {
            numbers.extend([0, bytes.len() as u32]);
            numbers.extend(bytes.iter().map(|&byte| u32::from(byte)));
        }
        Expr::Chars(ranges) => {
            numbers.extend([1, ranges.len() as u32]);
            numbers.extend(ranges.iter().flat_map(|&(low, high)| [low, high]));
        }
        Expr::Sequence(parts) => several(2, parts, numbers),
        Expr::Choice(parts) => several(3, parts, numbers),
        Expr::Repeat { item, min, max } => {
            numbers.extend([4, *min, u32::from(max.is_some()), max.unwrap_or(0)]);
            spell(item, numbers);
        }
        Expr::Rule(rule) => numbers.extend([5, rule.0]),
        // The grammar keeps its automata alive, so an address stands for one.
        Expr::Automaton(dfa) => at_address(6, Arc::as_ptr(dfa) as usize, numbers),
        Expr::Terminal(terminal) => numbers.extend([7, terminal.0]),
        // Never part of a terminal.
        Expr::Interleave(interleave) => {
            at_address(8, std::ptr::from_ref(interleave.as_ref()) as usize, numbers);
        }
    }
}

fn at_address(tag: u32, address: usize, numbers: &mut Vec<u32>) {
    numbers.extend([tag, address as u32, (address as u64 >> 32) as u32]);
}

/// The same for an automaton, unlike any expression.
fn spell_automaton(dfa: &Dfa) -> Box<[u32]> {
    let mut numbers = vec![9, dfa.start()];
    for (state, ranges) in (0..).zip(dfa.ranges().each()) {
        numbers.extend([u32::from(dfa.is_accepting(state)), ranges.len() as u32]);
        for &(low, high, next) in ranges {
            numbers.extend([u32::from(low) | u32::from(high) << 8, next]);
        }
    }
    numbers.into()
}
