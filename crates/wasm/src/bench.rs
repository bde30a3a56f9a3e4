//! Measurements in the browser: the same as `lacuna bench`, for a page of their own.

use std::str::FromStr;

use js_sys::Function;
use lacuna_bench::gpu::GpuPlan;
use lacuna_bench::onnx::{self, Products};
use lacuna_bench::{BenchFormat, ModelSize, markdown, model_config, random_weights, size_named};
use lacuna_engine::Fault;
use lacuna_gpu::{DeviceOptions, Effort, GpuDevice, verify_kernels};
use lacuna_model::{ModelConfig, Weights};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::crossing::{from_js, thrown, to_js};
use crate::now::performance_now;

/// A model to be timed, here and elsewhere.
#[wasm_bindgen]
pub struct BenchModel {
    weights: Weights,
}

#[wasm_bindgen]
impl BenchModel {
    /// Random weights of a size (`"10m"`, `"100m"`, `"500m"`) and format (`"int8"`, `"int4"`,
    /// `"float"`).
    ///
    /// # Errors
    /// Throws if either is unknown.
    pub fn random(size: &str, format: &str) -> Result<BenchModel, JsValue> {
        let size = size_named(size).map_err(invalid)?;
        let format = BenchFormat::from_str(format).map_err(invalid)?;
        let config = model_config(size, format.weight_format());
        Ok(Self {
            weights: random_weights(&config, 1),
        })
    }

    /// A model from the bytes of its files.
    ///
    /// # Errors
    /// Throws what is wrong with them.
    pub fn load(config: &[u8], weights: &[u8]) -> Result<BenchModel, JsValue> {
        let config = ModelConfig::from_json(config).map_err(invalid)?;
        let weights = Weights::from_safetensors(weights, &config).map_err(invalid)?;
        Ok(Self { weights })
    }

    /// How many parameters it has.
    #[wasm_bindgen(getter)]
    pub fn parameters(&self) -> usize {
        self.weights.config.parameter_count()
    }

    /// It as an ONNX file, for a canvas of `length` cells of which the second half is wanted;
    /// `int8` quantises activations as they come and keeps int8 weights.
    pub fn onnx(&self, length: usize, int8: bool) -> Vec<u8> {
        let products = match int8 {
            true => Products::Int8,
            false => Products::Float,
        };
        onnx::export(&self.weights, length, length - length / 2, products)
    }

    /// It on the processor, with such a canvas.
    pub fn cpu(&self, length: usize) -> CpuBench {
        CpuBench(lacuna_bench::cpu::CpuBench::new(
            self.weights.clone(),
            length,
        ))
    }
}

/// A model on the processor, with an input to be timed on.
#[wasm_bindgen]
pub struct CpuBench(lacuna_bench::cpu::CpuBench);

#[wasm_bindgen]
impl CpuBench {
    /// At most this many threads from now on.
    #[wasm_bindgen(js_name = setThreads)]
    pub fn set_threads(&mut self, most: usize) {
        self.0.set_threads(most);
    }

    /// One pass.
    ///
    /// # Errors
    /// Throws if the model's numbers overflow.
    pub fn pass(&mut self) -> Result<(), JsValue> {
        self.0.pass().map_err(invalid)
    }

    /// A round of the pass's innermost loop alone; the multiply-adds of it.
    pub fn tiles(&self) -> f64 {
        self.0.tiles()
    }

    /// Multiply-adds of a pass.
    #[wasm_bindgen(js_name = multiplyAdds)]
    pub fn multiply_adds(&self) -> f64 {
        self.0.multiply_adds()
    }

    /// The token of each cell.
    pub fn ids(&self) -> Vec<u32> {
        self.0.ids().to_vec()
    }

    /// The cells whose logits are wanted.
    pub fn rows(&self) -> Vec<u32> {
        self.0.rows().iter().map(|&row| row as u32).collect()
    }

    /// What the last pass answered: `rows` times the vocabulary.
    pub fn logits(&self) -> Vec<f32> {
        self.0.logits().to_vec()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    sizes: Option<Vec<String>>,
    canvases: Option<Vec<usize>>,
    formats: Option<Vec<BenchFormat>>,
}

impl Plan {
    fn read(self) -> Result<GpuPlan, JsValue> {
        let named = |sizes: Vec<String>| -> Result<Vec<ModelSize>, JsValue> {
            let sizes = sizes.iter().map(|size| size_named(size).map_err(invalid));
            sizes.collect()
        };
        Ok(GpuPlan {
            sizes: self.sizes.map(named).transpose()?,
            canvases: self.canvases,
            formats: self.formats,
            memory: None,
        })
    }
}

/// Steps on the graphics card: the report of `lacuna bench gpu`. `plan` may hold `sizes`,
/// `canvases` and `formats`; `tell` is called with what is measured next.
///
/// # Errors
/// Rejects if there is no adapter, or it fails at the first measurements.
#[wasm_bindgen(js_name = measureGpu)]
pub async fn measure_gpu(plan: JsValue, tell: Function) -> Result<JsValue, JsValue> {
    let plan: Plan = from_js(plan, "the plan")?;
    let tell = move |what: &str| {
        // Whoever listens is told, not asked.
        let _ = tell.call1(&JsValue::UNDEFINED, &JsValue::from_str(what));
    };
    let plan = plan.read()?;
    let report = lacuna_bench::gpu::measure(&plan, &micros, &tell).await;
    let report = report.map_err(invalid)?;
    #[derive(Serialize)]
    struct Told<'a> {
        report: &'a lacuna_bench::gpu::GpuReport,
        markdown: String,
    }
    to_js(&Told {
        report: &report,
        markdown: markdown::gpu(&report, false),
    })
}

/// Every kernel against its twin on the processor, on the page's own adapter, at few shapes:
/// a list of `{ kernel, shape, difference, tolerance, passed }`.
///
/// # Errors
/// Rejects if there is no adapter, or it fails.
#[wasm_bindgen(js_name = verifyKernels)]
pub async fn verify() -> Result<JsValue, JsValue> {
    let device = GpuDevice::request(DeviceOptions::default());
    let device = device.await.map_err(invalid)?;
    let checks = verify_kernels(&device, Effort::Quick)
        .await
        .map_err(invalid)?;
    #[derive(Serialize)]
    struct Judged {
        kernel: String,
        shape: String,
        difference: f32,
        tolerance: f32,
        passed: bool,
    }
    let judged: Vec<Judged> = checks
        .into_iter()
        .map(|check| Judged {
            passed: check.passed(),
            kernel: check.kernel,
            shape: check.shape,
            difference: check.difference,
            tolerance: check.tolerance,
        })
        .collect();
    to_js(&judged)
}

fn micros() -> f64 {
    performance_now() * 1000.0
}

fn invalid(error: impl std::fmt::Display) -> JsValue {
    thrown(Fault::new("bench", error.to_string()))
}
