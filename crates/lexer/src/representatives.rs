//! One token for each class of those that no lexer state tells apart.
//!
//! Where a vocabulary is large, most of its tokens do the same as another one, whatever
//! the grammar's parser makes of them ([`TokenPartition`]). What asks for *a* token that
//! does something walks a trie of the representatives, which is smaller;
//! what asks for all tokens gets those of the classes from there.
//!
//! Cost: the partition, once for a lexer and a vocabulary.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Lexer, TokenId, TokenPartition, Vocabulary};

/// A vocabulary in which one token of each class fills cells.
#[derive(Debug)]
pub struct Representatives {
    vocabulary: Arc<Vocabulary>,
    /// The classes of more than one token, by their representatives.
    classes: FxHashMap<TokenId, Box<[TokenId]>>,
}

impl Representatives {
    /// The shortest token of each class stands for it.
    pub fn new(lexer: &Lexer, vocabulary: &Vocabulary) -> Self {
        let partition = TokenPartition::new(lexer, vocabulary);
        let mut classes: Vec<Vec<TokenId>> = vec![Vec::new(); partition.classes];
        for (token, class) in (0..).zip(&partition.of_token) {
            if let Some(class) = class {
                classes[*class as usize].push(token);
            }
        }
        let length = |token: TokenId| vocabulary.bytes(token).map_or(0, <[u8]>::len);
        let mut chosen: Vec<TokenId> = Vec::with_capacity(classes.len());
        let mut known = FxHashMap::default();
        for class in classes {
            let Some(shortest) = class.iter().copied().min_by_key(|&token| length(token)) else {
                continue;
            };
            chosen.push(shortest);
            if class.len() > 1 {
                known.insert(shortest, class.into());
            }
        }
        chosen.sort_unstable();
        Self {
            vocabulary: Arc::new(vocabulary.filled_by(&chosen)),
            classes: known,
        }
    }

    /// All tokens, of which only the representatives are in the trie.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// The tokens that a representative stands for, but for itself.
    pub fn others(&self, representative: TokenId) -> impl Iterator<Item = TokenId> + '_ {
        let class = self.classes.get(&representative);
        let tokens = class.map_or(&[][..], |class| class).iter().copied();
        tokens.filter(move |&token| token != representative)
    }
}
