//! Several texts on one canvas, and free text before a grammar: each constrained text is
//! a sentence of its grammar, by the independent recogniser, whatever the model says.

use std::sync::Arc;

use lacuna_checker::{Checker, CheckerLimits, Weights};
use lacuna_decoder::{
    Canvas, Cell, CellView, Decisions, DecodeError, Event, Guard, Needs, Options, Order, OrderKind,
    RecoveryKind, RegionGuard, Remask, Run, TriggerGuard,
};
use lacuna_grammar::{Grammar, gbnf, recognize::recognize};
use lacuna_lexer::{TokenId, Vocabulary};
use pollster::block_on;

use crate::support::{ADVERSARIES, ARITHMETIC, Adversary, COUNTED, JSON, Model, vocabulary};

fn checker(grammar: &Grammar) -> Checker {
    let limits = CheckerLimits::default();
    Checker::new(grammar, Some(vocabulary()), limits).expect("a checker")
}

fn token(vocabulary: &Vocabulary, text: &str) -> Cell {
    let mut tokens = 0..vocabulary.len() as TokenId;
    tokens.find(|&token| vocabulary.bytes(token) == Some(text.as_bytes()))
}

fn decode(
    canvas: Canvas,
    guard: Box<dyn Guard>,
    adversary: Adversary,
    options: Options,
) -> Result<(Vec<u8>, Vec<Event>, Canvas), DecodeError> {
    let model = Model::new(adversary, vocabulary());
    let mut run = Run::with_guard(
        model,
        vocabulary(),
        canvas,
        guard,
        options,
        Box::new(|| 0.0),
    )?;
    let mut events = Vec::new();
    for _ in 0..200 {
        events.extend(block_on(run.step())?);
        if let Some(Event::Done { text, .. }) = events.last() {
            return Ok((text.clone(), events, run.canvas().clone()));
        }
    }
    panic!("{adversary:?} does not end")
}

/// The text of some cells of a canvas.
fn text_of(canvas: &Canvas, range: std::ops::Range<usize>) -> Vec<u8> {
    Canvas::new(canvas.cells()[range].to_vec()).text(&vocabulary())
}

#[test]
fn every_region_has_a_text_of_its_own_grammar() {
    let (json, counted) = (
        gbnf::parse(JSON).expect("JSON"),
        gbnf::parse(COUNTED).expect("counted"),
    );
    for masks_after in [None, Some(0)] {
        for adversary in ADVERSARIES {
            let vocabulary = vocabulary();
            let colon = token(&vocabulary, ":");
            let canvas = Canvas::joined([
                vec![None; 5],
                vec![colon],
                vec![None; 9],
                vec![colon],
                vec![None; 12],
            ]);
            let regions = [
                (5, None),
                (1, None),
                (9, Some(checker(&counted))),
                (1, None),
                (12, Some(checker(&json))),
            ];
            let guard = RegionGuard::new(regions, &vocabulary);
            let options = Options {
                steps: 7,
                seed: 3,
                masks_after,
                ..Options::default()
            };
            let ended = decode(canvas, Box::new(guard), adversary, options);
            let (text, _, canvas) = ended.expect("a text");
            let parts = [0..5, 5..6, 6..15, 15..16, 16..28].map(|range| text_of(&canvas, range));
            assert!(recognize(&counted, &parts[2]), "{adversary:?}: {parts:?}");
            assert!(recognize(&json, &parts[4]), "{adversary:?}: {parts:?}");
            assert_eq!(text, parts.concat());
        }
    }
}

#[test]
fn a_region_that_nothing_fits_is_named_before_the_first_step() {
    let counted = gbnf::parse(COUNTED).expect("counted");
    let regions = [(4, None), (2, Some(checker(&counted)))];
    let guard = RegionGuard::new(regions, &vocabulary());
    let canvas = Canvas::joined([vec![None; 4], vec![None; 2]]);
    let error = decode(canvas, Box::new(guard), Adversary::Flat, Options::default());
    let expected = DecodeError::NoMember {
        length: 2,
        needs: Some(Needs::AtLeast(3)),
    };
    assert_eq!(error.err(), Some(expected));
}

#[test]
fn behind_the_trigger_stands_a_sentence() {
    let arithmetic = gbnf::parse(ARITHMETIC).expect("arithmetic");
    let (mut fired, mut cleared) = (0, 0);
    for seed in 0..60 {
        let adversary = match seed % 3 {
            0 => Adversary::OneToken(token(&vocabulary(), ":").expect("a colon")),
            _ => Adversary::Noise(seed),
        };
        let vocabulary = vocabulary();
        let mut cells = vec![None; 18];
        if seed % 4 == 0 {
            // Written beforehand, in a token that holds more than the trigger.
            cells[5] = token(&vocabulary, "\":");
        }
        let guard = TriggerGuard::new("\"", checker(&arithmetic), Arc::clone(&vocabulary));
        let options = Options {
            steps: 9,
            seed,
            temperature: 1.0,
            order: match seed % 2 {
                0 => OrderKind::LeftToRight,
                _ => OrderKind::Confidence,
            },
            ..Options::default()
        };
        if seed % 4 == 0 {
            // Behind the quote stands a colon, which begins no sum.
            let canvas = Canvas::new(cells);
            let ended = decode(canvas, Box::new(guard), adversary, options);
            assert!(matches!(ended.err(), Some(DecodeError::NoFilling { .. })));
            continue;
        }
        let (text, events, _) =
            decode(Canvas::new(cells), Box::new(guard), adversary, options).expect("a text");
        if let Some(at) = text.iter().position(|&byte| byte == b'"') {
            fired += 1;
            let behind = &text[at + 1..];
            let shown = String::from_utf8_lossy(&text);
            assert!(recognize(&arithmetic, behind), "{seed}: {shown}");
        }
        let again = |event: &&Event| matches!(event, Event::Remask { .. });
        cleared += events.iter().filter(again).count();
    }
    assert!(
        fired > 10 && cleared > 10,
        "{fired} fired, {cleared} cleared"
    );
}

/// Cells that the model is sure of come first: the last, then the first.
struct LastThenFirst;

impl Order for LastThenFirst {
    fn preference(&self, view: &CellView) -> f32 {
        match view.probability > 0.5 {
            true => [1.0, 0.0, 2.0][view.cell],
            false => -1.0,
        }
    }
}

/// A quote that is refused as a trigger without room behind it is not refused for good.
#[test]
fn what_cannot_be_a_trigger_may_stand_behind_one() {
    let quoted = gbnf::parse(r#"root ::= [a-z]+ "\""?"#).expect("a grammar");
    let vocabulary = vocabulary();
    let text = ["\"", "a", "\""].map(|text| token(&vocabulary, text).expect("a token"));
    let model = Model::knowing(text.to_vec(), 9.0, Arc::clone(&vocabulary));
    let guard = TriggerGuard::new("\"", checker(&quoted), Arc::clone(&vocabulary));
    let options = Options {
        steps: 3,
        ..Options::default()
    };
    let canvas = Canvas::new(vec![None; 3]);
    let guard = Box::new(guard);
    let run = Run::with_guard(
        model,
        vocabulary,
        canvas,
        guard,
        options.clone(),
        Box::new(|| 0.0),
    );
    let mut run = run.expect("a run").deciding(Decisions {
        order: Box::new(LastThenFirst),
        ..Decisions::from(&options)
    });
    let mut refused = Vec::new();
    while !run.is_done() {
        for event in block_on(run.step()).expect("a step") {
            if let Event::Refusal(refusal) = event {
                refused.push((refusal.cell, refusal.token));
            }
        }
    }
    assert_eq!(refused, [(2, text[2])], "without room behind it");
    assert_eq!(run.canvas().text(&self::vocabulary()), b"\"a\"");
}

/// What stands behind a trigger from the start stays, and the text has it.
#[test]
fn what_is_fixed_behind_a_trigger_stays() {
    let arithmetic = gbnf::parse(ARITHMETIC).expect("arithmetic");
    let vocabulary = vocabulary();
    let (mut fired, quote) = (0, token(&vocabulary, "\"").expect("a quote"));
    for seed in 0..160 {
        let mut cells = vec![None; 12];
        cells[9] = token(&vocabulary, "+");
        let guard = TriggerGuard::new("\"", checker(&arithmetic), Arc::clone(&vocabulary));
        let options = Options {
            steps: 6,
            seed,
            temperature: 1.0,
            bias: vec![(quote, 3.0)],
            remask: (seed % 2 == 0).then_some(Remask {
                below: 0.9,
                per_step: 3,
                per_cell: 3,
            }),
            ..Options::default()
        };
        let canvas = Canvas::new(cells);
        let (text, events, canvas) =
            decode(canvas, Box::new(guard), Adversary::Noise(seed), options).expect("a text");
        assert_eq!(canvas.cells()[9], token(&vocabulary, "+"), "{seed}");
        if let Some(at) = text.iter().position(|&byte| byte == b'"') {
            fired += 1;
            assert!(recognize(&arithmetic, &text[at + 1..]), "{seed}");
        }
        // What is masked again had a token.
        let mut filled = [false; 12];
        for event in &events {
            match event {
                Event::Commit(commit) => filled[commit.cell] = true,
                Event::Remask { cell, .. } => {
                    assert!(std::mem::take(&mut filled[*cell]), "{seed}: {cell}");
                }
                _ => {}
            }
        }
    }
    assert!(fired > 40, "{fired}");
}

/// The best completion has the heaviest tokens where anything may stand, and none that would end
/// the text or fire the trigger unseen.
#[test]
fn recovery_along_the_best_completion_writes_what_weighs_most_in_free_cells() {
    let arithmetic = gbnf::parse(ARITHMETIC).expect("arithmetic");
    let vocabulary = vocabulary();
    let known = token(&vocabulary, "z").expect("a token");
    let options = |seed| Options {
        steps: 3,
        seed,
        recovery: RecoveryKind::Best,
        refusals_per_run: Some(0),
        early_stop: false,
        ..Options::default()
    };
    let adversary = Adversary::OneToken(known);
    let canvas = || Canvas::joined([vec![None; 4], vec![None; 3]]);
    let guard = RegionGuard::new([(4, None), (3, Some(checker(&arithmetic)))], &vocabulary);
    let (_, _, ended) = decode(canvas(), Box::new(guard), adversary, options(0)).expect("a text");
    assert_eq!(text_of(&ended, 0..4), b"zzzz");
    assert!(recognize(&arithmetic, &text_of(&ended, 4..7)));
    let guard = TriggerGuard::new("\"", checker(&arithmetic), Arc::clone(&vocabulary));
    let (text, ..) = decode(canvas(), Box::new(guard), adversary, options(0)).expect("a text");
    assert_eq!(text, b"zzzzzzz");
    // A model that likes the trigger best is not followed where nothing would check it.
    let quote = token(&vocabulary, "\"").expect("a quote");
    for adversary in ADVERSARIES.into_iter().chain([Adversary::OneToken(quote)]) {
        let guard = TriggerGuard::new("\"", checker(&arithmetic), Arc::clone(&vocabulary));
        let (text, ..) = decode(canvas(), Box::new(guard), adversary, options(1)).expect("a text");
        if let Some(at) = text.iter().position(|&byte| byte == b'"') {
            assert!(recognize(&arithmetic, &text[at + 1..]), "{adversary:?}");
        }
    }
}

/// A canvas behind a trigger, some of its cells filled so that a text fits, and its guard.
fn fired(seed: u64) -> (TriggerGuard, Vec<Cell>) {
    let grammar = gbnf::parse([ARITHMETIC, COUNTED, JSON][seed as usize % 3]).expect("a grammar");
    let vocabulary = vocabulary();
    let mut guard = TriggerGuard::new("\"", checker(&grammar), Arc::clone(&vocabulary));
    let mut cells = vec![None; 10];
    cells[1] = token(&vocabulary, "\"");
    guard.open(&cells).expect("a text fits");
    let mut state = seed;
    for _ in 0..4 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let (cell, token) = ((state >> 40) as usize % 8 + 2, (state >> 20) % 37);
        let before = cells[cell].replace(token as TokenId);
        if guard.check(&cells).is_err() {
            cells[cell] = before;
            guard.check(&cells).expect("what it allowed before");
        }
    }
    (guard, cells)
}

/// The oracle is the guard's own check of every token in every cell.
#[test]
fn masks_behind_a_trigger_are_those_of_trying_every_token() {
    let (mut allowed, mut refused) = (0, 0);
    for seed in 0..24 {
        let (mut guard, cells) = fired(seed);
        let masks = guard.masks(&cells).expect("masks");
        assert_eq!(masks.len(), cells.len());
        assert_eq!(masks[0], None, "nothing is known before the trigger");
        for (cell, mask) in masks.iter().enumerate().skip(2) {
            assert_eq!(mask.is_some(), cells[cell].is_none());
            let Some(mask) = mask else { continue };
            for token in 0..vocabulary().len() as TokenId {
                let mut tried = cells.clone();
                tried[cell] = Some(token);
                let fits = guard.check(&tried).is_ok();
                assert_eq!(mask.contains(token), fits, "{seed}: {token} in {cell}");
                *if fits { &mut allowed } else { &mut refused } += 1;
            }
            guard.check(&cells).expect("what it allowed before");
        }
    }
    assert!(
        allowed > 100 && refused > 1000,
        "{allowed} allowed, {refused} refused"
    );
}

/// What is found weighs no less than any text of the same cells that the guard allows and
/// that other weights make the heaviest.
#[test]
fn the_best_behind_a_trigger_is_allowed_and_no_other_found_weighs_more() {
    for seed in 0..24 {
        let (mut guard, cells) = fired(seed);
        let weights = |salt: u64| -> Vec<Option<Weights>> {
            let of_cell = |(at, cell): (usize, &Cell)| {
                let weight = |token: u64| {
                    let mixed = (token + 101 * at as u64 + 7919 * salt + seed)
                        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
                    -((mixed >> 44) as f32) / (1 << 18) as f32
                };
                let all = (0..vocabulary().len() as u64).filter(|&token| token != 1);
                cell.is_none().then(|| Weights {
                    best: all.map(|token| (token as TokenId, weight(token))).collect(),
                    rest: f32::NEG_INFINITY,
                })
            };
            cells.iter().enumerate().map(of_cell).collect()
        };
        let wanted = weights(0);
        let weight_of = |tokens: &[TokenId]| -> f32 {
            let behind = tokens.iter().zip(&wanted).skip(2);
            let weight = behind.filter_map(|(token, weights)| Some(weights.as_ref()?.of(*token)));
            weight.sum()
        };
        let best = guard.best(&cells, &wanted).expect("a best");
        let mut filled = cells.clone();
        for cell in 2..cells.len() {
            assert!(cells[cell].is_none_or(|token| token == best[cell]));
            filled[cell] = Some(best[cell]);
        }
        assert_eq!(guard.check(&filled), Ok(()), "{seed}");
        for salt in 1..6 {
            let other = guard.best(&cells, &weights(salt)).expect("another");
            assert!(
                weight_of(&other) <= weight_of(&best) + 1e-4,
                "{seed}, {salt}"
            );
        }
    }
}

/// A model that ends nothing: what it would write in a region of its own stays its own, also where
/// another region's text is taken from the completion.
#[test]
fn a_recovery_leaves_free_text_to_the_model() {
    let json = gbnf::parse(JSON).expect("JSON");
    let vocabulary = vocabulary();
    let liked = token(&vocabulary, "z").expect("a z");
    for recovery in [
        RecoveryKind::Witness,
        RecoveryKind::Best,
        RecoveryKind::Guided,
    ] {
        let regions = [(6, None), (10, Some(checker(&json)))];
        let guard = Box::new(RegionGuard::new(regions, &vocabulary));
        let options = Options {
            refusals_per_step: 0,
            recovery,
            ..Options::default()
        };
        let canvas = Canvas::masked(16);
        let (_, _, canvas) = decode(canvas, guard, Adversary::OneToken(liked), options)
            .unwrap_or_else(|error| panic!("{recovery:?}: {error}"));
        assert_eq!(text_of(&canvas, 0..6), b"zzzzzz", "{recovery:?}");
        assert!(recognize(&json, &text_of(&canvas, 6..16)), "{recovery:?}");
    }
}
