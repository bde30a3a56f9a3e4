//! `format`, where it is to be asserted.

use std::sync::Arc;

use super::draft::Draft;
use super::finding::{Finding, expected};
use super::value::Json;
use super::{LIMITS, SchemaOptions};
use crate::automaton::Dfa;
use crate::regex;

/// The strings that a format admits; `None` where it is an annotation.
pub(super) fn asserted(
    options: &SchemaOptions,
    _draft: Draft,
    value: &Json,
) -> Result<Option<Arc<Dfa>>, Finding> {
    let Json::Text(name) = value else {
        return Err(expected("a string"));
    };
    if !options.assert_formats {
        return Ok(None);
    }
    let Some(pattern) = pattern(name) else {
        let message = format!("the format {name:?} cannot be asserted");
        return Err(Finding::new("unsupported-format", message));
    };
    let texts = regex::parse_ecma_search(&pattern)?;
    Ok(Some(Arc::new(Dfa::from_expr(&texts, &LIMITS)?)))
}

fn pattern(_name: &str) -> Option<String> {
    None
}
