//! Semi-autoregressive blocks (LLaDA): the canvas is filled a block at a time, each
//! with steps of its own. One block is the whole canvas.

use std::ops::Range;

use crate::quota;

/// A run of cells that is filled before the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub range: Range<usize>,
    /// Cells that were masked when the run began.
    pub masked: usize,
    /// Its share of the steps: at least one, at most one for each masked cell.
    pub steps: usize,
}

/// The blocks that have masked cells, from the left.
pub(crate) fn blocks(is_masked: &[bool], size: Option<usize>, steps: usize) -> Vec<Block> {
    let size = size.unwrap_or(is_masked.len()).max(1);
    let mut blocks: Vec<Block> = is_masked
        .chunks(size)
        .enumerate()
        .map(|(index, cells)| Block {
            range: index * size..index * size + cells.len(),
            masked: cells.iter().filter(|&&masked| masked).count(),
            steps: 0,
        })
        .filter(|block| block.masked > 0)
        .collect();
    let count = blocks.len();
    for (index, block) in blocks.iter_mut().enumerate() {
        block.steps = quota(steps, count, index).clamp(1, block.masked);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_share_the_steps() {
        let all = |cells: usize, size, steps| {
            blocks(&vec![true; cells], size, steps)
                .into_iter()
                .map(|block| (block.range.len(), block.steps))
                .collect::<Vec<_>>()
        };
        assert_eq!(all(10, None, 4), [(10, 4)]);
        assert_eq!(all(10, None, 40), [(10, 10)]);
        assert_eq!(all(10, Some(4), 8), [(4, 3), (4, 3), (2, 2)]);
        assert_eq!(all(3, Some(1), 1), [(1, 1), (1, 1), (1, 1)]);
    }

    #[test]
    fn filled_blocks_take_no_steps() {
        let masked = [true, false, false, false, true, true];
        let blocks = blocks(&masked, Some(2), 6);
        assert_eq!(blocks.len(), 2);
        assert_eq!((blocks[0].masked, blocks[0].steps), (1, 1));
        assert_eq!((blocks[1].range.clone(), blocks[1].steps), (4..6, 2));
    }
}
