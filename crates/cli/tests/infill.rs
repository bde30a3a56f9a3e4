//! `lacuna infill`, and regions and triggers of `lacuna generate`, with the model that
//! ships: what is fixed stays, gaps have the cells they are given, and each constrained
//! text is JSON.

use std::process::{Command, Output};

use serde_json::Value;

fn repository(path: &str) -> String {
    format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))
}

fn lacuna(command: &str, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args([command, "--model", &repository("models/lacuna-mini")])
        .args(["--prompt", "book a table for two in Boston tomorrow"])
        .args(["--device", "cpu", "--task", "snips"])
        .args(more)
        .output()
        .expect("the binary runs")
}

fn infill(template: &str, more: &[&str]) -> Output {
    let grammar = repository("grammars/json.gbnf");
    let arguments = [&["--grammar", &grammar, "--template", template], more].concat();
    lacuna("infill", &arguments)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .trim_end_matches('\n')
        .to_owned()
}

#[test]
fn fixed_text_stays_around_several_gaps() {
    for steps in ["1", "4", "16"] {
        for commit in ["bisect", "sequential"] {
            let template = r#"{"intent": "<mask:3>", "é": [<mask:4>], "city": "<mask:2>"}"#;
            let output = infill(template, &["--steps", steps, "--commit", commit]);
            let shown = text(&output.stdout);
            assert!(output.status.success(), "{}", text(&output.stderr));
            let value: Value = serde_json::from_str(&shown).expect("JSON");
            assert!(value["é"].is_array(), "{shown}");
            assert!(shown.starts_with(r#"{"intent": ""#), "{shown}");
            assert!(shown.ends_with(r#""}"#), "{shown}");
            assert!(shown.contains(r#"", "é": ["#), "{shown}");
        }
    }
}

#[test]
fn a_gap_of_several_lengths_takes_one_that_fits() {
    // Nothing, or an element and a comma.
    let output = infill(r#"[<mask:0-2>true]"#, &[]);
    let value: Value = serde_json::from_str(&text(&output.stdout)).expect("JSON");
    assert_eq!(
        value.as_array().and_then(|all| all.last()),
        Some(&true.into())
    );

    let output = infill("[<mask:1-40>, <mask:1-40>]", &[]);
    assert!(
        text(&output.stderr).contains("1600 different lengths"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn what_cannot_be_filled_is_said_before_the_model_is_asked() {
    for (template, message) in [
        (
            "{<mask:1>]",
            "no text of the grammar has what is fixed, however long the gaps",
        ),
        (
            r#"[{"a": <mask:1>, "b" <mask:1>]"#,
            "fits the 2 masked cells: the shortest takes 2 and 0",
        ),
        (r#"[{"a": <mask:1>]"#, "fits the 1 masked cell: "),
        // The shortest of any lengths, whatever the first combination lacks.
        (
            r#"[{"a": <mask:0-1>, "b" <mask:0-1>]"#,
            "fits 0 to 2 masked cells: the shortest takes 2 and 0",
        ),
        (
            r#"[{"a": <mask:0>]"#,
            "what is fixed is no text of the grammar: the shortest takes",
        ),
        ("[1, 2]", "the template has no gap"),
        ("[<mask:x>]", "byte 1: \"<mask:x>]\" is no gap"),
    ] {
        let output = infill(template, &[]);
        assert!(!output.status.success());
        let error = text(&output.stderr);
        assert!(error.contains(message), "{template}: {error}");
    }
}

#[test]
fn regions_have_texts_of_their_own() {
    let json = format!("24:{}", repository("grammars/snips.schema.json"));
    let sum = format!("9:{}", repository("grammars/arithmetic.gbnf"));
    let regions = ["--region", "6", "--region", ":\n##", "--region", &json];
    let regions = [&regions[..], &["--region", ":\n==", "--region", &sum]].concat();
    let output = lacuna("generate", &regions);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    let (_, rest) = shown.split_once("\n##").expect("the fixed text");
    let (object, sum) = rest.split_once("\n==").expect("the fixed text");
    let object: Value = serde_json::from_str(object).expect("JSON");
    assert!(object["intent"].is_string());
    assert!(
        sum.bytes()
            .all(|byte| b"0123456789+-*/(). ".contains(&byte)),
        "{sum}"
    );
    assert!(!sum.is_empty());

    let output = lacuna("generate", &["--region", "6", "--region", ":x"]);
    assert!(text(&output.stderr).contains("no region has a grammar"));
}

#[test]
fn behind_a_trigger_stands_a_text_of_the_grammar() {
    // The model writes a brace at once; what stands behind it is to be JSON of its own.
    let grammar = repository("grammars/json.gbnf");
    let more = ["--grammar", &grammar, "--trigger", "{", "--length", "32"];
    let output = lacuna(
        "generate",
        &[&more[..], &["--cell-order", "left-to-right"]].concat(),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    let (_, json) = shown.split_once('{').expect("the trigger");
    serde_json::from_str::<Value>(json).unwrap_or_else(|error| panic!("{json}: {error}"));
}
