//! An int8 matrix, ordered once, when a model is loaded, so that a product reads it front to
//! back.
//!
//! Layout: `[panel of 32 rows][pair of columns][row in panel][2]`, still one byte a weight.
//! A pair of columns of a few neighbouring rows fills a vector, so the sums of different
//! rows stay in different lanes and are never added across a vector; odd widths cost one
//! zero. Rows that fill up the last panel are zero.

use super::PANEL;

/// A weight matrix ready for [`super::int8::multiply`].
#[derive(Clone, Debug)]
pub struct PackedMatrix {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) panels: Vec<i8>,
    /// Padded with zeros like the rows.
    pub(super) scales: Vec<f32>,
}

impl PackedMatrix {
    /// Packs `rows * cols` weights, row-major, with a scale for each row.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn new(rows: usize, cols: usize, quantized: &[i8], mut scales: Vec<f32>) -> Self {
        assert_eq!(quantized.len(), rows * cols);
        assert_eq!(scales.len(), rows);
        scales.resize(rows.next_multiple_of(PANEL), 0.0);
        let pairs = cols.div_ceil(2);
        let mut panels = vec![0; rows.div_ceil(PANEL) * pairs * PANEL * 2];
        for (row, values) in quantized.chunks_exact(cols.max(1)).enumerate() {
            let (panel, lane) = (row / PANEL * pairs * PANEL * 2, row % PANEL);
            for (col, &value) in values.iter().enumerate() {
                panels[panel + col / 2 * PANEL * 2 + lane * 2 + col % 2] = value;
            }
        }
        Self {
            rows,
            cols,
            panels,
            scales,
        }
    }

    /// Outputs of a product with this matrix.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Inputs of a product with this matrix.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Writes one row, dequantised, to `out`, which has `cols` places.
    pub fn row_into(&self, row: usize, out: &mut [f32]) {
        let ((panel, _), lane) = (self.panel(row / PANEL), row % PANEL);
        for (col, out) in out.iter_mut().enumerate() {
            let value = panel[col / 2 * PANEL * 2 + lane * 2 + col % 2];
            *out = f32::from(value) * self.scales[row];
        }
    }

    /// The weights of one panel, `pairs * PANEL * 2`, and their scales.
    pub(super) fn panel(&self, panel: usize) -> (&[i8], &[f32; PANEL]) {
        let length = self.cols.div_ceil(2) * PANEL * 2;
        let (scales, _) = self.scales.as_chunks();
        (&self.panels[panel * length..][..length], &scales[panel])
    }
}
