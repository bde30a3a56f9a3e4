//! What the tests share: a device, random models, rows of logits.

#[path = "../../../model/tests/common/mod.rs"]
#[allow(dead_code)]
pub mod random_model;

use lacuna_gpu::{DeviceOptions, GpuDevice, GpuTransformer, TransformerOptions};
use lacuna_logits::{RowSummary, TokenSet};
use lacuna_model::{ForwardPass, StepRequest, Weights};
#[allow(unused_imports)]
pub use random_model::{Random, small};

/// A device, or none where there is no adapter at all, which is said; an error of any other
/// kind fails the test. `LACUNA_REQUIRE_GPU=1` makes a missing adapter a failure too.
pub fn device_with(options: DeviceOptions) -> Option<GpuDevice> {
    match pollster::block_on(GpuDevice::request(options)) {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(
                std::env::var_os("LACUNA_REQUIRE_GPU").is_none(),
                "an adapter is required: {error}"
            );
            println!("skipped: {error}");
            None
        }
    }
}

pub fn device() -> Option<GpuDevice> {
    device_with(DeviceOptions::default())
}

/// The model on the device, in single precision.
pub fn load(device: &GpuDevice, weights: &Weights) -> GpuTransformer {
    let options = TransformerOptions::default();
    pollster::block_on(GpuTransformer::new(device, weights, &options)).expect("it fits")
}

/// A step that asks for every token of every row.
pub fn all_logits(model: &mut GpuTransformer, ids: &[u32], rows: &[usize]) -> Vec<Vec<f32>> {
    let vocab = model.config().vocab_size;
    let writable = TokenSet::from_fn(vocab, |_| true);
    let request = StepRequest {
        ids,
        rows,
        writable: &writable,
        top: vocab,
        noise: None,
        kept: None,
    };
    let summaries = pollster::block_on(model.step(&request)).expect("a step");
    summaries.iter().map(|row| logits(row, vocab)).collect()
}

/// The logits of a row whose candidates are all there; what is missing is no number.
pub fn logits(row: &RowSummary, vocab: usize) -> Vec<f32> {
    let mut logits = vec![f32::NAN; vocab];
    for scored in &row.best {
        logits[scored.token as usize] = scored.logit;
    }
    logits
}

/// The largest difference; not a number if either side has none.
pub fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let gaps = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    gaps.fold(0.0, |worst, gap| if gap <= worst { worst } else { gap })
}
