//! Reads the keywords that speak of what is inside of a value: items, members.

use std::rc::Rc;

use super::document::step;
use super::draft::Draft;
use super::finding::{Finding, expected};
use super::keyword::{Items, Keyword, Members};
use super::reading::{Reader, count, names};
use super::value::Json;

impl<'a> Reader<'_, 'a> {
    /// All that is said of items, once, at the first of the keywords.
    pub(super) fn items(&mut self, keyword: &str, value: &'a Json) -> Result<(), Finding> {
        let tuple = matches!(self.json.get("items"), Some(Json::Array(_)));
        let positions = match (keyword, self.json.get("prefixItems")) {
            ("items", Some(_)) if self.draft >= Draft::Twenty => return Ok(()),
            ("prefixItems", _) => Some(("prefixItems", value)),
            _ if tuple => Some(("items", value)),
            _ => None,
        };
        let declared = self.document.declares_draft(self.id);
        if tuple && self.draft >= Draft::Twenty && declared {
            return Err(Finding::new("bad-keyword", "expected a schema, not a list")
                .with_note("this draft has prefixItems for that"));
        }
        let (prefix, rest) = match positions {
            None => (Vec::new(), Some("items")),
            Some((keyword, Json::Array(list))) if list.is_empty() => {
                (Vec::new(), Some(after(keyword)))
            }
            Some((keyword, list)) => (self.list(keyword, list)?, Some(after(keyword))),
        };
        let rest = rest.and_then(|keyword| self.sibling(keyword));
        let items = Items { prefix, rest };
        self.keywords.push(Keyword::Items(Rc::new(items)));
        Ok(())
    }

    pub(super) fn contains(&mut self, value: &'a Json) -> Result<Keyword<'a>, Finding> {
        let counts = self.draft >= Draft::Nineteen;
        let bound = |keyword| match self.json.get(keyword) {
            Some(value) if counts && self.dialect.has(keyword) => {
                let counted = count(value);
                counted.map(Some).map_err(|_| {
                    Finding::new(
                        "bad-keyword",
                        format!("{keyword} beside it is no count that is supported"),
                    )
                })
            }
            _ => Ok(None),
        };
        let (min, max) = (bound("minContains")?.unwrap_or(1), bound("maxContains")?);
        Ok(Keyword::Contains {
            schema: self.child("contains", value),
            min,
            max,
            evaluates: self.draft >= Draft::Twenty,
        })
    }

    /// All that is said of members, once, at the first of the keywords.
    pub(super) fn object(&mut self, keyword: &str) -> Result<(), Finding> {
        let all = ["properties", "patternProperties", "additionalProperties"];
        let Json::Object(present) = self.json else {
            return Ok(());
        };
        let first = present.iter().find(|(name, _)| all.contains(&&**name));
        if first.is_some_and(|(name, _)| name != keyword) {
            // The first has read this one too.
            return match present.get(keyword) {
                Some(Json::Object(_)) => Ok(()),
                Some(_) if keyword == "additionalProperties" => Ok(()),
                _ => Err(expected("an object")),
            };
        }
        let mut members = Members::default();
        if let Some(Json::Object(named)) = self.json.get("properties") {
            for (name, schema) in named.iter() {
                let place = step(name);
                let place = format_args!("properties/{place}");
                let schema = self.document.child(self.id, place, schema);
                members.named.push((name, schema));
            }
        }
        members.sorted.clone_from(&members.named);
        members.sorted.sort_unstable();
        if let Some(Json::Object(patterns)) = self.json.get("patternProperties") {
            for (pattern, schema) in patterns.iter() {
                let place = format!("patternProperties/{}", step(pattern));
                let schema = self.child(&place, schema);
                match self.pattern(pattern) {
                    Ok(texts) => members.patterns.push((texts, schema)),
                    Err(finding) => {
                        let place = format!("{}/{place}", self.document.pointer(self.id));
                        let finding = finding.at(&place);
                        self.document.findings.push(finding);
                    }
                }
            }
        }
        members.additional = self.sibling("additionalProperties");
        self.keywords.push(Keyword::Members(Rc::new(members)));
        match (keyword, self.json.get(keyword)) {
            ("additionalProperties", _) | (_, Some(Json::Object(_))) => Ok(()),
            _ => Err(expected("an object")),
        }
    }

    pub(super) fn dependencies(&mut self, keyword: &str, value: &'a Json) -> Result<(), Finding> {
        let Json::Object(dependencies) = value else {
            return Err(expected("an object"));
        };
        for (name, dependency) in dependencies.iter() {
            let of_names = match (keyword, dependency) {
                ("dependentSchemas", _) => false,
                ("dependentRequired", _) => true,
                (_, dependency) => matches!(dependency, Json::Array(_)),
            };
            let read = match of_names {
                true => Keyword::DependentNames(name, names(dependency)?),
                false => {
                    let place = format!("{keyword}/{}", step(name));
                    Keyword::DependentSchema(name, self.child(&place, dependency))
                }
            };
            self.keywords.push(read);
        }
        Ok(())
    }
}

/// The keyword for what follows a list of positions.
fn after(keyword: &str) -> &'static str {
    match keyword {
        "prefixItems" => "items",
        _ => "additionalItems",
    }
}
