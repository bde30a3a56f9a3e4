//! A place in the grammar text: blanks, names, quoted things, and what is said
//! of what cannot be read.

use super::ast::{Flags, Regex, Span};
use crate::Diagnostic;
use crate::quoted::quoted_character;

// Boxed: a finding is large, and results are returned often.
pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

pub(super) struct Cursor<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl Cursor<'_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    pub(super) fn take(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        self.at += if found { expected.len() } else { 0 };
        found
    }

    /// Blanks and comments; a line that ends in a backslash goes on.
    pub(super) fn skip_blanks(&mut self, lines: bool) {
        while let Some(byte) = self.peek() {
            let rest = self.rest();
            self.at += match byte {
                b' ' | b'\t' => 1,
                b'\n' | b'\r' if lines => 1,
                b'#' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
                b'/' if rest.starts_with("//") => rest.find(['\n', '\r']).unwrap_or(rest.len()),
                b'\\' => {
                    let after = rest[1..].trim_start_matches([' ', '\r']);
                    match after.starts_with('\n') {
                        true => rest.len() - after.len() + 1,
                        false => break,
                    }
                }
                _ => break,
            }
        }
    }

    /// Takes a `|`, which may be the first thing in a later line.
    pub(super) fn take_bar(&mut self, lines: bool) -> bool {
        let before = self.at;
        if !lines && matches!(self.peek(), Some(b'\n' | b'\r')) {
            self.skip_blanks(true);
        }
        let found = self.take("|");
        if !found {
            self.at = before;
        }
        found
    }

    /// A run of what names are made of; a hyphen only before a letter or digit.
    pub(super) fn word(&mut self) -> String {
        let bytes = self.rest().as_bytes();
        let is_part = |at: usize| {
            let byte = bytes.get(at).copied().unwrap_or(b' ');
            byte.is_ascii_alphanumeric() || byte == b'_'
        };
        let length = (0..)
            .find(|&at| !(is_part(at) || at > 0 && bytes.get(at) == Some(&b'-') && is_part(at + 1)))
            .unwrap_or(0);
        let word = self.rest()[..length].to_owned();
        self.at += length;
        word
    }

    pub(super) fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    /// Whether the brace here opens a repetition, not arguments.
    pub(super) fn at_bounds(&self) -> bool {
        let inside = self.rest()[1..].trim_start();
        inside.starts_with(|first: char| first.is_ascii_digit() || first == ',')
    }

    /// `"…"`, and whether the flag `i` follows.
    pub(super) fn string(&mut self) -> Parsed<(String, bool)> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let from = self.at;
            let Some(next) = self.rest().chars().next().filter(|&c| c != '\n') else {
                return Err(self.unclosed(start, "literal", "\""));
            };
            self.at += next.len_utf8();
            match next {
                '"' => break,
                '\\' => text.push(self.escape(from)?),
                other => text.push(other),
            }
        }
        let ignore_case = self.take("i");
        if text.is_empty() {
            let span = Span {
                start,
                end: self.at,
            };
            let message = "a literal cannot be empty";
            let finding = self.error("empty-terminal", span, message);
            let note = "what may be absent is written [item] or item?";
            return Err(Box::new(finding.with_note(note)));
        }
        Ok((text, ignore_case))
    }

    fn escape(&mut self, from: usize) -> Parsed<char> {
        let escaped = self.rest().chars().next();
        self.at += escaped.map_or(0, char::len_utf8);
        let digits = match escaped {
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some('f') => return Ok('\u{C}'),
            Some(same @ ('\\' | '"')) => return Ok(same),
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            _ => {
                let span = Span {
                    start: from,
                    end: self.at,
                };
                let finding = self.error("bad-escape", span, "there is no such escape");
                let note = r#"escapes are \n \r \t \f \\ \" \xNN \uNNNN \UNNNNNNNN"#;
                return Err(Box::new(finding.with_note(note)));
            }
        };
        let code = self
            .rest()
            .get(..digits)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += if code.is_some() { digits } else { 0 };
        code.and_then(char::from_u32).ok_or_else(|| {
            let span = Span {
                start: from,
                end: self.at,
            };
            let message = match code {
                Some(code) => format!("U+{code:04X} is not a character"),
                None => format!("this escape needs {digits} hexadecimal digits"),
            };
            self.error("bad-escape", span, message)
        })
    }

    /// `/…/flags`; a slash inside is written `\/`, also in a class.
    pub(super) fn regex(&mut self) -> Parsed<Regex> {
        let opening = self.at;
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        let mut newline = None;
        let end = loop {
            match self.peek() {
                None => return Err(self.unclosed(opening, "regular expression", "/")),
                Some(b'/') if !escaped => break self.at,
                Some(b'\n') if newline.is_none() => newline = Some(self.at),
                Some(_) => {}
            }
            escaped = self.peek() == Some(b'\\') && !escaped;
            self.at += 1;
        };
        self.at += 1;
        let source = self.text[start..end].to_owned();
        let mut flags = Flags::default();
        while let Some(flag) = self.peek() {
            match flag {
                b'i' => flags.ignore_case = true,
                b's' => flags.dot_all = true,
                b'x' => flags.verbose = true,
                // They concern anchors and bytes, of which there are none.
                b'm' | b'u' => {}
                b'l' => {
                    let span = Span {
                        start: self.at,
                        end: self.at + 1,
                    };
                    let message = "the flag l asks for a locale, and there is none";
                    return Err(self.error("unsupported-flag", span, message));
                }
                _ => break,
            }
            self.at += 1;
        }
        if let Some(at) = newline.filter(|_| !flags.verbose) {
            self.at = at;
            let finding = self.unclosed(opening, "regular expression", "/");
            let note = "only with the flag x may a regular expression have several lines";
            return Err(Box::new(finding.with_note(note)));
        }
        Ok(Regex {
            source,
            flags,
            start,
        })
    }

    /// To the next line that begins like a definition or a directive.
    pub(super) fn skip_to_next_item(&mut self) {
        while let Some(newline) = self.rest().find('\n') {
            self.at += newline + 1;
            let line = self.at;
            self.skip_blanks(false);
            let item = self.at;
            let rest = self.rest();
            if rest.starts_with('%') {
                return;
            }
            let head = rest.trim_start_matches(['?', '!']);
            self.at += rest.len() - head.len();
            if !self.word().is_empty()
                && self
                    .rest()
                    .trim_start_matches([' ', '\t'])
                    .starts_with([':', '.', '{', '['])
                && self.rest().lines().next().is_some_and(|l| l.contains(':'))
            {
                self.at = item;
                return;
            }
            self.at = line;
        }
        self.at = self.text.len();
    }

    pub(super) fn error(
        &self,
        kind: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(kind, span.place(), message))
    }

    pub(super) fn unexpected(&self, expected: &str, note: &str) -> Box<Diagnostic> {
        let found = self.rest().chars().next();
        let span = Span {
            start: self.at,
            end: self.at + found.map_or(0, char::len_utf8),
        };
        let message = match found {
            None => format!("expected {expected}, but the text ends"),
            Some('\n' | '\r') => format!("expected {expected}, but the line ends"),
            Some(found) => format!("expected {expected}, found {}", quoted_character(found)),
        };
        Box::new(self.error("syntax", span, message).with_note(note))
    }

    pub(super) fn unclosed(&self, start: usize, what: &str, closing: &str) -> Box<Diagnostic> {
        let span = Span {
            start,
            end: start + 1,
        };
        let message = format!("this {what} is never closed");
        let finding = self.error("syntax", span, message);
        Box::new(finding.with_note(format!("{closing} is missing")))
    }

    /// `name[lazy]: …` and its like, of llguidance.
    pub(super) fn attributes(&mut self) -> Box<Diagnostic> {
        let start = self.at;
        let length = self.rest().find([']', '\n']).unwrap_or(self.rest().len());
        self.at = (start + length + 1).min(self.text.len());
        let span = Span {
            start,
            end: start + length,
        };
        let message = "attributes of rules (capture, lazy, stop and the like) are not supported";
        let finding = self.error("unsupported-attribute", span, message);
        Box::new(finding.with_note("a shortest match is written with a lazy quantifier, as in *?"))
    }

    /// `<token>` and `@grammar`, of llguidance.
    pub(super) fn outside_reference(&mut self) -> Box<Diagnostic> {
        let start = self.at;
        let is_token = self.peek() == Some(b'<');
        let rest = self.rest();
        let length = match is_token {
            true => rest.find(['>', '\n']).map_or(rest.len(), |end| end + 1),
            false => {
                1 + rest[1..]
                    .find([' ', '\t', '\n', '\r'])
                    .unwrap_or(rest.len() - 1)
            }
        };
        self.at += length;
        let span = Span {
            start,
            end: self.at,
        };
        let (kind, message, note) = match is_token {
            true => (
                "token-terminal",
                "a terminal that names a token of one tokenizer is not supported",
                "write the token's text as a literal",
            ),
            false => (
                "unknown-module",
                "other grammars cannot be referred to",
                "copy the definitions into this grammar",
            ),
        };
        Box::new(self.error(kind, span, message).with_note(note))
    }

    pub(super) fn foreign_directive(&self, span: Span, word: &str) -> Box<Diagnostic> {
        let message = format!("%{word} is not supported here");
        let finding = self.error("unsupported-directive", span, message);
        let note = match word {
            "json" => "a JSON Schema is a grammar of its own here",
            "regex" => "write a regular expression between slashes",
            "lark" => "write the rules into this grammar",
            _ => {
                "directives are %ignore, %import, %override, %extend, %slot, %constrain and \
                 %forbid, each at the beginning of a line"
            }
        };
        Box::new(finding.with_note(note))
    }
}
