//! What canvases of texts drawn from grammars cost:
//! `cargo bench -p lacuna-published --bench drawn_canvases -- FOLDER [--masked SHARE] [--small]`, a
//! folder of JSON Schemas. Up to three texts of 60 to 900 bytes are drawn for each schema, the same in
//! every run, and a share of their tokens (0.4) is masked at random: strings of random characters,
//! which are harder than what anyone writes. Prints Markdown, of the thread's time: the canvas, the
//! same after one token more is known, and the exact masks of the first; with the small vocabulary,
//! and with the large one where `npm run vocabulary` has fetched it (`--small` leaves it out).
//! Verdicts are `Completable`, as each canvas comes of a text, or the budget was used up, which is
//! counted, as is a canvas with masks left open by it; a schema that is refused or too large, or has
//! no such text, is counted too.
#![allow(dead_code, reason = "shared with the bench of checks")]

#[path = "compare/clock.rs"]
mod clock;
#[path = "compare/folder.rs"]
mod folder;
#[path = "compare/quantile.rs"]
mod quantile;
#[path = "../../grammar/tests/support/mod.rs"]
mod support;
#[path = "compare/vocabulary.rs"]
mod vocabulary;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clock::Started;
use lacuna_checker::{CanvasVerdict, Checker, CheckerLimits};
use lacuna_grammar::Grammar;
use lacuna_grammar::json_schema::{SchemaOptions, compile};
use support::Sampler;
use vocabulary::Encoder;

/// The median, what a tenth and a hundredth exceed, and the most.
const SHARES: [f64; 4] = [0.5, 0.9, 0.99, 1.0];

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
    let (mut folder, mut masked, mut is_small) = (None, 0.4f32, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo's own.
            "--bench" => {}
            "--masked" => {
                let text = arguments.next().ok_or("--masked needs a share")?;
                masked = text.parse().map_err(|_| format!("{text}: no number"))?;
            }
            "--small" => is_small = true,
            option if option.starts_with("--") => return Err(format!("unknown option {option}")),
            path => folder = Some(PathBuf::from(path)),
        }
    }
    let folder = folder.ok_or("a folder of JSON Schemas is needed")?;
    let texts = folder::texts(&folder)?.into_iter().map(|(_, text)| text);
    let schemas: Vec<String> = texts.filter(|text| folder::is_json(text)).collect();
    println!(
        "| vocabulary | schemas | canvases | ms: middle | tenth | hundredth | slowest | one token \
         more: middle | tenth | hundredth | slowest | masks: middle | tenth | hundredth | slowest | \
         out of budget | masks out of it | refused | without texts |"
    );
    println!("|---|{}", "--:|".repeat(18));
    let large = (!is_small).then(Encoder::large).flatten();
    for encoder in [Some(Encoder::shipped()), large].iter().flatten() {
        println!("{}", row(&schemas, encoder, masked)?);
    }
    Ok(())
}

/// Up to three texts of some length.
fn drawn(grammar: &Grammar) -> Vec<String> {
    const TRIES: usize = 20;
    let sampler = Sampler::new(grammar);
    let mut random = fastrand::Rng::with_seed(7);
    let texts = (0..TRIES).map(|_| sampler.draw_within(500, &mut random));
    let texts = texts.filter(|text| (60..=900).contains(&text.len()));
    texts
        .filter_map(|text| String::from_utf8(text).ok())
        .take(3)
        .collect()
}

fn row(schemas: &[String], encoder: &Encoder, masked: f32) -> Result<String, String> {
    let (mut times, mut later, mut masking) = (Vec::new(), Vec::new(), Vec::new());
    let (mut taken, mut refused, mut without, mut exhausted, mut open) = (0, 0, 0, 0, 0);
    for schema in schemas {
        let checker = compile(schema, &SchemaOptions::generation())
            .ok()
            .and_then(|grammar| {
                let vocabulary = Some(Arc::clone(&encoder.vocabulary));
                let checker = Checker::new(&grammar, vocabulary, CheckerLimits::default()).ok()?;
                Some((drawn(&grammar), checker))
            });
        let Some((texts, mut checker)) = checker else {
            refused += 1;
            continue;
        };
        match texts.is_empty() {
            true => without += 1,
            false => taken += 1,
        }
        let mut random = fastrand::Rng::with_seed(3);
        for text in texts {
            let tokens = encoder.encode(&text);
            let cells = tokens.iter();
            let mut canvas: Vec<_> = cells
                .map(|&token| (random.f32() > masked).then_some(token))
                .collect();
            let mut check = |canvas: &[_], times: &mut Vec<f64>| {
                let started = Started::now();
                let (verdict, _) = checker.check_canvas(canvas);
                times.push(milliseconds(started.elapsed()));
                match verdict {
                    CanvasVerdict::Completable(_) => Ok(0),
                    CanvasVerdict::Exhausted { .. } => Ok(1),
                    CanvasVerdict::Impossible { .. } | CanvasVerdict::Malformed => {
                        Err(format!("no completion, but {text:?} is one"))
                    }
                }
            };
            exhausted += check(&canvas, &mut times)?;
            let drawn = canvas.clone();
            if let Some(at) = canvas.iter().position(Option::is_none) {
                canvas[at] = Some(tokens[at]);
                check(&canvas, &mut later)?;
            }
            let started = Started::now();
            let masks = checker.masks(&drawn);
            masking.push(milliseconds(started.elapsed()));
            open += usize::from(masks.undecided > 0);
            for (at, mask) in masks.cells.iter().enumerate() {
                let is_lacking = |mask: &lacuna_lexer::BitSet| !mask.contains(tokens[at] as usize);
                if masks.undecided == 0 && mask.as_ref().is_some_and(is_lacking) {
                    return Err(format!(
                        "no mask of {at} allows what stands there in {text:?}"
                    ));
                }
            }
        }
    }
    Ok(format!(
        "| {} | {taken} | {} | {} | {} | {} | {exhausted} | {open} | {refused} | {without} |",
        encoder.name,
        times.len(),
        folder::quantiles(times, SHARES).join(" | "),
        folder::quantiles(later, SHARES).join(" | "),
        folder::quantiles(masking, SHARES).join(" | "),
    ))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
