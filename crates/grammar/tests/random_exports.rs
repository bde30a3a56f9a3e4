//! Exports of random small grammars.
//!
//! Oracle: the plain recogniser, over the grammar as it was and over what was made of its
//! export, on every text of up to five characters of a small alphabet.

use std::fmt::Write;

use lacuna_grammar::export::{Target, export};
use lacuna_grammar::lark::{self, Options};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Grammar, Linted, gbnf, regex};

const LETTERS: [char; 3] = ['a', 'b', ' '];
const LONGEST: usize = 5;

/// Every text over the letters, shortest first.
fn texts() -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..LONGEST {
        let until = all.len();
        for at in from..until {
            for letter in LETTERS {
                all.push(format!("{}{letter}", all[at]));
            }
        }
        from = until;
    }
    all
}

/// A random expression whose leaves are drawn by `leaf`.
fn expression(
    rng: &mut fastrand::Rng,
    depth: u32,
    leaf: &mut dyn FnMut(&mut fastrand::Rng) -> String,
) -> String {
    if depth == 0 || rng.u8(..4) == 0 {
        return leaf(rng);
    }
    let mut part = |rng: &mut fastrand::Rng| expression(rng, depth - 1, leaf);
    match rng.u8(..6) {
        0 | 1 => format!("{} {}", part(rng), part(rng)),
        2 | 3 => format!("({} | {})", part(rng), part(rng)),
        4 => format!("({})?", part(rng)),
        _ => format!("({})*", part(rng)),
    }
}

fn one_of(rng: &mut fastrand::Rng, words: &[&str]) -> String {
    words[rng.usize(..words.len())].to_owned()
}

fn random_gbnf(rng: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    for rule in ["root", "x", "y"] {
        let mut leaf = |rng: &mut fastrand::Rng| {
            let words = ["\"a\"", "\"b\"", "\"ab\"", "[ab]", "[^a]", "x", "y", "root"];
            one_of(rng, &words)
        };
        writeln!(text, "{rule} ::= {}", expression(rng, 3, &mut leaf)).expect("a line");
    }
    text
}

fn random_lark(rng: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    for rule in ["start", "x"] {
        let mut leaf = |rng: &mut fastrand::Rng| one_of(rng, &["A", "B", "C", "\"a\"", "x"]);
        writeln!(text, "{rule}: {}", expression(rng, 3, &mut leaf)).expect("a line");
    }
    for terminal in ["A", "B", "C"] {
        let pattern = one_of(
            rng,
            &["a", "b", "ab", "a+", "[ab]", "b+", "ba?", "aa|b", "a b"],
        );
        writeln!(text, "{terminal}: /{pattern}/").expect("a line");
    }
    match rng.u8(..3) {
        0 => {}
        1 => text.push_str("%ignore \" \"\n"),
        _ => text.push_str("%ignore / +/\n"),
    }
    text
}

fn read_again(target: Target, text: &str) -> Grammar {
    let read = match target {
        Target::Gbnf => gbnf::parse(text),
        Target::Lark => lark::parse(text),
        Target::Regex => regex::parse(text),
    };
    read.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// How many exports of each dialect were made, and were the same.
fn check(grammars: impl Iterator<Item = (String, Linted)>) -> [usize; 3] {
    let texts = texts();
    let mut held = [0; 3];
    for (source, linted) in grammars {
        let members: Vec<bool> = texts
            .iter()
            .map(|text| recognize(&linted.grammar, text.as_bytes()))
            .collect();
        let targets = [Target::Gbnf, Target::Lark, Target::Regex];
        for (target, held) in targets.into_iter().zip(&mut held) {
            let Ok(written) = export(&linted, target) else {
                continue;
            };
            *held += 1;
            let again = read_again(target, &written);
            for (text, member) in texts.iter().zip(&members) {
                let found = recognize(&again, text.as_bytes());
                assert_eq!(found, *member, "{text:?}: {source} as {written}");
            }
        }
    }
    held
}

#[test]
fn grammars_without_lexemes() {
    let mut rng = fastrand::Rng::with_seed(11);
    let grammars = std::iter::repeat_with(|| {
        let text = random_gbnf(&mut rng);
        gbnf::lint(&text).ok().map(|linted| (text, linted))
    });
    let held = check(grammars.flatten().take(80));
    println!("held {held:?}");
    assert!(held[0] == 80 && held[1] == 80 && held[2] > 20, "{held:?}");
}

#[test]
fn grammars_with_lexemes() {
    let mut rng = fastrand::Rng::with_seed(12);
    let grammars = std::iter::repeat_with(|| {
        let text = random_lark(&mut rng);
        let linted = lark::parse_with(&text, &Options::default());
        linted.ok().map(|linted| (text, linted))
    });
    let held = check(grammars.flatten().take(300));
    println!("held {held:?}");
    assert!(held.iter().all(|&held| held > 30), "{held:?}");
}
