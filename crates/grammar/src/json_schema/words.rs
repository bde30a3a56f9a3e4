//! The spellings of few texts, as a tree of their beginnings.
//!
//! Decoding a JSON string is deterministic, so a tree of characters becomes one of
//! spellings: from each node all spellings of a character lead to the same node.

use rustc_hash::FxHashMap;

use super::strings::StringSpelling;
use crate::automaton::{Dfa, StateId};

/// The spellings, without quotes, of some texts; not minimised.
pub(super) fn spelled<'w>(words: impl Iterator<Item = &'w str>, spelling: StringSpelling) -> Dfa {
    let mut tree = Tree::default();
    tree.add();
    for word in words {
        let mut node = 0;
        for character in word.chars() {
            node = tree.child(node, character, spelling);
        }
        tree.accepting[node as usize] = true;
    }
    Dfa::of_rows(&tree.rows, tree.accepting)
}

#[derive(Default)]
struct Tree {
    rows: Vec<Vec<(u8, StateId)>>,
    accepting: Vec<bool>,
    children: FxHashMap<(StateId, char), StateId>,
}

impl Tree {
    fn add(&mut self) -> StateId {
        self.rows.push(Vec::new());
        self.accepting.push(false);
        self.rows.len() as StateId - 1
    }

    fn child(&mut self, node: StateId, character: char, spelling: StringSpelling) -> StateId {
        if let Some(&known) = self.children.get(&(node, character)) {
            return known;
        }
        let child = self.add();
        self.children.insert((node, character), child);
        let any_case = spelling == StringSpelling::Any;
        for path in spelling.spellings_of(character) {
            self.connect(node, &path, child, any_case);
        }
        child
    }

    fn connect(&mut self, from: StateId, path: &[u8], to: StateId, any_case: bool) {
        let Some((last, before)) = path.split_last() else {
            return;
        };
        let mut at = from;
        for &byte in before {
            let known = self.rows[at as usize]
                .iter()
                .find(|(other, _)| *other == byte);
            at = match known {
                Some(&(_, next)) => next,
                None => {
                    let next = self.add();
                    // Hexadecimal digits of either case lead on alike.
                    self.rows[at as usize].push((byte, next));
                    if let Some(other) = other_case(path, byte).filter(|_| any_case) {
                        self.rows[at as usize].push((other, next));
                    }
                    next
                }
            };
        }
        self.rows[at as usize].push((*last, to));
        if let Some(other) = other_case(path, *last).filter(|_| any_case) {
            self.rows[at as usize].push((other, to));
        }
    }
}

/// The same digit in the other case, on a path of escaped units whose digits are
/// in lower case.
fn other_case(path: &[u8], byte: u8) -> Option<u8> {
    let escaped = path.starts_with(b"\\u") && (b'a'..=b'f').contains(&byte);
    escaped.then(|| byte.to_ascii_uppercase())
}
