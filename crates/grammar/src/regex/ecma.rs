//! ECMA-262 patterns with the flag `u`, as JSON Schema uses them.
//!
//! Supported: alternation, groups (capturing, named or not), quantifiers
//! (greedy or lazy, which match the same texts), classes, `.`, `\d \D \w \W \s
//! \S`, `\p{…}` and `\P{…}` for general categories, `\t \n \v \f \r \0 \cX \xHH
//! \uHHHH \u{…}` (two escaped surrogates are one character), a backslash before
//! any ASCII punctuation, `^` and `$`, `\b` and `\B`, look-ahead and look-behind, anywhere
//! but for what looks ahead inside of what looks behind. A hyphen beside a class of
//! characters is one of them, as without the flag.

use std::sync::Arc;

use regex_syntax::hir::{Class, HirKind};

use super::anchored::{Outside, Pattern, language};
use super::{MAX_NESTING, MAX_REPETITION, MAX_TEXT};
use crate::automaton::{Language, Limits};
use crate::characters::{complement, normalise};
use crate::{Diagnostic, Expr, Place};

/// Reads an ECMA-262 pattern as an expression for all the texts in which it
/// matches somewhere.
///
/// ```
/// use lacuna_grammar::{automaton::{Dfa, Limits}, regex::parse_ecma_search};
/// let expr = parse_ecma_search(r"^a|\d$").unwrap();
/// let dfa = Dfa::from_expr(&expr, &Limits::default()).unwrap();
/// assert!(dfa.accepts(b"ab") && dfa.accepts("é7".as_bytes()) && !dfa.accepts(b"7b"));
/// ```
///
/// # Errors
/// What is no such pattern, or not supported; its span is in `pattern`.
pub fn parse_ecma_search(pattern: &str) -> Result<Expr, Diagnostic> {
    Ok(match search(pattern)? {
        Searched::Plain(expr) => expr,
        Searched::Looking(language) => {
            let spelled = language.utf8(&Limits::default()).map_err(|error| {
                let (start, end) = (0, pattern.len());
                Diagnostic::error("too-large", Place::Span { start, end }, error.to_string())
            })?;
            Expr::Automaton(Arc::new(spelled))
        }
    })
}

/// All the texts in which a pattern matches somewhere.
pub(crate) enum Searched {
    /// Of one that looks at most at the ends of the text.
    Plain(Expr),
    Looking(Language),
}

/// As [`parse_ecma_search`], for whoever wants a language.
pub(crate) fn search(pattern: &str) -> Result<Searched, Diagnostic> {
    if pattern.len() > MAX_TEXT {
        let place = Place::Span {
            start: MAX_TEXT,
            end: pattern.len(),
        };
        let message = format!("the pattern is longer than {MAX_TEXT} bytes");
        return Err(Diagnostic::error("too-large", place, message));
    }
    let mut parser = Parser {
        text: pattern,
        at: 0,
        nesting: 0,
    };
    let tree = parser.alternatives()?;
    if parser.at < pattern.len() {
        return Err(parser.error("syntax", parser.at, "this ) has no ( before it"));
    }
    Ok(match language(&tree, Outside::Anything) {
        Ok(expr) => Searched::Plain(expr),
        Err(_) => Searched::Looking(super::looking::search(&tree, pattern.len())?),
    })
}

type Ranges = Vec<(u32, u32)>;

/// What ECMA-262 calls WhiteSpace and LineTerminator.
const BLANKS: [(u32, u32); 10] = [
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];
const DIGITS: [(u32, u32); 1] = [(0x30, 0x39)];
const WORD: [(u32, u32); 4] = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const LINE_ENDS: [(u32, u32); 3] = [(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];

struct Parser<'a> {
    text: &'a str,
    at: usize,
    nesting: u32,
}

impl Parser<'_> {
    fn alternatives(&mut self) -> Result<Pattern, Diagnostic> {
        let mut alternatives = vec![self.sequence()?];
        while self.take("|") {
            alternatives.push(self.sequence()?);
        }
        Ok(match alternatives.len() {
            1 => alternatives.remove(0),
            _ => Pattern::Choice(alternatives),
        })
    }

    /// May match nothing.
    fn sequence(&mut self) -> Result<Pattern, Diagnostic> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek() {
            let start = self.at;
            if self.quantifier()?.is_some() {
                return Err(self.error("syntax", start, "nothing to repeat"));
            }
            let part = match next {
                '|' | ')' => break,
                '^' => {
                    self.at += 1;
                    Pattern::Beginning {
                        start,
                        end: self.at,
                    }
                }
                '$' => {
                    self.at += 1;
                    Pattern::End {
                        start,
                        end: self.at,
                    }
                }
                '(' => self.group()?,
                '[' => Pattern::Plain(characters(self.class()?)),
                '.' => {
                    self.at += 1;
                    Pattern::Plain(characters(complement(&LINE_ENDS)))
                }
                '\\' if self.take("\\b") || self.take("\\B") => Pattern::Boundary {
                    negated: self.text[start..].starts_with("\\B"),
                    start,
                    end: self.at,
                },
                '\\' => Pattern::Plain(characters(self.escape(false)?.ranges())),
                other => {
                    self.at += other.len_utf8();
                    Pattern::Plain(Expr::literal(&self.text[start..self.at]))
                }
            };
            parts.push(self.quantified(part)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Pattern::Sequence(parts),
        })
    }

    fn group(&mut self) -> Result<Pattern, Diagnostic> {
        let start = self.at;
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let message = format!("groups are nested more than {MAX_NESTING} deep");
            return Err(self.error("too-deep", start, message));
        }
        self.at += 1;
        let looks = [
            ("?=", false, false),
            ("?!", false, true),
            ("?<=", true, false),
            ("?<!", true, true),
        ];
        if let Some((_, behind, negated)) = looks.into_iter().find(|look| self.take(look.0)) {
            let inside = Box::new(self.alternatives()?);
            self.close_group(start)?;
            return Ok(Pattern::Look {
                inside,
                behind,
                negated,
                start,
                end: self.at,
            });
        }
        if self.take("?<") {
            let Some(end) = self.rest().find('>').filter(|&end| end > 0) else {
                return Err(self.error("syntax", start, "the group's name does not end"));
            };
            self.at += end + 1;
        } else if self.rest().starts_with('?') && !self.take("?:") {
            self.at += 1;
            return Err(self.error("syntax", start, "there is no such kind of group"));
        }
        let inside = self.alternatives()?;
        self.close_group(start)?;
        Ok(inside)
    }

    fn close_group(&mut self, start: usize) -> Result<(), Diagnostic> {
        if !self.take(")") {
            return Err(self.error("syntax", start, "this group is never closed"));
        }
        self.nesting -= 1;
        Ok(())
    }

    /// Takes the quantifier after an item, if there is one.
    fn quantified(&mut self, item: Pattern) -> Result<Pattern, Diagnostic> {
        Ok(match self.quantifier()? {
            None => item,
            Some((min, max)) => Pattern::Repeat {
                item: Box::new(item),
                min,
                max,
            },
        })
    }

    /// Takes a quantifier, if there is one: the least and the most.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, Diagnostic> {
        let start = self.at;
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') if self.is_quantifier() => self.bounds()?,
            _ => return Ok(None),
        };
        self.at += 1;
        // A lazy quantifier matches the same texts.
        self.take("?");
        if max.is_some_and(|max| max < min) {
            return Err(self.error("syntax", start, "the most is less than the least"));
        }
        Ok(Some((min, max)))
    }

    /// Whether a brace begins a quantifier: elsewhere it stands for itself, as
    /// in web browsers without the flag `u`.
    fn is_quantifier(&self) -> bool {
        let inside = self
            .rest()
            .strip_prefix('{')
            .and_then(|rest| rest.split_once('}'));
        inside.is_some_and(|(inside, _)| {
            let (min, max) = inside.split_once(',').unwrap_or((inside, ""));
            let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            !min.is_empty() && digits(min) && digits(max)
        })
    }

    /// Leaves the cursor on the closing brace.
    fn bounds(&mut self) -> Result<(u32, Option<u32>), Diagnostic> {
        let start = self.at;
        let inside = self.rest().find('}').map(|end| &self.rest()[1..end]);
        let Some(inside) = inside else {
            return Err(self.error("syntax", start, "this { is never closed"));
        };
        let end = start + 1 + inside.len();
        let (min, max) = match inside.split_once(',') {
            None => (inside, Some(inside)),
            Some((min, "")) => (min, None),
            Some((min, max)) => (min, Some(max)),
        };
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            if !is_number {
                return Err(self.error("syntax", start, "a repetition is {m}, {m,} or {m,n}"));
            }
            digits
                .parse()
                .ok()
                .filter(|&count: &u32| count <= MAX_REPETITION)
                .ok_or_else(|| {
                    let message = format!("more than {MAX_REPETITION} repetitions");
                    self.error("too-large", start, message)
                })
        };
        let bounds = (number(min)?, max.map(number).transpose()?);
        self.at = end;
        Ok(bounds)
    }

    fn class(&mut self) -> Result<Ranges, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let negated = self.take("^");
        let mut ranges = Ranges::new();
        loop {
            let from = self.at;
            match self.peek() {
                None => return Err(self.error("syntax", start, "this class is never closed")),
                Some(']') => break,
                Some(_) => {}
            }
            let low = self.class_atom()?;
            if !self.rest().starts_with('-') || self.rest().starts_with("-]") {
                ranges.extend(low.ranges());
                continue;
            }
            self.at += 1;
            let high = match self.peek() {
                None => return Err(self.error("syntax", start, "this class is never closed")),
                Some(_) => self.class_atom()?,
            };
            match (low, high) {
                (Atom::One(low), Atom::One(high)) if low <= high => ranges.push((low, high)),
                (Atom::One(_), Atom::One(_)) => {
                    return Err(self.error("syntax", from, "the range ends before it begins"));
                }
                // The hyphen stands for itself.
                (low, high) => {
                    ranges.extend(low.ranges());
                    ranges.push((u32::from(b'-'), u32::from(b'-')));
                    ranges.extend(high.ranges());
                }
            }
        }
        self.at += 1;
        let ranges = normalise(ranges);
        Ok(if negated { complement(&ranges) } else { ranges })
    }

    fn class_atom(&mut self) -> Result<Atom, Diagnostic> {
        match self.peek() {
            Some('\\') => self.escape(true),
            Some(other) => {
                self.at += other.len_utf8();
                Ok(Atom::One(other as u32))
            }
            None => Err(self.error("syntax", self.at, "this class is never closed")),
        }
    }

    fn escape(&mut self, in_class: bool) -> Result<Atom, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let Some(escaped) = self.peek() else {
            return Err(self.error("syntax", start, "the pattern ends in a backslash"));
        };
        self.at += escaped.len_utf8();
        Ok(match escaped {
            'd' => Atom::Set(DIGITS.to_vec()),
            'D' => Atom::Set(complement(&DIGITS)),
            'w' => Atom::Set(WORD.to_vec()),
            'W' => Atom::Set(complement(&WORD)),
            's' => Atom::Set(BLANKS.to_vec()),
            'S' => Atom::Set(complement(&BLANKS)),
            'p' | 'P' => Atom::Set(self.property(start, escaped == 'P')?),
            't' => Atom::One(0x09),
            'n' => Atom::One(0x0A),
            'v' => Atom::One(0x0B),
            'f' => Atom::One(0x0C),
            'r' => Atom::One(0x0D),
            'b' if in_class => Atom::One(0x08),
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => Atom::One(0),
            'c' => match self.peek() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    self.at += 1;
                    Atom::One(letter as u32 % 32)
                }
                _ => return Err(self.error("syntax", start, "\\c needs a letter")),
            },
            'x' => Atom::One(self.hexadecimal(start, 2)?),
            'u' => Atom::One(self.unicode_escape(start)?),
            'k' | '1'..='9' if !in_class => {
                let message = "back-references are not supported";
                return Err(self.error("back-reference", start, message));
            }
            other if other.is_ascii_punctuation() => Atom::One(other as u32),
            other => {
                let message = format!("there is no escape \\{other}");
                return Err(self.error("syntax", start, message));
            }
        })
    }

    /// `{name}` after `\p`; the tables are regex-syntax's.
    fn property(&mut self, start: usize, negated: bool) -> Result<Ranges, Diagnostic> {
        let name = self
            .rest()
            .strip_prefix('{')
            .and_then(|rest| Some(&rest[..rest.find('}')?]))
            .filter(|name| {
                name.bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"_=".contains(&b))
            });
        let Some(name) = name else {
            return Err(self.error("syntax", start, "a property is written \\p{name}"));
        };
        let (as_pattern, name) = (format!("\\p{{{name}}}"), name.to_owned());
        self.at += name.len() + 2;
        let hir = regex_syntax::parse(&as_pattern).map_err(|_| {
            let message = format!("the property {name} is not supported");
            self.error("unsupported-class", start, message)
        })?;
        let ranges = match hir.kind() {
            HirKind::Class(Class::Unicode(class)) => class
                .ranges()
                .iter()
                .map(|r| (r.start() as u32, r.end() as u32))
                .collect(),
            HirKind::Literal(literal) => std::str::from_utf8(&literal.0)
                .map(|text| text.chars().map(|c| (c as u32, c as u32)).collect())
                .unwrap_or_default(),
            _ => Ranges::new(),
        };
        let ranges = normalise(ranges);
        Ok(if negated { complement(&ranges) } else { ranges })
    }

    /// `HHHH` or `{H…}` after `\u`; escaped surrogates must come as a pair.
    fn unicode_escape(&mut self, start: usize) -> Result<u32, Diagnostic> {
        if self.take("{") {
            let digits = self.rest().find('}').map(|end| &self.rest()[..end]);
            let code = digits
                .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                .and_then(|digits| Some((digits.len(), u32::from_str_radix(digits, 16).ok()?)));
            return match code {
                Some((length, code)) if code <= char::MAX as u32 => {
                    self.at += length + 1;
                    self.not_a_surrogate(start, code)
                }
                _ => Err(self.error("syntax", start, "\\u{…} needs a character's number")),
            };
        }
        let code = self.hexadecimal(start, 4)?;
        if (0xD800..0xDC00).contains(&code) && self.take("\\u") {
            let low = self.hexadecimal(start, 4)?;
            if (0xDC00..0xE000).contains(&low) {
                return Ok(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
            }
        }
        self.not_a_surrogate(start, code)
    }

    fn not_a_surrogate(&self, start: usize, code: u32) -> Result<u32, Diagnostic> {
        match char::from_u32(code) {
            Some(_) => Ok(code),
            None => {
                let message = "half a surrogate pair is not a character";
                Err(self.error("unsupported-class", start, message))
            }
        }
    }

    fn hexadecimal(&mut self, start: usize, digits: usize) -> Result<u32, Diagnostic> {
        let code = self
            .rest()
            .get(..digits)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += if code.is_some() { digits } else { 0 };
        code.ok_or_else(|| {
            self.error(
                "syntax",
                start,
                format!("this escape needs {digits} hexadecimal digits"),
            )
        })
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        self.at += if found { expected.len() } else { 0 };
        found
    }

    /// An error about the bytes from `start` to where the parser is.
    fn error(&self, kind: &'static str, start: usize, message: impl Into<String>) -> Diagnostic {
        let end = self.at.max(start + 1).min(self.text.len());
        Diagnostic::error(kind, Place::Span { start, end }, message)
    }
}

/// One character or a set of them.
enum Atom {
    One(u32),
    Set(Ranges),
}

impl Atom {
    fn ranges(self) -> Ranges {
        match self {
            Atom::One(code) => vec![(code, code)],
            Atom::Set(ranges) => ranges,
        }
    }
}

fn characters(ranges: Ranges) -> Expr {
    Expr::Chars(ranges.into())
}
