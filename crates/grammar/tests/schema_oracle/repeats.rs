//! Keys that stand twice in an object.
//!
//! The documentation says which may: those that no keyword names and that are of an
//! endless set, or of one of more than a thousand, all of which are treated alike. So
//! no key that is named where it stands may, and the second of two that are the same
//! can be any of many others without the value becoming invalid.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::keys::Written;
use crate::outside::Outside;
use crate::schemas::FEW;

/// So many other names show that a set is not one of few: the sets of few names that
/// the schemas here describe are smaller.
const MANY: usize = 200;

/// Whether the key that stands twice in a text, once more than it should, is of many:
/// `None` where more than one is too many.
pub fn is_of_many(text: &[u8], judge: &Outside, rng: &mut fastrand::Rng) -> Option<bool> {
    let written: Written = serde_json::from_slice(text).expect("JSON");
    let [key] = written.repeated()[..] else {
        return None;
    };
    let mut tried = BTreeSet::from([key.to_owned()]);
    let mut found = 0;
    for batch in 0.. {
        let Some(others) = others(key, batch, rng) else {
            break;
        };
        for other in others {
            if tried.insert(other.clone()) {
                found += usize::from(judge.is_valid(&written.renamed(&other)));
            }
            if found == MANY {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// Names near one, in a few batches, then short ones of the letters that the patterns
/// know.
fn others(key: &str, batch: usize, rng: &mut fastrand::Rng) -> Option<Vec<String>> {
    let near = [key, "a", "c"];
    let alphabets: [(&[char], usize); 5] = [
        (&['a', 'b', 'c'], 5),
        (&['a', '"', '\\'], 5),
        (&['b', 'c'], 8),
        (&['"', '\\'], 8),
        (&['a'], MANY + 1),
    ];
    match near.get(batch) {
        Some(near) => Some(changed(near, rng)),
        None => {
            let &(letters, longest) = alphabets.get(batch - near.len())?;
            Some(words(letters, longest))
        }
    }
}

/// Names that differ in one character, at each place.
fn changed(name: &str, rng: &mut fastrand::Rng) -> Vec<String> {
    let name: Vec<char> = name.chars().collect();
    let mut all = Vec::new();
    for at in 0..=name.len() {
        for _ in 0..MANY * 2 {
            let range = [' '..='~', ' '..='~', 'α'..='ω', '一'..='龜'][rng.usize(..4)].clone();
            let mut changed = name.clone();
            let other = rng.char(range);
            match at < name.len() && rng.bool() {
                true => changed[at] = other,
                false => changed.insert(at, other),
            }
            all.push(changed.into_iter().collect());
        }
    }
    all
}

/// All words of some letters, up to a length.
fn words(letters: &[char], longest: usize) -> Vec<String> {
    let (mut all, mut last) = (Vec::new(), vec![String::new()]);
    for _ in 0..longest {
        let longer = last.iter().flat_map(|word| {
            let longer = move |letter: &char| format!("{word}{letter}");
            letters.iter().map(longer)
        });
        last = longer.collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// Names that, whichever branches are taken, some keyword names for members of a value
/// under this schema, or that are of few. There may be more.
pub fn named(root: &Value) -> BTreeSet<String> {
    named_by(root, root, 8)
}

fn named_by(schema: &Value, root: &Value, depth: u32) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let (Some(keywords), Some(deeper)) = (schema.as_object(), depth.checked_sub(1)) else {
        return names;
    };
    let below = |schema: &Value| named_by(schema, root, deeper);
    let target = keywords.get("$ref").and_then(Value::as_str);
    let target = target.and_then(|target| root.pointer(target.strip_prefix('#')?));
    // Early drafts hear nothing else beside a reference, and it is known to all.
    names.extend(target.map(below).unwrap_or_default());
    let is_early = root["$schema"]
        .as_str()
        .is_some_and(|draft| draft.contains("draft-0"));
    if is_early && keywords.contains_key("$ref") {
        return names;
    }
    for (keyword, said) in keywords {
        match (keyword.as_str(), said) {
            ("properties" | "dependentRequired" | "dependencies", Value::Object(members)) => {
                names.extend(members.keys().cloned());
            }
            ("required", Value::Array(required)) => {
                names.extend(required.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            ("patternProperties", Value::Object(members)) if members.contains_key(FEW.0) => {
                names.extend(FEW.1.map(str::to_owned));
            }
            ("propertyNames", Value::Object(of_names)) => {
                if let Some(Value::Array(listed)) = of_names.get("enum") {
                    names.extend(listed.iter().filter_map(Value::as_str).map(str::to_owned));
                }
            }
            ("allOf", Value::Array(branches)) => {
                names.extend(branches.iter().flat_map(below));
            }
            ("anyOf" | "oneOf", Value::Array(branches)) => {
                let each = branches.iter().map(below);
                let all = each.reduce(|some, others| some.intersection(&others).cloned().collect());
                names.extend(all.unwrap_or_default());
            }
            _ => {}
        }
    }
    names
}

/// The key that stands twice in the object that the whole text is.
pub fn of_the_whole(text: &[u8]) -> Option<String> {
    let Ok(Written::Object(members)) = serde_json::from_slice(text) else {
        return None;
    };
    let mut seen = BTreeSet::new();
    members
        .into_iter()
        .map(|(key, _)| key)
        .find(|key| !seen.insert(key.clone()))
}
