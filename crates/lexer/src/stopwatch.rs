/// Adds up the time of a part of the work, by a clock that is handed in; without one, none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stopwatch {
    clock: Option<fn() -> f64>,
    ms: f64,
}

impl Stopwatch {
    /// One that reads this clock, which gives milliseconds from any origin.
    pub fn by(clock: fn() -> f64) -> Self {
        Self {
            clock: Some(clock),
            ms: 0.0,
        }
    }

    /// When a piece of the work begins.
    pub fn start(&self) -> Option<f64> {
        self.clock.map(|clock| clock())
    }

    /// That piece has ended.
    pub fn stop(&mut self, started: Option<f64>) {
        if let (Some(clock), Some(started)) = (self.clock, started) {
            self.ms += clock() - started;
        }
    }

    /// Milliseconds so far.
    pub fn ms(&self) -> f64 {
        self.ms
    }
}
