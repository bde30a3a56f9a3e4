//! Tables of the measurements, in Markdown.

use crate::cpu::CpuReport;
use crate::gpu::{GpuReport, StepEntry};
use crate::size_name;
use std::fmt::Write as _;

/// Said wherever a processor pretended to be a card.
pub const SOFTWARE: &str = "**This adapter is software: the processor pretends to be a card. \
    These figures show that the measurement works; they say nothing of any card.**";

/// Passes on the processor.
pub fn cpu(reports: &[CpuReport]) -> String {
    let mut table = "| parameters | weights | cells | kernel | ms a pass | slowest of fastest | \
        G multiply-adds/s | of the microkernel's | threads | ms | times as fast |\n\
        |--:|---|--:|---|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for report in reports {
        let threaded = match report.threaded {
            None => "1 | | |".to_owned(),
            Some(threaded) => format!(
                "{} | {} | {:.2} |",
                threaded.threads,
                millis(threaded.pass.fastest),
                threaded.speedup
            ),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} | {:.2} | {:.1} of {:.1} | {:.0} % | {threaded}",
            count(report.parameters as f64),
            report.format,
            report.length,
            report.kernel,
            millis(report.pass.fastest),
            report.pass.slowest / report.pass.fastest,
            report.pass_rate / 1e9,
            report.tile_rate / 1e9,
            report.share * 100.0,
        );
    }
    table
}

/// A card: its rates, steps, their stages, and with `tuning` what tuning brought.
pub fn gpu(report: &GpuReport, tuning: bool) -> String {
    let adapter = &report.adapter;
    let mut text = format!(
        "{} ({}, {})\n\n",
        adapter.name, adapter.backend, adapter.driver
    );
    if adapter.software {
        text += &format!("{SOFTWARE}\n\n");
    }
    text += &rates(report);
    text += &steps(&report.steps);
    text += &stages(&report.steps);
    if tuning {
        text += &tunings(&report.steps);
    }
    text
}

fn rates(report: &GpuReport) -> String {
    let rates = &report.rates;
    let mut text = format!(
        "| rate | |\n|---|--:|\n| copy | {}B/s |\n| plain f32 | {}op/s |\n\
         | empty dispatch | {:.1} µs |\n",
        count(rates.copy_bytes_per_second),
        count(rates.plain_operations_per_second),
        rates.idle_dispatch_micros,
    );
    let mut products: Vec<_> = rates.products.iter().collect();
    products.sort_by(|a, b| b.operations_per_second.total_cmp(&a.operations_per_second));
    let mut seen = Vec::new();
    for product in products {
        if seen.contains(&(product.format, product.precision)) {
            continue;
        }
        seen.push((product.format, product.precision));
        let _ = writeln!(
            text,
            "| {} at {side}³ | {}op/s, {:.0} % of plain |",
            product.kernel,
            count(product.operations_per_second),
            product.share_of_plain * 100.0,
            side = product.side,
        );
    }
    text + "\n"
}

fn steps(entries: &[StepEntry]) -> String {
    let mut table = "| model | weights | activations | cells | ms a step | fastest to slowest | \
        bytes | operations | dispatches | floor, ms | of the floor | a quarter computed, ms |\n\
        |---|---|---|--:|--:|---|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for entry in entries {
        let name = configuration(entry);
        let Some(step) = &entry.step else {
            let why = entry.skipped.as_deref().unwrap_or_default();
            let _ = writeln!(table, "| {name} | not measured: {why} | | | | | | | |");
            continue;
        };
        let (bytes, operations, dispatches) = match &step.profile {
            Some(profile) => (
                count(profile.bytes as f64),
                count(profile.operations as f64),
                profile.dispatches.to_string(),
            ),
            None => Default::default(),
        };
        let floor = step
            .floor
            .map_or(String::new(), |floor| millis(floor.micros));
        let of_floor = entry
            .of_floor
            .map_or(String::new(), |ratio| format!("{ratio:.1}"));
        let _ = writeln!(
            table,
            "| {name} | {} | {} to {} | {bytes} | {operations} | {dispatches} | {floor} | {of_floor} | {} |",
            millis(step.step_micros),
            millis(step.fastest_micros),
            millis(step.slowest_micros),
            millis(step.kept_micros),
        );
    }
    table + "\n"
}

fn stages(entries: &[StepEntry]) -> String {
    let mut table = "| model | weights | activations | cells | share of each stage |\n\
        |---|---|---|--:|---|\n"
        .to_owned();
    for entry in entries {
        let Some(profile) = entry.step.as_ref().and_then(|step| step.profile.as_ref()) else {
            continue;
        };
        let mut stages: Vec<_> = profile.stages.iter().collect();
        stages.sort_by(|a, b| b.micros.total_cmp(&a.micros));
        let shares: Vec<String> = stages
            .iter()
            .map(|stage| {
                format!(
                    "{} {:.0} %",
                    stage.name,
                    stage.micros / profile.micros * 100.0
                )
            })
            .collect();
        let _ = writeln!(
            table,
            "| {} | {} |",
            configuration(entry),
            shares.join(", ")
        );
    }
    table + "\n"
}

fn tunings(entries: &[StepEntry]) -> String {
    let mut table = "| model | weights | activations | cells | untuned, ms | tuned, ms | found |\n\
        |---|---|---|--:|--:|--:|---|\n"
        .to_owned();
    for entry in entries {
        let Some(step) = &entry.step else { continue };
        let _ = writeln!(
            table,
            "| {} | {} | {} | `{}` |",
            configuration(entry),
            millis(step.untuned_micros),
            millis(step.step_micros),
            step.tuning,
        );
    }
    table
}

fn configuration(entry: &StepEntry) -> String {
    let activations = if entry.half { "f16" } else { "f32" };
    let (size, format) = (size_name(entry.size), entry.format);
    format!("{size} | {format} | {activations} | {}", entry.canvas)
}

fn millis(micros: f64) -> String {
    format!("{:.2}", micros / 1000.0)
}

/// Three digits and a prefix.
fn count(value: f64) -> String {
    let prefixes = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    for (unit, prefix) in prefixes {
        if value >= unit {
            let scaled = value / unit;
            let digits = if scaled < 10.0 { 1 } else { 0 };
            return format!("{scaled:.digits$} {prefix}");
        }
    }
    format!("{value:.0} ")
}
