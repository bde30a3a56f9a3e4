//! All that looks at the rest of a pattern work with: steps of whole columns along the graph,
//! and what the cover asks for.

use crate::cfg::Cfg;
use crate::columns::{ColumnId, Columns};
use crate::cover::{Cover, CoverSetId};
use crate::graph::{CompletionGraph, Label, Point};
use crate::guide::{Goal, Guide};
use crate::lookahead::Lookahead;
use crate::sets::StateSets;

/// Whether a column has a state from which what is asked can be read.
pub(crate) fn can_do(
    sets: &StateSets,
    columns: &Columns,
    cover: &Cover,
    column: ColumnId,
    asks: CoverSetId,
) -> bool {
    let entries = columns.entries(column);
    let known = entries.iter().map(|&(_, set)| set);
    let mut known = known.chain([columns.begun(column)]);
    known.any(|set| {
        let members = sets.members(set);
        let mut outlines = members.iter().map(|&(state, _)| sets.outline(state));
        outlines.any(|state| cover.holds(asks, state))
    })
}

/// All that looking works with.
pub(crate) struct Look<'a, 'g> {
    pub cfg: &'a Cfg,
    pub sets: &'a mut StateSets,
    pub columns: &'a mut Columns,
    pub ahead: &'a Lookahead,
    pub cover: &'a Cover,
    pub guide: Option<&'a mut Guide>,
    pub graph: &'a mut CompletionGraph<'g>,
}

impl Look<'_, '_> {
    /// The column behind an edge.
    pub(crate) fn step(&mut self, column: ColumnId, label: Label, to: Point) -> Option<ColumnId> {
        match label {
            Label::End => None,
            Label::Lexeme(terminal) => self.columns.step(self.cfg, self.sets, column, terminal),
            Label::Within => {
                let hopes = self.columns.hopes(self.cfg, self.sets, column, to.state);
                hopes.then_some(column)
            }
        }
    }

    /// How far a whole column is from the end, about.
    pub(crate) fn distance(&mut self, column: ColumnId) -> u32 {
        match &mut self.guide {
            Some(guide) => guide.distance(self.cfg, self.sets, self.columns, column, Goal::End),
            None => self.columns.depth(column),
        }
    }

    /// Whether the rest of the pattern can be read at a column, as far as the cover
    /// tells.
    pub(crate) fn is_asked_for(&self, column: ColumnId, point: Point) -> bool {
        let asks = self.ahead.asks(point, self.graph.rank(point));
        asks.is_none_or(|asks| self.can_do(column, asks))
    }

    /// Whether a column can do some of what is asked.
    pub(crate) fn can_do(&self, column: ColumnId, asks: CoverSetId) -> bool {
        can_do(self.sets, self.columns, self.cover, column, asks)
    }
}
