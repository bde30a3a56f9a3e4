//! Bytes that stand between lexemes without changing them.
//!
//! In a gap of any length, lexemes end at many boundaries, one for each set of
//! obligations. Where the grammar ignores white space, they need not be told
//! apart: a blank may follow most lexemes, and whatever may come next without the
//! blank may come next with it. This finds such bytes, and proves them.
//!
//! The proof: from a boundary `b` behind a lexeme that is not ignored, the byte
//! leads to a state `s` of an ignored lexeme, which may end there, at a boundary
//! `e`. And every byte that leads on from `b` leads on from `e`, or continues the
//! ignored lexeme from `s`, to a state with the same lexeme and constraint and no
//! other obligations. Fewer obligations allow more, so whatever can follow `b` can
//! follow `s`. Where the text may end at `b`, it may at `e`.

use lacuna_grammar::automaton::Grouped;
use rustc_hash::FxHashMap;

use crate::lexer::{Finish, LexerState};

/// A lexer's table, with what its states are made of.
pub(crate) struct Anatomy<'a> {
    /// One byte of each class.
    pub representatives: &'a [u8],
    /// For each state, its lexeme with its constraint.
    pub lexemes: &'a [(u32, u32)],
    /// For each state, its obligations.
    pub obligations: &'a [&'a [u32]],
    pub finishes: &'a Grouped<Finish>,
    /// For each state, whether the text may end there.
    pub text_ends: &'a [bool],
    /// By state and class.
    pub next: &'a dyn Fn(LexerState, usize) -> Option<LexerState>,
}

impl Anatomy<'_> {
    /// For each boundary behind a terminal, a byte that separates, if there is
    /// one: as few different bytes as a greedy choice finds.
    pub(crate) fn separators(&self) -> FxHashMap<LexerState, u8> {
        let finishes = self.finishes.all().iter();
        let mut boundaries: Vec<LexerState> = finishes
            .filter(|finish| finish.terminal.is_some())
            .map(|finish| finish.to)
            .collect();
        boundaries.sort_unstable();
        boundaries.dedup();
        let candidates = self.representatives.iter().enumerate();
        let mut candidates: Vec<(u8, Vec<LexerState>)> = candidates
            .map(|(class, &byte)| {
                let separates = |boundary: &LexerState| self.separates(*boundary, class);
                (byte, boundaries.iter().copied().filter(separates).collect())
            })
            .collect();
        // Blanks before other white space, where they do the same.
        candidates.sort_unstable_by_key(|(byte, separated)| {
            let graphic = *byte == b' ' || byte.is_ascii_graphic();
            (std::cmp::Reverse(separated.len()), !graphic, *byte)
        });
        let mut found = FxHashMap::default();
        for (byte, separated) in candidates {
            for boundary in separated {
                found.entry(boundary).or_insert(byte);
            }
        }
        found
    }

    fn separates(&self, boundary: LexerState, class: usize) -> bool {
        let Some(state) = (self.next)(boundary, class) else {
            return false;
        };
        let mut ends = self.finishes.of(state).iter();
        let Some(end) = ends.find(|finish| finish.terminal.is_none()) else {
            return false;
        };
        if self.text_ends[boundary as usize] && !self.text_ends[end.to as usize] {
            return false;
        }
        (0..self.representatives.len()).all(|class| {
            let Some(direct) = (self.next)(boundary, class) else {
                return true;
            };
            let mut separated = [end.to, state]
                .into_iter()
                .filter_map(|from| (self.next)(from, class));
            separated.any(|separated| self.dominates(separated, direct))
        })
    }

    /// Whether whatever is possible from `less` is possible from `more`.
    fn dominates(&self, more: LexerState, less: LexerState) -> bool {
        let (more, less) = (more as usize, less as usize);
        let owed = self.obligations[less];
        self.lexemes[more] == self.lexemes[less]
            && self.obligations[more]
                .iter()
                .all(|obligation| owed.contains(obligation))
    }
}
