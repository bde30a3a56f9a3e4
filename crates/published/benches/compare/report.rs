//! Tables for people.

use std::fmt::Write as _;

use lacuna_checker::MemoUses;

use super::covers::{Covers, Tally};
use super::measure::{Figures, Measured, wrong};
use super::methods::{Method, Outcome};

/// The heading of a workload's table.
pub const HEADING: &str = "\
| workload | method | cold median | p99 | × | peak | after a token | p99 | × | out of time | wrong |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
";

/// A workload's rows: times of ours, and of the others as multiples of it too.
pub fn rows(workload: &str, measured: &[Measured]) -> String {
    let mut text = String::new();
    let ours = measured.iter().find(|one| one.method == Method::Any);
    for one in measured {
        if let Some(reason) = &one.refused {
            let name = one.method.name();
            let _ = writeln!(
                text,
                "| {workload} | {name} | refused: {reason} | | | | | | | | |"
            );
            continue;
        }
        let cold = Figures::of(one.cold.iter());
        let after = Figures::of(one.after.iter());
        let ratio = |figures: &Figures, of: fn(&Measured) -> &Vec<Outcome>| {
            let base = ours.map(|ours| Figures::of(of(ours).iter()).quantile(0.5));
            base.map_or(String::new(), |base| {
                let ratio = figures.quantile(0.5) / base;
                format!("{ratio:.prec$}", prec = usize::from(ratio < 9.95))
            })
        };
        let differs = ours
            .filter(|_| !matches!(one.method, Method::Fits | Method::InUse))
            .map(|ours| {
                let (cold, after) = (wrong(&one.cold, &ours.cold), wrong(&one.after, &ours.after));
                format!("{} yes, {} no", cold.0 + after.0, cold.1 + after.1)
            });
        let _ = writeln!(
            text,
            "| {workload} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            one.method.name(),
            time(cold.quantile(0.5)),
            time(cold.quantile(0.99)),
            ratio(&cold, |one| &one.cold),
            memory(cold.peak.max(after.peak)),
            time(after.quantile(0.5)),
            time(after.quantile(0.99)),
            ratio(&after, |one| &one.after),
            cold.undecided + after.undecided,
            differs.unwrap_or_default(),
        );
    }
    text
}

/// Which tier decided how many of ours, and how fast.
pub fn tiers(workload: &str, measured: &[Measured]) -> String {
    let mut text = String::new();
    for one in measured
        .iter()
        .filter(|one| matches!(one.method, Method::Any | Method::Fits | Method::InUse))
    {
        let mut names: Vec<&str> = one.after.iter().map(|o| o.tier.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let figures = Figures::of(one.after.iter().filter(|outcome| outcome.tier == name));
            let share = 100.0 * figures.count() as f64 / one.after.len() as f64;
            let _ = writeln!(
                text,
                "| {workload} | {} | {name} | {share:.0} % | {} of {} | {} | {} |",
                one.method.name(),
                figures.yes,
                figures.count(),
                time(figures.quantile(0.5)),
                time(figures.quantile(0.99)),
            );
        }
    }
    text
}

/// The heading above [`tiers`].
pub const TIERS: &str = "\
| workload | criterion | decided by | share | yes | median | p99 |
|---|---|---|--:|--:|--:|--:|
";

/// How often the memos of ours knew what they were asked.
pub fn memos(workload: &str, measured: &[Measured]) -> String {
    let ours = [Method::Any, Method::Fits, Method::InUse];
    let ours = measured.iter().filter(|one| ours.contains(&one.method));
    let rows = ours.map(|one| {
        let outcomes = one.cold.iter().chain(&one.after);
        let uses = outcomes.fold(MemoUses::default(), |sum, outcome| sum + outcome.memos);
        let cells = uses.named().map(|(_, uses)| match uses.hit_rate() {
            Some(rate) => format!(" {:.1} % of {} |", 100.0 * rate, amount(uses.asked)),
            None => " – |".to_owned(),
        });
        format!("| {workload} | {} |{}\n", one.method.name(), cells.concat())
    });
    rows.collect()
}

/// The heading above [`memos`].
pub const MEMOS: &str = "\
| workload | criterion | lexing | sets | columns | cover | automaton |
|---|---|--:|--:|--:|--:|--:|
";

/// A number in thousands or millions.
fn amount(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..10_000_000 => format!("{} k", count / 1_000),
        _ => format!("{} M", count / 1_000_000),
    }
}

/// What regular covers let pass.
pub fn covers(workload: &str, covers: Covers) -> String {
    let passed = |tally: Option<Tally>| match tally {
        Some(Tally { impossible, passed }) if impossible > 0 => {
            let share = 100.0 * passed as f64 / impossible as f64;
            format!("{passed} of {impossible}, {share:.0} %")
        }
        _ => "–".to_owned(),
    };
    let Covers {
        epic,
        any,
        fits,
        undecided,
    } = covers;
    let [epic, any, fits] = [epic, Some(any), fits].map(passed);
    format!("| {workload} | {epic} | {any} | {fits} | {undecided} |\n")
}

/// The heading above [`covers`].
pub const COVERS: &str = "\
| workload | EPIC's, any length | ours, any length | ours, `fits` | undecided |
|---|--:|--:|--:|--:|
";

/// What compiling took, method by method.
pub fn compile(name: &str, measured: &[Measured]) -> String {
    let mut text = String::new();
    for one in measured {
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} |",
            one.method.name(),
            time(one.compile.as_secs_f64() * 1e6),
            memory(one.compile_peak),
        );
    }
    text
}

/// The heading above [`compile`].
pub const COMPILE: &str = "\
| grammar | method | time | peak |
|---|---|--:|--:|
";

/// Microseconds, readable.
pub fn time(micros: f64) -> String {
    match micros {
        t if t.is_nan() => String::new(),
        t if t < 10.0 => format!("{t:.1} µs"),
        t if t < 1000.0 => format!("{t:.0} µs"),
        t if t < 10_000.0 => format!("{:.1} ms", t / 1e3),
        t if t < 1e6 => format!("{:.0} ms", t / 1e3),
        t => format!("{:.1} s", t / 1e6),
    }
}

/// Bytes, readable.
pub fn memory(bytes: usize) -> String {
    let bytes = bytes as f64;
    match bytes {
        b if b < 1e6 => format!("{:.0} kB", b / 1e3),
        b if b < 1e7 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.0} MB", b / 1e6),
    }
}
