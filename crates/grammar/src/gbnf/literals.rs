//! Literals and classes of characters, with their escapes.
//!
//! What is wrong inside one does not keep the rest of the rule from being read.

use super::ast::Node;
use super::parser::{Parsed, Parser};

/// Stands for a character that cannot be read; the finding keeps it from being used.
const UNREADABLE: char = char::REPLACEMENT_CHARACTER;

impl Parser<'_> {
    pub(super) fn literal(&mut self) -> Parsed<Node> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(self.unclosed_literal(start)),
                Some(b'"') => break,
                Some(_) => {
                    let from = self.at;
                    let code = self.character()?;
                    let character = char::from_u32(code);
                    if character.is_none() {
                        let message = format!("U+{code:04X} is not a character");
                        self.note(*self.error("bad-escape", from, self.at, message));
                    }
                    text.push(character.unwrap_or(UNREADABLE));
                }
            }
        }
        self.at += 1;
        if self.text[start..self.at].contains('\n') {
            self.last_of_several_lines = Some(start);
        }
        Ok(Node::Literal(text))
    }

    /// Reading goes on behind the first quote.
    fn unclosed_literal(&mut self, start: usize) -> Box<crate::Diagnostic> {
        self.at = start + 1;
        let finding = self.unclosed(start, "literal", "\"");
        let Some(before) = self.last_of_several_lines else {
            return finding;
        };
        let line = self.text[..before].matches('\n').count() + 1;
        let note = format!(
            "\" is missing, perhaps in line {line}: the literal that begins there goes over several lines"
        );
        Box::new(finding.with_note(note))
    }

    pub(super) fn class(&mut self) -> Parsed<Node> {
        let start = self.at;
        self.at += 1;
        let negated = self.take("^");
        let mut ranges = Vec::new();
        loop {
            match self.peek() {
                None => return Err(self.unclosed_class(start)),
                Some(b']') => break,
                Some(_) => {}
            }
            let from = self.at;
            let low = self.character()?;
            let mut high = low;
            let rest = &self.text[self.at..];
            if rest.starts_with('-') && rest.len() > 1 && !rest.starts_with("-]") {
                self.at += 1;
                high = self.character()?;
            }
            if low > high {
                let message = "the range ends before it begins";
                self.note(*self.error("bad-range", from, self.at, message));
            }
            ranges.push((low.min(high), high.max(low)));
        }
        self.at += 1;
        if ranges.is_empty() {
            let finding = self.error("empty-class", start, self.at, "the class is empty");
            self.note(finding.with_note("any character is written ."));
        }
        Ok(Node::Class { negated, ranges })
    }

    /// Reading goes on behind the bracket.
    fn unclosed_class(&mut self, start: usize) -> Box<crate::Diagnostic> {
        self.at = start + 1;
        self.unclosed(start, "character class", "]")
    }

    /// One character of a literal or class, as a code point up to U+10FFFF.
    fn character(&mut self) -> Parsed<u32> {
        let start = self.at;
        let Some(first) = self.text[start..].chars().next() else {
            return Err(self.unexpected("a character", "the text ends here"));
        };
        self.at += first.len_utf8();
        if first != '\\' {
            return Ok(first as u32);
        }
        let escape = self.text[self.at..].chars().next();
        self.at += escape.map_or(0, char::len_utf8);
        Ok(match escape {
            Some('n') => '\n' as u32,
            Some('r') => '\r' as u32,
            Some('t') => '\t' as u32,
            Some(same @ ('\\' | '"' | '[' | ']')) => same as u32,
            Some('x') => self.hexadecimal(start, 2),
            Some('u') => self.hexadecimal(start, 4),
            Some('U') => self.hexadecimal(start, 8),
            _ => {
                let finding = self.error("bad-escape", start, self.at, "there is no such escape");
                let note = r#"escapes are \n \r \t \\ \" \[ \] \xNN \uNNNN \UNNNNNNNN"#;
                self.note(finding.with_note(note));
                UNREADABLE as u32
            }
        })
    }

    fn hexadecimal(&mut self, start: usize, digits: usize) -> u32 {
        let code = self
            .text
            .get(self.at..self.at + digits)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let message = match code {
            None => format!("this escape needs {digits} hexadecimal digits"),
            Some(code) => {
                self.at += digits;
                if code <= char::MAX as u32 {
                    return code;
                }
                "the last character is U+10FFFF".to_owned()
            }
        };
        self.note(*self.error("bad-escape", start, self.at, message));
        UNREADABLE as u32
    }
}
