//! Patterns with `^` and `$` at their ends and with look-ahead, and what they mean for a
//! whole text.

use std::sync::Arc;

use crate::automaton::{AutomatonError, Dfa, Limits};
use crate::characters::ANY_CHARACTER;
use crate::{Diagnostic, Expr, Place};

/// What an automaton for look-ahead may need.
const LIMITS: Limits = Limits {
    nfa_states: 200_000,
    dfa_states: 20_000,
};

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
    /// What follows begins with this, or does not, in the pattern's bytes
    /// `start..end`.
    Ahead {
        inside: Box<Pattern>,
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
/// alternative, of a group or of an option there. Elsewhere it is refused. Look-ahead is honoured where
/// what follows it in its alternative is the rest of the pattern: then it says something
/// of the rest of the text, and the two languages are intersected.
pub(super) fn language(pattern: Pattern, outside: Outside) -> Result<Expr, Diagnostic> {
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

fn lower(pattern: Pattern, edges: Edges, outside: Outside) -> Result<Expr, Diagnostic> {
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
        Pattern::Plain(expr) => surround(expr, edges.first, edges.last),
        Pattern::Beginning { start, end } => match edges.first {
            Edge::Inside => return Err(inner_anchor("^", start, end)),
            _ => surround(Expr::empty(), Edge::Anchored, edges.last),
        },
        Pattern::End { start, end } => match edges.last {
            Edge::Inside => return Err(inner_anchor("$", start, end)),
            _ => surround(Expr::empty(), edges.first, Edge::Anchored),
        },
        Pattern::Sequence(parts) if parts.is_empty() => {
            surround(Expr::empty(), edges.first, edges.last)
        }
        Pattern::Ahead { .. } => lower(Pattern::Sequence(vec![pattern]), edges, outside)?,
        Pattern::Sequence(parts) if parts.iter().any(has_ahead) => {
            looking_ahead(flat(parts), edges, outside)?
        }
        Pattern::Sequence(parts) => {
            let own = (0..parts.len()).map(|at| Edges {
                first: edges.first.behind(is_beginning, parts[..at].iter()),
                last: edges.last.behind(is_end, parts[at + 1..].iter()),
            });
            let own: Vec<Edges> = own.collect();
            let lowered = parts.into_iter().zip(own);
            let lowered = lowered.map(|(part, edges)| lower(part, edges, outside));
            Expr::Sequence(lowered.collect::<Result<_, _>>()?)
        }
        Pattern::Choice(parts) => {
            let lowered = parts.into_iter().map(|part| lower(part, edges, outside));
            Expr::Choice(lowered.collect::<Result<_, _>>()?)
        }
        Pattern::Repeat {
            item,
            min,
            max: Some(1),
        } => {
            let once = lower(*item, edges, outside)?;
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
            let item = Box::new(lower(*item, inside, outside)?);
            surround(Expr::Repeat { item, min, max }, edges.first, edges.last)
        }
    })
}

/// Whether a part of a sequence looks ahead, groups without alternatives written out.
fn has_ahead(part: &Pattern) -> bool {
    match part {
        Pattern::Ahead { .. } => true,
        Pattern::Sequence(parts) => parts.iter().any(has_ahead),
        _ => false,
    }
}

fn flat(parts: Vec<Pattern>) -> Vec<Pattern> {
    let mut written_out = Vec::new();
    for part in parts {
        match part {
            Pattern::Sequence(parts) => written_out.extend(flat(parts)),
            other => written_out.push(other),
        }
    }
    written_out
}

/// A sequence with look-ahead, from the first one on: what comes before it, and the rest
/// of the text, of which it says something.
fn looking_ahead(
    mut parts: Vec<Pattern>,
    edges: Edges,
    outside: Outside,
) -> Result<Expr, Diagnostic> {
    let Some(at) = parts.iter().position(has_ahead) else {
        return lower(Pattern::Sequence(parts), edges, outside);
    };
    let rest = parts.split_off(at + 1);
    let Some(Pattern::Ahead {
        inside,
        negated,
        start,
        end,
    }) = parts.pop()
    else {
        return lower(Pattern::Sequence(rest), edges, outside);
    };
    let place = || Place::Span { start, end };
    if edges.last == Edge::Inside {
        let message = "look-ahead is supported only where the rest of the pattern follows it";
        return Err(Diagnostic::error("look-around", place(), message));
    }
    let before = Edges {
        first: edges.first,
        last: Edge::Inside,
    };
    let behind = Edges {
        first: match edges.first.behind(is_beginning, parts.iter()) {
            Edge::Anchored => Edge::Anchored,
            Edge::Inside | Edge::Open => Edge::Inside,
        },
        last: edges.last,
    };
    let before = lower(Pattern::Sequence(parts), before, outside)?;
    let rest = looking_ahead(rest, behind, outside)?;
    // What is looked at may go on, whatever the pattern itself does.
    let looked_at = Edges {
        last: Edge::Open,
        ..behind
    };
    let looked_at = lower(*inside, looked_at, Outside::Anything)?;
    let too_large =
        |error: AutomatonError| Diagnostic::error("too-large", place(), error.to_string());
    let language = |expr: &Expr| Dfa::from_expr(expr, &LIMITS).map_err(too_large);
    let (rest, looked_at) = (language(&rest)?, language(&looked_at)?);
    let both = match negated {
        true => rest.minus(&looked_at, &LIMITS),
        false => rest.intersect(&looked_at, &LIMITS),
    };
    let both = both.map_err(too_large)?;
    Ok(Expr::Sequence(vec![
        before,
        Expr::Automaton(Arc::new(both)),
    ]))
}

fn inner_anchor(anchor: &str, start: usize, end: usize) -> Diagnostic {
    let message = format!("{anchor} is supported only at the end of the pattern that it asks for");
    Diagnostic::error("inner-anchor", Place::Span { start, end }, message)
}
