//! How a text follows from a grammar, rule by rule: a derivation, as a tree.
//!
//! The checker proves membership over automata and lexemes, in which the rules that
//! the user wrote are no longer to be seen. This module reads a whole text by the rules
//! as written, for showing. First it collects facts, each a rule with the places where a
//! text of it begins and ends, until there are no more; each fact is numbered, and
//! follows from facts with smaller numbers. So a tree can be read off from the top down
//! without ever going in circles, whatever the grammar's recursion and its loops over
//! the empty text. Of an ambiguous text it is one of the derivations: the first
//! alternative that will do, and the longest parts first.
//!
//! Cost: facts × the length of the rules, so up to the square of the text for each rule:
//! made for texts of a few kilobytes, within a budget of steps.

mod facts;
mod lexemes;
mod reach;
mod tree;

use crate::{Grammar, RuleId, TerminalId};

use facts::Facts;
use lexemes::{Lexeme, cut};

/// A derivation: its nodes, each behind the one that it is part of, in the order of
/// the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The first is the whole text, by the start rule.
    pub nodes: Vec<Node>,
}

/// A part of a text, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The node that this is part of; the first has none.
    pub parent: Option<usize>,
    /// What derives it.
    pub by: By,
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// What a part of a text is derived by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A rule.
    Rule(RuleId),
    /// A terminal: the part is one lexeme.
    Terminal(TerminalId),
    /// Text that stands in the rule itself.
    Text,
}

/// Why there is no derivation to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDerivation {
    /// The text does not belong to the grammar.
    #[error("the text does not belong to the grammar")]
    NotMember,
    /// Finding one takes more steps than are allowed.
    #[error("a derivation takes more than {limit} steps to find")]
    TooLong {
        /// The limit.
        limit: usize,
    },
}

/// Steps that looking for a derivation may take: a few seconds in a browser.
pub const MAX_STEPS: usize = 30_000_000;

/// A derivation of a text.
///
/// ```
/// use lacuna_grammar::{derivation::{derive, By}, gbnf};
/// let sums = gbnf::parse("root ::= root \"+\" digit | digit\ndigit ::= [0-9]").unwrap();
/// let tree = derive(&sums, b"1+2").unwrap();
/// let parts: Vec<_> = tree.nodes.iter().map(|node| (node.start, node.end)).collect();
/// assert_eq!(parts, [(0, 3), (0, 1), (0, 1), (0, 1), (1, 2), (2, 3), (2, 3)]);
/// assert_eq!(tree.nodes[4].by, By::Text);
/// ```
///
/// # Errors
/// [`NoDerivation`].
pub fn derive(grammar: &Grammar, text: &[u8]) -> Result<Derivation, NoDerivation> {
    derive_within(grammar, text, MAX_STEPS)
}

/// As [`derive()`], with another limit of steps.
///
/// # Errors
/// The same.
pub fn derive_within(
    grammar: &Grammar,
    text: &[u8],
    limit: usize,
) -> Result<Derivation, NoDerivation> {
    let lexemes = match &grammar.lexicon {
        None => None,
        Some(lexicon) => Some(cut(lexicon, text).ok_or(NoDerivation::NotMember)?),
    };
    let constraint = grammar.constraint.as_ref();
    if constraint.is_some_and(|constraint| !constraint.accepts(text)) {
        return Err(NoDerivation::NotMember);
    }
    let mut input = Input {
        grammar,
        text,
        lexemes,
        left: limit,
        limit,
    };
    let facts = Facts::collect(&mut input)?;
    tree::read(&mut input, &facts)
}

/// What is read, and the steps that are left.
struct Input<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    /// Where the grammar has a lexicon, places are counted in these.
    lexemes: Option<Vec<Lexeme>>,
    left: usize,
    limit: usize,
}

impl Input<'_> {
    /// The place behind everything.
    fn end(&self) -> usize {
        self.lexemes.as_ref().map_or(self.text.len(), Vec::len)
    }

    fn step(&mut self) -> Result<(), NoDerivation> {
        self.steps(1)
    }

    fn steps(&mut self, count: usize) -> Result<(), NoDerivation> {
        let limit = self.limit;
        let left = self.left.checked_sub(count);
        self.left = left.ok_or(NoDerivation::TooLong { limit })?;
        Ok(())
    }

    /// The bytes between two places.
    fn bytes(&self, start: usize, end: usize) -> (usize, usize) {
        let Some(lexemes) = &self.lexemes else {
            return (start, end);
        };
        if start == end {
            // Nothing, right behind what is before it.
            let at = start.checked_sub(1).and_then(|before| lexemes.get(before));
            let at = at.map_or(0, |lexeme| lexeme.end);
            return (at, at);
        }
        let at = |place: usize| lexemes.get(place);
        let first = at(start).map_or(0, |lexeme| lexeme.start);
        let last = at(end - 1).map_or(first, |lexeme| lexeme.end);
        (first, last)
    }
}
