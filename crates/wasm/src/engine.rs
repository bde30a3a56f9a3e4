//! A loaded model and its runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use lacuna_decoder::{Event, Options, Piece, Template, Timings};
use lacuna_engine::cache::Origin;
use lacuna_engine::quoted;
use lacuna_engine::{
    DevicePreference, DeviceReport, Dialect, Fault, GenerateRequest, Judge, LoadOptions, MemoUse,
    ModelRun, Shape,
};
use lacuna_lexer::Vocabulary;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::cache::cache;
use crate::crossing::{from_js, thrown, to_js};
use crate::decoding::Decoding;
use crate::events::{Begin, event_to_js, figures_to_js};
use crate::now::performance_now;
use crate::pause::pausing;
use crate::schema_options::schema_choices;

/// A model ready to run.
#[wasm_bindgen]
pub struct Engine {
    engine: lacuna_engine::Engine,
}

/// A model's weights, taken from their files as these come.
#[wasm_bindgen]
#[derive(Default)]
pub struct WeightFiles {
    files: lacuna_engine::WeightFiles,
}

#[wasm_bindgen]
impl WeightFiles {
    /// No files yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the index of shards; gives their names.
    ///
    /// # Errors
    /// Throws `{ kind: "weights", message }`.
    pub fn index(&mut self, json: &[u8]) -> Result<Vec<String>, JsValue> {
        self.files.index(json).map_err(|error| thrown(error.into()))
    }

    /// Takes the tensors of a file.
    ///
    /// # Errors
    /// Throws `{ kind: "weights", message }`.
    pub fn add(&mut self, name: &str, file: &[u8]) -> Result<(), JsValue> {
        let added = self.files.add(name, file);
        added.map_err(|error| thrown(error.into()))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EngineInfo {
    parameters: usize,
    vocabulary: usize,
    layers: usize,
    hidden: usize,
    max_positions: usize,
    device: DeviceReport,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct EngineOptions {
    /// `auto`, `cpu` or `gpu`.
    device: Option<String>,
    /// Seconds that the card may take for one answer.
    patience: Option<f64>,
}

impl EngineOptions {
    fn to_load(&self) -> Result<LoadOptions, Fault> {
        let name = self.device.as_deref().unwrap_or("auto");
        let device = DevicePreference::of_name(name).ok_or_else(|| {
            let message = format!("unknown device {}: use auto, cpu or gpu", quoted(name));
            Fault::new("invalid-input", message)
        })?;
        let options = LoadOptions::new(device, Arc::new(performance_now));
        #[cfg(feature = "gpu")]
        let options = self.watched(options)?;
        Ok(options)
    }

    /// With a timer that watches the card: WebGPU knows no time-out.
    #[cfg(feature = "gpu")]
    fn watched(&self, mut options: LoadOptions) -> Result<LoadOptions, Fault> {
        use crate::clock::Timeout;
        options.card.timer = Some(Arc::new(|limit| Box::pin(Timeout::after(limit))));
        if let Some(patience) = self.patience {
            let limit = std::time::Duration::try_from_secs_f64(patience);
            options.card.device.time_limit = limit.map_err(|error| {
                Fault::new(
                    "invalid-input",
                    format!("the patience is not usable: {error}"),
                )
            })?;
        }
        Ok(options)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Request {
    request: String,
    #[serde(default)]
    task: Option<String>,
    grammar: RequestGrammar,
    #[serde(default)]
    texts: BTreeMap<String, String>,
    #[serde(default)]
    lists: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    max_depth: Option<u32>,
    #[serde(default)]
    matching: Option<String>,
    #[serde(default, with = "serde_wasm_bindgen::preserve")]
    schema: JsValue,
    length: usize,
    steps: usize,
    seed: f64,
    #[serde(default)]
    decoding: Decoding,
}

#[derive(Deserialize)]
struct RequestGrammar {
    kind: String,
    text: String,
}

#[wasm_bindgen]
impl Engine {
    /// Loads a model from the bytes of two of its files and its weights, and puts it on a device:
    /// `options` may hold `device` (`"auto"`, `"cpu"` or `"gpu"`) and `patience`,
    /// the seconds that a graphics card may take for one answer.
    ///
    /// # Errors
    /// Rejects with `{ kind: "config" | "tokenizer" | "weights" | "device", message }`.
    pub async fn load(
        config: Vec<u8>,
        tokenizer: Vec<u8>,
        weights: WeightFiles,
        options: JsValue,
    ) -> Result<Engine, JsValue> {
        let options: EngineOptions = match options.is_undefined() || options.is_null() {
            true => EngineOptions::default(),
            false => from_js(options, "the options of load")?,
        };
        let options = options.to_load().map_err(thrown)?;
        let engine = lacuna_engine::Engine::load(&config, &tokenizer, weights.files, options)
            .await
            .map_err(thrown)?
            .with_cache(Arc::clone(cache()));
        Ok(Self { engine })
    }

    /// The model's facts, and where it runs now.
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
            device: self.engine.device(),
        })
    }

    /// Bytes that are allocated on the graphics card; 0 where the model is not on one.
    #[cfg(feature = "gpu")]
    #[wasm_bindgen(js_name = gpuBytes)]
    pub async fn gpu_bytes(&self) -> f64 {
        match self.engine.gpu().await {
            Some(device) => device.live_bytes() as f64,
            None => 0.0,
        }
    }

    /// The key of the entry of a request's grammar.
    ///
    /// # Errors
    /// Throws where the request is not understood, or another text has its name.
    #[wasm_bindgen(js_name = grammarKey)]
    pub fn grammar_key(&self, request: JsValue) -> Result<String, JsValue> {
        let request = generate_request(request)?;
        let key = self.engine.grammar_key(&request).map_err(thrown)?;
        Ok(key.to_string())
    }

    /// Begins a run; the model is first asked at its first step. Within its steps `turn` is
    /// called now and then; it gives a promise of whether to go on.
    ///
    /// # Errors
    /// Throws the fault of the grammar, or says that no text fits.
    pub fn start(&self, request: JsValue, turn: js_sys::Function) -> Result<Run, JsValue> {
        let request = generate_request(request)?;
        let run = self.engine.start(&request, Box::new(performance_now));
        Ok(Run::begun(run.map_err(thrown)?, &request, turn))
    }

    /// Begins a run that fills the gaps of a template: `template` holds texts that stay,
    /// and for each gap a number of cells, or the least and the most of them. The model is
    /// asked which lengths it prefers.
    ///
    /// # Errors
    /// As for `start`, and if nothing fits between the texts.
    #[wasm_bindgen(js_name = startInfill)]
    pub async fn start_infill(
        &self,
        request: JsValue,
        template: JsValue,
        turn: js_sys::Function,
    ) -> Result<Run, JsValue> {
        let request = generate_request(request)?;
        let pieces: Vec<TemplatePiece> = from_js(template, "the template")?;
        let pieces = pieces.into_iter().map(TemplatePiece::read).collect();
        let shape = Shape::Template(Template { pieces });
        let clock = Box::new(performance_now);
        let run = self.engine.start_shaped(&request, &shape, clock).await;
        Ok(Run::begun(run.map_err(thrown)?, &request, turn))
    }
}

/// A piece of a template, as JavaScript tells it.
#[derive(Deserialize)]
#[serde(untagged)]
enum TemplatePiece {
    Text(String),
    Cells(u32),
    Between(u32, u32),
}

impl TemplatePiece {
    fn read(self) -> Piece {
        match self {
            Self::Text(text) => Piece::Text(text),
            Self::Cells(cells) => Piece::Gap(cells as usize..=cells as usize),
            Self::Between(least, most) => Piece::Gap(least as usize..=most as usize),
        }
    }
}

fn generate_request(request: JsValue) -> Result<GenerateRequest, JsValue> {
    let request: Request = from_js(request, "the request")?;
    let decoding = request.decoding.read(request.length, request.steps);
    let (judge, options) = decoding.map_err(thrown)?;
    Ok(GenerateRequest {
        request: request.request,
        task: request.task,
        grammar: (
            Dialect::of_name(&request.grammar.kind).map_err(thrown)?,
            request.grammar.text,
        ),
        texts: request.texts.into_iter().collect(),
        lists: request.lists.into_iter().collect(),
        max_depth: request.max_depth,
        matching: request.matching,
        schema: schema_choices(&request.schema)?,
        options: Options {
            seed: request.seed as u64,
            ..options
        },
        judge,
    })
}

/// A run in progress.
#[wasm_bindgen]
pub struct Run {
    run: ModelRun,
    begin: Option<Begin>,
    vocabulary: Arc<Vocabulary>,
    /// What was told of before the step at hand.
    told: (Timings, Option<MemoUse>),
    steps_told: usize,
}

impl Run {
    fn begun(run: ModelRun, request: &GenerateRequest, turn: js_sys::Function) -> Self {
        let begin = Begin {
            steps: run.steps(),
            constrained: request.judge != Judge::Nobody,
            grammar: run.grammar_origin().map(Origin::name),
        };
        Self {
            vocabulary: Arc::clone(run.vocabulary()),
            told: (run.timings(), run.memo()),
            steps_told: 0,
            run: run.pausing(pausing(turn)),
            begin: Some(begin),
        }
    }

    /// What the step that is over has cost.
    fn figures(&mut self) -> Result<JsValue, JsValue> {
        let now = (self.run.timings(), self.run.memo());
        let before = std::mem::replace(&mut self.told, now);
        self.steps_told += 1;
        figures_to_js(self.steps_told - 1, before, now)
    }
}

#[wasm_bindgen]
impl Run {
    /// One denoising step: its events, in order. The next may begin when this one
    /// is over.
    ///
    /// # Errors
    /// Rejects if the model fails.
    pub async fn step(&mut self) -> Result<js_sys::Array, JsValue> {
        let events = js_sys::Array::new();
        if let Some(begin) = self.begin.take() {
            events.push(&begin.to_js(&self.run)?);
        }
        let happened = self.run.step().await.map_err(thrown)?;
        let mut figures = Some(self.figures()?);
        for event in happened {
            if let Event::Done { .. } = event {
                figures.take().inspect(|figures| _ = events.push(figures));
            }
            events.push(&event_to_js(&event, self.run.steps(), &self.vocabulary)?);
        }
        figures.inspect(|figures| _ = events.push(figures));
        Ok(events)
    }

    /// Whether the run is over.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> bool {
        self.run.is_done()
    }
}
