//! `lacuna eval`: examples through a model by several methods, judged from outside.
//!
//! The model is the one that is named, live or recorded ([`dense`]), or, where no model
//! writes the language, one made of reference texts and noise ([`synthetic`]). Every
//! method runs in the same loop with the same options, one after another on each example,
//! so that times are paired.

mod agreement;
mod clock;
mod dense;
mod examples;
mod front;
mod judge;
mod paired;
mod recovered;
mod runs;
mod spread;
mod synthetic;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use lacuna_decoder::{KeyCache, Options, OrderKind, Outcome, ScheduleKind, counted};
use lacuna_engine::{
    Dialect, Engine, Fault, GenerateRequest, Judge, Method, Purpose, SchemaChoices, grammar_source,
};
use lacuna_grammar::recognize::recognize;
use lacuna_lexer::TokenId;
use serde_json::Value;

use crate::cache::{CacheArguments, describe_cache};
use crate::decoding::{at_least_one, key_cache, order, schedule};
use crate::error::{CommandError, warn};
use crate::files::{ModelArguments, describe_device, read_grammar_text};
use crate::output::{FindingsFile, print, tell};
use crate::schema::SchemaArguments;
use agreement::agreement;
use clock::{computed_ms, wall_ms};
use dense::Replay;
use examples::{Example, Examples, Progress};
use front::Front;
use judge::Validator;
use runs::{Kept, OneRun, Source};
use synthetic::Synthetic;
use table::{Output, Series, markdown};

/// Run examples by several methods at several numbers of steps, and print a table of
/// validity, accuracy and times. Without --references the examples are requests to the
/// model. Schemas that no grammar says in full are not taken.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    cache: CacheArguments,
    #[command(flatten)]
    schema: SchemaArguments,
    /// The grammar of every answer; its kind is its ending
    #[arg(long, value_name = "FILE")]
    grammar: PathBuf,
    /// Requests, a JSON object a line: {"id", "request", "expected"}
    #[arg(long, value_name = "FILE", required_unless_present = "references")]
    requests: Option<PathBuf>,
    /// Reference texts, a JSON object a line: {"text"}; the model is made of them and
    /// noise, in the tokens of --model
    #[arg(long, value_name = "FILE", conflicts_with_all = ["requests", "recorded"])]
    references: Option<PathBuf>,
    /// How much a synthetic model knows of a bare canvas
    #[arg(long, value_name = "X", default_value_t = 2.5, value_parser = finite, requires = "references")]
    signal: f32,
    /// Record the model along an unconstrained run, and give every method what was
    /// recorded, which is greedy at any temperature; times of the model are those of recording
    #[arg(long)]
    recorded: bool,
    /// Methods: unconstrained (its whole schedule), unconstrained-stop (until its text has
    /// ended), mundler, epic, its parts memo, dfa-free and parallel joined by +, lacuna,
    /// lacuna-masks, lacuna-best, lacuna-relaxed, lacuna-whole, lacuna-sequential,
    /// lacuna-rejecting, lacuna-short-sighted (without foresight); and, recovering after
    /// --refusals, lacuna-first, lacuna-witness, lacuna-recover-best, lacuna-guided
    #[arg(long, value_delimiter = ',', default_value = "lacuna,unconstrained")]
    methods: Vec<String>,
    /// Numbers of denoising steps
    #[arg(long, value_delimiter = ',', default_value = "8,16,32")]
    steps: Vec<usize>,
    /// Seeds; without a temperature they repeat the measurement, and a synthetic model
    /// has noise of its own for each
    #[arg(long, value_delimiter = ',', default_value = "0")]
    seeds: Vec<u64>,
    /// Cells of the canvas; references that need more, an end behind them included, are left out
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = at_least_one)]
    length: usize,
    /// Cells of a region without grammar before the text, which alone is judged
    #[arg(long, value_name = "N", conflicts_with_all = ["references", "recorded"])]
    free: Option<usize>,
    /// What stands between the region without grammar and the text
    #[arg(long, value_name = "TEXT", default_value = ":", requires = "free")]
    between: String,
    /// How many cells each step commits: fixed, linear, cosine, threshold:P or factor:F
    #[arg(long, value_name = "NAME", default_value = "fixed", value_parser = schedule)]
    schedule: ScheduleKind,
    /// Fill the canvas in blocks of so many cells, one after another
    #[arg(long, value_name = "N")]
    block: Option<usize>,
    /// Which cells come first: confidence, margin, entropy, random or left-to-right; as each
    /// method has it unless said
    #[arg(long, value_name = "NAME", value_parser = order)]
    cell_order: Option<OrderKind>,
    /// Keys and values that the model keeps while a block is filled: none, prefix, dual;
    /// of several each method is run with each
    #[arg(long, value_delimiter = ',', default_value = "none", value_parser = key_cache,
          conflicts_with_all = ["references", "recorded"])]
    key_cache: Vec<KeyCache>,
    /// Refusals after which the published methods give up, and those that are named for how
    /// they recover
    #[arg(long, value_name = "N", default_value_t = 100)]
    refusals: usize,
    /// Let every method fill the canvas to its last cell
    #[arg(long)]
    fill: bool,
    /// Take only the first N examples
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// 0 takes the most probable tokens, 1 samples
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    temperature: f32,
    /// The prompt's task line, in place of the schema's names
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// Write every run, with its text, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A number that is one.
fn finite(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| "expected a number".to_owned())?;
    match number.is_finite() {
        true => Ok(number),
        false => Err("expected a finite number".to_owned()),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let methods: Vec<Method> = arguments
        .methods
        .iter()
        .map(|name| Method::of_name(name, arguments.refusals))
        .collect::<Result<_, _>>()?;
    let methods = arguments.with_key_caches(&methods);
    arguments.validate(&methods)?;
    let (kind, file) = match &arguments.references {
        Some(file) => (Examples::References, Some(file)),
        None => (Examples::Requests, arguments.requests.as_ref()),
    };
    let examples = kind.read(file.map_or(Path::new(""), PathBuf::as_path))?;
    if arguments.limit == Some(0) {
        return Err(Fault::new("invalid-input", "--limit 0: no examples").into());
    }
    let text = read_grammar_text(&arguments.grammar)?;
    let dialect = Dialect::of_file(&arguments.grammar.display().to_string())?;
    let choices = arguments.schema.choices()?;
    let validator = match dialect {
        Dialect::JsonSchema => Some(Validator::new(
            &arguments.grammar,
            &text,
            &choices.documents,
        )?),
        _ => None,
    };
    let json = FindingsFile::open(arguments.json.as_deref())?;
    // What can be wrong without the model is said before that is loaded.
    let cache = arguments.cache.open()?;
    let engine = arguments.model.load(&arguments.cache)?.with_cache(cache);
    let front = Front::of(arguments, &engine)?;
    let cells = arguments
        .length
        .saturating_add(front.as_ref().map_or(0, Front::cells));
    let most = engine.config().max_position_embeddings;
    if cells > most {
        let message = format!("a canvas of {cells} cells; the model holds {most} positions");
        return Err(Fault::new("too-long", message).into());
    }
    let evaluation = Evaluation {
        validator,
        arguments,
        choices,
        kept: Kept::default(),
        front,
        engine: &engine,
        grammar: (dialect, text),
    };
    let (all, fault) = evaluation.all(&methods, examples)?;
    let done = all.first().map_or(0, |series| series.outputs.len());
    let fault = match fault {
        Some(fault) if done == 0 => return Err(fault),
        fault => fault,
    };
    let mut tables = markdown(&all, "unconstrained");
    for more in [
        paired::markdown(&all, "lacuna"),
        recovered::markdown(&all, "lacuna"),
    ] {
        if !more.is_empty() {
            tables.push('\n');
            tables.push_str(&more);
        }
    }
    print(tables.as_bytes())?;
    // The table is there even where this cannot be written.
    if let Some(json) = json {
        json.write(serde_json::to_vec(&all))?;
    }
    if let Some(fault) = fault {
        let done = counted(done, "example");
        tell(format_args!("The table is of the {done} before a fault."));
        return Err(fault);
    }
    tell(describe_cache(&engine.cache().statistics()));
    tell(describe_device(&engine));
    // What is promised of the checker.
    let whole = all.iter().all(|series| {
        let ours = series.method.starts_with("lacuna");
        let mut outputs = series.outputs.iter();
        !ours || outputs.all(|output| output.member && output.valid != Some(false))
    });
    Ok(match whole {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

impl Arguments {
    /// Whether every method can decode with the options that are asked for.
    fn validate(&self, methods: &[Method]) -> Result<(), CommandError> {
        let names = methods.iter().map(|method| method.name.clone()).collect();
        let numbers = |list: &[u64]| list.iter().map(u64::to_string).collect();
        let steps: Vec<u64> = self.steps.iter().map(|&steps| steps as u64).collect();
        let caches = self.key_cache.iter().filter_map(|kept| {
            let named = KeyCache::NAMES.iter().find(|(_, kind)| kind == kept);
            named.map(|(name, _)| (*name).to_owned())
        });
        let lists: [(&str, Vec<String>); 4] = [
            ("key-cache", caches.collect()),
            ("methods", names),
            ("steps", numbers(&steps)),
            ("seeds", numbers(&self.seeds)),
        ];
        for (option, list) in lists {
            let repeated = (1..list.len()).find(|&at| list[..at].contains(&list[at]));
            if let Some(at) = repeated {
                let message = format!("--{option} has {} twice", list[at]);
                return Err(Fault::new("invalid-input", message).into());
            }
        }
        for method in methods {
            if self.free.is_some() && matches!(method.judge, Judge::Published(_)) {
                let message = format!(
                    "--free: {} judges a whole canvas, not a region of it",
                    method.name
                );
                return Err(Fault::new("invalid-input", message).into());
            }
            for &steps in &self.steps {
                let options = Options {
                    steps,
                    ..method.options.clone()
                };
                options.validate().map_err(Fault::from)?;
            }
        }
        Ok(())
    }

    /// Options with the schedule, the blocks and the order of cells that are asked for.
    fn with_blocks(&self, options: &Options) -> Options {
        Options {
            schedule: self.schedule,
            block: self.block,
            order: self.cell_order.unwrap_or(options.order),
            ..options.clone()
        }
    }

    /// The methods in the blocks, the order and at the temperature that are asked for, each with
    /// each cache of keys.
    fn with_key_caches(&self, methods: &[Method]) -> Vec<Method> {
        let of = |method: &Method, key_cache: KeyCache| {
            let name = KeyCache::NAMES.iter().find(|(_, kind)| *kind == key_cache);
            let name = match (key_cache, name) {
                (KeyCache::None, _) | (_, None) => method.name.clone(),
                (_, Some((name, _))) => format!("{}, {name} cache", method.name),
            };
            Method {
                name,
                judge: method.judge,
                options: Options {
                    key_cache,
                    temperature: self.temperature,
                    ..self.with_blocks(&method.options)
                },
            }
        };
        let caches = |method| self.key_cache.iter().map(move |&cache| of(method, cache));
        methods.iter().flat_map(caches).collect()
    }
}

struct Evaluation<'a> {
    arguments: &'a Arguments,
    engine: &'a Engine,
    grammar: (Dialect, String),
    /// How its schema is taken.
    choices: SchemaChoices,
    validator: Option<Validator>,
    /// What methods have found out.
    kept: Kept,
    /// What stands before the text.
    front: Option<Front>,
}

impl Evaluation<'_> {
    /// Every method on every example. Where one cannot be run, what is known of those before it is
    /// there beside the fault.
    fn all(
        &self,
        methods: &[Method],
        mut examples: Vec<Example>,
    ) -> Result<(Vec<Series>, Option<CommandError>), CommandError> {
        let arguments = self.arguments;
        let mut synthetic = None;
        if arguments.references.is_some() {
            let tokens = self.references(&mut examples)?;
            synthetic = Some((self.prior(&tokens), tokens));
        }
        examples.truncate(arguments.limit.unwrap_or(usize::MAX));
        if synthetic.is_some() {
            self.are_members(&examples)?;
        }
        let mut all = Vec::new();
        for &steps in &arguments.steps {
            for &seed in &arguments.seeds {
                for method in methods {
                    all.push(Series {
                        method: method.name.clone(),
                        steps,
                        seed,
                        outputs: Vec::new(),
                    });
                }
            }
        }
        let mut progress = Progress::new(examples.len() * arguments.steps.len());
        for (at, example) in examples.iter().enumerate() {
            let own = synthetic
                .as_ref()
                .map(|(prior, tokens)| (Arc::clone(prior), tokens[at].clone()));
            let ran = self.example((at, example), own, methods, &mut all, &mut progress);
            if let Err(fault) = ran {
                progress.end();
                for series in &mut all {
                    series.outputs.truncate(at);
                }
                return Ok((all, Some(fault)));
            }
        }
        progress.end();
        Ok((all, None))
    }

    /// Makes sure that the references belong to the grammar, which is the same for all of them.
    fn are_members(&self, examples: &[Example]) -> Result<(), CommandError> {
        let Some(first) = examples.first() else {
            return Ok(());
        };
        let grammar = grammar_source(&self.request(first))?.compile(Purpose::Writing)?;
        for example in examples {
            if let Value::String(text) = &example.expected
                && !recognize(&grammar, text.as_bytes())
            {
                let message = "the reference does not belong to the grammar";
                let fault = Fault::new("invalid-input", message);
                return Err(example.at_fault(fault));
            }
        }
        Ok(())
    }

    /// Every method on one example, at every number of steps.
    fn example(
        &self,
        (at, example): (usize, &Example),
        synthetic: Option<(Arc<Vec<f32>>, Vec<TokenId>)>,
        methods: &[Method],
        all: &mut [Series],
        progress: &mut Progress,
    ) -> Result<(), CommandError> {
        let arguments = self.arguments;
        let here = |fault: Fault| example.at_fault(fault);
        let mut request = self.request(example);
        let source = grammar_source(&request)?;
        let grammar = match at {
            0 => {
                let linted = source.lint(Purpose::Writing).map_err(here)?;
                warn(&arguments.grammar, &source.text, &source.findings(&linted));
                linted.grammar
            }
            _ => source.compile(Purpose::Writing).map_err(here)?,
        };
        let place = |error: CommandError| match error {
            CommandError::Fault(fault) => here(fault),
            error => error,
        };
        for &steps in &arguments.steps {
            progress.step();
            request.options.steps = steps;
            let source = match &synthetic {
                Some((prior, tokens)) => Source::Synthetic(tokens.clone(), Arc::clone(prior)),
                None if arguments.recorded => {
                    Source::Recorded(self.record(&request).map_err(place)?)
                }
                None => Source::Live,
            };
            let mut now: Vec<&mut Series> = all
                .iter_mut()
                .filter(|series| series.steps == steps)
                .collect();
            // Who comes first may find the machine otherwise than who comes next.
            let first = at % now.len().max(1);
            now.rotate_left(first);
            for series in now {
                let Some(method) = methods.iter().find(|m| m.name == series.method) else {
                    continue;
                };
                let run = OneRun {
                    request: &request,
                    grammar: &grammar,
                    method,
                    seed: series.seed,
                };
                let output = self.one(example, &run, &source);
                series.outputs.push(output.map_err(place)?);
            }
        }
        Ok(())
    }

    /// The tokens of references that fit the canvas, ends behind them; the other examples
    /// are dropped.
    fn references(&self, examples: &mut Vec<Example>) -> Result<Vec<Vec<TokenId>>, CommandError> {
        let length = self.arguments.length;
        let end = self.engine.vocabulary().end();
        let mut tokens = Vec::new();
        let (mut kept, mut left_out) = (Vec::new(), 0);
        for (at, mut example) in examples.drain(..).enumerate() {
            let text = example.expected.as_str().unwrap_or_default();
            let mut own = self.engine.encode(text)?;
            if own.len() < length && !own.is_empty() {
                own.resize(length, end);
                tokens.push(own);
                example.id = match example.id {
                    Value::Null => at.into(),
                    id => id,
                };
                kept.push(example);
            } else {
                left_out += 1;
            }
        }
        *examples = kept;
        if left_out > 0 {
            let left_out = counted(left_out, "reference");
            tell(format_args!("{left_out} left out, for {length} cells"));
        }
        match examples.is_empty() {
            true => Err(Fault::new("invalid-input", "no reference fits the canvas").into()),
            false => Ok(tokens),
        }
    }

    /// How often each token occurs in the references; those that do not, half as often as
    /// if they occurred once.
    fn prior(&self, references: &[Vec<TokenId>]) -> Arc<Vec<f32>> {
        let vocabulary = self.engine.vocabulary();
        let mut counts = vec![0.5f32; vocabulary.len()];
        for &token in references.iter().flatten() {
            counts[token as usize] += 1.0;
        }
        let sum: f32 = counts.iter().sum();
        Arc::new(counts.iter().map(|count| (count / sum).ln()).collect())
    }

    fn request(&self, example: &Example) -> GenerateRequest {
        GenerateRequest {
            request: example.request.clone(),
            task: self.arguments.task.clone(),
            grammar: self.grammar.clone(),
            texts: Vec::new(),
            lists: Vec::new(),
            max_depth: None,
            matching: None,
            schema: self.choices.clone(),
            options: Options {
                length: self.arguments.length + self.front.as_ref().map_or(0, Front::cells),
                ..Options::default()
            },
            judge: Judge::Checker,
        }
    }

    fn one(
        &self,
        example: &Example,
        run: &OneRun<'_>,
        source: &Source,
    ) -> Result<Output, CommandError> {
        let size = self.engine.vocabulary().len();
        let ended = match source {
            Source::Live => self.decode(self.engine.prompted(run.request)?, run, wall_ms)?,
            Source::Recorded(recording) => {
                let mut ended =
                    self.decode(Replay::new(Arc::clone(recording), size), run, computed_ms)?;
                // As if the model had been asked.
                let model_ms = recording.model_ms(ended.steps);
                ended.ms += model_ms - ended.timings.model_ms;
                ended.timings.model_ms = model_ms;
                ended
            }
            Source::Synthetic(reference, prior) => {
                let (signal, prior) = (self.arguments.signal, Arc::clone(prior));
                let model = Synthetic::new(reference.clone(), prior, signal, run.seed);
                self.decode(model, run, computed_ms)?
            }
        };
        let bytes = ended.bytes;
        let value: Option<Value> = serde_json::from_slice(&bytes).ok();
        let member = recognize(run.grammar, &bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let is_text = matches!(&example.expected, Value::String(expected) if *expected == text);
        // A value's form does not count.
        let plain = |value: &Value| match value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let compact = value.as_ref().map(|value| match &example.expected {
            Value::String(_) => text.clone(),
            _ => value.to_string(),
        });
        let expected = self.engine.encode(&plain(&example.expected));
        let written = self.engine.encode(compact.as_ref().unwrap_or(&text));
        Ok(Output {
            id: example.id.clone(),
            valid: self.validator.as_ref().map(|validator| {
                let mut value = value.iter();
                value.any(|value| validator.accepts(value))
            }),
            member,
            recovered: ended.timings.recovered > 0 || ended.outcome != Outcome::Complete,
            exact: is_text || value.as_ref() == Some(&example.expected),
            // What the vocabulary cannot spell has nothing in common.
            agreement: match (written, expected) {
                (Ok(written), Ok(expected)) => agreement(&written, &expected),
                _ => 0.0,
            },
            expected: example.expected.clone(),
            text,
            outcome: ended.outcome,
            steps: ended.steps,
            opening_ms: ended.opening_ms,
            ms: ended.ms,
            timings: ended.timings,
            memo: ended.memo,
        })
    }
}
