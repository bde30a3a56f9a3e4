//! `lacuna eval`: held-out requests through the model, constrained and not,
//! judged from outside.
//!
//! Validity is the verdict of another project's JSON Schema validator (`boon`)
//! on the output; membership that of the plain recogniser, which shares no code
//! with the checker; exact means equal, as JSON, to the expected answer.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use boon::{Compiler, SchemaIndex, Schemas};
use lacuna_decoder::{Options, Timings};
use lacuna_engine::{Dialect, Engine, Fault, GenerateRequest, GrammarSource, Purpose, block_on};
use lacuna_grammar::recognize::recognize;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cache::{CacheArguments, describe_cache};
use crate::error::CommandError;
use crate::files::{ModelArguments, clock, describe_device, read_text};

/// Run held-out requests at several numbers of steps, within the schema and
/// without, and print the table of the README.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    cache: CacheArguments,
    /// A .schema.json that every answer must satisfy
    #[arg(long, value_name = "FILE")]
    grammar: PathBuf,
    /// Requests, a JSON object a line: {"id", "request", "expected"}
    #[arg(long, value_name = "FILE")]
    requests: PathBuf,
    /// Numbers of denoising steps
    #[arg(long, value_delimiter = ',', default_value = "8,16,32")]
    steps: Vec<usize>,
    /// Cells of the canvas
    #[arg(long, value_name = "N", default_value_t = 64)]
    length: usize,
    /// Take only the first N requests
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Write the rows, and every output, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Example {
    id: Value,
    request: String,
    expected: Value,
}

#[derive(Serialize)]
struct Row {
    method: &'static str,
    steps: usize,
    requests: usize,
    valid: usize,
    members: usize,
    exact: usize,
    seconds: f64,
    model_seconds: f64,
    checker_seconds: f64,
    refusals: usize,
    outputs: Vec<Output>,
}

#[derive(Serialize)]
struct Output {
    id: Value,
    text: String,
    valid: bool,
    member: bool,
    exact: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let cache = arguments.cache.open()?;
    let engine = arguments.model.load()?.with_cache(cache);
    let schema = read_text(&arguments.grammar)?;
    let validator = Validator::new(&arguments.grammar, &schema)?;
    let examples = read_examples(&arguments.requests, arguments.limit)?;
    let mut rows = Vec::new();
    for &steps in &arguments.steps {
        for unconstrained in [false, true] {
            let evaluation = Evaluation {
                engine: &engine,
                schema: &schema,
                validator: &validator,
                options: Options {
                    steps,
                    length: arguments.length,
                    ..Options::default()
                },
                unconstrained,
            };
            rows.push(evaluation.row(&examples)?);
        }
    }
    print_table(&rows);
    eprintln!("{}", describe_cache(&engine.cache().statistics()));
    eprintln!("{}", describe_device(&engine));
    if let Some(path) = &arguments.json {
        let json =
            serde_json::to_vec_pretty(&rows).map_err(|error| CommandError::content(path, error))?;
        std::fs::write(path, json).map_err(|error| CommandError::file(path, error))?;
    }
    let whole = rows
        .iter()
        .all(|row| row.method == "unconstrained" || row.valid == row.requests);
    Ok(if whole {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

struct Evaluation<'a> {
    engine: &'a Engine,
    schema: &'a str,
    validator: &'a Validator,
    options: Options,
    unconstrained: bool,
}

impl Evaluation<'_> {
    fn row(&self, examples: &[Example]) -> Result<Row, CommandError> {
        let method = if self.unconstrained {
            "unconstrained"
        } else {
            "lacuna"
        };
        let mut outputs = Vec::new();
        let mut total = Timings::default();
        let progress = Progress {
            label: format!("{method}, {} steps", self.options.steps),
            total: examples.len(),
        };
        let started = Instant::now();
        for (done, example) in examples.iter().enumerate() {
            progress.show(done);
            let request = GenerateRequest {
                request: example.request.clone(),
                task: None,
                grammar: (Dialect::JsonSchema, self.schema.to_owned()),
                texts: BTreeMap::new(),
                lists: BTreeMap::new(),
                max_depth: None,
                matching: None,
                options: self.options.clone(),
                unconstrained: self.unconstrained,
            };
            let run = self.engine.start(&request, clock())?;
            let summary = block_on(run.finish(|_| {}))?;
            total.model_ms += summary.timings.model_ms;
            total.checker_ms += summary.timings.checker_ms;
            total.refusals += summary.timings.refusals;
            outputs.push(self.judge(example, &summary.text)?);
        }
        progress.show(examples.len());
        progress.end();
        let count = |judged: fn(&Output) -> bool| outputs.iter().filter(|o| judged(o)).count();
        Ok(Row {
            method,
            steps: self.options.steps,
            requests: examples.len(),
            valid: count(|output| output.valid),
            members: count(|output| output.member),
            exact: count(|output| output.exact),
            seconds: started.elapsed().as_secs_f64(),
            model_seconds: total.model_ms / 1000.0,
            checker_seconds: total.checker_ms / 1000.0,
            refusals: total.refusals,
            outputs,
        })
    }

    fn judge(&self, example: &Example, text: &[u8]) -> Result<Output, CommandError> {
        let source = GrammarSource {
            dialect: Dialect::JsonSchema,
            text: self.schema.to_owned(),
            texts: [("request".to_owned(), example.request.clone())].into(),
            lists: BTreeMap::new(),
            max_depth: None,
            matching: None,
        };
        let grammar = source.compile(Purpose::Writing)?;
        let value: Option<Value> = serde_json::from_slice(text).ok();
        Ok(Output {
            id: example.id.clone(),
            text: String::from_utf8_lossy(text).into_owned(),
            valid: value
                .as_ref()
                .is_some_and(|value| self.validator.accepts(value)),
            member: recognize(&grammar, text),
            exact: value.as_ref() == Some(&example.expected),
        })
    }
}

/// One line on standard error, rewritten in place; silent where nobody looks.
struct Progress {
    label: String,
    total: usize,
}

impl Progress {
    fn show(&self, done: usize) {
        if std::io::stderr().is_terminal() {
            eprint!("\r{}: {done} of {}", self.label, self.total);
        }
    }

    fn end(&self) {
        if std::io::stderr().is_terminal() {
            eprintln!();
        }
    }
}

struct Validator {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Validator {
    fn new(path: &Path, schema: &str) -> Result<Self, CommandError> {
        let invalid = |message: String| CommandError::content(path, message);
        let schema: Value =
            serde_json::from_str(schema).map_err(|error| invalid(error.to_string()))?;
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        const NAME: &str = "schema.json";
        compiler
            .add_resource(NAME, schema)
            .map_err(|error| invalid(error.to_string()))?;
        let index = compiler
            .compile(NAME, &mut schemas)
            .map_err(|error| invalid(error.to_string()))?;
        Ok(Self { schemas, index })
    }

    fn accepts(&self, value: &Value) -> bool {
        self.schemas.validate(value, self.index).is_ok()
    }
}

fn read_examples(path: &Path, limit: Option<usize>) -> Result<Vec<Example>, CommandError> {
    let text = read_text(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let examples: Vec<Example> = lines
        .take(limit.unwrap_or(usize::MAX))
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|error| CommandError::content(path, error))?;
    match examples.is_empty() {
        true => Err(Fault::new("invalid-input", format!("{}: no requests", path.display())).into()),
        false => Ok(examples),
    }
}

fn print_table(rows: &[Row]) {
    println!("| method | steps | valid | member | exact | seconds | model | checker | refusals |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for row in rows {
        println!(
            "| {} | {} | {} of {} | {} | {} | {:.1} | {:.1} | {:.2} | {} |",
            row.method,
            row.steps,
            row.valid,
            row.requests,
            row.members,
            row.exact,
            row.seconds,
            row.model_seconds,
            row.checker_seconds,
            row.refusals,
        );
    }
}
