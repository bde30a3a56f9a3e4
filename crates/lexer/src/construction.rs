//! The states of a lexer whose boundaries remember: obligations under maximal munch, and how far a
//! constraint on whole texts has come.
//!
//! A state is one of the combined automaton, with the obligations that are open and the
//! constraint's state; those that are reached from the first are all there are. Obligations that
//! say no more than others do are left out ([`Subsumption`]).
//!
//! Cost: for each state a step of the combined automaton by each class of bytes, and by each of its
//! obligations.

use lacuna_grammar::automaton::{AutomatonError, Dfa, Grouped, Limits, StateId};
use rustc_hash::FxHashMap;

use crate::alive::Alive;
use crate::combined::{Combined, DEAD};
use crate::few::SortFew;
use crate::lexer::{Owing, moves};
use crate::separator::Anatomy;
use crate::subsumption::Subsumption;
use crate::{Finish, Lexer, LexerState, TerminalId};

/// A state under construction.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    /// Of the combined automaton.
    lexeme: LexerState,
    /// States of the combined automaton that must not come to accept; sorted.
    obligations: Vec<LexerState>,
    constraint: StateId,
}

/// The states of a lexer as they are reached.
pub(crate) struct Construction<'a> {
    combined: &'a Combined,
    constraint: Option<&'a Dfa>,
    /// For each state of the combined automaton, the terminals that may end
    /// there (`None` if ignored), and whether that leaves an obligation.
    ways: Vec<Vec<(Option<TerminalId>, bool)>>,
    /// For each state of the combined automaton, the one that stands for it in
    /// obligations; empty where nothing leaves any.
    bound: Vec<LexerState>,
    /// For each state of the combined automaton, whether a lexeme that counts can
    /// come of it; `None` if one can of all.
    leads: Option<Vec<bool>>,
    subsumption: Subsumption,
    places: Vec<Place>,
    ids: FxHashMap<Place, LexerState>,
}

impl<'a> Construction<'a> {
    /// Over a combined automaton, with the ways to end in each of its states.
    pub(crate) fn new(
        combined: &'a Combined,
        constraint: Option<&'a Dfa>,
        ways: Vec<Vec<(Option<TerminalId>, bool)>>,
    ) -> Self {
        let binds = ways.iter().flatten().any(|&(_, binds)| binds);
        let bound = binds.then(|| combined.representatives_by_acceptance());
        Self {
            bound: bound.unwrap_or_default(),
            combined,
            constraint,
            ways,
            leads: None,
            subsumption: Subsumption::default(),
            places: Vec::new(),
            ids: FxHashMap::default(),
        }
    }

    /// The same, of lexemes that a lexeme that counts can come of.
    pub(crate) fn of_what_leads_on(self, leads: Vec<bool>) -> Self {
        Self {
            leads: Some(leads),
            ..self
        }
    }

    /// All of them.
    ///
    /// # Errors
    /// When there are more than the limit.
    pub(crate) fn run(
        mut self,
        terminal_count: usize,
        limits: &Limits,
    ) -> Result<Lexer, AutomatonError> {
        let extends = self.combined.extends();
        self.id(Place {
            lexeme: 0,
            obligations: Vec::new(),
            constraint: self.constraint.map_or(0, Dfa::start),
        });
        let mut table = Vec::new();
        let mut finishes = Grouped::default();
        while let Some(place) = self.places.get(finishes.owners()).cloned() {
            for class in 0..self.combined.representatives.len() {
                let next = self.after(&place, class, &extends);
                table.push(next.map_or(DEAD, |next| self.id(next)));
            }
            let ways = std::mem::take(&mut self.ways[place.lexeme as usize]);
            let ends = ways.iter().map(|&(terminal, binds)| {
                let mut obligations = place.obligations.clone();
                let bound = binds.then(|| self.bound[place.lexeme as usize]);
                if let Some(bound) = bound
                    && let Err(at) = obligations.binary_search(&bound)
                {
                    obligations.insert(at, bound);
                    let subsumption = &mut self.subsumption;
                    subsumption.reduce(self.combined, &extends, &mut obligations);
                }
                let to = self.id(Place {
                    lexeme: 0,
                    obligations,
                    constraint: place.constraint,
                });
                Finish { terminal, to }
            });
            finishes.add(ends);
            self.ways[place.lexeme as usize] = ways;
            if self.places.len() > limits.dfa_states {
                return Err(AutomatonError::TooLarge {
                    what: "lexer states",
                    limit: limits.dfa_states,
                });
            }
        }
        let allows = |place: &Place| {
            self.constraint
                .is_none_or(|constraint| constraint.is_accepting(place.constraint))
        };
        let ends: Vec<bool> = self
            .places
            .iter()
            .map(|place| place.lexeme == 0 && allows(place))
            .collect();
        let moves = moves(&table, &self.combined.classes, finishes.owners());
        let alive = Alive::new(&moves, &finishes, &ends, terminal_count);
        let separators = self.separators(&table, &finishes, &ends);
        let owing = self.owing();
        Ok(Lexer {
            classes: self.combined.classes.clone(),
            class_count: self.combined.representatives.len(),
            table,
            finishes,
            ends,
            alive,
            moves: moves.into(),
            counting: None,
            separators,
            owing,
            terminal_count,
            starts: 1,
        })
    }

    fn owing(&self) -> Owing {
        let boundaries = self.places.iter().enumerate();
        let boundaries: Vec<(LexerState, Place)> = boundaries
            .filter(|(_, place)| place.lexeme == 0)
            .map(|(state, place)| (state as LexerState, place.clone()))
            .collect();
        let boundaries = boundaries.into_iter().filter_map(|(state, place)| {
            let free = Place {
                obligations: Vec::new(),
                ..place
            };
            let free = *self.ids.get(&free)?;
            Some((state, (place.obligations.into(), free)))
        });
        let boundaries: FxHashMap<_, (Box<[LexerState]>, LexerState)> = boundaries.collect();
        if boundaries.values().all(|(owed, _)| owed.is_empty()) {
            return Owing {
                boundaries,
                ..Owing::default()
            };
        }
        let states = 0..self.combined.state_count() as LexerState;
        Owing {
            table: self.combined.table.clone(),
            accepting: states
                .map(|state| self.combined.is_accepting(state))
                .collect(),
            boundaries,
        }
    }

    fn separators(
        &self,
        table: &[LexerState],
        finishes: &Grouped<Finish>,
        text_ends: &[bool],
    ) -> FxHashMap<LexerState, u8> {
        let classes = self.combined.representatives.len();
        let next = |state: LexerState, class: usize| {
            let next = table[state as usize * classes + class];
            (next != DEAD).then_some(next)
        };
        let places = self.places.iter();
        let obligations: Vec<&[u32]> = places.clone().map(|p| p.obligations.as_slice()).collect();
        let lexemes: Vec<(u32, u32)> = places.map(|p| (p.lexeme, p.constraint)).collect();
        let anatomy = Anatomy {
            representatives: &self.combined.representatives,
            lexemes: &lexemes,
            obligations: &obligations,
            finishes,
            text_ends,
            next: &next,
        };
        anatomy.separators()
    }

    fn after(&mut self, place: &Place, class: usize, extends: &[bool]) -> Option<Place> {
        let lexeme = self.combined.next(place.lexeme, class)?;
        if let Some(leads) = &self.leads
            && !leads[lexeme as usize]
        {
            return None;
        }
        let byte = self.combined.representatives[class];
        let constraint = match self.constraint {
            Some(constraint) => constraint.next(place.constraint, byte)?,
            None => 0,
        };
        let mut obligations = Vec::with_capacity(place.obligations.len());
        for &obligation in &place.obligations {
            let Some(next) = self.combined.next(obligation, class) else {
                continue;
            };
            if self.combined.is_accepting(next) {
                return None;
            }
            if extends[next as usize] {
                obligations.push(self.bound[next as usize]);
            }
        }
        obligations.sort_few();
        obligations.dedup();
        let subsumption = &mut self.subsumption;
        subsumption.reduce(self.combined, extends, &mut obligations);
        Some(Place {
            lexeme,
            obligations,
            constraint,
        })
    }

    fn id(&mut self, place: Place) -> LexerState {
        let fresh = self.places.len() as LexerState;
        let places = &mut self.places;
        *self.ids.entry(place).or_insert_with_key(|place| {
            places.push(place.clone());
            fresh
        })
    }
}
