//! What a run takes: time of the processor where one thread does all of it, since other
//! programs of a busy machine do not lengthen it as they do the time of the clock on the
//! wall. A live model has threads of its own, or waits for a card: there the wall's it is.

pub use crate::files::now_ms as wall_ms;

/// Milliseconds that this thread has computed.
#[cfg(unix)]
pub fn computed_ms() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    spent.tv_sec as f64 * 1e3 + spent.tv_nsec as f64 / 1e6
}

/// Elsewhere the time on the wall.
#[cfg(not(unix))]
pub fn computed_ms() -> f64 {
    wall_ms()
}
