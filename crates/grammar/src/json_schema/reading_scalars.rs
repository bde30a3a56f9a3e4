//! Reads the keywords that speak of a value as a whole: types, lists, bounds, patterns.

use std::rc::Rc;
use std::sync::Arc;

use super::constants::values;
use super::draft::Draft;
use super::finding::{Finding, expected};
use super::impossible::KIND;
use super::keyword::{Bound, Keyword, Values};
use super::reading::{NAME_THE_DRAFT, Reader, text};
use super::types::Types;
use super::value::Json;
use crate::automaton::{Language, SHORTCUTS, Uncounted};
use crate::quoted;
use crate::regex::{self, Searched};

impl<'a> Reader<'_, 'a> {
    pub(super) fn types(&mut self, value: &Json) -> Result<(), Finding> {
        let one = |value: &Json| {
            let name = text(value).map_err(|_| expected("a type's name"))?;
            Types::named(name).ok_or_else(|| {
                Finding::new("bad-keyword", format!("there is no type {}", quoted(name)))
            })
        };
        let types = match value {
            Json::Array(list) if list.is_empty() => {
                let message = "an empty list of types admits nothing";
                return Err(Finding::new(KIND, message));
            }
            Json::Array(list) => {
                let mut types = Types::NONE;
                for value in list {
                    types = types.or(one(value)?);
                }
                types
            }
            value => one(value)?,
        };
        self.keywords.push(Keyword::Types(types));
        let whole = types.meets(Types::INTEGER) && !types.meets(Types::FRACTION);
        if whole && self.draft == Draft::Four {
            self.keywords.push(Keyword::WithoutPoint);
        }
        Ok(())
    }

    pub(super) fn values(
        &mut self,
        keyword: &str,
        value: &'a Json,
    ) -> Result<Keyword<'a>, Finding> {
        let (document, id) = (&mut *self.document, self.id);
        let values = match (keyword, value) {
            ("const", value) => values(document, id, keyword, std::iter::once(value)),
            (_, Json::Array(list)) if list.is_empty() => {
                let place = format!("{}/{keyword}", document.pointer(id));
                document.deny(id, &place, "an empty list admits nothing");
                Values::default()
            }
            (_, Json::Array(list)) => values(document, id, keyword, list.iter()),
            _ => return Err(expected("an array")),
        };
        Ok(Keyword::Values(Rc::new(values)))
    }

    pub(super) fn bound(&mut self, keyword: &str, value: &Json) -> Result<(), Finding> {
        let is_lower = keyword.ends_with("inimum");
        let is_exclusive = keyword.starts_with("exclusive");
        let exclusive = match (value, self.draft) {
            // In draft 4 the exclusive forms are flags beside the others.
            (Json::Bool(_), Draft::Four) if is_exclusive => return Ok(()),
            (Json::Number(_), Draft::Four) if is_exclusive => {
                return Err(expected("true or false").with_note(NAME_THE_DRAFT));
            }
            (Json::Bool(_), _) if is_exclusive => {
                return Err(expected("a number").with_note(NAME_THE_DRAFT));
            }
            (Json::Number(_), Draft::Four) => {
                let flag = match is_lower {
                    true => "exclusiveMinimum",
                    false => "exclusiveMaximum",
                };
                self.json.get(flag) == Some(&Json::Bool(true))
            }
            _ => is_exclusive,
        };
        let Json::Number(value) = value else {
            return Err(expected("a number"));
        };
        let bound = Bound {
            value: value.clone(),
            exclusive,
        };
        self.keywords.push(match is_lower {
            true => Keyword::Lower(bound),
            false => Keyword::Upper(bound),
        });
        Ok(())
    }

    pub(super) fn pattern(&mut self, pattern: &'a str) -> Result<Arc<Language>, Finding> {
        if let Some(known) = self.document.patterns.get(pattern) {
            return Ok(known.clone());
        }
        let searched = regex::search(pattern)?;
        let texts = Arc::new(match &searched {
            Searched::Plain(expr) => Language::of_expr(expr, &super::LIMITS)?,
            Searched::Looking(texts) => texts.clone(),
        });
        if SHORTCUTS
            && let Searched::Plain(expr) = &searched
            && let Some(Uncounted { expr, bounds }) = Uncounted::of(expr)
        {
            let of_any_length = Arc::new(Language::of_expr(&expr, &super::LIMITS)?);
            let address = Arc::as_ptr(&texts) as usize;
            let uncounted = (of_any_length, bounds);
            self.document.uncounted.insert(address, uncounted);
        }
        self.document.patterns.insert(pattern, texts.clone());
        Ok(texts)
    }
}
