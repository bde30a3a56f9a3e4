//! What stands after the colon: alternatives, sequences, items and operators.

use super::ast::{Name, Node, Span};
use super::cursor::Parsed;
use super::parser::Parser;
use super::{MAX_NESTING, MAX_REPETITION};

impl Parser<'_> {
    pub(super) fn alternatives(&mut self, lines: bool) -> Parsed<Node> {
        let mut alternatives = vec![self.alternative(lines)?];
        while self.cursor.take_bar(lines) {
            self.cursor.skip_blanks(lines);
            alternatives.push(self.alternative(lines)?);
        }
        Ok(single(alternatives, Node::Choice))
    }

    /// Items joined by `&`, with an alias at the end.
    fn alternative(&mut self, lines: bool) -> Parsed<Node> {
        let start = self.cursor.at;
        let mut parts = vec![self.sequence(lines)?];
        while self.cursor.take("&") {
            self.cursor.skip_blanks(lines);
            parts.push(self.sequence(lines)?);
        }
        let span = Span {
            start,
            end: self.cursor.at,
        };
        if self.cursor.take("->") {
            self.cursor.skip_blanks(lines);
            let note = "an alias is -> and a name in small letters, at the end of an alternative";
            let alias = self.name("an alias", note)?;
            if alias.is_terminal() {
                let message = "an alias has a name in small letters";
                return Err(self.cursor.error("bad-alias", alias.span, message));
            }
            self.cursor.skip_blanks(lines);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Node::Both { parts, span },
        })
    }

    /// May match nothing: an empty alternative is the empty text.
    fn sequence(&mut self, lines: bool) -> Parsed<Node> {
        let mut items = Vec::new();
        while let Some(atom) = self.atom(lines)? {
            let item = self.repeated(atom, lines)?;
            items.push(item);
        }
        Ok(single(items, Node::Sequence))
    }

    fn atom(&mut self, lines: bool) -> Parsed<Option<Node>> {
        let start = self.cursor.at;
        let node = match self.cursor.peek() {
            Some(b'(') => self.group(")")?,
            Some(b'[') => Node::Repeat {
                item: Box::new(self.group("]")?),
                min: 0,
                max: Some(1),
            },
            Some(b'"') => self.literal()?,
            Some(b'/') => Node::Regex(self.cursor.regex()?),
            Some(b'~') => {
                self.deeper(start)?;
                self.cursor.at += 1;
                self.cursor.skip_blanks(lines);
                let Some(item) = self.atom(lines)? else {
                    let note = "~ stands before a terminal that must not match";
                    return Err(self.cursor.unexpected("an item", note));
                };
                self.nesting -= 1;
                let end = self.cursor.at;
                Node::Not {
                    item: Box::new(item),
                    span: Span { start, end },
                }
            }
            Some(b'<' | b'@') => return Err(self.cursor.outside_reference()),
            Some(b'%') => {
                self.cursor.at += 1;
                let word = self.cursor.word();
                let end = self.cursor.at;
                return Err(self.cursor.foreign_directive(Span { start, end }, &word));
            }
            Some(first) if first.is_ascii_alphabetic() || first == b'_' => {
                let name = self.name("a name", "")?;
                let behind = self.cursor.at;
                self.cursor.skip_blanks(false);
                match self.cursor.peek() {
                    Some(b'{') if !self.cursor.at_bounds() => Node::Usage {
                        arguments: self.arguments(&name)?,
                        name,
                    },
                    _ => {
                        self.cursor.at = behind;
                        Node::Mention(name)
                    }
                }
            }
            _ => return Ok(None),
        };
        self.cursor.skip_blanks(lines);
        Ok(Some(node))
    }

    fn group(&mut self, closing: &str) -> Parsed<Node> {
        let start = self.cursor.at;
        self.deeper(start)?;
        self.cursor.at += 1;
        self.cursor.skip_blanks(true);
        let inside = self.alternatives(true)?;
        if !self.cursor.take(closing) {
            return Err(match self.cursor.peek() {
                None => self.cursor.unclosed(start, "group", closing),
                Some(_) => {
                    let expected = format!("an item or {closing}");
                    self.cursor.unexpected(&expected, "the group is still open")
                }
            });
        }
        self.nesting -= 1;
        Ok(inside)
    }

    fn arguments(&mut self, name: &Name) -> Parsed<Vec<Node>> {
        self.deeper(name.span.start)?;
        self.cursor.at += 1;
        let mut arguments = Vec::new();
        loop {
            self.cursor.skip_blanks(true);
            let Some(argument) = self.atom(true)? else {
                let note = "an argument is a name, a literal, a /regex/ or another template";
                return Err(self.cursor.unexpected("an argument", note));
            };
            arguments.push(argument);
            if !self.cursor.take(",") {
                break;
            }
        }
        if !self.cursor.take("}") {
            let note = "an argument that is more than one item needs a rule of its own";
            return Err(self.cursor.unexpected(", or }", note));
        }
        self.nesting -= 1;
        Ok(arguments)
    }

    /// A literal, or the range that begins with it.
    fn literal(&mut self) -> Parsed<Node> {
        let start = self.cursor.at;
        let (text, ignore_case) = self.cursor.string()?;
        let after = self.cursor.at;
        self.cursor.skip_blanks(false);
        if !self.cursor.take("..") {
            self.cursor.at = after;
            let span = Span { start, end: after };
            return Ok(Node::Literal {
                text,
                ignore_case,
                span,
            });
        }
        self.cursor.skip_blanks(false);
        if self.cursor.peek() != Some(b'"') {
            let note = "a range is \"a\"..\"z\"";
            return Err(self.cursor.unexpected("a literal", note));
        }
        let (last, last_ignores) = self.cursor.string()?;
        let span = Span {
            start,
            end: self.cursor.at,
        };
        let one = |text: &str| {
            let mut characters = text.chars();
            characters.next().filter(|_| characters.next().is_none())
        };
        match (one(&text), one(&last)) {
            (Some(low), Some(high)) if low <= high && !ignore_case && !last_ignores => {
                Ok(Node::Range { low, high, span })
            }
            (Some(low), Some(high)) if low > high => {
                let message = "the range ends before it begins";
                Err(self.cursor.error("bad-range", span, message))
            }
            _ => {
                let message = "a range is between single characters, without flags";
                Err(self.cursor.error("bad-range", span, message))
            }
        }
    }

    /// Takes the operator after an item, if there is one.
    fn repeated(&mut self, item: Node, lines: bool) -> Parsed<Node> {
        let start = self.cursor.at;
        let (min, max) = match self.cursor.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => return self.braced(item, lines),
            Some(b'~') => {
                self.cursor.at += 1;
                self.cursor.skip_blanks(lines);
                if !self.cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                    self.cursor.at = start;
                    return Ok(item);
                }
                let min = self.count()?;
                self.cursor.skip_blanks(lines);
                let mut max = min;
                if self.cursor.take("..") {
                    self.cursor.skip_blanks(lines);
                    max = self.count()?;
                }
                return self.bounded(item, min, Some(max), start, lines);
            }
            _ => return Ok(item),
        };
        self.cursor.at += 1;
        self.bounded(item, min, max, start, lines)
    }

    /// `{m}`, `{m,}`, `{,n}` or `{m,n}`
    fn braced(&mut self, item: Node, lines: bool) -> Parsed<Node> {
        const NOTE: &str = "a repetition is {m}, {m,}, {,n} or {m,n}";
        let start = self.cursor.at;
        self.cursor.at += 1;
        self.cursor.skip_blanks(lines);
        let mut min = 0;
        if self.cursor.peek() != Some(b',') {
            min = self.count()?;
            self.cursor.skip_blanks(lines);
        }
        let mut max = Some(min);
        if self.cursor.take(",") {
            self.cursor.skip_blanks(lines);
            max = match self.cursor.peek() {
                Some(b'}') => None,
                _ => Some(self.count()?),
            };
            self.cursor.skip_blanks(lines);
        }
        if !self.cursor.take("}") {
            return Err(self.cursor.unexpected("}", NOTE));
        }
        self.bounded(item, min, max, start, lines)
    }

    fn bounded(
        &mut self,
        item: Node,
        min: u32,
        max: Option<u32>,
        start: usize,
        lines: bool,
    ) -> Parsed<Node> {
        if max.is_some_and(|max| max < min) {
            let span = Span {
                start,
                end: self.cursor.at,
            };
            let message = "the most is less than the least";
            return Err(self.cursor.error("bad-repetition", span, message));
        }
        self.cursor.skip_blanks(lines);
        let item = Box::new(item);
        Ok(Node::Repeat { item, min, max })
    }

    fn count(&mut self) -> Parsed<u32> {
        let start = self.cursor.at;
        self.cursor.digits();
        let digits = &self.cursor.text[start..self.cursor.at];
        match digits.parse() {
            Ok(count) if count <= MAX_REPETITION => Ok(count),
            _ if digits.is_empty() => {
                let note = "a repetition is ~ n, ~ m..n, {m}, {m,} or {m,n}";
                Err(self.cursor.unexpected("a number", note))
            }
            _ => {
                let span = Span {
                    start,
                    end: self.cursor.at,
                };
                let message = format!("more than {MAX_REPETITION} repetitions");
                Err(self.cursor.error("too-large", span, message))
            }
        }
    }

    fn deeper(&mut self, start: usize) -> Parsed<()> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let span = Span {
                start,
                end: start + 1,
            };
            let message = format!("groups are nested more than {MAX_NESTING} deep");
            return Err(self.cursor.error("too-deep", span, message));
        }
        Ok(())
    }
}

fn single(mut nodes: Vec<Node>, many: fn(Vec<Node>) -> Node) -> Node {
    match nodes.len() {
        1 => nodes.remove(0),
        _ => many(nodes),
    }
}
