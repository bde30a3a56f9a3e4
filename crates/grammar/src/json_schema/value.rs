//! JSON as the schema compiler needs it: numbers exact, keys in order, no key
//! twice. (A general reader rounds numbers to binary and keeps the last of two
//! equal keys, and either would change what a schema means.)

mod escapes;

use std::hash::BuildHasher;
use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashSet};

use self::escapes::unescape;
use super::decimal::{Decimal, MAX_DIGITS};
use crate::automaton::SHORTCUTS;
use crate::quoted::{quoted, quoted_character};
use crate::{Diagnostic, Place};

/// Deepest nesting of arrays and objects.
const MAX_NESTING: usize = 128;
/// Objects with more members than this are searched by a sorted index.
const FEW: usize = 12;

#[derive(Clone, Debug)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(Decimal),
    Text(String),
    Array(Vec<Json>),
    Object(Members),
}

/// The members of an object, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    list: Vec<(String, Json)>,
    /// Indices in the order of keys, where there are many.
    sorted: Vec<u32>,
}

impl Members {
    fn new(list: Vec<(String, Json)>) -> Self {
        let mut sorted = Vec::new();
        if list.len() > FEW {
            sorted.extend(0..list.len() as u32);
            sorted.sort_unstable_by_key(|&at| &list[at as usize].0);
        }
        Self { list, sorted }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        let at = match self.sorted.is_empty() {
            true => self.list.iter().position(|(name, _)| name == key)?,
            false => {
                let found = self
                    .sorted
                    .binary_search_by_key(&key, |&at| &self.list[at as usize].0);
                self.sorted[found.ok()?] as usize
            }
        };
        Some(&self.list[at].1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(String, Json)> {
        self.list.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}

impl Json {
    /// The values that it holds, in order.
    pub(super) fn children(&self) -> impl Iterator<Item = &Json> {
        let (items, members) = match self {
            Json::Array(items) => (items.as_slice(), None),
            Json::Object(members) => (&[][..], Some(members.iter())),
            _ => (&[][..], None),
        };
        let members = members.into_iter().flatten();
        items.iter().chain(members.map(|(_, value)| value))
    }

    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.get(key),
            _ => None,
        }
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

/// Reads a whole text as one JSON value.
pub(super) fn read(text: &str) -> Result<Json, Diagnostic> {
    read_by(&mut Reader::new(text))
}

/// Where what was read stands in the text.
#[derive(Default)]
pub(super) struct Spans {
    /// The bytes of each value, those within it behind it.
    pub values: Vec<Range<usize>>,
    /// The bytes of each key that an object has before, and those of the first such key.
    pub repeated_keys: Vec<(Range<usize>, Range<usize>)>,
}

/// The same, but objects may have a key twice, with the places of values and of such keys.
pub(super) fn read_with_spans(text: &str) -> Result<(Json, Spans), Diagnostic> {
    let mut reader = Reader::new(text);
    reader.spans = Some(Spans::default());
    let value = read_by(&mut reader)?;
    Ok((value, reader.spans.unwrap_or_default()))
}

fn read_by(reader: &mut Reader<'_>) -> Result<Json, Diagnostic> {
    let value = reader.value()?;
    reader.skip_blanks();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected("the end of the schema")),
    }
}

/// The keys of an object so far, by their hashes, once they are many.
#[derive(Default)]
struct Seen {
    hashes: FxHashSet<u64>,
}

impl Seen {
    /// Whether the key is among the members, which it joins.
    fn has(&mut self, members: &[(String, Json)], key: &str) -> bool {
        let is_among = || members.iter().any(|(known, _)| known == key);
        if members.len() < FEW {
            return is_among();
        }
        let hash = |key: &str| FxBuildHasher.hash_one(key);
        if self.hashes.is_empty() {
            self.hashes
                .extend(members.iter().map(|(known, _)| hash(known)));
        }
        !self.hashes.insert(hash(key)) && is_among()
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    nesting: usize,
    /// Where things stand, if that is wanted.
    spans: Option<Spans>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            nesting: 0,
            spans: None,
        }
    }

    /// Only a [`Validator`](super::Validator) wants them, and a grammar engine alone has none.
    fn spans(&mut self) -> Option<&mut Spans> {
        match SHORTCUTS {
            true => self.spans.as_mut(),
            false => None,
        }
    }

    fn value(&mut self) -> Result<Json, Diagnostic> {
        self.skip_blanks();
        let start = self.at;
        let number = self.spans().map_or(0, |spans| {
            spans.values.push(start..start);
            spans.values.len() - 1
        });
        let value = self.value_here()?;
        let end = self.at;
        if let Some(spans) = self.spans() {
            spans.values[number].end = end;
        }
        Ok(value)
    }

    fn value_here(&mut self) -> Result<Json, Diagnostic> {
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
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut seen = Seen::default();
        // Of each member, where the places of keys are wanted.
        let mut keys = Vec::new();
        if self.peek() != Some(b'}') {
            loop {
                self.skip_blanks();
                let start = self.at;
                if self.peek() != Some(b'"') {
                    return Err(self.unexpected("a key"));
                }
                let key = self.string()?;
                let is_repeated = seen.has(&members, &key);
                let here = start..self.at;
                match self.spans() {
                    Some(spans) => {
                        if is_repeated
                            && let Some(first) = members.iter().position(|(it, _)| *it == key)
                        {
                            let first = Range::clone(&keys[first]);
                            spans.repeated_keys.push((here.clone(), first));
                        }
                        keys.push(here);
                    }
                    None if is_repeated => {
                        let message = format!("the key {} stands here twice", quoted(&key));
                        return Err(self.error("duplicate-key", start, message));
                    }
                    None => {}
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
        Ok(Json::Object(Members::new(members)))
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
        let bytes = &self.text.as_bytes()[start + 1..];
        let special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
        let plain = bytes.iter().position(special).unwrap_or(bytes.len());
        if bytes.get(plain) == Some(&b'"') {
            self.at += plain + 2;
            return Ok(self.text[start + 1..self.at - 1].to_owned());
        }
        self.at += 1 + plain;
        loop {
            match self.peek() {
                None => return Err(self.error("syntax", start, "this string never ends")),
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let spelled = self.text.get(start..self.at).unwrap_or_default();
        let inner = spelled
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        inner
            .and_then(unescape)
            .ok_or_else(|| self.error("syntax", start, "this is not a JSON string"))
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
        let rest = &self.text.as_bytes()[self.at.min(self.text.len())..];
        let is_blank = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\r' | b'\n');
        self.at += rest.iter().take_while(is_blank).count();
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
            Some(found) => format!("expected {expected}, found {}", quoted_character(found)),
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
