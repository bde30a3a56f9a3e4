//! Schemas that deny themselves: what their author cannot have meant.
//!
//! The schema as a whole is refused then. A part that does is warned of, and admits
//! what it says: nothing, or nothing of a type, so that whoever may do without it can.
//! Looked for in one schema only. Where schemas from several places meet and
//! nothing is left, that is what `allOf`, `not` and the like are for.

use super::document::Document;
use super::keyword::{Bound, Keyword, Node};
use super::types::Types;
use crate::quoted;

/// Why a schema by itself admits nothing of a type that it speaks of.
pub(super) fn of<'a>(node: &Node<'a>, document: &Document<'a>) -> Option<String> {
    let mut types = Types::ALL;
    for keyword in &node.keywords {
        if let Keyword::Types(named) = keyword {
            types = types.and(*named);
        }
    }
    counts(node, types)
        .or_else(|| numbers(node, types))
        .or_else(|| members(node, types, document))
        .or_else(|| values(node, types))
}

fn counts(node: &Node<'_>, types: Types) -> Option<String> {
    type Picked = Option<(u32, Option<u32>)>;
    type Pick = fn(&Keyword<'_>) -> Picked;
    let kinds: [(Types, &str, Pick); 3] = [
        (Types::ARRAY, "Items", |keyword| match keyword {
            Keyword::ItemCount(min, max) => Some((*min, *max)),
            _ => None,
        }),
        (Types::STRING, "Length", |keyword| match keyword {
            Keyword::Length(min, max) => Some((*min, *max)),
            _ => None,
        }),
        (Types::OBJECT, "Properties", |keyword| match keyword {
            Keyword::PropertyCount(min, max) => Some((*min, *max)),
            _ => None,
        }),
    ];
    for (kind, name, pick) in kinds {
        let found = node.keywords.iter().filter_map(pick);
        let (min, max) = found.fold(
            (0, None),
            |(least, most): (u32, Option<u32>), (min, max)| (least.max(min), max.or(most)),
        );
        if types.meets(kind) && max.is_some_and(|max| max < min) {
            return Some(format!("min{name} is more than max{name}"));
        }
    }
    None
}

fn numbers(node: &Node<'_>, types: Types) -> Option<String> {
    if !types.meets(Types::NUMBER) {
        return None;
    }
    let crossed = |lower: &Bound, upper: &Bound| {
        lower.value > upper.value
            || lower.value == upper.value && (lower.exclusive || upper.exclusive)
    };
    let lower: Vec<&Bound> = node.keywords.iter().filter_map(lower_bound).collect();
    let mut upper = node.keywords.iter().filter_map(upper_bound);
    let empty = upper.any(|upper| lower.iter().any(|lower| crossed(lower, upper)));
    empty.then(|| "no number is between the lower and the upper bound".to_owned())
}

fn lower_bound<'k>(keyword: &'k Keyword<'_>) -> Option<&'k Bound> {
    match keyword {
        Keyword::Lower(bound) => Some(bound),
        _ => None,
    }
}

fn upper_bound<'k>(keyword: &'k Keyword<'_>) -> Option<&'k Bound> {
    match keyword {
        Keyword::Upper(bound) => Some(bound),
        _ => None,
    }
}

fn members<'a>(node: &Node<'a>, types: Types, document: &Document<'a>) -> Option<String> {
    if !types.meets(Types::OBJECT) {
        return None;
    }
    let members = node.keywords.iter().find_map(|keyword| match keyword {
        Keyword::Members(members) => Some(members),
        _ => None,
    })?;
    let required = node.keywords.iter().find_map(|keyword| match keyword {
        Keyword::Required(names) => Some(names),
        _ => None,
    })?;
    required.iter().find_map(|name| {
        let matching = members.patterns.iter();
        let mut matching = matching.filter(|(texts, _)| texts.accepts(name));
        let decides = match members.of(name) {
            Some(schema) => Some(schema),
            None if matching.next().is_some() => None,
            None => members.additional,
        };
        let is_forbidden = decides.is_some_and(|schema| document.is_false(schema));
        is_forbidden.then(|| format!("the property {} is required and forbidden", quoted(name)))
    })
}

fn values(node: &Node<'_>, types: Types) -> Option<String> {
    let values = node.keywords.iter().find_map(|keyword| match keyword {
        Keyword::Values(values) => Some(values),
        _ => None,
    })?;
    let any = values.names.meets(types)
        || types.meets(Types::STRING) && !values.words.is_empty()
        || types.meets(Types::NUMBER) && !values.numbers.is_empty()
        || types.meets(Types::ARRAY.or(Types::OBJECT)) && !values.composites.is_empty();
    // Of an empty list it was said already.
    let is_listed = values.names != Types::NONE
        || !values.words.is_empty()
        || !values.numbers.is_empty()
        || !values.composites.is_empty();
    (!any && is_listed).then(|| "no listed value is valid beside the other keywords".to_owned())
}
