//! Which tile a matrix product gets.
//!
//! A rule of thumb to begin with: the largest tile of which there are still enough to fill a
//! card. Measurements of this adapter replace it where there are any; they can be kept, and are
//! of use again on the same adapter only.

use crate::device::GpuLimits;
use crate::kernel::{Format, Precision, Tile};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Workgroups that a card should have in flight.
const ENOUGH: usize = 128;

/// A product as far as its tile depends on it. Numbers of rows that round up to the same power
/// of two are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct ProductClass {
    rows: usize,
    columns: usize,
    depth: usize,
    format: Format,
    precision: Precision,
}

impl ProductClass {
    pub(crate) fn new(
        [rows, columns, depth]: [usize; 3],
        format: Format,
        precision: Precision,
    ) -> Self {
        Self {
            rows: rows.next_power_of_two(),
            columns,
            depth,
            format,
            precision,
        }
    }
}

/// The tiles that an adapter can do, and what was measured of them.
#[derive(Clone)]
pub(crate) struct TileChoice {
    possible: Vec<Tile>,
    measured: HashMap<ProductClass, Tile>,
}

/// To be raised when tiles, or the kernels that they are measured by, are others.
const VERSION: u32 = 1;

/// Measurements as they are kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    adapter: String,
    tiles: Vec<(ProductClass, Tile)>,
}

impl TileChoice {
    pub(crate) fn new(limits: &GpuLimits) -> Self {
        let fits = |tile: &Tile| {
            tile.threads() <= limits.threads && tile.workgroup_bytes() <= limits.workgroup_bytes
        };
        Self {
            possible: Tile::ALL.into_iter().filter(fits).collect(),
            measured: HashMap::new(),
        }
    }

    /// One tile for everything.
    pub(crate) fn only(tile: Tile) -> Self {
        Self {
            possible: vec![tile],
            measured: HashMap::new(),
        }
    }

    pub(crate) fn possible(&self) -> &[Tile] {
        &self.possible
    }

    pub(crate) fn of(&self, class: ProductClass) -> Tile {
        let by_thumb = || {
            let workgroups = |tile: &Tile| {
                class.columns.div_ceil(tile.columns as usize)
                    * class.rows.div_ceil(tile.rows as usize)
            };
            let mut largest_first = self.possible.iter().rev();
            largest_first
                .find(|tile| workgroups(tile) >= ENOUGH)
                .or(self.possible.first())
                .copied()
                .unwrap_or(Tile::ALL[0])
        };
        self.measured.get(&class).copied().unwrap_or_else(by_thumb)
    }

    pub(crate) fn measured(&mut self, class: ProductClass, tile: Tile) {
        self.measured.insert(class, tile);
    }

    /// What was measured, to be kept under the adapter's name; none where nothing was.
    pub(crate) fn to_json(&self, adapter: &str) -> Option<String> {
        let kept = Kept {
            version: VERSION,
            adapter: adapter.to_owned(),
            tiles: self
                .measured
                .iter()
                .map(|(&class, &tile)| (class, tile))
                .collect(),
        };
        // Numbers and names only: there is nothing that could fail.
        let json = || serde_json::to_string(&kept).ok();
        (!kept.tiles.is_empty()).then(json).flatten()
    }

    /// Takes what was kept, if it is of this adapter and version and nothing in it is impossible;
    /// says whether it is.
    pub(crate) fn take_json(&mut self, json: &str, adapter: &str) -> bool {
        let Ok(kept) = serde_json::from_str::<Kept>(json) else {
            return false;
        };
        let is_possible = |(_, tile): &(ProductClass, Tile)| self.possible.contains(tile);
        let is_of_use = kept.version == VERSION
            && kept.adapter == adapter
            && !kept.tiles.is_empty()
            && kept.tiles.iter().all(is_possible);
        if is_of_use {
            self.measured.extend(kept.tiles);
        }
        is_of_use
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_kept_for_their_adapter() {
        let mut choice = TileChoice::new(&GpuLimits::UNLIMITED);
        let class = ProductClass::new([100, 64, 64], Format::Int8, Precision::Single);
        let (thumb, other) = (choice.of(class), Tile::ALL[4]);
        assert_ne!(thumb, other);
        choice.measured(class, other);
        let json = choice.to_json("a card").expect("something was measured");
        let older = json.replace("\"version\":1", "\"version\":0");
        assert_ne!(older, json);
        for (adapter, json, expected) in [
            ("a card", json.as_str(), other),
            ("another", json.as_str(), thumb),
            ("a card", older.as_str(), thumb),
            (
                "a card",
                r#"{"version":1,"adapter":"a card","tiles":[]}"#,
                thumb,
            ),
            ("a card", "{}", thumb),
            ("a card", "", thumb),
        ] {
            let mut choice = TileChoice::new(&GpuLimits::UNLIMITED);
            let taken = choice.take_json(json, adapter);
            assert_eq!(taken, expected == other, "{adapter} {json}");
            assert_eq!(choice.of(class), expected, "{adapter} {json}");
        }
        let mut small = TileChoice::new(&GpuLimits {
            threads: 64,
            ..GpuLimits::UNLIMITED
        });
        assert!(!small.take_json(&json, "a card"));
        assert!(small.of(class).threads() <= 64);
        assert_eq!(small.to_json("a card"), None);
    }

    #[test]
    fn small_products_get_small_tiles() {
        let choice = TileChoice::new(&GpuLimits::UNLIMITED);
        let tile = |rows, columns| {
            let shape = [rows, columns, 768];
            choice.of(ProductClass::new(shape, Format::Int8, Precision::Single))
        };
        assert_eq!(tile(1, 768), Tile::ALL[0]);
        assert!(tile(256, 768).rows <= 32);
        assert_eq!(tile(2048, 2048), Tile::ALL[4]);
    }
}
