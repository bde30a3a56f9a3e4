//! Reading grammars, tokenizers and models from files.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use clap::Args;
use lacuna_engine::{
    DevicePreference, Dialect, Engine, Fault, GrammarCache, GrammarSession, GrammarSource,
    LoadOptions, Purpose, WeightFiles, block_on,
};
use lacuna_grammar::source_text;
use lacuna_lexer::{TokenId, Vocabulary};
use lacuna_model::Tokenizer;
use serde_json::Value;

use crate::cache::CacheArguments;
use crate::error::{CommandError, warn};
use crate::schema::SchemaArguments;
#[cfg(feature = "gpu")]
use crate::tunings::TuningFile;
#[cfg(feature = "gpu")]
use lacuna_engine::Tunings;

/// The bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    std::fs::read(path).map_err(|error| CommandError::file(path, error))
}

/// The weights of a model's folder.
pub fn read_weights(folder: &Path) -> Result<WeightFiles, CommandError> {
    let file = |name: &str| {
        let path = folder.join(name);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CommandError::file(&path, error)),
        }
    };
    WeightFiles::of_folder(file).map_err(|error| match error {
        CommandError::Fault(fault) => CommandError::content(folder, fault),
        error => error,
    })
}

/// A text file.
pub fn read_text(path: &Path) -> Result<String, CommandError> {
    std::fs::read_to_string(path).map_err(|error| CommandError::file(path, error))
}

/// What fills a grammar's slots ("x-spanOf" and "x-oneOf" of a schema, %slot of
/// a Lark grammar), and how deep its texts may be nested.
#[derive(Args)]
pub struct SlotArguments {
    /// A text any run of whose words may fill the slot of that name, such as
    /// request="two tickets to Rome" (repeatable)
    #[arg(long, value_name = "NAME=TEXT", value_parser = named)]
    text: Vec<(String, String)>,
    /// A file with the literals that may fill the slot of that name, one a line;
    /// empty lines are passed over (repeatable)
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    list: Vec<(String, String)>,
    /// Texts nested deeper than this do not belong to the grammar
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Texts that do not match this regular expression as a whole do not belong
    /// to the grammar
    #[arg(long, value_name = "REGEX")]
    pub matching: Option<String>,
    #[command(flatten)]
    pub schema: SchemaArguments,
}

fn named(argument: &str) -> Result<(String, String), String> {
    let (name, value) = argument.split_once('=').ok_or("expected NAME=…")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl SlotArguments {
    /// The texts by name.
    pub fn texts(&self) -> Result<Vec<(String, String)>, CommandError> {
        each_once("--text", &self.text)?;
        Ok(self.text.clone())
    }

    /// The lists by name, read from their files.
    pub fn lists(&self) -> Result<Vec<(String, Vec<String>)>, CommandError> {
        each_once("--list", &self.list)?;
        let read = |(name, file): &(String, String)| {
            let literals = read_grammar_text(Path::new(file))?;
            let literals = literals.lines().filter(|line| !line.is_empty());
            Ok((name.clone(), literals.map(str::to_owned).collect()))
        };
        self.list.iter().map(read).collect()
    }
}

/// That no name is given twice, so that nothing is left out without a word.
fn each_once(option: &str, named: &[(String, String)]) -> Result<(), CommandError> {
    let mut seen = BTreeSet::new();
    match named.iter().find(|(name, _)| !seen.insert(name)) {
        Some((name, _)) => {
            let message = format!("{option} names {name} twice");
            Err(Fault::new("invalid-input", message).into())
        }
        None => Ok(()),
    }
}

/// A grammar file ready to answer, its dialect known by its ending.
pub fn open_session(
    path: &Path,
    purpose: Purpose,
    slots: &SlotArguments,
    vocabulary: Option<Arc<Vocabulary>>,
    cache: &GrammarCache,
) -> Result<GrammarSession, CommandError> {
    let source = read_source(path, slots)?;
    let found = cache.compile(&source, purpose, vocabulary.as_ref(), false);
    let found = found.map_err(|fault| CommandError::grammar(path, &source.text, fault))?;
    warn(path, &source.text, found.grammar.warnings());
    Ok(found.grammar.session(vocabulary))
}

/// What is read before a grammar is compiled.
pub fn read_source(path: &Path, slots: &SlotArguments) -> Result<GrammarSource, CommandError> {
    Ok(GrammarSource {
        dialect: Dialect::of_file(&path.display().to_string())?,
        text: read_grammar_text(path)?,
        texts: slots.texts()?,
        lists: slots.lists()?,
        max_depth: slots.max_depth,
        matching: slots.matching.clone(),
        schema: slots.schema.choices()?,
    })
}

/// The text of a grammar's file, or of one of its lists; what is no text is said with its place.
pub fn read_grammar_text(path: &Path) -> Result<String, CommandError> {
    let bytes = read(path)?;
    let text = source_text::read(&bytes).map_err(|diagnostics| {
        let shown = String::from_utf8_lossy(&bytes);
        let fault = Fault::of_grammar(&shown, &diagnostics);
        CommandError::grammar(path, &shown, fault)
    })?;
    Ok(text.to_owned())
}

/// A model, and where it shall run.
#[derive(Args)]
pub struct ModelArguments {
    /// The model's folder: config.json, tokenizer.json, and model.safetensors or its shards
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
    /// Where the model runs: auto, cpu or gpu; auto takes the graphics card if it
    /// agrees with the processor and is not slower
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device)]
    device: DevicePreference,
}

fn device(name: &str) -> Result<DevicePreference, String> {
    DevicePreference::of_name(name).ok_or_else(|| "expected auto, cpu or gpu".to_owned())
}

impl ModelArguments {
    /// Loads the model and puts it on the device.
    ///
    /// What is measured of a card is kept in the cache's folder, which is there already.
    pub fn load(&self, cache: &CacheArguments) -> Result<Engine, CommandError> {
        let file = |name: &str| read(&self.model.join(name));
        let origin = Instant::now();
        let clock = Arc::new(move || origin.elapsed().as_secs_f64() * 1000.0);
        let options = with_tunings(LoadOptions::new(self.device, clock), cache);
        Ok(block_on(Engine::load(
            &file("config.json")?,
            &file("tokenizer.json")?,
            read_weights(&self.model)?,
            options,
        ))?)
    }
}

#[cfg(feature = "gpu")]
fn with_tunings(mut options: LoadOptions, cache: &CacheArguments) -> LoadOptions {
    let file = cache.folder().map(TuningFile::within);
    options.card.tunings = file.map(|file| Arc::new(file) as Arc<dyn Tunings>);
    options
}

#[cfg(not(feature = "gpu"))]
fn with_tunings(options: LoadOptions, _: &CacheArguments) -> LoadOptions {
    options
}

/// Where a model runs and why, as a line for people.
pub fn describe_device(engine: &Engine) -> String {
    let report = engine.device();
    let adapter = report
        .adapter
        .map_or(String::new(), |name| format!(" ({name})"));
    format!("on {}{adapter}: {}", report.device, report.why)
}

/// Where the vocabulary comes from.
#[derive(Args)]
pub struct VocabularyArguments {
    /// A tokenizer.json; the ids of end of text and mask come from the
    /// config.json beside it
    #[arg(long, value_name = "FILE")]
    pub tokenizer: Option<PathBuf>,
    /// An id that ends the text, in place of those in config.json (repeatable)
    #[arg(long, value_name = "ID", requires = "tokenizer")]
    pub end: Vec<TokenId>,
    /// The mask's id, in place of the one in config.json
    #[arg(long, value_name = "ID", requires = "tokenizer")]
    pub mask: Option<TokenId>,
}

impl VocabularyArguments {
    /// The vocabulary, if a tokenizer was named.
    pub fn load(&self) -> Result<Option<Arc<Vocabulary>>, CommandError> {
        let Some(path) = &self.tokenizer else {
            return Ok(None);
        };
        let tokenizer = read(path)?;
        let config_path = path.with_file_name("config.json");
        let known = self.mask.is_some() && !self.end.is_empty();
        let config = match std::fs::read(&config_path) {
            Ok(config) => Some(config),
            Err(error) if error.kind() == ErrorKind::NotFound && known => None,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let message = "not there, but looked for beside the tokenizer, for the ids of \
                               end of text and mask; name them with --end and --mask";
                return Err(CommandError::content(&config_path, message));
            }
            Err(error) => return Err(CommandError::file(&config_path, error)),
        };
        let ids = Ids::read(config.as_deref(), &config_path)?;
        let mask = self.mask.or(ids.mask).ok_or_else(|| {
            CommandError::content(&config_path, "no mask_token_id; name one with --mask")
        })?;
        let ends = if self.end.is_empty() {
            ids.ends
        } else {
            self.end.clone()
        };
        let (mut tokens, special) = Tokenizer::read_tokens(&tokenizer)
            .map_err(|error| CommandError::content(path, error))?;
        let padding = ids.padding.and_then(|id| tokens.get_mut(id as usize));
        if let Some(padding) = padding {
            *padding = None;
        }
        let vocabulary = Vocabulary::new(tokens, ends, mask).map_err(Fault::from)?;
        let special = special.into_iter().map(|(text, id)| (id, text));
        Ok(Some(Arc::new(vocabulary.with_special(special))))
    }
}

/// The ids that a configuration states; any model's `config.json` will do.
#[derive(Default)]
struct Ids {
    ends: Vec<TokenId>,
    mask: Option<TokenId>,
    padding: Option<TokenId>,
}

impl Ids {
    fn read(config: Option<&[u8]>, path: &Path) -> Result<Self, CommandError> {
        let Some(config) = config else {
            return Ok(Self::default());
        };
        let config: Value =
            serde_json::from_slice(config).map_err(|error| CommandError::content(path, error))?;
        let ids = |field: &str| -> Result<Vec<TokenId>, CommandError> {
            let listed = match &config[field] {
                Value::Array(ids) => &ids[..],
                Value::Null => &[],
                id => std::slice::from_ref(id),
            };
            let id = |value: &Value| {
                let id = value.as_u64().and_then(|id| TokenId::try_from(id).ok());
                let message = || format!("{field}: {value} is no token's id");
                id.ok_or_else(|| CommandError::content(path, message()))
            };
            listed.iter().map(id).collect()
        };
        Ok(Self {
            ends: ids("eos_token_id")?,
            mask: ids("mask_token_id")?.first().copied(),
            padding: ids("pad_token_id")?.first().copied(),
        })
    }
}

/// Milliseconds since the program first asked, for what takes a bare function.
pub fn now_ms() -> f64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed().as_secs_f64() * 1000.0
}

/// Milliseconds since now, for a run's timings.
pub fn clock() -> Box<dyn Fn() -> f64> {
    let origin = Instant::now();
    Box::new(move || origin.elapsed().as_secs_f64() * 1000.0)
}
