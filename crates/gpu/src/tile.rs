//! Which tile a matrix product gets.
//!
//! A rule of thumb to begin with: the largest tile of which there are still enough to fill a
//! card. Measurements of this adapter replace it where there are any.

use crate::device::GpuLimits;
use crate::kernel::{Format, Tile};
use std::collections::HashMap;

/// Workgroups that a card should have in flight.
const ENOUGH: usize = 128;

/// A product as far as its tile depends on it. Numbers of rows that round up to the same power
/// of two are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProductClass {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) depth: usize,
    pub(crate) format: Format,
}

impl ProductClass {
    pub(crate) fn new(rows: usize, columns: usize, depth: usize, format: Format) -> Self {
        Self {
            rows: rows.next_power_of_two(),
            columns,
            depth,
            format,
        }
    }
}

/// The tiles that an adapter can do, and what was measured of them.
pub(crate) struct TileChoice {
    possible: Vec<Tile>,
    measured: HashMap<ProductClass, Tile>,
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

    #[allow(dead_code)]
    pub(crate) fn possible(&self) -> &[Tile] {
        &self.possible
    }

    pub(crate) fn of(&self, rows: usize, columns: usize, depth: usize, format: Format) -> Tile {
        let class = ProductClass::new(rows, columns, depth, format);
        let by_thumb = || {
            let workgroups = |tile: &Tile| {
                columns.div_ceil(tile.columns as usize) * rows.div_ceil(tile.rows as usize)
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
}
