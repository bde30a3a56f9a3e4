//! The examples of an evaluation, and how far it is with them.

use std::io::IsTerminal;
use std::path::Path;

use lacuna_engine::Fault;
use serde_json::{Map, Value};

use crate::error::CommandError;
use crate::files::read_text;
use crate::output::{tell, tell_on};

/// A request with the expected answer, or a reference text.
pub struct Example {
    pub id: Value,
    /// Empty where there is only a text.
    pub request: String,
    /// The answer, or the reference text.
    pub expected: Value,
    /// Where it was read: the file and the line.
    pub place: String,
}

impl Example {
    /// A fault that this example brought about.
    pub fn at_fault(&self, fault: Fault) -> CommandError {
        CommandError::Content(self.place.clone(), fault.to_string())
    }
}

/// What the lines of a file hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Examples {
    /// Requests, with the expected answers.
    Requests,
    /// Texts.
    References,
}

impl Examples {
    /// The examples of a file, at least one.
    pub fn read(self, path: &Path) -> Result<Vec<Example>, CommandError> {
        let text = read_text(path)?;
        let lines = (1..).zip(text.lines());
        let examples: Vec<Example> = lines
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| {
                let place = format!("{}:{number}", path.display());
                let wrong = |what: String| CommandError::Content(place.clone(), what);
                let read: Value = serde_json::from_str(line).map_err(|error| {
                    let (column, message) = (error.column(), error.to_string());
                    let message = message
                        .split(" at line")
                        .next()
                        .unwrap_or_default()
                        .to_owned();
                    CommandError::Content(format!("{place}:{column}"), message)
                })?;
                let Value::Object(mut fields) = read else {
                    return Err(wrong("an example is a JSON object".to_owned()));
                };
                let (request, expected) = match self {
                    Self::Requests => {
                        let request = text_of(&mut fields, "request").map_err(wrong)?;
                        let expected = fields.remove("expected");
                        let missing = || wrong("\"expected\" is missing".to_owned());
                        (request, expected.ok_or_else(missing)?)
                    }
                    Self::References => {
                        let text = text_of(&mut fields, "text").map_err(wrong)?;
                        (String::new(), text.into())
                    }
                };
                Ok(Example {
                    id: fields.remove("id").unwrap_or_default(),
                    request,
                    expected,
                    place,
                })
            })
            .collect::<Result<_, CommandError>>()?;
        match examples.is_empty() {
            true => {
                Err(Fault::new("invalid-input", format!("{}: no examples", path.display())).into())
            }
            false => Ok(examples),
        }
    }
}

/// A field that is a text, or what is wrong with it.
fn text_of(fields: &mut Map<String, Value>, name: &str) -> Result<String, String> {
    match fields.remove(name) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("{name:?} is no text")),
        None => Err(format!("{name:?} is missing")),
    }
}

/// One line on standard error, rewritten in place; silent where nobody looks.
pub struct Progress {
    done: usize,
    total: usize,
}

impl Progress {
    /// Of so many.
    pub fn new(total: usize) -> Self {
        Self { done: 0, total }
    }

    /// Shows how many are done, and that the next one begins.
    pub fn step(&mut self) {
        if std::io::stderr().is_terminal() {
            tell_on(format_args!("\r{} of {}", self.done, self.total));
        }
        self.done += 1;
    }

    /// Ends the line.
    pub fn end(&self) {
        if std::io::stderr().is_terminal() {
            tell("");
        }
    }
}
