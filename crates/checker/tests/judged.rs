//! Oracle: where a judge has a say, a completion is one only if the independent recogniser and
//! the judge both take its text; *impossible* is said only where among all ways of writing a
//! token into every cell none is such; and what is left undecided has a filling by the grammar.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::support::{self, RandomGrammar, members, vocabulary};
use lacuna_checker::{
    Budget, CanvasVerdict, Checker, CheckerLimits, Judge, Judgement, Pattern, Verdict, Weights,
};
use lacuna_lexer::{TokenId, Vocabulary};

/// A judge that is no grammar's.
#[derive(Clone, Copy, Debug)]
enum Taste {
    /// No byte stands beside its like; it says where one does.
    NoPairs,
    /// No byte stands twice; it says where one does.
    NoRepeats,
    /// Some texts, as a hash has it.
    ByChance(u64),
    /// Everything.
    Everything,
    /// It never tells.
    Nothing,
}

impl Taste {
    fn likes(self, text: &[u8]) -> bool {
        match self {
            Taste::NoPairs => text.windows(2).all(|pair| pair[0] != pair[1]),
            Taste::NoRepeats => text.iter().collect::<HashSet<_>>().len() == text.len(),
            Taste::ByChance(seed) => {
                let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0193);
                !text.iter().fold(seed, mix).is_multiple_of(3)
            }
            Taste::Everything => true,
            Taste::Nothing => false,
        }
    }

    fn faults(self, text: &[u8]) -> Vec<[Range<usize>; 2]> {
        let equal = (0..text.len()).filter_map(|at| {
            let first = text[..at].iter().position(|&byte| byte == text[at])?;
            Some([at..at + 1, first..first + 1])
        });
        match self {
            Taste::NoPairs => (1..text.len())
                .filter(|&at| text[at] == text[at - 1])
                .map(|at| [at..at + 1, at - 1..at])
                .collect(),
            Taste::NoRepeats => equal.collect(),
            _ => Vec::new(),
        }
    }
}

impl Judge for Taste {
    fn judge(&self, text: &[u8]) -> Judgement {
        match self {
            Taste::Nothing => Judgement::Unknown,
            _ if self.likes(text) => Judgement::Accepted,
            _ => Judgement::Refused {
                faults: self.faults(text),
            },
        }
    }
}

fn agrees(canvas: &[Option<TokenId>], member: &[TokenId]) -> bool {
    let mut cells = canvas.iter().zip(member);
    cells.all(|(cell, token)| cell.is_none_or(|cell| cell == *token))
}

fn text(tokens: &[TokenId], vocabulary: &Vocabulary) -> Vec<u8> {
    let text = tokens.iter().filter_map(|&token| vocabulary.bytes(token));
    text.flatten().copied().collect()
}

/// Canvases with an accepted filling, those of which one was found, and those without.
#[derive(Default)]
struct Counts {
    with: usize,
    found: usize,
    without: usize,
}

/// Whole canvases, masked and disturbed.
fn canvas(
    all: &[Vec<TokenId>],
    size: u32,
    cells: usize,
    random: &mut fastrand::Rng,
) -> Vec<Option<TokenId>> {
    let base = match all.is_empty() || random.u8(..4) == 0 {
        true => (0..cells).map(|_| random.u32(..size)).collect(),
        false => all[random.usize(..all.len())].clone(),
    };
    let masked = random.f32();
    let cells = base.into_iter();
    cells
        .map(|token| (token != 1 && random.f32() > masked).then_some(token))
        .collect()
}

fn compare(seed: u64, taste: Taste, counts: &mut Counts) {
    let mut random = fastrand::Rng::with_seed(seed);
    let grammar = match random.u8(..3) {
        0 => RandomGrammar::new(&mut random).munching(),
        1 => RandomGrammar::new(&mut random).with_counts().grammar(),
        _ => RandomGrammar::new(&mut random).grammar(),
    };
    let tokens = support::random_tokens(&mut random);
    let vocabulary = Arc::new(vocabulary(&tokens));
    let cells = random.usize(1..=4);
    let all = members(&grammar, &vocabulary, cells);
    let liked = all.iter();
    let liked = liked.filter(|member| taste.likes(&text(member, &vocabulary)));
    let liked: Vec<&Vec<TokenId>> = liked.collect();
    let checker = Checker::new(&grammar, Some(vocabulary.clone()), CheckerLimits::default());
    let mut checker = checker.expect("a checker").judged_by(Some(Arc::new(taste)));
    for _ in 0..20 {
        let canvas = canvas(&all, vocabulary.len() as u32, cells, &mut random);
        let context = format!("seed {seed}, {taste:?}, {grammar:?} over {tokens:?}: {canvas:?}");
        let is_possible = all.iter().any(|member| agrees(&canvas, member));
        let wanted: Vec<&&Vec<TokenId>> = liked
            .iter()
            .filter(|member| agrees(&canvas, member))
            .collect();
        let is_one = |tokens: &Vec<TokenId>| wanted.iter().any(|member| **member == tokens);
        let mut is_found = false;
        match checker.check_canvas(&canvas).0 {
            CanvasVerdict::Completable(tokens) => {
                assert!(is_one(&tokens), "{context}: {tokens:?} is none");
                is_found = true;
            }
            CanvasVerdict::Impossible { .. } => assert!(wanted.is_empty(), "{context}: impossible"),
            CanvasVerdict::Malformed => assert!(!is_possible, "{context}: malformed"),
            CanvasVerdict::Exhausted { what, .. } => {
                assert_eq!(what, Budget::JUDGED, "{context}");
                assert!(is_possible, "{context}: undecided, but impossible");
            }
        }
        assert!(checker.is_judged(), "{context}: the judge is gone");
        if let Some(pattern) = Pattern::of_canvas(&canvas, &vocabulary) {
            match checker.check(&pattern).0 {
                Verdict::Completable(witness) => {
                    let text = witness.text(&pattern, Some(&vocabulary));
                    assert!(taste.likes(&text), "{context}: {text:?} as a pattern");
                }
                Verdict::Impossible => assert!(wanted.is_empty(), "{context}: as a pattern"),
                Verdict::Exhausted { .. } => assert!(is_possible, "{context}: as a pattern"),
            }
        }
        let weights: Vec<Option<Weights>> = vec![None; cells];
        match checker.best(&canvas, &weights) {
            Some(best) => assert!(is_one(&best.tokens), "{context}: the best {best:?}"),
            None => assert!(!is_found || wanted.is_empty(), "{context}: no best"),
        }
        match wanted.is_empty() {
            true => counts.without += 1,
            false => {
                counts.with += 1;
                counts.found += usize::from(is_found);
            }
        }
    }
}

/// Of all canvases with an accepted filling, so many have one found, in hundredths.
fn found_of(make: impl Fn(u64) -> Taste) -> usize {
    let mut counts = Counts::default();
    for seed in 0..300 {
        compare(seed, make(seed), &mut counts);
    }
    let Counts {
        with,
        found,
        without,
    } = counts;
    println!("{found} found of {with}, {without} have none");
    assert!(with > 500 && without > 500, "lopsided");
    found * 100 / with
}

#[test]
fn repeats_are_written_differently() {
    assert!(found_of(|_| Taste::NoPairs) >= 95);
    assert!(found_of(|_| Taste::NoRepeats) >= 95);
}

#[test]
fn what_is_at_fault_need_not_be_known() {
    assert!(found_of(Taste::ByChance) >= 80);
}

#[test]
fn a_judge_that_takes_all_changes_nothing() {
    assert_eq!(found_of(|_| Taste::Everything), 100);
}

#[test]
fn a_judge_that_never_tells_leaves_all_undecided() {
    let mut counts = Counts::default();
    for seed in 0..100 {
        compare(seed, Taste::Nothing, &mut counts);
    }
    assert_eq!(counts.found, 0);
}
