//! Patterns with `^` and `$` at their ends, and what they mean for a whole text.

use crate::characters::ANY_CHARACTER;
use crate::{Diagnostic, Expr, Place};

/// A pattern in which ends of the text may be asked for.
#[derive(Debug)]
pub(super) enum Pattern {
    /// Part of a pattern that does not look at the ends of the text.
    Plain(Expr),
    /// The beginning of the text (`^`), in the pattern's bytes `start..end`.
    Beginning {
        start: usize,
        end: usize,
    },
    /// The end of the text (`$`), in the pattern's bytes `start..end`.
    End {
        start: usize,
        end: usize,
    },
    Sequence(Vec<Pattern>),
    Choice(Vec<Pattern>),
    Repeat {
        item: Box<Pattern>,
        min: u32,
        max: Option<u32>,
    },
}

/// What is admitted where a pattern is not anchored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outside {
    /// Nothing: the whole text must match.
    Nothing,
    /// Any characters: the pattern is searched for.
    Anything,
}

impl Outside {
    fn expr(self) -> Expr {
        match self {
            Outside::Nothing => Expr::empty(),
            Outside::Anything => Expr::Chars(Box::new([ANY_CHARACTER])).star(),
        }
    }
}

/// The texts that a pattern matches.
///
/// An anchor is honoured where nothing but anchors of its kind could stand
/// between it and the end that it asks for: at the edge of the pattern, of an
/// alternative or of a group there. Elsewhere it is refused.
pub(super) fn language(pattern: Pattern, outside: Outside) -> Result<Expr, Diagnostic> {
    lower(
        pattern,
        Edges {
            first: true,
            last: true,
        },
        outside,
    )
}

/// Whether a part of a pattern is its first, its last.
#[derive(Clone, Copy)]
struct Edges {
    first: bool,
    last: bool,
}

fn lower(pattern: Pattern, edges: Edges, outside: Outside) -> Result<Expr, Diagnostic> {
    let surround = |expr: Expr, first: bool, last: bool| {
        let before = if first { outside.expr() } else { Expr::empty() };
        let after = if last { outside.expr() } else { Expr::empty() };
        match (first || last) && outside == Outside::Anything {
            true => Expr::Sequence(vec![before, expr, after]),
            false => expr,
        }
    };
    Ok(match pattern {
        Pattern::Plain(expr) => surround(expr, edges.first, edges.last),
        Pattern::Beginning { .. } if edges.first => surround(Expr::empty(), false, edges.last),
        Pattern::End { .. } if edges.last => surround(Expr::empty(), edges.first, false),
        Pattern::Beginning { start, end } => return Err(inner_anchor("^", start, end)),
        Pattern::End { start, end } => return Err(inner_anchor("$", start, end)),
        Pattern::Sequence(parts) if parts.is_empty() => {
            surround(Expr::empty(), edges.first, edges.last)
        }
        Pattern::Sequence(parts) => {
            let last = parts.len() - 1;
            let lowered = parts.into_iter().enumerate().map(|(index, part)| {
                let edges = Edges {
                    first: edges.first && index == 0,
                    last: edges.last && index == last,
                };
                lower(part, edges, outside)
            });
            Expr::Sequence(lowered.collect::<Result<_, _>>()?)
        }
        Pattern::Choice(parts) => {
            let lowered = parts.into_iter().map(|part| lower(part, edges, outside));
            Expr::Choice(lowered.collect::<Result<_, _>>()?)
        }
        Pattern::Repeat { item, min, max } => {
            let inside = Edges {
                first: false,
                last: false,
            };
            let item = Box::new(lower(*item, inside, outside)?);
            surround(Expr::Repeat { item, min, max }, edges.first, edges.last)
        }
    })
}

fn inner_anchor(anchor: &str, start: usize, end: usize) -> Diagnostic {
    let message = format!("{anchor} is supported only at the end of the pattern that it asks for");
    Diagnostic::error("inner-anchor", Place::Span { start, end }, message)
}
