//! GBNF grammars that name tokens, through the binary: with the shipped model's
//! tokenizer, whose token 2 is the special `<|sep|>`.

use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};

use crate::support::{self, repository};

const GRAMMAR: &str = "root ::= \"a\" <|sep|> [a-z ]{1,20} !<[2]>\n";

struct Files {
    _folder: tempfile::TempDir,
    grammar: PathBuf,
}

fn files(grammar: &str) -> Files {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tokens.gbnf");
    std::fs::write(&path, grammar).expect("a file");
    Files {
        _folder: folder,
        grammar: path,
    }
}

fn lacuna(command: &str, files: &Files, more: &[&str], input: &str) -> Output {
    let grammar = files.grammar.to_str().expect("UTF-8");
    support::lacuna(&[&[command, "--grammar", grammar], more].concat(), input)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_named_special_token_fills_one_cell() {
    let files = files(GRAMMAR);
    let tokenizer = repository("models/lacuna-mini/tokenizer.json");
    let cases = [
        // The token itself is one cell; its text may also be spelled in others.
        (
            json!({"segments": ["a", null, "b", null], "gaps": [1, 1]}),
            true,
        ),
        (
            json!({"segments": ["a", null, "b", null], "gaps": [0, 1]}),
            false,
        ),
        (
            json!({"segments": ["a<|se", null, "b", null], "gaps": [3, 1]}),
            true,
        ),
        (json!({"segments": ["a<|sep|>bc"]}), true),
        (json!({"segments": ["a<|sep|>b<|sep|>"]}), false),
        (json!({"segments": ["abc"]}), false),
    ];
    let input: String = cases.iter().map(|(case, _)| format!("{case}\n")).collect();
    let output = lacuna("check", &files, &["--tokenizer", &tokenizer], &input);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let answers = text(&output.stdout);
    let answers: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect();
    assert_eq!(answers.len(), cases.len());
    for ((case, expected), answer) in cases.iter().zip(&answers) {
        assert_eq!(answer["completable"], json!(expected), "{case}: {answer}");
    }
    let witness = answers[0]["witness"].as_str().expect("a witness");
    assert!(witness.starts_with("a<|sep|>b"), "{witness}");
}

#[test]
fn cells_may_hold_a_named_special_token_and_no_other() {
    let tokenizer = repository("models/lacuna-mini/tokenizer.json");
    let input = "{\"cells\": [null, 2, null, null]}\n";
    for (grammar, expected) in [(GRAMMAR, true), ("root ::= .{1,9}\n", false)] {
        let files = files(grammar);
        let output = lacuna("check", &files, &["--tokenizer", &tokenizer], input);
        let answer: Value = serde_json::from_slice(&output.stdout).expect("a JSON line");
        assert_eq!(answer["completable"], json!(expected), "{answer}");
    }
}

#[test]
fn a_model_writes_the_token_that_the_grammar_names() {
    let files = files(GRAMMAR);
    let model = repository("models/lacuna-mini");
    let events = files.grammar.with_extension("jsonl");
    let path = events.to_string_lossy().into_owned();
    let more = [
        "--model", &model, "--device", "cpu", "--prompt", "hello", "--length", "12", "--steps",
        "4", "--events", &path,
    ];
    let output = lacuna("generate", &files, &more, "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = text(&output.stdout);
    assert!(written.starts_with("a<|sep|>"), "{written}");
    let events = std::fs::read_to_string(events).expect("the events");
    let done = events.lines().last().expect("an event");
    let done: Value = serde_json::from_str(done).expect("a JSON line");
    assert_eq!(done["text"].as_str(), written.strip_suffix('\n'));
}

#[test]
fn without_a_tokenizer_the_place_and_the_remedy_are_named() {
    let files = files(GRAMMAR);
    for command in ["check", "compile"] {
        let output = lacuna(command, &files, &[], "");
        assert_eq!(output.status.code(), Some(1));
        let error = text(&output.stderr);
        assert!(error.contains("error[token-terminal]"), "{error}");
        assert!(error.contains("tokens.gbnf:1:14"), "{error}");
        assert!(error.contains("--tokenizer"), "{error}");
    }
}

#[test]
fn a_token_that_the_tokenizer_lacks_is_named() {
    let files = files("root ::= <think> <[0]>\n");
    let tokenizer = repository("models/lacuna-mini/tokenizer.json");
    let output = lacuna("compile", &files, &["--tokenizer", &tokenizer], "");
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("error[unknown-token]"), "{error}");
    assert!(error.contains("<think>"), "{error}");
    assert!(error.contains("error[unusable-token]"), "{error}");
}
