//! A compiled grammar. What it is asked about texts with gaps is in `questions`.

use std::sync::Arc;

use lacuna_engine::cache::CompiledGrammar;
use lacuna_engine::{Finding, GrammarSession};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::compile_options::grammar_source;
use crate::crossing::{thrown, to_js};
use crate::vocabulary::TokenTable;

/// A compiled grammar.
#[wasm_bindgen]
pub struct Grammar {
    pub(crate) session: GrammarSession,
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
            warnings: &self.compiled.lints().warnings,
            rules: self.compiled.rules(),
            terminals: statistics.terminals,
            nonterminals: statistics.nonterminals,
            productions: statistics.productions,
            lexer_states: statistics.lexer_states,
            origin: self.origin,
        })
    }
}
