//! Weights files: what the ecosystem's own crate writes is read; what is wrong with a file
//! is said by name, and no file makes the reader panic.

use crate::common::{self, Random};
use lacuna_model::weights::{INT4_GROUP, Matrix, MatrixValues};
use lacuna_model::{ModelConfig, WeightFormat, Weights, WeightsError};
use safetensors::Dtype;
use safetensors::tensor::{TensorView, serialize};
use std::collections::BTreeMap;

type Tensors = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

fn config() -> ModelConfig {
    ModelConfig {
        vocab_size: 11,
        hidden_size: 6,
        num_hidden_layers: 2,
        num_attention_heads: 2,
        num_key_value_heads: 1,
        head_dim: 4,
        intermediate_size: 10,
        tie_word_embeddings: false,
        attention_bias: true,
        qk_norm: true,
        ..common::ten_million()
    }
}

fn tensors(weights: &Weights) -> Tensors {
    let mut tensors = Tensors::new();
    put_matrix(
        &mut tensors,
        "model.embed_tokens.weight",
        &weights.embedding,
    );
    put_vector(&mut tensors, "model.norm.weight", &weights.final_norm);
    if let Some(head) = &weights.head {
        put_matrix(&mut tensors, "lm_head.weight", head);
    }
    for (index, layer) in weights.layers.iter().enumerate() {
        let name = |part: &str| format!("model.layers.{index}.{part}");
        put_vector(
            &mut tensors,
            &name("input_layernorm.weight"),
            &layer.input_norm,
        );
        let post = name("post_attention_layernorm.weight");
        put_vector(&mut tensors, &post, &layer.post_attention_norm);
        for (part, norm) in [("q_norm", &layer.query_norm), ("k_norm", &layer.key_norm)] {
            if let Some(norm) = norm {
                put_vector(
                    &mut tensors,
                    &name(&format!("self_attn.{part}.weight")),
                    norm,
                );
            }
        }
        for (part, linear) in [
            ("self_attn.q_proj", &layer.query),
            ("self_attn.k_proj", &layer.key),
            ("self_attn.v_proj", &layer.value),
            ("self_attn.o_proj", &layer.output),
            ("mlp.gate_proj", &layer.gate),
            ("mlp.up_proj", &layer.up),
            ("mlp.down_proj", &layer.down),
        ] {
            put_matrix(
                &mut tensors,
                &name(&format!("{part}.weight")),
                &linear.weight,
            );
            if let Some(bias) = &linear.bias {
                put_vector(&mut tensors, &name(&format!("{part}.bias")), bias);
            }
        }
    }
    tensors
}

fn put_matrix(tensors: &mut Tensors, name: &str, matrix: &Matrix) {
    let shape = vec![matrix.rows, matrix.cols];
    match &matrix.values {
        MatrixValues::Float(values) => {
            tensors.insert(name.to_owned(), (Dtype::F32, shape, bytes(values)));
        }
        MatrixValues::Int4 {
            packed,
            scales,
            minima,
        } => {
            let packed_shape = vec![matrix.rows, matrix.cols / 2];
            tensors.insert(name.to_owned(), (Dtype::U8, packed_shape, packed.clone()));
            for (what, halves) in [("scale", scales), ("min", minima)] {
                let shape = vec![matrix.rows, matrix.cols / INT4_GROUP];
                let halves = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
                tensors.insert(format!("{name}_{what}"), (Dtype::F16, shape, halves));
            }
        }
        MatrixValues::Int8 { quantized, scales } => {
            let quantized = quantized.iter().map(|&q| q as u8).collect();
            tensors.insert(name.to_owned(), (Dtype::I8, shape, quantized));
            put_vector(tensors, &format!("{name}_scale"), scales);
        }
    }
}

fn put_vector(tensors: &mut Tensors, name: &str, values: &[f32]) {
    tensors.insert(
        name.to_owned(),
        (Dtype::F32, vec![values.len()], bytes(values)),
    );
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn file(tensors: &Tensors) -> Vec<u8> {
    let view = |(dtype, shape, bytes): &'_ (Dtype, Vec<usize>, Vec<u8>)| {
        (*dtype, shape.clone(), bytes.clone())
    };
    let owned: Vec<_> = tensors
        .iter()
        .map(|(name, tensor)| (name, view(tensor)))
        .collect();
    let views = owned.iter().map(|(name, (dtype, shape, bytes))| {
        (
            name.as_str(),
            TensorView::new(*dtype, shape.clone(), bytes).unwrap(),
        )
    });
    serialize(views, None).unwrap()
}

/// A file with this header, and this much data.
fn raw(header: &str, data: usize) -> Vec<u8> {
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.resize(file.len() + data, 0);
    file
}

const FILE: &str = "model.safetensors";

fn missing(tensor: &str) -> WeightsError {
    WeightsError::Missing {
        files: FILE.to_owned(),
        name: tensor.to_owned(),
    }
}

fn error(file: &[u8]) -> WeightsError {
    Weights::from_safetensors(file, &config()).unwrap_err()
}

#[test]
fn a_written_model_is_read_back() {
    for (quantization, hidden_size) in [
        (Some(WeightFormat::Int8), 6),
        (Some(WeightFormat::Int4), 32),
        (None, 6),
    ] {
        let config = ModelConfig {
            quantization,
            hidden_size,
            ..config()
        };
        let weights = common::weights(&config, 5);
        let read = Weights::from_safetensors(&file(&tensors(&weights)), &config).unwrap();
        assert_eq!(format!("{weights:?}"), format!("{read:?}"));
    }
}

/// What multiplies the residual stream is int4; the outputs of attention and of the
/// feed-forward block, whose columns are no whole groups, are int8.
fn int4_config() -> ModelConfig {
    ModelConfig {
        quantization: Some(WeightFormat::Int4),
        hidden_size: 64,
        ..config()
    }
}

#[test]
fn int4_is_unpacked_as_stated() {
    let config = int4_config();
    let name = "model.layers.0.mlp.up_proj.weight";
    let mut tensors = tensors(&common::weights(&config, 5));
    let (rows, cols) = (config.intermediate_size, config.hidden_size);
    let packed = (0..rows * cols / 2).map(|i| (i * 7 % 256) as u8).collect();
    tensors.insert(name.to_owned(), (Dtype::U8, vec![rows, cols / 2], packed));
    // 0.5 and 2, -1 and 3, by turns.
    let halves = |pair: [u16; 2]| pair.map(u16::to_le_bytes).as_flattened().repeat(rows);
    let shape = vec![rows, 2];
    tensors.insert(
        format!("{name}_scale"),
        (Dtype::F16, shape.clone(), halves([0x3800, 0x4000])),
    );
    tensors.insert(
        format!("{name}_min"),
        (Dtype::F16, shape, halves([0xbc00, 0x4200])),
    );
    let read = Weights::from_safetensors(&file(&tensors), &config).unwrap();
    let mut row = vec![0.0; cols];
    for i in 0..rows {
        read.layers[0].up.weight.row_into(i, &mut row);
        for (j, &value) in row.iter().enumerate() {
            let byte = (i * cols + j) / 2 * 7 % 256;
            let quantized = if j % 2 == 0 { byte % 16 } else { byte / 16 } as f32;
            let expected = if j < 32 {
                quantized * 0.5 - 1.0
            } else {
                quantized * 2.0 + 3.0
            };
            assert_eq!(value, expected, "{i} {j}");
        }
    }
}

#[test]
fn what_is_wrong_with_int4_is_said() {
    let config = int4_config();
    let name = "model.layers.1.mlp.gate_proj.weight".to_owned();
    let good = tensors(&common::weights(&config, 5));
    let error = |tensors: &Tensors, config: &ModelConfig| {
        Weights::from_safetensors(&file(tensors), config).unwrap_err()
    };
    for what in ["scale", "min"] {
        let part = format!("{name}_{what}");
        let mut tensors = good.clone();
        let (dtype, shape, data) = tensors.remove(&part).unwrap();
        assert_eq!(error(&tensors, &config), missing(&part));

        let mut nan = data.clone();
        nan[6..8].copy_from_slice(&0x7e00u16.to_le_bytes());
        tensors.insert(part.clone(), (dtype, shape.clone(), nan));
        match error(&tensors, &config) {
            WeightsError::NotFinite { name, index: 3, .. } => assert_eq!(name, part),
            other => panic!("{other}"),
        }
        tensors.insert(part.clone(), (Dtype::BF16, shape.clone(), data.clone()));
        assert_eq!(
            error(&tensors, &config),
            WeightsError::Dtype {
                file: FILE.to_owned(),
                name: part.clone(),
                expected: "F16",
                found: "BF16".to_owned()
            }
        );
        tensors.insert(part.clone(), (dtype, vec![shape[0] * shape[1]], data));
        assert!(matches!(
            error(&tensors, &config),
            WeightsError::Shape { name, .. } if name == part
        ));
    }
    // Not announced, or not whole groups.
    let int8 = ModelConfig {
        quantization: Some(WeightFormat::Int8),
        ..config.clone()
    };
    assert!(matches!(
        error(&good, &int8),
        WeightsError::Shape { .. } | WeightsError::Dtype { .. }
    ));
    let (_, _, data) = &good[&name];
    let mut tensors = good.clone();
    let down = "model.layers.0.mlp.down_proj.weight".to_owned();
    let bytes = data[..config.hidden_size * 5].to_vec();
    tensors.insert(
        down.clone(),
        (Dtype::U8, vec![config.hidden_size, 5], bytes),
    );
    assert_eq!(
        error(&tensors, &config),
        WeightsError::Groups {
            file: FILE.to_owned(),
            name: down,
            cols: 10
        }
    );
}

#[test]
fn half_precision_is_widened_exactly() {
    let config = ModelConfig {
        quantization: None,
        ..config()
    };
    let values: Vec<f32> = (0..66).map(|i| (i as f32 - 30.0) / 8.0).collect();
    let bf16 = values
        .iter()
        .flat_map(|v| ((v.to_bits() >> 16) as u16).to_le_bytes())
        .collect();
    let mut tensors = tensors(&common::weights(&config, 5));
    tensors.insert(
        "model.embed_tokens.weight".to_owned(),
        (Dtype::BF16, vec![11, 6], bf16),
    );
    let read = Weights::from_safetensors(&file(&tensors), &config).unwrap();
    match read.embedding.values {
        MatrixValues::Float(read) => assert_eq!(read, values),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_truncated_file_is_an_error_at_every_length() {
    let whole = file(&tensors(&common::weights(&config(), 5)));
    for length in 0..whole.len() {
        assert!(
            matches!(error(&whole[..length]), WeightsError::Length { found, .. } if found == length as u64),
            "{length}"
        );
    }
    let mut longer = whole.clone();
    longer.push(0);
    assert!(matches!(error(&longer), WeightsError::Length { .. }));
}

#[test]
fn a_tensor_that_does_not_fit_is_named() {
    let good = tensors(&common::weights(&config(), 5));
    for name in good.keys() {
        let mut tensors = good.clone();
        tensors.remove(name);
        assert_eq!(error(&file(&tensors)), missing(name));

        let (dtype, shape, data) = &good[name];
        let mut wrong = shape.clone();
        wrong.push(1);
        let found = wrong.iter().map(|&side| side as u64).collect();
        tensors.insert(name.clone(), (*dtype, wrong, data.clone()));
        let (name, expected) = (name.clone(), shape.clone());
        assert_eq!(
            error(&file(&tensors)),
            WeightsError::Shape {
                file: FILE.to_owned(),
                name: name.clone(),
                expected,
                found
            }
        );

        let elements = shape.iter().product::<usize>();
        tensors.insert(
            name.clone(),
            (Dtype::I64, shape.clone(), vec![0; elements * 8]),
        );
        match error(&file(&tensors)) {
            WeightsError::Dtype {
                name: named, found, ..
            } => {
                assert_eq!((named, found.as_str()), (name, "I64"));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn values_that_are_no_numbers_are_found() {
    let good = tensors(&common::weights(&config(), 5));
    for name in [
        "model.layers.1.mlp.up_proj.weight_scale",
        "model.norm.weight",
    ] {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut tensors = good.clone();
            let (_, _, data) = tensors.get_mut(name).unwrap();
            data[8..12].copy_from_slice(&bad.to_le_bytes());
            match error(&file(&tensors)) {
                WeightsError::NotFinite {
                    name: named,
                    index: 2,
                    ..
                } => assert_eq!(named, name),
                other => panic!("{other}"),
            }
        }
    }
}

#[test]
fn int8_needs_a_quantization_in_the_configuration() {
    let whole = file(&tensors(&common::weights(&config(), 5)));
    let config = ModelConfig {
        quantization: None,
        ..config()
    };
    let error = Weights::from_safetensors(&whole, &config).unwrap_err();
    assert!(matches!(error, WeightsError::Dtype { .. }), "{error}");
}

#[test]
fn headers_that_lie_are_errors() {
    let tensor = |dtype: &str, shape: &str, begin: u64, end: u64| {
        raw(
            &format!(
                r#"{{"a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}}}"#
            ),
            4,
        )
    };
    let max = u64::MAX;
    // This one makes the crate `safetensors` 0.8.0 panic, on an addition that overflows.
    let huge = tensor("U8", &format!("[{max}]"), 0, max);
    assert!(matches!(error(&huge), WeightsError::Length { .. }));
    for lie in [
        tensor("F32", "[1]", 0, 3),
        tensor("F32", "[1]", 4, 0),
        tensor("F32", "[1]", 4, 8),
        tensor("F32", "[4294967296,4294967296]", 0, 0),
        tensor("F32", &format!("[{max},{max}]"), 0, 4),
        tensor("U8", "[]", 0, max),
    ] {
        assert!(
            matches!(error(&lie), WeightsError::Range { .. }),
            "{}",
            error(&lie)
        );
    }
    for unreadable in [
        raw("", 0),
        raw("[]", 0),
        raw("{\"a\":1}", 0),
        raw(
            r#"{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}"#,
            4,
        ),
        raw(
            r#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}"#,
            4,
        ),
        raw(
            r#"{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}"#,
            1,
        ),
        raw(&"[".repeat(100_000), 0),
        raw("\u{0}\u{1}", 0),
    ] {
        assert!(
            matches!(error(&unreadable), WeightsError::Header { .. }),
            "{}",
            error(&unreadable)
        );
    }
    let overlap = raw(
        r#"{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}"#,
        4,
    );
    assert!(matches!(error(&overlap), WeightsError::Range { .. }));
    // A type that is not known is refused when the tensor is asked for, not before.
    assert!(matches!(
        error(&tensor("F6_X", "[1]", 0, 4)),
        WeightsError::Missing { .. }
    ));
    let mut header_beyond_the_file = vec![0xff; 8];
    header_beyond_the_file.extend([0; 100]);
    assert!(matches!(
        error(&header_beyond_the_file),
        WeightsError::Length { .. }
    ));
}

/// Bytes changed at random, most of them in the header: an error or a model, never a panic.
#[test]
fn damaged_files_do_not_panic() {
    let whole = file(&tensors(&common::weights(&config(), 5)));
    let header = u64::from_le_bytes(*whole.first_chunk::<8>().unwrap()) as usize + 8;
    let random = &mut Random(9);
    for _ in 0..3000 {
        let mut damaged = whole.clone();
        for _ in 0..1 + random.below(3) {
            let end = [whole.len(), header, header, header][random.below(4)];
            let place = random.below(end);
            damaged[place] = match random.below(3) {
                0 => random.next() as u8,
                1 => b"0123456789[]{},:\""[random.below(17)],
                _ => damaged[place] ^ (1 << random.below(8)),
            };
        }
        let _ = Weights::from_safetensors(&damaged, &config());
    }
}

/// A configuration's sizes allocate nothing by themselves.
#[test]
fn giant_sizes_meet_a_missing_tensor_first() {
    let giant = ModelConfig {
        vocab_size: 1 << 20,
        hidden_size: 1 << 16,
        intermediate_size: 1 << 16,
        num_hidden_layers: 1 << 10,
        ..config()
    };
    let whole = file(&tensors(&common::weights(&config(), 5)));
    let error = Weights::from_safetensors(&whole, &giant).unwrap_err();
    assert!(matches!(error, WeightsError::Shape { .. }), "{error}");
}
