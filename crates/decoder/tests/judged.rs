//! Under a schema that only whole texts can be judged by, whatever the model says and however
//! it is decoded, a run ends in a text whose items differ, as serde_json reads them; and it
//! replays.

use std::sync::Arc;

use lacuna_checker::{Checker, CheckerLimits, Judge, Judgement};
use lacuna_decoder::{Canvas, Event, GrammarGuard, Options, Run};
use lacuna_grammar::json_schema::{SchemaOptions, Validator, Validity, widen};
use pollster::block_on;
use serde_json::Value;

use crate::support::{ADVERSARIES, Adversary, Model, varied, vocabulary};

const STRINGS: &str = r#"{"type": "array", "items": {"type": "string", "pattern": "^[a-z]{0,3}$"},
    "minItems": 2, "uniqueItems": true}"#;
const OBJECTS: &str = r#"{"type": "array", "minItems": 2, "maxItems": 3, "uniqueItems": true, "items":
    {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0}, "b": {"type": "null"}},
     "required": ["a"], "additionalProperties": false}}"#;
const WITHIN: &str = r#"{"type": "array", "minItems": 1, "maxItems": 2, "items":
    {"type": "array", "uniqueItems": true, "minItems": 2,
     "items": {"type": ["string", "integer"], "pattern": "^[abc]*$", "minimum": 0}}}"#;

#[derive(Debug)]
struct BySchema(Validator);

impl Judge for BySchema {
    fn judge(&self, text: &[u8]) -> Judgement {
        match self.0.judge(text) {
            Validity::Valid => Judgement::Accepted,
            Validity::Unknown => Judgement::Unknown,
            Validity::Invalid { repeats } => {
                let faults = repeats.into_iter().map(|(item, first)| [item, first]);
                Judgement::Refused {
                    faults: faults.collect(),
                }
            }
        }
    }
}

/// Whether no items repeat in arrays that are nested so deep, or deeper.
fn differ(value: &Value, depth: usize) -> bool {
    let Value::Array(items) = value else {
        return true;
    };
    let mut pairs = (0..items.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let here = depth > 0 || pairs.all(|(a, b)| items[a] != items[b]);
    here && items
        .iter()
        .all(|item| differ(item, depth.saturating_sub(1)))
}

fn run(schema: &str, adversary: Adversary, options: &Options) -> (Vec<Event>, Vec<u8>) {
    let vocabulary = vocabulary();
    let schema_options = SchemaOptions::generation();
    let wide = widen(schema, &schema_options).expect("a grammar").grammar;
    let validator = Validator::new(schema, &schema_options).expect("a schema");
    let limits = CheckerLimits::default();
    let checker = Checker::new(&wide, Some(Arc::clone(&vocabulary)), limits);
    let judge: Arc<dyn Judge> = Arc::new(BySchema(validator));
    let checker = checker.expect("a checker").judged_by(Some(judge));
    let guard = GrammarGuard::new(checker, Arc::clone(&vocabulary));
    let mut run = Run::with_guard(
        Model::new(adversary, Arc::clone(&vocabulary)),
        vocabulary,
        Canvas::masked(options.length),
        Box::new(guard),
        options.clone(),
        Box::new(|| 0.0),
    )
    .unwrap_or_else(|error| panic!("{schema}: {error}"));
    let mut events = Vec::new();
    for _ in 0..=run.options().steps {
        events.extend(block_on(run.step()).expect("a step"));
        if let Some(Event::Done { text, .. }) = events.last() {
            let text = text.clone();
            return (events, text);
        }
    }
    panic!(
        "{schema}, {adversary:?}: no end in {} steps",
        run.options().steps
    )
}

#[test]
fn items_differ_whatever_the_model_says() {
    for (schema, depth) in [(STRINGS, 0), (OBJECTS, 0), (WITHIN, 1)] {
        for index in 0..60 {
            let adversary = ADVERSARIES[index % ADVERSARIES.len()];
            let options = Options {
                length: 24,
                ..varied(index)
            };
            let (events, text) = run(schema, adversary, &options);
            let shown = String::from_utf8_lossy(&text);
            let value: Value = serde_json::from_slice(&text)
                .unwrap_or_else(|error| panic!("{adversary:?}, {options:?}: {error}: {shown}"));
            assert!(differ(&value, depth), "{adversary:?}, {options:?}: {shown}");
            assert_eq!(run(schema, adversary, &options).0, events, "{options:?}");
        }
    }
}
