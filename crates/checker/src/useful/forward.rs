//! The chart: which states of the parser are true where, and where they may have begun.
//!
//! A place pulls what its edges bring, and settles what completes: what began last first,
//! so whatever waits where it began is known as a whole. Origins are numbered in the order
//! of their places, so none that is found at one can be later than where it completes.

use std::ops::Range;
use std::sync::Arc;

use super::places::{PlaceId, Places};
use super::spans::Span;
use crate::cfg::{Cfg, NonterminalId};
use crate::cover::Cover;
use crate::graph::Label;
use crate::lr::{State, StateId, States};
use crate::sets::StateSets;

/// In place of an origin where nothing begins, and of a place in a table.
pub(super) const NONE: u32 = u32::MAX;

/// A state at a place, with where it may have begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub state: StateId,
    pub span: Span,
}

/// What is true at a place.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    /// Its states, by their numbers.
    pub known: Range<usize>,
    /// The states of all that may begin there.
    pub begun: Range<usize>,
    /// Its number among the places where something begins.
    pub origin: u32,
}

/// A state that waits for a nonterminal where it began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub nonterminal: NonterminalId,
    /// The state's place among all that is known, [`NONE`] if it begins there itself.
    pub known: u32,
    /// The state behind the nonterminal.
    pub target: StateId,
}

/// The chart under way.
pub(super) struct Chart<'a> {
    cfg: &'a Cfg,
    sets: &'a mut StateSets,
    cover: &'a Cover,
    pub places: &'a Places,
    pub settled: Vec<Settled>,
    pub known: Vec<Known>,
    pub begun: Vec<StateId>,
    pub words: Vec<u64>,
    /// The places where something begins.
    pub origins: Vec<PlaceId>,
    /// What waits at an origin, once asked for, by nonterminal.
    waiting: Vec<Option<Arc<[Waiting]>>>,
    states: Vec<Option<Arc<State>>>,
    pub here: Here,
    work: usize,
    budget: usize,
}

/// The states of the place that is looked at: where each stands, by its number.
#[derive(Default)]
pub(super) struct Here {
    slots: Vec<(u32, u32)>,
    now: u32,
}

impl Here {
    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.now += 1;
    }

    pub fn get(&self, state: StateId) -> Option<u32> {
        let &(when, slot) = self.slots.get(state as usize)?;
        (when == self.now).then_some(slot)
    }

    pub fn put(&mut self, state: StateId, slot: u32) {
        let at = state as usize;
        if at >= self.slots.len() {
            self.slots.resize(at + 1, (0, 0));
        }
        self.slots[at] = (self.now, slot);
    }
}

/// The states of a place as they are found, each with a full row of bits.
struct Rows {
    width: usize,
    states: Vec<StateId>,
    bits: Vec<u64>,
    /// Those that complete something.
    completing: Vec<u32>,
}

impl Rows {
    fn row(&mut self, slot: u32) -> &mut [u64] {
        let at = slot as usize * self.width;
        &mut self.bits[at..at + self.width]
    }

    fn has(&self, slot: u32, bit: u32) -> bool {
        let word = self.bits[slot as usize * self.width + bit as usize / 64];
        word >> (bit % 64) & 1 == 1
    }

    /// The last origin before `end` at which something began that is complete.
    fn last_complete(&self, end: u32) -> Option<u32> {
        let mut before = match end % 64 {
            0 => 0,
            bits => (1 << bits) - 1,
        };
        let mut word = (end / 64) as usize;
        loop {
            let rows = self.completing.iter();
            let bits = rows.fold(0, |bits, &slot| {
                let row = slot as usize * self.width;
                bits | self.bits.get(row + word).filter(|_| word < self.width).unwrap_or(&0)
            });
            let bits = bits & before;
            if bits != 0 {
                return Some(word as u32 * 64 + bits.ilog2());
            }
            word = word.checked_sub(1)?;
            before = u64::MAX;
        }
    }
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
            cfg,
            sets,
            cover,
            places,
            settled: Vec::with_capacity(places.places.len()),
            known: Vec::new(),
            begun: Vec::new(),
            words: Vec::new(),
            origins: Vec::new(),
            waiting: Vec::new(),
            states: Vec::new(),
            here: Here::default(),
            work: 0,
            budget,
        }
    }

    /// Settles all places, `None` if that is beyond the budget.
    pub fn run(&mut self) -> Option<()> {
        let mut rows = Rows {
            width: 0,
            states: Vec::new(),
            bits: Vec::new(),
            completing: Vec::new(),
        };
        for place in 0..self.places.places.len() as PlaceId {
            self.settle(place, &mut rows);
            if self.work + self.words.len() > self.budget {
                return None;
            }
        }
        Some(())
    }

    /// A state of the parser.
    pub fn state(&mut self, state: StateId) -> Arc<State> {
        let at = state as usize;
        if at >= self.states.len() {
            self.states.resize(at + 1, None);
        }
        let made = &mut self.states[at];
        let made = made.get_or_insert_with(|| self.sets.state(self.cfg, state));
        Arc::clone(made)
    }

    /// The state behind an edge.
    pub fn behind(&mut self, state: StateId, label: Label) -> Option<StateId> {
        match label {
            Label::Within => Some(state),
            Label::Lexeme(terminal) => self.state(state).after_terminal(terminal),
            Label::End => None,
        }
    }

    fn settle(&mut self, place: PlaceId, rows: &mut Rows) {
        rows.width = self.origins.len().div_ceil(64).max(1);
        rows.states.clear();
        rows.bits.clear();
        rows.completing.clear();
        self.here.clear();
        if place == 0 {
            // The first state began at the start, which is the first origin.
            if let Some(slot) = self.slot(place, States::START, rows) {
                rows.row(slot)[0] |= 1;
            }
        }
        self.pull(place, rows);
        let is_within = self.places.places[place as usize].point.within;
        if !is_within {
            self.complete(place, rows);
        }
        self.keep(place, rows);
    }

    /// The row of a state at the current place; `None` if the rest does not ask for it.
    fn slot(&mut self, place: PlaceId, state: StateId, rows: &mut Rows) -> Option<u32> {
        if let Some(slot) = self.here.get(state) {
            return (slot != NONE).then_some(slot);
        }
        if !self.is_asked(place, state) {
            self.here.put(state, NONE);
            return None;
        }
        let slot = rows.states.len() as u32;
        self.here.put(state, slot);
        rows.states.push(state);
        rows.bits.resize(rows.bits.len() + rows.width, 0);
        if !self.state(state).completes.is_empty() {
            rows.completing.push(slot);
        }
        Some(slot)
    }

    fn is_asked(&self, place: PlaceId, state: StateId) -> bool {
        let asks = self.places.places[place as usize].asks;
        asks.is_none_or(|asks| self.cover.holds(asks, self.sets.outline(state)))
    }

    /// What the edges to a place bring.
    fn pull(&mut self, place: PlaceId, rows: &mut Rows) {
        let places = self.places;
        for (_, edge) in places.incoming(place) {
            let Settled {
                known,
                begun,
                origin,
            } = self.settled[edge.from as usize].clone();
            for at in known {
                let Known { state, span } = self.known[at];
                let Some(target) = self.behind(state, edge.label) else {
                    continue;
                };
                if let Some(slot) = self.slot(place, target, rows) {
                    join(span.of_row(rows.row(slot)), span.of_all(&self.words));
                    self.work += span.words as usize;
                }
            }
            for at in begun {
                let Some(target) = self.behind(self.begun[at], edge.label) else {
                    continue;
                };
                if let Some(slot) = self.slot(place, target, rows) {
                    rows.row(slot)[origin as usize / 64] |= 1 << (origin % 64);
                }
            }
        }
    }

    /// All that follows at a place from what is complete there.
    fn complete(&mut self, place: PlaceId, rows: &mut Rows) {
        let mut end = rows.width as u32 * 64;
        let (mut passed, mut done): (Vec<NonterminalId>, Vec<u32>) = (Vec::new(), Vec::new());
        while let Some(origin) = rows.last_complete(end) {
            end = origin;
            (passed.clear(), done.clear());
            let mut at = 0;
            while let Some(&slot) = rows.completing.get(at) {
                at += 1;
                if !rows.has(slot, origin) || done.contains(&slot) {
                    continue;
                }
                done.push(slot);
                let state = self.state(rows.states[slot as usize]);
                for &nonterminal in &state.completes {
                    if !passed.contains(&nonterminal) {
                        passed.push(nonterminal);
                        self.pass(place, origin, nonterminal, rows);
                        // What was looked at already may be complete by now.
                        at = 0;
                    }
                }
            }
        }
    }

    /// Lets all that waited at an origin pass a nonterminal.
    fn pass(
        &mut self,
        place: PlaceId,
        origin: u32,
        nonterminal: NonterminalId,
        rows: &mut Rows,
    ) {
        let waiting = self.waiting(origin);
        for waiting in of(&waiting, nonterminal) {
            let Some(slot) = self.slot(place, waiting.target, rows) else {
                continue;
            };
            match waiting.known {
                NONE => rows.row(slot)[origin as usize / 64] |= 1 << (origin % 64),
                at => {
                    let span = self.known[at as usize].span;
                    join(span.of_row(rows.row(slot)), span.of_all(&self.words));
                    self.work += span.words as usize;
                }
            }
            self.work += 1;
        }
    }

    /// What waits at an origin, by nonterminal.
    pub fn waiting(&mut self, origin: u32) -> Arc<[Waiting]> {
        if let Some(known) = &self.waiting[origin as usize] {
            return Arc::clone(known);
        }
        let Settled { known, begun, .. } =
            self.settled[self.origins[origin as usize] as usize].clone();
        let mut all: Vec<Waiting> = Vec::new();
        let known = known.map(|at| (self.known[at].state, at as u32));
        let begun = begun.map(|at| (self.begun[at], NONE));
        for (state, known) in known.chain(begun).collect::<Vec<_>>() {
            let state = self.state(state);
            all.extend(state.nonterminals.iter().map(|&(nonterminal, target)| Waiting {
                nonterminal,
                known,
                target,
            }));
        }
        all.sort_unstable_by_key(|waiting| waiting.nonterminal);
        self.work += all.len();
        let all: Arc<[Waiting]> = all.into();
        self.waiting[origin as usize] = Some(Arc::clone(&all));
        all
    }

    /// Keeps what was found at a place.
    fn keep(&mut self, place: PlaceId, rows: &mut Rows) {
        let first = self.known.len();
        let mut found: Vec<(StateId, u32)> = rows.states.iter().copied().zip(0..).collect();
        found.sort_unstable();
        let mut begun: Vec<StateId> = Vec::new();
        let is_within = self.places.places[place as usize].point.within;
        for (state, slot) in found {
            let row = rows.row(slot);
            let Some(span) = Span::of(row, self.words.len()) else {
                continue;
            };
            self.words.extend_from_slice(span.of_row(row));
            self.known.push(Known { state, span });
            if !is_within
                && let Some(prediction) = self.state(state).prediction
                && self.is_asked(place, prediction)
            {
                begun.push(prediction);
            }
        }
        begun.sort_unstable();
        begun.dedup();
        let mut origin = NONE;
        if !begun.is_empty() || place == 0 {
            origin = self.origins.len() as u32;
            self.origins.push(place);
            self.waiting.push(None);
        }
        let before = self.begun.len();
        self.begun.extend(begun);
        self.work += self.known.len() - first;
        self.settled.push(Settled {
            known: first..self.known.len(),
            begun: before..self.begun.len(),
            origin,
        });
    }
}

/// What waits for one nonterminal.
pub(super) fn of(waiting: &[Waiting], nonterminal: NonterminalId) -> &[Waiting] {
    let begin = waiting.partition_point(|waiting| waiting.nonterminal < nonterminal);
    let all = &waiting[begin..];
    &all[..all.partition_point(|waiting| waiting.nonterminal == nonterminal)]
}

fn join(row: &mut [u64], words: &[u64]) {
    for (word, more) in row.iter_mut().zip(words) {
        *word |= more;
    }
}
