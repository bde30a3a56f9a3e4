//! A grammar text and its dialect.

use std::collections::BTreeMap;

use lacuna_grammar::json_schema::SchemaOptions;
use lacuna_grammar::{Grammar, Linted, gbnf, json_schema, lark, regex};

use crate::Fault;

/// The dialects that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// llama.cpp's GBNF.
    Gbnf,
    /// Lark's notation, with lexemes.
    Lark,
    /// A regular expression that the whole text matches.
    Regex,
    /// A JSON Schema.
    JsonSchema,
}

impl Dialect {
    /// The dialect that a file's ending names.
    ///
    /// # Errors
    /// A [`Fault`] that lists the endings, if this one is none of them.
    pub fn of_file(name: &str) -> Result<Self, Fault> {
        let endings = [
            (".gbnf", Self::Gbnf),
            (".lark", Self::Lark),
            (".regex", Self::Regex),
            (".schema.json", Self::JsonSchema),
        ];
        let known = endings.iter().find(|(ending, _)| name.ends_with(ending));
        known.map(|(_, dialect)| *dialect).ok_or_else(|| {
            let message = format!(
                "{name}: a grammar's file ends in .gbnf, .lark, .regex or .schema.json, which says \
                 its kind"
            );
            Fault::new("unknown-dialect", message)
        })
    }

    /// The dialect with this name in the JavaScript surface.
    ///
    /// # Errors
    /// A [`Fault`] that lists the names, if this one is none of them.
    pub fn of_name(name: &str) -> Result<Self, Fault> {
        match name {
            "gbnf" => Ok(Self::Gbnf),
            "lark" => Ok(Self::Lark),
            "regex" => Ok(Self::Regex),
            "jsonSchema" => Ok(Self::JsonSchema),
            _ => Err(Fault::new(
                "unknown-dialect",
                format!("unknown kind of grammar {name:?}: use gbnf, lark, regex or jsonSchema"),
            )),
        }
    }
}

/// What a schema is compiled for; other dialects have one meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To write: declared order of properties, compact, canonical spellings.
    Writing,
    /// To judge: JSON Schema validity, any order, any white space.
    Judging,
}

/// A grammar text with its dialect and the named texts it may refer to.
#[derive(Clone, Debug)]
pub struct GrammarSource {
    /// How to read the text.
    pub dialect: Dialect,
    /// The grammar.
    pub text: String,
    /// Texts that `x-spanOf` may name.
    pub texts: BTreeMap<String, String>,
}

impl GrammarSource {
    /// Compiles the text.
    ///
    /// # Errors
    /// A [`Fault`] of kind `grammar` with every finding.
    pub fn compile(&self, purpose: Purpose) -> Result<Grammar, Fault> {
        self.lint(purpose).map(|linted| linted.grammar)
    }

    /// Compiles the text, and says what looks wrong with it although it can be
    /// used.
    ///
    /// # Errors
    /// A [`Fault`] of kind `grammar` with every finding.
    pub fn lint(&self, purpose: Purpose) -> Result<Linted, Fault> {
        let silent = |grammar| Linted {
            grammar,
            warnings: Vec::new(),
        };
        let compiled = match self.dialect {
            Dialect::Gbnf => gbnf::lint(&self.text),
            Dialect::Lark => lark::parse_with(&self.text, &lark::Options::default()),
            Dialect::Regex => regex::parse(&self.text).map(silent),
            Dialect::JsonSchema => {
                let mut options = match purpose {
                    Purpose::Writing => SchemaOptions::generation(),
                    Purpose::Judging => SchemaOptions::membership(),
                };
                options.texts = self.texts.clone();
                json_schema::compile(&self.text, &options).map(silent)
            }
        };
        compiled.map_err(|diagnostics| Fault::of_grammar(&self.text, &diagnostics))
    }
}
