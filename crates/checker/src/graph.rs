//! The completion graph: an ε-NFA over terminals of everything a pattern can
//! still become, expanded on demand.
//!
//! A node is a place in the pattern together with a boundary state of the lexer:
//! a lexeme has ended there and the next has not begun. Places are byte positions
//! in text, cell boundaries in gaps, and, inside a masked cell, the nodes of the
//! token trie at which a lexeme ended. An edge is a whole lexeme, from its first
//! byte to its last, ignored lexemes before it included, with the cheapest
//! filling of the gaps that it crosses. What lies in between is walked once for
//! each node and forgotten.
//!
//! In text there is one edge out of a node, as a rule; so a text's part of the
//! graph is its lexemes in a row, however many ways there are to read it.

use std::collections::VecDeque;
use std::sync::Arc;

use lacuna_lexer::{Lexer, LexerState, Owed, Spanner, TerminalId, TokenId, TrieNode};
use rustc_hash::FxHashSet;

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

/// Entries of spanner rows up to which one check may make more: about half a
/// gigabyte.
const MAX_ROW_ENTRIES: usize = 32_000_000;

/// A place in the pattern with a state of the lexer; a node of the graph where
/// that state is a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    segment: u32,
    /// Byte position in text, cell boundary in a gap.
    offset: u32,
    trie: TrieNode,
    state: LexerState,
}

/// An edge of the graph.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The lexeme's terminal; `None` for ignored lexemes, or nothing, up to the
    /// end of the text.
    pub terminal: Option<TerminalId>,
    /// The node it leads to; at the end of the text, the one it comes from.
    pub to: Point,
    /// What it adds to gaps, in order.
    pub additions: Additions,
    /// Bytes and tokens among them.
    pub cost: u32,
}

/// Additions in order; `None` where there are none, as in all plain text.
pub type Additions = Option<Arc<[Addition]>>;

/// The edges out of a node.
#[derive(Clone, Debug)]
pub struct Edges {
    /// Sorted by terminal, the text's end first.
    pub edges: Box<[Edge]>,
    /// The highest rank that was looked at.
    pub reach: u32,
    /// Points walked over and edges found, a measure of the work.
    pub work: usize,
}

/// The graph of one pattern.
pub struct CompletionGraph<'a> {
    pattern: &'a Pattern,
    lexer: &'a Lexer,
    spanner: Option<&'a mut Spanner>,
    ranks: Vec<u32>,
}

impl<'a> CompletionGraph<'a> {
    /// The graph of `pattern`; `spanner` is needed where gaps count cells.
    pub fn new(pattern: &'a Pattern, lexer: &'a Lexer, spanner: Option<&'a mut Spanner>) -> Self {
        Self {
            ranks: ranks(pattern),
            pattern,
            lexer,
            spanner,
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

    /// All lexemes that may begin at a node, the cheapest first; `None` if that
    /// takes more than `budget` steps and edges, or if the rows of the spanner
    /// table have grown too many.
    pub fn edges(&mut self, node: Point, budget: usize) -> Option<Edges> {
        let mut walk = Walk::from(node);
        let (mut reach, mut visited) = (0, 0);
        while let Some((at, point)) = walk.next() {
            visited += 1;
            let rows = self
                .spanner
                .as_ref()
                .map_or(0, |spanner| spanner.entry_count());
            if walk.steps.len() + walk.edges.len() > budget || rows > MAX_ROW_ENTRIES {
                return None;
            }
            reach = reach.max(self.rank(point));
            if self.is_end(point) {
                walk.found(at, None, node);
            }
            for finish in self.lexer.finishes(point.state) {
                let boundary = self.settle(Point {
                    state: finish.to,
                    ..point
                });
                let Some(boundary) = self.redeem(boundary, &mut reach) else {
                    continue;
                };
                match finish.terminal {
                    Some(terminal) => match self.separate(boundary) {
                        Some((emit, to)) => walk.found_with(at, terminal, to, emit),
                        None => walk.found(at, Some(terminal), boundary),
                    },
                    None => walk.reach(at, boundary, None),
                }
            }
            match self.pattern.segments.get(point.segment as usize) {
                None => {}
                Some(Segment::Text(bytes)) => {
                    if let Some(state) = self.lexer.next(point.state, bytes[point.offset as usize])
                    {
                        let offset = point.offset + 1;
                        let next = self.settle(Point {
                            offset,
                            trie: 0,
                            state,
                            ..point
                        });
                        walk.reach(at, next, None);
                    }
                }
                Some(Segment::Gap(Gap::Any)) => {
                    for &(byte, state) in self.lexer.moves(point.state) {
                        let emit = Emit::Byte(byte, state);
                        walk.reach(at, Point { state, ..point }, Some(emit));
                    }
                    let behind = self.settle(Point {
                        segment: point.segment + 1,
                        offset: 0,
                        trie: 0,
                        ..point
                    });
                    walk.reach(at, behind, Some(Emit::Leave(point.state)));
                }
                Some(Segment::Gap(Gap::Cells(_) | Gap::UpTo(_))) => {
                    self.walk_cell(&mut walk, at);
                }
            }
        }
        walk.edges.sort_by_key(|edge| edge.terminal);
        Some(Edges {
            work: visited + walk.edges.len(),
            edges: walk.edges.into(),
            reach,
        })
    }

    /// One token from a point in a gap that counts cells; lexemes may end half-way.
    fn walk_cell(&mut self, walk: &mut Walk, at: u32) {
        let point = walk.steps[at as usize].point;
        let Some(spanner) = self.spanner.as_deref_mut() else {
            return;
        };
        let row = spanner.row(self.lexer, point.trie, point.state);
        for exit in &row.exits {
            let boundary = Point {
                trie: exit.node,
                state: exit.finish.to,
                ..point
            };
            match exit.finish.terminal {
                Some(terminal) => walk.found(at, Some(terminal), boundary),
                None => walk.reach(at, boundary, None),
            }
        }
        for landing in &row.landings {
            let next = self.settle(Point {
                offset: point.offset + 1,
                trie: 0,
                state: landing.state,
                ..point
            });
            walk.reach(at, next, Some(Emit::Token(landing.token)));
        }
    }

    /// A boundary in text with its obligations redeemed, as far as the text tells;
    /// `None` if it breaks one. `reach` grows by what was looked at.
    fn redeem(&self, boundary: Point, reach: &mut u32) -> Option<Point> {
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

    /// In a gap of any length, the node that stands for a boundary: the same for
    /// most, or for all.
    fn separate(&self, boundary: Point) -> Option<(Emit, Point)> {
        let segment = self.pattern.segments.get(boundary.segment as usize);
        if segment != Some(&Segment::Gap(Gap::Any)) {
            return None;
        }
        let (byte, state) = self.lexer.separator(boundary.state)?;
        let emit = Emit::Separate {
            byte,
            boundary: boundary.state,
            state,
        };
        Some((emit, Point { state, ..boundary }))
    }

    fn is_end(&self, point: Point) -> bool {
        let at_end = match self.pattern.segments.get(point.segment as usize) {
            None => true,
            Some(Segment::Gap(Gap::UpTo(_))) => point.trie == 0,
            Some(_) => false,
        };
        at_end && self.lexer.is_end(point.state)
    }

    /// The end of a segment is the start of the next.
    fn settle(&self, mut point: Point) -> Point {
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

struct Step {
    point: Point,
    /// The step before, and what it took to come from there.
    before: u32,
    emit: Option<Emit>,
}

/// A walk in progress: points reached, each once, and the edges found.
struct Walk {
    steps: Vec<Step>,
    seen: FxHashSet<Point>,
    queue: VecDeque<u32>,
    edges: Vec<Edge>,
    known: FxHashSet<(Option<TerminalId>, Point)>,
}

impl Walk {
    fn from(point: Point) -> Self {
        let mut walk = Self {
            steps: Vec::new(),
            seen: FxHashSet::default(),
            queue: VecDeque::new(),
            edges: Vec::new(),
            known: FxHashSet::default(),
        };
        walk.reach(0, point, None);
        walk
    }

    fn reach(&mut self, before: u32, point: Point, emit: Option<Emit>) {
        if self.seen.contains(&point) {
            return;
        }
        let step = self.steps.len() as u32;
        self.steps.push(Step {
            point,
            before,
            emit,
        });
        // What costs nothing comes first, so points are seen at their cheapest.
        match emit {
            Some(Emit::Byte(..) | Emit::Separate { .. } | Emit::Token(_)) => {
                self.queue.push_back(step);
            }
            Some(Emit::Leave(_)) | None => self.queue.push_front(step),
        }
    }

    fn next(&mut self) -> Option<(u32, Point)> {
        loop {
            let at = self.queue.pop_front()?;
            let point = self.steps[at as usize].point;
            if self.seen.insert(point) {
                return Some((at, point));
            }
        }
    }

    fn found(&mut self, at: u32, terminal: Option<TerminalId>, to: Point) {
        if self.known.insert((terminal, to)) {
            let additions = self.additions(at);
            self.push(terminal, to, additions);
        }
    }

    /// As [`found`](Self::found), with a last addition.
    fn found_with(&mut self, at: u32, terminal: TerminalId, to: Point, emit: Emit) {
        if self.known.insert((Some(terminal), to)) {
            let segment = self.steps[at as usize].point.segment;
            let mut additions = self.additions(at);
            additions.push(Addition { segment, emit });
            self.push(Some(terminal), to, additions);
        }
    }

    fn push(&mut self, terminal: Option<TerminalId>, to: Point, additions: Vec<Addition>) {
        let costs = additions.iter().filter(|addition| match addition.emit {
            Emit::Byte(..) | Emit::Token(_) => true,
            Emit::Separate { .. } | Emit::Leave(_) => false,
        });
        self.edges.push(Edge {
            terminal,
            to,
            cost: costs.count() as u32,
            additions: (!additions.is_empty()).then(|| additions.into()),
        });
    }

    fn additions(&self, mut at: u32) -> Vec<Addition> {
        let mut additions = Vec::new();
        while at != 0 {
            let step = &self.steps[at as usize];
            let segment = self.steps[step.before as usize].point.segment;
            additions.extend(step.emit.map(|emit| Addition { segment, emit }));
            at = step.before;
        }
        additions.reverse();
        additions
    }
}
