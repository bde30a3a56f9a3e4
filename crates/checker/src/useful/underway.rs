//! Where lexemes under way may have begun: sets of boundaries, for each place within one.
//!
//! Cost: a word for each 64 boundaries in the window of a set, and for each edge.

use super::places::{NONE, PlaceId, Places};
use super::spans::{Span, bits, join, set};

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
        self.gather(
            places,
            places.incoming(place).map(|(_, edge)| edge.from),
            row,
        );
        if let Some(span) = Span::of(row, self.words.len()) {
            self.words.extend_from_slice(span.in_row(row));
            self.spans[place as usize] = span;
        }
    }

    /// The boundaries from which edges come: these places, or where what is under way at
    /// them began.
    pub fn gather(&self, places: &Places, from: impl Iterator<Item = PlaceId>, row: &mut Vec<u64>) {
        row.clear();
        row.resize(places.boundaries.len().div_ceil(64), 0);
        for from in from {
            match places.places[from as usize].boundary {
                NONE => {
                    let span = self.span(from);
                    join(span.of_row(row), span.of_all(&self.words));
                }
                boundary => set(row, boundary),
            }
        }
    }

    /// The boundaries before a place, by their numbers.
    pub fn boundaries(&self, place: PlaceId) -> impl Iterator<Item = u32> + '_ {
        let span = self.span(place);
        bits(span.of_all(&self.words)).map(move |bit| span.first * 64 + bit)
    }
}
