//! The parts of a `tokenizer.json` that are looked at before the library reads it: what it
//! panics on, and what would make a token's bytes a guess.
//!
//! The page recovers from no panic, and the bytes that a checker decides about must be those
//! that are emitted. Fields that do neither harm are passed over.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};

use crate::tokenizer::TokenizerError;

/// The blank of sentencepiece-like vocabularies.
pub(crate) const BLANK: char = '▁';

/// Refuses a file that is no JSON, or has parts that are not supported.
///
/// # Errors
/// [`TokenizerError::Unreadable`] and [`TokenizerError::Unsupported`], which names the field.
pub(crate) fn refuse_unsupported(json: &[u8]) -> Result<(), TokenizerError> {
    let parts: Parts = serde_json::from_slice(json)
        .map_err(|error| TokenizerError::Unreadable(error.to_string()))?;
    let steps = [
        ("normalizer", parts.normalizer),
        ("pre_tokenizer", parts.pre_tokenizer),
        ("decoder", parts.decoder),
    ];
    for (field, step) in steps {
        step.map_or(Ok(()), |step| step.refuse_unsupported(field))?;
    }
    let model = parts.model.unwrap_or_default();
    for (field, affix) in [
        ("continuing_subword_prefix", model.continuing_subword_prefix),
        ("end_of_word_suffix", model.end_of_word_suffix),
    ] {
        if affix.is_some_and(|affix| !affix.is_empty()) {
            return Err(TokenizerError::Unsupported(format!("model.{field}")));
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Parts {
    normalizer: Option<Step>,
    pre_tokenizer: Option<Step>,
    decoder: Option<Step>,
    model: Option<Model>,
}

#[derive(Default, Deserialize)]
struct Model {
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
}

/// A normalizer, a pre-tokenizer or a decoder, or several in turn.
#[derive(Deserialize)]
struct Step {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default, deserialize_with = "present")]
    precompiled_charsmap: bool,
    length: Option<u64>,
    replacement: Option<char>,
    pattern: Option<Pattern>,
    content: Option<String>,
    #[serde(default)]
    normalizers: Vec<Step>,
    #[serde(default)]
    pretokenizers: Vec<Step>,
    #[serde(default)]
    decoders: Vec<Step>,
}

impl Step {
    fn refuse_unsupported(self, field: &str) -> Result<(), TokenizerError> {
        let unsupported = |what: &str| Err(TokenizerError::Unsupported(format!("{field}: {what}")));
        if self.precompiled_charsmap || self.kind == "Precompiled" {
            return unsupported("a Precompiled normalizer");
        }
        if self.length == Some(0) {
            return unsupported("a FixedLength of 0");
        }
        if self.replacement.is_some_and(|it| it != BLANK) {
            return unsupported("a Metaspace with another replacement than \u{2581}");
        }
        if field == "decoder" && self.kind == "Replace" && !self.spells_blanks() {
            return unsupported("a Replace of other text than \u{2581} by a blank");
        }
        let steps = self.normalizers.into_iter();
        let mut steps = steps.chain(self.pretokenizers).chain(self.decoders);
        steps.try_for_each(|step| step.refuse_unsupported(field))
    }

    /// Whether this replaces the blank of the vocabulary by a blank.
    fn spells_blanks(&self) -> bool {
        let replaced = self.pattern.as_ref().and_then(|it| it.string.as_deref());
        let is_blank = |text: &str| text.chars().eq([BLANK]);
        replaced.is_some_and(is_blank) && self.content.as_deref() == Some(" ")
    }
}

/// What is replaced.
#[derive(Deserialize)]
struct Pattern {
    #[serde(rename = "String")]
    string: Option<String>,
}

/// Whether a field is there at all, even as `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
}
