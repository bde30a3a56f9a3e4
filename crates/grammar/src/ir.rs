//! The grammar every front end lowers to.
//!
//! Rules are kept as written (no normal form): what is regular is found later,
//! by [`crate::automaton`] and by the checker, which compile it to automata.

use std::sync::Arc;

use crate::automaton::{Counted, Dfa};
use crate::interleave::Interleave;

/// Index of a rule in [`Grammar::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

/// A context-free grammar whose right-hand sides are regular expressions: over
/// bytes, or, with a [`Lexicon`], over terminals.
#[derive(Clone, Debug)]
pub struct Grammar {
    /// All rules; [`Expr::Rule`] refers to them by index.
    pub rules: Vec<Rule>,
    /// The rule that a whole text must match.
    pub start: RuleId,
    /// How texts are cut into lexemes before the rules see them. Without one,
    /// the rules are about bytes, and any segmentation counts.
    pub lexicon: Option<Lexicon>,
    /// A regular language that a text must belong to besides.
    pub constraint: Option<Arc<Dfa>>,
    /// Tokens that the grammar's text names, sorted. Where cells are filled with
    /// tokens, these may be, special ones too.
    pub tokens: Vec<u32>,
}

/// The terminals of a grammar whose texts are lexed by *maximal munch*.
///
/// From the start of the text on, the longest lexeme that any terminal matches
/// is cut off, and belongs to the first terminal (in the order here) that
/// matches it. A text of which some part cannot be cut so has no lexing and is
/// not in the language. Lexemes of ignored terminals are dropped; the rules are
/// about the rest.
#[derive(Clone, Debug)]
pub struct Lexicon {
    /// The terminals, those that win ties first; [`Expr::Terminal`] refers to
    /// them by index.
    pub terminals: Vec<Terminal>,
}

/// Index of a terminal in [`Lexicon::terminals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TerminalId(pub u32);

/// A named regular language of lexemes.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// The name the user gave, or the literal as written.
    pub name: String,
    /// Its lexemes; never the empty text.
    pub language: Arc<Dfa>,
    /// Whether its lexemes are dropped.
    pub ignored: bool,
}

/// A named rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The name the user gave, or a JSON pointer for a schema.
    pub name: String,
    /// What the rule derives.
    pub body: Expr,
}

/// A regular expression over bytes and rules, or over terminals and rules.
///
/// The empty text is `Sequence(vec![])`; the empty language is
/// `Choice(vec![])`.
#[derive(Clone, Debug)]
pub enum Expr {
    /// Exactly these bytes.
    Literal(Box<[u8]>),
    /// One character (Unicode scalar value, UTF-8 encoded) in one of these
    /// inclusive ranges, sorted and disjoint. Surrogates in a range are skipped.
    Chars(Box<[(u32, u32)]>),
    /// Parts one after the other.
    Sequence(Vec<Expr>),
    /// Any one of the alternatives.
    Choice(Vec<Expr>),
    /// `item` at least `min` and at most `max` times (no limit if `None`).
    Repeat {
        /// What is repeated.
        item: Box<Expr>,
        /// Least number of repetitions.
        min: u32,
        /// Largest number of repetitions, or no limit.
        max: Option<u32>,
    },
    /// What the rule derives.
    Rule(RuleId),
    /// A regular language given as an automaton.
    Automaton(Arc<Dfa>),
    /// The same with so many characters.
    Counted(Arc<Counted>),
    /// Items in any order.
    Interleave(Box<Interleave>),
    /// One lexeme of a terminal; only where the grammar has a [`Lexicon`], and
    /// then nothing else reads text.
    Terminal(TerminalId),
}

impl Expr {
    /// The language that holds only the empty text.
    pub fn empty() -> Self {
        Expr::Sequence(Vec::new())
    }

    /// The language without members.
    pub fn never() -> Self {
        Expr::Choice(Vec::new())
    }

    /// Exactly the bytes of `text`.
    pub fn literal(text: impl AsRef<[u8]>) -> Self {
        Expr::Literal(text.as_ref().into())
    }

    /// `self` zero or one time.
    pub fn optional(self) -> Self {
        Expr::Repeat {
            item: Box::new(self),
            min: 0,
            max: Some(1),
        }
    }

    /// `self` any number of times.
    pub fn star(self) -> Self {
        Expr::Repeat {
            item: Box::new(self),
            min: 0,
            max: None,
        }
    }

    /// Calls `visit` with every rule that this expression mentions.
    pub fn for_each_rule(&self, visit: &mut dyn FnMut(RuleId)) {
        match self {
            Expr::Rule(rule) => visit(*rule),
            Expr::Sequence(parts) | Expr::Choice(parts) => {
                parts.iter().for_each(|part| part.for_each_rule(visit));
            }
            Expr::Repeat { item, .. } => item.for_each_rule(visit),
            Expr::Interleave(interleave) => {
                interleave
                    .forms()
                    .for_each(|form| form.for_each_rule(visit));
            }
            Expr::Literal(_)
            | Expr::Chars(_)
            | Expr::Automaton(_)
            | Expr::Counted(_)
            | Expr::Terminal(_) => {}
        }
    }
}

impl Grammar {
    /// A grammar over bytes.
    pub fn new(rules: Vec<Rule>, start: RuleId) -> Self {
        Self {
            rules,
            start,
            lexicon: None,
            constraint: None,
            tokens: Vec::new(),
        }
    }

    /// The rule behind an id.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.0 as usize]
    }
}
