//! The same lexemes in as many tokens as there are cells.
//!
//! A parse in which gaps have any length is cheap, and says in which terminals the
//! text can be read. Whether lexemes of just these terminals, with ignored ones
//! between them, can be written in the cells is no matter of grammar any more but
//! of the lexer: a search over the graph in which cells are counted, terminal by
//! terminal. Most yeses come about so.
//!
//! Cost: for each terminal, the places where its lexeme can begin, and a walk from
//! each.

use lacuna_lexer::TerminalId;
use rustc_hash::FxHashSet;

use crate::cells;
use crate::graph::{Addition, CompletionGraph, Point};

/// What writes these terminals into the gaps of a graph that counts cells; `None` if
/// nothing does, or it is not found within the budget.
pub(crate) fn respell(
    graph: &mut CompletionGraph<'_>,
    terminals: &[TerminalId],
    mut budget: usize,
) -> Option<Vec<Addition>> {
    // For each terminal, the points at which its lexeme can begin, and where each
    // comes from.
    let mut levels: Vec<Vec<(Point, usize)>> = vec![vec![(graph.start(), 0)]];
    for &terminal in terminals {
        let mut next: Vec<(Point, usize)> = Vec::new();
        let mut seen = FxHashSet::default();
        for (at, &(point, _)) in levels.last()?.iter().enumerate() {
            let (edges, work) = cells::edges_of(graph, point, Some(terminal), budget)?;
            budget = budget.checked_sub(work)?;
            let fresh = edges.iter().filter(|edge| seen.insert(edge.to));
            next.extend(fresh.map(|edge| (edge.to, at)));
        }
        levels.push(next);
    }
    let mut end = None;
    for (at, &(point, _)) in levels.last()?.iter().enumerate() {
        let (edges, work) = cells::edges_of(graph, point, None, budget)?;
        budget = budget.checked_sub(work)?;
        if !edges.is_empty() {
            end = Some((at, point));
            break;
        }
    }
    let (mut at, point) = end?;
    let mut pieces = vec![graph.additions(point, None, point)];
    for (level, &terminal) in terminals.iter().enumerate().rev() {
        let (to, before) = levels[level + 1][at];
        let (from, _) = levels[level][before];
        pieces.push(graph.additions(from, Some(terminal), to));
        at = before;
    }
    pieces.reverse();
    Some(pieces.concat())
}
