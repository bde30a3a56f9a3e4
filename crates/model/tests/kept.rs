//! Keys and values of an earlier input: exact where that is promised, what the plain pass
//! says elsewhere, and the same whatever was asked before.

use crate::common::{self, Random, small};
use lacuna_model::kernels::Kernel;
use lacuna_model::{CpuTransformer, ForwardError, Input, Kept, ModelConfig, WeightFormat, plain};
use std::ops::Range;

/// As in the test of the pass without anything kept; 5.9e-4 was measured.
const LARGEST_DIFFERENCE: f32 = 2e-3;

fn any_config(random: &mut Random) -> ModelConfig {
    let formats = [None, Some(WeightFormat::Int8), Some(WeightFormat::Int4)];
    let format = formats[random.below(3)];
    small(random, format)
}

fn ids(random: &mut Random, vocab: usize, length: usize) -> Vec<u32> {
    (0..length).map(|_| random.below(vocab) as u32).collect()
}

/// A range with something in it.
fn range(random: &mut Random, length: usize) -> Range<usize> {
    let (a, b) = (random.below(length), random.below(length));
    a.min(b)..a.max(b) + 1
}

/// Some of its positions.
fn rows(random: &mut Random, range: &Range<usize>) -> Vec<usize> {
    (0..1 + random.below(9))
        .map(|_| range.start + random.below(range.len()))
        .collect()
}

fn logits(model: &mut CpuTransformer, input: &Input<'_>) -> Vec<f32> {
    let mut out = vec![f32::NAN; 5];
    model.logits_of(input, &mut out).expect("logits");
    out
}

fn keeping<'a>(ids: &'a [u32], range: &Range<usize>) -> Option<Kept<'a>> {
    Kept {
        ids,
        start: range.start,
        end: range.end,
    }
    .into()
}

/// A cache that is refreshed at every step changes no bit, and neither does one of which
/// nothing is used.
#[test]
fn where_nothing_is_approximated_no_bit_differs() {
    let random = &mut Random(31);
    for seed in 0..30 {
        let config = any_config(random);
        let vocab = config.vocab_size;
        let weights = common::weights(&config, seed);
        let (mut keeper, mut other) = (
            CpuTransformer::new(weights.clone()),
            CpuTransformer::new(weights),
        );
        for _ in 0..4 {
            let length = 1 + random.below(60);
            let (now, earlier) = (ids(random, vocab, length), ids(random, vocab, length));
            let range = range(random, length);
            let rows = rows(random, &range);
            let plain = Input {
                ids: &now,
                rows: &rows,
                kept: None,
            };
            let expected = logits(&mut other, &plain);
            let same = Input {
                kept: keeping(&now, &range),
                ..plain
            };
            // In one pass over everything; then in one over the range.
            assert_eq!(logits(&mut keeper, &same), expected, "{config:?}");
            assert_eq!(logits(&mut keeper, &same), expected, "{config:?}");
            let all = Input {
                kept: keeping(&earlier, &(0..length)),
                ..plain
            };
            assert_eq!(logits(&mut keeper, &all), expected, "{config:?}");
        }
    }
}

/// With one block, keys and values depend on their own token alone.
#[test]
fn one_block_is_exact_where_only_the_range_differs() {
    let random = &mut Random(32);
    for seed in 0..20 {
        let config = ModelConfig {
            num_hidden_layers: 1,
            ..any_config(random)
        };
        let weights = common::weights(&config, seed);
        let length = 1 + random.below(60);
        let range = range(random, length);
        let now = ids(random, config.vocab_size, length);
        let mut earlier = now.clone();
        for id in &mut earlier[range.clone()] {
            *id = random.below(config.vocab_size) as u32;
        }
        let rows = rows(random, &range);
        let mut model = CpuTransformer::new(weights);
        let plain = Input {
            ids: &now,
            rows: &rows,
            kept: None,
        };
        let expected = logits(&mut model, &plain);
        let kept = Input {
            kept: keeping(&earlier, &range),
            ..plain
        };
        assert_eq!(logits(&mut model, &kept), expected, "{config:?}");
    }
}

/// Whatever was asked before, with every instruction set and number of threads: the bits of
/// a model that was asked nothing else, and what the plain pass says.
#[test]
fn answers_depend_on_the_request_alone() {
    let random = &mut Random(33);
    let mut worst = 0.0f32;
    for seed in 0..12 {
        let config = any_config(random);
        let (vocab, length) = (config.vocab_size, 20 + random.below(60));
        let weights = common::weights(&config, seed);
        let mut models: Vec<_> = Kernel::supported()
            .into_iter()
            .map(|kernel| (kernel, 1))
            .chain([2, 3].map(|threads| (Kernel::detect(), threads)))
            .map(|(kernel, threads)| {
                let mut model = CpuTransformer::with_kernel(weights.clone(), kernel);
                model.set_threads(threads);
                model
            })
            .collect();
        // Few inputs and ranges, so that what is stored is sometimes what is asked for.
        let inputs = [0; 3].map(|_| ids(random, vocab, length));
        let ranges = [0; 2].map(|_| range(random, length));
        for step in 0..12 {
            let (now, earlier) = (&inputs[random.below(3)], &inputs[random.below(3)]);
            let range = &ranges[random.below(2)];
            let input = Input {
                ids: now,
                rows: &rows(random, range),
                kept: (step % 5 != 4).then_some(()).and(keeping(earlier, range)),
            };
            let computed = input.computed(&config);
            let expected = match input.kept {
                None => plain::logits(&weights, now),
                Some(kept) => {
                    let (start, end) = (computed.start, computed.end);
                    plain::logits_keeping(&weights, now, Kept { start, end, ..kept })
                }
            };
            let fresh = logits(&mut CpuTransformer::new(weights.clone()), &input);
            for (&row, fresh) in input.rows.iter().zip(fresh.chunks(vocab)) {
                for (a, b) in fresh.iter().zip(&expected[row]) {
                    worst = worst.max((a - b).abs());
                    assert!(
                        (a - b).abs() < LARGEST_DIFFERENCE,
                        "{a} for {b}: {config:?}"
                    );
                }
            }
            for model in &mut models {
                assert_eq!(logits(model, &input), fresh, "{config:?}");
            }
        }
    }
    println!("largest difference: {worst:e}");
}

#[test]
fn what_wanted_rows_need_is_computed() {
    let config = |logits_shift| ModelConfig {
        logits_shift,
        ..small(&mut Random(1), None)
    };
    let input = |rows, kept| Input {
        ids: &[0; 10],
        rows,
        kept,
    };
    let kept = keeping(&[0; 10], &(4..6));
    assert_eq!(input(&[1], None).computed(&config(false)), 0..10);
    assert_eq!(input(&[4, 5], kept).computed(&config(false)), 4..6);
    assert_eq!(input(&[4, 5], kept).computed(&config(true)), 3..6);
    assert_eq!(input(&[8, 2], kept).computed(&config(false)), 2..9);
    assert_eq!(input(&[0], kept).computed(&config(true)), 0..6);
    // Ranges that make no sense are of what is wanted.
    let odd = keeping(&[0; 10], &(30..90));
    assert_eq!(input(&[9], odd).computed(&config(false)), 9..10);
}

#[test]
fn inputs_that_do_not_fit_are_errors() {
    let config = small(&mut Random(1), Some(WeightFormat::Int8));
    let vocab = config.vocab_size as u32;
    let mut model = CpuTransformer::new(common::weights(&config, 0));
    let mut error = |earlier: &[u32]| {
        let input = Input {
            ids: &[0; 3],
            rows: &[1],
            kept: keeping(earlier, &(1..2)),
        };
        model.logits_of(&input, &mut Vec::new()).unwrap_err()
    };
    assert_eq!(
        error(&[0; 4]),
        ForwardError::KeptOfAnotherLength { kept: 4, length: 3 }
    );
    assert_eq!(
        error(&[0, 0, vocab]),
        ForwardError::IdOutOfRange {
            id: vocab,
            position: 2,
            vocab: config.vocab_size
        }
    );
}
