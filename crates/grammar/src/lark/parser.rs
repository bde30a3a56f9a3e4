//! A recursive-descent parser, a function per production.
//!
//! Convention: a function is called with the cursor on the first byte of its
//! production and leaves it after the production and the blanks that follow.
//! Line ends count as blanks inside brackets, and before a `|`.

use super::MAX_FINDINGS;
use super::ast::{Definition, How, Import, Item, Name, Node, SlotWay, Span};
use super::cursor::{Cursor, Parsed};
use crate::Diagnostic;
use crate::json_schema::StringSpelling;
use crate::slots::spelling::Spelling;

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

pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) nesting: usize,
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
            "ignore" => Ok(Item::Ignore(self.directed()?)),
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
                body: self.directed()?,
                span,
            }),
            "slot" => self.slot(),
            "declare" => {
                let message = "terminals that only a program can recognise are not supported";
                let finding = self.cursor.error("unsupported-directive", span, message);
                Err(finding.noted(
                    "define the terminal in place of %declare; a terminal whose literals are \
                     given at run time is a %slot",
                ))
            }
            _ => Err(self.cursor.foreign_directive(span, &word)),
        }
    }

    /// What a directive is about, which cannot be nothing.
    fn directed(&mut self) -> Parsed<Node> {
        match self.cursor.peek() {
            None | Some(b'\n' | b'\r') => {
                let note = "an item is a name, a literal, a /regex/ or a group";
                Err(self.cursor.unexpected("an item", note))
            }
            _ => self.alternatives(false),
        }
    }

    /// `NAME.priority: way | way`, `plain` where no ways are given.
    fn slot(&mut self) -> Parsed<Item> {
        const NOTE: &str = "a slot is %slot NAME, %slot NAME: plain | quoted \"'\" or \
                            %slot NAME.2: json";
        let name = self.name("the name of a terminal", NOTE)?;
        if !name.is_terminal() {
            let message = "a slot is a terminal: its name needs capitals";
            let finding = self.cursor.error("bad-name", name.span, message);
            return Err(finding.noted(NOTE));
        }
        let priority = match self.cursor.take(".") {
            true => self.priority()?,
            false => 0,
        };
        self.cursor.skip_blanks(false);
        let mut ways = Vec::new();
        if self.cursor.take(":") {
            loop {
                self.cursor.skip_blanks(false);
                ways.push(self.slot_way(NOTE)?);
                self.cursor.skip_blanks(false);
                if !self.cursor.take_bar(false) {
                    break;
                }
            }
        } else {
            ways.push(SlotWay {
                spelling: Spelling::Plain,
                ignore_case: false,
            });
        }
        Ok(Item::Slot {
            name,
            priority,
            ways,
        })
    }

    /// `plain`, `json` or `quoted "…"`, and `i` where case does not count.
    fn slot_way(&mut self, note: &str) -> Parsed<SlotWay> {
        let start = self.cursor.at;
        let word = self.cursor.word();
        let span = Span {
            start,
            end: self.cursor.at,
        };
        self.cursor.skip_blanks(false);
        let spelling = match word.as_str() {
            "plain" => Spelling::Plain,
            "json" => Spelling::Json(StringSpelling::Canonical),
            "quoted" => {
                let start = self.cursor.at;
                if self.cursor.peek() != Some(b'"') {
                    return Err(self.cursor.unexpected("a quote between quotes", note));
                }
                let (quote, ignore_case) = self.cursor.string()?;
                let &[quote @ 0x20..0x7F] = quote.as_bytes() else {
                    let span = Span {
                        start,
                        end: self.cursor.at,
                    };
                    let message = "the quote is one ASCII character";
                    return Err(self.cursor.error("bad-slot", span, message));
                };
                return Ok(SlotWay {
                    spelling: Spelling::Doubled(quote),
                    ignore_case,
                });
            }
            "" => return Err(self.cursor.unexpected("plain, quoted or json", note)),
            _ => {
                let message = format!("there is no spelling {word}");
                let finding = self.cursor.error("bad-slot", span, message);
                return Err(finding.noted("spellings are plain, quoted \"'\" and json"));
            }
        };
        let before = self.cursor.at;
        let ignore_case = self.cursor.word() == "i";
        if !ignore_case {
            self.cursor.at = before;
        }
        Ok(SlotWay {
            spelling,
            ignore_case,
        })
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
        self.cursor.skip_blanks(false);
        let parameters = match self.cursor.peek() {
            Some(b'{') => self.parameters(&name)?,
            _ => Vec::new(),
        };
        if self.cursor.peek() == Some(b'[') {
            return Err(self.cursor.attributes());
        }
        self.cursor.skip_blanks(false);
        let mut priority = 0;
        if self.cursor.take(".") {
            self.cursor.skip_blanks(false);
            priority = self.priority()?;
        }
        self.cursor.skip_blanks(false);
        let colon = self.cursor.at;
        if !self.cursor.take(":") {
            return Err(self.cursor.unexpected(":", NOTE));
        }
        if self.cursor.take(":=") {
            self.cursor.at = colon;
            let note = "files of rules with ::= are GBNF's, and end in .gbnf";
            return Err(self.cursor.unexpected("one colon", note));
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

    /// A name of either kind, in its spelling.
    pub(super) fn name(&mut self, expected: &str, note: &str) -> Parsed<Name> {
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
}

trait Noted {
    fn noted(self, note: &str) -> Self;
}

impl Noted for Box<Diagnostic> {
    fn noted(self, note: &str) -> Self {
        Box::new(self.with_note(note))
    }
}
