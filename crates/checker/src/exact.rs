//! The exact tiers for grammars that are not regular: search, look ahead, parse.
//!
//! In the order of their cost: a short [`search`](crate::search) for a witness; the
//! regular cover over the completion graph ([`lookahead`](crate::lookahead)), which
//! refuses, or leaves a smaller graph; of that, a few columns for each node
//! ([`beam`](crate::beam)), a short parse, more columns, and a longer search; a parse in
//! which gaps have any length, which refuses, or says which terminals to write in the
//! cells ([`fit`](crate::fit), [`respell`](crate::respell)), and comes before the short
//! parse where gaps are few; and the full parse of the graph that counts cells. Each is sound in what it answers; only the last one answers
//! everything, within its budget.
//!
//! A witness is first looked for among a few tokens of the vocabulary
//! ([`plain_tokens`]), with which there are several times fewer places to look at.
//!
//! All of them work on the same interned sets, kept from check to check up to a bound.

use std::sync::Arc;

use lacuna_lexer::{Representatives, Spanner, TokenId, Vocabulary, plain_tokens};

use crate::beam::Width;
use crate::cfg::Cfg;
use crate::chart::{Chart, Found, Parse};
use crate::checker::CheckerLimits;
use crate::columns::Columns;
use crate::compiled::Compiled;
use crate::cover::Cover;
use crate::fit::{fit, without_counts};
use crate::gap_reach::GapReaches;
use crate::graph::{Addition, CompletionGraph, Step};
use crate::guide::Guide;
use crate::lookahead::{Lookahead, Outlook};
use crate::masks::{CellBounds, mask_bounds};
use crate::pairs::{Certain, Levels, Look};
use crate::respell::respell;
use crate::search::{Search, Searched};
use crate::sets::StateSets;
use crate::tidy::without_needless_separators;
use crate::weighted::{Hole, Ways};
use crate::witness::{completed, witness};
use crate::{Filling, Gap, Pattern, Segment, Tier, Witness};

/// The share that a look-ahead may spend, in nodes and edges.
const LOOK: usize = 2;

/// The share of the budget that the first search may spend, and one in a hurry.
const FIRST_SEARCH: usize = 400;
const HASTY_SEARCH: usize = 2_000;

/// States of a lexer up to which classes of tokens are looked for.
const MAX_CLASSED_STATES: usize = 10_000;

/// How soon a first search is to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    /// Where there is another way to go on.
    Much,
    /// Where what comes next takes longer.
    Some,
}

/// How much a parse with gaps of any length may cost where they count cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thoroughness {
    Little,
    Full,
}

/// Columns that are kept for a node in a first and in a second beam.
const NARROW: Width = Width {
    all: 8,
    alike: 1,
    by_inner: false,
};
const WIDE: Width = Width {
    all: 32,
    alike: 1,
    by_inner: true,
};

/// The share that the first parse may spend.
const FIRST_PARSE: usize = 160;

/// Gaps up to which gaps of any length are asked about first: a parse of these takes less
/// than a beam.
const FEW_GAPS: usize = 9;

/// The share that the second one may spend, where the cover has looked ahead.
const SECOND_SEARCH: usize = 40;

/// The share that it may cost to write known terminals in cells.
const RESPELLING: usize = 32;

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

/// Pairs from which on a look is given up: some ten milliseconds.
const MAX_PAIRS: usize = 60_000;

/// The same for each group of tokens that is left to be decided: a check costs as much.
const PAIRS_FOR_A_GROUP: usize = 400;

/// What the exact tiers say.
pub(crate) enum Decision {
    /// Yes, for instance so.
    Completable(Witness),
    /// No filling exists.
    Impossible,
    /// The budget was not enough.
    Exhausted,
}

impl Decision {
    fn witness(self) -> Option<Witness> {
        match self {
            Self::Completable(witness) => Some(witness),
            Self::Impossible | Self::Exhausted => None,
        }
    }
}

/// The exact tiers of one grammar, with memos.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    cfg: Arc<Cfg>,
    vocabulary: Option<Arc<Vocabulary>>,
    /// If tokens stand for others.
    representatives: Option<Arc<Representatives>>,
    memos: Memos,
    reaches: GapReaches,
    spanner: Option<Spanner>,
    /// Of plain tokens, which witnesses are first looked for among, if these are few.
    few: Option<Spanner>,
    /// For gaps of any length, and for gaps that count cells.
    charts: [Chart; 2],
    limits: CheckerLimits,
}

/// What is kept of the parser's work; all numbers in it refer to the same sets.
#[derive(Clone, Debug)]
struct Memos {
    sets: StateSets,
    columns: Columns,
    /// Made when they are first asked for; `None` inside if the parser is too large.
    guide: Option<Option<Guide>>,
    cover: Option<Option<Cover>>,
}

impl Memos {
    fn new(cfg: &Cfg) -> Self {
        let mut sets = StateSets::new(cfg);
        Self {
            columns: Columns::new(cfg, &mut sets),
            sets,
            guide: None,
            cover: None,
        }
    }

    fn size(&self) -> usize {
        let guide = self.guide.iter().flatten().map(Guide::size).sum::<usize>();
        let cover = self.cover.iter().flatten().map(Cover::size).sum::<usize>();
        self.sets.size() + self.columns.size() + guide + cover
    }
}

impl Exact {
    pub(crate) fn new(
        cfg: Arc<Cfg>,
        vocabulary: Option<Arc<Vocabulary>>,
        limits: CheckerLimits,
    ) -> Self {
        Self {
            memos: Memos::new(&cfg),
            reaches: GapReaches::default(),
            spanner: None,
            few: None,
            representatives: None,
            charts: Default::default(),
            cfg,
            vocabulary,
            limits,
        }
    }

    /// Makes ready for gaps that count cells, if there is a vocabulary: finds its plain
    /// tokens, and of a large one the classes of tokens.
    pub(crate) fn count_cells(&mut self, compiled: &Compiled) {
        let Some(vocabulary) = self.vocabulary.as_ref().filter(|_| self.spanner.is_none()) else {
            return;
        };
        let lexer = &self.cfg.lexer;
        let is_large = vocabulary.len() >= self.limits.classes_from;
        let mut all = Arc::clone(vocabulary);
        if is_large && lexer.state_count() <= MAX_CLASSED_STATES {
            let known = compiled.representatives(lexer, vocabulary);
            all = Arc::clone(known.vocabulary());
            self.representatives = Some(known);
        }
        let few = plain_tokens(lexer, &all, self.limits.few_tokens);
        self.few = few.map(|few| Spanner::new(Arc::new(few)));
        self.spanner = Some(Spanner::new(all));
    }

    /// Decides a pattern by a short search, if that is enough.
    pub(crate) fn decide_at_once(
        &mut self,
        pattern: &Pattern,
        haste: Haste,
    ) -> Option<(Decision, Tier)> {
        self.forget();
        if !pattern.counts_cells() || self.spanner.is_none() {
            return None;
        }
        let share = match haste {
            Haste::Much => HASTY_SEARCH,
            Haste::Some => FIRST_SEARCH,
        };
        let found = self.among_few(|few| few.search(pattern, None, share));
        let decision = match found.flatten() {
            Some(Decision::Completable(witness)) => Decision::Completable(witness),
            _ => self.search(pattern, None, share)?,
        };
        Some((decision, Tier::Searched))
    }

    /// What is found where none but a few tokens stand in cells; `None` if all do.
    fn among_few<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.few.as_ref()?;
        std::mem::swap(&mut self.spanner, &mut self.few);
        let found = ask(self);
        std::mem::swap(&mut self.spanner, &mut self.few);
        Some(found)
    }

    /// A witness along a beam.
    fn beamed(&mut self, pattern: &Pattern, widths: &[Width]) -> Option<Witness> {
        let Outlook::Open(ahead) = self.look(pattern, false)? else {
            return None;
        };
        let mut widths = widths.iter();
        let decision = widths.find_map(|&width| self.beam(pattern, &ahead, width))?;
        decision.witness()
    }

    /// A witness, if one is found at little cost; in much haste by a search alone.
    pub(crate) fn quick_witness(&mut self, pattern: &Pattern, haste: Haste) -> Option<Witness> {
        if let Some((decision, _)) = self.decide_at_once(pattern, Haste::Much) {
            return decision.witness();
        }
        if haste == Haste::Much {
            return None;
        }
        let among_few = self.among_few(|few| few.beamed(pattern, &[NARROW]));
        match among_few {
            Some(found) => found,
            None => self.beamed(pattern, &[NARROW]),
        }
    }

    /// Decides a pattern that was not decided at once by the cheapest tier that can, and
    /// says which did.
    pub(crate) fn decide_at_length(&mut self, pattern: &Pattern) -> (Decision, Tier) {
        self.forget();
        if !pattern.counts_cells() || self.spanner.is_none() {
            return self.decide_uncounted(pattern);
        }
        let among_few = self.among_few(|few| few.beamed(pattern, &[NARROW, WIDE]));
        if let Some(witness) = among_few.flatten() {
            return (Decision::Completable(witness), Tier::Searched);
        }
        let ahead = match self.look(pattern, false) {
            Some(Outlook::Closed) => return (Decision::Impossible, Tier::Cover),
            Some(Outlook::Open(ahead)) => Some(ahead),
            Some(Outlook::Exhausted) | None => None,
        };
        if let Some(ahead) = &ahead {
            if let Some(decision) = self.beam(pattern, ahead, NARROW) {
                return (decision, Tier::Searched);
            }
            // What is opened and never closed the cover does not see.
            if has_few_gaps(pattern)
                && let Some(decided) = self.decide_without_counts(pattern, Thoroughness::Little)
            {
                return decided;
            }
            let parse = self.chart(pattern, Some(ahead.clone()), FIRST_PARSE);
            if !matches!(parse, Parse::Exhausted) {
                return (self.decision(pattern, parse), Tier::Parse);
            }
            if let Some(decision) = self.beam(pattern, ahead, WIDE) {
                return (decision, Tier::Searched);
            }
            if let Some(decision) = self.search(pattern, Some(ahead), SECOND_SEARCH) {
                return (decision, Tier::Searched);
            }
        }
        if let Some(decided) = self.decide_without_counts(pattern, Thoroughness::Full) {
            return decided;
        }
        let parse = self.chart(pattern, ahead, 1);
        (self.decision(pattern, parse), Tier::Parse)
    }

    /// Decides a pattern whose gaps have any length.
    fn decide_uncounted(&mut self, pattern: &Pattern) -> (Decision, Tier) {
        let parse = self.chart(pattern, None, FIRST_PARSE);
        if !matches!(parse, Parse::Exhausted) {
            return (self.decision(pattern, parse), Tier::Parse);
        }
        match self.look(pattern, false) {
            Some(Outlook::Closed) => return (Decision::Impossible, Tier::Cover),
            Some(Outlook::Open(ahead)) => {
                for width in [NARROW, WIDE] {
                    if let Some(decision) = self.beam(pattern, &ahead, width) {
                        return (decision, Tier::Searched);
                    }
                }
            }
            Some(Outlook::Exhausted) | None => {}
        }
        (self.parse(pattern), Tier::Parse)
    }

    /// Decides a pattern by the full parse alone.
    pub(crate) fn parse(&mut self, pattern: &Pattern) -> Decision {
        self.forget();
        let ahead = match pattern.counts_cells() {
            true => self.look(pattern, false),
            false => None,
        };
        let parse = match ahead {
            Some(Outlook::Closed) => return Decision::Impossible,
            Some(Outlook::Exhausted) => return Decision::Exhausted,
            Some(Outlook::Open(ahead)) => self.chart(pattern, Some(ahead), 1),
            None => self.chart(pattern, None, 1),
        };
        self.decision(pattern, parse)
    }

    /// Whether the cover can read a pattern; `None` if that is not known.
    pub(crate) fn is_covered(&mut self, pattern: &Pattern) -> Option<bool> {
        self.forget();
        match self.look(pattern, false)? {
            Outlook::Open(_) => Some(true),
            Outlook::Closed => Some(false),
            Outlook::Exhausted => None,
        }
    }

    /// What looking ahead tells of the tokens in masked cells; `None` if that is
    /// nothing.
    pub(crate) fn mask_bounds(&mut self, pattern: &Pattern) -> Option<Vec<CellBounds>> {
        self.forget();
        let Outlook::Open(ahead) = self.look(pattern, true)? else {
            return None;
        };
        let path = self.path(pattern, Some(&ahead), SECOND_SEARCH);
        let memos = &mut self.memos;
        let (columns, sets) = (&mut memos.columns, &mut memos.sets);
        let ways: &[Levels] = match columns.know_all(&self.cfg, sets, MAX_STATES) {
            true => &CUT,
            false => &WHOLE,
        };
        let mut bounds = self.looking(pattern, &ahead, |mut look| {
            let mut bounds: Option<Vec<CellBounds>> = None;
            let mut certain = Certain::default();
            let mut most = MAX_PAIRS;
            for &levels in ways {
                let known = std::mem::take(&mut certain);
                let Some(mut pairs) = look.pairs(levels, most, known) else {
                    break;
                };
                if let Some(Searched::Found(path)) = &path {
                    look.note(&mut pairs, path);
                }
                look.settle_wholes(&mut pairs);
                let found = mask_bounds(&mut look, &mut pairs, bounds);
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

    /// Looks at a pattern with what was seen ahead; `None` if there is no cover.
    fn looking<T>(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        what: impl FnOnce(Look<'_, '_>) -> T,
    ) -> Option<T> {
        let memos = &mut self.memos;
        let spanner = self.spanner.as_mut();
        let mut graph = CompletionGraph::new(pattern, &self.cfg.lexer, spanner, &mut self.reaches);
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

    /// Looks for a witness with a few columns for each node.
    fn beam(&mut self, pattern: &Pattern, ahead: &Lookahead, width: Width) -> Option<Decision> {
        let path = self.looking(pattern, ahead, |mut look| look.beam(width))??;
        self.decided(pattern, Some(ahead), path)
    }

    /// Looks for a witness where gaps count cells, an open end left aside; `None` if
    /// that decides nothing.
    fn search(
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

    /// The witness of a path.
    fn decided(
        &mut self,
        pattern: &Pattern,
        ahead: Option<&Lookahead>,
        path: Vec<Step>,
    ) -> Option<Decision> {
        let spanner = self.spanner.as_mut();
        let mut graph = CompletionGraph::new(pattern, &self.cfg.lexer, spanner, &mut self.reaches);
        let path = on_graph(&mut graph, ahead, path)?;
        let found = witness(pattern, &graph.additions(&path)?);
        let is_open = pattern.segments.last() == Some(&Segment::Gap(Gap::Any));
        match is_open && pattern.counts_cells() {
            true => self.with_an_end(pattern, found),
            false => Some(Decision::Completable(found)),
        }
    }

    /// Looks for a path to the end, or to the gap of any length there; `None` if the
    /// pattern has other such gaps.
    fn path(
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
        let spanner = self.spanner.as_mut();
        let mut graph = CompletionGraph::new(pattern, &self.cfg.lexer, spanner, &mut self.reaches);
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

    /// A witness of all but the open end, and what ends the text behind it.
    fn with_an_end(&mut self, pattern: &Pattern, mut found: Witness) -> Option<Decision> {
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

    /// What the cover says, nodes [kept apart](Lookahead::look) or not; `None` if
    /// there is no cover.
    fn look(&mut self, pattern: &Pattern, apart: bool) -> Option<Outlook> {
        // What is hidden in gaps of any length the cover does not know.
        let any = pattern.segments.contains(&Segment::Gap(Gap::Any));
        if any && !self.cfg.interleaves.is_empty() {
            return None;
        }
        let memos = &mut self.memos;
        let cover = memos
            .cover
            .get_or_insert_with(|| Cover::new(&self.cfg, memos.sets.states()));
        let spanner = self.spanner.as_mut();
        let mut graph = CompletionGraph::new(pattern, &self.cfg.lexer, spanner, &mut self.reaches);
        let budget = self.limits.parse_items / LOOK;
        Some(Lookahead::look(cover.as_mut()?, &mut graph, apart, budget))
    }

    /// What a parse with gaps of any length says about gaps that count cells: no, or
    /// a witness that can be made to fit; `None` if that leaves it open.
    fn decide_without_counts(
        &mut self,
        pattern: &Pattern,
        thoroughness: Thoroughness,
    ) -> Option<(Decision, Tier)> {
        let share = match thoroughness {
            Thoroughness::Little => FIRST_PARSE,
            Thoroughness::Full => 1,
        };
        let uncounted = without_counts(pattern);
        let found = match self.chart(&uncounted, None, share) {
            Parse::Nothing => return Some((Decision::Impossible, Tier::AnyLength)),
            Parse::Exhausted => return None,
            Parse::Found(found) => found,
        };
        let vocabulary = self.vocabulary.as_ref()?;
        let lexer = &self.cfg.lexer;
        let tidied = without_needless_separators(&uncounted, found.additions.clone(), lexer);
        // Fewer bytes first; but what separates can also be repeated.
        let mut fitted = [&tidied, &found.additions]
            .into_iter()
            .find_map(|additions| fit(pattern, additions, lexer, vocabulary));
        if fitted.is_none() && thoroughness == Thoroughness::Full {
            let spanner = self.spanner.as_mut();
            let mut graph = CompletionGraph::new(pattern, lexer, spanner, &mut self.reaches);
            let budget = self.limits.parse_items / RESPELLING;
            let additions = respell(&mut graph, &found.terminals(), budget);
            fitted = additions.map(|additions| witness(pattern, &additions));
        }
        Some((Decision::Completable(fitted?), Tier::Fitted))
    }

    fn chart(&mut self, pattern: &Pattern, ahead: Option<Lookahead>, share: usize) -> Parse {
        let memos = &mut self.memos;
        let cover = memos.cover.as_ref().and_then(Option::as_ref);
        let spanner = self.spanner.as_mut();
        let mut graph = CompletionGraph::new(pattern, &self.cfg.lexer, spanner, &mut self.reaches);
        let chart = &mut self.charts[usize::from(pattern.counts_cells())];
        let budget = self.limits.parse_items / share;
        chart.parse(
            &self.cfg,
            &mut memos.sets,
            &mut graph,
            ahead.zip(cover),
            budget,
        )
    }

    fn decision(&self, pattern: &Pattern, parse: Parse) -> Decision {
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

    /// Keeps the memory within its bound.
    fn forget(&mut self) {
        let bound = self.limits.memo_members;
        if let Some(few) = &mut self.few
            && few.entry_count() > bound
        {
            few.clear();
        }
        if let Some(spanner) = &mut self.spanner
            && spanner.entry_count() > bound
        {
            spanner.clear();
            self.charts.iter_mut().for_each(Chart::clear);
        }
        if self.memos.size() > bound {
            self.memos = Memos::new(&self.cfg);
            self.charts.iter_mut().for_each(Chart::clear);
        }
    }
}

fn has_few_gaps(pattern: &Pattern) -> bool {
    let is_gap = |segment: &&Segment| matches!(segment, Segment::Gap(_));
    pattern.segments.iter().filter(is_gap).count() <= FEW_GAPS
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
