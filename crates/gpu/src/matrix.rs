//! Weight matrices on the card: stacked, padded, and split where a binding could not hold them.
//!
//! Matrices with the same input are stacked into one, so that they are one product: queries,
//! keys and values; gate and up. A matrix keeps the format of its file; a stack of different
//! formats becomes floats, and so does an int4 matrix whose columns have to be spread (its
//! groups are of neighbours).

use crate::buffer::GpuBuffer;
use crate::device::{GpuDevice, GpuLimits};
use crate::error::GpuError;
use crate::kernel::{Format, SLICE};
use lacuna_model::weights::{Linear, Matrix, MatrixValues};
use std::ops::Range;

/// A matrix on the card.
pub(crate) struct CardMatrix {
    pub(crate) parts: Vec<Part>,
    /// Outputs; of gate and up together, half the rows.
    pub(crate) outputs: usize,
    /// Inputs with their padding.
    pub(crate) depth: usize,
}

/// Rows of a matrix that one binding holds.
pub(crate) struct Part {
    pub(crate) outputs: Range<usize>,
    pub(crate) format: Format,
    pub(crate) weight: GpuBuffer,
    pub(crate) scale: GpuBuffer,
    pub(crate) bias: GpuBuffer,
}

/// A matrix that is about to be uploaded, as a list of where its rows come from.
pub(crate) struct Stack<'a> {
    sources: Vec<Source<'a>>,
    /// Source and row there; none for a row of zeros.
    rows: Vec<Option<(usize, usize)>>,
    /// Where each column comes from, if not from the same place.
    columns: Option<Vec<Option<usize>>>,
    /// The second half of the rows belongs to the first, row by row.
    paired: bool,
}

#[derive(Clone, Copy)]
struct Source<'a> {
    weight: &'a Matrix,
    bias: Option<&'a [f32]>,
}

impl<'a> From<&'a Linear> for Source<'a> {
    fn from(linear: &'a Linear) -> Self {
        Self {
            weight: &linear.weight,
            bias: linear.bias.as_deref(),
        }
    }
}

impl<'a> Stack<'a> {
    /// All rows of one matrix.
    pub(crate) fn of(linear: &'a Linear) -> Self {
        Self::stacked(vec![linear.into()], false)
    }

    /// All rows of an embedding.
    pub(crate) fn of_matrix(weight: &'a Matrix) -> Self {
        Self::stacked(vec![Source { weight, bias: None }], false)
    }

    /// Two matrices of which equal rows are wanted together.
    pub(crate) fn pair(first: &'a Linear, second: &'a Linear) -> Self {
        Self::stacked(vec![first.into(), second.into()], true)
    }

    fn stacked(sources: Vec<Source<'a>>, paired: bool) -> Self {
        let rows = sources
            .iter()
            .enumerate()
            .flat_map(|(at, source)| (0..source.weight.rows).map(move |row| Some((at, row))));
        Self {
            rows: rows.collect(),
            sources,
            columns: None,
            paired,
        }
    }

    /// Matrices whose rows are heads of `width`, each of which is to take `stride` rows.
    pub(crate) fn of_heads(sources: &[&'a Linear], width: usize, stride: usize) -> Self {
        let sources = sources.iter().map(|&linear| linear.into()).collect();
        let mut stack = Self::stacked(sources, false);
        stack.rows = spread(&stack.rows, width, stride);
        stack
    }

    /// Spreads the columns as [`Stack::of_heads`] does with rows.
    pub(crate) fn with_columns_of_heads(mut self, width: usize, stride: usize) -> Self {
        if width != stride {
            let columns: Vec<_> = (0..self.inputs()).map(Some).collect();
            self.columns = Some(spread(&columns, width, stride));
        }
        self
    }

    fn inputs(&self) -> usize {
        self.sources[0].weight.cols
    }

    /// What the matrix will be stored as.
    fn format(&self) -> Format {
        let formats = self.sources.iter().map(|source| format_of(source.weight));
        let same = formats.reduce(|a, b| if a == b { a } else { Format::Float });
        match same.unwrap_or(Format::Float) {
            Format::Int4 if self.columns.is_some() => Format::Float,
            format => format,
        }
    }

    fn depth(&self) -> usize {
        let columns = self.columns.as_ref().map_or(self.inputs(), Vec::len);
        columns.next_multiple_of(SLICE)
    }

    fn outputs(&self) -> usize {
        match self.paired {
            true => self.rows.len() / 2,
            false => self.rows.len(),
        }
    }

    /// Uploads it.
    pub(crate) async fn upload(
        self,
        device: &GpuDevice,
        label: &str,
    ) -> Result<CardMatrix, GpuError> {
        let (format, depth, outputs) = (self.format(), self.depth(), self.outputs());
        let limits = &device.info().limits;
        let mut uploaded = Vec::new();
        for range in parts(limits, format, depth, outputs, self.paired, label)? {
            let mut rows = self.rows[range.clone()].to_vec();
            if self.paired {
                rows.extend(&self.rows[outputs + range.start..outputs + range.end]);
            }
            let (weight, scale, bias) = self.pack(&rows, format, depth);
            uploaded.push(Part {
                outputs: range,
                format,
                weight: GpuBuffer::with_contents(device, label, &weight).await?,
                scale: GpuBuffer::with_contents(device, label, &scale).await?,
                bias: GpuBuffer::with_contents(device, label, &bias).await?,
            });
        }
        Ok(CardMatrix {
            parts: uploaded,
            outputs,
            depth,
        })
    }

    /// The bytes of weights, scales and biases.
    fn pack(
        &self,
        rows: &[Option<(usize, usize)>],
        format: Format,
        depth: usize,
    ) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let mut weight = Vec::with_capacity(rows.len() * format.row_bytes(depth));
        let mut scale = Vec::with_capacity(rows.len() * format.scale_bytes(depth));
        let mut bias = Vec::with_capacity(4 * rows.len());
        let mut floats = vec![0.0; self.inputs()];
        for row in rows {
            let end = weight.len() + format.row_bytes(depth);
            let source = row.map(|(source, row)| (self.sources[source], row));
            if let Some((linear, row)) = source {
                let cols = linear.weight.cols;
                let range = row * cols..(row + 1) * cols;
                match (&linear.weight.values, format) {
                    (MatrixValues::Int8 { quantized, .. }, Format::Int8) => {
                        let row = &quantized[range];
                        match &self.columns {
                            None => weight.extend(row.iter().map(|&q| q as u8)),
                            Some(columns) => weight.extend(
                                columns
                                    .iter()
                                    .map(|column| column.map_or(0, |c| row[c] as u8)),
                            ),
                        }
                    }
                    (MatrixValues::Int4 { packed, .. }, Format::Int4) => {
                        weight.extend_from_slice(&packed[range.start / 2..range.end / 2]);
                    }
                    _ => {
                        linear.weight.row_into(row, &mut floats);
                        let columns = self.columns.as_ref();
                        let values = (0..columns.map_or(cols, Vec::len)).map(|column| {
                            let from = columns.map_or(Some(column), |columns| columns[column]);
                            from.map_or(0.0, |from| floats[from])
                        });
                        weight.extend(values.flat_map(f32::to_le_bytes));
                    }
                }
            }
            weight.resize(end, 0);
            self.pack_scale(source, format, depth, &mut scale);
            let value = source.and_then(|(source, row)| Some(source.bias?[row]));
            bias.extend(value.unwrap_or(0.0).to_le_bytes());
        }
        (weight, scale, bias)
    }

    fn pack_scale(
        &self,
        source: Option<(Source<'_>, usize)>,
        format: Format,
        depth: usize,
        out: &mut Vec<u8>,
    ) {
        let end = out.len() + format.scale_bytes(depth);
        if let Some((linear, row)) = source {
            match (&linear.weight.values, format) {
                (MatrixValues::Int8 { scales, .. }, Format::Int8) => {
                    out.extend(scales[row].to_le_bytes());
                }
                (MatrixValues::Int4 { scales, minima, .. }, Format::Int4) => {
                    let groups = depth / 32;
                    let range = row * groups..(row + 1) * groups;
                    for (scale, minimum) in scales[range.clone()].iter().zip(&minima[range]) {
                        out.extend(scale.to_le_bytes());
                        out.extend(minimum.to_le_bytes());
                    }
                }
                _ => {}
            }
        }
        out.resize(end, 0);
    }
}

/// The format of a matrix's file.
pub(crate) fn format_of(matrix: &Matrix) -> Format {
    match matrix.values {
        MatrixValues::Int8 { .. } => Format::Int8,
        MatrixValues::Int4 { .. } => Format::Int4,
        MatrixValues::Float(_) => Format::Float,
    }
}

/// The outputs, as many at a time as one binding holds.
pub(crate) fn parts(
    limits: &GpuLimits,
    format: Format,
    depth: usize,
    outputs: usize,
    paired: bool,
    label: &str,
) -> Result<Vec<Range<usize>>, GpuError> {
    let row = format.row_bytes(depth).max(format.scale_bytes(depth));
    let output = row * if paired { 2 } else { 1 };
    let allowed = limits.binding.min(limits.buffer);
    match (allowed / output as u64) as usize {
        0 => Err(GpuError::TooLarge {
            what: format!("one row of {label} (in bytes)"),
            needed: output as u64,
            allowed,
        }),
        each => Ok((0..outputs)
            .step_by(each)
            .map(|start| start..(start + each).min(outputs))
            .collect()),
    }
}

/// Groups of `width`, each filled up to `stride`.
fn spread<T: Copy>(items: &[Option<T>], width: usize, stride: usize) -> Vec<Option<T>> {
    items
        .chunks(width)
        .flat_map(|group| {
            let padding = std::iter::repeat_n(None, stride - width);
            group.iter().copied().chain(padding)
        })
        .collect()
}
