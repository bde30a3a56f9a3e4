//! `lacuna compile`: sizes, and each warning with all that belongs to it.

use std::process::{Command, Output};

use serde_json::Value;

fn compile(name: &str, grammar: &str, more: &[&str]) -> (Output, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, grammar).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["compile", "--grammar"])
        .arg(&path)
        .args(more)
        .output()
        .expect("the binary runs");
    let report = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output, report)
}

fn tokenizer() -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    format!("{folder}/../../models/lacuna-mini/tokenizer.json")
}

#[test]
fn every_lint_says_what_where_and_how_to_mend_it() {
    let cases = [
        (
            "a.gbnf",
            "root ::= \"a\"\nunused ::= \"b\"\n",
            "unreachable-rule",
            (2, 1, "unused"),
            false,
        ),
        (
            "b.gbnf",
            "root ::= \"a\" | stuck\nstuck ::= \"b\" stuck\n",
            "unproductive-rule",
            (2, 1, "stuck"),
            false,
        ),
        (
            "c.lark",
            "start: NAME\n   | SHADOW\nNAME.1: /[a-z]+/\nSHADOW: \"é\"? /x/ & /[a-z]+/\n",
            "shadowed-terminal",
            (4, 1, "SHADOW"),
            true,
        ),
        (
            "d.gbnf",
            "root ::= \"(\" root \")\" | \"é\"\n",
            "unbounded-nesting",
            (1, 1, "root"),
            true,
        ),
        (
            "e.gbnf",
            "# é\nroot ::= \"x\"{300}\n",
            "long-texts",
            (2, 1, "root"),
            true,
        ),
        (
            "f.lark",
            "start: A \"b\" LONG~0\n   | \"c\"\nA: \"a\"\nLONG: \"ab\"\n%constrain /[^c]*/\n",
            "empty-language",
            (1, 1, "start"),
            true,
        ),
    ];
    for (name, grammar, kind, (line, column, spanned), has_note) in cases {
        let (output, report) = compile(name, grammar, &[]);
        assert!(output.status.success(), "{output:?}");
        let warnings = report["warnings"].as_array().expect("warnings");
        let warning = warnings.iter().find(|it| it["kind"] == kind);
        let warning = warning.unwrap_or_else(|| panic!("{kind}: {warnings:?}"));
        assert_eq!(warning["severity"], "warning");
        assert_eq!(
            (&warning["line"], &warning["column"]),
            (&Value::from(line), &Value::from(column))
        );
        let at = |end: &str| warning["span"][end].as_u64().expect("an offset") as usize;
        assert_eq!(&grammar[at("start")..at("end")], spanned);
        assert!(!warning["message"].as_str().expect("a message").is_empty());
        assert_eq!(warning["note"].is_string(), has_note, "{warning}");
        let shown = String::from_utf8_lossy(&output.stderr).into_owned();
        let place = format!("{name}:{line}:{column}");
        assert!(shown.contains(&format!("warning[{kind}]")), "{shown}");
        assert!(shown.contains(&place), "{shown}");
    }
    let (output, _) = compile("g.gbnf", "root ::= \"a\" root\n", &[]);
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(shown.contains("error[empty-language]"), "{shown}");
    assert!(shown.contains("g.gbnf:1:1"), "{shown}");
}

#[test]
fn a_canvas_that_no_text_fits_is_warned_of() {
    let tokenizer = tokenizer();
    let grammar = "# numbers\nroot ::= \"0123456789\"{3} \"!\"\n";
    let fewest = compile("a.gbnf", grammar, &["--tokenizer", &tokenizer]).1;
    // Runs of digits by where they stand, `!`, and what ends in it.
    let classes = fewest["tokenClasses"].as_u64().expect("a number");
    assert!((3..100).contains(&classes), "{fewest}");
    let fewest = fewest["shortestTokens"].as_u64().expect("a number");
    assert!((2..=31).contains(&fewest), "{fewest}");
    for (length, warned) in [(fewest - 1, true), (fewest, false)] {
        let length = length.to_string();
        let more = ["--tokenizer", &tokenizer, "--length", &length];
        let (_, report) = compile("a.gbnf", grammar, &more);
        let warnings = report["warnings"].as_array().expect("warnings");
        assert_eq!(warnings.len(), usize::from(warned), "{warnings:?}");
        if let Some(warning) = warnings.first() {
            assert_eq!(warning["kind"], "long-texts");
            assert_eq!(warning["line"], 2);
            let message = warning["message"].as_str().expect("a message");
            assert!(
                message.contains(&format!("at least {fewest} tokens")),
                "{message}"
            );
        }
    }
    let (output, _) = compile("a.gbnf", grammar, &["--length", "9"]);
    assert_eq!(output.status.code(), Some(2), "a length needs a tokenizer");
}

#[test]
fn a_schema_may_take_so_many_steps() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
    let (bounded, _) = compile("a.schema.json", schema, &["--effort", "1"]);
    let said = String::from_utf8_lossy(&bounded.stderr);
    assert!(said.contains("too-much-work"), "{said}");
    assert_eq!(bounded.status.code(), Some(1));
    let (enough, _) = compile("a.schema.json", schema, &["--effort", "10000"]);
    assert!(enough.status.success());
}

#[test]
fn a_schema_that_no_grammar_says_is_compiled_to_a_wider_one() {
    let unique = r#"{"type": "array", "uniqueItems": true, "items": {"type": "string"}}"#;
    for more in [&[][..], &["--writing"]] {
        let (output, report) = compile("a.schema.json", unique, more);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert_eq!(report["warnings"][0]["kind"], "whole-texts", "{report}");
        assert_eq!(report["warnings"][0]["pointer"], "/uniqueItems");
        assert!(said.contains("whole-texts"), "{said}");
    }
    let long =
        r#"{"type": "array", "uniqueItems": true, "minItems": 12, "items": {"type": "string"}}"#;
    let tokenizer = tokenizer();
    let short = ["--writing", "--length", "2", "--tokenizer", &tokenizer];
    let (output, report) = compile("a.schema.json", long, &short);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("long-texts"), "{said}");
    // It is never kept.
    assert_eq!(report["entry"], Value::Null);
    let impossible = r#"{"type": "array", "uniqueItems": true, "minItems": 3, "maxItems": 2}"#;
    let (output, _) = compile("a.schema.json", impossible, &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("impossible-schema"), "{said}");
}

/// The second is judged by whole texts where nothing else is wrong.
#[test]
fn what_could_be_judged_is_no_fault_beside_another() {
    let schema = r#"{"type": "object", "properties": {
        "a": {"type": "array", "uniqueItems": true}, "b": {"type": "string", "pattern": "("}}}"#;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("g.schema.json");
    std::fs::write(&path, schema).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["compile", "--grammar", &path.to_string_lossy()])
        .output()
        .expect("the binary runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && error.contains("/properties/b/pattern"),
        "{error}"
    );
    assert!(!error.contains("uniqueItems"), "{error}");
}
