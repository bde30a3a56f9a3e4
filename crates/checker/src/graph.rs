//! The completion graph: an ε-NFA over terminals of everything a pattern can
//! still become, expanded on demand.
//!
//! A node is a place in the pattern together with the lexer state of the lexeme
//! under way. Places are byte positions in text, cell boundaries in gaps, and,
//! inside a masked cell, the nodes of the token trie at which a terminal ended.
//! An edge either reads on inside a lexeme (no label) or ends it (labelled with
//! its terminal, leading to the boundary state at the same place).

use std::sync::Arc;

use lacuna_lexer::{Lexer, LexerState, Spanner, TerminalId, TokenId, TrieNode};
use rustc_hash::FxHashMap;

use crate::{Gap, Pattern, Segment};

/// Index of a node.
pub type NodeId = u32;

/// What crossing an edge adds to the filling of a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// Nothing.
    Nothing,
    /// A byte, in a gap of any length.
    Byte(u32, u8),
    /// A token, in a gap that counts cells. The first part is the segment.
    Token(u32, TokenId),
}

/// An edge of the graph.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The terminal that ends here; none inside a lexeme, and where an ignored
    /// one ends.
    pub label: Option<TerminalId>,
    /// Where the edge leads.
    pub to: NodeId,
    /// What it adds to a gap.
    pub emit: Emit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    segment: u32,
    /// Byte position in text, cell boundary in a gap.
    offset: u32,
    trie: TrieNode,
    state: LexerState,
}

/// The graph of one pattern.
pub struct CompletionGraph<'a> {
    pattern: &'a Pattern,
    lexer: &'a Lexer,
    spanner: Option<&'a mut Spanner>,
    nodes: Vec<Node>,
    ids: FxHashMap<Node, NodeId>,
    edges: Vec<Option<Arc<[Edge]>>>,
}

impl<'a> CompletionGraph<'a> {
    /// The graph of `pattern`; `spanner` is needed where gaps count cells.
    pub fn new(pattern: &'a Pattern, lexer: &'a Lexer, spanner: Option<&'a mut Spanner>) -> Self {
        Self {
            pattern,
            lexer,
            spanner,
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            edges: Vec::new(),
        }
    }

    /// The node before the first byte.
    pub fn start(&mut self) -> NodeId {
        self.node(0, 0, 0, Lexer::START)
    }

    /// Whether a text may end at the node.
    pub fn is_final(&self, node: NodeId) -> bool {
        let node = self.nodes[node as usize];
        let at_end = match self.pattern.segments.get(node.segment as usize) {
            None => true,
            Some(Segment::Gap(Gap::UpTo(_))) => node.trie == 0,
            Some(Segment::Gap(Gap::Any)) => {
                node.segment as usize + 1 == self.pattern.segments.len()
            }
            Some(_) => false,
        };
        at_end && self.lexer.is_end(node.state)
    }

    /// Whether the next lexeme may be of `terminal`, ignored ones aside.
    pub fn is_alive(&self, node: NodeId, terminal: TerminalId) -> bool {
        self.lexer
            .is_alive(self.nodes[node as usize].state, terminal)
    }

    /// Whether nothing but ignored lexemes need come before the end.
    pub fn may_end(&self, node: NodeId) -> bool {
        self.lexer.may_end(self.nodes[node as usize].state)
    }

    /// The edges out of a node.
    pub fn edges(&mut self, id: NodeId) -> Arc<[Edge]> {
        if let Some(edges) = &self.edges[id as usize] {
            return Arc::clone(edges);
        }
        let edges: Arc<[Edge]> = self.expand(self.nodes[id as usize]).into();
        self.edges[id as usize] = Some(Arc::clone(&edges));
        edges
    }

    /// Number of nodes seen so far.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn expand(&mut self, node: Node) -> Vec<Edge> {
        let Node {
            segment,
            offset,
            trie,
            state,
        } = node;
        let pattern = self.pattern;
        let mut edges = Vec::new();
        for finish in self.lexer.finishes(state) {
            let to = self.node(segment, offset, trie, finish.to);
            edges.push(Edge {
                label: finish.terminal,
                to,
                emit: Emit::Nothing,
            });
        }
        match pattern.segments.get(segment as usize) {
            None => {}
            Some(Segment::Text(bytes)) => {
                if let Some(state) = self.lexer.next(state, bytes[offset as usize]) {
                    let to = self.node(segment, offset + 1, 0, state);
                    edges.push(Edge {
                        label: None,
                        to,
                        emit: Emit::Nothing,
                    });
                }
            }
            Some(Segment::Gap(Gap::Any)) => {
                for (byte, next) in self.lexer.moves(state) {
                    let to = self.node(segment, 0, 0, next);
                    edges.push(Edge {
                        label: None,
                        to,
                        emit: Emit::Byte(segment, byte),
                    });
                }
                let to = self.node(segment + 1, 0, 0, state);
                edges.push(Edge {
                    label: None,
                    to,
                    emit: Emit::Nothing,
                });
            }
            Some(Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells))) => {
                if (offset as usize) < *cells
                    && let Some(spanner) = self.spanner.as_deref_mut()
                {
                    let row = spanner.row(self.lexer, trie, state);
                    for exit in &row.exits {
                        let to = self.node(segment, offset, exit.node, exit.finish.to);
                        edges.push(Edge {
                            label: exit.finish.terminal,
                            to,
                            emit: Emit::Nothing,
                        });
                    }
                    for landing in &row.landings {
                        let to = self.node(segment, offset + 1, 0, landing.state);
                        let emit = Emit::Token(segment, landing.token);
                        edges.push(Edge {
                            label: None,
                            to,
                            emit,
                        });
                    }
                }
            }
        }
        edges
    }

    /// The node at a place; the end of a segment is the start of the next.
    fn node(&mut self, segment: u32, offset: u32, trie: TrieNode, state: LexerState) -> NodeId {
        let (mut segment, mut offset) = (segment, offset);
        loop {
            let full = match self.pattern.segments.get(segment as usize) {
                None => break,
                Some(Segment::Text(bytes)) => offset as usize == bytes.len(),
                Some(Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells))) => {
                    offset as usize == *cells && trie == 0
                }
                Some(Segment::Gap(Gap::Any)) => false,
            };
            if !full {
                break;
            }
            (segment, offset) = (segment + 1, 0);
        }
        let node = Node {
            segment,
            offset,
            trie,
            state,
        };
        let fresh = self.nodes.len() as NodeId;
        *self.ids.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.edges.push(None);
            fresh
        })
    }
}
