//! What of the chart is of use: what a derivation of a whole text is made of.
//!
//! Places are gone through from the last to the first. A state is of use with an origin if
//! the text can end there, if a lexeme leads to where what becomes of it is, or if what
//! passes over the nonterminal that it completes is. The last makes what waited of use as
//! well, at an earlier place. At one boundary what began first is settled first: it is
//! what passes. A lexeme under way is of use with the boundaries from which it is.

use std::ops::Range;

use lacuna_grammar::automaton::SHORTCUTS;

use super::forward::{Chart, Known, words_before};
use super::places::{BoundaryId, NONE, PlaceId};
use super::rows::Rows;
use super::spans::{Span, join};
use super::traced::Traced;
use super::waits::{as_nonterminal, terminal};
use crate::graph::Label;

/// For each edge along which a lexeme stays under way, whether a derivation of a whole text
/// takes it; and the first place where one ends. `None` beyond the budget.
pub(super) fn useful_edges(chart: Chart<'_>) -> Option<(Vec<bool>, Option<PlaceId>)> {
    let mut backward = Backward {
        useful: vec![0; chart.words.len()],
        leads_on: vec![0; chart.underway.words.len()],
        edges: vec![false; chart.places.edge_count()],
        traced: Traced::default(),
        chart,
        before: Vec::new(),
        here: Rows::default(),
        complete: Rows::default(),
        completing: Vec::new(),
        windows: Vec::new(),
        new: Vec::new(),
        queued: Vec::new(),
        first_end: None,
        work: 0,
    };
    for place in (0..backward.chart.places.places.len() as PlaceId).rev() {
        match backward.chart.places.places[place as usize].boundary {
            NONE => backward.settle_underway(place),
            boundary => backward.settle(place, boundary),
        }
        // The way back may cost as much as the way there.
        if backward.work > backward.chart.budget {
            return None;
        }
    }
    Some((backward.edges, backward.first_end))
}

struct Backward<'a> {
    chart: Chart<'a>,
    /// The words of the chart, those bits only that are of use.
    useful: Vec<u64>,
    /// The words of what is under way, those bits only from which it is of use.
    leads_on: Vec<u64>,
    edges: Vec<bool>,
    traced: Traced,
    /// The boundaries before a place, those from which a lexeme to it is of use.
    before: Vec<u64>,
    /// The states of the place that is looked at, by their places among all that is known.
    here: Rows,
    /// By nonterminal, where what is complete there began, and where it is of use.
    complete: Rows,
    /// Their slots, each with the states that complete them, and with the words that may be there.
    completing: Vec<(u32, u32)>,
    windows: Vec<Range<u32>>,
    /// Where one is of use that was not before.
    new: Vec<u64>,
    /// Which of its states are still to be explained.
    queued: Vec<bool>,
    first_end: Option<PlaceId>,
    work: usize,
}

impl Backward<'_> {
    fn settle(&mut self, place: PlaceId, boundary: BoundaryId) {
        if self.chart.places.places[place as usize].may_end {
            self.end(place, boundary);
        }
        let known = self.chart.settled[boundary as usize].known.clone();
        let mut spans = self.chart.known[known.clone()]
            .iter()
            .map(|known| known.span);
        if !spans.any(|span| span.of_all(&self.useful).iter().any(|&word| word != 0)) {
            return;
        }
        self.here.clear(0);
        for at in known {
            let state = self.chart.known[at].state;
            self.here.put(state, at as u32);
        }
        self.complete(boundary);
        self.push(place);
    }

    /// What may be under way where the text can end is an ignored lexeme.
    fn settle_underway(&mut self, place: PlaceId) {
        let places = self.chart.places;
        let span = self.chart.underway.span(place);
        if places.places[place as usize].may_end {
            let mut next = 0;
            while let Some(bit) = self.chart.underway.next_boundary(place, next) {
                next = bit + 1;
                let boundary = span.first * 64 + bit;
                if self.end(place, boundary) {
                    span.set(&mut self.leads_on, boundary);
                }
            }
        }
        if span.of_all(&self.leads_on).iter().all(|&word| word == 0) {
            return;
        }
        for (number, edge) in places.incoming(place) {
            self.edges[number] = match places.places[edge.from as usize].boundary {
                NONE => {
                    let from = self.chart.underway.span(edge.from);
                    mark(from, span, &self.chart.underway.words, &mut self.leads_on)
                }
                boundary => span.has(&self.leads_on, boundary),
            };
        }
    }

    /// Lets the text end at a place, behind a boundary, if the grammar allows.
    fn end(&mut self, place: PlaceId, boundary: BoundaryId) -> bool {
        let mut ends = false;
        for at in self.chart.settled[boundary as usize].known.clone() {
            let Known { state, span } = self.chart.known[at];
            if self.chart.parser.state(state).ends {
                let known = span.of_all(&self.chart.words);
                span.of_all_mut(&mut self.useful).copy_from_slice(known);
                ends = true;
            }
        }
        if ends {
            self.first_end = Some(place);
        }
        ends
    }

    /// What completions at a boundary make of use.
    fn complete(&mut self, boundary: BoundaryId) {
        let known = self.chart.settled[boundary as usize].known.clone();
        let width = words_before(boundary as usize);
        self.complete.clear(2 * width);
        self.completing.clear();
        self.windows.clear();
        for at in known.clone() {
            let Known { state, span } = self.chart.known[at];
            for &nonterminal in &self.chart.parser.state(state).completes {
                let slot = self.complete.slot(nonterminal);
                let row = self.complete.row_mut(slot);
                join(span.of_row(row), span.of_all(&self.chart.words));
                self.completing.push((slot, at as u32));
                if !SHORTCUTS {
                    continue;
                }
                let end = span.first + span.words;
                match self.windows.get_mut(slot as usize) {
                    Some(window) => {
                        *window = window.start.min(span.first)..window.end.max(end);
                    }
                    None => self.windows.push(span.first..end),
                }
            }
        }
        // What is of use, and is still to be explained. What encloses others was found after
        // them, and comes first.
        let is_useful = |at: usize| {
            let span = self.chart.known[at].span;
            span.of_all(&self.useful).iter().any(|&word| word != 0)
        };
        self.queued.clear();
        self.queued.extend(known.clone().map(is_useful));
        while let Some(last) = self.queued.iter().rposition(|&queued| queued) {
            self.queued[last] = false;
            self.explain(known.start, last, width);
        }
    }

    /// Makes of use what a state comes from that is, if that is what was complete; those states
    /// of this place that more is of use of then are still to be explained.
    fn explain(&mut self, first: usize, at: usize, width: usize) {
        let at = first + at;
        let state = self.chart.known[at].state;
        for &(symbol, id) in self.chart.parser.readings.before(state) {
            let slot = as_nonterminal(symbol).and_then(|it| self.complete.get(it));
            let Some((slot, wait)) = slot.zip(self.chart.waits.of_move(id)) else {
                continue;
            };
            let window = match SHORTCUTS {
                true => self.windows[slot as usize].clone(),
                false => 0..width as u32,
            };
            let window = window.start as usize..window.end as usize;
            let (complete, useful) = self.complete.row_mut(slot).split_at_mut(width);
            self.new.resize(self.new.len().max(width), 0);
            self.new[window.clone()].copy_from_slice(&useful[window.clone()]);
            self.work += self.traced.trace(
                &self.chart,
                &mut self.useful,
                (at, wait),
                &complete[..window.end],
                &mut self.new,
            );
            let mut any = 0;
            let new = self.new[window.clone()].iter_mut();
            for (new, useful) in new.zip(&mut useful[window]) {
                *new &= !*useful;
                *useful |= *new;
                any |= *new;
            }
            if any == 0 {
                continue;
            }
            let completing = self.completing.iter();
            for &(_, at) in completing.filter(|&&(known, _)| known == slot) {
                let span = self.chart.known[at as usize].span;
                let mut any = 0;
                for (word, new) in (span.at..).zip(span.in_row(&self.new)) {
                    let more = self.chart.words[word] & new & !self.useful[word];
                    self.useful[word] |= more;
                    any |= more;
                }
                if any != 0 {
                    self.queued[at as usize - first] = true;
                }
            }
        }
    }

    /// Whether a state is of use wherever it began.
    fn is_all_of_use(&self, at: usize) -> bool {
        let span = self.chart.known[at].span;
        span.of_all(&self.useful) == span.of_all(&self.chart.words)
    }

    /// Finds the boundaries from which lexemes lead to a place where what becomes of their
    /// states is of use.
    fn push(&mut self, place: PlaceId) {
        let places = self.chart.places;
        let (mut before, mut useful) = (std::mem::take(&mut self.before), Vec::new());
        for alike in places.incoming_alike(place) {
            let Label::Lexeme(read) = places.edge(alike.start).label else {
                continue;
            };
            self.chart
                .underway
                .gather(places, alike.clone(), &mut before);
            useful.clear();
            useful.resize(before.len(), 0);
            // What is of use wherever it began says most in the fewest words.
            let turns: &[bool] = if SHORTCUTS { &[true, false] } else { &[false] };
            for &is_first in turns {
                for &(target, wait) in self.chart.waits.behind(terminal(read)) {
                    let at = self.here.get(target).map(|at| at as usize);
                    let at = at.filter(|&at| !SHORTCUTS || is_first == self.is_all_of_use(at));
                    let Some(at) = at else {
                        continue;
                    };
                    self.work += self.traced.trace(
                        &self.chart,
                        &mut self.useful,
                        (at, wait),
                        &before,
                        &mut useful,
                    );
                }
            }
            for number in alike {
                let from = places.edge(number).from;
                let span = self.chart.underway.span(from);
                let known = span.of_all(&self.chart.underway.words).iter();
                let leads_on = span.of_all_mut(&mut self.leads_on).iter_mut();
                for ((leads_on, known), useful) in leads_on.zip(known).zip(span.in_row(&useful)) {
                    *leads_on |= known & useful;
                }
            }
        }
        self.before = before;
    }
}

/// Marks what of a set is of use because it is in another; whether anything is.
fn mark(before: Span, behind: Span, words: &[u64], useful: &mut [u64]) -> bool {
    let mut any = 0;
    for word in before.shared(behind) {
        let at = before.at + (word - before.first) as usize;
        let both = words[at] & useful[behind.at + (word - behind.first) as usize];
        useful[at] |= both;
        any |= both;
    }
    any != 0
}
