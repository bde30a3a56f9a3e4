//! Filling slots: what is shared, what it costs, and what hostile values do.
//! (Which texts belong is in `cases/lark/slots.txt` and `cases/json_schema.txt`.)

use std::sync::Arc;

use lacuna_grammar::automaton::{Dfa, Limits};
use lacuna_grammar::json_schema::{self, SchemaOptions};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::spans::{word_spans, word_spans_ignoring_case};
use lacuna_grammar::{Expr, Grammar, OpenGrammar, Slots, lark};

const QUERY: &str = r#"
start: "select" COLUMN "where" NAME "=" /[0-9]{1,20}/
%slot COLUMN: plain | quoted "\""
NAME: /[a-z]+/
%ignore " "
%constrain /.{0,200}/s
"#;

const SCHEMA: &str = r#"{"type": "object", "required": ["column"], "properties": {
    "column": {"type": "string", "x-oneOf": "columns"},
    "pattern": {"type": "string", "pattern": "^[a-z]{2,20}$"}}}"#;

#[test]
fn two_fillings_share_all_other_automata() {
    let query = lark::open(QUERY, &lark::Options::default()).unwrap();
    let schema = json_schema::open(SCHEMA, &SchemaOptions::generation()).unwrap();
    for (open, name) in [(query, "COLUMN"), (schema, "columns")] {
        let fill = |value: &str| fill(&open, name, [value]);
        let (first, second) = (fill("aa"), fill("bb"));
        let (first, second) = (automata(&first), automata(&second));
        assert_eq!(first.len(), second.len());
        let shared = std::iter::zip(&first, &second).filter(|(a, b)| Arc::ptr_eq(a, b));
        // All but the slot's.
        assert_eq!(shared.count(), first.len() - 1, "{name}");
        assert!(first.len() > 1);
    }
}

#[test]
fn a_filling_is_as_reading_the_grammar_with_the_values_in_it() {
    let open = lark::open(QUERY, &lark::Options::default()).unwrap();
    let filled = fill(&open, "COLUMN", ["a b", "c\"d"]);
    let written = QUERY.replace(
        "%slot COLUMN: plain | quoted \"\\\"\"",
        "COLUMN.1: \"a b\" | \"c\\\"d\" | \"\\\"a b\\\"\" | \"\\\"c\\\"\\\"d\\\"\"",
    );
    let written = lark::parse(&written).unwrap();
    let rng = &mut fastrand::Rng::with_seed(7);
    let parts = [
        "select ",
        "a b",
        "c\"d",
        "\"c\"\"d\"",
        "\"a b\"",
        " where ",
        "x",
        " = ",
        "12",
        "\"",
        " ",
    ];
    let mut members = 0;
    for _ in 0..3000 {
        let mut text: Vec<&str> = vec![
            "select ",
            parts[rng.usize(1..5)],
            " where ",
            "x",
            " = ",
            "12",
        ];
        for _ in 0..rng.usize(..3) {
            let at = rng.usize(..text.len());
            text[at] = parts[rng.usize(..parts.len())];
        }
        let text = text.concat();
        let member = recognize(&filled, text.as_bytes());
        assert_eq!(member, recognize(&written, text.as_bytes()), "{text}");
        members += usize::from(member);
    }
    assert!(members > 500 && members < 2500, "{members}");
}

#[test]
fn hostile_values() {
    let open = lark::open(QUERY, &lark::Options::default()).unwrap();
    let numbered = (0..100_000).map(|number| format!("column {number}"));
    let grammar = fill(&open, "COLUMN", numbered);
    assert!(recognize(&grammar, b"select column 99999 where a = 1"));
    assert!(!recognize(&grammar, b"select column 100000 where a = 1"));

    let rng = &mut fastrand::Rng::with_seed(1);
    let mut word = |length: usize| -> String { (0..length).map(|_| rng.lowercase()).collect() };
    for values in [
        vec![word(1 << 20)],
        (0..100_000).map(|_| word(20)).collect(),
        vec![String::new()],
        vec!["a".to_owned(), String::new()],
    ] {
        let slots = Slots::default().with_list("COLUMN", values);
        let found = open.fill(&slots).unwrap_err();
        let kind = found.0[0].kind;
        assert!(matches!(kind, "too-large" | "empty-value"), "{found}");
        assert!(found.0[0].line_and_column(QUERY).is_some());
    }
    let slots = Slots::default().with_text("COLUMN", "word ".repeat(1 << 20));
    assert_eq!(open.fill(&slots).unwrap_err().0[0].kind, "too-large");
    // Quotes and control characters are characters like others.
    let odd = "\0\"\"\n\u{10FFFF}";
    let grammar = fill(&open, "COLUMN", [odd]);
    let text = format!("select \"{}\" where a = 1", odd.replace('"', "\"\""));
    assert!(recognize(&grammar, text.as_bytes()));
}

/// The bound that the module states, in bytes of the text.
#[test]
fn spans_are_linear_in_the_text() {
    let rng = &mut fastrand::Rng::with_seed(3);
    let words = ["a", "Ab", "ab", "É", "the", "THE", "of,", "x-y", "ſ", "K"];
    for length in [10, 100, 1000, 10_000] {
        let text: Vec<&str> = (0..length)
            .map(|_| words[rng.usize(..words.len())])
            .collect();
        let text = text.join(" ");
        let exact = word_spans(&text, &Limits::default()).unwrap();
        assert!(exact.state_count() <= 2 * text.len() + 2);
        let folded = word_spans_ignoring_case(&text, &Limits::default()).unwrap();
        assert!(folded.state_count() <= 6 * text.len() + 2);
        assert!(folded.accepts(text.to_lowercase().as_bytes()));
        assert!(folded.accepts(text.to_uppercase().as_bytes()));
    }
}

/// Marks belong to the word that they stand in, in every script.
#[test]
fn spans_cut_no_word() {
    for (text, word, parts) in [
        ("नमस्ते दुनिया", "नमस्ते", ["नमस", "नमस्"]),
        ("தமிழ் நாடு", "தமிழ்", ["தமிழ", "தமி"]),
        ("cafe\u{301} noir", "cafe\u{301}", ["cafe", "caf"]),
        ("don't go", "don't", ["don't g", "do"]),
        ("می\u{200c}خواهم که", "می\u{200c}خواهم", ["می", "خواهم"]),
        (
            "hi 👩\u{200d}👧 bye",
            "👩\u{200d}👧",
            ["\u{200d}", "👩\u{200d}"],
        ),
        ("I ❤\u{fe0f} it", "❤\u{fe0f}", ["\u{fe0f}", "❤"]),
        (
            "go 1\u{fe0f}\u{20e3} ok",
            "1\u{fe0f}\u{20e3}",
            ["1", "1\u{fe0f}"],
        ),
    ] {
        let spans = word_spans(text, &Limits::default()).unwrap();
        assert!(spans.accepts(word.as_bytes()), "{word}");
        for part in parts {
            assert!(!spans.accepts(part.as_bytes()), "{part} of {word}");
        }
    }
}

fn fill<V: Into<String>>(
    open: &OpenGrammar,
    name: &str,
    values: impl IntoIterator<Item = V>,
) -> Grammar {
    let slots = Slots::default().with_list(name, values);
    open.fill(&slots).unwrap().grammar
}

/// All automata of a grammar, in order.
fn automata(grammar: &Grammar) -> Vec<Arc<Dfa>> {
    fn collect(expr: &Expr, found: &mut Vec<Arc<Dfa>>) {
        match expr {
            Expr::Automaton(dfa) => found.push(Arc::clone(dfa)),
            Expr::Sequence(parts) | Expr::Choice(parts) => {
                parts.iter().for_each(|part| collect(part, found));
            }
            Expr::Repeat { item, .. } => collect(item, found),
            _ => {}
        }
    }
    let mut found = Vec::new();
    let bodies = grammar.rules.iter().map(|rule| &rule.body);
    bodies.for_each(|body| collect(body, &mut found));
    let terminals = grammar.lexicon.iter().flat_map(|it| &it.terminals);
    found.extend(terminals.map(|terminal| Arc::clone(&terminal.language)));
    found.extend(grammar.constraint.clone());
    found
}
