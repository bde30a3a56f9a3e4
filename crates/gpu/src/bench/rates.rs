//! What a card does in a second.

use super::{Clock, micros_of};
use crate::buffer::GpuBuffer;
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::kernel::{
    COPY_THREADS, Epilogue, Format, Kernel, PEAK_CHAINS, Precision, Project, Tile,
};
use crate::matrix::Stack;
use crate::random::Random;
use crate::recorder::Cost;
use crate::shape::{GatherShape, IdleShape, PeakShape, ProjectShape};
use crate::tile::TileChoice;
use lacuna_model::weights::{INT4_GROUP, Matrix, MatrixValues};
use serde::Serialize;

/// What a card does in a second.
#[derive(Clone, Debug, Serialize)]
pub struct MachineRates {
    /// Bytes read and written by a copy.
    pub copy_bytes_per_second: f64,
    /// Operations of f32 multiply-adds between registers, two for each.
    pub plain_operations_per_second: f64,
    /// Microseconds of a dispatch that does nothing but wait for the one before.
    pub idle_dispatch_micros: f64,
    /// Matrix products, tile by tile.
    pub products: Vec<ProductRate>,
}

/// The rate of one variant of the matrix product.
#[derive(Clone, Debug, Serialize)]
pub struct ProductRate {
    /// The variant.
    pub kernel: String,
    /// Of the weights.
    pub format: Format,
    /// Of the activations.
    pub precision: Precision,
    /// Side of the square matrices.
    pub side: usize,
    /// Two for each multiply-add.
    pub operations_per_second: f64,
    /// Of [`MachineRates::plain_operations_per_second`].
    pub share_of_plain: f64,
}

impl MachineRates {
    /// The best product of these.
    pub fn best_product(&self, format: Format, precision: Precision) -> Option<&ProductRate> {
        let alike = self
            .products
            .iter()
            .filter(|rate| (rate.format, rate.precision) == (format, precision));
        alike.max_by(|a, b| a.operations_per_second.total_cmp(&b.operations_per_second))
    }
}

/// How a card is measured.
#[derive(Clone, Copy, Debug)]
pub struct RateOptions {
    /// Bytes that are copied.
    pub copy_bytes: usize,
    /// Side of the square matrices that are multiplied.
    pub side: usize,
    /// Microseconds that each measurement takes at least. A browser's timestamps are rounded to
    /// a tenth of a millisecond.
    pub long_enough: f64,
}

impl Default for RateOptions {
    fn default() -> Self {
        Self {
            copy_bytes: 1 << 28,
            side: 2048,
            long_enough: 20_000.0,
        }
    }
}

/// Measures a card: a copy, the plain rate, an idle dispatch, and products of square matrices
/// with every tile, format and precision that there is.
///
/// # Errors
/// Faults of the device.
pub async fn measure_rates(
    device: &GpuDevice,
    options: &RateOptions,
    clock: Clock<'_>,
) -> Result<MachineRates, GpuError> {
    let side = options.side;
    let clock = (clock, options.long_enough);
    let plain = plain_rate(device, clock).await?;
    let mut products = Vec::new();
    for format in [Format::Float, Format::Int8, Format::Int4] {
        let matrix = square(format, side);
        let matrix = Stack::of_matrix(&matrix).upload(device, "measured").await?;
        let [part] = &matrix.parts[..] else {
            continue; // Products of parts are not what is asked here.
        };
        let input = GpuBuffer::storage(device, "input", 4 * side * matrix.depth).await?;
        let output = GpuBuffer::storage(device, "output", 4 * side * side).await?;
        let halves = device.info().f16.then_some(Precision::Half);
        for precision in [Some(Precision::Single), halves].into_iter().flatten() {
            for &tile in TileChoice::new(&device.info().limits).possible() {
                let kernel = Kernel::Project(Project {
                    format,
                    tile,
                    normed: false,
                    epilogue: Epilogue::Set,
                    precision,
                });
                let buffers = [&input, &part.weight, &part.scale, &part.bias, &output];
                let shape = product_shape(side, matrix.depth);
                let groups = groups(tile, side);
                let micros = micros_of(device, clock, |recorder| {
                    recorder.add(kernel, shape, &buffers, groups, Cost::default())
                });
                let operations = 2.0 * (side as f64).powi(3);
                let operations_per_second = operations / micros.await? * 1e6;
                products.push(ProductRate {
                    kernel: kernel.name(),
                    format,
                    precision,
                    side,
                    operations_per_second,
                    share_of_plain: operations_per_second / plain,
                });
            }
        }
    }
    Ok(MachineRates {
        copy_bytes_per_second: copy_rate(device, options.copy_bytes, clock).await?,
        plain_operations_per_second: plain,
        idle_dispatch_micros: idle_micros(device, clock).await?,
        products,
    })
}

fn product_shape(side: usize, depth: usize) -> ProjectShape {
    ProjectShape {
        rows: side as u32,
        columns: side as u32,
        depth: (depth / 4) as u32,
        input_stride: (depth / 4) as u32,
        weight_stride: (depth / 4) as u32,
        stride: side as u32,
        ..ProjectShape::default()
    }
}

fn groups(tile: Tile, side: usize) -> [usize; 2] {
    [
        side.div_ceil(tile.columns as usize),
        side.div_ceil(tile.rows as usize),
    ]
}

fn square(format: Format, side: usize) -> Matrix {
    let random = &mut Random(6);
    let count = side * side;
    let values = match format {
        Format::Float => MatrixValues::Float(random.floats(count)),
        Format::Int8 => MatrixValues::Int8 {
            quantized: (0..count).map(|_| random.bits() as i8).collect(),
            scales: vec![0.01; side],
        },
        Format::Int4 => MatrixValues::Int4 {
            packed: (0..count / 2).map(|_| random.bits() as u8).collect(),
            scales: vec![0x2000; count / INT4_GROUP],
            minima: vec![0xa800; count / INT4_GROUP],
        },
    };
    Matrix {
        rows: side,
        cols: side,
        values,
    }
}

/// Bytes a second, each read once and written once.
async fn copy_rate(
    device: &GpuDevice,
    bytes: usize,
    clock: (Clock<'_>, f64),
) -> Result<f64, GpuError> {
    /// Vectors of a row of the copy.
    const STRIDE: usize = 1 << 14;
    let rows = (bytes / (16 * STRIDE)).max(1);
    let from = GpuBuffer::storage(device, "copied", 16 * STRIDE * rows).await?;
    let to = GpuBuffer::storage(device, "copy", 16 * STRIDE * rows).await?;
    let picked: Vec<u32> = (0..rows as u32).collect();
    let picked = GpuBuffer::with_contents(device, "rows", bytemuck::cast_slice(&picked)).await?;
    let shape = GatherShape {
        first_picked: 0,
        first_row: 0,
        stride: STRIDE as u32,
    };
    let groups = [STRIDE / COPY_THREADS as usize, rows];
    let micros = micros_of(device, clock, |recorder| {
        let buffers = [&picked, &from, &to];
        recorder.add(Kernel::Gather, shape, &buffers, groups, Cost::default())
    });
    Ok((2 * 16 * STRIDE * rows) as f64 / micros.await? * 1e6)
}

async fn plain_rate(device: &GpuDevice, clock: (Clock<'_>, f64)) -> Result<f64, GpuError> {
    const ROUNDS: u32 = 1 << 10;
    let kernel = Kernel::Peak { threads: 128 };
    // Enough for the largest cards; a processor that pretends gets by with fewer.
    let groups = if device.info().software { 64 } else { 1 << 13 };
    let threads = 128 * groups;
    let result = GpuBuffer::storage(device, "peak", 4 * threads).await?;
    let micros = micros_of(device, clock, |recorder| {
        let shape = PeakShape { rounds: ROUNDS };
        recorder.add(kernel, shape, &[&result], [groups, 1], Cost::default())
    });
    let operations = 2.0 * 4.0 * f64::from(PEAK_CHAINS) * f64::from(ROUNDS) * threads as f64;
    Ok(operations / micros.await? * 1e6)
}

async fn idle_micros(device: &GpuDevice, clock: (Clock<'_>, f64)) -> Result<f64, GpuError> {
    let result = GpuBuffer::storage(device, "idle", 16).await?;
    let shape = IdleShape { addend: 1.0 };
    micros_of(device, clock, |recorder| {
        recorder.add(Kernel::Idle, shape, &[&result], [1, 1], Cost::default())
    })
    .await
}
