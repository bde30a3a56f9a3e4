//! Drives the files in `tests/json_schema`: for the keywords of every draft,
//! schemas with instances that are valid and that are not, and schemas that are
//! refused.
//!
//! A case is an object with `about`, `schema` (`$schema` is put in), and:
//!
//! - `drafts`: `7`, `7+` (and later) or `4-7`; `7+` where it is missing;
//! - `valid` and `invalid`: instances, each tried compactly and spread out;
//! - `texts`: spellings, `valid` and `invalid`, of which the schema is not asked
//!   in generation;
//! - `refused`: in place of these, the kind of the first finding;
//! - `documents`: others that references may lead to, by identifier;
//! - `formats`: whether `format` is asserted;
//! - `outside`: `false` where the outside validator knows another answer, with
//!   `because`.
//!
//! Every verdict is asked of the outside validator too, and so is whatever a
//! generation grammar derives.

#[path = "support/keys.rs"]
mod keys;
#[path = "support/outside.rs"]
mod outside;
mod support;

use std::fmt::Write;
use std::path::Path;

use lacuna_grammar::Grammar;
use lacuna_grammar::json_schema::{SchemaOptions, compile};
use lacuna_grammar::recognize::recognize;
use outside::Outside;
use serde_json::{Value, json};
use support::Sampler;

/// Drawn from each generation grammar.
const WITNESSES: u64 = 12;

const DRAFTS: [(&str, &str); 5] = [
    ("4", "http://json-schema.org/draft-04/schema#"),
    ("6", "http://json-schema.org/draft-06/schema#"),
    ("7", "http://json-schema.org/draft-07/schema#"),
    ("2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

#[test]
fn every_case_of_every_draft() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/json_schema");
    let mut complaints = String::new();
    let (mut cases, mut verdicts) = (0, 0);
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let list: Vec<Value> =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        for case in &list {
            let from = case["drafts"].as_str().unwrap_or("7+");
            for (draft, uri) in drafts(from) {
                let file = path.file_stem().unwrap().to_string_lossy();
                let name = format!("{file}, draft {draft}: {}", case["about"].as_str().unwrap());
                let mut judge = Judgement {
                    name,
                    complaints: &mut complaints,
                    verdicts: 0,
                };
                judge.case(case, uri);
                cases += 1;
                verdicts += judge.verdicts;
            }
        }
    }
    println!("{cases} schemas, {verdicts} verdicts");
    assert!(complaints.is_empty(), "\n{complaints}");
    assert!(verdicts > 1000);
}

fn drafts(named: &str) -> Vec<(&'static str, &'static str)> {
    let at = |name: &str| {
        let found = DRAFTS.iter().position(|(draft, _)| *draft == name);
        found.unwrap_or_else(|| panic!("no draft {name}"))
    };
    let exact = DRAFTS.iter().position(|(draft, _)| *draft == named);
    let range = match (exact, named.strip_suffix('+'), named.split_once('-')) {
        (Some(one), _, _) => one..=one,
        (_, Some(first), _) => at(first)..=DRAFTS.len() - 1,
        (_, _, Some((first, last))) => at(first)..=at(last),
        _ => panic!("no drafts {named}"),
    };
    DRAFTS[range].to_vec()
}

struct Judgement<'c> {
    name: String,
    complaints: &'c mut String,
    verdicts: u32,
}

impl Judgement<'_> {
    fn complain(&mut self, what: &str) {
        writeln!(self.complaints, "{}: {what}", self.name).unwrap();
    }

    fn case(&mut self, case: &Value, draft: &str) {
        let mut schema = case["schema"].clone();
        if let Value::Object(members) = &mut schema {
            members.insert("$schema".to_owned(), json!(draft));
        }
        let text = schema.to_string();
        let with = |mut options: SchemaOptions| {
            options.assert_formats = case["formats"] == true;
            for (uri, document) in case["documents"].as_object().into_iter().flatten() {
                options.documents.insert(uri.clone(), document.to_string());
            }
            compile(&text, &options)
        };
        let membership = with(SchemaOptions::membership());
        let generation = with(SchemaOptions::generation());
        if let Some(kind) = case["refused"].as_str() {
            for found in [membership, generation] {
                match found {
                    Ok(_) => self.complain(&format!("not refused: {text}")),
                    Err(found) if found.0[0].kind == kind => self.verdicts += 1,
                    Err(found) => self.complain(&format!("refused otherwise: {found}")),
                }
            }
            return;
        }
        let (membership, generation) = match (membership, generation) {
            (Ok(membership), Ok(generation)) => (membership, generation),
            (Err(found), _) | (_, Err(found)) => {
                self.complain(&format!("refused: {found}"));
                return;
            }
        };
        let outside = (case["outside"] != false).then(|| {
            let documents = case["documents"].as_object().into_iter().flatten();
            let read = Outside::new(&schema, documents, case["formats"] == true);
            read.unwrap_or_else(|error| panic!("{schema}: {error}"))
        });
        for (member, expected) in [("valid", true), ("invalid", false)] {
            for instance in case[member].as_array().into_iter().flatten() {
                let pretty = serde_json::to_string_pretty(instance).unwrap();
                for spelled in [instance.to_string(), pretty] {
                    self.verdict(&membership, &spelled, expected);
                }
                if outside
                    .as_ref()
                    .is_some_and(|judge| judge.is_valid(instance) != expected)
                {
                    self.complain(&format!("the outside validator disagrees on {instance}"));
                }
            }
            for spelled in case["texts"][member].as_array().into_iter().flatten() {
                self.verdict(&membership, spelled.as_str().unwrap(), expected);
            }
        }
        self.witnesses(&generation, &membership, outside.as_ref());
    }

    fn verdict(&mut self, grammar: &Grammar, text: &str, expected: bool) {
        self.verdicts += 1;
        if recognize(grammar, text.as_bytes()) != expected {
            let wrong = if expected { "lacks" } else { "admits" };
            self.complain(&format!("{wrong} {text}"));
        }
    }

    fn witnesses(&mut self, generation: &Grammar, membership: &Grammar, outside: Option<&Outside>) {
        let sampler = Sampler::new(generation);
        for seed in 0..WITNESSES {
            let drawn = sampler.draw(&mut fastrand::Rng::with_seed(seed));
            let shown = String::from_utf8_lossy(&drawn).into_owned();
            let value: Value = match serde_json::from_slice(&drawn) {
                Ok(value) => value,
                Err(error) => return self.complain(&format!("{shown} is no JSON: {error}")),
            };
            // Names that nobody names may repeat, which the documentation says;
            // of long numbers the validator sees sixteen digits.
            if keys::repeats_a_key(&drawn) || support::has_long_number(&drawn) {
                continue;
            }
            if outside.is_some_and(|judge| !judge.is_valid(&value)) {
                self.complain(&format!("generates {shown}"));
            }
            self.verdict(membership, &shown, true);
        }
    }
}

#[test]
fn work_is_bounded() {
    let branches = |index: usize| {
        let branches =
            (0..6).map(|n| json!({ "minLength": 10 * index + n, "maxItems": index + n }));
        json!({ "anyOf": branches.collect::<Vec<_>>() })
    };
    let schema = json!({ "allOf": (0..12).map(branches).collect::<Vec<_>>() });
    let mut options = SchemaOptions::membership();
    options.effort = 20_000;
    let found = compile(&schema.to_string(), &options).unwrap_err();
    assert_eq!(found.0[0].kind, "too-much-work");
}
