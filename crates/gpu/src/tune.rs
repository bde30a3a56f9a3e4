//! How long matrix products take, by a clock that may be coarse.
//!
//! Browsers round timestamps to a tenth of a millisecond, and a small product takes a hundredth of
//! that. So products of one class are timed together, those of all blocks in turn, since each
//! block's weights come from memory then as they do in a step, and again and again until all of
//! it takes long enough.

use crate::recorder::Recorder;
use crate::tile::ProductClass;

/// Microseconds that a pass is to take: twenty ticks of the coarsest clock.
const LONG_ENOUGH: f64 = 2000.0;

/// Dispatches of a pass, at most, but for those of a step.
const MOST: usize = 1 << 12;

/// Passes that are long enough, of which the fastest counts.
const RUNS: usize = 2;

/// The products of one class in a step, and what is known of their time.
pub(crate) struct Timed {
    pub(crate) class: ProductClass,
    /// Where they are among the dispatches.
    places: Vec<usize>,
    times: usize,
    runs: usize,
    /// Microseconds of one of them.
    pub(crate) micros: f64,
}

impl Timed {
    /// All classes of products that were recorded.
    pub(crate) fn classes(recorder: &Recorder<'_>) -> Vec<Self> {
        let mut classes: Vec<Self> = Vec::new();
        for (at, dispatch) in recorder.dispatches().iter().enumerate() {
            let Some(class) = dispatch.class else {
                continue;
            };
            match classes.iter_mut().find(|timed| timed.class == class) {
                Some(timed) => timed.places.push(at),
                None => classes.push(Self::new(class, vec![at])),
            }
        }
        classes
    }

    fn new(class: ProductClass, places: Vec<usize>) -> Self {
        Self {
            class,
            places,
            times: 1,
            runs: 0,
            micros: f64::INFINITY,
        }
    }

    /// The dispatches of the next pass.
    pub(crate) fn pass(&self) -> Vec<usize> {
        self.places.repeat(self.times)
    }

    /// Takes the time of that pass: for what it is, or for how much longer the next should be.
    pub(crate) fn take(&mut self, micros: f64) {
        let dispatches = self.places.len() * self.times;
        if micros < LONG_ENOUGH && 2 * dispatches <= MOST {
            let wanted = (1.5 * LONG_ENOUGH / micros).ceil().clamp(2.0, 16.0);
            self.times *= (wanted as usize).min(MOST / dispatches);
            return;
        }
        self.runs += 1;
        self.micros = self.micros.min(micros / dispatches as f64);
    }

    pub(crate) fn is_done(&self) -> bool {
        self.runs >= RUNS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Format, Precision};

    /// The time of a product that takes `micros` by a clock with ticks of a tenth of a millisecond.
    fn by_a_coarse_clock(micros: f64, blocks: usize) -> (f64, usize) {
        let class = ProductClass::new([8, 64, 64], Format::Int8, Precision::Single);
        let mut timed = Timed::new(class, (0..blocks).collect());
        let mut passes = 0;
        while !timed.is_done() {
            passes += 1;
            let whole = micros * timed.pass().len() as f64;
            timed.take((whole / 100.0).floor() * 100.0);
        }
        (timed.micros, passes)
    }

    #[test]
    fn coarse_clocks_tell_small_products_apart() {
        for (micros, blocks) in [(2.0, 1), (2.4, 6), (31.0, 12), (900.0, 24), (1e5, 1)] {
            let (found, passes) = by_a_coarse_clock(micros, blocks);
            assert!((found / micros - 1.0).abs() < 0.06, "{found} for {micros}");
            assert!(passes <= 7, "{passes}");
        }
        // What no clock sees ends too.
        assert!(by_a_coarse_clock(0.0, 3).1 <= 9);
    }
}
