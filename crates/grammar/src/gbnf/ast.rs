//! The syntax tree: it mirrors the text and knows nothing of meaning.

use crate::Place;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: String,
    pub start: usize,
}

impl Name {
    pub(super) fn place(&self) -> Place {
        Place::Span {
            start: self.start,
            end: self.start + self.text.len(),
        }
    }
}

/// `name ::= body`
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub name: Name,
    pub body: Node,
}

/// How a token is named.
#[derive(Clone, Debug)]
pub(super) enum NamedToken {
    /// By its text, angle brackets included.
    Text(String),
    /// By its number; `None` where that is too large for one.
    Id(Option<u32>),
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    /// `"…"`
    Literal(String),
    /// `[…]` or `[^…]`; ranges as written, ends included.
    Class {
        negated: bool,
        ranges: Vec<(u32, u32)>,
    },
    /// `.`
    AnyCharacter,
    /// `<name>`, `<[12]>`, or one of them after `!`
    Token {
        negated: bool,
        named: NamedToken,
        place: Place,
    },
    /// The name of a rule.
    Mention(Name),
    /// Items one after the other.
    Sequence(Vec<Node>),
    /// `a | b`
    Choice(Vec<Node>),
    /// `*`, `+`, `?` or `{…}` after an item.
    Repeat {
        item: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
}
