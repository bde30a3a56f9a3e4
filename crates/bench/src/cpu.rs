//! The pass on the processor against its own innermost loop.
//!
//! The innermost loop is one tile of int8 weights by 16-bit activations, over data that stay
//! in the first cache: what the pass would reach if it had nothing else to do. Passes and
//! tiles take turns, so that other work on the machine hits both.

use crate::{BenchFormat, Clock, Times};
use lacuna_model::kernels::activations::Activations;
use lacuna_model::kernels::pack::PackedMatrix;
use lacuna_model::kernels::{Kernel, PANEL, TILE_ROWS, int8};
use lacuna_model::{CpuTransformer, ForwardError, ForwardPass, ModelConfig, Weights};
use serde::Serialize;

/// A model on the processor with an input to be timed on.
pub struct CpuBench {
    model: CpuTransformer,
    tile: Tile,
    ids: Vec<u32>,
    rows: Vec<usize>,
    logits: Vec<f32>,
}

impl CpuBench {
    /// Packs the weights; the input is `length` cells of which the second half is masked and
    /// wanted.
    pub fn new(weights: Weights, length: usize) -> Self {
        let (ids, rows) = input(&weights.config, length);
        Self {
            model: CpuTransformer::new(weights),
            tile: Tile::new(Kernel::detect()),
            ids,
            rows,
            logits: Vec::new(),
        }
    }

    /// At most this many threads from now on.
    pub fn set_threads(&mut self, most: usize) {
        self.model.set_threads(most);
    }

    /// One pass.
    ///
    /// # Errors
    /// [`ForwardError`].
    pub fn pass(&mut self) -> Result<(), ForwardError> {
        self.model.logits(&self.ids, &self.rows, &mut self.logits)
    }

    /// A round of the innermost loop alone; the multiply-adds of it.
    pub fn tiles(&self) -> f64 {
        self.tile.run()
    }

    /// The token of each cell.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The cells whose logits are wanted.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// What the last pass answered: `[rows, vocab]`.
    pub fn logits(&self) -> &[f32] {
        &self.logits
    }

    /// Multiply-adds of a pass: those of all matrix products, attention's among them.
    pub fn multiply_adds(&self) -> f64 {
        multiply_adds(self.model.config(), self.ids.len(), self.rows.len())
    }
}

/// A canvas of `length` cells whose second half is masked and wanted.
pub fn input(config: &ModelConfig, length: usize) -> (Vec<u32>, Vec<usize>) {
    let token = |at: usize| match at < length / 2 {
        true => (at * 37 % config.vocab_size) as u32,
        false => config.mask_token_id,
    };
    (
        (0..length).map(token).collect(),
        (length / 2..length).collect(),
    )
}

fn multiply_adds(config: &ModelConfig, length: usize, wanted: usize) -> f64 {
    let (hidden, query) = (config.hidden_size, config.query_width());
    let of_all = 2 * hidden * config.key_width();
    let of_some = 2 * hidden * query + 3 * hidden * config.intermediate_size + 2 * length * query;
    // In floats: a large model's count is over a browser's 32-bit `usize`.
    let product = |a: usize, b: usize| a as f64 * b as f64;
    let block = product(length, of_all) + product(length, of_some);
    let last = product(length, of_all) + product(wanted, of_some);
    let head = product(wanted, hidden) * config.vocab_size as f64;
    (config.num_hidden_layers - 1) as f64 * block + last + head
}

/// How long a measurement goes on.
#[derive(Clone, Copy, Debug)]
pub struct CpuEffort {
    /// Rounds at most.
    pub rounds: usize,
    /// Microseconds after which there are enough rounds, three at least.
    pub enough: f64,
}

/// One model at one length.
#[derive(Clone, Debug, Serialize)]
pub struct CpuReport {
    /// Parameters of the model.
    pub parameters: usize,
    /// Of the weights.
    pub format: BenchFormat,
    /// Instructions of the kernel.
    pub kernel: &'static str,
    /// Cells.
    pub length: usize,
    /// Wanted cells.
    pub rows: usize,
    /// Passes by one thread.
    pub pass: Times,
    /// Multiply-adds a second of the fastest pass.
    pub pass_rate: f64,
    /// Multiply-adds a second of the fastest round of the innermost loop.
    pub tile_rate: f64,
    /// The first as a share of the second.
    pub share: f64,
    /// Passes by several threads, if they were asked for.
    pub threaded: Option<Threaded>,
}

/// Passes by several threads.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Threaded {
    /// At most so many threads.
    pub threads: usize,
    /// By the clock on the wall.
    pub pass: Times,
    /// How many times faster than one thread by the clock on the wall, in the same rounds.
    pub speedup: f64,
}

/// Two clocks: one that counts what the calling thread had of the processor, where the system
/// tells it, and one on the wall.
#[derive(Clone, Copy)]
pub struct CpuClocks<'a> {
    /// Of the thread.
    pub thread: Clock<'a>,
    /// On the wall.
    pub wall: Clock<'a>,
}

/// Times passes by one thread against the innermost loop, then by `threads` against one.
///
/// # Errors
/// [`ForwardError`].
pub fn measure(
    bench: &mut CpuBench,
    format: BenchFormat,
    threads: usize,
    effort: CpuEffort,
    clocks: CpuClocks<'_>,
) -> Result<CpuReport, ForwardError> {
    bench.set_threads(1);
    bench.pass()?;
    let [mut passes, mut tiles] = [Vec::new(), Vec::new()];
    rounds(effort, clocks.wall, || {
        passes.push(timed(clocks.thread, || bench.pass())?);
        tiles.push(timed(clocks.thread, || Ok(bench.tiles()))?);
        Ok(())
    })?;
    let (of_tiles, of_pass) = (bench.tiles(), bench.multiply_adds());
    let pass = Times::of(passes).unwrap_or(NO_TIME);
    let tiles = Times::of(tiles).unwrap_or(NO_TIME);
    let (pass_rate, tile_rate) = (of_pass / pass.fastest * 1e6, of_tiles / tiles.fastest * 1e6);
    let threaded = match threads {
        0 | 1 => None,
        _ => Some(measure_threads(bench, threads, effort, clocks.wall)?),
    };
    let config = bench.model.config();
    Ok(CpuReport {
        parameters: config.parameter_count(),
        format,
        kernel: Kernel::detect().name(),
        length: bench.ids.len(),
        rows: bench.rows.len(),
        pass,
        pass_rate,
        tile_rate,
        share: pass_rate / tile_rate,
        threaded,
    })
}

fn measure_threads(
    bench: &mut CpuBench,
    threads: usize,
    effort: CpuEffort,
    wall: Clock<'_>,
) -> Result<Threaded, ForwardError> {
    let [mut alone, mut together] = [Vec::new(), Vec::new()];
    rounds(effort, wall, || {
        for (most, times) in [(1, &mut alone), (threads, &mut together)] {
            bench.set_threads(most);
            times.push(timed(wall, || bench.pass())?);
        }
        Ok(())
    })?;
    let alone = Times::of(alone).unwrap_or(NO_TIME);
    let pass = Times::of(together).unwrap_or(NO_TIME);
    Ok(Threaded {
        threads,
        pass,
        speedup: alone.fastest / pass.fastest,
    })
}

const NO_TIME: Times = Times {
    runs: 0,
    fastest: f64::NAN,
    median: f64::NAN,
    slowest: f64::NAN,
};

fn rounds(
    effort: CpuEffort,
    wall: Clock<'_>,
    mut round: impl FnMut() -> Result<(), ForwardError>,
) -> Result<(), ForwardError> {
    let begin = wall();
    for done in 0..effort.rounds.max(3) {
        if done >= 3 && wall() - begin > effort.enough {
            break;
        }
        round()?;
    }
    Ok(())
}

fn timed<T>(
    clock: Clock<'_>,
    run: impl FnOnce() -> Result<T, ForwardError>,
) -> Result<f64, ForwardError> {
    let begin = clock();
    std::hint::black_box(run()?);
    Ok(clock() - begin)
}

/// The innermost loop alone: one tile of activations by one panel of weights.
struct Tile {
    kernel: Kernel,
    activations: Activations,
    weights: PackedMatrix,
}

impl Tile {
    /// 5 KB of activations and 10 KB of weights.
    const COLS: usize = 320;
    /// Products of a round.
    const PRODUCTS: usize = 500;

    fn new(kernel: Kernel) -> Self {
        // Any numbers of the usual size: integer products take no longer for one than another.
        let floats: Vec<f32> = (0..TILE_ROWS * Self::COLS)
            .map(|at| (at * 29 % 201) as f32 / 100.0 - 1.0)
            .collect();
        let weights: Vec<i8> = (0..PANEL * Self::COLS)
            .map(|at| (at * 53 % 255) as u8 as i8)
            .collect();
        let mut activations = Activations::default();
        activations.quantize(kernel, &floats, TILE_ROWS, Self::COLS);
        Self {
            kernel,
            activations,
            weights: PackedMatrix::new(PANEL, Self::COLS, &weights, vec![1.0; PANEL]),
        }
    }

    /// A round; the multiply-adds of it.
    fn run(&self) -> f64 {
        for _ in 0..Self::PRODUCTS {
            let activations = std::hint::black_box(&self.activations);
            std::hint::black_box(int8::tile(self.kernel, activations, &self.weights));
        }
        (Self::PRODUCTS * TILE_ROWS * PANEL * Self::COLS) as f64
    }
}
