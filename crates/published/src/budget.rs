//! Stopping in the middle: to be out of time or of memory is an outcome of its own.
//!
//! One [`Ticker`] goes through a whole check. Whatever may take long counts steps, and
//! whatever may grow counts the bytes that it puts down. What allocators and tables keep
//! in reserve is not counted, so a check may hold up to about twice as much.

/// Why a check ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The caller's function said that it is enough.
    #[error("out of time before the answer was known")]
    Time,
    /// What was put down outgrew its bound.
    #[error("out of memory before the answer was known")]
    Memory,
}

/// Asks now and then whether to stop, and counts bytes.
pub struct Ticker<'a> {
    stop: &'a dyn Fn() -> bool,
    steps: usize,
    /// Bytes that may still be put down.
    room: usize,
}

/// Steps between two questions: some microseconds' work.
const STEPS: usize = 4096;

impl<'a> Ticker<'a> {
    /// Bytes that a check may put down.
    pub const ROOM: usize = 1 << 30;

    /// A ticker that asks `stop`, for a check.
    pub fn new(stop: &'a dyn Fn() -> bool) -> Self {
        Self::with_room(stop, Self::ROOM)
    }

    /// The same for so many bytes.
    pub fn with_room(stop: &'a dyn Fn() -> bool, bytes: usize) -> Self {
        let (steps, room) = (0, bytes);
        Self { stop, steps, room }
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
            true => Err(Stopped::Time),
            false => Ok(()),
        }
    }

    /// Counts bytes that are put down.
    ///
    /// # Errors
    /// When there is no room for them.
    #[inline]
    pub fn hold(&mut self, bytes: usize) -> Result<(), Stopped> {
        self.room = self.room.checked_sub(bytes).ok_or(Stopped::Memory)?;
        Ok(())
    }

    /// Counts bytes that were held and are no more.
    #[inline]
    pub fn release(&mut self, bytes: usize) {
        self.room = self.room.saturating_add(bytes);
    }
}

/// For checks that may take as long as they take.
pub fn never() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_what_was_given_back() {
        let mut ticker = Ticker::with_room(&never, 10);
        assert_eq!(ticker.hold(8), Ok(()));
        assert_eq!(ticker.hold(3), Err(Stopped::Memory));
        let mut ticker = Ticker::with_room(&never, 10);
        assert_eq!(ticker.hold(8), Ok(()));
        ticker.release(8);
        assert_eq!(ticker.hold(10), Ok(()));
    }

    #[test]
    fn time_is_asked_for_after_some_steps() {
        let mut ticker = Ticker::new(&|| true);
        assert_eq!(ticker.tick(), Ok(()));
        assert_eq!(ticker.spend(STEPS), Err(Stopped::Time));
    }
}
