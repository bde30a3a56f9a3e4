//! From automata over characters to automata over their spellings.
//!
//! A spelling is a code: from the bytes it is certain which character they are, and
//! none is the beginning of another. So a state's characters become a tree of bytes
//! with a place for each state that they lead to, and nothing is made deterministic
//! afterwards. Trees are made once for all states whose characters lead to as many
//! places in the same way (all counts of a repetition, say), their nodes are shared,
//! and so are copies of a node that lead to the same states. So of a smallest automaton
//! over characters, one over spellings comes that could hardly be smaller.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::{AutomatonError, Dfa, Limits, StateId, byte_classes};

/// Codes from the first to the last, and the place that they lead to.
pub(crate) type Piece = (u32, u32, u32);

/// Codes from the first to the last, and where they lead.
pub(crate) type Lead = (u32, u32, To);

/// Where a byte leads in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum To {
    /// To another node.
    Node(u32),
    /// Behind the character.
    Place(u32),
}

/// How characters are spelled.
pub(crate) trait Spelling {
    /// The tree of some characters, which are in order.
    fn tree(&self, forest: &mut Forest, pieces: &[Piece]) -> u32;
}

/// UTF-8.
pub(crate) struct Utf8;

impl Spelling for Utf8 {
    fn tree(&self, forest: &mut Forest, pieces: &[Piece]) -> u32 {
        let mut bytes = Vec::new();
        for &(low, high, place) in pieces.iter().filter(|piece| piece.0 < 0x80) {
            bytes.push((low as u8, high.min(0x7F) as u8, To::Place(place)));
        }
        forest.beyond_ascii(pieces, &mut bytes);
        forest.node(bytes)
    }
}

/// Transitions of a node, in order of bytes.
type Node = Vec<(u8, u8, To)>;

/// Nodes of trees, each once.
#[derive(Default)]
pub(crate) struct Forest {
    nodes: Vec<Node>,
    known: FxHashMap<Node, u32>,
}

impl Forest {
    /// The node with these transitions.
    pub(crate) fn node(&mut self, mut bytes: Node) -> u32 {
        bytes.sort_unstable_by_key(|&(low, _, _)| low);
        bytes.dedup_by(|next, last| {
            let follows = next.2 == last.2 && usize::from(last.1) + 1 == usize::from(next.0);
            if follows {
                last.1 = next.1;
            }
            follows
        });
        if let Some(&known) = self.known.get(&bytes) {
            return known;
        }
        let fresh = self.nodes.len() as u32;
        self.nodes.push(bytes.clone());
        self.known.insert(bytes, fresh);
        fresh
    }

    /// Transitions on the first bytes of characters from U+0080 on, in UTF-8.
    pub(crate) fn beyond_ascii(&mut self, pieces: &[Piece], bytes: &mut Node) {
        let places = |(low, high, place): Piece| (low, high, To::Place(place));
        for (first, last, groups, lead) in [
            (0x80, 0x7FF, 1, 0xC0),
            (0x800, 0xFFFF, 2, 0xE0),
            (0x1_0000, 0x10_FFFF, 3, 0xF0),
        ] {
            let inside = clip(pieces.iter().copied().map(places), first, last);
            let size = 1 << (6 * groups);
            for (low, high, to) in blocks(&inside, size, &mut |inside| {
                self.continuation(inside, groups)
            }) {
                bytes.push((lead + low as u8, lead + high as u8, to));
            }
        }
    }

    fn continuation(&mut self, inside: &[Lead], groups: u32) -> To {
        if groups == 0 {
            return inside[0].2;
        }
        let size = 1 << (6 * (groups - 1));
        let found = blocks(inside, size, &mut |inside| {
            self.continuation(inside, groups - 1)
        });
        let bytes = found.into_iter();
        let bytes = bytes.map(|(low, high, to)| (0x80 + low as u8, 0x80 + high as u8, to));
        To::Node(self.node(bytes.collect()))
    }

    /// So many hexadecimal digits, in lower case or in either.
    pub(crate) fn digits(&mut self, inside: &[Lead], count: u32, either_case: bool) -> To {
        if count == 0 {
            return inside[0].2;
        }
        let size = 1 << (4 * (count - 1));
        let found = blocks(inside, size, &mut |inside| {
            self.digits(inside, count - 1, either_case)
        });
        let mut bytes = Vec::new();
        for (low, high, to) in found {
            for (first, last, start) in [(0, 9, b'0'), (10, 15, b'A'), (10, 15, b'a')] {
                let (low, high) = (low.max(first), high.min(last));
                if low <= high && (start != b'A' || either_case) {
                    let byte = |digit: u32| start + (digit - first) as u8;
                    bytes.push((byte(low), byte(high), to));
                }
            }
        }
        To::Node(self.node(bytes))
    }
}

/// The parts of pieces between two codes.
pub(crate) fn clip(pieces: impl Iterator<Item = Lead>, first: u32, last: u32) -> Vec<Lead> {
    let clipped = pieces.map(|(low, high, to)| (low.max(first), high.min(last), to));
    clipped.filter(|(low, high, _)| low <= high).collect()
}

/// Cuts pieces into blocks of one size, and asks where each leads, its codes counted
/// from its beginning: runs of blocks that lead to the same.
pub(crate) fn blocks(pieces: &[Lead], size: u32, lead: &mut dyn FnMut(&[Lead]) -> To) -> Vec<Lead> {
    let mut found: Vec<Lead> = Vec::new();
    let mut push = |low: u32, high: u32, to: To| match found.last_mut() {
        Some(last) if last.2 == to && last.1 + 1 == low => last.1 = high,
        _ => found.push((low, high, to)),
    };
    let mut inside: Vec<Lead> = Vec::new();
    let mut at = 0;
    let mut from = pieces.first().map_or(0, |piece| piece.0);
    while let Some(&(_, high, to)) = pieces.get(at) {
        let block = from / size;
        let whole = match from == block * size {
            true => (high + 1 - from) / size,
            false => 0,
        };
        if whole > 0 {
            push(block, block + whole - 1, lead(&[(0, size - 1, to)]));
            from += whole * size;
        } else {
            inside.clear();
            let end = block * size + (size - 1);
            while let Some(&(low, high, to)) = pieces.get(at).filter(|piece| piece.0 <= end) {
                let low = low.max(from);
                inside.push((low - block * size, high.min(end) - block * size, to));
                if high > end {
                    break;
                }
                at += 1;
            }
            push(block, block, lead(&inside));
            from = end + 1;
        }
        // What is left of the piece, or the next one.
        while pieces.get(at).is_some_and(|piece| piece.1 < from) {
            at += 1;
        }
        from = pieces.get(at).map_or(from, |piece| piece.0.max(from));
    }
    found
}

/// An automaton over spellings in the making. Its first states are those of the
/// automaton over characters. A state is a node of a tree and where that leads; the
/// table is made at the end, when all bytes that are told apart are known.
pub(crate) struct Speller<'s> {
    spelling: &'s dyn Spelling,
    start: StateId,
    forest: Forest,
    /// For each node, the only place that it leads to.
    only: Vec<Option<u32>>,
    /// For each state the node that it is, if it reads anything, and where its targets
    /// begin.
    rows: Vec<(u32, usize)>,
    targets: Vec<StateId>,
    /// Targets of states that are being made.
    open: Vec<StateId>,
    accepting: Vec<bool>,
    /// Copies of nodes that lead to one place only, and by hash all others.
    copies: FxHashMap<(u32, StateId), StateId>,
    forked: FxHashMap<u64, StateId>,
}

/// The node of a state that reads nothing.
const LEAF: u32 = u32::MAX;

impl<'s> Speller<'s> {
    pub(crate) fn new(spelling: &'s dyn Spelling, states: usize, start: StateId) -> Self {
        Self {
            spelling,
            start,
            forest: Forest::default(),
            only: Vec::new(),
            rows: vec![(LEAF, 0); states],
            targets: Vec::new(),
            open: Vec::new(),
            accepting: vec![false; states],
            copies: FxHashMap::default(),
            forked: FxHashMap::default(),
        }
    }

    /// The tree of some characters.
    pub(crate) fn tree(&mut self, pieces: &[Piece]) -> u32 {
        let tree = self.spelling.tree(&mut self.forest, pieces);
        for node in &self.forest.nodes[self.only.len()..] {
            let mut places = node.iter().map(|(_, _, to)| match to {
                To::Place(place) => Some(*place),
                // Nodes come behind those that they lead to.
                To::Node(below) => self.only.get(*below as usize).copied().flatten(),
            });
            let first = places.next().flatten();
            self.only
                .push(first.filter(|first| places.all(|place| place == Some(*first))));
        }
        tree
    }

    /// The states that each state that reads a tree has to itself.
    pub(crate) fn own_states(&self, tree: u32) -> usize {
        let below = self.forest.nodes[tree as usize].iter();
        let below = below.filter_map(|(_, _, to)| match to {
            To::Node(below) if self.only[*below as usize].is_none() => Some(*below),
            _ => None,
        });
        1 + below.map(|below| self.own_states(below)).sum::<usize>()
    }

    /// Whether texts may end in a state.
    pub(crate) fn accept(&mut self, state: StateId, accepts: bool) {
        self.accepting[state as usize] = accepts;
    }

    /// Lets a state read a tree whose places are these states.
    pub(crate) fn connect(&mut self, state: StateId, tree: u32, places: &[StateId]) {
        self.rows[state as usize] = self.row(tree, places);
    }

    fn row(&mut self, node: u32, places: &[StateId]) -> (u32, usize) {
        let begun = self.open.len();
        for at in 0..self.forest.nodes[node as usize].len() {
            let target = match self.forest.nodes[node as usize][at].2 {
                To::Place(place) => places[place as usize],
                To::Node(below) => self.copy(below, places),
            };
            self.open.push(target);
        }
        let first = self.targets.len();
        self.targets.extend_from_slice(&self.open[begun..]);
        self.open.truncate(begun);
        (node, first)
    }

    fn copy(&mut self, node: u32, places: &[StateId]) -> StateId {
        let only = self.only[node as usize].map(|place| (node, places[place as usize]));
        if let Some(known) = only.and_then(|only| self.copies.get(&only)) {
            return *known;
        }
        let row = self.row(node, places);
        let fresh = self.rows.len() as StateId;
        if let Some(only) = only {
            self.copies.insert(only, fresh);
        } else if let Some(known) = self.known_fork(row, fresh) {
            self.targets.truncate(row.1);
            return known;
        }
        self.rows.push(row);
        self.accepting.push(false);
        fresh
    }

    /// The copy with the row that was made last, if there is one; else it will be `fresh`.
    fn known_fork(&mut self, (node, first): (u32, usize), fresh: StateId) -> Option<StateId> {
        let targets = &self.targets[first..];
        let mut hasher = FxHasher::default();
        (node, targets).hash(&mut hasher);
        let known = *self.forked.entry(hasher.finish()).or_insert(fresh);
        // Of different rows with one hash only the first is found again.
        let (known_node, at) = *self.rows.get(known as usize)?;
        let is_same = known_node == node && self.targets[at..].starts_with(targets);
        is_same.then_some(known)
    }

    /// Whether there are not too many states.
    pub(crate) fn check(&self, limits: &Limits) -> Result<(), AutomatonError> {
        match self.rows.len() > limits.dfa_states {
            true => Err(AutomatonError::TooLarge {
                what: "deterministic states",
                limit: limits.dfa_states,
            }),
            false => Ok(()),
        }
    }

    pub(crate) fn finish(self) -> Dfa {
        let ranges = self.forest.nodes.iter().flatten();
        let (classes, firsts) = byte_classes(&mut ranges.map(|&(low, high, _)| (low, high)));
        let class_count = firsts.len();
        let mut table = vec![Dfa::NOWHERE; class_count * self.rows.len()];
        let cells = table.chunks_exact_mut(class_count);
        for (cells, &(node, first)) in cells.zip(&self.rows) {
            if node == LEAF {
                continue;
            }
            let node = &self.forest.nodes[node as usize];
            for (&(low, high, _), &target) in node.iter().zip(&self.targets[first..]) {
                let (low, high) = (classes[low as usize], classes[high as usize]);
                cells[low as usize..=high as usize].fill(target);
            }
        }
        Dfa::of_table(classes, class_count, table, self.accepting, self.start)
    }
}
