//! What is handed over beside a grammar's text, from JavaScript.

use lacuna_engine::{Dialect, GrammarSource, Purpose, SchemaChoices};
use wasm_bindgen::prelude::*;

use crate::crossing::thrown;
use crate::plain::fields;
use crate::schema_options::schema_choices;

/// `texts` and `lists` (for `x-spanOf`, `x-oneOf` and `%slot`), `maxDepth`, `matching`,
/// `schema`, and `writing`.
#[derive(Default)]
struct CompileOptions {
    texts: Vec<(String, String)>,
    lists: Vec<(String, Vec<String>)>,
    max_depth: Option<u32>,
    matching: Option<String>,
    schema: SchemaChoices,
    /// Compile as for writing: declared order of properties, compact.
    writing: bool,
}

impl CompileOptions {
    fn read(object: &JsValue) -> Result<Self, JsValue> {
        const WHAT: &str = "options";
        let mut options = Self::default();
        for field in fields(object, WHAT)? {
            match field.name.as_str() {
                "texts" => options.texts = field.texts(WHAT)?,
                "lists" => options.lists = field.lists(WHAT)?,
                "maxDepth" => options.max_depth = Some(field.count(WHAT, u32::MAX)?),
                "matching" => options.matching = Some(field.text(WHAT)?),
                "schema" => options.schema = schema_choices(&field.value)?,
                "writing" => options.writing = field.flag(WHAT)?,
                _ => {
                    let known = "texts, lists, maxDepth, matching, schema, writing";
                    return Err(field.unknown(WHAT, known));
                }
            }
        }
        Ok(options)
    }
}

/// A grammar's text with what was handed over beside it, and what it is for.
pub(crate) fn grammar_source(
    kind: &str,
    text: &str,
    options: &JsValue,
) -> Result<(GrammarSource, Purpose), JsValue> {
    let options = CompileOptions::read(options)?;
    let source = GrammarSource {
        dialect: Dialect::of_name(kind).map_err(thrown)?,
        text: text.to_owned(),
        texts: options.texts,
        lists: options.lists,
        max_depth: options.max_depth,
        matching: options.matching,
        schema: options.schema,
    };
    let purpose = match options.writing {
        true => Purpose::Writing,
        false => Purpose::Judging,
    };
    Ok((source, purpose))
}
