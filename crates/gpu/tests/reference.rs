//! The model that ships, on the card, against what PyTorch computes from the same files (see
//! `crates/model/tests/reference.rs`).

use common::{all_logits, device, load};
use lacuna_model::{ModelConfig, Weights};
use serde_json::Value;
use std::path::PathBuf;

mod common;

/// The largest difference of a logit from PyTorch's, in f32 on the same int8 weights; only the
/// order of sums differs. Logits reach 29; 1.9e-5 was measured, and the file rounds to 1e-5.
const LARGEST_DIFFERENCE: f32 = 2e-4;

fn file(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models/lacuna-mini");
    std::fs::read(path.join(name)).expect("the model's files belong to this test")
}

#[test]
fn the_logits_are_pytorchs() {
    let Some(device) = device() else { return };
    let config = ModelConfig::from_json(&file("config.json")).expect("a configuration");
    let weights = Weights::from_safetensors(&file("model.safetensors"), &config).expect("weights");
    let mut model = load(&device, &weights);
    let reference: Value = serde_json::from_slice(&file("reference.json")).expect("JSON");
    let number = |value: &Value| value.as_f64().expect("a number") as f32;
    let index = |value: &Value| value.as_u64().expect("an index") as usize;
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let mut worst = 0.0f32;
    let mut compared = 0;
    for case in list(&reference["cases"]) {
        let ids: Vec<u32> = list(&case["ids"])
            .iter()
            .map(|id| index(id) as u32)
            .collect();
        let expected = list(&case["rows"]);
        let rows: Vec<usize> = expected.iter().map(|row| index(&row["position"])).collect();
        let found = all_logits(&mut model, &ids, &rows);
        for (row, logits) in expected.iter().zip(&found) {
            let given = list(&case["vocabulary_ids"]);
            for (id, expected) in given.iter().zip(list(&row["logits"])) {
                let gap = (logits[index(id)] - number(&expected)).abs();
                assert!(gap < LARGEST_DIFFERENCE, "{gap}");
                worst = worst.max(gap);
                compared += 1;
            }
            let gap = (logits[index(&row["argmax"])] - number(&row["max"])).abs();
            assert!(gap < LARGEST_DIFFERENCE, "{gap}");
        }
    }
    assert!(compared > 100, "{compared}");
    println!("largest difference of {compared}: {worst:e}");
}
