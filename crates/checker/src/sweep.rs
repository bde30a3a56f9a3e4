//! Edges of the completion graph in text and in gaps of any length.
//!
//! Lexemes from one node are followed together, a front of lexer states that moves
//! over the pattern byte by byte, up to the next gap: there a node stands for each state
//! that a lexeme under way can have, so that lexemes that come to the same state go on
//! together. What they can do inside a gap of any length is kept
//! ([`gap_reach`](crate::gap_reach)).
//!
//! Two things keep gaps small. Behind most lexemes a blank changes nothing, so one
//! node stands for all boundaries of a gap or most
//! ([`Lexer::separator`](lacuna_lexer::Lexer::separator) proves it for a grammar). And a
//! lexeme that could end exactly where a gap ends could as well end inside it, so no
//! boundary stands at the end of a gap.
//!
//! Cost: in text, the bytes of a lexeme; at a gap, the states that the next byte
//! of text leaves alive.

use std::sync::Arc;

use lacuna_lexer::{LexerState, NO_ROW};
use rustc_hash::FxHashMap;

use crate::gap_reach::{Entry, GapReach, Leaving};
use crate::graph::{Addition, CompletionGraph, Edge, Emit, Label, Point, Step};
use crate::{Gap, Segment};

/// Adds all lexemes that may begin at a node to others; the highest rank that was looked at, and
/// a measure of the work, or `None` beyond the budget.
pub(crate) fn edges(
    graph: &mut CompletionGraph<'_>,
    node: Point,
    budget: usize,
    edges: &mut Vec<Edge>,
) -> Option<(u32, usize)> {
    let mut sweep = Sweep::new(node);
    sweep.run(graph, budget)?;
    edges.extend(sweep.found.iter().map(|found| found.edge));
    Some((sweep.reach, sweep.work))
}

/// The lexemes that begin at a node in a gap and end in it.
pub(crate) fn edges_inside(graph: &mut CompletionGraph<'_>, node: Point) -> Vec<Edge> {
    let reach = graph.reaches.from(graph.lexer, node.state, Entry::Boundary);
    let ends = reach.ends.iter();
    let edges = ends.map(|end| Edge {
        label: Label::Lexeme(end.terminal),
        to: Point {
            state: end.to,
            ..node
        },
        cost: tokens(end.cost),
    });
    edges.collect()
}

/// What the cheapest filling for an edge adds to gaps.
pub(crate) fn additions(graph: &mut CompletionGraph<'_>, step: Step) -> Vec<Addition> {
    let Step { from, label, to } = step;
    if let (Some(segment), Label::Lexeme(terminal)) = (graph.gap(from), label)
        && segment == to.segment
    {
        let reach = graph.reaches.from(graph.lexer, from.state, Entry::Boundary);
        let mut ends = reach.ends.iter();
        let end = ends.find(|end| end.terminal == terminal && end.to == to.state);
        return end.map_or_else(Vec::new, |end| {
            let mut reversed = Vec::new();
            reach.spell_end(end, segment, &mut reversed);
            reversed.reverse();
            reversed
        });
    }
    let mut sweep = Sweep::new(from);
    // Edges were found within a budget before; the same walk needs none.
    if sweep.run(graph, usize::MAX).is_none() {
        return Vec::new();
    }
    let mut found = sweep.found.iter();
    let found = found.find(|found| found.edge.label == label && found.edge.to == to);
    found.map_or_else(Vec::new, |found| sweep.spell(found))
}

/// A lexeme under way.
#[derive(Clone, Copy)]
struct Active {
    state: LexerState,
    cost: u32,
    crossing: u32,
}

/// A way across a gap, from one side to the other.
struct Crossing {
    /// The crossing before.
    before: u32,
    segment: u32,
    reach: Arc<GapReach>,
    at: u32,
}

/// How a lexeme came into a gap.
struct Way<'a> {
    before: u32,
    segment: u32,
    reach: &'a Arc<GapReach>,
    cost: u32,
}

struct Found {
    edge: Edge,
    /// The last crossing before its end.
    crossing: u32,
    /// Its end in a gap.
    end: Option<(Arc<GapReach>, u32)>,
}

/// About how many tokens it takes to write so many bytes. Coarse costs keep sets of
/// states alike, and tokens are what gaps will be counted in.
pub(crate) fn tokens(bytes: u32) -> u32 {
    bytes.div_ceil(4)
}

/// States walked over inside a gap that are as much work as a lexeme.
const WALK: usize = 4;

const NO_CROSSING: u32 = u32::MAX;

/// Edges from which on they are found by a table.
const INDEXED_FROM: usize = 16;

struct Sweep {
    node: Point,
    active: Vec<Active>,
    crossings: Vec<Crossing>,
    found: Vec<Found>,
    known: FxHashMap<(Label, Point), u32>,
    reach: u32,
    work: usize,
}

impl Sweep {
    fn new(node: Point) -> Self {
        Self {
            node,
            active: vec![Active {
                state: node.state,
                cost: 0,
                crossing: NO_CROSSING,
            }],
            crossings: Vec::new(),
            found: Vec::new(),
            known: FxHashMap::default(),
            reach: 0,
            work: 1,
        }
    }

    fn run(&mut self, graph: &mut CompletionGraph<'_>, budget: usize) -> Option<()> {
        let mut segment = self.node.segment;
        let mut offset = self.node.offset as usize;
        let pattern = graph.pattern;
        if self.node.within && segment as usize == pattern.segments.len() {
            self.finish(graph, segment, 0);
        }
        while !self.active.is_empty() {
            if self.work > budget {
                return None;
            }
            self.reach = self.reach.max(graph.rank(Point {
                segment,
                offset: 0,
                ..self.node
            }));
            match pattern.segments.get(segment as usize) {
                None => {
                    self.end(graph, segment);
                    return Some(());
                }
                Some(Segment::Text(bytes)) => {
                    self.text(graph, segment, offset, bytes);
                    segment += 1;
                    offset = 0;
                    // The end of a text is a place of its own only at the very end.
                    if segment as usize == pattern.segments.len() {
                        self.finish(graph, segment, 0);
                    }
                }
                Some(Segment::Gap(Gap::Cells(_) | Gap::UpTo(_))) => {
                    self.enter(segment);
                    return Some(());
                }
                Some(Segment::Gap(Gap::Any)) if segment != self.node.segment => {
                    self.enter(segment);
                    return Some(());
                }
                Some(Segment::Gap(Gap::Any)) => {
                    let next = match pattern.segments.get(segment as usize + 1) {
                        Some(Segment::Text(bytes)) => bytes.first().copied(),
                        _ => None,
                    };
                    self.gap(graph, segment, next);
                    segment += 1;
                    offset = usize::from(next.is_some());
                }
            }
        }
        Some(())
    }

    /// Follows lexemes through a text, from `offset` to its end.
    fn text(&mut self, graph: &CompletionGraph<'_>, segment: u32, offset: usize, bytes: &[u8]) {
        let first_rank = graph.rank(Point {
            segment,
            offset: 0,
            ..self.node
        });
        for (offset, &byte) in bytes.iter().enumerate().skip(offset) {
            self.finish(graph, segment, offset as u32);
            self.work += self.active.len();
            self.reach = self.reach.max(first_rank + offset as u32);
            let mut kept = 0;
            for at in 0..self.active.len() {
                let mut active = self.active[at];
                let Some(state) = graph.lexer.next(active.state, byte) else {
                    continue;
                };
                active.state = state;
                match self.active[..kept].iter().position(|a| a.state == state) {
                    Some(known) => {
                        if active.cost < self.active[known].cost {
                            self.active[known] = active;
                        }
                    }
                    None => {
                        self.active[kept] = active;
                        kept += 1;
                    }
                }
            }
            self.active.truncate(kept);
            if kept == 0 {
                return;
            }
        }
    }

    /// What is under way where a gap begins goes on from nodes there.
    fn enter(&mut self, segment: u32) {
        for at in 0..self.active.len() {
            let active = self.active[at];
            let edge = Edge {
                label: Label::Within,
                to: Point {
                    segment,
                    offset: 0,
                    row: NO_ROW,
                    state: active.state,
                    within: true,
                },
                cost: tokens(active.cost),
            };
            self.found(edge, active.crossing, None);
        }
    }

    /// Ends what may end at a place in text or behind all segments.
    fn finish(&mut self, graph: &CompletionGraph<'_>, segment: u32, offset: u32) {
        let mut at = 0;
        while let Some(&active) = self.active.get(at) {
            at += 1;
            for finish in graph.lexer.finishes(active.state) {
                let boundary = Point {
                    segment,
                    offset,
                    row: NO_ROW,
                    state: finish.to,
                    within: false,
                };
                let Some(boundary) = graph.redeem(boundary, &mut self.reach) else {
                    continue;
                };
                match finish.terminal {
                    Some(terminal) => {
                        let edge = Edge {
                            label: Label::Lexeme(terminal),
                            to: boundary,
                            cost: tokens(active.cost),
                        };
                        self.found(edge, active.crossing, None);
                    }
                    None => {
                        let begun = Active {
                            state: boundary.state,
                            ..active
                        };
                        let same = |known: &Active| known.state == begun.state;
                        match self.active.iter().position(same) {
                            Some(known) if self.active[known].cost > begun.cost => {
                                self.active[known] = begun;
                                at = at.min(known);
                            }
                            Some(_) => {}
                            None => self.active.push(begun),
                        }
                    }
                }
            }
        }
    }

    /// Ends what may end in a gap, and follows the rest to behind `next`, the
    /// first byte of the text behind it.
    fn gap(&mut self, graph: &mut CompletionGraph<'_>, segment: u32, next: Option<u8>) {
        // What stands behind the gap is looked at, even if nothing survives that.
        self.reach = self.reach.max(graph.rank(Point {
            segment: segment + 1,
            offset: 0,
            ..self.node
        }));
        let entering = std::mem::take(&mut self.active);
        let walked = graph.reaches.walked;
        let entry = match self.node.within {
            true => Entry::Within,
            false => Entry::Boundary,
        };
        let mut behind: FxHashMap<LexerState, u32> = FxHashMap::default();
        for Active {
            state,
            cost,
            crossing,
        } in entering
        {
            let reach = graph.reaches.from(graph.lexer, state, entry);
            self.work += 1 + reach.ends.len();
            // Lexemes that stay in the gap they begin in are known already.
            let stays = segment == self.node.segment && !self.node.within;
            let ends = reach.ends.iter().take(if stays { 0 } else { usize::MAX });
            for (at, end) in (0..).zip(ends) {
                let to = Point {
                    segment,
                    offset: 0,
                    row: NO_ROW,
                    state: end.to,
                    within: false,
                };
                let edge = Edge {
                    label: Label::Lexeme(end.terminal),
                    to,
                    cost: tokens(cost.saturating_add(end.cost)),
                };
                self.found(edge, crossing, Some((&reach, at)));
            }
            let way = Way {
                before: crossing,
                segment,
                reach: &reach,
                cost,
            };
            match next {
                Some(next) => {
                    let leaving = graph
                        .reaches
                        .leaving(graph.lexer, (state, entry), &reach, next);
                    self.leave(&way, leaving.iter().copied(), &mut behind);
                }
                None => {
                    let leaving = (0..).zip(&reach.states).map(|(at, reached)| Leaving {
                        at,
                        state: reached.state,
                        cost: reached.cost,
                    });
                    self.leave(&way, leaving, &mut behind);
                }
            }
        }
        self.work += graph.reaches.walked.wrapping_sub(walked) / WALK;
    }

    /// Goes on behind a gap.
    fn leave(
        &mut self,
        way: &Way<'_>,
        leaving: impl Iterator<Item = Leaving>,
        behind: &mut FxHashMap<LexerState, u32>,
    ) {
        for Leaving { at, state, cost } in leaving {
            let cost = way.cost.saturating_add(cost);
            let fresh = self.active.len() as u32;
            let place = *behind.entry(state).or_insert(fresh);
            if place != fresh && self.active[place as usize].cost <= cost {
                continue;
            }
            self.crossings.push(Crossing {
                before: way.before,
                segment: way.segment,
                reach: Arc::clone(way.reach),
                at,
            });
            let active = Active {
                state,
                cost,
                crossing: self.crossings.len() as u32 - 1,
            };
            match place == fresh {
                true => self.active.push(active),
                false => self.active[place as usize] = active,
            }
        }
    }

    fn end(&mut self, graph: &CompletionGraph<'_>, segment: u32) {
        let ending = self.active.iter();
        let ending = ending.filter(|active| graph.lexer.is_end(active.state));
        let Some(&cheapest) = ending.min_by_key(|active| active.cost) else {
            return;
        };
        self.reach = self.reach.max(graph.rank(Point {
            segment,
            offset: 0,
            ..self.node
        }));
        let edge = Edge {
            label: Label::End,
            to: self.node,
            cost: tokens(cheapest.cost),
        };
        self.found(edge, cheapest.crossing, None);
    }

    fn found(&mut self, edge: Edge, crossing: u32, end: Option<(&Arc<GapReach>, u32)>) {
        let found = Found {
            edge,
            crossing,
            end: end.map(|(reach, at)| (Arc::clone(reach), at)),
        };
        let known = if self.found.len() < INDEXED_FROM {
            let same = |known: &Found| known.edge.label == edge.label && known.edge.to == edge.to;
            self.found.iter().position(same)
        } else {
            let indexed = self.known.len();
            for (at, found) in (indexed as u32..).zip(&self.found[indexed..]) {
                self.known.insert((found.edge.label, found.edge.to), at);
            }
            let known = self.known.get(&(edge.label, edge.to));
            known.map(|&at| at as usize)
        };
        match known {
            Some(at) if self.found[at].edge.cost > edge.cost => self.found[at] = found,
            Some(_) => {}
            None => {
                self.work += 1;
                self.found.push(found);
            }
        }
    }

    fn spell(&self, found: &Found) -> Vec<Addition> {
        let mut reversed = Vec::new();
        if let Some((reach, at)) = &found.end {
            let end = &reach.ends[*at as usize];
            reach.spell_end(end, found.edge.to.segment, &mut reversed);
        }
        let mut crossing = found.crossing;
        while let Some(Crossing {
            before,
            segment,
            reach,
            at,
        }) = self.crossings.get(crossing as usize)
        {
            let emit = Emit::Leave(reach.states[*at as usize].state);
            reversed.push(Addition {
                segment: *segment,
                emit,
            });
            reach.spell(*at, *segment, &mut reversed);
            crossing = *before;
        }
        reversed.reverse();
        reversed
    }
}
