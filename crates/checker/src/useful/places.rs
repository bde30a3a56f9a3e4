//! The nodes of a graph in an order in which all edges lead on, each with the edges that
//! lead to it.
//!
//! Rows of the spanner table say what is left of a token, not what was read of it. Where
//! each way to a row is a place of its own, a path through a cell from one place stands
//! for the tokens that take it, and for no others.
//!
//! Cost: a place for each node that a look ahead left, and for each way into a row.

use std::ops::Range;

use crate::cover::CoverSetId;
use crate::graph::{Label, Point};
use crate::lookahead::{Lookahead, NodeId};
use lacuna_lexer::{NO_ROW, key};

/// Words that a place or an edge takes in a chart, at least: what has more of them than the
/// budget allows is not begun.
const WORDS: usize = 64;

/// Index of a place; 0 is the start.
pub(crate) type PlaceId = u32;

/// Index of a boundary among those; 0 is the start.
pub(crate) type BoundaryId = u32;

/// In place of an index where there is none.
pub(crate) const NONE: u32 = u32::MAX;

/// A node of the graph, by one way if it is in the middle of a token.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub point: Point,
    /// Its number among boundaries; [`NONE`] where a lexeme is under way.
    pub boundary: BoundaryId,
    /// The states from which the rest can be read; `None` if all may be.
    pub asks: Option<CoverSetId>,
    /// Whether the text may end here, if the grammar allows.
    pub may_end: bool,
    incoming: Range<u32>,
}

/// Whether each way to a row of the spanner table is a place of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InCells {
    /// It is: which tokens take an edge is to be known.
    Apart,
    /// A row is one place.
    Joined,
}

/// An edge, where it leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incoming {
    pub from: PlaceId,
    pub label: Label,
}

/// The graph laid out.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub places: Vec<Place>,
    /// The places that are boundaries.
    pub boundaries: Vec<PlaceId>,
    edges: Vec<Incoming>,
}

impl Places {
    /// Lays out what a look ahead left, ways into rows [apart](InCells) or not; `None` if that
    /// is more than the budget.
    pub fn new(ahead: &Lookahead, start: Point, rows: InCells, budget: usize) -> Option<Self> {
        let found = Found::new(ahead, start, rows, budget)?;
        Some(found.in_order(ahead))
    }

    /// The numbers of the edges that lead to a place.
    pub fn incoming_numbers(&self, place: PlaceId) -> Range<usize> {
        let Range { start, end } = self.places[place as usize].incoming;
        start as usize..end as usize
    }

    /// The edges that lead to a place: their numbers, and they.
    pub fn incoming(&self, place: PlaceId) -> impl Iterator<Item = (usize, Incoming)> + '_ {
        self.incoming_numbers(place)
            .map(|number| (number, self.edges[number]))
    }

    /// The numbers of the edges that lead to a place with the same label, together.
    pub fn incoming_alike(&self, place: PlaceId) -> impl Iterator<Item = Range<usize>> + '_ {
        let Range { start, end } = self.places[place as usize].incoming;
        let edges = &self.edges[start as usize..end as usize];
        let mut end = start as usize;
        edges.chunk_by(|a, b| a.label == b.label).map(move |alike| {
            let start = end;
            end += alike.len();
            start..end
        })
    }

    /// An edge, by its number.
    pub fn edge(&self, number: usize) -> Incoming {
        self.edges[number]
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }
}

/// Places as they are found.
struct Found {
    /// The node of each in the look ahead.
    nodes: Vec<NodeId>,
    edges: Vec<(u32, Label, u32)>,
    may_end: Vec<bool>,
}

impl Found {
    fn new(ahead: &Lookahead, start: Point, rows: InCells, budget: usize) -> Option<Self> {
        let start = ahead.id(start)?;
        let mut found = Self {
            nodes: vec![start],
            edges: Vec::new(),
            may_end: Vec::new(),
        };
        let mut known = vec![NONE; ahead.node_count()];
        known[start as usize] = 0;
        let mut at = 0;
        while let Some(&node) = found.nodes.get(at) {
            found.may_end.push(false);
            for (edge, node) in ahead.kept(node) {
                if edge.label == Label::End {
                    found.may_end[at] = true;
                    continue;
                }
                let fresh = found.nodes.len() as u32;
                let to = match (edge.to.row, rows) {
                    (NO_ROW, _) | (_, InCells::Joined) => match &mut known[node as usize] {
                        known if *known == NONE => {
                            *known = fresh;
                            fresh
                        }
                        known => *known,
                    },
                    (_, InCells::Apart) => fresh,
                };
                if to == fresh {
                    found.nodes.push(node);
                }
                found.edges.push((at as u32, edge.label, to));
            }
            at += 1;
            if WORDS * (found.nodes.len() + found.edges.len()) > budget {
                return None;
            }
        }
        Some(found)
    }

    fn in_order(mut self, ahead: &Lookahead) -> Places {
        let nodes = (0u32..).zip(&self.nodes);
        let order = nodes.map(|(id, &node)| {
            let (point, rank, _) = ahead.node(node);
            key([0, rank, point.order(), id])
        });
        let mut order: Vec<u128> = order.collect();
        order.sort_unstable();
        let mut ids = vec![0; order.len()];
        for (id, &at) in (0..).zip(&order) {
            ids[at as u32 as usize] = id;
        }
        let mut by_place: Vec<u128> = Vec::with_capacity(self.edges.len());
        for (number, (from, label, to)) in (0u32..).zip(&mut self.edges) {
            (*from, *to) = (ids[*from as usize], ids[*to as usize]);
            let (is_within, terminal) = match *label {
                Label::Lexeme(terminal) => (0, terminal),
                Label::Within | Label::End => (1, 0),
            };
            by_place.push(key([*to, is_within, terminal, number]));
        }
        by_place.sort_unstable();
        let edges = by_place.iter().map(|&key| {
            let (from, label, _) = self.edges[key as u32 as usize];
            Incoming { from, label }
        });
        let edges: Vec<Incoming> = edges.collect();
        let mut places = Vec::with_capacity(order.len());
        let mut boundaries = Vec::new();
        let mut end = 0;
        for (id, &at) in (0..).zip(&order) {
            let begin = end;
            while by_place
                .get(end)
                .is_some_and(|&key| (key >> 96) as u32 == id)
            {
                end += 1;
            }
            let at = at as u32 as usize;
            let (point, _, asks) = ahead.node(self.nodes[at]);
            let mut boundary = NONE;
            if !point.within {
                boundary = boundaries.len() as BoundaryId;
                boundaries.push(id);
            }
            places.push(Place {
                point,
                boundary,
                asks,
                may_end: self.may_end[at],
                incoming: begin as u32..end as u32,
            });
        }
        Places {
            edges,
            boundaries,
            places,
        }
    }
}
