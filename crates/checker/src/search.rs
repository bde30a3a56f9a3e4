//! A witness by search: one path through the completion graph, with the column that
//! its lexemes lead to.
//!
//! A chart answers for all fillings of the cells at once, which takes long where
//! cells are many; one filling is enough for a yes. The search goes forward from the
//! first gap, depth first, tries what changes least before what opens or closes
//! productions, and never goes twice from the same node with the same column. Since
//! columns of texts that can go on alike are the same, that leaves few to try.
//!
//! It ends with a path, or with the certainty that there is none, or at a budget.
//!
//! Cost: for each lexeme tried a step of a column, and the edges of its node.

use std::ops::Range;

use lacuna_lexer::{Lexer, LexerState, NO_ROW};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::cfg::Cfg;
use crate::columns::{ColumnId, Columns};
use crate::cover::Cover;
use crate::graph::{CompletionGraph, Edge, Label, Point, Step};
use crate::guide::{Distance, Goal, Guide};
use crate::look::can_do;
use crate::lookahead::Lookahead;
use crate::sets::StateSets;
use crate::{Gap, Segment};

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Searched {
    /// A path to the end.
    Found(Vec<Step>),
    /// There is none.
    Nothing,
    /// Neither within the budget.
    Open,
}

/// All that a search works with.
pub(crate) struct Search<'a, 'g> {
    pub cfg: &'a Cfg,
    pub sets: &'a mut StateSets,
    pub columns: &'a mut Columns,
    pub guide: Option<&'a mut Guide>,
    /// What the rest of the pattern asks for, if that was found out.
    pub ahead: Option<(&'a Lookahead, &'a Cover)>,
    pub graph: &'a mut CompletionGraph<'g>,
}

/// A node that the search came to.
struct Reached {
    point: Point,
    column: ColumnId,
    /// Where from, and by what.
    before: u32,
    label: Label,
    /// What the choices on the way cost.
    penalty: u32,
}

/// What a search has found out.
struct Work {
    edges: Vec<Edge>,
    /// Where those of a point are among them.
    edges_of: FxHashMap<Point, Range<usize>>,
    /// For each segment, what is to come behind it if it is a gap.
    goals: Vec<Option<Goal>>,
    /// For each segment, the cells before it.
    cells: Vec<u32>,
    done: usize,
    budget: usize,
}

/// Cells up to which it counts how many are filled, so that a cost is a place in a list.
const MOST_CELLS: u32 = 1 << 15;
/// Nodes that most searches come to.
const FEW: usize = 500;

/// How good it is to follow an edge, the edge, and the column that it leads to.
type Choice = ((Distance, u32), Edge, ColumnId);

/// What filling a cell is worth: as much as going back to the first choice from the
/// one of this number.
const CELL: u32 = 4;

/// Nodes to go on from, the least cost first, and of one cost the last that came.
#[derive(Default)]
struct Queue {
    /// For each cost the node that came last, one more than its number.
    last: Vec<u32>,
    /// For each node the one of its cost that came before it, so too.
    before: Vec<u32>,
    /// No cost below this has a node.
    least: usize,
}

impl Queue {
    /// Nodes come in the order of their numbers.
    fn push(&mut self, cost: u32, node: u32) {
        let cost = cost as usize;
        if cost >= self.last.len() {
            self.last.resize(cost + 1, 0);
        }
        self.before
            .push(std::mem::replace(&mut self.last[cost], node + 1));
        self.least = self.least.min(cost);
    }

    fn pop(&mut self) -> Option<u32> {
        while *self.last.get(self.least)? == 0 {
            self.least += 1;
        }
        let last = &mut self.last[self.least];
        let node = *last - 1;
        *last = self.before[node as usize];
        Some(node)
    }
}

impl Search<'_, '_> {
    /// Looks for a path within a budget of edges and of new columns' entries. The
    /// graph must have no gaps of any length but one at its end, to which a path
    /// leads.
    pub(crate) fn run(mut self, budget: usize) -> Searched {
        self.columns.take_work();
        let mut work = Work {
            edges: Vec::new(),
            edges_of: FxHashMap::with_capacity_and_hasher(FEW, FxBuildHasher),
            goals: self.goals(),
            cells: self.cells(),
            done: 0,
            budget,
        };
        let mut reached = Vec::with_capacity(FEW);
        reached.push(Reached {
            point: self.graph.start(),
            column: Columns::START,
            before: 0,
            label: Label::Within,
            penalty: 0,
        });
        let segments = &self.graph.pattern().segments;
        let open_end = match segments.as_slice() {
            [.., Segment::Gap(Gap::Any)] => Some(segments.len() as u32 - 1),
            _ => None,
        };
        let all = work.cells.last().copied().unwrap_or(0).min(MOST_CELLS);
        let mut seen = FxHashSet::with_capacity_and_hasher(FEW, FxBuildHasher);
        let mut choices = Vec::new();
        let mut queue = Queue::default();
        queue.push(0, 0);
        while let Some(at) = queue.pop() {
            let Reached {
                point,
                column,
                penalty,
                ..
            } = reached[at as usize];
            if !seen.insert((point, column)) {
                continue;
            }
            let Some(edges) = self.edges(&mut work, point) else {
                return Searched::Open;
            };
            if open_end == Some(point.segment) {
                return Searched::Found(path(&reached, at, None));
            }
            let edges = &work.edges[edges];
            let end = edges.iter().find(|edge| edge.label == Label::End);
            if let Some(end) = end.filter(|_| self.columns.ends(column)) {
                return Searched::Found(path(&reached, at, Some(end.to)));
            }
            let goal = work.goals[point.segment as usize];
            self.put_in_order(goal, column, edges, &mut choices);
            for (nth, &(_, edge, column)) in (1u32..).zip(&choices) {
                let penalty = penalty + 8 * nth.ilog2();
                let done = work.cells[edge.to.segment as usize] + self.cells_before(edge.to);
                let left = CELL * (all - done.min(all));
                reached.push(Reached {
                    point: edge.to,
                    column,
                    before: at,
                    label: edge.label,
                    penalty,
                });
                queue.push(penalty + left, reached.len() as u32 - 1);
            }
        }
        Searched::Nothing
    }

    /// Where the edges of a point are among all; `None` at the end of the budget.
    fn edges(&mut self, work: &mut Work, point: Point) -> Option<Range<usize>> {
        let range = match work.edges_of.get(&point) {
            Some(range) => range.clone(),
            None => {
                let first = work.edges.len();
                match self.ahead.and_then(|(ahead, _)| ahead.edges(point)) {
                    Some(asked) => work.edges.extend_from_slice(asked.edges),
                    None => {
                        let edges = &mut work.edges;
                        work.done += self.graph.add_edges(point, work.budget, edges)?.1;
                    }
                }
                let range = first..work.edges.len();
                work.edges_of.insert(point, range.clone());
                range
            }
        };
        work.done += 1 + range.len() + self.columns.take_work();
        (work.done <= work.budget).then_some(range)
    }

    /// Whether the rest of the pattern can be read at a column, as far as is known.
    fn is_asked_for(&self, column: ColumnId, point: Point) -> bool {
        let Some((ahead, cover)) = self.ahead else {
            return true;
        };
        let asks = ahead.asks(point, self.graph.rank(point));
        asks.is_none_or(|asks| can_do(self.sets, self.columns, cover, column, asks))
    }

    /// For each segment, and the end, the cells before it.
    fn cells(&self) -> Vec<u32> {
        let mut cells = vec![0];
        for segment in &self.graph.pattern().segments {
            let before = cells.last().copied().unwrap_or(0);
            let here = match segment {
                Segment::Gap(Gap::Cells(here) | Gap::UpTo(here)) => *here,
                Segment::Gap(Gap::Any) | Segment::Text(_) => 0,
            };
            cells.push(before + u32::try_from(here).unwrap_or(u32::MAX / 64));
        }
        cells
    }

    /// The cells of its gap before a point.
    fn cells_before(&self, point: Point) -> u32 {
        match self.graph.pattern().segments.get(point.segment as usize) {
            Some(Segment::Gap(Gap::Cells(_) | Gap::UpTo(_))) => point.offset,
            _ => 0,
        }
    }

    /// For each segment, what follows it if it is a gap.
    fn goals(&self) -> Vec<Option<Goal>> {
        let segments = &self.graph.pattern().segments;
        let goals =
            (0..=segments.len()).map(|at| match (segments.get(at)?, segments.get(at + 1)) {
                (Segment::Text(_), _) => None,
                (Segment::Gap(Gap::UpTo(_)), _) | (_, None) => Some(Goal::End),
                (_, Some(Segment::Text(text))) => first_lexeme(&self.cfg.lexer, text),
                (_, Some(Segment::Gap(_))) => None,
            });
        goals.collect()
    }

    /// Puts the edges that a column can follow in place of what stands in `open`, the best first.
    fn put_in_order(
        &mut self,
        goal: Option<Goal>,
        column: ColumnId,
        edges: &[Edge],
        open: &mut Vec<Choice>,
    ) {
        open.clear();
        let depth = self.columns.depth(column);
        for &edge in edges {
            let next = match edge.label {
                Label::End => continue,
                Label::Lexeme(terminal) => self.columns.step(self.cfg, self.sets, column, terminal),
                Label::Within => {
                    let state = edge.to.state;
                    let hopes = self.columns.hopes(self.cfg, self.sets, column, state);
                    hopes.then_some(column)
                }
            };
            let Some(next) = next.filter(|&next| self.is_asked_for(next, edge.to)) else {
                continue;
            };
            let change = self.columns.depth(next).abs_diff(depth);
            let in_cell = u32::from(edge.to.row != NO_ROW);
            let distance = match (goal, &mut self.guide) {
                (Some(goal), Some(guide)) if edge.to.within => guide.distance_within(
                    self.cfg,
                    self.sets,
                    self.columns,
                    next,
                    edge.to.state,
                    goal,
                ),
                (Some(goal), Some(guide)) => {
                    let lexemes = guide.distance(self.cfg, self.sets, self.columns, next, goal);
                    Distance {
                        halves: lexemes.saturating_mul(2),
                        bytes: 0,
                    }
                }
                _ => Distance {
                    halves: 0,
                    bytes: 0,
                },
            };
            if distance >= Distance::FAR && goal == Some(Goal::End) {
                continue;
            }
            open.push(((distance, 2 * change + in_cell), edge, next));
        }
        if let [_, _, ..] = open.as_slice() {
            open.sort_by_key(|&(rank, ..)| rank);
        }
    }
}

/// The terminal that a text begins with, if nothing before it reaches into it: in the context in
/// which most of it is read.
fn first_lexeme(lexer: &Lexer, text: &[u8]) -> Option<Goal> {
    let read = lexer
        .starts()
        .map(|start| first_lexeme_from(lexer, start, text));
    read.rev().max_by_key(|&(read, _)| read)?.1
}

/// The same in one context, and how much is read there.
fn first_lexeme_from(lexer: &Lexer, start: LexerState, text: &[u8]) -> (usize, Option<Goal>) {
    let mut state = start;
    let mut last = None;
    for (read, &byte) in text.iter().enumerate() {
        let Some(next) = lexer.next(state, byte) else {
            return (read, last);
        };
        state = next;
        for finish in lexer.finishes(state) {
            match finish.terminal {
                Some(terminal) => last = Some(Goal::Lexeme(terminal)),
                None => {
                    last = None;
                    state = finish.to;
                }
            }
        }
    }
    (text.len(), last)
}

/// The way to a node, and on to the end if it is one.
fn path(reached: &[Reached], last: u32, end: Option<Point>) -> Vec<Step> {
    let mut at = last;
    let mut steps = Vec::new();
    steps.extend(end.map(|to| Step {
        from: reached[last as usize].point,
        label: Label::End,
        to,
    }));
    while at != 0 {
        let Reached {
            point,
            before,
            label,
            ..
        } = reached[at as usize];
        steps.push(Step {
            from: reached[before as usize].point,
            label,
            to: point,
        });
        at = before;
    }
    steps.reverse();
    steps
}
