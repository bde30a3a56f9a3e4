//! Tokens that do the same in a cell, as far as is known, and are decided together.

use lacuna_lexer::TokenId;

/// The tokens that a bound leaves to a cell, those that do the same together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// For each token, the group it belongs to; 0 is none.
    pub of_token: Vec<u32>,
    pub tokens: Vec<Vec<TokenId>>,
}

impl Groups {
    /// No token.
    pub fn none(tokens: usize) -> Self {
        Self {
            of_token: vec![0; tokens],
            tokens: vec![Vec::new()],
        }
    }

    /// These tokens, each in a group of its own.
    pub fn single(tokens: usize, of: impl Iterator<Item = TokenId>) -> Self {
        let mut groups = Self::none(tokens);
        for token in of {
            groups.of_token[token as usize] = groups.tokens.len() as u32;
            groups.tokens.push(vec![token]);
        }
        groups
    }
}
