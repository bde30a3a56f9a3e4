//! JSON as the schema compiler needs it: numbers exact, keys in order, no key
//! twice. (A general reader rounds numbers to binary and keeps the last of two
//! equal keys, and either would change what a schema means.)

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::{Diagnostic, Place};

/// Deepest nesting of arrays and objects.
const MAX_NESTING: usize = 128;
/// Most digits before or after the point, written without exponent.
const MAX_DIGITS: usize = 400;

#[derive(Clone, Debug)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(Decimal),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(members) = self else {
            return None;
        };
        members
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }
}

/// Equality of JSON values: numbers by value, objects without order.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Json::Null, Json::Null) => true,
            (Json::Bool(a), Json::Bool(b)) => a == b,
            (Json::Number(a), Json::Number(b)) => a == b,
            (Json::Text(a), Json::Text(b)) => a == b,
            (Json::Array(a), Json::Array(b)) => a == b,
            (Json::Object(a), Json::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(key, value)| other.get(key) == Some(value))
            }
            _ => false,
        }
    }
}

/// An exact decimal number. Zero has no sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub negative: bool,
    /// Digits before the point, without leading zeros, at least one.
    pub whole: String,
    /// Digits after the point, without trailing zeros, possibly none.
    pub fraction: String,
}

impl Decimal {
    pub(super) fn is_integer(&self) -> bool {
        self.fraction.is_empty()
    }

    pub(super) fn is_zero(&self) -> bool {
        self.whole == "0" && self.fraction.is_empty()
    }

    pub(super) fn negated(&self) -> Self {
        Self {
            negative: !self.negative && !self.is_zero(),
            ..self.clone()
        }
    }

    /// Plain notation, without exponent.
    pub(super) fn plain(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let point = if self.fraction.is_empty() { "" } else { "." };
        format!("{sign}{}{point}{}", self.whole, self.fraction)
    }

    /// From JSON's notation; `None` when there would be too many digits.
    fn read(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent),
            None => (text, "0"),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = format!("{whole}{fraction}");
        if digits.bytes().all(|digit| digit == b'0') {
            return Some(Self {
                negative: false,
                whole: "0".into(),
                fraction: String::new(),
            });
        }
        let exponent: i64 = exponent
            .parse()
            .ok()
            .filter(|e: &i64| e.unsigned_abs() < 1 << 32)?;
        let mut point = whole.len() as i64 + exponent;
        let zeros = digits.len() - digits.trim_start_matches('0').len();
        digits.drain(..zeros);
        point -= zeros as i64;
        digits.truncate(digits.trim_end_matches('0').len());
        if point > MAX_DIGITS as i64 || digits.len() as i64 - point > MAX_DIGITS as i64 {
            return None;
        }
        if point <= 0 {
            digits.insert_str(0, &"0".repeat((1 - point) as usize));
            point = 1;
        }
        let missing = (point as usize).saturating_sub(digits.len());
        digits.push_str(&"0".repeat(missing));
        let fraction = digits.split_off(point as usize);
        Some(Self {
            negative,
            whole: digits,
            fraction,
        })
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = |a: &Self, b: &Self| {
            (a.whole.len(), &a.whole, &a.fraction).cmp(&(b.whole.len(), &b.whole, &b.fraction))
        };
        match (self.negative, other.negative) {
            (false, false) => magnitude(self, other),
            (true, true) => magnitude(other, self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Reads a whole text as one JSON value.
pub(super) fn read(text: &str) -> Result<Json, Diagnostic> {
    let mut reader = Reader {
        text,
        at: 0,
        nesting: 0,
    };
    let value = reader.value()?;
    reader.skip_blanks();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected("the end of the schema")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    nesting: usize,
}

impl Reader<'_> {
    fn value(&mut self) -> Result<Json, Diagnostic> {
        self.skip_blanks();
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => {
                for (word, value) in [
                    ("null", Json::Null),
                    ("true", Json::Bool(true)),
                    ("false", Json::Bool(false)),
                ] {
                    if self.text[self.at..].starts_with(word) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                Err(self.unexpected("a JSON value"))
            }
        }
    }

    fn enter(&mut self) -> Result<(), Diagnostic> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let message = format!("the schema is nested more than {MAX_NESTING} deep");
            return Err(self.error("too-deep", self.at, message));
        }
        self.at += 1;
        self.skip_blanks();
        Ok(())
    }

    fn object(&mut self) -> Result<Json, Diagnostic> {
        self.enter()?;
        let mut members = Vec::new();
        let mut seen = HashSet::new();
        if self.peek() != Some(b'}') {
            loop {
                self.skip_blanks();
                let start = self.at;
                if self.peek() != Some(b'"') {
                    return Err(self.unexpected("a key"));
                }
                let key = self.string()?;
                if !seen.insert(key.clone()) {
                    let message = format!("the key {key:?} stands here twice");
                    return Err(self.error("duplicate-key", start, message));
                }
                self.skip_blanks();
                if self.peek() != Some(b':') {
                    return Err(self.unexpected(":"));
                }
                self.at += 1;
                members.push((key, self.value()?));
                self.skip_blanks();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => break,
                    _ => return Err(self.unexpected(", or }")),
                }
            }
        }
        self.at += 1;
        self.nesting -= 1;
        Ok(Json::Object(members))
    }

    fn array(&mut self) -> Result<Json, Diagnostic> {
        self.enter()?;
        let mut items = Vec::new();
        if self.peek() != Some(b']') {
            loop {
                items.push(self.value()?);
                self.skip_blanks();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b']') => break,
                    _ => return Err(self.unexpected(", or ]")),
                }
            }
        }
        self.at += 1;
        self.nesting -= 1;
        Ok(Json::Array(items))
    }

    fn number(&mut self) -> Result<Json, Diagnostic> {
        let start = self.at;
        self.skip_one_of(b"-");
        if !self.skip_one_of(b"0") && !self.skip_digits() {
            return Err(self.unexpected("a digit"));
        }
        if self.skip_one_of(b".") && !self.skip_digits() {
            return Err(self.unexpected("a digit"));
        }
        if self.skip_one_of(b"eE") {
            self.skip_one_of(b"+-");
            if !self.skip_digits() {
                return Err(self.unexpected("a digit"));
            }
        }
        Decimal::read(&self.text[start..self.at])
            .map(Json::Number)
            .ok_or_else(|| {
                let message = format!("this number has more than {MAX_DIGITS} digits");
                self.error("too-large", start, message)
            })
    }

    fn string(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(self.error("syntax", start, "this string never ends")),
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        // The general reader knows the escapes, and refuses half of a pair.
        let spelled = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(spelled)
            .map_err(|_| self.error("syntax", start, "this is not a JSON string"))
    }

    fn skip_digits(&mut self) -> bool {
        let start = self.at;
        while self.skip_one_of(b"0123456789") {}
        self.at > start
    }

    fn skip_one_of(&mut self, bytes: &[u8]) -> bool {
        let found = self.peek().is_some_and(|byte| bytes.contains(&byte));
        self.at += found as usize;
        found
    }

    fn skip_blanks(&mut self) {
        while self.skip_one_of(b" \t\r\n") {}
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let message = match self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
        {
            Some(found) => format!("expected {expected}, found {found:?}"),
            None => format!("expected {expected}, but the schema ends"),
        };
        self.error("syntax", self.at, message)
    }

    fn error(&self, kind: &'static str, start: usize, message: impl Into<String>) -> Diagnostic {
        let length = self.text.len();
        let end = self.at.clamp(start, length).max((start + 1).min(length));
        Diagnostic::error(
            kind,
            Place::Span {
                start: self.text.floor_char_boundary(start),
                end: self.text.ceil_char_boundary(end),
            },
            message,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        for (text, plain) in [
            ("-0.0", "0"),
            ("1.50", "1.5"),
            ("12345678901234567890123", "12345678901234567890123"),
            ("1e3", "1000"),
            ("-1.25e1", "-12.5"),
            ("1.25e-3", "0.00125"),
            ("0.001e3", "1"),
            ("100e-2", "1"),
        ] {
            assert_eq!(Decimal::read(text).unwrap().plain(), plain);
        }
        assert!(Decimal::read("1e999999999999999999999").is_none());
        assert!(Decimal::read("1e-401").is_none());
        let order: Vec<Decimal> = [
            "-10", "-9.5", "-0.1", "0", "0.09", "0.1", "0.11", "9", "10", "10.5",
        ]
        .map(|text| Decimal::read(text).unwrap())
        .into();
        assert!(order.is_sorted());
    }
}
