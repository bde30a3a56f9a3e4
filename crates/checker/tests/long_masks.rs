//! Masks of canvases that are too long to try every completion.

use std::sync::Arc;

use crate::support;
use lacuna_checker::{Checker, CheckerLimits, Pattern};
use lacuna_grammar::gbnf;
use lacuna_lexer::TokenId;

const GRAMMAR: &str = r#"root ::= ("(" root ")" | "[" root "]" | "x")*"#;
const TOKENS: [u8; 5] = *b"()[]x";
/// The first of their numbers in the vocabulary.
const FIRST: usize = 2;

/// Oracle: a table of spans, inside and outside, as for a grammar in normal form. Each cell is
/// one character, so of cells `i..j` it is plain from shorter spans whether they can be
/// balanced, and from longer ones whether the rest can be then.
fn expected(cells: &[Option<u8>]) -> Vec<[bool; 5]> {
    let length = cells.len();
    let can = |at: usize, byte: u8| cells[at].is_none_or(|known| known == byte);
    let pairs = [(b'(', b')'), (b'[', b']')];
    let mut inside = vec![vec![false; length + 1]; length + 1];
    for i in (0..=length).rev() {
        inside[i][i] = true;
        for j in i + 1..=length {
            let mut pair = (i + 1..j).filter(|&k| inside[i + 1][k] && inside[k + 1][j]);
            inside[i][j] = can(i, b'x') && inside[i + 1][j]
                || pair.any(|k| pairs.iter().any(|&(a, b)| can(i, a) && can(k, b)));
        }
    }
    let mut outside = vec![vec![false; length + 1]; length + 1];
    let mut allowed = vec![[false; 5]; length];
    let mut allow = |at: usize, byte: u8| {
        let token = TOKENS.iter().position(|&known| known == byte);
        allowed[at][token.expect("a token")] = true;
    };
    outside[0][length] = inside[0][length];
    for (i, j) in (0..length).flat_map(|i| (i + 1..=length).rev().map(move |j| (i, j))) {
        if !outside[i][j] {
            continue;
        }
        if can(i, b'x') && inside[i + 1][j] {
            allow(i, b'x');
            outside[i + 1][j] = true;
        }
        for k in i + 1..j {
            for (open, close) in pairs {
                let fits = inside[i + 1][k] && inside[k + 1][j];
                if fits && can(i, open) && can(k, close) {
                    allow(i, open);
                    allow(k, close);
                    outside[i + 1][k] = true;
                    outside[k + 1][j] = true;
                }
            }
        }
    }
    allowed
}

/// A text of the language.
fn balanced(length: usize, random: &mut fastrand::Rng) -> Vec<u8> {
    let (mut text, mut open) = (Vec::new(), Vec::new());
    while text.len() + open.len() < length {
        let has_room = text.len() + open.len() + 2 <= length;
        match (random.u8(..6), open.pop()) {
            (0..=1, Some(close)) => text.push(close),
            (2..=4, close) if has_room => {
                open.extend(close);
                let pair = [(b'(', b')'), (b'[', b']')][random.usize(..2)];
                text.push(pair.0);
                open.push(pair.1);
            }
            (_, close) => {
                open.extend(close);
                text.push(b'x');
            }
        }
    }
    text.extend(open.iter().rev());
    text
}

#[test]
fn masks_of_long_canvases_are_exact() {
    let grammar = gbnf::parse(GRAMMAR).expect("a grammar");
    let vocabulary = Arc::new(support::vocabulary(&TOKENS.map(|byte| vec![byte])));
    let checker = Checker::new(&grammar, Some(vocabulary), CheckerLimits::default());
    let mut checker = checker.expect("a checker");
    let mut random = fastrand::Rng::with_seed(11);
    let (mut possible, mut impossible) = (0, 0);
    for length in [40, 90, 130, 200].repeat(24) {
        let text = balanced(length, &mut random);
        let share = random.f64();
        let mask = |byte| (random.f64() > share).then_some(byte);
        let mut cells: Vec<Option<u8>> = text.into_iter().map(mask).collect();
        // Behind a character the text cannot have been over.
        cells[length - 1].get_or_insert(b'x');
        for _ in 0..random.usize(..4) {
            cells[random.usize(..length - 1)] = Some(TOKENS[random.usize(..5)]);
        }
        let expected = expected(&cells);
        let token = |byte: u8| TOKENS.iter().position(|&known| known == byte);
        let canvas: Vec<Option<TokenId>> = cells
            .iter()
            .map(|cell| cell.and_then(token).map(|token| (FIRST + token) as TokenId))
            .collect();
        let masks = checker.masks(&canvas);
        assert_eq!(masks.undecided, 0);
        for (at, mask) in masks.cells.iter().enumerate() {
            let Some(mask) = mask else { continue };
            let allowed: [bool; 5] = std::array::from_fn(|token| mask.contains(FIRST + token));
            assert_eq!(allowed, expected[at], "cell {at} of {cells:?}");
        }
        match expected[0].contains(&true) {
            true => possible += 1,
            false => impossible += 1,
        }
        // Whether there is any completion, by the same chart forwards.
        let vocabulary = checker.vocabulary().expect("a vocabulary");
        let pattern = Pattern::of_canvas(&canvas, vocabulary);
        let verdict = checker.check_by_parse(&pattern.expect("a pattern"));
        assert_eq!(
            verdict.is_completable(),
            expected[0].contains(&true),
            "{cells:?}"
        );
    }
    assert!(possible > 10 && impossible > 10, "{possible}, {impossible}");
}
