//! The files in `tests/json_schema` have instances for every keyword of every draft: for
//! those that constrain, some that are valid and some that are not; for annotations,
//! some that are valid whatever these say.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use crate::drafts::{DRAFTS, Draft};
use crate::keywords::{ANNOTATIONS, CONSTRAINTS};
use serde_json::Value;

/// Instances of each verdict under schemas that have the keyword.
const OF_CONSTRAINTS: usize = 6;
const OF_ANNOTATIONS: usize = 4;

#[test]
fn every_keyword_of_every_draft_has_instances() {
    let mut counts: BTreeMap<(Draft, String), [usize; 2]> = BTreeMap::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/json_schema");
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
        for case in cases.iter().filter(|case| !case["refused"].is_string()) {
            let mut found = BTreeSet::new();
            keywords_of(&case["schema"], &mut found);
            let documents = case["documents"].as_object().into_iter().flatten();
            documents.for_each(|(_, document)| keywords_of(document, &mut found));
            let number = |member: &str| case[member].as_array().map_or(0, Vec::len);
            for draft in Draft::range(case["drafts"].as_str().unwrap_or("7+")) {
                for &keyword in &found {
                    let [valid, invalid] = counts.entry((draft, keyword.to_owned())).or_default();
                    *valid += number("valid");
                    *invalid += number("invalid");
                }
            }
        }
    }
    let mut complaints = String::new();
    let constraints = CONSTRAINTS.map(|keyword| (keyword, OF_CONSTRAINTS));
    let annotations = ANNOTATIONS.map(|keyword| (keyword, OF_ANNOTATIONS));
    for ((keyword, first, last), least) in constraints.into_iter().chain(annotations) {
        for draft in DRAFTS {
            let found = counts.get(&(draft, keyword.to_owned()));
            let [valid, invalid] = found.copied().unwrap_or_default();
            if (first..=last).contains(&draft) && valid.min(invalid) < least {
                let draft = draft.name();
                writeln!(complaints, "{keyword}, draft {draft}: {valid}, {invalid}").unwrap();
            }
        }
    }
    assert!(complaints.is_empty(), "valid and invalid:\n{complaints}");
}

/// The keywords of a schema and of those in it: whatever names no property and no
/// definition, and is in no value that is listed.
fn keywords_of<'s>(schema: &'s Value, found: &mut BTreeSet<&'s str>) {
    match schema {
        Value::Array(schemas) => schemas.iter().for_each(|schema| keywords_of(schema, found)),
        Value::Object(keywords) => {
            for (keyword, said) in keywords {
                found.insert(keyword);
                match (keyword.as_str(), said) {
                    ("enum" | "const" | "default" | "examples", _) => {}
                    (
                        "properties" | "patternProperties" | "$defs" | "definitions"
                        | "dependentSchemas" | "dependencies",
                        Value::Object(named),
                    ) => named.values().for_each(|schema| keywords_of(schema, found)),
                    _ => keywords_of(said, found),
                }
            }
        }
        _ => {}
    }
}
