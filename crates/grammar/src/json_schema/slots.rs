//! Strings that are known only when something is asked: `x-spanOf`, `x-oneOf`.

use std::sync::Arc;

use super::LIMITS;
use super::document::Document;
use super::finding::{Finding, expected};
use super::keyword::Keyword;
use super::value::Json;
use crate::automaton::Language;
use crate::quoted;
use crate::slots::values::any_of;
use crate::slots::{Ask, named};
use crate::spans::spans;
use crate::{Filling, Place, Slot};

/// The strings that a list or a text of this name admits, now or later.
pub(super) fn slot<'a>(
    document: &mut Document<'a>,
    filling: Filling,
    value: &'a Json,
    ignore_case: bool,
    place: &str,
) -> Result<Keyword<'a>, Finding> {
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
        ignore_case,
    };
    if let Some(known) = document.filled.get(&ask) {
        return Ok(Keyword::Text(known.clone()));
    }
    let list = named(&document.options.lists, name);
    let text = named(&document.options.texts, name);
    let language = match (filling, list, text) {
        (Filling::List, Some(list), _) => any_of(list, ask.ignore_case, &LIMITS)?,
        (Filling::Text, _, Some(text)) => spans(text, ask.ignore_case, &LIMITS)?,
        _ if document.open => {
            let known = |slot: &Slot| slot.name == *name && slot.filling == filling;
            if !document.slots.iter().any(known) {
                document.slots.push(Slot {
                    name: name.clone(),
                    filling,
                    place: Place::Pointer(place.to_owned()),
                });
            }
            return Ok(Keyword::Ask(ask));
        }
        _ => {
            let message = format!("no {what} named {} was handed over", quoted(name));
            let kind = match filling {
                Filling::List => "unknown-list",
                _ => "unknown-text",
            };
            return Err(Finding::new(kind, message));
        }
    };
    if language.is_empty() {
        let lack = match filling {
            Filling::List => "is empty",
            _ => "has no words",
        };
        let message = format!("the {what} named {} {lack}", quoted(name));
        return Err(Finding::new("empty-slot", message));
    }
    let language = Arc::new(Language::of_utf8(language));
    document.filled.insert(ask, language.clone());
    Ok(Keyword::Text(language))
}
