//! A recursive-descent parser, a function per production.
//!
//! Convention: a function is called with the cursor on the first byte of its
//! production and leaves it after the production and the blanks that follow.
//! Line ends count as blanks inside brackets, and before a `|`.

use super::ast::{Definition, How, Import, Item, Name, Node, Span};
use super::cursor::{Cursor, Parsed};
use super::{MAX_FINDINGS, MAX_NESTING, MAX_REPETITION};
use crate::Diagnostic;

/// The items that could be read, and what was wrong with the others.
pub(super) fn parse(text: &str) -> (Vec<Item>, Vec<Diagnostic>) {
    let mut parser = Parser {
        cursor: Cursor { text, at: 0 },
        nesting: 0,
    };
    let (mut items, mut findings) = (Vec::new(), Vec::new());
    parser.cursor.skip_blanks(true);
    while parser.cursor.at < text.len() && findings.len() < MAX_FINDINGS {
        match parser.item() {
            Ok(item) => items.push(item),
            Err(finding) => {
                findings.push(*finding);
                parser.cursor.skip_to_next_item();
            }
        }
    }
    (items, findings)
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    nesting: usize,
}

impl Parser<'_> {
    /// A definition or a directive, and the end of the line.
    fn item(&mut self) -> Parsed<Item> {
        self.nesting = 0;
        let item = match self.cursor.peek() {
            Some(b'%') => self.directive()?,
            Some(b'|') => {
                let note = "an alternative follows its rule without other lines between";
                return Err(self.cursor.unexpected("a definition", note));
            }
            _ => Item::Definition {
                how: How::New,
                definition: self.definition()?,
            },
        };
        match self.cursor.peek() {
            None | Some(b'\n' | b'\r') => {}
            Some(b')' | b']' | b'}') => {
                let note = "nothing that it would close is open";
                return Err(self.cursor.unexpected("the end of the line", note));
            }
            Some(b'*' | b'+' | b'?') => {
                let note = "an operator follows an item, and one at a time: group with ( )";
                return Err(self.cursor.unexpected("an item", note));
            }
            Some(_) => {
                let note = "an item is a name, a literal, a /regex/ or a group";
                let expected = "an item or the end of the line";
                return Err(self.cursor.unexpected(expected, note));
            }
        }
        self.cursor.skip_blanks(true);
        Ok(item)
    }

    fn directive(&mut self) -> Parsed<Item> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let word = self.cursor.word();
        let span = Span {
            start,
            end: self.cursor.at,
        };
        self.cursor.skip_blanks(false);
        match word.as_str() {
            "ignore" => Ok(Item::Ignore(self.alternatives(false)?)),
            "import" => self.import(),
            "override" | "extend" => Ok(Item::Definition {
                how: match word.as_str() {
                    "override" => How::Override,
                    _ => How::Extend,
                },
                definition: self.definition()?,
            }),
            "constrain" | "forbid" => Ok(Item::Constraint {
                forbidden: word == "forbid",
                body: self.alternatives(false)?,
                span,
            }),
            "declare" => {
                let message = "terminals that only a program can recognise are not supported";
                let finding = self.cursor.error("unsupported-directive", span, message);
                Err(finding.noted("define the terminal in place of %declare"))
            }
            _ => Err(self.cursor.foreign_directive(span, &word)),
        }
    }

    fn import(&mut self) -> Parsed<Item> {
        const NOTE: &str = "an import is %import common.NAME, %import common.NAME -> OTHER or %import common (A, B)";
        let start = self.cursor.at;
        if self.cursor.take(".") {
            self.cursor.word();
            let span = Span {
                start,
                end: self.cursor.at,
            };
            let message = "grammars in other files cannot be imported";
            let finding = self.cursor.error("unknown-module", span, message);
            return Err(finding.noted("copy the definitions into this grammar"));
        }
        let mut path = vec![self.name("the name of a module", NOTE)?];
        while self.cursor.take(".") {
            path.push(self.name("a name", NOTE)?);
        }
        self.cursor.skip_blanks(false);
        let mut names = Vec::new();
        if self.cursor.take("(") {
            self.cursor.skip_blanks(true);
            loop {
                let name = self.name("a name", NOTE)?;
                let alias = name.clone();
                names.push(Import { name, alias });
                self.cursor.skip_blanks(true);
                if !self.cursor.take(",") {
                    break;
                }
                self.cursor.skip_blanks(true);
            }
            if !self.cursor.take(")") {
                return Err(self.cursor.unexpected(", or )", NOTE));
            }
        } else if path.len() > 1
            && let Some(name) = path.pop()
        {
            let alias = match self.cursor.take("->") {
                true => {
                    self.cursor.skip_blanks(false);
                    self.name("a name", NOTE)?
                }
                false => name.clone(),
            };
            names.push(Import { name, alias });
        } else {
            return Err(self.cursor.unexpected("what to import", NOTE));
        }
        self.cursor.skip_blanks(false);
        let span = match path.as_slice() {
            [first, .., last] => Span {
                start: first.span.start,
                end: last.span.end,
            },
            _ => path[0].span,
        };
        let parts: Vec<&str> = path.iter().map(|part| part.text.as_str()).collect();
        let module = Name {
            text: parts.join("."),
            span,
        };
        Ok(Item::Import { module, names })
    }

    /// `modifiers name{parameters}.priority: alternatives`
    fn definition(&mut self) -> Parsed<Definition> {
        const NOTE: &str = "a definition is a name, a colon and what it stands for";
        while matches!(self.cursor.peek(), Some(b'?' | b'!')) {
            self.cursor.at += 1;
        }
        let name = self.name("the name of a rule or a terminal", NOTE)?;
        let parameters = match self.cursor.peek() {
            Some(b'{') => self.parameters(&name)?,
            _ => Vec::new(),
        };
        if self.cursor.peek() == Some(b'[') {
            return Err(self.cursor.attributes());
        }
        let mut priority = 0;
        if self.cursor.take(".") {
            priority = self.priority()?;
        }
        self.cursor.skip_blanks(false);
        let colon = self.cursor.at;
        if !self.cursor.take(":") {
            return Err(self.cursor.unexpected(":", NOTE));
        }
        if self.cursor.take(":") {
            let span = Span {
                start: colon,
                end: colon + 2,
            };
            let message = "rules with numeric parameters are not supported";
            return Err(self.cursor.error("unsupported-parameters", span, message));
        }
        self.cursor.skip_blanks(false);
        let body = self.alternatives(false)?;
        Ok(Definition {
            name,
            parameters,
            priority,
            body,
        })
    }

    fn parameters(&mut self, owner: &Name) -> Parsed<Vec<Name>> {
        const NOTE: &str = "a template is name{parameter, other}: body";
        let start = self.cursor.at;
        self.cursor.at += 1;
        let mut parameters: Vec<Name> = Vec::new();
        loop {
            self.cursor.skip_blanks(true);
            let name = self.name("the name of a parameter", NOTE)?;
            if name.is_terminal() || parameters.iter().any(|other| other.text == name.text) {
                let message = match name.is_terminal() {
                    true => "a parameter has a name in small letters",
                    false => "this parameter was named before",
                };
                return Err(self.cursor.error("bad-parameter", name.span, message));
            }
            parameters.push(name);
            self.cursor.skip_blanks(true);
            if !self.cursor.take(",") {
                break;
            }
        }
        if !self.cursor.take("}") {
            return Err(self.cursor.unexpected(", or }", NOTE));
        }
        if owner.is_terminal() {
            let span = Span {
                start,
                end: self.cursor.at,
            };
            let message = "a terminal cannot be a template";
            let finding = self.cursor.error("terminal-template", span, message);
            return Err(finding.noted("only rules have parameters"));
        }
        Ok(parameters)
    }

    fn priority(&mut self) -> Parsed<i32> {
        let start = self.cursor.at;
        if matches!(self.cursor.peek(), Some(b'-' | b'+')) {
            self.cursor.at += 1;
        }
        self.cursor.digits();
        let digits = self.cursor.text[start..self.cursor.at].trim_start_matches('+');
        match digits.parse::<i32>() {
            Ok(priority) => Ok(priority),
            Err(_) if digits.len() > 9 => {
                let span = Span {
                    start,
                    end: self.cursor.at,
                };
                let message = "this priority is too large";
                Err(self.cursor.error("too-large", span, message))
            }
            Err(_) => {
                let note = "a priority is a whole number, as in NAME.2: body";
                Err(self.cursor.unexpected("a priority", note))
            }
        }
    }

    fn alternatives(&mut self, lines: bool) -> Parsed<Node> {
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
                match self.cursor.peek() {
                    Some(b'{') if !self.cursor.at_bounds() => Node::Usage {
                        arguments: self.arguments(&name)?,
                        name,
                    },
                    _ => Node::Mention(name),
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

    /// A name of either kind, in its spelling.
    fn name(&mut self, expected: &str, note: &str) -> Parsed<Name> {
        let start = self.cursor.at;
        let text = self.cursor.word();
        let end = self.cursor.at;
        if text.is_empty() {
            return Err(self.cursor.unexpected(expected, note));
        }
        let letters = text.strip_prefix('_').unwrap_or(&text);
        let has = |test: fn(&u8) -> bool| letters.as_bytes().iter().any(test);
        let first = letters.as_bytes().first();
        let legal = first.is_some_and(u8::is_ascii_alphabetic)
            && !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase));
        if !legal {
            let span = Span { start, end };
            let message = format!("{text} is no name");
            let finding = self.cursor.error("bad-name", span, message);
            let note = "rules are named in small letters, terminals in capitals; digits and \
                        underscores may follow the first letter, and one underscore may stand \
                        before it";
            return Err(finding.noted(note));
        }
        Ok(Name {
            text,
            span: Span { start, end },
        })
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

trait Noted {
    fn noted(self, note: &str) -> Self;
}

impl Noted for Box<Diagnostic> {
    fn noted(self, note: &str) -> Self {
        Box::new(self.with_note(note))
    }
}

fn single(mut nodes: Vec<Node>, many: fn(Vec<Node>) -> Node) -> Node {
    match nodes.len() {
        1 => nodes.remove(0),
        _ => many(nodes),
    }
}
