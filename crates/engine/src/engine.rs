//! A loaded model and the runs it makes.

use std::rc::Rc;
use std::sync::{Arc, PoisonError};

use futures_util::lock::Mutex;
use lacuna_decoder::{Canvas, DecodeError, GrammarGuard, Options, Run, counted};
use lacuna_lexer::{TokenId, Vocabulary};
use lacuna_model::{ModelConfig, ModelError, PromptTemplate, Tokenizer, WeightFiles, Weights};

use crate::cache::{CacheKey, Found, GrammarCache};
use crate::device::{DeviceReport, LoadOptions, Placement, SharedReport};
use crate::judging::{Judging, Opened};
use crate::no_member::no_member;
use crate::pool::Pool;
use crate::prompted::PromptedModel;
use crate::{
    Dialect, Fault, GrammarSource, Judge, ModelRun, Purpose, SchemaChoices, quoted, schema_task,
    task_line,
};

/// What to write.
#[derive(Clone, Debug)]
pub struct GenerateRequest {
    /// What the person asked for.
    pub request: String,
    /// The prompt's task line; by default the schema's.
    pub task: Option<String>,
    /// The grammar's dialect and text; `x-spanOf: "request"` and `%slot REQUEST` mean the
    /// request.
    pub grammar: (Dialect, String),
    /// Texts that the grammar may name, besides the request: none has the request's name.
    pub texts: Vec<(String, String)>,
    /// Lists that the grammar may name.
    pub lists: Vec<(String, Vec<String>)>,
    /// How deep the text may be nested.
    pub max_depth: Option<u32>,
    /// A regular expression that the whole text must match.
    pub matching: Option<String>,
    /// How a JSON Schema is taken.
    pub schema: SchemaChoices,
    /// How to decode.
    pub options: Options,
    /// What is allowed: by our checker what the grammar allows, and for comparison what a
    /// published method does, or anything.
    pub judge: Judge,
}

/// A model ready to run.
pub struct Engine {
    config: ModelConfig,
    pub(crate) tokenizer: Tokenizer,
    prompt: PromptTemplate,
    vocabulary: Arc<Vocabulary>,
    /// What was last banned, and the vocabulary without: runs that ban the same share checkers.
    without: std::sync::Mutex<Option<(Vec<TokenId>, Arc<Vocabulary>)>>,
    placement: Arc<Mutex<Placement>>,
    device: SharedReport,
    cache: Arc<GrammarCache>,
    pub(crate) pool: Pool,
}

impl Engine {
    /// Loads a model from the bytes of `config.json` and `tokenizer.json`, and its weights,
    /// and puts it on a device.
    ///
    /// # Errors
    /// A [`Fault`] of kind `config`, `tokenizer` or `weights`, or `device` if the
    /// one that is demanded cannot be had.
    pub async fn load(
        config: &[u8],
        tokenizer: &[u8],
        weights: WeightFiles,
        options: LoadOptions,
    ) -> Result<Self, Fault> {
        let config = ModelConfig::from_json(config).map_err(ModelError::from)?;
        let tokenizer = Tokenizer::from_json(tokenizer, &config)?;
        let template = config.prompt_template.as_deref().ok_or_else(|| {
            Fault::new(
                "config",
                "config.json: the model has no \"prompt\" with a \"template\"",
            )
        })?;
        let prompt = PromptTemplate::new(template, &tokenizer);
        let vocabulary = Vocabulary::new(
            tokenizer.token_bytes().to_vec(),
            config.eos_token_ids.clone(),
            config.mask_token_id,
        )?;
        let special = tokenizer.special_tokens().iter();
        let vocabulary = vocabulary.with_special(special.map(|(text, &id)| (id, text.as_str())));
        let weights = Weights::read(weights, &config)?;
        let placement = Placement::choose(weights, options).await?;
        Ok(Self {
            config,
            tokenizer,
            prompt,
            vocabulary: Arc::new(vocabulary),
            without: std::sync::Mutex::default(),
            device: placement.report().clone(),
            placement: Arc::new(Mutex::new(placement)),
            cache: Arc::default(),
            pool: Pool::default(),
        })
    }

    /// The same engine, taking grammars from a cache that others may share.
    pub fn with_cache(mut self, cache: Arc<GrammarCache>) -> Self {
        self.cache = cache;
        self
    }

    /// Where the engine keeps grammars that it compiled.
    pub fn cache(&self) -> &Arc<GrammarCache> {
        &self.cache
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

    /// Where the model runs, and why there.
    pub fn device(&self) -> DeviceReport {
        self.device.read()
    }

    /// The card that the model is on, if it is on one.
    #[cfg(feature = "gpu")]
    pub async fn gpu(&self) -> Option<lacuna_gpu::GpuDevice> {
        self.placement.lock().await.gpu().cloned()
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
        let begin = self.begin(request, request.options.length)?;
        let judging = Judging::of(request, self)?;
        let clock: Rc<dyn Fn() -> f64> = Rc::from(clock);
        let opened = judging.guard(self, &begin, &clock)?;
        let canvas = Canvas::masked(request.options.length);
        let run = begin.run(self, (canvas, opened), request, &clock);
        let run = run.map_err(|error| match (error, &judging) {
            (DecodeError::NoMember { length, .. }, Judging::Checker(found)) => {
                let mut checker = found.grammar.checker(Some(Arc::clone(&begin.writable)));
                no_member(&mut checker, length, &*clock)
            }
            (error, _) => error,
        })?;
        Ok(run.of(judging.origin(), judging.warnings()))
    }

    /// What every run begins with: the prompt, which with so many cells must not be more
    /// than the model holds.
    pub(crate) fn begin(&self, request: &GenerateRequest, cells: usize) -> Result<Begin, Fault> {
        let (dialect, text) = &request.grammar;
        let derived = || match dialect {
            Dialect::JsonSchema => match self.prompt.takes_schemas() {
                true => schema_task(text).unwrap_or_default(),
                false => task_line(text).unwrap_or_default(),
            },
            Dialect::Gbnf | Dialect::Lark | Dialect::Regex => String::new(),
        };
        let task = request.task.clone().unwrap_or_else(derived);
        let prompt = self.prompt.fill(&self.tokenizer, &task, &request.request)?;
        let positions = prompt.len().saturating_add(cells);
        let most = self.config.max_position_embeddings;
        if positions > most {
            let of_task = self.tokenizer.encode(&task)?.len();
            let share = match 2 * of_task > prompt.len() {
                true if self.prompt.takes_schemas() => format!(" ({of_task} of the schema)"),
                true => format!(" ({of_task} of the task line)"),
                false => String::new(),
            };
            let message = format!(
                "the prompt's {}{share} and {} are {positions} positions; the model holds {most}",
                counted(prompt.len(), "token"),
                counted(cells, "cell"),
            );
            return Err(Fault::new("too-long", message));
        }
        let writable = self.vocabulary_without(&request.options.banned)?;
        Ok(Begin { prompt, writable })
    }

    /// The model with the request's prompt in place, for loops of one's own.
    ///
    /// # Errors
    /// When the model cannot hold prompt and canvas.
    pub fn prompted(&self, request: &GenerateRequest) -> Result<PromptedModel, Fault> {
        let begin = self.begin(request, request.options.length)?;
        Ok(begin.model(self))
    }

    /// A guard by the request's grammar, for loops of one's own.
    ///
    /// # Errors
    /// When the grammar is not usable.
    pub fn guard(&self, request: &GenerateRequest) -> Result<GrammarGuard, Fault> {
        let vocabulary = self.vocabulary_without(&request.options.banned)?;
        let found = self.compile(request)?;
        Ok(self.pool.guard(&found.grammar, &vocabulary).0)
    }

    /// The tokens of a text, all of it taken as plain text.
    ///
    /// # Errors
    /// When the vocabulary cannot spell it.
    pub fn encode(&self, text: &str) -> Result<Vec<TokenId>, Fault> {
        Ok(self.tokenizer.encode(text)?)
    }

    /// The key of a request's grammar in the cache.
    ///
    /// # Errors
    /// As for [`grammar_source`].
    pub fn grammar_key(&self, request: &GenerateRequest) -> Result<CacheKey, Fault> {
        let (source, vocabulary) = (grammar_source(request)?, Some(&self.vocabulary));
        Ok(self.cache.key(&source, Purpose::Writing, vocabulary))
    }

    /// The vocabulary in which these tokens may stand in text, and cannot be written.
    fn vocabulary_without(&self, banned: &[TokenId]) -> Result<Arc<Vocabulary>, Fault> {
        if banned.is_empty() {
            return Ok(Arc::clone(&self.vocabulary));
        }
        let mut last = self.without.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = last.as_ref().filter(|(of, _)| of == banned) {
            return Ok(Arc::clone(known));
        }
        let all = Vocabulary::clone(&self.vocabulary);
        let vocabulary = Arc::new(all.keeping_out(banned)?);
        *last = Some((banned.to_vec(), Arc::clone(&vocabulary)));
        Ok(vocabulary)
    }

    pub(crate) fn compile(&self, request: &GenerateRequest) -> Result<Found, Fault> {
        let (source, vocabulary) = (grammar_source(request)?, Some(&self.vocabulary));
        let purpose = Purpose::Writing;
        self.cache.compile(&source, purpose, vocabulary, false)
    }
}

/// What every run begins with.
pub(crate) struct Begin {
    prompt: Vec<TokenId>,
    /// The vocabulary without what is banned.
    pub writable: Arc<Vocabulary>,
}

impl Begin {
    /// The model with the prompt.
    pub fn model(&self, engine: &Engine) -> PromptedModel {
        let placement = Arc::clone(&engine.placement);
        PromptedModel::new(placement, &engine.config, self.prompt.clone())
    }

    /// A run on a canvas under a guard.
    pub fn run(
        &self,
        engine: &Engine,
        (canvas, opened): (Canvas, Opened),
        request: &GenerateRequest,
        clock: &Rc<dyn Fn() -> f64>,
    ) -> Result<ModelRun, DecodeError> {
        let Opened {
            guard,
            vocabulary,
            memo,
        } = opened;
        let (model, options) = (self.model(engine), request.options.clone());
        let of_run = Arc::clone(&vocabulary);
        let clock = Rc::clone(clock);
        let clock = Box::new(move || clock());
        let run = Run::with_guard(model, vocabulary, canvas, guard, options, clock)?;
        Ok(ModelRun::new(run, self.prompt.len(), of_run, memo))
    }
}

/// The grammar of a request; texts that are spans are spans of the request.
///
/// # Errors
/// A [`Fault`] of kind `invalid-input` if another text than the request goes by its name.
pub fn grammar_source(request: &GenerateRequest) -> Result<GrammarSource, Fault> {
    let (dialect, text) = &request.grammar;
    let mut texts = request.texts.clone();
    name_request(&mut texts, *dialect, &request.request)?;
    Ok(GrammarSource {
        dialect: *dialect,
        text: text.clone(),
        texts,
        lists: request.lists.clone(),
        max_depth: request.max_depth,
        matching: request.matching.clone(),
        schema: request.schema.clone(),
    })
}

/// Puts the request among the texts that a grammar may name.
///
/// # Errors
/// As for [`grammar_source`].
pub(crate) fn name_request(
    texts: &mut Vec<(String, String)>,
    dialect: Dialect,
    request: &str,
) -> Result<(), Fault> {
    let name = request_text(dialect);
    if let Some((_, other)) = (texts.iter()).find(|(it, text)| it == name && text != request) {
        let message = format!(
            "the text {name} is {}, but {name} is the prompt: leave it out",
            quoted(other),
        );
        return Err(Fault::new("invalid-input", message));
    }
    texts.retain(|(it, _)| it != name);
    texts.push((name.to_owned(), request.to_owned()));
    Ok(())
}

/// By what name a grammar means the request: a `%slot` of Lark's is a terminal, and those are in
/// capitals.
fn request_text(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Lark => "REQUEST",
        _ => "request",
    }
}
