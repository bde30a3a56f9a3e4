//! `lacuna`, the command line: the engine natively, for files, evaluation and
//! benchmarks. Files in, JSON lines out.

#[cfg(feature = "gpu")]
mod bench;
mod cache;
mod check;
mod compile;
mod decoding;
mod error;
mod eval;
mod events;
mod files;
mod generate;
mod infill;
mod lines;
mod mask;
mod output;
mod question;
mod reference;
mod schema;
#[cfg(feature = "gpu")]
mod tunings;
mod writing;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// Fills the gaps of masked diffusion language models within a grammar.
///
/// A grammar's kind is its file's ending: .gbnf, .lark, .regex or .schema.json.
#[derive(Parser)]
#[command(name = "lacuna", version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Arguments),
    Generate(Box<generate::Arguments>),
    Infill(Box<infill::Arguments>),
    Mask(mask::Arguments),
    Compile(compile::Arguments),
    Eval(eval::Arguments),
    #[cfg(feature = "gpu")]
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    let result = match arguments().command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Infill(arguments) => infill::run(&arguments),
        Command::Mask(arguments) => mask::run(&arguments),
        Command::Compile(arguments) => compile::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        #[cfg(feature = "gpu")]
        Command::Bench(arguments) => bench::run(&arguments),
    };
    result.unwrap_or_else(|error| {
        output::tell(format_args!("lacuna: {error:#}"));
        ExitCode::FAILURE
    })
}

/// What was asked for. A negative number is a value, so that it is refused as one.
fn arguments() -> Arguments {
    let command = Arguments::command().mut_subcommands(|it| it.allow_negative_numbers(true));
    let given = Arguments::from_arg_matches(&command.get_matches());
    given.unwrap_or_else(|error| error.exit())
}
