//! Stopping in the middle: a time-out is an outcome of its own.

/// The caller's function said that it is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the answer was known")]
pub struct Stopped;

/// Asks now and then whether to stop.
pub struct Ticker<'a> {
    stop: &'a dyn Fn() -> bool,
    steps: usize,
}

/// Steps between two questions: some microseconds' work.
const STEPS: usize = 4096;

impl<'a> Ticker<'a> {
    /// A ticker that asks `stop`.
    pub fn new(stop: &'a dyn Fn() -> bool) -> Self {
        Self { stop, steps: 0 }
    }

    /// Counts a step.
    ///
    /// # Errors
    /// When the time is over.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Stopped> {
        self.spend(1)
    }

    /// Counts several steps.
    ///
    /// # Errors
    /// When the time is over.
    #[inline]
    pub fn spend(&mut self, steps: usize) -> Result<(), Stopped> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps < STEPS {
            return Ok(());
        }
        self.steps = 0;
        match (self.stop)() {
            true => Err(Stopped),
            false => Ok(()),
        }
    }
}

/// For checks that may take as long as they take.
pub fn never() -> bool {
    false
}
