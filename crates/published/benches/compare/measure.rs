//! Checks every canvas by every method, in turns.

use std::time::Duration;

use serde_json::{Value, json};

use super::clock::Started;
use super::memory;
use super::methods::{Compiled, Method, Outcome};
use super::quantile::quantile;
use super::vocabulary::Encoder;
use super::workload::{Case, Source};

/// What a method did with the canvases of a workload.
pub struct Measured {
    pub method: Method,
    /// Why there is nothing more.
    pub refused: Option<String>,
    /// Reading the grammar's productions, automata and tables.
    pub compile: Duration,
    /// Memory that the compiled grammar holds at most.
    pub compile_peak: usize,
    /// By a method that has met no canvas.
    pub cold: Vec<Outcome>,
    /// By the same one, with one more token revealed.
    pub after: Vec<Outcome>,
}

/// Measures all methods; those of ours come first, and what others say is held
/// against [`Method::Any`]. One in use has met the canvases of `before`.
pub fn measure(
    source: &Source,
    encoder: &Encoder,
    (before, cases): (&[Case], &[Case]),
    methods: &[Method],
    limit: Duration,
) -> Vec<Measured> {
    let grammar = source.read();
    let mut compiled: Vec<(Measured, Option<Compiled>)> = Vec::new();
    for &method in methods {
        let (held, started) = (memory::start(), Started::now());
        let mut made = Compiled::new(method, &grammar, encoder);
        let measured = Measured {
            method,
            compile: started.elapsed(),
            compile_peak: memory::peak_since(held),
            refused: made.as_ref().err().cloned(),
            cold: Vec::new(),
            after: Vec::new(),
        };
        if let (Method::InUse, Ok(made)) = (method, &mut made) {
            for case in before {
                made.fresh().check(&case.cells, encoder, limit);
                made.fresh().check(&case.revealed(), encoder, limit);
            }
        }
        compiled.push((measured, made.ok()));
    }
    for case in cases {
        for (measured, compiled) in &mut compiled {
            if let Some(compiled) = compiled {
                let mut fresh = compiled.fresh();
                measured.cold.push(fresh.check(&case.cells, encoder, limit));
                measured
                    .after
                    .push(fresh.check(&case.revealed(), encoder, limit));
            }
        }
    }
    compiled.into_iter().map(|(measured, _)| measured).collect()
}

/// Figures of several outcomes.
pub struct Figures {
    /// Microseconds, in order.
    times: Vec<f64>,
    /// Bytes of the largest.
    pub peak: usize,
    /// Of them, those without an answer.
    pub undecided: usize,
    /// Of them, those that say yes.
    pub yes: usize,
}

impl Figures {
    pub fn of<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Self {
        let mut figures = Self {
            times: Vec::new(),
            peak: 0,
            undecided: 0,
            yes: 0,
        };
        for outcome in outcomes {
            figures.times.push(outcome.time.as_secs_f64() * 1e6);
            figures.peak = figures.peak.max(outcome.peak);
            figures.undecided += usize::from(outcome.answer.is_none());
            figures.yes += usize::from(outcome.answer == Some(true));
        }
        figures.times.sort_by(f64::total_cmp);
        figures
    }

    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// Microseconds below which so large a share lies; a time without an answer
    /// counts as it is.
    pub fn quantile(&self, share: f64) -> f64 {
        quantile(&self.times, share)
    }

    pub fn json(&self) -> Value {
        json!({
            "count": self.count(),
            "medianMicros": self.quantile(0.5),
            "p99Micros": self.quantile(0.99),
            "peakBytes": self.peak,
            "undecided": self.undecided,
            "yes": self.yes,
        })
    }
}

/// Answers that differ from those of a method that is exact: wrong yes, wrong no.
pub fn wrong(outcomes: &[Outcome], exact: &[Outcome]) -> (usize, usize) {
    let pairs = outcomes.iter().zip(exact);
    let pairs = pairs.filter_map(|(said, right)| Some((said.answer?, right.answer?)));
    pairs.fold((0, 0), |(yes, no), pair| match pair {
        (true, false) => (yes + 1, no),
        (false, true) => (yes, no + 1),
        _ => (yes, no),
    })
}
