//! Styles of white space. Oracle for indentation: what a text's brackets, commas and
//! colons ask for, written anew by a few lines that know no grammar.

use crate::support::Sampler;
use lacuna_grammar::json_schema::{PropertyOrder, SchemaOptions, WhiteSpace, compile};
use lacuna_grammar::recognize::recognize;
use serde_json::Value;

const SCHEMAS: [&str; 9] = [
    r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "array"}}}"#,
    r#"{"type": "object", "properties": {"a": {}, "b": {"type": "object"}}, "required": ["b"]}"#,
    r#"{"type": "array", "items": {"type": "array", "items": {"type": "integer"}}, "minItems": 1}"#,
    r#"{"prefixItems": [{"type": "string"}, {"type": "object"}], "type": "array"}"#,
    r#"{"type": "array", "contains": {"const": 3}, "items": {"enum": [1, 2, 3]}}"#,
    r#"{"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": true}"#,
    r#"{"type": "object", "minProperties": 2, "properties": {"x": {"type": "null"}},
        "additionalProperties": {"type": "object", "maxProperties": 1}}"#,
    r##"{"type": "object", "properties": {"next": {"$ref": "#"}, "value": {"type": "boolean"}},
        "additionalProperties": false}"##,
    r#"{"enum": [{}, [], {"a": [1, {"b": []}]}, [[], {}]]}"#,
];

fn indented(width: u8, order: PropertyOrder) -> SchemaOptions {
    SchemaOptions {
        white_space: WhiteSpace::Indented(width),
        order,
        ..SchemaOptions::generation()
    }
}

/// A JSON text without white space, in one style of indentation.
fn indent(compact: &str, width: usize) -> String {
    let (mut text, mut depth, mut in_string, mut escaped) = (String::new(), 0, false, false);
    let mut rest = compact.chars().peekable();
    while let Some(next) = rest.next() {
        if in_string {
            text.push(next);
            in_string = escaped || next != '"';
            escaped = next == '\\' && !escaped;
            continue;
        }
        let line = |depth: usize| format!("\n{}", " ".repeat(width * depth));
        match next {
            '{' | '[' => {
                text.push(next);
                match rest.next_if(|next| matches!(next, '}' | ']')) {
                    Some(close) => text.push(close),
                    None => {
                        depth += 1;
                        text += &line(depth);
                    }
                }
            }
            '}' | ']' => {
                depth -= 1;
                text += &line(depth);
                text.push(next);
            }
            ',' => text += &(",".to_owned() + &line(depth)),
            ':' => text += ": ",
            other => {
                in_string = other == '"';
                text.push(other);
            }
        }
    }
    text
}

#[test]
fn what_is_indented_is_what_is_compact_spread_out() {
    let mut random = fastrand::Rng::with_seed(1);
    for schema in SCHEMAS {
        for order in [PropertyOrder::Declared, PropertyOrder::Any] {
            let compact = SchemaOptions {
                white_space: WhiteSpace::Compact,
                ..indented(2, order)
            };
            let compact = compile(schema, &compact).unwrap();
            for width in [1, 2, 4] {
                let spread = compile(schema, &indented(width, order)).unwrap();
                let (drawn, spread_out) = (Sampler::new(&compact), Sampler::new(&spread));
                for _ in 0..40 {
                    let text = String::from_utf8(drawn.draw(&mut random)).unwrap();
                    let text = indent(&text, width.into());
                    assert!(recognize(&spread, text.as_bytes()), "{schema}: {text}");
                    let text = String::from_utf8(spread_out.draw(&mut random)).unwrap();
                    let value: Value = serde_json::from_str(&text).unwrap();
                    let close = indent(&without_blanks(&text), width.into());
                    assert_eq!(close, text, "{schema}: {value}");
                    let compact_text = without_blanks(&text);
                    assert!(
                        recognize(&compact, compact_text.as_bytes()),
                        "{schema}: {text}"
                    );
                }
            }
        }
    }
}

/// A JSON text without the white space between its tokens.
fn without_blanks(text: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    text.chars()
        .filter(|&next| {
            let was_in_string = in_string;
            in_string = match in_string {
                true => escaped || next != '"',
                false => next == '"',
            };
            escaped = was_in_string && next == '\\' && !escaped;
            was_in_string || !next.is_whitespace()
        })
        .collect()
}

#[test]
fn containers_are_nested_so_deep_only() {
    let schema = r##"{"type": "array", "items": {"$ref": "#"}}"##;
    let grammar = compile(schema, &indented(2, PropertyOrder::Declared)).unwrap();
    let nested = |depth: usize| indent(&("[".repeat(depth) + &"]".repeat(depth)), 2);
    // The innermost is empty.
    assert!(recognize(&grammar, nested(17).as_bytes()));
    assert!(!recognize(&grammar, nested(18).as_bytes()));
}
