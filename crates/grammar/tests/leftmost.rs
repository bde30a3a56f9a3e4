//! Oracle: the `regex` crate, whose matches are those of a backtracking matcher
//! (leftmost, first alternative first, lazy quantifiers as short as they can
//! be). The longest text of the automaton that a text begins with must be the
//! match that it finds there.

use lacuna_grammar::automaton::{Dfa, Limits};

#[test]
fn the_longest_match_is_the_one_a_backtracking_matcher_finds() {
    let limits = Limits::default();
    let (mut found, mut shorter) = (0, 0);
    for seed in 0..600 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let pattern = pattern(3, rng);
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
            let expected = judge.find(&text).map(|found| found.end());
            assert_eq!(longest(&automaton), expected, "{pattern:?} in {text:?}");
            found += usize::from(expected.is_some_and(|end| end > 0));
            shorter += usize::from(expected.is_some_and(|end| {
                (end + 1..=text.len())
                    .any(|end| text.is_char_boundary(end) && whole.is_match(&text[..end]))
            }));
        }
    }
    assert!(
        found > 2000 && shorter > 800,
        "{found} found, {shorter} of them short"
    );
}

fn pattern(depth: u32, rng: &mut fastrand::Rng) -> String {
    if depth == 0 {
        return rng
            .choice(["a", "b", "é", ".", "[ab]", "[^a]", "ab"])
            .unwrap()
            .to_owned();
    }
    let mut part = || pattern(depth - 1, rng);
    let (one, two) = (part(), part());
    match rng.u8(..4) {
        0 => format!("{one}{two}"),
        1 => format!("(?:{one}|{two})"),
        _ => {
            let operators = ["*", "*?", "+", "+?", "?", "??", "{1,2}?", "{2}", "{0,2}"];
            format!("(?:{one}){}{two}", rng.choice(operators).unwrap())
        }
    }
}
