//! No text makes a front end panic: random ones, and damaged good ones.

use lacuna_grammar::json_schema::{SchemaOptions, compile};
use lacuna_grammar::{Diagnostics, Place, gbnf, regex};

const CASES: [(&str, &str); 3] = [
    ("gbnf", include_str!("cases/gbnf.txt")),
    ("regex", include_str!("cases/regex.txt")),
    ("json_schema", include_str!("cases/json_schema.txt")),
];

#[test]
fn damaged_and_random_texts() {
    let mut findings = 0;
    for (dialect, cases) in CASES {
        for (seed, grammar) in grammars(cases).cycle().take(1500).enumerate() {
            let rng = &mut fastrand::Rng::with_seed(seed as u64);
            let text = match rng.u8(..8) {
                0 => (0..rng.usize(..40)).map(|_| rng.char(..)).collect(),
                _ => damaged(grammar, rng),
            };
            findings += read(dialect, &text).map_or_else(|found| found.0.len(), |()| 0);
        }
    }
    assert!(findings > 1000, "{findings}");
}

#[test]
fn deep_and_long_texts() {
    let many = |part: &str, count: usize| part.repeat(count);
    for (dialect, text) in [
        ("gbnf", format!("root ::= {}", many("(", 100_000))),
        ("gbnf", format!("root ::= \"a\"{}", many("*", 100_000))),
        (
            "gbnf",
            format!("root ::= {}\"a\"{}", many("((", 5000), many(")***)", 5000)),
        ),
        ("gbnf", many("[", 100_000)),
        ("regex", many("(", 100_000)),
        ("regex", format!("a{}", many("*", 100_000))),
        (
            "regex",
            format!("{}a{}", many("(?:", 1000), many("){9}", 1000)),
        ),
        ("json_schema", many("[", 100_000)),
        ("json_schema", many("{\"a\":", 100_000)),
        (
            "json_schema",
            format!("{{\"pattern\": \"{}\"}}", many("(", 100_000)),
        ),
        (
            "json_schema",
            "{\"pattern\": \"((a{1000}){1000}){1000}\"}".to_owned(),
        ),
        (
            "json_schema",
            "{\"pattern\": \"[ab]*a[ab]{30}\"}".to_owned(),
        ),
        ("json_schema", chain("$ref", 5000)),
        ("json_schema", doubling("anyOf", 40)),
        (
            "json_schema",
            format!("{{\"enum\": [1], {}", &doubling("allOf", 40)[1..]),
        ),
    ] {
        let shown: String = text.chars().take(60).collect();
        assert!(read(dialect, &text).is_err(), "{dialect}: {shown}");
    }
    // Long, but nothing is wrong with it.
    let words: Vec<String> = (0..10_000)
        .map(|number| format!("\"word {number}\""))
        .collect();
    read(
        "json_schema",
        &format!("{{\"enum\": [{}]}}", words.join(",")),
    )
    .unwrap();
    read("gbnf", &format!("root ::= {}", many("\"a\" | ", 10_000))).unwrap();
}

/// Definitions that each refer to the next.
fn chain(keyword: &str, length: usize) -> String {
    let links: Vec<String> = (0..length)
        .map(|at| format!("\"{at}\": {{\"{keyword}\": \"#/$defs/{}\"}}", at + 1))
        .collect();
    format!(
        "{{\"$ref\": \"#/$defs/0\", \"$defs\": {{{}, \"{length}\": {{}}}}}}",
        links.join(",")
    )
}

/// Definitions that each refer to the next twice; the last is false.
fn doubling(keyword: &str, length: usize) -> String {
    let links: Vec<String> = (0..length)
        .map(|at| {
            let next = format!("{{\"$ref\": \"#/$defs/{}\"}}", at + 1);
            let other = format!("{{\"maxLength\": {at}, \"$ref\": \"#/$defs/{}\"}}", at + 1);
            format!("\"{at}\": {{\"{keyword}\": [{next}, {other}]}}")
        })
        .collect();
    format!(
        "{{\"$ref\": \"#/$defs/0\", \"$defs\": {{{}, \"{length}\": {{\"type\": \"array\", \
         \"maxLength\": 0}}}}}}",
        links.join(",")
    )
}

fn read(dialect: &str, text: &str) -> Result<(), Diagnostics> {
    let read = match dialect {
        "gbnf" => gbnf::parse(text).map(drop),
        "regex" => regex::parse(text).map(drop),
        _ => compile(text, &SchemaOptions::generation())
            .and_then(|_| compile(text, &SchemaOptions::membership()))
            .map(drop),
    };
    if let Err(found) = &read {
        assert!(!found.0.is_empty());
        for finding in &found.0 {
            assert!(!finding.message.is_empty());
            if let Place::Span { start, end } = finding.place {
                assert!(start <= end && end <= text.len(), "{finding} in {text:?}");
            }
        }
    }
    read
}

fn grammars(cases: &str) -> impl Iterator<Item = &str> + Clone {
    cases
        .split("--- grammar\n")
        .skip(1)
        .map(|rest| rest.split("--- ").next().unwrap())
}

/// A few characters taken out, doubled, swapped or put in.
fn damaged(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(..characters.len().max(1));
        match rng.u8(..4) {
            _ if characters.is_empty() => characters.push(rng.char(..)),
            0 => drop(characters.remove(at)),
            1 => characters.insert(at, characters[rng.usize(..characters.len())]),
            2 => {
                let other = rng.usize(..characters.len());
                characters.swap(at, other);
            }
            _ => {
                let pool = [
                    '"', '\\', '(', ')', '[', ']', '{', '}', '|', '*', '<', '\n', 'é', '0',
                ];
                characters.insert(at, pool[rng.usize(..pool.len())]);
            }
        }
    }
    characters.into_iter().collect()
}
