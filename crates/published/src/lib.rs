//! The published methods of deciding whether a text with gaps can still become a
//! sentence, as named references: to be measured beside [`lacuna_checker`], and to
//! judge it where they are right.
//!
//! - [`Mundler`]: *Constrained Decoding of Diffusion LLMs with Context-Free
//!   Grammars* (Mündler and others, ICLR 2026). The fragments are lexed one by one
//!   into sequences of terminals ([`lexing`]), an ε-NFA over terminals is made of
//!   them ([`completion`]), determinised and minimised ([`dfa`]), and the grammar's
//!   intersection with it is searched bottom-up for symbols that derive something,
//!   in C2F+ε normal form and with implicit rules ([`intersection`]).
//! - [`Epic`]: *EPIC: Efficient and Parallel Inference under CFG Constraints for
//!   Diffusion Language Models*. Lexings are remembered (its Algorithm 2), Earley's
//!   algorithm runs on the ε-NFA itself (Algorithm 3, [`earley`]), and a step's
//!   tokens are committed together where a regular cover ([`cover`]) and then the
//!   exact check allow it (Algorithms 1 and 4, [`select`]). Each part has its switch.
//!
//! Both answer the question that the papers put: a gap may become *any* text. That a
//! gap has so many cells is not looked at.
//!
//! No algorithm here is shared with `crates/lexer` or `crates/checker`; only the
//! types of questions and answers are. What is as fast as the papers' descriptions
//! reasonably allow is written so: tables in place of hash maps of names, interned
//! sets, parts of lexemes read by automata that remember their steps, lexings that share
//! the nodes of the ε-NFA, no Python.
//!
//! # How fragments are lexed
//!
//! [`LexicalMap`] chooses between three readings of the papers:
//!
//! - [`Described`](LexicalMap::Described): every way for a fragment's first lexeme
//!   to have begun in the gap before it, and under the free discipline every lexeme
//!   that begins at a place. This is what the papers describe, and what is measured.
//! - [`Released`](LexicalMap::Released): of each terminal only the longest such
//!   lexeme, as in the code published with them, which therefore refuses texts that
//!   can be completed.
//! - [`Exact`](LexicalMap::Exact): the same ε-NFA by definition of maximal munch,
//!   with all that is owed to lexemes that ended across gaps. Slow; the oracle.
//!
//! The first two take for granted that any terminals may stand side by side in a
//! gap ("maximal munch assumptions"), and so say yes to some texts that cannot be
//! completed: two names with no room for a blank, for instance.
//!
//! This crate does no I/O and reads no clock; a check takes a function that says
//! when to stop, and ends by itself where it would hold more than about a gigabyte
//! ([`Stopped`]). What a method meets it keeps within bounds for the next check, until
//! it is told to forget it.

mod answer;
mod budget;
pub mod cfg;
pub mod completion;
pub mod cover;
pub mod dfa;
pub mod earley;
mod enfa;
mod epic;
pub mod exact;
pub mod intersection;
mod language;
mod lexical;
pub mod lexing;
mod lower;
mod memo;
mod mundler;
pub mod normal_form;
mod reading;
pub mod select;
mod terminal;

pub use answer::Answer;
pub use budget::{Stopped, Ticker, never};
pub use enfa::{Enfa, Node};
pub use epic::{Epic, EpicParts};
pub use language::{Language, LexicalMap, PublishedError};
pub use mundler::Mundler;
pub use terminal::{Discipline, Terminal, TerminalId};
