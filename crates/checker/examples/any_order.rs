//! How long it takes to decide objects of many properties in random order, as multiples
//! of what the smallest takes whole: whole, with a property twice, with members left out
//! at the front, in the middle and at the end, with all values left out, and with all
//! keys.
//!
//! `cargo run --release -p lacuna-checker --example any_order`

use std::time::{Duration, Instant};

use lacuna_checker::{Checker, CheckerLimits, Gap, Pattern, Segment, Verdict};
use lacuna_grammar::Grammar;
use lacuna_grammar::json_schema::{SchemaOptions, compile};
use serde_json::{Value, json};

const SIZES: [usize; 4] = [12, 20, 40, 64];
const ROUNDS: u32 = 5;
/// What kinds of values properties have, in turn, with one of each.
const KINDS: [(&str, &str); 5] = [
    (r#"{"type": "string"}"#, r#""x""#),
    (r#"{"type": "integer"}"#, "5"),
    (
        r#"{"type": "array", "items": {"type": "number"}}"#,
        "[1, 2.5]",
    ),
    (
        r#"{"type": "object", "additionalProperties": {"type": "boolean"}}"#,
        r#"{"a": true}"#,
    ),
    (r#"{"type": "boolean"}"#, "true"),
];

fn main() {
    let mut baseline: Option<Duration> = None;
    println!("properties | whole | one twice | members left out | values | keys");
    for size in SIZES {
        let grammar = object(size);
        let mut random = fastrand::Rng::with_seed(size as u64);
        let mut times = [Duration::ZERO; 5];
        let mut is_undecided = [false; 5];
        for _ in 0..ROUNDS {
            let mut order: Vec<usize> = (0..size).collect();
            random.shuffle(&mut order);
            for (at, (pattern, expected)) in patterns(&order).into_iter().enumerate() {
                let mut checker = Checker::new(&grammar, None, CheckerLimits::default())
                    .expect("the grammar is small");
                let start = Instant::now();
                let verdict = checker.check(&pattern).0;
                times[at] += start.elapsed();
                match verdict {
                    Verdict::Completable(_) => assert!(expected),
                    Verdict::Impossible => assert!(!expected),
                    Verdict::Exhausted { .. } => is_undecided[at] = true,
                }
            }
        }
        let unit = *baseline.get_or_insert(times[0]);
        let shown = times.iter().zip(is_undecided).map(|(time, is_undecided)| {
            let times = time.as_secs_f64() / unit.as_secs_f64();
            match is_undecided {
                true => "undecided".to_owned(),
                false => format!("{times:.1}"),
            }
        });
        let shown: Vec<String> = shown.collect();
        println!("{size} | {}", shown.join(" | "));
    }
    if let Some(unit) = baseline {
        println!("1.0 is {:?}", unit / ROUNDS);
    }
}

/// Two in three properties are required.
fn object(size: usize) -> Grammar {
    let properties: serde_json::Map<String, Value> = (0..size)
        .map(|at| {
            (
                name(at),
                serde_json::from_str(KINDS[at % 5].0).expect("a schema"),
            )
        })
        .collect();
    let required: Vec<String> = (0..size).filter(|at| at % 3 > 0).map(name).collect();
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false
    });
    compile(&schema.to_string(), &SchemaOptions::membership()).expect("a schema that is taken")
}

fn name(at: usize) -> String {
    format!("property{at}")
}

fn member(&at: &usize) -> String {
    format!(r#""{}": {}"#, name(at), KINDS[at % 5].1)
}

/// What is asked, and whether it can be completed.
fn patterns(order: &[usize]) -> [(Pattern, bool); 5] {
    let members: Vec<String> = order.iter().map(member).collect();
    let text = |text: String| Segment::Text(text.into_bytes());
    let gap = Segment::Gap(Gap::Any);
    let whole = vec![text(format!("{{ {} }}", members.join(", ")))];
    let twice = vec![text(format!(
        "{{ {}, {} }}",
        members.join(", "),
        members[2]
    ))];
    let (first, rest) = members[..members.len() / 2].split_at(members.len() / 4);
    let left_out = vec![
        text("{ ".to_owned()),
        gap.clone(),
        text(format!(", {}", first.join(", "))),
        gap.clone(),
        text(format!(", {}", rest.join(", "))),
        gap.clone(),
    ];
    let (mut values, mut keys) = (Vec::new(), Vec::new());
    for (nth, &at) in order.iter().enumerate() {
        let before = if nth == 0 { "{" } else { ", " };
        values.push(text(format!(r#"{before}"{}": "#, name(at))));
        values.push(gap.clone());
        keys.push(gap.clone());
        let behind = if nth + 1 == order.len() { "" } else { "," };
        keys.push(text(format!(": {}{behind}", KINDS[at % 5].1)));
    }
    values.push(text("}".to_owned()));
    keys.insert(0, text("{".to_owned()));
    keys.push(text("}".to_owned()));
    [
        (whole, true),
        (twice, false),
        (left_out, true),
        (values, true),
        (keys, true),
    ]
    .map(|(segments, expected)| (Pattern { segments }, expected))
}
