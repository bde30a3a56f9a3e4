//! `config.json`: which transformer this is, said in full.
//!
//! The file uses the names of Hugging Face's Llama family, and adds what a masked
//! diffusion model has beyond that: the mask, the end ids, whether logits are shifted by one
//! position, how attention looks. Nothing about a model is assumed by the code; what the file
//! does not say and has no settled default is an error, and so is a fact that the forward
//! pass cannot honour yet: computing something else than the model was trained for would look
//! like a bad model, not like a missing feature.
//!
//! Invariants of a [`ModelConfig`] that [`ModelConfig::from_json`] returned: every size is at
//! least 1 and bounded, so that products of two of them fit in `usize` on 32 bits where the
//! weights fit in memory; heads are a multiple of key-value heads; `head_dim` is even; all
//! token ids are below `vocab_size`.

use crate::neutral;
use crate::weights::INT4_GROUP;
use serde::Deserialize;
use thiserror::Error;

/// No matrix side may be larger: with 16 bits for activations and 8 for weights, sums of
/// this many products still fit in 32 bits with eight bits of precision left (see
/// [`crate::kernels::activations`]).
pub const MAX_WIDTH: usize = 1 << 16;
const MAX_VOCAB: usize = 1 << 20;
const MAX_LAYERS: usize = 1 << 10;
const MAX_POSITIONS: usize = 1 << 20;

/// The facts of a masked diffusion transformer, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    /// The family's name; any, since the fields below say what it computes.
    pub model_type: String,
    /// Tokens, special ones included; rows of the embedding.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Transformer blocks.
    pub num_hidden_layers: usize,
    /// Query heads.
    pub num_attention_heads: usize,
    /// Key and value heads, each shared by `num_attention_heads / num_key_value_heads` query
    /// heads.
    pub num_key_value_heads: usize,
    /// Width of a head; even.
    pub head_dim: usize,
    /// Width of the feed-forward block.
    pub intermediate_size: usize,
    /// Added to the mean square in every RMSNorm.
    pub rms_norm_eps: f32,
    /// Base of the rotary position embedding.
    pub rope_theta: f64,
    /// Longest input, prompt and canvas together.
    pub max_position_embeddings: usize,
    /// The embedding serves as the output head.
    pub tie_word_embeddings: bool,
    /// Query, key, value and output projections have biases.
    pub attention_bias: bool,
    /// The feed-forward projections have biases.
    pub mlp_bias: bool,
    /// Queries and keys are RMS-normalised per head before the rotation.
    pub qk_norm: bool,
    /// The token of a cell that is not filled yet.
    pub mask_token_id: u32,
    /// The tokens that end the text; at least one.
    pub eos_token_ids: Vec<u32>,
    /// The token that pads a finished response, often one of the ends.
    pub pad_token_id: Option<u32>,
    /// The logits of position `i` stand in row `i - 1`.
    pub logits_shift: bool,
    /// How matrices may be stored besides as floats; see [`crate::weights`].
    pub quantization: Option<WeightFormat>,
    /// How task and request become the prompt; see [`crate::prompt`].
    pub prompt_template: Option<String>,
}

/// The quantization that `config.json` names: the smallest format in the weights file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightFormat {
    /// A scale for each row.
    Int8,
    /// A scale and a minimum for each group of 32 columns; some matrices may be int8.
    Int4,
}

/// Why a `config.json` was refused.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// Not JSON, a field missing, or a field of another type.
    #[error("config.json cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// A fact that the forward pass does not honour.
    #[error("config.json: {field} = {value} is not supported{hint}")]
    Unsupported {
        /// The field, as a path.
        field: &'static str,
        /// What the file says.
        value: String,
        /// What would be, beginning with `: `; or nothing.
        hint: &'static str,
    },
    /// A value that fits no model, or not the rest of the file.
    #[error("config.json: {field}: {reason}")]
    Invalid {
        /// The field, as a path.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

impl ModelConfig {
    /// Reads and checks a `config.json`.
    ///
    /// # Errors
    /// [`ConfigError`] names the field that is missing, inconsistent or not supported.
    pub fn from_json(json: &[u8]) -> Result<Self, ConfigError> {
        let file: ConfigFile = serde_json::from_slice(json)?;
        file.refuse_unsupported()?;
        neutral::refuse_others(&serde_json::from_slice(json)?, file.rope_theta)?;
        let config = file.into_config();
        config.check()?;
        Ok(config)
    }

    /// Number of weights, scales aside.
    pub fn parameter_count(&self) -> usize {
        let (hidden, queries, keys) = (self.hidden_size, self.query_width(), self.key_width());
        let attention = 2 * hidden * queries + 2 * hidden * keys;
        let feed_forward = 3 * hidden * self.intermediate_size;
        let head_norms = if self.qk_norm { 2 * self.head_dim } else { 0 };
        let attention_biases = if self.attention_bias {
            queries + 2 * keys + hidden
        } else {
            0
        };
        let mlp_biases = if self.mlp_bias {
            2 * self.intermediate_size + hidden
        } else {
            0
        };
        let biases = attention_biases + mlp_biases;
        let layer = attention + feed_forward + 2 * hidden + head_norms + biases;
        let embeddings = if self.tie_word_embeddings { 1 } else { 2 };
        self.num_hidden_layers * layer + embeddings * self.vocab_size * hidden + hidden
    }

    /// Width of all query heads together.
    pub fn query_width(&self) -> usize {
        self.num_attention_heads * self.head_dim
    }

    /// Width of all key heads together, and of all value heads.
    pub fn key_width(&self) -> usize {
        self.num_key_value_heads * self.head_dim
    }

    fn check(&self) -> Result<(), ConfigError> {
        in_range("vocab_size", self.vocab_size, MAX_VOCAB)?;
        in_range("hidden_size", self.hidden_size, MAX_WIDTH)?;
        in_range("num_hidden_layers", self.num_hidden_layers, MAX_LAYERS)?;
        in_range("num_attention_heads", self.num_attention_heads, MAX_WIDTH)?;
        in_range("num_key_value_heads", self.num_key_value_heads, MAX_WIDTH)?;
        in_range("head_dim", self.head_dim, MAX_WIDTH)?;
        in_range("intermediate_size", self.intermediate_size, MAX_WIDTH)?;
        in_range(
            "max_position_embeddings",
            self.max_position_embeddings,
            MAX_POSITIONS,
        )?;
        if self.num_attention_heads.saturating_mul(self.head_dim) > MAX_WIDTH {
            return invalid(
                "head_dim",
                format!("heads together are wider than {MAX_WIDTH}"),
            );
        }
        if !self.head_dim.is_multiple_of(2) {
            return invalid("head_dim", format!("{} is odd", self.head_dim));
        }
        if !self
            .num_attention_heads
            .is_multiple_of(self.num_key_value_heads)
        {
            return invalid(
                "num_key_value_heads",
                format!(
                    "{} does not divide num_attention_heads = {}",
                    self.num_key_value_heads, self.num_attention_heads
                ),
            );
        }
        if !(self.rms_norm_eps.is_finite() && self.rms_norm_eps >= 0.0) {
            return invalid(
                "rms_norm_eps",
                format!("{} is no epsilon", self.rms_norm_eps),
            );
        }
        if !(self.rope_theta.is_finite() && self.rope_theta > 0.0) {
            return invalid("rope_theta", format!("{} is no base", self.rope_theta));
        }
        self.check_ids()
    }

    fn check_ids(&self) -> Result<(), ConfigError> {
        let below = |field, id: u32| match (id as usize) < self.vocab_size {
            true => Ok(()),
            false => invalid(
                field,
                format!("{id} is not below vocab_size {}", self.vocab_size),
            ),
        };
        below("mask_token_id", self.mask_token_id)?;
        if self.eos_token_ids.is_empty() {
            return invalid("eos_token_id", "the list is empty".to_owned());
        }
        for &id in &self.eos_token_ids {
            below("eos_token_id", id)?;
            if id == self.mask_token_id {
                return invalid("eos_token_id", format!("{id} is the mask as well"));
            }
        }
        if let Some(id) = self.pad_token_id {
            below("pad_token_id", id)?;
        }
        Ok(())
    }
}

fn in_range(field: &'static str, value: usize, most: usize) -> Result<(), ConfigError> {
    match (1..=most).contains(&value) {
        true => Ok(()),
        false => invalid(field, format!("{value} is not within 1 to {most}")),
    }
}

fn invalid(field: &'static str, reason: String) -> Result<(), ConfigError> {
    Err(ConfigError::Invalid { field, reason })
}

/// The file as it is written. Fields without a default must be there; unknown fields are
/// left alone, except for the ones listed here because they change the maths.
#[derive(Deserialize)]
struct ConfigFile {
    model_type: String,
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    num_key_value_heads: Option<usize>,
    head_dim: Option<usize>,
    intermediate_size: usize,
    rms_norm_eps: f32,
    rope_theta: f64,
    max_position_embeddings: usize,
    hidden_act: String,
    #[serde(default)]
    tie_word_embeddings: bool,
    #[serde(default)]
    attention_bias: bool,
    #[serde(default)]
    mlp_bias: bool,
    #[serde(default)]
    qk_norm: bool,
    mask_token_id: u32,
    eos_token_id: OneOrMany,
    pad_token_id: Option<u32>,
    diffusion: Diffusion,
    quantization: Option<Quantization>,
    prompt: Option<Prompt>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a token's id, or a list of them")]
enum OneOrMany {
    One(u32),
    Many(Vec<u32>),
}

#[derive(Deserialize)]
struct Diffusion {
    logits_shift: u32,
    attention: String,
    block_size: Option<u64>,
}

#[derive(Deserialize)]
struct Quantization {
    format: String,
    scales: Option<String>,
    group_size: Option<usize>,
}

#[derive(Deserialize)]
struct Prompt {
    template: String,
}

impl ConfigFile {
    fn refuse_unsupported(&self) -> Result<(), ConfigError> {
        let unless = |fine: bool, field, value: &dyn ToString, hint| match fine {
            true => Ok(()),
            false => Err(ConfigError::Unsupported {
                field,
                value: value.to_string(),
                hint,
            }),
        };
        let diffusion = &self.diffusion;
        unless(
            self.hidden_act == "silu",
            "hidden_act",
            &self.hidden_act,
            ": only silu is",
        )?;
        unless(
            diffusion.logits_shift <= 1,
            "diffusion.logits_shift",
            &diffusion.logits_shift,
            ": only 0 and 1 are",
        )?;
        unless(
            diffusion.attention == "full",
            "diffusion.attention",
            &diffusion.attention,
            ": only full is",
        )?;
        if let Some(size) = &diffusion.block_size {
            unless(
                false,
                "diffusion.block_size",
                size,
                ": attention has no blocks",
            )?;
        }
        if let Some(quantization) = &self.quantization {
            let scales = quantization.scales.as_deref().unwrap_or("nothing");
            let group = quantization.group_size.unwrap_or(0);
            match quantization.format.as_str() {
                "int8" => unless(
                    scales == "per_row",
                    "quantization.scales",
                    &scales,
                    ": only per_row is",
                )?,
                "int4" => unless(
                    group == INT4_GROUP,
                    "quantization.group_size",
                    &group,
                    ": only 32 is",
                )?,
                other => unless(
                    false,
                    "quantization.format",
                    &other,
                    ": only int8 and int4 are",
                )?,
            }
        }
        if let Some(Prompt { template }) = &self.prompt {
            unless(
                template.contains("{request}"),
                "prompt.template",
                template,
                ": only one with {request} is",
            )?;
        }
        Ok(())
    }

    fn into_config(self) -> ModelConfig {
        ModelConfig {
            model_type: self.model_type,
            vocab_size: self.vocab_size,
            hidden_size: self.hidden_size,
            num_hidden_layers: self.num_hidden_layers,
            num_attention_heads: self.num_attention_heads,
            num_key_value_heads: self.num_key_value_heads.unwrap_or(self.num_attention_heads),
            // A head count of zero is refused right after, by name.
            head_dim: self
                .head_dim
                .unwrap_or_else(|| self.hidden_size / self.num_attention_heads.max(1)),
            intermediate_size: self.intermediate_size,
            rms_norm_eps: self.rms_norm_eps,
            rope_theta: self.rope_theta,
            max_position_embeddings: self.max_position_embeddings,
            tie_word_embeddings: self.tie_word_embeddings,
            attention_bias: self.attention_bias,
            mlp_bias: self.mlp_bias,
            qk_norm: self.qk_norm,
            mask_token_id: self.mask_token_id,
            eos_token_ids: match self.eos_token_id {
                OneOrMany::One(id) => vec![id],
                OneOrMany::Many(ids) => ids,
            },
            pad_token_id: self.pad_token_id,
            logits_shift: self.diffusion.logits_shift == 1,
            quantization: self.quantization.map(|quantization| {
                match quantization.format.as_str() {
                    "int4" => WeightFormat::Int4,
                    _ => WeightFormat::Int8,
                }
            }),
            prompt_template: self.prompt.map(|prompt| prompt.template),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn example() -> Value {
        json!({
            "model_type": "lacuna", "vocab_size": 2048, "hidden_size": 320,
            "num_hidden_layers": 7, "num_attention_heads": 5, "num_key_value_heads": 5,
            "head_dim": 64, "intermediate_size": 864, "rms_norm_eps": 1e-5,
            "rope_theta": 10000.0, "max_position_embeddings": 512, "hidden_act": "silu",
            "tie_word_embeddings": true, "mask_token_id": 1, "eos_token_id": [0, 2],
            "pad_token_id": 0,
            "diffusion": {"logits_shift": 0, "attention": "full", "block_size": null},
            "quantization": {"format": "int8", "scales": "per_row"},
            "prompt": {"template": "{task}\n{request}<|sep|>"}
        })
    }

    fn read(value: &Value) -> Result<ModelConfig, ConfigError> {
        ModelConfig::from_json(value.to_string().as_bytes())
    }

    #[test]
    fn reads_every_fact() {
        let config = read(&example()).unwrap();
        assert_eq!(config.eos_token_ids, [0, 2]);
        assert_eq!(config.key_width(), 320);
        assert!(config.tie_word_embeddings && !config.logits_shift);
        assert_eq!(config.quantization, Some(WeightFormat::Int8));
        assert_eq!(
            config.prompt_template.as_deref(),
            Some("{task}\n{request}<|sep|>")
        );
    }

    #[test]
    fn int4_is_told_by_its_groups() {
        let quantization = json!({"format": "int4", "group_size": 32});
        let config = read(&with("/quantization", quantization)).unwrap();
        assert_eq!(config.quantization, Some(WeightFormat::Int4));
        let floats = read(&with("/quantization", Value::Null)).unwrap();
        assert_eq!(floats.quantization, None);
    }

    #[test]
    fn what_cannot_be_honoured_is_named() {
        for (pointer, value, named) in [
            ("/hidden_act", json!("gelu"), "hidden_act"),
            (
                "/diffusion/logits_shift",
                json!(2),
                "diffusion.logits_shift",
            ),
            (
                "/diffusion/attention",
                json!("block"),
                "diffusion.attention",
            ),
            ("/diffusion/block_size", json!(32), "diffusion.block_size"),
            ("/quantization/format", json!("int3"), "quantization.format"),
            (
                "/quantization/scales",
                json!("per_tensor"),
                "quantization.scales",
            ),
            (
                "/quantization",
                json!({"format": "int4", "group_size": 64}),
                "quantization.group_size",
            ),
            (
                "/rope_scaling",
                json!({"rope_type": "yarn"}),
                "rope_scaling",
            ),
            ("/sliding_window", json!(4096), "sliding_window"),
            (
                "/final_logit_softcapping",
                json!(30.0),
                "final_logit_softcapping",
            ),
            ("/residual_multiplier", json!(0.22), "residual_multiplier"),
            (
                "/layer_types",
                json!(["full_attention", "sliding_attention"]),
                "layer_types",
            ),
            (
                "/rope_parameters",
                json!({"rope_type": "yarn", "factor": 4}),
                "rope_parameters",
            ),
            (
                "/rope_parameters",
                json!({"rope_theta": 3.0}),
                "rope_parameters",
            ),
            (
                "/partial_rotary_factor",
                json!(0.5),
                "partial_rotary_factor",
            ),
        ] {
            match read(&with(pointer, value)).unwrap_err() {
                ConfigError::Unsupported { field, .. } => assert_eq!(field, named),
                other => panic!("{pointer}: {other}"),
            }
        }
    }

    #[test]
    fn facts_of_other_models_may_say_what_is_done_anyway() {
        let theta = json!({"rope_type": "default", "rope_theta": 10000.0});
        for (pointer, value) in [
            ("/rope_parameters", theta),
            ("/rope_scaling", json!(null)),
            ("/logit_scale", json!(1)),
            ("/layer_types", json!(["full_attention"])),
        ] {
            read(&with(pointer, value)).unwrap();
        }
    }

    #[test]
    fn sizes_that_fit_no_model_are_refused() {
        for (pointer, value) in [
            ("/vocab_size", json!(0)),
            ("/vocab_size", json!(u64::MAX)),
            ("/hidden_size", json!(1u64 << 40)),
            ("/num_hidden_layers", json!(0)),
            ("/num_attention_heads", json!(0)),
            ("/num_attention_heads", json!(65536)),
            ("/num_key_value_heads", json!(3)),
            ("/head_dim", json!(63)),
            ("/intermediate_size", json!(-1)),
            ("/rms_norm_eps", json!(-1.0)),
            ("/rope_theta", json!(0.0)),
            ("/mask_token_id", json!(2048)),
            ("/eos_token_id", json!([])),
            ("/eos_token_id", json!(1)),
            ("/pad_token_id", json!(99999)),
            ("/max_position_embeddings", json!(1u64 << 31)),
        ] {
            assert!(
                read(&with(pointer, value.clone())).is_err(),
                "{pointer} = {value}"
            );
        }
    }

    #[test]
    fn a_missing_fact_is_an_error_with_its_name() {
        for field in [
            "rope_theta",
            "mask_token_id",
            "diffusion",
            "rms_norm_eps",
            "hidden_act",
        ] {
            let mut value = example();
            value.as_object_mut().unwrap().remove(field);
            let message = read(&value).unwrap_err().to_string();
            assert!(message.contains(field), "{message}");
        }
    }

    fn with(pointer: &str, value: Value) -> Value {
        let mut example = example();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        example.pointer_mut(parent).unwrap()[key] = value;
        example
    }
}
