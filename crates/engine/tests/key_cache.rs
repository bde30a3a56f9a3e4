//! Runs that keep keys and values: what a step may keep is part of what it is asked, so that a
//! run ends the same whoever else asks the model between its steps, and wherever the model
//! moves to in the middle of one.

use std::path::Path;
use std::sync::Arc;

use lacuna_decoder::{Event, KeyCache, Options};
use lacuna_engine::{
    DevicePreference, Dialect, Engine, GenerateRequest, Judge, LoadOptions, ModelRun, WeightFiles,
    block_on,
};

fn file(path: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn load(device: DevicePreference) -> Engine {
    let part = |name: &str| file(&format!("models/lacuna-mini/{name}"));
    let engine = block_on(Engine::load(
        &part("config.json"),
        &part("tokenizer.json"),
        WeightFiles::whole(&part("model.safetensors")).expect("weights"),
        LoadOptions::new(device, Arc::new(|| 0.0)),
    ));
    engine.unwrap_or_else(|fault| panic!("{fault}"))
}

/// Few candidates at a time, so that second looks are needed.
fn start(engine: &Engine, request: &str, key_cache: KeyCache) -> ModelRun {
    let schema = String::from_utf8(file("grammars/snips.schema.json")).expect("text");
    let request = GenerateRequest {
        request: request.to_owned(),
        task: None,
        grammar: (Dialect::JsonSchema, schema),
        texts: Vec::new(),
        lists: Vec::new(),
        max_depth: None,
        matching: None,
        schema: Default::default(),
        options: Options {
            length: 40,
            steps: 12,
            block: Some(10),
            key_cache,
            temperature: 0.7,
            seed: 3,
            candidates: 2,
            ..Options::default()
        },
        judge: Judge::Checker,
    };
    engine
        .start(&request, Box::new(|| 0.0))
        .unwrap_or_else(|fault| panic!("{fault}"))
}

/// Takes a step; the text, if the run is over.
fn step(run: &mut ModelRun) -> Option<String> {
    let events = block_on(run.step()).unwrap_or_else(|fault| panic!("{fault}"));
    events.into_iter().find_map(|event| match event {
        Event::Done { text, .. } => Some(String::from_utf8(text).expect("a text")),
        _ => None,
    })
}

fn finish(mut run: ModelRun) -> String {
    loop {
        if let Some(text) = step(&mut run) {
            return text;
        }
    }
}

const REQUESTS: [&str; 2] = [
    "book a table for two in Boston tomorrow",
    "play some jazz by Nina Simone",
];

#[test]
fn runs_that_take_turns_end_as_each_alone() {
    let engine = load(DevicePreference::Cpu);
    for key_cache in [KeyCache::Prefix, KeyCache::Dual] {
        let begin = || REQUESTS.map(|request| start(&engine, request, key_cache));
        let alone = begin().map(finish);
        let mut together = begin().map(|run| (run, None));
        while together.iter().any(|(_, text)| text.is_none()) {
            for (run, text) in &mut together {
                if text.is_none() {
                    *text = step(run);
                }
            }
        }
        let together = together.map(|(_, text)| text.unwrap_or_default());
        assert_eq!(together, alone, "{key_cache:?}");
    }
}

/// Needs an adapter, as the tests of faults do.
#[cfg(feature = "gpu")]
#[test]
fn a_run_that_moves_ends_as_it_would_have() {
    use lacuna_gpu::{DeviceOptions, GpuDevice, GpuError};

    match block_on(GpuDevice::request(DeviceOptions::default())) {
        Ok(_) => {}
        Err(error @ GpuError::NoAdapter { .. }) => {
            let required = std::env::var("LACUNA_REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "an adapter is required: {error}");
            println!("skipped: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    }
    let cpu = load(DevicePreference::Cpu);
    for key_cache in [KeyCache::Prefix, KeyCache::Dual] {
        let expected = finish(start(&cpu, REQUESTS[0], key_cache));
        let engine = load(DevicePreference::Gpu);
        let untouched = finish(start(&engine, REQUESTS[0], key_cache));
        assert_eq!(untouched, expected, "the same up to the tolerance");
        let mut run = start(&engine, REQUESTS[0], key_cache);
        // In the middle of a block: to a fresh device, and then to the processor.
        for steps in [2, 3] {
            for _ in 0..steps {
                assert_eq!(step(&mut run), None);
            }
            if let Some(device) = block_on(engine.gpu()) {
                device.destroy();
            }
        }
        assert_eq!(finish(run), expected, "{key_cache:?}");
        assert_eq!(engine.device().device, "cpu");
    }
}
