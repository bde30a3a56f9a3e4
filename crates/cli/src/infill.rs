//! `lacuna infill`: the gaps of a template from a model, within a grammar.

use std::path::PathBuf;
use std::process::ExitCode;

use lacuna_decoder::Template;
use lacuna_engine::{Fault, Shape};

use crate::error::CommandError;
use crate::writing::{WritingArguments, write};

/// Fill the gaps of a text with a model, so that all of it is a text of the grammar.
/// What is not a gap stays as it is.
#[derive(clap::Args)]
pub struct Arguments {
    /// The grammar; its kind is its ending
    #[arg(long, value_name = "FILE")]
    grammar: PathBuf,
    /// The text; <mask:4> is a gap of four cells, <mask:2-6> one of two to six, whichever
    /// the model prefers
    #[arg(long, value_name = "TEXT")]
    template: String,
    #[command(flatten)]
    writing: WritingArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let template = Template::parse(&arguments.template).map_err(Fault::from)?;
    let shape = Shape::Template(template);
    write(&arguments.writing, &[Some(&arguments.grammar)], 0, &shape)
}
