//! Strings of a pattern with many characters at most, or at least, counted by rules.
//!
//! As an automaton that would be the pattern's states times the count. As in
//! [`super::lengths`], runs of `block · 2^k` characters are rules, here one for each
//! two states of the pattern's automaton that such a run leads between; so there are
//! as many as pairs of states that are met, times the logarithm of the count. The
//! automaton is deterministic, so each text is derived in one way. Where the pairs are
//! many, the automaton has to do.

use std::sync::Arc;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::LIMITS;
use super::lower::Lowering;
use crate::Expr;
use crate::automaton::{AutomatonError, Language, StateId};

/// Most alternatives of the rules of one string.
const MAX_PARTS: usize = 4_000;
/// Most states of all automata that they mention, over characters.
const MAX_STATES: usize = 8_000;

/// What a rule derives.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Piece {
    /// From a state to another in `block · 2^k` characters.
    Run(u32, StateId, StateId),
    /// From a state to the end, in so many characters.
    Rest(StateId, u32, Option<u32>),
}

struct Pieces {
    texts: Arc<Language>,
    block: u32,
    known: HashMap<Piece, Option<Expr>>,
    reached: HashMap<(u32, StateId), Vec<StateId>>,
}

impl Lowering<'_> {
    /// The spellings, without quotes, of the texts of so many characters; `None` where
    /// this takes too many rules.
    pub(super) fn bounded(
        &mut self,
        texts: &Arc<Language>,
        min: u32,
        max: Option<u32>,
    ) -> Result<Option<Expr>, AutomatonError> {
        let Some((start, count)) = texts.states() else {
            return Ok(None);
        };
        let mut pieces = Pieces {
            texts: texts.clone(),
            block: match count {
                ..=2 => 32,
                3..=6 => 16,
                _ => 8,
            },
            known: HashMap::default(),
            reached: HashMap::default(),
        };
        let product = count.saturating_mul(max.unwrap_or(min) as usize);
        if !pieces.are_few(count, Piece::Rest(start, min, max), product / 2) {
            return Ok(None);
        }
        let found = self.piece(&mut pieces, Piece::Rest(start, min, max))?;
        Ok(Some(found.unwrap_or_else(Expr::never)))
    }

    /// `None` where nothing can be.
    fn piece(&mut self, pieces: &mut Pieces, piece: Piece) -> Result<Option<Expr>, AutomatonError> {
        if let Some(known) = pieces.known.get(&piece) {
            return Ok(known.clone());
        }
        let expr = match pieces.parts(piece) {
            Parts::Automaton(from, to, lengths) => {
                let part = pieces.texts.part(from, to, lengths, &LIMITS)?;
                match part.is_empty() {
                    true => None,
                    false => Some(Expr::Automaton(self.spelled(&Arc::new(part))?)),
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
        pieces.known.insert(piece, expr.clone());
        Ok(expr)
    }
}

/// What a piece is made of.
enum Parts {
    /// From a state to another or to the end, in so many characters.
    Automaton(StateId, Option<StateId>, (u32, Option<u32>)),
    /// Any of these, of a run, if there is one, and another piece.
    Choice(Vec<(Option<Piece>, Piece)>),
}

impl Pieces {
    fn parts(&mut self, piece: Piece) -> Parts {
        match piece {
            Piece::Run(0, from, to) => {
                Parts::Automaton(from, Some(to), (self.block, Some(self.block)))
            }
            Piece::Run(power, from, to) => {
                let mut choices = Vec::new();
                for middle in self.reached(power - 1, from) {
                    if self.reached(power - 1, middle).contains(&to) {
                        let first = Piece::Run(power - 1, from, middle);
                        choices.push((Some(first), Piece::Run(power - 1, middle, to)));
                    }
                }
                Parts::Choice(choices)
            }
            Piece::Rest(from, min, max) if max.unwrap_or(min) <= 2 * self.block => {
                Parts::Automaton(from, None, (min, max))
            }
            Piece::Rest(from, min, max) => {
                let power = (max.unwrap_or(min) / self.block).ilog2();
                let length = self.block << power;
                let mut choices = Vec::new();
                if max.is_some() && min < length {
                    choices.push((None, Piece::Rest(from, min, Some(length - 1))));
                }
                let (min, max) = (min.saturating_sub(length), max.map(|max| max - length));
                for middle in self.reached(power, from) {
                    let rest = Piece::Rest(middle, min, max);
                    choices.push((Some(Piece::Run(power, from, middle)), rest));
                }
                Parts::Choice(choices)
            }
        }
    }

    /// Whether rules for a piece, and what they mention, are worth it, beside so many
    /// states of one automaton.
    fn are_few(&mut self, states: usize, piece: Piece, beside: usize) -> bool {
        let mut seen = HashSet::default();
        let mut todo = vec![piece];
        let (mut parts, mut automata) = (0, 0);
        while let Some(piece) = todo.pop() {
            if !seen.insert(piece) {
                continue;
            }
            match self.parts(piece) {
                Parts::Automaton(..) => automata += 1,
                Parts::Choice(choices) => {
                    parts += choices.len();
                    todo.extend(choices.iter().filter_map(|(first, _)| *first));
                    todo.extend(choices.iter().map(|(_, second)| *second));
                }
            }
            let of_automata = automata * states.saturating_mul(self.block as usize);
            let is_less = parts + of_automata < beside;
            if parts > MAX_PARTS || of_automata > MAX_STATES || !is_less {
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
            Piece::Rest(from, min, Some(max)) => {
                format!("{of} {min} to {max} characters from {from}")
            }
            Piece::Rest(from, min, None) => format!("{of} {min} characters or more from {from}"),
        }
    }

    /// The states that a run of `block · 2^power` characters leads to.
    fn reached(&mut self, power: u32, from: StateId) -> Vec<StateId> {
        if let Some(known) = self.reached.get(&(power, from)) {
            return known.clone();
        }
        let mut found: Vec<StateId> = match power {
            0 => self.texts.after(from, self.block),
            _ => {
                let middle = self.reached(power - 1, from).into_iter();
                middle
                    .flat_map(|middle| self.reached(power - 1, middle))
                    .collect()
            }
        };
        found.sort_unstable();
        found.dedup();
        self.reached.insert((power, from), found.clone());
        found
    }
}
