//! Drives the case files in `tests/cases`: grammars, texts that must and must
//! not belong to them, and the findings expected of wrong ones.
//!
//! A file holds cases that begin with `=== name` and consist of sections:
//!
//! - `--- grammar`: the grammar's text;
//! - `--- belongs` and `--- foreign`: a text a line, as a JSON string (in files
//!   of JSON Schema the line itself is the text);
//! - `--- findings`: in place of these, what is wrong with the grammar, a
//!   finding a line: its kind and its place (line:column, or a JSON pointer);
//! - `--- warnings`: what looks wrong with a grammar that can be used, as above;
//!   where the section is missing, nothing does;
//! - `--- text NAME`: a text handed over with a grammar;
//! - `--- list NAME`: a list handed over with a grammar, a value a line;
//! - `--- tokens`: the tokens of a tokenizer that GBNF is read with, from 0 on, as
//!   JSON strings; `null` is one that has no place in a text.
//!
//! What is handed over with a schema is so in both ways: when it is compiled, and
//! when its slots are filled.
//!
//! A schema is compiled both for generation and for membership; the section
//! `--- only judged` holds texts that belong in membership alone.

use std::fmt::Write;
use std::path::Path;

use lacuna_grammar::json_schema::{self, SchemaOptions};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{
    Diagnostic, Diagnostics, Grammar, Linted, Place, Slots, TokenTexts, gbnf, lark, regex,
};

struct Case<'a> {
    name: &'a str,
    grammar: String,
    sections: Vec<(&'a str, Vec<&'a str>)>,
}

impl Case<'_> {
    fn lines(&self, section: &str) -> impl Iterator<Item = &str> {
        let lines = self
            .sections
            .iter()
            .filter(move |(name, _)| *name == section);
        lines.flat_map(|(_, lines)| lines.iter().copied())
    }

    fn slots(&self) -> Slots {
        let mut slots = Slots::default();
        for (name, lines) in &self.sections {
            if let Some(name) = name.strip_prefix("text ") {
                slots = slots.with_text(name, lines.join("\n"));
            }
            if let Some(name) = name.strip_prefix("list ") {
                slots = slots.with_list(name, lines.iter().copied());
            }
        }
        slots
    }

    /// The tokenizer, if the case has one.
    fn tokens(&self) -> Option<Tokens> {
        let lines: Vec<&str> = self.lines("tokens").collect();
        let token = |line: &&str| serde_json::from_str(line).expect(line);
        (!lines.is_empty()).then(|| Tokens(lines.iter().map(token).collect()))
    }

    fn judge_linted(
        &self,
        linted: Result<Linted, Diagnostics>,
        raw: bool,
        expectations: &[(&str, bool)],
        complaints: &mut String,
    ) {
        let (parsed, warnings) = match linted {
            Ok(linted) => (Ok(linted.grammar), linted.warnings),
            Err(found) => (Err(found), Vec::new()),
        };
        self.judge(&parsed, &warnings, raw, expectations, complaints);
    }

    /// Appends what is not as expected to `complaints`.
    fn judge(
        &self,
        parsed: &Result<Grammar, Diagnostics>,
        warnings: &[Diagnostic],
        raw: bool,
        expectations: &[(&str, bool)],
        complaints: &mut String,
    ) {
        let name = self.name;
        let wanted: Vec<&str> = self.lines("findings").collect();
        let grammar = match parsed {
            Ok(grammar) if wanted.is_empty() => grammar,
            Ok(_) => return writeln!(complaints, "{name}: accepted, not {wanted:?}").unwrap(),
            Err(found) => {
                let found: Vec<String> = self.describe(&found.0);
                if found != wanted {
                    writeln!(complaints, "{name}: found {found:?}, not {wanted:?}").unwrap();
                }
                return;
            }
        };
        let (suspected, found) = (self.lines("warnings"), self.describe(warnings));
        let suspected: Vec<&str> = suspected.collect();
        if found != suspected {
            writeln!(complaints, "{name}: warned {found:?}, not {suspected:?}").unwrap();
        }
        for &(section, member) in expectations {
            for line in self.lines(section) {
                let text = match raw {
                    true => line.to_owned(),
                    false => serde_json::from_str(line).expect(line),
                };
                if recognize(grammar, text.as_bytes()) != member {
                    writeln!(complaints, "{name}: {section}, but should not be: {line}").unwrap();
                }
            }
        }
    }

    fn describe(&self, found: &[Diagnostic]) -> Vec<String> {
        let place = |finding: &Diagnostic| match &finding.place {
            Place::Pointer(pointer) => format!("{:?}", pointer),
            Place::Span { .. } => {
                let (line, column) = finding.line_and_column(&self.grammar).unwrap_or_default();
                format!("{line}:{column}")
            }
        };
        found
            .iter()
            .map(|finding| format!("{} {}", finding.kind, place(finding)))
            .collect()
    }
}

struct Tokens(Vec<Option<String>>);

impl TokenTexts for Tokens {
    fn count(&self) -> u32 {
        self.0.len() as u32
    }

    fn text(&self, token: u32) -> Option<&[u8]> {
        Some(self.0.get(token as usize)?.as_ref()?.as_bytes())
    }
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases = Vec::new();
    for part in text.split("\n=== ").skip(1) {
        let (name, rest) = part.split_once('\n').unwrap();
        let sections = rest.split("--- ").skip(1).map(|section| {
            let (name, lines) = section.split_once('\n').unwrap_or((section, ""));
            (
                name,
                lines.lines().filter(|line| !line.is_empty()).collect(),
            )
        });
        let mut sections: Vec<(&str, Vec<&str>)> = sections.collect();
        assert_eq!(sections[0].0, "grammar", "{name}");
        let grammar = sections.remove(0).1.join("\n");
        cases.push(Case {
            name,
            grammar,
            sections,
        });
    }
    cases
}

fn drive(file: &str, judge: impl Fn(&Case<'_>, &mut String)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let cases = cases(&text);
    assert!(!cases.is_empty());
    let mut complaints = String::new();
    for case in &cases {
        judge(case, &mut complaints);
    }
    assert!(complaints.is_empty(), "{file}:\n{complaints}");
}

const PLAIN: [(&str, bool); 2] = [("belongs", true), ("foreign", false)];

#[test]
fn gbnf_cases() {
    for file in ["gbnf.txt", "gbnf_tokens.txt", "gbnf_gallery.txt"] {
        drive(file, |case, complaints| {
            let tokens = case.tokens();
            let tokens = tokens.as_ref().map(|tokens| tokens as &dyn TokenTexts);
            case.judge_linted(gbnf::read(&case.grammar, tokens), false, &PLAIN, complaints);
        });
    }
}

#[test]
fn lark_cases() {
    for file in [
        "rules.txt",
        "terminals.txt",
        "regexes.txt",
        "lexing.txt",
        "templates.txt",
        "common.txt",
        "constraints.txt",
        "slots.txt",
        "refused.txt",
        "warnings.txt",
    ] {
        drive(&format!("lark/{file}"), |case, complaints| {
            let open = lark::open(&case.grammar, &lark::Options::default());
            let linted = open.and_then(|open| open.fill(&case.slots()));
            case.judge_linted(linted, false, &PLAIN, complaints);
        });
    }
}

#[test]
fn regex_cases() {
    drive("regex.txt", |case, complaints| {
        case.judge(&regex::parse(&case.grammar), &[], false, &PLAIN, complaints);
    });
}

#[test]
fn schema_cases() {
    drive("json_schema.txt", |case, complaints| {
        let (mut generation, mut membership) =
            (SchemaOptions::generation(), SchemaOptions::membership());
        let slots = case.slots();
        let filled_later = |options: &SchemaOptions| {
            let open = json_schema::open(&case.grammar, options)?;
            open.fill(&slots)
        };
        let filled = [filled_later(&generation), filled_later(&membership)];
        for options in [&mut generation, &mut membership] {
            options.texts.clone_from(&slots.texts);
            options.lists.clone_from(&slots.lists);
        }
        let generated = [
            ("belongs", true),
            ("only judged", false),
            ("foreign", false),
        ];
        let judged = [("belongs", true), ("only judged", true), ("foreign", false)];
        let lint = |options| json_schema::lint(&case.grammar, options);
        case.judge_linted(lint(&generation), true, &generated, complaints);
        case.judge_linted(lint(&membership), true, &judged, complaints);
        let [generation, membership] = filled;
        if generation.is_ok() {
            case.judge_linted(generation, true, &generated, complaints);
            case.judge_linted(membership, true, &judged, complaints);
        } else if case.lines("findings").next().is_none() {
            // Only what is listed cannot wait for a slot.
            let found = generation.map(drop).unwrap_err();
            if found.0.iter().any(|finding| finding.kind != "open-slot") {
                writeln!(complaints, "{}: {found}", case.name).unwrap();
            }
        }
    });
}
