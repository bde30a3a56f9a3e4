//! JSON Schema: drafts 4 to 2020-12, exact or refused.
//!
//! `$schema` names the draft; without it 2020-12 is meant. What each keyword is
//! taken for, and when it is refused, `docs/json_schema.md` lists. A keyword says
//! nothing about values of types that it does not apply to, as the specification
//! has it: `{"minLength": 2}` admits 7. Annotations (`title`, `format` unless
//! [`SchemaOptions::assert_formats`], …) and unknown keywords constrain nothing.
//! A known keyword that cannot be honoured is an error with its JSON pointer.
//!
//! Three keywords more. A string with `x-spanOf: NAME` is a run of whole words
//! (see [`crate::spans`]) of the text of that name in [`SchemaOptions::texts`], one
//! with `x-oneOf: NAME` is in the list of that name in [`SchemaOptions::lists`];
//! `x-ignoreCase: true` beside them lets case differ. What [`open`] finds in
//! neither it leaves open, to be filled later ([`OpenGrammar`]).
//!
//! # What is exact and what is not
//!
//! Whatever belongs to the grammar is valid, but for names that repeat, below.
//! What is valid may be left out:
//! - in generation, everything but one spelling (see [`SchemaOptions`]);
//! - in membership, spellings of numbers with an exponent where there are
//!   bounds, multiples or a list of values, and those of integers like `1.5e1`;
//!   strings with half a surrogate pair; an object that repeats a key and is
//!   valid only because the last one counts.
//!
//! A key that no keyword names may be repeated. Whoever counts members
//! (`minProperties`) counts such a key twice.
//!
//! # How a schema is compiled
//!
//! 1. [`resources`] finds what has an identifier, [`contents`] what says the same,
//!    [`reading`] checks the keywords of one schema when it is asked for: a
//!    [`keyword::Node`] of [`keyword::Keyword`]s, each of which says one thing.
//! 2. [`steps`] knows what each says of a value, and what its denial says.
//!    [`expansion`] takes a set of schemas that must hold or must not
//!    ([`shape::Goals`]) and makes of it a union of [`shape::Shape`]s, descriptions
//!    by type in which no schema for the same value is left. `allOf`, `not`,
//!    `oneOf` and `if` are nothing special there. Choices that a member's word decides
//!    are decided at sight ([`told`]).
//! 3. [`lower`] makes each set of goals a rule, once, so recursion closes and
//!    nothing is copied; [`numbers`], [`texts`], [`arrays`] and [`objects`] spell
//!    the values of a shape.
//!
//! What is said of strings is a language over characters until it is spelled
//! ([`Language`](crate::automaton)); long ones are counted by rules ([`lengths`],
//! [`bounded`]).
//!
//! What no grammar says is refused, or, where [`widen`] is asked, admitted and left to a
//! [`Validator`].

mod arrays;
mod bounded;
mod branch;
mod constants;
mod contents;
mod decimal;
mod denial;
mod dialect;
mod differing;
mod document;
mod draft;
mod expansion;
mod finding;
mod formats;
mod impossible;
mod indentation;
mod keyword;
mod knowledge;
mod lengths;
mod lower;
mod members;
mod metaschemas;
mod name_list;
mod number_machine;
mod numbers;
mod objects;
mod reading;
mod reading_inside;
mod reading_scalars;
mod remainders;
mod resources;
mod shape;
mod slots;
mod steps;
mod strings;
mod syntax;
mod text_values;
mod texts;
mod told;
mod types;
mod unheeded;
mod uri;
mod validity;
mod value;
mod values;
#[cfg(feature = "shortcuts")]
mod vocabularies;
mod word_rows;
mod words;

pub use numbers::NumberSpelling;
pub use strings::StringSpelling;
pub use validity::{Validator, Validity};

use crate::automaton::Limits;
use crate::quoted;
use crate::{Diagnostic, Diagnostics, Grammar, Linted, OpenGrammar, Place};
use lower::Mode;
use value::Json;

/// Longest schema that is read, in bytes.
pub const MAX_TEXT: usize = 4 << 20;
/// Most steps to compile a schema, unless the options say otherwise.
pub const EFFORT: u64 = 4_000_000;

/// The kind of warning of an object that is valid only if names differ that no keyword names,
/// which its grammar does not say; a [`Validator`] does.
pub const REPEATED_NAMES: &str = "repeated-names";

/// The kind of warning of a schema that no grammar says in full: its grammar admits more
/// ([`widen`]), and whole texts are judged by a [`Validator`].
pub const WHOLE_TEXTS: &str = "whole-texts";

/// The warning of a schema in place of whose grammar any JSON value is judged.
pub fn any_value_is_judged(reason: &str) -> Diagnostic {
    let message = format!(
        "no grammar of bearable size says this, so any JSON value is judged by it, its properties \
         in any order: {reason}"
    );
    Diagnostic::warning(WHOLE_TEXTS, Place::Pointer(String::new()), message)
}

/// What one automaton may need.
const LIMITS: Limits = Limits {
    nfa_states: 1_000_000,
    dfa_states: 100_000,
};

/// In which order an object's properties may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyOrder {
    /// As declared: those of `properties` in their order, then those only named
    /// in `required`, then others.
    Declared,
    /// In any order, none of the named ones twice.
    Any,
}

/// Where white space may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhiteSpace {
    /// Nowhere.
    Compact,
    /// Each member and item on a line of its own, with so many blanks more than what
    /// it stands in, and one behind a colon; nothing in what is empty. Containers
    /// within sixteen others are empty.
    Indented(u8),
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
    pub texts: Vec<(String, String)>,
    /// The lists that `x-oneOf` may name; each is asked for somewhere.
    pub lists: Vec<(String, Vec<String>)>,
    /// Other documents that references may lead to, by their identifiers.
    pub documents: Vec<(String, String)>,
    /// Whether `format` constrains, and is an error where it cannot.
    pub assert_formats: bool,
    /// The steps that compiling may take; more are the error `too-much-work`.
    pub effort: u64,
}

impl SchemaOptions {
    /// One spelling of each value, for a model to write.
    pub fn generation() -> Self {
        Self {
            order: PropertyOrder::Declared,
            white_space: WhiteSpace::Compact,
            strings: StringSpelling::Canonical,
            numbers: NumberSpelling::Plain,
            texts: Vec::new(),
            lists: Vec::new(),
            documents: Vec::new(),
            assert_formats: false,
            effort: EFFORT,
        }
    }

    /// All spellings of each value, for judging texts from elsewhere.
    pub fn membership() -> Self {
        Self {
            order: PropertyOrder::Any,
            white_space: WhiteSpace::Any,
            strings: StringSpelling::Any,
            numbers: NumberSpelling::Any,
            texts: Vec::new(),
            lists: Vec::new(),
            documents: Vec::new(),
            assert_formats: false,
            effort: EFFORT,
        }
    }

    /// The same options with one text more that `x-spanOf` may name.
    pub fn with_text(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.texts.push((name.into(), text.into()));
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
/// let wrong = compile(r#"{"items": {"minLength": "1"}}"#, &options).unwrap_err();
/// assert_eq!(wrong.0[0].to_string(), r#"expected an integer, 0 or more (at "/items/minLength")"#);
/// ```
///
/// # Errors
/// Findings with the JSON pointers of the keywords (of a schema that is no JSON:
/// the span in its text). A schema that denies itself is one of them.
pub fn compile(schema_text: &str, options: &SchemaOptions) -> Result<Grammar, Diagnostics> {
    read(schema_text, options, Mode::Exact).map(|open| open.read.grammar)
}

/// As [`compile`], with the places of the rules.
///
/// # Errors
/// The same.
pub fn lint(schema_text: &str, options: &SchemaOptions) -> Result<Linted, Diagnostics> {
    read(schema_text, options, Mode::Exact).map(|open| open.read)
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
    read(schema_text, options, Mode::Open)
}

/// As [`lint`], but where a grammar cannot say exactly what is valid (`uniqueItems` of
/// values without number, what is too large) it admits more: what does not belong is not
/// valid, what belongs is for a [`Validator`] to judge.
///
/// ```
/// use lacuna_grammar::json_schema::{SchemaOptions, Validator, compile, widen};
/// use lacuna_grammar::recognize::recognize;
/// let (schema, options) = (r#"{"type": "array", "uniqueItems": true}"#, SchemaOptions::membership());
/// assert!(compile(schema, &options).is_err());
/// let wide = widen(schema, &options).unwrap().grammar;
/// let validator = Validator::new(schema, &options).unwrap();
/// assert!(!recognize(&wide, b"{}"));
/// assert!(recognize(&wide, b"[1, 1]") && validator.is_valid(b"[1, 1.0]") == Some(false));
/// assert!(recognize(&wide, b"[1, 2]") && validator.is_valid(b"[1, 2]") == Some(true));
/// ```
///
/// # Errors
/// As in [`compile`], but for what may admit more.
pub fn widen(schema_text: &str, options: &SchemaOptions) -> Result<Linted, Diagnostics> {
    read(schema_text, options, Mode::Wide).map(|open| open.read)
}

fn read(
    schema_text: &str,
    options: &SchemaOptions,
    mode: Mode,
) -> Result<OpenGrammar, Diagnostics> {
    let (schema, documents) = values(schema_text, options)?;
    lower::lower(&schema, &documents, options, mode)
}

/// The schema and the documents handed over with it.
fn values(
    schema_text: &str,
    options: &SchemaOptions,
) -> Result<(Json, Vec<(String, Json)>), Diagnostics> {
    if schema_text.len() > MAX_TEXT {
        let message = format!("the schema is longer than {MAX_TEXT} bytes");
        return Err(finding::error("too-large", "", message).into());
    }
    let schema = value::read(schema_text)?;
    let mut documents = Vec::new();
    for (uri, text) in &options.documents {
        let read = value::read(text).map_err(|found| {
            let message = format!(
                "the document {} cannot be read: {}",
                quoted(uri),
                found.message
            );
            finding::error(found.kind, "", message)
        });
        documents.push((uri.clone(), read?));
    }
    Ok((schema, documents))
}
