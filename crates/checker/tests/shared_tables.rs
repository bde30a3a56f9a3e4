//! Tables that checkers of one compiled grammar share.
//!
//! Oracle: a checker that has everything to itself. Whoever asked before, with whatever
//! vocabulary, and whoever asks at the same time, each answers as that one does: verdicts,
//! witnesses and tiers alike.

use std::sync::Arc;
use std::thread;

use crate::support::{self, compiled, patterns};
use lacuna_checker::{Checker, CheckerLimits, Compiled, Gap, Pattern, Segment, Tier, Verdict};
use lacuna_grammar::lark;
use lacuna_lexer::Vocabulary;

/// The answers of a checker that begins with what others left.
fn answers(
    shared: &Arc<Compiled>,
    vocabulary: &Arc<Vocabulary>,
    patterns: &[Pattern],
) -> Vec<(Verdict, Tier)> {
    let (shared, vocabulary) = (Arc::clone(shared), Some(Arc::clone(vocabulary)));
    let mut checker = Checker::from_compiled(shared, vocabulary, CheckerLimits::default());
    let answers = patterns.iter().map(|pattern| checker.check(pattern));
    answers.collect()
}

#[test]
fn who_asked_before_changes_no_answer() {
    let mut yes = 0;
    for seed in 0..150 {
        let (name, _, first) = compiled(seed);
        let shared = Arc::new(first);
        let mut random = fastrand::Rng::with_seed(seed);
        let vocabularies: Vec<Arc<Vocabulary>> = (0..2)
            .map(|_| Arc::new(support::vocabulary(&support::random_tokens(&mut random))))
            .collect();
        for vocabulary in vocabularies.iter().chain(&vocabularies) {
            let patterns = patterns(&mut random, vocabulary);
            let alone = answers(&Arc::new(compiled(seed).2), vocabulary, &patterns);
            let after = answers(&shared, vocabulary, &patterns);
            assert_eq!(after, alone, "{name}");
            yes += after.iter().filter(|(v, _)| v.is_completable()).count();
        }
    }
    assert!(yes > 600, "{yes}");
}

#[test]
fn who_asks_at_the_same_time_changes_no_answer() {
    let grammar = lark::parse(include_str!("../../../grammars/cpp.lark")).expect("a grammar");
    let compile = || Arc::new(Compiled::new(&grammar, true, &CheckerLimits::default()).unwrap());
    let tokens: Vec<Vec<u8>> = (b' '..=b'~').map(|byte| vec![byte]).collect();
    let vocabulary = Arc::new(support::vocabulary(&tokens));
    let pieces: [&[&str]; 3] = [
        &["int main() { for (int i = 0;", "; i++) { f(", "]; } }"],
        &["int f(int x) { return x", ");", "}"],
        &["class {", "int x;"],
    ];
    let mut patterns = Vec::new();
    for gap in [Gap::Any, Gap::Cells(6)] {
        patterns.extend(pieces.iter().map(|pieces| {
            let texts = pieces
                .iter()
                .map(|text| Segment::Text(text.as_bytes().to_vec()));
            let segments = texts.flat_map(|text| [text, Segment::Gap(gap)]);
            Pattern {
                segments: segments.collect(),
            }
        }));
    }
    let alone = answers(&compile(), &vocabulary, &patterns);
    assert!(alone.iter().any(|(verdict, _)| verdict.is_completable()));
    let shared = compile();
    let compiled = shared.heap_bytes();
    thread::scope(|scope| {
        let others: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| answers(&shared, &vocabulary, &patterns)))
            .collect();
        for other in others {
            assert_eq!(other.join().expect("answers"), alone);
        }
    }); // What they share is counted, and does not grow with them.
    let once = shared.heap_bytes();
    assert_eq!(once > compiled, cfg!(feature = "shortcuts"));
    answers(&shared, &vocabulary, &patterns);
    assert_eq!(shared.heap_bytes(), once);
}
