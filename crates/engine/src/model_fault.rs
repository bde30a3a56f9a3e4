//! What the model and the decoder can say no with, as faults.

use lacuna_decoder::DecodeError;
use lacuna_lexer::VocabularyError;
use lacuna_model::{ModelError, TokenizerError, WeightsError};

use crate::Fault;

impl From<ModelError> for Fault {
    fn from(error: ModelError) -> Self {
        let kind = match &error {
            ModelError::Config(_) => "config",
            ModelError::Tokenizer(_) => "tokenizer",
            ModelError::Weights(_) => "weights",
        };
        Self::new(kind, error.to_string())
    }
}

impl From<WeightsError> for Fault {
    fn from(error: WeightsError) -> Self {
        ModelError::from(error).into()
    }
}

impl From<TokenizerError> for Fault {
    fn from(error: TokenizerError) -> Self {
        // Then the text is at fault.
        match error {
            TokenizerError::Encode(_) => Self::new("invalid-input", error.to_string()),
            _ => Self::new("tokenizer", format!("tokenizer.json: {error}")),
        }
    }
}

impl From<VocabularyError> for Fault {
    fn from(error: VocabularyError) -> Self {
        Self::new("tokenizer", error.to_string())
    }
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Self {
        let kind = match error {
            DecodeError::NoMember { .. } | DecodeError::NoFilling { .. } => "no-member",
            DecodeError::Exhausted { .. } => "budget",
            DecodeError::Invalid(_) | DecodeError::UnknownToken { .. } | DecodeError::Malformed => {
                "invalid-input"
            }
            DecodeError::VocabularyMismatch { .. } => "tokenizer",
            DecodeError::Denoiser(_) => "model",
            DecodeError::GivenUp => "cancelled",
        };
        Self::new(kind, error.to_string())
    }
}
