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
//! - `note`: what that advises;
//! - `whole`: whether no grammar says it, so that whole texts are judged;
//! - `documents`: others that references may lead to, by identifier; in these `DRAFT` stands for
//!   the draft's own schema, and `VOCABULARY` for the folder of its vocabularies;
//! - `dialect`: in place of the draft, what `$schema` is to name;
//! - `formats`: whether `format` is asserted;
//! - `outside`: `false` where the outside validator knows another answer, with
//!   `because`.
//!
//! Every verdict is asked of the outside validator too, and so is whatever a
//! generation grammar derives.

use std::fmt::Write;
use std::path::Path;

use crate::drafts::Draft;
use crate::keys;
use crate::outside::Outside;
use crate::support::{self, Sampler};
use lacuna_grammar::automaton::Dfa;
use lacuna_grammar::json_schema::{SchemaOptions, Validator, compile, widen};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Diagnostic, Expr, Grammar};
use serde_json::{Value, json};

/// Drawn from each generation grammar.
const WITNESSES: u64 = 12;

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
            for draft in Draft::range(from) {
                let file = path.file_stem().unwrap().to_string_lossy();
                let about = case["about"].as_str().unwrap();
                let name = format!("{file}, draft {}: {about}", draft.name());
                let mut judge = Judgement {
                    name,
                    complaints: &mut complaints,
                    verdicts: 0,
                };
                let named = Value::as_str(&case["dialect"]).unwrap_or(draft.uri());
                judge.case(&of_draft(case, draft), named);
                cases += 1;
                verdicts += judge.verdicts;
            }
        }
    }
    println!("{cases} schemas, {verdicts} verdicts");
    assert!(complaints.is_empty(), "\n{complaints}");
    assert!(verdicts > 1000);
}

/// A case with what stands for the draft written out.
fn of_draft(case: &Value, draft: Draft) -> Value {
    let vocabularies = format!("https://json-schema.org/draft/{}/vocab", draft.name());
    let mut case = case.clone();
    if case["documents"].is_object() {
        let documents = case["documents"].to_string();
        let documents = documents.replace("DRAFT", draft.uri());
        let documents = documents.replace("VOCABULARY", &vocabularies);
        case["documents"] = serde_json::from_str(&documents).unwrap();
    }
    case
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
                options.documents.push((uri.clone(), document.to_string()));
            }
            options
        };
        let outside = (case["outside"] != false && !case["refused"].is_string()).then(|| {
            let documents = case["documents"].as_object().into_iter().flatten();
            let read = Outside::new(&schema, "", documents, case["formats"] == true);
            read.unwrap_or_else(|error| panic!("{schema}: {error}"))
        });
        let membership = compile(&text, &with(SchemaOptions::membership()));
        let generation = compile(&text, &with(SchemaOptions::generation()));
        if let Some(kind) = case["refused"].as_str() {
            let is_noted = |found: &Diagnostic| {
                let note = case["note"].as_str();
                note.is_none_or(|note| found.note.as_deref() == Some(note))
            };
            for found in [membership, generation] {
                match found {
                    Ok(_) => self.complain(&format!("not refused: {text}")),
                    Err(found) if found.0[0].kind == kind && is_noted(&found.0[0]) => {
                        self.verdicts += 1;
                    }
                    Err(found) => self.complain(&format!("refused otherwise: {found}")),
                }
            }
            return;
        }
        if case["whole"] == true {
            if membership.is_ok() || generation.is_ok() {
                self.complain("a grammar says it");
            }
            let options = with(SchemaOptions::membership());
            let wide = widen(&text, &options).unwrap().grammar;
            let validator = Validator::new(&text, &options).unwrap();
            let admits =
                |text: &[u8]| recognize(&wide, text) && validator.is_valid(text) == Some(true);
            return self.instances(case, admits, outside.as_ref());
        }
        match (membership, generation) {
            (Ok(membership), Ok(generation)) => {
                let admits = |text: &[u8]| recognize(&membership, text);
                self.instances(case, admits, outside.as_ref());
                self.never_written(case, &generation);
                self.witnesses(&generation, &membership, outside.as_ref());
            }
            (Err(found), _) | (_, Err(found)) => self.complain(&format!("refused: {found}")),
        }
    }

    fn instances(
        &mut self,
        case: &Value,
        admits: impl Fn(&[u8]) -> bool,
        outside: Option<&Outside>,
    ) {
        for (member, expected) in [("valid", true), ("invalid", false)] {
            for instance in case[member].as_array().into_iter().flatten() {
                let pretty = serde_json::to_string_pretty(instance).unwrap();
                for spelled in [instance.to_string(), pretty] {
                    self.verdict(&admits, &spelled, expected);
                }
                if outside.is_some_and(|judge| judge.is_valid(instance) != expected) {
                    self.complain(&format!("the outside validator disagrees on {instance}"));
                }
            }
            for spelled in case["texts"][member].as_array().into_iter().flatten() {
                self.verdict(&admits, spelled.as_str().unwrap(), expected);
            }
        }
    }

    fn never_written(&mut self, case: &Value, generation: &Grammar) {
        let list = |of: &Value| of["invalid"].as_array().cloned().unwrap_or_default();
        let spelled = list(&case["texts"]);
        let spelled = spelled.iter().map(|text| text.as_str().unwrap().to_owned());
        for text in spelled.chain(list(case).iter().map(Value::to_string)) {
            self.verdict(&|text| recognize(generation, text), &text, false);
        }
    }

    fn verdict(&mut self, admits: &impl Fn(&[u8]) -> bool, text: &str, expected: bool) {
        self.verdicts += 1;
        if admits(text.as_bytes()) != expected {
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
            self.verdict(&|text| recognize(membership, text), &shown, true);
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

#[test]
fn documents_are_found_by_the_name_that_they_were_handed_over_by() {
    let mut options = SchemaOptions::membership();
    let other = r#"{"$defs": {"b": {"const": 1}}}"#.to_owned();
    options.documents.push(("other.json".to_owned(), other));
    for schema in [
        r##"{"$ref": "other.json#/$defs/b"}"##,
        r##"{"$id": "https://example.com/a", "$ref": "other.json#/$defs/b"}"##,
    ] {
        let grammar = compile(schema, &options).unwrap();
        assert!(recognize(&grammar, b"1") && !recognize(&grammar, b"2"));
    }
    let found = compile(r#"{"$ref": "another.json"}"#, &options).unwrap_err();
    assert_eq!(found.0[0].kind, "unsupported-reference");
}

#[test]
fn counted_members_take_rules_by_their_number() {
    let properties: serde_json::Map<_, _> = (0..400)
        .map(|n| (format!("n{n}"), json!({ "type": "null" })))
        .collect();
    let schema = json!({
        "type": "object", "properties": properties, "additionalProperties": false,
        "minProperties": 2,
    });
    let grammar = compile(&schema.to_string(), &SchemaOptions::generation()).unwrap();
    let alternatives = grammar.rules.iter().map(|rule| match &rule.body {
        Expr::Choice(choices) => choices.len(),
        _ => 1,
    });
    let alternatives: usize = alternatives.sum();
    assert!(alternatives < 4_000, "{alternatives} alternatives");
}

/// Texts of patterns are minimised before they are spelled; that must leave nothing worth
/// minimising. And no bound on their lengths makes more states.
#[test]
fn spelled_texts_are_about_as_small_as_can_be() {
    for (pattern, min, max) in [
        ("^disk:[a-z\\d-]+:.*:.*:.+$", 0, 256),
        ("arn:.*:flow:.*:[0-9]+:.*", 1, 300),
        ("^[\\p{L}\\p{N} _.:/=+@-]*$", 0, 200),
        ("^(?:role/)?[a-zA-Z_0-9+=,.@\\-_/]+$", 20, 500),
        ("^.*\\n.*$", 0, 2_000),
        (
            "^[-_A-Za-z-0-9][-_A-Za-z0-9 ]{1,126}[-_A-Za-z-0-9]$",
            0,
            128,
        ),
    ] {
        let schema = json!({ "type": "string", "pattern": pattern });
        let mut bounded = schema.clone();
        bounded["minLength"] = min.into();
        bounded["maxLength"] = max.into();
        for options in [SchemaOptions::generation(), SchemaOptions::membership()] {
            let (mut states, mut fewest) = (0, 0);
            for_automata(&schema, &options, &mut |automaton| {
                states += automaton.state_count();
                fewest += automaton.clone().minimize().state_count();
            });
            assert!(
                100 * states <= 102 * fewest,
                "{pattern}: {states} states, where {fewest} would do"
            );
            // Of a pattern that bounds its texts itself, these are counted, too.
            states += counted_states(&schema, &options);
            assert!(states > 0, "{pattern}");
            let mut within = counted_states(&bounded, &options);
            for_automata(&bounded, &options, &mut |automaton| {
                within += automaton.state_count();
            });
            assert_eq!(within, states, "{pattern} with {min} to {max} characters");
        }
    }
}

fn for_automata(schema: &Value, options: &SchemaOptions, each: &mut impl FnMut(&Dfa)) {
    let grammar = compile(&schema.to_string(), options).unwrap();
    for rule in &grammar.rules {
        automata(&rule.body, each);
    }
}

/// The states of what counts characters.
fn counted_states(schema: &Value, options: &SchemaOptions) -> usize {
    let grammar = compile(&schema.to_string(), options).unwrap();
    let mut states = 0;
    for rule in &grammar.rules {
        counted(&rule.body, &mut states);
    }
    states
}

fn counted(expr: &Expr, states: &mut usize) {
    match expr {
        Expr::Counted(counted) => *states += counted.state_count(),
        Expr::Sequence(parts) | Expr::Choice(parts) => {
            parts.iter().for_each(|part| counted(part, states));
        }
        Expr::Repeat { item, .. } => counted(item, states),
        _ => {}
    }
}

fn automata(expr: &Expr, each: &mut impl FnMut(&Dfa)) {
    match expr {
        Expr::Automaton(automaton) => each(automaton),
        Expr::Sequence(parts) | Expr::Choice(parts) => {
            parts.iter().for_each(|part| automata(part, each));
        }
        Expr::Repeat { item, .. } => automata(item, each),
        _ => {}
    }
}
