//! Which positions a step computes anew, where a run lets the model keep the others' keys and
//! values (Fast-dLLM's caches; `lacuna_model::kept` says what they are).
//!
//! They are of the canvas at the beginning of the block that is being filled. Whenever a cell
//! outside of what is computed is another than it was then, they are of the present canvas from
//! then on.

use std::ops::Range;

use crate::denoiser::KeptCells;
use crate::{Cell, KeyCache};

/// The canvas that keys and values are kept of.
#[derive(Debug, Default)]
pub(crate) struct Keeping {
    kind: KeyCache,
    cells: Vec<Cell>,
    block: Range<usize>,
}

impl Keeping {
    pub(crate) fn new(kind: KeyCache) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }

    /// What a step in this block may keep.
    pub(crate) fn of_step(
        &mut self,
        cells: &[Cell],
        block: &Range<usize>,
    ) -> Option<KeptCells<'_>> {
        let computed = match self.kind {
            KeyCache::None => return None,
            KeyCache::Prefix => block.start..cells.len(),
            KeyCache::Dual => block.clone(),
        };
        let differs = |range: Range<usize>| self.cells.get(range.clone()) != cells.get(range);
        let behind = computed.end..cells.len();
        if self.block != *block || differs(0..computed.start) || differs(behind) {
            self.block.clone_from(block);
            self.cells.clear();
            self.cells.extend_from_slice(cells);
        }
        Some(KeptCells {
            cells: &self.cells,
            start: computed.start,
            end: computed.end,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The canvas that is kept, as text, `.` for a mask; and what is computed.
    fn step(keeping: &mut Keeping, canvas: &str, block: Range<usize>) -> (String, Range<usize>) {
        let cells: Vec<Cell> = canvas
            .bytes()
            .map(|byte| (byte != b'.').then_some(byte.into()))
            .collect();
        let kept = keeping.of_step(&cells, &block).expect("something is kept");
        let cell = |cell: &Cell| cell.map_or('.', |token| token as u8 as char);
        (kept.cells.iter().map(cell).collect(), kept.start..kept.end)
    }

    #[test]
    fn a_block_keeps_the_canvas_that_it_began_with() {
        for (kind, of_first, of_second) in
            [(KeyCache::Prefix, 0..6, 3..6), (KeyCache::Dual, 0..3, 3..6)]
        {
            let keeping = &mut Keeping::new(kind);
            let first = |canvas: &str| (canvas.to_owned(), of_first.clone());
            let second = |canvas: &str| (canvas.to_owned(), of_second.clone());
            assert_eq!(step(keeping, "......", 0..3), first("......"));
            assert_eq!(step(keeping, ".a....", 0..3), first("......"));
            assert_eq!(step(keeping, "cab...", 3..6), second("cab..."));
            assert_eq!(step(keeping, "cab.d.", 3..6), second("cab..."));
        }
        assert!(
            Keeping::new(KeyCache::None)
                .of_step(&[None], &(0..1))
                .is_none()
        );
    }

    #[test]
    fn what_is_written_outside_refreshes() {
        let keeping = &mut Keeping::new(KeyCache::Dual);
        step(keeping, "......", 0..3);
        assert_eq!(step(keeping, ".a...z", 0..3).0, ".a...z");
        assert_eq!(step(keeping, "ba...z", 0..3).0, ".a...z");
        // Behind the block's start the prefix cache computes everything.
        let keeping = &mut Keeping::new(KeyCache::Prefix);
        step(keeping, "......", 1..3);
        assert_eq!(step(keeping, ".a...z", 1..3).0, "......");
        assert_eq!(step(keeping, "ca...z", 1..3).0, "ca...z");
    }
    #[test]
    fn with_one_block_both_caches_are_one() {
        let [prefix, dual] = &mut [KeyCache::Prefix, KeyCache::Dual].map(Keeping::new);
        for canvas in ["....", "..a.", ".ba.", "cbad"] {
            let (canvas_then, computed) = step(prefix, canvas, 0..4);
            assert_eq!((canvas_then.as_str(), &computed), ("....", &(0..4)));
            assert_eq!(step(dual, canvas, 0..4), (canvas_then, computed));
        }
    }
}
