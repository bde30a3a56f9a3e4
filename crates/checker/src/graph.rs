//! The completion graph: an ε-NFA over terminals of everything a pattern can
//! still become, expanded on demand.
//!
//! A node is a place in the pattern together with a boundary state of the lexer:
//! a lexeme has ended there and the next has not begun. Places are byte positions
//! in text, cell boundaries in gaps, and, inside a masked cell, the nodes of the
//! token trie at which a lexeme ended. An edge is a whole lexeme, from its first
//! byte to its last, ignored lexemes before it included, at the cost of the
//! cheapest filling of the gaps that it crosses. What lies in between is walked
//! once for each node and forgotten; the filling itself is found again where a
//! witness asks for it.
//!
//! In text there is one edge out of a node, as a rule; so a text's part of the
//! graph is its lexemes in a row, however many ways there are to read it. Gaps of
//! any length are the business of [`sweep`](crate::sweep), gaps that count cells
//! of [`cells`](crate::cells).

use std::sync::Arc;

use lacuna_lexer::{Lexer, LexerState, Owed, Spanner, TerminalId, TokenId, TrieNode};

use crate::cells;
use crate::cfg::Cfg;
use crate::gap_group::Boundaries;
use crate::sweep::{self, GapReaches};
use crate::{Gap, Pattern, Segment};

/// What crossing an edge adds to the filling of a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// A byte in a gap of any length, and the lexer state behind it.
    Byte(u8, LexerState),
    /// A byte that separates lexemes in a gap of any length; often it could be
    /// left out.
    Separate {
        /// The byte.
        byte: u8,
        /// The boundary before it.
        boundary: LexerState,
        /// The lexer state behind it.
        state: LexerState,
    },
    /// The end of a gap of any length, and the lexer state there.
    Leave(LexerState),
    /// A token in a gap that counts cells.
    Token(TokenId),
}

/// What one gap's filling grows by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The gap's segment.
    pub segment: u32,
    /// What is added.
    pub emit: Emit,
}

/// Bytes of text that are looked at ahead of a boundary for its obligations.
const LOOKAHEAD: usize = 16;

/// A place in the pattern with a state of the lexer; a node of the graph where
/// that state is a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    pub(crate) segment: u32,
    /// Byte position in text, cell boundary in a gap.
    pub(crate) offset: u32,
    pub(crate) trie: TrieNode,
    pub(crate) state: LexerState,
}

/// An edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The lexeme's terminal; `None` for ignored lexemes, or nothing, up to the
    /// end of the text.
    pub terminal: Option<TerminalId>,
    /// The node it leads to; at the end of the text, the one it comes from.
    pub to: Point,
    /// Bytes and tokens that it writes into gaps.
    pub cost: u32,
}

/// The edges out of a node.
#[derive(Clone, Debug)]
pub struct Edges {
    /// The edges, but for those that stay inside a gap of any length.
    pub edges: Box<[Edge]>,
    /// The highest rank that was looked at.
    pub reach: u32,
    /// Points walked over and edges found, a measure of the work.
    pub work: usize,
}

/// The graph of one pattern.
pub struct CompletionGraph<'a> {
    pub(crate) pattern: &'a Pattern,
    pub(crate) lexer: &'a Lexer,
    pub(crate) spanner: Option<&'a mut Spanner>,
    pub(crate) reaches: &'a mut GapReaches,
    ranks: Vec<u32>,
    counts_cells: bool,
}

impl<'a> CompletionGraph<'a> {
    /// The graph of `pattern`; `spanner` is needed where gaps count cells.
    /// `reaches` and `spanner` serve one lexer.
    pub fn new(
        pattern: &'a Pattern,
        lexer: &'a Lexer,
        spanner: Option<&'a mut Spanner>,
        reaches: &'a mut GapReaches,
    ) -> Self {
        Self {
            ranks: ranks(pattern),
            counts_cells: pattern.counts_cells(),
            pattern,
            lexer,
            spanner,
            reaches,
        }
    }

    /// The pattern.
    pub fn pattern(&self) -> &Pattern {
        self.pattern
    }

    /// The node before the first byte.
    pub fn start(&self) -> Point {
        self.settle(Point {
            segment: 0,
            offset: 0,
            trie: 0,
            state: Lexer::START,
        })
    }

    /// The order of places: no edge leads to a lower rank.
    pub fn rank(&self, point: Point) -> u32 {
        self.ranks[point.segment as usize] + point.offset
    }

    /// The gap of any length that a node stands in, if it does.
    pub fn gap(&self, node: Point) -> Option<u32> {
        let segment = self.pattern.segments.get(node.segment as usize);
        (segment == Some(&Segment::Gap(Gap::Any))).then_some(node.segment)
    }

    /// All boundaries of a gap of any length that lexemes lead to from these nodes
    /// in it.
    pub fn boundaries(&mut self, cfg: &Cfg, nodes: impl Iterator<Item = Point>) -> Arc<Boundaries> {
        self.reaches
            .boundaries(cfg, nodes.map(|node| node.state).collect())
    }

    /// The node at a boundary of a gap of any length.
    pub fn node_in_gap(&self, segment: u32, state: LexerState) -> Point {
        Point {
            segment,
            offset: 0,
            trie: 0,
            state,
        }
    }

    /// All lexemes that may begin at a node; `None` if that takes more than
    /// `budget` steps and edges, or if the rows of the spanner table have grown
    /// too many.
    pub fn edges(&mut self, node: Point, budget: usize) -> Option<Edges> {
        match self.counts_cells {
            true => cells::edges(self, node, budget),
            false => sweep::edges(self, node, budget),
        }
    }

    /// The lexemes that begin at a node in a gap of any length and end in it.
    pub fn edges_inside(&mut self, node: Point) -> Vec<Edge> {
        sweep::edges_inside(self, node)
    }

    /// What the cheapest lexeme of `terminal` between two nodes adds to gaps, in
    /// order.
    pub fn additions(
        &mut self,
        from: Point,
        terminal: Option<TerminalId>,
        to: Point,
    ) -> Vec<Addition> {
        match self.counts_cells {
            true => cells::additions(self, from, terminal, to),
            false => sweep::additions(self, from, terminal, to),
        }
    }

    /// A boundary in text with its obligations redeemed, as far as the text tells;
    /// `None` if it breaks one. `reach` grows by what was looked at.
    pub(crate) fn redeem(&self, boundary: Point, reach: &mut u32) -> Option<Point> {
        let segment = self.pattern.segments.get(boundary.segment as usize);
        let Some(Segment::Text(text)) = segment else {
            return Some(boundary);
        };
        let rest = &text[boundary.offset as usize..];
        let ahead = &rest[..rest.len().min(LOOKAHEAD)];
        *reach = (*reach).max(self.rank(boundary) + ahead.len() as u32);
        match self.lexer.owed(boundary.state, ahead) {
            Owed::Nothing(state) => Some(Point { state, ..boundary }),
            Owed::Broken => None,
            Owed::Open => Some(boundary),
        }
    }

    /// The end of a segment is the start of the next.
    pub(crate) fn settle(&self, mut point: Point) -> Point {
        loop {
            let full = match self.pattern.segments.get(point.segment as usize) {
                None => break,
                Some(Segment::Text(bytes)) => point.offset as usize == bytes.len(),
                Some(Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells))) => {
                    point.offset as usize == *cells && point.trie == 0
                }
                Some(Segment::Gap(Gap::Any)) => false,
            };
            if !full {
                break;
            }
            (point.segment, point.offset) = (point.segment + 1, 0);
        }
        point
    }
}

/// For each segment, and for the end, the rank of its first place.
fn ranks(pattern: &Pattern) -> Vec<u32> {
    let mut rank = 0u32;
    let mut ranks = Vec::with_capacity(pattern.segments.len() + 1);
    for segment in &pattern.segments {
        ranks.push(rank);
        let places = match segment {
            Segment::Text(bytes) => bytes.len(),
            Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells)) => *cells,
            Segment::Gap(Gap::Any) => 1,
        };
        rank = rank.saturating_add(u32::try_from(places).unwrap_or(u32::MAX));
    }
    ranks.push(rank);
    ranks
}

/// The rank below which two patterns are the same.
pub fn common_rank(a: &Pattern, b: &Pattern) -> u32 {
    let mut rank = 0;
    for (index, (a_piece, b_piece)) in a.segments.iter().zip(&b.segments).enumerate() {
        if a_piece == b_piece {
            continue;
        }
        rank = ranks(a)[index];
        if let (Segment::Text(a), Segment::Text(b)) = (a_piece, b_piece) {
            let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            rank = rank.saturating_add(shared as u32);
        }
        return rank;
    }
    rank.max(ranks(a)[a.segments.len().min(b.segments.len())])
}
