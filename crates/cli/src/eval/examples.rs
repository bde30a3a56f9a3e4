//! The examples of an evaluation, and how far it is with them.

use std::io::IsTerminal;
use std::path::Path;

use lacuna_engine::Fault;
use serde::Deserialize;
use serde_json::Value;

use crate::error::CommandError;
use crate::files::read_text;

/// A request with the expected answer, or a reference text.
#[derive(Deserialize)]
pub struct Example {
    #[serde(default)]
    pub id: Value,
    #[serde(default)]
    pub request: String,
    #[serde(default)]
    pub expected: Value,
    #[serde(default)]
    pub text: Option<String>,
}

/// The examples of a file, at least one.
pub fn read_examples(path: &Path) -> Result<Vec<Example>, CommandError> {
    let text = read_text(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let examples: Vec<Example> = lines
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|error| CommandError::content(path, error))?;
    match examples.is_empty() {
        true => Err(Fault::new("invalid-input", format!("{}: no examples", path.display())).into()),
        false => Ok(examples),
    }
}

/// One line on standard error, rewritten in place; silent where nobody looks.
pub struct Progress {
    /// How many there are.
    pub total: usize,
}

impl Progress {
    /// Shows how many are done.
    pub fn show(&self, done: usize) {
        if std::io::stderr().is_terminal() {
            eprint!("\r{done} of {}", self.total);
        }
    }

    /// Ends the line.
    pub fn end(&self) {
        if std::io::stderr().is_terminal() {
            eprintln!();
        }
    }
}
