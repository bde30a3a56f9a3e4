//! The last completion of gaps of any length, *mended* for the next pattern.
//!
//! A pattern that is asked about is, as a rule, the last one with a token or a key press
//! more. Then the gaps far from the change can keep what they were filled with, and what is
//! left is text with a gap or two. A completion of that is one of the pattern; that there is
//! none says nothing.
//!
//! Cost: a parse of the completed text.

use super::{Decision, Exact};
use crate::chart::Parse;
use crate::{Filling, Gap, Pattern, Segment, Witness};

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
        let texts = pattern.segments.iter().map(|segment| match segment {
            Segment::Text(text) => Some(text.clone()),
            Segment::Gap(_) => match fillings.next()? {
                Filling::Bytes(bytes) => Some(bytes.clone()),
                Filling::Tokens(_) => None,
            },
        });
        Some(Self {
            texts: texts.collect::<Option<_>>()?,
            pattern: pattern.clone(),
        })
    }

    /// For each segment of another pattern, its text if that stays as it was: all gaps do
    /// but so many on each side of where the patterns differ, and an open end, which closes
    /// what is opened there.
    fn kept(&self, pattern: &Pattern, open: usize) -> Vec<Option<&[u8]>> {
        let (old, new) = (&self.pattern.segments, &pattern.segments);
        let both = old.len().min(new.len());
        let same = |(a, b): &(&Segment, &Segment)| a == b;
        let before = old.iter().zip(new).take_while(same).count();
        let behind = old.iter().rev().zip(new.iter().rev()).take(both - before);
        let behind = behind.take_while(same).count();
        let is_gap = |segment: &Segment| matches!(segment, Segment::Gap(_));
        let gaps = |segments: &[Segment]| -> Vec<usize> {
            let all = segments.iter().enumerate();
            all.filter(|(_, s)| is_gap(s)).map(|(at, _)| at).collect()
        };
        let last_before = gaps(&new[..before]).into_iter().nth_back(open - 1);
        let last_before = last_before.unwrap_or(0);
        let rest = new.len() - behind;
        let first_behind = gaps(&new[rest..]).into_iter().nth(open - 1);
        let first_behind = first_behind.map_or(new.len(), |at| rest + at + 1);
        let text = |(at, segment): (usize, &Segment)| match segment {
            Segment::Gap(Gap::Any) if at < last_before => self.texts.get(at),
            Segment::Gap(Gap::Any) if at >= first_behind && at + 1 < new.len() => {
                self.texts.get(at + old.len() - new.len())
            }
            Segment::Gap(_) | Segment::Text(_) => None,
        };
        let texts = new.iter().enumerate().map(text);
        texts.map(|text| text.map(Vec::as_slice)).collect()
    }

    /// A completion of another pattern that keeps this one's but for so many gaps on each
    /// side of where the patterns differ, which are filled by whoever is asked.
    fn mend(
        &self,
        pattern: &Pattern,
        open: usize,
        fill: impl FnOnce(&Pattern) -> Option<Witness>,
    ) -> Option<Witness> {
        let kept = self.kept(pattern, open);
        if kept.iter().all(Option::is_none) {
            return None;
        }
        let segments = pattern.segments.iter().zip(&kept);
        let segments = segments.map(|(segment, kept)| match kept {
            Some(text) => Segment::Text(text.to_vec()),
            None => segment.clone(),
        });
        let mended = Pattern::with_open_tail(segments);
        let mut found = fill(&mended)?.gaps.into_iter();
        let gaps = pattern.segments.iter().zip(kept);
        let gaps = gaps.filter(|(segment, _)| matches!(segment, Segment::Gap(_)));
        let gaps = gaps.map(|(_, kept)| match kept {
            Some(text) => Some(Filling::Bytes(text.to_vec())),
            None => found.next(),
        });
        let gaps = gaps.collect::<Option<_>>()?;
        Some(Witness { gaps })
    }
}

impl Exact {
    /// The last completion, changed near what is new in a pattern.
    pub(super) fn mended(&mut self, pattern: &Pattern, share: usize) -> Option<Witness> {
        let recent = self.recent.take()?;
        let near = recent.mend(pattern, NEAR, |mended| {
            let parse = self.parse_beside(mended, share);
            match parse {
                Parse::Found(_) => self.decision(mended, parse).witness(),
                Parse::Nothing | Parse::Exhausted => None,
            }
        });
        near.or_else(|| recent.mend(pattern, FAR, |mended| self.sketched_at_once(mended)))
    }

    /// Keeps a completion for the next pattern.
    pub(super) fn remember(&mut self, pattern: &Pattern, decision: &Decision) {
        if let Decision::Completable(witness) = decision {
            self.recent = Recent::new(pattern, witness);
        }
    }
}
