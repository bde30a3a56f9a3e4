//! `model.safetensors`: the tensors, found by their Hugging Face names and checked against
//! the configuration.
//!
//! A safetensors file is eight bytes with the length of a JSON header, the header (name →
//! type, shape, byte range), and the bytes. The header is read here and not by the crate
//! `safetensors`, because that one adds the declared end of the data to the header's length
//! without an overflow check: a header of one lie makes it panic, and on 32 bits, where this
//! code runs in the browser, a lie of four gigabytes is enough. The tests write their files
//! with that crate, so the two stay in agreement.
//!
//! A matrix is either int8 with a scale for each row (`w = q * scale`, the scales in
//! `NAME_scale`), or F32, F16 or BF16, which is kept as f32 and multiplied as such: exact and
//! several times slower. Files are meant to ship as int8; the float path is there to run a
//! checkpoint before it is quantised.
//!
//! Nothing is allocated from a size in the configuration: each tensor is looked up, its shape
//! compared, and only then its bytes, which are present in the file, are copied.

use crate::config::ModelConfig;
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// All tensors of a model, shapes and values checked.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The configuration that they were checked against.
    pub config: ModelConfig,
    /// `[vocab, hidden]`.
    pub embedding: Matrix,
    /// The blocks, first to last.
    pub layers: Vec<LayerWeights>,
    /// `[hidden]`.
    pub final_norm: Vec<f32>,
    /// `[vocab, hidden]`; the embedding serves where there is none.
    pub head: Option<Matrix>,
}

/// The tensors of one transformer block.
#[derive(Clone, Debug)]
pub struct LayerWeights {
    /// `[hidden]`, before attention.
    pub input_norm: Vec<f32>,
    /// `[heads * head_dim, hidden]`.
    pub query: Linear,
    /// `[kv_heads * head_dim, hidden]`.
    pub key: Linear,
    /// `[kv_heads * head_dim, hidden]`.
    pub value: Linear,
    /// `[head_dim]`, shared by all query heads.
    pub query_norm: Option<Vec<f32>>,
    /// `[head_dim]`, shared by all key heads.
    pub key_norm: Option<Vec<f32>>,
    /// `[hidden, heads * head_dim]`.
    pub output: Linear,
    /// `[hidden]`, before the feed-forward block.
    pub post_attention_norm: Vec<f32>,
    /// `[intermediate, hidden]`.
    pub gate: Linear,
    /// `[intermediate, hidden]`.
    pub up: Linear,
    /// `[hidden, intermediate]`.
    pub down: Linear,
}

/// A projection: `y = W x + b`.
#[derive(Clone, Debug)]
pub struct Linear {
    /// `[outputs, inputs]`.
    pub weight: Matrix,
    /// `[outputs]`.
    pub bias: Option<Vec<f32>>,
}

/// A matrix, row-major, as it is stored.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Outputs of a projection, tokens of an embedding.
    pub rows: usize,
    /// Inputs of a projection, width of an embedding.
    pub cols: usize,
    /// `rows * cols` values.
    pub values: MatrixValues,
}

/// The values of a [`Matrix`].
#[derive(Clone, Debug)]
pub enum MatrixValues {
    /// `value = quantized * scales[row]`.
    Int8 {
        /// `rows * cols`.
        quantized: Vec<i8>,
        /// One a row, all finite.
        scales: Vec<f32>,
    },
    /// Plain values, all finite.
    Float(Vec<f32>),
}

/// Why a weights file was refused.
#[derive(Debug, Error, PartialEq)]
pub enum WeightsError {
    /// The file ends before its data does, or has bytes after it.
    #[error(
        "model.safetensors: {expected} bytes are declared, {found} are there (a truncated file?)"
    )]
    Length {
        /// Bytes that the header asks for, the header included.
        expected: u64,
        /// Bytes that the file has.
        found: u64,
    },
    /// The header is no safetensors header.
    #[error("model.safetensors: the header cannot be read: {0}")]
    Header(String),
    /// A byte range that does not fit the tensor's shape and type, or its neighbours.
    #[error("model.safetensors: tensor {name}: its byte range {begin}..{end} {problem}")]
    Range {
        /// The tensor.
        name: String,
        /// First byte.
        begin: u64,
        /// One after the last byte.
        end: u64,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A tensor that the configuration asks for is not in the file.
    #[error("model.safetensors: tensor {name} is missing")]
    Missing {
        /// The tensor.
        name: String,
    },
    /// A tensor of another shape than the configuration asks for.
    #[error(
        "model.safetensors: tensor {name} has shape {found:?}, the configuration asks for {expected:?}"
    )]
    Shape {
        /// The tensor.
        name: String,
        /// The configuration's shape.
        expected: Vec<usize>,
        /// The file's shape.
        found: Vec<u64>,
    },
    /// A tensor of another type than its place allows.
    #[error("model.safetensors: tensor {name} has type {found}, expected {expected}")]
    Dtype {
        /// The tensor.
        name: String,
        /// The types that would do.
        expected: &'static str,
        /// The file's type.
        found: String,
    },
    /// A value that is not a finite number.
    #[error("model.safetensors: tensor {name} holds {value} at index {index}")]
    NotFinite {
        /// The tensor.
        name: String,
        /// Where in it.
        index: usize,
        /// Infinite or not a number.
        value: f32,
    },
}

impl Weights {
    /// Reads the tensors that `config` asks for; others in the file are left alone.
    ///
    /// # Errors
    /// [`WeightsError`], with the tensor's name wherever there is one. No file makes this
    /// panic or allocate more than a small multiple of the file's length.
    pub fn from_safetensors(file: &[u8], config: &ModelConfig) -> Result<Self, WeightsError> {
        let tensors = TensorFile::open(file)?;
        let reader = Reader {
            tensors,
            int8_allowed: config.int8_weights,
        };
        let (vocab, hidden) = (config.vocab_size, config.hidden_size);
        Ok(Self {
            config: config.clone(),
            embedding: reader.matrix("model.embed_tokens.weight", vocab, hidden)?,
            layers: (0..config.num_hidden_layers)
                .map(|layer| reader.layer(config, &format!("model.layers.{layer}")))
                .collect::<Result<_, _>>()?,
            final_norm: reader.vector("model.norm.weight", hidden)?,
            head: match config.tie_word_embeddings {
                true => None,
                false => Some(reader.matrix("lm_head.weight", vocab, hidden)?),
            },
        })
    }
}

impl Matrix {
    /// Writes one row, dequantised, to `out`, which has `cols` places.
    pub fn row_into(&self, row: usize, out: &mut [f32]) {
        let range = row * self.cols..(row + 1) * self.cols;
        match &self.values {
            MatrixValues::Float(values) => out.copy_from_slice(&values[range]),
            MatrixValues::Int8 { quantized, scales } => {
                for (out, &q) in out.iter_mut().zip(&quantized[range]) {
                    *out = f32::from(q) * scales[row];
                }
            }
        }
    }
}

struct Reader<'a> {
    tensors: TensorFile<'a>,
    int8_allowed: bool,
}

impl Reader<'_> {
    fn layer(&self, config: &ModelConfig, at: &str) -> Result<LayerWeights, WeightsError> {
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let (query, key) = (config.query_width(), config.key_width());
        let attention = |part: &str, rows, cols| {
            self.linear(
                &format!("{at}.self_attn.{part}"),
                rows,
                cols,
                config.attention_bias,
            )
        };
        let mlp = |part: &str, rows, cols| {
            self.linear(&format!("{at}.mlp.{part}"), rows, cols, config.mlp_bias)
        };
        let head_norm = |part: &str| match config.qk_norm {
            true => self
                .vector(&format!("{at}.self_attn.{part}.weight"), config.head_dim)
                .map(Some),
            false => Ok(None),
        };
        Ok(LayerWeights {
            input_norm: self.vector(&format!("{at}.input_layernorm.weight"), hidden)?,
            query: attention("q_proj", query, hidden)?,
            key: attention("k_proj", key, hidden)?,
            value: attention("v_proj", key, hidden)?,
            query_norm: head_norm("q_norm")?,
            key_norm: head_norm("k_norm")?,
            output: attention("o_proj", hidden, query)?,
            post_attention_norm: self
                .vector(&format!("{at}.post_attention_layernorm.weight"), hidden)?,
            gate: mlp("gate_proj", inner, hidden)?,
            up: mlp("up_proj", inner, hidden)?,
            down: mlp("down_proj", hidden, inner)?,
        })
    }

    fn linear(
        &self,
        at: &str,
        rows: usize,
        cols: usize,
        has_bias: bool,
    ) -> Result<Linear, WeightsError> {
        Ok(Linear {
            weight: self.matrix(&format!("{at}.weight"), rows, cols)?,
            bias: match has_bias {
                true => Some(self.vector(&format!("{at}.bias"), rows)?),
                false => None,
            },
        })
    }

    fn matrix(&self, name: &str, rows: usize, cols: usize) -> Result<Matrix, WeightsError> {
        let tensor = self.tensors.tensor(name, &[rows, cols])?;
        let values = match tensor.dtype {
            "I8" if self.int8_allowed => MatrixValues::Int8 {
                quantized: tensor.bytes.iter().map(|&byte| byte as i8).collect(),
                scales: self.vector(&format!("{name}_scale"), rows)?,
            },
            _ => {
                let expected = match self.int8_allowed {
                    true => "I8, F32, F16 or BF16",
                    false => "F32, F16 or BF16 (the configuration has no quantization)",
                };
                MatrixValues::Float(tensor.floats(name, expected)?)
            }
        };
        Ok(Matrix { rows, cols, values })
    }

    fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>, WeightsError> {
        self.tensors
            .tensor(name, &[length])?
            .floats(name, "F32, F16 or BF16")
    }
}

/// A safetensors file whose header has been checked: every byte range lies inside the data,
/// is as long as its shape and type say, and no two overlap.
struct TensorFile<'a> {
    header: BTreeMap<String, TensorInfo>,
    data: &'a [u8],
}

#[derive(Deserialize)]
struct TensorInfo {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

struct Tensor<'a> {
    dtype: &'a str,
    bytes: &'a [u8],
}

impl<'a> TensorFile<'a> {
    fn open(file: &'a [u8]) -> Result<Self, WeightsError> {
        let too_short = |expected| WeightsError::Length {
            expected,
            found: file.len() as u64,
        };
        let (length, rest) = file.split_first_chunk::<8>().ok_or(too_short(8))?;
        let header_length = u64::from_le_bytes(*length);
        let (json, data) = usize::try_from(header_length)
            .ok()
            .and_then(|length| rest.split_at_checked(length))
            .ok_or(too_short(header_length.saturating_add(8)))?;
        let header = read_header(json)?;
        let end = check_ranges(&header)?;
        match end == data.len() as u64 {
            true => Ok(Self { header, data }),
            false => Err(too_short(
                end.saturating_add(8).saturating_add(header_length),
            )),
        }
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor<'_>, WeightsError> {
        let info = self.header.get(name).ok_or_else(|| WeightsError::Missing {
            name: name.to_owned(),
        })?;
        if !info
            .shape
            .iter()
            .copied()
            .eq(shape.iter().map(|&side| side as u64))
        {
            return Err(WeightsError::Shape {
                name: name.to_owned(),
                expected: shape.to_vec(),
                found: info.shape.clone(),
            });
        }
        // Checked by `open`: the range lies inside the data, so both fit in usize.
        let (begin, end) = info.data_offsets;
        Ok(Tensor {
            dtype: &info.dtype,
            bytes: &self.data[begin as usize..end as usize],
        })
    }
}

fn read_header(json: &[u8]) -> Result<BTreeMap<String, TensorInfo>, WeightsError> {
    let unreadable = |error: serde_json::Error| WeightsError::Header(error.to_string());
    let mut entries: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(json).map_err(unreadable)?;
    entries.remove("__metadata__");
    entries
        .into_iter()
        .map(|(name, entry)| {
            let info = TensorInfo::deserialize(entry)
                .map_err(|error| WeightsError::Header(format!("tensor {name}: {error}")))?;
            Ok((name, info))
        })
        .collect()
}

/// The end of the data: ranges follow each other from 0 without hole or overlap, as the
/// format demands.
fn check_ranges(header: &BTreeMap<String, TensorInfo>) -> Result<u64, WeightsError> {
    let mut by_place: Vec<_> = header.iter().collect();
    by_place.sort_by_key(|(_, info)| info.data_offsets);
    let mut place = 0;
    for (name, info) in by_place {
        let (begin, end) = info.data_offsets;
        let wrong = |problem| WeightsError::Range {
            name: name.clone(),
            begin,
            end,
            problem,
        };
        if begin != place {
            return Err(wrong("does not begin where the one before it ends"));
        }
        // A type of unknown width is left to whoever asks for the tensor: it is refused
        // there by name.
        let width = dtype_width(&info.dtype);
        let bytes = width.and_then(|width| {
            info.shape
                .iter()
                .try_fold(width, |product, &side| product.checked_mul(side))
        });
        let declared = end
            .checked_sub(begin)
            .ok_or_else(|| wrong("ends before it begins"))?;
        if width.is_some() && bytes != Some(declared) {
            return Err(wrong("is not as long as its shape and type"));
        }
        place = end;
    }
    Ok(place)
}

fn dtype_width(dtype: &str) -> Option<u64> {
    match dtype {
        "BOOL" | "I8" | "U8" | "F8_E5M2" | "F8_E4M3" => Some(1),
        "I16" | "U16" | "F16" | "BF16" => Some(2),
        "I32" | "U32" | "F32" => Some(4),
        "I64" | "U64" | "F64" => Some(8),
        _ => None,
    }
}

impl Tensor<'_> {
    fn floats(&self, name: &str, expected: &'static str) -> Result<Vec<f32>, WeightsError> {
        let halves = |convert: fn(u16) -> f32| {
            let (pairs, _) = self.bytes.as_chunks::<2>();
            pairs
                .iter()
                .map(|&pair| convert(u16::from_le_bytes(pair)))
                .collect()
        };
        let values: Vec<f32> = match self.dtype {
            "F32" => self
                .bytes
                .as_chunks::<4>()
                .0
                .iter()
                .map(|&b| f32::from_le_bytes(b))
                .collect(),
            "F16" => halves(f16_to_f32),
            "BF16" => halves(|bits| f32::from_bits(u32::from(bits) << 16)),
            other => {
                return Err(WeightsError::Dtype {
                    name: name.to_owned(),
                    expected,
                    found: other.to_owned(),
                });
            }
        };
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values),
            Some(index) => {
                let value = values[index];
                Err(WeightsError::NotFinite {
                    name: name.to_owned(),
                    index,
                    value,
                })
            }
        }
    }
}

/// IEEE half to single; every half is exactly a single.
fn f16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10) & 31;
    let fraction = u32::from(bits) & 1023;
    match (exponent, fraction) {
        (0, _) => {
            let magnitude = fraction as f32 * (1.0 / 16_777_216.0);
            f32::from_bits(magnitude.to_bits() | sign)
        }
        (31, _) => f32::from_bits(sign | 0x7f80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_exact() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(f16_to_f32(bits), value, "{bits:#06x}");
        }
        assert!(f16_to_f32(0x7e00).is_nan());
    }
}
