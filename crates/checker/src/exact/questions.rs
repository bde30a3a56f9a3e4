//! One question to one part: look ahead, search, follow a beam, parse; and what their
//! answers come to.

use super::{Decision, Exact};
use crate::beam::Width;
use crate::chart::{Found, Parse};
use crate::cover::Cover;
use crate::graph::{Addition, CompletionGraph, Step};
use crate::guide::Guide;
use crate::look::Look;
use crate::lookahead::{Lookahead, Outlook, StandingIn};
use crate::search::{Search, Searched};
use crate::tidy::without_needless_separators;
use crate::useful::{Whole, whole};
use crate::witness::{completed, witness};
use crate::{Filling, Gap, Pattern, Segment, Witness};

/// Words that a chart of bits may move for each item of a parse's budget.
pub(super) const WORDS: usize = 64;

/// The share that a look-ahead may spend, in nodes and edges.
const LOOK: usize = 2;

impl Exact {
    /// What the cover says; `None` if there is none.
    pub(super) fn look(&mut self, pattern: &Pattern, standing_in: StandingIn) -> Option<Outlook> {
        // What is hidden in gaps of any length the cover does not know.
        let any = pattern.segments.contains(&Segment::Gap(Gap::Any));
        if any && !self.cfg.interleaves.is_empty() {
            return None;
        }
        let memos = &mut self.memos;
        let cover = memos
            .cover
            .get_or_insert_with(|| Cover::new(&self.cfg, memos.sets.states()));
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let budget = self.limits.parse_items / LOOK;
        Some(Lookahead::look(
            cover.as_mut()?,
            &mut graph,
            standing_in,
            budget,
        ))
    }

    /// Looks for a witness where gaps count cells, an open end left aside; `None` if
    /// that decides nothing.
    pub(super) fn search(
        &mut self,
        pattern: &Pattern,
        ahead: Option<&Lookahead>,
        share: usize,
    ) -> Option<Decision> {
        match self.path(pattern, ahead, share)? {
            Searched::Open => None,
            Searched::Nothing => Some(Decision::Impossible),
            Searched::Found(path) => self.decided(pattern, ahead, path),
        }
    }

    /// Looks for a witness by a chart of bits, which takes less code than a beam.
    #[cfg(not(feature = "shortcuts"))]
    pub(super) fn beam(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        _: Option<Width>,
    ) -> Option<Decision> {
        self.charted(pattern, ahead, super::tiers::FIRST_CHART)
    }

    /// Looks for a witness with a few columns for each node.
    #[cfg(feature = "shortcuts")]
    pub(super) fn beam(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        wide: Option<Width>,
    ) -> Option<Decision> {
        let path = self.looking(pattern, ahead, |mut look| {
            look.beam(super::tiers::NARROW, wide)
        })??;
        self.decided(pattern, Some(ahead), path)
    }

    pub(super) fn chart(
        &mut self,
        pattern: &Pattern,
        ahead: Option<Box<Lookahead>>,
        share: usize,
    ) -> Parse {
        self.parse_in(usize::from(pattern.counts_cells()), pattern, ahead, share)
    }

    #[cfg(feature = "shortcuts")]
    /// The same in a chart of its own, so that the others stay as they are.
    pub(super) fn parse_beside(&mut self, pattern: &Pattern, share: usize) -> Parse {
        self.parse_in(2, pattern, None, share)
    }

    fn parse_in(
        &mut self,
        chart: usize,
        pattern: &Pattern,
        ahead: Option<Box<Lookahead>>,
        share: usize,
    ) -> Parse {
        let memos = &mut self.memos;
        let cover = memos.cover.as_ref().and_then(Option::as_ref);
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let budget = self.limits.parse_items / share;
        let chart = &mut self.charts[chart];
        let parse = chart.parse(
            &self.cfg,
            &mut memos.sets,
            &mut graph,
            ahead.zip(cover),
            budget,
        );
        self.parsed += chart.work;
        parse
    }

    /// Looks for a path to the end, or to the gap of any length there; `None` if the
    /// pattern has other such gaps.
    pub(super) fn path(
        &mut self,
        pattern: &Pattern,
        ahead: Option<&Lookahead>,
        share: usize,
    ) -> Option<Searched> {
        let gaps = |segment: &&Segment| **segment == Segment::Gap(Gap::Any);
        let is_open = pattern.segments.last() == Some(&Segment::Gap(Gap::Any));
        if pattern.segments.iter().filter(gaps).count() > usize::from(is_open) {
            return None;
        }
        let memos = &mut self.memos;
        let vocabulary = self.vocabulary.as_ref()?;
        let guide = memos
            .guide
            .get_or_insert_with(|| Guide::new(&self.cfg, &mut memos.sets, vocabulary));
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let search = Search {
            cfg: &self.cfg,
            sets: &mut memos.sets,
            columns: &mut memos.columns,
            guide: guide.as_mut(),
            ahead: ahead.zip(memos.cover.as_ref().and_then(Option::as_ref)),
            graph: &mut graph,
        };
        Some(search.run(self.limits.parse_items / share))
    }

    /// Looks at a pattern with what was seen ahead; `None` if there is no cover.
    pub(super) fn looking<T>(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        what: impl FnOnce(Look<'_, '_>) -> T,
    ) -> Option<T> {
        let memos = &mut self.memos;
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        Some(what(Look {
            cfg: &self.cfg,
            sets: &mut memos.sets,
            columns: &mut memos.columns,
            ahead,
            cover: memos.cover.as_ref()?.as_ref()?,
            guide: memos.guide.as_mut().and_then(Option::as_mut),
            graph: &mut graph,
        }))
    }

    /// What a chart of bits decides of all that a look ahead left; `None` if gaps of any length
    /// are among it, or it takes more than its share of the budget.
    pub(super) fn charted(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        share: usize,
    ) -> Option<Decision> {
        match self.whole(pattern, ahead, share)? {
            Whole::Path(path) => self.decided(pattern, Some(ahead), path),
            Whole::Nothing { .. } => Some(Decision::Impossible),
            Whole::Exhausted => None,
        }
    }

    /// The same, as the chart says it.
    pub(super) fn whole(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        share: usize,
    ) -> Option<Whole> {
        if pattern.segments.contains(&Segment::Gap(Gap::Any)) {
            return None;
        }
        let (parser, cover) = self.memos.of_chart(&self.cfg)?;
        let graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let budget = WORDS.saturating_mul(self.limits.parse_items) / share;
        let start = graph.start();
        let (whole, work) = whole(parser, cover, ahead, start, budget);
        self.parsed += work / WORDS;
        Some(whole)
    }

    /// The witness of a path.
    pub(super) fn decided(
        &mut self,
        pattern: &Pattern,
        ahead: Option<&Lookahead>,
        path: Vec<Step>,
    ) -> Option<Decision> {
        let mut graph = self
            .choice
            .graph(pattern, &self.cfg.lexer, &mut self.reaches);
        let path = on_graph(&mut graph, ahead, path)?;
        let found = witness(pattern, &graph.additions(&path)?);
        let is_open = pattern.segments.last() == Some(&Segment::Gap(Gap::Any));
        match is_open && pattern.counts_cells() {
            true => self.with_an_end(pattern, found),
            false => Some(Decision::Completable(found)),
        }
    }

    /// A witness of all but the open end, and what ends the text behind it.
    pub(super) fn with_an_end(
        &mut self,
        pattern: &Pattern,
        mut found: Witness,
    ) -> Option<Decision> {
        let vocabulary = self.vocabulary.as_ref()?;
        let text = completed(pattern, &found, vocabulary)?;
        let opened = Pattern {
            segments: vec![Segment::Text(text), Segment::Gap(Gap::Any)],
        };
        let Parse::Found(end) = self.chart(&opened, None, 1) else {
            return None;
        };
        let additions = without_needless_separators(&opened, end.additions, &self.cfg.lexer);
        // What the path put into the open end already stays there.
        let end = witness(&opened, &additions).gaps.pop()?;
        let (Filling::Bytes(begun), Filling::Bytes(end)) = (found.gaps.last_mut()?, end) else {
            return None;
        };
        begun.extend(end);
        Some(Decision::Completable(found))
    }

    pub(super) fn decision(&self, pattern: &Pattern, parse: Parse) -> Decision {
        match parse {
            Parse::Found(Found { additions, .. }) => {
                let lexer = &self.cfg.lexer;
                let tidied: Vec<Addition> = without_needless_separators(pattern, additions, lexer);
                Decision::Completable(witness(pattern, &tidied))
            }
            Parse::Nothing => Decision::Impossible,
            Parse::Exhausted => Decision::Exhausted,
        }
    }
}

/// A path on the graph itself for one of what a look-ahead left of it.
fn on_graph(
    graph: &mut CompletionGraph<'_>,
    ahead: Option<&Lookahead>,
    path: Vec<Step>,
) -> Option<Vec<Step>> {
    match ahead {
        Some(ahead) => ahead.path(graph, &path),
        None => Some(path),
    }
}
