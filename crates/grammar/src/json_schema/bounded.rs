//! Strings of a pattern with tens of thousands of characters at most, or at least, counted by
//! rules.
//!
//! Fewer are counted beside the pattern's automaton ([`Counted`](crate::automaton::Counted)),
//! where that tells whether a text can end; of so many, states and counts together would be more
//! than can be numbered. As in
//! [`super::lengths`], runs of `block · 2^k` characters are rules, here one for each
//! two states of the pattern's automaton that such a run leads between; so there are
//! as many as pairs of states that are met, times the logarithm of the count. The
//! automaton is deterministic, so each text is derived in one way. Where the pairs are
//! many, the automaton has to do.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap as HashMap;

use super::LIMITS;
use super::lower::Lowering;
use crate::Expr;
use crate::automaton::{AutomatonError, Bounds, Lengths, StateId};

/// Most alternatives of the rules of one string.
const MAX_PARTS: usize = 4_000;
/// Most states of all automata that they mention, over characters, times the runs of
/// characters that are told apart.
const MAX_STATES: usize = 80_000;
/// Most characters of a run that an automaton counts, times the runs of characters that
/// are told apart: spelled, each of them has states of its own.
const MAX_BREADTH: u32 = 2_000;

/// Most pairs of states that are looked at beforehand.
const MAX_LOOK: usize = 300_000;

/// What a rule derives.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Piece {
    /// From a state to another in `block · 2^k` characters.
    Run(u32, StateId, StateId),
    /// From a state to the end.
    Rest(StateId, Bounds),
}

struct Pieces<'l> {
    texts: &'l Lengths<'l>,
    block: u32,
    /// Pieces that were looked at, and what was made of them, which may be nothing.
    known: HashMap<Piece, Option<Option<Expr>>>,
    /// By power and state.
    reached: Vec<Vec<Option<Rc<[StateId]>>>>,
    /// Pairs of states that were looked at for that.
    looked: usize,
}

impl Lowering<'_> {
    /// The spellings, without quotes, of the texts within bounds; `None` where this takes
    /// too many rules.
    pub(super) fn bounded(
        &mut self,
        texts: &Lengths<'_>,
        bounds: Bounds,
    ) -> Result<Option<Expr>, AutomatonError> {
        let count = texts.state_count();
        let mut pieces = Pieces {
            texts,
            block: match count {
                ..=2 => 32,
                3..=6 => 16,
                _ => 8,
            }
            .min(MAX_BREADTH / texts.breadth() as u32)
            .max(1),
            known: HashMap::default(),
            reached: Vec::new(),
            looked: 0,
        };
        let product = count.saturating_mul(bounds.max.unwrap_or(bounds.min) as usize);
        let whole = Piece::Rest(texts.start(), bounds);
        if !pieces.are_few(whole, product / 2) {
            return Ok(None);
        }
        let found = self.piece(&mut pieces, whole)?;
        Ok(Some(found.unwrap_or_else(Expr::never)))
    }

    /// `None` where nothing can be.
    fn piece(
        &mut self,
        pieces: &mut Pieces<'_>,
        piece: Piece,
    ) -> Result<Option<Expr>, AutomatonError> {
        if let Some(Some(known)) = pieces.known.get(&piece) {
            return Ok(known.clone());
        }
        let expr = match pieces.parts(piece) {
            Parts::Layers(layers) => {
                let part = Arc::new(pieces.texts.run(&layers));
                Some(Expr::Automaton(self.spelled(&part)?))
            }
            Parts::Rest(from, bounds) => {
                let part = Arc::new(pieces.texts.rest(from, bounds, &LIMITS)?);
                match part.is_empty() {
                    true => None,
                    false => Some(Expr::Automaton(self.spelled(&part)?)),
                }
            }
            Parts::Choice(choices) => {
                let mut made = Vec::new();
                for (first, second) in choices {
                    let first = match first {
                        None => Some(Expr::empty()),
                        Some(first) => self.piece(pieces, first)?,
                    };
                    let Some(first) = first else { continue };
                    let second = self.piece(pieces, second)?;
                    made.extend(second.map(|second| Expr::Sequence(vec![first, second])));
                }
                match made.is_empty() {
                    true => None,
                    false => {
                        let name = pieces.name(piece, &self.here());
                        Some(Expr::Rule(self.add_rule(name, Expr::Choice(made))))
                    }
                }
            }
        };
        pieces.known.insert(piece, Some(expr.clone()));
        Ok(expr)
    }
}

/// What a piece is made of.
enum Parts {
    /// A run through these states.
    Layers(Vec<Vec<StateId>>),
    /// From a state to the end.
    Rest(StateId, Bounds),
    /// Any of these, of a run, if there is one, and another piece.
    Choice(Vec<(Option<Piece>, Piece)>),
}

impl Pieces<'_> {
    fn parts(&mut self, piece: Piece) -> Parts {
        match piece {
            Piece::Run(0, from, to) => Parts::Layers(self.texts.layers(from, to, self.block)),
            Piece::Run(power, from, to) => {
                let mut choices = Vec::new();
                for &middle in self.reached(power - 1, from).iter() {
                    if self.reached(power - 1, middle).binary_search(&to).is_ok() {
                        let first = Piece::Run(power - 1, from, middle);
                        choices.push((Some(first), Piece::Run(power - 1, middle, to)));
                    }
                }
                Parts::Choice(choices)
            }
            Piece::Rest(from, Bounds { min, max }) => {
                let counted = max.unwrap_or(min);
                if counted <= 2 * self.block {
                    return Parts::Rest(from, Bounds { min, max });
                }
                let power = (counted / self.block).ilog2();
                let length = self.block << power;
                let mut choices = Vec::new();
                if max.is_some() && min < length {
                    let max = Some(length - 1);
                    choices.push((None, Piece::Rest(from, Bounds { min, max })));
                }
                let bounds = Bounds {
                    min: min.saturating_sub(length),
                    max: max.map(|max| max - length),
                };
                for &middle in self.reached(power, from).iter() {
                    let run = Piece::Run(power, from, middle);
                    choices.push((Some(run), Piece::Rest(middle, bounds)));
                }
                Parts::Choice(choices)
            }
        }
    }

    /// Whether rules for a piece, and what they mention, are worth it, beside so many
    /// states of one automaton.
    fn are_few(&mut self, piece: Piece, beside: usize) -> bool {
        let mut todo = vec![piece];
        let breadth = self.texts.breadth();
        let (mut parts, mut states) = (0, 0);
        while let Some(piece) = todo.pop() {
            if self.known.insert(piece, None).is_some() {
                continue;
            }
            match self.parts(piece) {
                Parts::Layers(layers) => states += layers.iter().map(Vec::len).sum::<usize>(),
                Parts::Rest(..) => states += self.texts.state_count(),
                Parts::Choice(choices) => {
                    parts += choices.len();
                    todo.extend(choices.iter().filter_map(|(first, _)| *first));
                    todo.extend(choices.iter().map(|(_, second)| *second));
                }
            }
            let is_large = states.saturating_mul(breadth) > MAX_STATES;
            let is_large = is_large || self.looked > MAX_LOOK;
            if parts > MAX_PARTS || is_large || parts + states > beside {
                return false;
            }
        }
        true
    }

    fn name(&self, piece: Piece, of: &str) -> String {
        match piece {
            Piece::Run(power, from, to) => {
                let length = u64::from(self.block) << power;
                format!("{of} {length} characters {from} to {to}")
            }
            Piece::Rest(from, Bounds { min, max }) => match max {
                Some(max) => format!("{of} {min} to {max} characters from {from}"),
                None => format!("{of} {min} characters or more from {from}"),
            },
        }
    }

    /// The states that a run of `block · 2^power` characters leads to, in order.
    fn reached(&mut self, power: u32, from: StateId) -> Rc<[StateId]> {
        let count = self.texts.state_count();
        while self.reached.len() <= power as usize {
            self.reached.push(vec![None; count]);
        }
        if let Some(known) = &self.reached[power as usize][from as usize] {
            return known.clone();
        }
        let found: Rc<[StateId]> = match power {
            0 => self.texts.after(from, self.block).into(),
            _ => {
                let mut found = vec![false; count];
                for &middle in self.reached(power - 1, from).iter() {
                    let behind = self.reached(power - 1, middle);
                    self.looked += behind.len();
                    if self.looked > MAX_LOOK {
                        break;
                    }
                    for &state in behind.iter() {
                        found[state as usize] = true;
                    }
                }
                let states = (0..).zip(found);
                let states = states.filter_map(|(state, found)| found.then_some(state));
                states.collect()
            }
        };
        self.reached[power as usize][from as usize] = Some(found.clone());
        found
    }
}
