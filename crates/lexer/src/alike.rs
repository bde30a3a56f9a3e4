//! A descent of the token trie in which nodes to which the same has come go on together.
//!
//! Most of a vocabulary's tokens are words, and in a string one word of a length does what
//! another does. So an automaton need not be walked over each of them: nodes of one depth
//! are a group if all ways to them lead to the same states, and of a group's bytes those are
//! read as one that lead to the same.
//!
//! Cost: what has come to each group, for each class of bytes behind it; and a step for each
//! node.

use rustc_hash::FxHashMap;

use crate::{TokenId, TokenTrie, TrieNode};

/// What has come to a node: a state, a count, and a number that is added up where two of one
/// state and count come together.
pub type Arrived = (u32, u32, u64);

/// An automaton, and what is wanted of its descent.
pub trait Descent {
    /// What comes of this behind a byte, in any order.
    fn read(&self, here: &[Arrived], byte: u8) -> Vec<Arrived>;

    /// Sees what has come to some tokens.
    fn visit(&mut self, tokens: &[TokenId], here: &[Arrived]);

    /// Adds what else is here before the next byte of a token is read, but the first.
    fn finish(&self, _here: &mut Vec<Arrived>) {}
}

/// Nodes, and what has come to them.
type Group = (Vec<TrieNode>, Vec<Arrived>);

impl TokenTrie {
    /// Goes through all nodes that anything comes to. Bytes of one class are not told apart by
    /// the automaton.
    pub fn descend_alike(
        &self,
        classes: &[u8; 256],
        start: Vec<Arrived>,
        descent: &mut dyn Descent,
    ) {
        let mut level: Vec<Group> = vec![(vec![0], start)];
        // By class, and the classes of which there are any.
        let mut below: Vec<Vec<TrieNode>> = vec![Vec::new(); 256];
        let mut met: Vec<u8> = Vec::new();
        let mut tokens: Vec<TokenId> = Vec::new();
        while !level.is_empty() {
            let mut deeper: Vec<Group> = Vec::new();
            let mut ids: FxHashMap<(u32, u32), u32> = FxHashMap::default();
            for (nodes, mut here) in level {
                tokens.clear();
                met.clear();
                for &node in &nodes {
                    tokens.extend(self.tokens_at(node));
                    for (byte, child) in self.children(node) {
                        let class = classes[byte as usize];
                        let same = &mut below[class as usize];
                        if same.is_empty() {
                            met.push(class);
                        }
                        same.push(child);
                    }
                }
                if !tokens.is_empty() {
                    descent.visit(&tokens, &here);
                }
                if met.is_empty() {
                    continue;
                }
                if nodes[0] != 0 {
                    descent.finish(&mut here);
                    here = united(here);
                }
                let mut known: Vec<(Vec<Arrived>, usize)> = Vec::new();
                for &class in &met {
                    let same = &mut below[class as usize];
                    let read = descent.read(&here, self.byte(same[0]));
                    if read.is_empty() {
                        same.clear();
                        continue;
                    }
                    let place = match known.iter().find(|(known, _)| *known == read) {
                        Some(&(_, place)) => place,
                        None => {
                            let next = united(read.clone());
                            let fresh = deeper.len() as u32;
                            let place = *ids.entry(fingerprint(&next)).or_insert(fresh);
                            let is_known = deeper.get(place as usize).is_some_and(|g| g.1 == next);
                            let place = if is_known { place } else { fresh } as usize;
                            if !is_known {
                                deeper.push((Vec::new(), next));
                            }
                            known.push((read, place));
                            place
                        }
                    };
                    deeper[place].0.append(same);
                }
            }
            level = deeper;
        }
    }
}

/// Each state and count once, with the sum of all that came to it.
fn united(mut arrived: Vec<Arrived>) -> Vec<Arrived> {
    arrived.sort_unstable_by_key(|&(state, count, _)| (state, count));
    arrived.dedup_by(|next, kept| {
        let is_same = (next.0, next.1) == (kept.0, kept.1);
        if is_same {
            kept.2 = kept.2.wrapping_add(next.2);
        }
        is_same
    });
    arrived
}

/// A number that differs where what has come does, as a rule. In two halves: pairs are keys
/// elsewhere too, so their map is there.
fn fingerprint(here: &[Arrived]) -> (u32, u32) {
    let mixed = here.iter().fold(0u64, |all, &(state, count, sum)| {
        let place = u64::from(state) << 32 | u64::from(count);
        let mixed = (all ^ sum)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
        (mixed ^ place).wrapping_mul(0xBF58_476D_1CE4_E5B9)
    });
    (mixed as u32, (mixed >> 32) as u32)
}
