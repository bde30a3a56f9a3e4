//! Templates: text that stays, with gaps of so many cells.
//!
//! `<mask:4>` is a gap of four cells, `<mask:2-6>` one of two to six; anything else is
//! text. A canvas has gaps of known lengths, so one of several lengths stands for
//! several canvases ([`Template::lengths`]), of which one is chosen before the run.

use std::ops::RangeInclusive;

/// Text that stays, with gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a [`Template`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text that stays as it is.
    Text(String),
    /// A gap of so many cells.
    Gap(RangeInclusive<usize>),
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A gap that cannot be read.
    #[error("byte {at}: {text:?} is no gap; write <mask:4> or <mask:2-6>")]
    Gap {
        /// Byte offset into the template.
        at: usize,
        /// What stands there.
        text: String,
    },
    /// No gap at all.
    #[error("the template has no gap; write <mask:4> or <mask:2-6>")]
    NoGap,
    /// A gap of no length at all.
    #[error("a gap is to have at least {least} cells and at most {most}")]
    NoLength {
        /// The least number of cells.
        least: usize,
        /// The most.
        most: usize,
    },
    /// Gaps that together may have too many lengths.
    #[error("the gaps may have {found} different lengths together; at most {most} are tried")]
    TooMany {
        /// Combinations of lengths.
        found: usize,
        /// The limit in force.
        most: usize,
    },
}

const OPEN: &str = "<mask:";

impl Template {
    /// Reads a template.
    ///
    /// ```
    /// use lacuna_decoder::{Piece, Template};
    /// let template = Template::parse("{\"id\": <mask:1-3>}").unwrap();
    /// assert_eq!(template.pieces[1], Piece::Gap(1..=3));
    /// ```
    ///
    /// # Errors
    /// When a gap cannot be read, or there is none.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find(OPEN) {
            if start > 0 {
                pieces.push(Piece::Text(rest[..start].to_owned()));
            }
            let at = text.len() - rest.len() + start;
            let inside = &rest[start + OPEN.len()..];
            let end = inside.find('>').unwrap_or(inside.len());
            let gap = lengths(&inside[..end]).filter(|_| end < inside.len());
            pieces.push(Piece::Gap(gap.ok_or_else(|| {
                let shown = rest[start..].chars().take(OPEN.len() + 12);
                TemplateError::Gap {
                    at,
                    text: shown.collect(),
                }
            })?));
            rest = &inside[end + 1..];
        }
        if pieces.is_empty() {
            return Err(TemplateError::NoGap);
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self { pieces })
    }

    /// Every combination of lengths that the gaps may have, shorter first gaps first.
    ///
    /// # Errors
    /// When there are more than `most`, or a gap has none.
    pub fn lengths(&self, most: usize) -> Result<Vec<Vec<usize>>, TemplateError> {
        let gaps = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Gap(lengths) => Some(lengths.clone()),
            Piece::Text(_) => None,
        });
        if let Some(none) = gaps.clone().find(RangeInclusive::is_empty) {
            let (least, most) = none.into_inner();
            return Err(TemplateError::NoLength { least, most });
        }
        let sizes = gaps
            .clone()
            .map(|gap| gap.end().saturating_sub(*gap.start()).saturating_add(1));
        let found = sizes.fold(1usize, usize::saturating_mul);
        if found > most {
            return Err(TemplateError::TooMany { found, most });
        }
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for gap in gaps {
            let longer = |lengths: &Vec<usize>| {
                let more = gap.clone().map(|length| [&lengths[..], &[length]].concat());
                more.collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        Ok(all)
    }
}

fn lengths(text: &str) -> Option<RangeInclusive<usize>> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| digits)
    };
    match text.split_once('-') {
        Some((least, most)) => {
            let (least, most) = (number(least)?, number(most)?);
            (least <= most).then_some(least..=most)
        }
        None => number(text).map(|cells| cells..=cells),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_gaps_alternate_as_written() {
        let read = Template::parse("<mask:2>a<b><mask:0-3><mask:1>é").expect("a template");
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(
            read.pieces,
            [
                Piece::Gap(2..=2),
                text("a<b>"),
                Piece::Gap(0..=3),
                Piece::Gap(1..=1),
                text("é"),
            ]
        );
        let lengths = read.lengths(4).expect("four");
        assert_eq!(lengths, [[2, 0, 1], [2, 1, 1], [2, 2, 1], [2, 3, 1]]);
        let many = TemplateError::TooMany { found: 4, most: 3 };
        assert_eq!(read.lengths(3), Err(many));
    }

    #[test]
    fn a_gap_has_some_length() {
        let pieces = vec![Piece::Gap(1..=1), Piece::Gap(RangeInclusive::new(3, 2))];
        let none = TemplateError::NoLength { least: 3, most: 2 };
        assert_eq!(Template { pieces }.lengths(9), Err(none));
    }

    #[test]
    fn what_is_no_gap_is_said_with_its_place() {
        for text in [
            "<mask:>",
            "<mask:x>",
            "<mask:5-2>",
            "<mask:+1>",
            "<mask:4",
            "<mask:1-2-3>",
        ] {
            let error = Template::parse(&format!("é{text}")).expect_err(text);
            let TemplateError::Gap { at, .. } = error else {
                panic!("{error}")
            };
            assert_eq!(at, 2, "{text}");
        }
        assert_eq!(Template::parse("<mask>"), Err(TemplateError::NoGap));
        let huge = Template::parse("<mask:0-99999999999999999999>");
        assert!(huge.is_err());
    }
}
