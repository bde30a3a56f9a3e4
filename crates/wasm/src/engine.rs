//! A loaded model and its runs.

use std::sync::Arc;

use lacuna_decoder::Options;
use lacuna_engine::{Dialect, GenerateRequest, ModelRun};
use lacuna_lexer::Vocabulary;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::events::{Begin, event_to_js};
use crate::grammar::performance_now;
use crate::{from_js, thrown, to_js};

/// A model ready to run.
#[wasm_bindgen]
pub struct Engine {
    engine: lacuna_engine::Engine,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EngineInfo {
    parameters: usize,
    vocabulary: usize,
    layers: usize,
    hidden: usize,
    max_positions: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Request {
    request: String,
    #[serde(default)]
    task: Option<String>,
    grammar: RequestGrammar,
    length: usize,
    steps: usize,
    seed: f64,
    temperature: f32,
    unconstrained: bool,
}

#[derive(Deserialize)]
struct RequestGrammar {
    kind: String,
    text: String,
}

#[wasm_bindgen]
impl Engine {
    /// Loads a model from the bytes of its three files.
    ///
    /// # Errors
    /// Throws `{ kind: "config" | "tokenizer" | "weights", message }`.
    pub fn load(config: &[u8], tokenizer: &[u8], weights: &[u8]) -> Result<Engine, JsValue> {
        let engine = lacuna_engine::Engine::load(config, tokenizer, weights).map_err(thrown)?;
        Ok(Self { engine })
    }

    /// The model's facts.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn info(&self) -> Result<JsValue, JsValue> {
        let config = self.engine.config();
        to_js(&EngineInfo {
            parameters: self.engine.parameters(),
            vocabulary: config.vocab_size,
            layers: config.num_hidden_layers,
            hidden: config.hidden_size,
            max_positions: config.max_position_embeddings,
        })
    }

    /// Begins a run; the model is first asked at its first step.
    ///
    /// # Errors
    /// Throws the fault of the grammar, or says that no text fits.
    pub fn start(&self, request: JsValue) -> Result<Run, JsValue> {
        let request: Request = from_js(request, "the request")?;
        let options = Options {
            length: request.length,
            steps: request.steps,
            seed: request.seed as u64,
            temperature: request.temperature,
            ..Options::default()
        };
        let request = GenerateRequest {
            request: request.request,
            task: request.task,
            grammar: (
                Dialect::of_name(&request.grammar.kind).map_err(thrown)?,
                request.grammar.text,
            ),
            options,
            unconstrained: request.unconstrained,
        };
        let run = self
            .engine
            .start(&request, Box::new(performance_now))
            .map_err(thrown)?;
        let begin = Begin {
            length: options.length,
            steps: run.steps(),
            constrained: !request.unconstrained,
        };
        Ok(Run {
            run,
            begin: Some(begin),
            vocabulary: Arc::clone(self.engine.vocabulary()),
        })
    }
}

/// A run in progress.
#[wasm_bindgen]
pub struct Run {
    run: ModelRun,
    begin: Option<Begin>,
    vocabulary: Arc<Vocabulary>,
}

#[wasm_bindgen]
impl Run {
    /// One denoising step: its events, in order.
    ///
    /// # Errors
    /// Throws if the model fails.
    pub fn step(&mut self) -> Result<js_sys::Array, JsValue> {
        let events = js_sys::Array::new();
        if let Some(begin) = self.begin.take() {
            events.push(&begin.to_js(self.run.prompt_tokens(), self.vocabulary.ends())?);
        }
        for event in self.run.step().map_err(thrown)? {
            events.push(&event_to_js(&event, self.run.steps(), &self.vocabulary)?);
        }
        Ok(events)
    }

    /// Whether the run is over.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> bool {
        self.run.is_done()
    }
}
