//! A few tokens that are enough for most texts.
//!
//! Many tokens do in one go what others do one after the other, or write a name that
//! might as well be another one. Where any text will do, a much smaller choice of tokens
//! is enough as a rule: what begins between lexemes, finishes the same ones and
//! may end as the same ones is one token, the shortest; and so that any keyword can be
//! spelled, so are single bytes that no state tells apart. Of texts that need
//! other tokens, none is found with these.
//!
//! Cost: a descent of the token trie from one state.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::{BitSet, Lexer, LexerState, TokenId, TokenPartition, Vocabulary};

/// The plain tokens of a vocabulary, the shortest first.
pub struct PlainTokens<'a> {
    vocabulary: &'a Vocabulary,
    tokens: Vec<TokenId>,
    /// How many there are that a lexeme can begin with.
    all: usize,
}

impl<'a> PlainTokens<'a> {
    /// Finds them.
    pub fn new(lexer: &Lexer, vocabulary: &'a Vocabulary) -> Self {
        let by_end = TokenPartition::from_start(lexer, vocabulary, |state| endings(lexer, state));
        let length = |token: TokenId| vocabulary.bytes(token).map_or(0, <[u8]>::len);
        let mut plain = shortest(&by_end, length);
        let trie = vocabulary.trie();
        let mut met = BitSet::new(256);
        for (byte, node) in trie.children(0) {
            let class = usize::from(lexer.classes[usize::from(byte)]);
            if !met.contains(class)
                && let Some(&token) = trie.tokens_at(node).first()
            {
                met.insert(class);
                plain.push(token);
            }
        }
        plain.sort_unstable_by_key(|&token| (length(token), token));
        plain.dedup();
        Self {
            vocabulary,
            tokens: plain,
            all: by_end.of_token.iter().flatten().count(),
        }
    }

    /// All tokens of the vocabulary, of which only plain ones are in the trie: at most so many.
    /// `None` if they are not less than half of all.
    pub fn vocabulary(&self, most: usize) -> Option<Vocabulary> {
        let plain = &self.tokens[..self.tokens.len().min(most.max(1))];
        (2 * plain.len() < self.all).then(|| self.vocabulary.filled_by(plain))
    }
}

/// The same number for states in which the same lexemes may end.
fn endings(lexer: &Lexer, state: LexerState) -> u32 {
    let finishes = lexer.finishes(state).iter();
    let mut terminals: Vec<_> = finishes.map(|finish| finish.terminal).collect();
    terminals.sort_unstable();
    let mut hasher = FxHasher::default();
    terminals.hash(&mut hasher);
    hasher.finish() as u32
}

/// A token of each class.
fn shortest(partition: &TokenPartition, length: impl Fn(TokenId) -> usize) -> Vec<TokenId> {
    let mut chosen: Vec<Option<TokenId>> = vec![None; partition.classes];
    for (token, class) in (0..).zip(&partition.of_token) {
        let Some(class) = class else {
            continue;
        };
        let known = &mut chosen[*class as usize];
        if known.is_none_or(|known| length(token) < length(known)) {
            *known = Some(token);
        }
    }
    chosen.into_iter().flatten().collect()
}
