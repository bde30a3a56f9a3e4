//! What of a completion graph is on a way to its end: exactly, and all of it at once.
//!
//! An Earley chart over the graph says which items are true where; gone through
//! backwards from the end, it says which of them take part in a derivation of a whole
//! text, and so which edges do (the inside and the outside of Lari and Young, "The
//! estimation of stochastic context-free grammars using the Inside-Outside algorithm",
//! Computer Speech and Language 4, 1990, with *or* for a sum). An item here is a state of
//! the parser ([`lr`](crate::lr)) at a node, and the nodes where it may have begun are a set
//! of bits ([`spans`]): in a gap dozens of origins share the states that one has, so a word
//! moves 64 of them along an edge.
//!
//! [`places`] lays the graph out, [`forward`] finds what is true, [`backward`] what is of
//! use. Gaps of any length are not known here: in what counts cells, no edge leads back,
//! and a node is settled once.
//!
//! Cost: for each node its states, times a word for each 64 origins that are open; the
//! square of the nodes at worst.

use crate::cfg::Cfg;
use crate::cover::Cover;
use crate::graph::Point;
use crate::lookahead::Lookahead;
use crate::sets::StateSets;

mod backward;
mod forward;
mod places;
mod spans;

pub(crate) use places::{PlaceId, Places};

/// The edges of a pattern's graph that some derivation of a whole text takes.
pub(crate) struct Useful {
    pub places: Places,
    /// For each of its edges, whether one does.
    pub edges: Vec<bool>,
}

impl Useful {
    /// Finds them in what a look ahead left, nodes apart; `None` if that is more work
    /// than the budget allows, in words and items.
    pub fn find(
        cfg: &Cfg,
        sets: &mut StateSets,
        cover: &Cover,
        ahead: &Lookahead,
        start: Point,
        budget: usize,
    ) -> Option<Self> {
        let places = Places::new(ahead, start, budget)?;
        let mut chart = forward::Chart::new(cfg, sets, cover, &places, budget);
        chart.run()?;
        let edges = backward::useful_edges(chart);
        Some(Self { places, edges })
    }
}
