//! What is measured, the same natively and in wasm.

use crate::common::{self, Random};
use lacuna_model::Weights;

/// Random weights of the 10 M model.
pub fn weights() -> Weights {
    common::weights(&common::ten_million(), 1)
}

/// A canvas of which the second half is masked and wanted.
pub fn input(length: usize) -> (Vec<u32>, Vec<usize>) {
    let mut random = Random(length as u64);
    let ids = (0..length).map(|i| {
        if i < length / 2 {
            random.below(2048) as u32
        } else {
            1
        }
    });
    (ids.collect(), (length / 2..length).collect())
}

/// FNV-1a of the logits' bits.
pub fn hash(logits: &[f32]) -> u64 {
    let bytes = logits
        .iter()
        .flat_map(|logit| logit.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
