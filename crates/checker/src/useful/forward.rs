//! The chart: which states of the parser are true where, and where they may have begun.
//!
//! A boundary pulls what the lexemes bring that lead to it, and settles what completes: for
//! each nonterminal, all origins at once. Whatever waits where something began is known as
//! a whole by then, since that is an earlier place.

use std::ops::Range;
use std::sync::Arc;

use lacuna_lexer::{TerminalId, key, keys_of};

use super::beginnings::{BeginningId, Beginnings, Reader};
use super::places::{BoundaryId, NONE, PlaceId, Places};
use super::rows::Rows;
use super::spans::{Span, has, join, next_bit, range, set};
use super::underway::Underway;
use super::waits::Waits;
use crate::cfg::{Cfg, NonterminalId};
use crate::cover::Cover;
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
    pub begun: BeginningId,
    /// Its number among those where something begins.
    pub origin: u32,
    /// Origins up to there.
    pub origins: u32,
    /// What its states read, those left aside that begin there; once asked for.
    reads: Option<Range<usize>>,
}

/// Words that a chart may keep; a pass backwards keeps as many again: a quarter of a gigabyte.
const MAX_KEPT: usize = 16 << 20;

/// The grammar's states, as they are asked for.
pub(super) struct Parser<'a> {
    cfg: &'a Cfg,
    sets: &'a mut StateSets,
    states: Vec<Option<Arc<State>>>,
}

impl Parser<'_> {
    pub fn state(&mut self, state: StateId) -> &State {
        let at = state as usize;
        if at >= self.states.len() {
            self.states.resize(at + 1, None);
        }
        self.states[at].get_or_insert_with(|| self.sets.state(self.cfg, state))
    }
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
    /// What is read, boundary by boundary, by terminal; what begins there left aside.
    reads: Vec<u128>,
    pub beginnings: Beginnings,
    pub waits: Waits,
    /// The boundaries where something begins.
    origins: Vec<BoundaryId>,
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
    pub fn new(
        cfg: &'a Cfg,
        sets: &'a mut StateSets,
        cover: &'a Cover,
        places: &'a Places,
        budget: usize,
    ) -> Self {
        Self {
            parser: Parser {
                cfg,
                sets,
                states: Vec::new(),
            },
            cover,
            places,
            settled: Vec::with_capacity(places.boundaries.len()),
            underway: Underway::new(places),
            known: Vec::new(),
            words: Vec::new(),
            reads: Vec::new(),
            beginnings: Beginnings::default(),
            waits: Waits::default(),
            origins: Vec::new(),
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
        let width = self.origins.len().div_ceil(64).max(1);
        self.here.place = place;
        self.here.states.clear(width);
        self.here.complete.clear(2 * width);
        if place == 0 {
            // The first state began at the start, which is the first origin.
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
        let sets = self.words.len() + self.underway.words.len();
        // What is known waits for a few nonterminals, each an entry.
        sets + 2 * self.reads.len() + 16 * self.known.len()
    }

    /// The boundary of an origin.
    pub fn boundary_of(&self, origin: u32) -> BoundaryId {
        self.origins[origin as usize]
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
            let Label::Lexeme(terminal) = places.edge(alike.start).label else {
                continue;
            };
            self.underway.gather(places, alike, &mut before);
            let mut next = 0;
            while let Some(boundary) = next_bit(&before, next) {
                next = boundary + 1;
                let origin = self.settled[boundary as usize].origin;
                for reader in self.readers(boundary, terminal) {
                    if let Some(slot) = self.slot(reader.target) {
                        self.bring(reader.known, origin, slot);
                    }
                }
                self.work += 1;
            }
        }
        self.here.before = before;
    }

    /// Adds where a state began to a row: what is known, or an origin if it began there.
    fn bring(&mut self, known: u32, origin: u32, slot: u32) {
        let row = self.here.states.row_mut(slot);
        if known == NONE {
            return set(row, origin);
        }
        let span = self.known[known as usize].span;
        join(span.of_row(row), span.of_all(&self.words));
        self.work += span.words as usize;
    }

    /// Which states at a boundary read a terminal.
    pub fn readers(&mut self, boundary: BoundaryId, terminal: TerminalId) -> Vec<Reader> {
        let Settled { begun, .. } = self.settled[boundary as usize];
        let known = self.settled[boundary as usize].reads.clone();
        let all = known.unwrap_or_else(|| self.find_reads(boundary));
        let known = keys_of(&self.reads[all], [0, terminal]).iter();
        let begun = self.beginnings.reads(begun, terminal);
        known.chain(begun).map(|&key| key.into()).collect()
    }

    fn find_reads(&mut self, boundary: BoundaryId) -> Range<usize> {
        let first = self.reads.len();
        for at in self.settled[boundary as usize].known.clone() {
            let state = self.parser.state(self.known[at].state);
            for &(terminal, target) in &state.terminals {
                self.reads.push(key([0, terminal, at as u32, target]));
            }
        }
        let reads = first..self.reads.len();
        self.reads[reads.clone()].sort_unstable();
        self.work += reads.len();
        self.settled[boundary as usize].reads = Some(reads.clone());
        reads
    }

    /// All that follows at a place from what is complete there.
    fn complete(&mut self, width: usize) {
        for slot in 0..self.here.states.numbers.len() as u32 {
            self.completes(slot, width);
        }
        let mut passing = std::mem::take(&mut self.here.passing);
        while let Some(nonterminal) = self.here.fresh.pop() {
            let slot = self.here.complete.slot(nonterminal);
            let (_, fresh) = self.here.complete.row_mut(slot).split_at_mut(width);
            passing.clear();
            passing.extend_from_slice(fresh);
            fresh.fill(0);
            let Some(origins) = range(&passing) else {
                continue;
            };
            for at in 0..self.waits.behind(nonterminal).len() {
                let target = self.waits.behind(nonterminal)[at];
                if let Some(slot) = self.follow(target, &passing, origins.clone()) {
                    self.completes(slot, width);
                }
            }
        }
        self.here.passing = passing;
    }

    /// Adds what becomes of one state where its nonterminal is complete; its row, if that is
    /// anything.
    fn follow(&mut self, target: StateId, passing: &[u64], origins: Range<u32>) -> Option<u32> {
        if self.here.states.get(target) == Some(NONE) {
            return None;
        }
        let mut row = None;
        let waiting = self.waits.of(target);
        let first = origins.start as usize / 64;
        let here = waiting.here.iter().zip(passing).skip(first);
        self.work += 1 + here.len();
        if here.clone().any(|(here, passing)| here & passing != 0) {
            let slot = self.slot(target)?;
            let waiting = self.waits.of(target);
            let words = self.here.states.row_mut(slot).iter_mut();
            for ((word, here), passing) in words.zip(&waiting.here).zip(passing) {
                *word |= here & passing;
            }
            row = Some(slot);
        }
        let count = self.waits.of(target).before_in(origins.clone()).len();
        self.work += count;
        for at in 0..count {
            let (origin, known) = self.waits.of(target).before_in(origins.clone())[at];
            if has(passing, origin) {
                let slot = self.slot(target)?;
                self.bring(known, NONE, slot);
                row = Some(slot);
            }
        }
        row
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
        let mut begun: Vec<StateId> = Vec::new();
        for slot in 0..self.here.states.numbers.len() as u32 {
            let state = self.here.states.numbers[slot as usize];
            let row = self.here.states.row(slot);
            let Some(span) = Span::of(row, self.words.len()) else {
                continue;
            };
            self.words.extend_from_slice(span.in_row(row));
            self.known.push(Known { state, span });
            let prediction = self.parser.state(state).prediction;
            begun.extend(prediction.filter(|&prediction| self.is_asked(prediction)));
        }
        begun.sort_unstable();
        begun.dedup();
        let has_begun = !begun.is_empty() || self.here.place == 0;
        let begun = self.beginnings.id(&mut self.parser, begun);
        let known = first..self.known.len();
        let mut origin = NONE;
        if has_begun {
            origin = self.origins.len() as u32;
            self.origins.push(self.settled.len() as BoundaryId);
            for &(nonterminal, target) in self.beginnings.waits(begun) {
                self.waits.add_here(origin, nonterminal, target);
            }
            for at in known.clone() {
                for &(nonterminal, target) in &self.parser.state(self.known[at].state).nonterminals
                {
                    self.waits
                        .add_before(origin, at as u32, nonterminal, target);
                }
            }
        }
        self.work += known.len();
        self.settled.push(Settled {
            known,
            begun,
            origin,
            origins: self.origins.len() as u32,
            reads: None,
        });
    }
}
