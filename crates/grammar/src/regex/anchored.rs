//! Patterns with `^` and `$` at their ends, and what they mean for a whole text.

use crate::characters::ANY_CHARACTER;
use crate::{Diagnostic, Expr, Place};

/// A pattern in which may be asked what surrounds a place.
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
    /// What follows begins with this, or does not, or what was read ends with it, in the
    /// pattern's bytes `start..end`.
    Look {
        inside: Box<Pattern>,
        behind: bool,
        negated: bool,
        start: usize,
        end: usize,
    },
    /// A word begins or ends here, or none does, in the pattern's bytes `start..end`.
    Boundary {
        negated: bool,
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
/// alternative, of a group or of an option there. Elsewhere it is refused, as is whatever
/// looks around.
pub(super) fn language(pattern: &Pattern, outside: Outside) -> Result<Expr, Diagnostic> {
    let edges = Edges {
        first: Edge::Open,
        last: Edge::Open,
    };
    lower(pattern, edges, outside)
}

/// What stands beside a part of a pattern, on one side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// Another part, which may match something.
    Inside,
    /// Nothing, so that what is outside may follow there.
    Open,
    /// An anchor, so that the text ends there.
    Anchored,
}

impl Edge {
    /// That of a part with others on this side, in a sequence with this edge there.
    fn behind<'p>(
        self,
        anchor: fn(&Pattern) -> bool,
        mut parts: impl Iterator<Item = &'p Pattern>,
    ) -> Self {
        let Some(first) = parts.next() else {
            return self;
        };
        match self != Edge::Inside && anchor(first) && parts.all(anchor) {
            true => Edge::Anchored,
            false => Edge::Inside,
        }
    }
}

/// What stands on both sides of a part of a pattern.
#[derive(Clone, Copy)]
struct Edges {
    first: Edge,
    last: Edge,
}

fn is_beginning(part: &Pattern) -> bool {
    matches!(part, Pattern::Beginning { .. })
}

fn is_end(part: &Pattern) -> bool {
    matches!(part, Pattern::End { .. })
}

/// Whether a pattern asks nothing of what surrounds a place.
pub(super) fn is_plain(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Plain(_) => true,
        Pattern::Sequence(parts) | Pattern::Choice(parts) => parts.iter().all(is_plain),
        Pattern::Repeat { item, .. } => is_plain(item),
        _ => false,
    }
}

fn lower(pattern: &Pattern, edges: Edges, outside: Outside) -> Result<Expr, Diagnostic> {
    let surround = |expr: Expr, first: Edge, last: Edge| {
        let beside = |edge: Edge| match edge {
            Edge::Open => outside.expr(),
            Edge::Inside | Edge::Anchored => Expr::empty(),
        };
        let is_open = first == Edge::Open || last == Edge::Open;
        match is_open && outside == Outside::Anything {
            true => Expr::Sequence(vec![beside(first), expr, beside(last)]),
            false => expr,
        }
    };
    Ok(match pattern {
        Pattern::Plain(expr) => surround(expr.clone(), edges.first, edges.last),
        &Pattern::Beginning { start, end } => match edges.first {
            Edge::Inside => return Err(inner_anchor("^", start, end)),
            _ => surround(Expr::empty(), Edge::Anchored, edges.last),
        },
        &Pattern::End { start, end } => match edges.last {
            Edge::Inside => return Err(inner_anchor("$", start, end)),
            _ => surround(Expr::empty(), edges.first, Edge::Anchored),
        },
        Pattern::Sequence(parts) if parts.is_empty() => {
            surround(Expr::empty(), edges.first, edges.last)
        }
        &(Pattern::Look { start, end, .. } | Pattern::Boundary { start, end, .. }) => {
            let message = "what looks around is not supported here";
            return Err(Diagnostic::error(
                "look-around",
                Place::Span { start, end },
                message,
            ));
        }
        Pattern::Sequence(parts) => {
            let own = (0..parts.len()).map(|at| Edges {
                first: edges.first.behind(is_beginning, parts[..at].iter()),
                last: edges.last.behind(is_end, parts[at + 1..].iter()),
            });
            let lowered = parts.iter().zip(own);
            let lowered = lowered.map(|(part, edges)| lower(part, edges, outside));
            Expr::Sequence(lowered.collect::<Result<_, _>>()?)
        }
        Pattern::Choice(parts) => {
            // What does not ask for the ends may have the same around it.
            let inside = Edges {
                first: Edge::Inside,
                last: Edge::Inside,
            };
            let (plain, asking): (Vec<_>, Vec<_>) = parts.iter().partition(|part| is_plain(part));
            let plain = plain.into_iter().map(|part| lower(part, inside, outside));
            let plain: Vec<Expr> = plain.collect::<Result<_, _>>()?;
            let lowered = asking.into_iter().map(|part| lower(part, edges, outside));
            let mut lowered: Vec<Expr> = lowered.collect::<Result<_, _>>()?;
            if !plain.is_empty() {
                lowered.push(surround(Expr::Choice(plain), edges.first, edges.last));
            }
            Expr::Choice(lowered)
        }
        Pattern::Repeat {
            item,
            min,
            max: Some(1),
        } => {
            let once = lower(item, edges, outside)?;
            match min {
                0 => Expr::Choice(vec![once, surround(Expr::empty(), edges.first, edges.last)]),
                _ => once,
            }
        }
        Pattern::Repeat { item, min, max } => {
            let inside = Edges {
                first: Edge::Inside,
                last: Edge::Inside,
            };
            let item = Box::new(lower(item, inside, outside)?);
            let (min, max) = (*min, *max);
            surround(Expr::Repeat { item, min, max }, edges.first, edges.last)
        }
    })
}

fn inner_anchor(anchor: &str, start: usize, end: usize) -> Diagnostic {
    let message = format!("{anchor} is supported only at the end of the pattern that it asks for");
    Diagnostic::error("inner-anchor", Place::Span { start, end }, message)
}
