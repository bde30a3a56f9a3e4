//! `lacuna generate`: a text from a model, within a grammar.

use std::mem::take;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lacuna_engine::{Content, Fault, Region, Shape};

use crate::decoding::at_least_one;
use crate::error::CommandError;
use crate::files::read_source;
use crate::writing::{WritingArguments, write};

/// Write a text with a model: the text on standard output, a summary on
/// standard error.
#[derive(clap::Args)]
pub struct Arguments {
    /// The grammar; its kind is its ending
    #[arg(long, value_name = "FILE", required_unless_present = "region")]
    grammar: Option<PathBuf>,
    /// Cells of the canvas
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = at_least_one)]
    length: usize,
    /// Write without grammar until this text; behind it a text of the grammar
    #[arg(long, value_name = "TEXT")]
    trigger: Option<String>,
    /// A part of the text, in place of a grammar for all of it (repeatable, in order):
    /// N for so many cells without grammar, N:FILE for so many under a grammar, :TEXT
    /// for text that stays as it is
    #[arg(long, value_name = "REGION", conflicts_with_all = ["grammar", "trigger", "length"])]
    region: Vec<String>,
    #[command(flatten)]
    writing: WritingArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let (writing, length) = (&arguments.writing, arguments.length);
    if let Some(grammar) = &arguments.grammar {
        let trigger = arguments.trigger.clone();
        let shape = trigger.map_or(Shape::Masks, Shape::Trigger);
        return write(writing, &[Some(grammar)], length, &shape);
    }
    let mut regions = Vec::new();
    let mut files: Vec<Option<&Path>> = Vec::new();
    for text in &arguments.region {
        let (cells, rest) = match text.split_once(':') {
            Some((cells, rest)) => (cells, Some(rest)),
            None => (text.as_str(), None),
        };
        if let ("", Some(text)) = (cells, rest) {
            let content = Content::Text(text.to_owned());
            regions.push(Region {
                content,
                grammar: None,
            });
            files.push(None);
            continue;
        }
        let cells = cells.parse().map_err(|_| {
            let message = format!("--region {text}: expected N, N:FILE or :TEXT");
            Fault::new("invalid-input", message)
        })?;
        if rest == Some("") {
            let message = format!("--region {text}: no file of a grammar behind the colon");
            return Err(Fault::new("invalid-input", message).into());
        }
        let file = rest.map(Path::new);
        files.push(file);
        regions.push(Region {
            content: Content::Masks(cells),
            grammar: match file {
                Some(file) => Some(read_source(file, &writing.slots)?),
                None => None,
            },
        });
    }
    part_slots(&mut regions);
    write(writing, &files, length, &Shape::Regions(regions))
}

/// Leaves each region those texts and lists that its grammar may ask for; what none of them may
/// ask for stays with all, and is refused there.
fn part_slots(regions: &mut [Region]) {
    let mut grammars: Vec<_> = regions
        .iter_mut()
        .filter_map(|it| it.grammar.as_mut())
        .collect();
    let Some(first) = grammars.first() else {
        return;
    };
    let texts = first.texts.iter().map(|(name, _)| name);
    let names = texts.chain(first.lists.iter().map(|(name, _)| name));
    let asked = names.filter(|name| grammars.iter().any(|it| it.may_ask_for(name)));
    let asked: Vec<String> = asked.cloned().collect();
    for grammar in &mut grammars {
        let (mut texts, mut lists) = (take(&mut grammar.texts), take(&mut grammar.lists));
        let stays = |name: &String| grammar.may_ask_for(name) || !asked.contains(name);
        texts.retain(|(name, _)| stays(name));
        lists.retain(|(name, _)| stays(name));
        (grammar.texts, grammar.lists) = (texts, lists);
    }
}
