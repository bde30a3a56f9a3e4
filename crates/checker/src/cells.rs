//! Edges of the completion graph in gaps that count cells.
//!
//! From a node in a masked cell, tokens finish lexemes ([`Label::Lexeme`]), which
//! leads to rows of the spanner table, or end ([`Label::Within`]), which leads to
//! the next place with a lexeme under way; that may end there. Where cells may stay empty
//! ([`Spanner::may_skip`](lacuna_lexer::Spanner::may_skip)), it may go on behind the gap.
//!
//! Cost: the entries of a row of the spanner table.

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::{LexerState, NO_ROW, RowId, TerminalId, TokenId};

use crate::graph::{CompletionGraph, Edge, Label, Point, Step, each_once};
use crate::{Gap, Segment};

/// Entries of the spanner table up to which one check may grow it: about half a
/// gigabyte.
const MAX_TABLE_ENTRIES: usize = 32_000_000;

/// Adds the edges out of a node in a gap that counts cells to others; the highest rank that was
/// looked at, and a measure of the work, or `None` beyond the budget.
pub(crate) fn edges(
    graph: &mut CompletionGraph<'_>,
    node: Point,
    budget: usize,
    edges: &mut Vec<Edge>,
) -> Option<(u32, usize)> {
    let first = edges.len();
    let lexer = graph.lexer;
    let finishes = match node.within {
        true => lexer.finishes(node.state),
        false => &[],
    };
    let ignored = finishes.iter().filter(|finish| finish.terminal.is_none());
    let states = [node.state].into_iter();
    let states = states.chain(ignored.map(|finish| finish.to));
    if node.row == NO_ROW {
        let segment = graph.pattern.segments.get(node.segment as usize);
        let may_end = matches!(segment, Some(Segment::Gap(Gap::UpTo(_))));
        if may_end && states.clone().any(|state| lexer.is_end(state)) {
            edges.push(Edge {
                label: Label::End,
                to: node,
                cost: 0,
            });
        }
    }
    for finish in finishes {
        edges.extend(finish.terminal.map(|terminal| Edge {
            label: Label::Lexeme(terminal),
            to: Point {
                state: finish.to,
                within: false,
                ..node
            },
            cost: 0,
        }));
    }
    let behind = landing(graph, node, 0);
    let (mut walked, mut rows) = (0, 0);
    for state in states {
        let spanner = graph.spanner_at(node)?;
        let row = match node.row {
            NO_ROW => spanner.row_of(lexer, state),
            row => row,
        };
        walked += spanner.take_work();
        if walked / STEPS_OF_AN_ITEM > budget || spanner.entry_count() > MAX_TABLE_ENTRIES {
            return None;
        }
        rows += 1;
        let row = spanner.row(row);
        edges.extend(row.exits.iter().map(|&(terminal, row)| Edge {
            label: Label::Lexeme(terminal),
            to: Point {
                row,
                state: 0,
                within: false,
                ..node
            },
            cost: 0,
        }));
        edges.extend(row.landings.iter().map(|&state| Edge {
            label: Label::Within,
            to: Point { state, ..behind },
            cost: 1,
        }));
    }
    let may_skip = graph.spanner_at(node)?.may_skip();
    if may_skip && node.row == NO_ROW {
        edges.extend(skipped(graph, node).map(|to| Edge {
            label: Label::Within,
            to,
            cost: 0,
        }));
    }
    // The grammar engine alone goes over what is found twice, for size.
    if SHORTCUTS && rows > 1 {
        let mut found: Vec<(Edge, u32)> = edges.drain(first..).map(|edge| (edge, 0)).collect();
        each_once(&mut found);
        edges.extend(found.iter().map(|&(edge, _)| edge));
    }
    let work = edges.len() - first + walked / STEPS_OF_AN_ITEM;
    Some((graph.rank(node) + 1, work))
}

/// A path's way through one cell, so far.
#[derive(Debug)]
pub(crate) struct InCell {
    entered: Point,
    path: Vec<(TerminalId, RowId)>,
}

/// The token of a cell, once a path has come to its end; `None` if there is none.
pub(crate) fn token(
    graph: &mut CompletionGraph<'_>,
    step: Step,
    cell: &mut Option<InCell>,
) -> Option<Option<TokenId>> {
    match step.label {
        Label::End => Some(None),
        Label::Lexeme(_) if step.to.row == NO_ROW => Some(None),
        Label::Lexeme(terminal) => {
            let cell = cell.get_or_insert_with(|| InCell {
                entered: step.from,
                path: Vec::new(),
            });
            cell.path.push((terminal, step.to.row));
            Some(None)
        }
        Label::Within if step.from.row == NO_ROW && is_skipped(graph, step) => Some(None),
        Label::Within => {
            let cell = cell.take().unwrap_or(InCell {
                entered: step.from,
                path: Vec::new(),
            });
            let states = states(graph, cell.entered);
            let lexer = graph.lexer;
            let spanner = graph.spanner_at(step.from)?;
            let mut tokens = states
                .iter()
                .map(|&state| spanner.token(lexer, state, &cell.path, step.to.state));
            Some(Some(tokens.find_map(|token| token)?))
        }
    }
}

/// Steps over the token trie that are as much work as an item of a parse.
const STEPS_OF_AN_ITEM: usize = 32;

/// The states from which a token may begin at a node: behind ignored lexemes too.
pub(crate) fn states(graph: &CompletionGraph<'_>, node: Point) -> Vec<LexerState> {
    let mut states = vec![node.state];
    if node.within {
        let finishes = graph.lexer.finishes(node.state).iter();
        let ignored = finishes.filter(|finish| finish.terminal.is_none());
        states.extend(ignored.map(|finish| finish.to));
    }
    states
}

/// The node behind a token that lands in a state.
pub(crate) fn landing(graph: &CompletionGraph<'_>, node: Point, state: LexerState) -> Point {
    graph.settle(Point {
        offset: node.offset + 1,
        row: NO_ROW,
        state,
        within: true,
        ..node
    })
}

/// The node behind all that is left of a gap, where cells may stay empty.
fn skipped(graph: &CompletionGraph<'_>, node: Point) -> Option<Point> {
    let segment = graph.pattern.segments.get(node.segment as usize);
    matches!(segment, Some(Segment::Gap(Gap::Cells(_)))).then(|| {
        graph.settle(Point {
            segment: node.segment + 1,
            offset: 0,
            within: true,
            ..node
        })
    })
}

fn is_skipped(graph: &CompletionGraph<'_>, step: Step) -> bool {
    let may_skip = graph.spanner.as_deref().is_some_and(|s| s.may_skip());
    may_skip && skipped(graph, step.from) == Some(step.to)
}
