//! A grammar on the workbench, for the playground.
//!
//! Places in texts are told in UTF-16 code units, as JavaScript counts.

use std::sync::Arc;

use js_sys::{Array, Uint8Array, Uint32Array};
use lacuna_engine::quoted;
use lacuna_engine::{By, ExportTarget, Fault, Finding, Piece, Place};
use lacuna_lexer::Vocabulary;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::compile_options::grammar_source;
use crate::crossing::{thrown, to_js};
use crate::vocabulary::TokenTable;

/// A grammar that is being written.
#[wasm_bindgen]
pub struct Workbench(lacuna_engine::Workbench);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Info<'a> {
    warnings: &'a [Finding],
    rules: Vec<Named<'a>>,
    terminals: Vec<Named<'a>>,
    shortest: Option<u64>,
}

/// A rule or a terminal, and where it is defined.
#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    place: Option<&'a Place>,
}

#[derive(Serialize)]
struct Completed {
    text: String,
    /// Start and end of each gap's part.
    fillings: Vec<(usize, usize)>,
}

#[derive(Serialize)]
struct TreeNode {
    parent: Option<usize>,
    /// `rule`, `terminal` or `text`.
    by: &'static str,
    /// The rule's or the terminal's number.
    id: Option<u32>,
    start: usize,
    end: usize,
}

#[wasm_bindgen]
impl Workbench {
    /// Compiles a grammar: `kind` and `options` are those of `Grammar.compile`; cells hold
    /// tokens of the vocabulary.
    ///
    /// # Errors
    /// Throws `{ kind, message, diagnostics }`.
    pub fn open(
        kind: &str,
        text: &str,
        options: JsValue,
        vocabulary: &TokenTable,
    ) -> Result<Workbench, JsValue> {
        let (source, purpose) = grammar_source(kind, text, &options)?;
        let vocabulary = vocabulary.share().into_vocabulary();
        let opened = lacuna_engine::Workbench::open(source, purpose, &vocabulary);
        opened.map(Self).map_err(thrown)
    }

    /// What it is made of, and what looks wrong with it although it can be used.
    ///
    /// # Errors
    /// Never, but for what converting throws.
    pub fn info(&self) -> Result<JsValue, JsValue> {
        let compiled = self.0.compiled();
        let linted = self.0.linted();
        let rules = linted.grammar.rules.iter().enumerate();
        let lexicon = linted.grammar.lexicon.iter();
        let terminals = lexicon.flat_map(|lexicon| lexicon.terminals.iter().enumerate());
        let lints = compiled.lints();
        to_js(&Info {
            warnings: &lints.warnings,
            rules: rules
                .map(|(at, rule)| Named {
                    name: &rule.name,
                    place: linted.places.get(at),
                })
                .collect(),
            terminals: terminals
                .map(|(at, terminal)| Named {
                    name: &terminal.name,
                    place: linted.terminals.get(at),
                })
                .collect(),
            shortest: lints.shortest,
        })
    }

    /// A completed text, or `null`: `pieces` holds strings, bytes, numbers for gaps of so
    /// many cells, and `null` for gaps of any length.
    ///
    /// # Errors
    /// Throws if `pieces` is something else, or a budget runs out.
    pub fn complete(&mut self, pieces: &Array) -> Result<JsValue, JsValue> {
        let completion = self.0.complete(&read_pieces(pieces)?).map_err(thrown)?;
        let Some(completion) = completion else {
            return Ok(JsValue::NULL);
        };
        let units = Units::of(&completion.text);
        let fillings = completion.fillings.iter();
        to_js(&Completed {
            fillings: fillings
                .map(|part| (units.at(part.start), units.at(part.end)))
                .collect(),
            text: String::from_utf8_lossy(&completion.text).into_owned(),
        })
    }

    /// Why a text cannot be completed. Its `segment` is a piece, its `offset` counts bytes.
    ///
    /// # Errors
    /// As of `complete`.
    pub fn explain(&mut self, pieces: &Array) -> Result<JsValue, JsValue> {
        let explanation = self.0.explain(&read_pieces(pieces)?);
        to_js(&explanation.map_err(thrown)?)
    }

    /// The nodes of a derivation of a text, each behind the one that it is part of.
    ///
    /// # Errors
    /// Throws if the text does not belong, or it takes too long.
    pub fn derive(&self, text: &str) -> Result<JsValue, JsValue> {
        let derivation = self.0.derive(text.as_bytes()).map_err(thrown)?;
        let units = Units::of(text.as_bytes());
        let nodes = derivation.nodes.iter().map(|node| {
            let (by, id) = match node.by {
                By::Rule(rule) => ("rule", Some(rule.0)),
                By::Terminal(terminal) => ("terminal", Some(terminal.0)),
                By::Text => ("text", None),
            };
            TreeNode {
                parent: node.parent,
                by,
                id,
                start: units.at(node.start),
                end: units.at(node.end),
            }
        });
        to_js(&nodes.collect::<Vec<_>>())
    }

    /// The grammar in another dialect: `gbnf`, `lark` or `regex`.
    ///
    /// # Errors
    /// Throws a fault of kind `export` that tells what it cannot hold.
    pub fn export(&self, dialect: &str) -> Result<String, JsValue> {
        let target = match dialect {
            "gbnf" => ExportTarget::Gbnf,
            "lark" => ExportTarget::Lark,
            "regex" => ExportTarget::Regex,
            _ => {
                let message = format!(
                    "cannot export to {}: use gbnf, lark or regex",
                    quoted(dialect)
                );
                return Err(thrown(Fault::new("unknown-dialect", message)));
            }
        };
        self.0.export(target).map_err(thrown)
    }

    /// For each token of a vocabulary its class, those of a class being the same to the
    /// grammar; the largest number for tokens that can stand nowhere.
    ///
    /// # Errors
    /// Throws if an automaton of the grammar outgrows its limits.
    pub fn classes(&self, vocabulary: &TokenTable) -> Result<Uint32Array, JsValue> {
        let vocabulary: Arc<Vocabulary> = vocabulary.share().into_vocabulary();
        let classes = self.0.classes(&vocabulary).map_err(thrown)?;
        let numbers = classes.into_iter().map(|class| class.unwrap_or(u32::MAX));
        Ok(Uint32Array::from(numbers.collect::<Vec<u32>>().as_slice()))
    }
}

fn read_pieces(pieces: &Array) -> Result<Vec<Piece>, JsValue> {
    let read = |piece: JsValue| {
        if piece.is_null() {
            return Ok(Piece::Any);
        }
        if let Some(cells) = piece.as_f64() {
            return Ok(Piece::Cells(cells as usize));
        }
        let bytes = piece.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec);
        let bytes = bytes.or_else(|| piece.as_string().map(String::into_bytes));
        let message = "pieces: each is a string, bytes, a number of cells, or null";
        let bytes = bytes.ok_or_else(|| thrown(Fault::new("invalid-input", message)))?;
        Ok(Piece::Text(bytes))
    };
    pieces.iter().map(read).collect()
}

/// Where each byte of a text stands, in UTF-16 code units.
struct Units(Vec<usize>);

impl Units {
    fn of(text: &[u8]) -> Self {
        let mut before = Vec::with_capacity(text.len() + 1);
        let mut units = 0;
        for &byte in text {
            before.push(units);
            // Two for the characters of four bytes, none for the rest of a character.
            units += match byte {
                0x80..=0xBF => 0,
                0xF0.. => 2,
                _ => 1,
            };
        }
        before.push(units);
        Self(before)
    }

    fn at(&self, byte: usize) -> usize {
        self.0.get(byte).copied().unwrap_or_default()
    }
}
