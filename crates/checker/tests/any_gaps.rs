//! Gaps of any length. Oracle: if a member of up to six bytes fits around the
//! text, the answer is yes; and every yes is proved by a witness that the
//! independent recogniser accepts and that keeps the text in its place.

use std::sync::Arc;

use crate::support::{RandomGrammar, fixtures};
use lacuna_checker::{
    Checker, CheckerLimits, Compiled, ContextLimits, Filling, Gap, Pattern, Segment, Verdict,
};
use lacuna_grammar::Grammar;
use lacuna_grammar::recognize::recognize;

fn short_members(grammar: &Grammar, alphabet: &[u8], length: usize) -> Vec<Vec<u8>> {
    let mut texts = vec![Vec::new()];
    let mut level = texts.clone();
    for _ in 0..length {
        level = level
            .iter()
            .flat_map(|text| {
                alphabet
                    .iter()
                    .map(|&byte| [text.as_slice(), &[byte]].concat())
            })
            .collect();
        texts.extend_from_slice(&level);
    }
    texts.retain(|text| recognize(grammar, text));
    texts
}

/// Whether `text` is the pattern's texts in order with anything in its gaps.
fn fits(segments: &[Segment], text: &[u8]) -> bool {
    match segments.split_first() {
        None => text.is_empty(),
        Some((Segment::Text(bytes), rest)) => text
            .strip_prefix(bytes.as_slice())
            .is_some_and(|text| fits(rest, text)),
        Some((Segment::Gap(_), rest)) => (0..=text.len()).any(|skip| fits(rest, &text[skip..])),
    }
}

fn random_pattern(random: &mut fastrand::Rng, alphabet: &[u8], members: &[Vec<u8>]) -> Pattern {
    let mut text = match random.choice(members) {
        Some(member) if random.u8(..4) > 0 => member.clone(),
        _ => (0..random.usize(..5))
            .filter_map(|_| random.choice(alphabet).copied())
            .collect(),
    };
    if random.u8(..3) == 0
        && let (Some(byte), Some(&other)) = (text.first_mut(), random.choice(alphabet))
    {
        *byte = other;
    }
    let mut segments = Vec::new();
    for byte in text {
        match random.u8(..3) {
            0 => match segments.last_mut() {
                Some(Segment::Gap(_)) => {}
                _ => segments.push(Segment::Gap(Gap::Any)),
            },
            _ => match segments.last_mut() {
                Some(Segment::Text(text)) => text.push(byte),
                _ => segments.push(Segment::Text(vec![byte])),
            },
        }
    }
    Pattern { segments }
}

fn compare(
    name: &str,
    grammar: &Grammar,
    alphabet: &[u8],
    length: usize,
    random: &mut fastrand::Rng,
) -> (usize, usize) {
    let members = short_members(grammar, alphabet, length);
    let mut checker = Checker::new(grammar, None, CheckerLimits::default()).expect(name);
    // So few items that what comes before the whole parse has to answer.
    let hurry = CheckerLimits {
        parse_items: 3_000,
        ..CheckerLimits::default()
    };
    let mut hurried = Checker::new(grammar, None, hurry).expect(name);
    // And as for cells, in many contexts.
    let limits = CheckerLimits {
        contexts: ContextLimits::MANY,
        ..CheckerLimits::default()
    };
    let many = Compiled::new(grammar, true, &limits).expect(name);
    let mut many = Checker::from_compiled(Arc::new(many), None, limits);
    let (mut yes, mut no, mut exhausted) = (0, 0, 0);
    for _ in 0..30 {
        let pattern = random_pattern(random, alphabet, &members);
        let expected = members.iter().any(|member| fits(&pattern.segments, member));
        let tiers = [
            checker.check(&pattern).0,
            hurried.check(&pattern).0,
            many.check(&pattern).0,
        ];
        for (verdict, in_a_hurry) in tiers.into_iter().zip([false, true, true]) {
            match verdict {
                Verdict::Completable(witness) => {
                    yes += usize::from(!in_a_hurry);
                    let is_bytes = |gap: &Filling| matches!(gap, Filling::Bytes(_));
                    assert!(witness.gaps.iter().all(is_bytes));
                    let text = witness.text(&pattern, None);
                    assert!(recognize(grammar, &text), "{name}, {pattern:?}: {text:?}");
                    assert!(
                        fits(&pattern.segments, &text),
                        "{name}, {pattern:?}: {text:?}"
                    );
                }
                Verdict::Impossible => {
                    no += usize::from(!in_a_hurry);
                    assert!(!expected, "{name}, {pattern:?}");
                }
                Verdict::Exhausted { .. } if in_a_hurry => {}
                // Where boundaries differ and items stand in any order, sets are many.
                Verdict::Exhausted { .. } if name.contains("Interleave") => exhausted += 1,
                Verdict::Exhausted { .. } => panic!("{name}, {pattern:?}: out of budget"),
            }
        }
    }
    assert!(exhausted < 5, "{name}: {exhausted} out of budget");
    (yes, no)
}

#[test]
fn random_grammars() {
    compare_random(|grammar| grammar.grammar());
}

#[test]
fn random_counts() {
    compare_random(|random| random.with_counts().grammar());
    compare_random(|random| random.with_counts().with_orders().grammar());
}

#[test]
fn random_lexicons() {
    compare_random(|grammar| grammar.munching());
}

#[test]
fn random_constraints() {
    compare_random(|random| {
        let constraint = Some(random.constraint().into());
        Grammar {
            constraint,
            ..random.munching()
        }
    });
}

#[test]
fn random_orders() {
    compare_random(|random| random.with_orders().grammar());
    compare_random(|random| {
        let constraint = Some(random.constraint().into());
        Grammar {
            constraint,
            ..random.with_orders().grammar()
        }
    });
}

fn compare_random(make: impl Fn(&mut RandomGrammar) -> Grammar) {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let grammar = make(&mut RandomGrammar::new(&mut random));
        let name = format!("seed {seed}: {grammar:?}");
        let found = compare(&name, &grammar, b"ab( ", 4, &mut random);
        yes += found.0;
        no += found.1;
    }
    assert!(yes * 5 > no && no * 5 > yes, "lopsided: {yes} yes, {no} no");
}

#[test]
fn fixture_grammars() {
    let mut random = fastrand::Rng::with_seed(1);
    for case in fixtures() {
        let mut alphabet: Vec<u8> = case.tokens.concat();
        alphabet.sort_unstable();
        alphabet.dedup();
        alphabet.truncate(8);
        compare(&case.name, &case.grammar, &alphabet, 4, &mut random);
    }
}
