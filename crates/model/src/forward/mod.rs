//! The forward pass on the CPU: ids in, logits of the wanted positions out.
//!
//! [`CpuTransformer`] is the whole transformer; [`crate::plain`] is the same without the care
//! for speed. What that care consists of: int8 and int4 products from packed weights; buffers
//! that are allocated once and grow to the longest input seen; in the last block, everything
//! after keys and values only for the rows whose logits are wanted (the masked cells of a
//! canvas, as a rule); and rows shared out among threads, which changes no bit of the result.
//!
//! Keys and values of an earlier input may stand in for those of most positions, if asked for
//! ([`crate::kept`]); they are stored for every transformer block then, instead of two by turns.
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
use crate::input::Input;
use crate::kept::{Passes, Stored};
use crate::kernels::attention::{BLOCK, KeyBlock};
use crate::kernels::{Kernel, TILE_ROWS};
use crate::pass::{ForwardError, ForwardPass, Narrow, StepRequest};
use crate::threads::{self, Crew};
use crate::weights::Weights;
use lacuna_logits::{Noise, RowSummary, Scored, TokenSet, best_of, summarize};
use layers::{Layers, Pass, Share};
use std::ops::Range;
use std::sync::{Mutex, PoisonError, RwLock};

/// The forward pass on the CPU.
pub struct CpuTransformer {
    layers: Layers,
    threads: usize,
    /// Keys and values of all positions, for blocks of even and of odd number.
    by_turns: Vec<KeySet>,
    /// Those that are kept, for every block; none until they are asked for.
    kept: Vec<KeySet>,
    stored: Stored,
    /// What each share of a pass hands over.
    rows: Vec<RwLock<Vec<f32>>>,
    /// One for each thread.
    shares: Vec<Mutex<Share>>,
    last: LastStep,
}

/// Keys and values of all positions in one transformer block.
type KeySet = Vec<RwLock<KeyBlock>>;

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
            by_turns: vec![KeySet::new(), KeySet::new()],
            kept: Vec::new(),
            stored: Stored::default(),
            rows: Vec::new(),
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
}

impl ForwardPass for CpuTransformer {
    fn config(&self) -> &ModelConfig {
        &self.layers.config
    }

    async fn step(&mut self, request: &StepRequest<'_>) -> Result<Vec<RowSummary>, ForwardError> {
        let mut last = std::mem::take(&mut self.last);
        self.logits_of(&request.input(), &mut last.logits)?;
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
        let kept = None;
        self.logits_of(&Input { ids, rows, kept }, out)
    }

    /// As [`CpuTransformer::logits`], with keys and values of an earlier input if there are.
    ///
    /// # Errors
    /// [`ForwardError`]; then `out` holds nothing of meaning.
    pub fn logits_of(&mut self, input: &Input<'_>, out: &mut Vec<f32>) -> Result<(), ForwardError> {
        let config = &self.layers.config;
        input.check(config)?;
        out.clear();
        if input.rows.is_empty() {
            return Ok(());
        }
        let (wanted, computed) = (input.sources(config), input.computed(config));
        let (whole, layers) = (0..input.ids.len(), config.num_hidden_layers);
        let Some(kept) = input.kept else {
            let mut sets = std::mem::take(&mut self.by_turns);
            let done = self.pass(input.ids, &wanted, whole, &mut sets, out);
            self.by_turns = sets;
            return done;
        };
        // A pass that fails leaves nothing of use behind.
        let (mut sets, mut stored) = (
            std::mem::take(&mut self.kept),
            std::mem::take(&mut self.stored),
        );
        sets.resize_with(layers, KeySet::new);
        let passes = stored.passes(input, kept, &computed);
        if passes == Passes::Both {
            self.pass(kept.ids, &[], whole.clone(), &mut sets, out)?;
            stored.holds(kept.ids);
        }
        match passes {
            Passes::Whole => {
                self.pass(input.ids, &wanted, whole, &mut sets, out)?;
                stored.holds(input.ids);
            }
            Passes::Part | Passes::Both => {
                self.pass(input.ids, &wanted, computed.clone(), &mut sets, out)?;
                stored.wrote(computed);
            }
        }
        (self.kept, self.stored) = (sets, stored);
        Ok(())
    }

    /// Computes the rows at `computed`, whose keys and values go into `sets`, and the logits of
    /// those of them that are wanted.
    fn pass(
        &mut self,
        ids: &[u32],
        wanted: &[usize],
        computed: Range<usize>,
        sets: &mut [KeySet],
        out: &mut Vec<f32>,
    ) -> Result<(), ForwardError> {
        let (length, vocab) = (ids.len(), self.layers.config.vocab_size);
        let blocks = computed.start / BLOCK..computed.end.div_ceil(BLOCK);
        let crew = Crew::gather(self.threads.min(blocks.len()));
        let positions: Vec<Range<usize>> = deal(blocks.len() * BLOCK, BLOCK, crew.size())
            .into_iter()
            .map(|of_range| {
                let at = |end: usize| blocks.start * BLOCK + end;
                at(of_range.start).max(computed.start)..at(of_range.end).min(computed.end)
            })
            .collect();
        let asked = deal(wanted.len(), TILE_ROWS, crew.size());

        self.layers.rotations.extend_to(length);
        for blocks in &mut *sets {
            blocks.resize_with(blocks.len().max(length.div_ceil(BLOCK)), Default::default);
            if computed == (0..length) {
                for block in blocks {
                    let block = block.get_mut().unwrap_or_else(PoisonError::into_inner);
                    block.clear();
                }
            }
        }
        self.rows.resize_with(crew.size(), Default::default);
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
            wanted,
            positions: &positions,
            blocks: sets,
            rows: &self.rows,
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
