//! What of the chart is of use: what a derivation of a whole text is made of.
//!
//! Places are gone through from the last to the first. A state is of use with an origin if
//! the text can end there, if a lexeme leads to where what becomes of it is, or if what
//! passes over the nonterminal that it completes is. The last makes what waited of use as
//! well, at an earlier place. At one boundary what began first is settled first: it is
//! what passes. A lexeme under way is of use with the boundaries from which it is.

use super::beginnings::Reader;
use super::forward::{Chart, Known, Settled};
use super::places::{BoundaryId, NONE, PlaceId};
use super::rows::Rows;
use super::spans::{Span, has, join, next_bit, range, set};
use crate::cfg::{NonterminalId, Symbol};
use crate::graph::Label;

/// For each edge along which a lexeme stays under way, whether a derivation of a whole text
/// takes it; and the first place where one ends. `None` beyond the budget.
pub(super) fn useful_edges(mut chart: Chart<'_>) -> Option<(Vec<bool>, Option<PlaceId>)> {
    // The way back may cost as much as the way there.
    chart.work = 0;
    let mut backward = Backward {
        useful: vec![0; chart.words.len()],
        leads_on: vec![0; chart.underway.words.len()],
        edges: vec![false; chart.places.edge_count()],
        chart,
        before: Vec::new(),
        here: Rows::default(),
        complete: Rows::default(),
        completing: Vec::new(),
        queued: Vec::new(),
        first_end: None,
    };
    for place in (0..backward.chart.places.places.len() as PlaceId).rev() {
        match backward.chart.places.places[place as usize].boundary {
            NONE => backward.settle_underway(place),
            boundary => backward.settle(place, boundary),
        }
        if backward.chart.work > backward.chart.budget {
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
    /// The boundaries before a place, those from which a lexeme to it is of use.
    before: Vec<u64>,
    /// The states of the place that is looked at, by their places among all that is known.
    here: Rows,
    /// By nonterminal, where what is complete there began, and where it is of use.
    complete: Rows,
    /// The nonterminals that are complete there, with the states that complete them.
    completing: Vec<(NonterminalId, usize)>,
    /// Which of its states are still to be explained.
    queued: Vec<bool>,
    first_end: Option<PlaceId>,
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
        let Settled { known, origins, .. } = self.chart.settled[boundary as usize].clone();
        let width = (origins as usize).div_ceil(64);
        self.complete.clear(2 * width);
        self.completing.clear();
        for at in known.clone() {
            let Known { state, span } = self.chart.known[at];
            for &nonterminal in &self.chart.parser.state(state).completes {
                let slot = self.complete.slot(nonterminal);
                let row = self.complete.row_mut(slot);
                join(span.of_row(row), span.of_all(&self.chart.words));
                self.completing.push((nonterminal, at));
            }
        }
        // What is of use, and is still to be explained: what encloses others first, as a rule.
        let is_useful = |at: &usize| {
            let span = self.chart.known[*at].span;
            span.of_all(&self.useful).iter().any(|&word| word != 0)
        };
        let mut fresh: Vec<usize> = known.clone().filter(is_useful).collect();
        self.queued.clear();
        self.queued.resize(known.len(), false);
        for &at in &fresh {
            self.queued[at - known.start] = true;
        }
        let mut next = 0;
        while let Some(&at) = fresh.get(next) {
            next += 1;
            self.queued[at - known.start] = false;
            for at in self.explain(at, width) {
                if !std::mem::replace(&mut self.queued[at - known.start], true) {
                    fresh.push(at);
                }
            }
        }
    }

    /// Makes of use what a state comes from that is, if that is what was complete; the states
    /// of this place that more is of use of then.
    fn explain(&mut self, at: usize, width: usize) -> Vec<usize> {
        let mut grown = Vec::new();
        let Known { state, span } = self.chart.known[at];
        let Some(Symbol::Nonterminal(nonterminal)) = self.chart.parser.state(state).accessed_by
        else {
            return grown;
        };
        let Some(slot) = self.complete.get(nonterminal) else {
            return grown;
        };
        let waiting = self.chart.waits.of(state);
        let (complete, useful) = self.complete.row_mut(slot).split_at_mut(width);
        let mut new = vec![0; width];
        let known = span.of_all(&self.useful).iter();
        for (at, &known) in (span.first as usize..).zip(known) {
            let here = waiting.here.get(at).copied().unwrap_or(0);
            new[at] = known & here & complete[at];
        }
        if let Some(origins) = range(complete) {
            let waiting = waiting.before_in(origins);
            self.chart.work += waiting.len();
            for &(origin, before) in waiting {
                let before = self.chart.known[before as usize].span;
                if has(complete, origin) && mark(before, span, &self.chart.words, &mut self.useful)
                {
                    set(&mut new, origin);
                }
            }
        }
        for (new, useful) in new.iter_mut().zip(useful) {
            *new &= !*useful;
            *useful |= *new;
        }
        let completing = self.completing.iter();
        for &(_, at) in completing.filter(|&&(completed, _)| completed == nonterminal) {
            let span = self.chart.known[at].span;
            let mut any = 0;
            for (word, new) in (span.at..).zip(span.in_row(&new)) {
                let more = self.chart.words[word] & new & !self.useful[word];
                self.useful[word] |= more;
                any |= more;
            }
            if any != 0 {
                grown.push(at);
            }
        }
        grown
    }

    /// Finds the boundaries from which lexemes lead to a place where what becomes of their
    /// states is of use.
    fn push(&mut self, place: PlaceId) {
        let places = self.chart.places;
        let (mut before, mut useful) = (std::mem::take(&mut self.before), Vec::new());
        for alike in places.incoming_alike(place) {
            let Label::Lexeme(terminal) = places.edge(alike.start).label else {
                continue;
            };
            self.chart
                .underway
                .gather(places, alike.clone(), &mut before);
            useful.clear();
            useful.resize(before.len(), 0);
            let mut next = 0;
            while let Some(boundary) = next_bit(&before, next) {
                next = boundary + 1;
                let origin = self.chart.settled[boundary as usize].origin;
                let mut is_useful = false;
                for reader in self.chart.readers(boundary, terminal) {
                    is_useful |= self.is_of_use(reader, origin);
                }
                useful[boundary as usize / 64] |= u64::from(is_useful) << (boundary % 64);
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

    /// Whether what becomes of a state here is of use; what of the state is so, is marked.
    fn is_of_use(&mut self, reader: Reader, origin: u32) -> bool {
        let Some(target) = self.here.get(reader.target) else {
            return false;
        };
        let target = self.chart.known[target as usize].span;
        if reader.known == NONE {
            return target.has(&self.useful, origin);
        }
        let span = self.chart.known[reader.known as usize].span;
        mark(span, target, &self.chart.words, &mut self.useful)
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
