//! Tokens that were refused for good.
//!
//! A canvas only fills up, so a token that no sentence goes with in it goes with none in a later
//! one. The model, which does not know that, proposes it in every step again, and with confidence.
//! It is left out from then on, until a cell is masked again: then more is possible.

use lacuna_lexer::TokenId;
use lacuna_logits::TokenSet;

use crate::Reason;

/// What was refused in each cell since cells were last masked again.
#[derive(Debug)]
pub(crate) struct Refuted {
    tokens: usize,
    /// By cell, if anything was refused there: all other tokens.
    others: Vec<Option<TokenSet>>,
}

impl Refuted {
    /// Nothing, of a vocabulary of so many tokens.
    pub fn nothing(tokens: usize, cells: usize) -> Self {
        let others = vec![None; cells];
        Self { tokens, others }
    }

    /// Told that a token was refused.
    pub fn note(&mut self, cell: usize, token: TokenId, reason: Reason) {
        let is_certain = match reason {
            Reason::Impossible | Reason::EndBeforeText => true,
            Reason::Exhausted => false,
        };
        let tokens = self.tokens;
        if let Some(others) = self.others.get_mut(cell).filter(|_| is_certain) {
            let others = others.get_or_insert_with(|| TokenSet::from_fn(tokens, |_| true));
            others.remove(token);
        }
    }

    /// The tokens that were not refused in a cell; `None` if none was.
    pub fn others(&self, cell: usize) -> Option<&TokenSet> {
        self.others.get(cell)?.as_ref()
    }

    /// Told that cells were masked again.
    pub fn forget(&mut self) {
        self.others.fill(None);
    }
}
