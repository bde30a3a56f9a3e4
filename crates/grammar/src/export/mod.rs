//! Grammars written in other dialects, where those can hold them.
//!
//! A grammar is lowered to a plain one ([`plain`]: texts, classes of characters,
//! sequences, choices, repetitions, rules) and written down from there. What is written
//! has exactly the same texts, read by this crate's own front ends; what a dialect cannot
//! hold is said by name and place, never left out:
//!
//! - **GBNF** holds every grammar without lexemes. One with lexemes it holds where
//!   cutting by the longest match changes nothing, or nothing but that some lexemes must
//!   be kept apart ([`free`], [`separate`]).
//! - **Lark** cuts texts into lexemes. Where the grammar does not, each character is made
//!   a lexeme by itself, of a class that no other overlaps ([`atoms`]): then the longest
//!   match is always one character, and has no say.
//! - **A regular expression** holds what is regular to see: recursion only at the ends of
//!   rules, or only at their beginnings, which is solved like linear equations
//!   ([`linear`]; Arden's rule).
//!
//! Cost: linear in what is written, which is bounded in size and depth ([`MAX_NODES`]).

mod atoms;
mod characters;
mod free;
mod gbnf;
mod lark;
mod linear;
mod names;
mod plain;
mod regex;
mod separate;
mod solve;

use crate::{Diagnostic, Diagnostics, Linted};

/// Nodes of what is written, at most.
pub const MAX_NODES: usize = 60_000;

/// How deep parts stand in one another, at most: all front ends read that.
const MAX_DEPTH: usize = 100;

/// A dialect to write in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// llama.cpp's GBNF.
    Gbnf,
    /// Lark's notation.
    Lark,
    /// A regular expression that the whole text matches.
    Regex,
}

impl Target {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Target::Gbnf => "GBNF",
            Target::Lark => "Lark",
            Target::Regex => "a regular expression",
        }
    }
}

/// The grammar in another dialect.
///
/// ```
/// use lacuna_grammar::{export::{export, Target}, gbnf};
/// let list = gbnf::lint("root ::= item more\nmore ::= \"\" | \",\" item more\nitem ::= [a-z]+").unwrap();
/// assert_eq!(export(&list, Target::Regex).unwrap(), "[a-z]+(?:,[a-z]+)*");
/// let nested = gbnf::lint(r#"root ::= "(" root ")" | "x""#).unwrap();
/// let refused = export(&nested, Target::Regex).unwrap_err();
/// assert_eq!(refused.0[0].kind, "export-recursion");
/// ```
///
/// # Errors
/// What the dialect cannot hold, with the places of the rules.
pub fn export(linted: &Linted, target: Target) -> Result<String, Diagnostics> {
    let plain = plain::lower(linted, target)?;
    match target {
        Target::Gbnf => Ok(gbnf::write(&plain)),
        Target::Lark => lark::write(&plain),
        Target::Regex => regex::write(&plain),
    }
}

/// What stands in the way of an export.
fn obstacle(kind: &'static str, place: &crate::Place, message: String) -> Diagnostic {
    Diagnostic::error(kind, place.clone(), message)
}
