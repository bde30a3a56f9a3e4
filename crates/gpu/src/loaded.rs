//! A model on the card, and the dispatches that one step of it takes.

use crate::device::{GpuDevice, GpuLimits};
use crate::error::GpuError;
use crate::kernel::{AttendBlock, Epilogue, Precision};
use crate::layout::Layout;
use crate::model::CardWeights;
use crate::recorder::Recorder;
use crate::stages::{Ask, Product, Rows, Stages};
use crate::tile::TileChoice;
use crate::workspace::Workspace;
use lacuna_model::{StepRequest, Weights};
use std::ops::Range;

/// Threads that summarise a row, where the adapter allows as many.
const SUMMARY_THREADS: u32 = 256;

/// Subgroups of fewer threads leave so many candidates to be compared that a tree of barriers is
/// as good; and Mesa's software driver, whose subgroups have eight, ends all loops of a thread
/// after 65,535 turns.
const LEAST_SUBGROUP: u32 = 16;

/// What does not change between steps.
pub(crate) struct Loaded {
    pub(crate) layout: Layout,
    pub(crate) weights: CardWeights,
    pub(crate) precision: Precision,
    pub(crate) tiles: TileChoice,
    block: AttendBlock,
    summary_threads: u32,
    subgroups: bool,
}

impl Loaded {
    pub(crate) async fn new(
        device: &GpuDevice,
        weights: &Weights,
        precision: Precision,
    ) -> Result<Self, GpuError> {
        let layout = Layout::new(&weights.config);
        let limits = &device.info().limits;
        let block = block(&layout, limits.workgroup_bytes, precision)?;
        let most = limits.threads.clamp(1, SUMMARY_THREADS);
        Ok(Self {
            weights: CardWeights::upload(device, &layout, weights).await?,
            precision,
            tiles: TileChoice::new(limits),
            block,
            summary_threads: 1 << most.ilog2(),
            subgroups: device.info().subgroups && device.info().subgroup_size >= LEAST_SUBGROUP,
            layout,
        })
    }

    /// The same weights, with other activations from now on.
    pub(crate) fn set_precision(
        &mut self,
        limits: &GpuLimits,
        precision: Precision,
    ) -> Result<(), GpuError> {
        self.block = block(&self.layout, limits.workgroup_bytes, precision)?;
        self.precision = precision;
        Ok(())
    }

    pub(crate) fn stages(&self) -> Stages<'_> {
        Stages {
            layout: &self.layout,
            precision: self.precision,
            tiles: &self.tiles,
            block: self.block,
            summary_threads: self.summary_threads,
            subgroups: self.subgroups,
        }
    }

    /// All dispatches of a step, recorded.
    pub(crate) fn recorded<'a>(
        &'a self,
        device: &'a GpuDevice,
        workspace: &'a Workspace,
        request: &StepRequest<'_>,
    ) -> Result<Recorder<'a>, GpuError> {
        let computed = request.input().computed(&self.layout.config);
        let top = request.top.min(self.layout.config.vocab_size);
        let mut recorder = Recorder::new(device);
        self.record(workspace, request, (computed, top), &mut recorder)?;
        Ok(recorder)
    }

    /// All dispatches of a step that computes the rows at `computed`.
    pub(crate) fn record<'a>(
        &'a self,
        workspace: &'a Workspace,
        request: &StepRequest<'_>,
        (computed, top): (Range<usize>, usize),
        recorder: &mut Recorder<'a>,
    ) -> Result<(), GpuError> {
        let (layout, stages) = (&self.layout, self.stages());
        let (length, wanted) = (request.ids.len(), request.rows.len());
        let x = Rows::new(&workspace.x, computed.len(), layout.hidden_stride);
        let picked_x = Rows::new(&workspace.picked_x, wanted, layout.hidden_stride);
        let picked_queries = Rows::new(&workspace.picked_queries, wanted, layout.query_columns);
        let all_columns = 0..layout.heads_stride();
        let query_columns = 0..layout.query_columns;
        let pair_columns = layout.query_columns..layout.heads_stride();
        let query_heads = layout.config.num_attention_heads;
        let turned_heads = 0..query_heads + layout.config.num_key_value_heads;
        let positions = &workspace.positions;
        let behind_identity = workspace.room.length;
        let own = (positions, computed.start);
        let turns = &workspace.turns;

        stages.embed(recorder, &self.weights.embedding, &workspace.ids, x)?;
        let last = self.weights.layers.len() - 1;
        for (index, layer) in self.weights.layers.iter().enumerate() {
            let kept = request.kept.and_then(|_| workspace.kept.get(index));
            let all_heads = Rows {
                buffer: kept.unwrap_or(&workspace.heads),
                first: 0,
                count: length,
                stride: layout.heads_stride(),
            };
            let heads = Rows {
                first: computed.start,
                count: computed.len(),
                ..all_heads
            };
            let into_heads = |input, outputs, result| Product {
                input,
                norm: Some(&layer.input_norm),
                matrix: &layer.heads,
                outputs,
                epilogue: Epilogue::Set,
                result,
            };
            let norms = &layer.head_norms;
            // From here on the last block computes what is wanted only.
            let (x, queries) = match index == last {
                false => {
                    stages.project(recorder, &into_heads(x, all_columns.clone(), heads))?;
                    let which = turned_heads.clone();
                    stages.rotate(recorder, own, turns, norms, which, heads)?;
                    (x, heads)
                }
                true => {
                    let from = (x.buffer, computed.start);
                    stages.gather(recorder, (positions, behind_identity), from, picked_x)?;
                    stages.project(recorder, &into_heads(x, pair_columns.clone(), heads))?;
                    let queries = into_heads(picked_x, query_columns.clone(), picked_queries);
                    stages.project(recorder, &queries)?;
                    let (keys, wanted) =
                        (query_heads..turned_heads.end, (positions, behind_identity));
                    stages.rotate(recorder, own, turns, norms, keys, heads)?;
                    let which = 0..query_heads;
                    stages.rotate(recorder, wanted, turns, norms, which, picked_queries)?;
                    (picked_x, picked_queries)
                }
            };
            let mixed = Rows::new(&workspace.mixed, x.count, layout.mixed_stride);
            let inner = Rows::new(&workspace.inner, x.count, layout.inner_stride);
            stages.attend(recorder, queries, all_heads, mixed)?;
            let product = |input, norm, matrix, epilogue, result| Product {
                input,
                norm,
                matrix,
                outputs: 0..matrix.outputs,
                epilogue,
                result,
            };
            stages.project(
                recorder,
                &product(mixed, None, &layer.output, Epilogue::Add, x),
            )?;
            let norm = Some(&layer.inner_norm);
            stages.project(
                recorder,
                &product(x, norm, &layer.inner, Epilogue::SwiGlu, inner),
            )?;
            stages.project(
                recorder,
                &product(inner, None, &layer.down, Epilogue::Add, x),
            )?;
        }

        let ask = Ask {
            top,
            noise: request.noise,
            writable: &workspace.writable,
            allowed: &workspace.writable,
            allowed_stride: 0,
            jobs: &workspace.jobs,
            summaries: &workspace.summaries,
        };
        self.record_head(workspace, picked_x, &ask, recorder)
    }

    /// Logits and their summaries, part by part of the wanted rows.
    fn record_head<'a>(
        &'a self,
        workspace: &'a Workspace,
        x: Rows<'a>,
        ask: &Ask<'a>,
        recorder: &mut Recorder<'a>,
    ) -> Result<(), GpuError> {
        let stages = self.stages();
        let matrix = self.weights.head();
        for (part, logits) in workspace.logits.iter().enumerate() {
            let first = part * workspace.logits_rows;
            let end = x.count.min(first + workspace.logits_rows);
            if first >= end {
                break;
            }
            let head = Product {
                input: Rows {
                    first,
                    count: end - first,
                    ..x
                },
                norm: Some(&self.weights.final_norm),
                matrix,
                outputs: 0..matrix.outputs,
                epilogue: Epilogue::Logits,
                result: Rows::new(logits, end - first, self.layout.config.vocab_size),
            };
            stages.project(recorder, &head)?;
            stages.summarize(recorder, ask, logits, first, first..end)?;
        }
        Ok(())
    }
}

/// The largest block of attention that the workgroup memory has room for.
fn block(layout: &Layout, bytes: u32, precision: Precision) -> Result<AttendBlock, GpuError> {
    let head4 = (layout.head_stride / 4) as u32;
    AttendBlock::largest_within(bytes, head4, precision).ok_or_else(|| GpuError::TooLarge {
        what: "a block of attention (heads in numbers, workgroup memory in bytes)".into(),
        needed: layout.config.head_dim as u64,
        allowed: u64::from(bytes),
    })
}
