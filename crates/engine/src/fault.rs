//! Errors as the surfaces show them: a kind to branch on, a sentence to read,
//! and findings with places where a grammar is at fault.

use std::borrow::Cow;

use lacuna_grammar::automaton::AutomatonError;
use lacuna_grammar::{Diagnostic, Diagnostics, Place, Severity};
use serde::{Deserialize, Serialize};

/// The kind of a grammar whose automata outgrow the checker's limits.
pub(crate) const TOO_LARGE: &str = "grammar-too-large";

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// A stable name, such as `grammar`, `no-member`, `weights`.
    pub kind: &'static str,
    /// A sentence for people.
    pub message: String,
    /// What is wrong with the grammar, where that is the fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Finding>,
    /// Of several regions, the one that is at fault, counted from 0.
    #[cfg(feature = "model")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<usize>,
}

/// A [`Diagnostic`] with its place resolved to line and column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// A stable name for the kind of finding.
    pub kind: Cow<'static, str>,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Byte offsets into the grammar text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<ByteSpan>,
    /// JSON pointer into the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Byte offsets, `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByteSpan {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Fault {
    /// A fault without findings.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            diagnostics: Vec::new(),
            #[cfg(feature = "model")]
            region: None,
        }
    }

    /// The same of one of several regions, which its message then names, too.
    #[cfg(feature = "model")]
    pub(crate) fn in_region(self, region: usize) -> Self {
        Self {
            message: format!("regions[{region}]: {}", self.message),
            region: Some(region),
            ..self
        }
    }

    /// The fault of a grammar text.
    pub fn of_grammar(source: &str, diagnostics: &Diagnostics) -> Self {
        let findings: Vec<Finding> = diagnostics
            .0
            .iter()
            .map(|diagnostic| Finding::new(source, diagnostic))
            .collect();
        let message = match findings.as_slice() {
            [only] => only.to_string(),
            [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
            [] => "the grammar is not usable".to_owned(),
        };
        Self {
            kind: "grammar",
            message,
            diagnostics: findings,
            #[cfg(feature = "model")]
            region: None,
        }
    }
}

impl From<AutomatonError> for Fault {
    fn from(error: AutomatonError) -> Self {
        Self::new(TOO_LARGE, error.to_string())
    }
}

impl Finding {
    /// A diagnostic of the grammar text `source`.
    pub fn new(source: &str, diagnostic: &Diagnostic) -> Self {
        let position = diagnostic.line_and_column(source);
        let (span, pointer) = match &diagnostic.place {
            Place::Span { start, end } => (
                Some(ByteSpan {
                    start: *start,
                    end: *end,
                }),
                None,
            ),
            Place::Pointer(pointer) => (None, Some(pointer.clone())),
        };
        Self {
            kind: Cow::Borrowed(diagnostic.kind),
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column),
            span,
            pointer,
            note: diagnostic.note.clone(),
        }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.column, &self.pointer) {
            (Some(line), Some(column), _) => write!(f, "line {line}, column {column}: ")?,
            (_, _, Some(pointer)) if pointer.is_empty() => write!(f, "at the root: ")?,
            (_, _, Some(pointer)) => write!(f, "at {pointer}: ")?,
            _ => {}
        }
        write!(f, "{}", self.message)?;
        self.note
            .as_ref()
            .map_or(Ok(()), |note| write!(f, "; {note}"))
    }
}
