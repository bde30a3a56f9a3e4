//! What the rest of a pattern asks of a parse, place by place.
//!
//! The cover ([`Cover`]) is run over the completion graph before a parse: forwards,
//! which finds the nodes that matter and refuses most patterns that cannot be
//! completed; then backwards, which finds for each node the states from which the rest can
//! be read, and leaves of its edges those that lead there. What is left
//! is much smaller than the graph, and much of it is the same: nodes of one place
//! that agree in all that can follow become one, which stands for them. A parse that
//! keeps to it follows what the text behind a gap allows, not all that the gap does.
//! Up to the first gap nothing is asked, so what was parsed of a text before does
//! not depend on what follows.
//!
//! Where a reading is enough and characters are counted, nodes that differ in nothing but their
//! number stand for one another ([`StandingIn::ForMore`]): they come in that order, and to each is
//! left what the cover did not come to behind fewer. To the cover a node is no more than its
//! states, so whatever it reads it reads without the others; a parse, which knows returns, may have
//! needed one of these, so its *no* does not count then.
//!
//! Cost: for each edge a look-up, and a few times the words of a set of the cover's states; for
//! each node and terminal that it reads what a step of the [cover](crate::cover) takes, forwards
//! once for each set that nodes have.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::{Lexer, LexerState, key};
use rustc_hash::FxHashMap;

use crate::at_place::AtPlace;
use crate::cover::{Cover, CoverSetId, NO_STATES};
use crate::graph::{BOUNDARY, CompletionGraph, Edge, Label, Point, Step, each_once};
use crate::landings::Landings;
use crate::node_sets::{NodeSets, add, add_shared, meet};
use crate::{Pattern, Segment};

/// What is asked at the nodes of one pattern's graph.
#[derive(Clone, Debug, Default)]
pub struct Lookahead {
    ids: FxHashMap<Point, u32>,
    at_place: AtPlace,
    landings: Landings,
    nodes: Vec<Seen>,
    /// The edges of all nodes as the graph has them, those that stay in a gap of any length
    /// behind the others, and the nodes that they lead to, as the cover came to them.
    edges: Vec<Edge>,
    to: Vec<u32>,
    /// Those of the edges that the rest allows, and the nodes that they lead to, if to any.
    kept: Vec<Edge>,
    kept_to: Vec<NodeId>,
    /// The rank of the first gap.
    from: u32,
    standing_in: StandingIn,
    /// For each node, the states that the cover comes to it in, and those of them from which the
    /// rest can be read, with what stands for these; empty when all is done.
    forward: NodeSets,
    backward: NodeSets,
    asked: Vec<u64>,
    wanted: Vec<u64>,
    keeping: Vec<(Edge, NodeId)>,
    /// Nodes and edges looked at.
    work: usize,
}

/// A node of the graph that the cover can come to.
#[derive(Clone, Debug)]
struct Seen {
    point: Point,
    rank: u32,
    /// Where its edges begin among all, where those that stay in its gap do, and where they end.
    first: u32,
    inside: u32,
    end: u32,
    /// Where those of its edges that the rest allows are, between nodes that stand for themselves;
    /// none is known before it was looked at from behind.
    kept: (u32, u32),
    /// The highest rank that was looked at to find its edges; `NOWHERE` before these are.
    reach: u32,
    /// The states that the cover comes to it in.
    set: CoverSetId,
    /// The states from which the rest can be read; none are known before the first gap.
    asks: CoverSetId,
    /// The node that stands for it.
    stands_for_it: u32,
    queued: bool,
}

impl Seen {
    /// When a node's turn is.
    fn turn(&self, id: u32, standing_in: StandingIn, lexer: &Lexer) -> u128 {
        let told = match standing_in {
            StandingIn::ForMore if SHORTCUTS => fewer_will_do(lexer, self.point),
            _ => None,
        };
        let order = self.point.order();
        let order = told.map_or(order, |(_, count)| count);
        key([0, self.rank, order, id])
    }

    fn outside(&self) -> Range<usize> {
        self.first as usize..self.inside as usize
    }

    fn inside(&self) -> Range<usize> {
        self.inside as usize..self.end as usize
    }

    fn all(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }

    fn kept(&self) -> Range<usize> {
        self.kept.0 as usize..self.kept.1 as usize
    }
}

/// Index of a node.
pub(crate) type NodeId = u32;

/// Words of all nodes' sets, an eighth of a gigabyte.
const MAX_WORDS: usize = 16 << 20;

/// In place of a node that the cover did not come to.
const NOWHERE: u32 = u32::MAX;

/// Nodes by rank and order, fewer characters first if these are counted, as keys.
type Queue = BinaryHeap<Reverse<u128>>;

#[cfg(feature = "shortcuts")]
/// For each core of one rank, the states that the cover comes to it in behind the fewest characters.
#[derive(Default)]
struct Fewest {
    rank: u32,
    rows: FxHashMap<Point, Vec<u64>>,
}

/// Where nodes may stand for others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StandingIn {
    /// Wherever what follows is the same.
    #[default]
    Everywhere,
    /// Before a text, whose nodes tell their [states](Lookahead::standing_in): then it remains
    /// known which tokens can be read from each node.
    BeforeText,
    /// Nowhere.
    Nowhere,
    /// Everywhere, and where characters are counted such that fewer can go on as more can, those
    /// of fewest for others: what is left has a reading if any has, as far as the cover tells, but
    /// not all readings.
    ForMore,
}

/// A rank, where anybody asks.
#[cfg(feature = "shortcuts")]
pub type Reach = u32;
/// Where nobody does.
#[cfg(not(feature = "shortcuts"))]
pub type Reach = ();

/// What a look ahead found.
pub enum Outlook {
    /// The cover can read the pattern.
    Open(Box<Lookahead>),
    /// It cannot, so the grammar cannot either.
    Closed {
        /// The highest rank that was looked at: no text is read to behind it, whatever stands there.
        reach: Reach,
    },
    /// That was more work than the budget allows.
    Exhausted,
}

/// The edges that a parse takes from a node.
pub struct Asked<'a> {
    /// The edges.
    pub edges: &'a [Edge],
    /// The highest rank that was looked at to find them.
    pub reach: u32,
}

impl Lookahead {
    /// Looks ahead over a graph, within a budget of points and edges.
    pub fn look(
        cover: &mut Cover,
        graph: &mut CompletionGraph<'_>,
        standing_in: StandingIn,
        budget: usize,
    ) -> Outlook {
        let mut lookahead = Self {
            from: first_gap(graph),
            standing_in,
            forward: NodeSets::of(cover.words(), 0),
            ..Self::default()
        };
        if lookahead.run_forwards(cover, graph, budget).is_none() {
            return Outlook::Exhausted;
        }
        lookahead.run_backwards(cover, graph);
        lookahead.at_place = AtPlace::default();
        let start = lookahead.ids.get(&graph.start());
        let sets = (
            std::mem::take(&mut lookahead.forward),
            std::mem::take(&mut lookahead.backward),
        );
        lookahead.to = Vec::new();
        match start.is_some_and(|&start| meet(sets.0.row(start), sets.1.row(start))) {
            true => Outlook::Open(Box::new(lookahead)),
            false => Outlook::Closed {
                reach: lookahead.reach_of_all(),
            },
        }
    }

    /// The states from which the rest can be read at a node; `None` if nothing is
    /// asked there.
    pub fn asks(&self, node: Point, rank: u32) -> Option<CoverSetId> {
        if rank < self.from {
            return None;
        }
        let seen = self.ids.get(&node);
        Some(seen.map_or(NO_STATES, |&id| self.nodes[id as usize].asks))
    }

    /// The edges of a node that was looked at.
    pub fn edges(&self, node: Point) -> Option<Asked<'_>> {
        let seen = &self.nodes[*self.ids.get(&node)? as usize];
        Some(Asked {
            edges: &self.kept[seen.kept()],
            reach: seen.reach,
        })
    }

    /// The number of a node that was looked at.
    pub(crate) fn id(&self, node: Point) -> Option<NodeId> {
        self.ids.get(&node).copied()
    }

    /// How many nodes were looked at.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// A node by its number, the order of its place, and the states that are asked for there.
    pub(crate) fn node(&self, id: NodeId) -> (Point, u32, Option<CoverSetId>) {
        let Seen {
            point, rank, asks, ..
        } = self.nodes[id as usize];
        (point, rank, (rank >= self.from).then_some(asks))
    }

    /// The edges of a node, and the nodes that they lead to.
    pub(crate) fn kept(&self, id: NodeId) -> impl Iterator<Item = (&Edge, NodeId)> {
        self.kept_of(&self.nodes[id as usize])
    }

    fn kept_of(&self, node: &Seen) -> impl Iterator<Item = (&Edge, NodeId)> {
        let kept = node.kept();
        let to = self.kept_to[kept.clone()].iter();
        self.kept[kept].iter().zip(to.copied())
    }

    /// The edges of a node that stay in its gap of any length.
    pub(crate) fn edges_inside(&self, node: Point) -> Option<&[Edge]> {
        let seen = &self.nodes[*self.ids.get(&node)? as usize];
        Some(&self.edges[seen.inside()])
    }

    /// A path of the graph for one between nodes that stand for others.
    pub fn path(&self, graph: &mut CompletionGraph<'_>, path: &[Step]) -> Option<Vec<Step>> {
        let mut from = graph.start();
        let steps = path.iter().map(|step| {
            let edges = graph.edges(from, usize::MAX)?;
            let inside = match graph.gap(from) {
                Some(_) => graph.edges_inside(from),
                None => Vec::new(),
            };
            let edges = edges.edges.iter().chain(&inside);
            let mut edges = edges.filter(|edge| edge.label == step.label);
            let to = match step.label {
                Label::End => edges.next()?.to,
                _ => edges.find(|edge| self.stands_for(edge.to) == step.to)?.to,
            };
            let label = step.label;
            let step = Step { from, label, to };
            from = to;
            Some(step)
        });
        steps.collect()
    }

    /// The lowest rank, below a limit, at which two look-aheads ask for different
    /// things.
    pub fn differs(&self, other: &Self, limit: u32) -> u32 {
        let ours = self.differences(other);
        let theirs = other.differences(self);
        let from = self.from.min(other.from);
        ours.chain(theirs)
            .filter(|&rank| rank >= from)
            .min()
            .map_or(limit, |rank| rank.min(limit))
    }

    /// Nodes and edges that were looked at, a measure of the work.
    #[cfg(all(test, feature = "shortcuts"))]
    pub fn work(&self) -> usize {
        self.work
    }

    fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = u32> + 'a {
        let differing = self.nodes.iter().filter(|seen| {
            let theirs = other.ids.get(&seen.point);
            theirs.is_none_or(|&id| {
                let theirs = &other.nodes[id as usize];
                theirs.asks != seen.asks
                    || other.kept[theirs.kept()] != self.kept[seen.kept()]
                    || other.stands_for(seen.point) != self.stands_for(seen.point)
            })
        });
        differing.map(|seen| seen.rank)
    }

    /// The node that stands for another: itself, as a rule.
    pub(crate) fn stands_for(&self, point: Point) -> Point {
        let point = match SHORTCUTS {
            true => self.landings.stand_in(point),
            false => point,
        };
        self.ids.get(&point).map_or(point, |&id| {
            self.nodes[self.nodes[id as usize].stands_for_it as usize].point
        })
    }

    /// The states of the lexemes under way that a node before a text stands for, itself
    /// included; none where no edge was added to it.
    pub(crate) fn standing_in(&self, point: Point) -> &[LexerState] {
        match SHORTCUTS {
            true => self.landings.members(point),
            false => &[],
        }
    }

    #[cfg(not(feature = "shortcuts"))]
    fn reach_of_all(&self) -> Reach {}

    /// The highest rank that was looked at.
    #[cfg(feature = "shortcuts")]
    fn reach_of_all(&self) -> Reach {
        let reaches = self.nodes.iter().map(|node| match node.reach {
            NOWHERE => node.rank,
            reach => reach.max(node.rank),
        });
        reaches.max().unwrap_or(u32::MAX)
    }

    fn run_forwards(
        &mut self,
        cover: &mut Cover,
        graph: &mut CompletionGraph<'_>,
        budget: usize,
    ) -> Option<()> {
        let mut queue = Queue::new();
        self.begin(cover, graph, &mut queue)?;
        let mut here = Vec::new();
        #[cfg(feature = "shortcuts")]
        let mut fewest = Fewest::default();
        #[cfg(feature = "shortcuts")]
        let mut can_end = false;
        let most = cover.size() + 2 * MAX_WORDS;
        loop {
            let Some(Reverse(turn)) = queue.pop() else {
                #[cfg(feature = "shortcuts")]
                if !can_end && self.widen(graph, &mut queue) {
                    if self.nodes.is_empty() {
                        self.begin(cover, graph, &mut queue)?;
                    }
                    fewest.rows.clear();
                    continue;
                }
                return Some(());
            };
            let id = turn as u32;
            let node = &mut self.nodes[id as usize];
            node.queued = false;
            let (point, is_new) = (node.point, node.reach == NOWHERE);
            #[cfg(feature = "shortcuts")]
            if self.standing_in == StandingIn::ForMore && !self.is_needed(graph, id, &mut fewest) {
                continue;
            }
            if is_new {
                self.expand(graph, id, point, budget)?;
            }
            let edges = self.nodes[id as usize].all();
            self.work += edges.len() + 1;
            if self.work > budget || cover.size() > most {
                return None;
            }
            let set = cover.id(self.forward.row(id));
            self.nodes[id as usize].set = set;
            here.clear();
            here.extend_from_slice(cover.states(set));
            for at in edges {
                let Edge { label, to, .. } = self.edges[at];
                let (id, is_grown) = match label {
                    Label::End => {
                        #[cfg(feature = "shortcuts")]
                        {
                            can_end |= meet(&here, cover.end());
                        }
                        continue;
                    }
                    Label::Within => {
                        let hopes = cover.hopes(graph.lexer, to.state);
                        if !meet(&here, hopes) {
                            continue;
                        }
                        let id = self.reach(graph, to)?;
                        (id, add_shared(self.forward.row_mut(id), &here, hopes))
                    }
                    Label::Lexeme(terminal) => {
                        let behind = cover.forward(set, terminal);
                        if behind == NO_STATES {
                            continue;
                        }
                        let id = self.reach(graph, to)?;
                        (id, add(self.forward.row_mut(id), cover.states(behind)))
                    }
                };
                self.to[at] = id;
                if is_grown {
                    let node = &mut self.nodes[id as usize];
                    if !std::mem::replace(&mut node.queued, true) {
                        queue.push(Reverse(node.turn(id, self.standing_in, graph.lexer)));
                    }
                }
            }
        }
    }

    fn begin(
        &mut self,
        cover: &Cover,
        graph: &CompletionGraph<'_>,
        queue: &mut Queue,
    ) -> Option<()> {
        let start = self.reach(graph, graph.start())?;
        cover.start(self.forward.row_mut(start));
        queue.push(Reverse(key([0, 0, 0, start])));
        Some(())
    }

    #[cfg(feature = "shortcuts")]
    /// Leaves to a node those states that the cover does not come to behind fewer characters; whether
    /// there are any.
    fn is_needed(&mut self, graph: &CompletionGraph<'_>, id: u32, fewest: &mut Fewest) -> bool {
        let Seen { point, rank, .. } = self.nodes[id as usize];
        let told = fewer_will_do(graph.lexer, point).filter(|_| graph.gap(point).is_none());
        let Some((core, _)) = told else {
            return true;
        };
        if std::mem::replace(&mut fewest.rank, rank) != rank {
            fewest.rows.clear();
        }
        let alike = Point {
            state: core,
            ..point
        };
        let here = self.forward.row_mut(id);
        let known = fewest.rows.entry(alike);
        let known = known.or_insert_with(|| vec![0; here.len()]);
        let mut is_needed = false;
        for (here, known) in here.iter_mut().zip(known) {
            *here &= !*known;
            *known |= *here;
            is_needed |= *here != 0;
        }
        is_needed
    }

    /// Lets more tokens stand in a gap near the farthest boundary that was come to, or where any
    /// may, near the farthest place inside a lexeme, and goes back to before it; whether there is
    /// such a gap.
    #[cfg(feature = "shortcuts")]
    fn widen(&mut self, graph: &mut CompletionGraph<'_>, queue: &mut Queue) -> bool {
        let end = graph.pattern().segments.len() as u32;
        let inside = self.nodes.iter().filter(|node| node.point.segment < end);
        let boundaries = inside.clone().filter(|node| !node.point.within);
        let place = |node: &Seen| (node.rank, node.point.segment);
        let (Some((_, mut farthest)), Some((_, under_way))) =
            (boundaries.map(place).max(), inside.map(place).max())
        else {
            return false;
        };
        // A text that a lexeme reads to its end wants something behind it.
        let is_text = matches!(
            graph.pattern().segments[farthest as usize],
            Segment::Text(_)
        );
        if is_text && farthest < under_way {
            farthest += 1;
        }
        let mut near = [farthest, under_way].into_iter();
        let widened = near.find_map(|segment| graph.widen_near(segment));
        if let Some(gap) = widened {
            self.forget_from(graph, gap, queue);
        }
        widened.is_some()
    }

    /// Forgets the nodes of a segment and of those behind it. What led there is to be followed
    /// again.
    #[cfg(feature = "shortcuts")]
    fn forget_from(&mut self, graph: &CompletionGraph<'_>, segment: u32, queue: &mut Queue) {
        let mut names = Vec::with_capacity(self.nodes.len());
        let mut kept = 0;
        for node in &self.nodes {
            let is_kept = node.point.segment < segment;
            names.push(if is_kept { kept } else { NOWHERE });
            kept += u32::from(is_kept);
        }
        self.ids.retain(|_, id| {
            *id = names[*id as usize];
            *id != NOWHERE
        });
        self.at_place = AtPlace::default();
        self.forward.keep(&names);
        let mut names_left = names.iter();
        self.nodes.retain(|_| names_left.next() != Some(&NOWHERE));
        for (id, node) in (0..).zip(&mut self.nodes) {
            node.stands_for_it = id;
            let mut led_there = false;
            for to in &mut self.to[node.all()] {
                if let Some(&name) = names.get(*to as usize) {
                    led_there |= name == NOWHERE;
                    *to = name;
                }
            }
            if led_there {
                node.queued = true;
                queue.push(Reverse(node.turn(id, self.standing_in, graph.lexer)));
            }
        }
    }

    /// The node of a point; its edges are found when its turn comes, if it is needed then.
    fn reach(&mut self, graph: &CompletionGraph<'_>, point: Point) -> Option<u32> {
        if SHORTCUTS && let Some(id) = self.at_place.get(point) {
            return Some(id);
        }
        let fresh = self.nodes.len() as u32;
        let id = *self.ids.entry(point).or_insert(fresh);
        if SHORTCUTS {
            self.at_place.put(point, id);
        }
        if id != fresh {
            return Some(id);
        }
        self.nodes.push(Seen {
            point,
            rank: graph.rank(point),
            first: 0,
            inside: 0,
            end: 0,
            kept: (0, 0),
            reach: NOWHERE,
            set: NO_STATES,
            asks: NO_STATES,
            stands_for_it: id,
            queued: false,
        });
        self.forward.add_row();
        (self.forward.words() <= MAX_WORDS).then_some(id)
    }

    /// Finds the edges of a node.
    fn expand(
        &mut self,
        graph: &mut CompletionGraph<'_>,
        id: u32,
        point: Point,
        budget: usize,
    ) -> Option<()> {
        let first = self.edges.len();
        let (mut reach, work) = graph.add_edges(point, budget, &mut self.edges)?;
        self.work += work;
        if SHORTCUTS && self.standing_in != StandingIn::Nowhere {
            self.landings
                .lead(graph, &mut self.edges, first, &mut reach);
        }
        let first = first as u32;
        let inside = self.edges.len() as u32;
        if graph.gap(point).is_some() {
            self.edges.extend(graph.edges_inside(point));
        }
        self.to.resize(self.edges.len(), NOWHERE);
        let node = &mut self.nodes[id as usize];
        (node.first, node.inside, node.end) = (first, inside, self.edges.len() as u32);
        node.reach = reach;
        Some(())
    }

    fn run_backwards(&mut self, cover: &mut Cover, graph: &CompletionGraph<'_>) {
        let nodes = (0..).zip(&self.nodes);
        let mut order: Vec<u128> = nodes
            .map(|(id, node)| key([0, node.rank, node.point.order(), id]))
            .collect();
        order.sort_unstable();
        order.reverse();
        self.backward = NodeSets::of(cover.words(), self.nodes.len());
        let mut alike: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
        let mut told = Vec::new();
        let mut alike_at = u32::MAX;
        for place in order.chunk_by(|a, b| a >> 32 == b >> 32) {
            let rank = (place[0] >> 64) as u32;
            if std::mem::replace(&mut alike_at, rank) != rank {
                alike.clear();
            }
            // Only inside a gap of any length do edges lead to the same place.
            let ids = place.iter().map(|&key| key as u32);
            let mut grown = ids.clone().any(|id| {
                let node = &self.nodes[id as usize];
                node.inside < node.end
            });
            while std::mem::replace(&mut grown, false) {
                for id in ids.clone() {
                    grown |= self.ask(cover, id, self.nodes[id as usize].all());
                }
            }
            for id in ids {
                self.ask(cover, id, self.nodes[id as usize].outside());
                self.keep(id);
                let node = &self.nodes[id as usize];
                let is_apart = !matches!(
                    self.standing_in,
                    StandingIn::Everywhere | StandingIn::ForMore
                ) || rank < self.from
                    || graph.gap(node.point).is_some();
                if is_apart {
                    continue;
                }
                self.tell(node, &mut told);
                let Some(&first) = alike.get(told.as_slice()) else {
                    alike.insert(told.as_slice().into(), id);
                    continue;
                };
                self.nodes[id as usize].stands_for_it = first;
                self.backward.join(first, id);
            }
        }
        for (id, node) in (0..).zip(&mut self.nodes) {
            if node.rank >= self.from {
                node.asks = cover.id(self.backward.row(id));
            }
        }
    }

    /// Finds the states from which the rest can be read at a node, as far as the cover comes to it
    /// in them and as is known, and those of some of its edges that lead to where it can; whether
    /// there are more states than before and others may depend on them.
    fn ask(&mut self, cover: &mut Cover, id: u32, edges: Range<usize>) -> bool {
        for set in [&mut self.asked, &mut self.wanted] {
            set.clear();
            set.resize(cover.words(), 0);
        }
        self.keeping.clear();
        let Seen { rank, set, .. } = self.nodes[id as usize];
        let is_before = rank < self.from;
        let labels = self.edges[edges.clone()].chunk_by(|a, b| a.label == b.label);
        let mut first = edges.start;
        for alike in labels {
            let label = alike[0].label;
            let to = &self.to[first..first + alike.len()];
            first += alike.len();
            // What is behind edges of one label is looked at once.
            let behind = match label {
                Label::End => {
                    add(&mut self.asked, cover.end());
                    let ends = alike.iter().map(|&edge| (edge, id));
                    self.keeping.extend(ends);
                    continue;
                }
                Label::Within => set,
                Label::Lexeme(terminal) => {
                    self.wanted.fill(0);
                    cover.forward(set, terminal)
                }
            };
            let behind = cover.states(behind);
            let wanted = match label {
                Label::Lexeme(_) => &mut self.wanted,
                _ => &mut self.asked,
            };
            for (edge, &to) in alike.iter().zip(to) {
                if to == NOWHERE {
                    continue;
                }
                let rest = self.backward.row(to);
                add(wanted, rest);
                // With what can be read behind a lexeme can be what stands for it.
                if is_before || meet(behind, rest) {
                    let id = self.nodes[to as usize].stands_for_it;
                    let to = self.nodes[id as usize].point;
                    self.keeping.push((Edge { to, ..*edge }, id));
                }
            }
            if let Label::Lexeme(terminal) = label {
                cover.backward(set, terminal, &self.wanted, &mut self.asked);
            }
        }
        add(self.backward.row_mut(id), &self.asked)
    }

    /// Leaves to a node those of its edges that were found to lead to where the rest can be read.
    fn keep(&mut self, id: u32) {
        let keeping = &mut self.keeping;
        each_once(keeping);
        let first = self.kept.len() as u32;
        self.kept.extend(keeping.iter().map(|&(edge, _)| edge));
        self.kept_to.extend(keeping.iter().map(|&(_, to)| to));
        self.nodes[id as usize].kept = (first, self.kept.len() as u32);
    }

    /// Tells what can follow a node, in numbers.
    fn tell(&self, node: &Seen, told: &mut Vec<u32>) {
        told.clear();
        told.push(u32::from(node.point.within));
        for (edge, to) in self.kept_of(node) {
            let label = match edge.label {
                Label::Lexeme(terminal) => terminal,
                Label::Within => NOWHERE,
                Label::End => NOWHERE - 1,
            };
            told.extend([label, to, edge.cost]);
        }
    }
}

/// The core of a node in which characters are counted such that fewer can go on as more can, and how
/// many were.
fn fewer_will_do(lexer: &Lexer, point: Point) -> Option<(LexerState, u32)> {
    let told = lexer.count_of(point.state).filter(|_| point.within);
    let (core, count, _) =
        told.filter(|&(_, count, enough)| (enough..BOUNDARY).contains(&count))?;
    Some((core, count))
}

fn first_gap(graph: &CompletionGraph<'_>) -> u32 {
    let Pattern { segments } = graph.pattern();
    let gap = segments.iter().position(|s| matches!(s, Segment::Gap(_)));
    gap.map_or(u32::MAX, |gap| graph.segment_rank(gap))
}
