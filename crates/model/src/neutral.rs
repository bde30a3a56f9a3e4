//! Fields of a `config.json` that would change what a forward pass computes, and that this one
//! does not look at: they must say what it does anyway, or nothing.

use serde_json::{Map, Value};

use crate::config::ConfigError;

/// Must not be there, or be `null`.
const UNSET: [&str; 5] = [
    "rope_scaling",
    "sliding_window",
    "clip_qkv",
    "attn_logit_softcapping",
    "final_logit_softcapping",
];

/// Must not be there, or be 1.
const ONE: [&str; 6] = [
    "partial_rotary_factor",
    "logit_scale",
    "logits_scaling",
    "scale_emb",
    "embedding_multiplier",
    "residual_multiplier",
];

/// Refuses a file with such a field that says something else; `rope_theta` is the one that is
/// looked at.
///
/// # Errors
/// [`ConfigError::Unsupported`] with the field.
pub(crate) fn refuse_others(
    config: &Map<String, Value>,
    rope_theta: f64,
) -> Result<(), ConfigError> {
    let unless = |fine: bool, field, value: &Value, hint| match fine {
        true => Ok(()),
        false => Err(ConfigError::Unsupported {
            field,
            value: value.to_string(),
            hint,
        }),
    };
    let said = |field| config.get(field).filter(|value| !value.is_null());
    for field in UNSET {
        said(field).map_or(Ok(()), |value| unless(false, field, value, ""))?;
    }
    for field in ONE {
        let is_one = |value: &Value| value.as_f64() == Some(1.0);
        said(field).map_or(Ok(()), |value| {
            unless(is_one(value), field, value, ": only 1 is")
        })?;
    }
    if let Some(types) = said("layer_types") {
        let mut layers = types.as_array().into_iter().flatten();
        let are_full = types.is_array() && layers.all(|layer| layer == "full_attention");
        let hint = ": only a list of full_attention is";
        unless(are_full, "layer_types", types, hint)?;
    }
    if let Some(rope) = said("rope_parameters") {
        let is_default = rope["rope_type"].is_null() || rope["rope_type"] == "default";
        let theta = rope["rope_theta"].as_f64();
        let is_same = rope["rope_theta"].is_null() || theta == Some(rope_theta);
        let hint = ": only the type default with the rope_theta of the file is";
        let fine = rope.is_object() && is_default && is_same;
        unless(fine, "rope_parameters", rope, hint)?;
    }
    Ok(())
}
