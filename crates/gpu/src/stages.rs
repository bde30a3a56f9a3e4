//! The stages of a step as dispatches: which kernel, which shape, which buffers.

use crate::buffer::GpuBuffer;
use crate::error::GpuError;
use crate::kernel::{AttendBlock, Epilogue, Format, Kernel, Precision, Project};
use crate::layout::Layout;
use crate::matrix::CardMatrix;
use crate::recorder::{Cost, Recorder};
use crate::shape::{
    AttendShape, EmbedShape, GatherShape, ProjectShape, RotateShape, SummarizeShape,
};
use crate::tile::{ProductClass, TileChoice};
use lacuna_logits::Noise;
use std::ops::Range;

/// Threads of the kernels that copy.
const COPY_THREADS: usize = crate::kernel::COPY_THREADS as usize;

/// What stages need to know of the model and the card.
pub(crate) struct Stages<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) precision: Precision,
    pub(crate) tiles: &'a TileChoice,
    pub(crate) block: AttendBlock,
    pub(crate) summary_threads: u32,
    pub(crate) subgroups: bool,
}

/// Rows of a buffer, `stride` numbers apart.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) buffer: &'a GpuBuffer,
    /// The first of them.
    pub(crate) first: usize,
    pub(crate) count: usize,
    pub(crate) stride: usize,
}

impl<'a> Rows<'a> {
    /// Rows from the first on.
    pub(crate) fn new(buffer: &'a GpuBuffer, count: usize, stride: usize) -> Self {
        Self {
            buffer,
            first: 0,
            count,
            stride,
        }
    }
}

/// What a matrix product reads, writes, and does with its sums.
pub(crate) struct Product<'a> {
    pub(crate) input: Rows<'a>,
    /// The weight of the norm, where there is one.
    pub(crate) norm: Option<&'a GpuBuffer>,
    pub(crate) matrix: &'a CardMatrix,
    /// Which of the matrix's outputs.
    pub(crate) outputs: Range<usize>,
    pub(crate) epilogue: Epilogue,
    pub(crate) result: Rows<'a>,
}

impl<'a> Stages<'a> {
    /// `x = embedding[ids]`.
    pub(crate) fn embed(
        &self,
        recorder: &mut Recorder<'a>,
        table: &'a CardMatrix,
        ids: &'a GpuBuffer,
        x: Rows<'a>,
    ) -> Result<(), GpuError> {
        for part in &table.parts {
            let shape = EmbedShape {
                first_id: part.outputs.start as u32,
                ids: part.outputs.len() as u32,
                stride: (x.stride / 4) as u32,
                weight_stride: (table.depth / 4) as u32,
            };
            let buffers = [ids, &part.weight, &part.scale, x.buffer];
            let cost = Cost {
                operations: 0,
                bytes: (x.count * (part.format.row_bytes(table.depth) + 4 * x.stride)) as u64,
            };
            let groups = [(x.stride / 4).div_ceil(COPY_THREADS), x.count];
            recorder.add(Kernel::Embed(part.format), shape, &buffers, groups, cost)?;
        }
        Ok(())
    }

    /// `to[row] = from[picked[row] - first_row]`.
    pub(crate) fn gather(
        &self,
        recorder: &mut Recorder<'a>,
        (picked, first_picked): (&'a GpuBuffer, usize),
        (from, first_row): (&'a GpuBuffer, usize),
        to: Rows<'a>,
    ) -> Result<(), GpuError> {
        let shape = GatherShape {
            first_picked: first_picked as u32,
            first_row: first_row as u32,
            stride: (to.stride / 4) as u32,
        };
        let cost = Cost {
            operations: 0,
            bytes: (2 * 4 * to.count * to.stride) as u64,
        };
        let groups = [(to.stride / 4).div_ceil(COPY_THREADS), to.count];
        recorder.add(
            Kernel::Gather,
            shape,
            &[picked, from, to.buffer],
            groups,
            cost,
        )
    }

    /// A matrix product, one dispatch for each part of the matrix.
    pub(crate) fn project(
        &self,
        recorder: &mut Recorder<'a>,
        product: &Product<'a>,
    ) -> Result<(), GpuError> {
        let Product {
            input,
            norm,
            matrix,
            outputs,
            epilogue,
            result,
        } = product;
        for part in &matrix.parts {
            let first = part.outputs.start.max(outputs.start);
            let end = part.outputs.end.min(outputs.end);
            if first >= end {
                continue;
            }
            let columns = end - first;
            let paired = *epilogue == Epilogue::SwiGlu;
            let computed = if paired { 2 * columns } else { columns };
            let class = ProductClass::new(
                [input.count, computed, matrix.depth],
                part.format,
                self.precision,
            );
            let tile = self.tiles.of(class);
            let kernel = Kernel::Project(Project {
                format: part.format,
                tile,
                normed: norm.is_some(),
                epilogue: *epilogue,
                precision: self.precision,
            });
            let shape = ProjectShape {
                rows: input.count as u32,
                first_input_row: input.first as u32,
                first_result_row: result.first as u32,
                columns: columns as u32,
                first_row: (first - part.outputs.start) as u32,
                first_column: first as u32,
                depth: (matrix.depth / 4) as u32,
                input_stride: (input.stride / 4) as u32,
                weight_stride: (matrix.depth / 4) as u32,
                stride: result.stride as u32,
                width: self.layout.config.hidden_size as u32,
                epsilon: self.layout.config.rms_norm_eps,
            };
            let mut buffers = vec![
                input.buffer,
                &part.weight,
                &part.scale,
                &part.bias,
                result.buffer,
            ];
            buffers.extend(norm);
            let groups = [
                computed.div_ceil(tile.columns as usize),
                input.count.div_ceil(tile.rows as usize),
            ];
            let cost = self.cost(part.format, input.count, computed, columns, matrix.depth);
            recorder.add(kernel, shape, &buffers, groups, cost)?;
            recorder.note_class(class);
        }
        Ok(())
    }

    fn cost(
        &self,
        format: Format,
        rows: usize,
        computed: usize,
        columns: usize,
        depth: usize,
    ) -> Cost {
        let weights = computed * (format.row_bytes(depth) + format.scale_bytes(depth));
        let activations = rows * (depth + columns) * self.precision.bytes();
        Cost {
            operations: 2 * (rows * computed) as u64 * depth as u64,
            bytes: (weights + activations) as u64,
        }
    }

    /// Turns heads `which` of the rows, whose positions stand from `first_position` on.
    pub(crate) fn rotate(
        &self,
        recorder: &mut Recorder<'a>,
        (positions, first_position): (&'a GpuBuffer, usize),
        turns: &'a GpuBuffer,
        norms: &'a GpuBuffer,
        which: Range<usize>,
        heads: Rows<'a>,
    ) -> Result<(), GpuError> {
        let config = &self.layout.config;
        let kernel = Kernel::Rotate {
            head_norm: config.qk_norm,
            precision: self.precision,
        };
        let shape = RotateShape {
            first_position: first_position as u32,
            first_row: heads.first as u32,
            first_head: which.start as u32,
            query_heads: config.num_attention_heads as u32,
            head_stride: self.layout.head_stride as u32,
            half_width: (config.head_dim / 2) as u32,
            stride: heads.stride as u32,
            epsilon: config.rms_norm_eps,
        };
        let numbers = heads.count * which.len() * config.head_dim;
        let cost = Cost {
            operations: 3 * numbers as u64,
            bytes: (2 * numbers * self.precision.bytes()) as u64,
        };
        let buffers = [positions, turns, norms, heads.buffer];
        recorder.add(kernel, shape, &buffers, [which.len(), heads.count], cost)
    }

    /// `mixed = softmax(queries keysᵀ) values`, head by head; `pairs` are rows of queries, keys
    /// and values, of which the last two are used.
    pub(crate) fn attend(
        &self,
        recorder: &mut Recorder<'a>,
        queries: Rows<'a>,
        pairs: Rows<'a>,
        mixed: Rows<'a>,
    ) -> Result<(), GpuError> {
        let Layout {
            config,
            head_stride,
            query_columns,
            key_columns,
            ..
        } = self.layout;
        let kernel = Kernel::Attend {
            head4: (head_stride / 4) as u32,
            block: self.block,
            precision: self.precision,
        };
        let shape = AttendShape {
            queries: queries.count as u32,
            first_query_row: queries.first as u32,
            keys: pairs.count as u32,
            query_stride: (queries.stride / 4) as u32,
            pair_stride: (pairs.stride / 4) as u32,
            first_key_column: (query_columns / 4) as u32,
            value_offset: (key_columns / 4) as u32,
            heads_per_pair: (config.num_attention_heads / config.num_key_value_heads) as u32,
            mixed_stride: (mixed.stride / 4) as u32,
            scale: 1.0 / (config.head_dim as f32).sqrt(),
        };
        let blocks = queries.count.div_ceil(self.block.queries as usize);
        let cost = Cost {
            operations: 4 * (queries.count * pairs.count) as u64 * *query_columns as u64,
            bytes: ((2 * queries.count * query_columns + 2 * pairs.count * key_columns)
                * self.precision.bytes()) as u64,
        };
        let buffers = [queries.buffer, pairs.buffer, mixed.buffer];
        recorder.add(
            kernel,
            shape,
            &buffers,
            [blocks, config.num_attention_heads],
            cost,
        )
    }

    /// The summaries of `jobs`, whose rows of logits begin at `first_row` of all.
    pub(crate) fn summarize(
        &self,
        recorder: &mut Recorder<'a>,
        ask: &Ask<'a>,
        logits: &'a GpuBuffer,
        first_row: usize,
        jobs: Range<usize>,
    ) -> Result<(), GpuError> {
        let vocabulary = self.layout.config.vocab_size;
        let kernel = Kernel::Summarize {
            threads: self.summary_threads,
            subgroups: self.subgroups,
        };
        let seed = ask.noise.map_or(0, |noise| noise.seed);
        let shape = SummarizeShape {
            vocabulary: vocabulary as u32,
            top: ask.top as u32,
            first_job: jobs.start as u32,
            first_row: first_row as u32,
            allowed_stride: ask.allowed_stride as u32,
            temperature: ask.noise.map_or(0.0, |noise| noise.temperature),
            seed_low: seed as u32,
            seed_high: (seed >> 32) as u32,
            step: ask.noise.map_or(0, |noise| noise.step),
        };
        let numbers = (jobs.len() * vocabulary) as u64;
        let cost = Cost {
            operations: 8 * numbers,
            bytes: 4 * numbers,
        };
        let buffers = [logits, ask.writable, ask.allowed, ask.jobs, ask.summaries];
        recorder.add(kernel, shape, &buffers, [jobs.len(), 1], cost)
    }
}

/// What is asked of rows of logits.
pub(crate) struct Ask<'a> {
    pub(crate) top: usize,
    pub(crate) noise: Option<Noise>,
    pub(crate) writable: &'a GpuBuffer,
    pub(crate) allowed: &'a GpuBuffer,
    /// Words from one job's allowed tokens to the next, or 0.
    pub(crate) allowed_stride: usize,
    pub(crate) jobs: &'a GpuBuffer,
    pub(crate) summaries: &'a GpuBuffer,
}
