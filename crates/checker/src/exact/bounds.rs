//! What may stand in masked cells, and at what weight.

use lacuna_lexer::{BitSet, Representatives, TokenId};

use super::Exact;
use crate::Pattern;
use crate::guide::Guide;
use crate::lookahead::Outlook;
use crate::graph::CompletionGraph;
use crate::masks::{CellBounds, cell_masks, mask_bounds, no_masks};
use crate::pairs::{Certain, Levels};
use crate::search::Searched;
use crate::useful::Useful;
use crate::weighted::{Hole, Ways};

/// States of a parser whose columns are cut.
const MAX_STATES: usize = 6_000;

/// What is kept of columns, one look after the other.
const CUT: [Levels; 4] = [
    Levels::None,
    Levels::Inner(1),
    Levels::Inner(2),
    Levels::Inner(4),
];

/// The same where the parser has too many states for columns to be cut.
const WHOLE: [Levels; 2] = [Levels::None, Levels::All];

/// Words and items of a chart of bits for each item of a parse's budget.
const USEFUL: usize = 8;

/// Pairs from which on a look is given up: some ten milliseconds.
const MAX_PAIRS: usize = 60_000;

/// The same for each group of tokens that is left to be decided: a check costs as much.
const PAIRS_FOR_A_GROUP: usize = 400;

impl Exact {
    /// The tokens that may stand in each masked cell, or in one of them.
    pub(crate) fn masks(&mut self, pattern: &Pattern, only: Option<usize>) -> Option<Vec<BitSet>> {
        self.forget();
        let ahead = match self.look(pattern, true)? {
            Outlook::Open(ahead) => ahead,
            Outlook::Closed => return Some(no_masks(pattern, self.vocabulary.as_ref()?.len())),
            Outlook::Exhausted => return None,
        };
        let memos = &mut self.memos;
        let cover = memos.cover.as_ref()?.as_ref()?;
        let spanner = self.spanner.as_mut();
        let mut graph = CompletionGraph::new(pattern, &self.cfg.lexer, spanner, &mut self.reaches);
        let start = graph.start();
        let budget = USEFUL * self.limits.parse_items;
        let useful = Useful::find(&self.cfg, &mut memos.sets, cover, &ahead, start, budget)?;
        let mut masks = cell_masks(&mut graph, &useful, only)?;
        if let Some(representatives) = &self.representatives {
            masks.iter_mut().for_each(|mask| stand_for(representatives, mask));
        }
        Some(masks)
    }

    /// What looking ahead tells of the tokens in masked cells, beyond what is known of each;
    /// `None` if that is nothing.
    pub(crate) fn mask_bounds(
        &mut self,
        pattern: &Pattern,
        known: Option<Vec<CellBounds>>,
    ) -> Option<Vec<CellBounds>> {
        self.forget();
        let Outlook::Open(ahead) = self.look(pattern, true)? else {
            return None;
        };
        let path = self.path(pattern, Some(&ahead), super::tiers::FIRST_SEARCH);
        let memos = &mut self.memos;
        let (columns, sets) = (&mut memos.columns, &mut memos.sets);
        let ways: &[Levels] = match columns.know_all(&self.cfg, sets, MAX_STATES) {
            true => &CUT,
            false => &WHOLE,
        };
        let mut bounds = self.looking(pattern, &ahead, |mut look| {
            let mut bounds: Option<Vec<CellBounds>> = None;
            let mut before = known;
            let mut certain = Certain::default();
            // Without columns there are as many pairs as nodes, which are known already.
            let mut most = usize::MAX;
            for &levels in ways {
                let known = std::mem::take(&mut certain);
                let Some(mut pairs) = look.pairs(levels, most, known) else {
                    break;
                };
                if let Some(Searched::Found(path)) = &path {
                    look.note(&mut pairs, path);
                }
                look.settle_wholes(&mut pairs);
                let before = bounds.take().or_else(|| before.take());
                let found = mask_bounds(&mut look, &mut pairs, before);
                let open: usize = found.iter().map(CellBounds::open).sum();
                most = MAX_PAIRS.min(open * PAIRS_FOR_A_GROUP);
                certain = pairs.certain;
                bounds = Some(found);
                if open == 0 {
                    break;
                }
            }
            bounds
        })?;
        if let Some(representatives) = &self.representatives {
            let bounds = bounds.iter_mut().flatten();
            bounds.for_each(|bounds| bounds.stand_for(representatives));
        }
        bounds
    }

    /// The heaviest ways through a pattern whose holes have weights; `None` if they are
    /// not known.
    pub(crate) fn weighted_ways(
        &mut self,
        pattern: &Pattern,
        holes: &[Hole<'_>],
        witness: &[TokenId],
    ) -> Option<Ways> {
        self.forget();
        let Outlook::Open(ahead) = self.look(pattern, true)? else {
            return None;
        };
        let memos = &mut self.memos;
        let vocabulary = self.vocabulary.as_ref()?;
        memos
            .guide
            .get_or_insert_with(|| Guide::new(&self.cfg, &mut memos.sets, vocabulary));
        self.looking(pattern, &ahead, |mut look| look.weighted(holes, witness))?
    }
}

/// Says of the tokens that are stood for what it says of those that stand for them.
fn stand_for(representatives: &Representatives, mask: &mut BitSet) {
    for token in mask.iter().collect::<Vec<usize>>() {
        for other in representatives.others(token as TokenId) {
            mask.insert(other as usize);
        }
    }
}
