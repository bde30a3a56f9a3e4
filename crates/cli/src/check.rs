//! `lacuna check`: can these texts with gaps still be completed?

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use lacuna_engine::{Answer, Fault, GrammarCache, GrammarSession, Purpose};
use lacuna_lexer::Vocabulary;
use serde_json::{Map, Value, json};

use crate::cache::CacheArguments;
use crate::error::{CommandError, warn};
use crate::files::{SlotArguments, VocabularyArguments, read_source};
use crate::lines::{answer_each, error_line};
use crate::output::tell;
use crate::question::{Canvas, Question};
use crate::reference::{Reference, ReferenceArguments};

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
    #[command(flatten)]
    cache: CacheArguments,
    #[command(flatten)]
    reference: ReferenceArguments,
    /// At the end, say on standard error how often each memo was asked and how often it
    /// knew the answer, in JSON, a line for each grammar
    #[arg(long)]
    memos: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    arguments.reference.validate()?;
    if arguments.memos && arguments.reference.is_wanted() {
        let message = "--memos tells of lacuna's memos: leave out --method";
        return Err(Fault::new("invalid-input", message).into());
    }
    let mut checks = Checks {
        default_grammar: arguments.grammar.clone(),
        vocabulary: arguments.vocabulary.load()?,
        slots: &arguments.slots,
        cache: arguments.cache.open()?,
        sessions: HashMap::new(),
        faulty: HashMap::new(),
        reference: &arguments.reference,
        references: HashMap::new(),
    };
    if let Some(path) = &arguments.grammar {
        checks.open(path)?;
    }
    let code = answer_each(|line| checks.answer(line))?;
    if arguments.memos {
        checks.tell_memos();
    }
    Ok(code)
}

struct Checks<'a> {
    slots: &'a SlotArguments,
    cache: Arc<GrammarCache>,
    default_grammar: Option<PathBuf>,
    vocabulary: Option<Arc<Vocabulary>>,
    sessions: HashMap<PathBuf, GrammarSession>,
    /// What is wrong with grammars of lines, read once.
    faulty: HashMap<PathBuf, String>,
    reference: &'a ReferenceArguments,
    references: HashMap<PathBuf, Reference>,
}

impl Checks<'_> {
    /// Compiles a grammar, so that what is wrong with it is said at once.
    fn open(&mut self, path: &Path) -> Result<(), CommandError> {
        match self.reference(path)? {
            Some(_) => Ok(()),
            None => self.session(path).map(|_| ()),
        }
    }

    /// The published method that is asked, if one is.
    fn reference(&mut self, path: &Path) -> Result<Option<&mut Reference>, CommandError> {
        if self.reference.is_wanted() && !self.references.contains_key(path) {
            let source = read_source(path, self.slots)?;
            let reference = source
                .compile(Purpose::Judging)
                .and_then(|grammar| self.reference.compile(&grammar))
                .map_err(|fault| CommandError::grammar(path, &source.text, fault))?;
            let path = path.to_owned();
            let references = &mut self.references;
            references.extend(reference.map(|reference| (path, reference)));
        }
        Ok(self.references.get_mut(path))
    }

    /// How the memos of each grammar were used, on standard error.
    fn tell_memos(&self) {
        for (path, session) in &self.sessions {
            let mut memos = Map::new();
            for (name, uses) in session.memo_uses().named() {
                let uses = json!({ "asked": uses.asked, "hitRate": uses.hit_rate() });
                memos.insert(name.to_owned(), uses);
            }
            tell(json!({ "grammar": path, "memos": memos }));
        }
    }

    fn session(&mut self, path: &Path) -> Result<&mut GrammarSession, CommandError> {
        if !self.sessions.contains_key(path) {
            let (vocabulary, cache) = (self.vocabulary.clone(), &self.cache);
            let session = open_judge(path, self.slots, vocabulary, cache).inspect_err(|error| {
                self.faulty.insert(path.to_owned(), error.to_string());
            })?;
            self.sessions.insert(path.to_owned(), session);
        }
        match self.sessions.get_mut(path) {
            Some(session) => Ok(session),
            None => Err(Fault::new("internal", "the session was just put there").into()),
        }
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
        if let Some(reference) = self.reference(&path)? {
            return Ok(reference.check(&question.canvas)?);
        }
        let session = self.session(&path)?;
        match question.canvas {
            Canvas::Segments { segments, gaps } => {
                let started = Instant::now();
                let answer = session.check(&segments, gaps.as_deref())?;
                Ok((answer, started.elapsed().as_micros()))
            }
            Canvas::Cells(cells) => {
                if session.vocabulary().is_none() {
                    return Err(invalid("\"cells\" needs --tokenizer"));
                }
                let started = Instant::now();
                let answer = session.check_canvas(cells)?;
                Ok((answer, started.elapsed().as_micros()))
            }
        }
    }
}

/// A session for verdicts.
fn open_judge(
    path: &Path,
    slots: &SlotArguments,
    vocabulary: Option<Arc<Vocabulary>>,
    cache: &GrammarCache,
) -> Result<GrammarSession, CommandError> {
    let source = read_source(path, slots)?;
    let found = cache.compile(&source, Purpose::Judging, vocabulary.as_ref(), false);
    let found = found.map_err(|fault| CommandError::grammar(path, &source.text, fault))?;
    warn(path, &source.text, found.grammar.warnings());
    Ok(found.grammar.session(vocabulary))
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
    line.insert("micros".into(), crate::lines::micros(micros));
    line
}
