//! Models that ship, on the card, against what PyTorch computes from the same files (see
//! `crates/model/tests/reference.rs`).

use crate::common::{all_logits, device, load};
use lacuna_model::{ModelConfig, WeightFiles, Weights, WeightsError};
use serde_json::Value;
use std::path::PathBuf;

/// The largest difference of a logit from PyTorch's, in f32 on the same quantised weights; only
/// the order of sums differs. Measured with Mesa's lavapipe: 1.9e-5 with int8, 2.6e-5 with int4;
/// the files round to 1e-5.
const LARGEST_DIFFERENCE: f32 = 2e-4;

fn path(model: &str, name: &str) -> PathBuf {
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    models.join(model).join(name)
}

fn file(model: &str, name: &str) -> Vec<u8> {
    std::fs::read(path(model, name)).expect("the model's files belong to this test")
}

fn weights(model: &str) -> WeightFiles {
    let read = |name: &str| Ok::<_, WeightsError>(std::fs::read(path(model, name)).ok());
    WeightFiles::of_folder(read).expect("the weights belong to this test")
}

#[test]
fn the_logits_of_int8_weights_are_pytorchs() {
    compare("lacuna-mini");
}

#[test]
fn the_logits_of_int4_weights_are_pytorchs() {
    compare("lacuna-small");
}

fn compare(model: &str) {
    let Some(device) = device() else { return };
    let weights = weights(model);
    let file = |name| file(model, name);
    let config = ModelConfig::from_json(&file("config.json")).expect("a configuration");
    let weights = Weights::read(weights, &config).expect("weights");
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
