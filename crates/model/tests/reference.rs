//! The models that ship, against what PyTorch computes from the same files:
//! `reference.json` of each, written by `models/train/reference.py`, holds a few
//! inputs and, for each masked position, the logits of 16 tokens, the likeliest token with its
//! logit, and the logarithm of the sum of all exponentials (which no logit escapes).
//! `LACUNA_MODEL=DIR` checks another export before it ships.

use lacuna_model::{ForwardPass, Model, WeightFiles, Weights, WeightsError, plain};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The largest difference of a logit (or of the log-sum-exp) from PyTorch's, in f32 on the
/// same quantised weights. It comes from the 16-bit activations; 1.7e-3 was measured with
/// lacuna-mini, whose logits reach 29, and 3.3e-3 with lacuna-small, whose logits reach 32.
const LARGEST_DIFFERENCE: f32 = 4e-3;

/// The same for the plain pass, whose activations are f32: only the order of sums differs. Measured:
/// 3.1e-5, and the file rounds to 1e-5.
const LARGEST_PLAIN_DIFFERENCE: f32 = 2e-4;

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    ids: Vec<u32>,
    /// The tokens whose logits are given, in every row.
    vocabulary_ids: Vec<usize>,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    position: usize,
    argmax: usize,
    max: f32,
    logsumexp: f32,
    logits: Vec<f32>,
}

/// The models that ship, or the one that is named.
fn folders() -> Vec<PathBuf> {
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    match std::env::var_os("LACUNA_MODEL") {
        Some(folder) => vec![PathBuf::from(folder)],
        None => ["lacuna-mini", "lacuna-molecules", "lacuna-small"]
            .map(|name| models.join(name))
            .to_vec(),
    }
}

fn file(folder: &Path, name: &str) -> Vec<u8> {
    let path = folder.join(name);
    std::fs::read(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; the model's files belong to this test",
            path.display()
        )
    })
}

fn weights(folder: &Path) -> WeightFiles {
    let read = |name: &str| Ok::<_, WeightsError>(std::fs::read(folder.join(name)).ok());
    WeightFiles::of_folder(read).expect("the weights belong to this test")
}

fn reference(folder: &Path) -> Reference {
    let reference: Reference = serde_json::from_slice(&file(folder, "reference.json"))
        .expect("reference.json in its form");
    assert!(
        reference.cases.iter().any(|case| !case.rows.is_empty()),
        "nothing to compare"
    );
    reference
}

fn load(folder: &Path) -> Model {
    let [config, tokenizer] = ["config.json", "tokenizer.json"].map(|name| file(folder, name));
    Model::from_files(&config, &tokenizer, weights(folder)).expect("the model that ships loads")
}

/// The largest difference of `logits` from what `row` says.
fn difference(case: &Case, row: &Row, logits: &[f32]) -> f32 {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits
        .iter()
        .map(|&logit| f64::from(logit - most).exp())
        .sum();
    let logsumexp = most + sum.ln() as f32;
    assert_eq!(case.vocabulary_ids.len(), row.logits.len());
    let given = case
        .vocabulary_ids
        .iter()
        .map(|&id| logits[id])
        .zip(row.logits.iter().copied());
    // Where two tokens are as likely as each other, either may come first: so the likeliest is
    // compared by its logit.
    given
        .chain([
            (most, row.max),
            (logits[row.argmax], row.max),
            (logsumexp, row.logsumexp),
        ])
        .map(|(ours, theirs)| (ours - theirs).abs())
        .fold(0.0, |worst, gap| if gap <= worst { worst } else { gap })
}

#[test]
fn the_logits_are_pytorchs() {
    folders().iter().for_each(|folder| compare(folder));
}

fn compare(folder: &Path) {
    let mut model = load(folder).transformer;
    let vocab = model.config().vocab_size;
    let mut worst = 0.0f32;
    let mut logits = Vec::new();
    for case in reference(folder).cases {
        let rows: Vec<usize> = case.rows.iter().map(|row| row.position).collect();
        model
            .logits(&case.ids, &rows, &mut logits)
            .expect("a reference input fits");
        for (row, logits) in case.rows.iter().zip(logits.chunks(vocab)) {
            worst = worst.max(difference(&case, row, logits));
        }
    }
    println!("largest difference: {worst:e}");
    assert!(worst < LARGEST_DIFFERENCE, "{worst}");
}

#[test]
fn the_plain_logits_are_pytorchs() {
    folders().iter().for_each(|folder| compare_plain(folder));
}

fn compare_plain(folder: &Path) {
    let config = load(folder).config;
    let weights = Weights::read(weights(folder), &config).unwrap();
    let mut worst = 0.0f32;
    // The shorter inputs: the plain pass takes a second for each hundred positions.
    for case in reference(folder)
        .cases
        .iter()
        .filter(|case| case.ids.len() <= 128)
    {
        let logits = plain::logits(&weights, &case.ids);
        for row in &case.rows {
            worst = worst.max(difference(case, row, &logits[row.position]));
        }
    }
    println!("largest difference: {worst:e}");
    assert!(worst < LARGEST_PLAIN_DIFFERENCE, "{worst}");
}

/// Every byte is a token, and text goes through the tokenizer unchanged.
#[test]
fn the_tokenizer_is_byte_exact() {
    folders().iter().for_each(|folder| check_tokenizer(folder));
}

fn check_tokenizer(folder: &Path) {
    let model = load(folder);
    let bytes = model.tokenizer.token_bytes();
    assert_eq!(bytes.len(), model.config.vocab_size);
    for byte in 0..=255u8 {
        assert!(
            bytes.iter().any(|token| token.as_deref() == Some(&[byte])),
            "{byte:#04x}"
        );
    }
    let text = "play “Für Elise” ☃ {\"a\":[1,2]}\n\t<|sep|> \u{1f600}\u{0301}";
    let ids = model.tokenizer.encode(text).unwrap();
    assert_eq!(model.tokenizer.decode(&ids), text.as_bytes());
    let prompt = model.prompt.expect("the model that ships has a template");
    let ids = prompt
        .fill(&model.tokenizer, "music", "play <|sep|>")
        .unwrap();
    let separator = model.tokenizer.special_tokens()["<|sep|>"];
    assert_eq!(ids.iter().filter(|&&id| id == separator).count(), 1);
    assert_eq!(ids.last(), Some(&separator));
}
