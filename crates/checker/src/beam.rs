//! A witness by a narrow look at all of a pattern: a few columns for each node.
//!
//! The guided search ([`search`](crate::search)) goes deep and comes back where it is
//! stuck; a choice that turns out wrong far behind it costs it much. Here all nodes that
//! the look-ahead leaves are gone through in order, each with a few of the columns that
//! lead to it: such as are at different distances from the end, which have opened more
//! or less, and of these the nearer ones ([`Few`]). So what the text far behind asks for
//! is among them, as a rule. It finds a path or nothing, and nothing says nothing.
//!
//! Cost: for each node and edge, as many look-ups as columns are kept.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::columns::{ColumnId, Columns};
use crate::graph::{Label, Point, Step};
use crate::pairs::Look;
use crate::{Gap, Segment};

/// How many columns are kept for a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Width {
    /// Altogether.
    pub all: usize,
    /// At one distance from the end.
    pub alike: usize,
}

/// A few of the columns that lead to a node, with what belongs to each.
#[derive(Clone, Debug)]
pub(crate) struct Few<T> {
    kept: Vec<(ColumnId, u32, T)>,
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self { kept: Vec::new() }
    }
}

impl<T> Few<T> {
    /// Keeps a column at some distance from the end, perhaps in place of another one.
    pub(crate) fn add(&mut self, column: ColumnId, distance: u32, width: Width, what: T) {
        let mut alike = 0;
        let mut farthest: Option<(u32, usize)> = None;
        for (at, &(known, far, _)) in self.kept.iter().enumerate() {
            if known == column {
                return;
            }
            alike += usize::from(far == distance);
            farthest = farthest.max(Some((far, at)));
        }
        if alike >= width.alike {
            return;
        }
        let fresh = (column, distance, what);
        match farthest {
            Some((far, at)) if self.kept.len() >= width.all => {
                if distance < far {
                    self.kept[at] = fresh;
                }
            }
            _ => self.kept.push(fresh),
        }
    }

    /// Keeps a column before all others.
    pub(crate) fn put_first(&mut self, column: ColumnId, what: T) {
        self.kept.retain(|&(known, ..)| known != column);
        self.kept.insert(0, (column, 0, what));
    }

    /// The columns.
    pub(crate) fn columns(&self) -> impl Iterator<Item = ColumnId> + '_ {
        self.kept.iter().map(|&(column, ..)| column)
    }
}

struct Node {
    point: Point,
    /// Columns, each with the node and the place of the column before it, and the label
    /// of the edge.
    few: Few<(u32, u32, Label)>,
}

impl Look<'_, '_> {
    /// A path to the end, or to a gap of any length there; `None` if none was met.
    pub(crate) fn beam(&mut self, width: Width) -> Option<Vec<Step>> {
        let segments = &self.graph.pattern().segments;
        let open_end = match segments.as_slice() {
            [.., Segment::Gap(Gap::Any)] => Some(segments.len() as u32 - 1),
            _ => None,
        };
        let start = self.graph.start();
        let mut nodes = vec![Node {
            point: start,
            few: Few::default(),
        }];
        let before = (0, 0, Label::End);
        nodes[0].few.add(Columns::START, 0, width, before);
        let mut ids: FxHashMap<Point, u32> = FxHashMap::from_iter([(start, 0)]);
        let mut queue = BinaryHeap::from([Reverse((0, 0, 0u32))]);
        let mut asked: FxHashMap<(Point, ColumnId), bool> = FxHashMap::default();
        while let Some(Reverse((.., id))) = queue.pop() {
            let point = nodes[id as usize].point;
            let columns: Vec<ColumnId> = nodes[id as usize].few.columns().collect();
            if open_end == Some(point.segment) && !columns.is_empty() {
                return Some(path(&nodes, (id, 0), None));
            }
            let Some(from) = self.ahead.edges(point) else {
                continue;
            };
            for edge in from.edges.iter() {
                for (at, &column) in (0..).zip(&columns) {
                    if edge.label == Label::End {
                        if self.columns.ends(column) {
                            return Some(path(&nodes, (id, at), Some(edge.to)));
                        }
                        continue;
                    }
                    let Some(next) = self.step(column, edge.label, edge.to) else {
                        continue;
                    };
                    let is_asked = *asked
                        .entry((edge.to, next))
                        .or_insert_with(|| self.is_asked_for(next, edge.to));
                    if !is_asked {
                        continue;
                    }
                    let to = *ids.entry(edge.to).or_insert_with(|| {
                        let to = nodes.len() as u32;
                        let place = (self.graph.rank(edge.to), edge.to.order(), to);
                        queue.push(Reverse(place));
                        nodes.push(Node {
                            point: edge.to,
                            few: Few::default(),
                        });
                        to
                    });
                    let distance = self.distance(next);
                    let from = (id, at, edge.label);
                    nodes[to as usize].few.add(next, distance, width, from);
                }
            }
        }
        None
    }
}

/// The way to a node's column, and on to the end if it is one.
fn path(nodes: &[Node], last: (u32, u32), end: Option<Point>) -> Vec<Step> {
    let point = |node: u32| nodes[node as usize].point;
    let mut steps: Vec<Step> = Vec::new();
    steps.extend(end.map(|to| Step {
        from: point(last.0),
        label: Label::End,
        to,
    }));
    let (mut id, mut at) = last;
    while id != 0 {
        let (_, _, (from, place, label)) = nodes[id as usize].few.kept[at as usize];
        steps.push(Step {
            from: point(from),
            label,
            to: point(id),
        });
        (id, at) = (from, place);
    }
    steps.reverse();
    steps
}
