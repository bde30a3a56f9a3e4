//! Budgets end a check with an outcome of its own, never with a wrong no, and before memory does.
//! Oracle: the same check with the default budget.

mod support;

use lacuna_checker::{Checker, CheckerLimits, Gap, Pattern, Segment, Verdict};
use lacuna_grammar::gbnf;

#[test]
fn small_budgets_never_turn_an_answer_into_another() {
    let (mut decided, mut exhausted) = (0, 0);
    for case in support::fixtures() {
        let vocabulary = std::sync::Arc::new(support::vocabulary(&case.tokens));
        let mut random = fastrand::Rng::with_seed(7);
        for budget in [1, 10, 40, 160, 1000] {
            let small = CheckerLimits {
                parse_items: budget,
                ..CheckerLimits::default()
            };
            let checker = |limits| {
                Checker::new(&case.grammar, Some(vocabulary.clone()), limits).expect(&case.name)
            };
            let (mut small, mut default) = (checker(small), checker(CheckerLimits::default()));
            for _ in 0..10 {
                let pieces = (0..random.usize(1..4)).map(|_| match random.bool() {
                    true => Segment::Gap(Gap::Cells(random.usize(1..4))),
                    false => {
                        let token = &case.tokens[random.usize(..case.tokens.len())];
                        Segment::Text(token.clone())
                    }
                });
                let pieces: Vec<Segment> = pieces.collect();
                let pattern = Pattern::with_open_tail(pieces.into_iter());
                match small.check_by_parse(&pattern) {
                    Verdict::Exhausted { .. } => exhausted += 1,
                    verdict => {
                        decided += 1;
                        let expected = default.check_by_parse(&pattern);
                        assert_eq!(
                            verdict.is_completable(),
                            expected.is_completable(),
                            "{}: {pattern:?} within {budget}",
                            case.name
                        );
                    }
                }
            }
        }
    }
    assert!(
        decided > 50 && exhausted > 50,
        "{decided} decided, {exhausted} exhausted"
    );
}

/// Large terminals that any segmentation cuts up, many tokens, and cells: the points that one walk
/// reaches are many more than the budget.
#[test]
fn a_walk_that_is_too_long_is_given_up() {
    let grammar = r#"
root ::= element
element ::= "<" name ">" (text | element)* "</" name ">"
name ::= [a-z]+ | "p" | "em" | "strong"
text ::= ([^<&] | "&" ("lt" | "amp" | "gt") ";")+
"#;
    let grammar = gbnf::parse(grammar).expect("a grammar");
    let mut tokens: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    for first in b'a'..=b'z' {
        for second in b"abcdefghijklmnopqrstuvwxyz<>/&;".iter() {
            tokens.extend((b'a'..=b'z').map(|third| vec![first, *second, third]));
        }
    }
    let vocabulary = std::sync::Arc::new(support::vocabulary(&tokens));
    let limits = CheckerLimits {
        parse_items: 2_000,
        ..CheckerLimits::default()
    };
    let mut checker = Checker::new(&grammar, Some(vocabulary), limits).expect("a checker");
    let pattern = Pattern {
        segments: vec![
            Segment::Text(b"<p><em".to_vec()),
            Segment::Gap(Gap::Cells(6)),
            Segment::Text(b"</p>".to_vec()),
        ],
    };
    let verdict = checker.check_by_parse(&pattern);
    assert!(matches!(verdict, Verdict::Exhausted { .. }), "{verdict:?}");
}
