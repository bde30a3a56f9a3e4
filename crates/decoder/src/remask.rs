//! Masking again what was committed with little confidence.
//!
//! Fewer commits can only make more texts possible: a completion of the canvas stays
//! one when cells are masked again. What was fixed from the start stays.

use serde::{Deserialize, Serialize};

/// Which commits are masked again after a step; never after the last one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Remask {
    /// Those of earlier steps whose probability was below this.
    pub below: f32,
    /// At most so many in a step, the least probable first.
    pub per_step: usize,
    /// A cell at most so often.
    pub per_cell: usize,
}

impl Default for Remask {
    fn default() -> Self {
        Self {
            below: 0.3,
            per_step: 1,
            per_cell: 1,
        }
    }
}

/// What is remembered of the commits of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// By cell: the step and the probability of its commit.
    committed: Vec<Option<(usize, f32)>>,
    /// By cell: how often it was masked again.
    times: Vec<usize>,
}

impl Memory {
    pub(crate) fn new(cells: usize) -> Self {
        Self {
            committed: vec![None; cells],
            times: vec![0; cells],
        }
    }

    pub(crate) fn note(&mut self, cell: usize, step: usize, probability: f32) {
        self.committed[cell] = Some((step, probability));
    }

    /// Forgets a commit that was undone.
    pub(crate) fn forget(&mut self, cell: usize) {
        self.committed[cell] = None;
    }

    /// The cells of a block to mask again after `step`, which are forgotten.
    pub(crate) fn take(
        &mut self,
        remask: &Remask,
        step: usize,
        block: std::ops::Range<usize>,
    ) -> Vec<usize> {
        let doubtful = |&cell: &usize| {
            self.times[cell] < remask.per_cell
                && self.committed[cell]
                    .is_some_and(|(at, probability)| at < step && probability < remask.below)
        };
        let mut cells: Vec<usize> = block.filter(doubtful).collect();
        let probability = |cell: usize| self.committed[cell].map_or(1.0, |(_, p)| p);
        cells.sort_by(|&a, &b| probability(a).total_cmp(&probability(b)));
        cells.truncate(remask.per_step);
        for &cell in &cells {
            self.committed[cell] = None;
            self.times[cell] += 1;
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_probable_of_earlier_steps_and_not_too_often() {
        let remask = Remask {
            below: 0.5,
            per_step: 2,
            per_cell: 1,
        };
        let mut memory = Memory::new(6);
        for (cell, probability) in [0.4, 0.1, 0.9, 0.2].into_iter().enumerate() {
            memory.note(cell, 0, probability);
        }
        memory.note(4, 1, 0.01);
        assert_eq!(memory.take(&remask, 1, 0..6), [1, 3]);
        memory.note(1, 2, 0.1);
        memory.note(5, 2, 0.1);
        memory.forget(5);
        assert_eq!(memory.take(&remask, 3, 0..4), [0]);
        assert_eq!(memory.take(&remask, 3, 0..6), [4]);
    }
}
