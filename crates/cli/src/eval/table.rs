//! The figures of all runs, and the Markdown table of them.

use std::fmt::Write as _;

use lacuna_decoder::{Outcome, Timings};
use serde::Serialize;
use serde_json::Value;

use super::spread::Spread;

/// Milliseconds of grammar work a step below which there is none but of measuring.
const LEAST: f64 = 0.0005;

/// One run, judged.
#[derive(Clone, Debug, Serialize)]
pub struct Output {
    /// The example.
    pub id: Value,
    /// The expected answer, or the reference text.
    pub expected: Value,
    /// What was written.
    pub text: String,
    /// The outside judge's verdict, where the command has one.
    pub valid: Option<bool>,
    /// Whether it belongs to the grammar, by the plain recogniser.
    pub member: bool,
    /// Whether some of it was recovered, or all.
    pub recovered: bool,
    /// Whether it is the expected answer.
    pub exact: bool,
    /// How much of the expected answer it has, in tokens ([`super::agreement()`]).
    pub agreement: f64,
    /// How the run ended.
    pub outcome: Outcome,
    /// Steps taken.
    pub steps: usize,
    /// Milliseconds in which the grammar was compiled, or found to be, before the run.
    pub opening_ms: f64,
    /// Milliseconds of the whole run, from then on.
    pub ms: f64,
    /// Where the time went.
    pub timings: Timings,
    /// What the method's memos were asked, and how often they knew.
    pub memo: (u64, u64),
}

/// All runs of a method at a number of steps with a seed.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// The method.
    pub method: String,
    /// Steps of the schedule.
    pub steps: usize,
    /// The seed.
    pub seed: u64,
    /// The runs, in the order of the examples.
    pub outputs: Vec<Output>,
}

/// Each number of steps with each method, in the order in which they were run.
pub fn rows_of(all: &[Series]) -> Vec<(usize, &str)> {
    let mut rows: Vec<(usize, &str)> = Vec::new();
    for series in all {
        let row = (series.steps, series.method.as_str());
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

/// The table, a row for each method and number of steps. `relative_to` is the method
/// whose time on an example is 100 %; of these times the table has the median over all runs,
/// which does not count what only the first run pays, their mean, and the sum of the times over
/// the sum of its; of grammar work a step it has the median. They begin when the grammar is compiled, or found to be: what that takes a run, in the median, is
/// the last column.
pub fn markdown(all: &[Series], relative_to: &str) -> String {
    let mut text = String::from(
        "| steps | method | valid | valid before recovery | member | before recovery | exact | agreement \
         | steps taken | seconds | of it model | grammar ms a step (most) | lexing | validating \
         | selecting | masks | recovery | relative time % | mean | of sums \
         | refusals | tokens a batch | batches passed % | memo hits % | opening ms |\n\
         |--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for (steps, method) in rows_of(all) {
        let own: Vec<&Series> = all
            .iter()
            .filter(|series| series.steps == steps && series.method == method)
            .collect();
        let base = |seed: u64| {
            all.iter().find(|series| {
                series.steps == steps && series.method == relative_to && series.seed == seed
            })
        };
        let pairs = own.iter().flat_map(|series| {
            let base = base(series.seed).into_iter();
            let pairs = base.flat_map(|base| series.outputs.iter().zip(&base.outputs));
            pairs.map(|(output, base)| (output.ms, base.ms))
        });
        let pairs: Vec<(f64, f64)> = pairs.collect();
        let relative = Spread::of(pairs.iter().map(|(own, base)| 100.0 * own / base));
        let relative = relative.map_or_else(
            || ["–"; 3].map(str::to_owned),
            |relative| {
                let sum = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
                let of_sums = 100.0 * sum(|pair| pair.0) / sum(|pair| pair.1);
                let [mean, of_sums] = [relative.mean, of_sums].map(|it| format!("{it:.1}"));
                [relative.to_string(), mean, of_sums]
            },
        );
        write_row(&mut text, steps, method, &own, &relative.join(" | "));
    }
    text
}

fn write_row(text: &mut String, steps: usize, method: &str, own: &[&Series], relative: &str) {
    let outputs = || own.iter().flat_map(|series| &series.outputs);
    let runs = outputs().count().max(1) as f64;
    let sum = |of: &dyn Fn(&Output) -> f64| outputs().map(of).sum::<f64>();
    let share = |of: &dyn Fn(&Output) -> bool| {
        100.0 * outputs().filter(|output| of(output)).count() as f64 / runs
    };
    let taken = sum(&|output| output.steps as f64);
    let a_step = |of: &dyn Fn(&Timings) -> f64| {
        format!("{:.3}", sum(&|output| of(&output.timings)) / taken.max(1.0))
    };
    let judged = outputs().all(|output| output.valid.is_some());
    let verdict = |of: &dyn Fn(&Output) -> bool| match judged {
        true => format!("{:.1}", share(of)),
        false => "–".to_owned(),
    };
    let percent = |part: f64, whole: f64| match whole > 0.0 {
        true => format!("{:.1}", 100.0 * part / whole),
        false => "–".to_owned(),
    };
    let per_step = outputs().map(|output| output.timings.checker_ms / output.steps.max(1) as f64);
    // Where nothing is guarded, there is no work and there are no parts of it.
    let grammar = match Spread::of(per_step).filter(|grammar| grammar.median >= LEAST) {
        None => ["–"; 6].map(str::to_owned),
        Some(grammar) => [
            format!("{:.3} ({:.1})", grammar.median, grammar.most),
            a_step(&|timings| timings.lexing_ms),
            a_step(&|timings| timings.validation_ms),
            a_step(&|timings| timings.selection_ms),
            a_step(&|timings| timings.masks_ms),
            a_step(&|timings| timings.recovery_ms),
        ],
    };
    let batches = sum(&|output| output.timings.batches as f64);
    let seeds = own.len().max(1) as f64;
    let _ = writeln!(
        text,
        "| {steps} | {method} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2} \
         | {} | {relative} | {:.1} | {} | {} | {} | {:.3} |",
        verdict(&|output| output.valid == Some(true)),
        verdict(&|output| output.valid == Some(true) && !output.recovered),
        share(&|output| output.member),
        share(&|output| output.member && !output.recovered),
        share(&|output| output.exact),
        100.0 * sum(&|output| output.agreement) / runs,
        taken / runs,
        sum(&|output| output.ms) / 1000.0 / seeds,
        sum(&|output| output.timings.model_ms) / 1000.0 / seeds,
        grammar.join(" | "),
        sum(&|output| output.timings.refusals as f64) / runs,
        match batches > 0.0 {
            true => format!(
                "{:.1}",
                sum(&|output| output.timings.batch_tokens as f64) / batches
            ),
            false => "–".to_owned(),
        },
        percent(batches, sum(&|output| output.timings.batches_tried as f64)),
        percent(
            sum(&|output| output.memo.1 as f64),
            sum(&|output| output.memo.0 as f64)
        ),
        Spread::of(outputs().map(|output| output.opening_ms)).map_or(0.0, |it| it.median),
    );
}
