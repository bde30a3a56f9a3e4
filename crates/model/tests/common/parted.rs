//! Weights in shards, as `models/train/export.py` parts them.

use serde_json::{Map, Value, json};

/// The files, the index last, that a `model.safetensors` becomes where a shard has at most so many
/// bytes of data, or one tensor.
pub fn parted(file: &[u8], most: usize) -> Vec<(String, Vec<u8>)> {
    let (length, rest) = file.split_at(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
    let (header, data) = rest.split_at(length);
    let mut header: Map<String, Value> = serde_json::from_slice(header).expect("JSON");
    header.remove("__metadata__");
    let range = |info: &Value| {
        let offset = |at: usize| info["data_offsets"][at].as_u64().expect("an offset") as usize;
        offset(0)..offset(1)
    };
    let mut tensors: Vec<(String, Value)> = header.into_iter().collect();
    tensors.sort_by_key(|(_, info)| range(info).start);
    let mut shards: Vec<(Map<String, Value>, Vec<u8>)> = vec![Default::default()];
    for (name, mut info) in tensors {
        let bytes = &data[range(&info)];
        let full = |(_, data): &(_, Vec<u8>)| !data.is_empty() && data.len() + bytes.len() > most;
        if shards.last().is_none_or(full) {
            shards.push(Default::default());
        }
        let (header, data) = shards.last_mut().expect("a shard");
        info["data_offsets"] = json!([data.len(), data.len() + bytes.len()]);
        data.extend(bytes);
        header.insert(name, info);
    }
    let mut weight_map = Map::new();
    let mut files = Vec::new();
    for (at, (header, data)) in shards.iter().enumerate() {
        let shard = format!("model-{:05}-of-{:05}.safetensors", at + 1, shards.len());
        weight_map.extend(header.keys().map(|name| (name.clone(), json!(shard))));
        let header = serde_json::to_vec(header).expect("JSON");
        let length = (header.len() as u64).to_le_bytes();
        files.push((shard, [&length, &header[..], data].concat()));
    }
    let index = json!({ "metadata": { "total_size": data.len() }, "weight_map": weight_map });
    let index = serde_json::to_vec(&index).expect("JSON");
    files.push(("model.safetensors.index.json".to_owned(), index));
    files
}
