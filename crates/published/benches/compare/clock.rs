//! What a check takes: time of the processor, which other programs of a busy machine do not
//! lengthen as they do the time of the clock on the wall.

use std::time::Duration;

/// A point in time of this thread.
#[derive(Clone, Copy)]
pub struct Started(Duration);

impl Started {
    /// Now.
    pub fn now() -> Self {
        Self(spent())
    }

    /// What the thread has spent since.
    pub fn elapsed(self) -> Duration {
        spent().saturating_sub(self.0)
    }
}

#[cfg(unix)]
fn spent() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(spent.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(spent.tv_nsec).unwrap_or(0))
}

/// Elsewhere the time on the wall.
#[cfg(not(unix))]
fn spent() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGINNING.elapsed()
}
