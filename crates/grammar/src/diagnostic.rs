//! What is wrong with a grammar text, where, and how to mend it, as data.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Grammar;
use crate::quoted;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The grammar cannot be used.
    Error,
    /// The grammar can be used, but probably does not say what was meant.
    Warning,
}

/// Where a finding is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// Byte offsets into the grammar text, `start..end`.
    Span {
        /// First byte.
        start: usize,
        /// One past the last byte.
        end: usize,
    },
    /// A JSON pointer into the schema (`""` is the root).
    Pointer(String),
}

/// One finding about a grammar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// A stable name for the kind of finding, such as `unknown-rule`.
    pub kind: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// Where it is wrong.
    pub place: Place,
    /// How to mend it, where something can be said.
    pub note: Option<String>,
}

impl Diagnostic {
    /// An error at `place`.
    pub fn error(kind: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self {
            kind,
            severity: Severity::Error,
            message: message.into(),
            place,
            note: None,
        }
    }

    /// A warning at `place`.
    pub fn warning(kind: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(kind, place, message)
        }
    }

    /// The same finding with a word on how to mend it.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Line and column (both from 1, columns in characters) of a span in
    /// `source`; `None` for a pointer.
    pub fn line_and_column(&self, source: &str) -> Option<(usize, usize)> {
        let Place::Span { start, .. } = self.place else {
            return None;
        };
        let mut start = start.min(source.len());
        while !source.is_char_boundary(start) {
            start -= 1;
        }
        let before = &source[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        Some((line, before[line_start..].chars().count() + 1))
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Span { start, end } => write!(f, "{} (bytes {start}..{end})", self.message)?,
            Place::Pointer(pointer) => write!(f, "{} (at {})", self.message, quoted(pointer))?,
        }
        self.note
            .as_ref()
            .map_or(Ok(()), |note| write!(f, ": {note}"))
    }
}

/// A grammar, and what looks wrong with it although it can be used.
#[derive(Clone, Debug)]
pub struct Linted {
    /// The grammar.
    pub grammar: Grammar,
    /// Warnings, in the order of the text.
    pub warnings: Vec<Diagnostic>,
    /// Where each rule is defined.
    pub places: Vec<Place>,
    /// Where each terminal of the lexicon is defined.
    pub terminals: Vec<Place>,
}

impl Linted {
    /// Where the rule is defined that texts start from.
    pub fn start(&self) -> &Place {
        &self.places[self.grammar.start.0 as usize]
    }

    /// A grammar that nothing is said about, all of it at one place.
    pub fn silent(grammar: Grammar, place: Place) -> Self {
        Self {
            places: vec![place; grammar.rules.len()],
            terminals: Vec::new(),
            grammar,
            warnings: Vec::new(),
        }
    }
}

/// Kinds of findings about what was, or was not, handed over with a grammar.
const HANDED_OVER: [&str; 4] = [
    "empty-slot",
    "unfilled-slot",
    "unknown-list",
    "unknown-text",
];

/// Findings about what was handed over, once for each thing: a text that many
/// places ask for and that is empty is one mistake.
pub(crate) fn said_once(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut once: Vec<(Diagnostic, Vec<String>)> = Vec::new();
    for finding in findings {
        let alike = once.iter_mut().find(|(first, _)| {
            let alike = (first.kind, &first.message, &first.note)
                == (finding.kind, &finding.message, &finding.note);
            alike && HANDED_OVER.contains(&finding.kind)
        });
        let place = match &finding.place {
            Place::Pointer(pointer) => format!("#{pointer}"),
            Place::Span { start, .. } => format!("byte {start}"),
        };
        match alike {
            Some((_, others)) => others.push(place),
            None => once.push((finding, Vec::new())),
        }
    }
    let named = |(mut first, others): (Diagnostic, Vec<String>)| {
        if !others.is_empty() {
            let also = format!("the same at {}", others.join(", "));
            first.note = Some(match first.note {
                Some(note) => format!("{note}; {also}"),
                None => also,
            });
        }
        first
    };
    once.into_iter().map(named).collect()
}

/// All that is wrong with a grammar text; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}
