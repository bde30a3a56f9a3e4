//! Whether one whole value is valid, keyword by keyword as the specification says it.
//!
//! Some of what a schema may say no grammar of sensible size does: that no two items of
//! any kind are equal, one of two thousand cases. Where a text is whole, it can be
//! judged all the same. A grammar that admits more ([`super::widen`]) says what is not
//! valid; of what it admits this says the rest.
//!
//! It works on the keywords as they are read, and shares nothing with expansion and
//! lowering. Each schema is asked of each value once. Where items repeat that must not, it says
//! where they stand in the text, so that who wrote it knows what to write differently.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::SchemaOptions;
use super::document::Document;
use super::keyword::{Bound, Items, Keyword, Members, SchemaId, Values};
use super::types::Types;
use super::value::{self, Json};
use crate::Diagnostics;
use crate::quoted;

/// A schema that judges whole texts.
#[derive(Clone, Debug)]
pub struct Validator {
    schema: Json,
    documents: Vec<(String, Json)>,
    options: SchemaOptions,
}

impl Validator {
    /// Reads a schema.
    ///
    /// # Errors
    /// When it, or a document handed over with it, is no JSON.
    pub fn new(schema_text: &str, options: &SchemaOptions) -> Result<Self, Diagnostics> {
        let (schema, documents) = super::values(schema_text, options)?;
        Ok(Self {
            schema,
            documents,
            options: options.clone(),
        })
    }

    /// Whether a text is valid JSON under the schema; no name may stand twice in an
    /// object. `None` where that cannot be told: a keyword that is asked for is not
    /// supported, or the text is nested too deep.
    pub fn is_valid(&self, text: &[u8]) -> Option<bool> {
        match self.judge(text) {
            Validity::Valid => Some(true),
            Validity::Invalid { .. } => Some(false),
            Validity::Unknown => None,
        }
    }

    /// The same, with the items that repeat where none may, and the keys.
    ///
    /// ```
    /// use lacuna_grammar::json_schema::{SchemaOptions, Validator, Validity};
    /// let schema = r#"{"type": "array", "uniqueItems": true}"#;
    /// let validator = Validator::new(schema, &SchemaOptions::membership()).unwrap();
    /// let validity = validator.judge(br#"["a", 1, "a"]"#);
    /// assert_eq!(validity, Validity::Invalid { repeats: vec![(9..12, 1..4)] });
    ///
    /// let validity = validator.judge(br#"[{"a": 1, "a": 2}]"#);
    /// assert_eq!(validity, Validity::Invalid { repeats: vec![(10..13, 2..5)] });
    /// ```
    pub fn judge(&self, text: &[u8]) -> Validity {
        let nowhere = Validity::Invalid {
            repeats: Vec::new(),
        };
        let Ok(text) = std::str::from_utf8(text) else {
            return nowhere;
        };
        let (value, spans) = match value::read_with_spans(text) {
            Ok(read) => read,
            Err(found) if matches!(found.kind, "too-deep" | "too-large") => {
                return Validity::Unknown;
            }
            Err(_) => return nowhere,
        };
        let mut document = Document::new(&self.schema, &self.documents, &self.options, false);
        let spelled = Spelled {
            text,
            value: &value,
            spans: &spans.values,
        };
        let mut run = Run::new(&mut document, Some(spelled));
        let is_valid = run.holds(Document::ROOT, &value).is_some();
        let (is_stuck, repeats) = (run.is_stuck, run.repeats);
        if is_stuck || !document.findings.is_empty() {
            return Validity::Unknown;
        }
        if is_valid && spans.repeated_keys.is_empty() {
            return Validity::Valid;
        }
        if repeats.is_empty() {
            return Validity::Invalid {
                repeats: spans.repeated_keys,
            };
        }
        let places = spelled.places();
        let place = |item: &Json| {
            let at = places.binary_search_by_key(&std::ptr::from_ref(item), |&(value, _, _)| value);
            let (_, start, end) = places[at.ok()?];
            Some(start..end)
        };
        let repeats = repeats.iter();
        let repeats = repeats.filter_map(|&(item, first)| Some((place(item)?, place(first)?)));
        let mut repeats: Vec<_> = repeats.chain(spans.repeated_keys).collect();
        // Several keywords may say the same of an array.
        repeats.sort_unstable_by_key(|(item, first)| (item.start, first.start));
        repeats.dedup();
        Validity::Invalid { repeats }
    }
}

/// What a [`Validator`] says of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// It is valid.
    Valid,
    /// It is not.
    Invalid {
        /// The bytes of each item that is equal to an item before it where none may repeat, and
        /// of each key that its object has before, and those of the first that it is equal to.
        /// What else is wrong is not placed.
        repeats: Vec<(Range<usize>, Range<usize>)>,
    },
    /// That cannot be told: a keyword that is asked for is not supported, or the text is
    /// nested too deep.
    Unknown,
}

/// Where a value stands and those within it; the spans are in the order in which they begin.
fn locate(
    value: &Json,
    spans: &mut impl Iterator<Item = Range<usize>>,
    places: &mut Vec<(*const Json, usize, usize)>,
) {
    let span = spans.next();
    places.extend(span.map(|span| (std::ptr::from_ref(value), span.start, span.end)));
    for child in value.children() {
        locate(child, spans, places);
    }
}

/// A value, the text that it was read from, and the bytes of each value in it.
#[derive(Clone, Copy)]
struct Spelled<'v> {
    text: &'v str,
    value: &'v Json,
    spans: &'v [Range<usize>],
}

impl Spelled<'_> {
    /// Where each value stands, by its address.
    fn places(&self) -> Vec<(*const Json, usize, usize)> {
        let mut places = Vec::with_capacity(self.spans.len());
        locate(self.value, &mut self.spans.iter().cloned(), &mut places);
        places.sort_unstable_by_key(|&(value, _, _)| value);
        places
    }

    /// The numbers that are written with a point or an exponent.
    fn with_point(&self) -> HashSet<*const Json> {
        let is_pointed = |start: usize, end: usize| self.text[start..end].contains(['.', 'e', 'E']);
        let places = self.places().into_iter();
        let pointed = places.filter(|&(_, start, end)| is_pointed(start, end));
        pointed.map(|(value, ..)| value).collect()
    }
}

/// What was evaluated of a value, for `unevaluatedItems` and `unevaluatedProperties`.
#[derive(Clone, Default)]
struct Evaluated<'v> {
    all_items: bool,
    items: HashSet<usize>,
    all_members: bool,
    members: HashSet<&'v str>,
}

impl<'v> Evaluated<'v> {
    fn add(&mut self, other: &Evaluated<'v>) {
        self.all_items |= other.all_items;
        self.items.extend(&other.items);
        self.all_members |= other.all_members;
        self.members.extend(&other.members);
    }
}

/// That of a valid value; `None` of one that is not.
type Outcome<'v> = Option<Rc<Evaluated<'v>>>;

struct Run<'r, 'a, 'v> {
    document: &'r mut Document<'a>,
    known: HashMap<(SchemaId, *const Json), Outcome<'v>>,
    under_way: HashSet<(SchemaId, *const Json)>,
    /// The text, if there is one.
    spelled: Option<Spelled<'v>>,
    /// The numbers in it with a point or an exponent, if that was asked.
    with_point: Option<HashSet<*const Json>>,
    /// Whether something could not be told.
    is_stuck: bool,
    /// Items that are equal to one before, where none may be, each with the first such.
    repeats: Vec<(&'v Json, &'v Json)>,
}

impl<'r, 'a, 'v> Run<'r, 'a, 'v> {
    fn new(document: &'r mut Document<'a>, spelled: Option<Spelled<'v>>) -> Self {
        Self {
            document,
            spelled,
            with_point: None,
            known: HashMap::default(),
            under_way: HashSet::default(),
            is_stuck: false,
            repeats: Vec::new(),
        }
    }

    fn holds(&mut self, schema: SchemaId, value: &'v Json) -> Outcome<'v> {
        let key = (schema, value as *const Json);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        if !self.under_way.insert(key) {
            // A schema that refers to itself for the same value.
            self.is_stuck = true;
            return None;
        }
        let outcome = self.judge(schema, value).map(Rc::new);
        self.under_way.remove(&key);
        self.known.insert(key, outcome.clone());
        outcome
    }

    fn is_valid(&mut self, schema: SchemaId, value: &'v Json) -> bool {
        self.holds(schema, value).is_some()
    }

    fn judge(&mut self, schema: SchemaId, value: &'v Json) -> Option<Evaluated<'v>> {
        let node = self.document.node(schema);
        if node.never {
            return None;
        }
        let mut evaluated = Evaluated::default();
        for keyword in &node.keywords {
            self.keyword(keyword, value, &mut evaluated)?;
        }
        // What is left of the value when all other keywords have spoken.
        for keyword in &node.keywords {
            match (keyword, value) {
                (Keyword::UnevaluatedItems(rest), Json::Array(items)) => {
                    for (index, item) in items.iter().enumerate() {
                        let is_left = !evaluated.all_items && !evaluated.items.contains(&index);
                        if is_left && !self.is_valid(*rest, item) {
                            return None;
                        }
                    }
                    evaluated.all_items = true;
                }
                (Keyword::UnevaluatedProperties(rest), Json::Object(members)) => {
                    for (name, member) in members.iter() {
                        let is_left =
                            !evaluated.all_members && !evaluated.members.contains(name.as_str());
                        if is_left && !self.is_valid(*rest, member) {
                            return None;
                        }
                    }
                    evaluated.all_members = true;
                }
                _ => {}
            }
        }
        Some(evaluated)
    }

    fn keyword(
        &mut self,
        keyword: &Keyword<'a>,
        value: &'v Json,
        evaluated: &mut Evaluated<'v>,
    ) -> Option<()> {
        let holds = match (keyword, value) {
            (Keyword::Types(types), _) => types.meets(type_of(value)),
            (Keyword::Values(values), _) => self.is_listed(values, value),
            (Keyword::Lower(bound), Json::Number(number)) => {
                let Bound { value, exclusive } = bound;
                number > value || number == value && !exclusive
            }
            (Keyword::Upper(bound), Json::Number(number)) => {
                let Bound { value, exclusive } = bound;
                number < value || number == value && !exclusive
            }
            (Keyword::Multiple(divisor), Json::Number(number)) => number.is_multiple_of(divisor),
            (Keyword::Length(min, max), Json::Text(text)) => {
                is_within(text.chars().count(), *min, *max)
            }
            (Keyword::Text(texts), Json::Text(text)) => texts.accepts(text),
            (Keyword::Ask(_), Json::Text(_)) => {
                self.is_stuck = true;
                false
            }
            (Keyword::ItemCount(min, max), Json::Array(items)) => {
                is_within(items.len(), *min, *max)
            }
            (Keyword::Items(items), Json::Array(values)) => self.items(items, values, evaluated),
            (
                Keyword::Contains {
                    schema,
                    min,
                    max,
                    evaluates,
                },
                Json::Array(items),
            ) => {
                let mut found = HashSet::default();
                for (index, item) in items.iter().enumerate() {
                    if self.is_valid(*schema, item) {
                        found.insert(index);
                    }
                }
                let holds = is_within(found.len(), *min, *max);
                if *evaluates {
                    evaluated.items.extend(found);
                }
                holds
            }
            (Keyword::WithoutPoint, Json::Number(_)) => {
                let spelled = self.spelled;
                let with_point = self
                    .with_point
                    .get_or_insert_with(|| spelled.map(|it| it.with_point()).unwrap_or_default());
                !with_point.contains(&std::ptr::from_ref(value))
            }
            (Keyword::Unique, Json::Array(items)) => {
                let spelled = items.iter().map(canonical).zip(items);
                let mut spelled: Vec<(String, &'v Json)> = spelled.collect();
                // Items that are equal stay in their order.
                spelled.sort_by(|a, b| a.0.cmp(&b.0));
                let equal = spelled.chunk_by(|a, b| a.0 == b.0);
                let repeats = equal.flat_map(|equal| {
                    let again = equal[1..].iter();
                    again.map(|(_, item)| (*item, equal[0].1))
                });
                let before = self.repeats.len();
                self.repeats.extend(repeats);
                self.repeats.len() == before
            }
            (Keyword::PropertyCount(min, max), Json::Object(members)) => {
                is_within(members.len(), *min, *max)
            }
            (Keyword::Members(members), Json::Object(values)) => {
                let mut values = values.iter();
                values.all(|(name, value)| self.member(members, name, value, evaluated))
            }
            (Keyword::Required(names), Json::Object(members)) => {
                names.iter().all(|name| members.get(name).is_some())
            }
            (Keyword::Names(schema), Json::Object(members)) => {
                let mut members = members.iter();
                members.all(|(name, _)| self.is_name(*schema, name))
            }
            (Keyword::DependentNames(name, needed), Json::Object(members)) => {
                members.get(name).is_none() || needed.iter().all(|name| members.get(name).is_some())
            }
            (Keyword::DependentSchema(name, schema), Json::Object(members)) => {
                members.get(name).is_none() || self.also(*schema, value, evaluated)
            }
            (Keyword::All(list), _) => {
                let mut list = list.iter();
                list.all(|&schema| self.also(schema, value, evaluated))
            }
            (Keyword::Any(list), _) => {
                let held = list.iter();
                held.filter(|&&schema| self.also(schema, value, evaluated))
                    .count()
                    > 0
            }
            (Keyword::One(list), _) => {
                let held = list.iter();
                held.filter(|&&schema| self.also(schema, value, evaluated))
                    .count()
                    == 1
            }
            (Keyword::Not(schema), _) => !self.is_valid(*schema, value),
            (
                Keyword::If {
                    condition,
                    then,
                    otherwise,
                },
                _,
            ) => {
                let branch = match self.also(*condition, value, evaluated) {
                    true => then,
                    false => otherwise,
                };
                branch.is_none_or(|branch| self.also(branch, value, evaluated))
            }
            (Keyword::Same(schema), _) => self.also(*schema, value, evaluated),
            // Of other types they say nothing.
            _ => true,
        };
        holds.then_some(())
    }

    /// Whether another schema holds for the same value, and what it evaluates.
    fn also(&mut self, schema: SchemaId, value: &'v Json, evaluated: &mut Evaluated<'v>) -> bool {
        let outcome = self.holds(schema, value);
        if let Some(other) = &outcome {
            evaluated.add(other);
        }
        outcome.is_some()
    }

    fn is_listed(&mut self, values: &Values<'a>, value: &'v Json) -> bool {
        match value {
            Json::Text(text) => values.words.binary_search(&text.as_str()).is_ok(),
            Json::Number(number) => values.numbers.contains(number),
            Json::Array(_) | Json::Object(_) => {
                let mut composites = values.composites.iter();
                composites.any(|&schema| self.is_valid(schema, value))
            }
            Json::Null | Json::Bool(_) => values.names.meets(type_of(value)),
        }
    }

    fn items(&mut self, items: &Items, values: &'v [Json], evaluated: &mut Evaluated<'v>) -> bool {
        evaluated
            .items
            .extend(0..items.prefix.len().min(values.len()));
        evaluated.all_items |= items.rest.is_some();
        values.iter().enumerate().all(|(index, item)| {
            let schema = items.prefix.get(index).copied().or(items.rest);
            schema.is_none_or(|schema| self.is_valid(schema, item))
        })
    }

    fn member(
        &mut self,
        members: &Members<'a>,
        name: &'v str,
        value: &'v Json,
        evaluated: &mut Evaluated<'v>,
    ) -> bool {
        let matching = members.patterns.iter();
        let matching = matching.filter(|(texts, _)| texts.accepts(name));
        let mut spoken: Vec<SchemaId> = matching.map(|(_, schema)| *schema).collect();
        spoken.extend(members.of(name));
        if spoken.is_empty() {
            spoken.extend(members.additional);
        }
        if !spoken.is_empty() {
            evaluated.members.insert(name);
        }
        spoken
            .into_iter()
            .all(|schema| self.is_valid(schema, value))
    }

    /// Whether a name is valid as a string.
    fn is_name(&mut self, schema: SchemaId, name: &str) -> bool {
        let name = Json::Text(name.to_owned());
        let mut run = Run::new(self.document, None);
        let is_valid = run.is_valid(schema, &name);
        self.is_stuck |= run.is_stuck;
        is_valid
    }
}

fn type_of(value: &Json) -> Types {
    match value {
        Json::Null => Types::NULL,
        Json::Bool(true) => Types::TRUE,
        Json::Bool(false) => Types::FALSE,
        Json::Number(number) if number.is_integer() => Types::INTEGER,
        Json::Number(_) => Types::FRACTION,
        Json::Text(_) => Types::STRING,
        Json::Array(_) => Types::ARRAY,
        Json::Object(_) => Types::OBJECT,
    }
}

fn is_within(count: usize, min: u32, max: Option<u32>) -> bool {
    count >= min as usize && max.is_none_or(|max| count <= max as usize)
}

/// The same text for values that are equal.
fn canonical(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(truth) => truth.to_string(),
        Json::Number(number) => number.plain(),
        Json::Text(text) => quoted(text),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Json::Object(members) => {
            let members = members.iter();
            let spelled =
                members.map(|(name, value)| format!("{}:{}", quoted(name), canonical(value)));
            let mut members: Vec<String> = spelled.collect();
            members.sort_unstable();
            format!("{{{}}}", members.join(","))
        }
    }
}
