//! `lacuna mask` in its fixed form, through the binary.

use std::process::Output;

use serde_json::{Value, json};

use crate::support::{lacuna, repository};

const SUMS: &str = "root ::= term (\" + \" term)* \nterm ::= [0-9]+ | \"(\" root \")\"\n";

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect()
}

fn grammar(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    path.to_string_lossy().into_owned()
}

fn ask(command: &str, grammar: &str, lines: &[Value]) -> Output {
    let tokenizer = repository("models/lacuna-mini/tokenizer.json");
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let arguments = [command, "--grammar", grammar, "--tokenizer", &tokenizer];
    lacuna(&arguments, &input)
}

/// Oracle: a token is allowed in a cell exactly if `check` takes the canvas with it
/// there.
#[test]
fn a_token_is_allowed_where_check_takes_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let recursive = grammar(&folder, "sums.gbnf", SUMS);
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let regular = grammar(&folder, "a.schema.json", &schema.to_string());
    let id = token_ids();
    let (open, close, brace) = (id("("), id(")"), id("{"));
    let cases = [
        (&recursive, json!([open, null, null, close])),
        (&recursive, json!([null, null, open, null, close])),
        (&recursive, json!([open, open, null, null])),
        (&regular, json!([brace, null, null, null])),
    ];
    for (grammar, cells) in cases {
        let question = json!({"id": "m", "cells": cells});
        let output = ask("mask", grammar, std::slice::from_ref(&question));
        assert!(output.status.success(), "{question}: {output:?}");
        let answer = lines(&output).remove(0);
        assert_eq!(answer["id"], "m");
        assert!(answer["micros"].is_u64(), "{answer}");
        let cells = cells.as_array().expect("cells");
        let allowed = answer["allowed"].as_array().expect("allowed");
        assert_eq!(allowed.len(), cells.len());
        for (cell, allowed) in allowed.iter().enumerate() {
            if !cells[cell].is_null() {
                assert!(allowed.is_null(), "{answer}");
                continue;
            }
            let tried = (0..VOCABULARY).map(|token| {
                let mut cells = cells.clone();
                cells[cell] = json!(token);
                json!({"id": token, "cells": cells})
            });
            // The mask's id is a cell that stays masked.
            let tried: Vec<Value> = tried.filter(|line| line["id"] != MASK).collect();
            let verdicts = lines(&ask("check", grammar, &tried));
            let taken = verdicts
                .iter()
                .filter(|verdict| verdict["completable"].as_bool().expect("a verdict"));
            let taken: Vec<Value> = taken.map(|verdict| verdict["id"].clone()).collect();
            assert_eq!(allowed, &Value::from(taken), "{question}, cell {cell}");
        }
    }
}

/// The tokens of `models/lacuna-mini`, and the id of its mask.
const VOCABULARY: u32 = 2048;
const MASK: u32 = 1;

/// The ids of texts that are one token.
fn token_ids() -> impl Fn(&str) -> u64 {
    let path = repository("models/lacuna-mini/tokenizer.json");
    let text = std::fs::read_to_string(path).expect("the tokenizer");
    let tokenizer: Value = serde_json::from_str(&text).expect("JSON");
    move |token| {
        let id = &tokenizer["model"]["vocab"][token];
        id.as_u64().expect("a token of the vocabulary")
    }
}

#[test]
fn what_cannot_be_asked_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let sums = grammar(&folder, "sums.gbnf", SUMS);
    let output = ask(
        "mask",
        &sums,
        &[
            json!({"id": 1, "segments": ["(", null]}),
            json!({"id": 2, "cells": [VOCABULARY]}),
            json!({"id": 3, "cells": [MASK, null]}),
        ],
    );
    assert!(!output.status.success());
    let answers = lines(&output);
    let error = |at: usize| answers[at]["error"].as_str().unwrap_or_default().to_owned();
    assert!(error(0).contains("\"cells\""), "{answers:?}");
    assert!(error(1).contains("outside the vocabulary"), "{answers:?}");
    assert_eq!(answers[2]["allowed"].as_array().map(Vec::len), Some(2));

    let output = lacuna(&["mask", "--grammar", &sums], "");
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("--tokenizer"), "{message}");
}

/// A canvas that is not completable as it stands allows nothing.
#[test]
fn an_impossible_canvas_allows_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let sums = grammar(&folder, "sums.gbnf", SUMS);
    let cells = json!([token_ids()(")"), null]);
    let output = ask("mask", &sums, &[json!({"id": 1, "cells": cells})]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(lines(&output)[0]["allowed"], json!([null, []]));
}
