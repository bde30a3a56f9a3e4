//! `lacuna check` in its fixed form, through the binary.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::{lacuna, repository};

const JSON_GRAMMAR: &str = r#"root ::= object
value ::= object | "[" (value ("," value)*)? "]" | string | [0-9]+ | "true" | "null"
object ::= "{" (pair ("," pair)*)? "}"
pair ::= string ":" " "? value
string ::= "\"" [^"\\\x00-\x1f]* "\""
"#;

fn check(arguments: &[&str], input: &str) -> Output {
    lacuna(&[&["check"], arguments].concat(), input)
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect()
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_gap_of_no_cells_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokenizer = repository("models/lacuna-mini/tokenizer.json");
    let cases = [
        ("\"a\" \"b\" \"c\"", json!(["a", null]), vec![0], false),
        (
            "\"a\" \"b\" \"c\"",
            json!([null, "ab", null, "c"]),
            vec![0, 0],
            true,
        ),
        (
            "\"1\" \"a\" \"b\" \"a\"",
            json!(["1", null, "a", null]),
            vec![0, 2],
            true,
        ),
        (
            "(C B C C)?\nB: /[ab]/\nC: /[ab]{2}/",
            json!(["aba", null, "a"]),
            vec![0],
            false,
        ),
    ];
    for (rules, segments, gaps, expected) in cases {
        let grammar = format!("start: {rules}\n%ignore \" \"\n");
        let grammar = write(folder.path(), "g.lark", &grammar);
        let case = json!({"id": 1, "segments": segments, "gaps": gaps});
        let output = check(
            &["--grammar", &grammar, "--tokenizer", &tokenizer],
            &format!("{case}\n"),
        );
        assert_eq!(lines(&output)[0]["completable"], json!(expected), "{case}");
    }
}

#[test]
fn gaps_of_any_length_and_of_so_many_cells() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = write(folder.path(), "json.gbnf", JSON_GRAMMAR);
    let tokenizer = repository("models/lacuna-mini/tokenizer.json");
    let cases = [
        (json!({"id": 1, "segments": ["{\"a\": ", null, "}"]}), true),
        (
            json!({"id": 2, "segments": ["{\"名", null, "\": 1}"]}),
            true,
        ),
        (json!({"id": 3, "segments": ["{]", null]}), false),
        (json!({"id": 4, "segments": ["{\"a\":1}"]}), true),
        (json!({"id": 5, "segments": ["{\"a\":1"]}), false),
        (
            json!({"id": 6, "segments": ["{\"a\":", "[[[[[[[[", null], "gaps": [1]}),
            false,
        ),
        (json!({"id": 7, "segments": ["{", null], "gaps": [1]}), true),
        (
            json!({"id": 8, "segments": [{"base64": "eyLlkA=="}, null, "\":1}"], "gaps": [1]}),
            true,
        ),
        (json!({"id": 9, "cells": [null, null, null]}), true),
        (
            json!({"id": 10, "segments": ["{", null, "", null], "gaps": [1, 1]}),
            true,
        ),
        (
            json!({"id": 11, "segments": ["[", "1", null, "]"], "gaps": [2]}),
            false,
        ),
    ];
    let input: String = cases.iter().map(|(case, _)| format!("{case}\n")).collect();
    let output = check(&["--grammar", &grammar, "--tokenizer", &tokenizer], &input);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for ((case, expected), line) in cases.iter().zip(lines(&output)) {
        assert_eq!(line["id"], case["id"]);
        assert_eq!(line["completable"], json!(expected), "{case}: {line}");
        assert!(line["micros"].is_u64());
        assert_eq!(line.get("witness").is_some(), *expected, "{line}");
    }
}

#[test]
fn unreadable_lines_are_error_lines_and_the_rest_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = write(folder.path(), "json.gbnf", JSON_GRAMMAR);
    let input = [
        "no JSON",
        r#"{"id": "a"}"#,
        r#"{"id": "b", "segments": [null], "gaps": [3]}"#,
        r#"{"id": "c", "segments": ["{", null, "}"], "gaps": [1, 2]}"#,
        r#"{"id": "d", "segments": [{"base64": "?"}]}"#,
        r#"{"id": "e", "segments": ["{}"], "grammar": "absent.gbnf"}"#,
        r#"{"id": "f", "unknown": 1}"#,
        r#"{"id": "g", "segments": ["{}"]}"#,
    ]
    .join("\n");
    let output = check(&["--grammar", &grammar], &input);
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    assert_eq!(lines.len(), 8);
    assert!(
        lines[..7].iter().all(|line| line["error"].is_string()),
        "{lines:?}"
    );
    assert_eq!(lines[7]["completable"], json!(true));
    assert_eq!(lines[5]["id"], json!("e"));
    assert_eq!(lines[6]["id"], json!("f"));
}

#[test]
fn questions_too_large_are_errors_and_not_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let doubling: String = (1..30)
        .map(|n| format!("r{n} ::= r{} r{}\n", n + 1, n + 1))
        .collect();
    let long = write(
        folder.path(),
        "long.gbnf",
        &format!("root ::= r1 r1 | \"b\" root \"b\"\n{doubling}r30 ::= \"a\"\n"),
    );
    let grammar = write(folder.path(), "json.gbnf", JSON_GRAMMAR);
    let tokenizer = repository("models/lacuna-mini/tokenizer.json");
    let input = [
        json!({"id": 1, "segments": ["{", null, "}"], "gaps": [1_000_000_000_000u64]}),
        json!({"id": 2, "segments": ["aa", null], "grammar": long}),
        json!({"id": 3, "segments": ["{}"]}),
    ]
    .map(|line| line.to_string())
    .join("\n");
    let output = check(&["--grammar", &grammar, "--tokenizer", &tokenizer], &input);
    let lines = lines(&output);
    assert!(
        lines[0]["error"]
            .as_str()
            .expect("an error")
            .contains("cells")
    );
    assert!(lines[1]["error"].is_string(), "{}", lines[1]);
    assert_eq!(lines[2]["completable"], json!(true));
}

/// Each way around the gap is a step towards an end that is too far away.
#[test]
fn a_gap_in_what_is_counted_beyond_all_bounds_ends_in_the_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = r#"{"type": "string", "minLength": 1000000000}"#;
    let grammar = write(folder.path(), "long.schema.json", schema);
    let tokenizer = repository("models/lacuna-mini/tokenizer.json");
    let input = [
        json!({"segments": [null], "gaps": [2]}),
        json!({"segments": [null]}),
    ]
    .map(|line| line.to_string())
    .join("\n");
    let output = check(&["--grammar", &grammar, "--tokenizer", &tokenizer], &input);
    let lines = lines(&output);
    assert_eq!(lines[0]["completable"], json!(false));
    let error = lines[1]["error"].as_str().expect("an error");
    assert!(error.contains("budget"), "{error}");
}

#[test]
fn a_line_may_name_its_own_grammar() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = write(folder.path(), "a.gbnf", "root ::= \"a\"+\n");
    let second = write(folder.path(), "b.regex", "b+");
    let input = [
        json!({"id": 1, "segments": ["a", null]}),
        json!({"id": 2, "segments": ["b", null], "grammar": second}),
        json!({"id": 3, "segments": ["b", null]}),
    ]
    .map(|line| line.to_string())
    .join("\n");
    let output = check(&["--grammar", &first], &input);
    let verdicts: Vec<_> = lines(&output)
        .iter()
        .map(|line| line["completable"].as_bool())
        .collect();
    assert_eq!(verdicts, [Some(true), Some(true), Some(false)]);
}

#[test]
fn a_broken_grammar_is_named_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = write(folder.path(), "broken.gbnf", "root ::= \"a\" missing\n");
    let empty = write(folder.path(), "empty.gbnf", "root ::= \"a\" root\n");
    let schema = write(
        folder.path(),
        "odd.schema.json",
        r#"{"type": "string", "pattern": "(a|b)\\1"}"#,
    );
    let long = format!(
        "root ::= {} missing {}\n",
        "\"a\" ".repeat(50),
        "\"b\" ".repeat(90)
    );
    let long = write(folder.path(), "long.gbnf", &long);
    let near = format!(
        "long.gbnf:1:211\n  |\n1 | …a\" {} missing {}…\n  | {}^^^^^^^\n",
        "\"a\" ".repeat(19),
        "\"b\" ".repeat(18),
        " ".repeat(81),
    );
    let kind = write(folder.path(), "grammar.txt", "x");
    let marked = write(folder.path(), "mark.gbnf", "\u{FEFF}root ::= \"a\"");
    let latin = write(folder.path(), "bytes.gbnf", "");
    std::fs::write(&latin, b"root ::= \"\xE9\"").expect("a file");
    for (file, said) in [
        (
            &broken,
            "broken.gbnf:1:14\n  |\n1 | root ::= \"a\" missing\n  |              ^^^^^^^",
        ),
        (&long, &near),
        (&empty, "empty-language"),
        (&schema, "/pattern"),
        (&kind, ".schema.json"),
        (&latin, "bytes.gbnf:1:11"),
        (&marked, "byte-order-mark"),
    ] {
        let output = check(&["--grammar", file], "");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1));
        assert!(error.contains(said), "{file}: {error}");
    }
}

#[test]
fn nesting_may_be_limited() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = write(
        folder.path(),
        "lists.gbnf",
        "root ::= \"[\" (root (\",\" root)*)? \"]\"\n",
    );
    let input = "{\"segments\": [\"[[[\", null]}\n{\"segments\": [\"[[],\", null]}\n";
    let output = check(&["--grammar", &grammar, "--max-depth", "1"], input);
    let answers = lines(&output);
    assert_eq!(answers[0]["completable"], false);
    assert_eq!(answers[1]["completable"], true);
}

#[test]
fn texts_may_have_to_match_an_expression_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammars = [
        ("lists.gbnf", "root ::= \"[\" (root (\",\" root)*)? \"]\"\n"),
        ("lists.regex", "[\\[\\],]+\n"),
        ("lists.lark", "start: \"[\" (start (\",\" start)*)? \"]\"\n"),
    ];
    for (name, text) in grammars {
        let grammar = write(folder.path(), name, text);
        let input = "{\"segments\": [\"[[]]\"]}\n{\"segments\": [\"[[],[]]\"]}\n\
                     {\"segments\": [\"[\", null, \",\", null]}\n{\"segments\": [\"[[[[\", null]}\n";
        let output = check(&["--grammar", &grammar, "--matching", ".{5,8}"], input);
        let answers = lines(&output);
        let completable: Vec<bool> = answers
            .iter()
            .map(|answer| answer["completable"] == true)
            .collect();
        assert_eq!(completable, [false, true, true, true], "{name}");
    }
    let grammar = write(folder.path(), "lists.schema.json", "{\"type\": \"array\"}");
    let input = "{\"segments\": [\"[1]\"]}\n{\"segments\": [\"[1,2,3]\"]}\n";
    let output = check(&["--grammar", &grammar, "--matching", ".{5,}"], input);
    let answers = lines(&output);
    assert_eq!(answers[0]["completable"], false);
    assert_eq!(answers[1]["completable"], true);
    let output = check(&["--grammar", &grammar, "--matching", "a(?=b)"], "");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        said.contains("expression to match") && said.contains("look-ahead"),
        "{said}"
    );
}

#[test]
fn a_schema_is_taken_as_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = r#"{"$id": "https://example.org/name", "type": "string", "minLength": 2}"#;
    let document = write(folder.path(), "name.json", named);
    let schema = r#"{"properties": {"a": {"$ref": "https://example.org/name"}, "b": {"type": "array"}},
                     "required": ["a", "b"], "additionalProperties": false}"#;
    let grammar = write(folder.path(), "named.schema.json", schema);
    let texts = [
        r#"{"a":"xy","b":[]}"#,
        r#"{"b":[],"a":"xy"}"#,
        "{\n  \"a\": \"xy\",\n  \"b\": [\n    1\n  ]\n}",
        r#"{ "b": [] , "a": "xy" }"#,
        r#"{"a":"x","b":[]}"#,
    ];
    let input: String = texts
        .iter()
        .map(|text| serde_json::json!({"segments": [text]}).to_string() + "\n")
        .collect();
    let belongs = |arguments: &[&str]| -> Vec<bool> {
        let arguments = [&["--grammar", &grammar], arguments].concat();
        let output = check(&arguments, &input);
        let answers = lines(&output);
        answers
            .iter()
            .map(|answer| answer["completable"] == true)
            .collect()
    };
    let by_uri = format!("https://example.org/name={document}");
    let cases: [(&[&str], [bool; 5]); 5] = [
        (&["--document", &document], [true, true, true, true, false]),
        (
            &["--document", &by_uri, "--property-order", "declared"],
            [true, false, true, false, false],
        ),
        (
            &["--document", &document, "--white-space", "compact"],
            [true, true, false, false, false],
        ),
        (
            &["--document", &document, "--indent", "2"],
            [false, false, true, false, false],
        ),
        (&["--document", &document, "--indent", "4"], [false; 5]),
    ];
    for (arguments, expected) in cases {
        assert_eq!(belongs(arguments), expected, "{arguments:?}");
    }
    let output = check(&["--grammar", &grammar], &input);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("https://example.org/name"), "{said}");
}

#[test]
fn slots_are_filled_from_lists_and_texts() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = write(
        folder.path(),
        "query.lark",
        "start: \"select\" COLUMN \"for\" WHO\n%slot COLUMN: plain i\n%slot WHO: quoted \"'\"\n\
         %ignore \" \"\n",
    );
    let schema = write(
        folder.path(),
        "row.schema.json",
        r#"{"type": "string", "x-oneOf": "COLUMN"}"#,
    );
    let columns = write(folder.path(), "columns.txt", "name\nbirth date\n");
    let list = format!("COLUMN={columns}");
    let fill = ["--list", &list, "--text", "WHO=Ann O'Lee"];
    let input: String = [
        json!({"segments": ["select ", null, " date for '", null, "'"]}),
        json!({"segments": ["select date for 'Ann'"]}),
        json!({"segments": ["select NAME for 'O''", null]}),
        json!({"grammar": schema, "segments": ["\"birth", null]}),
    ]
    .map(|line| format!("{line}\n"))
    .concat();
    let output = check(&[&["--grammar", &grammar][..], &fill].concat(), &input);
    let answers = lines(&output);
    let verdicts: Vec<_> = answers.iter().map(|line| &line["completable"]).collect();
    assert_eq!(verdicts, [true, false, true, true], "{answers:?}");
    assert_eq!(answers[2]["witness"], "select NAME for 'O''Lee'");
    assert_eq!(answers[3]["witness"], "\"birth date\"");
    for (arguments, said) in [
        (&fill[..2], "nothing was handed over for the slot WHO"),
        (&["--list", "COLUMN=/no/such/file"], "/no/such/file"),
        (&["--list", "COLUMN"], "expected NAME=…"),
    ] {
        let output = check(&[&["--grammar", &grammar][..], arguments].concat(), "");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(said), "{error}");
    }
}

#[test]
fn what_is_too_large_is_named_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = write(
        folder.path(),
        "rules.gbnf",
        "root ::= \"(\" root \")\" | far | near\nnear ::= \"b\"{9}\nfar ::= [ab]* \"a\" [ab]{40}\n",
    );
    // More rules than are tried come before the one that is too large.
    let small: Vec<String> = (0..40)
        .map(|at| format!("r{at} ::= \"b\"{{{at}}} root?"))
        .collect();
    let names: Vec<String> = (0..40).map(|at| format!("r{at}")).collect();
    let late = format!(
        "root ::= \"(\" root \")\" | {} | far\n{}\nfar ::= [ab]* \"a\" [ab]{{40}}\n",
        names.join(" | "),
        small.join("\n"),
    );
    let late = write(folder.path(), "late.gbnf", &late);
    // Each terminal is small; told apart, they are not.
    let terminals = write(
        folder.path(),
        "terminals.lark",
        "start: (LEFT | RIGHT | \"c\")*\nLEFT: /[abc]*a[abc]{12}/\nRIGHT: /[abc]*b[abc]{12}/\n",
    );
    let schema = write(
        folder.path(),
        "list.schema.json",
        r##"{"properties": {"a": {"minItems": 90000, "items": {"type": "object", "required": ["b"], "properties": {"b": {"$ref": "#"}}}}}}"##,
    );
    for (file, said) in [
        (&rules, "rules.gbnf:3:1\n  |\n3 | far ::="),
        (&late, "late.gbnf:42:1\n   |\n42 | far ::="),
        (&terminals, "terminals.lark:"),
    ] {
        let output = check(&["--grammar", file], "");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("error[too-large]"), "{file}: {error}");
        assert!(error.contains(said), "{file}: {error}");
    }
    // Whole texts are judged all the same.
    let whole = [
        r#"{"segments": ["{\"a\": 1}"]}"#,
        r#"{"segments": ["{\"a\": []}"]}"#,
    ];
    let output = check(&["--grammar", &schema], &whole.join("\n"));
    let verdicts: Vec<Value> = lines(&output)
        .iter()
        .map(|line| line["completable"].clone())
        .collect();
    assert_eq!(verdicts, [json!(true), json!(false)]);
}

#[test]
fn an_empty_text_that_many_ask_for_is_one_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let span = r#"{"type": "string", "x-spanOf": "request"}"#;
    let schema = write(
        folder.path(),
        "spans.schema.json",
        &format!(r#"{{"properties": {{"a": {span}, "b": {span}, "c": {span}}}}}"#),
    );
    let output = check(&["--grammar", &schema, "--text", "request= "], "");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(error.matches("error[").count(), 1, "{error}");
    assert!(error.contains("error[empty-slot]"), "{error}");
    assert!(
        error.contains("the same at #/properties/b/x-spanOf, #/properties/c/x-spanOf"),
        "{error}"
    );
}

#[test]
fn published_methods_answer_in_the_same_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = write(folder.path(), "json.gbnf", JSON_GRAMMAR);
    let input: String = [
        json!({"id": 1, "segments": ["{\"a\": ", null, "}"]}),
        json!({"id": 2, "segments": ["[1, ", null, "}"]}),
        json!({"id": 3, "segments": ["[", null], "gaps": [3]}),
        json!({"id": 4, "cells": [null]}),
    ]
    .map(|line| format!("{line}\n"))
    .concat();
    for method in ["mundler", "epic"] {
        for lexing in ["described", "exact"] {
            let how = ["--method", method, "--lexing", lexing];
            let output = check(&[&["--grammar", &grammar][..], &how].concat(), &input);
            let lines = lines(&output);
            assert_eq!(lines[0]["completable"], true, "{how:?}: {}", lines[0]);
            assert!(lines[0]["witness"].is_string(), "{how:?}: {}", lines[0]);
            assert_eq!(lines[1]["completable"], false, "{how:?}: {}", lines[1]);
            for line in &lines[2..] {
                let error = line["error"].as_str().expect("an error");
                assert!(error.contains("any length only"), "{how:?}: {error}");
            }
            assert_eq!(output.status.code(), Some(1));
        }
    }
}

#[test]
fn whole_texts_of_a_schema_that_no_grammar_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = r#"{"type": "array", "uniqueItems": true,
        "items": {"type": "object", "properties": {"a": {"type": "number"}}}}"#;
    let grammar = write(folder.path(), "unique.schema.json", schema);
    let whole = [
        (r#"[{"a": 1}, {"a": 2}]"#, true),
        (r#"[{"a": 1}, {"a": 1.0}]"#, false),
        (r#"[{"a": 1, "b": 2}, {"b": 2, "a": 1}]"#, false),
        (r#"[{"a": "1"}]"#, false),
    ];
    let mut input = String::new();
    for (text, _) in whole {
        input += &format!("{}\n", json!({ "segments": [text] }));
    }
    // What is found is shown, and what is not found may be there.
    input += &format!(
        "{}\n",
        json!({ "segments": ["[{\"a\": 1}, {", null, "}]"] })
    );
    input += &format!("{}\n", json!({ "segments": ["[{\"a\": \"", null, "}]"] }));
    let output = check(&["--grammar", &grammar], &input);
    let lines = lines(&output);
    for (line, (text, expected)) in lines.iter().zip(whole) {
        assert_eq!(line["completable"], json!(expected), "{text}: {line}");
    }
    assert_eq!(lines[4]["completable"], json!(true), "{}", lines[4]);
    assert_eq!(lines[5]["completable"], json!(false), "{}", lines[5]);
}

#[test]
fn gaps_of_a_schema_that_no_grammar_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = r#"{"type": "array", "uniqueItems": true, "minItems": 12, "items": {"type": "object",
        "properties": {"n": {"type": "integer"}, "c": {"enum": ["red", "green", "blue"]}},
        "required": ["n", "c"]}}"#;
    let grammar = write(folder.path(), "unique.schema.json", schema);
    let item = r#"{"n": 1, "c": "red"}"#;
    let begun = r#",{"n":1,"c":"#;
    let input = [
        json!({ "segments": [null] }),
        json!({ "segments": [format!("[{item}"), null, "]"] }),
        json!({ "segments": [format!("[{item}{begun}"), null, format!("}}{begun}"), null, "}", null] }),
        json!({ "segments": [format!("[{item}"), null, format!(",{item}]")] }),
    ];
    let input: String = input.iter().map(|line| format!("{line}\n")).collect();
    let output = check(&["--grammar", &grammar], &input);
    let lines = lines(&output);
    for line in &lines[..3] {
        let witness = line["witness"].as_str().unwrap_or_else(|| panic!("{line}"));
        let items: Vec<Value> = serde_json::from_str(witness).expect("JSON");
        assert!(items.len() >= 12);
        for (at, item) in items.iter().enumerate() {
            assert!(!items[..at].contains(item), "{item} is twice in {witness}");
        }
    }
    let error = lines[3]["error"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", lines[3]));
    assert!(error.starts_with("undecided"), "{error}");
}

#[test]
fn lists_of_ten_thousand_words() {
    lists_of_words(|number| 4 + number % 9);
}

/// Every character of a list is a state, and its other spelling five more.
#[test]
fn lists_of_ten_thousand_long_words() {
    lists_of_words(|_| 36);
}

fn lists_of_words(letters: impl Fn(usize) -> usize) {
    let mut random = 1u32;
    let mut letter = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + ((random >> 16) % 26) as u8)
    };
    let words = (0..10_000).map(|number| (0..letters(number)).map(|_| letter()).collect());
    let words: Vec<String> = words.collect();
    let folder = tempfile::tempdir().expect("a folder");
    let schema = json!({ "enum": words }).to_string();
    let grammar = write(folder.path(), "words.schema.json", &schema);
    let (word, long) = (&words[4_321], &words[8_774]);
    let spelled = format!("\"\\u{:04x}", u32::from(long.as_bytes()[0]));
    let rest = format!("{}\"", &long[2..]);
    let input = [
        json!({ "segments": [format!("\"{word}\"")] }),
        json!({ "segments": [format!("\"{word}"), null] }),
        json!({ "segments": [spelled, null, rest] }),
        json!({ "segments": [format!("\"{word}."), null] }),
        json!({ "segments": [null, format!("{long}{long}\"")] }),
    ];
    let input: String = input.iter().map(|line| format!("{line}\n")).collect();
    let output = check(&["--grammar", &grammar], &input);
    for (line, expected) in lines(&output).iter().zip([true, true, true, false, false]) {
        assert_eq!(line["completable"], json!(expected), "{line}");
        if expected {
            let witness = line["witness"].as_str().expect("a witness");
            let found: String = serde_json::from_str(witness).expect("JSON");
            assert!(words.contains(&found), "{witness}");
        }
    }
}

/// Each set of properties seen is a state of its own; thousands of them are met by a text, and
/// pairs of them by a gap.
#[test]
fn objects_of_thousands_of_properties() {
    const PROPERTIES: usize = 2_000;
    let folder = tempfile::tempdir().expect("a folder");
    let integer = json!({"type": "integer"});
    let names = (0..PROPERTIES).map(|number| format!("name{number}"));
    let properties: serde_json::Map<String, Value> =
        names.clone().map(|name| (name, integer.clone())).collect();
    let schema = json!({
        "properties": properties,
        "required": ["name7", "name1999"],
        "additionalProperties": false,
    });
    let grammar = write(folder.path(), "large.schema.json", &schema.to_string());
    let member = |name: String| format!("\"{name}\": 1");
    let members: Vec<String> = names.rev().map(member).collect();
    let all = format!("{{{}}}", members.join(", "));
    let twice = format!("{{{}, \"name7\": 2}}", members.join(", "));
    let one_is_missing = all.replace("\"name7\": 1, ", "");
    let texts = [(all, true), (twice, false), (one_is_missing, false)];
    let mut input = String::new();
    for (text, _) in &texts {
        input += &format!("{}\n", json!({ "segments": [text] }));
    }
    let gaps = json!({"segments": ["{\"name1\": 1, \"", null, "1, \"", null, "}"]});
    input += &format!("{gaps}\n");
    let output = check(&["--grammar", &grammar], &input);
    let lines = lines(&output);
    for (line, (_, expected)) in lines.iter().zip(&texts) {
        assert_eq!(line["completable"], json!(expected), "{line}");
    }
    let is_undecided = |error: &Value| error.as_str().is_some_and(|it| it.contains("budget"));
    let line = &lines[3];
    assert!(
        line["completable"] == json!(true) || is_undecided(&line["error"]),
        "it ends, and is not refused: {line}"
    );
}

/// The same question again is answered from what is known.
#[test]
fn memos_are_told_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = write(folder.path(), "json.gbnf", JSON_GRAMMAR);
    let tokenizer = repository("models/lacuna-mini/tokenizer.json");
    let options = ["--grammar", &grammar, "--tokenizer", &tokenizer, "--memos"];
    let question = "{\"segments\": [\"{\\\"a\\\":[\", null, \"]}\"], \"gaps\": [3]}\n";
    let told = |times: usize| -> Value {
        let output = check(&options, &question.repeat(times));
        assert_eq!(lines(&output).len(), times);
        let told = String::from_utf8(output.stderr).expect("UTF-8");
        let told: Value = serde_json::from_str(told.trim()).expect("one line of JSON");
        assert_eq!(told["grammar"], grammar.as_str());
        told["memos"]["lexing"].clone()
    };
    let (once, often) = (told(1), told(20));
    assert!(once["asked"].as_u64() > Some(0), "{once}");
    assert!(often["asked"].as_u64() > once["asked"].as_u64(), "{often}");
    assert!(
        often["hitRate"].as_f64() > once["hitRate"].as_f64(),
        "{once} {often}"
    );
}

#[test]
fn a_tokenizer_that_is_not_there_is_named_before_what_stands_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = write(folder.path(), "a.gbnf", "root ::= \"a\"\n");
    let error = |tokenizer: &str| {
        let output = check(&["--grammar", &grammar, "--tokenizer", tokenizer], "");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let absent = folder.path().join("nope.json");
    let said = error(&absent.to_string_lossy());
    assert!(said.contains("nope.json: No such file"), "{said}");
    let alone = write(folder.path(), "tokenizer.json", "{}");
    let said = error(&alone);
    for part in ["config.json", "beside the tokenizer", "--end and --mask"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_name_is_given_once_and_an_empty_line_is_no_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = r#"{"type": "string", "x-oneOf": "city"}"#;
    let grammar = write(folder.path(), "a.schema.json", schema);
    let slot = write(folder.path(), "a.lark", "start: CITY\n%slot CITY\n");
    let (rome, bern) = (
        write(folder.path(), "rome", "Rome\n"),
        write(folder.path(), "bern", "Bern\n"),
    );
    let (rome, bern) = (format!("city={rome}"), format!("city={bern}"));
    for (more, said) in [
        (
            ["--list", &rome, "--list", &bern],
            "--list names city twice",
        ),
        (["--text", "r=a", "--text", "r=a"], "--text names r twice"),
    ] {
        let arguments = [&["--grammar", &*grammar], &more[..]].concat();
        let output = check(&arguments, "");
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(said), "{error}");
    }
    let gappy = write(folder.path(), "gappy", "\nRome\r\n\nBern\n\n");
    for (grammar, name, asked) in [
        (
            &grammar,
            "city",
            [r#""\"\"""#, r#""\"Rome\"""#, r#""\"Bern\"""#],
        ),
        (&slot, "CITY", [r#""""#, r#""Rome""#, r#""Bern""#]),
    ] {
        let list = format!("{name}={gappy}");
        let input = asked.map(|text| format!("{{\"segments\": [{text}]}}\n"));
        let output = check(&["--grammar", grammar, "--list", &list], &input.concat());
        assert!(output.status.success(), "{output:?}");
        let verdicts = lines(&output).into_iter();
        let verdicts: Vec<Value> = verdicts.map(|line| line["completable"].clone()).collect();
        assert_eq!(verdicts, [json!(false), json!(true), json!(true)]);
    }
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let grammar = write(folder.path(), "a.gbnf", "root ::= \"a\"\n");
    let tokenizer = repository("models/lacuna-mini/tokenizer.json");
    let questions = |question: &str| format!("{question}\n").repeat(2000);
    for (command, input) in [
        ("check", questions(r#"{"segments": ["a"]}"#)),
        ("mask", questions(r#"{"cells": [null]}"#)),
        ("compile", String::new()),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lacuna"))
            .args([command, "--grammar", &grammar, "--tokenizer", &tokenizer])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().expect("stdin");
        // It need not read all of its input.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("the binary ends");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {error}");
        assert!(!error.contains("pipe"), "{command}: {error}");
    }
}
