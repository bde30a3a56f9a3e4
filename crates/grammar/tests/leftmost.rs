//! Oracle: a backtracking matcher (first alternative first, lazy quantifiers as short as they
//! can be, and behind a turn that read nothing no other, as Python's `re` has it), by definition;
//! and where nothing empty is repeated the `regex` crate, which judges that matcher too. The
//! longest text of the automaton that a text begins with must be the match that it finds there.

use lacuna_grammar::automaton::{Dfa, Limits};
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// The end of the match at a place, if what follows it matches too.
fn matched(
    pattern: &Hir,
    text: &str,
    at: usize,
    follows: &mut dyn FnMut(usize) -> Option<usize>,
) -> Option<usize> {
    match pattern.kind() {
        HirKind::Empty => follows(at),
        HirKind::Look(_) => None,
        HirKind::Literal(literal) => {
            let is_there = text.as_bytes()[at..].starts_with(&literal.0);
            is_there.then(|| follows(at + literal.0.len()))?
        }
        HirKind::Class(class) => {
            let next = text[at..].chars().next()?;
            let holds = match class {
                Class::Unicode(class) => class
                    .iter()
                    .any(|range| (range.start()..=range.end()).contains(&next)),
                Class::Bytes(class) => class
                    .iter()
                    .any(|range| (range.start() as char..=range.end() as char).contains(&next)),
            };
            holds.then(|| follows(at + next.len_utf8()))?
        }
        HirKind::Capture(capture) => matched(&capture.sub, text, at, follows),
        HirKind::Concat(parts) => in_a_row(parts, text, at, follows),
        HirKind::Alternation(parts) => parts
            .iter()
            .find_map(|part| matched(part, text, at, follows)),
        HirKind::Repetition(repetition) => repeated(repetition, 0, None, text, at, follows),
    }
}

fn in_a_row(
    parts: &[Hir],
    text: &str,
    at: usize,
    follows: &mut dyn FnMut(usize) -> Option<usize>,
) -> Option<usize> {
    match parts {
        [] => follows(at),
        [first, rest @ ..] => matched(first, text, at, &mut |at| in_a_row(rest, text, at, follows)),
    }
}

/// The same of a repetition after some turns; `last` is where the last one began that need not
/// have been.
fn repeated(
    repetition: &Repetition,
    turns: u32,
    last: Option<usize>,
    text: &str,
    at: usize,
    follows: &mut dyn FnMut(usize) -> Option<usize>,
) -> Option<usize> {
    let turn = |last, follows: &mut dyn FnMut(usize) -> Option<usize>| {
        matched(&repetition.sub, text, at, &mut |at| {
            repeated(repetition, turns + 1, last, text, at, follows)
        })
    };
    if turns < repetition.min {
        return turn(None, follows);
    }
    let may_go_on = repetition.max.is_none_or(|max| turns < max) && last != Some(at);
    match (may_go_on, repetition.greedy) {
        (false, _) => follows(at),
        (true, true) => turn(Some(at), follows).or_else(|| follows(at)),
        (true, false) => follows(at).or_else(|| turn(Some(at), follows)),
    }
}

#[test]
fn the_longest_match_is_the_one_a_backtracking_matcher_finds() {
    let limits = Limits::default();
    let (mut found, mut shorter, mut empty) = (0, 0, 0);
    for seed in 0..1200 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let may_be_empty = seed % 2 == 1;
        let pattern = pattern(3, may_be_empty, rng);
        let judge = regex::Regex::new(&format!("^(?:{pattern})")).unwrap();
        let whole = regex::Regex::new(&format!("^(?:{pattern})$")).unwrap();
        let hir = regex_syntax::parse(&pattern).unwrap();
        let automaton = Dfa::leftmost_first(&hir, &limits).unwrap();
        for _ in 0..30 {
            let text: String = (0..rng.usize(..8))
                .map(|_| rng.choice(['a', 'b', 'é']).unwrap())
                .collect();
            let ends = (0..=text.len()).rev();
            let longest = |automaton: &Dfa| {
                ends.clone()
                    .find(|&end| automaton.accepts(&text.as_bytes()[..end]))
            };
            let expected = matched(&hir, &text, 0, &mut Some);
            let other = judge.find(&text).map(|found| found.end());
            if may_be_empty {
                empty += usize::from(expected != other);
            } else {
                assert_eq!(other, expected, "{pattern:?} in {text:?}");
            }
            assert_eq!(longest(&automaton), expected, "{pattern:?} in {text:?}");
            found += usize::from(expected.is_some_and(|end| end > 0));
            shorter += usize::from(expected.is_some_and(|end| {
                (end + 1..=text.len())
                    .any(|end| text.is_char_boundary(end) && whole.is_match(&text[..end]))
            }));
        }
    }
    assert!(
        found > 4000 && shorter > 1600 && empty > 0,
        "{found} found, {shorter} of them short, {empty} otherwise for empty turns"
    );
}

fn pattern(depth: u32, may_be_empty: bool, rng: &mut fastrand::Rng) -> String {
    if depth == 0 {
        return rng
            .choice(["a", "b", "é", ".", "[ab]", "[^a]", "ab"])
            .unwrap()
            .to_owned();
    }
    let mut part = || pattern(depth - 1, may_be_empty, rng);
    let (one, two) = (part(), part());
    match rng.u8(..4) {
        0 => format!("{one}{two}"),
        1 => format!("(?:{one}|{two})"),
        _ => {
            let operators = [
                "*", "*?", "+", "+?", "?", "??", "{1,2}?", "{2}", "{0,2}", "{2,}", "{2,}?",
            ];
            let operator = rng.choice(operators).unwrap();
            let is_last = may_be_empty && rng.bool();
            format!("(?:{one}){operator}{}", if is_last { "" } else { &two })
        }
    }
}
