//! Budgets end a check with an outcome of its own, never with a wrong no, and before memory does.
//! Oracle: the same check with the default budget.

use crate::support;
use lacuna_checker::{Budget, Checker, CheckerLimits, Gap, Pattern, Segment, Tier, Verdict};
use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_grammar::gbnf;
use lacuna_grammar::recognize::recognize;

/// Gaps of any length and long tails, by all tiers: what stands in for those that are out
/// of budget finds members too, and refuses nothing. Oracle: the recogniser for a yes, the
/// default budget for a no.
#[test]
fn what_a_small_budget_finds_is_right() {
    let (mut yes, mut no, mut exhausted) = (0, 0, 0);
    for case in support::fixtures() {
        let vocabulary = std::sync::Arc::new(support::vocabulary(&case.tokens));
        let mut random = fastrand::Rng::with_seed(11);
        for budget in [1, 40, 400, 4_000, 40_000] {
            let limits = CheckerLimits {
                parse_items: budget,
                ..CheckerLimits::default()
            };
            let checker = |limits| {
                Checker::new(&case.grammar, Some(vocabulary.clone()), limits).expect(&case.name)
            };
            let (mut small, mut default) = (checker(limits), checker(CheckerLimits::default()));
            for at in 0..16 {
                let gap = |random: &mut fastrand::Rng| match at % 2 {
                    0 => Gap::Any,
                    _ => Gap::Cells(random.usize(1..3)),
                };
                let pieces = (0..random.usize(1..5)).map(|_| match random.bool() {
                    true => Segment::Gap(gap(&mut random)),
                    false => {
                        Segment::Text(random.choice(&case.tokens).cloned().unwrap_or_default())
                    }
                });
                let mut pieces: Vec<Segment> = pieces.collect();
                if at % 4 == 1 {
                    pieces.push(Segment::Gap(Gap::Cells(100)));
                }
                let pattern = Pattern::with_open_tail(pieces.into_iter());
                match small.check(&pattern).0 {
                    Verdict::Completable(witness) => {
                        yes += 1;
                        let text = witness.text(&pattern, Some(&vocabulary));
                        let name = &case.name;
                        assert!(
                            recognize(&case.grammar, &text),
                            "{name}: {pattern:?}, {text:?}"
                        );
                    }
                    Verdict::Impossible => {
                        no += 1;
                        let expected = default.check(&pattern).0;
                        assert!(!expected.is_completable(), "{}: {pattern:?}", case.name);
                    }
                    Verdict::Exhausted { .. } => exhausted += 1,
                }
            }
        }
    }
    let counts = [yes, no, exhausted];
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

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
        parse_items: 200,
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

#[test]
fn a_text_longer_than_automata_may_be_is_refused() {
    let limits = CheckerLimits::default();
    let most = limits.automata.dfa_states;
    for (length, is_taken) in [(most / 2, true), (most, false), (12 * most, false)] {
        let grammar = format!("root ::= \"{}\"", "a".repeat(length));
        let grammar = gbnf::parse(&grammar).expect("a grammar");
        let checker = Checker::new(&grammar, None, limits);
        assert_eq!(checker.is_ok(), is_taken, "{length} bytes");
    }
}

/// Oracle: the plain recogniser. Whatever is answered to a pattern with a token more than
/// the last one by a checker in a hurry, which mends its last completion, the text of its
/// completion belongs to the language, and what it refuses a checker at leisure refuses.
#[test]
fn what_is_mended_belongs() {
    let (mut mended, mut searched) = (0, 0);
    for case in support::fixtures() {
        let mut random = fastrand::Rng::with_seed(12);
        for budget in [4_000, 40_000] {
            let limits = CheckerLimits {
                parse_items: budget,
                ..CheckerLimits::default()
            };
            let checker = |limits| Checker::new(&case.grammar, None, limits).expect(&case.name);
            let (mut small, mut default) = (checker(limits), checker(CheckerLimits::default()));
            for _ in 0..24 {
                let mut pieces = vec![Segment::Gap(Gap::Any)];
                for _ in 0..random.usize(2..9) {
                    let at = random.usize(0..pieces.len());
                    let token = random.choice(&case.tokens).cloned().unwrap_or_default();
                    let split = [
                        Segment::Gap(Gap::Any),
                        Segment::Text(token),
                        Segment::Gap(Gap::Any),
                    ];
                    let split = match random.u8(0..4) {
                        0 => &split[1..],
                        1 => &split[..2],
                        _ => &split[..],
                    };
                    if matches!(pieces[at], Segment::Gap(_)) {
                        pieces.splice(at..=at, split.iter().cloned());
                    }
                    let pattern = Pattern::with_open_tail(pieces.iter().cloned());
                    let (verdict, tier) = small.check(&pattern);
                    mended += usize::from(tier == Tier::Mended);
                    searched += usize::from(tier == Tier::Searched);
                    match verdict {
                        Verdict::Completable(witness) => {
                            let text = witness.text(&pattern, None);
                            let name = &case.name;
                            assert!(
                                recognize(&case.grammar, &text),
                                "{name}: {pattern:?}, {text:?}"
                            );
                        }
                        Verdict::Impossible => {
                            let expected = default.check(&pattern).0;
                            assert!(!expected.is_completable(), "{}: {pattern:?}", case.name);
                            break;
                        }
                        Verdict::Exhausted { .. } => {}
                    }
                }
            }
        }
    }
    // The grammar engine alone mends nothing, for size.
    assert!(
        !SHORTCUTS || mended > 100 && searched > 100,
        "{mended} mended, {searched} searched"
    );
}

/// Cells cannot be counted without a vocabulary: that is neither a yes nor a no, however long a gap
/// is. Oracle: the texts, of any length, are the grammar's.
#[test]
fn cells_without_a_vocabulary_are_left_undecided() {
    let grammar = gbnf::parse("root ::= \"(\" [a-z]* root? \")\"").expect("brackets");
    let mut checker = Checker::new(&grammar, None, CheckerLimits::default()).expect("small");
    let text = |text: &str| Segment::Text(text.into());
    for cells in [1, 30, 40, 400] {
        let pattern = |gaps: [Gap; 2]| {
            let [first, second] = gaps.map(Segment::Gap);
            let segments = vec![text("("), first, text("("), second, text("))")];
            Pattern { segments }
        };
        let any = pattern([Gap::Any, Gap::Any]);
        assert!(checker.check(&any).0.is_completable());
        let counted = pattern([Gap::Cells(1), Gap::Cells(cells)]);
        let (verdict, _) = checker.check(&counted);
        let Verdict::Exhausted { what, .. } = verdict else {
            panic!("{cells} cells: {verdict:?}");
        };
        assert_eq!(what, Budget::VOCABULARIES);
    }
}

/// What hundreds of options in a row derive is read off in time: of each, all of the others might
/// come next.
#[test]
fn many_options_in_a_row_are_read_off_in_time() {
    const OPTIONS: usize = 800;
    let grammar = format!(
        "root ::= {}\nx ::= \"a\" | \"(\" root \")\"",
        "x? ".repeat(OPTIONS)
    );
    let grammar = gbnf::parse(&grammar).expect("a grammar");
    let mut checker = Checker::new(&grammar, None, CheckerLimits::default()).expect("a checker");
    let started = std::time::Instant::now();
    for pieces in [
        vec![Segment::Text(b"aaaaa".to_vec())],
        vec![Segment::Text(b"aa(aa".to_vec()), Segment::Gap(Gap::Any)],
    ] {
        let pattern = Pattern { segments: pieces };
        let verdict = checker.check(&pattern).0;
        let Verdict::Completable(witness) = verdict else {
            panic!("{verdict:?}");
        };
        assert!(recognize(&grammar, &witness.text(&pattern, None)));
    }
    assert!(!SHORTCUTS || started.elapsed().as_secs() < 15);
}
