//! How many cells each step commits.
//!
//! A schedule sees one block at a time and knows nothing of grammars. Whatever it
//! says, the last step of a block takes what is left of it, and a step for which it
//! says nought is left out: the model would say the same of the same canvas.

use std::f32::consts::FRAC_PI_2;

use crate::ScheduleKind;

/// What a schedule sees of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepView<'a> {
    /// The step within the block, from 0.
    pub step: usize,
    /// Steps of the block.
    pub steps: usize,
    /// Cells of the block that were masked when it began.
    pub cells: usize,
    /// Cells of the block that are masked now.
    pub masked: usize,
    /// The probabilities of the masked cells' candidates, highest first. Empty where
    /// [`Schedule::needs_probabilities`] is false.
    pub probabilities: &'a [f32],
}

/// How many cells each step commits.
pub trait Schedule {
    /// Cells that the step commits; more than are masked are as many as are masked.
    fn quota(&self, view: &StepView<'_>) -> usize;

    /// The least probability that a candidate must have to be committed where another of the
    /// step has been, as a token that takes a refused one's place may not; `None`: any.
    fn least_probability(&self, _view: &StepView<'_>) -> Option<f32> {
        None
    }

    /// Whether it depends on what the model says.
    fn needs_probabilities(&self) -> bool {
        false
    }
}

impl ScheduleKind {
    /// The schedule of this name.
    pub fn schedule(self) -> Box<dyn Schedule> {
        match self {
            Self::Fixed => Box::new(FixedQuota),
            Self::Linear => Box::new(GlobalTime(linear)),
            Self::Cosine => Box::new(GlobalTime(cosine)),
            Self::Threshold(threshold) => Box::new(Threshold(threshold)),
            Self::Factor(factor) => Box::new(Factor(factor)),
        }
    }
}

/// LLaDA's fixed schedule: the cells spread evenly over the steps, the earlier
/// ones taking what does not divide. Sums to `cells`.
///
/// ```
/// assert_eq!((0..3).map(|step| lacuna_decoder::quota(8, 3, step)).collect::<Vec<_>>(), [3, 3, 2]);
/// ```
pub fn quota(cells: usize, steps: usize, step: usize) -> usize {
    let steps = steps.max(1);
    cells / steps + usize::from(step < cells % steps)
}

struct FixedQuota;

impl Schedule for FixedQuota {
    fn quota(&self, view: &StepView<'_>) -> usize {
        quota(view.cells, view.steps, view.step)
    }
}

/// Dream's: of the cells that are masked at time t, the share 1 − s/t is committed,
/// where s is the time after the step.
struct GlobalTime(fn(f32) -> f32);

/// The time after the last step: above 0, as in Dream's sampler.
const LAST_TIME: f32 = 1e-3;

fn linear(progress: f32) -> f32 {
    1.0 - progress * (1.0 - LAST_TIME)
}

fn cosine(progress: f32) -> f32 {
    (FRAC_PI_2 * progress).cos().max(LAST_TIME)
}

impl Schedule for GlobalTime {
    fn quota(&self, view: &StepView<'_>) -> usize {
        let time = |step: usize| (self.0)(step as f32 / view.steps.max(1) as f32);
        let share = 1.0 - time(view.step + 1) / time(view.step);
        (view.masked as f32 * share) as usize
    }
}

/// Fast-dLLM's: all cells that are sure enough.
struct Threshold(f32);

impl Schedule for Threshold {
    fn quota(&self, view: &StepView<'_>) -> usize {
        let sure = view.probabilities.iter().take_while(|&&p| p >= self.0);
        sure.count().max(1)
    }

    fn least_probability(&self, _: &StepView<'_>) -> Option<f32> {
        Some(self.0)
    }

    fn needs_probabilities(&self) -> bool {
        true
    }
}

/// Fast-dLLM's other: so many that the chance of any being wrong stays bounded.
struct Factor(f32);

impl Schedule for Factor {
    fn quota(&self, view: &StepView<'_>) -> usize {
        let allowed = |&n: &usize| (n as f32 + 1.0) * (1.0 - view.probabilities[n - 1]) < self.0;
        let most = (1..=view.probabilities.len()).rev().find(allowed);
        most.unwrap_or(1)
    }

    /// What the last of so many must have.
    fn least_probability(&self, view: &StepView<'_>) -> Option<f32> {
        Some(1.0 - self.0 / (self.quota(view) as f32 + 1.0))
    }

    fn needs_probabilities(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quotas of a whole block, as the loop takes them.
    fn quotas(kind: ScheduleKind, cells: usize, steps: usize) -> Vec<usize> {
        let schedule = kind.schedule();
        let mut masked = cells;
        let step = |step| {
            let view = StepView {
                step,
                steps,
                cells,
                masked,
                probabilities: &[],
            };
            let quota = match step + 1 == steps {
                true => masked,
                false => schedule.quota(&view).min(masked),
            };
            masked -= quota;
            quota
        };
        (0..steps).map(step).collect()
    }

    #[test]
    fn quotas_sum_to_the_cells() {
        for kind in [
            ScheduleKind::Fixed,
            ScheduleKind::Linear,
            ScheduleKind::Cosine,
        ] {
            for cells in 1..70 {
                for steps in 1..=cells {
                    let sum: usize = quotas(kind, cells, steps).iter().sum();
                    assert_eq!(sum, cells, "{kind:?}, {cells} cells in {steps} steps");
                }
            }
        }
    }

    #[test]
    fn the_fixed_quota_is_even() {
        for cells in 1..70 {
            for steps in 1..=cells {
                let quotas = quotas(ScheduleKind::Fixed, cells, steps);
                assert!(quotas.is_sorted_by(|a, b| a >= b));
                assert!(quotas[0] - quotas[steps - 1] <= 1);
            }
        }
    }

    #[test]
    fn a_global_time_is_what_dream_computes() {
        // int(masked · (1 − s/t)) over torch.linspace(1, 1e-3, steps + 1).
        assert_eq!(
            quotas(ScheduleKind::Linear, 64, 8),
            [7, 8, 8, 8, 8, 8, 8, 9]
        );
        let slow = quotas(ScheduleKind::Cosine, 64, 8);
        assert!(slow[0] < slow[4] && slow[4] < slow[6], "{slow:?}");
    }

    #[test]
    fn thresholds_look_at_probabilities() {
        let quota = |kind: ScheduleKind, probabilities: &[f32]| {
            kind.schedule().quota(&StepView {
                step: 0,
                steps: 9,
                cells: 9,
                masked: probabilities.len(),
                probabilities,
            })
        };
        let probabilities = [0.99, 0.97, 0.9, 0.5];
        assert_eq!(quota(ScheduleKind::Threshold(0.9), &probabilities), 3);
        assert_eq!(quota(ScheduleKind::Threshold(1.0), &probabilities), 1);
        // 2 · 0.01, 3 · 0.03, 4 · 0.1, 5 · 0.5.
        assert_eq!(quota(ScheduleKind::Factor(0.5), &probabilities), 3);
        assert_eq!(quota(ScheduleKind::Factor(0.3), &probabilities), 2);
        assert_eq!(quota(ScheduleKind::Factor(0.01), &probabilities), 1);
    }
}
