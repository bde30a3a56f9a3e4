//! The forward pass on the CPU: ids in, logits of the wanted positions out.
//!
//! [`CpuTransformer`] is the whole transformer; [`crate::plain`] is the same without the care
//! for speed. What that care consists of: int8 and int4 products from packed weights; buffers
//! that are allocated once and grow to the longest input seen; in the last block, everything
//! after keys and values only for the rows whose logits are wanted (the masked cells of a
//! canvas, as a rule); and rows shared out among threads, which changes no bit of the result.
//!
//! Cost for `length` positions: `length` times the parameters in integer multiply-adds, and
//! `2 * length² * heads * head_dim` a block in f32.
//!
//! How much of the innermost loop's own rate is left in the whole pass, for the 10 M model with
//! half of the positions wanted, one thread (`examples/forward_speed`, on an AMD EPYC of the
//! fifth generation):
//!
//! | kernel | weights | 64 positions | 128 | 256 |
//! |---|---|--:|--:|--:|
//! | AVX-512 VNNI | int8 | 64 % | 66 % | 62 % |
//! | | int4 | 52 % | 52 % | 49 % |
//! | AVX2 | int8 | 77 % | 79 % | 75 % |
//! | | int4 | 68 % | 69 % | 65 % |
//! | wasm simd128 (Node) | int8 | 79 % | 79 % | 75 % |
//! | | int4 | 59 % | 60 % | 61 % |
//!
//! Two threads are 1.9 times as fast as one where both cores are free, and a fifth slower where
//! other work fills both: members that meet wait for whichever is not being run.

mod layers;
mod projection;
mod rotations;

use crate::config::ModelConfig;
use crate::kernels::attention::BLOCK;
use crate::kernels::{Kernel, TILE_ROWS};
use crate::pass::{ForwardError, ForwardPass, Narrow, StepRequest};
use crate::threads::{self, Crew};
use crate::weights::Weights;
use lacuna_logits::{Noise, RowSummary, Scored, TokenSet, best_of, summarize};
use layers::{Common, Layers, Pass, Share};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The forward pass on the CPU.
pub struct CpuTransformer {
    layers: Layers,
    threads: usize,
    common: Common,
    /// One for each thread.
    shares: Vec<Mutex<Share>>,
    last: LastStep,
}

/// What a second look at a step needs.
#[derive(Default)]
struct LastStep {
    /// `[rows, vocab]`.
    logits: Vec<f32>,
    rows: Vec<usize>,
    writable: TokenSet,
    top: usize,
    noise: Option<Noise>,
}

impl CpuTransformer {
    /// Packs the weights for the fastest kernel that this machine has.
    pub fn new(weights: Weights) -> Self {
        Self::with_kernel(weights, Kernel::detect())
    }

    /// As [`CpuTransformer::new`], with the kernel chosen by the caller.
    pub fn with_kernel(weights: Weights, kernel: Kernel) -> Self {
        Self {
            layers: Layers::new(weights, kernel),
            threads: threads::available(),
            common: Common::default(),
            shares: Vec::new(),
            last: LastStep::default(),
        }
    }

    /// At most this many threads from now on, the caller included; at the beginning, as many
    /// as the machine has. The result does not depend on it.
    pub fn set_threads(&mut self, most: usize) {
        self.threads = most.max(1);
    }

    /// The threads that a pass would use now, the caller included, if it is long enough.
    pub fn threads(&self) -> usize {
        self.threads.min(threads::at_hand())
    }

    fn check(&self, ids: &[u32], rows: &[usize]) -> Result<(), ForwardError> {
        let (length, most) = (ids.len(), self.layers.config.max_position_embeddings);
        let vocab = self.layers.config.vocab_size;
        if length > most {
            return Err(ForwardError::TooLong { length, most });
        }
        if let Some(position) = ids.iter().position(|&id| id as usize >= vocab) {
            return Err(ForwardError::IdOutOfRange {
                id: ids[position],
                position,
                vocab,
            });
        }
        match rows.iter().find(|&&row| row >= length) {
            Some(&row) => Err(ForwardError::RowOutOfRange { row, length }),
            None => Ok(()),
        }
    }
}

impl ForwardPass for CpuTransformer {
    fn config(&self) -> &ModelConfig {
        &self.layers.config
    }

    async fn step(&mut self, request: &StepRequest<'_>) -> Result<Vec<RowSummary>, ForwardError> {
        let mut last = std::mem::take(&mut self.last);
        self.logits(request.ids, request.rows, &mut last.logits)?;
        last.rows = request.rows.to_vec();
        last.writable = request.writable.clone();
        (last.top, last.noise) = (request.top, request.noise);
        let rows = last.logits.chunks_exact(self.layers.config.vocab_size);
        let summaries = rows.zip(request.rows).map(|(logits, &row)| {
            let noise = request.noise.as_ref();
            summarize(logits, request.writable, request.top, noise, row as u32)
        });
        let summaries = summaries.collect();
        self.last = last;
        Ok(summaries)
    }

    async fn narrow(&mut self, asks: &[Narrow<'_>]) -> Result<Vec<Vec<Scored>>, ForwardError> {
        let (last, vocab) = (&self.last, self.layers.config.vocab_size);
        let narrowed = asks.iter().map(|ask| {
            let &position = last.rows.get(ask.row).ok_or(ForwardError::RowOutOfRange {
                row: ask.row,
                length: last.rows.len(),
            })?;
            let logits = &last.logits[ask.row * vocab..][..vocab];
            let (noise, position) = (last.noise.as_ref(), position as u32);
            Ok(best_of(
                logits,
                &last.writable,
                ask.allowed,
                last.top,
                noise,
                position,
            ))
        });
        narrowed.collect()
    }
}

impl CpuTransformer {
    /// The logits at the positions `rows` of `ids`: `out` becomes `[rows.len(), vocab]`,
    /// row-major; row `i` is about the token at `rows[i]`, as in [`ForwardPass::step`].
    ///
    /// # Errors
    /// [`ForwardError`]; then `out` holds nothing of meaning.
    pub fn logits(
        &mut self,
        ids: &[u32],
        rows: &[usize],
        out: &mut Vec<f32>,
    ) -> Result<(), ForwardError> {
        self.check(ids, rows)?;
        out.clear();
        if rows.is_empty() {
            return Ok(());
        }
        let (length, vocab) = (ids.len(), self.layers.config.vocab_size);
        let wanted: Vec<usize> = match self.layers.config.logits_shift {
            false => rows.to_vec(),
            true => rows.iter().map(|row| row.saturating_sub(1)).collect(),
        };
        let crew = Crew::gather(self.threads.min(length.div_ceil(BLOCK)));
        let positions = deal(length, BLOCK, crew.size());
        let asked = deal(wanted.len(), TILE_ROWS, crew.size());

        self.layers.rotations.extend_to(length);
        for blocks in &mut self.common.blocks {
            blocks.resize_with(blocks.len().max(length.div_ceil(BLOCK)), Default::default);
        }
        self.common.rows.resize_with(crew.size(), Default::default);
        self.shares.resize_with(crew.size(), Default::default);
        out.resize(wanted.len() * vocab, 0.0);
        let mut rest = out.as_mut_slice();
        let mut parts = Vec::new();
        for asked in &asked {
            let (part, behind) = std::mem::take(&mut rest).split_at_mut(asked.len() * vocab);
            parts.push(Mutex::new(part));
            rest = behind;
        }

        let pass = Pass {
            ids,
            wanted: &wanted,
            positions: &positions,
            common: &self.common,
        };
        crew.run(&|member, meeting| {
            // Each is locked by one member alone.
            let share = &mut *lock(&self.shares[member]);
            let part = &mut *lock(&parts[member]);
            let asked = asked[member].clone();
            self.layers.run(&pass, member, asked, meeting, share, part);
        });
        match out.iter().all(|logit| logit.is_finite()) {
            true => Ok(()),
            false => Err(ForwardError::NotFinite),
        }
    }
}

/// Deals `count` things out among `members`, in order, as evenly as whole units of them go.
fn deal(count: usize, unit: usize, members: usize) -> Vec<Range<usize>> {
    let units = count.div_ceil(unit);
    let end = |member: usize| (units * member / members * unit).min(count);
    (0..members)
        .map(|member| end(member)..end(member + 1))
        .collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
