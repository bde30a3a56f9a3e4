//! A line of `lacuna check` or `lacuna mask`, read field by field, so that what is wrong is said in
//! the words of the format and with its place.

use std::fmt;
use std::path::PathBuf;

use base64::prelude::BASE64_STANDARD;
use base64::{DecodeError, Engine as _};
use lacuna_lexer::TokenId;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Value, error::Category};

/// What a line asks.
#[derive(Debug)]
pub struct Question {
    /// Handed back with the answer.
    pub id: Value,
    /// The grammar, in place of the command's.
    pub grammar: Option<PathBuf>,
    /// The text with gaps.
    pub canvas: Canvas,
}

/// A text with gaps.
#[derive(Debug)]
pub enum Canvas {
    /// Pieces of text; `None` is a gap.
    Segments {
        segments: Vec<Option<Vec<u8>>>,
        /// The cells of each gap, in order.
        gaps: Option<Vec<usize>>,
    },
    /// Token ids; `None` is a masked cell.
    Cells(Vec<Option<TokenId>>),
}

/// A line that asks nothing, with its id where it has one.
#[derive(Debug)]
pub struct Unreadable {
    pub id: Value,
    pub message: String,
}

impl Question {
    /// Reads a line.
    pub fn read(line: &[u8]) -> Result<Self, Unreadable> {
        let without_id = |message| Unreadable {
            id: Value::Null,
            message,
        };
        let fields = fields(line).map_err(without_id)?;
        let id = fields.iter().find(|(name, _)| name == "id");
        let id = id.map_or(Value::Null, |(_, id)| id.clone());
        Self::of_fields(id.clone(), fields).map_err(|message| Unreadable { id, message })
    }

    fn of_fields(id: Value, fields: Vec<(String, Value)>) -> Result<Self, String> {
        let (mut segments, mut gaps, mut cells, mut grammar) = (None, None, None, None);
        let mut seen: Vec<&str> = Vec::new();
        for (name, value) in &fields {
            if seen.contains(&name.as_str()) {
                return Err(format!("{name:?} is given twice"));
            }
            seen.push(name);
            match name.as_str() {
                "id" => {}
                _ if value.is_null() => {}
                "segments" => segments = Some(list(name, value, segment)?),
                "gaps" => gaps = Some(list(name, value, cell_count)?),
                "cells" => cells = Some(list(name, value, cell)?),
                "grammar" => match value.as_str() {
                    Some(path) => grammar = Some(PathBuf::from(path)),
                    None => return Err(wrong(name, value, "the name of a file")),
                },
                _ => {
                    return Err(format!(
                        "unknown field {name:?}: a line has \"id\", \"segments\", \"gaps\", \
                         \"cells\" and \"grammar\""
                    ));
                }
            }
        }
        let canvas = match (segments, cells) {
            (Some(segments), None) => Canvas::Segments { segments, gaps },
            (None, Some(_)) if gaps.is_some() => {
                return Err("\"gaps\" goes with \"segments\", not with \"cells\"".to_owned());
            }
            (None, Some(cells)) => Canvas::Cells(cells),
            _ => return Err("a line needs either \"segments\" or \"cells\"".to_owned()),
        };
        Ok(Self {
            id,
            grammar,
            canvas,
        })
    }
}

/// The fields of an object, those that are given twice too.
fn fields(line: &[u8]) -> Result<Vec<(String, Value)>, String> {
    let text = std::str::from_utf8(line).map_err(|error| {
        format!(
            "the line is no UTF-8 from byte {} on",
            error.valid_up_to() + 1
        )
    })?;
    let not_json = |error: serde_json::Error| {
        let before = error.column().saturating_sub(1).min(text.len());
        let column = text.as_bytes()[..before]
            .iter()
            .filter(|&&byte| byte & 0xC0 != 0x80)
            .count()
            + 1;
        match error.classify() {
            // The parser has no kind for it.
            _ if error.to_string().starts_with("recursion limit") => {
                format!("the line is nested over 127 deep (column {column})")
            }
            Category::Eof => format!("the line ends inside a JSON value (column {column})"),
            _ => format!("the line is no JSON from column {column} on"),
        }
    };
    if !text.trim_start().starts_with('{') {
        let value: Value = serde_json::from_str(text).map_err(not_json)?;
        let found = kind(&value);
        return Err(format!("a line is a JSON object, this one is {found}"));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let fields = reader.deserialize_map(Fields).map_err(not_json)?;
    reader.end().map_err(not_json)?;
    Ok(fields)
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

fn list<T>(
    name: &str,
    value: &Value,
    read: impl Fn(&str, &Value) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let Some(items) = value.as_array() else {
        return Err(wrong(name, value, "an array"));
    };
    let items = items.iter().enumerate();
    items
        .map(|(at, item)| read(&format!("{name}[{at}]"), item))
        .collect()
}

fn segment(place: &str, value: &Value) -> Result<Option<Vec<u8>>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone().into_bytes())),
        Value::Object(fields) if fields.len() == 1 => match fields.get("base64") {
            Some(Value::String(encoded)) => decode(place, encoded).map(Some),
            _ => Err(wrong(place, value, SEGMENT)),
        },
        _ => Err(wrong(place, value, SEGMENT)),
    }
}

const SEGMENT: &str = "text, null for a gap, or {\"base64\": \"…\"}";

fn decode(place: &str, encoded: &str) -> Result<Vec<u8>, String> {
    BASE64_STANDARD
        .decode(encoded)
        .map_err(|error| match error {
            DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => {
                format!("the base64 of {place} is wrong at byte {}", at + 1)
            }
            DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => {
                format!("the base64 of {place} has a wrong length or padding")
            }
        })
}

fn cell_count(place: &str, value: &Value) -> Result<usize, String> {
    let number = value.as_u64().and_then(|it| usize::try_from(it).ok());
    number.ok_or_else(|| wrong(place, value, "a number of cells"))
}

fn cell(place: &str, value: &Value) -> Result<Option<TokenId>, String> {
    let id = value.as_u64().and_then(|id| TokenId::try_from(id).ok());
    match (value, id) {
        (Value::Null, _) => Ok(None),
        (_, Some(id)) => Ok(Some(id)),
        _ => Err(wrong(place, value, "a token id, or null for a masked cell")),
    }
}

fn wrong(place: &str, found: &Value, wanted: &str) -> String {
    let found = match found {
        Value::Number(number) => number.to_string(),
        other => kind(other).to_owned(),
    };
    format!("\"{place}\" is {found}; it must be {wanted}")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let cases = [
            ("no JSON", "the line is no JSON from column 2 on"),
            ("{\"id\": 1", "the line ends inside a JSON value (column 8)"),
            ("{\"é\": x}", "the line is no JSON from column 7 on"),
            ("{} {}", "the line is no JSON from column 4 on"),
            ("[1]", "a line is a JSON object, this one is an array"),
            ("\"text\"", "a line is a JSON object, this one is a string"),
            ("{}", "a line needs either \"segments\" or \"cells\""),
            (
                "{\"segments\": \"a\"}",
                "\"segments\" is a string; it must be an array",
            ),
            (
                "{\"segments\": [\"a\", 1]}",
                "\"segments[1]\" is 1; it must be text, null for a gap, or {\"base64\": \"…\"}",
            ),
            (
                "{\"segments\": [{\"base64\": \"?\"}]}",
                "the base64 of segments[0] is wrong at byte 1",
            ),
            (
                "{\"segments\": [null], \"gaps\": [-1]}",
                "\"gaps[0]\" is -1; it must be a number of cells",
            ),
            (
                "{\"cells\": [4294967296]}",
                "\"cells[0]\" is 4294967296; it must be a token id, or null for a masked cell",
            ),
            (
                "{\"cells\": [1], \"gaps\": [1]}",
                "\"gaps\" goes with \"segments\", not with \"cells\"",
            ),
            (
                "{\"segments\": [], \"grammar\": 1}",
                "\"grammar\" is 1; it must be the name of a file",
            ),
            ("{\"id\": 1, \"id\": 2}", "\"id\" is given twice"),
            (
                "{\"text\": 1}",
                "unknown field \"text\": a line has \"id\", \"segments\", \"gaps\", \"cells\" and \
                 \"grammar\"",
            ),
        ];
        for (line, expected) in cases {
            let unreadable = Question::read(line.as_bytes()).expect_err(line);
            assert_eq!(unreadable.message, expected, "{line}");
        }
        let unreadable = Question::read(b"{\"id\": \"\xFF\"}").expect_err("no UTF-8");
        assert_eq!(unreadable.message, "the line is no UTF-8 from byte 9 on");
    }

    #[test]
    fn an_id_is_kept_whatever_else_is_wrong() {
        let unreadable = Question::read(b"{\"segments\": 1, \"id\": [7]}").expect_err("wrong");
        assert_eq!(unreadable.id, serde_json::json!([7]));
    }
}
