//! The syntax tree: it mirrors the text and knows nothing of meaning.

use crate::Place;
use crate::slots::spelling::Spelling;

/// Bytes of the grammar text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub(super) fn place(self) -> Place {
        Place::Span {
            start: self.start,
            end: self.end,
        }
    }
}

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

impl Name {
    /// Whether the name is a terminal's (capitals) and not a rule's.
    pub(super) fn is_terminal(&self) -> bool {
        let text = self.text.strip_prefix('_').unwrap_or(&self.text);
        text.starts_with(|first: char| first.is_ascii_uppercase())
    }
}

/// What a grammar text is a list of.
#[derive(Debug)]
pub(super) enum Item {
    /// A rule or a terminal.
    Definition { how: How, definition: Definition },
    /// `%ignore body`
    Ignore(Node),
    /// `%import module.NAME -> NAME` or `%import module (NAME, …)`
    Import { module: Name, names: Vec<Import> },
    /// `%slot name.priority: way | way`
    Slot {
        name: Name,
        priority: i32,
        ways: Vec<SlotWay>,
    },
    /// `%constrain body`, or `%forbid body`
    Constraint {
        forbidden: bool,
        body: Node,
        span: Span,
    },
}

/// How a definition relates to one of the same name before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// There must be none.
    New,
    /// `%override`: it takes its place.
    Override,
    /// `%extend`: it adds an alternative.
    Extend,
}

/// One imported name, and what it is called here.
#[derive(Clone, Debug)]
pub(super) struct Import {
    pub name: Name,
    pub alias: Name,
}

/// `name{parameters}.priority: body`
#[derive(Debug)]
pub(super) struct Definition {
    pub name: Name,
    pub parameters: Vec<Name>,
    pub priority: i32,
    pub body: Node,
}

/// One way in which the values of a slot are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotWay {
    pub spelling: Spelling,
    pub ignore_case: bool,
}

#[derive(Debug)]
pub(super) enum Node {
    /// `"…"` or `"…"i`
    Literal {
        text: String,
        ignore_case: bool,
        span: Span,
    },
    /// `/…/flags`
    Regex(Regex),
    /// `"a".."z"`
    Range { low: char, high: char, span: Span },
    /// The name of a rule, of a terminal or of a template's parameter.
    Mention(Name),
    /// `template{argument, …}`
    Usage { name: Name, arguments: Vec<Node> },
    /// Items one after the other.
    Sequence(Vec<Node>),
    /// `a | b`
    Choice(Vec<Node>),
    /// `*`, `+`, `?`, `~ m..n` or `{m,n}` after an item, or `[…]` around it.
    Repeat {
        item: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
    /// `a & b`
    Both { parts: Vec<Node>, span: Span },
    /// `~a`
    Not { item: Box<Node>, span: Span },
}

/// A regular expression between slashes.
#[derive(Debug)]
pub(super) struct Regex {
    /// What stands between the slashes.
    pub source: String,
    pub flags: Flags,
    /// Where `source` begins.
    pub start: usize,
}

/// Flags of a regular expression that change what it matches; `m` and `u`
/// change nothing here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Flags {
    /// `i`
    pub ignore_case: bool,
    /// `s`
    pub dot_all: bool,
    /// `x`
    pub verbose: bool,
}
