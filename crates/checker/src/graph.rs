//! The completion graph: an ε-NFA over terminals of everything a pattern can
//! still become, expanded on demand.
//!
//! A node is a place in the pattern with what the lexer knows there. Most are
//! boundaries: a lexeme has ended and the next has not begun. Places are byte
//! positions in text, beginnings of cells, and, inside a masked cell, rows of the
//! spanner table: what is left of the tokens that finished the same lexemes. An edge
//! from boundary to boundary is a whole lexeme, ignored lexemes before it included,
//! at the cost of the cheapest filling of the gaps that it crosses; what lies in
//! between is walked once for each node and forgotten, and the filling is found
//! again where a witness asks for it. Where a lexeme reaches into a masked cell, a
//! node stands in the middle of it, *within*, so that lexemes that come to the same
//! state there go on together.
//!
//! In text there is one edge out of a node, as a rule; so a text's part of the
//! graph is its lexemes in a row, however many ways there are to read it. Text and
//! gaps of any length are the business of [`crate::sweep`], gaps that count
//! cells of [`crate::cells`].

use std::sync::Arc;

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::SortFew;
use lacuna_lexer::{Lexer, LexerState, NO_ROW, Owed, RowId, Spanner, TerminalId, TokenId};

use crate::cells;
use crate::cfg::Cfg;
use crate::gap_group::Boundaries;
use crate::gap_reach::GapReaches;
#[cfg(feature = "shortcuts")]
use crate::likely::Likely;
use crate::sweep;
#[cfg(feature = "shortcuts")]
use crate::widening::{Stuck, widen_near};
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

/// Bytes and tokens that a path may add to gaps, a tenth of a gigabyte.
const MAX_ADDITIONS: usize = 4_000_000;

/// Bytes of text that are looked at ahead of a boundary for its obligations.
pub(crate) const LOOKAHEAD: u32 = 16;

/// A node of the graph: a place in the pattern with what the lexer knows there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    pub(crate) segment: u32,
    /// Byte position in text, cell in a gap.
    pub(crate) offset: u32,
    /// In the middle of a cell, where lexemes have ended and the token has not: what
    /// the rest of the token can do. Else there is no row, but a state.
    pub(crate) row: RowId,
    pub(crate) state: LexerState,
    /// Whether a lexeme, or an ignored one before it, is under way.
    pub(crate) within: bool,
}

impl Point {
    /// Sorts nodes of the same rank: edges lead from smaller ones to larger ones, but
    /// inside gaps of any length.
    pub fn order(self) -> u32 {
        match (self.within, self.row) {
            (true, _) => 0,
            (false, NO_ROW) => BOUNDARY,
            // A row's number is higher than those of the rows that follow it.
            (false, row) => u32::MAX - row,
        }
    }
}

/// The order of boundaries: behind lexemes under way, of which there may be one for each count of
/// characters.
pub(crate) const BOUNDARY: u32 = if SHORTCUTS { 1 << 24 } else { 1 };

/// What an edge stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// A lexeme, up to its end.
    Lexeme(TerminalId),
    /// A part of a lexeme, up to the end of a cell or the beginning of the next.
    Within,
    /// Ignored lexemes, or nothing, up to the end of the text.
    End,
}

/// An edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// What it stands for.
    pub label: Label,
    /// The node it leads to; at the end of the text, the one it comes from.
    pub to: Point,
    /// About how many tokens it writes into gaps.
    pub cost: u32,
}

/// Sorts edges, each with a number, and leaves of those that are alike the cheapest.
pub(crate) fn each_once(edges: &mut Vec<(Edge, u32)>) {
    edges.sort_few_by_key(|(edge, _)| (edge.label, edge.to, edge.cost));
    edges.dedup_by_key(|(edge, _)| (edge.label, edge.to));
}

/// An edge that a path takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The node it comes from.
    pub from: Point,
    /// Its label.
    pub label: Label,
    /// The node it leads to.
    pub to: Point,
}

/// The edges out of a node.
#[derive(Clone, Debug)]
pub struct Edges {
    /// The edges, but for those that stay inside a gap of any length.
    pub edges: Vec<Edge>,
    /// The highest rank that was looked at.
    pub reach: u32,
    /// Points walked over and edges found, a measure of the work.
    pub work: usize,
}

/// What may stand in some gaps besides the tokens that stand in all.
#[cfg(feature = "shortcuts")]
pub(crate) struct Wider<'a> {
    /// More tokens, where there are such steps, and all.
    pub spanners: [Option<&'a mut Spanner>; 3],
    /// What alone stands in the middle of long gaps.
    pub blank: Option<&'a mut Spanner>,
    /// By segment, how many steps each gap was widened; behind the end, none.
    pub gaps: &'a mut Vec<u8>,
}

#[cfg(feature = "shortcuts")]
impl Wider<'_> {
    fn steps(&self) -> u8 {
        self.spanners.iter().flatten().count() as u8
    }

    /// How many steps a gap was widened.
    fn step(&self, segment: usize) -> u8 {
        self.gaps.get(segment).copied().unwrap_or(0)
    }

    /// What may stand in one that was widened so many steps, one at least.
    fn spanner(&mut self, step: u8) -> Option<&mut Spanner> {
        let mut steps = self.spanners.iter_mut().flatten();
        let spanner = steps.nth(usize::from(step).checked_sub(1)?)?;
        Some(spanner)
    }
}

/// Cells at each end of a long gap that are more than blank.
#[cfg(feature = "shortcuts")]
const FULL: usize = 4;

/// The graph of one pattern.
pub struct CompletionGraph<'a> {
    pub(crate) pattern: &'a Pattern,
    pub(crate) lexer: &'a Lexer,
    pub(crate) spanner: Option<&'a mut Spanner>,
    #[cfg(feature = "shortcuts")]
    wider: Option<Wider<'a>>,
    #[cfg(feature = "shortcuts")]
    likely: Option<&'a mut Likely>,
    pub(crate) reaches: &'a mut GapReaches,
    ranks: Vec<u32>,
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
            pattern,
            lexer,
            spanner,
            #[cfg(feature = "shortcuts")]
            wider: None,
            #[cfg(feature = "shortcuts")]
            likely: None,
            reaches,
        }
    }

    /// The same graph in which what is likely stands in cells, until gaps are widened.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn with_likely(self, likely: Option<&'a mut Likely>) -> Self {
        Self { likely, ..self }
    }

    /// The same graph with more tokens in some gaps.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn with_wider(self, wider: Option<Wider<'a>>) -> Self {
        Self { wider, ..self }
    }

    /// What may stand in the cell at a node.
    pub(crate) fn spanner_at(
        &mut self,
        #[cfg_attr(not(feature = "shortcuts"), expect(unused_variables))] node: Point,
    ) -> Option<&mut Spanner> {
        #[cfg(feature = "shortcuts")]
        if let Some(likely) = self.likely.as_deref_mut() {
            let wider = self.wider.as_mut();
            let step = wider
                .as_ref()
                .map_or(0, |wider| wider.step(node.segment as usize));
            return match likely.at(node, step) {
                Ok(spanner) => Some(spanner),
                Err(0) => self.spanner.as_deref_mut(),
                Err(step) => wider?.spanner(step),
            };
        }
        #[cfg(feature = "shortcuts")]
        if let Some(wider) = &mut self.wider {
            if wider.blank.is_some() && is_inside(self.pattern, node) {
                return wider.blank.as_deref_mut();
            }
            if let step @ 1.. = wider.step(node.segment as usize) {
                return wider.spanner(step);
            }
        }
        self.spanner.as_deref_mut()
    }

    /// How many steps a gap can be widened.
    #[cfg(feature = "shortcuts")]
    fn steps(&self) -> u8 {
        let steps = self.wider.as_ref().map_or(0, Wider::steps);
        match self.likely.is_some() {
            true => Likely::steps() + steps,
            false => steps,
        }
    }

    /// Lets more tokens stand in gaps near a place behind which nothing goes on; `false` if any may in
    /// all of these.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn widen(&mut self, stuck: Stuck) -> bool {
        let most = self.steps();
        let Some(wider) = self.wider.as_mut() else {
            return false;
        };
        stuck.widen(wider.gaps, self.pattern, most)
    }

    /// The same of the nearest gap, and says which it is.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn widen_near(&mut self, segment: u32) -> Option<u32> {
        let most = self.steps();
        let wider = self.wider.as_mut()?;
        let stuck = Stuck {
            behind: segment,
            in_vain: 0,
        };
        widen_near(wider.gaps, self.pattern, stuck, most)
    }

    /// The segment that a rank is in.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn segment_at(&self, rank: u32) -> u32 {
        self.ranks
            .partition_point(|&first| first <= rank)
            .saturating_sub(1) as u32
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
            row: NO_ROW,
            state: Lexer::START,
            within: false,
        })
    }

    /// The order of places: no edge leads to a lower rank.
    pub fn rank(&self, point: Point) -> u32 {
        self.ranks[point.segment as usize] + point.offset
    }

    /// The gap of any length that a node stands in, if it does.
    pub fn gap(&self, node: Point) -> Option<u32> {
        let segment = self.pattern.segments.get(node.segment as usize);
        (!node.within && segment == Some(&Segment::Gap(Gap::Any))).then_some(node.segment)
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
            row: NO_ROW,
            state,
            within: false,
        }
    }

    /// The rank of a segment's first place.
    pub fn segment_rank(&self, segment: usize) -> u32 {
        self.ranks.get(segment).copied().unwrap_or(u32::MAX)
    }

    /// The edges out of a node; `None` if that takes more than `budget` steps and
    /// edges.
    pub fn edges(&mut self, node: Point, budget: usize) -> Option<Edges> {
        let mut edges = Vec::new();
        let (reach, work) = self.add_edges(node, budget, &mut edges)?;
        Some(Edges { edges, reach, work })
    }

    /// Adds them to others; the highest rank that was looked at, and a measure of the work.
    pub(crate) fn add_edges(
        &mut self,
        node: Point,
        budget: usize,
        edges: &mut Vec<Edge>,
    ) -> Option<(u32, usize)> {
        let started = self.reaches.stopwatch.start();
        let found = match self.pattern.segments.get(node.segment as usize) {
            Some(Segment::Gap(Gap::Cells(_) | Gap::UpTo(_))) => {
                cells::edges(self, node, budget, edges)
            }
            _ => sweep::edges(self, node, budget, edges),
        };
        self.reaches.stopwatch.stop(started);
        found
    }

    /// The lexemes that begin at a node in a gap of any length and end in it.
    pub fn edges_inside(&mut self, node: Point) -> Vec<Edge> {
        let started = self.reaches.stopwatch.start();
        let edges = sweep::edges_inside(self, node);
        self.reaches.stopwatch.stop(started);
        edges
    }

    /// What a path adds to gaps; `None` if it is not one of this graph's, or adds too much to
    /// be written.
    pub fn additions(&mut self, path: &[Step]) -> Option<Vec<Addition>> {
        let mut additions = Vec::new();
        let mut cell = None;
        for &step in path {
            match self.pattern.segments.get(step.from.segment as usize) {
                Some(Segment::Gap(Gap::Cells(_) | Gap::UpTo(_))) => {
                    let token = cells::token(self, step, &mut cell)?;
                    additions.extend(token.map(|token| Addition {
                        segment: step.from.segment,
                        emit: Emit::Token(token),
                    }));
                }
                _ => additions.extend(sweep::additions(self, step)),
            }
            if additions.len() > MAX_ADDITIONS {
                return None;
            }
        }
        Some(additions)
    }

    /// A boundary in text with its obligations redeemed, as far as the text tells;
    /// `None` if it breaks one. `reach` grows by what was looked at.
    pub(crate) fn redeem(&self, boundary: Point, reach: &mut u32) -> Option<Point> {
        let segment = self.pattern.segments.get(boundary.segment as usize);
        let Some(Segment::Text(text)) = segment else {
            return Some(boundary);
        };
        let rest = &text[boundary.offset as usize..];
        let ahead = &rest[..rest.len().min(LOOKAHEAD as usize)];
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
                    point.offset as usize == *cells
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

/// Whether a node is in the middle of a long gap.
#[cfg(feature = "shortcuts")]
fn is_inside(pattern: &Pattern, node: Point) -> bool {
    match pattern.segments.get(node.segment as usize) {
        Some(Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells))) => {
            (FULL..cells.saturating_sub(FULL)).contains(&(node.offset as usize))
        }
        _ => false,
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
        if let (Segment::Gap(Gap::Cells(a)), Segment::Gap(Gap::Cells(b))) = (a_piece, b_piece) {
            rank = rank.saturating_add(u32::try_from(*a.min(b)).unwrap_or(u32::MAX));
        }
        return rank;
    }
    rank.max(ranks(a)[a.segments.len().min(b.segments.len())])
}
