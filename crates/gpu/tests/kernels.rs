//! Every kernel against its twin on the CPU: each tile with each format and with each epilogue;
//! with `LACUNA_GPU_THOROUGH=1` all combinations, which take minutes to compile.

use crate::common;
use lacuna_gpu::{Effort, KernelCheck, verify_kernels};

#[test]
fn every_kernel_computes_what_its_twin_does_and_writes_nothing_else() {
    let Some(device) = common::device() else {
        return;
    };
    let effort = match std::env::var_os("LACUNA_GPU_THOROUGH") {
        Some(_) => Effort::Thorough,
        None => Effort::Quick,
    };
    let checks = pollster::block_on(verify_kernels(&device, effort)).expect("an answer");
    let failed: Vec<&KernelCheck> = checks.iter().filter(|check| !check.passed()).collect();
    println!("{} checks", checks.len());
    assert!(
        failed.is_empty(),
        "{} of {}: {failed:#?}",
        failed.len(),
        checks.len()
    );
    for stage in [
        "embed",
        "gather",
        "project",
        "rotate",
        "attend",
        "summarize",
    ] {
        assert!(checks.iter().any(|check| check.kernel.starts_with(stage)));
    }
    if device.info().f16 {
        assert!(checks.iter().any(|check| check.kernel.ends_with("f16")));
    }
}
