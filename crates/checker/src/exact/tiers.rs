//! The tiers in their order, and what each may cost.

use lacuna_grammar::automaton::SHORTCUTS;

use super::Sought;
use super::choice::Fewer;
#[cfg(feature = "shortcuts")]
use super::widened::widenings;
use super::{Decision, Exact, Haste};
#[cfg(feature = "shortcuts")]
use crate::Gap;
use crate::beam::Width;
use crate::chart::Parse;
#[cfg(feature = "shortcuts")]
use crate::fit::{fit, without_counts};
use crate::lookahead::{Lookahead, Outlook, Reach, StandingIn};
#[cfg(feature = "shortcuts")]
use crate::respell::respell;
#[cfg(feature = "shortcuts")]
use crate::tidy::without_needless_separators;
use crate::useful::Whole;
#[cfg(feature = "shortcuts")]
use crate::witness::witness;
use crate::{Pattern, Segment, Tier, Witness};

/// The share of the budget that the first search may spend, and one in a hurry.
pub(super) const FIRST_SEARCH: usize = 400;
const HASTY_SEARCH: usize = 2_000;

/// The share that one among all of many tokens may.
#[cfg(feature = "shortcuts")]
const AMONG_MANY: usize = 1_600;

#[cfg(feature = "shortcuts")]
/// How much a parse with gaps of any length may cost where they count cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thoroughness {
    Least,
    Little,
    Full,
}

/// Columns that are kept for a node in a first and in a second beam.
#[cfg(feature = "shortcuts")]
pub(super) const NARROW: Width = Width {
    all: 3,
    alike: 1,
    by_inner: false,
};
pub(super) const WIDE: Width = Width {
    all: 32,
    alike: 1,
    by_inner: true,
};

/// The share that a parse may spend before anything else is tried: gaps of any length
/// that it decides have a shortest witness. Where terminals are many, a search among short lexemes
/// finds one in less.
const AT_ONCE: usize = 1_600;
const AT_ONCE_OF_MANY: usize = 16_000;

#[cfg(feature = "shortcuts")]
/// The share that a parse may spend before anything is looked for ahead.
const SHORT_PARSE: usize = 4_000;

#[cfg(feature = "shortcuts")]
/// The share that the first parse may spend.
const FIRST_PARSE: usize = 160;

/// The share that the first chart of bits may spend.
pub(super) const FIRST_CHART: usize = 64;

#[cfg(feature = "shortcuts")]
/// Gaps up to which a full parse with gaps of any length comes before many columns: it takes
/// less than these.
const FEW_GAPS: usize = 9;

/// Cells, all gaps together, up to which lexemes of one byte are not tried before others: there
/// these take no longer.
#[cfg(feature = "shortcuts")]
const FEW_CELLS: usize = 12;

/// The share that a chart of bits among fewer tokens may spend on a whole canvas. Where it is not
/// enough, a beam takes as long, and seldom finds anything.
pub(super) const CHART_AMONG_FEWER: usize = 1;

/// How often gaps are widened where there is another way to go on.
#[cfg(feature = "shortcuts")]
const WIDENINGS_TO_MEND: usize = 2;

/// Gaps, of any length or of cells, up to which a search often finds a witness.
const SEARCHED_GAPS: usize = 16;

#[cfg(feature = "shortcuts")]
/// The share that the second one may spend, where the cover has looked ahead.
pub(super) const SECOND_SEARCH: usize = 40;

#[cfg(feature = "shortcuts")]
/// The share that it may cost to write known terminals in cells.
const RESPELLING: usize = 32;

/// Cells of an open tail that witnesses are first looked for in, and then.
const SHORTEST_TAIL: usize = 16;
pub(super) const SHORT_TAIL: usize = 48;

/// The share that a search may spend on a pattern with a longer tail.
pub(super) const TAIL_SEARCH: usize = 60;

impl Exact {
    /// Decides a pattern by a short search, if that is enough.
    pub(crate) fn decide_at_once(
        &mut self,
        pattern: &Pattern,
        haste: Haste,
    ) -> Option<(Decision, Tier)> {
        self.forget();
        if !pattern.counts_cells() || self.choice.spanner.is_none() {
            return None;
        }
        // Where gaps are many, a search that does not find a witness soon finds none.
        let is_long = !is_searched_longer(pattern);
        let share = match haste {
            Haste::Some if !is_long => FIRST_SEARCH,
            Haste::Some | Haste::Much => HASTY_SEARCH,
        };
        let found = self.among(Fewer::Few, |few| few.search(pattern, None, share));
        if let Some(Decision::Completable(witness)) = found.flatten() {
            return Some((Decision::Completable(witness), Tier::Searched));
        }
        if is_long {
            return None;
        }
        #[cfg(feature = "shortcuts")]
        if haste == Haste::Some
            && gap_count(pattern) <= FEW_GAPS
            && let Some(decided) = self.decide_without_counts(pattern, Thoroughness::Least)
        {
            return Some(decided);
        }
        #[cfg(feature = "shortcuts")]
        let share = match self.choice.is_large() {
            true => share.max(AMONG_MANY),
            false => share,
        };
        Some((self.search(pattern, None, share)?, Tier::Searched))
    }

    /// Decides a pattern that was not decided at once by the cheapest tier that can, and
    /// says which did.
    pub(crate) fn decide_at_length(&mut self, pattern: &Pattern) -> (Decision, Tier) {
        self.forget();
        if !pattern.counts_cells() || self.choice.spanner.is_none() {
            return self.decide_uncounted(pattern);
        }
        if let Some(witness) = self.ended_anywhere(pattern) {
            return (Decision::Completable(witness), Tier::Searched);
        }
        let shortened = pattern.with_tail_up_to(SHORT_TAIL);
        if shortened.is_some()
            && let Some(decision) = self.search(pattern, None, TAIL_SEARCH)
        {
            return (decision, Tier::Searched);
        }
        let shorter = shortened.as_ref().unwrap_or(pattern);
        let shortest = with_shortest_tail(pattern);
        let at_first = shortest.as_ref();
        let mut witness = at_first.and_then(|shortest| self.beamed_among_fewer(shortest));
        witness = witness.or_else(|| self.beamed_among_fewer(shorter));
        for shorter in [&shortest, &shortened].into_iter().flatten() {
            witness = witness.or_else(|| self.beamed(shorter, None));
        }
        if let Some(witness) = witness {
            return (Decision::Completable(witness), Tier::Searched);
        }
        if self.cfg.lexer.counts() {
            match self.look(pattern, StandingIn::ForMore) {
                Some(Outlook::Closed { reach }) => return self.closed(reach),
                Some(Outlook::Open(ahead)) => {
                    if let Ok(witness) = self.follow(pattern, &ahead, Some(WIDE), FIRST_CHART) {
                        return (Decision::Completable(witness), Tier::Searched);
                    }
                }
                Some(Outlook::Exhausted) | None => {}
            }
        }
        let ahead = match self.look(pattern, StandingIn::Everywhere) {
            Some(Outlook::Closed { reach }) => return self.closed(reach),
            Some(Outlook::Open(ahead)) => Some(ahead),
            Some(Outlook::Exhausted) | None => None,
        };
        if let Some(ahead) = &ahead
            && let Some(decision) = self.charted(pattern, ahead, FIRST_CHART)
        {
            return (decision, Tier::Parse);
        }
        #[cfg(feature = "shortcuts")]
        if let Some(ahead) = &ahead
            && let Some(decision) = self.beam(pattern, ahead, None)
        {
            return (decision, Tier::Searched);
        }
        #[cfg(feature = "shortcuts")]
        if let Some(decided) = self.shortcut(pattern, ahead.as_deref()) {
            return decided;
        }
        let seen = ahead.as_ref();
        if let Some(decision) = seen.and_then(|ahead| self.charted(pattern, ahead, 1)) {
            return (decision, Tier::Parse);
        }
        // Long texts with few gaps are less to the other parser.
        let parse = self.chart(pattern, ahead, 1);
        (self.decision(pattern, parse), Tier::Parse)
    }

    /// A no of the cover's.
    fn closed(&mut self, reach: Reach) -> (Decision, Tier) {
        #[cfg(feature = "shortcuts")]
        {
            self.refused_within = Some(reach);
        }
        #[cfg(not(feature = "shortcuts"))]
        let () = reach;
        (Decision::Impossible, Tier::Cover)
    }

    /// Decides a pattern sooner than a whole chart of bits does where that is large.
    #[cfg(feature = "shortcuts")]
    fn shortcut(
        &mut self,
        pattern: &Pattern,
        ahead: Option<&Lookahead>,
    ) -> Option<(Decision, Tier)> {
        let has_few_gaps = gap_count(pattern) <= FEW_GAPS;
        if let Some(ahead) = ahead {
            // What is opened and never closed the cover does not see.
            if let Some(decided) = self.decide_without_counts(pattern, Thoroughness::Little) {
                return Some(decided);
            }
            // Where gaps are few, known terminals are written sooner than many columns kept.
            if has_few_gaps
                && let Some(decided) = self.decide_without_counts(pattern, Thoroughness::Full)
            {
                return Some(decided);
            }
            let wide = self.beam(pattern, ahead, Some(WIDE));
            let found = wide.or_else(|| self.search(pattern, Some(ahead), SECOND_SEARCH));
            if let Some(decision) = found {
                return Some((decision, Tier::Searched));
            }
        }
        let is_left = !has_few_gaps || ahead.is_none();
        is_left.then(|| self.decide_without_counts(pattern, Thoroughness::Full))?
    }

    /// Decides a pattern whose gaps have any length.
    fn decide_uncounted(&mut self, pattern: &Pattern) -> (Decision, Tier) {
        #[cfg(feature = "shortcuts")]
        self.tables.begin_gaps(&self.cfg, &mut self.reaches);
        let (decision, tier) = self.uncounted(pattern);
        #[cfg(feature = "shortcuts")]
        self.remember(pattern, &decision);
        (decision, tier)
    }

    fn uncounted(&mut self, pattern: &Pattern) -> (Decision, Tier) {
        let has_many = SHORTCUTS && self.cfg.lexer.terminal_count() >= self.limits.lexemes_from;
        let share = match has_many {
            true => AT_ONCE_OF_MANY,
            false => AT_ONCE,
        };
        let parse = self.chart(pattern, None, share);
        if !matches!(parse, Parse::Exhausted) {
            return (self.decision(pattern, parse), Tier::Parse);
        }
        #[cfg(feature = "shortcuts")]
        let is_searched = gap_count(pattern) <= SEARCHED_GAPS;
        #[cfg(feature = "shortcuts")]
        if has_many
            && is_searched
            && let Some(witness) = self.sketched_at_once(pattern)
        {
            return (Decision::Completable(witness), Tier::Searched);
        }
        #[cfg(feature = "shortcuts")]
        if let Some(witness) = self.mended(pattern, (!has_many).then_some(FIRST_PARSE)) {
            return (Decision::Completable(witness), Tier::Mended);
        }
        // Where a lexeme's end owes something to what follows, few states are behind a gap, and
        // what is to be near is soon found otherwise.
        #[cfg(feature = "shortcuts")]
        let owes = self.cfg.lexer.owes();
        #[cfg(feature = "shortcuts")]
        if !owes && let Some(witness) = self.nearest_witness(pattern) {
            return (Decision::Completable(witness), Tier::Searched);
        }
        #[cfg(feature = "shortcuts")]
        if is_searched
            && !has_many
            && let Some(witness) = self.sketched_at_once(pattern)
        {
            return (Decision::Completable(witness), Tier::Searched);
        }
        match self.look(pattern, StandingIn::Everywhere) {
            Some(Outlook::Closed { .. }) => return (Decision::Impossible, Tier::Cover),
            Some(Outlook::Open(ahead)) => {
                if let Some(decision) = self.beam(pattern, &ahead, Some(WIDE)) {
                    return (decision, Tier::Searched);
                }
            }
            Some(Outlook::Exhausted) | None => {}
        }
        #[cfg(feature = "shortcuts")]
        if owes && let Some(witness) = self.nearest_witness(pattern) {
            return (Decision::Completable(witness), Tier::Searched);
        }
        // Where terminals are many, a whole parse seldom comes to an end.
        #[cfg(feature = "shortcuts")]
        let is_sketched = has_many || !is_searched;
        #[cfg(feature = "shortcuts")]
        if is_sketched && let Some(witness) = self.sketched_at_length(pattern) {
            return (Decision::Completable(witness), Tier::Searched);
        }
        match self.chart(pattern, None, 1) {
            Parse::Exhausted => {
                #[cfg(feature = "shortcuts")]
                if !is_sketched && let Some(witness) = self.sketched_at_length(pattern) {
                    return (Decision::Completable(witness), Tier::Searched);
                }
                (Decision::Exhausted, Tier::Parse)
            }
            parse => (self.decision(pattern, parse), Tier::Parse),
        }
    }

    /// A witness that a beam finds, or a chart where that is small.
    pub(crate) fn beamed_witness(&mut self, pattern: &Pattern) -> Option<Witness> {
        self.forget();
        let shortened = with_shortest_tail(pattern);
        let shorter = shortened.as_ref().unwrap_or(pattern);
        // Behind an open tail any few tokens do, and whole lexemes take longer.
        #[cfg(feature = "shortcuts")]
        if shortened.is_none()
            && let Some(Some(found)) = self.among(Fewer::ShortLexemes, |lexemes| {
                lexemes.widened(pattern, WIDENINGS_TO_MEND, FIRST_CHART)
            })
        {
            return Some(found);
        }
        if let Some(found) = self.ended_anywhere(pattern) {
            return Some(found);
        }
        let among_few = self.among(Fewer::Few, |few| few.beamed(shorter, None));
        match among_few {
            Some(found) => found,
            None => self.beamed(shorter, None),
        }
    }

    /// Decides a pattern by the full parse alone.
    pub(crate) fn parse(&mut self, pattern: &Pattern) -> Decision {
        self.forget();
        let ahead = match pattern.counts_cells() {
            true => self.look(pattern, StandingIn::Everywhere),
            false => None,
        };
        let parse = match ahead {
            Some(Outlook::Closed { .. }) => return Decision::Impossible,
            Some(Outlook::Exhausted) => return Decision::Exhausted,
            Some(Outlook::Open(ahead)) => match self.charted(pattern, &ahead, 1) {
                Some(decision) => return decision,
                None => self.chart(pattern, Some(ahead), 1),
            },
            None => self.chart(pattern, None, 1),
        };
        self.decision(pattern, parse)
    }

    /// Whether the cover can read a pattern; `None` if that is not known.
    pub(crate) fn is_covered(&mut self, pattern: &Pattern) -> Option<bool> {
        self.forget();
        match self.look(pattern, StandingIn::Everywhere)? {
            Outlook::Open(_) => Some(true),
            Outlook::Closed { .. } => Some(false),
            Outlook::Exhausted => None,
        }
    }

    /// A witness along a wide beam among fewer tokens than all.
    pub(super) fn beamed_among_fewer(&mut self, pattern: &Pattern) -> Option<Witness> {
        #[cfg(feature = "shortcuts")]
        if !is_searched_longer(pattern)
            && let Some(found) = self.among(Fewer::ShortLexemes, |few| {
                few.widened(pattern, widenings(pattern), CHART_AMONG_FEWER)
            })
        {
            return found.or_else(|| self.beamed_among(&[Fewer::Few, Fewer::More], pattern));
        }
        #[cfg(feature = "shortcuts")]
        let order = [Fewer::ShortLexemes, Fewer::Lexemes, Fewer::Few, Fewer::More];
        #[cfg(feature = "shortcuts")]
        let order = &order[usize::from(cell_count(pattern) <= FEW_CELLS)..];
        #[cfg(not(feature = "shortcuts"))]
        let order = &[Fewer::Few];
        self.beamed_among(order, pattern)
    }

    fn beamed_among(&mut self, order: &[Fewer], pattern: &Pattern) -> Option<Witness> {
        let mut order = order.iter();
        order.find_map(|&fewer| {
            self.among(fewer, |few| {
                few.followed(pattern, Some(WIDE), CHART_AMONG_FEWER)
            })?
            .ok()
        })
    }

    /// A witness in a small chart, or along a beam where the chart is large.
    pub(super) fn beamed(&mut self, pattern: &Pattern, wide: Option<Width>) -> Option<Witness> {
        self.followed(pattern, wide, FIRST_CHART).ok()
    }

    /// The same, or the segment behind which nothing is true in a small chart, or to the cover.
    pub(super) fn followed(
        &mut self,
        pattern: &Pattern,
        wide: Option<Width>,
        share: usize,
    ) -> Sought {
        let standing_in = match self.cfg.lexer.counts() {
            true => StandingIn::ForMore,
            false => StandingIn::Everywhere,
        };
        match self.look(pattern, standing_in) {
            Some(Outlook::Open(ahead)) => self.follow(pattern, &ahead, wide, share),
            #[cfg(feature = "shortcuts")]
            Some(Outlook::Closed { reach }) => {
                let graph = self
                    .choice
                    .graph(pattern, &self.cfg.lexer, &mut self.reaches);
                Err(Some(graph.segment_at(reach)))
            }
            _ => Err(None),
        }
    }

    /// The same, of what a look ahead left.
    fn follow(
        &mut self,
        pattern: &Pattern,
        ahead: &Lookahead,
        wide: Option<Width>,
        share: usize,
    ) -> Sought {
        let whole = match SHORTCUTS {
            true => self.whole(pattern, ahead, share),
            false => None,
        };
        let decision = match whole {
            Some(Whole::Path(path)) => self.decided(pattern, Some(ahead), path),
            Some(Whole::Nothing { behind }) => return Err(Some(behind)),
            Some(Whole::Exhausted) | None => self.beam(pattern, ahead, wide),
        };
        decision.and_then(Decision::witness).ok_or(None)
    }

    #[cfg(feature = "shortcuts")]
    /// What a parse with gaps of any length says about gaps that count cells: no, or
    /// a witness that can be made to fit; `None` if that leaves it open.
    pub(super) fn decide_without_counts(
        &mut self,
        pattern: &Pattern,
        thoroughness: Thoroughness,
    ) -> Option<(Decision, Tier)> {
        let share = match thoroughness {
            Thoroughness::Least => SHORT_PARSE,
            Thoroughness::Little => FIRST_PARSE,
            Thoroughness::Full => 1,
        };
        self.decide_by(pattern, &without_counts(pattern), share, thoroughness)
    }

    #[cfg(feature = "shortcuts")]
    /// What a parse says of a pattern some of whose gaps have any length in `uncounted`.
    pub(super) fn decide_by(
        &mut self,
        pattern: &Pattern,
        uncounted: &Pattern,
        share: usize,
        thoroughness: Thoroughness,
    ) -> Option<(Decision, Tier)> {
        let found = match self.chart(uncounted, None, share) {
            Parse::Nothing => return Some((Decision::Impossible, Tier::AnyLength)),
            Parse::Exhausted => return None,
            Parse::Found(found) => found,
        };
        let vocabulary = self.vocabulary.as_ref()?;
        let lexer = &self.cfg.lexer;
        let tidied = without_needless_separators(uncounted, found.additions.clone(), lexer);
        // Fewer bytes first; but what separates can also be repeated.
        let mut fitted = [&tidied, &found.additions]
            .into_iter()
            .find_map(|additions| fit(pattern, additions, lexer, vocabulary));
        if fitted.is_none() && thoroughness == Thoroughness::Full {
            let mut graph = self.choice.graph(pattern, lexer, &mut self.reaches);
            let budget = self.limits.parse_items / RESPELLING;
            let additions = respell(&mut graph, &found.terminals(), budget);
            fitted = additions.map(|additions| witness(pattern, &additions));
        }
        Some((Decision::Completable(fitted?), Tier::Fitted))
    }
}

/// The pattern with a tail that is shorter still than a short one; the grammar engine alone goes
/// without.
fn with_shortest_tail(pattern: &Pattern) -> Option<Pattern> {
    match SHORTCUTS {
        true => pattern.with_tail_up_to(SHORTEST_TAIL),
        false => None,
    }
}

/// Whether a first search goes on for longer where it need not be in haste.
pub(crate) fn is_searched_longer(pattern: &Pattern) -> bool {
    gap_count(pattern) <= SEARCHED_GAPS
}

#[cfg(feature = "shortcuts")]
fn cell_count(pattern: &Pattern) -> usize {
    let cells = pattern.segments.iter().map(|segment| match segment {
        Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells)) => *cells,
        _ => 0,
    });
    cells.sum()
}

fn gap_count(pattern: &Pattern) -> usize {
    let is_gap = |segment: &&Segment| matches!(segment, Segment::Gap(_));
    pattern.segments.iter().filter(is_gap).count()
}
