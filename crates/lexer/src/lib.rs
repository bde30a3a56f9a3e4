//! Vocabularies as byte tries, terminals as one automaton, and what a token
//! does to a state of that automaton.
//!
//! - [`Vocabulary`]: the model's tokens, as the exact bytes they emit.
//! - [`TokenTrie`]: all fillable tokens in one walk.
//! - [`Lexer`]: all terminals of a grammar as one deterministic automaton.
//! - [`Spanner`]: for a lexer state, the states a token can end in and the
//!   terminals it can finish on the way (the spanner table of GreatGramma),
//!   filled on demand.
//! - [`TokenClasses`]: the tokens that do the same from a lexer state, together.
//! - [`TokenPartition`]: the tokens that no state tells apart; [`Representatives`] has one of each.
//!
//! There are two lexical disciplines: *free*, in which any segmentation of a
//! text into lexemes counts, and *maximal munch*; see [`Lexer`]. This crate does no I/O and reads no clock but one handed over.

mod alike;
mod alive;
mod bits;
mod classes;
mod combined;
mod construction;
mod contexts;
mod counting;
mod few;
mod keys;
mod lexer;
mod memo_use;
mod packed;
mod partition;
mod plain;
mod product;
mod representatives;
mod separator;
mod spanner;
mod spelling;
mod state_set;
mod stopwatch;
mod subsumption;
mod trie;
mod vocabulary;

pub use alike::{Arrived, Descent};
pub use bits::BitSet;
pub use classes::{StepId, TokenClass, TokenClasses, TokenStep};
pub use contexts::Contexts;
pub use counting::Counts;
pub use few::SortFew;
pub use keys::{key, keys_of};
pub use lexer::{Finish, Lexer, LexerState, Owed, TerminalId};
pub use memo_use::MemoUse;
pub use packed::PackedLexer;
pub use partition::TokenPartition;
pub use plain::PlainTokens;
pub use representatives::Representatives;
pub use spanner::{NO_ROW, Row, RowId, Spanner};
pub use spelling::Spellings;
pub use state_set::StateSet;
pub use stopwatch::Stopwatch;
pub use trie::{TokenTrie, TrieNode};
pub use vocabulary::{TokenId, Vocabulary, VocabularyError};
