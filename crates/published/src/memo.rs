//! EPIC's Algorithm 2: what was lexed once is not lexed again.
//!
//! Lexings are kept by fragment and by what stands beside it, and so are the answers
//! to whether parts of a lexeme can be joined across gaps. A memo belongs to one
//! language: there is nothing to mix up between two. It is emptied when it has grown
//! past its bound.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::completion::Joins;
use crate::lexing::{Ends, Lexing};
use crate::{Language, Stopped, TerminalId, Ticker};

/// Bytes, about, that a memo holds before it is emptied.
const BOUND: usize = 64 << 20;

/// What is kept.
#[derive(Default)]
pub(crate) struct Memo {
    pub(crate) lexings: Lexings,
    pub(crate) joined: Joined,
}

impl Memo {
    pub(crate) fn empty_if_full(&mut self) {
        if self.lexings.bytes + self.joined.bytes > BOUND {
            self.lexings.known = Default::default();
            self.joined.known = FxHashMap::default();
            (self.lexings.bytes, self.joined.bytes) = (0, 0);
        }
    }
}

type ByText = FxHashMap<Box<[u8]>, Arc<[Lexing]>>;

/// The lexings of fragments.
#[derive(Default)]
pub(crate) struct Lexings {
    /// By [`Ends`], then by text.
    known: [ByText; 4],
    bytes: usize,
    pub(crate) lookups: u64,
    pub(crate) hits: u64,
}

impl Lexings {
    pub(crate) fn get(
        &mut self,
        text: &[u8],
        ends: Ends,
        lex: impl FnOnce() -> Result<Vec<Lexing>, Stopped>,
    ) -> Result<Arc<[Lexing]>, Stopped> {
        let known = &mut self.known[2 * usize::from(ends.left) + usize::from(ends.right)];
        self.lookups += 1;
        if let Some(lexings) = known.get(text) {
            self.hits += 1;
            return Ok(Arc::clone(lexings));
        }
        let lexings: Arc<[Lexing]> = lex()?.into();
        let terminals: usize = lexings.iter().map(|lexing| lexing.terminals.len()).sum();
        self.bytes += text.len() + size_of_val(&*lexings) + size_of::<TerminalId>() * terminals;
        known.insert(text.into(), Arc::clone(&lexings));
        Ok(lexings)
    }
}

/// Whether parts can be joined.
#[derive(Default)]
pub(crate) struct Joined {
    /// By terminal, whether closed, and the parts with their lengths.
    known: FxHashMap<Box<[u8]>, bool>,
    key: Vec<u8>,
    bytes: usize,
}

/// Asks the memo before the automaton.
pub(crate) struct Remembered<'a> {
    pub(crate) language: &'a Language,
    pub(crate) joined: &'a mut Joined,
}

impl Joins for Remembered<'_> {
    fn joins(
        &mut self,
        terminal: TerminalId,
        parts: &[&[u8]],
        closed: bool,
        ticker: &mut Ticker<'_>,
    ) -> Result<bool, Stopped> {
        let Joined { known, key, bytes } = self.joined;
        key.clear();
        key.extend(terminal.to_le_bytes());
        key.push(u8::from(closed));
        for part in parts {
            key.extend((part.len() as u32).to_le_bytes());
            key.extend_from_slice(part);
        }
        if let Some(&answer) = known.get(key.as_slice()) {
            return Ok(answer);
        }
        let terminal = &self.language.terminals[terminal as usize];
        let answer = terminal.spans(parts.iter().copied(), closed, ticker)?;
        *bytes += key.len();
        known.insert(key.as_slice().into(), answer);
        Ok(answer)
    }
}
