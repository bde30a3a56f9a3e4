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
//! Where all that was kept has died, the columns before that place are gathered again,
//! more for each node, from a little way back and then from farther and farther: so the
//! width is paid where it is needed.
//!
//! Inside a gap of any length nodes lead to each other, and are gone through until
//! nothing new comes to them.
//!
//! Cost: for each node and edge, as many look-ups as columns are kept, within a bound.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::columns::{ColumnId, Columns};
use crate::cover::CoverSetId;
use crate::graph::{Label, Point, Step};
use crate::look::Look;
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

/// How far back more is kept at first where a beam has died, in ranks, and how many times
/// farther each time that this does not help.
const FIRST_WAY_BACK: u32 = 16;
const FARTHER_BACK: u32 = 4;

/// Columns reached for each node at which a beam gives up.
const MOST_FOR_A_NODE: usize = 24;

/// Columns reached in all at which one gives up: where what is read is counted, each time around a
/// gap of any length brings a column that is nearer to the end.
const MOST_REACHED: usize = 1 << 20;

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
}

impl Few<u32> {
    /// The places of the columns.
    fn places(&self) -> impl Iterator<Item = u32> + '_ {
        self.kept.iter().map(|&(.., at)| at)
    }

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
    rank: u32,
    /// The highest rank of what its edges led to.
    leads_to: u32,
    /// What the rest of the pattern asks for there, if anything.
    asks: Option<CoverSetId>,
    /// Columns, each with its place among all that were reached.
    few: Few<u32>,
    /// Those of them that were not yet followed.
    fresh: Vec<u32>,
}

impl Look<'_, '_> {
    /// A path to the end, or to a gap of any length there if gaps count cells; `None` if
    /// none was met. Where all that was kept has died, more is kept of what lies before,
    /// if `wide` says how much.
    pub(crate) fn beam(&mut self, narrow: Width, wide: Option<Width>) -> Option<Vec<Step>> {
        let mut beam = Beam::new(narrow);
        let start = self.graph.start();
        beam.reach(self, (0, Label::End), start, Columns::START);
        let (mut stuck, mut back) = (0, FIRST_WAY_BACK);
        loop {
            if let Some(path) = beam.follow(self) {
                return Some(path);
            }
            back = match beam.frontier > stuck {
                true => FIRST_WAY_BACK,
                false => back.saturating_mul(FARTHER_BACK),
            };
            stuck = stuck.max(beam.frontier);
            let is_all_wide = beam.wide.is_some_and(|(from, ..)| from == 0);
            if (is_all_wide && beam.frontier <= beam.wide_up_to()) || beam.is_spent() {
                return None;
            }
            beam.widen(stuck.saturating_sub(back), stuck, wide?);
        }
    }
}

/// What a beam has come to.
struct Beam {
    reached: Vec<Reached>,
    nodes: Vec<Node>,
    ids: FxHashMap<Point, u32>,
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
    asked: FxHashMap<(CoverSetId, ColumnId), bool>,
    narrow: Width,
    /// Ranks between which more is kept.
    wide: Option<(u32, u32, Width)>,
    /// The highest rank that was come to.
    frontier: u32,
}

impl Beam {
    fn new(narrow: Width) -> Self {
        Self {
            reached: Vec::new(),
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            queue: BinaryHeap::new(),
            asked: FxHashMap::default(),
            narrow,
            wide: None,
            frontier: 0,
        }
    }

    fn wide_up_to(&self) -> u32 {
        self.wide.map_or(0, |(_, to, _)| to)
    }

    /// Whether going back again and again has cost more than keeping all would have.
    fn is_spent(&self) -> bool {
        let most = MOST_FOR_A_NODE * self.nodes.len();
        self.reached.len() > most.min(MOST_REACHED)
    }

    /// Follows all that is kept, up to the end.
    fn follow(&mut self, look: &mut Look<'_, '_>) -> Option<Vec<Step>> {
        let pattern = look.graph.pattern();
        let open_end = match pattern.segments.as_slice() {
            [.., Segment::Gap(Gap::Any)] if pattern.counts_cells() => {
                Some(pattern.segments.len() as u32 - 1)
            }
            _ => None,
        };
        while let Some(Reverse((rank, _, id))) = self.queue.pop() {
            if self.reached.len() > MOST_REACHED {
                return None;
            }
            self.frontier = self.frontier.max(rank);
            let point = self.nodes[id as usize].point;
            let fresh = std::mem::take(&mut self.nodes[id as usize].fresh);
            if open_end == Some(point.segment)
                && let Some(&at) = fresh.first()
            {
                return Some(self.path(at, None));
            }
            let edges = look.ahead.edges(point).map(|asked| asked.edges);
            let inside = look.ahead.edges_inside(point);
            let edges = edges.into_iter().chain(inside).flatten();
            for edge in edges {
                for &at in &fresh {
                    let column = self.reached[at as usize].column;
                    if edge.label == Label::End {
                        if look.columns.ends(column) {
                            return Some(self.path(at, Some(edge.to)));
                        }
                    } else if let Some(next) = look.step(column, edge.label, edge.to) {
                        self.reach(look, (at, edge.label), edge.to, next);
                    }
                }
            }
        }
        None
    }

    /// Forgets what was kept between two ranks, and follows all that is kept before
    /// again, to keep more.
    fn widen(&mut self, from: u32, to: u32, width: Width) {
        self.wide = Some((from, to, width));
        for (id, node) in (0..).zip(&mut self.nodes) {
            if node.rank >= from {
                node.few = Few::default();
            } else if node.leads_to >= from {
                node.fresh = node.few.places().collect();
            }
            if node.rank < from && !node.fresh.is_empty() {
                self.queue
                    .push(Reverse((node.rank, node.point.order(), id)));
            }
        }
        if from == 0 {
            let start = &mut self.nodes[0];
            start.few.put_first(Columns::START, 0);
            start.fresh = vec![0];
            self.queue
                .push(Reverse((start.rank, start.point.order(), 0)));
        }
    }

    fn width(&self, rank: u32) -> Width {
        match self.wide {
            Some((from, to, width)) if (from..=to).contains(&rank) => width,
            _ => self.narrow,
        }
    }

    /// Brings a column to a node.
    fn reach(
        &mut self,
        look: &mut Look<'_, '_>,
        (before, label): (u32, Label),
        point: Point,
        column: ColumnId,
    ) {
        let node = *self.ids.entry(point).or_insert_with(|| {
            let rank = look.graph.rank(point);
            self.nodes.push(Node {
                point,
                rank,
                leads_to: 0,
                asks: look.ahead.asks(point, rank),
                few: Few::default(),
                fresh: Vec::new(),
            });
            self.nodes.len() as u32 - 1
        });
        let rank = self.nodes[node as usize].rank;
        if let Some(before) = self.reached.get(before as usize) {
            let before = before.node as usize;
            self.nodes[before].leads_to = self.nodes[before].leads_to.max(rank);
        }
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
        let width = self.width(rank);
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
            let place = (rank, point.order(), node);
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
