//! What of a completion graph is on a way to its end: exactly, and all of it at once.
//!
//! An Earley chart over the graph says which items are true where; gone through
//! backwards from the end, it says which of them take part in a derivation of a whole
//! text, and so which edges do (the inside and the outside of Lari and Young, "The
//! estimation of stochastic context-free grammars using the Inside-Outside algorithm",
//! Computer Speech and Language 4, 1990, with *or* for a sum). An item here is a state of
//! the parser ([`lr`](crate::lr)) at a boundary, and the boundaries where it may have begun
//! are a set of bits ([`spans`]): in a gap dozens of origins share the states that one has,
//! so a word moves 64 of them along an edge.
//!
//! What is under way between two boundaries concerns the parser no more than the lexeme that
//! it becomes. So where a lexeme is under way, all that is kept is where it may have begun
//! ([`underway`]), in bits again, and the parser sees one edge from boundary to boundary.
//!
//! [`places`] lays the graph out, [`waits`] knows what waits for a symbol where, [`forward`]
//! finds what is true, [`backward`] and [`traced`] what is of use, and [`witness`] one way
//! through it. Gaps of any length are not known here: in what counts cells, no edge leads back,
//! and a node is settled once.
//!
//! Cost: for each boundary its states, times a word for each 64 boundaries before it, and that
//! again for each 64 of these from which symbols lead there, as far as what waits there is not
//! the same as for the boundary before ([`waits`]); for each edge of a lexeme under way, a
//! word for each 64 boundaries.

use crate::cover::Cover;
use crate::graph::{Point, Step};
use crate::lookahead::Lookahead;

mod backward;
mod forward;
mod places;
mod readings;
mod rows;
mod spans;
mod traced;
mod underway;
mod waits;
mod witness;

pub(crate) use forward::Parser;
use places::InCells;
pub(crate) use places::{PlaceId, Places};
pub(crate) use readings::Readings;

/// The edges of a pattern's graph along which tokens end, and which of them some derivation
/// of a whole text takes.
pub(crate) struct Useful {
    pub places: Places,
    /// For each edge along which a lexeme stays under way, whether one does.
    pub edges: Vec<bool>,
    /// The first place where a whole text may end; none if there is none.
    pub first_end: Option<PlaceId>,
}

/// What a chart says of whole texts.
pub(crate) enum Whole {
    /// A path to the end.
    Path(Vec<Step>),
    /// There is none: nothing is true behind a segment.
    Nothing { behind: u32 },
    /// More work than the budget allows.
    Exhausted,
}

/// Looks for a path to the end in what a look ahead left, within a budget of words and items;
/// and what of that was spent.
pub(crate) fn whole(
    parser: Parser<'_>,
    cover: &Cover,
    ahead: &Lookahead,
    start: Point,
    budget: usize,
) -> (Whole, usize) {
    let Some(places) = Places::new(ahead, start, InCells::Joined, budget) else {
        return (Whole::Exhausted, budget);
    };
    let mut chart = forward::Chart::new(parser, cover, &places, budget);
    match chart.run() {
        None => (Whole::Exhausted, budget),
        Some(()) => {
            let work = chart.work;
            (witness::path(chart), work)
        }
    }
}

impl Useful {
    /// Finds them in what a look ahead left, nodes apart; `None` if that is more work
    /// than the budget allows, in words and items.
    pub fn find(
        parser: Parser<'_>,
        cover: &Cover,
        ahead: &Lookahead,
        start: Point,
        budget: usize,
    ) -> Option<Self> {
        let places = Places::new(ahead, start, InCells::Apart, budget)?;
        let mut chart = forward::Chart::new(parser, cover, &places, budget);
        chart.run()?;
        let (edges, first_end) = backward::useful_edges(chart)?;
        Some(Self {
            places,
            edges,
            first_end,
        })
    }
}
