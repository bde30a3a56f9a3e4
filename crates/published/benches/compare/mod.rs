//! The comparison: what is measured, and the report of it.

pub mod clock;
pub mod covers;
mod growth;
pub mod measure;
pub mod memory;
pub mod methods;
pub mod quantile;
pub mod report;
pub mod vocabulary;
pub mod workload;

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use measure::{Figures, Measured, measure};
use methods::Method;
use vocabulary::Encoder;
use workload::{Case, Masks, SOURCES, Source, cases};

/// What to measure.
pub struct Options {
    /// Canvases of each workload.
    pub cases: usize,
    /// When a reference is out of time.
    pub limit: Duration,
    /// Cells of a canvas: of a prefix with its block, and of a whole text.
    pub cells: [usize; 2],
    /// Cells of the canvases that growth is measured with.
    pub sizes: Vec<usize>,
    /// The grammars.
    pub sources: Vec<&'static Source>,
    /// What the names of workloads must hold.
    pub workload: String,
    /// Whether to count what the cover lets pass.
    pub covers: bool,
    /// Whether to measure growth.
    pub growth: bool,
    /// The methods; ours that others are held against is always among them.
    pub methods: Vec<Method>,
    /// Where to write the figures.
    pub json: Option<String>,
    /// Where to write every check.
    pub each: Option<String>,
    /// Where to write the plot.
    pub svg: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cases: 60,
            limit: Duration::from_millis(2000),
            // The published measurements of a whole text had 27 gaps; so have these,
            // about.
            cells: [256, 112],
            sizes: vec![64, 128, 256, 512, 1024],
            sources: SOURCES.iter().collect(),
            covers: true,
            growth: true,
            workload: String::new(),
            methods: Method::ALL.to_vec(),
            json: None,
            each: None,
            svg: None,
        }
    }
}

impl Options {
    /// A few small canvases, to see that all works.
    pub fn quick() -> Self {
        Self {
            cases: 2,
            limit: Duration::from_millis(100),
            cells: [40, 24],
            sizes: vec![32, 64],
            ..Self::default()
        }
    }

    fn cells_of(&self, masks: Masks) -> usize {
        match masks {
            Masks::Block => self.cells[0],
            Masks::Token | Masks::Span => self.cells[1],
        }
    }

    /// The options of the command line.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            let number = |text: String| text.parse().map_err(|_| format!("{text}: no number"));
            match argument.as_str() {
                // Cargo's own.
                "--bench" => {}
                "--quick" => options = Self::quick(),
                "--cases" => options.cases = number(value()?)? as usize,
                "--limit" => options.limit = Duration::from_millis(number(value()?)?),
                "--only" => {
                    let name = value()?;
                    let source = Source::named(&name).ok_or(format!("no source {name}"))?;
                    options.sources = vec![source];
                }
                "--workload" => options.workload = value()?,
                "--cells" => options.cells = [number(value()?)? as usize; 2],
                "--without" => {
                    let name = value()?;
                    options.covers &= name != "covers";
                    options.growth &= name != "growth";
                    options.methods.retain(|method| method.word() != name);
                }
                "--json" => options.json = Some(value()?),
                "--each" => options.each = Some(value()?),
                "--svg" => options.svg = Some(value()?),
                other => return Err(format!("unknown option {other}")),
            }
        }
        Ok(options)
    }
}

/// What was measured.
pub struct Report {
    /// For people.
    pub markdown: String,
    /// For programs.
    pub json: Value,
    /// Every check, one a line.
    pub each: String,
    /// Growth, as a plot.
    pub svg: String,
}

/// Measures, with every vocabulary that is at hand.
pub fn run(options: &Options) -> Report {
    let mut text = String::new();
    let encoders: Vec<Encoder> = [Encoder::large(), Some(Encoder::shipped())]
        .into_iter()
        .flatten()
        .collect();
    if encoders.len() == 1 {
        text.push_str("Without the large vocabulary: `npm run vocabulary` fetches it.\n\n");
    }
    let mut workloads = Vec::new();
    let (mut tables, mut tiers, mut compile) = (String::new(), String::new(), String::new());
    let (mut passed, mut each, mut memos) = (String::new(), String::new(), String::new());
    for encoder in &encoders {
        for &source in &options.sources {
            for masks in Masks::ALL {
                let name = format!("{} {}, {}", source.name, masks.name(), encoder.name);
                if !name.contains(&options.workload) {
                    continue;
                }
                let cases = cases(
                    source,
                    masks,
                    encoder,
                    options.cells_of(masks),
                    2 * options.cases,
                );
                let (cases, before) = cases.split_at(options.cases);
                let canvases = (before, cases);
                let measured = measure(source, encoder, canvases, &options.methods, options.limit);
                eprintln!("measured {name}");
                tables.push_str(&report::rows(&name, &measured));
                tiers.push_str(&report::tiers(&name, &measured));
                memos.push_str(&report::memos(&name, &measured));
                if options.covers && options.methods.contains(&Method::Fits) {
                    let covers = covers::count(source, encoder, cases);
                    passed.push_str(&report::covers(&name, covers));
                }
                if masks == Masks::ALL[0] {
                    let name = format!("{}, {}", source.name, encoder.name);
                    compile.push_str(&report::compile(&name, &measured));
                }
                each.push_str(&lines(&name, cases, &measured));
                workloads.push(as_json(&name, &measured));
            }
        }
    }
    let _ = writeln!(
        text,
        "{} canvases of each workload; references stop after {} ms.\n",
        options.cases,
        options.limit.as_millis()
    );
    let _ = writeln!(text, "{}{tables}", report::HEADING);
    let _ = writeln!(
        text,
        "After one token, by tier:\n\n{}{tiers}",
        report::TIERS
    );
    let _ = writeln!(text, "Memos:\n\n{}{memos}", report::MEMOS);
    let _ = writeln!(
        text,
        "What cannot be completed and the regular cover lets pass:\n\n{}{passed}",
        report::COVERS
    );
    let _ = writeln!(text, "Compiling:\n\n{}{compile}", report::COMPILE);
    let mut grown = Vec::new();
    let grows = [Masks::Block, Masks::Token];
    for masks in grows.into_iter().filter(|_| options.growth) {
        let growth = growth::growth(options, masks, &encoders[0]);
        let _ = writeln!(text, "{}", growth.table());
        grown.push(growth);
    }
    Report {
        markdown: text,
        json: json!({
            "workloads": workloads,
            "growth": grown.iter().map(growth::Growth::json).collect::<Vec<_>>(),
        }),
        each,
        svg: growth::plot(&grown),
    }
}

/// A line for each canvas: its cells, the token revealed, and what each method said of
/// it before and after.
fn lines(name: &str, cases: &[Case], measured: &[Measured]) -> String {
    let line = |(index, case): (usize, &Case)| {
        let said = measured.iter().filter_map(|one| {
            let (cold, after) = (one.cold.get(index)?, one.after.get(index)?);
            Some(json!({ "method": one.method.word(), "cold": cold.json(), "after": after.json() }))
        });
        let line = json!({
            "workload": name,
            "cells": case.cells,
            "reveal": case.reveal,
            "methods": said.collect::<Vec<_>>(),
        });
        format!("{line}\n")
    };
    cases.iter().enumerate().map(line).collect()
}

fn as_json(name: &str, measured: &[Measured]) -> Value {
    let methods = measured.iter().map(|one| {
        json!({
            "method": one.method.name(),
            "refused": one.refused,
            "compileMicros": one.compile.as_secs_f64() * 1e6,
            "compilePeakBytes": one.compile_peak,
            "cold": Figures::of(one.cold.iter()).json(),
            "after": Figures::of(one.after.iter()).json(),
        })
    });
    json!({ "workload": name, "methods": methods.collect::<Vec<_>>() })
}
