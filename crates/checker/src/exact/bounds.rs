//! What may stand in masked cells, and at what weight.

use lacuna_lexer::{BitSet, Representatives, TokenId};

use super::Exact;
#[cfg(feature = "shortcuts")]
use super::choice::Fewer;
use super::questions::WORDS;
use crate::Pattern;
#[cfg(feature = "shortcuts")]
use crate::compiled::Compiled;
use crate::lookahead::{Outlook, StandingIn};
use crate::masks::{CellMasks, Drawn, cell_masks};
use crate::useful::Useful;
use crate::weighted::{Hole, Ways};

impl Exact {
    /// The tokens that may stand in each masked cell, or in one of them; `None` if there is
    /// no cover.
    pub(crate) fn draw(&mut self, pattern: &Pattern, only: Option<usize>) -> Option<Drawn> {
        self.forget();
        #[cfg(feature = "shortcuts")]
        if let Some(drawn) = self.among(Fewer::OneOfEach, |it| it.drawn(pattern, only)) {
            return drawn;
        }
        self.drawn(pattern, only)
    }

    /// Finds one token of each class, if that is not done: masks ask what all tokens do, so one
    /// answers for those that do the same.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn tell_tokens_apart(&mut self, compiled: &Compiled) {
        if self.representatives.is_none() {
            let tokens = self.one_of_each(compiled);
            self.choice.add_one_of_each(tokens);
        }
    }

    fn drawn(&mut self, pattern: &Pattern, only: Option<usize>) -> Option<Drawn> {
        let ahead = match self.look(pattern, StandingIn::BeforeText)? {
            Outlook::Open(ahead) => ahead,
            Outlook::Closed { .. } => {
                let tokens = self.vocabulary.as_ref()?.len();
                return Some(Drawn::Masks(CellMasks::none(pattern, tokens)));
            }
            Outlook::Exhausted => return Some(Drawn::Exhausted),
        };
        let (parser, cover) = self.memos.of_chart(&self.cfg)?;
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let start = graph.start();
        let budget = WORDS.saturating_mul(self.limits.parse_items);
        let useful = Useful::find(parser, cover, &ahead, start, budget);
        let Some(useful) = useful else {
            return Some(Drawn::Exhausted);
        };
        let mut drawn = cell_masks(&mut graph, &ahead, &useful, only)?;
        if let Some(representatives) = &self.representatives {
            let masks = drawn.cells.iter_mut();
            masks.for_each(|mask| stand_for(representatives, mask));
        }
        Some(Drawn::Masks(drawn))
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
        let Outlook::Open(ahead) = self.look(pattern, StandingIn::Nowhere)? else {
            return None;
        };
        let memos = &mut self.memos;
        let vocabulary = self.vocabulary.as_ref()?;
        memos
            .guide
            .get_or_insert_with(|| self.tables.guide(&self.cfg, &mut memos.sets, vocabulary));
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
