//! Reads one schema: which of its keywords the draft knows, and whether they are
//! well formed.
//!
//! A keyword that the draft does not know is an annotation, as the specification
//! says; one that another draft knows, and that somebody may have meant, is an
//! error where ignoring it would admit more.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::denial;
use super::dialect::{Dialect, Unknown};
use super::document::{Document, step};
use super::draft::Draft;
use super::finding::{Finding, error, expected};
use super::keyword::{Keyword, Node, SchemaId};
use super::slots::slot;
use super::unheeded::is_annotation;
use super::value::Json;
use crate::Filling;
use crate::automaton::SHORTCUTS;
use crate::quoted;

/// Largest count in `minItems`, `maxLength` and the like.
const MAX_COUNT: u32 = 100_000;
/// Longest length that is told from longer ones: no text comes near it.
const MAX_LENGTH: u32 = u32::MAX - 1;

/// What helps where a keyword means something else in another draft.
pub(super) const NAME_THE_DRAFT: &str = "name the draft that is meant in $schema";

/// Keywords that some drafts do not know, with the first and the last that do.
const OF_SOME_DRAFTS: [(&str, Draft, Draft); 15] = [
    ("const", Draft::Six, Draft::Twenty),
    ("contains", Draft::Six, Draft::Twenty),
    ("propertyNames", Draft::Six, Draft::Twenty),
    ("if", Draft::Seven, Draft::Twenty),
    ("dependentRequired", Draft::Nineteen, Draft::Twenty),
    ("dependentSchemas", Draft::Nineteen, Draft::Twenty),
    ("unevaluatedItems", Draft::Nineteen, Draft::Twenty),
    ("unevaluatedProperties", Draft::Nineteen, Draft::Twenty),
    ("$recursiveRef", Draft::Nineteen, Draft::Nineteen),
    ("prefixItems", Draft::Twenty, Draft::Twenty),
    ("$dynamicRef", Draft::Twenty, Draft::Twenty),
    ("dependencies", Draft::Four, Draft::Seven),
    ("extends", Draft::Four, Draft::Four),
    ("disallow", Draft::Four, Draft::Four),
    ("divisibleBy", Draft::Four, Draft::Four),
];

/// Reads the schema with this number.
pub(super) fn schema<'a>(
    document: &mut Document<'a>,
    id: SchemaId,
    pointer: Rc<str>,
    json: &'a Json,
) -> Node<'a> {
    let dialect = match document.dialect(id) {
        Ok(dialect) => dialect,
        Err(unknown) => {
            let place = format!("{pointer}/$schema");
            let finding = match unknown {
                Unknown::Vocabulary(uri) if SHORTCUTS => {
                    let message = format!("the vocabulary {} is not supported", quoted(uri));
                    error("unsupported-vocabulary", &place, message)
                }
                _ => {
                    let finding = error("unsupported-draft", &place, "this draft is not supported");
                    finding.with_note(match SHORTCUTS {
                        true => {
                            "drafts 4, 6, 7, 2019-09 and 2020-12 are, and schemas of schemas that \
                             are handed over as documents"
                        }
                        false => "drafts 4, 6, 7, 2019-09 and 2020-12 are",
                    })
                }
            };
            if !document.findings.contains(&finding) {
                document.findings.push(finding);
            }
            return silent(pointer);
        }
    };
    let mut reader = Reader {
        document,
        id,
        draft: dialect.draft,
        dialect,
        json,
        keywords: Vec::new(),
    };
    let mut never = false;
    match json {
        Json::Bool(admits) => never = !admits,
        Json::Object(_) => reader.members(&pointer),
        _ => {
            let message = "a schema is an object, true or false";
            reader.document.find("bad-keyword", &pointer, message);
        }
    }
    let keywords = reader.keywords;
    let node = Node {
        pointer,
        never,
        keywords,
    };
    if let Some(message) = denial::of(&node, document) {
        document.deny(id, &node.pointer, message);
    }
    node
}

/// A schema of which an error was found, or of which nothing is said.
fn silent(pointer: Rc<str>) -> Node<'static> {
    Node {
        pointer,
        never: false,
        keywords: Vec::new(),
    }
}

/// Reads the keywords of a schema.
pub(super) struct Reader<'d, 'a> {
    pub document: &'d mut Document<'a>,
    pub id: SchemaId,
    pub draft: Draft,
    pub dialect: Dialect,
    pub json: &'a Json,
    pub keywords: Vec<Keyword<'a>>,
}

impl<'a> Reader<'_, 'a> {
    fn members(&mut self, pointer: &str) {
        let Json::Object(members) = self.json else {
            return;
        };
        if self.draft.reference_stands_alone()
            && let Some(reference) = self.json.get("$ref")
        {
            if let Err(finding) = self.keyword("$ref", reference) {
                let finding = finding.at(&format!("{pointer}/$ref"));
                self.document.findings.push(finding);
            }
            self.warn_of_hidden(pointer);
            return;
        }
        for (keyword, value) in members.iter() {
            if let Err(finding) = self.keyword(keyword, value) {
                let place = format!("{pointer}/{}", step(keyword));
                self.document.findings.push(finding.at(&place));
            }
        }
    }

    /// Beside a reference, early drafts ignore everything.
    fn warn_of_hidden(&mut self, pointer: &str) {
        let Json::Object(members) = self.json else {
            return;
        };
        let hidden = members.iter().find(|(keyword, _)| !is_annotation(keyword));
        if let Some((keyword, _)) = hidden {
            let message = "this draft ignores what stands beside $ref";
            let finding = Finding::new("hidden-keyword", message)
                .with_note("take it out, or name a later draft in $schema");
            let place = format!("{pointer}/{}", step(keyword));
            self.document.warn(finding, &place);
        }
    }

    fn keyword(&mut self, keyword: &str, value: &'a Json) -> Result<(), Finding> {
        let unknown = |(name, first, last): &(&str, Draft, Draft)| {
            *name == keyword && !(*first..=*last).contains(&self.draft)
        };
        if OF_SOME_DRAFTS.iter().any(unknown) {
            return self.another_drafts(keyword);
        }
        if !self.dialect.has(keyword) {
            let message = format!("the keyword {keyword} is of a vocabulary that is not asked for");
            let note = "name the vocabulary in what $schema names";
            self.ignore("foreign-keyword", keyword, &message, note);
            return Ok(());
        }
        let read = match keyword {
            "type" => return self.types(value),
            "enum" | "const" => self.values(keyword, value)?,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                return self.bound(keyword, value);
            }
            "multipleOf" => match value {
                Json::Number(number) if !number.negative && !number.is_zero() => {
                    Keyword::Multiple(number.clone())
                }
                _ => return Err(expected("a number over 0")),
            },
            "minLength" => Keyword::Length(length(value)?.unwrap_or(MAX_LENGTH), None),
            "maxLength" => Keyword::Length(0, length(value)?),
            "pattern" => Keyword::Text(self.pattern(text(value)?)?),
            "format" => match self.document.asserted(text(value)?, self.dialect)? {
                Some(texts) => Keyword::Text(texts),
                None => {
                    self.pass_by_format(text(value)?);
                    return Ok(());
                }
            },
            "x-assertFormats" => {
                let is_root = std::ptr::eq(self.json, self.document.resources.root().json);
                return self.switch(keyword, value, is_root, "at the root");
            }
            "minItems" => Keyword::ItemCount(count(value)?, None),
            "maxItems" => Keyword::ItemCount(0, Some(count(value)?)),
            "items" | "prefixItems" => return self.items(keyword, value),
            "contains" => self.contains(value)?,
            "uniqueItems" => match value {
                Json::Bool(true) => Keyword::Unique,
                Json::Bool(false) => return Ok(()),
                _ => return Err(expected("true or false")),
            },
            "minProperties" => Keyword::PropertyCount(count(value)?, None),
            "maxProperties" => Keyword::PropertyCount(0, Some(count(value)?)),
            "properties" | "patternProperties" | "additionalProperties" => {
                return self.object(keyword);
            }
            "required" => match (value, self.draft) {
                (Json::Bool(_), Draft::Four) => return Err(expected("a list of names")),
                _ => Keyword::Required(names(value)?),
            },
            "propertyNames" => Keyword::Names(self.child(keyword, value)),
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                return self.dependencies(keyword, value);
            }
            "unevaluatedItems" => Keyword::UnevaluatedItems(self.child(keyword, value)),
            "unevaluatedProperties" => Keyword::UnevaluatedProperties(self.child(keyword, value)),
            "allOf" => Keyword::All(self.list(keyword, value)?),
            "anyOf" => Keyword::Any(self.list(keyword, value)?),
            "oneOf" => Keyword::One(self.list(keyword, value)?),
            "not" => Keyword::Not(self.child(keyword, value)),
            "if" => Keyword::If {
                condition: self.child(keyword, value),
                then: self.sibling("then"),
                otherwise: self.sibling("else"),
            },
            "$ref" => Keyword::Same(self.document.follow(self.id, text(value)?)?),
            "$dynamicRef" | "$recursiveRef" => self.dynamic(value)?,
            "extends" | "disallow" | "divisibleBy" => return self.another_drafts(keyword),
            "$schema" if !self.document.resources.is_root(self.json) => {
                let named = match value {
                    Json::Text(uri) => Draft::named(uri),
                    _ => None,
                };
                if named != Some(self.draft) {
                    let message = "$schema is supported only where a document begins";
                    return Err(Finding::new("unsupported-keyword", message));
                }
                return Ok(());
            }
            "x-spanOf" => return self.slot(Filling::Text, value, keyword),
            "x-oneOf" => return self.slot(Filling::List, value, keyword),
            "x-ignoreCase" => {
                let is_slot = self
                    .json
                    .get("x-spanOf")
                    .or(self.json.get("x-oneOf"))
                    .is_some();
                return self.switch(keyword, value, is_slot, "beside x-spanOf or x-oneOf");
            }
            // Annotations, locations, and what the specification calls unknown.
            _ => {
                self.pass_by(keyword);
                return Ok(());
            }
        };
        self.keywords.push(read);
        Ok(())
    }

    /// One of our own keywords, which is true or false, and says nothing but in its place.
    fn switch(
        &self,
        keyword: &str,
        value: &Json,
        is_there: bool,
        place: &str,
    ) -> Result<(), Finding> {
        match value {
            Json::Bool(true) if !is_there => {
                let message = format!("the keyword {keyword} is supported only {place}");
                Err(Finding::new("unsupported-keyword", message))
            }
            Json::Bool(_) => Ok(()),
            _ => Err(expected("true or false")),
        }
    }

    /// What the draft does not know it ignores; where no draft was named, that
    /// may not be what was meant.
    fn another_drafts(&mut self, keyword: &str) -> Result<(), Finding> {
        let message = format!("the keyword {keyword} is another draft's");
        let note = match keyword {
            "dependencies" => {
                "say dependentRequired or dependentSchemas, or name draft 7 in $schema"
            }
            _ => NAME_THE_DRAFT,
        };
        // Validators of later drafts differ in what they make of dependencies.
        if keyword == "dependencies" || !self.document.declares_draft(self.id) {
            return Err(Finding::new("unsupported-keyword", message).with_note(note));
        }
        self.ignore("foreign-keyword", keyword, &message, note);
        Ok(())
    }

    pub(super) fn child(&mut self, keyword: &str, value: &'a Json) -> SchemaId {
        self.document
            .child(self.id, format_args!("{keyword}"), value)
    }

    pub(super) fn sibling(&mut self, keyword: &str) -> Option<SchemaId> {
        let value = self.json.get(keyword)?;
        Some(self.child(keyword, value))
    }

    pub(super) fn list(
        &mut self,
        keyword: &str,
        value: &'a Json,
    ) -> Result<Vec<SchemaId>, Finding> {
        match value {
            Json::Array(schemas) if !schemas.is_empty() => Ok(schemas
                .iter()
                .enumerate()
                .map(|(index, schema)| {
                    let place = format_args!("{keyword}/{index}");
                    self.document.child(self.id, place, schema)
                })
                .collect()),
            _ => Err(expected("a list of schemas, at least one")),
        }
    }

    fn dynamic(&mut self, value: &'a Json) -> Result<Keyword<'a>, Finding> {
        let (document, id) = (&mut *self.document, self.id);
        let target = document.follow_dynamically(id, text(value)?, self.draft)?;
        Ok(Keyword::Same(target))
    }

    fn slot(&mut self, filling: Filling, value: &'a Json, keyword: &str) -> Result<(), Finding> {
        let ignore_case = self.json.get("x-ignoreCase") == Some(&Json::Bool(true));
        let place = format!("{}/{keyword}", self.document.pointer(self.id));
        let read = slot(self.document, filling, value, ignore_case, &place)?;
        self.keywords.push(read);
        Ok(())
    }
}

pub(super) fn text(value: &Json) -> Result<&str, Finding> {
    match value {
        Json::Text(text) => Ok(text),
        _ => Err(expected("a string")),
    }
}

pub(super) fn names(value: &Json) -> Result<Vec<&str>, Finding> {
    let Json::Array(names) = value else {
        return Err(expected("an array"));
    };
    let names = names.iter().map(text);
    let mut names: Vec<&str> = names
        .collect::<Result<_, _>>()
        .map_err(|_| expected("a list of names"))?;
    let mut seen = FxHashSet::default();
    names.retain(|name| seen.insert(*name));
    Ok(names)
}

/// A number of characters; `None` where no text that anybody holds has so many.
fn length(value: &Json) -> Result<Option<u32>, Finding> {
    match value {
        Json::Number(number) if number.is_integer() && !number.negative => {
            let length = number.whole.parse().ok();
            Ok(length.filter(|&length| length <= MAX_LENGTH))
        }
        _ => Err(expected("an integer, 0 or more")),
    }
}

pub(super) fn count(value: &Json) -> Result<u32, Finding> {
    match value {
        Json::Number(number) if number.is_integer() && !number.negative => {
            let count = number.whole.parse().ok();
            count.filter(|&count| count <= MAX_COUNT).ok_or_else(|| {
                let message = format!("counts over {MAX_COUNT} are not supported");
                Finding::new("too-large", message)
            })
        }
        _ => Err(expected("an integer, 0 or more")),
    }
}
