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

/// A text of about so many characters.
type Text = fn(usize) -> String;

/// Patterns, and texts of a length that match them, by how long they are.
const PATTERNS: [(&str, Text); 7] = [
    ("^[a-z]+$", |length| "a".repeat(length)),
    ("^s3://.*$", |length| {
        format!("s3://{}", "é".repeat(length.saturating_sub(5)))
    }),
    ("https:.*", |length| {
        let end = length.saturating_sub(6);
        format!("{}https:", "h".repeat(end))
    }),
    ("^(ab|c)*$", |length| {
        format!("{}{}", "c".repeat(length % 2), "ab".repeat(length / 2))
    }),
    ("^a*-b*$", |length| {
        let end = length.saturating_sub(1);
        format!("{}-{}", "a".repeat(end / 2), "b".repeat(end - end / 2))
    }),
    (
        "^(arn:aws[a-z-]*:iam::\\d{4}:role/)?[a-z]+$",
        |length| match length.checked_sub(24) {
            None | Some(0) => "a".repeat(length),
            Some(left) => format!(
                "arn:aws{}:iam::0123:role/{}",
                "-".repeat(left / 2),
                "a".repeat(left - left / 2)
            ),
        },
    ),
    ("^[\\p{L}\\p{N}_:]*$", |length| {
        "aé".repeat(length / 2) + &"_".repeat(length % 2)
    }),
];

#[test]
fn lengths_of_what_matches() {
    for (pattern, text) in PATTERNS {
        for (min, max) in [(1, 2_048), (20, 1_600), (1_500, 1_501), (0, 10_000)] {
            let schema = json!({
                "type": "string", "pattern": pattern, "minLength": min, "maxLength": max,
            });
            let grammar = compile(&schema.to_string(), &SchemaOptions::generation()).unwrap();
            let near = [min, max, 32, 511].into_iter();
            let lengths = near.flat_map(|at: usize| at.saturating_sub(1)..=at + 1);
            for length in lengths.filter(|&length| length < 5_000) {
                let text = text(length);
                let count = text.chars().count();
                let matches = match pattern {
                    _ if pattern.ends_with("[a-z]+$") => count > 0,
                    _ => true,
                };
                let expected = matches && (min..=max).contains(&count);
                let found = recognize(&grammar, json!(text).to_string().as_bytes());
                assert_eq!(
                    found, expected,
                    "{pattern}: {count} characters, {min} to {max}"
                );
            }
            let longer = text(100) + "\n\"";
            let matches = matches!(pattern, "https:.*") && (min..=max).contains(&102);
            let found = recognize(&grammar, json!(longer).to_string().as_bytes());
            assert_eq!(found, matches, "{pattern}: {longer:?}");
        }
    }
}

/// Schemas whose patterns say how long texts are, and texts of a length with the fewest
/// characters and the most of those that are valid.
const COUNTING: [(&str, Text, usize, usize); 9] = [
    (
        r#"{"pattern": "^[a-zé]{1,900}$"}"#,
        |length| "é".repeat(length),
        1,
        900,
    ),
    (
        r#"{"pattern": "^[a-zé]{100,900}$"}"#,
        |length| "aé".repeat(length / 2) + &"a".repeat(length % 2),
        100,
        900,
    ),
    (
        r#"{"pattern": "^[A-Z][a-z\"]{1,899}:$"}"#,
        |length| format!("Q{}:", "\"".repeat(length.saturating_sub(2))),
        3,
        901,
    ),
    (
        r#"{"pattern": "^[a-z]{0,900}$", "minLength": 200, "maxLength": 1000}"#,
        |length| "q".repeat(length),
        200,
        900,
    ),
    (
        r#"{"pattern": "^[a-z]{300,900}$", "minLength": 200, "maxLength": 800}"#,
        |length| "q".repeat(length),
        300,
        800,
    ),
    (
        r#"{"allOf": [{"pattern": "^[a-z]{0,900}$"}, {"pattern": "^[^x]{20,850}$"}]}"#,
        |length| "q".repeat(length),
        20,
        850,
    ),
    (
        r#"{"pattern": "^[a-z]{0,900}$", "not": {"pattern": "^[a-z]{0,200}$"}}"#,
        |length| "q".repeat(length),
        201,
        900,
    ),
    (
        r#"{"pattern": "^([a-z]([a-z-]{0,898}[a-z])?|arn)$"}"#,
        |length| match length {
            0 | 1 => "q".repeat(length),
            length => format!("a{}z", "-".repeat(length - 2)),
        },
        1,
        900,
    ),
    (
        r#"{"pattern": "^([a-z]{1,900}|[0-9]{4,900})$"}"#,
        |length| "7".repeat(length),
        4,
        900,
    ),
];

#[test]
fn lengths_that_patterns_say() {
    for (keywords, text, min, max) in COUNTING {
        let schema = format!(r#"{{"type": "string", {}"#, &keywords[1..]);
        for options in [SchemaOptions::generation(), SchemaOptions::membership()] {
            let grammar = compile(&schema, &options).unwrap();
            let near = [0, min, max, 32, 511].into_iter();
            for length in near.flat_map(|at: usize| at.saturating_sub(1)..=at + 1) {
                let text = text(length);
                let expected = (min..=max).contains(&text.chars().count());
                let found = recognize(&grammar, json!(text).to_string().as_bytes());
                assert_eq!(found, expected, "{schema}: {} bytes", text.len());
                let other = recognize(&grammar, json!(text + "\n").to_string().as_bytes());
                assert!(!other, "{schema}");
            }
        }
    }
}
