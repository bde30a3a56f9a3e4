//! What is checked: text with gaps.

use lacuna_lexer::{TokenId, Vocabulary};

/// How much a gap may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gap {
    /// Any bytes, also none.
    Any,
    /// Exactly this many tokens.
    Cells(usize),
    /// At most this many tokens: the text ends in here, the rest are ends.
    UpTo(usize),
}

/// A piece of a [`Pattern`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// These bytes.
    Text(Vec<u8>),
    /// Something that is not yet decided.
    Gap(Gap),
}

/// A text with gaps, each of a cell at least where cells are counted; [`Gap::UpTo`] stands only
/// at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// The pieces, in order.
    pub segments: Vec<Segment>,
}

impl Pattern {
    /// The pattern of a canvas: masked cells are `None`.
    ///
    /// A committed end forces ends after it: cells behind it must be masked or
    /// ends. Where masked cells reach the end of the canvas, or a committed end,
    /// the text may end in any of them. `None` if no filling can make this
    /// canvas well formed (text after an end, or a special token in it).
    pub fn of_canvas(cells: &[Option<TokenId>], vocabulary: &Vocabulary) -> Option<Self> {
        let is_end = |cell: &Option<TokenId>| cell.is_some_and(|token| vocabulary.is_end(token));
        let text_cells = cells.iter().position(is_end).unwrap_or(cells.len());
        let (text, rest) = cells.split_at(text_cells);
        if rest.iter().any(|cell| cell.is_some() && !is_end(cell)) {
            return None;
        }
        let pieces = text.iter().map(|cell| match cell {
            Some(token) => Some(Segment::Text(vocabulary.bytes(*token)?.to_vec())),
            None => Some(Segment::Gap(Gap::Cells(1))),
        });
        let pieces: Vec<Segment> = pieces.collect::<Option<_>>()?;
        Some(Self::with_open_tail(pieces.into_iter()))
    }

    /// The pattern of these segments: empty text and gaps of no cells are dropped, neighbouring
    /// pieces of a kind become one, and a gap of so many cells at the end is an open
    /// tail.
    pub fn with_open_tail(pieces: impl Iterator<Item = Segment>) -> Self {
        let mut segments: Vec<Segment> = Vec::new();
        for piece in pieces {
            match (segments.last_mut(), piece) {
                (_, Segment::Text(bytes)) if bytes.is_empty() => {}
                (_, Segment::Gap(Gap::Cells(0) | Gap::UpTo(0))) => {}
                (Some(Segment::Text(text)), Segment::Text(bytes)) => text.extend(bytes),
                (Some(Segment::Gap(Gap::Any)), Segment::Gap(Gap::Any)) => {}
                (Some(Segment::Gap(Gap::Cells(cells))), Segment::Gap(Gap::Cells(more))) => {
                    *cells = cells.saturating_add(more);
                }
                (_, piece) => segments.push(piece),
            }
        }
        if let Some(Segment::Gap(gap)) = segments.last_mut()
            && let Gap::Cells(cells) = *gap
        {
            *gap = Gap::UpTo(cells);
        }
        Self { segments }
    }

    /// The same with other gaps.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn with_gaps(&self, mut other: impl FnMut(Gap) -> Gap) -> Self {
        let segments = self.segments.iter().map(|segment| match segment {
            Segment::Text(bytes) => Segment::Text(bytes.clone()),
            Segment::Gap(gap) => Segment::Gap(other(*gap)),
        });
        Self {
            segments: segments.collect(),
        }
    }

    /// The same with a shorter open tail, whose fillings are fillings of this one too;
    /// `None` if it has no longer one.
    pub(crate) fn with_tail_up_to(&self, cells: usize) -> Option<Self> {
        let (last, rest) = self.segments.split_last()?;
        let is_longer = matches!(last, Segment::Gap(Gap::UpTo(more)) if *more > cells);
        is_longer.then(|| {
            let tail = Segment::Gap(Gap::UpTo(cells));
            let segments = rest.iter().cloned().chain([tail]).collect();
            Self { segments }
        })
    }

    /// The same with cells in place of any length, as many as `cells` says for each segment, and up
    /// to so many for an open end: its fillings, spelled, are fillings of this one.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn with_cells(&self, cells: impl Fn(usize) -> usize) -> Self {
        let last = self.segments.len().saturating_sub(1);
        let counted = |(at, segment): (usize, &Segment)| match segment {
            Segment::Gap(Gap::Any) if at == last => Segment::Gap(Gap::UpTo(cells(at))),
            Segment::Gap(Gap::Any) => Segment::Gap(Gap::Cells(cells(at))),
            other => other.clone(),
        };
        Self {
            segments: self.segments.iter().enumerate().map(counted).collect(),
        }
    }

    /// Whether every gap counts cells, so that a vocabulary is needed.
    pub fn counts_cells(&self) -> bool {
        self.segments
            .iter()
            .any(|segment| matches!(segment, Segment::Gap(Gap::Cells(_) | Gap::UpTo(_))))
    }
}
