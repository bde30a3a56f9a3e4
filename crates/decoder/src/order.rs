//! Which cells a step commits first.

use lacuna_logits::{Noise, gumbel};

use crate::OrderKind;

/// What an order sees of a masked cell.
#[derive(Clone, Copy, Debug)]
pub struct CellView {
    /// The cell.
    pub cell: usize,
    /// The denoising step, from 0.
    pub step: usize,
    /// The probability of the candidate that is its turn, without noise.
    pub probability: f32,
    /// How much more probable the cell's best candidate is than its second, of those
    /// that the model named.
    pub margin: f32,
    /// Entropy of the cell's distribution, in nats.
    pub entropy: f32,
}

/// Which cells a step commits first.
pub trait Order {
    /// The higher, the earlier; of equals the leftmost is first.
    fn preference(&self, view: &CellView) -> f32;
}

impl OrderKind {
    /// The order of this name; `seed` is that of the random one.
    pub fn order(self, seed: u64) -> Box<dyn Order> {
        match self {
            Self::Confidence => Box::new(Confidence),
            Self::Margin => Box::new(Margin),
            Self::Entropy => Box::new(Entropy),
            Self::Random => Box::new(Random(seed)),
            Self::LeftToRight => Box::new(LeftToRight),
        }
    }
}

struct Confidence;

impl Order for Confidence {
    fn preference(&self, view: &CellView) -> f32 {
        view.probability
    }
}

struct Margin;

impl Order for Margin {
    fn preference(&self, view: &CellView) -> f32 {
        view.margin
    }
}

struct Entropy;

impl Order for Entropy {
    fn preference(&self, view: &CellView) -> f32 {
        -view.entropy
    }
}

struct Random(u64);

/// No token: the hash of cells is apart from that of candidates.
const NO_TOKEN: u32 = u32::MAX;

impl Order for Random {
    fn preference(&self, view: &CellView) -> f32 {
        let noise = Noise {
            temperature: 1.0,
            seed: self.0,
            step: view.step as u32,
        };
        gumbel(&noise, view.cell as u32, NO_TOKEN)
    }
}

struct LeftToRight;

impl Order for LeftToRight {
    fn preference(&self, view: &CellView) -> f32 {
        -(view.cell as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS: [CellView; 4] = [
        CellView {
            cell: 0,
            step: 0,
            probability: 0.6,
            margin: 0.3,
            entropy: 0.9,
        },
        CellView {
            cell: 1,
            step: 0,
            probability: 0.5,
            margin: 0.45,
            entropy: 2.0,
        },
        CellView {
            cell: 2,
            step: 0,
            probability: 0.9,
            margin: 0.85,
            entropy: 0.4,
        },
        CellView {
            cell: 3,
            step: 0,
            probability: 0.4,
            margin: 0.0,
            entropy: 0.6,
        },
    ];

    fn order(kind: OrderKind, seed: u64, step: usize) -> Vec<usize> {
        let order = kind.order(seed);
        let mut cells = CELLS.map(|view| CellView { step, ..view });
        cells.sort_by(|a, b| order.preference(b).total_cmp(&order.preference(a)));
        cells.iter().map(|view| view.cell).collect()
    }

    #[test]
    fn each_order_follows_its_figure() {
        assert_eq!(order(OrderKind::Confidence, 0, 0), [2, 0, 1, 3]);
        assert_eq!(order(OrderKind::Margin, 0, 0), [2, 1, 0, 3]);
        assert_eq!(order(OrderKind::Entropy, 0, 0), [2, 3, 0, 1]);
        assert_eq!(order(OrderKind::LeftToRight, 0, 0), [0, 1, 2, 3]);
    }

    #[test]
    fn the_random_order_replays_and_is_fair() {
        let random = |seed, step| order(OrderKind::Random, seed, step);
        assert_eq!(random(3, 5), random(3, 5));
        let mut first = [0; 4];
        for seed in 0..2000 {
            first[random(seed, 1)[0]] += 1;
        }
        // Four standard errors of a quarter of 2000.
        assert!(first.iter().all(|n| (422..578).contains(n)), "{first:?}");
        assert!((0..20).any(|step| random(3, step) != random(3, 0)));
    }
}
