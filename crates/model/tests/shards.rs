//! Weights in shards: the same as in one file, and what is wrong with them is said with the
//! shard's and the tensor's name.

use crate::parted::parted;
use lacuna_model::{ModelConfig, WeightFiles, Weights, WeightsError};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

const INDEX: &str = "model.safetensors.index.json";

type Folder = BTreeMap<String, Vec<u8>>;

fn shipped(model: &str, name: &str) -> Vec<u8> {
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    std::fs::read(models.join(model).join(name)).expect("the model's files belong to this test")
}

fn config(model: &str) -> ModelConfig {
    ModelConfig::from_json(&shipped(model, "config.json")).expect("a configuration")
}

/// lacuna-mini in shards of a megabyte.
fn folder() -> Folder {
    let whole = shipped("lacuna-mini", "model.safetensors");
    parted(&whole, 1_000_000).into_iter().collect()
}

fn read(folder: &Folder) -> Result<Weights, WeightsError> {
    let files = WeightFiles::of_folder(|name| Ok::<_, WeightsError>(folder.get(name).cloned()))?;
    Weights::read(files, &config("lacuna-mini"))
}

fn error(folder: &Folder) -> WeightsError {
    read(folder).expect_err("refused")
}

fn change_index(folder: &mut Folder, change: impl Fn(&mut Value)) {
    let mut index: Value = serde_json::from_slice(&folder[INDEX]).expect("JSON");
    change(&mut index);
    folder.insert(INDEX.to_owned(), serde_json::to_vec(&index).expect("JSON"));
}

/// The shard that holds a tensor.
fn shard_of(folder: &Folder, tensor: &str) -> String {
    let index: Value = serde_json::from_slice(&folder[INDEX]).expect("JSON");
    let shard = index["weight_map"][tensor].as_str();
    shard.expect("a shard").to_owned()
}

/// A shard whose header is changed, its data left as it is.
fn change_header(folder: &mut Folder, shard: &str, change: impl Fn(&mut Value)) {
    let file = &folder[shard];
    let length = u64::from_le_bytes(*file.first_chunk().expect("eight bytes")) as usize;
    let mut header: Value = serde_json::from_slice(&file[8..8 + length]).expect("JSON");
    change(&mut header);
    let header = serde_json::to_vec(&header).expect("JSON");
    let changed = [
        &(header.len() as u64).to_le_bytes()[..],
        &header,
        &file[8 + length..],
    ]
    .concat();
    folder.insert(shard.to_owned(), changed);
}

#[test]
fn shards_of_any_size_are_the_same_weights_as_one_file() {
    for model in ["lacuna-mini", "lacuna-small"] {
        let whole = shipped(model, "model.safetensors");
        let config = config(model);
        let expected = Weights::from_safetensors(&whole, &config).expect("weights");
        let expected = format!("{expected:?}");
        for (most, fewest) in [(1, 40), (1_000_000, 5), (usize::MAX, 1)] {
            let mut shards = parted(&whole, most);
            assert!(shards.len() > fewest);
            let (_, index) = shards.pop().expect("the index");
            let mut files = WeightFiles::default();
            assert_eq!(files.index(&index).expect("names").len(), shards.len());
            // In whatever order they come, and with no index as well.
            for (name, shard) in shards.iter().rev() {
                files.add(name, shard).expect("a shard");
            }
            let read = Weights::read(files, &config).expect("weights");
            assert!(format!("{read:?}") == expected, "{model}, {most}");
            let mut files = WeightFiles::default();
            for (name, shard) in &shards {
                files.add(name, shard).expect("a shard");
            }
            let read = Weights::read(files, &config).expect("weights");
            assert!(format!("{read:?}") == expected, "{model}, {most}");
        }
    }
}

#[test]
fn one_file_is_taken_before_shards() {
    let mut folder = folder();
    folder.insert(INDEX.to_owned(), b"no index".to_vec());
    assert!(matches!(error(&folder), WeightsError::Index(_)));
    let whole = shipped("lacuna-mini", "model.safetensors");
    folder.insert("model.safetensors".to_owned(), whole);
    read(&folder).expect("weights");
    assert_eq!(error(&Folder::new()), WeightsError::NoFile);
}

#[test]
fn an_index_that_is_none_is_refused() {
    for text in [
        "",
        "[]",
        "{}",
        r#"{"weight_map": []}"#,
        r#"{"weight_map": {"a": 1}}"#,
    ] {
        let folder = Folder::from([(INDEX.to_owned(), text.as_bytes().to_vec())]);
        assert!(matches!(error(&folder), WeightsError::Index(_)), "{text}");
    }
    let empty = Folder::from([(INDEX.to_owned(), br#"{"weight_map": {}}"#.to_vec())]);
    assert!(matches!(error(&empty), WeightsError::Missing { .. }));
}

#[test]
fn shards_are_beside_their_index() {
    for elsewhere in [
        "../model.safetensors",
        "a/b.safetensors",
        "/etc/model.safetensors",
        r"..\model.safetensors",
        "C:model.safetensors",
        "https://example.org/model.safetensors",
        "//example.org/model.safetensors",
        "%2e%2e%2fmodel.safetensors",
        "a.safetensors?b.safetensors",
        "a#b.safetensors",
        "a\0.safetensors",
        "..",
        "",
        ".safetensors",
        "config.json",
    ] {
        let mut folder = folder();
        change_index(&mut folder, |index| {
            index["weight_map"]["model.norm.weight"] = json!(elsewhere);
        });
        let name = elsewhere.to_owned();
        assert_eq!(error(&folder), WeightsError::ShardName { name });
    }
}

#[test]
fn shards_and_tensors_that_are_missing_are_named() {
    let whole = folder();
    let tensor = "model.norm.weight";
    let file = shard_of(&whole, tensor);

    let mut folder = whole.clone();
    folder.remove(&file);
    let missing = WeightsError::NoShard { file: file.clone() };
    assert_eq!(error(&folder), missing);

    // The index promises what the shard does not have: nothing that the model needs, even.
    for name in [tensor, "spare"] {
        let mut folder = whole.clone();
        let other = shard_of(&whole, "model.layers.5.mlp.up_proj.weight");
        assert_ne!(other, file);
        change_index(&mut folder, |index| {
            index["weight_map"][name] = json!(other);
        });
        let (name, file) = (name.to_owned(), other);
        assert_eq!(error(&folder), WeightsError::NotInShard { name, file });
    }

    // Neither has it.
    let mut folder = whole.clone();
    change_index(&mut folder, |index| {
        index["weight_map"]
            .as_object_mut()
            .expect("a map")
            .remove(tensor);
    });
    read(&folder).expect("the shard has it still");
    change_header(&mut folder, &file, |header| {
        header["other"] = header[tensor].take();
        header.as_object_mut().expect("a map").remove(tensor);
    });
    let files = format!("{} files", folder.len() - 1);
    let name = tensor.to_owned();
    assert_eq!(error(&folder), WeightsError::Missing { files, name });
}

#[test]
fn a_tensor_of_two_shards_is_refused() {
    let mut folder = folder();
    let name = "model.norm.weight".to_owned();
    let norm = shard_of(&folder, &name);
    let copy = "model-99999.safetensors".to_owned();
    folder.insert(copy.clone(), folder[&norm].clone());
    change_index(&mut folder, |index| {
        index["weight_map"]["more"] = json!(copy);
    });
    match error(&folder) {
        WeightsError::Twice { file, first, .. } => assert_eq!((file, first), (copy, norm)),
        other => panic!("{other}"),
    }
}

#[test]
fn a_shard_at_fault_is_named() {
    let whole = folder();
    let tensor = "model.layers.0.mlp.up_proj.weight_scale";
    let shard = shard_of(&whole, tensor);

    // Cut short, at some places.
    for length in [0, 7, 8, 100, whole[&shard].len() - 1] {
        let mut folder = whole.clone();
        folder.get_mut(&shard).expect("a shard").truncate(length);
        match error(&folder) {
            WeightsError::Length { file, .. } => assert_eq!(file, shard),
            other => panic!("{other}"),
        }
    }

    // Of another type than that of its matrix's, in whichever shard that is.
    let mut folder = whole.clone();
    change_header(&mut folder, &shard, |header| {
        header[tensor]["dtype"] = json!("I32");
    });
    let error = error(&folder);
    let WeightsError::Dtype {
        file, name, found, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(
        (&file[..], &name[..], &found[..]),
        (&shard[..], tensor, "I32")
    );
    assert!(error.to_string().starts_with(&shard), "{error}");
}
