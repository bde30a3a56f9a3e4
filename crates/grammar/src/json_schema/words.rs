//! The spellings of texts that are listed, or of all texts of a language but these, as
//! a tree of their beginnings whose equal branches are one.
//!
//! Listed texts and free names are most of what a schema spells, so those of plain
//! ASCII have rows of their own ([`super::word_rows`]); others take the general way.

use rustc_hash::FxHashMap;

use super::strings::StringSpelling;
use super::word_rows;
use crate::automaton::spell::{Piece, Speller};
use crate::automaton::{AutomatonError, Dfa, StateId};

/// Most beginnings of names that others are told from.
const MAX_NODES: usize = 50_000;

/// The spellings, without quotes, of some texts; nearly minimal.
pub(super) fn spelled<'w>(words: impl Iterator<Item = &'w str>, spelling: StringSpelling) -> Dfa {
    let tree = Tree::new(words);
    match tree.is_plain() {
        true => word_rows::spelled(&tree.merged(), spelling, None),
        false => tree.merged().spelled_in_general(spelling),
    }
}

/// The spellings, without quotes, of all other texts of which `all` are the spellings;
/// nearly minimal. `None` where the words are not all plain and these are not all texts.
pub(super) fn beside<'w>(
    words: impl Iterator<Item = &'w str>,
    spelling: StringSpelling,
    all: &Dfa,
) -> Result<Option<Dfa>, AutomatonError> {
    let mut tree = Tree::new(words);
    if tree.nodes.len() > MAX_NODES {
        return Err(AutomatonError::TooLarge {
            what: "beginnings of names",
            limit: MAX_NODES,
        });
    }
    Ok(match tree.is_plain() {
        true => {
            tree.follow(all);
            // Where the words are among all texts, what is not the beginning of one is not
            // either, and nothing is left over.
            let is_any = tree.nodes.iter().all(|node| node.like == all.start());
            let spelled = word_rows::spelled(&tree.merged(), spelling, Some(all));
            Some(match is_any {
                true => spelled,
                false => spelled.trimmed(),
            })
        }
        false => None,
    })
}

/// A beginning of words: the characters that go on, each with the node behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub children: Vec<(char, StateId)>,
    /// Whether a word ends here.
    pub is_end: bool,
    /// The state of the automaton of all texts here.
    pub like: StateId,
}

/// Beginnings of words.
pub(super) struct Tree {
    /// As it is grown, the root first; merged, the root last, behind all that it leads to.
    pub nodes: Vec<Node>,
}

impl Tree {
    fn new<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut nodes = vec![Node::default()];
        for word in words {
            let end = word.chars().fold(0, |at, c| child(&mut nodes, at, c));
            nodes[end as usize].is_end = true;
        }
        Self { nodes }
    }

    /// Whether all characters stand for themselves, and there are some.
    fn is_plain(&self) -> bool {
        let mut characters = self.nodes.iter().flat_map(|node| &node.children);
        characters.all(|(own, _)| word_rows::is_plain(*own)) && self.nodes.len() > 1
    }

    /// Notes where all texts lead, which the words are among.
    fn follow(&mut self, all: &Dfa) {
        self.nodes[0].like = all.start();
        for at in 0..self.nodes.len() {
            let like = self.nodes[at].like;
            for (character, child) in self.nodes[at].children.clone() {
                let next = all.next(like, character as u8);
                self.nodes[child as usize].like = next.unwrap_or(like);
            }
        }
    }

    /// The same with those that go on alike as one.
    fn merged(self) -> Self {
        let mut known: FxHashMap<Node, StateId> = FxHashMap::default();
        let mut places = vec![0; self.nodes.len()];
        let mut merged = Vec::new();
        // Children come behind their parents.
        for (at, mut node) in self.nodes.into_iter().enumerate().rev() {
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

    /// The words' spellings, whatever their characters.
    fn spelled_in_general(&self, spelling: StringSpelling) -> Dfa {
        let root = self.nodes.len() as StateId - 1;
        let mut speller = Speller::new(&spelling, self.nodes.len(), root);
        // Nodes with the same characters are spelled alike.
        let mut known: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
        for (at, node) in self.nodes.iter().enumerate() {
            let at = at as StateId;
            speller.accept(at, node.is_end);
            if node.children.is_empty() {
                continue;
            }
            let targets = node.children.iter().map(|(_, child)| *child);
            let targets: Vec<StateId> = targets.collect();
            let characters: Vec<char> = node.children.iter().map(|(own, _)| *own).collect();
            let key = characters.iter().map(|&own| u32::from(own)).collect();
            let fresh = || speller.tree(&pieces(&characters));
            let tree = *known.entry(key).or_insert_with(fresh);
            speller.connect(at, tree, &targets);
        }
        speller.finish().trimmed()
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

/// The characters, which are in order, each with a place of its own.
fn pieces(characters: &[char]) -> Vec<Piece> {
    let codes = (0..).zip(characters);
    let codes = codes.map(|(place, &character)| (character as u32, place));
    codes.map(|(code, place)| (code, code, place)).collect()
}
