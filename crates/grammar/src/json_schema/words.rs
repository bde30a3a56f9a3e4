//! The spellings of texts that are listed, or of all but these, as a tree of their
//! beginnings whose equal branches are one.
//!
//! Listed texts and free names are most of what a schema spells, so those of plain
//! ASCII have rows of their own ([`super::word_rows`]); others take the general way.

use rustc_hash::FxHashMap;

use super::strings::StringSpelling;
use super::word_rows;
use crate::automaton::spell::{Piece, Speller};
use crate::automaton::{AutomatonError, Dfa, StateId};
use crate::characters::ANY_CHARACTER;

/// Most beginnings of names that others are told from.
const MAX_NODES: usize = 50_000;

/// The spellings, without quotes, of some texts; nearly minimal.
pub(super) fn spelled<'w>(words: impl Iterator<Item = &'w str>, spelling: StringSpelling) -> Dfa {
    Tree::new(words).spelled(spelling, None)
}

/// The spellings, without quotes, of all other texts; nearly minimal. `any` spells all
/// texts, from its start on.
pub(super) fn beside<'w>(
    words: impl Iterator<Item = &'w str>,
    spelling: StringSpelling,
    any: &Dfa,
) -> Result<Dfa, AutomatonError> {
    let tree = Tree::new(words);
    match tree.nodes.len() > MAX_NODES {
        true => Err(AutomatonError::TooLarge {
            what: "beginnings of names",
            limit: MAX_NODES,
        }),
        false => Ok(tree.spelled(spelling, Some(any))),
    }
}

/// A beginning of words: the characters that go on, each with the node behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub children: Vec<(char, StateId)>,
    /// Whether a word ends here.
    pub is_end: bool,
}

/// Beginnings of words; those that go on alike are one.
pub(super) struct Tree {
    /// Behind those that they lead to, the root last.
    pub nodes: Vec<Node>,
}

impl Tree {
    fn new<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut nodes = vec![Node::default()];
        for word in words {
            let end = word.chars().fold(0, |at, c| child(&mut nodes, at, c));
            nodes[end as usize].is_end = true;
        }
        Self::merged(nodes)
    }

    /// Children come behind their parents in the tree as it is grown.
    fn merged(nodes: Vec<Node>) -> Self {
        let mut known: FxHashMap<Node, StateId> = FxHashMap::default();
        let mut places = vec![0; nodes.len()];
        let mut merged = Vec::new();
        for (at, mut node) in nodes.into_iter().enumerate().rev() {
            for (_, child) in &mut node.children {
                *child = places[*child as usize];
            }
            places[at] = match known.get(&node) {
                Some(&place) if at > 0 => place,
                _ => {
                    let place = merged.len() as StateId;
                    merged.push(node.clone());
                    known.insert(node, place);
                    place
                }
            };
        }
        Self { nodes: merged }
    }

    fn spelled(&self, spelling: StringSpelling, beside: Option<&Dfa>) -> Dfa {
        let mut characters = self.nodes.iter().flat_map(|node| &node.children);
        match characters.all(|(own, _)| word_rows::is_plain(*own)) && !self.is_empty() {
            true => word_rows::spelled(self, spelling, beside),
            false => self.spelled_in_general(spelling, beside.is_some()),
        }
    }

    fn is_empty(&self) -> bool {
        self.nodes.iter().all(|node| !node.is_end)
    }

    fn spelled_in_general(&self, spelling: StringSpelling, beside: bool) -> Dfa {
        let root = self.nodes.len() as StateId - 1;
        let beyond = self.nodes.len() as StateId;
        let mut speller = Speller::new(&spelling, self.nodes.len() + 1, root);
        // Nodes with the same characters are spelled alike.
        let mut known: FxHashMap<Vec<char>, u32> = FxHashMap::default();
        let end = Node::default();
        for (at, node) in self.nodes.iter().chain([&end]).enumerate() {
            let at = at as StateId;
            speller.accept(at, node.is_end != beside);
            if node.children.is_empty() && !beside {
                continue;
            }
            let targets = node.children.iter().map(|(_, child)| *child);
            let targets: Vec<StateId> = targets.chain([beyond]).collect();
            let characters: Vec<char> = node.children.iter().map(|(own, _)| *own).collect();
            let tree = match known.get(&characters) {
                Some(&tree) => tree,
                None => {
                    let tree = speller.tree(&pieces(&characters, beside));
                    known.insert(characters, tree);
                    tree
                }
            };
            speller.connect(at, tree, &targets);
        }
        match beside {
            true => speller.finish(),
            // Nothing leads beyond.
            false => speller.finish().trimmed(),
        }
    }
}

fn child(nodes: &mut Vec<Node>, at: StateId, character: char) -> StateId {
    let known = &nodes[at as usize].children;
    match known.binary_search_by_key(&character, |(known, _)| *known) {
        Ok(place) => known[place].1,
        Err(place) => {
            let fresh = nodes.len() as StateId;
            nodes[at as usize]
                .children
                .insert(place, (character, fresh));
            nodes.push(Node::default());
            fresh
        }
    }
}

/// The characters, which are in order, each with a place of its own; the others, if
/// they are wanted, with the place behind these.
fn pieces(characters: &[char], others: bool) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut from = 0;
    let between = |pieces: &mut Vec<Piece>, from: u32, to: u32| {
        for (first, last) in [(0, 0xD7FF), (0xE000, ANY_CHARACTER.1)] {
            let (low, high) = (from.max(first), to.min(last));
            if others && low <= high {
                pieces.push((low, high, characters.len() as u32));
            }
        }
    };
    for (place, &character) in characters.iter().enumerate() {
        let code = character as u32;
        if code > from {
            between(&mut pieces, from, code - 1);
        }
        pieces.push((code, code, place as u32));
        from = code + 1;
    }
    between(&mut pieces, from, ANY_CHARACTER.1);
    pieces
}
