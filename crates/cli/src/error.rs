//! What ends a command, as a sentence on standard error.

use std::fmt;
use std::path::Path;

use lacuna_engine::Fault;

/// Why a command ended early.
#[derive(Debug)]
pub enum CommandError {
    /// The engine refused.
    Fault(Fault),
    /// A grammar file is at fault; each finding is shown with its place.
    Grammar(String, Fault),
    /// A file could not be read or written.
    File(String, std::io::Error),
    /// A file holds something else than expected.
    Content(String, String),
}

impl CommandError {
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

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(f, "{fault}"),
            Self::File(path, error) => write!(f, "{path}: {error}"),
            Self::Content(path, message) => write!(f, "{path}: {message}"),
            Self::Grammar(path, fault) if fault.diagnostics.is_empty() => {
                write!(f, "{path}: {fault}")
            }
            Self::Grammar(path, fault) => {
                for (at, finding) in fault.diagnostics.iter().enumerate() {
                    let separator = if at > 0 { "\n" } else { "" };
                    write!(f, "{separator}{path}: {} [{}]", finding, finding.kind)?;
                }
                Ok(())
            }
        }
    }
}
