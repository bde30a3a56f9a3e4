//! Long tails of cells in which the text may end, left open at first.
//!
//! Whatever is begun before a long tail can be ended in it, as a rule. So only the gaps
//! before it are looked at cell by cell, up to anything that can be ended; a parse says
//! how that ends soonest, and if those bytes can be spelled in the tail, it is a witness. It
//! never says no.
//!
//! Cost: that of a beam over what stands before the tail, and a parse of the text.

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::Spellings;

use super::Exact;
use crate::{Filling, Gap, Pattern, Segment, Witness};

/// Cells of a tail from which on this is tried.
const LONG: usize = 24;

impl Exact {
    /// A witness of a pattern with a long tail.
    pub(super) fn ended_anywhere(&mut self, pattern: &Pattern) -> Option<Witness> {
        let (tail, rest) = pattern.segments.split_last()?;
        let Segment::Gap(Gap::UpTo(cells)) = *tail else {
            return None;
        };
        if !SHORTCUTS || cells < LONG {
            return None;
        }
        let open = Segment::Gap(Gap::Any);
        let open = Pattern {
            segments: rest.iter().cloned().chain([open]).collect(),
        };
        if !open.counts_cells() {
            return None;
        }
        let found = self.beamed_among_fewer(&open);
        let found = found.or_else(|| self.beamed(&open, None));
        let mut witness = found?;
        let filling = witness.gaps.last_mut()?;
        let Filling::Bytes(end) = &filling else {
            return None;
        };
        let spellings = Spellings::new(self.vocabulary.as_ref()?, end, cells);
        *filling = Filling::Tokens(spellings.spell(spellings.fewest()?)?);
        Some(witness)
    }
}
