//! What of the chart is of use: what a derivation of a whole text is made of.
//!
//! Places are gone through from the last to the first. A state is of use with an origin if
//! the text can end there, if an edge leads to where what becomes of it is, or if what
//! passes over the nonterminal that it completes is. The last makes what waited of use as
//! well, at an earlier place. Within one place what began first is settled first: it is
//! what passes.

use super::forward::{Chart, Known, NONE, Settled, of};
use super::places::PlaceId;
use super::spans::Span;
use crate::cfg::NonterminalId;

/// For each edge, whether a derivation of a whole text takes it.
pub(super) fn useful_edges(chart: Chart<'_>) -> Vec<bool> {
    let mut backward = Backward {
        useful: vec![0; chart.words.len()],
        edges: vec![false; chart.places.edge_count()],
        chart,
    };
    for place in (0..backward.chart.places.places.len() as PlaceId).rev() {
        backward.settle(place);
    }
    backward.edges
}

struct Backward<'a> {
    chart: Chart<'a>,
    /// The words of the chart, those bits only that are of use.
    useful: Vec<u64>,
    edges: Vec<bool>,
}

impl Backward<'_> {
    fn settle(&mut self, place: PlaceId) {
        let Settled { known, .. } = self.chart.settled[place as usize].clone();
        if self.chart.places.places[place as usize].may_end {
            for at in known.clone() {
                let Known { state, span } = self.chart.known[at];
                if self.chart.state(state).ends {
                    let known = span.of_all(&self.chart.words);
                    span.of_all_mut(&mut self.useful).copy_from_slice(known);
                }
            }
        }
        let is_useful = |span: Span| span.of_all(&self.useful).iter().any(|&word| word != 0);
        if !known.clone().any(|at| is_useful(self.chart.known[at].span)) {
            return;
        }
        self.chart.here.clear();
        for at in known {
            let state = self.chart.known[at].state;
            self.chart.here.put(state, at as u32);
        }
        if !self.chart.places.places[place as usize].point.within {
            self.complete(place);
        }
        self.push(place);
    }

    /// What completions at a place make of use.
    fn complete(&mut self, place: PlaceId) {
        let known = self.chart.settled[place as usize].known.clone();
        let completing: Vec<usize> = known
            .filter(|&at| {
                let state = self.chart.known[at].state;
                !self.chart.state(state).completes.is_empty()
            })
            .collect();
        let spans: Vec<Span> = completing.iter().map(|&at| self.chart.known[at].span).collect();
        let first = spans.iter().map(|span| span.first).min().unwrap_or(0);
        let end = spans.iter().map(|span| span.first + span.words).max().unwrap_or(0);
        for word in first..end {
            let words = spans.iter().map(|span| span.word(&self.chart.words, word));
            let mut bits = words.fold(0, |bits, word| bits | word);
            while bits != 0 {
                let origin = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                self.complete_of(origin, &completing);
            }
        }
    }

    /// The same of what began at one origin.
    fn complete_of(&mut self, origin: u32, completing: &[usize]) {
        // Whether it is of use that these are complete, as far as is known.
        let mut passed: Vec<(NonterminalId, bool)> = Vec::new();
        let mut grown = true;
        while std::mem::replace(&mut grown, false) {
            for &at in completing {
                let Known { state, span } = self.chart.known[at];
                if !span.has(&self.chart.words, origin) {
                    continue;
                }
                let state = self.chart.state(state);
                for &nonterminal in &state.completes {
                    let known = passed.iter().find(|&&(known, _)| known == nonterminal);
                    let passes = match known {
                        Some(&(_, passes)) => passes,
                        None => {
                            let passes = self.passes(origin, nonterminal);
                            passed.push((nonterminal, passes));
                            passes
                        }
                    };
                    if passes && !span.has(&self.useful, origin) {
                        span.set(&mut self.useful, origin);
                        // What is complete where this is, and makes it, may be of use by now.
                        passed.retain(|&(_, passes)| passes);
                        grown = true;
                    }
                }
            }
        }
    }

    /// Whether what waited at an origin is of use here behind a nonterminal; it is of use
    /// there then.
    fn passes(&mut self, origin: u32, nonterminal: NonterminalId) -> bool {
        let waiting = self.chart.waiting(origin);
        let mut passes = false;
        for waiting in of(&waiting, nonterminal) {
            let Some(target) = self.chart.here.get(waiting.target) else {
                continue;
            };
            let target = self.chart.known[target as usize].span;
            passes |= match waiting.known {
                NONE => target.has(&self.useful, origin),
                at => {
                    let before = self.chart.known[at as usize].span;
                    self.mark(before, target)
                }
            };
        }
        passes
    }

    /// Pulls what is of use at a place back along the edges to it.
    fn push(&mut self, place: PlaceId) {
        let places = self.chart.places;
        for (number, edge) in places.incoming(place) {
            let Settled {
                known,
                begun,
                origin,
            } = self.chart.settled[edge.from as usize].clone();
            let mut is_useful = false;
            for at in known {
                let Known { state, span } = self.chart.known[at];
                let target = self.chart.behind(state, edge.label);
                if let Some(target) = target.and_then(|target| self.chart.here.get(target)) {
                    let target = self.chart.known[target as usize].span;
                    is_useful |= self.mark(span, target);
                }
            }
            for at in begun {
                let target = self.chart.behind(self.chart.begun[at], edge.label);
                if let Some(target) = target.and_then(|target| self.chart.here.get(target)) {
                    let target = self.chart.known[target as usize].span;
                    is_useful |= target.has(&self.useful, origin);
                }
            }
            self.edges[number] = is_useful;
        }
    }

    /// Marks what of a state is of use because what becomes of it is; whether any is.
    fn mark(&mut self, before: Span, target: Span) -> bool {
        let mut any = 0;
        for word in before.shared(target) {
            let at = before.at + (word - before.first) as usize;
            let target = self.useful[target.at + (word - target.first) as usize];
            let both = self.chart.words[at] & target;
            self.useful[at] |= both;
            any |= both;
        }
        any != 0
    }
}
