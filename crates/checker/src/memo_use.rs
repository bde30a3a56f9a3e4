//! How much the memos of a checker spare.

use lacuna_lexer::MemoUse;

/// How often each memo of a [`Checker`](crate::Checker) was asked since it was made, what it
/// has forgotten since included. All of them are keyed by one grammar and one vocabulary, and
/// bounded ([`CheckerLimits::memo_members`](crate::CheckerLimits)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoUses {
    /// Fragments: what tokens do from a lexer state.
    pub lexing: MemoUse,
    /// The parser's sets: what a lexeme or a finished part moves.
    pub sets: MemoUse,
    /// Columns: a step over a lexeme.
    pub columns: MemoUse,
    /// The regular cover: what the rest of a pattern asks for.
    pub cover: MemoUse,
    /// Automata of a regular grammar, or below and above another: a step over a byte or a cell.
    pub automaton: MemoUse,
}

impl MemoUses {
    /// Each memo with its name.
    pub fn named(self) -> [(&'static str, MemoUse); 5] {
        [
            ("lexing", self.lexing),
            ("sets", self.sets),
            ("columns", self.columns),
            ("cover", self.cover),
            ("automaton", self.automaton),
        ]
    }

    /// All of them together.
    pub fn total(self) -> MemoUse {
        let all = self.named().into_iter();
        all.fold(MemoUse::default(), |sum, (_, memo)| sum + memo)
    }

    /// What came after an earlier count.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            lexing: self.lexing.since(before.lexing),
            sets: self.sets.since(before.sets),
            columns: self.columns.since(before.columns),
            cover: self.cover.since(before.cover),
            automaton: self.automaton.since(before.automaton),
        }
    }
}

impl std::ops::Add for MemoUses {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            lexing: self.lexing + other.lexing,
            sets: self.sets + other.sets,
            columns: self.columns + other.columns,
            cover: self.cover + other.cover,
            automaton: self.automaton + other.automaton,
        }
    }
}
