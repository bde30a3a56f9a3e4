//! Times to compile, and their quantiles, of all schemas and by their length.

use std::time::Duration;

use serde_json::{Value, json};

const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0)];
/// Lengths of schemas, in bytes, that are told apart.
const CLASSES: [(&str, usize); 4] = [
    ("under 10 kB", 10_000),
    ("10 to 100 kB", 100_000),
    ("100 kB to 1 MB", 1_000_000),
    ("over 1 MB", usize::MAX),
];

/// What compiling one schema took.
pub struct Time {
    pub taken: Duration,
    /// Of the schema, in bytes.
    pub length: usize,
    /// Whether there was a grammar in the end.
    pub is_taken: bool,
    pub name: String,
}

/// What compiling took, schema by schema.
#[derive(Default)]
pub struct Times {
    pub writing: Vec<Time>,
    pub judging: Vec<Time>,
    /// Until there is a checker, of those that have a grammar.
    pub ready_to_write: Vec<Time>,
    pub ready_to_judge: Vec<Time>,
}

impl Times {
    /// Of each kind, every schema's name, milliseconds, and whether it was taken.
    pub fn to_json(&self) -> Value {
        let listed = |times: &[Time]| {
            let each = times.iter().map(|it| {
                let milliseconds = it.taken.as_secs_f64() * 1e3;
                json!({"name": it.name, "milliseconds": milliseconds, "taken": it.is_taken})
            });
            each.collect::<Value>()
        };
        json!({
            "writing": listed(&self.writing),
            "judging": listed(&self.judging),
            "ready to write": listed(&self.ready_to_write),
            "ready to judge": listed(&self.ready_to_judge),
        })
    }

    pub fn print(&mut self, slowest: usize) {
        for (purpose, times) in [
            ("writing", &mut self.writing),
            ("judging", &mut self.judging),
            ("ready to write", &mut self.ready_to_write),
            ("ready to judge", &mut self.ready_to_judge),
        ] {
            times.sort_unstable_by_key(|time| time.taken);
            if times.is_empty() {
                continue;
            }
            println!("{purpose}: {}", quantiles(times));
            let taken: Vec<&Time> = times.iter().filter(|time| time.is_taken).collect();
            if !taken.is_empty() {
                println!("    {} that are taken: {}", taken.len(), quantiles(&taken));
            }
            let mut from = 0;
            for (name, to) in CLASSES {
                let of_class = times.iter();
                let of_class = of_class.filter(|time| (from..to).contains(&time.length));
                let of_class: Vec<&Time> = of_class.collect();
                if !of_class.is_empty() {
                    println!("    {} {name}: {}", of_class.len(), quantiles(&of_class));
                }
                from = to;
            }
            for time in times.iter().rev().take(slowest) {
                println!("    {} {}", milliseconds(time.taken), time.name);
            }
        }
    }
}

/// Of times in order.
pub fn quantiles<T: std::borrow::Borrow<Time>>(times: &[T]) -> String {
    let shown = QUANTILES.map(|(quantile, part)| {
        let at = ((times.len() as f64 * part) as usize).min(times.len() - 1);
        format!("{quantile} {}", milliseconds(times[at].borrow().taken))
    });
    shown.join(", ")
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
