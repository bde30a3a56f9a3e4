//! Grammar front ends, the one [`Grammar`] they all lower to, and the automata
//! of its regular parts.
//!
//! A front end ([`gbnf`], [`lark`], [`json_schema`], [`regex`]) reads a dialect, refuses
//! by name and place what it cannot honour, and lowers the rest to [`Grammar`]:
//! rules whose bodies are regular expressions over bytes, or over terminals, and
//! over other rules.
//! Nothing is ever ignored: a construct is in the lowered grammar or it is a
//! [`Diagnostic`].
//!
//! This crate does no I/O and reads no clock.
//!
//! ```
//! use lacuna_grammar::{gbnf, Grammar};
//! let grammar: Grammar = gbnf::parse("root ::= \"a\" root | \"b\"").unwrap();
//! assert_eq!(grammar.rules.len(), 1);
//! ```

pub mod analysis;
pub mod automaton;
mod characters;
pub mod constrain;
pub mod derivation;
mod diagnostic;
pub mod export;
pub mod gbnf;
pub mod interleave;
mod ir;
pub mod json_schema;
pub mod lark;
pub mod lint;
pub mod nesting;
mod quoted;
pub mod recognize;
pub mod regex;
mod slots;
pub mod source_text;
pub mod spans;
mod token_texts;

pub use diagnostic::{Diagnostic, Diagnostics, Linted, Place, Severity};
pub use ir::{Expr, Grammar, Lexicon, Rule, RuleId, Terminal, TerminalId};
pub use quoted::quoted;
pub use slots::{Filling, OpenGrammar, Slot, Slots};
pub use token_texts::TokenTexts;
