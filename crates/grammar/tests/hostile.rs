//! No text makes a front end panic: random ones, and damaged good ones.

use lacuna_grammar::json_schema::{SchemaOptions, compile};
use lacuna_grammar::{Diagnostics, Place, gbnf, lark, regex};

const CASES: [(&str, &str); 9] = [
    ("gbnf", include_str!("cases/gbnf.txt")),
    ("lark", include_str!("cases/lark/rules.txt")),
    ("lark", include_str!("cases/lark/terminals.txt")),
    ("lark", include_str!("cases/lark/regexes.txt")),
    ("lark", include_str!("cases/lark/lexing.txt")),
    ("lark", include_str!("cases/lark/templates.txt")),
    ("lark", include_str!("cases/lark/refused.txt")),
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
        ("lark", format!("start: {}", many("(", 100_000))),
        ("lark", format!("start: {}\"a\"", many("~", 100_000))),
        ("lark", format!("start: {}", many("a{", 100_000))),
        ("lark", format!("start: \"a\"{}", many("*", 100_000))),
        ("lark", format!("start: /{}/", many("(", 100_000))),
        ("lark", format!("start: /a{}/", many("(?:b){9}", 100_000))),
        (
            "lark",
            format!("start: /{}a{}/", many("(?:", 100), many("){9}", 100)),
        ),
        ("lark", "start: /((a{1000}){1000}){1000}/".to_owned()),
        ("lark", "start: A\nA: ((\"a\"~1000)~1000)~1000".to_owned()),
        ("lark", "start: /[ab]*a[ab]{30}/".to_owned()),
        ("lark", "start: /(a|b)*?a[ab]{30}c/".to_owned()),
        ("lark", "start: A\nA: ~/[ab]*a[ab]{30}/ & /.+/".to_owned()),
        ("lark", terminals(5000, |next| format!("A{next} A{next}"))),
        (
            "lark",
            terminals(5000, |next| format!("A{next} /b*?/ A{next}")),
        ),
        ("lark", terminals(5000, |next| format!("(A{next} A0)"))),
        (
            "lark",
            "start: t{\"a\"}\nt{x}: t{p{x, x}} x\np{x, y}: x y".to_owned(),
        ),
        (
            "lark",
            format!("start: {}", numbered(20_000, |n| format!("\"{n}\" |"))),
        ),
        (
            "lark",
            format!("start: {}", numbered(1000, |n| format!("/.{{{n}}}b/ "))),
        ),
        ("lark", many("%ignore ", 100_000)),
        ("lark", many("%import common.", 100_000)),
        ("lark", many("a: /\n", 100_000)),
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
        (
            "json_schema",
            format!(
                "{{\"type\": \"array\", \"allOf\": [{{}}{}]}}",
                numbered(26, |n| format!(", {{\"contains\": {{\"const\": {n}}}}}"))
            ),
        ),
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
    let words = numbered(5000, |number| format!("\"word {number}\" | "));
    read("lark", &format!("start: {words}")).unwrap();
    read("lark", &terminals(5000, |next| format!("A{next} | \"b\""))).unwrap();
    let rules = numbered(20_000, |rule| format!("r{rule}: \"a\" r{}\n", rule + 1));
    read("lark", &format!("start: r0\n{rules}r20000: \"a\"")).unwrap();
}

fn numbered(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

/// A chain of terminals, each made of the next.
fn terminals(length: usize, body: impl Fn(usize) -> String) -> String {
    let links = numbered(length, |at| format!("A{at}: {}\n", body(at + 1)));
    format!("start: A0\n{links}A{length}: \"a\"")
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
        "lark" => lark::parse_with(text, &lark::Options::default()).map(|linted| {
            for warning in &linted.warnings {
                assert!(warning.line_and_column(text).is_some(), "{warning}");
            }
            for terminal in linted.grammar.lexicon.iter().flat_map(|it| &it.terminals) {
                assert!(!terminal.language.accepts(b"") && !terminal.language.is_empty());
            }
        }),
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
                    '"', '\\', '(', ')', '[', ']', '{', '}', '|', '*', '<', '\n', 'é', '0', '/',
                    '~', '?', ':', '%', '&',
                ];
                characters.insert(at, pool[rng.usize(..pool.len())]);
            }
        }
    }
    characters.into_iter().collect()
}
