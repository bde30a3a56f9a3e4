//! What `lacuna generate` and `lacuna infill` share: a model writes, the text goes to
//! standard output, a summary to standard error.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use lacuna_decoder::{Event, Outcome, counted};
use lacuna_engine::{Dialect, Fault, GenerateRequest, GrammarWarning, Judge, Shape, block_on};

use crate::cache::{CacheArguments, describe_origin};
use crate::decoding::DecodingArguments;
use crate::error::{CommandError, warn};
use crate::events::to_json;
use crate::files::{ModelArguments, SlotArguments, clock, describe_device, read_grammar_text};
use crate::output::{print, tell};

/// A model, a request and how to decode.
#[derive(clap::Args)]
pub struct WritingArguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    pub slots: SlotArguments,
    #[command(flatten)]
    cache: CacheArguments,
    /// The request
    #[arg(long, value_name = "TEXT")]
    prompt: String,
    /// The prompt's task line, in place of the schema's names
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    #[command(flatten)]
    decoding: DecodingArguments,
    /// Leave the grammar aside, for comparison
    #[arg(long)]
    unconstrained: bool,
    /// Write every event of the run to this file, a JSON object a line
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
}

/// Writes a text on a canvas of this shape; masks are `length`. The files are those of the
/// regions' grammars, or the one for all cells.
pub fn write(
    arguments: &WritingArguments,
    files: &[Option<&Path>],
    length: usize,
    shape: &Shape,
) -> Result<ExitCode, CommandError> {
    let Some(&grammar) = files.iter().flatten().next() else {
        let message = "no region has a grammar";
        return Err(Fault::new("invalid-input", message).into());
    };
    let options = arguments.decoding.options(length);
    options.validate().map_err(Fault::from)?;
    let request = GenerateRequest {
        request: arguments.prompt.clone(),
        task: arguments.task.clone(),
        grammar: (
            Dialect::of_file(&grammar.display().to_string())?,
            read_grammar_text(grammar)?,
        ),
        texts: arguments.slots.texts()?,
        lists: arguments.slots.lists()?,
        max_depth: arguments.slots.max_depth,
        matching: arguments.slots.matching.clone(),
        schema: arguments.slots.schema.choices()?,
        options,
        judge: match arguments.unconstrained {
            true => Judge::Nobody,
            false => Judge::Checker,
        },
    };
    let mut events = match &arguments.events {
        Some(path) => Some(EventFile::create(path)?),
        None => None,
    };
    // What can be wrong without the model is said before that is loaded.
    let cache = arguments.cache.open()?;
    let engine = arguments.model.load(&arguments.cache)?.with_cache(cache);
    let run = block_on(engine.start_shaped(&request, shape, clock()));
    let run = run.map_err(|fault| match fault.diagnostics.is_empty() {
        true => CommandError::Fault(fault),
        false => {
            let (file, text) = fault
                .region
                .and_then(|region| of_region(files, shape, region))
                .unwrap_or((grammar, &request.grammar.1));
            CommandError::grammar(file, text, fault)
        }
    })?;
    for GrammarWarning { region, finding } in run.grammar_warnings() {
        let (file, text) = region
            .and_then(|region| of_region(files, shape, region))
            .unwrap_or((grammar, &request.grammar.1));
        warn(file, text, [finding]);
    }
    if let Some(events) = &mut events {
        events.begin()?;
    }
    let vocabulary = Arc::clone(run.vocabulary());
    let origin = run.grammar_origin();
    let mut failure = None;
    let summary = block_on(run.finish(|event| {
        if let Event::Move { to, .. } = event {
            tell(&to.message);
        }
        if let Some(events) = &mut events {
            let line = to_json(event, &vocabulary);
            if let Err(error) = writeln!(events.writer, "{line}") {
                failure.get_or_insert(error);
            }
        }
    }))?;
    print(&[&summary.text, &b"\n"[..]].concat())?;
    if let Some(mut events) = events {
        let result = failure.map_or_else(|| events.writer.flush(), Err);
        result.map_err(|error| CommandError::file(&events.path, error))?;
    }
    let timings = summary.timings;
    tell(format_args!(
        "{} in {}: model {:.0} ms, checker {:.1} ms ({}, {} by agreement with the witness), {}",
        match (arguments.unconstrained, summary.outcome) {
            (true, _) => "unconstrained",
            _ if is_untriggered(shape, &summary.text) =>
                "without a grammar, for want of its trigger,",
            (false, Outcome::Complete) => "within the grammar",
            (false, Outcome::Recovered) => "within the grammar, the rest recovered",
            (false, Outcome::Unfinished) => "unfinished",
        },
        counted(summary.steps, "step"),
        timings.model_ms,
        timings.checker_ms,
        counted(timings.checks, "check"),
        timings.agreed,
        counted(timings.refusals, "refusal"),
    ));
    if let Some(origin) = origin {
        tell(describe_origin(origin));
    }
    tell(describe_device(&engine));
    Ok(ExitCode::SUCCESS)
}

/// The file and the text of a region's grammar.
fn of_region<'a>(
    files: &[Option<&'a Path>],
    shape: &'a Shape,
    region: usize,
) -> Option<(&'a Path, &'a str)> {
    let Shape::Regions(regions) = shape else {
        return None;
    };
    let source = regions.get(region)?.grammar.as_ref()?;
    Some(((*files.get(region)?)?, &source.text))
}

/// Whether a text has nothing that its grammar would have begun behind.
fn is_untriggered(shape: &Shape, text: &[u8]) -> bool {
    match shape {
        Shape::Trigger(trigger) => {
            let mut windows = text.windows(trigger.len().max(1));
            !windows.any(|window| window == trigger.as_bytes())
        }
        _ => false,
    }
}

struct EventFile {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl EventFile {
    /// Opens a file before the run begins; what it held stays until then.
    fn create(path: &Path) -> Result<Self, CommandError> {
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(false);
        let file = options.open(path);
        let file = file.map_err(|error| CommandError::file(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            writer: BufWriter::new(file),
        })
    }

    /// Empties it; what is no plain file, such as a pipe, needs no emptying.
    fn begin(&mut self) -> Result<(), CommandError> {
        let file = self.writer.get_ref();
        let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
        match is_file {
            true => (file.set_len(0)).map_err(|error| CommandError::file(&self.path, error)),
            false => Ok(()),
        }
    }
}
