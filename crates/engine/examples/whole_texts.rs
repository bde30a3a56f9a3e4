//! How many schemas of a folder are written though no grammar says them, and what that takes:
//! `cargo run --release -p lacuna-engine --example whole_texts -- FOLDER [TOKENIZER-FOLDER]`.
//!
//! Each is compiled for writing. Where whole texts are judged, a canvas of 512 masked cells is
//! completed, then tokens are committed one by one: half of them the completion's, half of them
//! any. Prints the schemas that are refused by the kind of the first finding, and milliseconds.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use lacuna_checker::{Budget, CanvasVerdict, Checker};
use lacuna_engine::{Dialect, GrammarCache, GrammarSource, Purpose};
use lacuna_lexer::{TokenId, Vocabulary};
use lacuna_model::{ModelConfig, Tokenizer};

const CELLS: usize = 512;
const COMMITS: usize = 12;

#[derive(Default)]
struct Tally {
    schemas: usize,
    judged: usize,
    refused: BTreeMap<String, usize>,
    begun: usize,
    first: Vec<f64>,
    commits: Vec<f64>,
    yes: usize,
    no: usize,
    not_accepted: usize,
    out_of_budget: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("a folder of schemas is needed")?;
    let tokenizer = arguments.next().unwrap_or("models/lacuna-mini".to_owned());
    let vocabulary = Arc::new(vocabulary(Path::new(&tokenizer))?);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    paths.sort();
    let mut tally = Tally::default();
    let mut random = fastrand::Rng::with_seed(1);
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        tally.schemas += 1;
        let source = GrammarSource::new(Dialect::JsonSchema, text);
        let cache = GrammarCache::default();
        match cache.compile(&source, Purpose::Writing, Some(&vocabulary), false) {
            Ok(found) if found.grammar.is_judged() => {
                let checker = found.grammar.checker(Some(Arc::clone(&vocabulary)));
                tally.write(checker, &vocabulary, &mut random);
            }
            Ok(_) => {}
            Err(fault) => {
                let first = fault.diagnostics.first();
                let kind = first.map_or(fault.kind.to_owned(), |it| it.kind.to_string());
                *tally.refused.entry(kind).or_default() += 1;
            }
        }
    }
    tally.print();
    Ok(())
}

fn vocabulary(folder: &Path) -> Result<Vocabulary, Box<dyn Error>> {
    let config = ModelConfig::from_json(&std::fs::read(folder.join("config.json"))?)?;
    let tokenizer = std::fs::read(folder.join("tokenizer.json"))?;
    let tokenizer = Tokenizer::from_json(&tokenizer, &config)?;
    let tokens = tokenizer.token_bytes().to_vec();
    let (ends, mask) = (config.eos_token_ids.clone(), config.mask_token_id);
    Ok(Vocabulary::new(tokens, ends, mask)?)
}

impl Tally {
    fn write(&mut self, mut checker: Checker, vocabulary: &Vocabulary, random: &mut fastrand::Rng) {
        self.judged += 1;
        let mut cells: Vec<Option<TokenId>> = vec![None; CELLS];
        let started = Instant::now();
        let (verdict, _) = checker.check_canvas(&cells);
        self.first.push(started.elapsed().as_secs_f64() * 1e3);
        let CanvasVerdict::Completable(mut completion) = verdict else {
            return;
        };
        self.begun += 1;
        let is_end = |token: &TokenId| vocabulary.is_end(*token);
        let text = completion.iter().position(is_end).unwrap_or(CELLS);
        for _ in 0..COMMITS {
            let cell = random.usize(..(text + 20).min(CELLS));
            if cells[cell].is_some() {
                continue;
            }
            let mut tried = cells.clone();
            tried[cell] = Some(match random.bool() {
                true => completion[cell],
                false => random.u32(..vocabulary.len() as u32),
            });
            let started = Instant::now();
            match checker.check_canvas(&tried).0 {
                CanvasVerdict::Completable(tokens) => {
                    self.yes += 1;
                    (completion, cells) = (tokens, tried);
                }
                CanvasVerdict::Impossible { .. } | CanvasVerdict::Malformed => self.no += 1,
                CanvasVerdict::Exhausted {
                    what: Budget::JUDGED,
                    ..
                } => {
                    self.not_accepted += 1;
                }
                CanvasVerdict::Exhausted { .. } => self.out_of_budget += 1,
            }
            self.commits.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }

    fn print(&mut self) {
        let refused: usize = self.refused.values().sum();
        println!(
            "{} schemas; {} have no grammar and are judged as whole texts, {} of them can be begun",
            self.schemas, self.judged, self.begun
        );
        println!("{refused} refused: {:?}", self.refused);
        println!(
            "commits: {} may stand, {} may not, {} have no completion found that is valid, {} ran \
             out of another budget",
            self.yes, self.no, self.not_accepted, self.out_of_budget
        );
        for (what, times) in [
            ("first canvas", &mut self.first),
            ("a commit", &mut self.commits),
        ] {
            times.sort_by(f64::total_cmp);
            let at = |share: f64| {
                let last = times.len().saturating_sub(1) as f64;
                times.get((share * last) as usize).copied().unwrap_or(0.0)
            };
            println!(
                "{what}: middle {:.2} ms, slowest tenth from {:.2}, slowest hundredth from {:.1}",
                at(0.5),
                at(0.9),
                at(0.99)
            );
        }
    }
}
