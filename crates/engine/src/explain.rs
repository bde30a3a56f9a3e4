//! Why a text with gaps cannot be completed: where it breaks, and what could have stood
//! there.
//!
//! The beginning of a text, with anything after it, is completable as long as nothing in
//! it is wrong, and never again behind the first thing that is. So the break is found by
//! bisection over the characters of the fragments, in a logarithm of checks; what could
//! have stood there, by a check for each character of ASCII. Gaps before the break have
//! any length here; a text that breaks nowhere then is one whose gaps have too few cells,
//! or too many.

#[cfg(feature = "shortcuts")]
use std::sync::Arc;

#[cfg(feature = "shortcuts")]
use lacuna_checker::{Judge, Judgement};
use serde::Serialize;

use crate::{Fault, GrammarSession};

/// Why a text with gaps cannot be completed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Explanation {
    /// It can be completed.
    Completable {
        /// A completed text.
        witness: String,
    },
    /// No text belongs to the grammar.
    Empty,
    /// It could be, if gaps had other numbers of cells.
    Cells {
        /// A text with gaps of other lengths.
        witness: String,
    },
    /// The grammar, which admits more than is valid, has this text, and the schema's keywords
    /// refuse it.
    #[cfg(feature = "shortcuts")]
    Invalid {
        /// A part of it that is equal to one before it and must not be, if it is that.
        #[serde(skip_serializing_if = "Option::is_none")]
        repeats: Option<Repeat>,
    },
    /// A fragment has something in it that cannot stand there.
    Breaks {
        /// The segment that breaks, from 0.
        segment: usize,
        /// How many of its bytes are well.
        offset: usize,
        /// The character that cannot stand there; at the end of the text, none.
        #[serde(skip_serializing_if = "Option::is_none")]
        found: Option<String>,
        /// The characters of ASCII that could.
        expected: String,
        /// Whether characters beyond ASCII could.
        others: bool,
        /// Whether the text could end there.
        end: bool,
        /// A text that begins as this one does before the break.
        witness: String,
    },
}

/// A part of a text that is equal to one before it.
#[cfg(feature = "shortcuts")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Repeat {
    /// The segment in which it begins, from 0.
    pub segment: usize,
    /// Where in it, in bytes.
    pub offset: usize,
    /// The part.
    pub text: String,
}

/// A place between two characters of a segment.
#[derive(Clone, Copy)]
struct Cut {
    segment: usize,
    offset: usize,
}

type Segments<'a> = &'a [Option<Vec<u8>>];

/// Bytes that begin characters beyond ASCII.
const LEADS: std::ops::RangeInclusive<u8> = 0xC2..=0xF4;

impl GrammarSession {
    /// Why a text with gaps cannot be completed; segments and gaps are those of
    /// [`check`](Self::check).
    ///
    /// # Errors
    /// As of `check`.
    pub fn explain(
        &mut self,
        segments: Segments<'_>,
        gaps: Option<&[usize]>,
    ) -> Result<Explanation, Fault> {
        if let Some(witness) = self.check(segments, gaps)?.witness {
            let witness = readable(&witness);
            return Ok(Explanation::Completable { witness });
        }
        #[cfg(feature = "shortcuts")]
        if let Some(judge) = self.set_judge(None) {
            let explained = self.explain(segments, gaps);
            self.set_judge(Some(Arc::clone(&judge)));
            return self.explain_judged(segments, explained?, &*judge);
        }
        if gaps.is_some()
            && let Some(witness) = self.check(segments, None)?.witness
        {
            let witness = readable(&witness);
            return Ok(Explanation::Cells { witness });
        }
        let cuts = cuts(segments);
        // The last cut that is known to be well, and the first that is known not to be.
        let (mut well, mut broken) = (0, cuts.len());
        let mut witness = match self.begins(segments, cuts[0])? {
            Some(witness) => witness,
            None => return Ok(Explanation::Empty),
        };
        while broken - well > 1 {
            let middle = well + (broken - well) / 2;
            match self.begins(segments, cuts[middle])? {
                Some(found) => (well, witness) = (middle, found),
                None => broken = middle,
            }
        }
        let at = cuts[well];
        let found = cuts.get(broken).map(|&next| character(segments, at, next));
        let before = beginning(segments, at);
        let mut could = |continued: &[u8], more: bool| -> Result<bool, Fault> {
            let mut tried = before.clone();
            tried.push(Some(continued.to_vec()));
            tried.extend(more.then_some(None));
            Ok(self.check(&tried, None)?.completable)
        };
        let mut expected = String::new();
        for byte in 0..0x80u8 {
            if could(&[byte], true)? {
                expected.push(char::from(byte));
            }
        }
        let mut others = false;
        for lead in LEADS {
            others = others || could(&[lead], true)?;
        }
        // Where the break begins a segment, it is that segment's.
        let place = match found {
            Some(_) => cuts[broken],
            None => at,
        };
        Ok(Explanation::Breaks {
            segment: place.segment,
            offset: match place.segment == at.segment {
                true => at.offset,
                false => 0,
            },
            found,
            expected,
            others,
            end: could(&[], false)?,
            witness: readable(&witness),
        })
    }

    /// What remains of an explanation under a grammar that admits more, where it does not say why.
    #[cfg(feature = "shortcuts")]
    fn explain_judged(
        &mut self,
        segments: Segments<'_>,
        explained: Explanation,
        judge: &dyn Judge,
    ) -> Result<Explanation, Fault> {
        match explained {
            Explanation::Cells { .. } => Ok(match self.check(segments, None)?.witness {
                Some(witness) => Explanation::Cells {
                    witness: readable(&witness),
                },
                None => Explanation::Invalid { repeats: None },
            }),
            Explanation::Completable { .. } => {
                let text: Vec<u8> = segments.iter().flatten().flatten().copied().collect();
                let faults = match judge.judge(&text) {
                    Judgement::Refused { faults } => faults,
                    Judgement::Accepted | Judgement::Unknown => Vec::new(),
                };
                let item = faults.into_iter().next().map(|[item, _]| item);
                let repeats = item.and_then(|item| {
                    let (mut segment, mut offset) = (0, item.start);
                    while offset >= segments.get(segment)?.as_ref().map_or(0, Vec::len) {
                        offset -= segments[segment].as_ref().map_or(0, Vec::len);
                        segment += 1;
                    }
                    let text = readable(text.get(item)?);
                    Some(Repeat {
                        segment,
                        offset,
                        text,
                    })
                });
                Ok(Explanation::Invalid { repeats })
            }
            other => Ok(other),
        }
    }

    /// A text that begins as this one does up to a cut, if there is one.
    fn begins(&mut self, segments: Segments<'_>, at: Cut) -> Result<Option<Vec<u8>>, Fault> {
        let mut tried = beginning(segments, at);
        tried.push(None);
        Ok(self.check(&tried, None)?.witness)
    }
}

/// The cut before everything, and those behind each character.
fn cuts(segments: Segments<'_>) -> Vec<Cut> {
    let mut cuts = vec![Cut {
        segment: 0,
        offset: 0,
    }];
    for (segment, text) in segments.iter().enumerate() {
        let text = text.as_deref().unwrap_or_default();
        let ends = (1..=text.len()).filter(|&at| text.get(at).is_none_or(|&b| b & 0xC0 != 0x80));
        cuts.extend(ends.map(|offset| Cut { segment, offset }));
    }
    cuts
}

/// What stands before a cut.
fn beginning(segments: Segments<'_>, at: Cut) -> Vec<Option<Vec<u8>>> {
    let mut before = segments.get(..at.segment).unwrap_or_default().to_vec();
    if let Some(Some(text)) = segments.get(at.segment) {
        before.push(Some(text.get(..at.offset).unwrap_or_default().to_vec()));
    }
    before
}

/// What stands between two cuts that follow each other.
fn character(segments: Segments<'_>, from: Cut, to: Cut) -> String {
    let start = match from.segment == to.segment {
        true => from.offset,
        false => 0,
    };
    let text = segments.get(to.segment).and_then(Option::as_deref);
    readable(
        text.and_then(|text| text.get(start..to.offset))
            .unwrap_or_default(),
    )
}

fn readable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
