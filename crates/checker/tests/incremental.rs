//! A checker that has seen other canvases answers as a fresh one does. Oracle: a new checker for
//! every pattern.

use crate::support::{self, RandomGrammar};
use lacuna_checker::{Checker, CheckerLimits, Gap, Pattern, Segment, Verdict};
use lacuna_grammar::Grammar;
use lacuna_grammar::recognize::recognize;

/// A pattern like the last one but for one piece.
fn vary(pattern: &Pattern, random: &mut fastrand::Rng) -> Pattern {
    let mut segments = pattern.segments.clone();
    for segment in &mut segments {
        if let Segment::Gap(Gap::UpTo(cells)) = *segment {
            *segment = Segment::Gap(Gap::Cells(cells));
        }
    }
    let piece = match random.u8(..3) {
        0 => Segment::Gap(Gap::Any),
        1 => Segment::Gap(Gap::Cells(random.usize(1..=3))),
        _ => Segment::Text(
            (0..random.usize(1..=3))
                .map(|_| b"ab("[random.usize(..3)])
                .collect(),
        ),
    };
    let at = random.usize(..=segments.len());
    match random.u8(..3) {
        0 if at < segments.len() => {
            segments.remove(at);
        }
        1 if at < segments.len() => segments[at] = piece,
        _ => segments.insert(at, piece),
    }
    segments.truncate(5);
    Pattern::with_open_tail(segments.into_iter())
}

fn compare(name: &str, grammar: &Grammar, random: &mut fastrand::Rng) -> [usize; 2] {
    let tokens = support::random_tokens(random);
    let vocabulary = std::sync::Arc::new(support::vocabulary(&tokens));
    let fresh = || Checker::new(grammar, Some(vocabulary.clone()), CheckerLimits::default());
    let mut used = fresh().expect(name);
    let mut pattern = Pattern::default();
    let mut counts = [0; 2];
    for _ in 0..20 {
        pattern = vary(&pattern, random);
        let expected = fresh().expect(name).check_by_parse(&pattern);
        let found = used.check_by_parse(&pattern);
        assert_eq!(
            found.is_completable(),
            expected.is_completable(),
            "{name}, {pattern:?}: {found:?} instead of {expected:?}"
        );
        if let Verdict::Completable(witness) = found {
            let text = witness.text(&pattern, Some(&vocabulary));
            assert!(recognize(grammar, &text), "{name}, {pattern:?}: {text:?}");
            counts[0] += 1;
        } else {
            counts[1] += 1;
        }
    }
    counts
}

#[test]
fn charts_that_are_kept_change_no_answer() {
    let mut counts = [0; 2];
    for seed in 0..120 {
        let mut random = fastrand::Rng::with_seed(seed);
        let grammar = match seed % 2 {
            0 => RandomGrammar::new(&mut random).grammar(),
            _ => RandomGrammar::new(&mut random).munching(),
        };
        let name = format!("seed {seed}: {grammar:?}");
        let [yes, no] = compare(&name, &grammar, &mut random);
        counts = [counts[0] + yes, counts[1] + no];
    }
    let all = counts[0] + counts[1];
    assert!(
        counts.iter().all(|&count| count * 6 > all),
        "lopsided: {counts:?}"
    );
}
