//! Times to compile, and their quantiles.

use std::time::Duration;

const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0)];

/// What compiling took, schema by schema.
#[derive(Default)]
pub struct Times {
    pub writing: Vec<(Duration, String)>,
    pub judging: Vec<(Duration, String)>,
}

impl Times {
    pub fn print(&mut self, slowest: usize) {
        for (name, times) in [
            ("writing", &mut self.writing),
            ("judging", &mut self.judging),
        ] {
            times.sort_unstable();
            if times.is_empty() {
                continue;
            }
            let shown = QUANTILES.map(|(quantile, part)| {
                let at = ((times.len() as f64 * part) as usize).min(times.len() - 1);
                format!("{quantile} {}", milliseconds(times[at].0))
            });
            println!("{name}: {}", shown.join(", "));
            for (time, schema) in times.iter().rev().take(slowest) {
                println!("    {} {schema}", milliseconds(*time));
            }
        }
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
