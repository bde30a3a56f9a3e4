//! Whatever becomes of a graphics card in the middle of a run, the run ends with
//! the text that it would have had, and says that the model moved.
//!
//! Needs an adapter, for which Mesa's lavapipe will do; where there is none, that is
//! said, and with `LACUNA_REQUIRE_GPU=1` it is a failure.
#![cfg(feature = "gpu")]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lacuna_decoder::{Event, Options};
use lacuna_engine::{
    DevicePreference, Dialect, Engine, GenerateRequest, LoadOptions, ModelRun, WeightFiles,
    block_on,
};
use lacuna_gpu::{DeviceOptions, GpuDevice, GpuError, MemoryPlan, NoMemory, StepSize};

fn file(path: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn options(device: DevicePreference) -> LoadOptions {
    LoadOptions::new(device, Arc::new(|| 0.0))
}

fn part(name: &str) -> Vec<u8> {
    file(&format!("models/lacuna-mini/{name}"))
}

fn try_load(options: LoadOptions) -> Result<Engine, lacuna_engine::Fault> {
    load_with(&part("model.safetensors"), options)
}

fn load_with(weights: &[u8], options: LoadOptions) -> Result<Engine, lacuna_engine::Fault> {
    let (config, tokenizer) = (part("config.json"), part("tokenizer.json"));
    let weights = WeightFiles::whole(weights)?;
    block_on(Engine::load(&config, &tokenizer, weights, options))
}

/// The weights with all between the first feed-forward's matrices this many times as large, and
/// what comes of it the same.
fn strained(times: f32) -> Vec<u8> {
    let mut weights = part("model.safetensors");
    let (length, rest) = weights.split_at_mut(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
    let (header, values) = rest.split_at_mut(length);
    let header: serde_json::Value = serde_json::from_slice(header).expect("JSON");
    for (matrix, factor) in [("up", times), ("down", times.recip())] {
        let scales = &header[format!("model.layers.0.mlp.{matrix}_proj.weight_scale")];
        let offset = |at: usize| scales["data_offsets"][at].as_u64().expect("an offset") as usize;
        for scale in values[offset(0)..offset(1)].as_chunks_mut::<4>().0 {
            *scale = (f32::from_le_bytes(*scale) * factor).to_le_bytes();
        }
    }
    weights
}

fn load(options: LoadOptions) -> Engine {
    try_load(options).unwrap_or_else(|fault| panic!("{fault}"))
}

/// Whether there is an adapter to test with.
fn has_adapter() -> bool {
    match block_on(GpuDevice::request(DeviceOptions::default())) {
        Ok(_) => true,
        Err(error @ GpuError::NoAdapter { .. }) => {
            let required = std::env::var("LACUNA_REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "an adapter is required: {error}");
            println!("skipped: {error}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Refusals and recoveries are many here, so that second looks are needed.
fn start(engine: &Engine, temperature: f32) -> ModelRun {
    let schema = String::from_utf8(file("grammars/snips.schema.json")).expect("text");
    let request = GenerateRequest {
        request: "book a table for two in Boston tomorrow".to_owned(),
        task: None,
        grammar: (Dialect::JsonSchema, schema),
        texts: Vec::new(),
        lists: Vec::new(),
        max_depth: None,
        matching: None,
        schema: Default::default(),
        options: Options {
            length: 28,
            steps: 7,
            temperature,
            seed: 5,
            candidates: 2,
            ..Options::default()
        },
        judge: lacuna_engine::Judge::Checker,
    };
    engine
        .start(&request, Box::new(|| 0.0))
        .unwrap_or_else(|fault| panic!("{fault}"))
}

struct Ended {
    text: String,
    /// The devices that the model moved to, with the steps.
    moves: Vec<(usize, String)>,
}

/// Runs to the end; `before` sees the number of each step before it is taken.
fn run(engine: &Engine, temperature: f32, mut before: impl FnMut(usize)) -> Ended {
    let mut run = start(engine, temperature);
    let mut ended = Ended {
        text: String::new(),
        moves: Vec::new(),
    };
    for step in 0.. {
        before(step);
        let events = block_on(run.step()).unwrap_or_else(|fault| panic!("{fault}"));
        for event in events {
            match event {
                Event::Move { step, to } => ended.moves.push((step, to.device)),
                Event::Done { text, .. } => {
                    ended.text = String::from_utf8(text).expect("a text");
                    return ended;
                }
                _ => {}
            }
        }
    }
    unreachable!("a run ends")
}

/// Does something to the device that the engine has now.
fn to_device(engine: &Engine, act: impl FnOnce(&GpuDevice)) {
    if let Some(device) = block_on(engine.gpu()) {
        act(&device);
    }
}

#[test]
fn a_lost_device_is_replaced_once_and_then_given_up() {
    if !has_adapter() {
        return;
    }
    let cpu = load(options(DevicePreference::Cpu));
    for temperature in [0.0, 0.7] {
        let expected = run(&cpu, temperature, |_| ()).text;
        let engine = load(options(DevicePreference::Gpu));
        let interface = engine.device().device;
        assert_ne!(interface, "cpu");
        let untouched = run(&engine, temperature, |_| ());
        assert!(untouched.moves.is_empty());
        assert_eq!(untouched.text, expected, "the same up to the tolerance");

        let ended = run(&engine, temperature, |step| {
            if step == 2 || step == 5 {
                to_device(&engine, GpuDevice::destroy);
            }
        });
        assert_eq!(ended.text, expected);
        assert_eq!(ended.moves, [(2, interface), (5, "cpu".to_owned())]);
        let report = engine.device();
        assert_eq!(report.device, "cpu");
        assert!(report.why.contains("lost"), "{}", report.why);

        let later = run(&engine, temperature, |_| ());
        assert!(later.moves.is_empty(), "a move is told of once");
        assert_eq!(later.text, expected);
    }
}

#[test]
fn two_cards_need_not_have_room_at_once() {
    if !has_adapter() {
        return;
    }
    // Every wait is timed, and cards have longer to be opened than to answer.
    let answer = Duration::from_secs(30);
    let failed: Arc<Mutex<Option<GpuDevice>>> = Arc::default();
    let left: Arc<Mutex<Vec<u64>>> = Arc::default();
    let mut options = options(DevicePreference::Gpu);
    options.card.device.time_limit = answer;
    let (watched, seen) = (Arc::clone(&failed), Arc::clone(&left));
    options.card.timer = Some(Arc::new(move |limit| {
        let watched = watched.lock().expect("one thread");
        let bytes = watched.as_ref().filter(|_| limit > answer);
        let mut seen = seen.lock().expect("one thread");
        seen.extend(bytes.map(GpuDevice::live_bytes));
        Box::pin(std::future::pending())
    }));
    let engine = load(options);
    let ended = run(&engine, 0.0, |step| {
        if step == 1 {
            let device = block_on(engine.gpu()).expect("a device");
            assert!(device.live_bytes() > 0);
            device.fail(GpuError::TimedOut { seconds: 1 });
            *failed.lock().expect("one thread") = Some(device);
        }
    });
    assert_eq!(ended.moves.len(), 1);
    assert_eq!(*left.lock().expect("one thread"), [0]);
}

#[test]
fn numbers_too_large_for_half_precision_are_computed_in_single() {
    if !has_adapter() {
        return;
    }
    // Powers of two change no digit of what has room for them.
    let weights = strained(65536.0 * 16.0);
    let cpu = load_with(&weights, options(DevicePreference::Cpu)).expect("a model");
    let expected = run(&cpu, 0.0, |_| ()).text;
    let mut halved = options(DevicePreference::Gpu);
    halved.card.model.half = true;
    let engine = load_with(&weights, halved).expect("a model");
    let interface = engine.device().device;
    let half = block_on(engine.gpu()).expect("a device").info().f16;
    let ended = run(&engine, 0.0, |_| ());
    assert_eq!(ended.text, expected);
    if half {
        assert_eq!(ended.moves, [(0, interface.clone())]);
    }
    // A card in place of this one is to be spared that.
    let later = run(&engine, 0.0, |step| {
        if step == 1 {
            to_device(&engine, GpuDevice::destroy);
        }
    });
    assert_eq!(later.text, expected);
    assert_eq!(later.moves, [(1, interface)]);
}

#[test]
fn only_what_the_processor_cannot_compute_either_is_the_weights_fault() {
    if !has_adapter() {
        return;
    }
    let weights = strained(1e38);
    let engine = load_with(&weights, options(DevicePreference::Gpu)).expect("a model");
    let fault = block_on(start(&engine, 0.0).step()).expect_err("they overflow");
    assert!(fault.message.contains("not finite"), "{fault}");
    assert_eq!(engine.device().device, "cpu");
}

#[test]
fn each_run_may_have_a_fresh_device() {
    if !has_adapter() {
        return;
    }
    let engine = load(options(DevicePreference::Gpu));
    for _ in 0..2 {
        let ended = run(&engine, 0.0, |step| {
            if step == 1 {
                to_device(&engine, GpuDevice::destroy);
            }
        });
        assert_eq!(ended.moves.len(), 1);
        assert_ne!(engine.device().device, "cpu");
    }
}

#[test]
fn a_fault_between_a_step_and_its_second_look_changes_nothing() {
    if !has_adapter() {
        return;
    }
    // The device is lost while a step is under way: from another thread, at any time.
    let cpu = load(options(DevicePreference::Cpu));
    let expected = run(&cpu, 0.0, |_| ()).text;
    for delay in [2, 25] {
        let engine = load(options(DevicePreference::Gpu));
        let mut other = None;
        let ended = run(&engine, 0.0, |step| {
            if step == 1 {
                let device = block_on(engine.gpu()).expect("a device");
                other = Some(std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(delay));
                    device.destroy();
                }));
            }
        });
        if let Some(other) = other {
            other.join().expect("a thread that ends");
        }
        assert_eq!(ended.text, expected, "after {delay} ms");
        assert!(ended.moves.len() <= 1);
    }
}

#[test]
fn a_device_that_does_not_answer_or_has_no_memory_left_is_left() {
    if !has_adapter() {
        return;
    }
    let cpu = load(options(DevicePreference::Cpu));
    let expected = run(&cpu, 0.0, |_| ()).text;
    let memory = GpuError::OutOfMemory(NoMemory {
        what: "a buffer".to_owned(),
        needed: Some(8),
        ..NoMemory::default()
    });
    for (error, goes_on) in [
        (GpuError::TimedOut { seconds: 1 }, None),
        (memory, Some("cpu")),
    ] {
        let engine = load(options(DevicePreference::Gpu));
        let interface = engine.device().device;
        let ended = run(&engine, 0.0, |step| {
            if step == 3 {
                to_device(&engine, |device| device.fail(error.clone()));
            }
        });
        assert_eq!(ended.text, expected);
        let place = goes_on.map_or(interface, str::to_owned);
        assert_eq!(ended.moves, [(3, place)]);
    }
}

#[test]
fn memory_that_gives_out_in_mid_run_moves_the_run() {
    if !has_adapter() {
        return;
    }
    let cpu = load(options(DevicePreference::Cpu));
    let expected = run(&cpu, 0.0, |_| ()).text;
    // Room for the weights and a step of one cell, which is what loading asks for.
    let engine = load(options(DevicePreference::Gpu));
    let device = block_on(engine.gpu()).expect("a device");
    let one = StepSize {
        length: 1,
        rows: 1,
        top: 1,
        kept: false,
    };
    let plan = MemoryPlan::for_model(engine.config(), false, one, &device.info().limits);
    let mut tight = options(DevicePreference::Gpu);
    tight.card.device.memory = Some(plan.expect("a plan").total() + 4096);
    let engine = load(tight);
    let ended = run(&engine, 0.0, |_| ());
    assert_eq!(ended.text, expected);
    assert_eq!(ended.moves, [(0, "cpu".to_owned())]);
    assert!(engine.device().why.contains("memory") || engine.device().why.contains("bytes"));
}

#[test]
fn a_card_without_room_for_the_weights_is_an_error_or_the_cpu() {
    if !has_adapter() {
        return;
    }
    let tiny = |device| {
        let mut options = options(device);
        options.card.device.memory = Some(1 << 20);
        options
    };
    let fault = try_load(tiny(DevicePreference::Gpu))
        .err()
        .expect("no room");
    assert_eq!(fault.kind, "device");
    assert!(fault.message.contains("bytes"), "{fault}");
    let report = load(tiny(DevicePreference::Auto)).device();
    assert_eq!(report.device, "cpu");
    assert!(report.why.contains("bytes"), "{}", report.why);
}

#[test]
fn an_adapter_without_half_precision_and_subgroups_writes_the_same() {
    if !has_adapter() {
        return;
    }
    let cpu = load(options(DevicePreference::Cpu));
    let expected = run(&cpu, 0.0, |_| ()).text;
    let mut plain = options(DevicePreference::Gpu);
    (plain.card.device.f16, plain.card.device.subgroups) = (false, false);
    let engine = load(plain);
    let device = block_on(engine.gpu()).expect("a device");
    assert!(!device.info().f16 && !device.info().subgroups);
    assert_eq!(run(&engine, 0.0, |_| ()).text, expected);
}

#[test]
fn two_runs_in_turn_do_not_disturb_one_another() {
    if !has_adapter() {
        return;
    }
    for device in [DevicePreference::Cpu, DevicePreference::Gpu] {
        let engine = load(options(device));
        let alone = run(&engine, 0.7, |_| ()).text;
        let mut other = start(&engine, 0.0);
        let together = run(&engine, 0.7, |_| {
            block_on(other.step()).expect("a step");
        });
        assert_eq!(together.text, alone);
    }
}

#[test]
fn a_dropped_engine_leaves_nothing_on_the_card() {
    if !has_adapter() {
        return;
    }
    let engine = load(options(DevicePreference::Gpu));
    let device = block_on(engine.gpu()).expect("a device");
    run(&engine, 0.0, |_| ());
    assert!(device.live_bytes() > 5_000_000, "{}", device.live_bytes());
    drop(engine);
    assert_eq!(device.live_bytes(), 0);
}

#[test]
fn auto_says_what_it_chose_and_why() {
    let origin = std::time::Instant::now();
    let clock = Arc::new(move || origin.elapsed().as_secs_f64() * 1000.0);
    let engine = load(LoadOptions::new(DevicePreference::Auto, clock));
    let report = engine.device();
    let reasons = ["times as long", "agrees", "differed", "adapter"];
    assert!(
        reasons.iter().any(|reason| report.why.contains(reason)),
        "{report:?}"
    );
    let software = report.why.contains("software");
    assert!(!software || report.device == "cpu", "{report:?}");
}
