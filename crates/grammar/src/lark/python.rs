//! Python's notation for regular expressions, which Lark's grammars use, said
//! in the notation of `regex-syntax`.
//!
//! Most of the two is the same; what differs is spelled out: braces that are no
//! repetition, `[` and `&&` in classes, blanks in classes of verbose patterns,
//! escapes, octal numbers, comments in groups. What is not regular, looks
//! around or depends on backtracking is refused here, by name. Every byte that
//! is written remembers where it came from, so that what the other parser has
//! to say gets the right place.

use regex_syntax::hir::Hir;

use super::ast::{Regex, Span};
use crate::regex::{PatternFlags, read_hir};
use crate::{Diagnostic, Place};

/// What a regular expression means.
///
/// # Errors
/// What is wrong with it, or not supported; places are in the grammar text.
pub(super) fn read(regex: &Regex) -> Result<Hir, Vec<Diagnostic>> {
    let mut translation = Translation {
        source: &regex.source,
        at: 0,
        base: regex.start,
        written: String::new(),
        origins: Vec::new(),
        verbose: vec![regex.flags.verbose],
        flagged: 0,
    };
    translation.whole().map_err(|finding| vec![*finding])?;
    let flags = PatternFlags {
        ignore_case: regex.flags.ignore_case,
        dot_all: regex.flags.dot_all,
        verbose: regex.flags.verbose,
    };
    read_hir(&translation.written, flags).map_err(|findings| {
        let placed = findings.into_iter().map(|mut finding| {
            if let Place::Span { start, end } = finding.place {
                finding.place = translation.original(start, end).place();
            }
            finding
        });
        placed.collect()
    })
}

type Translated<T> = Result<T, Box<Diagnostic>>;

struct Translation<'a> {
    source: &'a str,
    at: usize,
    /// Where the source begins in the grammar text.
    base: usize,
    written: String,
    /// For each byte written, the place in the source that it stands for.
    origins: Vec<usize>,
    /// For each open group, whether blanks in it mean nothing.
    verbose: Vec<bool>,
    /// How far flags of the whole reach, if it begins with any.
    flagged: usize,
}

impl<'a> Translation<'a> {
    fn whole(&mut self) -> Translated<()> {
        while let Some(next) = self.peek() {
            let start = self.at;
            match next {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group()?,
                ')' => {
                    if self.verbose.len() > 1 {
                        self.verbose.pop();
                    }
                    self.copy(1);
                }
                '*' | '+' | '?' => {
                    self.copy(1);
                    self.after_quantifier(start)?;
                }
                '{' => self.brace()?,
                '^' | '$' => {
                    self.at += 1;
                    let message = "the ends of the text cannot be asked for inside a terminal";
                    let finding = self.finding("anchor", start, message);
                    return Err(Box::new(finding.with_note(
                        "a terminal is matched from where the last one ended; leave the anchor out",
                    )));
                }
                '#' if self.is_verbose() => {
                    let rest = self.rest();
                    let length = rest.find('\n').unwrap_or(rest.len());
                    self.at += length;
                }
                // Beyond ASCII more is blank to the other parser, where blanks mean nothing.
                '}' | ']' | '\u{80}'.. => {
                    self.at += next.len_utf8();
                    self.write_character(next, start);
                }
                _ => self.copy(1),
            }
        }
        Ok(())
    }

    fn group(&mut self) -> Translated<()> {
        let start = self.at;
        let rest = self.rest();
        let refused = [
            ("(?=", "look-around", "look-ahead is not supported"),
            ("(?!", "look-around", "look-ahead is not supported"),
            ("(?<=", "look-around", "look-behind is not supported"),
            ("(?<!", "look-around", "look-behind is not supported"),
            (
                "(?P=",
                "back-reference",
                "back-references are not supported",
            ),
            (
                "(?(",
                "back-reference",
                "conditions on groups are not supported",
            ),
            ("(?>", "atomic-group", "atomic groups are not supported"),
        ];
        for (opening, kind, message) in refused {
            if rest.starts_with(opening) {
                self.at += opening.len();
                return Err(Box::new(self.finding(kind, start, message)));
            }
        }
        if rest.starts_with("(?#") {
            let Some(length) = rest.find(')') else {
                self.at += 3;
                return Err(Box::new(self.finding(
                    "syntax",
                    start,
                    "this comment does not end",
                )));
            };
            self.at += length + 1;
            return Ok(());
        }
        let verbose = self.is_verbose();
        if !rest.starts_with("(?") || rest.starts_with("(?P<") || rest.starts_with("(?:") {
            self.verbose.push(verbose);
            let length = match rest.starts_with("(?") {
                true => rest.find(['<', ':']).map_or(2, |at| at + 1),
                false => 1,
            };
            self.copy(length);
            return Ok(());
        }
        let flags = rest[2..]
            .find(|c: char| !(c.is_ascii_alphabetic() || c == '-'))
            .map_or("", |length| &rest[2..2 + length]);
        let closing = rest[2 + flags.len()..].chars().next();
        if flags.is_empty() || !matches!(closing, Some(':' | ')')) {
            self.at += 2;
            let message = "there is no such kind of group";
            return Err(Box::new(self.finding("syntax", start, message)));
        }
        let (on, off) = flags.split_once('-').unwrap_or((flags, ""));
        let is_of_all = closing == Some(')');
        let is_late = is_of_all && start != self.flagged;
        let is_refused = is_late || off.contains('u');
        let mut named = flags.chars();
        if let Some(flag) = named.find(|flag| is_refused || !"imsux-".contains(*flag)) {
            let message = format!("the flag {flag} is not supported");
            self.at += 2 + flags.len();
            let finding = self.finding("unsupported-flag", start, message);
            let note = "flags are i, m, s, u and x; those of the whole stand first, and u stays";
            return Err(Box::new(finding.with_note(note)));
        }
        if is_of_all {
            self.flagged += 3 + flags.len();
        }
        let inside = match (on.contains('x'), off.contains('x')) {
            (true, _) => true,
            (_, true) => false,
            _ => verbose,
        };
        match closing {
            Some(':') => self.verbose.push(inside),
            _ => *self.innermost() = inside,
        }
        self.copy(3 + flags.len());
        Ok(())
    }

    /// A repetition, or a brace that is only a brace.
    fn brace(&mut self) -> Translated<()> {
        let start = self.at;
        let inside = self.rest().find('}').map(|end| &self.rest()[1..end]);
        let bounds = inside.map(|inside| inside.split_once(',').unwrap_or((inside, inside)));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        match (inside, bounds) {
            (Some(inside), Some((min, max)))
                if !inside.is_empty() && is_number(min) && is_number(max) =>
            {
                self.at += inside.len() + 2;
                let bounds = match min {
                    "" => format!("{{0,{max}}}"),
                    _ => format!("{{{inside}}}"),
                };
                self.write(&bounds, start);
                self.after_quantifier(start)
            }
            _ => {
                self.at += 1;
                self.write_character('{', start);
                Ok(())
            }
        }
    }

    /// Lazy ones are copied, possessive ones refused.
    fn after_quantifier(&mut self, start: usize) -> Translated<()> {
        match self.peek() {
            Some('?') => self.copy(1),
            Some('+') => {
                self.at += 1;
                let message = "possessive quantifiers are not supported";
                return Err(Box::new(self.finding("atomic-group", start, message)));
            }
            _ => {}
        }
        Ok(())
    }

    fn escape(&mut self) -> Translated<()> {
        let start = self.at;
        match self.escaped(false)? {
            Escaped::Character(character) => self.write_character(character, start),
            Escaped::Class => {
                let class = self.source[start..self.at].to_owned();
                self.write(&class, start);
            }
        }
        Ok(())
    }

    fn escaped(&mut self, in_class: bool) -> Translated<Escaped> {
        let start = self.at;
        self.at += 1;
        let Some(escaped) = self.peek() else {
            let message = "the pattern ends in a backslash";
            return Err(Box::new(self.finding("syntax", start, message)));
        };
        self.at += escaped.len_utf8();
        let character = match escaped {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => return Ok(Escaped::Class),
            'p' | 'P' => {
                let rest = self.rest();
                let length = match rest.strip_prefix('{') {
                    Some(name) => name.find('}').map(|end| end + 2),
                    None => rest.chars().next().map(char::len_utf8),
                };
                let Some(length) = length else {
                    let message = "the property's name is missing";
                    return Err(Box::new(self.finding("syntax", start, message)));
                };
                self.at += length;
                return Ok(Escaped::Class);
            }
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'f' => '\u{C}',
            'v' => '\u{B}',
            'a' => '\u{7}',
            'b' if in_class => '\u{8}',
            'x' => self.hexadecimal(start, 2)?,
            'u' => self.hexadecimal(start, 4)?,
            'U' => self.hexadecimal(start, 8)?,
            '0'..='9' => self.octal(start, escaped, in_class)?,
            'b' | 'B' | 'A' | 'Z' | 'z' => {
                let (kind, message) = match escaped {
                    'b' | 'B' => ("look-around", "word boundaries are not supported"),
                    _ => (
                        "anchor",
                        "the ends of the text cannot be asked for inside a terminal",
                    ),
                };
                return Err(Box::new(self.finding(kind, start, message)));
            }
            other if other.is_ascii_alphanumeric() => {
                let message = format!("there is no escape \\{other}");
                return Err(Box::new(self.finding("bad-escape", start, message)));
            }
            other => other,
        };
        Ok(Escaped::Character(character))
    }

    /// Octal numbers begin with 0 or have three digits; others are references, which there are
    /// none of in a class.
    fn octal(&mut self, start: usize, first: char, in_class: bool) -> Translated<char> {
        let rest = self.rest().as_bytes();
        let more = rest.iter().take(2);
        let more = more.take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        let is_short = in_class && first <= '7' && (first <= '3' || more < 2);
        if first == '0' || is_short || (first <= '3' && more == 2) {
            self.at += more;
            let digits = &self.source[start + 1..self.at];
            let code = u32::from_str_radix(digits, 8).ok().and_then(char::from_u32);
            if let Some(character) = code {
                return Ok(character);
            }
        }
        let (kind, message) = match in_class {
            true => (
                "bad-escape",
                "an octal number has digits up to 7 and is at most 377",
            ),
            false => ("back-reference", "back-references are not supported"),
        };
        Err(Box::new(self.finding(kind, start, message)))
    }

    fn hexadecimal(&mut self, start: usize, digits: usize) -> Translated<char> {
        let code = self
            .rest()
            .get(..digits)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += if code.is_some() { digits } else { 0 };
        let message = match code {
            None => format!("this escape needs {digits} hexadecimal digits"),
            Some(code) => match char::from_u32(code) {
                Some(character) => return Ok(character),
                None => format!("U+{code:04X} is not a character"),
            },
        };
        Err(Box::new(self.finding("bad-escape", start, message)))
    }

    /// A class, with its characters written as numbers.
    fn class(&mut self) -> Translated<()> {
        let start = self.at;
        self.at += 1;
        self.write("[", start);
        if self.peek() == Some('^') {
            self.copy(1);
        }
        let mut first = true;
        loop {
            let from = self.at;
            match self.peek() {
                None => {
                    self.at = start + 1;
                    let message = "this class is never closed";
                    return Err(Box::new(self.finding("syntax", start, message)));
                }
                Some(']') if !first => break,
                Some(_) => first = false,
            }
            let low = self.class_atom()?;
            let rest = self.rest();
            let is_range = rest.starts_with('-') && rest.len() > 1 && !rest.starts_with("-]");
            if !is_range {
                self.write_atom(low, from);
                continue;
            }
            self.at += 1;
            let high = self.class_atom()?;
            match (low, high) {
                (Escaped::Character(low), Escaped::Character(high)) if low <= high => {
                    self.write_character(low, from);
                    self.write("-", from);
                    self.write_character(high, from);
                }
                (Escaped::Character(_), Escaped::Character(_)) => {
                    let message = "the range ends before it begins";
                    return Err(Box::new(self.finding("bad-range", from, message)));
                }
                _ => {
                    let message = "a class cannot bound a range";
                    return Err(Box::new(self.finding("bad-range", from, message)));
                }
            }
        }
        self.copy(1);
        Ok(())
    }

    fn class_atom(&mut self) -> Translated<Escaped> {
        match self.peek() {
            Some('\\') => self.escaped(true),
            other => {
                let character = other.unwrap_or(']');
                self.at += character.len_utf8();
                Ok(Escaped::Character(character))
            }
        }
    }

    fn write_atom(&mut self, atom: Escaped, from: usize) {
        match atom {
            Escaped::Character(character) => self.write_character(character, from),
            Escaped::Class => {
                let class = self.source[from..self.at].to_owned();
                self.write(&class, from);
            }
        }
    }

    /// A character that means itself wherever it stands.
    fn write_character(&mut self, character: char, from: usize) {
        match character.is_ascii_alphanumeric() {
            true => self.write(character.encode_utf8(&mut [0; 4]), from),
            false => self.write(&format!("\\x{{{:X}}}", u32::from(character)), from),
        }
    }

    fn write(&mut self, text: &str, from: usize) {
        self.written.push_str(text);
        self.origins.extend(std::iter::repeat_n(from, text.len()));
    }

    fn copy(&mut self, length: usize) {
        let from = self.at;
        self.at += length;
        let source = self.source;
        self.written.push_str(&source[from..self.at]);
        self.origins.extend(from..self.at);
    }

    /// The place in the grammar text of what was written there.
    fn original(&self, start: usize, end: usize) -> Span {
        let at = |written: usize| {
            let origin = self.origins.get(written).copied();
            self.base + origin.unwrap_or(self.source.len())
        };
        let start = at(start);
        Span {
            start,
            end: at(end).max(start),
        }
    }

    fn finding(&self, kind: &'static str, start: usize, message: impl Into<String>) -> Diagnostic {
        let span = Span {
            start: self.base + start,
            end: self.base + self.at,
        };
        Diagnostic::error(kind, span.place(), message)
    }

    fn is_verbose(&self) -> bool {
        self.verbose.last().copied().unwrap_or(false)
    }

    fn innermost(&mut self) -> &mut bool {
        if self.verbose.is_empty() {
            self.verbose.push(false);
        }
        let last = self.verbose.len() - 1;
        &mut self.verbose[last]
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
}

/// One character, or a set of them that both notations write alike.
#[derive(Clone, Copy)]
enum Escaped {
    Character(char),
    Class,
}
