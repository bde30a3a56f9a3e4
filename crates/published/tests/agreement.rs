//! The references, lexing exactly, and the checker give the same answers; a yes has
//! a filling that the independent recogniser accepts. Where they differ, the judge
//! is that recogniser and a search through all short texts.

#[path = "../../checker/tests/support/mod.rs"]
#[allow(dead_code, reason = "the checker's tests use all of it")]
pub(crate) mod support;

use lacuna_checker::{Checker, CheckerLimits, Gap, Pattern, Segment, Verdict};
use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::Limits;
use lacuna_grammar::recognize::recognize;
use lacuna_published::{Answer, Epic, EpicParts, LexicalMap, Mundler, never};
use support::RandomGrammar;

const BYTES: &[u8] = b"ab( ";

pub(crate) fn random_pattern(random: &mut fastrand::Rng) -> Pattern {
    let segments = (0..random.usize(..7)).map(|_| match random.u8(..3) {
        0 => Segment::Gap(Gap::Any),
        _ => Segment::Text(vec![*random.choice(BYTES).expect("a byte")]),
    });
    Pattern::with_open_tail(segments)
}

/// What a method said, with the filling that proves a yes.
fn said(name: &str, grammar: &Grammar, answer: &Answer, text: Option<Vec<u8>>) -> bool {
    match (answer, text) {
        (Answer::Impossible, _) => false,
        (Answer::Stopped(stopped), _) => panic!("{name}: {stopped}"),
        (Answer::Completable(_), None) => panic!("{name}: no witness"),
        (Answer::Completable(_), Some(text)) => {
            assert!(recognize(grammar, &text), "{name}: {text:?} is no member");
            true
        }
    }
}

fn compare(make: impl Fn(&mut RandomGrammar) -> Grammar) {
    let limits = Limits::default();
    let (mut yes, mut all) = (0, 0);
    for seed in 0..rounds() {
        let mut random = fastrand::Rng::with_seed(seed);
        let grammar = make(&mut RandomGrammar::new(&mut random));
        let name = format!("seed {seed}: {grammar:?}");
        let map = LexicalMap::Exact;
        let mut checker = Checker::new(&grammar, None, CheckerLimits::default()).expect(&name);
        let mut mundler = Mundler::new(&grammar, map, &limits).expect(&name);
        let mut epic = Epic::new(&grammar, map, EpicParts::default(), &limits).expect(&name);
        for _ in 0..20 {
            let pattern = random_pattern(&mut random);
            let context = format!("{name}, {pattern:?}");
            let by_intersection = mundler.check(&pattern, &never);
            let witness = mundler.witness(&pattern, &by_intersection, &never);
            let text = witness.map(|witness| witness.text(&pattern, None));
            let by_intersection = said(&context, &grammar, &by_intersection, text);
            let by_parse = epic.check(&pattern, &never);
            let witness = epic.witness(&pattern, &by_parse, &never);
            let text = witness.map(|witness| witness.text(&pattern, None));
            let by_parse = said(&context, &grammar, &by_parse, text);
            assert_eq!(by_intersection, by_parse, "{context}: mundler, epic");
            let cover = epic.cover_allows(&pattern, &never).expect("time");
            assert!(cover || !by_parse, "{context}: refused by the cover");
            let checked = match checker.check(&pattern).0 {
                Verdict::Completable(_) => true,
                Verdict::Impossible => false,
                Verdict::Exhausted { .. } => panic!("{context}: out of budget"),
            };
            assert_eq!(checked, by_parse, "{context}: checker, references");
            yes += usize::from(checked);
            all += 1;
        }
    }
    println!("{all} patterns, {yes} completable");
    assert!(
        yes * 5 > all && (all - yes) * 5 > all,
        "lopsided: {yes} of {all}"
    );
}

pub(crate) fn rounds() -> u64 {
    match std::env::var("LACUNA_PUBLISHED_ROUNDS") {
        Ok(rounds) => rounds.parse().expect("LACUNA_PUBLISHED_ROUNDS is a number"),
        Err(_) => 150,
    }
}

#[test]
fn grammars_over_bytes() {
    compare(|random| random.grammar());
}

#[test]
fn grammars_over_lexemes() {
    compare(|random| random.munching());
}

#[test]
fn grammars_with_constraints() {
    compare(|random| {
        let constraint = Some(random.constraint().into());
        Grammar {
            constraint,
            ..random.munching()
        }
    });
}
