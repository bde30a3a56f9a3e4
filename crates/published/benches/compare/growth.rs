//! How times grow with the canvas: a table, and a plot on two logarithmic axes.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Options;
use super::measure::{Figures, measure};
use super::methods::Method;
use super::report::time;
use super::vocabulary::Encoder;
use super::workload::{Masks, cases};

/// Canvases of each size at least, if others are as many.
const FEWEST: usize = 4;

/// Cold medians, by number of cells.
pub struct Growth {
    pub masks: Masks,
    pub sizes: Vec<usize>,
    /// For each method, microseconds at each size, and how many canvases of each had
    /// no answer in time.
    pub lines: Vec<(Method, Vec<(f64, usize)>)>,
}

/// Measures canvases of several sizes, of the first grammar.
pub fn growth(options: &Options, masks: Masks, encoder: &Encoder) -> Growth {
    let mut lines: Vec<(Method, Vec<(f64, usize)>)> = Vec::new();
    let count = options.cases.min(FEWEST).max(options.cases / 6);
    for source in options.sources.iter().take(1) {
        for &size in &options.sizes {
            let cases = cases(source, masks, encoder, size, 2 * count);
            let (cases, before) = cases.split_at(count);
            let canvases = (before, cases);
            for one in measure(source, encoder, canvases, &options.methods, options.limit) {
                let figures = Figures::of(one.cold.iter());
                let point = (figures.quantile(0.5), figures.undecided);
                match lines.iter_mut().find(|(method, _)| *method == one.method) {
                    Some((_, points)) => points.push(point),
                    None => lines.push((one.method, vec![point])),
                }
            }
            eprintln!("measured {} cells, {}", size, masks.name());
        }
    }
    Growth {
        masks,
        sizes: options.sizes.clone(),
        lines,
    }
}

impl Growth {
    /// A table: a row a size, a column a method.
    pub fn table(&self) -> String {
        let mut text = format!("| cells, {} |", self.masks.name());
        for (method, _) in &self.lines {
            let _ = write!(text, " {} |", method.name());
        }
        text.push_str("\n|--:|");
        text.push_str(&"--:|".repeat(self.lines.len()));
        text.push('\n');
        for (row, size) in self.sizes.iter().enumerate() {
            let _ = write!(text, "| {size} |");
            for (_, points) in &self.lines {
                let (micros, undecided) = points[row];
                let out = match undecided {
                    0 => String::new(),
                    out => format!(" ({out} out of time)"),
                };
                let _ = write!(text, " {}{out} |", time(micros));
            }
            text.push('\n');
        }
        text
    }

    pub fn json(&self) -> Value {
        let lines = self.lines.iter().map(|(method, points)| {
            let points = points.iter().zip(&self.sizes).map(|(&(micros, undecided), cells)| {
                json!({ "cells": cells, "medianMicros": micros, "undecided": undecided })
            });
            json!({ "method": method.name(), "points": points.collect::<Vec<_>>() })
        });
        json!({ "masks": self.masks.name(), "lines": lines.collect::<Vec<_>>() })
    }
}

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 36.0;
const COLOURS: [&str; 5] = ["#0b6e4f", "#3a8fd0", "#6a5acd", "#c4780a", "#a8325a"];

/// The plots side by side, as SVG.
pub fn plot(growths: &[Growth]) -> String {
    let total = growths.len() as f64 * (WIDTH + LEFT + 24.0);
    let height = TOP + HEIGHT + 84.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for (index, growth) in growths.iter().enumerate() {
        let x = LEFT + index as f64 * (WIDTH + LEFT + 24.0);
        let _ = writeln!(svg, "<g transform=\"translate({x},{TOP})\">");
        one(&mut svg, growth);
        svg.push_str("</g>\n");
    }
    let mut x = LEFT;
    for (method, colour) in Method::ALL.iter().zip(COLOURS) {
        let y = TOP + HEIGHT + 62.0;
        let name = method.name().replace('`', "");
        let _ = writeln!(
            svg,
            "<line x1=\"{x}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\" stroke=\"{colour}\" \
             stroke-width=\"2.5\"/><text x=\"{}\" y=\"{}\">{name}</text>",
            x + 22.0,
            x + 28.0,
            y + 4.0,
        );
        x += 60.0 + 6.0 * name.len() as f64;
    }
    svg.push_str("</svg>\n");
    svg
}

fn one(svg: &mut String, growth: &Growth) {
    let points = growth.lines.iter().flat_map(|(_, points)| points);
    let times: Vec<f64> = points
        .map(|point| point.0)
        .filter(|t| t.is_finite())
        .collect();
    let low = times
        .iter()
        .fold(f64::MAX, |a, &b| a.min(b))
        .log10()
        .floor();
    let high = times.iter().fold(1.0, |a: f64, &b| a.max(b)).log10().ceil();
    let (first, last) = match growth.sizes.as_slice() {
        &[first, .., last] => (first as f64, last as f64),
        _ => return,
    };
    let x = |cells: f64| WIDTH * (cells / first).log2() / (last / first).log2();
    let y = |micros: f64| HEIGHT * (1.0 - (micros.log10() - low) / (high - low));
    let title = format!("median of a cold check, {} masks", growth.masks.name());
    let _ = writeln!(
        svg,
        "<text x=\"0\" y=\"-14\" font-weight=\"bold\">{title}</text>"
    );
    for &size in &growth.sizes {
        let at = x(size as f64);
        let _ = writeln!(
            svg,
            "<line x1=\"{at}\" x2=\"{at}\" y1=\"0\" y2=\"{HEIGHT}\" stroke=\"#e4e4e4\"/>\
             <text x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{size}</text>",
            HEIGHT + 18.0,
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">cells</text>",
        WIDTH / 2.0,
        HEIGHT + 36.0,
    );
    for decade in low as i32..=high as i32 {
        let micros = 10f64.powi(decade);
        let at = y(micros);
        let _ = writeln!(
            svg,
            "<line x1=\"0\" x2=\"{WIDTH}\" y1=\"{at}\" y2=\"{at}\" stroke=\"#e4e4e4\"/>\
             <text x=\"-8\" y=\"{}\" text-anchor=\"end\">{}</text>",
            at + 4.0,
            time(micros).replace(".0", ""),
        );
    }
    for (method, points) in &growth.lines {
        let index = Method::ALL
            .iter()
            .position(|other| other == method)
            .unwrap_or(0);
        let line: Vec<String> = points
            .iter()
            .zip(&growth.sizes)
            .filter(|((micros, _), _)| micros.is_finite())
            .map(|(&(micros, _), &size)| format!("{:.1},{:.1}", x(size as f64), y(micros)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.5\"/>",
            line.join(" "),
            COLOURS[index],
        );
    }
}
