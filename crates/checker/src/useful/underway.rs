//! Where lexemes under way may have begun: sets of boundaries, for each place within one.
//!
//! Cost: a word for each 64 boundaries in the window of a set, and for each edge.

use std::ops::Range;

use super::places::{NONE, PlaceId, Places};
use super::spans::{Span, join, next_bit, set};

/// The boundaries from which lexemes lead to each place within one.
pub(super) struct Underway {
    /// By place; empty at boundaries.
    spans: Vec<Span>,
    pub words: Vec<u64>,
}

impl Underway {
    pub fn new(places: &Places) -> Self {
        Self {
            spans: vec![Span::default(); places.places.len()],
            words: Vec::new(),
        }
    }

    pub fn span(&self, place: PlaceId) -> Span {
        self.spans[place as usize]
    }

    /// Finds them for a place within a lexeme, those before it being known.
    pub fn settle(&mut self, places: &Places, place: PlaceId, row: &mut Vec<u64>) {
        self.gather(places, places.incoming_numbers(place), row);
        if let Some(span) = Span::of(row, self.words.len()) {
            self.words.extend_from_slice(span.in_row(row));
            self.spans[place as usize] = span;
        }
    }

    /// The boundaries from which edges come, by their numbers: the places before them, or
    /// where what is under way at those began.
    pub fn gather(&self, places: &Places, edges: Range<usize>, row: &mut Vec<u64>) {
        row.clear();
        row.resize(places.boundaries.len().div_ceil(64), 0);
        for number in edges {
            let from = places.edge(number).from;
            match places.places[from as usize].boundary {
                NONE => {
                    let span = self.span(from);
                    join(span.of_row(row), span.of_all(&self.words));
                }
                boundary => set(row, boundary),
            }
        }
    }

    /// The next boundary before a place, from one on in its window, as its place there.
    pub fn next_boundary(&self, place: PlaceId, from: u32) -> Option<u32> {
        next_bit(self.span(place).of_all(&self.words), from)
    }
}
