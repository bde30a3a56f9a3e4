//! All fillable tokens as one byte trie, laid out in depth-first order.
//!
//! A walk that cannot follow a node skips its subtree in one jump, so walking
//! an automaton over the vocabulary costs what the automaton can follow, not
//! the size of the vocabulary.

use crate::TokenId;

/// Index of a node; the root is 0.
pub type TrieNode = u32;

/// The trie; nodes are in depth-first order.
#[derive(Clone, Debug, Default)]
pub struct TokenTrie {
    byte: Vec<u8>,
    depth: Vec<u16>,
    subtree_end: Vec<TrieNode>,
    tokens: Vec<TokenId>,
    tokens_start: Vec<u32>,
}

impl TokenTrie {
    /// The trie of these tokens.
    pub(crate) fn of(mut tokens: Vec<(&[u8], TokenId)>) -> Self {
        tokens.sort_unstable();
        let mut trie = Self {
            byte: vec![0],
            depth: vec![0],
            subtree_end: vec![0],
            tokens: Vec::new(),
            tokens_start: vec![0],
        };
        let mut path: Vec<TrieNode> = vec![0];
        let mut previous: &[u8] = &[];
        for (bytes, id) in tokens {
            let shared = previous
                .iter()
                .zip(bytes)
                .take_while(|(a, b)| a == b)
                .count();
            trie.close(&mut path, shared);
            for &byte in &bytes[shared..] {
                let node = trie.byte.len() as TrieNode;
                trie.byte.push(byte);
                trie.depth.push(path.len() as u16);
                trie.subtree_end.push(node + 1);
                trie.tokens_start.push(trie.tokens.len() as u32);
                path.push(node);
            }
            trie.tokens.push(id);
            previous = bytes;
        }
        trie.close(&mut path, 0);
        let nodes = trie.byte.len() as TrieNode;
        trie.subtree_end[0] = nodes;
        trie.tokens_start.push(trie.tokens.len() as u32);
        trie
    }

    fn close(&mut self, path: &mut Vec<TrieNode>, keep: usize) {
        let end = self.byte.len() as TrieNode;
        while path.len() > keep + 1 {
            if let Some(node) = path.pop() {
                self.subtree_end[node as usize] = end;
            }
        }
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Number of nodes, the root included.
    pub fn node_count(&self) -> usize {
        self.byte.len()
    }

    /// The tokens that end at a node.
    pub fn tokens_at(&self, node: TrieNode) -> &[TokenId] {
        let node = node as usize;
        &self.tokens[self.tokens_start[node] as usize..self.tokens_start[node + 1] as usize]
    }

    /// Whether longer tokens go through a node.
    pub fn has_below(&self, node: TrieNode) -> bool {
        self.subtree_end[node as usize] > node + 1
    }

    /// The last byte of the way to a node.
    pub(crate) fn byte(&self, node: TrieNode) -> u8 {
        self.byte[node as usize]
    }

    /// The nodes one byte below another, with their bytes.
    pub(crate) fn children(&self, node: TrieNode) -> impl Iterator<Item = (u8, TrieNode)> + '_ {
        let end = self.subtree_end[node as usize];
        let first = Some(node + 1).filter(|&child| child < end);
        let next = move |&child: &TrieNode| {
            Some(self.subtree_end[child as usize]).filter(|&next| next < end)
        };
        std::iter::successors(first, next).map(|child| (self.byte[child as usize], child))
    }

    /// The node one byte below another.
    pub fn child(&self, node: TrieNode, byte: u8) -> Option<TrieNode> {
        let end = self.subtree_end[node as usize];
        let mut child = node + 1;
        while child < end {
            match self.byte[child as usize].cmp(&byte) {
                std::cmp::Ordering::Less => child = self.subtree_end[child as usize],
                std::cmp::Ordering::Equal => return Some(child),
                std::cmp::Ordering::Greater => return None,
            }
        }
        None
    }

    /// The tokens that `text` begins with, shortest first, as lengths and one
    /// token of each.
    pub fn prefixes<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (usize, TokenId)> + 'a {
        let mut node = Some(0);
        let nodes = text.iter().map_while(move |&byte| {
            node = self.child(node?, byte);
            node
        });
        nodes
            .zip(1..)
            .filter_map(|(node, length)| Some((length, *self.tokens_at(node).first()?)))
    }

    /// Visits all nodes but the root, each with its depth (1 below the root) and its
    /// byte; `visit` tells whether to go on below.
    pub fn descend(&self, mut visit: impl FnMut(TrieNode, usize, u8) -> bool) {
        let mut node: TrieNode = 1;
        while (node as usize) < self.byte.len() {
            let at = node as usize;
            node = match visit(node, self.depth[at] as usize, self.byte[at]) {
                true => node + 1,
                false => self.subtree_end[at],
            };
        }
    }

    /// Walks the nodes strictly below `from`, carrying a state.
    ///
    /// `next` gives the state after one more byte, or `None` to skip the
    /// subtree; `visit` sees each node reached, with its state.
    pub fn walk<S: Copy>(
        &self,
        from: TrieNode,
        state: S,
        mut next: impl FnMut(S, u8) -> Option<S>,
        mut visit: impl FnMut(TrieNode, S),
    ) {
        let base = self.depth[from as usize] as usize;
        let mut states = vec![state];
        let mut node = from + 1;
        let end = self.subtree_end[from as usize];
        while node < end {
            let at = node as usize;
            let above = self.depth[at] as usize - base;
            states.truncate(above);
            match next(states[above - 1], self.byte[at]) {
                Some(state) => {
                    visit(node, state);
                    states.push(state);
                    node += 1;
                }
                None => node = self.subtree_end[at],
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walk_reaches_every_token_once() {
        let words = [&b"a"[..], b"ab", b"abc", b"b", b"ba", b"a"];
        let trie = TokenTrie::of(words.into_iter().zip(0..).collect());
        let mut found: Vec<TokenId> = Vec::new();
        trie.walk(
            0,
            (),
            |(), _| Some(()),
            |node, ()| found.extend(trie.tokens_at(node)),
        );
        assert_eq!(found, [0, 5, 1, 2, 3, 4]);
    }

    #[test]
    fn a_refused_byte_skips_its_subtree() {
        let words = [&b"ab"[..], b"ac", b"b"];
        let trie = TokenTrie::of(words.into_iter().zip(0..).collect());
        let mut found: Vec<TokenId> = Vec::new();
        trie.walk(
            0,
            (),
            |(), byte| (byte != b'a').then_some(()),
            |node, ()| found.extend(trie.tokens_at(node)),
        );
        assert_eq!(found, [2]);
    }
}
