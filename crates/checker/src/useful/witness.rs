//! One derivation of a chart, as a path through the graph.
//!
//! What is true at a boundary is explained from the end of the text to its start: a state
//! behind a terminal by a boundary from which the lexeme leads there, one behind a
//! nonterminal by what is complete and by what waited where that began. Unit steps, which
//! may lead in circles, are gone through breadth first until one is explained by something
//! that began later.
//!
//! Cost: for each lexeme and each production of the derivation, what is known at its end, and
//! what waited for it anywhere.

use super::Whole;
use super::forward::{Chart, Known, Waiter};
use super::places::{BoundaryId, NONE, PlaceId};
use super::spans::{has, next_bit};
use super::waits::{self, WaitId};
use crate::cfg::NonterminalId;
use crate::graph::{Label, Step};
use crate::lr::StateId;

/// A state that is to be explained: where it is true, and where it began.
#[derive(Clone, Copy)]
struct Goal {
    boundary: BoundaryId,
    state: StateId,
    origin: BoundaryId,
}

/// A path from the start to the end.
pub(super) fn path(chart: Chart<'_>) -> Whole {
    let mut witness = Witness {
        chart,
        reversed: Vec::new(),
    };
    let Some(goal) = witness.end() else {
        return Whole::Nothing {
            behind: witness.farthest(),
        };
    };
    let mut stack = vec![goal];
    while let Some(goal) = stack.pop() {
        if witness.explain(goal, &mut stack).is_none() {
            debug_assert!(false, "what is true has an explanation");
            return Whole::Exhausted;
        }
    }
    witness.reversed.reverse();
    Whole::Path(witness.reversed)
}

struct Witness<'a> {
    chart: Chart<'a>,
    reversed: Vec<Step>,
}

impl Witness<'_> {
    /// The segment of the last boundary where anything is true.
    fn farthest(&self) -> u32 {
        let Chart {
            places, settled, ..
        } = &self.chart;
        let last = settled.iter().rposition(|it| !it.known.is_empty());
        last.map_or(0, |boundary| {
            let place = places.boundaries[boundary];
            places.places[place as usize].point.segment
        })
    }

    /// The first place where a whole text ends, and the state that it is in.
    fn end(&mut self) -> Option<Goal> {
        let places = self.chart.places;
        for (place, known) in (0..).zip(&places.places) {
            if !known.may_end {
                continue;
            }
            let mut next = 0;
            loop {
                let boundary = match known.boundary {
                    NONE => {
                        let bit = self.chart.underway.next_boundary(place, next);
                        let Some(bit) = bit else {
                            break;
                        };
                        next = bit + 1;
                        self.chart.underway.span(place).first * 64 + bit
                    }
                    boundary => boundary,
                };
                for at in self.chart.settled[boundary as usize].known.clone() {
                    let state = self.chart.known[at].state;
                    if self.chart.parser.state(state).ends {
                        self.prepend(place, Label::End, place);
                        self.go_back(boundary, place);
                        let origin = 0;
                        return Some(Goal {
                            boundary,
                            state,
                            origin,
                        });
                    }
                }
                if known.boundary != NONE {
                    break;
                }
            }
        }
        None
    }

    fn prepend(&mut self, from: PlaceId, label: Label, to: PlaceId) {
        let point = |place: PlaceId| self.chart.places.places[place as usize].point;
        let (from, to) = (point(from), point(to));
        self.reversed.push(Step { from, label, to });
    }

    /// Whether a lexeme that leads to a place may have begun at a boundary.
    fn began_at(&self, boundary: BoundaryId, place: PlaceId) -> bool {
        match self.chart.places.places[place as usize].boundary {
            NONE => {
                let span = self.chart.underway.span(place);
                span.has(&self.chart.underway.words, boundary)
            }
            known => known == boundary,
        }
    }

    /// Adds the way of a lexeme that began at a boundary and is under way at a place.
    fn go_back(&mut self, boundary: BoundaryId, mut place: PlaceId) {
        let places = self.chart.places;
        while places.places[place as usize].boundary == NONE {
            let mut before = places.incoming(place).map(|(_, edge)| edge.from);
            let Some(from) = before.find(|&from| self.began_at(boundary, from)) else {
                return;
            };
            self.prepend(from, Label::Within, place);
            place = from;
        }
    }

    /// Explains a goal: what is left to be explained comes onto the stack, the last first.
    fn explain(&mut self, goal: Goal, stack: &mut Vec<Goal>) -> Option<()> {
        let mut units = vec![goal.state];
        let mut at = 0;
        while let Some(&state) = units.get(at) {
            at += 1;
            let goal = Goal { state, ..goal };
            if self.chart.parser.state(state).begins || self.by_lexeme(goal, stack) {
                return Some(());
            }
            for at in 0..self.chart.parser.readings.before(state).len() {
                let (symbol, id) = self.chart.parser.readings.before(state)[at];
                let Some(nonterminal) = waits::as_nonterminal(symbol) else {
                    continue;
                };
                let Some(wait) = self.chart.waits.of_move(id) else {
                    continue;
                };
                if self.by_completion(goal, nonterminal, wait, stack) {
                    return Some(());
                }
                let waits = self.chart.waits.of(wait);
                let here = waits.here.get(goal.origin as usize / 64).is_some()
                    && has(&waits.here, goal.origin);
                if here || self.waited(wait, goal.origin) {
                    for unit in self.completes(goal.boundary, nonterminal, goal.origin) {
                        if !units.contains(&unit) {
                            units.push(unit);
                        }
                    }
                }
            }
        }
        None
    }

    /// Explains a state behind a terminal.
    fn by_lexeme(&mut self, goal: Goal, stack: &mut Vec<Goal>) -> bool {
        let places = self.chart.places;
        let place = places.boundaries[goal.boundary as usize];
        let mut before = Vec::new();
        for alike in places.incoming_alike(place) {
            let Label::Lexeme(terminal) = places.edge(alike.start).label else {
                continue;
            };
            let mut from = alike.clone().map(|number| places.edge(number).from);
            self.chart
                .underway
                .gather(places, alike.clone(), &mut before);
            let mut next = 0;
            while let Some(boundary) = next_bit(&before, next) {
                next = boundary + 1;
                let symbol = waits::terminal(terminal);
                let reader = self.chart.readers(boundary, symbol).find(|reader| {
                    let began = match reader.known {
                        NONE => boundary == goal.origin,
                        at => {
                            let span = self.chart.known[at as usize].span;
                            span.has(&self.chart.words, goal.origin)
                        }
                    };
                    began && self.chart.parser.readings.behind(reader.becomes) == goal.state
                });
                let Some(Waiter { known, .. }) = reader else {
                    continue;
                };
                let Some(from) = from.find(|&from| self.began_at(boundary, from)) else {
                    return false;
                };
                self.prepend(from, Label::Lexeme(terminal), place);
                self.go_back(boundary, from);
                if known != NONE {
                    let state = self.chart.known[known as usize].state;
                    stack.push(Goal {
                        boundary,
                        state,
                        ..goal
                    });
                }
                return true;
            }
        }
        false
    }

    /// Explains a state behind a nonterminal that began later than it did.
    fn by_completion(
        &mut self,
        goal: Goal,
        nonterminal: NonterminalId,
        wait: WaitId,
        stack: &mut Vec<Goal>,
    ) -> bool {
        let blocks = self.chart.waits.of(wait).blocks.iter();
        let before: Vec<_> = blocks.flat_map(|block| &block.waiting).copied().collect();
        for (origin, known) in before {
            let Known { state, span } = self.chart.known[known as usize];
            if origin == goal.origin || !span.has(&self.chart.words, goal.origin) {
                continue;
            }
            let complete = self.completes(goal.boundary, nonterminal, origin);
            if let Some(&complete) = complete.first() {
                stack.push(Goal {
                    boundary: origin,
                    state,
                    ..goal
                });
                stack.push(Goal {
                    state: complete,
                    origin,
                    ..goal
                });
                return true;
            }
        }
        false
    }

    /// Whether something waits where it began itself, but as what began before.
    fn waited(&self, wait: WaitId, at: BoundaryId) -> bool {
        let mut blocks = self.chart.waits.of(wait).blocks.iter();
        let block = blocks.find(|block| block.word == at as usize / 64);
        let mut waiting = block.iter().flat_map(|block| &block.waiting);
        waiting.any(|&(boundary, known)| {
            let span = self.chart.known[known as usize].span;
            boundary == at && span.has(&self.chart.words, at)
        })
    }

    /// The states at a boundary that complete a nonterminal begun at an origin.
    fn completes(
        &mut self,
        boundary: BoundaryId,
        nonterminal: NonterminalId,
        origin: BoundaryId,
    ) -> Vec<StateId> {
        let mut found = Vec::new();
        for at in self.chart.settled[boundary as usize].known.clone() {
            let Known { state, span } = self.chart.known[at];
            if span.has(&self.chart.words, origin)
                && self
                    .chart
                    .parser
                    .state(state)
                    .completes
                    .contains(&nonterminal)
            {
                found.push(state);
            }
        }
        found
    }
}
