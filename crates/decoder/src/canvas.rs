//! The row of cells that a run denoises.

use std::ops::Range;

use lacuna_lexer::{TokenId, Vocabulary};

/// A position of the canvas: a token, or a mask.
pub type Cell = Option<TokenId>;

/// A fixed row of cells; `None` is a mask.
///
/// It may be divided into *regions*, each with a text of its own: an end of text ends
/// its region, and the texts of all regions are the text of the canvas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canvas {
    cells: Vec<Cell>,
    regions: Vec<Range<usize>>,
}

impl Canvas {
    /// A canvas of masks.
    pub fn masked(length: usize) -> Self {
        Self::new(vec![None; length])
    }

    /// A canvas with some cells filled for good.
    pub fn new(cells: Vec<Cell>) -> Self {
        Self {
            regions: std::iter::once(0..cells.len()).collect(),
            cells,
        }
    }

    /// Canvases one after another, each a region.
    pub fn joined(parts: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        let (mut cells, mut regions) = (Vec::new(), Vec::new());
        for part in parts {
            regions.push(cells.len()..cells.len() + part.len());
            cells.extend(part);
        }
        Self { cells, regions }
    }

    /// All cells.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The regions, in order.
    pub fn regions(&self) -> &[Range<usize>] {
        &self.regions
    }

    /// The masked cells, in order.
    pub fn masks(&self) -> Vec<usize> {
        self.masks_in(0..self.cells.len())
    }

    /// The masked cells of a range, in order.
    pub(crate) fn masks_in(&self, mut range: Range<usize>) -> Vec<usize> {
        range.end = range.end.min(self.cells.len());
        range.filter(|&cell| self.cells[cell].is_none()).collect()
    }

    /// Writes a token into a cell.
    pub(crate) fn set(&mut self, cell: usize, token: Cell) {
        self.cells[cell] = token;
    }

    /// Whether the text is complete and ended: in every region an end is committed and
    /// no mask stands before it, or no mask is left at all.
    pub fn is_settled(&self, vocabulary: &Vocabulary) -> bool {
        self.regions.iter().all(|region| {
            let mut text = self.before_end(region, vocabulary);
            text.all(|cell| cell.is_some())
        })
    }

    /// The bytes of the text before the first end of each region; masks and special
    /// tokens emit nothing.
    pub fn text(&self, vocabulary: &Vocabulary) -> Vec<u8> {
        let regions = self.regions.iter();
        regions
            .flat_map(|region| self.before_end(region, vocabulary))
            .flatten()
            .flat_map(|token| vocabulary.bytes(token).unwrap_or_default())
            .copied()
            .collect()
    }

    /// The cells that stand behind a committed end of their region.
    pub(crate) fn behind_ends(&self, vocabulary: &Vocabulary) -> Vec<bool> {
        let mut behind = vec![false; self.cells.len()];
        for region in &self.regions {
            let before = self.before_end(region, vocabulary).count();
            behind[(region.start + before).min(region.end)..region.end].fill(true);
        }
        behind
    }

    fn before_end<'a>(
        &'a self,
        region: &Range<usize>,
        vocabulary: &'a Vocabulary,
    ) -> impl Iterator<Item = Cell> + 'a {
        let cells = self.cells.get(region.clone()).unwrap_or_default();
        let is_end = |cell: &Cell| cell.is_some_and(|token| vocabulary.is_end(token));
        cells.iter().take_while(move |cell| !is_end(cell)).copied()
    }
}
