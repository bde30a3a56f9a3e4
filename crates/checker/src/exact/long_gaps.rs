//! Long gaps between texts, shortened at first.
//!
//! A gap of hundreds of cells has hundreds of times the places of one, and most of them say
//! nothing new: what must stand there takes some dozens of cells, and the rest is blanks, or more
//! of a string, a name or a number. So a witness is first looked for with fewer cells in such a
//! gap, and what stands in one of these is repeated as often as cells are missing. Whether it may
//! be there so often is a question about a text without gaps. It never says no.
//!
//! Cost: that of the shortened pattern, and for each place of a gap up to two searches along a text.

use lacuna_lexer::{Spellings, TokenId};

use super::tiers::{SHORT_TAIL, TAIL_SEARCH};
use super::{Decision, Exact, Haste};
use crate::witness::completed;
use crate::{Filling, Gap, Pattern, Segment, Witness};

/// Cells that are left of a long gap, at first and then.
const SHORT: [usize; 2] = [24, 64];

/// How many times as long a gap must be to be shortened.
const TIMES: f32 = 1.5;

/// The share that a search along a text may spend.
const ALONG_TEXT: usize = 200;

/// What may be repeated, by itself and as what stands before it.
const BLANK: &[u8] = b" ";

impl Exact {
    /// A witness of a pattern with long gaps, from one of the same with shorter ones that a search
    /// finds, or a beam where a tail is not soon enough found to do.
    pub(crate) fn pumped_witness(&mut self, pattern: &Pattern) -> Option<Witness> {
        let at_once = |exact: &mut Self, shorter: &Pattern| {
            exact.decide_at_once(shorter, Haste::Some)?.0.witness()
        };
        self.pumped_up(pattern, at_once)
            .or_else(|| {
                with_gaps_up_to(pattern, SHORT[0])?;
                self.search(pattern, None, TAIL_SEARCH)?.witness()
            })
            .or_else(|| self.pumped_up(pattern, Self::beamed_among_fewer))
    }

    fn pumped_up(
        &mut self,
        pattern: &Pattern,
        mut find: impl FnMut(&mut Self, &Pattern) -> Option<Witness>,
    ) -> Option<Witness> {
        SHORT.into_iter().find_map(|cells| {
            let shortened = with_gaps_up_to(pattern, cells)?;
            let shorter = shortened.with_tail_up_to(SHORT_TAIL);
            let shorter = shorter.unwrap_or(shortened);
            let witness = find(self, &shorter)?;
            self.pumped(pattern, shorter, witness)
        })
    }

    /// The witness of a shorter pattern with as many tokens in each gap as `pattern` has cells.
    fn pumped(
        &mut self,
        pattern: &Pattern,
        mut shorter: Pattern,
        mut witness: Witness,
    ) -> Option<Witness> {
        let is_gap = |segment: &Segment| matches!(segment, Segment::Gap(_));
        let gaps = (0..pattern.segments.len()).filter(|&at| is_gap(&pattern.segments[at]));
        for (gap, segment) in gaps.enumerate() {
            let (Segment::Gap(Gap::Cells(cells)), Segment::Gap(Gap::Cells(fewer))) =
                (&pattern.segments[segment], &shorter.segments[segment])
            else {
                continue;
            };
            let missing = cells - fewer;
            if missing > 0 {
                shorter.segments[segment] = Segment::Gap(Gap::Cells(*cells));
                witness = self.with_repeated(&shorter, witness, gap, missing)?;
            }
        }
        Some(witness)
    }

    /// A witness with so many tokens more in one gap.
    fn with_repeated(
        &mut self,
        pattern: &Pattern,
        witness: Witness,
        gap: usize,
        times: usize,
    ) -> Option<Witness> {
        let vocabulary = self.vocabulary.clone()?;
        let blank = Spellings::new(&vocabulary, BLANK, 1).spell(1);
        let blank = blank.and_then(|tokens| tokens.first().copied());
        let Filling::Tokens(tokens) = &witness.gaps[gap] else {
            return None;
        };
        let tokens = tokens.clone();
        let places = 0..=tokens.len();
        let blanks = blank
            .into_iter()
            .flat_map(|token| places.clone().map(move |at| (at, token)));
        let again = (1..).zip(tokens.iter().copied());
        let again = again.filter(|&(_, token)| Some(token) != blank);
        let mut candidates = blanks.chain(again);
        candidates.find_map(|(at, token): (usize, TokenId)| {
            let mut longer = tokens.clone();
            longer.splice(at..at, std::iter::repeat_n(token, times));
            let mut witness = witness.clone();
            witness.gaps[gap] = Filling::Tokens(longer);
            let text = completed(pattern, &witness, &vocabulary)?;
            self.is_text(text).then_some(witness)
        })
    }

    /// Whether a text is one of the grammar's, as far as a search tells.
    fn is_text(&mut self, text: Vec<u8>) -> bool {
        let pattern = Pattern {
            segments: vec![Segment::Text(text)],
        };
        let found = self.search(&pattern, None, ALONG_TEXT);
        matches!(found, Some(Decision::Completable(_)))
    }
}

/// The pattern with no gaps of more cells than these between texts; `None` if it has no much longer
/// one.
fn with_gaps_up_to(pattern: &Pattern, cells: usize) -> Option<Pattern> {
    let mut has_long = false;
    let segments = pattern.segments.iter().map(|segment| match segment {
        Segment::Gap(Gap::Cells(more)) if *more as f32 >= cells as f32 * TIMES => {
            has_long = true;
            Segment::Gap(Gap::Cells(cells))
        }
        _ => segment.clone(),
    });
    let segments = segments.collect();
    has_long.then_some(Pattern { segments })
}
