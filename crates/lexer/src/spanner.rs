//! What tokens do to a lexer state: the spanner table, a row at a time.
//!
//! GreatGramma (Park et al. 2025, section 3) tabulates, for every lexer state
//! and token, the terminals the token finishes and the state it ends in. Here a
//! row belongs to a lexer state *and a node of the token trie*: a token that
//! finishes a terminal half-way is picked up at that node, between lexemes. A
//! row groups tokens by where they land, so what is stored is the number of
//! distinct landings, and rows are computed only for states that a check asks
//! about. One row costs at most one walk of the trie.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Finish, Lexer, LexerState, TokenId, TrieNode, Vocabulary};

/// Tokens that end inside (or at the end of) the lexeme they began in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The lexer state after the token.
    pub state: LexerState,
    /// One token that lands there.
    pub token: TokenId,
}

/// A lexeme that ends half-way through some token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Exit {
    /// Its terminal, and the boundary behind it.
    pub finish: Finish,
    /// Where in the trie it ends.
    pub node: TrieNode,
}

/// What tokens do from one lexer state and trie node.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// One landing for each state tokens can end in.
    pub landings: Vec<Landing>,
    /// All places where a terminal can end with bytes of the token left.
    pub exits: Vec<Exit>,
}

/// Rows of the spanner table, memoised.
#[derive(Clone, Debug)]
pub struct Spanner {
    vocabulary: Arc<Vocabulary>,
    rows: FxHashMap<(TrieNode, LexerState), Arc<Row>>,
    entries: usize,
}

impl Spanner {
    /// An empty memo over a vocabulary. Use it with one lexer only.
    pub fn new(vocabulary: Arc<Vocabulary>) -> Self {
        Self {
            vocabulary,
            rows: FxHashMap::default(),
            entries: 0,
        }
    }

    /// Landings and exits in all rows, a measure of the memory.
    pub fn entry_count(&self) -> usize {
        self.entries
    }

    /// Forgets all rows if they have more entries than that.
    pub fn forget_beyond(&mut self, entries: usize) {
        if self.entries > entries {
            self.rows.clear();
            self.entries = 0;
        }
    }

    /// The row of a state at a trie node (the root: at a token boundary).
    pub fn row(&mut self, lexer: &Lexer, node: TrieNode, state: LexerState) -> Arc<Row> {
        let (vocabulary, entries) = (&self.vocabulary, &mut self.entries);
        let row = self.rows.entry((node, state)).or_insert_with(|| {
            let trie = vocabulary.trie();
            let mut row = Row::default();
            let mut landed = FxHashSet::default();
            trie.walk(
                node,
                state,
                |state, byte| lexer.next(state, byte),
                |node, state| {
                    if let Some(&token) = trie.tokens_at(node).first()
                        && landed.insert(state)
                    {
                        row.landings.push(Landing { state, token });
                    }
                    if trie.has_below(node) {
                        let finishes = lexer.finishes(state);
                        row.exits
                            .extend(finishes.iter().map(|&finish| Exit { finish, node }));
                    }
                },
            );
            *entries += row.landings.len() + row.exits.len();
            Arc::new(row)
        });
        Arc::clone(row)
    }

    /// Number of rows computed so far.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }
}
