//! Gaps in which more may stand, a step after another, near where nothing goes on.
//!
//! What is looked for among little (few tokens, few cells) is soon found or not, and what is missing
//! is so in few gaps, as a rule not far from where it shows. So each gap has a *step*: how much may
//! stand in it. Those near a place behind which nothing goes on get the next, farther from there and
//! more of them the longer that leads no farther. What is opened and not closed shows at the end, wherever
//! it could be closed: then all gaps get it in which least may stand.

use crate::{Gap, Pattern, Segment};

/// Gaps that get a step at once, at first.
const AT_ONCE: usize = 3;

/// Segments before a place behind which nothing goes on that may be why, at first.
const BEFORE: usize = 6;

/// Segments behind it that may be: those that a lexeme under way there goes on in.
const BEHIND: usize = 2;

/// How much farther a gap is for each step that it has.
const FARTHER: usize = 2;

/// Where nothing goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stuck {
    /// The segment behind which nothing does, or the number of segments.
    pub behind: u32,
    /// How often in a row no more was come to.
    pub in_vain: usize,
}

impl Stuck {
    /// Gives gaps of a pattern that count cells their next step, of `most`; whether there are any.
    pub fn widen(self, steps: &mut Vec<u8>, pattern: &Pattern, most: u8) -> bool {
        let Self { behind, in_vain } = self;
        let is_end = behind as usize == pattern.segments.len();
        let count = if is_end && in_vain > 0 {
            0
        } else {
            AT_ONCE << in_vain
        };
        let near = (0..count).map_while(|_| widen_near(steps, pattern, self, most));
        near.count() > 0 || widen_before(steps, pattern, behind, most)
    }
}

/// Gives one gap near a place its next step, and says which; `None` if there is none.
pub(crate) fn widen_near(
    steps: &mut Vec<u8>,
    pattern: &Pattern,
    stuck: Stuck,
    most: u8,
) -> Option<u32> {
    let segments = &pattern.segments;
    steps.resize(segments.len(), 0);
    let near = near(stuck, segments.len());
    let near = near.filter(|&at| counts(&segments[at]) && steps[at] < most);
    let distance = |(nth, at): &(usize, usize)| nth + FARTHER * usize::from(steps[*at]);
    let (_, gap) = near.enumerate().min_by_key(distance)?;
    steps[gap] += 1;
    u32::try_from(gap).ok()
}

/// Gives all gaps before a place that have fewest steps the next; `false` if they have all.
fn widen_before(steps: &mut Vec<u8>, pattern: &Pattern, segment: u32, most: u8) -> bool {
    steps.resize(pattern.segments.len(), 0);
    let before = steps.iter_mut().take(segment as usize);
    let gaps = pattern.segments.iter().zip(before);
    let mut gaps: Vec<&mut u8> = gaps
        .filter_map(|(segment, step)| counts(segment).then_some(step))
        .collect();
    let least = gaps.iter().map(|step| **step).min();
    let Some(least) = least.filter(|&least| least < most) else {
        return false;
    };
    for step in &mut gaps {
        **step = (**step).max(least + 1);
    }
    true
}

fn counts(segment: &Segment) -> bool {
    matches!(segment, Segment::Gap(Gap::Cells(_) | Gap::UpTo(_)))
}

/// The segments near a place, the nearest first.
fn near(stuck: Stuck, count: usize) -> impl Iterator<Item = usize> {
    let Stuck { behind, in_vain } = stuck;
    let last = (behind as usize).min(count.saturating_sub(1));
    let near = (last.saturating_sub(1)..count.min(last + 1)).rev();
    let behind = last + 1..count.min(last + 1 + (BEHIND << in_vain));
    let before = (last.saturating_sub(BEFORE << in_vain)..last.saturating_sub(1)).rev();
    near.chain(behind).chain(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of gaps between texts after so many rounds in vain behind a segment.
    fn steps(gaps: usize, behind: u32, rounds: usize) -> Vec<u8> {
        let gap = || [Segment::Text(b"a".to_vec()), Segment::Gap(Gap::Cells(1))];
        let pattern = Pattern {
            segments: (0..gaps).flat_map(|_| gap()).collect(),
        };
        let mut steps = Vec::new();
        for in_vain in 0..rounds {
            assert!(Stuck { behind, in_vain }.widen(&mut steps, &pattern, 2));
        }
        steps.iter().skip(1).step_by(2).copied().collect()
    }

    #[test]
    fn gaps_get_steps_near_a_place_then_farther_from_it() {
        let widened = |rounds| {
            let steps = steps(20, 20, rounds);
            let sum: u8 = steps.iter().sum();
            let first = steps.iter().position(|&step| step > 0);
            (sum, first, steps.iter().rposition(|&step| step > 0))
        };
        assert_eq!(widened(1), (3, Some(9), Some(10)));
        assert_eq!(widened(2), (9, Some(7), Some(11)));
        assert_eq!(widened(3), (21, Some(3), Some(13)));
    }

    #[test]
    fn all_get_one_where_the_end_is_come_to() {
        assert_eq!(steps(6, 12, 1), [0, 0, 0, 0, 1, 2]);
        assert_eq!(steps(6, 12, 2), [1, 1, 1, 1, 1, 2]);
        assert_eq!(steps(6, 12, 3), [2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn there_is_an_end_to_it() {
        let pattern = Pattern {
            segments: vec![Segment::Gap(Gap::UpTo(1)), Segment::Gap(Gap::Any)],
        };
        let (mut steps, stuck) = (
            Vec::new(),
            Stuck {
                behind: 0,
                in_vain: 0,
            },
        );
        assert!(stuck.widen(&mut steps, &pattern, 2));
        assert_eq!(steps, [2, 0]);
        assert!(!stuck.widen(&mut steps, &pattern, 2));
    }
}
