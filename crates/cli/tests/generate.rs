//! `lacuna generate` with the model that ships, and with models that are broken.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn repository(path: &str) -> String {
    format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))
}

fn generate(model: &str, grammar: &str, more: &[&str]) -> Output {
    generate_on("cpu", model, grammar, more)
}

fn generate_on(device: &str, model: &str, grammar: &str, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["generate", "--model", model, "--grammar", grammar])
        .args(["--prompt", "book a table for two in Boston tomorrow"])
        .args(["--device", device])
        .args(more)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn shipped() -> (String, String) {
    (
        repository("models/lacuna-mini"),
        repository("grammars/snips.schema.json"),
    )
}

/// A copy of the shipped model in which one file is replaced.
fn damaged(folder: &Path, name: &str, change: impl Fn(Vec<u8>) -> Vec<u8>) -> String {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        let bytes = std::fs::read(Path::new(&shipped().0).join(file)).expect(file);
        let bytes = if file == name { change(bytes) } else { bytes };
        std::fs::write(folder.join(file), bytes).expect(file);
    }
    folder.to_string_lossy().into_owned()
}

#[test]
fn the_text_is_json_and_the_events_tell_the_run() {
    let (model, grammar) = shipped();
    let folder = tempfile::tempdir().expect("a folder");
    let events = folder.path().join("events.jsonl");
    let path = events.to_string_lossy();
    let more = ["--length", "48", "--steps", "8", "--events", &path];
    let output = generate(&model, &grammar, &more);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(value["intent"].is_string());
    assert!(text(&output.stderr).contains("steps"));

    let lines = std::fs::read_to_string(&events).expect("the events");
    let events: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect();
    assert_eq!(events.first().expect("an event")["type"], "step");
    let done = events.last().expect("an event");
    assert_eq!(done["type"], "done");
    assert_eq!(
        done["text"].as_str().expect("text"),
        text(&output.stdout).trim_end()
    );
}

#[test]
fn the_device_is_named_with_the_reason() {
    let (model, grammar) = shipped();
    let more = ["--length", "24", "--steps", "4"];
    let chosen = generate(&model, &grammar, &more);
    let error = text(&chosen.stderr);
    assert!(error.contains("on cpu: as asked for"), "{error}");

    let auto = generate_on("auto", &model, &grammar, &more);
    let error = text(&auto.stderr);
    assert!(auto.status.success(), "{error}");
    let reasons = ["times as long", "agrees", "differed", "adapter", "failed"];
    assert!(
        reasons.iter().any(|reason| error.contains(reason)),
        "{error}"
    );
    assert_eq!(text(&auto.stdout), text(&chosen.stdout));

    let unknown = generate_on("tpu", &model, &grammar, &more);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("expected auto, cpu or gpu"));
}

#[test]
fn a_seed_replays_a_run() {
    let (model, grammar) = shipped();
    let run = |seed: &str| {
        let more = [
            "--length",
            "40",
            "--steps",
            "8",
            "--temperature",
            "1",
            "--seed",
            seed,
        ];
        generate(&model, &grammar, &more).stdout
    };
    assert_eq!(run("3"), run("3"));
}

/// However low, where logits that are divided by it would be too large for their type.
#[test]
fn a_temperature_of_nearly_nothing_writes_what_none_writes() {
    let (model, grammar) = shipped();
    let at = |temperature: &str| {
        let more = [
            "--length",
            "40",
            "--steps",
            "8",
            "--temperature",
            temperature,
        ];
        generate(&model, &grammar, &more).stdout
    };
    let greedy = at("0");
    for temperature in ["1e-6", "1e-30", "1e-45"] {
        assert_eq!(at(temperature), greedy, "{temperature}");
    }
}

/// No canvas is long enough, so no length is advised.
#[test]
fn tokens_that_every_text_needs_and_that_are_banned_are_to_blame() {
    let (model, _) = shipped();
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = folder.path().join("a.regex");
    std::fs::write(&grammar, "\\{").expect("a file");
    let grammar = grammar.to_string_lossy();
    let tokenizer = std::fs::read(format!("{model}/tokenizer.json")).expect("the tokenizer");
    let tokenizer: Value = serde_json::from_slice(&tokenizer).expect("JSON");
    let tokens = tokenizer["model"]["vocab"].as_object().expect("tokens");
    let banned = tokens.iter().filter(|(token, _)| token.as_str() == "{");
    let banned: Vec<String> = banned.map(|(_, id)| id.to_string()).collect();
    assert_eq!(banned.len(), 1);
    let output = generate(&model, &grammar, &["--length", "9", "--ban", &banned[0]]);
    let error = text(&output.stderr);
    let said = "fits a canvas of 9 cells, nor one of 65536, with the tokens that may be written";
    assert!(error.contains(said), "{error}");
}

#[test]
fn a_canvas_too_short_is_refused_with_the_length_it_needs() {
    let (model, grammar) = shipped();
    let output = generate(&model, &grammar, &["--length", "2"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let error = text(&output.stderr);
    assert!(
        error.contains("no text of the grammar fits a canvas of 2 cells"),
        "{error}"
    );
    assert!(error.contains("at least"), "{error}");
}

#[test]
fn a_canvas_longer_than_the_model_is_refused() {
    let (model, grammar) = shipped();
    for length in ["5000", "18446744073709551615"] {
        let output = generate(&model, &grammar, &["--length", length]);
        assert_eq!(output.status.code(), Some(1));
        let error = text(&output.stderr);
        assert!(error.contains("the model holds"), "{error}");
    }
}

#[test]
fn damaged_models_are_named_by_file() {
    let cut = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() / 2);
        bytes
    };
    for file in ["model.safetensors", "tokenizer.json", "config.json"] {
        let folder = tempfile::tempdir().expect("a folder");
        let output = generate(&damaged(folder.path(), file, cut), &shipped().1, &[]);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            text(&output.stderr).contains(file),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_tokenizer_that_does_not_fit_is_named_with_both_sizes() {
    let folder = tempfile::tempdir().expect("a folder");
    let smaller = |bytes: Vec<u8>| {
        let mut tokenizer: Value = serde_json::from_slice(&bytes).expect("JSON");
        let model = tokenizer["model"].as_object_mut().expect("a model");
        let dropped = model["merges"]
            .as_array_mut()
            .expect("merges")
            .pop()
            .expect("a merge");
        let token = match dropped {
            Value::String(merge) => merge.replace(' ', ""),
            parts => parts
                .as_array()
                .expect("a pair")
                .iter()
                .filter_map(Value::as_str)
                .collect(),
        };
        model["vocab"]
            .as_object_mut()
            .expect("a vocabulary")
            .remove(&token);
        serde_json::to_vec(&tokenizer).expect("JSON")
    };
    let model = damaged(folder.path(), "tokenizer.json", smaller);
    let output = generate(&model, &shipped().1, &[]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("2047") && error.contains("2048"), "{error}");
}

#[test]
fn every_strategy_is_reached_from_the_command_line() {
    let (model, grammar) = shipped();
    for more in [
        &["--schedule", "cosine", "--cell-order", "margin"][..],
        &["--schedule", "threshold:0.9", "--block", "16"],
        &["--schedule", "factor:0.5", "--commit", "relaxed"],
        &["--temperature", "1", "--top-k", "4", "--top-p", "0.9"],
        &["--temperature", "1", "--min-p", "0.1", "--seed", "3"],
        &["--repetition-penalty", "1.3", "--bias", "9=-1.5"],
        &["--remask", "0.6", "--cell-order", "entropy"],
        &["--refusals-in-all", "0", "--recovery", "finish"],
        &["--refusals", "0", "--recovery", "witness"],
        &["--fill", "--commit", "sequential"],
    ] {
        let more = [&["--length", "32", "--steps", "8"], more].concat();
        let output = generate(&model, &grammar, &more);
        assert!(
            output.status.success(),
            "{more:?}: {}",
            text(&output.stderr)
        );
        let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(value["intent"].is_string(), "{more:?}");
    }
    let output = generate(&model, &grammar, &["--schedule", "sudden"]);
    assert!(text(&output.stderr).contains("expected one of fixed, linear, cosine, threshold:P"));
}

#[test]
fn banned_tokens_are_never_written() {
    let (model, grammar) = shipped();
    let committed = |more: &[&str]| -> Vec<u64> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("events.jsonl");
        let shown = path.to_string_lossy();
        let more = [
            &["--length", "40", "--steps", "8", "--events", &shown],
            more,
        ]
        .concat();
        let output = generate(&model, &grammar, &more);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let lines = std::fs::read_to_string(&path).expect("the events");
        let events = lines.lines().map(serde_json::from_str::<Value>);
        let events = events.map(|event| event.expect("a JSON line"));
        events
            .filter(|event| event["type"] == "commit" && event["end"] == false)
            .filter_map(|event| event["token"].as_u64())
            .collect()
    };
    let usual = committed(&[]);
    let banned = usual[usual.len() / 2].to_string();
    let without = committed(&["--ban", &banned]);
    assert!(!without.iter().any(|token| token.to_string() == banned));
}

/// A query takes its columns from the grammar and its texts from the request.
#[test]
fn a_lark_grammar_means_the_request_by_a_slot() {
    let grammar = repository("models/lacuna-small/query.lark");
    let task = ["--task", "sql player,team,points,season"];
    let more = [
        "--length",
        "40",
        "--steps",
        "12",
        "--cell-order",
        "left-to-right",
    ];
    let more = [&task[..], &more[..]].concat();
    let output = generate(&repository("models/lacuna-small"), &grammar, &more);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let query = text(&output.stdout);
    let (head, tests) = query
        .trim_end()
        .split_once(" WHERE ")
        .unwrap_or((&query, ""));
    assert!(
        head.starts_with("SELECT ") && head.contains(" FROM t"),
        "{query}"
    );
    let quoted = tests.split('\'').skip(1).step_by(2);
    for value in quoted {
        let request = "book a table for two in Boston tomorrow";
        assert!(request.contains(value), "{query}");
    }
}

#[test]
fn one_is_no_plural() {
    let (model, grammar) = shipped();
    let output = generate(&model, &grammar, &["--steps", "1", "--length", "40"]);
    let said = text(&output.stderr);
    assert!(said.contains(" in 1 step: "), "{said}");
    let output = generate(&model, &grammar, &["--length", "1"]);
    let said = text(&output.stderr);
    assert!(said.contains("a canvas of 1 cell: it needs"), "{said}");
}

/// No model is there: what is wrong with the options is said before one is read.
#[test]
fn options_are_judged_before_the_model_is_read() {
    let (_, grammar) = shipped();
    for (more, status, said) in [
        (["--temperature", "nan"], 1, "the temperature must be"),
        (["--top-p", "2"], 1, "top-p must be"),
        (["--top-p", "-1"], 1, "top-p must be"),
        (["--steps", "0"], 1, "at least one step"),
        (["--events", "/nowhere/a/b"], 1, "/nowhere/a/b"),
        (["--length", "0"], 2, "from 1 up"),
    ] {
        let output = generate("no-model-here", &grammar, &more);
        assert_eq!(output.status.code(), Some(status), "{more:?}");
        let error = text(&output.stderr);
        assert!(error.contains(said), "{more:?}: {error}");
        assert!(!error.contains("no-model-here"), "{more:?}: {error}");
    }
}

/// The request says a word twice; nothing in the schema's grammar keeps it from being written so.
#[test]
fn items_differ_where_whole_texts_are_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = folder.path().join("tags.schema.json");
    let schema = r#"{"type": "object", "required": ["tags"], "additionalProperties": false,
        "properties": {"tags": {"type": "array", "minItems": 4, "uniqueItems": true,
            "items": {"type": "string", "x-spanOf": "request", "maxLength": 6}}}}"#;
    std::fs::write(&grammar, schema).expect("the schema");
    let (model, grammar) = (shipped().0, grammar.to_string_lossy());
    for more in [
        ["--commit", "bisect"],
        ["--commit", "best"],
        ["--masks", "0"],
        ["--refusals", "2"],
    ] {
        let output = generate(&model, &grammar, &more);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let tags = value["tags"].as_array().expect("an array");
        assert!(tags.len() >= 4, "{more:?}: {value}");
        for (at, tag) in tags.iter().enumerate() {
            assert!(!tags[..at].contains(tag), "{more:?}: {value}");
        }
    }
}
