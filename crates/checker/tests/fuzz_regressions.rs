//! Every fuzz target over its seeds and over what fuzzing has found, without
//! instrumentation. The oracles are the targets' own (`fuzz/src`).

use std::path::Path;

#[path = "../../../fuzz/src/lib.rs"]
mod targets;

fn replay(target: &str, run: fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut inputs = Vec::new();
    for folder in ["seeds", "regressions"] {
        let Ok(entries) = std::fs::read_dir(fuzz.join(folder).join(target)) else {
            assert_eq!(folder, "regressions", "{target} has no seeds");
            continue;
        };
        inputs.extend(entries.map(|entry| entry.expect("an entry").path()));
    }
    assert!(inputs.len() >= 5, "{target}");
    for input in inputs {
        println!("{}", input.display());
        run(&std::fs::read(input).expect("an input"));
    }
}

#[test]
fn gbnf() {
    replay("gbnf", targets::gbnf);
}

#[test]
fn lark() {
    replay("lark", targets::lark);
}

#[test]
fn regex() {
    replay("regex", targets::regex);
}

#[test]
fn json_schema() {
    replay("json_schema", targets::json_schema);
}

#[test]
fn slots() {
    replay("slots", targets::slots);
}

#[test]
fn lexer() {
    replay("lexer", targets::lexer);
}

#[test]
fn checker() {
    replay("checker", targets::checker);
}

#[test]
fn budget() {
    replay("budget", targets::budget);
}
