//! How a JSON Schema is taken, from JavaScript.

use std::collections::BTreeMap;

use lacuna_engine::{PropertyOrder, SchemaChoices, WhiteSpace};
use serde::Deserialize;

/// `order` (`"declared"` or `"any"`), `whiteSpace` (`"compact"` or `"any"`), `indent` (a
/// number of blanks) and `documents` (texts by identifier).
#[derive(Clone, Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, Value>")]
pub(crate) struct SchemaOptions(pub SchemaChoices);

/// What a field may hold. A map of them sees unknown fields, which a struct would not.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Text(String),
    Number(f64),
    Texts(BTreeMap<String, String>),
    Nothing(()),
}

impl TryFrom<BTreeMap<String, Value>> for SchemaOptions {
    type Error = String;

    fn try_from(fields: BTreeMap<String, Value>) -> Result<Self, String> {
        let mut choices = SchemaChoices::default();
        for (field, value) in fields {
            match (field.as_str(), value) {
                (_, Value::Nothing(())) => {}
                ("order", Value::Text(order)) => {
                    choices.order = Some(match order.as_str() {
                        "declared" => PropertyOrder::Declared,
                        "any" => PropertyOrder::Any,
                        _ => return Err("schema.order is \"declared\" or \"any\"".to_owned()),
                    });
                }
                ("whiteSpace", Value::Text(blanks)) => {
                    choices.white_space = Some(match blanks.as_str() {
                        "compact" => WhiteSpace::Compact,
                        "any" => WhiteSpace::Any,
                        _ => return Err("schema.whiteSpace is \"compact\" or \"any\"".to_owned()),
                    });
                }
                ("indent", Value::Number(width)) => {
                    if !(0.0..=16.0).contains(&width) || width.fract() != 0.0 {
                        return Err("schema.indent is an integer, at most 16".to_owned());
                    }
                    choices.white_space = Some(WhiteSpace::Indented(width as u8));
                }
                ("documents", Value::Texts(documents)) => choices.documents = documents,
                ("order" | "whiteSpace" | "indent" | "documents", _) => {
                    return Err(format!("schema.{field} is of another type"));
                }
                _ => {
                    return Err(format!(
                        "schema: unknown field {field:?}; there are order, whiteSpace, indent, \
                         documents"
                    ));
                }
            }
        }
        Ok(Self(choices))
    }
}
