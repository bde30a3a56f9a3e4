//! The spellings of texts that are listed, or of all but these, as a tree of their
//! beginnings.

use rustc_hash::FxHashMap;

use super::strings::StringSpelling;
use crate::automaton::spell::{Piece, Speller};
use crate::automaton::{Dfa, StateId};
use crate::characters::ANY_CHARACTER;

/// The spellings, without quotes, of some texts; not minimised.
pub(super) fn spelled<'w>(words: impl Iterator<Item = &'w str>, spelling: StringSpelling) -> Dfa {
    Tree::new(words).spelled(&spelling, false)
}

/// The spellings, without quotes, of all other texts; nearly minimal.
pub(super) fn beside<'w>(words: impl Iterator<Item = &'w str>, spelling: StringSpelling) -> Dfa {
    Tree::new(words).spelled(&spelling, true)
}

/// State 0 is behind all the words.
const BEYOND: StateId = 0;

struct Tree {
    children: Vec<Vec<(char, StateId)>>,
    ends: Vec<bool>,
}

impl Tree {
    fn new<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut tree = Self {
            children: vec![Vec::new(); 2],
            ends: vec![false; 2],
        };
        for word in words {
            let end = word
                .chars()
                .fold(1, |node, character| tree.child(node, character));
            tree.ends[end as usize] = true;
        }
        tree
    }

    fn child(&mut self, node: StateId, character: char) -> StateId {
        let known = &self.children[node as usize];
        match known.binary_search_by_key(&character, |(known, _)| *known) {
            Ok(at) => known[at].1,
            Err(at) => {
                let fresh = self.children.len() as StateId;
                self.children[node as usize].insert(at, (character, fresh));
                self.children.push(Vec::new());
                self.ends.push(false);
                fresh
            }
        }
    }

    fn spelled(&self, spelling: &StringSpelling, beside: bool) -> Dfa {
        let mut speller = Speller::new(spelling, self.children.len(), 1);
        // Nodes with the same characters are spelled alike.
        let mut known: FxHashMap<Vec<char>, u32> = FxHashMap::default();
        for (node, children) in self.children.iter().enumerate() {
            let node = node as StateId;
            speller.accept(node, self.ends[node as usize] != beside);
            if children.is_empty() && !beside {
                continue;
            }
            let targets = children.iter().map(|(_, child)| *child);
            let targets: Vec<StateId> = targets.chain([BEYOND]).collect();
            let characters: Vec<char> = children.iter().map(|(own, _)| *own).collect();
            let tree = match known.get(&characters) {
                Some(&tree) => tree,
                None => {
                    let tree = speller.tree(&pieces(&characters, beside));
                    known.insert(characters, tree);
                    tree
                }
            };
            speller.connect(node, tree, &targets);
        }
        match beside {
            true => speller.finish(),
            // Nothing leads beyond.
            false => speller.finish().trimmed(),
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
