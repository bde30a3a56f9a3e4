//! The forward pass on the card.
//!
//! A step is one submission: ids up, some six dispatches a block, summaries down. In the last
//! block everything behind keys and values is computed for the wanted rows only.
//!
//! Keys and values of an earlier input may stand in for those of most positions, if asked for
//! ([`lacuna_model::kept`]): each block then has a buffer of queries, keys and values of its own,
//! in which a step writes the rows that it computes.
//!
//! Kept from step to step: weights, rotations, buffers, compiled kernels, bind groups. The
//! embedding of a prompt is not kept, since looking it up costs what copying it would.

use crate::buffer::{GpuBuffer, Use};
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::kernel::{Precision, Tile};
use crate::layout::Layout;
use crate::loaded::Loaded;
use crate::memory::{MemoryPlan, StepSize};
use crate::profile::{StepProfile, timed};
use crate::readback::read;
use crate::recorder::{Bindings, Recorder};
use crate::stages::Ask;
use crate::summaries;
use crate::tile::{ProductClass, TileChoice};
use crate::tune::Timed;
use crate::workspace::{Room, Workspace, mask_bytes, summary_words};
use lacuna_logits::{Noise, RowSummary, Scored, TokenSet};
use lacuna_model::kept::{Passes, Stored};
use lacuna_model::{ForwardError, ForwardPass, ModelConfig, Narrow, StepRequest, Weights};
use std::collections::HashMap;
use std::ops::Range;

/// How a model is to run.
#[derive(Clone, Debug, Default)]
pub struct TransformerOptions {
    /// Half precision between the stages, where the adapter has it: half the traffic, and three
    /// digits less.
    pub half: bool,
    /// What [`GpuTransformer::tuning`] said of the same adapter at another time; of no effect
    /// where it was another, or another version of this crate.
    pub tuning: Option<String>,
}

/// A model on a card.
pub struct GpuTransformer {
    device: GpuDevice,
    loaded: Loaded,
    workspace: Option<Workspace>,
    narrowing: Option<Narrowing>,
    bindings: Bindings,
    /// What the kept keys and values are of.
    stored: Stored,
    last: LastStep,
}

/// Buffers of second looks: for so many asks, of so many candidates.
struct Narrowing {
    asks: usize,
    top: usize,
    allowed: GpuBuffer,
    jobs: GpuBuffer,
    summaries: GpuBuffer,
    readback: GpuBuffer,
}

impl Narrowing {
    async fn new(
        device: &GpuDevice,
        layout: &Layout,
        [asks, top]: [usize; 2],
    ) -> Result<Self, GpuError> {
        let storage = |label, bytes| GpuBuffer::storage(device, label, bytes);
        let bytes = 4 * asks * summary_words(top);
        Ok(Self {
            asks,
            top,
            allowed: storage("allowed tokens", asks * mask_bytes(layout)).await?,
            jobs: storage("second looks", 8 * asks).await?,
            summaries: storage("second summaries", bytes).await?,
            readback: GpuBuffer::new(device, "second readback", bytes as u64, Use::Readback)
                .await?,
        })
    }
}

/// What a second look at a step needs.
#[derive(Default)]
struct LastStep {
    rows: Vec<usize>,
    top: usize,
    noise: Option<Noise>,
}

impl GpuTransformer {
    /// Uploads the weights. They can be dropped then.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] and [`GpuError::TooLarge`] where they do not fit; what was
    /// uploaded until then is freed. Other faults of the device.
    pub async fn new(
        device: &GpuDevice,
        weights: &Weights,
        options: &TransformerOptions,
    ) -> Result<Self, GpuError> {
        let precision = match options.half && device.info().f16 {
            true => Precision::Half,
            false => Precision::Single,
        };
        let limits = &device.info().limits;
        let plan = MemoryPlan::for_model(
            &weights.config,
            precision == Precision::Half,
            StepSize {
                length: 1,
                rows: 1,
                top: 1,
                kept: false,
            },
            limits,
        );
        if let Some(available) = device.memory_left() {
            plan.as_ref().map_err(GpuError::clone)?.fits(available)?;
        }
        let loaded = Loaded::new(device, weights, precision).await;
        let planned = || plan.ok().map(|plan| plan.total());
        let mut loaded = loaded.map_err(|error| error.of_a_model(planned))?;
        if let Some(tuning) = &options.tuning {
            loaded.tiles.take_json(tuning, &device.info().key());
        }
        Ok(Self {
            loaded,
            workspace: None,
            narrowing: None,
            bindings: Bindings::default(),
            stored: Stored::default(),
            last: LastStep::default(),
            device: device.clone(),
        })
    }

    /// The device it runs on.
    pub fn device(&self) -> &GpuDevice {
        &self.device
    }

    /// Whether activations are f16.
    pub fn is_half(&self) -> bool {
        self.loaded.precision == Precision::Half
    }

    /// Takes f16 for the activations from now on where the adapter has it, or f32; the weights
    /// stay where they are.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if there is no room for a block of attention; then nothing has
    /// changed.
    pub fn set_half(&mut self, half: bool) -> Result<(), GpuError> {
        let info = self.device.info();
        let precision = match half && info.f16 {
            true => Precision::Half,
            false => Precision::Single,
        };
        if precision != self.loaded.precision {
            self.loaded.set_precision(&info.limits, precision)?;
            self.workspace = None;
            self.narrowing = None;
            self.bindings.forget();
            self.stored = Stored::default();
            self.last = LastStep::default();
        }
        Ok(())
    }

    /// Frees everything on the card, as dropping it does.
    pub fn dispose(self) {}

    async fn try_step(
        &mut self,
        request: &StepRequest<'_>,
    ) -> Result<Result<Vec<RowSummary>, ForwardError>, GpuError> {
        let (input, config) = (request.input(), &self.loaded.layout.config);
        let computed = input.computed(config);
        self.make_room(self.need(request)).await?;
        let Some(kept) = request.kept else {
            return self.pass(request, computed).await;
        };
        // What a pass that fails has stored is of no use.
        let mut stored = std::mem::take(&mut self.stored);
        let passes = stored.passes(&input, kept, &computed);
        let whole = 0..request.ids.len();
        if passes == Passes::Both {
            let earlier = StepRequest {
                ids: kept.ids,
                ..*request
            };
            if let Err(error) = self.pass(&earlier, whole.clone()).await? {
                return Ok(Err(error));
            }
            stored.holds(kept.ids);
        }
        let answer = match passes {
            Passes::Whole => {
                stored.holds(request.ids);
                self.pass(request, whole).await?
            }
            Passes::Part | Passes::Both => {
                stored.wrote(computed.clone());
                self.pass(request, computed).await?
            }
        };
        if answer.is_ok() {
            self.stored = stored;
        }
        Ok(answer)
    }

    /// Bytes of the model with such a step.
    fn planned(&self, room: Room) -> Option<u64> {
        let size = StepSize {
            length: room.length,
            rows: room.rows,
            top: room.top,
            kept: room.kept,
        };
        let (config, limits) = (&self.loaded.layout.config, &self.device.info().limits);
        let plan = MemoryPlan::for_model(config, self.is_half(), size, limits);
        plan.ok().map(|plan| plan.total())
    }

    /// The room that a step takes.
    fn need(&self, request: &StepRequest<'_>) -> Room {
        Room {
            length: request.ids.len(),
            rows: request.rows.len(),
            top: request.top.min(self.loaded.layout.config.vocab_size),
            kept: request.kept.is_some(),
        }
    }

    /// One submission: the rows at `computed`, and the answer to the request.
    async fn pass(
        &mut self,
        request: &StepRequest<'_>,
        computed: Range<usize>,
    ) -> Result<Result<Vec<RowSummary>, ForwardError>, GpuError> {
        self.last = LastStep::default();
        let Room { rows, top, .. } = self.need(request);
        let Some(workspace) = &self.workspace else {
            return Ok(Ok(Vec::new()));
        };
        self.send(workspace, request, &computed);
        let mut recorder = Recorder::new(&self.device);
        self.loaded
            .record(workspace, request, (computed, top), &mut recorder)?;
        let words = rows * summary_words(top);
        let answer = read(
            &self.device,
            &recorder,
            &mut self.bindings,
            &workspace.summaries,
            &workspace.readback,
            words,
        );
        let words = answer.await?;
        self.last = LastStep {
            rows: request.rows.to_vec(),
            top,
            noise: request.noise,
        };
        Ok(summaries::parse(&words, top).ok_or(ForwardError::NotFinite))
    }

    /// Writes what is new in a step.
    fn send(&self, workspace: &Workspace, request: &StepRequest<'_>, computed: &Range<usize>) {
        let sources = request.input().sources(&self.loaded.layout.config);
        let wanted: Vec<u32> = sources.into_iter().map(|row| row as u32).collect();
        let jobs: Vec<[u32; 2]> = (0..)
            .zip(request.rows)
            .map(|(index, &row)| [index, row as u32])
            .collect();
        let ids = &request.ids[computed.clone()];
        workspace.ids.write(0, bytemuck::cast_slice(ids));
        let behind_identity = 4 * workspace.room.length as u64;
        let (positions, writable) = (&workspace.positions, &workspace.writable);
        positions.write(behind_identity, bytemuck::cast_slice(&wanted));
        workspace.jobs.write(0, bytemuck::cast_slice(&jobs));
        writable.write(0, &mask(request.writable, &self.loaded.layout));
    }

    /// A step with every dispatch timed, instead of an answer; none where the adapter has no
    /// timestamps.
    ///
    /// # Errors
    /// [`ForwardError`].
    pub async fn profile(
        &mut self,
        request: &StepRequest<'_>,
    ) -> Result<Option<StepProfile>, ForwardError> {
        self.prepare(request).await?;
        let Some(workspace) = &self.workspace else {
            return Ok(None);
        };
        let recorder = self.loaded.recorded(&self.device, workspace, request)?;
        let passes = recorder.one_by_one();
        let micros = timed(&self.device, &recorder, &mut self.bindings, &passes).await?;
        Ok(micros.map(|micros| StepProfile::new(&recorder, &micros)))
    }

    /// Measures which tile is the fastest for each matrix product of such a step, and uses it
    /// from then on. Where the adapter has no timestamps, nothing changes.
    ///
    /// # Errors
    /// [`ForwardError`].
    pub async fn tune(&mut self, request: &StepRequest<'_>) -> Result<(), ForwardError> {
        let original = self.loaded.tiles.clone();
        let mut best: HashMap<ProductClass, (f64, Tile)> = HashMap::new();
        for &tile in original.possible() {
            self.loaded.tiles = TileChoice::only(tile);
            let measured = self.measured(request).await;
            if measured.is_err() {
                self.loaded.tiles = original.clone();
            }
            for (class, micros) in measured? {
                let known = best.get(&class).map_or(f64::INFINITY, |known| known.0);
                if micros < known {
                    best.insert(class, (micros, tile));
                }
            }
        }
        self.loaded.tiles = original;
        for (class, (_, tile)) in best {
            self.loaded.tiles.measured(class, tile);
        }
        Ok(())
    }

    /// What [`GpuTransformer::tune`] found, or what was kept of it, to be kept for the next time:
    /// see [`TransformerOptions::tuning`]. None where nothing was measured.
    pub fn tuning(&self) -> Option<String> {
        self.loaded.tiles.to_json(&self.device.info().key())
    }

    /// The classes of matrix products of such a step, and the microseconds of one of each.
    async fn measured(
        &mut self,
        request: &StepRequest<'_>,
    ) -> Result<Vec<(ProductClass, f64)>, ForwardError> {
        self.prepare(request).await?;
        let Some(workspace) = &self.workspace else {
            return Ok(Vec::new());
        };
        let recorder = self.loaded.recorded(&self.device, workspace, request)?;
        let (device, bindings) = (&self.device, &mut self.bindings);
        // It compiles, and leaves behind what a step leaves.
        let step = recorder.as_one_pass();
        if timed(device, &recorder, bindings, &step).await?.is_none() {
            return Ok(Vec::new());
        }
        let mut classes = Timed::classes(&recorder);
        while !classes.iter().all(Timed::is_done) {
            let passes: Vec<Vec<usize>> = classes.iter().map(Timed::pass).collect();
            let micros = timed(device, &recorder, bindings, &passes).await?;
            let Some(micros) = micros else {
                return Ok(Vec::new());
            };
            for (class, micros) in classes.iter_mut().zip(micros) {
                class.take(micros);
            }
        }
        let classes = classes.into_iter();
        Ok(classes.map(|timed| (timed.class, timed.micros)).collect())
    }

    /// Makes room for a step that is timed, and writes what is new in it.
    async fn prepare(&mut self, request: &StepRequest<'_>) -> Result<(), ForwardError> {
        let (input, config) = (request.input(), &self.loaded.layout.config);
        input.check(config)?;
        let computed = input.computed(config);
        self.last = LastStep::default();
        self.stored = Stored::default();
        self.make_room(self.need(request)).await?;
        if let Some(workspace) = &self.workspace {
            self.send(workspace, request, &computed);
        }
        Ok(())
    }

    async fn make_room(&mut self, need: Room) -> Result<(), GpuError> {
        let have = self.workspace.as_ref().map(|workspace| workspace.room);
        let have = have.unwrap_or_default();
        if self.workspace.is_none() || !have.holds(need) {
            // The old one goes first, so that the two need not fit together.
            self.workspace = None;
            self.stored = Stored::default();
            self.bindings.forget();
            let room = have.grown_to(need, &self.loaded.layout);
            let (layout, precision) = (&self.loaded.layout, self.loaded.precision);
            let workspace = Workspace::new(&self.device, layout, room, precision).await;
            let workspace = workspace.map_err(|error| error.of_a_model(|| self.planned(room)))?;
            self.workspace = Some(workspace);
        }
        Ok(())
    }

    async fn try_narrow(&mut self, asks: &[Narrow<'_>]) -> Result<Vec<Vec<Scored>>, GpuError> {
        let (top, count) = (self.last.top, asks.len());
        let mask_size = mask_bytes(&self.loaded.layout);
        let have = self.narrowing.as_ref().map(|have| (have.asks, have.top));
        let (have_asks, have_top) = have.unwrap_or_default();
        if have_asks < count || have_top < top {
            self.narrowing = None;
            self.bindings.forget();
            let room = [
                have_asks.max(count.next_power_of_two()),
                have_top.max(
                    top.next_power_of_two()
                        .min(self.loaded.layout.config.vocab_size),
                ),
            ];
            let narrowing = Narrowing::new(&self.device, &self.loaded.layout, room).await;
            let planned = || self.planned(self.workspace.as_ref()?.room);
            self.narrowing = Some(narrowing.map_err(|error| error.of_a_model(planned))?);
        }
        let (Some(workspace), Some(narrowing)) = (&self.workspace, &self.narrowing) else {
            return Ok(Vec::new());
        };
        // Asks in the order of the parts of the logits that they are about.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&at| asks[at].row);
        let mut allowed = Vec::with_capacity(count * mask_size);
        let mut jobs = Vec::with_capacity(count);
        for &at in &order {
            allowed.extend(mask(asks[at].allowed, &self.loaded.layout));
            jobs.push([asks[at].row as u32, self.last.rows[asks[at].row] as u32]);
        }
        narrowing.allowed.write(0, &allowed);
        narrowing.jobs.write(0, bytemuck::cast_slice(&jobs));
        let mut recorder = Recorder::new(&self.device);
        let ask = Ask {
            top,
            noise: self.last.noise,
            writable: &workspace.writable,
            allowed: &narrowing.allowed,
            allowed_stride: mask_size / 4,
            jobs: &narrowing.jobs,
            summaries: &narrowing.summaries,
        };
        for (part, logits) in workspace.logits.iter().enumerate() {
            let first = part * workspace.logits_rows;
            let start = jobs.partition_point(|job| (job[0] as usize) < first);
            let end = jobs.partition_point(|job| (job[0] as usize) < first + workspace.logits_rows);
            self.loaded
                .stages()
                .summarize(&mut recorder, &ask, logits, first, start..end)?;
        }
        let words = read(
            &self.device,
            &recorder,
            &mut self.bindings,
            &narrowing.summaries,
            &narrowing.readback,
            count * summary_words(top),
        )
        .await?;
        let mut best = vec![Vec::new(); count];
        for (&at, words) in order.iter().zip(words.chunks_exact(summary_words(top))) {
            best[at] = summaries::candidates(words);
        }
        Ok(best)
    }
}

impl ForwardPass for GpuTransformer {
    fn config(&self) -> &ModelConfig {
        &self.loaded.layout.config
    }

    async fn step(&mut self, request: &StepRequest<'_>) -> Result<Vec<RowSummary>, ForwardError> {
        request.input().check(&self.loaded.layout.config)?;
        if request.rows.is_empty() {
            self.last = LastStep::default();
            return Ok(Vec::new());
        }
        self.try_step(request).await?
    }

    async fn narrow(&mut self, asks: &[Narrow<'_>]) -> Result<Vec<Vec<Scored>>, ForwardError> {
        let length = self.last.rows.len();
        if let Some(ask) = asks.iter().find(|ask| ask.row >= length) {
            let row = ask.row;
            return Err(ForwardError::RowOutOfRange { row, length });
        }
        if asks.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.try_narrow(asks).await?)
    }
}

/// A set's words, as many as the vocabulary takes.
fn mask(set: &TokenSet, layout: &Layout) -> Vec<u8> {
    let mut bytes: Vec<u8> = bytemuck::cast_slice(set.words()).to_vec();
    bytes.resize(mask_bytes(layout), 0);
    bytes
}
