//! Schemas that no grammar says in full, to write by: their grammars admit more, whole texts are
//! judged, and whoever asks for what is not known exactly is told so.

use std::sync::Arc;

use lacuna_engine::cache::Origin;
use lacuna_engine::{Dialect, GrammarCache, GrammarSession, GrammarSource, Purpose};
use lacuna_grammar::json_schema::{PropertyOrder, SchemaOptions, Validator};
use lacuna_lexer::Vocabulary;

const NAMES: &str = r#"{"type": "object", "properties": {"names": {"type": "array", "minItems": 2,
    "items": {"type": "string", "pattern": "^[ab]*$"}, "uniqueItems": true}},
    "required": ["names"], "additionalProperties": false}"#;

fn source(schema: &str) -> GrammarSource {
    GrammarSource::new(Dialect::JsonSchema, schema)
}

/// Each byte a token, behind an end and a mask.
fn vocabulary() -> Arc<Vocabulary> {
    let bytes = (0..=u8::MAX).map(|byte| Some(vec![byte]));
    let tokens = [None, None].into_iter().chain(bytes).collect();
    Arc::new(Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary"))
}

fn session() -> GrammarSession {
    let vocabulary = vocabulary();
    let cache = GrammarCache::default();
    let found = cache.compile(&source(NAMES), Purpose::Writing, Some(&vocabulary), false);
    found.expect("a grammar").grammar.session(Some(vocabulary))
}

/// The same with tokens that hold what separates items.
fn vocabulary_of_separators() -> Arc<Vocabulary> {
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let longer = [
        r#"[{""#, r#"{""#, r#"":"#, r#"},{""#, "},", "}]", "00", "12",
    ];
    let longer = longer.map(|text| text.as_bytes().to_vec());
    let tokens = bytes.chain(longer).map(Some);
    let tokens = [None, None].into_iter().chain(tokens).collect();
    Arc::new(Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary"))
}

fn cells(text: &str, masked: usize) -> Vec<Option<u32>> {
    let text = text.bytes().map(|byte| Some(u32::from(byte) + 2));
    text.chain(std::iter::repeat_n(None, masked)).collect()
}

#[test]
fn what_is_judged_is_said_and_kept_in_memory() {
    let cache = GrammarCache::default();
    let vocabulary = vocabulary();
    let compile =
        |schema: &str| cache.compile(&source(schema), Purpose::Writing, Some(&vocabulary), true);
    let found = compile(NAMES).expect("a grammar that admits more");
    assert!(found.grammar.is_judged());
    assert_eq!(found.origin, Origin::Compiled);
    let warnings = &found.grammar.lints().warnings;
    let places: Vec<_> = warnings
        .iter()
        .map(|warning| (&*warning.kind, warning.pointer.as_deref()))
        .collect();
    assert_eq!(
        places,
        [("whole-texts", Some("/properties/names/uniqueItems"))]
    );
    assert_eq!(
        compile(NAMES).expect("the same").origin,
        Origin::Memory,
        "it is compiled once"
    );
    let plain = compile(r#"{"type": "array", "items": {"type": "string"}}"#);
    assert!(!plain.expect("a grammar").grammar.is_judged());
}

#[test]
fn what_is_refused_for_another_reason_stays_refused() {
    let cache = GrammarCache::default();
    for (schema, kind) in [
        (
            r#"{"type": "array", "uniqueItems": true, "minItems": 3, "maxItems": 2}"#,
            "impossible-schema",
        ),
        (
            r#"{"type": "array", "uniqueItems": true, "items": {"pattern": "("}}"#,
            "syntax",
        ),
        (
            r##"{"type": "array", "uniqueItems": true, "items": {"$ref": "#/nowhere"}}"##,
            "unknown-reference",
        ),
    ] {
        let fault = cache.compile(&source(schema), Purpose::Writing, None, true);
        let fault = fault.expect_err(schema);
        let kinds: Vec<_> = fault.diagnostics.iter().map(|it| &*it.kind).collect();
        assert!(kinds.contains(&kind), "{schema}: {kinds:?}");
    }
}

/// What a schema's first warning of whole texts says, and whether its second text is refused.
fn warned(schema: &str, purpose: Purpose, order: PropertyOrder, [yes, no]: [&str; 2]) -> String {
    let mut source = source(schema);
    source.schema.order = Some(order);
    let found = GrammarCache::default().compile(&source, purpose, None, true);
    let grammar = found.expect(schema).grammar;
    assert!(grammar.is_judged(), "{schema}");
    let mut session = grammar.session(None);
    for (text, is_valid) in [(yes, true), (no, false)] {
        let answer = session.check(&[Some(text.as_bytes().to_vec())], None);
        assert_eq!(answer.expect(text).completable, is_valid, "{text}");
    }
    let mut warnings = grammar.warnings().iter();
    let warning = warnings.find(|it| it.kind == "whole-texts");
    warning.expect("a warning").message.clone()
}

#[test]
fn a_warning_says_where_properties_may_stand_in_any_order() {
    let [yes, no] = [r#"{"b0":"b","a0":"a"}"#, r#"{"b0":"b","a0":"b"}"#];
    // Either of two, thirteen times: there are too many cases, so any object is judged.
    let either = |it| {
        format!(
            r#"{{"anyOf": [{{"properties": {{"a{it}": {{"const": "a"}}}}}},
                {{"properties": {{"b{it}": {{"const": "a"}}}}}}]}}"#
        )
    };
    let either: Vec<_> = (0..13).map(either).collect();
    let all = either.join(", ");
    let cases = format!(r#"{{"type": "object", "minProperties": 1, "allOf": [{all}]}}"#);
    let said = |schema, purpose, order| warned(schema, purpose, order, [yes, no]);
    let in_any_order = "properties stand in any order";
    let declared = said(&cases, Purpose::Writing, PropertyOrder::Declared);
    assert!(declared.contains(in_any_order), "{declared}");
    let any = said(&cases, Purpose::Judging, PropertyOrder::Any);
    assert!(!any.contains(in_any_order), "{any}");
}

/// Each pattern has an automaton, and what may stand for all of them none of bearable size.
#[test]
fn any_value_is_judged_where_no_grammar_is_of_bearable_size() {
    let patterns = ["a", "b", "c", "d"];
    let pattern = |it| format!(r#"{{"type": "string", "pattern": "^[a-h]*{it}[a-h]{{13}}$"}}"#);
    let items = patterns.map(pattern).join(", ");
    let schema = format!(r#"{{"additionalProperties": {{"items": {{"anyOf": [{items}]}}}}}}"#);
    let texts = [r#"{"x":["abbbbbbbbbbbbb"]}"#, r#"{"x":["abbb"]}"#];
    let said = warned(&schema, Purpose::Judging, PropertyOrder::Any, texts);
    assert!(said.contains("any JSON value is judged"), "{said}");
    let cache = GrammarCache::default();
    let fault = cache.compile(&source(&schema), Purpose::Writing, None, true);
    assert_eq!(fault.expect_err("too large").kind, "grammar-too-large");
}

#[test]
fn canvases_are_completed_by_items_that_differ() {
    let mut session = session();
    let whole = [
        (r#"{"names":["a","b"]}"#, true),
        (r#"{"names":["a","a"]}"#, false),
        (r#"{"names":["a","c"]}"#, false),
    ];
    for (text, expected) in whole {
        let answer = session.check_canvas(cells(text, 0)).expect("a verdict");
        assert_eq!(answer.completable, expected, "{text}");
    }
    // The grammar alone would have all items empty, or alike.
    for (begun, masked) in [
        ("", 40),
        (r#"{"names":["#, 12),
        (r#"{"names":["","#, 9),
        (r#"{"names":["a","a"#, 9),
        (r#"{"names":["a","b","ab","ba","aa","#, 20),
    ] {
        let answer = session
            .check_canvas(cells(begun, masked))
            .expect("a verdict");
        let witness = answer.witness.expect(begun);
        let value: serde_json::Value = serde_json::from_slice(&witness).expect("JSON");
        let names = value["names"].as_array().expect("an array");
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{begun}: {value}");
        }
    }
    // There the grammar has room for the item alone that is there already.
    let undecided = session.check_canvas(cells(r#"{"names":["a","a""#, 2));
    assert_eq!(undecided.expect_err("no answer").kind, "undecided");
    let impossible = session.check_canvas(cells(r#"{"names":["a""#, 2));
    assert!(!impossible.expect("a verdict").completable);
}

#[test]
fn items_differ_in_their_values_where_separators_are_tokens() {
    const COUNTS: &str = r#"{"type": "array", "minItems": 3, "uniqueItems": true, "items": {
        "type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
        "additionalProperties": false}}"#;
    for vocabulary in [vocabulary(), vocabulary_of_separators()] {
        let cache = GrammarCache::default();
        let found = cache.compile(&source(COUNTS), Purpose::Writing, Some(&vocabulary), false);
        let mut session = found.expect("a grammar").grammar.session(Some(vocabulary));
        for masked in [25, 26, 30, 48, 100] {
            let answer = session.check_canvas(cells("", masked));
            let witness = answer.expect("a verdict").witness.expect("a completion");
            let items: serde_json::Value = serde_json::from_slice(&witness).expect("JSON");
            let items = items.as_array().expect("an array");
            assert!(items.len() >= 3);
            for (at, item) in items.iter().enumerate() {
                assert!(!items[..at].contains(item), "{masked}: {items:?}");
            }
        }
    }
}

/// Oracle: a text that is valid can be completed whatever is taken out of it, and what is found is
/// valid by its values.
#[test]
fn gaps_in_texts_are_filled_by_items_that_differ() {
    let rows = r#"{"type": "array", "minItems": 4, "uniqueItems": true, "items": {"type": "object",
        "properties": {"n": {"type": "integer"}, "c": {"enum": ["red", "green", "blue"]}},
        "required": ["n", "c"]}}"#;
    let lists = r#"{"type": "array", "uniqueItems": true,
        "items": {"type": "array", "items": {"type": ["string", "number", "null"]}}}"#;
    let words = r#"{"properties": {"a": {"$ref": "\#/$defs/w"}, "b": {"$ref": "\#/$defs/w"}}, "type": "object",
        "$defs": {"w": {"type": "array", "uniqueItems": true, "items": {"type": "string"}}}}"#;
    let words = words.replace("\\#", "#");
    let some = r#"{"type": "array", "uniqueItems": true, "contains": {"type": "string", "minLength": 2},
        "minContains": 2, "items": {"type": ["string", "integer"]}}"#;
    let vocabulary = vocabulary();
    let mut rng = fastrand::Rng::with_seed(7);
    // With gaps of any length, and of so many cells.
    let mut counts = [[0; 2]; 2];
    for (schema, texts) in [
        (
            rows,
            [
                r#"[{"n":1,"c":"red"},{"n":1,"c":"blue"},{"n":1,"c":"green"},{"n":2,"c":"red"}]"#,
                r#"[{"c":"red","n":10},{"n":1,"c":"red"},{"n":0,"c":"red","x":[]},{"n":0,"c":"red"},{"n":9,"c":"red"}]"#,
            ],
        ),
        (
            lists,
            [
                r#"[[],["a"],["a","a"],[1,2],[1],[null]]"#,
                r#"[ ["aa", 1], ["ab", 1], ["ac", 1.5], [1, "ac"] ]"#,
            ],
        ),
        (
            &words,
            [
                r#"{"a":["x","y","z"],"b":["x","y","z"]}"#,
                r#"{"b":["one","two","three"],"c":["one","one"],"a":[]}"#,
            ],
        ),
        (
            some,
            [r#"[1,"aa","bb",2,"c"]"#, r#"["aaa","aab","aac",10,11]"#],
        ),
    ] {
        let validator =
            || Validator::new(schema, &SchemaOptions::membership()).expect("a validator");
        let cache = GrammarCache::default();
        let found = cache.compile(&source(schema), Purpose::Judging, Some(&vocabulary), true);
        let mut session = found
            .expect("a grammar")
            .grammar
            .session(Some(Arc::clone(&vocabulary)));
        for text in texts.iter().cycle().take(60) {
            let (segments, gaps) = without_parts(text.as_bytes(), &mut rng);
            let gaps = rng.bool().then_some(gaps);
            match session.check(&segments, gaps.as_deref()) {
                Ok(answer) => {
                    let shown = segments
                        .iter()
                        .map(|it| it.as_deref().map(String::from_utf8_lossy));
                    let shown: Vec<_> = shown.collect();
                    let witness = answer
                        .witness
                        .unwrap_or_else(|| panic!("{shown:?}, {gaps:?}"));
                    assert_eq!(
                        validator().is_valid(&witness),
                        Some(true),
                        "{shown:?}, {gaps:?}"
                    );
                    counts[usize::from(gaps.is_some())][0] += 1;
                }
                Err(fault) => {
                    assert_eq!(fault.kind, "undecided");
                    counts[usize::from(gaps.is_some())][1] += 1;
                }
            }
        }
    }
    let [[of_any, undecided], [of_cells, undecided_cells]] = counts;
    println!("any length: {of_any} completed, {undecided} undecided");
    println!("so many cells: {of_cells} completed, {undecided_cells} undecided");
    assert!(undecided * 30 < of_any && undecided_cells * 6 < of_cells);
}

/// A text with some parts taken out, and how long these were.
fn without_parts(text: &[u8], rng: &mut fastrand::Rng) -> (Vec<Option<Vec<u8>>>, Vec<usize>) {
    let mut cuts: Vec<usize> = (0..2 * rng.usize(1..4))
        .map(|_| rng.usize(..=text.len()))
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    let (mut segments, mut gaps, mut end) = (Vec::new(), Vec::new(), 0);
    for cut in cuts.chunks_exact(2) {
        segments.push(Some(text[end..cut[0]].to_vec()));
        segments.push(None);
        gaps.push(cut[1] - cut[0]);
        end = cut[1];
    }
    segments.push(Some(text[end..].to_vec()));
    (segments, gaps)
}

#[test]
fn masks_are_not_given_for_exact() {
    let mut session = session();
    let fault = session.masks(vec![None; 20]).expect_err("no masks");
    assert_eq!(fault.kind, "undecided");
}

#[test]
fn names_that_no_keyword_names_differ_where_that_matters() {
    let three =
        r#"{"type": "object", "minProperties": 3, "additionalProperties": {"type": "integer"}}"#;
    let some = r#"{"type": "object", "not": {"additionalProperties": {"type": "integer"}}, "additionalProperties": {"type": ["integer", "null"]}}"#;
    let once = r#"{"type": "object", "minProperties": 2, "required": ["a"], "additionalProperties": {"type": "integer"}}"#;
    let vocabulary = vocabulary_of_separators();
    let cache = GrammarCache::default();
    for (schema, is_judged, texts) in [
        (
            three,
            true,
            &[
                (r#"{"a":1,"b":1,"c":1}"#, true),
                (r#"{"a":1,"b":1,"a":1}"#, false),
            ][..],
        ),
        (
            some,
            true,
            &[
                (r#"{"a":null,"b":1}"#, true),
                (r#"{"a":null,"a":1}"#, false),
            ],
        ),
        (once, false, &[(r#"{"a":1,"b":2}"#, true)]),
    ] {
        let found = cache.compile(&source(schema), Purpose::Writing, Some(&vocabulary), true);
        let found = found.expect("a grammar");
        assert_eq!(found.grammar.is_judged(), is_judged, "{schema}");
        let warnings = &found.grammar.lints().warnings;
        let kinds: Vec<&str> = warnings.iter().map(|warning| &*warning.kind).collect();
        assert_eq!(
            kinds,
            ["repeated-names"][..usize::from(is_judged)],
            "{schema}"
        );
        let mut session = found.grammar.session(Some(Arc::clone(&vocabulary)));
        for &(text, expected) in texts {
            let answer = session.check_canvas(cells(text, 0)).expect("a verdict");
            assert_eq!(answer.completable, expected, "{text}");
        }
        // In declared order what is required comes first.
        let begun = [("", 30), (r#"{"x":"#, 24), (r#"{"x":1,"x"#, 40)];
        for (begun, masked) in &begun[..if is_judged { 3 } else { 1 }] {
            let answer = session
                .check_canvas(cells(begun, *masked))
                .expect("a verdict");
            let witness = answer.witness.unwrap_or_else(|| panic!("{schema} {begun}"));
            let text = String::from_utf8(witness).expect("UTF-8");
            let value: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(&text).expect("JSON");
            let colons = text.matches(':').count();
            assert_eq!(value.len(), colons, "{text}: no name stands twice");
        }
    }
}
