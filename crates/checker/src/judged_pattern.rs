//! Patterns of which a judge refused the completion that was found: it is written differently
//! where it is at fault.
//!
//! What is at fault in a gap is replaced by a text that begins otherwise, all else staying as it
//! was: with a number or a word that was not tried before, which every kind of item that may
//! differ at all is likely to take, then with any other character. In a gap of any length the rest
//! is as long as it has to be; in one that counts cells, it has those that are left. Whatever the
//! judge finds less at fault is gone on from.
//!
//! Cost: a question to the judge for each change that the grammar takes, and for each that is
//! tried a check of a pattern of one gap, in text.

use std::ops::Range;

use lacuna_lexer::{TokenId, Vocabulary};
use rustc_hash::FxHashMap;

use crate::exact::Haste;
use crate::judged::{Judge, Judgement};
use crate::{Checker, Filling, Gap, Pattern, Segment, Verdict, Witness};

/// Bytes of all texts that changes are tried in, changes that are tried, and such as may run out of a
/// budget.
const MOST_BYTES: usize = 1 << 20;
const MOST_CHANGES: usize = 256;
const MOST_EXHAUSTED: usize = 2;
/// Bytes of what is at fault where it may begin to differ: so many first ones, and so many before
/// its end.
const FIRST: usize = 4;
const LAST: usize = 2;
/// Longest tokens that stand in a changed cell.
const LONGEST: usize = 4;

/// A completion on its way to one that is accepted.
pub(crate) struct Changing<'a> {
    checker: &'a mut Checker,
    judge: &'a dyn Judge,
    pattern: &'a Pattern,
    left: usize,
    bytes: usize,
    changes: usize,
    exhausted: usize,
    /// How many words were tried.
    words: usize,
    /// Short tokens by their bytes, once asked for.
    tokens: Option<FxHashMap<Vec<u8>, TokenId>>,
}

/// A completion with what is at fault in it.
struct Refused {
    gaps: Vec<Filling>,
    faults: Vec<[Range<usize>; 2]>,
}

/// What came of a change.
enum Outcome {
    Accepted(Witness),
    Better(Refused),
    NoBetter,
}

/// What may become another text, besides a word at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The rest of the place.
    Place,
    /// That, and what of gaps is behind it.
    Behind,
}

/// A part of a gap, by its bytes in the text.
struct Place {
    gap: usize,
    span: Range<usize>,
}

/// A gap in which something is to be filled anew: what stands in it before and behind that, and the
/// segments of all.
struct Changed {
    before: Filling,
    behind: Filling,
    segments: Vec<Segment>,
    reach: Reach,
}

/// A completed text, and the bytes of each gap.
struct Spelled {
    text: Vec<u8>,
    gaps: Vec<Range<usize>>,
}

impl<'a> Changing<'a> {
    /// Nothing tried yet; the judge may be asked so often.
    pub fn new(
        checker: &'a mut Checker,
        judge: &'a dyn Judge,
        pattern: &'a Pattern,
        left: usize,
    ) -> Self {
        Self {
            checker,
            judge,
            pattern,
            left,
            bytes: MOST_BYTES,
            changes: MOST_CHANGES,
            exhausted: MOST_EXHAUSTED,
            words: 0,
            tokens: None,
        }
    }

    /// An accepted completion, if changing a refused one leads to one.
    pub fn changed(&mut self, refused: Witness, faults: Vec<[Range<usize>; 2]>) -> Option<Witness> {
        let gaps = refused.gaps;
        let mut now = Refused { gaps, faults };
        'better: loop {
            let spelled = self.spelled(&now.gaps);
            let places = self.places(&now, &spelled);
            for reach in [Reach::Place, Reach::Behind] {
                for place in &places {
                    match self.rewrite(&now, &spelled, place, reach) {
                        Outcome::Accepted(witness) => return Some(witness),
                        Outcome::Better(better) => {
                            now = better;
                            continue 'better;
                        }
                        Outcome::NoBetter => {}
                    }
                }
            }
            return None;
        }
    }

    fn vocabulary(&self) -> Option<&Vocabulary> {
        self.checker.vocabulary().map(AsRef::as_ref)
    }

    fn spelled(&self, gaps: &[Filling]) -> Spelled {
        let mut spelled = Spelled {
            text: Vec::new(),
            gaps: Vec::new(),
        };
        let mut gaps = gaps.iter();
        for segment in &self.pattern.segments {
            let start = spelled.text.len();
            match segment {
                Segment::Text(bytes) => spelled.text.extend(bytes),
                Segment::Gap(_) => {
                    match gaps.next() {
                        Some(Filling::Bytes(bytes)) => spelled.text.extend(bytes),
                        Some(Filling::Tokens(tokens)) => {
                            for &token in tokens {
                                let bytes = self.vocabulary().and_then(|all| all.bytes(token));
                                spelled.text.extend(bytes.unwrap_or_default());
                            }
                        }
                        None => {}
                    }
                    spelled.gaps.push(start..spelled.text.len());
                }
            }
        }
        spelled
    }

    /// For each fault a part of it that stands in a gap.
    fn places(&self, refused: &Refused, spelled: &Spelled) -> Vec<Place> {
        let gaps = || spelled.gaps.iter().cloned().enumerate();
        if refused.faults.is_empty() {
            return gaps().map(|(gap, span)| Place { gap, span }).collect();
        }
        let in_gap = |fault: &Range<usize>| {
            // A number goes on in what stands beside it.
            let touching =
                gaps().filter(|(_, gap)| gap.start <= fault.end && fault.start <= gap.end);
            let parts = touching.map(|(gap, span)| Place {
                gap,
                span: span.start.max(fault.start)..span.end.min(fault.end),
            });
            parts.max_by_key(|place| place.span.len())
        };
        let faults = refused.faults.iter();
        faults
            .filter_map(|both| both.iter().find_map(in_gap))
            .collect()
    }

    /// Writes a place differently.
    fn rewrite(
        &mut self,
        refused: &Refused,
        spelled: &Spelled,
        place: &Place,
        reach: Reach,
    ) -> Outcome {
        let Range { start, end } = place.span;
        let near = start..end.min(start + FIRST);
        let behind = end.saturating_sub(LAST).max(near.end)..=end;
        for at in near.clone().chain(behind.clone()) {
            self.words += 1;
            for word in [self.words.to_string(), letters(self.words)] {
                let word = (at, word.as_bytes());
                let outcome = self.try_word(refused, spelled, place, reach, word);
                if !matches!(outcome, Outcome::NoBetter) {
                    return outcome;
                }
            }
        }
        for at in near.chain(behind) {
            // What is escaped may be the same.
            let others = (b'!'..=b'~').filter(|&byte| byte != b'\\');
            for byte in others.filter(|byte| spelled.text.get(at) != Some(byte)) {
                let outcome = self.try_word(refused, spelled, place, reach, (at, &[byte]));
                if !matches!(outcome, Outcome::NoBetter) {
                    return outcome;
                }
            }
        }
        Outcome::NoBetter
    }

    /// Writes a place as before up to a byte of it, then a word, then whatever the grammar allows.
    fn try_word(
        &mut self,
        refused: &Refused,
        spelled: &Spelled,
        place: &Place,
        reach: Reach,
        (at, word): (usize, &[u8]),
    ) -> Outcome {
        let text = &spelled.text;
        let is_spent = self.left == 0 || self.exhausted == 0 || self.changes == 0;
        if is_spent || self.bytes < text.len() {
            return Outcome::NoBetter;
        }
        self.bytes -= text.len();
        let changed = self.around(refused, spelled, place, reach, (at, word));
        let Some(gaps) = changed.and_then(|changed| self.filled(refused, place.gap, changed))
        else {
            return Outcome::NoBetter;
        };
        self.left -= 1;
        match self.judge.judge(&self.spelled(&gaps).text) {
            Judgement::Accepted => Outcome::Accepted(Witness { gaps }),
            Judgement::Refused { faults } if faults.len() < refused.faults.len() => {
                Outcome::Better(Refused { gaps, faults })
            }
            Judgement::Refused { .. } | Judgement::Unknown => Outcome::NoBetter,
        }
    }

    /// What is to be filled where a word stands at a byte of a place; `None` if it cannot.
    fn around(
        &mut self,
        refused: &Refused,
        spelled: &Spelled,
        place: &Place,
        reach: Reach,
        (at, word): (usize, &[u8]),
    ) -> Option<Changed> {
        let (text, span) = (&spelled.text, &spelled.gaps[place.gap]);
        let end = match reach {
            Reach::Place => place.span.end,
            Reach::Behind => span.end,
        };
        let mut changed = match &refused.gaps[place.gap] {
            Filling::Bytes(bytes) => {
                let (before, behind) = (&bytes[..at - span.start], &bytes[end - span.start..]);
                Changed {
                    before: Filling::Bytes([before, word].concat()),
                    behind: Filling::Bytes(behind.to_vec()),
                    segments: vec![
                        Segment::Text([&text[..at], word].concat()),
                        Segment::Gap(Gap::Any),
                        Segment::Text(text[end..span.end].to_vec()),
                    ],
                    reach,
                }
            }
            Filling::Tokens(tokens) => {
                let token = self.token(word)?;
                let (cells, spans) = self.cells(tokens, span.start, at..end)?;
                Changed {
                    before: Filling::Tokens([&tokens[..cells.start], &[token]].concat()),
                    behind: Filling::Tokens(tokens[cells.end..].to_vec()),
                    segments: vec![
                        Segment::Text([&text[..spans.start], word].concat()),
                        Segment::Gap(Gap::Cells(cells.len() - 1)),
                        Segment::Text(text[spans.end..span.end].to_vec()),
                    ],
                    reach,
                }
            }
        };
        if reach == Reach::Place {
            let rest = text[span.end..].to_vec();
            changed.segments.push(Segment::Text(rest));
            return Some(changed);
        }
        let segments = self.pattern.segments.iter();
        let is_gap = |(_, segment): &(usize, &Segment)| matches!(segment, Segment::Gap(_));
        let (gap, _) = segments.clone().enumerate().filter(is_gap).nth(place.gap)?;
        changed.segments.extend(segments.skip(gap + 1).cloned());
        Some(changed)
    }

    /// The gaps with one of them, and what is behind it, filled anew.
    fn filled(&mut self, refused: &Refused, gap: usize, changed: Changed) -> Option<Vec<Filling>> {
        let Changed {
            before,
            behind,
            segments,
            reach,
        } = changed;
        let is_text = |segment: &Segment| matches!(segment, Segment::Text(_));
        let mut gaps = segments.iter().filter(|segment| !is_text(segment));
        let has_none = gaps.next() == Some(&Segment::Gap(Gap::Cells(0)));
        let mut fillings = self.decide(segments)?.gaps.into_iter();
        let filling = match has_none {
            true => Filling::Tokens(Vec::new()),
            false => fillings.next()?,
        };
        let joined = match (before, filling, behind) {
            (Filling::Bytes(before), Filling::Bytes(filling), Filling::Bytes(behind)) => {
                Filling::Bytes([before, filling, behind].concat())
            }
            (Filling::Tokens(before), Filling::Tokens(filling), Filling::Tokens(behind)) => {
                Filling::Tokens([before, filling, behind].concat())
            }
            _ => return None,
        };
        let mut gaps = refused.gaps[..gap].to_vec();
        gaps.push(joined);
        match reach {
            Reach::Place => gaps.extend_from_slice(&refused.gaps[gap + 1..]),
            Reach::Behind => gaps.extend(fillings),
        }
        (gaps.len() == refused.gaps.len()).then_some(gaps)
    }

    /// A completion of some segments, neighbouring texts as one.
    fn decide(&mut self, segments: Vec<Segment>) -> Option<Witness> {
        self.changes -= 1;
        let mut pattern = Pattern::default();
        for segment in segments {
            match (pattern.segments.last_mut(), segment) {
                (_, Segment::Gap(Gap::Cells(0))) => {}
                (_, Segment::Text(text)) if text.is_empty() => {}
                (Some(Segment::Text(before)), Segment::Text(text)) => before.extend(text),
                (_, segment) => pattern.segments.push(segment),
            }
        }
        let verdict = match self.checker.decide_at_once(&pattern, Haste::Some) {
            Some((verdict, _)) => verdict,
            None => self.checker.decide_at_length(&pattern).0,
        };
        match verdict {
            Verdict::Completable(witness) => Some(witness),
            Verdict::Impossible => None,
            Verdict::Exhausted { .. } => {
                self.exhausted = self.exhausted.saturating_sub(1);
                None
            }
        }
    }

    /// The token of a short text.
    fn token(&mut self, text: &[u8]) -> Option<TokenId> {
        if self.tokens.is_none() {
            let vocabulary = self.vocabulary()?;
            let mut tokens = FxHashMap::default();
            for token in 0..vocabulary.len() as TokenId {
                if let Some(bytes) = vocabulary.bytes(token)
                    && vocabulary.is_fillable(token)
                    && bytes.len() <= LONGEST
                    && bytes.is_ascii()
                {
                    tokens.entry(bytes.to_vec()).or_insert(token);
                }
            }
            self.tokens = Some(tokens);
        }
        self.tokens.as_ref()?.get(text).copied()
    }

    /// The cells of a gap that a part of it is in, and their bytes in the text.
    fn cells(
        &self,
        tokens: &[TokenId],
        start: usize,
        part: Range<usize>,
    ) -> Option<(Range<usize>, Range<usize>)> {
        let mut end = start;
        let spans = tokens.iter().map(|&token| {
            let begin = end;
            let bytes = self.vocabulary().and_then(|all| all.bytes(token));
            end += bytes.map_or(0, <[u8]>::len);
            begin..end
        });
        let is_in = |(_, span): &(usize, Range<usize>)| {
            span.end > part.start && span.start < part.end.max(part.start + 1)
        };
        let inside: Vec<(usize, Range<usize>)> = spans.enumerate().filter(is_in).collect();
        let ((first, begin), (last, end)) = inside.first().zip(inside.last())?;
        Some((*first..last + 1, begin.start..end.end))
    }
}

/// A number in letters: a, b, … z, aa, ab, …
fn letters(mut number: usize) -> String {
    let mut letters = Vec::new();
    while number > 0 {
        number -= 1;
        letters.push(b'a' + (number % 26) as u8);
        number /= 26;
    }
    letters
        .iter()
        .rev()
        .map(|&letter| char::from(letter))
        .collect()
}
