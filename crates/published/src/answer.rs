//! What a check says.

use crate::TerminalId;

/// The answer to "can this still become a sentence?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes: some completion has these lexemes, ignored ones left out.
    Completable(Vec<TerminalId>),
    /// No.
    Impossible,
    /// The time ran out.
    Stopped,
}

impl Answer {
    /// Whether the answer is yes.
    pub fn is_completable(&self) -> bool {
        matches!(self, Answer::Completable(_))
    }
}
