//! Several texts on one canvas: regions with a grammar, and regions without.
//!
//! Each region is a canvas of its own, so what is decided in one does not change what
//! may stand in another; a check looks only at regions whose cells have changed.

use std::ops::Range;
use std::sync::Arc;

use lacuna_checker::{Checker, Weights};
use lacuna_lexer::{TokenId, Vocabulary};
use lacuna_logits::TokenSet;

use crate::DecodeError;
use crate::canvas::Cell;
use crate::guard::{Completion, GrammarGuard, Guard, Refused};

/// Allows what can become, region by region, a sentence of the region's grammar.
pub struct RegionGuard {
    regions: Vec<Region>,
    vocabulary: Arc<Vocabulary>,
    cells: Vec<Cell>,
}

struct Region {
    range: Range<usize>,
    /// `None`: anything may stand here.
    guard: Option<GrammarGuard>,
    /// The cells that were last allowed, of which the guard keeps a completion.
    allowed: Vec<Cell>,
    /// Without a guard, the heaviest token of each cell when that was last asked.
    heaviest: Vec<TokenId>,
}

impl RegionGuard {
    /// A guard of regions, one after another: the cells of each, and its checker, if it
    /// has a grammar. All checkers count in `vocabulary`, or in it with special tokens that their
    /// grammars name.
    pub fn new(
        regions: impl IntoIterator<Item = (usize, Option<Checker>)>,
        vocabulary: &Arc<Vocabulary>,
    ) -> Self {
        let guard = |checker: Checker| {
            let own = checker.vocabulary().unwrap_or(vocabulary);
            let own = Arc::clone(own);
            GrammarGuard::new(checker, own)
        };
        let regions = regions.into_iter();
        Self::of_guards(
            regions.map(|(cells, checker)| (cells, checker.map(guard))),
            vocabulary,
        )
    }

    /// The same of guards that are there already, each of its region's cells alone.
    pub fn of_guards(
        regions: impl IntoIterator<Item = (usize, Option<GrammarGuard>)>,
        vocabulary: &Arc<Vocabulary>,
    ) -> Self {
        let mut start = 0;
        let regions = regions.into_iter().map(|(cells, guard)| {
            let range = start..start + cells;
            start = range.end;
            Region {
                range,
                guard,
                allowed: Vec::new(),
                heaviest: Vec::new(),
            }
        });
        Self {
            regions: regions.collect(),
            vocabulary: Arc::clone(vocabulary),
            cells: Vec::new(),
        }
    }

    fn region_of(&mut self, cell: usize) -> Option<&mut Region> {
        let mut regions = self.regions.iter_mut();
        regions.find(|region| region.range.contains(&cell))
    }
}

/// The heaviest token of each cell by itself; an end where none has a weight.
pub(crate) fn heaviest<'a>(
    cells: &'a [Cell],
    weights: &'a [Option<Weights>],
    end: TokenId,
) -> impl Iterator<Item = TokenId> + 'a {
    cells.iter().zip(weights).map(move |(cell, weights)| {
        let best = weights.iter().flat_map(|weights| &weights.best);
        let best = best.max_by(|a, b| a.1.total_cmp(&b.1));
        cell.or(best.map(|&(token, _)| token)).unwrap_or(end)
    })
}

fn cells_of<'a>(cells: &'a [Cell], range: &Range<usize>) -> &'a [Cell] {
    cells.get(range.clone()).unwrap_or_default()
}

impl Guard for RegionGuard {
    fn lexing_ms(&self) -> f64 {
        let guards = self
            .regions
            .iter()
            .filter_map(|region| region.guard.as_ref());
        guards.map(Guard::lexing_ms).sum()
    }

    fn open(&mut self, cells: &[Cell]) -> Result<(), DecodeError> {
        for region in &mut self.regions {
            let own = cells_of(cells, &region.range);
            if let Some(guard) = &mut region.guard {
                guard.open(own)?;
            }
            region.allowed = own.to_vec();
        }
        self.cells = cells.to_vec();
        Ok(())
    }

    fn check(&mut self, cells: &[Cell]) -> Result<(), Refused> {
        for region in &mut self.regions {
            let own = cells_of(cells, &region.range);
            if own == region.allowed {
                continue;
            }
            if let Some(guard) = &mut region.guard {
                // Where a later region says no, the completion that is kept here is of
                // more cells than are committed, and so of those too.
                let outcome = guard.check(own);
                outcome.map_err(|refused| refused.behind(region.range.start))?;
            }
            region.allowed = own.to_vec();
        }
        self.cells = cells.to_vec();
        Ok(())
    }

    fn agrees(&self, commits: &[(usize, TokenId)]) -> bool {
        commits.iter().all(|&(cell, token)| {
            let mut regions = self.regions.iter();
            regions
                .find(|region| region.range.contains(&cell))
                .is_some_and(|region| match &region.guard {
                    Some(guard) => guard.agrees(&[(cell - region.range.start, token)]),
                    None => true,
                })
        })
    }

    /// Where everything has a grammar: what stands in a free region is as it was last checked.
    fn foresees(&self) -> bool {
        self.regions.iter().all(|region| region.guard.is_some())
    }

    /// Where all regions' guards do.
    fn heeds(&mut self, cells: &[Cell]) -> bool {
        let mut regions = self.regions.iter_mut();
        regions.all(|region| {
            let own = cells_of(cells, &region.range);
            region.guard.as_mut().is_some_and(|guard| guard.heeds(own))
        })
    }

    fn heed(&mut self, mut weights: Vec<Option<Weights>>) {
        for region in self.regions.iter_mut().rev() {
            let own = weights.split_off(region.range.start.min(weights.len()));
            if let Some(guard) = &mut region.guard {
                guard.heed(own);
            }
        }
    }

    fn remembers(&self) -> bool {
        true
    }

    fn possible(&mut self, cells: &[Cell], cell: usize) -> Option<TokenSet> {
        let region = self.region_of(cell)?;
        let own = cells_of(cells, &region.range);
        let cell = cell - region.range.start;
        region.guard.as_mut()?.possible(own, cell)
    }

    fn masks(&mut self, cells: &[Cell]) -> Option<Vec<Option<TokenSet>>> {
        let mut masks = Vec::with_capacity(cells.len());
        for region in &mut self.regions {
            let own = cells_of(cells, &region.range);
            match &mut region.guard {
                Some(guard) => masks.extend(guard.masks(own)?),
                None => masks.extend(own.iter().map(|_| None)),
            }
        }
        Some(masks)
    }

    fn mask_of(&mut self, cells: &[Cell], cell: usize) -> Option<TokenSet> {
        let region = self.region_of(cell)?;
        let own = cells_of(cells, &region.range);
        let cell = cell - region.range.start;
        region.guard.as_mut()?.mask_of(own, cell)
    }

    fn prepare(&mut self, cells: &[Cell]) {
        for region in &mut self.regions {
            let own = cells_of(cells, &region.range);
            if let Some(guard) = &mut region.guard
                && own != region.allowed
            {
                guard.prepare(own);
            }
        }
    }

    fn prepared(&self) -> usize {
        let guards = self
            .regions
            .iter()
            .filter_map(|region| region.guard.as_ref());
        guards.map(Guard::prepared).sum()
    }

    fn best(&mut self, cells: &[Cell], weights: &[Option<Weights>]) -> Option<Vec<TokenId>> {
        let mut tokens = Vec::with_capacity(cells.len());
        for region in &mut self.regions {
            let own = cells_of(cells, &region.range);
            let weights = weights.get(region.range.clone()).unwrap_or_default();
            match &mut region.guard {
                Some(guard) => {
                    tokens.extend(guard.best(own, weights)?);
                    region.allowed = own.to_vec();
                }
                None => {
                    region.heaviest = heaviest(own, weights, self.vocabulary.end()).collect();
                    tokens.extend(&region.heaviest);
                }
            }
        }
        Some(tokens)
    }

    fn masked_again(&mut self, cells: &[Cell]) {
        self.cells = cells.to_vec();
    }

    fn completion(&mut self) -> Option<Completion> {
        let mut tokens: Vec<TokenId> = Vec::with_capacity(self.cells.len());
        for region in &mut self.regions {
            match region.guard.as_mut().and_then(|guard| guard.completion()) {
                Some(Completion::Cells(own)) => tokens.extend(own),
                _ => {
                    let own = cells_of(&self.cells, &region.range).iter().enumerate();
                    let end = self.vocabulary.end();
                    let free = |at: usize| region.heaviest.get(at).copied().unwrap_or(end);
                    tokens.extend(own.map(|(at, cell)| cell.unwrap_or_else(|| free(at))));
                }
            }
        }
        Some(Completion::Cells(tokens))
    }

    fn is_free(&self, cell: usize) -> bool {
        let mut regions = self.regions.iter();
        regions.any(|region| region.guard.is_none() && region.range.contains(&cell))
    }

    fn is_strict(&self) -> bool {
        self.regions.iter().any(|region| region.guard.is_some())
    }
}
