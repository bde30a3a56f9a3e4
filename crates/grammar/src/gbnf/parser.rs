//! A recursive-descent parser, a function per production, after llama.cpp's; literals
//! and classes are read by `literals`.
//!
//! Convention: a function is called with the cursor on the first byte of its
//! production and leaves it after the production and the blanks that follow.
//! Line ends count as blanks only where `lines` says so.

use super::ast::{Name, NamedToken, Node, Rule};
use super::{MAX_NESTING, MAX_REPETITION};
use crate::quoted::quoted_character;
use crate::{Diagnostic, Place};

/// Findings after which the parser gives up.
const MAX_FINDINGS: usize = 50;
/// `a**` is a repetition of a repetition; more of them than this are refused.
const MAX_STACKED_REPETITIONS: usize = 4;

/// What could be read.
pub(super) struct Reading {
    pub(super) rules: Vec<Rule>,
    /// What is wrong with the text.
    pub(super) findings: Vec<Diagnostic>,
    /// Whether no rule is missing: what is wrong lies within their literals and such.
    pub(super) complete: bool,
}

/// Reads all rules: one that cannot be read is passed over.
pub(super) fn parse(text: &str) -> Reading {
    let mut parser = Parser {
        text,
        at: 0,
        nesting: 0,
        findings: Vec::new(),
        last_of_several_lines: None,
    };
    let (mut rules, mut complete) = (Vec::new(), true);
    parser.skip_blanks(true);
    while parser.at < text.len() && parser.findings.len() < MAX_FINDINGS {
        match parser.rule() {
            Ok(rule) => rules.push(rule),
            Err(finding) => {
                complete = false;
                parser.findings.push(*finding);
                parser.skip_to_next_rule();
            }
        }
    }
    Reading {
        rules,
        complete: complete && parser.at == text.len(),
        findings: parser.findings,
    }
}

// Boxed: a finding is large, and results are returned often.
pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    nesting: usize,
    findings: Vec<Diagnostic>,
    /// Where the last literal begins that goes over several lines.
    pub(super) last_of_several_lines: Option<usize>,
}

impl Parser<'_> {
    /// `name ::= alternatives` and the end of the line.
    fn rule(&mut self) -> Parsed<Rule> {
        self.nesting = 0;
        let start = self.at;
        let Some(name) = self.name() else {
            let note = match self.peek() {
                Some(b'|') => "a rule goes on in the next line only inside parentheses or after |",
                _ => "a rule is a name, ::= and what it stands for",
            };
            return Err(self.unexpected("the name of a rule", note));
        };
        self.skip_blanks(false);
        if !self.take("::=") {
            let note = match self.peek() {
                Some(b':') => {
                    "a rule is a name, ::= and what it stands for; files of rules with : are Lark's, and end in .lark"
                }
                _ => "a rule is a name, ::= and what it stands for",
            };
            return Err(self.unexpected("::=", note));
        }
        self.skip_blanks(true);
        let body = self.alternatives(false)?;
        match self.peek() {
            None | Some(b'\n' | b'\r') => {}
            Some(b')') => {
                return Err(self.unexpected("the end of the rule", "this ) has no ( before it"));
            }
            Some(_) => {
                let note = "an item is a literal, a class, a name, a group, a token or .";
                return Err(self.unexpected("an item or the end of the rule", note));
            }
        }
        self.skip_blanks(true);
        Ok(Rule {
            name: Name { text: name, start },
            body,
        })
    }

    fn alternatives(&mut self, lines: bool) -> Parsed<Node> {
        let mut alternatives = vec![self.sequence(lines)?];
        while self.take("|") {
            self.skip_blanks(true);
            alternatives.push(self.sequence(lines)?);
        }
        Ok(match alternatives.len() {
            1 => alternatives.remove(0),
            _ => Node::Choice(alternatives),
        })
    }

    /// May match nothing: an empty alternative is the empty text.
    fn sequence(&mut self, lines: bool) -> Parsed<Node> {
        let mut items: Vec<Node> = Vec::new();
        loop {
            let item = match self.peek() {
                Some(b'"') => self.literal()?,
                Some(b'[') => self.class()?,
                Some(b'(') => self.group()?,
                Some(b'.') => {
                    self.at += 1;
                    Node::AnyCharacter
                }
                Some(b'<' | b'!') => self.token()?,
                Some(b'*' | b'+' | b'?' | b'{') => {
                    let Some(item) = items.pop() else {
                        let note = "a repetition follows what it repeats";
                        return Err(self.unexpected("an item", note));
                    };
                    self.repetition(item, lines)?
                }
                _ => {
                    let start = self.at;
                    let Some(text) = self.name() else { break };
                    Node::Mention(Name { text, start })
                }
            };
            items.push(item);
            self.skip_blanks(lines);
        }
        Ok(match items.len() {
            1 => items.remove(0),
            _ => Node::Sequence(items),
        })
    }

    fn group(&mut self) -> Parsed<Node> {
        let start = self.at;
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let message = format!("parentheses are nested more than {MAX_NESTING} deep");
            return Err(self.error("too-deep", start, start + 1, message));
        }
        self.at += 1;
        self.skip_blanks(true);
        let inside = self.alternatives(true)?;
        if !self.take(")") {
            return Err(match self.peek() {
                None => self.unclosed(start, "parenthesis", ")"),
                Some(_) => self.unexpected("an item or )", "the group is still open"),
            });
        }
        self.nesting -= 1;
        Ok(inside)
    }

    fn repetition(&mut self, item: Node, lines: bool) -> Parsed<Node> {
        let start = self.at;
        let operator = self.peek();
        self.at += 1;
        let (min, max) = match operator {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            _ => self.bounds(lines)?,
        };
        if max.is_some_and(|max| max < min) {
            let message = "the most is less than the least";
            self.note(*self.error("bad-repetition", start, self.at, message));
        }
        if depth_of_repeats(&item) >= MAX_STACKED_REPETITIONS {
            let message =
                format!("more than {MAX_STACKED_REPETITIONS} repetitions, one on the other");
            return Err(self.error("too-deep", start, self.at, message));
        }
        Ok(Node::Repeat {
            item: Box::new(item),
            min,
            max: max.map(|max| max.max(min)),
        })
    }

    /// `m}`, `m,}` or `m,n}`
    fn bounds(&mut self, lines: bool) -> Parsed<(u32, Option<u32>)> {
        const NOTE: &str = "a repetition is {m}, {m,} or {m,n}";
        self.skip_blanks(lines);
        let min = self.number(NOTE)?;
        self.skip_blanks(lines);
        if self.take("}") {
            return Ok((min, Some(min)));
        }
        if !self.take(",") {
            return Err(self.unexpected(", or }", NOTE));
        }
        self.skip_blanks(lines);
        let max = match self.peek() {
            Some(b'}') => None,
            _ => Some(self.number(NOTE)?),
        };
        self.skip_blanks(lines);
        if !self.take("}") {
            return Err(self.unexpected("}", NOTE));
        }
        Ok((min, max))
    }

    fn number(&mut self, note: &'static str) -> Parsed<u32> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if start == self.at {
            return Err(self.unexpected("a number", note));
        }
        match self.text[start..self.at].parse() {
            Ok(number) if number <= MAX_REPETITION => Ok(number),
            _ => {
                let message = format!("more than {MAX_REPETITION} repetitions");
                self.note(*self.error("too-large", start, self.at, message));
                Ok(0)
            }
        }
    }

    /// `<name>`, `<[12]>`, `!<name>` or `!<[12]>`
    fn token(&mut self) -> Parsed<Node> {
        const NOTE: &str = "a token is named by its text, <name>, or by its number, <[12]>";
        let start = self.at;
        let negated = self.take("!");
        let opened = self.at;
        if !self.take("<") {
            return Err(self.unexpected("<", "! negates a token: !<name> or !<[12]>"));
        }
        let named = if self.take("[") {
            let digits = self.at;
            while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.at += 1;
            }
            let id = &self.text[digits..self.at];
            if id.is_empty() {
                return Err(self.unexpected("the number of a token", NOTE));
            }
            let id = id.parse().ok();
            if !self.take("]>") {
                return Err(self.unexpected("]>", NOTE));
            }
            NamedToken::Id(id)
        } else {
            let Some(length) = self.text[self.at..].find(['>', '\n', '\r']) else {
                return Err(self.unclosed(opened, "token", ">"));
            };
            self.at += length;
            if !self.take(">") {
                return Err(self.unclosed(opened, "token", ">"));
            }
            NamedToken::Text(self.text[opened..self.at].to_owned())
        };
        let place = Place::Span {
            start,
            end: self.at,
        };
        Ok(Node::Token {
            negated,
            named,
            place,
        })
    }

    fn name(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let length = rest
            .bytes()
            .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'))
            .unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| rest[..length].to_owned())
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn take(&mut self, expected: &str) -> bool {
        let found = self.text[self.at..].starts_with(expected);
        self.at += if found { expected.len() } else { 0 };
        found
    }

    fn skip_blanks(&mut self, lines: bool) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'\n' | b'\r' if lines => self.at += 1,
                b'#' => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    /// To the next line that begins like a rule.
    fn skip_to_next_rule(&mut self) {
        while let Some(newline) = self.text[self.at..].find('\n') {
            self.at += newline + 1;
            let line = self.at;
            self.skip_blanks(false);
            if self.name().is_some() {
                self.skip_blanks(false);
                if self.take("::=") {
                    self.at = line;
                    self.skip_blanks(false);
                    return;
                }
            }
            self.at = line;
        }
        self.at = self.text.len();
    }

    /// Keeps what is wrong where reading can go on.
    pub(super) fn note(&mut self, finding: Diagnostic) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }

    pub(super) fn error(
        &self,
        kind: &'static str,
        start: usize,
        end: usize,
        message: impl Into<String>,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(kind, Place::Span { start, end }, message))
    }

    pub(super) fn unexpected(&self, expected: &str, note: &str) -> Box<Diagnostic> {
        let found = self.text[self.at..].chars().next();
        let end = self.at + found.map_or(0, char::len_utf8);
        let message = match found {
            None => format!("expected {expected}, but the text ends"),
            Some('\n' | '\r') => format!("expected {expected}, but the line ends"),
            Some(found) => format!("expected {expected}, found {}", quoted_character(found)),
        };
        Box::new(self.error("syntax", self.at, end, message).with_note(note))
    }

    pub(super) fn unclosed(&self, start: usize, what: &str, closing: &str) -> Box<Diagnostic> {
        let message = format!("this {what} is never closed");
        let finding = self.error("syntax", start, start + 1, message);
        Box::new(finding.with_note(format!("{closing} is missing")))
    }
}

fn depth_of_repeats(node: &Node) -> usize {
    let (mut depth, mut node) = (0, node);
    while let Node::Repeat { item, .. } = node {
        depth += 1;
        node = item;
    }
    depth
}
