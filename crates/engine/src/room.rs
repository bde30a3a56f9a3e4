//! The fewest cells that gaps between fixed text need.
//!
//! Such gaps have their lengths exactly, and one that fits says nothing of longer ones. So
//! ever more cells are tried, shared out among the gaps in every way, up to what a text takes
//! that is known: a shortest one in bytes, had gaps any length. If there is none of that kind,
//! no lengths help.
//!
//! Cost: up to [`MOST_SHARED`] checks, for the sake of an error, and none begun later than
//! [`LONGEST_MS`].

use lacuna_checker::{Checker, Filling, Gap, Pattern, Segment, Verdict};
use lacuna_decoder::{Cell, Room};

use crate::fewest::in_tokens;

/// Ways to share out cells among gaps that are tried.
const MOST_SHARED: usize = 400;

/// Milliseconds for all tries.
const LONGEST_MS: f64 = 1_000.0;

/// What gaps of other lengths have room for, in place of those of a canvas that no text fits;
/// `None` if nothing is found out.
pub(crate) fn room(checker: &mut Checker, cells: &[Cell], clock: &dyn Fn() -> f64) -> Option<Room> {
    let until = clock() + LONGEST_MS;
    let vocabulary = checker.vocabulary()?.clone();
    let is_gap = |segment: &Segment| matches!(segment, Segment::Gap(_));
    let pattern = Pattern::of_canvas(cells, &vocabulary)?;
    let gaps = pattern.segments.iter().filter(|&it| is_gap(it)).count();
    if gaps == 0 {
        return None;
    }
    let of_any = pattern.segments.iter().map(|segment| match segment {
        Segment::Gap(_) => Segment::Gap(Gap::Any),
        Segment::Text(_) => segment.clone(),
    });
    let of_any = Pattern {
        segments: of_any.collect(),
    };
    let known = match checker.check(&of_any).0 {
        Verdict::Impossible => return Some(Room::Nowhere),
        Verdict::Exhausted { .. } => None,
        Verdict::Completable(witness) => {
            let of_gaps = witness.gaps.iter().map(|filling| match filling {
                Filling::Bytes(bytes) => in_tokens(&vocabulary, bytes),
                Filling::Tokens(tokens) => Some(tokens.len()),
            });
            of_gaps.collect::<Option<Vec<usize>>>()
        }
    };
    let mut tries = MOST_SHARED;
    let most = known
        .as_ref()
        .map_or(usize::MAX, |known| known.iter().sum());
    for all in 0..most {
        let mut shares = vec![0; gaps];
        shares[0] = all;
        loop {
            if tries == 0 || clock() > until {
                return known.map(Room::Enough);
            }
            tries -= 1;
            let mut of_gaps = shares.iter();
            let pieces = pattern.segments.iter().map(|segment| match segment {
                Segment::Gap(_) => {
                    let cells = of_gaps.next().copied().unwrap_or(0);
                    Segment::Gap(Gap::Cells(cells))
                }
                Segment::Text(_) => segment.clone(),
            });
            let pieces = pieces.filter(|it| *it != Segment::Gap(Gap::Cells(0)));
            match checker.check(&Pattern::with_open_tail(pieces)).0 {
                Verdict::Completable(_) => return Some(Room::Shortest(shares)),
                Verdict::Impossible => {}
                Verdict::Exhausted { .. } => return known.map(Room::Enough),
            }
            if !share_otherwise(&mut shares) {
                break;
            }
        }
    }
    known.map(Room::Shortest)
}

/// The next way to share out as many, from all in the first place to all in the last;
/// whether there is one.
fn share_otherwise(shares: &mut [usize]) -> bool {
    let Some((last, rest)) = shares.split_last_mut() else {
        return false;
    };
    let Some(at) = rest.iter().rposition(|&share| share > 0) else {
        return false;
    };
    rest[at] -= 1;
    let behind = 1 + std::mem::take(last);
    shares[at + 1] = behind;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_to_share_come_once() {
        let mut shares = vec![4, 0, 0];
        let mut seen = vec![shares.clone()];
        while share_otherwise(&mut shares) {
            seen.push(shares.clone());
        }
        assert!(seen.iter().all(|shares| shares.iter().sum::<usize>() == 4));
        seen.sort();
        seen.dedup();
        // Two bars among four cells.
        assert_eq!(seen.len(), 15);
        assert!(!share_otherwise(&mut [3]));
    }
}
