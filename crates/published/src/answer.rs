//! What a check says.

use crate::{Stopped, TerminalId};

/// The answer to "can this still become a sentence?".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes: some completion has these lexemes, ignored ones left out.
    Completable(Vec<TerminalId>),
    /// No.
    Impossible,
    /// Nobody knows: the time or the memory ran out.
    Stopped(Stopped),
}

impl Answer {
    /// Whether the answer is yes.
    pub fn is_completable(&self) -> bool {
        matches!(self, Answer::Completable(_))
    }
}
