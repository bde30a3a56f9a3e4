//! How long exact masks of all masked cells take: `cargo bench -p lacuna-published --bench masks`.
//! Prints Markdown, of the thread's time; `-- --cases N` is the number of canvases of each
//! grammar, `--only NAME` one grammar. Texts of the repository, half of their tokens masked.
//! Memos are those of the canvases before; completions are forgotten before each.
#![allow(dead_code, reason = "shared with the bench of checks")]

#[path = "compare/clock.rs"]
mod clock;
#[path = "compare/quantile.rs"]
mod quantile;
#[path = "compare/vocabulary.rs"]
mod vocabulary;
#[path = "compare/workload.rs"]
mod workload;

use std::process::ExitCode;
use std::sync::Arc;

use clock::Started;
use lacuna_checker::{Checker, CheckerLimits};
use quantile::quantile;
use vocabulary::Encoder;
use workload::{MORE, SOURCES, Source, half_masked};

/// Cells of a canvas, about.
const CELLS: usize = 128;

struct Options {
    cases: usize,
    only: Option<String>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut cases, mut only) = (8, None);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                // Cargo's own.
                "--bench" => {}
                "--cases" => {
                    let text = value()?;
                    cases = text.parse().map_err(|_| format!("{text}: no number"))?;
                }
                "--only" => only = Some(value()?),
                other => return Err(format!("unknown option {other}")),
            }
        }
        Ok(Self { cases, only })
    }
}

fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let encoder = Encoder::shipped();
    println!(
        "| grammar | canvases | holes | ms, median | p99 | again, median | p99 | allowed a hole | \
         undecided |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let wanted = |source: &&Source| options.only.as_ref().is_none_or(|only| only == source.name);
    for source in SOURCES.iter().chain(&MORE).filter(wanted) {
        println!("{}", row(source, &encoder, options.cases));
    }
    ExitCode::SUCCESS
}

/// What the masks of a grammar's canvases take.
fn row(source: &Source, encoder: &Encoder, cases: usize) -> String {
    let vocabulary = Some(Arc::clone(&encoder.vocabulary));
    let checker = Checker::new(&source.read(), vocabulary, CheckerLimits::default());
    let mut checker = checker.expect(source.grammar);
    let (mut first, mut again) = (Vec::new(), Vec::new());
    let (mut holes, mut allowed, mut undecided) = (0, 0, 0);
    for cells in half_masked(source, encoder, CELLS, cases) {
        for times in [&mut first, &mut again] {
            checker.forget_completions();
            let started = Started::now();
            let masks = checker.masks(&cells);
            times.push(started.elapsed().as_secs_f64() * 1e3);
            undecided += masks.undecided;
            let masks = masks.cells.iter().flatten();
            allowed += masks.clone().map(|mask| mask.iter().count()).sum::<usize>();
            holes += masks.count();
        }
    }
    let [(median, most), (median_again, most_again)] = [first, again].map(quantiles);
    format!(
        "| {} | {cases} | {} | {median:.1} | {most:.1} | {median_again:.1} | {most_again:.1} | \
         {:.1} | {undecided} |",
        source.name,
        holes / (2 * cases).max(1),
        allowed as f64 / holes.max(1) as f64,
    )
}

/// The median, and what at most one in a hundred exceeds.
fn quantiles(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (quantile(&times, 0.5), quantile(&times, 0.99))
}
