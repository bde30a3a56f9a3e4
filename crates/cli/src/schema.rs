//! How a JSON Schema is taken, from arguments.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lacuna_engine::{PropertyOrder, SchemaChoices, WhiteSpace};
use serde_json::Value;

use crate::error::CommandError;
use crate::files::read_text;

/// Choices for schemas; other grammars have none of these.
#[derive(Args)]
pub struct SchemaArguments {
    /// Another JSON Schema that references may lead to, by its $id, or by URI
    /// (repeatable)
    #[arg(long, value_name = "[URI=]FILE")]
    document: Vec<String>,
    /// The order of an object's properties; check takes any, what is written is in
    /// declared order
    #[arg(long, value_enum, value_name = "ORDER")]
    property_order: Option<Order>,
    /// Where white space stands; check takes any, what is written is compact
    #[arg(long, value_enum, value_name = "STYLE", conflicts_with = "indent")]
    white_space: Option<Blanks>,
    /// Each member and item on a line of its own, so many blanks deeper than what it
    /// stands in, to a depth of 16
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=16))]
    indent: Option<u8>,
    /// Steps that compiling a schema may take, 4 million unless said otherwise; more are
    /// the error too-much-work
    #[arg(long, value_name = "STEPS")]
    effort: Option<u32>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Order {
    Declared,
    Any,
}

#[derive(Clone, Copy, ValueEnum)]
enum Blanks {
    Compact,
    Any,
}

impl SchemaArguments {
    /// The choices, documents read from their files.
    pub fn choices(&self) -> Result<SchemaChoices, CommandError> {
        let documents: Result<Vec<(String, String)>, CommandError> =
            self.document.iter().map(|name| document(name)).collect();
        let order = self.property_order.map(|order| match order {
            Order::Declared => PropertyOrder::Declared,
            Order::Any => PropertyOrder::Any,
        });
        let white_space = self.white_space.map(|blanks| match blanks {
            Blanks::Compact => WhiteSpace::Compact,
            Blanks::Any => WhiteSpace::Any,
        });
        Ok(SchemaChoices {
            documents: documents?,
            order,
            white_space: self.indent.map(WhiteSpace::Indented).or(white_space),
            effort: self.effort,
        })
    }
}

/// A document with its identifier, which is the one given or else its own.
fn document(argument: &str) -> Result<(String, String), CommandError> {
    if let Some((uri, file)) = argument.split_once('=')
        && !Path::new(argument).exists()
    {
        return Ok((uri.to_owned(), read_text(Path::new(file))?));
    }
    let path = PathBuf::from(argument);
    let text = read_text(&path)?;
    let read: Value =
        serde_json::from_str(&text).map_err(|error| CommandError::content(&path, error))?;
    let id = read.get("$id").or(read.get("id")).and_then(Value::as_str);
    let id =
        id.ok_or_else(|| CommandError::content(&path, "no $id; name the document with URI=FILE"))?;
    Ok((id.to_owned(), text))
}
