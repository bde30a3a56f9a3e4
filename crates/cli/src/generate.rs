//! `lacuna generate`: a text from a model, within a grammar.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use lacuna_decoder::Event;
use lacuna_engine::{Dialect, GenerateRequest, block_on};

use crate::cache::{CacheArguments, describe_origin};
use crate::decoding::DecodingArguments;
use crate::error::CommandError;
use crate::events::to_json;
use crate::files::{ModelArguments, SlotArguments, clock, describe_device, read_grammar_text};

/// Write a text with a model: the text on standard output, a summary on
/// standard error.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// The grammar; its kind is its ending
    #[arg(long, value_name = "FILE")]
    grammar: PathBuf,
    #[command(flatten)]
    slots: SlotArguments,
    #[command(flatten)]
    cache: CacheArguments,
    /// The request
    #[arg(long, value_name = "TEXT")]
    prompt: String,
    /// The prompt's task line, in place of the schema's names
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// Cells of the canvas
    #[arg(long, value_name = "N", default_value_t = 64)]
    length: usize,
    #[command(flatten)]
    decoding: DecodingArguments,
    /// Leave the grammar aside, for comparison
    #[arg(long)]
    unconstrained: bool,
    /// Write every event of the run to this file, a JSON object a line
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let cache = arguments.cache.open()?;
    let engine = arguments.model.load()?.with_cache(cache);
    let name = arguments.grammar.display().to_string();
    let request = GenerateRequest {
        request: arguments.prompt.clone(),
        task: arguments.task.clone(),
        grammar: (
            Dialect::of_file(&name)?,
            read_grammar_text(&arguments.grammar)?,
        ),
        texts: arguments.slots.texts(),
        lists: arguments.slots.lists()?,
        max_depth: arguments.slots.max_depth,
        matching: arguments.slots.matching.clone(),
        options: arguments.decoding.options(arguments.length),
        unconstrained: arguments.unconstrained,
    };
    let mut events = match &arguments.events {
        Some(path) => Some(EventFile::create(path)?),
        None => None,
    };
    let run =
        engine
            .start(&request, clock())
            .map_err(|fault| match fault.diagnostics.is_empty() {
                true => CommandError::Fault(fault),
                false => CommandError::grammar(&arguments.grammar, &request.grammar.1, fault),
            })?;
    let vocabulary = Arc::clone(run.vocabulary());
    let origin = run.grammar_origin();
    let mut failure = None;
    let summary = block_on(run.finish(|event| {
        if let Event::Move { to, .. } = event {
            eprintln!("{}", to.message);
        }
        if let Some(events) = &mut events {
            let line = to_json(event, &vocabulary);
            if let Err(error) = writeln!(events.writer, "{line}") {
                failure.get_or_insert(error);
            }
        }
    }))?;
    if let Some(mut events) = events {
        let result = failure.map_or_else(|| events.writer.flush(), Err);
        result.map_err(|error| CommandError::file(&events.path, error))?;
    }
    let mut output = std::io::stdout().lock();
    output
        .write_all(&summary.text)
        .and_then(|()| output.write_all(b"\n"))
        .map_err(|error| CommandError::file(Path::new("standard output"), error))?;
    let timings = summary.timings;
    eprintln!(
        "{} in {} steps: model {:.0} ms, checker {:.1} ms ({} checks, {} by agreement with the \
         witness), {} refusals",
        if arguments.unconstrained {
            "unconstrained"
        } else {
            "within the grammar"
        },
        summary.steps,
        timings.model_ms,
        timings.checker_ms,
        timings.checks,
        timings.agreed,
        timings.refusals,
    );
    if let Some(origin) = origin {
        eprintln!("{}", describe_origin(origin));
    }
    eprintln!("{}", describe_device(&engine));
    Ok(ExitCode::SUCCESS)
}

struct EventFile {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl EventFile {
    fn create(path: &Path) -> Result<Self, CommandError> {
        let file = File::create(path).map_err(|error| CommandError::file(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            writer: BufWriter::new(file),
        })
    }
}
