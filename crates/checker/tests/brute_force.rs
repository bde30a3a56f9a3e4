//! Oracle: a canvas is completable exactly if, among all ways of writing a
//! token into every cell, one that agrees with the canvas is well formed (ends
//! only at the end) and its text is a member by the independent recogniser.

use std::collections::BTreeSet;

use crate::support::{self, RandomGrammar, fixtures, members};
use lacuna_checker::{
    CanvasVerdict, Checker, CheckerLimits, ContextLimits, Gap, Pattern, Segment, Verdict, Weights,
};
use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::{BitSet, TokenId, Vocabulary};

#[derive(Default)]
struct Counts {
    yes: usize,
    no: usize,
    /// Of those that cannot be completed, such as could if gaps had any length.
    cramped: usize,
    /// Of those, such as cannot whatever stands behind some of their cells, as is told.
    early: usize,
    /// Best completions, and those that were known to be the optimum.
    best: usize,
    optimal: usize,
}

/// Contexts told apart by terminals that go on with two bytes somewhere.
const FEW_CONTEXTS: ContextLimits = ContextLimits {
    wide: 2,
    ..ContextLimits::MANY
};

impl Counts {
    /// A test in which nearly all answers are the same shows little.
    fn assert_balanced(&self) {
        let all = self.yes + self.no;
        assert!(self.yes * 5 > all && self.no * 5 > all, "lopsided: {self}");
    }

    /// And one in which cells hardly matter shows nothing of counting them.
    fn assert_telling(&self) {
        let all = self.yes + self.no;
        println!("{self}");
        let is_balanced = self.yes * 10 >= 3 * all && self.no * 10 >= 3 * all;
        assert!(is_balanced, "lopsided: {self}");
        assert!(self.cramped * 10 >= all, "cells hardly matter: {self}");
        assert!(self.optimal * 10 >= 9 * self.best, "rarely optimal: {self}");
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            yes,
            no,
            cramped,
            early,
            best,
            optimal,
        } = self;
        let all = yes + no;
        write!(
            f,
            "{all} canvases: {yes} completable, {no} not, {cramped} of them but for the cells, {early} \
             whatever stands behind some cells; \
             {optimal} of {best} best completions known to be optimal"
        )
    }
}

/// Compares the checker with the oracle on canvases made by masking members
/// and by disturbing them.
fn compare(
    name: &str,
    grammar: &Grammar,
    vocabulary: Vocabulary,
    cells: usize,
    canvases: usize,
    random: &mut fastrand::Rng,
    counts: &mut Counts,
) {
    let vocabulary = std::sync::Arc::new(vocabulary);
    let members = members(grammar, &vocabulary, cells);
    // With one token for each class, and with all.
    let limits = CheckerLimits {
        classes_from: [0, usize::MAX][random.usize(..2)],
        few_tokens: 1 + random.usize(..4),
        lexemes_from: random.usize(..4),
        copied_states_in_cells: [0, usize::MAX][random.usize(..2)],
        contexts: [ContextLimits::MANY, FEW_CONTEXTS, ContextLimits::ONE][random.usize(..3)],
        ..CheckerLimits::default()
    };
    let mut checker = Checker::new(grammar, Some(vocabulary.clone()), limits).expect(name);
    // One whose searches give up, so that the cover has its say.
    let hasty = CheckerLimits {
        parse_items: 1 << (8 + random.u32(..6)),
        ..limits
    };
    let mut hasty = Checker::new(grammar, Some(vocabulary.clone()), hasty).expect(name);
    for _ in 0..canvases {
        let masked = random.f32();
        let base = match members.is_empty() || random.u8(..3) == 0 {
            true => (0..cells)
                .map(|_| random.u32(..vocabulary.len() as u32))
                .collect(),
            false => members[random.usize(..members.len())].clone(),
        };
        let canvas: Vec<Option<TokenId>> = base
            .iter()
            .map(|&token| {
                let token = match random.u8(..6) {
                    0 => random.u32(..vocabulary.len() as u32),
                    _ => token,
                };
                (token != vocabulary.mask() && random.f32() > masked).then_some(token)
            })
            .collect();
        let agrees = |member: &&Vec<TokenId>| {
            canvas
                .iter()
                .zip(member.iter())
                .all(|(cell, token)| cell.is_none_or(|c| c == *token))
        };
        let expected = members.iter().any(|member| agrees(&member));
        let context = || {
            format!(
                "{name}, {canvas:?} {:?}",
                Pattern::of_canvas(&canvas, &vocabulary)
            )
        };
        let Some(pattern) = Pattern::of_canvas(&canvas, &vocabulary) else {
            assert!(!expected, "{}: refused as ill formed", context());
            continue;
        };
        let (tiers, tier) = checker.check(&pattern);
        let parse = checker.check_by_parse(&pattern);
        for (how, verdict) in [("tiers", tiers), ("parse", parse)] {
            match verdict {
                Verdict::Completable(witness) => {
                    assert!(expected, "{}: {how} says yes", context());
                    let text = witness.text(&pattern, Some(&vocabulary));
                    assert!(
                        lacuna_grammar::recognize::recognize(grammar, &text),
                        "{}: {how}'s witness {:?} is no member",
                        context(),
                        String::from_utf8_lossy(&text)
                    );
                    support::assert_fits(&pattern, &witness, &vocabulary);
                }
                Verdict::Impossible => assert!(!expected, "{}: {how} says no {tier:?}", context()),
                Verdict::Exhausted { .. } => panic!("{}: {how} ran out of budget", context()),
            }
        }
        if expected {
            let covered = checker.is_covered(&pattern);
            assert_ne!(covered, Some(false), "{}: the cover says no", context());
        }
        for (checker, may_give_up) in [(&mut checker, false), (&mut hasty, true)] {
            match checker.check_canvas(&canvas).0 {
                CanvasVerdict::Completable(tokens) => assert!(
                    members.contains(&tokens) && agrees(&&tokens),
                    "{}: {tokens:?} does not complete the canvas",
                    context()
                ),
                CanvasVerdict::Impossible { first_cells } => {
                    let agrees_so_far = |member: &Vec<TokenId>| {
                        let mut cells = canvas.iter().zip(member).take(first_cells);
                        cells.all(|(cell, token)| cell.is_none_or(|c| c == *token))
                    };
                    assert!(
                        !members.iter().any(agrees_so_far),
                        "{}: canvas says no within {first_cells} cells",
                        context()
                    );
                    counts.early += usize::from(first_cells < canvas.len());
                }
                CanvasVerdict::Exhausted { .. } if may_give_up => {}
                other => panic!("{}: {other:?}", context()),
            }
        }
        compare_possible(&context, &mut checker, &canvas, &members, &vocabulary);
        compare_masks(&context, &mut checker, &canvas, &members);
        let weights = random_weights(&canvas, &vocabulary, random);
        compare_best(&context, &mut checker, &canvas, &members, &weights, counts);
        if expected {
            counts.yes += 1
        } else {
            counts.no += 1;
            let (uncounted, _) = checker.check(&without_counts(&pattern));
            counts.cramped += usize::from(uncounted.is_completable());
        }
    }
}

/// Weights of the masked cells, some of few tokens, some of many, some of none.
fn random_weights(
    canvas: &[Option<TokenId>],
    vocabulary: &Vocabulary,
    random: &mut fastrand::Rng,
) -> Vec<Option<Weights>> {
    let weights = canvas.iter().map(|cell| {
        if cell.is_some() || random.u8(..6) == 0 {
            return None;
        }
        let mut tokens: Vec<TokenId> = (0..vocabulary.len() as TokenId).collect();
        random.shuffle(&mut tokens);
        tokens.truncate(random.usize(..=tokens.len()));
        let weigh = |token| (token, -(random.u8(..100) as f32) / 16.0);
        Some(Weights {
            best: tokens.into_iter().map(weigh).collect(),
            rest: -6.5,
        })
    });
    weights.collect()
}

/// Oracle: of all members that agree with the canvas, none weighs more than the best
/// completion if that is said to be optimal; it is one of them in any case.
fn compare_best(
    context: &dyn Fn() -> String,
    checker: &mut Checker,
    canvas: &[Option<TokenId>],
    members: &[Vec<TokenId>],
    weights: &[Option<Weights>],
    counts: &mut Counts,
) {
    // Cells behind a committed end are ends, whatever they weigh.
    let vocabulary = checker.vocabulary().expect("a vocabulary").clone();
    let is_end = |cell: &Option<TokenId>| cell.is_some_and(|token| vocabulary.is_end(token));
    let text = canvas.iter().position(is_end).unwrap_or(canvas.len());
    let weigh = |member: &[TokenId]| -> f64 {
        let cells = canvas.iter().zip(member).zip(weights).take(text);
        let masked = cells.filter(|((cell, _), _)| cell.is_none());
        masked
            .filter_map(|((_, &token), weights)| Some(f64::from(weights.as_ref()?.of(token))))
            .sum()
    };
    let agreeing = members.iter().filter(|member| {
        let mut cells = canvas.iter().zip(member.iter());
        cells.all(|(cell, token)| cell.is_none_or(|c| c == *token))
    });
    let agreeing: Vec<&Vec<TokenId>> = agreeing.collect();
    let heaviest = agreeing.iter().map(|member| weigh(member));
    let heaviest = heaviest.max_by(f64::total_cmp);
    let best = checker.best(canvas, weights);
    assert_eq!(best.is_some(), heaviest.is_some(), "{}", context());
    let Some((best, heaviest)) = best.zip(heaviest) else {
        return;
    };
    assert!(
        agreeing.contains(&&best.tokens),
        "{}: {:?} is none of them",
        context(),
        best.tokens
    );
    let weight = weigh(&best.tokens);
    assert!((weight - best.weight).abs() < 1e-6, "{}", context());
    assert!(
        !best.is_optimal || weight > heaviest - 1e-6,
        "{}: {:?} weighs {weight}, another one {heaviest}",
        context(),
        best.tokens
    );
    counts.best += 1;
    counts.optimal += usize::from(best.is_optimal);
}

/// The pattern with gaps of any length.
fn without_counts(pattern: &Pattern) -> Pattern {
    let segments = pattern.segments.iter().map(|segment| match segment {
        Segment::Gap(_) => Segment::Gap(Gap::Any),
        Segment::Text(text) => Segment::Text(text.clone()),
    });
    Pattern {
        segments: segments.collect(),
    }
}

/// Oracle: a token is possible in a masked cell exactly if some member that
/// agrees with the canvas holds it there. Recursive grammars may allow more.
fn compare_possible(
    context: &dyn Fn() -> String,
    checker: &mut Checker,
    canvas: &[Option<TokenId>],
    members: &[Vec<TokenId>],
    vocabulary: &Vocabulary,
) {
    let Some(cell) = canvas.iter().position(Option::is_none) else {
        return;
    };
    let Some(possible) = checker.possible(canvas, cell) else {
        return;
    };
    let agreeing = members.iter().filter(|member| {
        canvas
            .iter()
            .zip(member.iter())
            .all(|(cell, token)| cell.is_none_or(|cell| cell == *token))
    });
    let mut expected: Vec<usize> = agreeing
        .map(|member| member[cell])
        .filter(|&token| !vocabulary.is_end(token))
        .map(|token| token as usize)
        .collect();
    expected.sort_unstable();
    expected.dedup();
    let found: Vec<usize> = possible.iter().collect();
    if checker.is_regular() {
        assert_eq!(found, expected, "{}: cell {cell}", context());
    } else {
        let missing = expected.iter().find(|token| !found.contains(token));
        assert_eq!(missing, None, "{}: cell {cell}", context());
    }
}

/// Oracle: a token is in a cell's mask exactly if some member that agrees with the
/// canvas holds it there; so also once one more cell is written, of each cell alone.
fn compare_masks(
    context: &dyn Fn() -> String,
    checker: &mut Checker,
    canvas: &[Option<TokenId>],
    members: &[Vec<TokenId>],
) {
    let expected = |canvas: &[Option<TokenId>], cell: usize| {
        let agreeing = members.iter().filter(|member| {
            let mut cells = canvas.iter().zip(member.iter());
            cells.all(|(cell, token)| cell.is_none_or(|cell| cell == *token))
        });
        let tokens: BTreeSet<TokenId> = agreeing.map(|member| member[cell]).collect();
        let is_masked = canvas[cell].is_none();
        is_masked.then(|| tokens.into_iter().collect::<Vec<TokenId>>())
    };
    let tokens = |mask: &BitSet| {
        mask.iter()
            .map(|token| token as TokenId)
            .collect::<Vec<_>>()
    };
    let masks = checker.masks(canvas);
    assert_eq!(masks.undecided, 0, "{}: out of budget", context());
    for (cell, mask) in masks.cells.iter().enumerate() {
        let found = mask.as_ref().map(tokens);
        let expected = expected(canvas, cell);
        assert_eq!(found, expected, "{}: the mask of cell {cell}", context());
    }
    // A cell is written with what its mask allows, and others' masks are drawn anew.
    let mut written = canvas.to_vec();
    for (cell, mask) in masks.cells.iter().enumerate() {
        let Some(token) = mask.as_ref().and_then(|mask| mask.iter().last()) else {
            continue;
        };
        written[cell] = Some(token as TokenId);
        for (other, most) in masks.cells.iter().enumerate() {
            if most.is_none() || other == cell {
                continue;
            }
            let found = checker.mask_of(&written, other);
            let found = found.map(|mask| tokens(&mask));
            let expected = expected(&written, other);
            let shown = format!("{}: {token} in cell {cell}", context());
            assert_eq!(found, expected, "{shown}, the mask of cell {other}");
        }
        written[cell] = None;
    }
}

#[test]
fn fixtures_agree_with_brute_force() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut counts = Counts::default();
    for case in fixtures() {
        let vocabulary = support::vocabulary(&case.tokens);
        compare(
            &case.name,
            &case.grammar,
            vocabulary,
            case.cells,
            150,
            &mut random,
            &mut counts,
        );
    }
    counts.assert_balanced();
}

/// The seeds of random grammars: so many from the first on.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| {
        let value = std::env::var(name).ok()?;
        Some(
            value
                .parse::<u64>()
                .unwrap_or_else(|_| panic!("{name}: no number")),
        )
    };
    let first = number("LACUNA_BRUTE_FORCE_FIRST").unwrap_or(0);
    first..first + number("LACUNA_BRUTE_FORCE_ROUNDS").unwrap_or(360)
}

#[test]
fn random_grammars_agree_with_brute_force() {
    compare_random(&[&|random| random.grammar()]);
}

#[test]
fn random_counts_agree_with_brute_force() {
    compare_random(&[&|random| random.with_counts().grammar(), &|random| {
        random.with_counts().with_orders().grammar()
    }]);
}

#[test]
fn random_lexicons_agree_with_brute_force() {
    let counts = compare_random(&[&|random| random.munching()]);
    // The grammar engine alone does not tell, for size.
    assert!(
        !SHORTCUTS || counts.early > 0,
        "never told how far: {counts}"
    );
}

#[test]
fn random_constraints_agree_with_brute_force() {
    compare_random(&[
        &|random| constrained(random, |random| random.grammar()),
        &|random| constrained(random, |random| random.munching()),
    ]);
}

#[test]
fn random_orders_agree_with_brute_force() {
    compare_random(&[
        &|random| random.with_orders().grammar(),
        &|random| random.with_orders().munching(),
        &|random| constrained(random, |random| random.with_orders().grammar()),
    ]);
}

fn constrained(
    random: &mut RandomGrammar,
    make: impl Fn(&mut RandomGrammar) -> Grammar,
) -> Grammar {
    let constraint = Some(random.constraint().into());
    Grammar {
        constraint,
        ..make(random)
    }
}

fn compare_random(kinds: &[&dyn Fn(&mut RandomGrammar) -> Grammar]) -> Counts {
    let mut counts = Counts::default();
    for make in kinds {
        compare_kind(make, &mut counts);
    }
    // A few seeds tell nothing.
    if seeds().count() >= 360 {
        counts.assert_telling();
    }
    counts
}

fn compare_kind(make: impl Fn(&mut RandomGrammar) -> Grammar, counts: &mut Counts) {
    for seed in seeds() {
        compare_seed(&make, seed, counts);
    }
}

fn compare_seed(make: impl Fn(&mut RandomGrammar) -> Grammar, seed: u64, counts: &mut Counts) {
    let mut random = fastrand::Rng::with_seed(seed);
    let grammar = make(&mut RandomGrammar::new(&mut random));
    let tokens = support::random_tokens(&mut random);
    let cells = random.usize(1..=4);
    let vocabulary = support::vocabulary(&tokens);
    let name = format!("seed {seed}: {grammar:?} over {tokens:?}");
    compare(&name, &grammar, vocabulary, cells, 25, &mut random, counts);
}

/// Seeds by which the heaviest way was once joined to the rest of a witness that had
/// another reading of the same text behind it.
#[test]
fn ways_are_not_joined_to_another_reading_of_the_witness() {
    let counts = &mut Counts::default();
    compare_seed(|random| random.grammar(), 4239, counts);
    compare_seed(|random| random.with_orders().grammar(), 451, counts);
    let constrained = |random: &mut RandomGrammar| constrained(random, |random| random.grammar());
    compare_seed(constrained, 1281, counts);
    assert!(counts.best > 0);
}

/// A seed by which a node stood for others of its place that the cover came to in more states
/// than it, and what could be read from these was not asked for.
#[test]
fn nodes_ask_for_all_that_those_do_which_they_stand_for() {
    let counts = &mut Counts::default();
    compare_seed(|random| random.with_orders().munching(), 514, counts);
    assert!(counts.yes > 0);
}
