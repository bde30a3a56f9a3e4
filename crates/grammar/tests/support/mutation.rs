//! Values near other values, and their spellings.

use serde_json::{Number, Value, json};

/// Names of members.
pub const NAMES: [&str; 4] = ["a", "b", "c\"", "dé"];

/// A small value.
pub fn pool_value(depth: u32, rng: &mut fastrand::Rng) -> Value {
    match rng.u8(..if depth > 0 { 8 } else { 6 }) {
        0 => Value::Null,
        1 => Value::Bool(rng.bool()),
        2 => json!(rng.i32(-12..13)),
        3 => json!(rng.i32(-50..50) as f64 / 4.0),
        4 | 5 => {
            let length = rng.usize(..4);
            let pool = ['a', 'b', 'é', '"', '\\', '7', '\n', '😀', ' ', '\u{1}'];
            json!(
                (0..length)
                    .map(|_| pool[rng.usize(..pool.len())])
                    .collect::<String>()
            )
        }
        6 => json!(
            (0..rng.usize(..4))
                .map(|_| pool_value(depth - 1, rng))
                .collect::<Vec<_>>()
        ),
        _ => {
            let names = NAMES.into_iter().filter(|_| rng.bool()).collect::<Vec<_>>();
            let members = names
                .into_iter()
                .map(|name| (name.to_owned(), pool_value(depth - 1, rng)));
            Value::Object(members.collect())
        }
    }
}

/// Changes one thing somewhere in the value.
pub fn mutate(value: &mut Value, rng: &mut fastrand::Rng) {
    match value {
        Value::Array(items) if !items.is_empty() && rng.u8(..4) > 0 => {
            let at = rng.usize(..items.len());
            match rng.u8(..4) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => mutate(&mut items[at], rng),
            }
        }
        Value::Object(members) if rng.u8(..5) > 0 => {
            let at = rng.usize(..members.len() + 1);
            let name = members.keys().nth(at).cloned();
            match name {
                Some(name) if rng.u8(..3) == 0 => drop(members.remove(&name)),
                Some(name) => mutate(&mut members[&name], rng),
                None => {
                    let name = ["a", "b", "c\"", "dé", "z", ""][rng.usize(..6)];
                    members.insert(name.to_owned(), pool_value(1, rng));
                }
            }
        }
        Value::Number(number) if rng.bool() => {
            let change = [1.0, -1.0, 0.25][rng.usize(..3)];
            *value = json!(number.as_f64().unwrap_or(0.0).clamp(-1e9, 1e9).round() + change);
        }
        Value::String(text) if rng.bool() => match rng.bool() {
            true => text.push(['a', '\\', 'é', '"', '3'][rng.usize(..5)]),
            false => drop(text.pop()),
        },
        other => *other = pool_value(2, rng),
    }
}

/// One of the value's spellings, members in any order.
pub fn spell(value: &Value, rng: &mut fastrand::Rng, text: &mut String) {
    blanks(rng, text);
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                spell(item, rng, text);
            }
            blanks(rng, text);
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            rng.shuffle(&mut members);
            text.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                blanks(rng, text);
                spell_string(name, rng, text);
                blanks(rng, text);
                text.push(':');
                spell(value, rng, text);
            }
            blanks(rng, text);
            text.push('}');
        }
        Value::String(string) => spell_string(string, rng, text),
        Value::Number(number) => {
            let plain = plain(number);
            // serde_json rounds longer ones: 2000023550007029.0 is no integer to it.
            let zeros = match plain.len() < 8 && rng.u8(..6) == 0 {
                true if plain.contains('.') => "0",
                true => ".0",
                false => "",
            };
            text.push_str(&plain);
            text.push_str(zeros);
        }
        other => text.push_str(&other.to_string()),
    }
    blanks(rng, text);
}

/// A number without an exponent.
pub fn plain(number: &Number) -> String {
    let written = number.to_string();
    let Some((mantissa, exponent)) = written.split_once(['e', 'E']) else {
        return written;
    };
    let exponent: i32 = exponent.parse().expect("a small exponent");
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let point = whole.len() as i32 + exponent;
    match usize::try_from(point) {
        Ok(0) | Err(_) => {
            let zeros = "0".repeat(point.unsigned_abs() as usize);
            format!("{sign}0.{zeros}{digits}")
        }
        Ok(point) if point >= digits.len() => format!("{sign}{digits:0<point$}"),
        Ok(point) => format!("{sign}{}.{}", &digits[..point], &digits[point..]),
    }
}

fn spell_string(string: &str, rng: &mut fastrand::Rng, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        if rng.u8(..8) == 0 {
            for unit in character.encode_utf16(&mut [0; 2]) {
                text.push_str(&match rng.bool() {
                    true => format!("\\u{unit:04x}"),
                    false => format!("\\u{unit:04X}"),
                });
            }
        } else {
            let quoted = serde_json::to_string(&character).unwrap();
            text.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    text.push('"');
}

fn blanks(rng: &mut fastrand::Rng, text: &mut String) {
    if rng.u8(..10) == 0 {
        text.push_str([" ", "\n", "\t\r", "  "][rng.usize(..4)]);
    }
}
