//! Long strings, which rules count: at every length near a bound, the grammar says what
//! counting says.

use lacuna_grammar::json_schema::{SchemaOptions, compile};
use lacuna_grammar::recognize::recognize;
use serde_json::json;

const BOUNDS: [(usize, Option<usize>); 10] = [
    (1, Some(101)),
    (0, Some(301)),
    (0, Some(319)),
    (0, Some(320)),
    (0, Some(1_000)),
    (299, Some(352)),
    (301, Some(301)),
    (64, Some(400)),
    (333, None),
    (1_024, Some(1_024)),
];

#[test]
fn lengths_near_the_bounds() {
    for (min, max) in BOUNDS {
        let mut schema = json!({ "type": "string", "minLength": min });
        if let Some(max) = max {
            schema["maxLength"] = json!(max);
        }
        let schema = schema.to_string();
        let near = [0, min, max.unwrap_or(min), 32, 320, 512];
        let lengths = near
            .into_iter()
            .flat_map(|at| at.saturating_sub(1)..=at + 1);
        for options in [SchemaOptions::generation(), SchemaOptions::membership()] {
            let grammar = compile(&schema, &options).unwrap();
            for length in lengths.clone() {
                // Characters of one byte, of several, and escapes.
                let text: String = (0..length).map(|at| ['a', 'é', '"'][at % 3]).collect();
                let expected = length >= min && max.is_none_or(|max| length <= max);
                let spelled = json!(text).to_string();
                let found = recognize(&grammar, spelled.as_bytes());
                assert_eq!(found, expected, "{length} characters, {min} to {max:?}");
            }
        }
    }
}

#[test]
fn lengths_that_no_text_has_are_read() {
    for length in [
        "100001",
        "2147483647",
        "4294967295",
        "9007199254740991",
        "1e300",
    ] {
        let schema = format!(r#"{{"type": "string", "maxLength": {length}}}"#);
        let grammar = compile(&schema, &SchemaOptions::generation()).unwrap();
        assert!(grammar.rules.len() < 200);
        assert!(recognize(&grammar, br#""abc""#), "{length}");
    }
    let schema = r#"{"not": {"maxLength": 4294967294}, "type": "string"}"#;
    let grammar = compile(schema, &SchemaOptions::generation()).unwrap();
    assert!(!recognize(&grammar, br#""abc""#));
}
