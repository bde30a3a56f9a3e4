//! What ends a command, as a sentence on standard error.

use std::fmt;
use std::path::Path;

use lacuna_engine::{Fault, Finding};
use lacuna_grammar::Severity;
use lacuna_model::WeightsError;

use crate::output::tell;

/// Why a command ended early.
#[derive(Debug)]
pub enum CommandError {
    /// The engine refused.
    Fault(Fault),
    /// A grammar file is at fault: its name, its text and the findings.
    Grammar(String, String, Box<Fault>),
    /// A file could not be read or written.
    File(String, std::io::Error),
    /// A file holds something else than expected.
    Content(String, String),
}

impl CommandError {
    /// The error of a grammar file with this text.
    pub fn grammar(path: &Path, text: &str, fault: Fault) -> Self {
        Self::Grammar(path.display().to_string(), text.to_owned(), Box::new(fault))
    }

    /// The error of a file operation.
    pub fn file(path: &Path, error: std::io::Error) -> Self {
        Self::File(path.display().to_string(), error)
    }

    /// A file that does not hold what it should.
    pub fn content(path: &Path, message: impl fmt::Display) -> Self {
        Self::Content(path.display().to_string(), message.to_string())
    }
}

impl From<Fault> for CommandError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<WeightsError> for CommandError {
    fn from(error: WeightsError) -> Self {
        Self::Fault(error.into())
    }
}

/// Says on standard error what looks wrong with a grammar's file of this text.
pub fn warn<'a>(path: &Path, text: &str, warnings: impl IntoIterator<Item = &'a Finding>) {
    let path = path.display().to_string();
    for warning in warnings {
        tell(excerpt(&path, text, warning));
    }
}

/// Characters of a line that are shown at most, and of these before the place that is meant.
const MOST_SHOWN: usize = 160;
const LEFT_OF_COLUMN: usize = 80;

/// A finding with the line that it is about, or what is near the place in a long one; what is meant
/// is underlined.
fn excerpt(path: &str, text: &str, finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut shown = format!("{severity}[{}]: {}", finding.kind, finding.message);
    let margin = match (finding.line, finding.column, finding.span) {
        (Some(line), Some(column), Some(span)) => {
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            shown.push_str(&format!("\n{margin}--> {path}:{line}:{column}"));
            if let Some(content) = text.lines().nth(line - 1) {
                let from = content
                    .chars()
                    .count()
                    .min(column.saturating_sub(1 + LEFT_OF_COLUMN));
                let cut = |left: usize| if left > 0 { "…" } else { "" };
                let rest = content.chars().skip(from);
                let left = rest.clone().count().saturating_sub(MOST_SHOWN);
                let content: String = rest.take(MOST_SHOWN).collect();
                let content = format!("{}{content}{}", cut(from), cut(left));
                let at = column - 1 - from + cut(from).chars().count();
                let indent: String = { content.chars().take(at) }
                    .map(|character| if character == '\t' { '\t' } else { ' ' })
                    .collect();
                let left = content.chars().count().saturating_sub(at);
                let meant = text.get(span.start..span.end).unwrap_or("").chars();
                let carets = "^".repeat(meant.count().min(left).max(1));
                shown.push_str(&format!(
                    "\n{margin} |\n{number} | {content}\n{margin} | {indent}{carets}"
                ));
            }
            margin
        }
        _ => {
            let pointer = finding.pointer.as_deref().unwrap_or("");
            shown.push_str(&format!("\n --> {path}#{pointer}"));
            " ".to_owned()
        }
    };
    if let Some(note) = &finding.note {
        shown.push_str(&format!("\n{margin} = {note}"));
    }
    shown
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(f, "{fault}"),
            Self::File(path, error) => write!(f, "{path}: {error}"),
            Self::Content(path, message) => write!(f, "{path}: {message}"),
            Self::Grammar(path, _, fault) if fault.diagnostics.is_empty() => {
                write!(f, "{path}: {fault}")
            }
            Self::Grammar(path, text, fault) => {
                let findings = fault.diagnostics.iter().map(|finding| match f.alternate() {
                    true => excerpt(path, text, finding),
                    false => format!("{path}: {finding} [{}]", finding.kind),
                });
                f.write_str(&findings.collect::<Vec<_>>().join("\n"))
            }
        }
    }
}
