//! The row of cells that a run denoises.

use lacuna_checker::{Filling, Gap, Pattern, Segment, Witness};
use lacuna_lexer::{TokenId, Vocabulary};

/// A fixed row of cells; `None` is a mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canvas {
    cells: Vec<Option<TokenId>>,
}

impl Canvas {
    /// A canvas of masks.
    pub fn masked(length: usize) -> Self {
        Self {
            cells: vec![None; length],
        }
    }

    /// All cells.
    pub fn cells(&self) -> &[Option<TokenId>] {
        &self.cells
    }

    /// The masked cells, in order.
    pub fn masks(&self) -> Vec<usize> {
        (0..self.cells.len())
            .filter(|&cell| self.cells[cell].is_none())
            .collect()
    }

    /// Writes a token into a cell.
    pub(crate) fn set(&mut self, cell: usize, token: Option<TokenId>) {
        self.cells[cell] = token;
    }

    /// Whether the text is complete and ended: an end is committed and no mask
    /// stands before it, or no mask is left at all.
    pub fn is_settled(&self, vocabulary: &Vocabulary) -> bool {
        self.cells
            .iter()
            .map_while(|cell| match cell {
                Some(token) if vocabulary.is_end(*token) => None,
                cell => Some(cell),
            })
            .all(Option::is_some)
    }

    /// The bytes of the text before the first end; masks and special tokens
    /// emit nothing.
    pub fn text(&self, vocabulary: &Vocabulary) -> Vec<u8> {
        self.cells
            .iter()
            .flatten()
            .take_while(|&&token| !vocabulary.is_end(token))
            .flat_map(|&token| vocabulary.bytes(token).unwrap_or_default())
            .copied()
            .collect()
    }

    /// A token for every cell, as a witness of this canvas fills it.
    pub(crate) fn filled(
        &self,
        pattern: &Pattern,
        witness: &Witness,
        vocabulary: &Vocabulary,
    ) -> Vec<TokenId> {
        let gaps = pattern.segments.iter().filter_map(|segment| match segment {
            Segment::Gap(gap) => Some(*gap),
            Segment::Text(_) => None,
        });
        let mut fillings = gaps.zip(&witness.gaps).flat_map(|(gap, filling)| {
            let tokens = match filling {
                Filling::Tokens(tokens) => tokens.clone(),
                Filling::Bytes(_) => Vec::new(),
            };
            let cells = match gap {
                Gap::Cells(cells) | Gap::UpTo(cells) => cells,
                Gap::Any => 0,
            };
            let ends = cells - tokens.len().min(cells);
            tokens
                .into_iter()
                .chain(std::iter::repeat_n(vocabulary.end(), ends))
        });
        self.cells
            .iter()
            .map(|cell| match cell {
                Some(token) => *token,
                // Behind a committed end nothing but ends may stand.
                None => fillings.next().unwrap_or_else(|| vocabulary.end()),
            })
            .collect()
    }
}
