//! `lacuna eval`: every method on recorded logits and on probabilities made of references;
//! what the exact checker guards belongs to the grammar.

use std::process::Command;

use serde_json::Value;

fn repository(path: &str) -> String {
    format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))
}

/// The table, and the runs as JSON.
fn eval(more: &[&str]) -> (String, Vec<Value>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.json");
    let output = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["eval", "--model", &repository("models/lacuna-mini")])
        .args(["--device", "cpu", "--json", &path.to_string_lossy()])
        .args(more)
        .output()
        .expect("the binary runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{error}");
    let runs = std::fs::read(&path).expect("the runs");
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        serde_json::from_slice(&runs).expect("JSON"),
    )
}

fn outputs(series: &Value) -> &Vec<Value> {
    series["outputs"].as_array().expect("outputs")
}

#[test]
fn recorded_logits_are_the_same_for_every_method() {
    let (table, runs) = eval(&[
        "--grammar",
        &repository("grammars/snips.schema.json"),
        "--requests",
        &repository("models/lacuna-mini/heldout-snips.jsonl"),
        "--limit",
        "2",
        "--length",
        "40",
        "--steps",
        "5,40",
        "--seeds",
        "0,1",
        "--recorded",
        "--methods",
        "unconstrained,unconstrained-stop,mundler,memo+parallel,epic,lacuna,lacuna-best,lacuna-masks",
    ]);
    let blocks: Vec<&str> = table.split("\n\n").collect();
    assert_eq!(blocks[0].lines().count(), 2 + 2 * 8, "{table}");
    // Every method but ours beside ours.
    assert_eq!(blocks[1].lines().count(), 2 + 2 * 7, "{table}");
    assert_eq!(runs.len(), 2 * 2 * 8);
    for series in &runs {
        let method = series["method"].as_str().expect("a method");
        for output in outputs(series) {
            if method.starts_with("lacuna") {
                assert_eq!(output["member"], true, "{output}");
                assert_eq!(output["valid"], true, "{output}");
            }
        }
    }
    // Greedy and replayed: a seed is a repetition.
    for series in &runs {
        let same = |other: &&Value| {
            other["method"] == series["method"] && other["steps"] == series["steps"]
        };
        for other in runs.iter().filter(same) {
            for (one, other) in outputs(series).iter().zip(outputs(other)) {
                assert_eq!(one["text"], other["text"]);
            }
        }
    }
}

#[test]
fn references_and_noise_make_a_model() {
    let (_, runs) = eval(&[
        "--grammar",
        &repository("grammars/iso8601.regex"),
        "--references",
        &repository("grammars/iso8601/members.jsonl"),
        "--length",
        "24",
        "--steps",
        "6",
        "--signal",
        "2.5",
        "--methods",
        "unconstrained,lacuna,lacuna-best",
    ]);
    let count = |method: &str, what: &str| {
        let series = runs.iter().find(|series| series["method"] == method);
        let series = outputs(series.expect("the method"));
        series.iter().filter(|output| output[what] == true).count()
    };
    let all = outputs(&runs[0]).len();
    assert!(all > 10, "{all}");
    assert_eq!(count("lacuna", "member"), all);
    assert_eq!(count("lacuna-best", "member"), all);
    // It knows the reference better than not, and not always.
    let free = count("unconstrained", "exact");
    assert!(free > 0 && free < all, "{free} of {all}");
    assert!(count("lacuna-best", "exact") >= free);
}

/// What is said of a file of examples.
fn refusal(kind: &str, lines: &str, grammar: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("examples.jsonl");
    std::fs::write(&path, lines).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["eval", "--model", &repository("models/lacuna-mini")])
        .args([
            "--device",
            "cpu",
            "--steps",
            "2",
            "--grammar",
            &repository(grammar),
        ])
        .args([kind, &path.to_string_lossy()])
        .output()
        .expect("the binary runs");
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_example_that_is_none_is_refused_with_its_line() {
    let right = r#"{"request": "play", "expected": {}}"#;
    for (kind, line, words) in [
        ("--requests", "x", ":3:1: expected value"),
        ("--requests", "[]", ":3: an example is a JSON object"),
        ("--requests", r#"{"id": 1}"#, ":3: \"request\" is missing"),
        (
            "--requests",
            r#"{"request": 1}"#,
            ":3: \"request\" is no text",
        ),
        (
            "--requests",
            r#"{"request": "play", "expcted": {}}"#,
            ":3: \"expected\" is missing",
        ),
        ("--references", r#"{"txt": "1"}"#, ":1: \"text\" is missing"),
        (
            "--references",
            "{\"text\": \"2024-02-29\"}\n{\"text\": \"zzz\"}",
            ":2: the reference does not belong",
        ),
    ] {
        let is_request = kind == "--requests";
        let lines = if is_request {
            format!("{right}\n\n{line}\n")
        } else {
            format!("{line}\n")
        };
        let error = refusal(kind, &lines, "grammars/iso8601.regex");
        assert!(error.contains(words), "{line}: {error}");
    }
}

/// What is known of the examples before one that cannot be run is not lost.
#[test]
fn a_fault_in_the_middle_leaves_what_is_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (requests, runs) = (
        folder.path().join("a.jsonl"),
        folder.path().join("runs.json"),
    );
    let long = "and then ".repeat(2000);
    let line = |request: &str| format!("{{\"request\": \"{request}\", \"expected\": \"2024\"}}\n");
    std::fs::write(&requests, line("the year") + &line(&long)).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["eval", "--model", &repository("models/lacuna-mini")])
        .args(["--device", "cpu", "--steps", "2", "--methods", "lacuna"])
        .args(["--length", "24"])
        .args(["--grammar", &repository("grammars/iso8601.regex")])
        .args(["--requests", &requests.to_string_lossy()])
        .args(["--json", &runs.to_string_lossy()])
        .output()
        .expect("the binary runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(error.contains("a.jsonl:2: "), "{error}");
    assert!(
        error.contains("The table is of the 1 example before"),
        "{error}"
    );
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(table.lines().count(), 3, "{table}");
    let runs = std::fs::read(&runs).expect("the runs");
    let runs: Vec<Value> = serde_json::from_slice(&runs).expect("JSON");
    assert_eq!(outputs(&runs[0]).len(), 1);
}

#[test]
fn each_recovery_is_of_the_same_runs() {
    let recoveries =
        ["first", "witness", "recover-best", "guided"].map(|name| format!("lacuna-{name}"));
    let (table, runs) = eval(&[
        "--grammar",
        &repository("grammars/iso8601.regex"),
        "--references",
        &repository("grammars/iso8601/members.jsonl"),
        "--length",
        "24",
        "--steps",
        "6",
        "--signal",
        "1.5",
        "--refusals",
        "1",
        "--methods",
        &format!("lacuna,{}", recoveries.join(",")),
    ]);
    let recovered = |series: &Value| -> Vec<bool> {
        let outputs = outputs(series).iter();
        outputs.map(|output| output["recovered"] == true).collect()
    };
    let first = recovered(&runs[1]);
    assert!(first.iter().any(|&recovered| recovered), "{table}");
    for series in &runs {
        let method = series["method"].as_str().expect("a method");
        assert!(method == "lacuna" || recovered(series) == first, "{method}");
        for output in outputs(series) {
            assert_eq!(output["member"], true, "{method}: {output}");
            let number = |of: &Value| of.as_f64().expect("a number");
            let agreement = number(&output["agreement"]);
            assert!((0.0..=1.0).contains(&agreement), "{output}");
            assert!(output["exact"] == false || agreement == 1.0, "{output}");
            let timings = &output["timings"];
            let parts = [
                "lexingMs",
                "validationMs",
                "selectionMs",
                "masksMs",
                "recoveryMs",
            ];
            let sum: f64 = parts.iter().map(|part| number(&timings[part])).sum();
            let whole = number(&timings["checkerMs"]);
            assert!((sum - whole).abs() < 1e-6 * whole.max(1.0), "{timings}");
        }
    }
    let last = table.split("\n\n").last().expect("the recovered runs");
    assert_eq!(last.lines().count(), 2 + recoveries.len(), "{table}");
}

#[test]
fn an_unknown_method_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["eval", "--model", &repository("models/lacuna-mini")])
        .args(["--grammar", &repository("grammars/json.gbnf")])
        .args(["--references", &repository("grammars/json/members.jsonl")])
        .args(["--methods", "epik"])
        .output()
        .expect("the binary runs");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("\"epik\" is no method"));
}

/// What is said where requests for JSON are refused.
fn refused(model: &str, more: &[&str]) -> String {
    let grammar = repository("grammars/snips.schema.json");
    let requests = repository("models/lacuna-mini/heldout-snips.jsonl");
    let output = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["eval", "--model", model])
        .args(["--grammar", &grammar, "--requests", &requests])
        .args(more)
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(1), "{more:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// No model is there: what is wrong with the rest is said before one is read.
#[test]
fn what_cannot_be_run_or_written_is_said_before_the_model_is_read() {
    for (more, said) in [
        (["--limit", "0"], "no examples"),
        (["--json", "/nowhere/a/b"], "/nowhere/a/b"),
        (["--temperature", "nan"], "the temperature must be"),
        (["--steps", "8,0"], "at least one step"),
        (["--methods", "memo+memo"], "\"memo+memo\" is no method"),
        (["--free=4", "--methods=epic"], "epic judges a whole canvas"),
        (["--key-cache", "none,none"], "--key-cache has none twice"),
    ] {
        let error = refused("no-model-here", &more);
        assert!(error.contains(said), "{more:?}: {error}");
        assert!(!error.contains("no-model-here"), "{more:?}: {error}");
    }
}

#[test]
fn canvases_that_the_model_cannot_hold_are_refused_before_they_are_laid_out() {
    let model = repository("models/lacuna-mini");
    let huge = usize::MAX.to_string();
    for more in [["--length", "100000000000"], ["--free", &huge]] {
        let error = refused(&model, &more);
        assert!(error.contains("the model holds"), "{more:?}: {error}");
    }
}
