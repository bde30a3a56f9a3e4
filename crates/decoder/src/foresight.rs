//! Looking for a completion that later steps will agree with.
//!
//! What agrees with the completion at hand is committed without a check, and a checker is free to
//! find any. So before a step's candidates are checked, they are checked together with others that
//! the model finds so probable that few of them, as a rule none, will turn out wrong: if all go
//! together, the steps that commit these ask nothing. That decides no commit: what is refused
//! together is checked without the others.
//!
//! A guard that heeds what the model finds likely ([`Guard::heed`](crate::Guard::heed)) finds such
//! completions by itself; then it is told that, and nothing more is checked.
//!
//! Cost: a check in vain where one of the others was wrong. Then half as many may be wrong the next
//! time, where all went together four times as many; and none any more in a run in which a check was
//! not decided within its budget.

use crate::{Candidate, Reason};

/// How much more may be wrong where all went together, and how much less where they did not.
const GAIN: f32 = 4.0;
const LOSS: f32 = 2.0;

/// How daring a run is.
pub(crate) struct Foresight {
    /// Wrong tokens that are expected at most among all that are looked at ahead.
    most: f32,
    /// The same as of now.
    now: f32,
}

/// Candidates that may stand in a completion, those first that are to be committed now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Foreseen {
    pub candidates: Vec<Candidate>,
    /// How many are to be committed now.
    pub now: usize,
}

impl Foreseen {
    /// Those that are to be committed now, and no others.
    pub fn only(candidates: Vec<Candidate>) -> Self {
        Self {
            now: candidates.len(),
            candidates,
        }
    }

    /// Those that are to be committed now.
    pub fn now(&self) -> &[Candidate] {
        &self.candidates[..self.now]
    }

    /// Whether there are others.
    pub fn has_others(&self) -> bool {
        self.candidates.len() > self.now
    }
}

impl Foresight {
    /// Expects so many wrong tokens at most, a quarter at first; with 0, nothing is looked at ahead.
    pub fn new(most: f32) -> Self {
        let now = most / GAIN;
        Self { most, now }
    }

    /// Whether nothing is looked at ahead.
    pub fn is_none(&self) -> bool {
        self.most <= 0.0
    }

    /// What is to be committed now, and the most probable of the others.
    pub fn with_others(&self, now: Vec<Candidate>, mut others: Vec<Candidate>) -> Foreseen {
        let mut foreseen = Foreseen::only(now);
        if self.now <= 0.0 {
            return foreseen;
        }
        others.retain(|other| foreseen.now().iter().all(|now| now.cell != other.cell));
        others.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        let mut wrong = 0.0;
        let probable = others.into_iter().take_while(|other| {
            wrong += 1.0 - other.probability;
            wrong <= self.now
        });
        foreseen.candidates.extend(probable);
        foreseen
    }

    /// Told what became of all of them together.
    pub fn learn(&mut self, outcome: Result<(), Reason>) {
        self.now = match outcome {
            Ok(()) => (GAIN * self.now).min(self.most),
            Err(Reason::Exhausted) => 0.0,
            Err(Reason::Impossible | Reason::EndBeforeText) => self.now / LOSS,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(cell: usize, probability: f32) -> Candidate {
        Candidate {
            cell,
            token: 7,
            probability,
        }
    }

    fn cells(foresight: &Foresight) -> Vec<usize> {
        let probabilities = [0.5, 0.9, 0.2, 0.95, 0.99];
        let all = (0..).zip(probabilities);
        let all = all.map(|(cell, probability)| candidate(cell, probability));
        let foreseen = foresight.with_others(vec![candidate(2, 0.2)], all.collect());
        assert_eq!(foreseen.now, 1);
        let cells = foreseen.candidates.iter();
        cells.map(|candidate| candidate.cell).collect()
    }

    #[test]
    fn as_many_are_looked_at_as_are_expected_to_be_right() {
        assert_eq!(cells(&Foresight::new(0.0)), [2]);
        assert_eq!(cells(&Foresight::new(0.4)), [2, 4, 3]);
        assert_eq!(cells(&Foresight::new(0.68)), [2, 4, 3, 1]);
        assert_eq!(cells(&Foresight::new(9.0)), [2, 4, 3, 1, 0]);
    }

    #[test]
    fn fewer_are_after_a_mistake_and_none_after_a_check_without_an_end() {
        let mut foresight = Foresight::new(0.17);
        assert_eq!(cells(&foresight), [2, 4]);
        for _ in 0..5 {
            foresight.learn(Ok(()));
        }
        assert_eq!(cells(&foresight), [2, 4, 3, 1]);
        foresight.learn(Err(Reason::Impossible));
        assert_eq!(cells(&foresight), [2, 4, 3]);
        foresight.learn(Err(Reason::EndBeforeText));
        assert_eq!(cells(&foresight), [2, 4]);
        foresight.learn(Ok(()));
        assert_eq!(cells(&foresight), [2, 4, 3, 1]);
        foresight.learn(Err(Reason::Exhausted));
        foresight.learn(Ok(()));
        assert_eq!(cells(&foresight), [2]);
    }
}
