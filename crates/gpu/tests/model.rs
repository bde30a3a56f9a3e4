//! The whole model on the card against the plain pass of `lacuna_model`, over every fact a
//! configuration can state, and against PyTorch.

use crate::common::random_model::{self, Random};
use crate::common::{all_logits, device, difference, load, small};
use lacuna_gpu::{GpuTransformer, TransformerOptions};
use lacuna_logits::{Noise, Scored, TokenSet, best_of, summarize};
use lacuna_model::{ForwardError, ForwardPass, ModelConfig, Narrow, StepRequest};
use lacuna_model::{WeightFormat, plain};

/// Logits of the random models have a standard deviation of about 1. Both sides multiply f32 by
/// the same weights, in another order; 5.7e-6 was measured.
const LARGEST_DIFFERENCE: f32 = 1e-4;

/// The same of half precision, which has eleven bits.
const LARGEST_HALF_DIFFERENCE: f32 = 5e-2;

#[test]
fn the_card_computes_what_the_plain_pass_does() {
    let Some(device) = device() else { return };
    let random = &mut Random(11);
    let mut worst = 0.0f32;
    for seed in 0..15 {
        let formats = [None, Some(WeightFormat::Int8), Some(WeightFormat::Int4)];
        let config = small(random, formats[seed as usize % 3]);
        let weights = random_model::weights(&config, seed);
        let mut model = load(&device, &weights);
        // Long, then short, then longer than there is room for.
        for length in [
            1 + random.below(60),
            1 + random.below(9),
            65 + random.below(60),
        ] {
            let ids: Vec<u32> = (0..length)
                .map(|_| random.below(config.vocab_size) as u32)
                .collect();
            let rows: Vec<usize> = (0..1 + random.below(length))
                .map(|_| random.below(length))
                .collect();
            let expected = plain::logits(&weights, &ids);
            let found = all_logits(&mut model, &ids, &rows);
            for (row, found) in rows.iter().zip(&found) {
                let gap = difference(found, &expected[*row]);
                assert!(
                    gap < LARGEST_DIFFERENCE,
                    "{gap}: {config:?}, length {length}"
                );
                worst = worst.max(gap);
            }
        }
    }
    println!("largest difference: {worst:e}");
}

/// What a step says of rows is what `lacuna_logits` says of the same logits, with noise and
/// without, and again where a second look narrows the candidates.
#[test]
fn summaries_are_the_cpus() {
    let Some(device) = device() else { return };
    let random = &mut Random(5);
    let config = ModelConfig {
        vocab_size: 777,
        ..small(random, Some(WeightFormat::Int8))
    };
    let weights = random_model::weights(&config, 3);
    let mut model = load(&device, &weights);
    let ids: Vec<u32> = (0..40).map(|_| random.below(777) as u32).collect();
    let rows = [3, 39, 0, 3, 17];
    let logits = all_logits(&mut model, &ids, &rows);
    let noises = [None, Some(0.7), Some(1e-3)].map(|temperature| {
        temperature.map(|temperature| Noise {
            temperature,
            seed: 0x1234_5678_9abc_def0,
            step: 9,
        })
    });
    for noise in noises {
        let writable = TokenSet::from_fn(777, |token| token % 3 != 1);
        let request = StepRequest {
            ids: &ids,
            rows: &rows,
            writable: &writable,
            top: 13,
            noise,
            kept: None,
        };
        let summaries = pollster::block_on(model.step(&request)).expect("a step");
        for ((row, logits), found) in rows.iter().zip(&logits).zip(&summaries) {
            let expected = summarize(logits, &writable, 13, noise.as_ref(), *row as u32);
            assert_eq!(found.highest, expected.highest);
            assert!((found.sum / expected.sum - 1.0).abs() < 1e-5);
            assert!((found.entropy - expected.entropy).abs() < 1e-4);
            assert_alike(&found.best, &expected.best);
        }
        // The same row twice, and out of order.
        let asks = [4, 0, 3, 4].map(|row| (row, TokenSet::from_fn(777, |t| t % 5 == row as u32)));
        let narrows = asks
            .each_ref()
            .map(|(row, allowed)| Narrow { row: *row, allowed });
        let narrowed = pollster::block_on(model.narrow(&narrows)).expect("a second look");
        for ((row, allowed), found) in asks.iter().zip(&narrowed) {
            let (logits, position) = (&logits[*row], rows[*row] as u32);
            let expected = best_of(logits, &writable, allowed, 13, noise.as_ref(), position);
            assert_alike(found, &expected);
        }
    }
}

/// Buffers are made when there is more to look at than ever before, and then no more.
#[test]
fn steps_and_second_looks_make_no_buffers_once_there_is_room() {
    let Some(device) = device() else { return };
    let config = small(&mut Random(5), Some(WeightFormat::Int8));
    let mut model = load(&device, &random_model::weights(&config, 3));
    let all = TokenSet::from_fn(config.vocab_size, |_| true);
    let mut look = |top: usize, asks: usize| {
        let request = StepRequest {
            ids: &[0; 9],
            rows: &[2, 5],
            writable: &all,
            top,
            noise: None,
            kept: None,
        };
        pollster::block_on(model.step(&request)).expect("a step");
        let asks: Vec<Narrow<'_>> = (0..asks)
            .map(|at| Narrow {
                row: at % 2,
                allowed: &all,
            })
            .collect();
        let best = pollster::block_on(model.narrow(&asks)).expect("a second look");
        assert!(best.iter().all(|best| best.len() == top));
        device.buffers_made()
    };
    let made = look(8, 4);
    assert!((0..20).all(|at| look(1 + at % 8, 1 + at % 4) == made));
    let more = look(9, 1);
    assert!(more > made);
    assert_eq!(look(9, 4), more, "what there was room for still has it");
}

/// The same tokens in the same order with the same scores. Two logarithms differ by a rounding,
/// so that two scores of which the same is true may change places; none do here.
fn assert_alike(found: &[Scored], expected: &[Scored]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.token, found.logit), (expected.token, expected.logit));
        let scale = expected.score.abs().max(1.0);
        assert!(
            (found.score - expected.score).abs() < 1e-5 * scale,
            "{found:?} {expected:?}"
        );
    }
}

#[test]
fn what_is_out_of_range_is_an_error_and_nothing_is_nothing() {
    let Some(device) = device() else { return };
    let config = small(&mut Random(1), Some(WeightFormat::Int8));
    let weights = random_model::weights(&config, 1);
    let mut model = load(&device, &weights);
    let writable = TokenSet::from_fn(config.vocab_size, |_| true);
    let mut step = |ids: &[u32], rows: &[usize]| {
        let request = StepRequest {
            ids,
            rows,
            writable: &writable,
            top: 1,
            noise: None,
            kept: None,
        };
        pollster::block_on(model.step(&request))
    };
    let vocab = config.vocab_size;
    assert_eq!(step(&[], &[]), Ok(vec![]));
    assert_eq!(step(&[0], &[]), Ok(vec![]));
    let row_out_of_range = ForwardError::RowOutOfRange { row: 1, length: 1 };
    assert_eq!(step(&[0], &[1]), Err(row_out_of_range));
    assert_eq!(
        step(&[0, vocab as u32], &[0]),
        Err(ForwardError::IdOutOfRange {
            id: vocab as u32,
            position: 1,
            vocab
        })
    );
    assert_eq!(
        step(&[0; 201], &[0]),
        Err(ForwardError::TooLong {
            length: 201,
            most: 200
        })
    );
    assert_eq!(step(&[0; 200], &[0]).map(|rows| rows.len()), Ok(1));
    let ask = Narrow {
        row: 1,
        allowed: &writable,
    };
    let narrowed = pollster::block_on(model.narrow(&[ask]));
    assert_eq!(
        narrowed,
        Err(ForwardError::RowOutOfRange { row: 1, length: 1 })
    );
}

/// Weights whose products overflow are told, not sampled from.
#[test]
fn logits_that_are_not_finite_are_an_error() {
    let Some(device) = device() else { return };
    let config = small(&mut Random(1), None);
    let mut weights = random_model::weights(&config, 1);
    weights.final_norm.fill(f32::MAX);
    let mut model = load(&device, &weights);
    let writable = TokenSet::from_fn(config.vocab_size, |_| true);
    let request = StepRequest {
        ids: &[0, 1],
        rows: &[0],
        writable: &writable,
        top: 1,
        noise: None,
        kept: None,
    };
    assert_eq!(
        pollster::block_on(model.step(&request)),
        Err(ForwardError::NotFinite)
    );
}

/// Half the digits between the stages: logits of a standard deviation of about 1 keep two.
#[test]
fn half_precision_is_near() {
    let Some(device) = device() else { return };
    if !device.info().f16 {
        println!("skipped: the adapter has no half precision");
        return;
    }
    let random = &mut Random(17);
    for seed in 0..6 {
        let formats = [None, Some(WeightFormat::Int8), Some(WeightFormat::Int4)];
        let config = small(random, formats[seed as usize % 3]);
        let weights = random_model::weights(&config, seed);
        let options = TransformerOptions {
            half: true,
            ..TransformerOptions::default()
        };
        let model = GpuTransformer::new(&device, &weights, &options);
        let mut model = pollster::block_on(model).expect("it fits");
        assert!(model.is_half());
        let ids: Vec<u32> = (0..33)
            .map(|_| random.below(config.vocab_size) as u32)
            .collect();
        let expected = plain::logits(&weights, &ids);
        let found = all_logits(&mut model, &ids, &[0, 32, 5]);
        for (row, found) in [0, 32, 5].into_iter().zip(&found) {
            let gap = difference(found, &expected[row]);
            assert!(gap < LARGEST_HALF_DIFFERENCE, "{gap}: {config:?}");
        }
    }
}

/// Tuning changes which tiles are used and nothing else, and is of use to the next model.
#[test]
fn tuning_and_profiles() {
    let Some(device) = device() else { return };
    if !device.info().timestamps {
        println!("skipped: the adapter has no timestamps");
        return;
    }
    let random = &mut Random(23);
    let config = small(random, Some(WeightFormat::Int8));
    let weights = random_model::weights(&config, 4);
    let mut model = load(&device, &weights);
    let ids = [0; 20];
    let before = all_logits(&mut model, &ids, &[0, 19]);
    let writable = TokenSet::from_fn(config.vocab_size, |_| true);
    let request = StepRequest {
        ids: &ids,
        rows: &[0, 19],
        writable: &writable,
        top: 3,
        noise: None,
        kept: None,
    };
    pollster::block_on(model.tune(&request)).expect("it can be timed");
    let after = all_logits(&mut model, &ids, &[0, 19]);
    for (before, after) in before.iter().zip(&after) {
        assert!(difference(before, after) < LARGEST_DIFFERENCE);
    }
    let tuning = model.tuning().expect("something was measured");
    let options = TransformerOptions {
        tuning: Some(tuning.clone()),
        ..TransformerOptions::default()
    };
    let next = pollster::block_on(GpuTransformer::new(&device, &weights, &options));
    let kept: serde_json::Value = serde_json::from_str(&tuning).expect("JSON");
    assert!(!kept["tiles"].as_array().expect("a list").is_empty());
    let again = next.expect("it fits").tuning().expect("what was kept");
    let length = |json: &str| json.len();
    assert_eq!(length(&again), length(&tuning));

    let profile = pollster::block_on(model.profile(&request)).expect("it can be timed");
    let profile = profile.expect("there are timestamps");
    assert!(profile.micros > 0.0 && profile.operations > 0 && profile.bytes > 0);
    let sum: usize = profile.stages.iter().map(|stage| stage.dispatches).sum();
    assert_eq!(sum, profile.dispatches);
    assert!(profile.stages.iter().any(|stage| stage.name == "attend"));
}
