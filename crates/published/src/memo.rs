//! EPIC's Algorithm 2: what was lexed once is not lexed again.
//!
//! Lexings are kept by fragment and by what stands beside it. How parts of a lexeme are
//! joined across gaps is not: their automata remember their own steps, with a memo and
//! without ([`Parts`](crate::lexing::Parts)). A memo belongs to one language: there is
//! nothing to mix up between two. Between two checks it is emptied if it has grown past its
//! bound.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Stopped;
use crate::lexing::{Ends, Lexing};

/// Bytes, about, that a memo holds before it is emptied.
const BOUND: usize = 64 << 20;

/// The lexings of fragments.
#[derive(Default)]
pub(crate) struct Memo {
    /// By [`Ends`], then by text.
    known: [ByText; 4],
    bytes: usize,
    pub(crate) lookups: u64,
    pub(crate) hits: u64,
}

type ByText = FxHashMap<Box<[u8]>, Arc<[Lexing]>>;

impl Memo {
    /// The lexings of a fragment, which `lex` finds if they are not known.
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
        self.bytes += text.len() + lexings.iter().map(Lexing::bytes).sum::<usize>();
        known.insert(text.into(), Arc::clone(&lexings));
        Ok(lexings)
    }

    pub(crate) fn empty_if_full(&mut self) {
        if self.bytes > BOUND {
            self.known = Default::default();
            self.bytes = 0;
        }
    }
}
