//! The last completion of gaps of any length, *mended* for the next pattern.
//!
//! A pattern that is asked about is, as a rule, the last one with a token or a key press
//! more. Then the gaps far from the change can keep what they were filled with, and what is
//! left is text with a gap or two. A completion of that is one of the pattern; that there is
//! none says nothing.
//!
//! Cost: a parse of the completed text, or a search.

use super::{Decision, Exact};
use crate::chart::Parse;
use crate::{Filling, Pattern, Segment, Witness};

/// Gaps on each side of a change that stay open: where a parse finds out whether these
/// can be filled, and where a search looks for it.
const NEAR: usize = 1;
const FAR: usize = 4;

/// A pattern whose gaps have any length, and a completion of it.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    pattern: Pattern,
    /// What each segment became.
    texts: Vec<Vec<u8>>,
}

impl Recent {
    fn new(pattern: &Pattern, witness: &Witness) -> Option<Self> {
        let mut fillings = witness.gaps.iter();
        let mut texts = Vec::with_capacity(pattern.segments.len());
        for segment in &pattern.segments {
            texts.push(match segment {
                Segment::Text(text) => text.clone(),
                Segment::Gap(_) => match fillings.next()? {
                    Filling::Bytes(bytes) => bytes.clone(),
                    Filling::Tokens(_) => return None,
                },
            });
        }
        Some(Self {
            texts,
            pattern: pattern.clone(),
        })
    }

    /// A completion of another pattern that keeps this one's but for so many gaps on each
    /// side of where the patterns differ, and for an open end, which closes what is opened
    /// there: those are filled by whoever is asked.
    fn mend(
        &self,
        pattern: &Pattern,
        open: usize,
        fill: &mut dyn FnMut(&Pattern) -> Option<Witness>,
    ) -> Option<Witness> {
        let (old, new) = (&self.pattern.segments, &pattern.segments);
        let (before, behind) = self.open(new, open);
        let mut kept = Vec::with_capacity(new.len());
        let mut segments = Vec::with_capacity(new.len());
        for (at, segment) in new.iter().enumerate() {
            let text = match segment {
                Segment::Text(_) => None,
                Segment::Gap(_) if at < before => self.texts.get(at),
                Segment::Gap(_) if at >= behind && at + 1 < new.len() => {
                    self.texts.get(at + old.len() - new.len())
                }
                Segment::Gap(_) => None,
            };
            segments.push(text.map_or_else(|| segment.clone(), |text| Segment::Text(text.clone())));
            kept.push(text);
        }
        if kept.iter().all(Option::is_none) {
            return None;
        }
        let mended = Pattern::with_open_tail(segments.into_iter());
        let mut found = fill(&mended)?.gaps.into_iter();
        let mut gaps = Vec::new();
        for (segment, kept) in new.iter().zip(kept) {
            if let Segment::Gap(_) = segment {
                gaps.push(match kept {
                    Some(text) => Filling::Bytes(text.clone()),
                    None => found.next()?,
                });
            }
        }
        Some(Witness { gaps })
    }

    /// The first and the end of the segments of another pattern in which gaps are open: where
    /// they differ, with so many gaps on each side.
    fn open(&self, new: &[Segment], gaps: usize) -> (usize, usize) {
        let old = &self.pattern.segments;
        let both = old.len().min(new.len());
        let mut first = 0;
        while first < both && old[first] == new[first] {
            first += 1;
        }
        let mut same = 0;
        while same < both - first && old[old.len() - 1 - same] == new[new.len() - 1 - same] {
            same += 1;
        }
        let mut end = new.len() - same;
        let is_gap = |at: usize| usize::from(matches!(new[at], Segment::Gap(_)));
        let (mut before, mut behind) = (0, 0);
        while first > 0 && before < gaps {
            first -= 1;
            before += is_gap(first);
        }
        while end < new.len() && behind < gaps {
            behind += is_gap(end);
            end += 1;
        }
        (first, end)
    }
}

impl Exact {
    /// The last completion, changed near what is new in a pattern: by a parse of so large a share
    /// of the budget, or by a search alone.
    pub(super) fn mended(&mut self, pattern: &Pattern, parsed: Option<usize>) -> Option<Witness> {
        let recent = self.recent.take()?;
        let near = recent.mend(pattern, NEAR, &mut |mended| {
            let Some(share) = parsed else {
                return self.sketched_at_once(mended);
            };
            let parse = self.parse_beside(mended, share);
            match parse {
                Parse::Found(_) => self.decision(mended, parse).witness(),
                Parse::Nothing | Parse::Exhausted => None,
            }
        });
        near.or_else(|| recent.mend(pattern, FAR, &mut |mended| self.sketched_at_once(mended)))
    }

    /// Keeps a completion for the next pattern.
    pub(super) fn remember(&mut self, pattern: &Pattern, decision: &Decision) {
        if let Decision::Completable(witness) = decision {
            self.recent = Recent::new(pattern, witness);
        }
    }
}
