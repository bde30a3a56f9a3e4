//! What is wrong with a keyword, before its place is known.

use crate::automaton::AutomatonError;
use crate::{Diagnostic, Place};

/// A finding without a place.
#[derive(Debug)]
pub(super) struct Finding {
    kind: &'static str,
    message: String,
    note: Option<String>,
    /// The byte of the keyword's value that the message is about.
    byte: Option<usize>,
}

impl Finding {
    pub(super) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            note: None,
            byte: None,
        }
    }

    pub(super) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    pub(super) fn at(self, pointer: &str) -> Diagnostic {
        let message = match self.byte {
            Some(byte) => format!("{} (byte {byte} of the pattern)", self.message),
            None => self.message,
        };
        let mut finding = Diagnostic::error(self.kind, Place::Pointer(pointer.to_owned()), message);
        finding.note = self.note;
        finding
    }
}

impl From<AutomatonError> for Finding {
    fn from(error: AutomatonError) -> Self {
        Self::new("too-large", error.to_string())
    }
}

impl From<Diagnostic> for Finding {
    /// A finding about a pattern.
    fn from(finding: Diagnostic) -> Self {
        let byte = match finding.place {
            Place::Span { start, .. } => Some(start),
            Place::Pointer(_) => None,
        };
        Self {
            kind: finding.kind,
            message: finding.message,
            note: finding.note,
            byte,
        }
    }
}

pub(super) fn expected(what: &str) -> Finding {
    Finding::new("bad-keyword", format!("expected {what}"))
}

pub(super) fn error(kind: &'static str, pointer: &str, message: impl Into<String>) -> Diagnostic {
    Finding::new(kind, message).at(pointer)
}
