//! How soon a schema's first canvas is decided:
//! `cargo bench -p lacuna-published --bench first_canvas -- FOLDER`, a folder of JSON Schemas
//! (those of the repository, if none is named). Prints Markdown, of the thread's time: to the
//! grammar, from there until a checker is ready, and the first canvas, of which all cells are
//! masked; what is slow of it is what is found out of a vocabulary under a grammar. Each of a
//! schema once, with the small vocabulary, and with the large one where `npm run vocabulary` has
//! fetched it. `--cells N` is the length of the canvas; schemas that are refused, or too large
//! for a checker, are counted.
#![allow(dead_code, reason = "shared with the bench of checks")]

#[path = "compare/clock.rs"]
mod clock;
#[path = "compare/vocabulary.rs"]
mod vocabulary;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clock::Started;
use lacuna_checker::{CanvasVerdict, Checker, CheckerLimits, Compiled};
use lacuna_grammar::json_schema::{SchemaOptions, compile};
use vocabulary::Encoder;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let (mut folder, mut cells) = (vocabulary::root().join("grammars"), 96);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo's own.
            "--bench" => {}
            "--cells" => {
                let text = arguments.next().ok_or("--cells needs a number")?;
                cells = text.parse().map_err(|_| format!("{text}: no number"))?;
            }
            option if option.starts_with("--") => return Err(format!("unknown option {option}")),
            path => folder = PathBuf::from(path),
        }
    }
    let schemas = schemas(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    println!(
        "| vocabulary | schemas | to the grammar, ms: middle | tenth | hundredth | until ready: middle \
         | tenth | hundredth | first canvas: middle | tenth | hundredth | undecided | refused | too large |"
    );
    println!("|---|{}", "--:|".repeat(13));
    for encoder in [Some(Encoder::shipped()), Encoder::large()]
        .iter()
        .flatten()
    {
        println!("{}", row(&schemas, encoder, cells));
    }
    Ok(())
}

/// The texts of a folder that are JSON, in the order of their files' names.
fn schemas(folder: &Path) -> std::io::Result<Vec<String>> {
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut files: Vec<PathBuf> = entries.iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    let texts = files
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok());
    Ok(texts
        .filter(|text| serde_json::from_str::<serde_json::Value>(text).is_ok())
        .collect())
}

fn row(schemas: &[String], encoder: &Encoder, cells: usize) -> String {
    let limits = CheckerLimits::default();
    let [mut grammar_ms, mut ready_ms, mut first_ms] = [const { Vec::new() }; 3];
    let (mut undecided, mut refused, mut too_large) = (0, 0, 0);
    for schema in schemas {
        let started = Started::now();
        let Ok(grammar) = compile(schema, &SchemaOptions::generation()) else {
            refused += 1;
            continue;
        };
        let compiled_in = started.elapsed();
        let started = Started::now();
        let Ok(compiled) = Compiled::new(&grammar, true, &limits) else {
            too_large += 1;
            continue;
        };
        let vocabulary = Some(Arc::clone(&encoder.vocabulary));
        let mut checker = Checker::from_compiled(Arc::new(compiled), vocabulary, limits);
        let ready_in = started.elapsed();
        let started = Started::now();
        let (verdict, _) = checker.check_canvas(&vec![None; cells]);
        let first_in = started.elapsed();
        undecided += usize::from(matches!(verdict, CanvasVerdict::Exhausted { .. }));
        let all = [&mut grammar_ms, &mut ready_ms, &mut first_ms];
        for (times, time) in all.into_iter().zip([compiled_in, ready_in, first_in]) {
            times.push(time.as_secs_f64() * 1e3);
        }
    }
    let count = first_ms.len();
    let times = [grammar_ms, ready_ms, first_ms].map(quantiles).concat();
    format!(
        "| {} | {count} | {} | {undecided} | {refused} | {too_large} |",
        encoder.name,
        times.join(" | "),
    )
}

/// The median, and what a tenth and a hundredth exceed.
fn quantiles(mut times: Vec<f64>) -> [String; 3] {
    times.sort_by(f64::total_cmp);
    [0.5, 0.9, 0.99].map(|share| {
        let at = ((times.len() as f64 * share).ceil() as usize).saturating_sub(1);
        times
            .get(at)
            .map_or("–".into(), |time| format!("{time:.2}"))
    })
}
