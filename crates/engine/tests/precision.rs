//! Half precision and tuned variants are taken where they are right and faster, and a card
//! in place of another goes on in the same way.
//!
//! Needs an adapter, for which Mesa's lavapipe will do; where there is none, that is
//! said, and with `LACUNA_REQUIRE_GPU=1` it is a failure.
#![cfg(feature = "gpu")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use lacuna_engine::{Clock, DevicePreference, Engine, LoadOptions, Tunings, WeightFiles, block_on};
use lacuna_gpu::{DeviceInfo, DeviceOptions, GpuDevice, GpuError};

/// What there is to test with, if there is anything.
fn adapter() -> Option<DeviceInfo> {
    match block_on(GpuDevice::request(DeviceOptions::default())) {
        Ok(device) => Some(device.info().clone()),
        Err(error @ GpuError::NoAdapter { .. }) => {
            let required = std::env::var("LACUNA_REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "an adapter is required: {error}");
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn load(options: LoadOptions) -> Engine {
    let part = |name: &str| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lacuna-mini");
        std::fs::read(root.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    block_on(Engine::load(
        &part("config.json"),
        &part("tokenizer.json"),
        WeightFiles::whole(&part("model.safetensors")).expect("weights"),
        options,
    ))
    .unwrap_or_else(|fault| panic!("{fault}"))
}

/// A clock by which the processor takes a second each time, and the card `first`, then `next`
/// from its sixth time on, when a software adapter's second probe begins.
fn clock(first: f64, next: f64) -> Clock {
    let calls = AtomicU32::new(0);
    let now = Mutex::new(0.0);
    Arc::new(move || {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        let passed = match call % 3 {
            0 => 0.0,
            1 => 1.0,
            _ if call / 3 < 5 => first,
            _ => next,
        };
        let mut now = now.lock().expect("one thread");
        *now += passed;
        *now
    })
}

#[test]
fn half_precision_is_taken_where_it_is_faster() {
    let Some(adapter) = adapter() else { return };
    for (next, is_faster) in [(0.25, true), (0.75, false)] {
        let options = LoadOptions::new(DevicePreference::Auto, clock(0.5, next));
        let report = load(options).device();
        assert_ne!(report.device, "cpu", "{}", report.why);
        let half = report.why.contains("half precision");
        assert_eq!(half, is_faster && adapter.f16, "{}", report.why);
    }
}

#[derive(Default)]
struct InMemory {
    kept: Mutex<BTreeMap<String, String>>,
    puts: AtomicU32,
}

impl Tunings for InMemory {
    fn get(&self, key: &str) -> Option<String> {
        self.kept.lock().expect("one thread").get(key).cloned()
    }

    fn put(&self, key: &str, tuning: &str) {
        self.puts.fetch_add(1, Ordering::Relaxed);
        let mut kept = self.kept.lock().expect("one thread");
        kept.insert(key.to_owned(), tuning.to_owned());
    }
}

#[test]
fn an_adapter_is_tuned_once_and_again_where_that_is_lost() {
    let Some(adapter) = adapter() else { return };
    let tunings = Arc::new(InMemory::default());
    let puts = u32::from(adapter.timestamps);
    for (spoilt, puts) in [(false, puts), (false, puts), (true, 2 * puts)] {
        if spoilt {
            let mut kept = tunings.kept.lock().expect("one thread");
            kept.values_mut().for_each(|tuning| tuning.truncate(9));
        }
        let mut options = LoadOptions::new(DevicePreference::Gpu, Arc::new(|| 0.0));
        // Fewer tiles to measure.
        options.card.device.limits.threads = 64;
        options.card.tunings = Some(Arc::clone(&tunings) as Arc<dyn Tunings>);
        load(options);
        assert_eq!(tunings.puts.load(Ordering::Relaxed), puts);
    }
    if !adapter.timestamps {
        return;
    }
    let kept = tunings.kept.lock().expect("one thread");
    let (key, tuning) = kept.first_key_value().expect("one adapter");
    assert!(key.starts_with(&adapter.key()), "{key}");
    assert!(tuning.contains("Single"), "{tuning}");
    assert_eq!(tuning.contains("Half"), adapter.f16, "{tuning}");
}
