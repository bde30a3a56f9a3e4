//! The benchmark runs: on small canvases every method has a row, the references agree, and the
//! plot is drawn; its large ones are decided; and completions follow a model's weights.

#[path = "../benches/compare/mod.rs"]
#[allow(dead_code, reason = "shared with the benchmark")]
mod compare;

use std::sync::Arc;

use compare::vocabulary::Encoder;
use compare::workload::{Masks, Source, any_length, cases};
use compare::{Options, run};
use lacuna_checker::{CanvasVerdict, Checker, CheckerLimits, Tier, Verdict, Weights};
use lacuna_lexer::TokenId;

#[test]
fn quick_comparison() {
    let report = run(&Options {
        sources: vec![Source::named("JSON").expect("a source")],
        sizes: vec![32, 48],
        limit: std::time::Duration::from_secs(5),
        ..Options::quick()
    });
    let workloads = report.json["workloads"].as_array().expect("workloads");
    assert!(workloads.len() >= 3, "{}", workloads.len());
    for workload in workloads {
        let methods = workload["methods"].as_array().expect("methods");
        assert_eq!(methods.len(), 5);
        for method in methods {
            assert_eq!(method["cold"]["count"], 2, "{workload}");
            assert_eq!(method["refused"], serde_json::Value::Null, "{workload}");
        }
        // The two references lex alike, so what they say is the same.
        for when in ["cold", "after"] {
            assert_eq!(methods[3][when]["undecided"], 0, "{workload}");
            assert_eq!(
                methods[3][when]["yes"], methods[4][when]["yes"],
                "{workload}"
            );
        }
    }
    assert!(report.markdown.contains("| mundler |") && report.svg.contains("<polyline"));
}

/// Programs of a thousand cells, some two in five masked, are what texts came of, so they can be
/// completed; a search that looks near the nearest fault alone leaves some of them undecided.
#[test]
fn large_canvases_are_decided() {
    let (source, encoder) = (Source::named("C++").expect("a source"), Encoder::shipped());
    let cases = cases(source, Masks::Token, &encoder, 1024, 15);
    let vocabulary = Some(Arc::clone(&encoder.vocabulary));
    let checker = Checker::new(&source.read(), vocabulary, CheckerLimits::default());
    let checker = checker.expect("a checker");
    for (index, case) in cases.iter().enumerate() {
        let (verdict, tier) = checker.clone().check_canvas(&case.cells);
        let is_fitted = matches!(verdict, CanvasVerdict::Completable { .. });
        assert!(is_fitted, "canvas {index}, {tier:?}");
        if index % 3 == 0 {
            let pattern = any_length(&case.cells, &encoder);
            let (verdict, tier) = checker.clone().check(&pattern);
            let is_filled = matches!(verdict, Verdict::Completable(_));
            assert!(is_filled, "pattern {index}, {tier:?}");
        }
    }
}

/// What a model that has a text in mind finds likely: of ten cells, in nine that text's token, and in
/// one another, of which it is as sure.
fn weights_of(tokens: &[TokenId], size: usize, random: &mut fastrand::Rng) -> Vec<Option<Weights>> {
    let weights = tokens.iter().map(|&token| {
        let mut best = vec![(random.u32(2..size as u32), 0.05f32.ln())];
        best.retain(|&(other, _)| other != token);
        best.insert(0, (token, 0.9f32.ln()));
        if random.u8(..10) == 0 && best.len() == 2 {
            (best[0].0, best[1].0) = (best[1].0, best[0].0);
        }
        let rest = (0.05 / size as f32).ln();
        Some(Weights { best, rest })
    });
    weights.collect()
}

/// Weights change no verdict, and where they are those of a text that fits, with mistakes, the
/// completion is nearly that text.
#[test]
fn completions_follow_what_a_model_finds_likely() {
    let (source, encoder) = (Source::named("C++").expect("a source"), Encoder::shipped());
    let cases = cases(source, Masks::Token, &encoder, 256, 12);
    let vocabulary = Some(Arc::clone(&encoder.vocabulary));
    let checker = Checker::new(&source.read(), vocabulary, CheckerLimits::default());
    let checker = checker.expect("a checker");
    let mut random = fastrand::Rng::with_seed(3);
    let (mut masked, mut same, mut likely, mut refused) = (0, 0, 0, 0);
    for (index, case) in cases.iter().enumerate() {
        let CanvasVerdict::Completable(text) = checker.clone().check_canvas(&case.cells).0 else {
            panic!("canvas {index} is what a text came of");
        };
        let weights = weights_of(&text, encoder.vocabulary.len(), &mut random);
        let mut by_weights = checker.clone();
        assert!(by_weights.heeds_weights(case.cells.len()));
        let (verdict, tier) = by_weights.check_canvas_by(&case.cells, &weights);
        let CanvasVerdict::Completable(tokens) = verdict else {
            panic!("canvas {index}: {verdict:?}");
        };
        assert_eq!(tokens.len(), case.cells.len());
        for ((cell, token), text) in case.cells.iter().zip(&tokens).zip(&text) {
            match cell {
                Some(cell) => assert_eq!(cell, token, "canvas {index}"),
                None => (masked, same) = (masked + 1, same + usize::from(token == text)),
            }
        }
        let fixed: Vec<_> = tokens.iter().copied().map(Some).collect();
        let (verdict, _) = checker.clone().check_canvas(&fixed);
        assert!(
            matches!(verdict, CanvasVerdict::Completable(_)),
            "{verdict:?}"
        );
        likely += usize::from(tier == Tier::Likely);
        // Tokens that stand elsewhere in the text; of a few, one hardly goes where it is put.
        let mut changed = case.cells.clone();
        for _ in 0..8 * index {
            let at = random.usize(..changed.len());
            changed[at] = changed[at].or(Some(text[random.usize(..text.len())]));
        }
        let (verdict, _) = by_weights.check_canvas_by(&changed, &weights);
        let (plain, _) = checker.clone().check_canvas(&changed);
        let is_impossible = |verdict| matches!(verdict, CanvasVerdict::Impossible { .. });
        let is_refused = is_impossible(verdict);
        assert_eq!(is_refused, is_impossible(plain), "canvas {index}");
        refused += usize::from(is_refused);
    }
    assert!(likely >= 10 && refused >= 3, "{likely}, {refused}");
    assert!(same * 20 >= masked * 17, "{same} of {masked}");
}
