//! The benchmark runs: on small canvases every method has a row, the references agree, and the
//! plot is drawn; and its large ones are decided.

#[path = "../benches/compare/mod.rs"]
#[allow(dead_code, reason = "shared with the benchmark")]
mod compare;

use std::sync::Arc;

use compare::vocabulary::Encoder;
use compare::workload::{Masks, Source, any_length, cases};
use compare::{Options, run};
use lacuna_checker::{CanvasVerdict, Checker, CheckerLimits, Verdict};

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
