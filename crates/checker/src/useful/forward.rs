//! The chart: which states of the parser are true where, and where they may have begun.
//!
//! A boundary pulls what the lexemes bring that lead to it, and settles what completes: for
//! each nonterminal, all origins at once. Whatever waits where something began is known as
//! a whole by then, since that is an earlier place.

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::SortFew;
use std::ops::Range;

use super::places::{BoundaryId, NONE, PlaceId, Places};
use super::readings::{MoveId, Reader, ReadingId, Readings};
use super::rows::Rows;
use super::spans::{Span, set};
use super::underway::Underway;
use super::waits::{SymbolId, WaitId, Waits, nonterminal, terminal};
use crate::cfg::{Cfg, NonterminalId};
use crate::cover::{Cover, CoverSetId};
use crate::graph::Label;
use crate::lr::{State, StateId, States};
use crate::sets::StateSets;

/// A state at a boundary, with where it may have begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub state: StateId,
    pub span: Span,
}

/// What is true at a boundary.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    /// Its states.
    pub known: Range<usize>,
    /// The states of all that may begin there.
    begun: ReadingId,
    /// What its states read, those left aside that begin there.
    reads: ReadingId,
}

impl Settled {
    fn readers(&self, readings: &Readings, symbol: SymbolId) -> impl Iterator<Item = Waiter> {
        let lists = [self.reads, self.begun];
        let firsts = [self.known.start as u32, NONE];
        lists
            .into_iter()
            .zip(firsts)
            .flat_map(move |(list, first)| {
                let readers = readings.readers(list, symbol);
                readers.iter().map(move |&Reader { place, becomes }| {
                    let known = match first {
                        NONE => NONE,
                        first => first + place,
                    };
                    Waiter { known, becomes }
                })
            })
    }
}

/// Words that a chart may keep, an eighth of a gigabyte; a pass backwards keeps at most twice as
/// many again.
const MAX_KEPT: usize = 16 << 20;

/// The grammar's states, and what they read.
pub(crate) struct Parser<'a> {
    pub cfg: &'a Cfg,
    pub sets: &'a mut StateSets,
    pub readings: &'a mut Readings,
}

impl Parser<'_> {
    /// A state with all symbols listed.
    pub fn state(&mut self, state: StateId) -> &State {
        self.readings.state(self.cfg, self.sets, state)
    }

    fn reading(&mut self, states: &[StateId]) -> ReadingId {
        self.readings.id(self.cfg, self.sets, states)
    }
}

/// A state that waits for a symbol: its place among all that is known, [`NONE`] if it begins
/// where it waits, and what becomes of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    pub known: u32,
    pub becomes: MoveId,
}

/// The chart under way.
pub(super) struct Chart<'a> {
    pub parser: Parser<'a>,
    cover: &'a Cover,
    pub places: &'a Places,
    /// By boundary.
    pub settled: Vec<Settled>,
    pub underway: Underway,
    pub known: Vec<Known>,
    pub words: Vec<u64>,
    /// Words of readings before.
    read_before: usize,
    states: Vec<StateId>,
    fresh: Vec<BoundaryId>,
    pub waits: Waits,
    here: Here,
    pub work: usize,
    pub budget: usize,
}

/// What is found at the place that is looked at.
#[derive(Default)]
struct Here {
    place: PlaceId,
    /// By state, where it may have begun.
    states: Rows,
    /// By nonterminal, where what is complete began.
    complete: Rows,
    /// Of these, what is still to be passed on.
    fresh: Vec<NonterminalId>,
    passing: Vec<u64>,
    /// The boundaries before.
    before: Vec<u64>,
}

impl<'a> Chart<'a> {
    pub fn new(parser: Parser<'a>, cover: &'a Cover, places: &'a Places, budget: usize) -> Self {
        Self {
            read_before: parser.readings.size(),
            states: Vec::new(),
            fresh: Vec::new(),
            parser,
            cover,
            places,
            settled: Vec::with_capacity(places.boundaries.len()),
            underway: Underway::new(places),
            known: Vec::new(),
            words: Vec::new(),
            waits: Waits::default(),
            here: Here::default(),
            work: 0,
            budget,
        }
    }

    /// Settles all places, `None` if that is beyond the budget.
    pub fn run(&mut self) -> Option<()> {
        for (place, known) in (0..).zip(&self.places.places) {
            match known.boundary {
                NONE => self
                    .underway
                    .settle(self.places, place, &mut self.here.before),
                _ => self.settle(place),
            }
            if self.work > self.budget || self.kept() > MAX_KEPT {
                return None;
            }
        }
        Some(())
    }

    fn settle(&mut self, place: PlaceId) {
        let width = words_before(self.settled.len());
        self.here.place = place;
        self.here.states.clear(width);
        self.here.complete.clear(2 * width);
        if place == 0 {
            // The first state began at the start, which is the first boundary.
            if let Some(slot) = self.slot(States::START) {
                set(self.here.states.row_mut(slot), 0);
            }
        }
        self.pull();
        self.complete(width);
        self.keep();
    }

    /// Words that are kept, about.
    fn kept(&self) -> usize {
        let sets = self.words.len() + self.underway.words.len() + self.waits.kept;
        let read = self.parser.readings.size() - self.read_before;
        sets + read + 2 * self.known.len()
    }

    /// The row of a state at the current place; `None` if the rest does not ask for it.
    fn slot(&mut self, state: StateId) -> Option<u32> {
        if let Some(slot) = self.here.states.get(state) {
            return (slot != NONE).then_some(slot);
        }
        if !self.is_asked(state) {
            self.here.states.refuse(state);
            return None;
        }
        Some(self.here.states.add(state))
    }

    fn is_asked(&self, state: StateId) -> bool {
        let asks = self.places.places[self.here.place as usize].asks;
        asks.is_none_or(|asks| self.cover.holds(asks, self.parser.sets.outline(state)))
    }

    /// What the lexemes that lead to a place bring.
    fn pull(&mut self) {
        let places = self.places;
        let mut before = std::mem::take(&mut self.here.before);
        for alike in places.incoming_alike(self.here.place) {
            let Label::Lexeme(read) = places.edge(alike.start).label else {
                continue;
            };
            self.underway.gather(places, alike, &mut before);
            let symbol = terminal(read);
            self.ask(symbol, &before);
            for at in 0..self.waits.behind(symbol).len() {
                self.follow(self.waits.behind(symbol)[at], &before);
            }
        }
        self.here.before = before;
    }

    /// Takes note of what waits for a symbol at some boundaries.
    fn ask(&mut self, symbol: SymbolId, boundaries: &[u64]) {
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.clear();
        self.waits.ask(symbol, boundaries, &mut fresh);
        let readings = &*self.parser.readings;
        for &boundary in &fresh {
            let settled = &self.settled[boundary as usize];
            for reader in settled.readers(readings, symbol) {
                let at = (symbol, boundary);
                self.waits.add(at, reader, readings, &self.known);
                self.work += 1;
            }
        }
        self.fresh = fresh;
    }

    /// Which states at a boundary read a symbol, once that was asked for.
    pub fn readers(&self, boundary: BoundaryId, symbol: SymbolId) -> impl Iterator<Item = Waiter> {
        self.settled[boundary as usize].readers(self.parser.readings, symbol)
    }

    /// All that follows at a place from what is complete there.
    fn complete(&mut self, width: usize) {
        for slot in 0..self.here.states.numbers.len() as u32 {
            self.completes(slot, width);
        }
        let mut passing = std::mem::take(&mut self.here.passing);
        while let Some(complete) = self.here.fresh.pop() {
            let slot = self.here.complete.slot(complete);
            let (_, fresh) = self.here.complete.row_mut(slot).split_at_mut(width);
            passing.clear();
            passing.extend_from_slice(fresh);
            fresh.fill(0);
            if passing.iter().all(|&word| word == 0) {
                continue;
            }
            let symbol = nonterminal(complete);
            self.ask(symbol, &passing);
            for at in 0..self.waits.behind(symbol).len() {
                if let Some(slot) = self.follow(self.waits.behind(symbol)[at], &passing) {
                    self.completes(slot, width);
                }
            }
        }
        self.here.passing = passing;
    }

    /// Adds what becomes of one state where its symbol was read from some boundaries; its
    /// row, if that is anything.
    fn follow(&mut self, (target, wait): (StateId, WaitId), from: &[u64]) -> Option<u32> {
        self.work += 1;
        if self.here.states.get(target) == Some(NONE) || !self.waits.of(wait).is_at(from) {
            return None;
        }
        let slot = self.slot(target)?;
        let row = self.here.states.row_mut(slot);
        let waiting = self.waits.of_mut(wait);
        for ((word, here), from) in row.iter_mut().zip(&waiting.here).zip(from) {
            *word |= here & from;
        }
        self.work += waiting.here.len();
        for block in &mut waiting.blocks {
            let among = block.among(&waiting.before, from);
            if among != 0 {
                self.work += block.bring(among, &self.known, &self.words, row);
            }
        }
        Some(slot)
    }

    /// Takes note of what a state completes.
    fn completes(&mut self, slot: u32, width: usize) {
        let state = self.here.states.numbers[slot as usize];
        let row = self.here.states.row(slot);
        for &nonterminal in &self.parser.state(state).completes {
            let slot = self.here.complete.slot(nonterminal);
            let (done, fresh) = self.here.complete.row_mut(slot).split_at_mut(width);
            let mut any = 0;
            for ((done, fresh), &word) in done.iter_mut().zip(fresh).zip(row) {
                let new = word & !*done;
                *done |= new;
                *fresh |= new;
                any |= new;
            }
            if any != 0 {
                self.here.fresh.push(nonterminal);
            }
            self.work += row.len();
        }
    }

    /// Keeps what was found at a place.
    fn keep(&mut self) {
        let first = self.known.len();
        self.states.clear();
        for slot in 0..self.here.states.numbers.len() as u32 {
            let state = self.here.states.numbers[slot as usize];
            let row = self.here.states.row(slot);
            let Some(span) = Span::of(row, self.words.len()) else {
                continue;
            };
            self.words.extend_from_slice(span.in_row(row));
            self.known.push(Known { state, span });
            self.states.push(state);
        }
        let reads = self.parser.reading(&self.states);
        let asks = self.places.places[self.here.place as usize].asks;
        let known = match SHORTCUTS {
            true => self.parser.readings.begun(reads, asks),
            false => None,
        };
        let begun = match known {
            Some(known) => known,
            None => self.begun(reads, asks),
        };
        let known = first..self.known.len();
        self.work += known.len();
        self.settled.push(Settled {
            known,
            begun,
            reads,
        });
    }

    /// All that begins behind the states of the current place.
    fn begun(&mut self, reads: ReadingId, asks: Option<CoverSetId>) -> ReadingId {
        let mut begun: Vec<StateId> = Vec::new();
        for &state in &self.states {
            let State {
                prediction, items, ..
            } = *self.parser.state(state);
            let predictions = [prediction, items].into_iter().flatten();
            begun.extend(predictions.filter(|&prediction| self.is_asked(prediction)));
        }
        begun.sort_few();
        begun.dedup();
        let begun = self.parser.reading(&begun);
        self.work += self.parser.readings.len(reads);
        if SHORTCUTS {
            self.parser.readings.keep_begun(reads, asks, begun);
        }
        begun
    }
}

/// Words of a set of boundaries before one, and of the first if it is that.
pub(super) fn words_before(boundary: usize) -> usize {
    boundary.div_ceil(64).max(1)
}
