//! The model's vocabulary, as bytes.
//!
//! A token is *fillable* if a masked cell may become it: it emits at least one
//! byte. Special tokens (mask, padding, ends) are not, unless a grammar names them
//! ([`Vocabulary::naming`]), nor are tokens that are kept out of cells
//! ([`Vocabulary::keeping_out`]), which text may hold all the same. What is checked is the bytes that will be emitted, so
//! a token may hold part of a character.

use std::sync::Arc;

use lacuna_grammar::TokenTexts;
use rustc_hash::FxHashMap;

use crate::TokenTrie;

/// A token's number in the model's vocabulary.
pub type TokenId = u32;

/// The tokens of a model.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    tokens: Arc<Vec<Option<Box<[u8]>>>>,
    /// What stands for special tokens in a text.
    special: FxHashMap<TokenId, Box<[u8]>>,
    ends: Vec<TokenId>,
    mask: TokenId,
    /// Tokens that text may hold and no cell may become, ascending.
    kept_out: Vec<TokenId>,
    /// The others that have bytes.
    trie: TokenTrie,
}

/// Why a list of tokens is no vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VocabularyError {
    /// The mask or an end is not among the tokens.
    #[error("token {token} ({role}) is outside the vocabulary of {size} tokens")]
    OutOfRange {
        /// What the token is for.
        role: &'static str,
        /// Its id.
        token: TokenId,
        /// Number of tokens.
        size: usize,
    },
    /// No end-of-text token was named.
    #[error("the vocabulary names no end-of-text token")]
    NoEnd,
    /// The mask is also an end.
    #[error("token {0} is both the mask and an end of text")]
    MaskIsEnd(TokenId),
    /// No token emits a byte.
    #[error("no token of the vocabulary emits a byte")]
    NothingFillable,
}

impl Vocabulary {
    /// A vocabulary from each token's bytes (`None`: special, emits nothing),
    /// the ids that end a text, and the mask's id.
    ///
    /// # Errors
    /// When an id is out of range, no end is named, or nothing is fillable.
    pub fn new(
        tokens: Vec<Option<Vec<u8>>>,
        ends: Vec<TokenId>,
        mask: TokenId,
    ) -> Result<Self, VocabularyError> {
        let size = tokens.len();
        let roles = ends
            .iter()
            .map(|&end| (end, "end of text"))
            .chain([(mask, "mask")]);
        for (token, role) in roles {
            if token as usize >= size {
                return Err(VocabularyError::OutOfRange { role, token, size });
            }
        }
        if ends.is_empty() {
            return Err(VocabularyError::NoEnd);
        }
        if ends.contains(&mask) {
            return Err(VocabularyError::MaskIsEnd(mask));
        }
        let special = |id: TokenId| id == mask || ends.contains(&id);
        let tokens: Vec<Option<Box<[u8]>>> = (0..)
            .zip(tokens)
            .map(|(id, bytes)| {
                bytes
                    .filter(|bytes| !bytes.is_empty() && !special(id))
                    .map(Vec::into_boxed_slice)
            })
            .collect();
        Self {
            tokens: Arc::new(tokens),
            special: FxHashMap::default(),
            ends,
            mask,
            kept_out: Vec::new(),
            trie: TokenTrie::default(),
        }
        .with_trie()
    }

    /// The same vocabulary in which these tokens may stand in text, and may not fill cells.
    ///
    /// # Errors
    /// When nothing is fillable then.
    pub fn keeping_out(mut self, tokens: &[TokenId]) -> Result<Self, VocabularyError> {
        self.kept_out.extend_from_slice(tokens);
        self.kept_out.sort_unstable();
        self.kept_out.dedup();
        self.with_trie()
    }

    fn with_trie(mut self) -> Result<Self, VocabularyError> {
        self.trie = self.trie_of_fillable();
        match self.trie.is_empty() {
            true => Err(VocabularyError::NothingFillable),
            false => Ok(self),
        }
    }

    fn trie_of_fillable(&self) -> TokenTrie {
        let mut tokens = Vec::new();
        for id in 0..self.tokens.len() as TokenId {
            if self.is_fillable(id) {
                tokens.push(id);
            }
        }
        self.trie_of(&tokens)
    }

    fn trie_of(&self, chosen: &[TokenId]) -> TokenTrie {
        let mut tokens = Vec::new();
        for &id in chosen {
            if let Some(bytes) = self.bytes(id) {
                tokens.push((bytes, id));
            }
        }
        TokenTrie::of(tokens)
    }

    /// The same vocabulary, knowing what stands for special tokens in a text. The
    /// mask and the ends never stand in one.
    pub fn with_special<T: Into<Vec<u8>>>(
        mut self,
        texts: impl IntoIterator<Item = (TokenId, T)>,
    ) -> Self {
        let texts = texts.into_iter().map(|(id, text)| (id, text.into()));
        let texts = texts.filter(|(id, text)| {
            let written = matches!(self.tokens.get(*id as usize), Some(None));
            written && !text.is_empty() && *id != self.mask && !self.ends.contains(id)
        });
        self.special = texts
            .map(|(id, text)| (id, text.into_boxed_slice()))
            .collect();
        self
    }

    /// The vocabulary in which these tokens may fill cells, special ones too.
    pub fn naming(self: &Arc<Self>, named: &[TokenId]) -> Arc<Self> {
        let special = |id: &&TokenId| self.special.contains_key(id);
        if named.iter().find(special).is_none() {
            return Arc::clone(self);
        }
        let mut vocabulary = Self::clone(self);
        for id in named {
            if let Some(text) = vocabulary.special.remove(id) {
                Arc::make_mut(&mut vocabulary.tokens)[*id as usize] = Some(text);
            }
        }
        vocabulary.trie = vocabulary.trie_of_fillable();
        Arc::new(vocabulary)
    }

    /// The vocabulary in which none but these tokens are in the trie.
    pub fn filled_by(&self, chosen: &[TokenId]) -> Self {
        Self {
            trie: self.trie_of(chosen),
            tokens: Arc::clone(&self.tokens),
            special: self.special.clone(),
            ends: self.ends.clone(),
            mask: self.mask,
            kept_out: self.kept_out.clone(),
        }
    }

    /// Number of tokens, special ones included.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is no token; never true of a vocabulary that was made.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The bytes of a token that text may hold: a fillable one, or one that is kept out of cells.
    pub fn bytes(&self, token: TokenId) -> Option<&[u8]> {
        self.tokens.get(token as usize)?.as_deref()
    }

    /// Whether a masked cell may become the token.
    pub fn is_fillable(&self, token: TokenId) -> bool {
        self.bytes(token).is_some() && self.kept_out.binary_search(&token).is_err()
    }

    /// Whether the token ends the text.
    pub fn is_end(&self, token: TokenId) -> bool {
        self.ends.contains(&token)
    }

    /// The end of text that Lacuna itself writes.
    pub fn end(&self) -> TokenId {
        self.ends[0]
    }

    /// All ids that end a text.
    pub fn ends(&self) -> &[TokenId] {
        &self.ends
    }

    /// The mask's id.
    pub fn mask(&self) -> TokenId {
        self.mask
    }

    /// The fillable tokens as a trie.
    pub fn trie(&self) -> &TokenTrie {
        &self.trie
    }

    /// The longest token, in bytes.
    pub fn longest(&self) -> usize {
        self.tokens
            .iter()
            .flatten()
            .map(|bytes| bytes.len())
            .max()
            .unwrap_or(0)
    }
}

impl TokenTexts for Vocabulary {
    fn count(&self) -> u32 {
        self.tokens.len() as u32
    }

    fn text(&self, token: u32) -> Option<&[u8]> {
        self.bytes(token)
            .or_else(|| self.special.get(&token).map(AsRef::as_ref))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_tokens_fill_cells_where_they_are_named() {
        let tokens = vec![None, None, None, None, Some(b"a".to_vec())];
        let plain = Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary");
        let texts = [(0, "<end>"), (1, "<mask>"), (2, "<think>"), (3, "<other>")];
        let vocabulary = Arc::new(plain.with_special(texts));
        assert_eq!(TokenTexts::text(&*vocabulary, 0), None);
        assert_eq!(TokenTexts::text(&*vocabulary, 1), None);
        assert_eq!(TokenTexts::text(&*vocabulary, 2), Some(&b"<think>"[..]));
        assert_eq!(vocabulary.bytes(2), None);

        let naming = vocabulary.naming(&[2, 4, 0]);
        assert_eq!(naming.bytes(2), Some(&b"<think>"[..]));
        assert_eq!(naming.bytes(3), None);
        assert_eq!(naming.bytes(0), None);
        assert_eq!(naming.trie().prefixes(b"<think>").last(), Some((7, 2)));
        assert!(Arc::ptr_eq(&vocabulary, &vocabulary.naming(&[4, 99])));
    }

    #[test]
    fn tokens_that_are_kept_out_of_cells_stand_in_text() {
        let tokens = vec![None, None, None, Some(b"a".to_vec()), Some(b"ab".to_vec())];
        let plain = Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary");
        let all = plain.with_special([(2, "<think>")]);
        let vocabulary = Arc::new(all.clone().keeping_out(&[4, 2, 4]).expect("one is left"));
        assert_eq!(vocabulary.bytes(4), Some(&b"ab"[..]));
        assert_eq!(
            (3..5)
                .map(|id| vocabulary.is_fillable(id))
                .collect::<Vec<_>>(),
            [true, false]
        );
        assert_eq!(
            vocabulary.trie().prefixes(b"ab").collect::<Vec<_>>(),
            [(1, 3)]
        );
        // Not even where a grammar names them.
        let naming = vocabulary.naming(&[2]);
        assert_eq!(naming.bytes(2), Some(&b"<think>"[..]));
        assert!(!naming.is_fillable(2));
        assert_eq!(naming.trie().prefixes(b"<think>").count(), 0);
        assert_eq!(
            all.keeping_out(&[3, 4]).err(),
            Some(VocabularyError::NothingFillable)
        );
    }
}
