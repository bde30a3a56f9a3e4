//! JSON Schema: drafts 7, 2019-09 and 2020-12, the everyday part of them.
//!
//! Supported, exactly: `type`, `enum`, `const`, `properties`, `required`,
//! `additionalProperties`, `items` (one schema), `minItems`, `maxItems`,
//! `pattern`, `minLength`, `maxLength`, `minimum`, `maximum` and their exclusive
//! forms, `anyOf`, `allOf`, `$ref` within the document (recursion too), `$defs`
//! and `definitions`, and schemas that are `true` or `false`. All may stand
//! side by side, and a keyword says nothing about values of types that it does
//! not apply to, as the specification has it: `{"minLength": 2}` admits 7, and
//! `additionalProperties` is `true` unless given. Every other keyword of any
//! draft is an error with its JSON pointer. Annotations (`title`, `format`, …)
//! and unknown keywords constrain nothing, as the specification says.
//!
//! Three keywords more. A string with `x-spanOf: NAME` is a run of whole words
//! (see [`crate::spans`]) of the text of that name in [`SchemaOptions::texts`], one
//! with `x-oneOf: NAME` is in the list of that name in [`SchemaOptions::lists`];
//! `x-ignoreCase: true` beside them lets case differ. What [`open`] finds in
//! neither it leaves open, to be filled later ([`OpenGrammar`]).
//!
//! # What is exact and what is not
//!
//! Whatever belongs to the grammar is valid. What is valid may be left out:
//! - in generation, everything but one spelling (see [`SchemaOptions`]);
//! - in membership, spellings of numbers with an exponent where there are
//!   bounds or a list of values, and those of integers like `1.5e1`;
//!   strings with half a surrogate pair; an object that repeats a key and is
//!   valid only because the last one counts.
//!
//! A key that no `properties` names may be repeated.
//!
//! # How a schema is lowered
//!
//! [`node`] checks the keywords of one schema. [`lower`] works with sets of
//! schemas that must all hold: `$ref` and `allOf` add to the set, `anyOf` splits
//! it, and what is left is merged type by type ([`objects`], [`numbers`],
//! [`strings`]). Each set is a rule, made once and named after the JSON pointers
//! in it, so recursion closes and nothing is copied. Lists of values are
//! filtered by the other keywords ([`valid`]).

mod lower;
mod node;
mod numbers;
mod objects;
mod strings;
mod valid;
mod value;

use std::collections::BTreeMap;

pub use numbers::NumberSpelling;
pub use strings::StringSpelling;

use crate::{Diagnostics, Grammar, Linted, OpenGrammar};

/// Longest schema that is read, in bytes.
pub const MAX_TEXT: usize = 4 << 20;
/// Most named properties of one object in [`PropertyOrder::Any`].
pub const MAX_UNORDERED_PROPERTIES: usize = 16;

/// In which order an object's properties may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyOrder {
    /// As declared: those of `properties` in their order, then those only named
    /// in `required`, then others.
    Declared,
    /// In any order, none of the named ones twice. Takes up to
    /// [`MAX_UNORDERED_PROPERTIES`] named properties in one object, since the
    /// grammar remembers the set of those seen.
    Any,
}

/// Where white space may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhiteSpace {
    /// Nowhere.
    Compact,
    /// Wherever JSON admits it, around the whole value too.
    Any,
}

/// Which texts, of the many that spell a value, belong to the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaOptions {
    /// The order of an object's properties.
    pub order: PropertyOrder,
    /// Where white space may stand.
    pub white_space: WhiteSpace,
    /// The spellings of strings and keys.
    pub strings: StringSpelling,
    /// The spellings of numbers.
    pub numbers: NumberSpelling,
    /// The texts that `x-spanOf` may name.
    pub texts: BTreeMap<String, String>,
    /// The lists that `x-oneOf` may name; each is asked for somewhere.
    pub lists: BTreeMap<String, Vec<String>>,
}

impl SchemaOptions {
    /// One spelling of each value, for a model to write.
    pub fn generation() -> Self {
        Self {
            order: PropertyOrder::Declared,
            white_space: WhiteSpace::Compact,
            strings: StringSpelling::Canonical,
            numbers: NumberSpelling::Plain,
            texts: BTreeMap::new(),
            lists: BTreeMap::new(),
        }
    }

    /// All spellings of each value, for judging texts from elsewhere.
    pub fn membership() -> Self {
        Self {
            order: PropertyOrder::Any,
            white_space: WhiteSpace::Any,
            strings: StringSpelling::Any,
            numbers: NumberSpelling::Any,
            texts: BTreeMap::new(),
            lists: BTreeMap::new(),
        }
    }

    /// The same options with one text more that `x-spanOf` may name.
    pub fn with_text(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.texts.insert(name.into(), text.into());
        self
    }
}

/// Compiles a schema to the grammar of its instances.
///
/// ```
/// use lacuna_grammar::json_schema::{SchemaOptions, compile};
/// use lacuna_grammar::recognize::recognize;
/// let schema = r#"{
///     "type": "object",
///     "properties": {
///         "city": {"type": "string", "x-spanOf": "request"},
///         "seats": {"type": "integer", "minimum": 1}
///     },
///     "required": ["city"],
///     "additionalProperties": false
/// }"#;
/// let options = SchemaOptions::generation().with_text("request", "four seats in San Jose");
/// let grammar = compile(schema, &options).unwrap();
/// assert!(recognize(&grammar, br#"{"city":"San Jose","seats":4}"#));
/// assert!(!recognize(&grammar, br#"{"city":"San Francisco"}"#));
///
/// let wrong = compile(r#"{"items": {"not": {}}}"#, &options).unwrap_err();
/// assert_eq!(wrong.0[0].to_string(), r#"the keyword not is not supported (at "/items/not")"#);
/// ```
///
/// # Errors
/// Findings with the JSON pointers of the keywords (of a schema that is no JSON:
/// the span in its text). A schema that denies itself is one of them.
pub fn compile(schema_text: &str, options: &SchemaOptions) -> Result<Grammar, Diagnostics> {
    read(schema_text, options, false).map(|open| open.read.grammar)
}

/// As [`compile`], with the places of the rules.
///
/// # Errors
/// The same.
pub fn lint(schema_text: &str, options: &SchemaOptions) -> Result<Linted, Diagnostics> {
    read(schema_text, options, false).map(|open| open.read)
}

/// Compiles a schema and leaves open what `x-spanOf` and `x-oneOf` name and the
/// options lack.
///
/// ```
/// use lacuna_grammar::json_schema::{SchemaOptions, open};
/// use lacuna_grammar::{Slots, recognize::recognize};
/// let schema = r#"{"type": "string", "x-oneOf": "columns", "x-ignoreCase": true}"#;
/// let open = open(schema, &SchemaOptions::generation()).unwrap();
/// let slots = Slots::default().with_list("columns", ["name", "the \"id\""]);
/// let grammar = open.fill(&slots).unwrap().grammar;
/// assert!(recognize(&grammar, br#""the \"ID\"""#));
/// ```
///
/// # Errors
/// As in [`compile`], except for what is left open. `enum` and `const` cannot be
/// judged beside something open.
pub fn open(schema_text: &str, options: &SchemaOptions) -> Result<OpenGrammar, Diagnostics> {
    read(schema_text, options, true)
}

fn read(
    schema_text: &str,
    options: &SchemaOptions,
    open: bool,
) -> Result<OpenGrammar, Diagnostics> {
    if schema_text.len() > MAX_TEXT {
        let message = format!("the schema is longer than {MAX_TEXT} bytes");
        return Err(node::error("too-large", "", message).into());
    }
    let schema = value::read(schema_text)?;
    lower::lower(&schema, options, open)
}
