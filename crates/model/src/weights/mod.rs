//! `model.safetensors`, or the shards that it is parted into: the tensors, found by their Hugging
//! Face names and checked against the configuration.
//!
//! How a matrix is stored is told from its tensors, one by one:
//!
//! | format | `NAME` | beside it | a weight is |
//! |---|---|---|---|
//! | int8 | I8 `[rows, cols]` | `NAME_scale`, floats `[rows]` | `q * scale` |
//! | int4 | U8 `[rows, cols / 2]` | `NAME_scale` and `NAME_min`, F16 `[rows, cols / 32]` | `q * scale + min` |
//! | float | F32, F16 or BF16 `[rows, cols]` | | itself |
//!
//! Int4 has scale and minimum for each group of 32 neighbouring columns, five bits a weight
//! in all; of the two weights in a byte, the one of the lower column is in the low half.
//! Floats are kept as f32 and multiplied as such: exact and several times slower. Files are
//! meant to ship quantised; the float path is there to run a checkpoint before it is.
//!
//! Nothing is allocated from a size in the configuration: each tensor is looked up, its shape
//! compared, and only then its bytes, which are present in the file, are copied.

mod error;
mod files;
mod half;
mod tensor_file;

pub use error::WeightsError;
pub use files::WeightFiles;
pub use half::f16_to_f32;

use crate::config::{ModelConfig, WeightFormat};

/// Neighbouring columns of an int4 matrix that share a scale and a minimum.
pub const INT4_GROUP: usize = 32;

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
    /// `value = quantized * scale + minimum`, `quantized` in 0 to 15, for each group of
    /// [`INT4_GROUP`] columns; `cols` is a multiple of it.
    Int4 {
        /// `rows * cols / 2`: two neighbouring columns in a byte, the lower one in the low
        /// half.
        packed: Vec<u8>,
        /// `rows * cols / INT4_GROUP` halves, as their bits ([`f16_to_f32`]), all finite.
        scales: Vec<u16>,
        /// As `scales`.
        minima: Vec<u16>,
    },
    /// Plain values, all finite.
    Float(Vec<f32>),
}

impl Weights {
    /// Reads the tensors that `config` asks for from a `model.safetensors`; as [`Self::read`].
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn from_safetensors(file: &[u8], config: &ModelConfig) -> Result<Self, WeightsError> {
        Self::read(WeightFiles::whole(file)?, config)
    }

    /// Reads the tensors that `config` asks for; others in the files are left alone, but for those
    /// of further blocks, which show that the configuration is of another model.
    ///
    /// # Errors
    /// [`WeightsError`], with the file's and the tensor's name wherever there is one. No files
    /// make this panic or allocate more than a small multiple of their length.
    pub fn read(files: WeightFiles, config: &ModelConfig) -> Result<Self, WeightsError> {
        files.check_index()?;
        if let Some(spare) = files.beyond(config.num_hidden_layers) {
            return Err(WeightsError::Spare {
                file: spare.file.to_string(),
                name: spare.name.clone(),
                layers: config.num_hidden_layers,
            });
        }
        let mut reader = Reader {
            files,
            quantization: config.quantization,
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
            MatrixValues::Int4 {
                packed,
                scales,
                minima,
            } => {
                let groups = range.start / INT4_GROUP..range.end / INT4_GROUP;
                let packed = packed[range.start / 2..range.end / 2].chunks(INT4_GROUP / 2);
                let scales = scales[groups.clone()].iter().zip(&minima[groups]);
                for ((out, packed), (&scale, &minimum)) in
                    out.chunks_mut(INT4_GROUP).zip(packed).zip(scales)
                {
                    let (scale, minimum) = (f16_to_f32(scale), f16_to_f32(minimum));
                    for (out, byte) in out.as_chunks_mut::<2>().0.iter_mut().zip(packed) {
                        *out = [byte & 15, byte >> 4].map(|q| f32::from(q) * scale + minimum);
                    }
                }
            }
            MatrixValues::Int8 { quantized, scales } => {
                for (out, &q) in out.iter_mut().zip(&quantized[range]) {
                    *out = f32::from(q) * scales[row];
                }
            }
        }
    }
}

struct Reader {
    files: WeightFiles,
    quantization: Option<WeightFormat>,
}

impl Reader {
    fn layer(&mut self, config: &ModelConfig, at: &str) -> Result<LayerWeights, WeightsError> {
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let (query, key) = (config.query_width(), config.key_width());
        let attention = |reader: &mut Self, part: &str, rows, cols| {
            let name = format!("{at}.self_attn.{part}");
            reader.linear(&name, rows, cols, config.attention_bias)
        };
        let mlp = |reader: &mut Self, part: &str, rows, cols| {
            reader.linear(&format!("{at}.mlp.{part}"), rows, cols, config.mlp_bias)
        };
        let head_norm = |reader: &mut Self, part: &str| match config.qk_norm {
            true => reader
                .vector(&format!("{at}.self_attn.{part}.weight"), config.head_dim)
                .map(Some),
            false => Ok(None),
        };
        Ok(LayerWeights {
            input_norm: self.vector(&format!("{at}.input_layernorm.weight"), hidden)?,
            query: attention(self, "q_proj", query, hidden)?,
            key: attention(self, "k_proj", key, hidden)?,
            value: attention(self, "v_proj", key, hidden)?,
            query_norm: head_norm(self, "q_norm")?,
            key_norm: head_norm(self, "k_norm")?,
            output: attention(self, "o_proj", hidden, query)?,
            post_attention_norm: self
                .vector(&format!("{at}.post_attention_layernorm.weight"), hidden)?,
            gate: mlp(self, "gate_proj", inner, hidden)?,
            up: mlp(self, "up_proj", inner, hidden)?,
            down: mlp(self, "down_proj", hidden, inner)?,
        })
    }

    fn linear(
        &mut self,
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

    fn matrix(&mut self, name: &str, rows: usize, cols: usize) -> Result<Matrix, WeightsError> {
        let dtype = self.files.dtype(name)?;
        let values = match (dtype, self.quantization) {
            ("I8", Some(_)) => MatrixValues::Int8 {
                quantized: {
                    let tensor = self.files.take(name, &[rows, cols])?;
                    tensor.bytes.into_iter().map(|byte| byte as i8).collect()
                },
                scales: self.vector(&format!("{name}_scale"), rows)?,
            },
            ("U8", Some(WeightFormat::Int4)) => self.int4(name, rows, cols)?,
            (_, quantization) => {
                let expected = match quantization {
                    None => "F32, F16 or BF16 (the configuration has no quantization)",
                    Some(WeightFormat::Int8) => "I8, F32, F16 or BF16",
                    Some(WeightFormat::Int4) => "U8, I8, F32, F16 or BF16",
                };
                let tensor = self.files.take(name, &[rows, cols])?;
                MatrixValues::Float(tensor.floats(expected)?)
            }
        };
        Ok(Matrix { rows, cols, values })
    }

    fn int4(&mut self, name: &str, rows: usize, cols: usize) -> Result<MatrixValues, WeightsError> {
        if !cols.is_multiple_of(INT4_GROUP) {
            return Err(WeightsError::Groups {
                file: self.files.file_of(name),
                name: name.to_owned(),
                cols,
            });
        }
        let halves = |files: &mut WeightFiles, what: &str| {
            let shape = [rows, cols / INT4_GROUP];
            files.take(&format!("{name}_{what}"), &shape)?.halves()
        };
        Ok(MatrixValues::Int4 {
            packed: self.files.take(name, &[rows, cols / 2])?.bytes,
            scales: halves(&mut self.files, "scale")?,
            minima: halves(&mut self.files, "min")?,
        })
    }

    fn vector(&mut self, name: &str, length: usize) -> Result<Vec<f32>, WeightsError> {
        self.files.take(name, &[length])?.floats("F32, F16 or BF16")
    }
}
