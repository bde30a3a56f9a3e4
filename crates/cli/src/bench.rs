//! `lacuna bench`: what a step takes here, against what this machine could do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use lacuna_bench::cpu::{CpuBench, CpuClocks, CpuEffort};
use lacuna_bench::gpu::GpuPlan;
use lacuna_bench::onnx::{self, Products};
use lacuna_bench::{BenchFormat, ModelSize, markdown, model_config, random_weights, size_named};
use lacuna_engine::Fault;
use lacuna_model::{ModelConfig, Weights, threads};
use serde::Serialize;

use crate::error::CommandError;
use crate::files::{read, read_weights};
use crate::output::{FindingsFile, print, tell};

/// Time steps of models on this machine, against what the machine could do.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Cpu(CpuArguments),
    Gpu(GpuArguments),
    Onnx(OnnxArguments),
}

/// The pass on the processor, against its own innermost loop in the same run
///
/// Random weights; half of the cells are wanted. One thread is timed by the processor's time
/// it had (on Linux), several by the clock on the wall. Markdown on standard output.
#[derive(clap::Args)]
struct CpuArguments {
    /// Models, by parameters: 10m, 100m, 500m
    #[arg(long, value_delimiter = ',', default_value = "10m", value_parser = size_named)]
    sizes: Vec<ModelSize>,
    /// Cells of the canvas
    #[arg(long, value_delimiter = ',', default_value = "64,128,256", value_parser = cells)]
    canvas: Vec<usize>,
    /// Weights: int8, int4, float
    #[arg(long, value_delimiter = ',', default_value = "int8,int4")]
    formats: Vec<BenchFormat>,
    /// Threads that one thread is compared with [default: all of the machine's]
    #[arg(long)]
    threads: Option<usize>,
    /// Seconds for each measurement
    #[arg(long, default_value_t = 2.0, value_parser = seconds)]
    seconds: f64,
    /// Write the measurements here, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A time that passes.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected seconds".to_owned())?;
    match (0.0..=86_400.0).contains(&seconds) {
        true => Ok(seconds),
        false => Err("expected seconds from 0 to a day".to_owned()),
    }
}

/// Steps on the graphics card, against the floor that its own rates put under them
///
/// The floor is the largest of: the step's bytes at the rate of a copy, its operations at the
/// rate of the best matrix product, its dispatches if they did nothing; all measured in the same
/// run. Random weights; half of the cells are wanted; tiles are tuned first. Where the adapter
/// is software, defaults are small and the figures say nothing of any card.
#[derive(clap::Args)]
struct GpuArguments {
    /// Models, by parameters [default: 10m,100m,500m]
    #[arg(long, value_delimiter = ',', value_parser = size_named)]
    sizes: Option<Vec<ModelSize>>,
    /// Cells of the canvas [default: 64,128,256,512]
    #[arg(long, value_delimiter = ',', value_parser = cells)]
    canvas: Option<Vec<usize>>,
    /// Weights: int8, int4, float [default: int8,int4]
    #[arg(long, value_delimiter = ',')]
    formats: Option<Vec<BenchFormat>>,
    /// MiB that may be allocated on the card; what does not fit is left out, and said
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Show what tuning found for each configuration, and what it brought
    #[arg(long)]
    tune: bool,
    /// Write the measurements here, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Write the transformer as an ONNX file, for another runtime to be timed on
///
/// Inputs are ids (int64, the cells) and rows (int64, half as many); the output is the logits of
/// those rows.
#[derive(clap::Args)]
struct OnnxArguments {
    /// A folder with config.json and model.safetensors or its shards; without it, random weights
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Parameters of random weights
    #[arg(long, default_value = "10m", value_parser = size_named)]
    size: ModelSize,
    /// Cells
    #[arg(long, default_value_t = 64, value_parser = cells)]
    canvas: usize,
    /// Quantise activations as they come, and keep int8 weights
    #[arg(long)]
    int8: bool,
    /// The file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write the input and this project's own logits here, as JSON
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    match &arguments.what {
        What::Cpu(arguments) => cpu(arguments),
        What::Gpu(arguments) => gpu(arguments),
        What::Onnx(arguments) => onnx(arguments),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn cpu(arguments: &CpuArguments) -> Result<(), CommandError> {
    let json = FindingsFile::open(arguments.json.as_deref())?;
    let start = Instant::now();
    let wall = move || start.elapsed().as_secs_f64() * 1e6;
    let thread = move || processor_micros().unwrap_or_else(wall);
    let clocks = CpuClocks {
        thread: &thread,
        wall: &wall,
    };
    let effort = CpuEffort {
        rounds: 1000,
        enough: arguments.seconds * 1e6,
    };
    let threads = arguments.threads.unwrap_or_else(threads::available);
    let mut reports = Vec::new();
    for &size in &arguments.sizes {
        for &format in &arguments.formats {
            for &length in &arguments.canvas {
                let config = model_config(size, format.weight_format());
                let mut bench = CpuBench::new(random_weights(&config, 1), length);
                let report =
                    lacuna_bench::cpu::measure(&mut bench, format, threads, effort, clocks);
                reports.push(report.map_err(|error| Fault::new("model", error.to_string()))?);
            }
        }
    }
    print(markdown::cpu(&reports).as_bytes())?;
    json.map_or(Ok(()), |json| {
        json.write(serde_json::to_vec_pretty(&reports))
    })
}

fn gpu(arguments: &GpuArguments) -> Result<(), CommandError> {
    let json = FindingsFile::open(arguments.json.as_deref())?;
    let start = Instant::now();
    let wall = move || start.elapsed().as_secs_f64() * 1e6;
    let plan = GpuPlan {
        sizes: arguments.sizes.clone(),
        canvases: arguments.canvas.clone(),
        formats: arguments.formats.clone(),
        memory: arguments.memory.map(|mebibytes| mebibytes << 20),
    };
    let report = pollster::block_on(lacuna_bench::gpu::measure(&plan, &wall, &|what| tell(what)));
    let report = report.map_err(|error| Fault::new("device", error.to_string()))?;
    print(markdown::gpu(&report, arguments.tune).as_bytes())?;
    json.map_or(Ok(()), |json| {
        json.write(serde_json::to_vec_pretty(&report))
    })
}

fn onnx(arguments: &OnnxArguments) -> Result<(), CommandError> {
    let weights = match &arguments.model {
        Some(folder) => load(folder)?,
        None => {
            let format = BenchFormat::Int8.weight_format();
            random_weights(&model_config(arguments.size, format), 1)
        }
    };
    let products = match arguments.int8 {
        true => Products::Int8,
        false => Products::Float,
    };
    let rows = arguments.canvas - arguments.canvas / 2;
    let file = onnx::export(&weights, arguments.canvas, rows, products);
    write(&arguments.out, &file)?;
    if let Some(path) = &arguments.expected {
        let mut bench = CpuBench::new(weights, arguments.canvas);
        let pass = bench.pass();
        pass.map_err(|error| Fault::new("model", error.to_string()))?;
        let expected = Expected {
            ids: bench.ids(),
            rows: bench.rows(),
            logits: bench.logits(),
        };
        let text = serde_json::to_string_pretty(&expected);
        let text = text.map_err(|error| CommandError::content(path, error))?;
        write(path, text.as_bytes())?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Expected<'a> {
    ids: &'a [u32],
    rows: &'a [usize],
    logits: &'a [f32],
}

fn load(folder: &Path) -> Result<Weights, CommandError> {
    let config = ModelConfig::from_json(&read(&folder.join("config.json"))?)
        .map_err(|error| CommandError::content(folder, error))?;
    Weights::read(read_weights(folder)?, &config)
        .map_err(|error| CommandError::content(folder, error))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    fs::write(path, bytes).map_err(|error| CommandError::file(path, error))
}

fn cells(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(cells @ 2..=1024) => Ok(cells),
        _ => Err("a number of cells is from 2 to 1024".to_owned()),
    }
}

/// What this thread had of the processor, so that other work on the machine does not lengthen
/// it; none where the system does not tell.
fn processor_micros() -> Option<f64> {
    // The system brings its figure up to date when the thread gives way, at the latest.
    std::thread::yield_now();
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e3)
}
