//! What a grammar holds that constrains nothing is told by every command that reads one, on
//! standard error, with its place; and once, however often it is asked.

use std::path::Path;
use std::process::Output;

use crate::support::{lacuna, repository};

/// A slip, and a format that is not asserted.
const SCHEMA: &str = r#"{"type": "object", "additionalProperties": false, "requried": ["city"],
    "properties": {"city": {"type": "string", "maxLength": 8, "format": "hostname"}}}"#;

/// What is told of it.
const TOLD: [&str; 4] = [
    "slip.schema.json#/requried",
    "did you mean required?",
    "slip.schema.json#/properties/city/format",
    "x-assertFormats",
];

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path.to_string_lossy().into_owned()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_command_tells_what_constrains_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = write(folder.path(), "slip.schema.json", SCHEMA);
    let (model, tokenizer) = (
        repository("models/lacuna-mini"),
        repository("models/lacuna-mini/tokenizer.json"),
    );
    let by_model = ["--model", &model, "--prompt", "Boston", "--device", "cpu"];
    let region = format!("24:{schema}");
    let cells = r#"{"id": 1, "cells": [null, null, null, null, null, null, null, null]}"#;
    let cells = format!("{cells}\n{cells}\n");
    let with_tokenizer = ["--tokenizer", &tokenizer];
    let request = r#"{"id": 1, "request": "Boston", "expected": {}}"#;
    let requests = write(
        folder.path(),
        "two.jsonl",
        &format!("{request}\n{request}\n"),
    );
    let few = ["--steps", "1", "--length", "8", "--device", "cpu"];
    let by_requests = [&["--model", &model, "--requests", &requests][..], &few].concat();
    let cases: [(&str, &[&str], &[&str], &str); 8] = [
        ("eval", &["--grammar", &schema], &by_requests, ""),
        ("compile", &["--grammar", &schema], &[], ""),
        ("check", &["--grammar", &schema], &with_tokenizer, &cells),
        ("mask", &["--grammar", &schema], &with_tokenizer, &cells),
        ("generate", &["--grammar", &schema], &by_model, ""),
        (
            "generate",
            &["--grammar", &schema, "--trigger", "x"],
            &by_model,
            "",
        ),
        (
            "generate",
            &["--region", "3", "--region", ":x", "--region", &region],
            &by_model,
            "",
        ),
        (
            "infill",
            &["--grammar", &schema, "--template", "{<mask:0-2>}"],
            &by_model,
            "",
        ),
    ];
    for (command, grammar, more, input) in cases {
        let output = lacuna(&[&[command], grammar, more].concat(), input);
        let said = said(&output);
        assert!(output.status.success(), "{command} {grammar:?}: {said}");
        for told in TOLD {
            let times = said.matches(told).count();
            assert_eq!(times, 1, "{command} {grammar:?}: {told} in {said}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_region_names_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = write(folder.path(), "good.gbnf", "root ::= [a-z]{1,9}\n");
    let bad = write(folder.path(), "bad.schema.json", r#"{"type": "text"}"#);
    let model = repository("models/lacuna-mini");
    let arguments = ["generate", "--model", &model, "--prompt", "x"];
    let (good, bad) = (format!("4:{good}"), format!("9:{bad}"));
    let regions = ["--region", &good, "--region", &bad];
    let output = lacuna(&[&arguments[..], &regions].concat(), "");
    assert!(!output.status.success());
    let told = said(&output);
    assert!(told.contains("bad.schema.json#/type"), "{told}");

    // What stands before it is usable in a run, though not by itself.
    let asking = repository("grammars/snips.schema.json");
    let other = write(folder.path(), "other.gbnf", "root ::= other\n");
    let (asking, other) = (format!("48:{asking}"), format!("9:{other}"));
    let output = lacuna(
        &[&arguments[..], &["--region", &asking, "--region", &other]].concat(),
        "",
    );
    let told = said(&output);
    assert!(told.contains("other.gbnf:1:10"), "{told}");
    assert!(!told.contains("snips.schema.json"), "{told}");
}

#[test]
fn regions_take_the_lists_that_they_ask_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let asks = write(folder.path(), "a.lark", "start: COLUMN\n%slot COLUMN\n");
    let other = write(folder.path(), "b.gbnf", "root ::= [a-z]\n");
    let columns = write(folder.path(), "columns.txt", "name\nage\n");
    let model = repository("models/lacuna-mini");
    let regions = [format!("4:{asks}"), format!("2:{other}")];
    let run = |list: &str| {
        let list = format!("{list}={columns}");
        let arguments = [
            "generate", "--model", &model, "--prompt", "x", "--list", &list,
        ];
        let regions = ["--region", &regions[0], "--region", &regions[1]];
        lacuna(&[&arguments[..], &regions].concat(), "")
    };
    let output = run("COLUMN");
    assert!(output.status.success(), "{}", said(&output));
    // What no region asks for is refused.
    let output = run("TABLE");
    assert!(!output.status.success());
    assert!(said(&output).contains("TABLE"), "{}", said(&output));
}

#[test]
fn a_region_that_no_text_fits_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = write(folder.path(), "good.gbnf", "root ::= [a-z]{1,4}\n");
    let long = write(
        folder.path(),
        "long.gbnf",
        "root ::= \"(\" root \")\" | \"qxz\"{4}\n",
    );
    let model = repository("models/lacuna-mini");
    let (good, long) = (format!("4:{good}"), format!("4:{long}"));
    let arguments = ["generate", "--model", &model, "--prompt", "x"];
    let regions = ["--region", &good, "--region", &long];
    let output = lacuna(&[&arguments[..], &regions].concat(), "");
    let told = said(&output);
    assert!(
        told.contains("regions[1]: no text of the grammar fits a canvas of 4 cells"),
        "{told}"
    );
}
