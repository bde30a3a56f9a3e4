//! Regular parts as terminals; those with equal automata are the same.
//!
//! Members of objects and items of lists are names, colons, white space and values, one
//! behind the other. The automaton of each of these is made once, however often it stands
//! somewhere, and joined with others from there.

use std::sync::Arc;

use lacuna_grammar::Expr;
use lacuna_grammar::automaton::{AutomatonError, Counted, NfaBuilder, Ranged, SHORTCUTS, Turn};
use lacuna_lexer::{Counts, TerminalId};

use super::Symbol;
use super::lowering::Lowering;
use crate::normalize::Normalized;
use crate::unroll::write_out_expression;

/// A regular part.
pub(super) struct Part {
    whole: Arc<Ranged>,
    /// The terminal of its texts but the empty one, if it was asked for and there are any.
    terminal: Option<TerminalId>,
}

/// What a regular part derives.
pub(super) enum Regular<'e> {
    /// The texts of an expression.
    One(&'e Expr),
    /// Those of several, one behind the other.
    InTurn(&'e [&'e Expr]),
    /// Those of any of several.
    AnyOf(&'e [&'e Expr]),
}

impl Lowering<'_> {
    /// The alternatives of a regular part: its terminal, or nothing, or both.
    pub fn terminal(&mut self, regular: Regular<'_>) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        let part = self.part(regular)?;
        let Part { whole, terminal } = &mut self.parts[part as usize];
        if terminal.is_none() {
            let fresh = whole.without_empty_text();
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

    /// The terminal of what counts characters with a text before and one behind; `None` where
    /// that can be none.
    pub fn enclosed(
        &mut self,
        before: &[u8],
        counted: &Arc<Counted>,
        behind: &[u8],
    ) -> Option<TerminalId> {
        let alone = before.is_empty() && behind.is_empty();
        if !SHORTCUTS || alone || self.normalized.grammar.constraint.is_some() {
            return None;
        }
        let mut spelled = Vec::new();
        at_address(COUNTED, Arc::as_ptr(counted) as usize, &mut spelled);
        for text in [before, behind] {
            spelled.push(text.len() as u32);
            spelled.extend(text.iter().map(|&byte| u32::from(byte)));
        }
        if let Some(&known) = self.known.get(spelled.as_slice()) {
            return Some(known);
        }
        let (texts, ahead, more) = counted.enclosed(before, behind)?;
        let (min, max) = counted.bounds();
        let next = self.terminals.len() as TerminalId;
        self.known.insert(spelled.into(), next);
        self.terminals.push(texts);
        let counts = Counts {
            ahead,
            min: min.saturating_add(more),
            max: max.map(|max| max.saturating_add(more)),
        };
        self.counts.push((next, counts));
        Some(next)
    }

    /// The alternatives of what counts characters, alone: a terminal of its own. The grammar
    /// engine alone has none.
    pub fn counted(&mut self, counted: &Arc<Counted>) -> Result<Vec<Vec<Symbol>>, AutomatonError> {
        let mut alternatives = Vec::new();
        if !SHORTCUTS {
            return Ok(alternatives);
        }
        if counted.holds_empty_text() {
            alternatives.push(Vec::new());
        }
        let mut spelled = Vec::new();
        at_address(COUNTED, Arc::as_ptr(counted) as usize, &mut spelled);
        let next = self.terminals.len() as TerminalId;
        let known = *self.known.entry(spelled.into()).or_insert(next);
        if known == next {
            // A count and a constraint beside a state would be too much to tell apart.
            let is_counted = self.normalized.grammar.constraint.is_none();
            self.terminals.push(match is_counted {
                false => Ranged::from(&counted.written_out(self.limits)?).without_empty_text(),
                true => {
                    let (texts, ahead) = counted.of_any_length();
                    let (min, max) = counted.bounds();
                    self.counts.push((next, Counts { ahead, min, max }));
                    texts
                }
            });
        }
        alternatives.push(vec![Symbol::Terminal(known)]);
        Ok(alternatives)
    }

    /// The place of a part: its automaton is small, but not always the smallest.
    fn part(&mut self, regular: Regular<'_>) -> Result<u32, AutomatonError> {
        let regular = match regular {
            Regular::AnyOf([only]) => Regular::One(only),
            Regular::InTurn([only]) => Regular::One(only),
            regular => regular,
        };
        if let Regular::One(Expr::Choice(parts)) = regular
            && let [only] = parts.as_slice()
        {
            return self.part(Regular::One(only));
        }
        let mut spelled = Vec::new();
        match regular {
            Regular::One(expr) => spell(expr, &mut spelled),
            Regular::InTurn(parts) => spell_all(IN_TURN, parts.iter().copied(), &mut spelled),
            Regular::AnyOf(parts) => spell_all(ANY_OF, parts.iter().copied(), &mut spelled),
        }
        if let Some(&known) = self.known.get(spelled.as_slice()) {
            return Ok(known);
        }
        let whole = match regular {
            Regular::One(Expr::Automaton(whole)) => Arc::new(Ranged::from(whole.as_ref())),
            Regular::One(Expr::Rule(rule)) => {
                let normalized = self.normalized;
                let body = self.part(Regular::One(&normalized.grammar.rule(*rule).body))?;
                Arc::clone(&self.parts[body as usize].whole)
            }
            Regular::One(parts @ (Expr::Sequence(_) | Expr::Literal(_))) => {
                Arc::new(self.in_turn(&[parts])?)
            }
            Regular::InTurn(parts) => Arc::new(self.in_turn(parts)?),
            Regular::One(Expr::Choice(parts)) if let Some(only) = optional(parts) => {
                let only = self.part(Regular::One(only))?;
                Arc::new(self.parts[only as usize].whole.with_empty_text())
            }
            Regular::One(expr) => Arc::new(match self.repeated(expr)? {
                Some(whole) => whole,
                None => self.written_out(expr)?,
            }),
            Regular::AnyOf(parts) => {
                let parts = parts.iter().copied().cloned().collect();
                Arc::new(self.written_out(&Expr::Choice(parts))?)
            }
        };
        let fresh = self.parts.len() as u32;
        self.known.insert(spelled.into(), fresh);
        self.parts.push(Part {
            whole,
            terminal: None,
        });
        Ok(fresh)
    }

    /// The smallest automaton of an expression.
    fn written_out(&self, expr: &Expr) -> Result<Ranged, AutomatonError> {
        let Normalized {
            grammar, recursive, ..
        } = self.normalized;
        let whole = write_out_expression(grammar, expr, recursive, self.limits)?;
        Ok(Ranged::from(&whole))
    }

    /// The automaton of a repetition, copies of what is repeated, where these will do.
    fn repeated(&mut self, expr: &Expr) -> Result<Option<Ranged>, AutomatonError> {
        match expr {
            &Expr::Repeat { ref item, min, max } if SHORTCUTS => {
                let item = self.part(Regular::One(item))?;
                let item = &self.parts[item as usize].whole;
                item.repeated(min, max, self.limits).transpose()
            }
            _ => Ok(None),
        }
    }

    /// The automaton of what stands one behind the other.
    fn in_turn(&mut self, parts: &[&Expr]) -> Result<Ranged, AutomatonError> {
        let mut pieces = Vec::with_capacity(parts.len());
        for part in parts {
            self.pieces(part, &mut pieces)?;
        }
        let turns: Vec<Turn<'_>> = pieces.iter().map(Piece::turn).collect();
        if let Some(whole) = Ranged::in_turn(&turns, self.limits)? {
            return Ok(whole);
        }
        let mut builder = NfaBuilder::new(self.limits);
        let start = builder.state()?;
        let mut at = start;
        for turn in turns {
            at = builder.turn(turn, at)?;
        }
        let whole = builder.finish(start, at).determinize(self.limits)?;
        Ok(Ranged::from(&whole))
    }

    fn pieces<'e>(
        &mut self,
        part: &'e Expr,
        pieces: &mut Vec<Piece<'e>>,
    ) -> Result<(), AutomatonError> {
        match part {
            Expr::Sequence(parts) => parts
                .iter()
                .try_for_each(|part| self.pieces(part, pieces))?,
            Expr::Literal(bytes) => pieces.push(Piece::Text(bytes)),
            part => {
                let part = self.part(Regular::One(part))?;
                let whole = Arc::clone(&self.parts[part as usize].whole);
                pieces.push(Piece::Part(whole));
            }
        }
        Ok(())
    }
}

/// The only one of several that is not the empty text, beside which that is.
fn optional(parts: &[Expr]) -> Option<&Expr> {
    if !SHORTCUTS {
        return None;
    }
    let is_empty = |part: &&Expr| match part {
        Expr::Sequence(parts) => parts.is_empty(),
        Expr::Literal(bytes) => bytes.is_empty(),
        _ => false,
    };
    let mut others = parts.iter().filter(|part| !is_empty(part));
    let only = others.next()?;
    let is_only = others.next().is_none() && parts.len() > 1;
    is_only.then_some(only)
}

/// What stands in a sequence.
enum Piece<'e> {
    Text(&'e [u8]),
    Part(Arc<Ranged>),
}

impl Piece<'_> {
    fn turn(&self) -> Turn<'_> {
        match self {
            Piece::Text(text) => Turn::Text(text),
            Piece::Part(part) => Turn::Automaton(part),
        }
    }
}

/// Appends what tells an expression from any other: equal expressions over the
/// same rules and automata spell the same numbers.
fn spell(expr: &Expr, numbers: &mut Vec<u32>) {
    match expr {
        Expr::Literal(bytes) => {
            numbers.extend([0, bytes.len() as u32]);
            numbers.extend(bytes.iter().map(|&byte| u32::from(byte)));
        }
        Expr::Chars(ranges) => {
            numbers.extend([1, ranges.len() as u32]);
            numbers.extend(ranges.iter().flat_map(|&(low, high)| [low, high]));
        }
        Expr::Sequence(parts) => spell_all(IN_TURN, parts.iter(), numbers),
        Expr::Choice(parts) => spell_all(ANY_OF, parts.iter(), numbers),
        Expr::Repeat { item, min, max } => {
            numbers.extend([4, *min, u32::from(max.is_some()), max.unwrap_or(0)]);
            spell(item, numbers);
        }
        Expr::Rule(rule) => numbers.extend([5, rule.0]),
        // The grammar keeps its automata alive, so an address stands for one.
        Expr::Automaton(dfa) => at_address(6, Arc::as_ptr(dfa) as usize, numbers),
        Expr::Terminal(terminal) => numbers.extend([7, terminal.0]),
        Expr::Counted(counted) => at_address(COUNTED, Arc::as_ptr(counted) as usize, numbers),
        // Never part of a terminal.
        Expr::Interleave(interleave) => {
            at_address(8, std::ptr::from_ref(interleave.as_ref()) as usize, numbers);
        }
    }
}

/// What spellings of parts one behind the other begin with, and of any of several.
const IN_TURN: u32 = 2;
const ANY_OF: u32 = 3;
const COUNTED: u32 = 10;

fn spell_all<'e>(tag: u32, parts: impl ExactSizeIterator<Item = &'e Expr>, numbers: &mut Vec<u32>) {
    numbers.extend([tag, parts.len() as u32]);
    parts.for_each(|part| spell(part, numbers));
}

fn at_address(tag: u32, address: usize, numbers: &mut Vec<u32>) {
    numbers.extend([tag, address as u32, (address as u64 >> 32) as u32]);
}

/// The same for an automaton, unlike any expression.
fn spell_automaton(automaton: &Ranged) -> Box<[u32]> {
    let mut numbers = vec![9, automaton.start()];
    for (state, ranges) in (0..).zip(automaton.ranges().each()) {
        let is_accepting = automaton.is_accepting(state);
        numbers.extend([u32::from(is_accepting), ranges.len() as u32]);
        for &(low, high, next) in ranges {
            numbers.extend([u32::from(low) | u32::from(high) << 8, next]);
        }
    }
    numbers.into()
}
