//! The runs in which something was recovered: how good what recovery writes is.
//!
//! A method's accuracy over all runs says little of its recovery where few runs need it.
//! Methods that refuse the same candidates until the same limit (`lacuna-first`,
//! `lacuna-witness`, `lacuna-recover-best`, `lacuna-guided`) recover in the same runs from
//! the same canvases, so that their rows are of the same sample. What another method, ours
//! by default, makes of a row's runs stands beside it.

use std::fmt::Write as _;

use super::paired::{Pair, pairs_of};
use super::table::{Output, Series};

/// A row for each method and number of steps with such runs, `base` beside them; nothing if
/// there are none.
pub fn markdown(all: &[Series], base: &str) -> String {
    let mut text = String::new();
    for (steps, method) in super::table::rows_of(all) {
        let own = all
            .iter()
            .filter(|s| s.steps == steps && s.method == method);
        let outputs: Vec<&Output> = own
            .flat_map(|series| &series.outputs)
            .filter(|output| output.recovered)
            .collect();
        if outputs.is_empty() {
            continue;
        }
        if text.is_empty() {
            let _ = writeln!(
                text,
                "| steps | method | recovered runs | valid | member | exact | agreement | cells a run \
                 | recovery ms a run | {base} there: exact | {base} there: agreement |\n\
                 |--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
            );
        }
        let pairs = pairs_of(all, (steps, method), base);
        let there: Vec<&Output> = pairs
            .iter()
            .filter(|Pair { own, .. }| own.recovered)
            .map(|pair| pair.base)
            .collect();
        let judged = outputs.iter().all(|output| output.valid.is_some());
        let _ = writeln!(
            text,
            "| {steps} | {method} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            outputs.len(),
            match judged {
                true => share(&outputs, |output| output.valid == Some(true)),
                false => "–".to_owned(),
            },
            share(&outputs, |output| output.member),
            share(&outputs, |output| output.exact),
            percent(&outputs, |output| output.agreement),
            // A whole text that is written has no cells.
            match outputs.iter().any(|output| output.timings.recovered > 0) {
                true => mean(&outputs, 1, |output| output.timings.recovered as f64),
                false => "–".to_owned(),
            },
            mean(&outputs, 3, |output| output.timings.recovery_ms),
            share(&there, |output| output.exact),
            percent(&there, |output| output.agreement),
        );
    }
    text
}

fn mean(outputs: &[&Output], digits: usize, of: impl Fn(&Output) -> f64) -> String {
    let sum: f64 = outputs.iter().map(|output| of(output)).sum();
    match outputs.is_empty() {
        true => "–".to_owned(),
        false => format!("{:.digits$}", sum / outputs.len() as f64),
    }
}

fn percent(outputs: &[&Output], of: impl Fn(&Output) -> f64) -> String {
    mean(outputs, 1, |output| 100.0 * of(output))
}

fn share(outputs: &[&Output], of: impl Fn(&Output) -> bool) -> String {
    percent(outputs, |output| f64::from(u8::from(of(output))))
}
