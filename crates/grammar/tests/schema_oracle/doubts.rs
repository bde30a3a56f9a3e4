//! Strings over which formats are not compared, since the outside validator takes more
//! than the format's RFC, or the grammars less, as the documentation says.

use serde_json::Value;

/// Whether there is such a string in a value.
pub fn has_doubtful_string(value: &Value) -> bool {
    match value {
        Value::String(string) => is_doubtful(string),
        Value::Array(items) => items.iter().any(has_doubtful_string),
        Value::Object(members) => {
            let mut members = members.iter();
            members.any(|(key, value)| is_doubtful(key) || has_doubtful_string(value))
        }
        _ => false,
    }
}

fn is_doubtful(string: &str) -> bool {
    // To it `2020-+1-01` is a date: what it takes for a number may have a sign.
    let has_sign = ["-+", ":+"].iter().any(|sign| string.contains(sign)) || string.starts_with('+');
    // To it the name of a host may end with a dot, and P1Y1D is a duration.
    let skips_unit = string.split('T').any(|part| {
        let has = |unit| part.contains(unit);
        !has('M') && (has('Y') && has('D') || has('H') && has('S'))
    });
    let is_taken_outside = has_sign || string.ends_with('.') || skips_unit;
    let is_left_out = string.contains(":60")
        || string.contains("--")
        || string.contains("\"@")
        || string.contains("@[")
        || string.contains("[v")
        || string.contains("[V");
    is_taken_outside || is_left_out
}
