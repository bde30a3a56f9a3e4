//! Faults of a device, limits that are too small, and what is left when a model has gone.

use crate::common::random_model::{self, Random};
use crate::common::{self, device, device_with, load, small};
use lacuna_gpu::{
    DeviceOptions, GpuDevice, GpuError, GpuLimits, GpuTransformer, MemoryPlan, StepSize,
    TransformerOptions,
};
use lacuna_logits::TokenSet;
use lacuna_model::pass::DeviceFault;
use lacuna_model::{ForwardError, ForwardPass, Narrow, StepRequest, WeightFormat, Weights, plain};
use std::time::Duration;

fn weights(format: WeightFormat) -> Weights {
    let mut config = small(&mut Random(21), Some(format));
    (config.vocab_size, config.hidden_size) = (900, 160);
    config.intermediate_size = 224;
    (config.head_dim, config.num_hidden_layers) = (16, 2);
    random_model::weights(&config, 21)
}

fn step(model: &mut GpuTransformer) -> Result<usize, ForwardError> {
    step_of(model, 30)
}

fn step_of(model: &mut GpuTransformer, length: usize) -> Result<usize, ForwardError> {
    let vocab = model.config().vocab_size;
    let request = StepRequest {
        ids: &vec![1; length],
        rows: &[0, 7, 29],
        writable: &TokenSet::from_fn(vocab, |_| true),
        top: 4,
        noise: None,
        kept: None,
    };
    pollster::block_on(model.step(&request)).map(|rows| rows.len())
}

fn kind(error: &ForwardError) -> Option<DeviceFault> {
    match error {
        ForwardError::Device { kind, .. } => Some(*kind),
        _ => None,
    }
}

#[test]
fn a_destroyed_device_is_lost() {
    let Some(device) = device() else { return };
    let mut model = load(&device, &weights(WeightFormat::Int8));
    assert_eq!(step(&mut model), Ok(3));
    device.destroy();
    for _ in 0..2 {
        let error = step(&mut model).expect_err("the device is gone");
        assert_eq!(kind(&error), Some(DeviceFault::Lost), "{error}");
    }
    let options = TransformerOptions::default();
    let weights = weights(WeightFormat::Int8);
    let again = pollster::block_on(GpuTransformer::new(&device, &weights, &options));
    assert!(matches!(again, Err(GpuError::Lost { .. })));
    // A fresh one is not.
    let fresh = common::device().expect("as before");
    assert_eq!(step(&mut load(&fresh, &weights)), Ok(3));
}

/// While steps run, as a driver's reset would come.
#[test]
fn a_device_destroyed_in_mid_run_is_lost() {
    let Some(device) = device() else { return };
    let mut model = load(&device, &weights(WeightFormat::Int8));
    assert_eq!(step(&mut model), Ok(3));
    let elsewhere: GpuDevice = device.clone();
    let destroyer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        elsewhere.destroy();
    });
    let error = loop {
        if let Err(error) = step(&mut model) {
            break error;
        }
    };
    assert_eq!(kind(&error), Some(DeviceFault::Lost), "{error}");
    destroyer.join().expect("it only destroys");
}

#[test]
fn no_answer_in_time_is_a_fault() {
    let options = DeviceOptions {
        time_limit: Duration::ZERO,
        ..DeviceOptions::default()
    };
    let Some(device) = device_with(options) else {
        return;
    };
    let mut model = load(&device, &weights(WeightFormat::Int8));
    let error = step(&mut model).expect_err("there is no time");
    assert_eq!(kind(&error), Some(DeviceFault::TimedOut), "{error}");
}

#[test]
fn memory_that_is_not_there_is_an_error_that_says_how_much() {
    let Some(unlimited) = device() else { return };
    let weights = weights(WeightFormat::Int8);
    let size = StepSize {
        length: 100,
        rows: 3,
        top: 4,
        kept: false,
    };
    let limits = &unlimited.info().limits;
    let plan = MemoryPlan::for_model(&weights.config, false, size, limits).expect("it fits");
    let with_memory = |memory| {
        device_with(DeviceOptions {
            memory: Some(memory),
            ..DeviceOptions::default()
        })
        .expect("as before")
    };
    // The weights are refused before any of them is loaded.
    let device = with_memory(plan.weight_bytes() - 1000);
    let options = TransformerOptions::default();
    match pollster::block_on(GpuTransformer::new(&device, &weights, &options)) {
        Err(GpuError::OutOfMemory(memory)) => {
            let missing = memory.missing.expect("how much there is was said");
            assert!(missing > 1000 && memory.needed > Some(missing));
        }
        other => panic!("{:?}", other.err()),
    }
    assert_eq!(device.live_bytes(), 0);
    // The weights fit, and the shortest step, but not this one.
    let device = with_memory(plan.total() - 1);
    let mut model = load(&device, &weights);
    let error = step_of(&mut model, 100).expect_err("there is no room");
    assert_eq!(kind(&error), Some(DeviceFault::OutOfMemory), "{error}");
    let all = format!("the model takes {} in all", plan.total());
    let message = error.to_string();
    assert!(message.contains("bytes were allocated before"), "{message}");
    assert!(message.ends_with(&all), "{message}");
    drop(model);
    assert_eq!(device.live_bytes(), 0);
}

#[test]
fn what_is_planned_is_what_is_allocated() {
    let Some(device) = device() else { return };
    for format in [WeightFormat::Int8, WeightFormat::Int4] {
        let weights = weights(format);
        let size = StepSize {
            length: 30,
            rows: 3,
            top: 4,
            kept: false,
        };
        let limits = &device.info().limits;
        let plan = MemoryPlan::for_model(&weights.config, false, size, limits).expect("it fits");
        let mut model = load(&device, &weights);
        assert_eq!(device.live_bytes(), plan.weight_bytes());
        assert_eq!(step(&mut model), Ok(3));
        // The shapes of the dispatches are not planned for.
        let shapes = device.live_bytes() - plan.total();
        assert!(shapes <= 1 << 14, "{shapes}");
    }
}

#[test]
fn loading_and_disposing_leaves_nothing() {
    let Some(device) = device() else { return };
    let weights = weights(WeightFormat::Int8);
    let mut high = Vec::new();
    for _ in 0..20 {
        let mut model = load(&device, &weights);
        assert_eq!(step(&mut model), Ok(3));
        high.push(device.live_bytes());
        model.dispose();
        assert_eq!(device.live_bytes(), 0);
    }
    assert!(high.iter().all(|&bytes| bytes == high[0] && bytes > 0));
    assert_eq!(device.fault(), None);
}

/// Matrices and logits that no binding holds whole, little workgroup memory, few threads.
#[test]
fn small_limits_split_and_change_nothing() {
    for format in [WeightFormat::Int8, WeightFormat::Int4] {
        let options = DeviceOptions {
            limits: GpuLimits {
                buffer: 1 << 17,
                binding: 1 << 16,
                workgroup_bytes: 1 << 14,
                threads: 128,
                workgroups: 65_535,
            },
            f16: false,
            subgroups: false,
            ..DeviceOptions::default()
        };
        let Some(device) = device_with(options) else {
            return;
        };
        let weights = weights(format);
        let size = StepSize {
            length: 40,
            rows: 40,
            top: 16,
            kept: false,
        };
        let limits = &device.info().limits;
        assert!(
            MemoryPlan::for_model(&weights.config, false, size, limits)
                .expect("it fits")
                .weights
                .iter()
                .any(|buffers| buffers.name == "the embedding" && buffers.parts > 1)
        );
        let options = TransformerOptions {
            half: true,
            ..TransformerOptions::default()
        };
        let model = GpuTransformer::new(&device, &weights, &options);
        let mut model = pollster::block_on(model).expect("it fits");
        assert!(!model.is_half(), "the adapter has no halves");
        let ids: Vec<u32> = (0..13).map(|id| id * 17).collect();
        let rows: Vec<usize> = (0..13).rev().chain(0..20).map(|row| row % 13).collect();
        let request = StepRequest {
            ids: &ids,
            rows: &rows,
            writable: &TokenSet::from_fn(900, |_| true),
            top: 16,
            noise: None,
            kept: None,
        };
        let expected = plain::logits(&weights, &ids);
        let summaries = pollster::block_on(model.step(&request)).expect("a step");
        let allowed = TokenSet::from_fn(900, |token| token > 700);
        let asks = [32, 2, 20].map(|row| Narrow {
            row,
            allowed: &allowed,
        });
        let narrowed = pollster::block_on(model.narrow(&asks)).expect("a second look");
        let first = rows
            .iter()
            .zip(summaries.iter().map(|summary| &summary.best));
        let second = asks.iter().map(|ask| &rows[ask.row]).zip(&narrowed);
        for (&row, best) in first.chain(second) {
            assert_eq!(best.len(), 16);
            for scored in best {
                let gap = scored.logit - expected[row][scored.token as usize];
                assert!(gap.abs() < 1e-4, "{gap}");
            }
        }
        assert!(narrowed.iter().flatten().all(|scored| scored.token > 700));
    }
}

#[test]
fn a_row_that_no_binding_holds_is_an_error() {
    let limits = GpuLimits {
        buffer: 1 << 20,
        binding: 1 << 10,
        ..GpuLimits::UNLIMITED
    };
    let mut config = small(&mut Random(1), Some(WeightFormat::Int8));
    config.hidden_size = 2000;
    let size = StepSize {
        length: 1,
        rows: 1,
        top: 1,
        kept: false,
    };
    match MemoryPlan::for_model(&config, false, size, &limits) {
        Err(GpuError::TooLarge {
            needed, allowed, ..
        }) => assert!(needed > allowed),
        other => panic!("{other:?}"),
    }
}
