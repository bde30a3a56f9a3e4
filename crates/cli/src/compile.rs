//! `lacuna compile`: what becomes of a grammar, and how long it takes.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use lacuna_engine::{Fewest, GrammarSession, Purpose};
use lacuna_grammar::TokenTexts;
use lacuna_grammar::lint::{no_text_fits, shortest_text};
use serde_json::{Value, json};

use crate::error::{CommandError, excerpt};
use crate::files::{SlotArguments, VocabularyArguments, read_source};

/// Compile a grammar and print its sizes and what looks wrong with it as one
/// JSON object; warnings also go to standard error.
#[derive(clap::Args)]
pub struct Arguments {
    /// The grammar; its kind is its ending
    #[arg(long, value_name = "FILE")]
    grammar: PathBuf,
    #[command(flatten)]
    vocabulary: VocabularyArguments,
    #[command(flatten)]
    slots: SlotArguments,
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
    let tokens = vocabulary
        .as_deref()
        .map(|vocabulary| vocabulary as &dyn TokenTexts);
    let mut linted = source
        .lint_with(purpose, tokens)
        .map_err(|fault| CommandError::grammar(path, &source.text, fault))?;
    let front_end_ms = lap();
    let refused = |fault| {
        let fault = source.placed(fault, purpose, vocabulary.as_deref());
        CommandError::grammar(path, &source.text, fault)
    };
    let mut session = GrammarSession::new(&linted.grammar, vocabulary.clone()).map_err(refused)?;
    let statistics = session.statistics().map_err(refused)?;
    let checker_ms = lap();
    let fewest = session.fewest_tokens();
    if let (Some(cells), Some(fewest)) = (arguments.length, fewest)
        && fewest.at_least > cells
    {
        let warning = no_text_fits(&linted, cells, fewest.at_least);
        linted.warnings.push(warning);
    }
    let shortest_ms = lap();
    let warnings = source.findings(&linted);
    let grammar = linted.grammar;
    for warning in &warnings {
        let name = path.display().to_string();
        eprintln!("{}", excerpt(&name, &source.text, warning));
    }
    let mut report = json!({
        "warnings": warnings,
        "rules": grammar.rules.len(),
        "shortestBytes": shortest_text(&grammar),
        "terminals": statistics.terminals,
        "nonterminals": statistics.nonterminals,
        "productions": statistics.productions,
        "lexerStates": statistics.lexer_states,
        "milliseconds": { "frontEnd": front_end_ms, "checker": checker_ms },
    });
    if let Some(vocabulary) = vocabulary {
        report["tokens"] = vocabulary.len().into();
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
    println!("{report}");
    Ok(ExitCode::SUCCESS)
}
