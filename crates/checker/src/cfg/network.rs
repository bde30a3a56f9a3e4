//! Productions as the parser reads them: a network of places with moves between them (Woods,
//! "Transition network grammars for natural language analysis", Communications of the ACM 13,
//! 1970). The states of the parser are sets of these places.
//!
//! Nonterminals that need none of their own are written out in it ([`drawing`](super::drawing)).
//! Where that would be large the productions are read as they are: a place is an index into
//! [`Cfg::symbols`]. The texts are the same.
//!
//! Cost: none, or that of drawing.

use super::{Cfg, NonterminalId, Symbol};

/// A place in a network.
pub(crate) type Place = u32;

/// What may be read at places, and what is behind it.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(super) moves: Vec<Box<[(Symbol, Place)]>>,
    /// For each nonterminal, the place before its texts.
    pub(super) beginnings: Vec<Place>,
    /// The place before every text.
    pub(super) goal: Place,
}

impl Network {
    /// Bytes of memory that it takes, closely.
    pub fn heap_bytes(&self) -> usize {
        let moves = self.moves.iter();
        let moves = moves.map(|moves| 16 + size_of_val(moves.as_ref()));
        moves.sum::<usize>() + size_of_val(self.beginnings.as_slice())
    }
}

impl Cfg {
    /// Number of places.
    pub(crate) fn places(&self) -> usize {
        match &self.network {
            Some(network) => network.moves.len(),
            None => self.symbols.len(),
        }
    }

    /// The place before every text.
    pub(crate) fn first_place(&self) -> Place {
        match &self.network {
            Some(network) => network.goal,
            None => self.goal,
        }
    }

    /// The places before the texts of a nonterminal.
    pub(crate) fn beginnings(&self, nonterminal: NonterminalId) -> Vec<Place> {
        match &self.network {
            Some(network) => vec![network.beginnings[nonterminal as usize]],
            None => self.productions[nonterminal as usize].clone(),
        }
    }

    /// Adds what may be read at a place, and the places behind; a nonterminal's end is read
    /// where its texts may be over.
    pub(crate) fn moves(&self, place: Place, moves: &mut Vec<(Symbol, Place)>) {
        match &self.network {
            Some(network) => moves.extend_from_slice(&network.moves[place as usize]),
            None => moves.push((self.symbols[place as usize], place + 1)),
        }
    }
}
