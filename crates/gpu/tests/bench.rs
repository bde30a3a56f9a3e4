//! The measurements measure something, on models and matrices that are small enough for a
//! processor that pretends to be a card.

use crate::common;
use lacuna_gpu::bench::{ModelSize, RateOptions, bench_step, measure_rates, model_config};
use lacuna_gpu::{Format, Precision};
use lacuna_model::WeightFormat;
use std::time::Instant;

#[test]
fn rates_and_steps_are_measured() {
    let Some(device) = common::device() else {
        return;
    };
    let start = Instant::now();
    let clock = || start.elapsed().as_secs_f64() * 1e6;
    let options = RateOptions {
        copy_bytes: 1 << 22,
        side: 96,
        long_enough: 300.0,
    };
    let rates = pollster::block_on(measure_rates(&device, &options, &clock));
    let rates = rates.expect("rates");
    assert!(rates.copy_bytes_per_second > 0.0 && rates.plain_operations_per_second > 0.0);
    assert!(rates.idle_dispatch_micros > 0.0);
    let best = rates
        .best_product(Format::Int8, Precision::Single)
        .expect("a product");
    assert!(best.operations_per_second > 0.0);
    let mut config = model_config(ModelSize::M10, Some(WeightFormat::Int8));
    config.num_hidden_layers = 2;
    let bench = bench_step(&device, &config, false, [20, 5], &rates, &clock);
    let bench = pollster::block_on(bench).expect("a step");
    assert!(bench.step_micros > 0.0 && bench.kept_micros > 0.0);
    assert_eq!(bench.floor.is_some(), device.info().timestamps);
    println!(
        "{}",
        serde_json::to_string_pretty(&(rates, bench)).expect("JSON")
    );
}

#[test]
fn models_have_the_sizes_that_they_are_named_for() {
    for (size, millions) in [
        (ModelSize::M10, 10),
        (ModelSize::M100, 100),
        (ModelSize::M500, 500),
    ] {
        let parameters = model_config(size, None).parameter_count();
        assert!(
            (parameters as f64 / 1e6 / f64::from(millions) - 1.0).abs() < 0.12,
            "{parameters}"
        );
    }
}
