//! What is looked for among little, and among more where nothing goes on ([`Stuck`]).
//!
//! Cost: a look ahead and a small chart for each time that gaps are widened.

use super::tiers::WIDE;
use super::{Exact, Sought};
use crate::widening::Stuck;
use crate::{Pattern, Segment, Witness};

/// How often gaps are widened, and once more for so many gaps.
const WIDENINGS: usize = 12;
const GAPS_TO_WIDEN: usize = 8;

/// How often in a row that may lead no farther.
const IN_VAIN: usize = 4;

impl Exact {
    /// A witness in a chart or along a beam, with more tokens in the gaps near which the chart ends.
    pub(super) fn widened(
        &mut self,
        pattern: &Pattern,
        most: usize,
        share: usize,
    ) -> Option<Witness> {
        self.until_found(most, &mut |exact, stuck| {
            let mut graph = exact
                .choice
                .graph(pattern, &exact.cfg.lexer, &mut exact.reaches);
            match stuck.is_none_or(|stuck| graph.widen(stuck)) {
                true => exact.followed(pattern, Some(WIDE), share),
                false => Err(None),
            }
        })
    }

    /// What `look` finds, at first, or after it has widened gaps where nothing went on before.
    pub(super) fn until_found(
        &mut self,
        most: usize,
        look: &mut dyn FnMut(&mut Self, Option<Stuck>) -> Sought,
    ) -> Option<Witness> {
        let (mut farthest, mut in_vain) = (0, 0);
        let mut stuck = None;
        for _ in 0..most {
            let behind = match look(self, stuck) {
                Ok(witness) => return Some(witness),
                Err(behind) => behind?,
            };
            in_vain = match behind > farthest {
                true => 0,
                false => in_vain + 1,
            };
            farthest = farthest.max(behind);
            if in_vain > IN_VAIN {
                return None;
            }
            stuck = Some(Stuck { behind, in_vain });
        }
        None
    }
}

/// How often the gaps of a pattern are widened.
pub(super) fn widenings(pattern: &Pattern) -> usize {
    let is_gap = |segment: &&Segment| matches!(segment, Segment::Gap(_));
    WIDENINGS + pattern.segments.iter().filter(is_gap).count() / GAPS_TO_WIDEN
}
