//! How a JSON Schema is taken, from JavaScript.

use lacuna_engine::{PropertyOrder, SchemaChoices, WhiteSpace};
use wasm_bindgen::prelude::*;

use crate::plain::{fields, invalid};

/// The deepest indentation.
const MOST_BLANKS: u32 = 16;

/// `order` (`"declared"` or `"any"`), `whiteSpace` (`"compact"` or `"any"`), `indent` (a
/// number of blanks), `effort` (a number of steps) and `documents` (texts by identifier).
pub(crate) fn schema_choices(object: &JsValue) -> Result<SchemaChoices, JsValue> {
    const WHAT: &str = "schema";
    let mut choices = SchemaChoices::default();
    for field in fields(object, WHAT)? {
        match field.name.as_str() {
            "order" => {
                choices.order = Some(match field.text(WHAT)?.as_str() {
                    "declared" => PropertyOrder::Declared,
                    "any" => PropertyOrder::Any,
                    _ => return Err(invalid(WHAT, "order is \"declared\" or \"any\"")),
                });
            }
            "whiteSpace" => {
                choices.white_space = Some(match field.text(WHAT)?.as_str() {
                    "compact" => WhiteSpace::Compact,
                    "any" => WhiteSpace::Any,
                    _ => return Err(invalid(WHAT, "whiteSpace is \"compact\" or \"any\"")),
                });
            }
            "indent" => {
                let blanks = field.count(WHAT, MOST_BLANKS)?;
                choices.white_space = Some(WhiteSpace::Indented(blanks as u8));
            }
            "effort" => choices.effort = Some(field.count(WHAT, u32::MAX)?),
            "documents" => choices.documents = field.texts(WHAT)?,
            _ => return Err(field.unknown(WHAT, "order, whiteSpace, indent, effort, documents")),
        }
    }
    Ok(choices)
}
