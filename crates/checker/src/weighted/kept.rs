//! Which places behind a cell a beam keeps: the first that come, which are the heaviest,
//! but some at each distance from the end.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Place;

/// Places that are kept behind a cell; of them, at one distance from the end; and at
/// distances that would have none otherwise.
const ALL: usize = 96;
const ALIKE: usize = 32;
const SPREAD: usize = 32;

/// The places that are kept behind a cell.
#[derive(Default)]
pub(super) struct Kept {
    places: FxHashSet<Place>,
    alike: FxHashMap<u32, usize>,
}

impl Kept {
    pub(super) fn is_full(&self) -> bool {
        self.places.len() >= ALL + SPREAD
    }

    pub(super) fn is_known(&self, place: Place) -> bool {
        self.places.contains(&place)
    }

    /// Keeps a place, if there is room for it.
    pub(super) fn take(&mut self, place: Place, distance: u32) -> bool {
        let alike = self.alike.entry(distance).or_default();
        let has_room = match self.places.len() < ALL {
            true => *alike < ALIKE,
            false => *alike < 2,
        };
        if has_room {
            *alike += 1;
            self.places.insert(place);
        }
        has_room
    }
}
