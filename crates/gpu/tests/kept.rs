//! Keys and values of an earlier input on the card: what the plain pass of `lacuna_model` says,
//! whatever was asked before.

use crate::common::{Random, device, difference, load, logits, random_model, small};
use lacuna_gpu::{GpuDevice, GpuTransformer, MemoryPlan, StepSize, TransformerOptions};
use lacuna_logits::{TokenSet, best_of};
use lacuna_model::{ForwardPass, Kept, ModelConfig, Narrow, StepRequest, WeightFormat, plain};
use std::ops::Range;

/// As without anything kept; 4.9e-6 was measured.
const LARGEST_DIFFERENCE: f32 = 1e-4;

/// The same of half precision.
const LARGEST_HALF_DIFFERENCE: f32 = 5e-2;

fn ids(random: &mut Random, vocab: usize, length: usize) -> Vec<u32> {
    (0..length).map(|_| random.below(vocab) as u32).collect()
}

/// A range with something in it.
fn range(random: &mut Random, length: usize) -> Range<usize> {
    let (a, b) = (random.below(length), random.below(length));
    a.min(b)..a.max(b) + 1
}

/// The largest difference from the plain pass over a dozen steps of a model.
fn worst_of_steps(
    device: &GpuDevice,
    config: &ModelConfig,
    half: bool,
    random: &mut Random,
) -> f32 {
    let weights = random_model::weights(config, random.next());
    let options = TransformerOptions {
        half,
        ..TransformerOptions::default()
    };
    let model = GpuTransformer::new(device, &weights, &options);
    let mut model = pollster::block_on(model).expect("it fits");
    assert_eq!(model.is_half(), half);
    let vocab = config.vocab_size;
    let writable = TokenSet::from_fn(vocab, |_| true);
    let mut worst = 0.0f32;
    // The second length needs more room than the first.
    for length in [12 + random.below(40), 66 + random.below(40)] {
        let inputs = [0; 3].map(|_| ids(random, vocab, length));
        let ranges = [0; 2].map(|_| range(random, length));
        for step in 0..6 {
            let (now, earlier) = (&inputs[random.below(3)], &inputs[random.below(3)]);
            let range = &ranges[random.below(2)];
            let rows = [0; 3].map(|_| range.start + random.below(range.len()));
            let kept = Kept {
                ids: earlier,
                start: range.start,
                end: range.end,
            };
            let request = StepRequest {
                ids: now,
                rows: &rows,
                writable: &writable,
                top: vocab,
                noise: None,
                kept: (step != 4).then_some(kept),
            };
            let Range { start, end } = request.input().computed(config);
            let expected = match request.kept {
                None => plain::logits(&weights, now),
                Some(kept) => plain::logits_keeping(&weights, now, Kept { start, end, ..kept }),
            };
            let found = pollster::block_on(model.step(&request)).expect("a step");
            for (row, found) in rows.iter().zip(&found) {
                let gap = difference(&logits(found, vocab), &expected[*row]);
                worst = if gap <= worst { worst } else { gap };
            }
        }
    }
    worst
}

#[test]
fn steps_that_keep_something_are_those_of_the_plain_pass() {
    let Some(device) = device() else { return };
    let random = &mut Random(41);
    let mut worst = 0.0f32;
    for format in [None, Some(WeightFormat::Int8), Some(WeightFormat::Int4)] {
        for _ in 0..4 {
            let config = small(random, format);
            let gap = worst_of_steps(&device, &config, false, random);
            assert!(gap < LARGEST_DIFFERENCE, "{gap}: {config:?}");
            worst = worst.max(gap);
        }
    }
    println!("largest difference: {worst:e}");
}

#[test]
fn half_precision_is_near() {
    let Some(device) = device() else { return };
    if !device.info().f16 {
        println!("skipped: the adapter has no half precision");
        return;
    }
    let random = &mut Random(43);
    for format in [None, Some(WeightFormat::Int8), Some(WeightFormat::Int4)] {
        let config = small(random, format);
        let gap = worst_of_steps(&device, &config, true, random);
        assert!(gap < LARGEST_HALF_DIFFERENCE, "{gap}: {config:?}");
    }
}

/// What is refreshed at every step is what a model without says, to the last bit: the same
/// kernels have the same rows before them.
#[test]
fn a_cache_that_is_refreshed_changes_nothing() {
    let Some(device) = device() else { return };
    let random = &mut Random(47);
    let config = small(random, Some(WeightFormat::Int8));
    let weights = random_model::weights(&config, 7);
    let (mut keeper, mut other) = (load(&device, &weights), load(&device, &weights));
    let writable = TokenSet::from_fn(config.vocab_size, |_| true);
    for _ in 0..3 {
        let ids = ids(random, config.vocab_size, 40);
        let plain = StepRequest {
            ids: &ids,
            rows: &[20, 29, 22],
            writable: &writable,
            top: 5,
            noise: None,
            kept: None,
        };
        let (start, end) = (20, 30);
        let kept = Some(Kept {
            ids: &ids,
            start,
            end,
        });
        let expected = pollster::block_on(other.step(&plain)).expect("a step");
        // The whole input first, then the range of it.
        for _ in 0..2 {
            let found = pollster::block_on(keeper.step(&StepRequest { kept, ..plain }));
            assert_eq!(found.expect("a step"), expected);
        }
    }
}

/// A second look is at the part of the step that was computed.
#[test]
fn second_looks_and_room() {
    let Some(device) = device() else { return };
    let random = &mut Random(53);
    let config = small(random, Some(WeightFormat::Int8));
    let vocab = config.vocab_size;
    let weights = random_model::weights(&config, 8);
    let mut model = load(&device, &weights);
    let writable = TokenSet::from_fn(vocab, |_| true);
    let (now, earlier) = (ids(random, vocab, 30), ids(random, vocab, 30));
    let rows = [12, 17];
    let request = StepRequest {
        ids: &now,
        rows: &rows,
        writable: &writable,
        top: vocab,
        noise: None,
        kept: Some(Kept {
            ids: &earlier,
            start: 10,
            end: 18,
        }),
    };
    let found = pollster::block_on(model.step(&request)).expect("a step");
    let allowed = TokenSet::from_fn(vocab, |token| token % 3 == 1);
    let ask = Narrow {
        row: 1,
        allowed: &allowed,
    };
    let narrowed = pollster::block_on(model.narrow(&[ask])).expect("a second look");
    let logits = logits(&found[1], vocab);
    let expected = best_of(&logits, &writable, &allowed, vocab, None, 17);
    assert_eq!(narrowed[0], expected);

    let size = StepSize {
        length: 30,
        rows: 2,
        top: vocab,
        kept: true,
    };
    let limits = &device.info().limits;
    let plan = MemoryPlan::for_model(&config, false, size, limits).expect("it fits");
    let least = plan.total();
    let none = MemoryPlan::for_model(
        &config,
        false,
        StepSize {
            kept: false,
            ..size
        },
        limits,
    );
    assert!(none.expect("it fits").total() < least);
    // What is planned is there, with the shapes of the dispatches and of the second look.
    let live = device.live_bytes();
    assert!(
        live >= least && live < least + (1 << 15),
        "{live} of {least}"
    );
    drop(model);
    assert_eq!(device.live_bytes(), 0);
}
