//! A compiled grammar that answers questions about texts with gaps.

use std::collections::BTreeMap;

use lacuna_engine::cache::Found;
use lacuna_engine::{Dialect, Finding, GrammarSession, GrammarSource, Purpose};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::cache::cache;
use crate::{from_js, from_js_with, thrown, to_js};

/// A compiled grammar.
#[wasm_bindgen]
pub struct Grammar {
    session: GrammarSession,
    found: Found,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct CompileOptions {
    texts: BTreeMap<String, String>,
    lists: BTreeMap<String, Vec<String>>,
    max_depth: Option<u32>,
    matching: Option<String>,
    /// Compile as for writing: declared order of properties, compact.
    writing: bool,
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
    micros: f64,
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
    /// and `%slot`), `maxDepth`, `matching` and `writing`.
    ///
    /// # Errors
    /// Throws `{ kind, message, diagnostics }`.
    pub fn compile(kind: &str, text: &str, options: JsValue) -> Result<Grammar, JsValue> {
        let (source, purpose) = source(kind, text, options)?;
        let found = cache().compile(&source, purpose, None, true);
        let found = found.map_err(thrown)?;
        Ok(Self {
            session: found.grammar.session(None),
            found,
        })
    }

    /// The key of the entry that `compile` makes of the same arguments.
    ///
    /// # Errors
    /// Throws where the options are not understood.
    pub fn key(kind: &str, text: &str, options: JsValue) -> Result<String, JsValue> {
        let (source, purpose) = source(kind, text, options)?;
        Ok(cache().key(&source, purpose, None).to_string())
    }

    /// Sizes of what was compiled, and warnings.
    ///
    /// # Errors
    /// Throws if an automaton of the grammar outgrows its limits.
    pub fn info(&mut self) -> Result<JsValue, JsValue> {
        let statistics = self.session.statistics().map_err(thrown)?;
        to_js(&GrammarInfo {
            warnings: self
                .found
                .grammar
                .lints()
                .map_or(&[], |lints| &lints.warnings),
            rules: self.found.grammar.rules(),
            terminals: statistics.terminals,
            nonterminals: statistics.nonterminals,
            productions: statistics.productions,
            lexer_states: statistics.lexer_states,
            origin: self.found.origin.name(),
        })
    }

    /// Whether a text with gaps can be completed: `segments` holds strings and,
    /// for gaps of any length, `null`.
    ///
    /// # Errors
    /// Throws if `segments` is something else, or a budget runs out.
    pub fn check(&mut self, segments: JsValue) -> Result<JsValue, JsValue> {
        let segments: Vec<Option<String>> = from_js(segments, "segments")?;
        let segments: Vec<Option<Vec<u8>>> = segments
            .into_iter()
            .map(|segment| segment.map(String::into_bytes))
            .collect();
        let started = performance_now();
        let answer = self.session.check(&segments, None).map_err(thrown)?;
        to_js(&CheckResult {
            completable: answer.completable,
            witness: answer
                .witness
                .map(|text| String::from_utf8_lossy(&text).into_owned()),
            micros: (performance_now() - started) * 1000.0,
        })
    }
}

fn source(kind: &str, text: &str, options: JsValue) -> Result<(GrammarSource, Purpose), JsValue> {
    let options: CompileOptions = match options.is_undefined() || options.is_null() {
        true => CompileOptions::default(),
        false => from_js_with(
            options,
            "the options of compile",
            &["texts", "lists", "maxDepth", "matching", "writing"],
        )?,
    };
    let source = GrammarSource {
        dialect: Dialect::of_name(kind).map_err(thrown)?,
        text: text.to_owned(),
        texts: options.texts,
        lists: options.lists,
        max_depth: options.max_depth,
        matching: options.matching,
    };
    let purpose = match options.writing {
        true => Purpose::Writing,
        false => Purpose::Judging,
    };
    Ok((source, purpose))
}
