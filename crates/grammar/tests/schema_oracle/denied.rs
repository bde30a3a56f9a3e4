//! Schemas that are refused because they deny themselves.

use lacuna_grammar::{Diagnostic, Place};
use serde_json::Value;

/// Whether a value must be invalid if this is why a schema is refused: one of which
/// some keywords admit no value of a type, though another type may be possible; or one
/// under which nothing is valid.
pub fn excludes(found: &Diagnostic, value: &Value) -> bool {
    let is_of_the_whole = matches!(&found.place, Place::Pointer(pointer) if pointer.is_empty());
    let of_type = [
        ("minItems is more", value.is_array()),
        ("minLength is more", value.is_string()),
        ("minProperties is more", value.is_object()),
        ("no number is between", value.is_number()),
        ("is required and forbidden", value.is_object()),
    ];
    let said = of_type
        .iter()
        .find(|(said, _)| found.message.contains(said));
    match said {
        Some(&(_, is_of_type)) if is_of_the_whole => is_of_type,
        _ => true,
    }
}
