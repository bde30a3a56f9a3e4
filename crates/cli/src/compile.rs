//! `lacuna compile`: what becomes of a grammar, and how long it takes.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use lacuna_checker::CheckerLimits;
use lacuna_engine::cache::{CompiledGrammar, Origin};
use lacuna_engine::{Fault, Fewest, Finding, Purpose};
use lacuna_grammar::lint::no_text_fits;
use serde_json::{Value, json};

use crate::cache::CacheArguments;
use crate::error::{CommandError, warn};
use crate::files::{SlotArguments, VocabularyArguments, read_source};
use crate::output::print;

/// Compile a grammar and print its sizes and what looks wrong with it as one
/// JSON object; warnings also go to standard error.
///
/// "milliseconds" tells where the time went, "entry" how large the compiled
/// grammar is in a cache, and how many times faster than compiling it is read.
#[derive(clap::Args)]
pub struct Arguments {
    /// The grammar; its kind is its ending
    #[arg(long, value_name = "FILE")]
    grammar: PathBuf,
    #[command(flatten)]
    vocabulary: VocabularyArguments,
    #[command(flatten)]
    slots: SlotArguments,
    #[command(flatten)]
    cache: CacheArguments,
    /// Warn if no text of the grammar fits a canvas of so many cells; needs a
    /// tokenizer
    #[arg(long, value_name = "N", requires = "tokenizer")]
    length: Option<usize>,
    /// Compile a schema as for writing (declared order, compact), not for
    /// judging
    #[arg(long)]
    writing: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let mut clock = Instant::now();
    let mut lap = || {
        let milliseconds = clock.elapsed().as_secs_f64() * 1000.0;
        clock = Instant::now();
        milliseconds
    };
    let vocabulary = arguments.vocabulary.load()?;
    let tokenizer_ms = lap();
    let purpose = if arguments.writing {
        Purpose::Writing
    } else {
        Purpose::Judging
    };
    let path = &arguments.grammar;
    let source = read_source(path, &arguments.slots)?;
    let cache = arguments.cache.open()?;
    lap();
    let found = cache.compile(&source, purpose, vocabulary.as_ref(), true);
    let refused = |fault| {
        let fault = source.placed(fault, purpose, vocabulary.as_deref());
        CommandError::grammar(path, &source.text, fault)
    };
    let found = found.map_err(refused)?;
    let found_ms = lap();
    let grammar = &found.grammar;
    let lints = grammar.lints();
    let mut warnings = lints.warnings.clone();
    let statistics = grammar.statistics().map_err(refused)?;
    lap();
    let mut session = grammar.session(vocabulary.clone());
    let fewest = session.fewest_tokens();
    let shortest_ms = lap();
    let token_classes = session.token_classes().map_err(refused)?;
    let classes_ms = lap();
    if let (Some(cells), Some(fewest)) = (arguments.length, fewest)
        && fewest.at_least > cells
    {
        let start = source.start(purpose, vocabulary.as_deref());
        let warning = no_text_fits(start.map_err(refused)?, cells, fewest.at_least);
        warnings.push(Finding::new(&source.text, &warning));
    }
    warn(path, &source.text, &warnings);
    let mut report = json!({
        "warnings": warnings,
        "rules": grammar.rules(),
        "shortestBytes": lints.shortest,
        "terminals": statistics.terminals,
        "nonterminals": statistics.nonterminals,
        "productions": statistics.productions,
        "lexerStates": statistics.lexer_states,
        "milliseconds": match found.times {
            Some(times) => json!({ "frontEnd": times.front_end, "checker": times.checker }),
            None => json!({ "load": found_ms }),
        },
        "origin": found.origin.name(),
    });
    if let Origin::Rebuilt(why) = found.origin {
        report["rebuilt"] = why.kind().into();
    }
    if let Some(vocabulary) = &vocabulary {
        report["tokens"] = vocabulary.len().into();
        report["tokenClasses"] = token_classes.into();
        report["milliseconds"]["tokenClasses"] = classes_ms.into();
        report["shortestTokens"] = match fewest {
            Some(Fewest { at_least, at_most }) if at_most == Some(at_least) => at_least.into(),
            Some(Fewest { at_least, at_most }) => {
                json!({ "atLeast": at_least, "atMost": at_most })
            }
            None => Value::Null,
        };
        report["milliseconds"]["shortestTokens"] = shortest_ms.into();
        report["regular"] = statistics.regular.into();
        report["innerStates"] = statistics.inner_states.into();
        report["levels"] = statistics.levels.into();
        report["coverStates"] = statistics.cover_states.into();
        report["milliseconds"]["tokenizer"] = tokenizer_ms.into();
    }
    let key = cache.key(&source, purpose, vocabulary.as_ref());
    lap();
    if let Some(entry) = grammar.to_entry(&key) {
        let write_ms = lap();
        CompiledGrammar::from_entry(&entry, &key, &CheckerLimits::default())
            .map_err(|error| Fault::new("internal", format!("the entry: {error}")))?;
        let read_ms = lap();
        report["entry"] = json!({
            "bytes": entry.len(),
            "milliseconds": { "write": write_ms, "read": read_ms },
        });
        if let Some(times) = found.times {
            let compiling = times.front_end + times.checker;
            report["entry"]["timesFaster"] = (compiling / read_ms).into();
        }
    }
    print(format!("{report}\n").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
