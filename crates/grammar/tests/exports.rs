//! What is exported is read again, and has the same texts.
//!
//! Oracle: the plain recogniser, over the grammar as it was and over what was made of
//! its export by the front end of that dialect: on the texts that ship, and on texts
//! drawn from each of the two, whole and damaged.

use std::path::Path;

use crate::support::Sampler;
use lacuna_grammar::export::{Target, export};
use lacuna_grammar::json_schema::{self, SchemaOptions};
use lacuna_grammar::lark::{self, Options};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Diagnostics, Grammar, Linted, Place, gbnf, regex};

const TARGETS: [Target; 3] = [Target::Gbnf, Target::Lark, Target::Regex];

/// Longer texts take the recogniser too long.
const MAX_TEXT: usize = 40;

fn read(kind: &str, text: &str) -> Result<Linted, Diagnostics> {
    match kind {
        "gbnf" => gbnf::lint(text),
        "lark" => lark::parse_with(text, &Options::default()),
        "regex" => {
            let whole = Place::Span {
                start: 0,
                end: text.len(),
            };
            regex::parse(text).map(|grammar| Linted::silent(grammar, whole))
        }
        "declared" => json_schema::lint(text, &SchemaOptions::generation()),
        _ => json_schema::lint(text, &SchemaOptions::membership()),
    }
}

fn read_again(target: Target, text: &str) -> Grammar {
    let kind = match target {
        Target::Gbnf => "gbnf",
        Target::Lark => "lark",
        Target::Regex => "regex",
    };
    let read = read(kind, text);
    read.unwrap_or_else(|error| panic!("{error}\n{text}"))
        .grammar
}

fn shipped(name: &str) -> (Linted, Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars");
    let (stem, kind) = name.split_once('.').expect("a kind");
    let text = std::fs::read_to_string(folder.join(name)).expect("a grammar that ships");
    let linted = read(kind, &text).expect("a grammar without slots");
    let mut texts = Vec::new();
    for file in ["members.jsonl", "others.jsonl"] {
        let lines = std::fs::read_to_string(folder.join(stem).join(file)).expect("texts");
        texts.extend(lines.lines().map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
            value["text"].as_str().expect("a text").to_owned()
        }));
    }
    (linted, texts)
}

fn agree(one: &Grammar, other: &Grammar, text: &[u8], what: &str) {
    if text.len() <= MAX_TEXT {
        let shown = String::from_utf8_lossy(text);
        assert_eq!(
            recognize(one, text),
            recognize(other, text),
            "{what}: {shown:?}"
        );
    }
}

/// Compares on the given texts and on drawn ones.
fn compare(one: &Grammar, other: &Grammar, texts: &[String], draws: usize, what: &str) {
    for text in texts {
        agree(one, other, text.as_bytes(), what);
    }
    let mut rng = fastrand::Rng::with_seed(7);
    for drawn_from in [one, other] {
        // Drawn lexemes are no text.
        if drawn_from.lexicon.is_some() {
            continue;
        }
        let sampler = Sampler::new(drawn_from);
        for _ in 0..draws {
            let mut text = sampler.draw_within(40, &mut rng);
            agree(one, other, &text, what);
            if !text.is_empty() {
                let at = rng.usize(..text.len());
                match rng.u8(..3) {
                    0 => drop(text.remove(at)),
                    1 => text.insert(at, text[rng.usize(..text.len())]),
                    _ => text.truncate(at),
                }
                agree(one, other, &text, what);
            }
        }
    }
}

#[test]
fn exports_have_the_same_texts() {
    for (kind, text) in [
        ("gbnf", "root ::= (\"a\" | \"b\")* \"end\"?"),
        (
            "gbnf",
            "root ::= item (\",\" item)*\nitem ::= [a-z]+ | \"-\"{2,4} | \"\\x22\"{3,}",
        ),
        ("gbnf", "root ::= \"(\" root \")\" | [^()\\n] | \"\""),
        (
            "gbnf",
            "root ::= \"true\" | [a-z] [a-z0-9-]* | \"名\" | [\\u4E00-\\u9FFF]",
        ),
        (
            "gbnf",
            "root ::= a \"x\" | \"y\"\na ::= b \"1\" | root \"2\"\nb ::= a \"3\" | \"z\"?",
        ),
        (
            "gbnf",
            "root ::= \"x\" a | \"y\"\na ::= \"1\" b | \"2\" root\nb ::= \"3\" a | \"z\"?",
        ),
        (
            "gbnf",
            "root ::= Start\nStart ::= start2 \"a\" | \"\"\nstart2 ::= \"^\" | \"-\" | \"]\"",
        ),
        (
            "regex",
            "(?i:straße)|[^\\n\\]\\-^]{2,3}|\\p{Greek}+|/\\\\\\\\",
        ),
        ("regex", "(?:a|b|c)*?x\\.\\$|&&|~~|\\[--\\]"),
        ("lark", "start: \"a\" WORD?\nWORD: /[b-z]+/\n%ignore \" \""),
        (
            "lark",
            "start: pair+\npair: NAME \"=\" NUMBER \";\"\nNAME: /[a-z]+/\nNUMBER: /[0-9]+/\n%ignore /[ \\n]+/",
        ),
        (
            "lark",
            "start: \"let\"? NAME (\"in\" NAME)* | (\"<\" | \"<=\"){2}\nNAME: /[a-z]+/\n%ignore \" \"",
        ),
        (
            "lark",
            "start: \"if\" expr (\"else\" expr)?\nexpr: NAME | \"not\" expr | expr (\"+\" | \"and\") expr | \"(\" expr \")\"\nNAME: /[a-z]+/\n%ignore /\\s+/",
        ),
        (
            "lark",
            "start: NAME | \"if\" \"(\" NAME \")\"\nNAME: /[a-z]+/",
        ),
        (
            "declared",
            r#"{"type":"object","properties":{"a":{"type":"integer","minimum":3,"maximum":1234},"b":{"enum":["x",null]}},"required":["b"],"additionalProperties":false}"#,
        ),
        (
            "schema",
            r#"{"type":"object","properties":{"a":{"type":"boolean"},"b":{"const":1}},"required":["a"],"additionalProperties":false}"#,
        ),
        (
            "declared",
            r##"{"$defs":{"t":{"type":"array","items":{"$ref":"#/$defs/t"}}},"$ref":"#/$defs/t"}"##,
        ),
    ] {
        let linted = read(kind, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut held = 0;
        for target in TARGETS {
            match export(&linted, target) {
                Ok(written) => {
                    held += 1;
                    let again = read_again(target, &written);
                    compare(
                        &linted.grammar,
                        &again,
                        &[],
                        60,
                        &format!("{text} as {written}"),
                    );
                }
                Err(refused) => assert!(
                    target == Target::Regex && refused.0[0].kind == "export-recursion",
                    "{text}: {refused}"
                ),
            }
        }
        assert!(held >= 2, "{text}");
    }
}

#[test]
fn shipped_grammars_are_held_or_refused_by_name() {
    let expected = [
        ("arithmetic.gbnf", ["", "", "export-recursion"]),
        ("bython.lark", ["export-lexemes"; 3]),
        ("chess.gbnf", ["", "", ""]),
        ("tool-call.schema.json", ["", "", "export-too-large"]),
        ("cpp.lark", ["export-lexemes"; 3]),
        ("css.lark", ["export-lexemes"; 3]),
        ("csv.gbnf", ["", "", ""]),
        ("iso8601.regex", ["", "", ""]),
        ("json.gbnf", ["", "", "export-recursion"]),
        ("json.lark", ["", "", "export-recursion"]),
        ("smiles.lark", ["export-constraint"; 3]),
        ("sql.lark", ["export-lexemes"; 3]),
        ("xml.lark", ["export-lexemes"; 3]),
    ];
    let mut found = Vec::new();
    for (name, _) in expected {
        let (linted, texts) = shipped(name);
        let kinds = TARGETS.map(|target| match export(&linted, target) {
            Ok(written) => {
                let again = read_again(target, &written);
                compare(
                    &linted.grammar,
                    &again,
                    &texts,
                    10,
                    &format!("{name} as {written}"),
                );
                ""
            }
            Err(refused) => refused.0[0].kind,
        });
        found.push((name, kinds));
    }
    assert_eq!(found, expected);
}

#[test]
fn what_cannot_be_held_is_told_with_its_place() {
    let nested = gbnf::lint("root ::= item\nitem ::= \"(\" item \")\" | \"x\"").expect("a grammar");
    let refused = export(&nested, Target::Regex).expect_err("nested");
    assert_eq!(refused.0[0].place, Place::Span { start: 14, end: 18 });
    assert_eq!(
        refused.0[0].message,
        "the rule item is recursive, and not only at the end or only at the beginning of rules"
    );

    // With a number before a name, `1e5` is a number, and `1x` is not.
    let numbers =
        "start: NUMBER NAME?\nNUMBER: /[0-9]+(e[0-9]+)?/\nNAME: /[a-z][a-z0-9]*/\n%ignore \" \"";
    let numbers = read("lark", numbers).expect("a grammar");
    let refused = export(&numbers, Target::Gbnf).expect_err("lexemes");
    assert_eq!(refused.0[0].kind, "export-lexemes");
    assert_eq!(
        refused.0[0].message,
        "NUMBER may stand before NAME, and the beginning of both can be one NUMBER: that the \
         longest lexeme counts cannot be said in GBNF"
    );

    let properties = (0..12).map(|at| format!("\"p{at}\":{{}}"));
    let properties = properties.collect::<Vec<_>>().join(",");
    let schema = format!("{{\"properties\":{{{properties}}}}}");
    let many = read("schema", &schema).expect("a schema");
    let refused = export(&many, Target::Gbnf).expect_err("too many orders");
    assert_eq!(refused.0[0].kind, "export-any-order");
}

/// A case of the front ends' own tests: a grammar, texts that belong, texts that do not.
struct Case {
    name: String,
    grammar: String,
    texts: Vec<(String, bool)>,
}

/// The cases of a file that need nothing beside the grammar and find nothing wrong with
/// it.
fn cases(file: &str, is_raw: bool) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let text = std::fs::read_to_string(path.join(file)).expect("a file of cases");
    let read = |case: &str| {
        let (name, rest) = case.split_once('\n')?;
        let mut found = Case {
            name: name.to_owned(),
            grammar: String::new(),
            texts: Vec::new(),
        };
        for section in rest
            .split("\n--- ")
            .skip(usize::from(!rest.starts_with("--- ")))
        {
            let section = section.trim_start_matches("--- ");
            let (title, body) = section.split_once('\n').unwrap_or((section, ""));
            let lines = body.lines().filter(|line| !line.is_empty());
            match title {
                "grammar" => found.grammar = body.trim_end().to_owned() + "\n",
                "belongs" | "foreign" | "only judged" => {
                    let text = |line: &str| match is_raw {
                        true => line.to_owned(),
                        false => serde_json::from_str(line).expect(line),
                    };
                    let belongs = title != "foreign";
                    found.texts.extend(lines.map(|line| (text(line), belongs)));
                }
                "warnings" => {}
                // What is wrong with it, or what is handed over.
                _ => return None,
            }
        }
        Some(found)
    };
    text.split("\n=== ").skip(1).filter_map(read).collect()
}

#[test]
fn exports_agree_with_the_cases_of_the_front_ends() {
    let mut held = [0; TARGETS.len()];
    for (file, kind) in [
        ("gbnf.txt", "gbnf"),
        ("gbnf_gallery.txt", "gbnf"),
        ("regex.txt", "regex"),
        ("lark/common.txt", "lark"),
        ("lark/constraints.txt", "lark"),
        ("lark/lexing.txt", "lark"),
        ("lark/regexes.txt", "lark"),
        ("lark/rules.txt", "lark"),
        ("lark/templates.txt", "lark"),
        ("lark/terminals.txt", "lark"),
        ("json_schema.txt", "schema"),
    ] {
        let cases = cases(file, kind == "schema");
        assert!(!cases.is_empty(), "{file}");
        for case in cases {
            let name = format!("{file}: {}", case.name);
            let linted = read(kind, &case.grammar);
            let linted = linted.unwrap_or_else(|error| panic!("{name}: {error}"));
            for (target, held) in TARGETS.into_iter().zip(&mut held) {
                let Ok(written) = export(&linted, target) else {
                    continue;
                };
                *held += 1;
                let again = read_again(target, &written);
                for (text, belongs) in &case.texts {
                    if text.len() <= MAX_TEXT {
                        let found = recognize(&again, text.as_bytes());
                        assert_eq!(found, *belongs, "{name}: {text:?} in {written}");
                    }
                }
            }
        }
    }
    println!("held {held:?}");
    assert!(held.iter().all(|&held| held > 60), "{held:?}");
}

#[test]
fn deep_and_long_grammars_are_written_or_refused() {
    let chain = |count: usize, line: fn(usize) -> String| {
        (0..count).map(line).collect::<Vec<_>>().join("\n")
    };
    let optional = chain(3000, |at| {
        let name = if at == 0 {
            "root".to_owned()
        } else {
            format!("r{at}")
        };
        format!("{name} ::= \"a\" (r{} | \"b\")?", at + 1)
    });
    let deep = format!("{optional}\nr3000 ::= \"c\"");
    let words = (0..2000)
        .map(|at| format!("W{}", at % 3))
        .collect::<Vec<_>>();
    let long = format!(
        "start: {}\nW0: \"a\"\nW1: \"b\"\nW2: /[a-c]+/\n%ignore \" \"",
        words.join(" ")
    );
    let counted = "root ::= ((\"a\" | \"bc\"){0,900} \"d\"){900}".to_owned();
    let states = "(?:[ab]*a[ab]{9}|c)*".to_owned();
    for (kind, text) in [
        ("gbnf", deep),
        ("lark", long),
        ("gbnf", counted),
        ("regex", states),
    ] {
        let linted = read(kind, &text).expect("a grammar");
        for target in TARGETS {
            match export(&linted, target) {
                Ok(written) => drop(read_again(target, &written)),
                Err(refused) => assert_eq!(refused.0[0].kind, "export-too-large"),
            }
        }
    }
}
