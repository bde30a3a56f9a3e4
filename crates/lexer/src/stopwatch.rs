//! How long a part of the work takes that is done in many small pieces.
//!
//! Reading a clock may take as long as a piece does. So where pieces are many, some are timed,
//! chosen at random, and count for the others, without what reading the clock takes. The grammar
//! engine alone, which is to be small, times nothing.

use lacuna_grammar::automaton::SHORTCUTS;

/// Pieces of which one is timed.
const PIECES: u32 = 16;

/// How often the clock is read to know what that takes.
const READINGS: u32 = 8;

/// Adds up the time of a part of the work, by a clock that is handed in; without one, none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stopwatch {
    clock: Option<fn() -> f64>,
    ms: f64,
    /// For how many pieces one stands that is timed, and pieces until the next one.
    pieces: u32,
    left: u32,
    random: u32,
    /// Milliseconds that reading the clock takes.
    reading: f64,
}

impl Stopwatch {
    /// One that reads this clock, which gives milliseconds from any origin, for each piece.
    pub fn by(clock: fn() -> f64) -> Self {
        Self {
            clock: Some(clock),
            pieces: 1,
            ..Self::default()
        }
    }

    /// One that reads it for one of sixteen pieces.
    pub fn sampling(clock: fn() -> f64) -> Self {
        let took = (0..READINGS).map(|_| -clock() + clock());
        Self {
            pieces: PIECES,
            reading: took.fold(f64::INFINITY, f64::min),
            ..Self::by(clock)
        }
    }

    /// When a piece of the work begins, if it is timed.
    pub fn start(&mut self) -> Option<f64> {
        let clock = self.clock.filter(|_| SHORTCUTS)?;
        if self.left > 0 {
            self.left -= 1;
            return None;
        }
        // As many are left out as stand between two, on average.
        self.random = self
            .random
            .wrapping_mul(0x0019_660d)
            .wrapping_add(0x3c6e_f35f);
        self.left = (self.random >> 16) % (2 * self.pieces - 1);
        Some(clock())
    }

    /// That piece has ended.
    pub fn stop(&mut self, started: Option<f64>) {
        if let (Some(clock), Some(started)) = (self.clock, started) {
            let took = (clock() - started - self.reading).max(0.0);
            self.ms += took * f64::from(self.pieces);
        }
    }

    /// Milliseconds so far, about.
    pub fn ms(&self) -> f64 {
        self.ms
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static NOW: Cell<f64> = const { Cell::new(0.0) };
    }

    /// A clock that takes a while to be read.
    fn clock() -> f64 {
        NOW.set(NOW.get() + 0.02);
        NOW.get()
    }

    /// The time of pieces of which every seventh takes a hundred times as long as the others do.
    fn timed(mut stopwatch: Stopwatch, pieces: u32) -> f64 {
        for piece in 0..pieces {
            let started = stopwatch.start();
            let took = if piece % 7 == 0 { 1.0 } else { 0.01 };
            NOW.set(NOW.get() + took);
            stopwatch.stop(started);
            NOW.set(NOW.get() + 5.0);
        }
        stopwatch.ms()
    }

    #[test]
    fn a_sample_says_about_what_all_pieces_take() {
        let exact = timed(Stopwatch::by(|| NOW.get()), 70_000);
        assert!((exact - 10_600.0).abs() < 1e-3, "{exact}");
        let sampled = timed(Stopwatch::sampling(clock), 70_000);
        assert!((sampled / exact - 1.0).abs() < 0.1, "{sampled} of {exact}");
        assert_eq!(timed(Stopwatch::default(), 10), 0.0);
    }
}
