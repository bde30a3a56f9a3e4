//! Canvases with gaps of any length under every schema: how many are decided, and how soon.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lacuna_checker::{Checker, CheckerLimits, Compiled, Gap, Pattern, Segment, Verdict};
use lacuna_grammar::Grammar;

use crate::clock;
use crate::times::{Time, quantiles};

/// What is asked of each schema, gaps as `_`.
const CANVASES: [&str; 4] = ["_", "{_}", r#"{_: "a_}"#, r#"{"_":_,_}"#];

/// The verdicts on one canvas under all schemas.
#[derive(Default)]
struct Verdicts {
    completable: u32,
    impossible: u32,
    undecided: u32,
    times: Vec<Time>,
}

/// The verdicts on every canvas.
#[derive(Default)]
pub struct Gaps([Verdicts; CANVASES.len()]);

impl Gaps {
    /// Asks all canvases under a schema, one after the other; `judge` says of the text of each
    /// witness what another validator does.
    pub fn ask(
        &mut self,
        name: &str,
        length: usize,
        grammar: &Grammar,
        judge: impl Fn(&[u8]) -> bool,
    ) {
        let limits = CheckerLimits::default();
        let Ok(compiled) = Compiled::new(grammar, false, &limits) else {
            println!("too large for a checker: {name}");
            return;
        };
        let mut checker = Checker::from_compiled(Arc::new(compiled), None, limits);
        for (canvas, verdicts) in CANVASES.into_iter().zip(&mut self.0) {
            let pattern = pattern(canvas);
            let start = clock::now();
            let verdict = checker.check(&pattern).0;
            let taken = clock::now() - start;
            match &verdict {
                Verdict::Completable(witness) => {
                    verdicts.completable += 1;
                    let text = witness.text(&pattern, None);
                    if !judge(&text) {
                        let text = String::from_utf8_lossy(&text);
                        println!("{name}: {canvas}: a witness that is not valid: {text}");
                    }
                }
                Verdict::Impossible => verdicts.impossible += 1,
                Verdict::Exhausted { .. } => verdicts.undecided += 1,
            }
            verdicts.times.push(Time {
                taken,
                length,
                is_taken: !matches!(verdict, Verdict::Exhausted { .. }),
                name: name.to_owned(),
            });
        }
    }

    /// Prints what was found, with the slowest of each canvas.
    pub fn print(&mut self, slowest: usize) {
        for (canvas, verdicts) in CANVASES.into_iter().zip(&mut self.0) {
            if verdicts.times.is_empty() {
                continue;
            }
            println!("gaps {canvas}: {verdicts}");
            verdicts.times.sort_unstable_by_key(|time| time.taken);
            println!("    {}", quantiles(&verdicts.times));
            for time in verdicts.times.iter().rev().take(slowest) {
                let verdict = if time.is_taken { "" } else { ", undecided" };
                println!("    {} ms {}{verdict}", shown(time.taken), time.name);
            }
        }
    }
}

impl fmt::Display for Verdicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            completable,
            impossible,
            undecided,
            ..
        } = self;
        write!(
            f,
            "{completable} can be completed, {impossible} cannot, {undecided} undecided"
        )
    }
}

fn shown(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}

fn pattern(canvas: &str) -> Pattern {
    let mut segments = Vec::new();
    for (at, piece) in canvas.split('_').enumerate() {
        if at > 0 {
            segments.push(Segment::Gap(Gap::Any));
        }
        if !piece.is_empty() {
            segments.push(Segment::Text(piece.as_bytes().to_vec()));
        }
    }
    Pattern { segments }
}
