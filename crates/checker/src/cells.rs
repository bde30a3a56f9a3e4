//! Edges of the completion graph where gaps count cells.
//!
//! In a masked cell all tokens are walked together, by rows of the spanner table;
//! a lexeme may end at a node of the token trie, half-way through a token, and
//! the next one picks the token up there. A walk is breadth first, so a lexeme is
//! found with the fewest tokens that it can have.
//!
//! Cost: the points that lexemes from one node can reach, once for each node.

use std::collections::VecDeque;

use lacuna_lexer::{Lexer, LexerState, TerminalId};
use rustc_hash::FxHashSet;

use crate::graph::{Addition, CompletionGraph, Edge, Edges, Emit, Point};
use crate::{Gap, Segment};

/// Entries of spanner rows up to which one check may make more: about half a
/// gigabyte.
const MAX_ROW_ENTRIES: usize = 32_000_000;

/// All lexemes that may begin at a node; `None` beyond the budget.
pub(crate) fn edges(graph: &mut CompletionGraph<'_>, node: Point, budget: usize) -> Option<Edges> {
    let walk = Walk::new(None).run(graph, node, budget)?;
    let mut edges: Vec<Edge> = walk.found.iter().map(|found| found.edge).collect();
    let segment = graph.gap(node);
    edges.retain(|edge| edge.terminal.is_none() || segment != Some(edge.to.segment));
    Some(Edges {
        work: walk.visited + edges.len(),
        edges: edges.into(),
        reach: walk.reach,
    })
}

/// The lexemes of one terminal that may begin at a node, or, if `None`, the end of
/// the text.
pub(crate) fn edges_of(
    graph: &mut CompletionGraph<'_>,
    node: Point,
    terminal: Option<TerminalId>,
    budget: usize,
) -> Option<(Vec<Edge>, usize)> {
    let walk = Walk::new(Some(terminal)).run(graph, node, budget)?;
    let edges = walk.found.iter().map(|found| found.edge).collect();
    Some((edges, walk.visited))
}

/// What the cheapest lexeme of `terminal` between two nodes adds to gaps.
pub(crate) fn additions(
    graph: &mut CompletionGraph<'_>,
    from: Point,
    terminal: Option<TerminalId>,
    to: Point,
) -> Vec<Addition> {
    let Some(walk) = Walk::new(Some(terminal)).run(graph, from, usize::MAX) else {
        return Vec::new();
    };
    let mut found = walk.found.iter();
    let found = found.find(|found| found.edge.terminal == terminal && found.edge.to == to);
    found.map_or_else(Vec::new, |found| walk.additions(found))
}

struct Step {
    point: Point,
    /// The step before, and what it took to come from there.
    before: u32,
    emit: Option<Emit>,
}

struct Found {
    edge: Edge,
    step: u32,
    last: Option<Emit>,
}

/// A walk in progress: points reached, each once, and the edges found.
#[derive(Default)]
struct Walk {
    /// The terminal that is looked for (or the text's end), if it is only one.
    only: Option<Option<TerminalId>>,
    steps: Vec<Step>,
    seen: FxHashSet<Point>,
    queue: VecDeque<u32>,
    found: Vec<Found>,
    known: FxHashSet<(Option<TerminalId>, Point)>,
    reach: u32,
    visited: usize,
}

impl Walk {
    fn new(only: Option<Option<TerminalId>>) -> Self {
        Self {
            only,
            ..Self::default()
        }
    }

    /// Whether what is looked for may come from a lexer state on.
    fn leads_on(&self, lexer: &Lexer, state: LexerState) -> bool {
        match self.only {
            None => true,
            Some(None) => lexer.may_end(state),
            Some(Some(terminal)) => lexer.is_alive(state, terminal),
        }
    }

    fn run(mut self, graph: &mut CompletionGraph<'_>, node: Point, budget: usize) -> Option<Self> {
        let walk = &mut self;
        walk.reach(0, node, None);
        while let Some((at, point)) = walk.next() {
            walk.visited += 1;
            let rows = graph.spanner.as_ref().map_or(0, |s| s.entry_count());
            if walk.steps.len() + walk.found.len() > budget || rows > MAX_ROW_ENTRIES {
                return None;
            }
            walk.reach = walk.reach.max(graph.rank(point));
            if is_end(graph, point) {
                walk.found(at, None, node, None);
            }
            for finish in graph.lexer.finishes(point.state) {
                let boundary = graph.settle(Point {
                    state: finish.to,
                    ..point
                });
                let Some(boundary) = graph.redeem(boundary, &mut walk.reach) else {
                    continue;
                };
                match finish.terminal {
                    Some(terminal) => match separate(graph, boundary) {
                        Some((emit, to)) => walk.found(at, Some(terminal), to, Some(emit)),
                        None => walk.found(at, Some(terminal), boundary, None),
                    },
                    None => walk.reach(at, boundary, None),
                }
            }
            match graph.pattern.segments.get(point.segment as usize) {
                None => {}
                Some(Segment::Text(bytes)) => {
                    let next = graph.lexer.next(point.state, bytes[point.offset as usize]);
                    if let Some(state) = next
                        && walk.leads_on(graph.lexer, state)
                    {
                        let offset = point.offset + 1;
                        let next = graph.settle(Point {
                            offset,
                            trie: 0,
                            state,
                            ..point
                        });
                        walk.reach(at, next, None);
                    }
                }
                Some(Segment::Gap(Gap::Any)) => {
                    for &(byte, state) in graph.lexer.moves(point.state) {
                        let emit = Emit::Byte(byte, state);
                        walk.reach(at, Point { state, ..point }, Some(emit));
                    }
                    let behind = graph.settle(Point {
                        segment: point.segment + 1,
                        offset: 0,
                        trie: 0,
                        ..point
                    });
                    walk.reach(at, behind, Some(Emit::Leave(point.state)));
                }
                Some(Segment::Gap(Gap::Cells(_) | Gap::UpTo(_))) => walk.cell(graph, at),
            }
        }
        Some(self)
    }

    /// One token from a point in a gap that counts cells; lexemes may end half-way.
    fn cell(&mut self, graph: &mut CompletionGraph<'_>, at: u32) {
        let point = self.steps[at as usize].point;
        let Some(spanner) = graph.spanner.as_deref_mut() else {
            return;
        };
        let row = spanner.row(graph.lexer, point.trie, point.state);
        for exit in &row.exits {
            let boundary = Point {
                trie: exit.node,
                state: exit.finish.to,
                ..point
            };
            match exit.finish.terminal {
                Some(terminal) => self.found(at, Some(terminal), boundary, None),
                None => self.reach(at, boundary, None),
            }
        }
        for landing in &row.landings {
            if !self.leads_on(graph.lexer, landing.state) {
                continue;
            }
            let next = graph.settle(Point {
                offset: point.offset + 1,
                trie: 0,
                state: landing.state,
                ..point
            });
            self.reach(at, next, Some(Emit::Token(landing.token)));
        }
    }

    fn reach(&mut self, before: u32, point: Point, emit: Option<Emit>) {
        if self.seen.contains(&point) {
            return;
        }
        let step = self.steps.len() as u32;
        self.steps.push(Step {
            point,
            before,
            emit,
        });
        // What costs nothing comes first, so points are seen at their cheapest.
        match emit {
            Some(Emit::Byte(..) | Emit::Separate { .. } | Emit::Token(_)) => {
                self.queue.push_back(step);
            }
            Some(Emit::Leave(_)) | None => self.queue.push_front(step),
        }
    }

    fn next(&mut self) -> Option<(u32, Point)> {
        loop {
            let at = self.queue.pop_front()?;
            let point = self.steps[at as usize].point;
            if self.seen.insert(point) {
                return Some((at, point));
            }
        }
    }

    fn found(&mut self, at: u32, terminal: Option<TerminalId>, to: Point, last: Option<Emit>) {
        if self.only.is_some_and(|only| only != terminal) || !self.known.insert((terminal, to)) {
            return;
        }
        let mut cost = 0;
        let mut step = at;
        while step != 0 {
            let Step { before, emit, .. } = self.steps[step as usize];
            cost += u32::from(matches!(emit, Some(Emit::Byte(..) | Emit::Token(_))));
            step = before;
        }
        self.found.push(Found {
            edge: Edge { terminal, to, cost },
            step: at,
            last,
        });
    }

    fn additions(&self, found: &Found) -> Vec<Addition> {
        let mut at = found.step;
        let last = found.last.map(|emit| Addition {
            segment: self.steps[at as usize].point.segment,
            emit,
        });
        let mut additions = Vec::from_iter(last);
        while at != 0 {
            let step = &self.steps[at as usize];
            let segment = self.steps[step.before as usize].point.segment;
            additions.extend(step.emit.map(|emit| Addition { segment, emit }));
            at = step.before;
        }
        additions.reverse();
        additions
    }
}

fn is_end(graph: &CompletionGraph<'_>, point: Point) -> bool {
    let at_end = match graph.pattern.segments.get(point.segment as usize) {
        None => true,
        Some(Segment::Gap(Gap::UpTo(_))) => point.trie == 0,
        Some(_) => false,
    };
    at_end && graph.lexer.is_end(point.state)
}

/// In a gap of any length, the node that stands for a boundary: the same for
/// most, or for all.
fn separate(graph: &CompletionGraph<'_>, boundary: Point) -> Option<(Emit, Point)> {
    let segment = graph.pattern.segments.get(boundary.segment as usize);
    if segment != Some(&Segment::Gap(Gap::Any)) {
        return None;
    }
    let (byte, state): (u8, LexerState) = graph.lexer.separator(boundary.state)?;
    let emit = Emit::Separate {
        byte,
        boundary: boundary.state,
        state,
    };
    Some((emit, Point { state, ..boundary }))
}
