//! How soon a grammar's first canvas is decided:
//! `cargo bench -p lacuna-published --bench first_canvas -- FOLDER`, a folder of JSON Schemas
//! and Lark grammars (those of the repository, if none is named). Prints Markdown, of the thread's
//! time: to the grammar, from there until a checker is ready, and the first canvas, of which all
//! cells are masked; what is slow of it is what is found out of a vocabulary under a grammar. Each
//! of a grammar once, with the small vocabulary, and with the large one where `npm run vocabulary`
//! has fetched it. `--cells N` is the length of the canvas; `--each` prints a row for each grammar,
//! and the classes of all tokens that it has, made alone. What is refused, or too large for a
//! checker, is counted.
#![allow(dead_code, reason = "shared with the bench of checks")]

#[path = "compare/clock.rs"]
mod clock;
#[path = "compare/folder.rs"]
mod folder;
#[path = "compare/quantile.rs"]
mod quantile;
#[path = "compare/vocabulary.rs"]
mod vocabulary;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clock::Started;
use lacuna_checker::{CanvasVerdict, Checker, CheckerLimits, Compiled};
use lacuna_grammar::json_schema::{SchemaOptions, compile};
use lacuna_grammar::{Grammar, lark};
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
    let mut is_each = false;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo's own.
            "--bench" => {}
            "--cells" => {
                let text = arguments.next().ok_or("--cells needs a number")?;
                cells = text.parse().map_err(|_| format!("{text}: no number"))?;
            }
            "--each" => is_each = true,
            option if option.starts_with("--") => return Err(format!("unknown option {option}")),
            path => folder = PathBuf::from(path),
        }
    }
    let sources = sources(&folder)?;
    let encoders = [Some(Encoder::shipped()), Encoder::large()];
    if is_each {
        println!(
            "| vocabulary | grammar | to the grammar, ms | until ready | first canvas | classes | made in |"
        );
        println!("|---|---|{}", "--:|".repeat(5));
        for encoder in encoders.iter().flatten() {
            for (name, source) in &sources {
                if let Ok(timed) = time(source, encoder, cells) {
                    println!("| {} | {name} | {}", encoder.name, timed.row());
                }
            }
        }
        return Ok(());
    }
    println!(
        "| vocabulary | schemas | to the grammar, ms: middle | tenth | hundredth | until ready: middle \
         | tenth | hundredth | first canvas: middle | tenth | hundredth | undecided | refused | too large |"
    );
    println!("|---|{}", "--:|".repeat(13));
    for encoder in [Some(Encoder::shipped()), Encoder::large()]
        .iter()
        .flatten()
    {
        println!("{}", row(&sources, encoder, cells));
    }
    Ok(())
}

/// A grammar's text.
enum Source {
    Schema(String),
    Lark(String),
}

impl Source {
    fn grammar(&self) -> Option<Grammar> {
        match self {
            Self::Schema(text) => compile(text, &SchemaOptions::generation()).ok(),
            Self::Lark(text) => lark::parse(text).ok(),
        }
    }
}

/// The files of a folder that are Lark grammars or JSON, in the order of their names.
fn sources(folder: &Path) -> Result<Vec<(String, Source)>, String> {
    let texts = folder::texts(folder)?.into_iter();
    let sources = texts.filter_map(|(name, text)| match name.ends_with(".lark") {
        true => Some((name, Source::Lark(text))),
        false => folder::is_json(&text).then_some((name, Source::Schema(text))),
    });
    Ok(sources.collect())
}

/// What was measured of one grammar.
struct Timed {
    /// To the grammar, until ready, and the first canvas.
    times: [Duration; 3],
    is_decided: bool,
    checker: Checker,
}

/// Why nothing was measured.
enum Failure {
    Refused,
    TooLarge,
}

fn time(source: &Source, encoder: &Encoder, cells: usize) -> Result<Timed, Failure> {
    let limits = CheckerLimits::default();
    let started = Started::now();
    let grammar = source.grammar().ok_or(Failure::Refused)?;
    let compiled_in = started.elapsed();
    let started = Started::now();
    let compiled = Compiled::new(&grammar, true, &limits).map_err(|_| Failure::TooLarge)?;
    let vocabulary = Some(Arc::clone(&encoder.vocabulary));
    let mut checker = Checker::from_compiled(Arc::new(compiled), vocabulary, limits);
    let ready_in = started.elapsed();
    let started = Started::now();
    let (verdict, _) = checker.check_canvas(&vec![None; cells]);
    Ok(Timed {
        times: [compiled_in, ready_in, started.elapsed()],
        is_decided: !matches!(verdict, CanvasVerdict::Exhausted { .. }),
        checker,
    })
}

impl Timed {
    fn row(&self) -> String {
        let ms = |time: Duration| format!("{:.2}", time.as_secs_f64() * 1e3);
        // A regular grammar has no lexer until it is asked for: that is not what is timed.
        let lexed = self.checker.token_partition();
        let started = Started::now();
        let again = self.checker.token_partition();
        let made_in = started.elapsed();
        let classes = match (lexed, again) {
            (Ok(Some(_)), Ok(Some(partition))) => partition.classes.to_string(),
            _ => "–".into(),
        };
        let times = self.times.map(ms).join(" | ");
        format!("{times} | {classes} | {} |", ms(made_in))
    }
}

fn row(sources: &[(String, Source)], encoder: &Encoder, cells: usize) -> String {
    let mut all: [Vec<f64>; 3] = [const { Vec::new() }; 3];
    let (mut undecided, mut refused, mut too_large) = (0, 0, 0);
    for (_, source) in sources {
        match time(source, encoder, cells) {
            Ok(timed) => {
                undecided += usize::from(!timed.is_decided);
                for (times, time) in all.iter_mut().zip(timed.times) {
                    times.push(time.as_secs_f64() * 1e3);
                }
            }
            Err(Failure::Refused) => refused += 1,
            Err(Failure::TooLarge) => too_large += 1,
        }
    }
    let count = all[0].len();
    format!(
        "| {} | {count} | {} | {undecided} | {refused} | {too_large} |",
        encoder.name,
        all.map(|times| folder::quantiles(times, [0.5, 0.9, 0.99]))
            .concat()
            .join(" | "),
    )
}
