//! Random schemas and instances: what the compiled grammars say, an outside
//! validator says too, and so does the one for what grammars cannot say; and what a
//! generation grammar derives is valid and belongs to the membership grammar.

#[path = "support/keys.rs"]
mod keys;
#[path = "support/mutation.rs"]
mod mutation;
#[path = "support/outside.rs"]
mod outside;
mod support;

use std::collections::BTreeMap;

use lacuna_grammar::json_schema::{SchemaOptions, Validator, compile, widen};
use lacuna_grammar::recognize::recognize;
use mutation::{NAMES, mutate, pool_value, spell};
use outside::Outside;
use serde_json::{Map, Value, json};
use support::Sampler;

/// Random schemas; the environment variable `LACUNA_SCHEMAS` asks for more.
const SCHEMAS: u64 = 4_000;
const INSTANCES: usize = 12;

#[test]
fn agrees_with_an_outside_validator() {
    let asked = std::env::var("LACUNA_SCHEMAS")
        .ok()
        .and_then(|number| number.parse().ok());
    let schemas: u64 = asked.unwrap_or(SCHEMAS);
    let (mut valid, mut invalid, mut left_out) = (0, 0, 0);
    let mut refusals: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut widened, mut untold) = (0, 0);
    for seed in 0..schemas {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let schema = root_schema(rng);
        let text = schema.to_string();
        let both = [SchemaOptions::membership(), SchemaOptions::generation()];
        let exact = both.each_ref().map(|options| compile(&text, options));
        let wide = exact.iter().any(Result::is_err);
        let grammars = match wide {
            true => both
                .each_ref()
                .map(|options| Ok(widen(&text, options)?.grammar)),
            false => exact,
        };
        let (membership, generation) = match grammars {
            [Ok(membership), Ok(generation)] => (membership, generation),
            [Err(found), _] | [_, Err(found)] => {
                *refusals.entry(found.0[0].kind).or_default() += 1;
                continue;
            }
        };
        widened += u64::from(wide);
        let validator = Validator::new(&text, &SchemaOptions::membership()).unwrap();
        let judge = Outside::new(&schema, [], false);
        let judge = judge.unwrap_or_else(|error| panic!("{schema}: {error}"));
        let sampler = Sampler::new(&generation);
        for _ in 0..INSTANCES {
            let drawn = sampler.draw(rng);
            let shown = String::from_utf8_lossy(&drawn);
            let value: Value = serde_json::from_slice(&drawn).expect(&shown);
            // Names that nobody names may repeat, which the documentation says.
            // Of long numbers the validator sees sixteen digits.
            if keys::repeats_a_key(&drawn) || support::has_long_number(&drawn) {
                left_out += 1;
                continue;
            }
            assert!(
                wide || judge.is_valid(&value),
                "seed {seed}, {text} generates {shown}"
            );
            assert!(
                recognize(&generation, &drawn),
                "seed {seed}, {text} loses {shown}"
            );
            let mut value = value;
            for _ in 0..rng.u8(..3) {
                mutate(&mut value, rng);
            }
            let mut spelled = String::new();
            spell(&value, rng, &mut spelled);
            let reread: Value = serde_json::from_str(&spelled).expect(&spelled);
            let expected = judge.is_valid(&reread);
            let found = recognize(&membership, spelled.as_bytes());
            assert!(
                found == expected || wide && found,
                "seed {seed}, {text} and {spelled}"
            );
            // It looks at parts that the grammar has no use for, and some have no meaning.
            match validator.is_valid(spelled.as_bytes()) {
                Some(told) => assert_eq!(told, expected, "seed {seed}, {text} and {spelled}"),
                None => untold += 1,
            }
            *(if expected { &mut valid } else { &mut invalid }) += 1;
        }
    }
    let refused: u64 = refusals.values().sum();
    println!(
        "{valid} valid, {invalid} invalid, {left_out} left out; of {schemas} {widened} for \
         whole texts only, {refused} refused: {refusals:?}; {untold} not told"
    );
    let judged = valid + invalid;
    assert!(untold * 100 < judged, "{untold} of {judged} not told");
    assert!(
        valid * 10 > judged * 3 && invalid * 10 > judged * 3,
        "{valid} and {invalid}"
    );
    assert!(refused < schemas / 2, "{refused} refused");
}

fn root_schema(rng: &mut fastrand::Rng) -> Value {
    let mut root = schema(3, rng);
    if let Value::Object(members) = &mut root {
        let definitions = json!({ "x": schema(1, rng), "y": schema(2, rng) });
        members.insert("$defs".to_owned(), definitions);
    } else {
        root = json!({ "$ref": "#/$defs/x", "$defs": { "x": { "type": "null" } } });
    }
    root
}

fn schema(depth: u32, rng: &mut fastrand::Rng) -> Value {
    if rng.u8(..12) == 0 {
        return Value::Bool(rng.u8(..4) > 0);
    }
    let mut keywords = Map::new();
    let kinds = [
        "null", "boolean", "integer", "number", "string", "array", "object", "object",
    ];
    let kind = kinds[rng.usize(..kinds.len())];
    match rng.u8(..8) {
        0 => {}
        1 => {
            let other = kinds[rng.usize(..kinds.len() - 1)];
            let types = if other == kind {
                json!([kind])
            } else {
                json!([kind, other])
            };
            keywords.insert("type".into(), types);
        }
        _ => {
            keywords.insert("type".into(), json!(kind));
        }
    }
    for _ in 0..rng.u8(1..4) {
        let foreign = rng.u8(..8) == 0;
        let kind = if foreign {
            kinds[rng.usize(..kinds.len())]
        } else {
            kind
        };
        if let Some((keyword, value)) = keyword(kind, depth, rng) {
            keywords.insert(keyword.to_owned(), value);
        }
    }
    applicators(depth, rng, &mut keywords);
    Value::Object(keywords)
}

/// Keywords that hold schemas for the same value, and those that only stand
/// beside others.
fn applicators(depth: u32, rng: &mut fastrand::Rng, keywords: &mut Map<String, Value>) {
    let deeper = depth.saturating_sub(1);
    if depth > 0 && rng.u8(..5) == 0 {
        match rng.u8(..5) {
            0 => {
                keywords.insert("not".into(), schema(deeper, rng));
            }
            1 => {
                let branches: Vec<Value> =
                    (0..rng.usize(1..4)).map(|_| schema(deeper, rng)).collect();
                keywords.insert("oneOf".into(), json!(branches));
            }
            2 => {
                keywords.insert("if".into(), schema(deeper, rng));
                if rng.u8(..3) > 0 {
                    keywords.insert("then".into(), schema(deeper, rng));
                }
                if rng.u8(..3) > 0 {
                    keywords.insert("else".into(), schema(deeper, rng));
                }
            }
            3 => {
                keywords.insert("unevaluatedProperties".into(), schema(0, rng));
            }
            _ => {
                keywords.insert("unevaluatedItems".into(), schema(0, rng));
            }
        }
    }
}

fn keyword(kind: &str, depth: u32, rng: &mut fastrand::Rng) -> Option<(&'static str, Value)> {
    let deeper = depth.saturating_sub(1);
    let choice = rng.u8(..10);
    if depth > 0 && choice == 0 {
        let branches: Vec<Value> = (0..rng.usize(1..4)).map(|_| schema(deeper, rng)).collect();
        return Some((
            if rng.u8(..3) == 0 { "allOf" } else { "anyOf" },
            json!(branches),
        ));
    }
    if choice == 1 && rng.bool() {
        let values: Vec<Value> = (0..rng.usize(1..5)).map(|_| pool_value(2, rng)).collect();
        return Some(match rng.u8(..4) {
            0 => ("const", values[0].clone()),
            _ => ("enum", json!(values)),
        });
    }
    if depth > 0 && choice == 2 {
        let target = ["#/$defs/x", "#/$defs/y", "#"][rng.usize(..3)];
        return Some(("$ref", json!(target)));
    }
    let names = |rng: &mut fastrand::Rng| -> Vec<&str> {
        NAMES.into_iter().filter(|_| rng.u8(..3) == 0).collect()
    };
    Some(match (kind, rng.u8(..10)) {
        ("integer" | "number", 8..) => (
            "multipleOf",
            [json!(2), json!(3), json!(0.25), json!(1.5)][rng.usize(..4)].clone(),
        ),
        ("integer" | "number", which) => {
            let bound = match rng.u8(..4) {
                0 => json!(rng.i32(-30..30) as f64 / 4.0),
                _ => json!(rng.i32(-12..12)),
            };
            (
                ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"][which as usize % 4],
                bound,
            )
        }
        ("string", 0..3) => ("minLength", json!(rng.u8(..3))),
        ("string", 3..6) => ("maxLength", json!(rng.u8(1..5))),
        ("string", _) => ("pattern", json!(pattern(rng))),
        ("array", 0) => ("minItems", json!(rng.u8(..3))),
        ("array", 1) => ("maxItems", json!(rng.u8(1..4))),
        ("array", 2..4) => {
            let schemas: Vec<Value> = (0..rng.usize(1..3)).map(|_| schema(deeper, rng)).collect();
            ("prefixItems", json!(schemas))
        }
        ("array", 4) => ("contains", schema(deeper, rng)),
        ("array", 5) => {
            let bounds = ["minContains", "maxContains"];
            (bounds[rng.usize(..2)], json!(rng.u8(..3)))
        }
        ("array", 6) if rng.bool() => ("uniqueItems", json!(true)),
        ("array", _) => ("items", schema(deeper, rng)),
        ("object", 0) => ("required", json!(names(rng))),
        ("object", 1) => {
            let additional = if rng.bool() {
                json!(false)
            } else {
                schema(deeper, rng)
            };
            ("additionalProperties", additional)
        }
        ("object", 2) => {
            let schemas = (0..rng.usize(1..3)).map(|_| (pattern(rng), schema(deeper, rng)));
            let schemas = schemas.map(|(pattern, schema)| (pattern.to_owned(), schema));
            ("patternProperties", Value::Object(schemas.collect()))
        }
        ("object", 3) => {
            let names = match rng.u8(..3) {
                0 => json!({ "maxLength": rng.u8(1..4) }),
                1 => json!({ "pattern": pattern(rng) }),
                _ => json!({ "enum": NAMES }),
            };
            ("propertyNames", names)
        }
        ("object", 4) => match rng.bool() {
            true => ("minProperties", json!(rng.u8(..3))),
            false => ("maxProperties", json!(rng.u8(..4))),
        },
        ("object", 5) => match rng.bool() {
            true => {
                let needed = names(rng);
                (
                    "dependentRequired",
                    json!({ NAMES[rng.usize(..4)]: needed }),
                )
            }
            false => {
                let schema = schema(deeper, rng);
                ("dependentSchemas", json!({ NAMES[rng.usize(..4)]: schema }))
            }
        },
        ("object", _) => {
            let names = NAMES.into_iter().filter(|_| rng.bool()).collect::<Vec<_>>();
            let members = names
                .into_iter()
                .map(|name| (name.to_owned(), schema(deeper, rng)));
            ("properties", Value::Object(members.collect()))
        }
        _ => return None,
    })
}

/// Without `\s`, of which the validator knows a few blanks only.
fn pattern(rng: &mut fastrand::Rng) -> &'static str {
    const PATTERNS: [&str; 7] = [
        "a",
        "^[a-c]*$",
        "é|\\d",
        "^[^c]b?",
        "[^\\w]$",
        "^(a|\"|\\\\)+$",
        " |\n",
    ];
    PATTERNS[rng.usize(..PATTERNS.len())]
}
