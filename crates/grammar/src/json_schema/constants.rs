//! Listed values: those of `enum` and `const`, arrays and objects among them as schemas
//! that admit just one.

use std::rc::Rc;

use super::document::{Document, step};
use super::keyword::{Items, Keyword, Members, Node, SchemaId, Values};
use super::types::Types;
use super::value::Json;

/// The schema that admits one value.
pub(super) fn constant<'a>(
    document: &mut Document<'a>,
    id: SchemaId,
    pointer: Rc<str>,
    json: &'a Json,
) -> Node<'a> {
    let keywords = match json {
        Json::Array(items) => {
            let count = items.len() as u32;
            let prefix = items
                .iter()
                .enumerate()
                .map(|(index, item)| document.constant(id, format_args!("{index}"), item))
                .collect();
            vec![
                Keyword::Types(Types::ARRAY),
                Keyword::ItemCount(count, Some(count)),
                Keyword::Items(Rc::new(Items { prefix, rest: None })),
            ]
        }
        Json::Object(members) => {
            let named: Vec<(&'a str, SchemaId)> = members
                .iter()
                .map(|(name, value)| {
                    let place = step(name);
                    let value = document.constant(id, format_args!("{place}"), value);
                    (&**name, value)
                })
                .collect();
            let names = named.iter().map(|(name, _)| *name).collect();
            let mut sorted = named.clone();
            sorted.sort_unstable();
            vec![
                Keyword::Types(Types::OBJECT),
                Keyword::Required(names),
                Keyword::Members(Rc::new(Members {
                    named,
                    sorted,
                    patterns: Vec::new(),
                    additional: Some(document.never(id)),
                })),
            ]
        }
        scalar => {
            let values = values(document, id, "", std::iter::once(scalar));
            vec![Keyword::Values(Rc::new(values))]
        }
    };
    Node {
        pointer,
        never: false,
        keywords,
    }
}

/// The values of a list, by their types.
pub(super) fn values<'a>(
    document: &mut Document<'a>,
    id: SchemaId,
    keyword: &str,
    list: impl Iterator<Item = &'a Json>,
) -> Values<'a> {
    let mut names = Types::NONE;
    let mut values = Values::default();
    let mut words: Vec<&'a str> = Vec::new();
    for (index, value) in list.enumerate() {
        match value {
            Json::Null => names = names.or(Types::NULL),
            Json::Bool(true) => names = names.or(Types::TRUE),
            Json::Bool(false) => names = names.or(Types::FALSE),
            Json::Text(text) => words.push(text),
            Json::Number(number) if values.numbers.contains(number) => {}
            Json::Number(number) => values.numbers.push(number.clone()),
            Json::Array(_) | Json::Object(_) => {
                let composite = match keyword {
                    "enum" => document.constant(id, format_args!("enum/{index}"), value),
                    other => document.constant(id, format_args!("{other}"), value),
                };
                values.composites.push(composite);
            }
        }
    }
    words.sort_unstable();
    words.dedup();
    values.names = names;
    values.words = words.into();
    values
}
