//! Derivations of the shipped grammars' texts.
//!
//! Oracle: the plain recogniser. A text has a derivation if and only if it belongs, and
//! where there are no lexemes, each part of the tree belongs to the rule that it is of.
//! Besides, children stand in their parents, one behind the other, and where there are no
//! lexemes they leave nothing out.

use std::path::Path;

use lacuna_grammar::derivation::{By, Derivation, NoDerivation, derive, derive_within};
use lacuna_grammar::json_schema::{self, SchemaOptions};
use lacuna_grammar::lark::{self, Options};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Grammar, RuleId, gbnf, regex};

/// Longer texts take the recogniser too long.
const MAX_TEXT: usize = 120;

fn read(name: &str) -> Grammar {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars");
    let text = std::fs::read_to_string(folder.join(name)).expect("a grammar that ships");
    let grammar = match name.split_once('.').expect("a kind").1 {
        "gbnf" => gbnf::parse(&text),
        "lark" => lark::parse_with(&text, &Options::default()).map(|linted| linted.grammar),
        "regex" => regex::parse(&text),
        _ => json_schema::compile(&text, &SchemaOptions::membership()),
    };
    grammar.expect("a grammar without slots")
}

fn texts(name: &str, file: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars");
    let stem = name.split('.').next().expect("a stem");
    let lines = std::fs::read_to_string(folder.join(stem).join(file)).expect("texts");
    let text = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        value["text"].as_str().expect("a text").to_owned()
    };
    lines.lines().map(text).collect()
}

fn inspect(grammar: &Grammar, tree: &Derivation, text: &str) {
    let root = &tree.nodes[0];
    assert_eq!(root.by, By::Rule(grammar.start));
    let free = grammar.lexicon.is_none();
    for (at, node) in tree.nodes.iter().enumerate() {
        let children = tree.nodes.iter().filter(|child| child.parent == Some(at));
        let mut end = node.start;
        let mut count = 0;
        for child in children {
            assert!(
                child.start >= end && child.end <= node.end,
                "{text:?}: {tree:?}"
            );
            assert!(!free || child.start == end, "a gap in {text:?}: {tree:?}");
            end = child.end;
            count += 1;
        }
        let By::Rule(RuleId(rule)) = node.by else {
            assert_eq!(count, 0);
            continue;
        };
        if free {
            assert_eq!(end, node.end, "an end of {text:?}: {tree:?}");
            if text.len() <= MAX_TEXT {
                let alone = Grammar {
                    start: RuleId(rule),
                    constraint: None,
                    ..grammar.clone()
                };
                let part = &text[node.start..node.end];
                assert!(
                    recognize(&alone, part.as_bytes()),
                    "{part:?} of rule {rule}"
                );
            }
        }
    }
    if free {
        let starts = root.start == 0 && root.end == text.len();
        assert!(starts, "the whole of {text:?}");
    }
}

#[test]
fn shipped_texts_have_derivations() {
    for name in [
        "arithmetic.gbnf",
        "bython.lark",
        "chess.gbnf",
        "cpp.lark",
        "css.lark",
        "csv.gbnf",
        "iso8601.regex",
        "json.gbnf",
        "json.lark",
        "smiles.lark",
        "sql.lark",
        "tool-call.schema.json",
        "xml.lark",
    ] {
        let grammar = read(name);
        for text in texts(name, "members.jsonl") {
            let tree = derive(&grammar, text.as_bytes());
            let tree = tree.unwrap_or_else(|error| panic!("{name}: {text:?}: {error}"));
            inspect(&grammar, &tree, &text);
        }
        for text in texts(name, "others.jsonl") {
            let found = derive(&grammar, text.as_bytes());
            assert_eq!(found, Err(NoDerivation::NotMember), "{name}: {text:?}");
        }
    }
}

#[test]
fn recursion_without_text_ends() {
    for (grammar, text) in [
        ("root ::= root root | \"a\" | \"\"", "aaaa"),
        ("root ::= a\na ::= b | \"x\"\nb ::= a | a b", "xxx"),
        ("root ::= (a | \"\")*\na ::= root \"x\" | root", "xx"),
        ("root ::= a{3,} a{0,2}\na ::= \"y\"?", "yyyy"),
    ] {
        let grammar = gbnf::parse(grammar).expect("a grammar");
        let tree = derive(&grammar, text.as_bytes()).expect("a derivation");
        inspect(&grammar, &tree, text);
    }
}

#[test]
fn one_too_long_is_said_so() {
    let grammar = gbnf::parse("root ::= \"a\" root root | \"a\"").expect("a grammar");
    let text = "a".repeat(199);
    let found = derive_within(&grammar, text.as_bytes(), 10_000);
    assert_eq!(found, Err(NoDerivation::TooLong { limit: 10_000 }));
}
