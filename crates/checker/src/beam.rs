//! A witness by a narrow look at all of a pattern: a few columns for each node.
//!
//! The guided search ([`search`](crate::search)) goes deep and comes back where it is
//! stuck; a choice that turns out wrong far behind it costs it much. Here all nodes that
//! the look-ahead leaves are gone through in order, each with a few of the columns that
//! lead to it: such as are at different distances from the end, which have opened more
//! or less, and, where more are kept, such as differ in what is open innermost; of these
//! the nearer ones ([`Few`]). So what the text far behind asks for is among them, as a
//! rule. It finds a path or nothing, and nothing says nothing.
//!
//! Inside a gap of any length nodes lead to each other, and are gone through until
//! nothing new comes to them.
//!
//! Cost: for each node and edge, as many look-ups as columns are kept.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::columns::{ColumnId, Columns};
use crate::cover::CoverSetId;
use crate::graph::{Label, Point, Step};
use crate::pairs::Look;
use crate::{Gap, Segment};

/// How many columns are kept for a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Width {
    /// Altogether.
    pub all: usize,
    /// Of those that are alike.
    pub alike: usize,
    /// Whether columns are alike only if what is open innermost is, and not already at
    /// the same distance from the end.
    pub by_inner: bool,
}

/// In what columns are alike: the distance from the end, and perhaps what is innermost.
pub(crate) type Likeness = (u32, u32);

/// A few of the columns that lead to a node, with what belongs to each.
#[derive(Clone, Debug)]
pub(crate) struct Few<T> {
    kept: Vec<(ColumnId, Likeness, T)>,
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self { kept: Vec::new() }
    }
}

impl<T> Few<T> {
    /// Keeps a column, perhaps in place of one farther from the end; whether it does.
    pub(crate) fn add(
        &mut self,
        column: ColumnId,
        likeness: Likeness,
        width: Width,
        what: T,
    ) -> bool {
        let mut alike = 0;
        let mut farthest: Option<(Likeness, usize)> = None;
        for (at, &(known, far, _)) in self.kept.iter().enumerate() {
            if known == column {
                return false;
            }
            alike += usize::from(far == likeness);
            farthest = farthest.max(Some((far, at)));
        }
        if alike >= width.alike {
            return false;
        }
        let fresh = (column, likeness, what);
        match farthest {
            Some((far, at)) if self.kept.len() >= width.all => {
                let is_nearer = likeness.0 < far.0;
                if is_nearer {
                    self.kept[at] = fresh;
                }
                is_nearer
            }
            _ => {
                self.kept.push(fresh);
                true
            }
        }
    }

    /// Whether a column is kept.
    fn holds(&self, column: ColumnId) -> bool {
        self.kept.iter().any(|&(known, ..)| known == column)
    }

    /// Keeps a column before all others.
    pub(crate) fn put_first(&mut self, column: ColumnId, what: T) {
        self.kept.retain(|&(known, ..)| known != column);
        self.kept.insert(0, (column, (0, 0), what));
    }

    /// The columns.
    pub(crate) fn columns(&self) -> impl Iterator<Item = ColumnId> + '_ {
        self.kept.iter().map(|&(column, ..)| column)
    }
}

impl Few<u32> {
    /// Whether a column with this place is kept.
    fn has(&self, at: u32) -> bool {
        self.kept.iter().any(|&(.., known)| known == at)
    }
}

/// A column at a node, with the one before it on its path.
struct Reached {
    node: u32,
    column: ColumnId,
    before: u32,
    label: Label,
}

struct Node {
    point: Point,
    /// What the rest of the pattern asks for there, if anything.
    asks: Option<CoverSetId>,
    /// Columns, each with its place among all that were reached.
    few: Few<u32>,
    /// Those of them that were not yet followed.
    fresh: Vec<u32>,
}

impl Look<'_, '_> {
    /// A path to the end, or to a gap of any length there if gaps count cells; `None` if
    /// none was met.
    pub(crate) fn beam(&mut self, width: Width) -> Option<Vec<Step>> {
        let pattern = self.graph.pattern();
        let open_end = match pattern.segments.as_slice() {
            [.., Segment::Gap(Gap::Any)] if pattern.counts_cells() => {
                Some(pattern.segments.len() as u32 - 1)
            }
            _ => None,
        };
        let mut beam = Beam::default();
        beam.reach(
            self,
            width,
            (0, Label::End),
            self.graph.start(),
            Columns::START,
        );
        while let Some(Reverse((.., id))) = beam.queue.pop() {
            let point = beam.nodes[id as usize].point;
            let fresh = std::mem::take(&mut beam.nodes[id as usize].fresh);
            if open_end == Some(point.segment)
                && let Some(&at) = fresh.first()
            {
                return Some(beam.path(at, None));
            }
            let edges = self.ahead.edges(point).map(|asked| asked.edges);
            let inside = self.ahead.edges_inside(point);
            let edges = edges.iter().chain(&inside).flat_map(|edges| edges.iter());
            for edge in edges {
                for &at in &fresh {
                    let column = beam.reached[at as usize].column;
                    if edge.label == Label::End {
                        if self.columns.ends(column) {
                            return Some(beam.path(at, Some(edge.to)));
                        }
                    } else if let Some(next) = self.step(column, edge.label, edge.to) {
                        beam.reach(self, width, (at, edge.label), edge.to, next);
                    }
                }
            }
        }
        None
    }
}

/// What a beam has come to.
#[derive(Default)]
struct Beam {
    reached: Vec<Reached>,
    nodes: Vec<Node>,
    ids: FxHashMap<Point, u32>,
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
    asked: FxHashMap<(CoverSetId, ColumnId), bool>,
}

impl Beam {
    /// Brings a column to a node.
    fn reach(
        &mut self,
        look: &mut Look<'_, '_>,
        width: Width,
        (before, label): (u32, Label),
        point: Point,
        column: ColumnId,
    ) {
        let node = *self.ids.entry(point).or_insert_with(|| {
            self.nodes.push(Node {
                point,
                asks: look.ahead.asks(point, look.graph.rank(point)),
                few: Few::default(),
                fresh: Vec::new(),
            });
            self.nodes.len() as u32 - 1
        });
        let Node { asks, few, .. } = &self.nodes[node as usize];
        if few.holds(column) {
            return;
        }
        if let Some(asks) = *asks {
            let asked = self.asked.entry((asks, column));
            if !*asked.or_insert_with(|| look.can_do(column, asks)) {
                return;
            }
        }
        let at = self.reached.len() as u32;
        let distance = look.distance(column);
        let kind = match width.by_inner {
            true => look.columns.inner(column),
            false => 0,
        };
        let Node { few, fresh, .. } = &mut self.nodes[node as usize];
        if !few.add(column, (distance, kind), width, at) {
            return;
        }
        self.reached.push(Reached {
            node,
            column,
            before,
            label,
        });
        if fresh.is_empty() {
            let place = (look.graph.rank(point), point.order(), node);
            self.queue.push(Reverse(place));
        }
        // What was put aside meanwhile need not be followed.
        fresh.retain(|&at| few.has(at));
        fresh.push(at);
    }

    /// The way to a column, and on to the end if it is one.
    fn path(&self, last: u32, end: Option<Point>) -> Vec<Step> {
        let point = |at: u32| self.nodes[self.reached[at as usize].node as usize].point;
        let mut steps: Vec<Step> = Vec::new();
        steps.extend(end.map(|to| Step {
            from: point(last),
            label: Label::End,
            to,
        }));
        let mut at = last;
        while at != 0 {
            let Reached { before, label, .. } = self.reached[at as usize];
            steps.push(Step {
                from: point(before),
                label,
                to: point(at),
            });
            at = before;
        }
        steps.reverse();
        steps
    }
}
