//! `lacuna check`: can these texts with gaps still be completed?

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use lacuna_checker::Pattern;
use lacuna_engine::{Answer, Fault, GrammarSession, Purpose};
use lacuna_lexer::{TokenId, Vocabulary};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::CommandError;
use crate::files::{SlotArguments, VocabularyArguments, read_grammar};

/// Decide whether texts with gaps can become sentences of a grammar.
///
/// Standard input holds a JSON object a line:
///   {"id": "a", "segments": ["int main() {", null, "}"]}
/// null is a gap. With "gaps": [3] (cells of each null, in order) and a
/// tokenizer, a gap is exactly so many tokens, and one at the end at most so
/// many; without, any text. "cells": [12, null, 7] gives token ids in place of
/// segments; {"base64": "…"} is a segment that holds part of a character;
/// "grammar": FILE on a line overrides the option. A line out for each line in:
///   {"id": "a", "completable": true, "witness": "int main() {}", "micros": 41}
/// A line that cannot be decided has an "error", and the exit status is 1.
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
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let mut checks = Checks {
        default_grammar: arguments.grammar.clone(),
        vocabulary: arguments.vocabulary.load()?,
        slots: &arguments.slots,
        sessions: HashMap::new(),
    };
    if let Some(path) = &arguments.grammar {
        checks.session(path)?;
    }
    let input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut status = ExitCode::SUCCESS;
    let stdout = |error| CommandError::file(Path::new("standard output"), error);
    for line in input.split(b'\n') {
        let line = line.map_err(|error| CommandError::file(Path::new("standard input"), error))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = checks.answer(&line);
        if answer.get("error").is_some() {
            status = ExitCode::FAILURE;
        }
        writeln!(output, "{}", Value::Object(answer)).map_err(stdout)?;
    }
    output.flush().map_err(stdout)?;
    Ok(status)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    #[serde(default)]
    id: Value,
    segments: Option<Vec<Option<SegmentText>>>,
    gaps: Option<Vec<usize>>,
    cells: Option<Vec<Option<TokenId>>>,
    grammar: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SegmentText {
    Plain(String),
    Encoded { base64: String },
}

struct Checks<'a> {
    slots: &'a SlotArguments,
    default_grammar: Option<PathBuf>,
    vocabulary: Option<Arc<Vocabulary>>,
    sessions: HashMap<PathBuf, GrammarSession>,
}

impl Checks<'_> {
    fn session(&mut self, path: &Path) -> Result<&mut GrammarSession, CommandError> {
        if !self.sessions.contains_key(path) {
            let vocabulary = self.vocabulary.as_deref();
            let grammar = read_grammar(path, Purpose::Judging, self.slots, vocabulary)?;
            let session = GrammarSession::new(&grammar, self.vocabulary.clone())
                .map_err(|fault| CommandError::grammar(path, "", fault))?;
            self.sessions.insert(path.to_owned(), session);
        }
        match self.sessions.get_mut(path) {
            Some(session) => Ok(session),
            None => Err(Fault::new("internal", "the session was just put there").into()),
        }
    }

    fn answer(&mut self, line: &[u8]) -> Map<String, Value> {
        let question: Question = match serde_json::from_slice(line) {
            Ok(question) => question,
            Err(error) => {
                let id = serde_json::from_slice::<Value>(line).ok();
                let id = id
                    .and_then(|line| line.get("id").cloned())
                    .unwrap_or(Value::Null);
                return error_line(id, error.to_string());
            }
        };
        let id = question.id.clone();
        match self.decide(question) {
            Ok((answer, micros)) => answer_line(id, answer, micros),
            Err(error) => error_line(id, error.to_string()),
        }
    }

    fn decide(&mut self, question: Question) -> Result<(Answer, u128), CommandError> {
        let invalid = |message: &str| CommandError::from(Fault::new("invalid-input", message));
        let path = question
            .grammar
            .or_else(|| self.default_grammar.clone())
            .ok_or_else(|| invalid("no grammar: name one with --grammar or on the line"))?;
        let vocabulary = self.vocabulary.clone();
        let session = self.session(&path)?;
        match (question.segments, question.cells) {
            (Some(segments), None) => {
                let segments = decode_segments(segments).map_err(|error| invalid(&error))?;
                let started = Instant::now();
                let answer = session.check(&segments, question.gaps.as_deref())?;
                Ok((answer, started.elapsed().as_micros()))
            }
            (None, Some(_)) if question.gaps.is_some() => Err(invalid(
                "\"gaps\" goes with \"segments\", not with \"cells\"",
            )),
            (None, Some(cells)) => {
                let vocabulary =
                    vocabulary.ok_or_else(|| invalid("\"cells\" needs --tokenizer"))?;
                if let Some(id) = cells
                    .iter()
                    .flatten()
                    .find(|&&id| id as usize >= vocabulary.len())
                {
                    return Err(invalid(&format!(
                        "token {id} is outside the vocabulary of {}",
                        vocabulary.len()
                    )));
                }
                // With the special tokens that this grammar names.
                let vocabulary = session.vocabulary().map_or(vocabulary, Arc::clone);
                let cells: Vec<Option<TokenId>> = cells
                    .into_iter()
                    .map(|cell| cell.filter(|&token| token != vocabulary.mask()))
                    .collect();
                let started = Instant::now();
                let answer = match Pattern::of_canvas(&cells, &vocabulary) {
                    Some(pattern) => session.check_pattern(&pattern)?,
                    None => Answer {
                        completable: false,
                        witness: None,
                    },
                };
                Ok((answer, started.elapsed().as_micros()))
            }
            _ => Err(invalid("a line needs either \"segments\" or \"cells\"")),
        }
    }
}

fn decode_segments(segments: Vec<Option<SegmentText>>) -> Result<Vec<Option<Vec<u8>>>, String> {
    segments
        .into_iter()
        .map(|segment| match segment {
            None => Ok(None),
            Some(SegmentText::Plain(text)) => Ok(Some(text.into_bytes())),
            Some(SegmentText::Encoded { base64 }) => BASE64_STANDARD
                .decode(&base64)
                .map(Some)
                .map_err(|error| format!("a segment's base64 is wrong: {error}")),
        })
        .collect()
}

fn answer_line(id: Value, answer: Answer, micros: u128) -> Map<String, Value> {
    let mut line = Map::new();
    line.insert("id".into(), id);
    line.insert("completable".into(), answer.completable.into());
    if let Some(witness) = answer.witness {
        let witness = match String::from_utf8(witness) {
            Ok(text) => Value::String(text),
            Err(error) => json!({ "base64": BASE64_STANDARD.encode(error.as_bytes()) }),
        };
        line.insert("witness".into(), witness);
    }
    line.insert(
        "micros".into(),
        u64::try_from(micros).unwrap_or(u64::MAX).into(),
    );
    line
}

fn error_line(id: Value, error: String) -> Map<String, Value> {
    Map::from_iter([
        ("id".to_owned(), id),
        ("error".to_owned(), Value::String(error)),
    ])
}
