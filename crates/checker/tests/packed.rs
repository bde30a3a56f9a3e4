//! Compiled grammars that went through bytes.
//!
//! What was written and read answers as what was compiled does, verdicts, witnesses
//! and tiers alike. And bytes that anything may have happened to are refused, or
//! answer: never with a panic, never with a witness that does not fit.

use std::sync::Arc;

use crate::support::{self, compiled, patterns};
use lacuna_checker::{Checker, CheckerLimits, Compiled, Pattern, Verdict};
use lacuna_lexer::Vocabulary;

fn checker(compiled: Compiled, vocabulary: &Arc<Vocabulary>) -> Checker {
    let vocabulary = Some(Arc::clone(vocabulary));
    Checker::from_compiled(Arc::new(compiled), vocabulary, CheckerLimits::default())
}

#[test]
fn what_was_read_answers_as_what_was_compiled() {
    let mut yes = 0;
    for seed in 0..300 {
        let (name, _, compiled) = compiled(seed);
        let bytes = compiled.to_bytes().expect(&name);
        let read = Compiled::from_bytes(&bytes, &CheckerLimits::default()).expect(&name);
        assert_eq!(read.to_bytes().expect(&name), bytes, "{name}");
        let limits = CheckerLimits::default();
        assert_eq!(read.statistics(&limits), compiled.statistics(&limits));

        let mut random = fastrand::Rng::with_seed(seed);
        let tokens = support::random_tokens(&mut random);
        let vocabulary = Arc::new(support::vocabulary(&tokens));
        let mut before = checker(compiled, &vocabulary);
        let mut after = checker(read, &vocabulary);
        for pattern in patterns(&mut random, &vocabulary) {
            let expected = before.check(&pattern);
            assert_eq!(after.check(&pattern), expected, "{name}, {pattern:?}");
            yes += usize::from(expected.0.is_completable());
        }
    }
    assert!(yes > 300, "{yes} of {}", 300 * 8);
}

#[test]
fn two_compilations_are_the_same_bytes() {
    for seed in 0..50 {
        let bytes = || compiled(seed).2.to_bytes();
        assert_eq!(bytes(), bytes(), "seed {seed}");
    }
}

/// Reads bytes and, if they are taken, asks.
fn ask(name: &str, bytes: &[u8], vocabulary: &Arc<Vocabulary>, patterns: &[Pattern]) -> bool {
    let limits = CheckerLimits {
        parse_items: 20_000,
        ..CheckerLimits::default()
    };
    let Ok(read) = Compiled::from_bytes(bytes, &limits) else {
        return false;
    };
    assert!(read.heap_bytes() < 1 << 20, "{name}");
    let mut checker = Checker::from_compiled(Arc::new(read), Some(Arc::clone(vocabulary)), limits);
    for pattern in patterns {
        for verdict in [checker.check(pattern).0, checker.check_by_parse(pattern)] {
            if let Verdict::Completable(witness) = verdict {
                support::assert_fits(pattern, &witness, vocabulary);
            }
        }
    }
    // With what checks made of it.
    let bytes = checker.compiled().heap_bytes();
    assert!(bytes < 1 << 25, "{bytes}: {name}");
    true
}

#[test]
fn changed_bytes_are_refused_or_answer() {
    let mut counts = [0; 2];
    for seed in 0..60 {
        let (name, _, compiled) = compiled(seed);
        let bytes = compiled.to_bytes().expect(&name);
        let mut random = fastrand::Rng::with_seed(seed);
        let tokens = support::random_tokens(&mut random);
        let vocabulary = Arc::new(support::vocabulary(&tokens));
        let patterns = patterns(&mut random, &vocabulary);
        for _ in 0..200 {
            let mut changed = bytes.clone();
            for _ in 0..random.usize(1..=3) {
                let at = random.usize(..changed.len());
                match random.u8(..6) {
                    0 => changed[at] ^= 1 << random.u8(..8),
                    1 => changed[at] = random.u8(..),
                    2 => changed[at] = changed[at].wrapping_add(1),
                    3 => drop(changed.remove(at)),
                    4 => changed.insert(at, random.u8(..)),
                    _ => changed[at] = bytes[random.usize(..bytes.len())],
                }
            }
            counts[usize::from(ask(&name, &changed, &vocabulary, &patterns))] += 1;
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        for wrong in (0..bytes.len())
            .map(|length| &bytes[..length])
            .chain([&longer[..]])
        {
            assert!(!ask(&name, wrong, &vocabulary, &patterns), "{name}");
        }
    }
    let [refused, taken] = counts;
    assert!(refused > 3 * taken && taken > 200, "{counts:?}");
}

/// A few bytes that promise much must not be believed.
#[test]
fn sizes_are_not_taken_on_trust() {
    for seed in 0..12 {
        let (name, _, compiled) = compiled(seed);
        let bytes = compiled.to_bytes().expect(&name);
        let mut random = fastrand::Rng::with_seed(seed);
        let vocabulary = Arc::new(support::vocabulary(&support::random_tokens(&mut random)));
        let patterns = patterns(&mut random, &vocabulary);
        let huge = [0xFF, 0xFF, 0xFF, 0xFF, 0x0F];
        for at in 0..bytes.len() {
            let changed = [&bytes[..at], &huge, &bytes[at + 1..]].concat();
            ask(&name, &changed, &vocabulary, &patterns);
        }
    }
}
