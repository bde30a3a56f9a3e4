//! The masked diffusion transformer: its files, its tokenizer, and a forward pass on the CPU.
//!
//! ```text
//! config.json ──▶ ModelConfig ─┬─▶ Weights ◀── WeightFiles ◀── model.safetensors, or shards
//!                              │      └──▶ CpuTransformer: ids ─▶ logits of the wanted rows
//!                              └─▶ Tokenizer ◀── tokenizer.json
//!                                     └──▶ PromptTemplate: task, request ─▶ ids
//! ```
//!
//! The crate reads files only as bytes that it is handed, so it runs where there is no file
//! system. [`ForwardPass`] is what the rest of the project knows a model by; the
//! pass here is the plain reference for others on faster hardware, and [`plain`] is its own
//! reference: the same maths in the most readable form. Its rows are shared out among
//! [`threads`]. [`kept`] is the one approximation that there is, for who asks for it.
//!
//! Any file may be hostile: what is wrong with one is an error that names the field, tensor
//! or token, never a panic.

pub mod config;
pub mod forward;
pub mod input;
pub mod kept;
pub mod kernels;
mod neutral;
pub mod pass;
pub mod plain;
pub mod prompt;
pub mod threads;
pub mod tokenizer;
mod tokenizer_parts;
pub mod weights;

pub use config::{ConfigError, ModelConfig, WeightFormat};
pub use forward::CpuTransformer;
pub use input::Input;
pub use kept::Kept;
pub use pass::{DeviceFault, ForwardError, ForwardPass, Narrow, StepRequest};
pub use prompt::PromptTemplate;
pub use tokenizer::{Tokenizer, TokenizerError};
pub use weights::{WeightFiles, Weights, WeightsError};

use thiserror::Error;

/// A model as it is shipped: files that fit each other, ready to run.
pub struct Model {
    /// The facts.
    pub config: ModelConfig,
    /// Text to ids, ids to bytes.
    pub tokenizer: Tokenizer,
    /// How task and request become ids; none if `config.json` has no template.
    pub prompt: Option<PromptTemplate>,
    /// The forward pass.
    pub transformer: CpuTransformer,
}

/// Why a model cannot be loaded.
#[derive(Debug, Error)]
pub enum ModelError {
    /// In `config.json`.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// In `tokenizer.json`, or between it and the configuration.
    #[error("tokenizer.json: {0}")]
    Tokenizer(#[from] TokenizerError),
    /// In the files of the weights, or between them and the configuration.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

impl Model {
    /// Loads a model from the bytes of `config.json` and `tokenizer.json`, and its weights.
    ///
    /// # Errors
    /// [`ModelError`], for the first file that is wrong, in this order.
    pub fn from_files(
        config: &[u8],
        tokenizer: &[u8],
        weights: WeightFiles,
    ) -> Result<Self, ModelError> {
        let config = ModelConfig::from_json(config)?;
        let tokenizer = Tokenizer::from_json(tokenizer, &config)?;
        let template = config.prompt_template.as_deref();
        let prompt = template.map(|template| PromptTemplate::new(template, &tokenizer));
        let transformer = CpuTransformer::new(Weights::read(weights, &config)?);
        Ok(Self {
            config,
            tokenizer,
            prompt,
            transformer,
        })
    }
}
