//! Questions a line, answers a line: what commands that serve other programs share.

use std::io::BufRead;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value};

use crate::error::CommandError;
use crate::output::print;

/// Answers each line of standard input with one of standard output, in order; blank
/// ones are passed over. It ends with its input, or when nobody reads the answers. The exit
/// status tells whether one of them was an error.
pub fn answer_each(
    mut answer: impl FnMut(&[u8]) -> Map<String, Value>,
) -> Result<ExitCode, CommandError> {
    let input = std::io::stdin().lock();
    let mut status = ExitCode::SUCCESS;
    for line in input.split(b'\n') {
        let line = line.map_err(|error| CommandError::file(Path::new("standard input"), error))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = answer(&line);
        if answer.get("error").is_some() {
            status = ExitCode::FAILURE;
        }
        let is_read = print(format!("{}\n", Value::Object(answer)).as_bytes())?;
        if !is_read {
            break;
        }
    }
    Ok(status)
}

/// An answer that says what went wrong.
pub fn error_line(id: Value, error: String) -> Map<String, Value> {
    Map::from_iter([
        ("id".to_owned(), id),
        ("error".to_owned(), Value::String(error)),
    ])
}

/// Microseconds, as they are written.
pub fn micros(micros: u128) -> Value {
    u64::try_from(micros).unwrap_or(u64::MAX).into()
}
