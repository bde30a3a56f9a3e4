//! Methods against ours on the same runs: how often one is right where the other is wrong.
//!
//! Two shares of a small sample say little of their difference; the runs in which only
//! one of two methods is right say all there is. If both were as good, either would be the
//! one that is right half of the time, so how likely so uneven a parting is by chance is
//! known exactly (the sign test, McNemar's).

use std::fmt::Write as _;

use super::table::{Output, Series, rows_of};

/// Runs in which only one of two methods is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Only the one that is compared.
    pub alone: usize,
    /// Only the one that it is compared to.
    pub other: usize,
}

impl Paired {
    /// Of pairs of runs.
    pub fn of(pairs: &[Pair<'_>], is_right: impl Fn(&Output) -> bool) -> Self {
        let mut paired = Self::default();
        for Pair { own, base } in pairs {
            match (is_right(own), is_right(base)) {
                (true, false) => paired.alone += 1,
                (false, true) => paired.other += 1,
                _ => {}
            }
        }
        paired
    }

    /// How likely a parting at least so uneven is where both are as good, two-sided.
    pub fn chance(&self) -> f64 {
        let all = self.alone + self.other;
        let less = self.alone.min(self.other);
        // Of the ways to choose from `all`, as a share of them.
        let mut ways = 0.5f64.powi(i32::try_from(all).unwrap_or(i32::MAX));
        let mut sum = 0.0;
        for chosen in 0..=less {
            sum += ways;
            ways *= (all - chosen) as f64 / (chosen + 1) as f64;
        }
        (2.0 * sum).min(1.0)
    }
}

/// What two methods made of the same example.
pub struct Pair<'a> {
    /// The method's.
    pub own: &'a Output,
    /// That of the method that it is compared to.
    pub base: &'a Output,
}

/// Every run of a method at a number of steps, beside that of `base` with the same seed. Seeds
/// with which both write what they wrote before repeat a measurement of time, and show nothing of
/// who is right.
pub fn pairs_of<'a>(
    all: &'a [Series],
    (steps, method): (usize, &str),
    base: &str,
) -> Vec<Pair<'a>> {
    let own = all
        .iter()
        .filter(|s| s.steps == steps && s.method == method);
    let mut pairs = Vec::new();
    let mut before: Vec<[&Series; 2]> = Vec::new();
    for own in own {
        let beside = |s: &&Series| s.steps == steps && s.method == base && s.seed == own.seed;
        if let Some(base) = all.iter().find(beside) {
            let both = [own, base];
            let repeats = |known: &[&Series; 2]| {
                let mut known = known.iter().zip(both);
                known.all(|(known, now)| {
                    let mut outputs = known.outputs.iter().zip(&now.outputs);
                    outputs.all(|(a, b)| a.text == b.text)
                })
            };
            if before.iter().any(repeats) {
                continue;
            }
            before.push(both);
            let outputs = own.outputs.iter().zip(&base.outputs);
            pairs.extend(outputs.map(|(own, base)| Pair { own, base }));
        }
    }
    pairs
}

/// A row for each method but `base` and number of steps; nothing where `base` is not among
/// the methods, or nothing else is.
pub fn markdown(all: &[Series], base: &str) -> String {
    let mut text = String::new();
    for (steps, method) in rows_of(all) {
        let pairs = pairs_of(all, (steps, method), base);
        if pairs.is_empty() || method == base {
            continue;
        }
        if text.is_empty() {
            let _ = writeln!(
                text,
                "| steps | method | runs | exact where {base} is not | {base} is where it is not \
                 | by chance |\n|--:|---|--:|--:|--:|--:|"
            );
        }
        let paired = Paired::of(&pairs, |output| output.exact);
        let _ = writeln!(
            text,
            "| {steps} | {method} | {} | {} | {} | {:.2} |",
            pairs.len(),
            paired.alone,
            paired.other,
            paired.chance(),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_is_that_of_coins() {
        let chance = |alone, other| Paired { alone, other }.chance();
        assert_eq!(chance(0, 0), 1.0);
        assert_eq!(chance(3, 3), 1.0);
        // Of 2^5 ways one has no head and one no tail.
        assert!((chance(0, 5) - 2.0 / 32.0).abs() < 1e-12);
        assert_eq!(chance(5, 0), chance(0, 5));
        // 1 + 10 of 2^10 on either side.
        assert!((chance(1, 9) - 22.0 / 1024.0).abs() < 1e-12);
        assert!(chance(0, 2000) < 1e-300);
    }
}
