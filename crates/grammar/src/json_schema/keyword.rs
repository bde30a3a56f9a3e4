//! The keywords of a schema, typed: each says one thing about a value, by
//! itself, and can be denied by itself.

use std::rc::Rc;
use std::sync::Arc;

use super::decimal::Decimal;
use super::types::Types;
use crate::automaton::Language;
use crate::slots::Ask;

/// Index of a schema in its [`super::document::Document`].
pub(super) type SchemaId = u32;

/// The end of a range of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    pub value: Decimal,
    /// Whether `value` itself is outside.
    pub exclusive: bool,
}

/// The values of `enum` or `const`.
#[derive(Debug, Default)]
pub(super) struct Values<'a> {
    /// `null`, `true`, `false`.
    pub names: Types,
    /// Sorted.
    pub words: Rc<[&'a str]>,
    pub numbers: Vec<Decimal>,
    /// Arrays and objects, as schemas that admit one value.
    pub composites: Vec<SchemaId>,
}

/// `prefixItems` and `items`, under whatever names the draft has for them.
#[derive(Debug)]
pub(super) struct Items {
    pub prefix: Vec<SchemaId>,
    pub rest: Option<SchemaId>,
}

/// `properties`, `patternProperties` and `additionalProperties`.
#[derive(Debug, Default)]
pub(super) struct Members<'a> {
    pub named: Vec<(&'a str, SchemaId)>,
    /// Sorted by name, for search.
    pub sorted: Vec<(&'a str, SchemaId)>,
    pub patterns: Vec<(Arc<Language>, SchemaId)>,
    pub additional: Option<SchemaId>,
}

impl Members<'_> {
    /// The schema of a name in `properties`.
    pub(super) fn of(&self, name: &str) -> Option<SchemaId> {
        let found = self
            .sorted
            .binary_search_by(|(known, _)| (*known).cmp(name));
        found.ok().map(|at| self.sorted[at].1)
    }
}

/// One thing that a schema says about a value.
#[derive(Debug)]
pub(super) enum Keyword<'a> {
    /// The value is of one of these types.
    Types(Types),
    /// An integer is written without a point (draft 4).
    WithoutPoint,
    Values(Rc<Values<'a>>),
    Lower(Bound),
    Upper(Bound),
    Multiple(Decimal),
    Length(u32, Option<u32>),
    /// A language of decoded texts.
    Text(Arc<Language>),
    /// A slot still open.
    Ask(Ask),
    ItemCount(u32, Option<u32>),
    Items(Rc<Items>),
    Contains {
        schema: SchemaId,
        min: u32,
        max: Option<u32>,
        /// Whether what it finds counts as evaluated.
        evaluates: bool,
    },
    Unique,
    PropertyCount(u32, Option<u32>),
    Members(Rc<Members<'a>>),
    Required(Vec<&'a str>),
    Names(SchemaId),
    DependentNames(&'a str, Vec<&'a str>),
    DependentSchema(&'a str, SchemaId),
    UnevaluatedItems(SchemaId),
    UnevaluatedProperties(SchemaId),
    All(Vec<SchemaId>),
    Any(Vec<SchemaId>),
    One(Vec<SchemaId>),
    Not(SchemaId),
    If {
        condition: SchemaId,
        then: Option<SchemaId>,
        otherwise: Option<SchemaId>,
    },
    /// `$ref` and what is like it.
    Same(SchemaId),
}

impl Keyword<'_> {
    /// Schemas that speak of the same value.
    pub(super) fn in_place(&self) -> Vec<SchemaId> {
        match self {
            Keyword::All(list) | Keyword::Any(list) | Keyword::One(list) => list.clone(),
            Keyword::Not(schema) | Keyword::Same(schema) | Keyword::DependentSchema(_, schema) => {
                vec![*schema]
            }
            Keyword::If {
                condition,
                then,
                otherwise,
            } => {
                let branches = [Some(*condition), *then, *otherwise];
                branches.into_iter().flatten().collect()
            }
            Keyword::Values(values) => values.composites.clone(),
            _ => Vec::new(),
        }
    }
}

/// One schema, its keywords checked.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// As in [`crate::Place::Pointer`].
    pub pointer: Rc<str>,
    /// The schema is `false`.
    pub never: bool,
    pub keywords: Vec<Keyword<'a>>,
}

impl Node<'_> {
    /// Whether it needs to know which members or items others speak of.
    pub(super) fn asks_what_is_evaluated(&self) -> bool {
        self.keywords.iter().any(|keyword| {
            matches!(
                keyword,
                Keyword::UnevaluatedItems(_) | Keyword::UnevaluatedProperties(_)
            )
        })
    }
}
