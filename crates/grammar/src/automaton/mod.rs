//! Finite automata over bytes: the regular parts of a grammar.
//!
//! [`NfaBuilder`] turns expressions into a nondeterministic automaton (Thompson's
//! construction, UTF-8 ranges from `regex-syntax`); [`Dfa`] is made from it by
//! the subset construction and is always *trimmed*: every state lies on a path
//! to acceptance, so a transition that exists can still be completed. Alphabets
//! are compressed to classes of bytes that no transition tells apart. A [`Language`] is
//! the same over characters, spelled as bytes at the end.
//!
//! Every construction takes [`Limits`]; what would exceed them is an
//! [`AutomatonError::TooLarge`], never a hang.

mod algebra;
mod alphabet;
mod characters;
mod classes;
mod conditions;
mod counted;
mod decode;
mod determinize;
mod dfa;
mod explore;
mod grouped;
mod language;
mod leftmost;
mod lengths;
mod minimize;
mod nfa;
pub mod packed;
mod ranged;
mod repeat;
pub(crate) mod spell;
mod symbols;
mod uncounted;

pub use classes::byte_classes;
pub(crate) use conditions::{Condition, Conditions};
pub use counted::{Ahead, Counted};
pub use dfa::{ByteRange, Dfa, StateId};
pub use grouped::Grouped;
pub(crate) use language::Language;
pub(crate) use lengths::{Bounds, Lengths};
pub use nfa::{Nfa, NfaBuilder, NfaState};
pub use ranged::{Ranged, Turn};
pub(crate) use uncounted::Uncounted;

/// Whether all is wanted that answers sooner, or at all where a budget would end, by more code. The
/// grammar engine alone, which is to be small, goes without. Here it is copies of what is repeated
/// ([`Ranged::repeated`]), counts beside a pattern's states ([`Counted`]), and rules for counts of tens
/// of thousands; of schemas, what only whole texts can be judged for, which is refused without; in the
/// checker, what makes witnesses fit or mends completions, short lexemes, and judges of whole texts.
pub const SHORTCUTS: bool = cfg!(feature = "shortcuts");

/// Bounds on the size of automata under construction.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// States of a nondeterministic automaton.
    pub nfa_states: usize,
    /// States of a deterministic automaton.
    pub dfa_states: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nfa_states: 2_000_000,
            dfa_states: 200_000,
        }
    }
}

/// Steps that one construction may take, counted where states alone do not tell
/// how much is done: a state may stand for thousands of others.
///
/// ```
/// use lacuna_grammar::automaton::Steps;
/// let mut steps = Steps::default();
/// assert!(steps.take(1000).is_ok());
/// assert!(steps.take(Steps::LIMIT).is_err());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Steps {
    taken: usize,
}

impl Steps {
    /// The most of them: a second or so.
    pub const LIMIT: usize = 200_000_000;

    /// Counts so many more.
    ///
    /// # Errors
    /// When they are too many.
    pub fn take(&mut self, steps: usize) -> Result<(), AutomatonError> {
        self.taken = self.taken.saturating_add(steps);
        match self.taken > Self::LIMIT {
            true => Err(AutomatonError::TooLarge {
                what: "steps to an automaton",
                limit: Self::LIMIT,
            }),
            false => Ok(()),
        }
    }
}

/// Why an automaton could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AutomatonError {
    /// A construction outgrew its [`Limits`].
    #[error("the grammar needs more than {limit} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The limit in force.
        limit: usize,
    },
    /// An expression mentions a rule where only regular ones are allowed.
    #[error("the expression is not regular: it mentions rule number {0}")]
    MentionsRule(u32),
    /// An expression over terminals, where one over bytes is wanted.
    #[error("the expression is about terminals, not bytes: it mentions terminal number {0}")]
    MentionsTerminal(u32),
    /// Items in any order, which an automaton would have to list.
    #[error("the expression has items in any order, which no small automaton reads")]
    MentionsInterleave,
}
