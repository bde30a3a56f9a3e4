//! `lacuna mask`: which tokens may stand in the masked cells of a canvas?

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use lacuna_checker::Masks;
use lacuna_engine::{Fault, GrammarCache, GrammarSession, Purpose};
use lacuna_lexer::Vocabulary;
use serde_json::{Map, Value};

use crate::cache::CacheArguments;
use crate::error::CommandError;
use crate::files::{SlotArguments, VocabularyArguments, open_session};
use crate::lines::{answer_each, error_line, micros};
use crate::question::{Canvas, Question};

/// List the tokens that may stand in each masked cell of a canvas.
///
/// Standard input holds a JSON object a line, with token ids; null is a masked
/// cell:
///   {"id": "a", "cells": [12, null, 7]}
/// "grammar": FILE on a line overrides the option. A line out for each line in,
/// with the ids that keep the canvas completable, the other masked cells being
/// free; they are lists without a member if it is not completable as it stands:
///   {"id": "a", "allowed": [null, [3, 5], null], "micros": 90}
/// Ends of text are among the ids. A line that cannot be decided has an
/// "error", and the exit status is 1.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// The grammar; its kind is its ending
    #[arg(long, value_name = "FILE")]
    grammar: Option<PathBuf>,
    #[command(flatten)]
    vocabulary: VocabularyArguments,
    #[command(flatten)]
    slots: SlotArguments,
    #[command(flatten)]
    cache: CacheArguments,
    /// Take a schema as for writing (declared order, compact), not for judging
    #[arg(long)]
    writing: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let vocabulary = arguments.vocabulary.load()?;
    let vocabulary =
        vocabulary.ok_or_else(|| invalid("masks are of tokens: name a --tokenizer"))?;
    let mut questions = Questions {
        default_grammar: arguments.grammar.clone(),
        purpose: match arguments.writing {
            true => Purpose::Writing,
            false => Purpose::Judging,
        },
        vocabulary,
        slots: &arguments.slots,
        cache: arguments.cache.open()?,
        sessions: HashMap::new(),
        faulty: HashMap::new(),
    };
    if let Some(path) = &arguments.grammar {
        questions.session(path)?;
    }
    answer_each(|line| questions.answer(line))
}

struct Questions<'a> {
    default_grammar: Option<PathBuf>,
    purpose: Purpose,
    vocabulary: Arc<Vocabulary>,
    slots: &'a SlotArguments,
    cache: Arc<GrammarCache>,
    sessions: HashMap<PathBuf, GrammarSession>,
    /// What is wrong with grammars of lines, read once.
    faulty: HashMap<PathBuf, String>,
}

impl Questions<'_> {
    fn session(&mut self, path: &Path) -> Result<&mut GrammarSession, CommandError> {
        let session = match self.sessions.remove(path) {
            Some(session) => session,
            None => {
                let vocabulary = Some(Arc::clone(&self.vocabulary));
                open_session(path, self.purpose, self.slots, vocabulary, &self.cache).inspect_err(
                    |error| {
                        self.faulty.insert(path.to_owned(), error.to_string());
                    },
                )?
            }
        };
        Ok(self.sessions.entry(path.to_owned()).or_insert(session))
    }

    fn answer(&mut self, line: &[u8]) -> Map<String, Value> {
        let question = match Question::read(line) {
            Ok(question) => question,
            Err(unreadable) => return error_line(unreadable.id, unreadable.message),
        };
        let id = question.id.clone();
        let path = question.grammar.as_ref().or(self.default_grammar.as_ref());
        if let Some(message) = path.and_then(|path| self.faulty.get(path)) {
            return error_line(id, message.clone());
        }
        match self.masks(question) {
            Ok((masks, micros)) => answer_line(id, &masks, micros),
            Err(error) => error_line(id, error.to_string()),
        }
    }

    fn masks(&mut self, question: Question) -> Result<(Masks, u128), CommandError> {
        let Canvas::Cells(cells) = question.canvas else {
            return Err(invalid("masks are of \"cells\", not of \"segments\""));
        };
        let path = question.grammar.or_else(|| self.default_grammar.clone());
        let path =
            path.ok_or_else(|| invalid("no grammar: name one with --grammar or on the line"))?;
        let session = self.session(&path)?;
        let started = Instant::now();
        let masks = session.masks(cells)?;
        Ok((masks, started.elapsed().as_micros()))
    }
}

fn invalid(message: &str) -> CommandError {
    Fault::new("invalid-input", message).into()
}

fn answer_line(id: Value, masks: &Masks, taken: u128) -> Map<String, Value> {
    let allowed = masks.cells.iter().map(|mask| match mask {
        Some(mask) => mask.iter().map(Value::from).collect(),
        None => Value::Null,
    });
    Map::from_iter([
        ("id".to_owned(), id),
        ("allowed".to_owned(), allowed.collect()),
        ("micros".to_owned(), micros(taken)),
    ])
}
