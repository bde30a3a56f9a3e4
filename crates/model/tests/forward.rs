//! The fast pass against the plain one, over every fact a configuration can state.

use crate::common::{self, Random, small};
use lacuna_model::kernels::Kernel;
use lacuna_model::{CpuTransformer, ForwardError, ModelConfig, WeightFormat, plain};

/// Logits of the random models below have a standard deviation of about 1; the largest
/// difference that was measured is 5.7e-4.
const LARGEST_DIFFERENCE: f32 = 2e-3;

#[test]
fn the_fast_pass_computes_what_the_plain_one_does() {
    let random = &mut Random(7);
    let mut worst = 0.0f32;
    for seed in 0..60 {
        let formats = [None, Some(WeightFormat::Int8), Some(WeightFormat::Int4)];
        let format = formats[random.below(3)];
        let config = small(random, format);
        let vocab = config.vocab_size;
        let weights = common::weights(&config, seed);
        let mut models: Vec<_> = Kernel::supported()
            .into_iter()
            .map(|kernel| (kernel, 1))
            .chain([2, 3, 7].map(|threads| (Kernel::detect(), threads)))
            .map(|(kernel, threads)| {
                let mut model = CpuTransformer::with_kernel(weights.clone(), kernel);
                model.set_threads(threads);
                model
            })
            .collect();
        // Long, then short, then long: buffers are reused, and hold what was there before.
        for length in [40, 1, 33, 1 + random.below(64)] {
            let ids: Vec<u32> = (0..length).map(|_| random.below(vocab) as u32).collect();
            let rows: Vec<usize> = (0..random.below(12))
                .map(|_| random.below(length))
                .collect();
            let plain = plain::logits(&weights, &ids);
            let mut first: Option<Vec<f32>> = None;
            for model in &mut models {
                let mut out = vec![f32::NAN; 3];
                model.logits(&ids, &rows, &mut out).unwrap();
                assert_eq!(out.len(), rows.len() * vocab);
                for (&row, out) in rows.iter().zip(out.chunks(vocab)) {
                    for (a, b) in out.iter().zip(&plain[row]) {
                        worst = worst.max((a - b).abs());
                        assert!(
                            (a - b).abs() < LARGEST_DIFFERENCE,
                            "{a} for {b}: {config:?}"
                        );
                    }
                }
                // Bit for bit, whatever the instructions and the threads.
                assert_eq!(*first.get_or_insert_with(|| out.clone()), out);
            }
        }
    }
    println!("largest difference: {worst:e}");
}

#[test]
fn inputs_that_fit_no_model_are_errors() {
    let config = ModelConfig {
        max_position_embeddings: 8,
        ..small(&mut Random(1), Some(WeightFormat::Int8))
    };
    let vocab = config.vocab_size;
    let mut model = CpuTransformer::new(common::weights(&config, 0));
    let mut out = Vec::new();
    let mut error = |ids: &[u32], rows: &[usize]| model.logits(ids, rows, &mut out).unwrap_err();
    assert_eq!(
        error(&[0; 9], &[0]),
        ForwardError::TooLong { length: 9, most: 8 }
    );
    assert_eq!(
        error(&[0, vocab as u32], &[0]),
        ForwardError::IdOutOfRange {
            id: vocab as u32,
            position: 1,
            vocab
        }
    );
    assert_eq!(
        error(&[0; 3], &[2, 3]),
        ForwardError::RowOutOfRange { row: 3, length: 3 }
    );
    assert_eq!(
        error(&[], &[0]),
        ForwardError::RowOutOfRange { row: 0, length: 0 }
    );
    assert_eq!(model.logits(&[0; 8], &[7], &mut out), Ok(()));
    assert_eq!(model.logits(&[], &[], &mut out), Ok(()));
    assert!(out.is_empty());
}

/// Finite weights can still be too large; that is said, and the next call is not harmed.
#[test]
fn weights_that_overflow_are_an_error() {
    let config = small(&mut Random(2), None);
    let mut weights = common::weights(&config, 0);
    weights.final_norm.fill(f32::MAX);
    let mut model = CpuTransformer::new(weights);
    assert_eq!(
        model.logits(&[0; 4], &[1], &mut Vec::new()),
        Err(ForwardError::NotFinite)
    );
    let config = ModelConfig {
        quantization: Some(WeightFormat::Int8),
        ..config
    };
    let mut weights = common::weights(&config, 0);
    weights.layers[0].input_norm.fill(f32::MAX);
    let mut model = CpuTransformer::new(weights);
    assert_eq!(
        model.logits(&[0; 4], &[1], &mut Vec::new()),
        Err(ForwardError::NotFinite)
    );
}
