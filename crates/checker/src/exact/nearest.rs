//! Witnesses of gaps of any length, looked for among what is soonest written there.
//!
//! A text with a gap in the middle of a lexeme, and another one behind it, may have thousands of
//! lexer states where the second gap begins, each of which can become thousands there: patterns
//! of long texts are like that. One of the nearest is as good as a rule. So the same parse looks
//! at these alone, first at a few and then at more. What it finds is a witness; it never says no.
//!
//! Cost: that of a parse whose gaps are left in so many ways at most.

use super::Exact;
use crate::chart::{Chart, Parse};
use crate::gap_reach::GapReaches;
use crate::{Pattern, Witness};

/// Ways to leave a gap.
const NEAREST: [usize; 2] = [16, 256];

/// The share of the budget that each parse may spend.
const SHARE: usize = 16;

/// What is known of the nearest states of a lexer.
#[derive(Clone, Debug)]
pub(super) struct Nearest([GapReaches; NEAREST.len()]);

impl Nearest {
    pub(super) fn new() -> Self {
        Self(NEAREST.map(GapReaches::of_nearest))
    }
}

impl Exact {
    /// A witness of a pattern whose gaps have any length, each left in one of the nearest states.
    pub(super) fn nearest_witness(&mut self, pattern: &Pattern) -> Option<Witness> {
        let mut nearest = self
            .nearest
            .take()
            .unwrap_or_else(|| Box::new(Nearest::new()));
        let mut rounds = nearest.0.iter_mut();
        let found = rounds.find_map(|reaches| {
            reaches.share_boundaries(&self.cfg.lexer, &self.reaches);
            let mut graph = self.choice.graph(pattern, &self.cfg.lexer, reaches);
            let budget = self.limits.parse_items / SHARE;
            let mut chart = Chart::default();
            let parse = chart.parse(&self.cfg, &mut self.memos.sets, &mut graph, None, budget);
            self.parsed += chart.work;
            match parse {
                Parse::Found(_) => self.decision(pattern, parse).witness(),
                Parse::Nothing | Parse::Exhausted => None,
            }
        });
        self.nearest = Some(nearest);
        found
    }
}
