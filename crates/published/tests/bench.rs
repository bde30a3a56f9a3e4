//! The benchmark runs: on small canvases every method has a row, the references
//! agree, and the plot is drawn.

#[path = "../benches/compare/mod.rs"]
#[allow(dead_code, reason = "shared with the benchmark")]
mod compare;

use compare::workload::Source;
use compare::{Options, run};

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
