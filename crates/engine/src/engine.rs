//! A loaded model and the runs it makes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lacuna_checker::{Checker, CheckerLimits};
use lacuna_decoder::{DecodeError, Denoiser, DenoiserError, Event, Options, Outcome, Run, Timings};
use lacuna_lexer::{TokenId, Vocabulary, VocabularyError};
use lacuna_model::{
    CpuTransformer, ForwardError, Model, ModelConfig, ModelError, PromptTemplate, Tokenizer,
    TokenizerError,
};

use crate::{Dialect, Fault, GrammarSource, Purpose, task_line};

/// What to write.
#[derive(Clone, Debug)]
pub struct GenerateRequest {
    /// What the person asked for.
    pub request: String,
    /// The prompt's task line; by default the schema's.
    pub task: Option<String>,
    /// The grammar's dialect and text; `x-spanOf: "request"` means the request.
    pub grammar: (Dialect, String),
    /// How to decode.
    pub options: Options,
    /// Leave the grammar aside, for comparison.
    pub unconstrained: bool,
}

/// A model ready to run.
pub struct Engine {
    config: ModelConfig,
    tokenizer: Tokenizer,
    prompt: PromptTemplate,
    vocabulary: Arc<Vocabulary>,
    transformer: Arc<Mutex<CpuTransformer>>,
}

impl Engine {
    /// Loads a model from the bytes of `config.json`, `tokenizer.json` and
    /// `model.safetensors`.
    ///
    /// # Errors
    /// A [`Fault`] of kind `config`, `tokenizer` or `weights`.
    pub fn load(config: &[u8], tokenizer: &[u8], weights: &[u8]) -> Result<Self, Fault> {
        let Model {
            config,
            tokenizer,
            prompt,
            transformer,
        } = Model::from_files(config, tokenizer, weights)?;
        let prompt = prompt.ok_or_else(|| {
            Fault::new(
                "config",
                "config.json: the model has no \"prompt\" with a \"template\"",
            )
        })?;
        let vocabulary = Vocabulary::new(
            tokenizer.token_bytes().to_vec(),
            config.eos_token_ids.clone(),
            config.mask_token_id,
        )?;
        Ok(Self {
            config,
            tokenizer,
            prompt,
            vocabulary: Arc::new(vocabulary),
            transformer: Arc::new(Mutex::new(transformer)),
        })
    }

    /// The model's facts.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The model's tokens.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Number of weights.
    pub fn parameters(&self) -> usize {
        self.config.parameter_count()
    }

    /// Begins a run. `clock` gives milliseconds from any origin.
    ///
    /// # Errors
    /// Before the model is asked anything: a grammar that is not usable, a
    /// prompt and canvas that the model cannot hold, a canvas that no text of
    /// the grammar fits.
    pub fn start(
        &self,
        request: &GenerateRequest,
        clock: Box<dyn Fn() -> f64>,
    ) -> Result<ModelRun, Fault> {
        let (dialect, text) = &request.grammar;
        let derived = || match dialect {
            Dialect::JsonSchema => task_line(text).unwrap_or_default(),
            Dialect::Gbnf | Dialect::Lark | Dialect::Regex => String::new(),
        };
        let task = request.task.clone().unwrap_or_else(derived);
        let prompt = self.prompt.fill(&self.tokenizer, &task, &request.request)?;
        let (positions, most) = (
            prompt.len().saturating_add(request.options.length),
            self.config.max_position_embeddings,
        );
        if positions > most {
            let message = format!(
                "the prompt's {} tokens and {} cells are {positions} positions; the model holds \
                 {most}",
                prompt.len(),
                request.options.length
            );
            return Err(Fault::new("too-long", message));
        }
        let checker = match request.unconstrained {
            true => None,
            false => Some(self.checker(request)?),
        };
        let prompt_tokens = prompt.len();
        let denoiser = PromptedModel {
            transformer: Arc::clone(&self.transformer),
            mask: self.config.mask_token_id,
            vocabulary_size: self.config.vocab_size,
            ids: prompt,
            prompt: prompt_tokens,
        };
        let vocabulary = Arc::clone(&self.vocabulary);
        let run = Run::new(denoiser, vocabulary, checker, request.options, clock)?;
        Ok(ModelRun { run, prompt_tokens })
    }

    fn checker(&self, request: &GenerateRequest) -> Result<Checker, Fault> {
        let (dialect, text) = &request.grammar;
        let source = GrammarSource {
            dialect: *dialect,
            text: text.clone(),
            texts: BTreeMap::from([("request".to_owned(), request.request.clone())]),
        };
        let grammar = source.compile(Purpose::Writing)?;
        let vocabulary = Arc::clone(&self.vocabulary);
        let limits = CheckerLimits::default();
        Ok(Checker::new(&grammar, Some(vocabulary), limits)?)
    }
}

/// A run of the engine's model.
pub struct ModelRun {
    run: Run<PromptedModel>,
    prompt_tokens: usize,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The text, as bytes.
    pub text: Vec<u8>,
    /// How it ended.
    pub outcome: Outcome,
    /// Steps taken.
    pub steps: usize,
    /// Where the time went.
    pub timings: Timings,
}

impl ModelRun {
    /// Tokens of the prompt.
    pub fn prompt_tokens(&self) -> usize {
        self.prompt_tokens
    }

    /// Steps the run takes at most.
    pub fn steps(&self) -> usize {
        self.run.options().steps
    }

    /// Whether the run is over.
    pub fn is_done(&self) -> bool {
        self.run.is_done()
    }

    /// One denoising step.
    ///
    /// # Errors
    /// When the model fails.
    pub fn step(&mut self) -> Result<Vec<Event>, Fault> {
        Ok(self.run.step()?)
    }

    /// All steps that are left; `on_event` sees every event.
    ///
    /// # Errors
    /// When the model fails.
    pub fn finish(mut self, mut on_event: impl FnMut(&Event)) -> Result<Summary, Fault> {
        loop {
            for event in self.run.step()? {
                on_event(&event);
                if let Event::Done {
                    text,
                    outcome,
                    steps,
                    timings,
                } = event
                {
                    return Ok(Summary {
                        text,
                        outcome,
                        steps,
                        timings,
                    });
                }
            }
        }
    }
}

/// The model with its prompt in place, as the decoder sees it.
struct PromptedModel {
    transformer: Arc<Mutex<CpuTransformer>>,
    mask: TokenId,
    vocabulary_size: usize,
    /// The prompt, then the canvas of the last call.
    ids: Vec<TokenId>,
    prompt: usize,
}

impl Denoiser for PromptedModel {
    fn vocabulary_size(&self) -> usize {
        self.vocabulary_size
    }

    fn denoise(
        &mut self,
        cells: &[Option<TokenId>],
        masked: &[usize],
        logits: &mut Vec<f32>,
    ) -> Result<(), DenoiserError> {
        self.ids.truncate(self.prompt);
        self.ids
            .extend(cells.iter().map(|cell| cell.unwrap_or(self.mask)));
        let rows: Vec<usize> = masked.iter().map(|cell| self.prompt + cell).collect();
        // A panic in another run's pass leaves only scratch buffers half
        // written, which every pass overwrites.
        let mut transformer = self
            .transformer
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        transformer
            .logits(&self.ids, &rows, logits)
            .map_err(|error: ForwardError| DenoiserError {
                message: error.to_string(),
            })
    }
}

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

impl From<TokenizerError> for Fault {
    fn from(error: TokenizerError) -> Self {
        Self::new("tokenizer", format!("tokenizer.json: {error}"))
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
            DecodeError::NoMember { .. } => "no-member",
            DecodeError::Exhausted { .. } => "budget",
            DecodeError::Invalid(_) => "invalid-input",
            DecodeError::VocabularyMismatch { .. } => "tokenizer",
            DecodeError::Denoiser(_) => "model",
        };
        Self::new(kind, error.to_string())
    }
}
