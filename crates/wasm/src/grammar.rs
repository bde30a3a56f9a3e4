//! A compiled grammar that answers questions about texts with gaps.

use std::sync::Arc;

use js_sys::{Array, Uint8Array, Uint32Array};
use lacuna_engine::cache::CompiledGrammar;
use lacuna_engine::{Finding, GrammarSession};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::compile_options::grammar_source;
use crate::crossing::{thrown, to_js};
use crate::plain;
use crate::vocabulary::TokenTable;

/// A compiled grammar.
#[wasm_bindgen]
pub struct Grammar {
    session: GrammarSession,
    compiled: Arc<CompiledGrammar>,
    origin: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GrammarInfo<'a> {
    /// What looks wrong with the grammar although it can be used.
    warnings: &'a [Finding],
    rules: usize,
    terminals: usize,
    nonterminals: usize,
    productions: usize,
    lexer_states: usize,
    /// `memory`, `storage`, `compiled` or `rebuilt`.
    origin: &'static str,
}

#[derive(Serialize)]
struct CheckResult {
    completable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<String>,
    micros: u64,
}

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the page or worker began.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    pub(crate) fn performance_now() -> f64;
}

#[wasm_bindgen]
impl Grammar {
    /// Compiles a grammar: `kind` is `"jsonSchema"`, `"gbnf"`, `"lark"` or
    /// `"regex"`; `options` may hold `texts` and `lists` (for `x-spanOf`, `x-oneOf`
    /// and `%slot`), `maxDepth`, `matching`, `schema` and `writing`. With a vocabulary, gaps
    /// can count cells.
    ///
    /// # Errors
    /// Throws `{ kind, message, diagnostics }`.
    pub fn compile(
        kind: &str,
        text: &str,
        options: JsValue,
        vocabulary: Option<TokenTable>,
    ) -> Result<Grammar, JsValue> {
        let (source, purpose) = grammar_source(kind, text, &options)?;
        let vocabulary = vocabulary.map(TokenTable::into_vocabulary);
        #[cfg(feature = "model")]
        let (compiled, origin) = {
            let found = crate::cache::cache();
            let found = found.compile(&source, purpose, vocabulary.as_ref(), true);
            let found = found.map_err(thrown)?;
            (found.grammar, found.origin.name())
        };
        // No cache is behind the grammar engine alone: its callers keep what they compile.
        #[cfg(not(feature = "model"))]
        let (compiled, origin) = {
            let compiled = CompiledGrammar::of(&source, purpose, vocabulary.as_ref());
            (Arc::new(compiled.map_err(thrown)?), "compiled")
        };
        Ok(Self {
            session: compiled.session(vocabulary),
            compiled,
            origin,
        })
    }

    /// The key of the entry that `compile` makes of the same arguments.
    ///
    /// # Errors
    /// Throws where the options are not understood.
    #[cfg(feature = "model")]
    pub fn key(kind: &str, text: &str, options: JsValue) -> Result<String, JsValue> {
        let (source, purpose) = grammar_source(kind, text, &options)?;
        Ok(crate::cache::cache()
            .key(&source, purpose, None)
            .to_string())
    }

    /// Sizes of what was compiled, and warnings.
    ///
    /// # Errors
    /// Throws if an automaton of the grammar outgrows its limits.
    pub fn info(&mut self) -> Result<JsValue, JsValue> {
        let statistics = self.session.statistics().map_err(thrown)?;
        to_js(&GrammarInfo {
            warnings: self.compiled.lints().map_or(&[], |lints| &lints.warnings),
            rules: self.compiled.rules(),
            terminals: statistics.terminals,
            nonterminals: statistics.nonterminals,
            productions: statistics.productions,
            lexer_states: statistics.lexer_states,
            origin: self.origin,
        })
    }

    /// Whether a text with gaps can be completed: `segments` holds strings, bytes
    /// and, for gaps, `null`. A gap has any length, or the cells that `gaps` tells of
    /// each, in order; one at the end is an open tail.
    ///
    /// # Errors
    /// Throws if `segments` is something else, or a budget runs out.
    pub fn check(&mut self, segments: &JsValue, gaps: &JsValue) -> Result<JsValue, JsValue> {
        let (segments, gaps) = (read_segments(segments)?, read_gaps(gaps)?);
        let started = performance_now();
        let answer = self.session.check(&segments, gaps.as_deref());
        let answer = answer.map_err(thrown)?;
        to_js(&CheckResult {
            completable: answer.completable,
            witness: answer
                .witness
                .map(|text| String::from_utf8_lossy(&text).into_owned()),
            micros: ((performance_now() - started) * 1000.0) as u64,
        })
    }

    /// Why a text with gaps cannot be completed; the arguments are those of `check`.
    ///
    /// # Errors
    /// As of `check`.
    pub fn explain(&mut self, segments: &JsValue, gaps: &JsValue) -> Result<JsValue, JsValue> {
        let (segments, gaps) = (read_segments(segments)?, read_gaps(gaps)?);
        let explanation = self.session.explain(&segments, gaps.as_deref());
        to_js(&explanation.map_err(thrown)?)
    }

    /// The tokens that may stand in each masked cell of a canvas, all other masked
    /// cells being free: for each of `cells` that is `null` a list of ids, else `null`.
    ///
    /// # Errors
    /// Throws without a vocabulary, or if a budget runs out.
    pub fn allowed(&mut self, cells: &JsValue) -> Result<Array, JsValue> {
        let of = "tokens' numbers, and null where a cell is masked";
        let cells = plain::list(cells, "cells", of, read_cell)?;
        let masks = self.session.masks(&cells).map_err(thrown)?;
        let allowed = masks.cells.iter().map(|mask| match mask {
            None => JsValue::NULL,
            Some(mask) => {
                let ids: Vec<u32> = mask.iter().map(|id| id as u32).collect();
                Uint32Array::from(ids.as_slice()).into()
            }
        });
        Ok(allowed.collect())
    }
}

/// Segments as JavaScript hands them over.
fn read_segments(segments: &JsValue) -> Result<Vec<Option<Vec<u8>>>, JsValue> {
    let read = |segment: JsValue| {
        if segment.is_null() {
            return Some(None);
        }
        let bytes = segment.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec);
        bytes
            .or_else(|| segment.as_string().map(String::into_bytes))
            .map(Some)
    };
    let of = "strings, bytes, and null for gaps";
    plain::list(segments, "segments", of, read)
}

/// How many cells each gap has, if they are counted.
fn read_gaps(gaps: &JsValue) -> Result<Option<Vec<usize>>, JsValue> {
    if gaps.is_undefined() {
        return Ok(None);
    }
    let read = |cells: JsValue| Some(plain::count(&cells, u32::MAX)? as usize);
    plain::list(gaps, "gaps", "numbers of cells", read).map(Some)
}

/// A cell as JavaScript hands it over: `Some(None)` is a masked one.
fn read_cell(cell: JsValue) -> Option<Option<u32>> {
    match cell.is_null() || cell.is_undefined() {
        true => Some(None),
        false => plain::count(&cell, u32::MAX).map(Some),
    }
}
