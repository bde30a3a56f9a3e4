//! One schema of a document, its keywords checked and typed.
//!
//! A [`Document`] hands out nodes by number; a node is read when it is first
//! asked for, so what no instance can reach is never looked at.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::SchemaOptions;
use super::value::{Decimal, Json};
use crate::automaton::{AutomatonError, Dfa, Limits};
use crate::slots::Ask;
use crate::slots::values::any_of;
use crate::spans::spans;
use crate::{Diagnostic, Filling, Place, Slot, regex};

/// Largest count in `minItems`, `maxItems`, `minLength` and `maxLength`.
const MAX_COUNT: u32 = 100_000;

pub(super) const LIMITS: Limits = Limits {
    nfa_states: 1_000_000,
    dfa_states: 100_000,
};

/// Index of a schema in its [`Document`].
pub(super) type NodeId = u32;

/// The JSON types, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const STRING: Self = Self(4);
    pub(super) const ARRAY: Self = Self(8);
    pub(super) const OBJECT: Self = Self(16);
    pub(super) const INTEGER: Self = Self(32);
    /// Integers and the numbers that are none.
    pub(super) const NUMBER: Self = Self(32 | 64);
    pub(super) const ALL: Self = Self(127);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            _ => return None,
        })
    }

    /// The type of one value.
    pub(super) fn of(value: &Json) -> Self {
        match value {
            Json::Null => Self::NULL,
            Json::Bool(_) => Self::BOOLEAN,
            Json::Text(_) => Self::STRING,
            Json::Array(_) => Self::ARRAY,
            Json::Object(_) => Self::OBJECT,
            Json::Number(number) if number.is_integer() => Self::INTEGER,
            Json::Number(_) => Self(64),
        }
    }
}

/// The end of a range of numbers.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub value: Decimal,
    /// Whether `value` itself is outside.
    pub exclusive: bool,
}

/// The keywords of one schema.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// A JSON pointer, without `#`.
    pub pointer: String,
    /// The schema is `false`.
    pub never: bool,
    /// Some keyword constrains the instance by itself.
    pub constrains: bool,
    /// What slots stand for is taken in any case.
    pub ignore_case: bool,
    pub types: Types,
    pub values: Option<Vec<&'a Json>>,
    pub properties: Vec<(&'a str, NodeId)>,
    pub property_ids: HashMap<&'a str, NodeId>,
    pub additional: Option<NodeId>,
    pub required: Vec<&'a str>,
    pub items: Option<NodeId>,
    pub item_count: (u32, Option<u32>),
    /// Languages of decoded texts, all of which must hold.
    pub texts: Vec<Arc<Dfa>>,
    /// Slots still open, all of which must hold.
    pub asks: Vec<Ask>,
    pub length: (u32, Option<u32>),
    pub lower: Option<Bound>,
    pub upper: Option<Bound>,
    pub any_of: Option<Vec<NodeId>>,
    /// `$ref` and `allOf`.
    pub also: Vec<NodeId>,
}

impl Node<'_> {
    fn admitting_all(pointer: String) -> Self {
        Self {
            pointer,
            never: false,
            constrains: false,
            ignore_case: false,
            types: Types::ALL,
            values: None,
            properties: Vec::new(),
            property_ids: HashMap::new(),
            additional: None,
            required: Vec::new(),
            items: None,
            item_count: (0, None),
            texts: Vec::new(),
            asks: Vec::new(),
            length: (0, None),
            lower: None,
            upper: None,
            any_of: None,
            also: Vec::new(),
        }
    }
}

/// Known keywords that are not supported, of all drafts.
const UNSUPPORTED: [&str; 29] = [
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveAnchor",
    "$recursiveRef",
    "additionalItems",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "disallow",
    "divisibleBy",
    "else",
    "extends",
    "if",
    "maxContains",
    "maxProperties",
    "minContains",
    "minProperties",
    "multipleOf",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

/// A schema document and the nodes in it that have been asked for.
pub(super) struct Document<'a> {
    root: &'a Json,
    options: &'a SchemaOptions,
    /// In draft 7 a `$ref` hides its siblings.
    reference_hides_siblings: bool,
    sources: Vec<(String, &'a Json)>,
    ids: HashMap<String, NodeId>,
    nodes: Vec<Option<Rc<Node<'a>>>>,
    /// Whether what the options lack is left open.
    open: bool,
    /// The languages of slots that were filled.
    filled: HashMap<Ask, Arc<Dfa>>,
    /// Slots that were left open.
    pub slots: Vec<Slot>,
    pub findings: Vec<Diagnostic>,
}

impl<'a> Document<'a> {
    pub(super) const ROOT: NodeId = 0;

    pub(super) fn new(root: &'a Json, options: &'a SchemaOptions, open: bool) -> Self {
        let mut document = Self {
            root,
            options,
            reference_hides_siblings: false,
            sources: Vec::new(),
            ids: HashMap::new(),
            nodes: Vec::new(),
            open,
            filled: HashMap::new(),
            slots: Vec::new(),
            findings: Vec::new(),
        };
        document.read_draft();
        document.id(String::new(), root);
        document
    }

    fn read_draft(&mut self) {
        let Some(draft) = self.root.get("$schema") else {
            return;
        };
        let name = match draft {
            Json::Text(name) => name.trim_end_matches('#'),
            _ => "",
        };
        let name = name
            .trim_start_matches("http://")
            .trim_start_matches("https://");
        match name {
            "json-schema.org/draft-07/schema" => self.reference_hides_siblings = true,
            "json-schema.org/draft/2019-09/schema" | "json-schema.org/draft/2020-12/schema" => {}
            _ => self.findings.push(
                error(
                    "unsupported-draft",
                    "/$schema",
                    "this draft is not supported",
                )
                .with_note("drafts 7, 2019-09 and 2020-12 are"),
            ),
        }
    }

    fn id(&mut self, pointer: String, json: &'a Json) -> NodeId {
        let fresh = self.sources.len() as NodeId;
        let id = *self.ids.entry(pointer.clone()).or_insert(fresh);
        if id == fresh {
            self.sources.push((pointer, json));
            self.nodes.push(None);
        }
        id
    }

    pub(super) fn pointer(&self, id: NodeId) -> &str {
        &self.sources[id as usize].0
    }

    pub(super) fn node(&mut self, id: NodeId) -> Rc<Node<'a>> {
        if let Some(node) = &self.nodes[id as usize] {
            return node.clone();
        }
        let (pointer, json) = self.sources[id as usize].clone();
        let node = Rc::new(self.read(pointer, json));
        self.nodes[id as usize] = Some(node.clone());
        node
    }

    fn read(&mut self, pointer: String, json: &'a Json) -> Node<'a> {
        let mut node = Node::admitting_all(pointer);
        match json {
            Json::Bool(admits) => {
                node.never = !admits;
                node.constrains = !admits;
            }
            Json::Object(members) => {
                node.ignore_case = json.get("x-ignoreCase") == Some(&Json::Bool(true));
                for (keyword, value) in members {
                    let place = format!("{}/{}", node.pointer, escape_pointer(keyword));
                    if let Err(finding) = self.keyword(&mut node, keyword, value, &place) {
                        self.findings.push(finding.at(&place));
                    }
                }
                if self.reference_hides_siblings && json.get("$ref").is_some() {
                    self.refuse_hidden_siblings(&node, members);
                }
                if let Some(message) = self_denial(&node) {
                    self.findings
                        .push(error("impossible-schema", &node.pointer, message));
                    node = Node::admitting_all(node.pointer);
                }
            }
            _ => self.findings.push(error(
                "bad-keyword",
                &node.pointer,
                "a schema is an object, true or false",
            )),
        }
        node
    }

    fn keyword(
        &mut self,
        node: &mut Node<'a>,
        keyword: &str,
        value: &'a Json,
        place: &str,
    ) -> Result<(), Finding> {
        let constrains_before = std::mem::replace(&mut node.constrains, true);
        match keyword {
            "type" => node.types = types(value)?,
            "enum" => {
                let Json::Array(values) = value else {
                    return Err(expected("an array"));
                };
                if values.is_empty() {
                    return Err(Finding::new(
                        "impossible-schema",
                        "an empty list admits nothing",
                    ));
                }
                restrict(&mut node.values, values.iter().collect());
            }
            "const" => restrict(&mut node.values, vec![value]),
            "properties" => {
                let Json::Object(members) = value else {
                    return Err(expected("an object"));
                };
                for (name, schema) in members {
                    let id = self.id(format!("{place}/{}", escape_pointer(name)), schema);
                    node.properties.push((name, id));
                    node.property_ids.insert(name, id);
                }
            }
            "additionalProperties" => node.additional = Some(self.id(place.to_owned(), value)),
            "required" => {
                let Json::Array(names) = value else {
                    return Err(expected("an array"));
                };
                for name in names {
                    let Json::Text(name) = name else {
                        return Err(expected("a list of names"));
                    };
                    node.required.push(name);
                }
            }
            "items" => {
                if matches!(value, Json::Array(_)) {
                    let message = "a list of schemas is not supported";
                    return Err(Finding::new("unsupported-keyword", message));
                }
                node.items = Some(self.id(place.to_owned(), value));
            }
            "minItems" => node.item_count.0 = count(value)?,
            "maxItems" => node.item_count.1 = Some(count(value)?),
            "minLength" => node.length.0 = count(value)?,
            "maxLength" => node.length.1 = Some(count(value)?),
            "pattern" => {
                let Json::Text(pattern) = value else {
                    return Err(expected("a string"));
                };
                let expr = regex::parse_ecma_search(pattern).map_err(|finding| Finding {
                    at_character: true,
                    ..finding.into()
                })?;
                node.texts.push(Arc::new(Dfa::from_expr(&expr, &LIMITS)?));
            }
            "minimum" => tighten_lower(&mut node.lower, bound(value, false)?),
            "exclusiveMinimum" => tighten_lower(&mut node.lower, bound(value, true)?),
            "maximum" => tighten_upper(&mut node.upper, bound(value, false)?),
            "exclusiveMaximum" => tighten_upper(&mut node.upper, bound(value, true)?),
            "x-spanOf" => self.slot(node, Filling::Text, value, place)?,
            "x-oneOf" => self.slot(node, Filling::List, value, place)?,
            "x-ignoreCase" if !matches!(value, Json::Bool(_)) => {
                return Err(expected("true or false"));
            }
            "anyOf" => {
                node.constrains = constrains_before;
                node.any_of = Some(self.list(value, place)?);
            }
            "allOf" => {
                node.constrains = constrains_before;
                node.also.extend(self.list(value, place)?);
            }
            "$ref" => {
                node.constrains = constrains_before;
                node.also.push(self.resolve(value)?);
            }
            // An identifier inside changes what references mean.
            "$id" | "$schema" if !node.pointer.is_empty() => {
                let message = format!("{keyword} is supported only at the root");
                return Err(Finding::new("unsupported-keyword", message));
            }
            "uniqueItems" if *value == Json::Bool(false) => node.constrains = constrains_before,
            known if UNSUPPORTED.contains(&known) => {
                let message = format!("the keyword {known} is not supported");
                return Err(Finding::new("unsupported-keyword", message));
            }
            // Annotations, locations, and what the specification calls unknown.
            _ => node.constrains = constrains_before,
        }
        Ok(())
    }

    fn refuse_hidden_siblings(&mut self, node: &Node<'a>, members: &[(String, Json)]) {
        const CONSTRAINTS: [&str; 20] = [
            "type",
            "enum",
            "const",
            "properties",
            "additionalProperties",
            "required",
            "items",
            "minItems",
            "maxItems",
            "minLength",
            "maxLength",
            "pattern",
            "minimum",
            "exclusiveMinimum",
            "maximum",
            "exclusiveMaximum",
            "x-spanOf",
            "x-oneOf",
            "anyOf",
            "allOf",
        ];
        let hidden = members
            .iter()
            .find(|(keyword, _)| CONSTRAINTS.contains(&keyword.as_str()));
        if let Some((keyword, _)) = hidden {
            let message = "draft 7 ignores what stands beside $ref";
            self.findings.push(
                error(
                    "hidden-keyword",
                    &format!("{}/{keyword}", node.pointer),
                    message,
                )
                .with_note("take it out, or name a later draft in $schema"),
            );
        }
    }

    fn list(&mut self, value: &'a Json, place: &str) -> Result<Vec<NodeId>, Finding> {
        match value {
            Json::Array(schemas) if !schemas.is_empty() => Ok(schemas
                .iter()
                .enumerate()
                .map(|(index, schema)| self.id(format!("{place}/{index}"), schema))
                .collect()),
            _ => Err(expected("a list of schemas, at least one")),
        }
    }

    /// The strings that a list or a text of this name admits, now or later.
    fn slot(
        &mut self,
        node: &mut Node<'a>,
        filling: Filling,
        value: &'a Json,
        place: &str,
    ) -> Result<(), Finding> {
        let what = match filling {
            Filling::List => "list",
            _ => "text",
        };
        let Json::Text(name) = value else {
            return Err(expected(&format!("the name of a {what}")));
        };
        let ask = Ask {
            name: name.clone(),
            filling,
            ignore_case: node.ignore_case,
        };
        if let Some(known) = self.filled.get(&ask) {
            node.texts.push(known.clone());
            return Ok(());
        }
        let list = self.options.lists.get(name);
        let text = self.options.texts.get(name);
        let language = match (filling, list, text) {
            (Filling::List, Some(list), _) => any_of(list, ask.ignore_case, &LIMITS)?,
            (Filling::Text, _, Some(text)) => spans(text, ask.ignore_case, &LIMITS)?,
            _ if self.open => {
                let known = |slot: &Slot| slot.name == *name && slot.filling == filling;
                if !self.slots.iter().any(known) {
                    self.slots.push(Slot {
                        name: name.clone(),
                        filling,
                        place: Place::Pointer(place.to_owned()),
                    });
                }
                node.asks.push(ask);
                return Ok(());
            }
            _ => {
                let message = format!("no {what} named {name:?} was handed over");
                return Err(Finding::new(
                    match filling {
                        Filling::List => "unknown-list",
                        _ => "unknown-text",
                    },
                    message,
                ));
            }
        };
        if language.is_empty() {
            let lack = match filling {
                Filling::List => "is empty",
                _ => "has no words",
            };
            let message = format!("the {what} named {name:?} {lack}");
            return Err(Finding::new("empty-slot", message));
        }
        let language = Arc::new(language);
        self.filled.insert(ask, language.clone());
        node.texts.push(language);
        Ok(())
    }

    /// Lists of the options that nothing asked for.
    pub(super) fn unused_lists(&self) -> impl Iterator<Item = &'a str> {
        let lists = self.options.lists.keys().map(String::as_str);
        lists.filter(|name| {
            let mut asked = self.filled.keys();
            !asked.any(|ask| ask.filling == Filling::List && ask.name == *name)
        })
    }

    fn resolve(&mut self, value: &'a Json) -> Result<NodeId, Finding> {
        let Json::Text(reference) = value else {
            return Err(expected("a string"));
        };
        let base = match self.root.get("$id") {
            Some(Json::Text(id)) => id.trim_end_matches('#'),
            _ => "",
        };
        let fragment = reference.strip_prefix(base).unwrap_or(reference);
        let pointer = match fragment.strip_prefix('#') {
            _ if fragment.is_empty() && !base.is_empty() => String::new(),
            Some(pointer) => percent_decoded(pointer).ok_or_else(|| expected("a JSON pointer"))?,
            None => {
                let message = format!("{reference:?} is not in this document");
                return Err(Finding::new("unsupported-reference", message));
            }
        };
        if !pointer.is_empty() && !pointer.starts_with('/') {
            let message = format!("{reference:?} is not a JSON pointer");
            return Err(Finding::new("unsupported-reference", message));
        }
        let mut json = self.root;
        let mut canonical = String::new();
        for (depth, step) in pointer.split('/').skip(1).enumerate() {
            if depth > 0 && matches!(json.get("$id"), Some(Json::Text(_))) {
                let message = format!("{reference:?} leads through an embedded document");
                return Err(Finding::new("unsupported-reference", message));
            }
            let name = step.replace("~1", "/").replace("~0", "~");
            json = match json {
                Json::Array(items) => {
                    let plain = name == "0" || !name.starts_with(['0', '+']);
                    name.parse()
                        .ok()
                        .filter(|_| plain)
                        .and_then(|at: usize| items.get(at))
                }
                other => other.get(&name),
            }
            .ok_or_else(|| {
                let message = format!("{reference:?} leads nowhere");
                Finding::new("unknown-reference", message)
            })?;
            canonical = format!("{canonical}/{}", escape_pointer(&name));
        }
        Ok(self.id(canonical, json))
    }
}

/// What is wrong with a keyword, before its place is known.
struct Finding {
    kind: &'static str,
    message: String,
    note: Option<String>,
    /// The message's place is a character of the keyword's value.
    at_character: bool,
    character: usize,
}

impl Finding {
    fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            note: None,
            at_character: false,
            character: 0,
        }
    }

    fn at(self, pointer: &str) -> Diagnostic {
        let message = match self.at_character {
            true => format!("{} (byte {} of the pattern)", self.message, self.character),
            false => self.message,
        };
        let mut finding = error(self.kind, pointer, message);
        finding.note = self.note;
        finding
    }
}

impl From<AutomatonError> for Finding {
    fn from(error: AutomatonError) -> Self {
        Self::new("too-large", error.to_string())
    }
}

impl From<Diagnostic> for Finding {
    fn from(finding: Diagnostic) -> Self {
        let character = match finding.place {
            Place::Span { start, .. } => start,
            Place::Pointer(_) => 0,
        };
        let Diagnostic {
            kind,
            message,
            note,
            ..
        } = finding;
        Self {
            kind,
            message,
            note,
            at_character: false,
            character,
        }
    }
}

fn expected(what: &str) -> Finding {
    Finding::new("bad-keyword", format!("expected {what}"))
}

pub(super) fn error(kind: &'static str, pointer: &str, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(kind, Place::Pointer(pointer.to_owned()), message)
}

/// Why a node by itself admits nothing, or nothing of a type that it speaks of.
fn self_denial(node: &Node<'_>) -> Option<String> {
    let turned = |(min, max): (u32, Option<u32>)| max.is_some_and(|max| max < min);
    if turned(node.item_count) && node.types.has(Types::ARRAY) {
        return Some("minItems is more than maxItems".to_owned());
    }
    if turned(node.length) && node.types.has(Types::STRING) {
        return Some("minLength is more than maxLength".to_owned());
    }
    if let (Some(lower), Some(upper)) = (&node.lower, &node.upper) {
        let empty = lower.value > upper.value
            || lower.value == upper.value && (lower.exclusive || upper.exclusive);
        if empty && node.types.has(Types::INTEGER) {
            return Some("no number is between the lower and the upper bound".to_owned());
        }
    }
    None
}

fn types(value: &Json) -> Result<Types, Finding> {
    let one = |value: &Json| {
        let Json::Text(name) = value else {
            return Err(expected("a type's name"));
        };
        Types::named(name)
            .ok_or_else(|| Finding::new("bad-keyword", format!("there is no type {name:?}")))
    };
    match value {
        Json::Array(list) if list.is_empty() => Err(Finding::new(
            "impossible-schema",
            "an empty list of types admits nothing",
        )),
        Json::Array(list) => list
            .iter()
            .try_fold(Types(0), |types, value| Ok(Types(types.0 | one(value)?.0))),
        value => one(value),
    }
}

fn count(value: &Json) -> Result<u32, Finding> {
    match value {
        Json::Number(number) if number.is_integer() && !number.negative => number
            .whole
            .parse()
            .ok()
            .filter(|&count| count <= MAX_COUNT)
            .ok_or_else(|| {
                Finding::new(
                    "too-large",
                    format!("counts over {MAX_COUNT} are not supported"),
                )
            }),
        _ => Err(expected("an integer, 0 or more")),
    }
}

fn bound(value: &Json, exclusive: bool) -> Result<Bound, Finding> {
    match value {
        Json::Number(value) => Ok(Bound {
            value: value.clone(),
            exclusive,
        }),
        _ => Err(expected("a number")),
    }
}

pub(super) fn tighten_lower(known: &mut Option<Bound>, new: Bound) {
    let tighter = known
        .as_ref()
        .is_none_or(|known| new.value > known.value || new.value == known.value && new.exclusive);
    if tighter {
        *known = Some(new);
    }
}

pub(super) fn tighten_upper(known: &mut Option<Bound>, new: Bound) {
    let tighter = known
        .as_ref()
        .is_none_or(|known| new.value < known.value || new.value == known.value && new.exclusive);
    if tighter {
        *known = Some(new);
    }
}

fn restrict<'a>(known: &mut Option<Vec<&'a Json>>, values: Vec<&'a Json>) {
    match known {
        Some(known) => known.retain(|value| values.contains(value)),
        None => *known = Some(values),
    }
}

pub(super) fn escape_pointer(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}
