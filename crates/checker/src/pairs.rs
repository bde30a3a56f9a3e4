//! A look ahead that remembers the innermost levels of a parse.
//!
//! The regular cover forgets where productions began, so it lets a bracket close that
//! nobody opened. Here nodes of the completion graph are paired with columns of which
//! the innermost levels are kept ([`Columns::cut`]). All such pairs are found forwards,
//! each with some of the whole columns that it stands for; and backwards, those
//! from which the end can be reached. What no pair can do, the grammar cannot. What a
//! whole column does is certain: a path along which each step of the whole columns is
//! known leads to a text of the grammar.
//!
//! Cost: look-ups for each pair and edge, twice.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lacuna_lexer::NO_ROW;
use rustc_hash::FxHashMap;

use crate::beam::{Few, Width};
use crate::cfg::Cfg;
use crate::columns::{ColumnId, Columns};
use crate::cover::{Cover, CoverSetId};
use crate::graph::{CompletionGraph, Edge, Label, Point, Step};
use crate::guide::{Goal, Guide};
use crate::lookahead::Lookahead;
use crate::sets::StateSets;
use crate::{Gap, Segment};

/// What is kept of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Levels {
    /// Nothing: the cover alone tells what can follow.
    None,
    /// The innermost levels.
    Inner(u32),
    /// The whole column.
    All,
}

impl Levels {
    /// Whole columns to follow for each pair: more where pairs tell less.
    fn wholes(self) -> Width {
        let (all, alike) = match self {
            Self::None => (12, 2),
            Self::Inner(_) => (3, 1),
            Self::All => (1, 1),
        };
        Width {
            all,
            alike,
            by_inner: false,
        }
    }
}

/// Whether a column has a state from which what is asked can be read.
pub(crate) fn can_do(
    sets: &StateSets,
    columns: &Columns,
    cover: &Cover,
    column: ColumnId,
    asks: CoverSetId,
) -> bool {
    let entries = columns.entries(column);
    let known = entries.iter().map(|&(_, set)| set);
    let mut known = known.chain([columns.begun(column)]);
    known.any(|set| {
        let members = sets.members(set);
        let mut outlines = members.iter().map(|&(state, _)| sets.outline(state));
        outlines.any(|state| cover.holds(asks, state))
    })
}

/// Index of a pair; 0 is the start.
pub(crate) type PairId = u32;

/// A node with a column.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub point: Point,
    /// Its innermost levels.
    pub column: ColumnId,
    /// Whole columns that some filling leads to, a few of them.
    pub wholes: Few<()>,
    /// The edges that the column can follow, in the order of the graph's.
    pub edges: Vec<(Label, PairId)>,
    /// Whether the text may end here.
    ends: bool,
    /// Whether a way leads to the end, as far as the columns tell.
    pub is_open: bool,
}

/// Whether whole columns at nodes lead to the end, where that is known.
pub(crate) type Certain = FxHashMap<(Point, ColumnId), bool>;

/// The pairs of a pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    pub pairs: Vec<Pair>,
    pub certain: Certain,
}

/// All that looking works with.
pub(crate) struct Look<'a, 'g> {
    pub cfg: &'a Cfg,
    pub sets: &'a mut StateSets,
    pub columns: &'a mut Columns,
    pub ahead: &'a Lookahead,
    pub cover: &'a Cover,
    pub guide: Option<&'a mut Guide>,
    pub graph: &'a mut CompletionGraph<'g>,
}

impl Look<'_, '_> {
    /// The column behind an edge.
    pub(crate) fn step(&mut self, column: ColumnId, label: Label, to: Point) -> Option<ColumnId> {
        match label {
            Label::End => None,
            Label::Lexeme(terminal) => self.columns.step(self.cfg, self.sets, column, terminal),
            Label::Within => {
                let hopes = self.columns.hopes(self.cfg, self.sets, column, to.state);
                hopes.then_some(column)
            }
        }
    }

    /// How far a whole column is from the end, about.
    pub(crate) fn distance(&mut self, column: ColumnId) -> u32 {
        match &mut self.guide {
            Some(guide) => guide.distance(self.cfg, self.sets, self.columns, column, Goal::End),
            None => self.columns.depth(column),
        }
    }

    /// Whether the rest of the pattern can be read at a column, as far as the cover
    /// tells.
    pub(crate) fn is_asked_for(&self, column: ColumnId, point: Point) -> bool {
        let asks = self.ahead.asks(point, self.graph.rank(point));
        asks.is_none_or(|asks| self.can_do(column, asks))
    }

    /// Whether a column can do some of what is asked.
    pub(crate) fn can_do(&self, column: ColumnId, asks: CoverSetId) -> bool {
        can_do(self.sets, self.columns, self.cover, column, asks)
    }

    /// All pairs, with what is kept of their columns; `None` if there are more than
    /// `most`.
    pub(crate) fn pairs(&mut self, levels: Levels, most: usize, certain: Certain) -> Option<Pairs> {
        let segments = &self.graph.pattern().segments;
        let open_end = match segments.as_slice() {
            [.., Segment::Gap(Gap::Any)] => Some(segments.len() as u32 - 1),
            _ => None,
        };
        let mut found = Forward::default();
        let start = self.graph.start();
        found.pair(self, start, Columns::START);
        let width = levels.wholes();
        found.pairs[0].wholes.add(Columns::START, (0, 0), width, ());
        let mut asked: FxHashMap<(Point, ColumnId), bool> = FxHashMap::default();
        while let Some(Reverse((.., id))) = found.queue.pop() {
            let pair = &mut found.pairs[id as usize];
            let (point, column) = (pair.point, pair.column);
            let wholes = std::mem::take(&mut pair.wholes);
            let from = match open_end == Some(point.segment) {
                true => None,
                false => self.ahead.edges(point),
            };
            let Some(from) = from else {
                let pair = &mut found.pairs[id as usize];
                pair.ends = open_end == Some(point.segment);
                pair.wholes = wholes;
                continue;
            };
            let mut edges = Vec::with_capacity(from.edges.len());
            for &Edge { label, to, .. } in from.edges.iter() {
                if label == Label::End {
                    let ends = levels == Levels::None || self.columns.ends(column);
                    found.pairs[id as usize].ends = ends;
                    continue;
                }
                let next = match levels {
                    Levels::None => Some(column),
                    Levels::All => self.step(column, label, to),
                    Levels::Inner(levels) => {
                        let next = self.step(column, label, to);
                        next.map(|next| self.columns.cut(self.sets, next, levels))
                    }
                };
                let Some(next) = next else {
                    continue;
                };
                let is_asked = *asked
                    .entry((to, next))
                    .or_insert_with(|| levels == Levels::None || self.is_asked_for(next, to));
                if !is_asked {
                    continue;
                }
                let next = found.pair(self, to, next);
                edges.push((label, next));
                for whole in wholes.columns() {
                    if let Some(whole) = self.step(whole, label, to) {
                        let distance = self.distance(whole);
                        let known = &mut found.pairs[next as usize].wholes;
                        known.add(whole, (distance, 0), width, ());
                    }
                }
            }
            found.pairs[id as usize].wholes = wholes;
            found.pairs[id as usize].edges = edges;
            if found.pairs.len() > most {
                return None;
            }
        }
        Some(found.backwards(certain))
    }

    /// Whether a whole column at a pair leads to the end: certainly, or certainly not,
    /// or `None` if `steps` are not enough to find out.
    pub(crate) fn leads_on(
        &mut self,
        pairs: &mut Pairs,
        pair: PairId,
        whole: ColumnId,
        steps: &mut usize,
    ) -> Option<bool> {
        // Depth first; frames hold the pair, its column, the next edge, and whether all
        // before it were dead ends for certain.
        let mut stack: Vec<(PairId, ColumnId, usize, bool)> = vec![(pair, whole, 0, true)];
        let mut answer: Option<bool> = None;
        let mut is_known = false;
        while let Some((id, column, at, sure)) = stack.pop() {
            let here = &pairs.pairs[id as usize];
            let key = (here.point, column);
            if is_known {
                // An answer comes back from the edge before `at`.
                is_known = false;
                match answer {
                    Some(true) => {
                        pairs.certain.insert(key, true);
                        is_known = true;
                        continue;
                    }
                    Some(false) => stack.push((id, column, at, sure)),
                    None => stack.push((id, column, at, false)),
                }
                continue;
            }
            if at == 0 {
                if let Some(&known) = pairs.certain.get(&key) {
                    (answer, is_known) = (Some(known), true);
                    continue;
                }
                if !here.is_open {
                    pairs.certain.insert(key, false);
                    (answer, is_known) = (Some(false), true);
                    continue;
                }
                if here.ends && self.columns.ends(column) {
                    pairs.certain.insert(key, true);
                    (answer, is_known) = (Some(true), true);
                    continue;
                }
                if self.meets_certainty(pairs, id, column) {
                    pairs.certain.insert(key, true);
                    (answer, is_known) = (Some(true), true);
                    continue;
                }
                if *steps == 0 {
                    (answer, is_known) = (None, true);
                    continue;
                }
                *steps -= 1;
            }
            match here.edges.get(at) {
                None => {
                    if sure {
                        pairs.certain.insert(key, false);
                    }
                    (answer, is_known) = (sure.then_some(false), true);
                }
                Some(&(label, to)) => {
                    let point = pairs.pairs[to as usize].point;
                    stack.push((id, column, at + 1, sure));
                    if pairs.pairs[to as usize].is_open
                        && let Some(next) = self.step(column, label, point)
                    {
                        stack.push((to, next, 0, true));
                    }
                }
            }
        }
        answer
    }

    /// Takes note of a path to the end, which makes all on it certain.
    pub(crate) fn note(&mut self, pairs: &mut Pairs, path: &[Step]) {
        let (mut at, mut whole) = (0, Columns::START);
        let mut certain = vec![(at, whole)];
        for &Step { label, to, .. } in path {
            let next = pairs.follow(at, label, to);
            let Some((next, column)) = next.zip(self.step(whole, label, to)) else {
                break;
            };
            (at, whole) = (next, column);
            certain.push((at, whole));
        }
        for (id, whole) in certain {
            let pair = &mut pairs.pairs[id as usize];
            pair.wholes.put_first(whole, ());
            pairs.certain.insert((pair.point, whole), true);
        }
    }

    /// Settles, from the end to the start, which pairs' whole columns certainly lead to
    /// the end.
    pub(crate) fn settle_wholes(&mut self, pairs: &mut Pairs) {
        let mut order: Vec<PairId> = (0..pairs.pairs.len() as PairId).collect();
        order.sort_unstable_by_key(|&id| {
            let point = pairs.pairs[id as usize].point;
            Reverse((self.graph.rank(point), point.order()))
        });
        for id in order {
            if !pairs.pairs[id as usize].is_open {
                continue;
            }
            let wholes: Vec<ColumnId> = pairs.pairs[id as usize].wholes.columns().collect();
            for whole in wholes {
                let pair = &pairs.pairs[id as usize];
                let key = (pair.point, whole);
                let ends = pair.ends && self.columns.ends(whole);
                if ends || self.meets_certainty(pairs, id, whole) {
                    pairs.certain.insert(key, true);
                }
            }
        }
    }

    /// Whether an edge leads to where it is certain that the end can be reached.
    fn meets_certainty(&mut self, pairs: &Pairs, pair: PairId, whole: ColumnId) -> bool {
        let mut edges = pairs.pairs[pair as usize].edges.iter();
        edges.any(|&(label, to)| {
            let to = &pairs.pairs[to as usize];
            let next = self.step(whole, label, to.point).filter(|_| to.is_open);
            next.is_some_and(|next| pairs.certain.get(&(to.point, next)) == Some(&true))
        })
    }
}

impl Pairs {
    /// The pair that an edge leads to.
    pub(crate) fn follow(&self, from: PairId, label: Label, to: Point) -> Option<PairId> {
        let edges = &self.pairs[from as usize].edges;
        let place = |&(known, id): &(Label, PairId)| (known, self.pairs[id as usize].point);
        let at = edges.binary_search_by_key(&(label, to), place).ok()?;
        Some(edges[at].1)
    }

    /// The open pairs at the beginning of cells, by their places.
    pub(crate) fn entries(&self) -> FxHashMap<(u32, u32), Vec<PairId>> {
        let mut entries: FxHashMap<(u32, u32), Vec<PairId>> = FxHashMap::default();
        for (id, pair) in (0..).zip(&self.pairs) {
            let Point {
                segment,
                offset,
                row,
                ..
            } = pair.point;
            if row == NO_ROW && pair.is_open {
                entries.entry((segment, offset)).or_default().push(id);
            }
        }
        entries
    }
}

/// Pairs as they are found.
#[derive(Default)]
struct Forward {
    pairs: Vec<Pair>,
    ids: FxHashMap<(Point, ColumnId), PairId>,
    queue: BinaryHeap<Reverse<(u32, u32, PairId)>>,
}

impl Forward {
    fn pair(&mut self, look: &Look<'_, '_>, point: Point, column: ColumnId) -> PairId {
        let fresh = self.pairs.len() as PairId;
        let id = *self.ids.entry((point, column)).or_insert(fresh);
        if id == fresh {
            self.pairs.push(Pair {
                point,
                column,
                wholes: Few::default(),
                edges: Vec::new(),
                ends: false,
                is_open: false,
            });
            let place = (look.graph.rank(point), point.order(), id);
            self.queue.push(Reverse(place));
        }
        id
    }

    /// Finds the pairs from which the end can be reached.
    fn backwards(mut self, certain: Certain) -> Pairs {
        let mut before: Vec<Vec<PairId>> = vec![Vec::new(); self.pairs.len()];
        for (id, pair) in (0..).zip(&self.pairs) {
            for &(_, to) in &pair.edges {
                before[to as usize].push(id);
            }
        }
        let ends = (0..).zip(&self.pairs).filter(|(_, pair)| pair.ends);
        let mut work: Vec<PairId> = ends.map(|(id, _)| id).collect();
        while let Some(id) = work.pop() {
            if !std::mem::replace(&mut self.pairs[id as usize].is_open, true) {
                work.extend(&before[id as usize]);
            }
        }
        Pairs {
            pairs: self.pairs,
            certain,
        }
    }
}
