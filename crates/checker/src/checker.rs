//! All tiers behind one question.

use std::sync::Arc;

use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::{AutomatonError, Dfa, SHORTCUTS};
use lacuna_lexer::{BitSet, TokenId, TokenPartition, Vocabulary};

use crate::any_length::RegularLanguage;
use crate::canvas::Completions;
use crate::compiled::{Compiled, Shape, Statistics};
use crate::exact::{Decision, Exact, Haste};
#[cfg(feature = "shortcuts")]
use crate::likely::Likely;
use crate::masks::Drawn;
use crate::memo_use::MemoUses;
use crate::optimum::Optimum;
use crate::regular::RegularChecker;
use crate::weighted::{Hole, Ways};
use crate::{Budget, CheckerLimits, Gap, Pattern, Segment, Tier, Verdict, Weights, Witness};

/// Decides patterns of one grammar, with memos that fill as it is used.
///
/// Checkers share nothing but what is compiled once, so grammars cannot disturb
/// one another.
#[derive(Clone, Debug)]
pub struct Checker {
    compiled: Arc<Compiled>,
    /// Made when a pattern asks for it.
    exact: Option<Exact>,
    vocabulary: Option<Arc<Vocabulary>>,
    /// The language itself, where it is regular and was found to be: in cells, and of gaps of
    /// any length.
    regular: Option<RegularChecker>,
    language: Option<RegularLanguage>,
    /// Automata below and above any other; made when they are first asked for.
    bounds: Option<(Option<RegularChecker>, Option<RegularChecker>)>,
    /// Made when it is first asked for; `None` within if there is no automaton.
    optimum: Option<Option<Optimum>>,
    /// Of canvases that were decided.
    pub(crate) completions: Completions,
    /// What lexing is timed by, if it is.
    clock: Option<fn() -> f64>,
    limits: CheckerLimits,
    /// Who says which of the grammar's texts are wanted, if not all are.
    #[cfg(feature = "shortcuts")]
    pub(crate) judge: Option<Arc<dyn crate::Judge>>,
}

impl Checker {
    /// A checker for a grammar; gaps that count cells need the vocabulary.
    ///
    /// # Errors
    /// When an automaton of the grammar outgrows the limits.
    pub fn new(
        grammar: &Grammar,
        vocabulary: Option<Arc<Vocabulary>>,
        limits: CheckerLimits,
    ) -> Result<Self, AutomatonError> {
        let compiled = Compiled::new(grammar, vocabulary.is_some(), &limits)?;
        Ok(Self::from_compiled(Arc::new(compiled), vocabulary, limits))
    }

    /// A checker for what was compiled before, its memos empty.
    pub fn from_compiled(
        compiled: Arc<Compiled>,
        vocabulary: Option<Arc<Vocabulary>>,
        limits: CheckerLimits,
    ) -> Self {
        let language = match &compiled.shape {
            Shape::Regular { language, .. } => Some(language),
            Shape::Parsed { .. } => None,
        };
        let regular = regular_checker(language, vocabulary.as_ref(), &limits);
        Self {
            exact: None,
            clock: None,
            regular,
            bounds: None,
            optimum: None,
            completions: Completions::default(),
            language: language.map(|dfa| RegularLanguage::new(Arc::clone(dfa))),
            vocabulary,
            limits,
            compiled,
            #[cfg(feature = "shortcuts")]
            judge: None,
        }
    }

    /// The budgets in force.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn limits(&self) -> &CheckerLimits {
        &self.limits
    }

    /// What was compiled, for other checkers to share.
    pub fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    /// Sizes of everything that a check may use.
    ///
    /// # Errors
    /// When an automaton of the grammar outgrows the limits.
    pub fn statistics(&self) -> Result<Statistics, AutomatonError> {
        self.compiled.statistics(&self.limits)
    }

    /// How often the memos were asked, and how often they did not know.
    pub fn memo_uses(&self) -> MemoUses {
        let exact = self.exact.as_ref();
        let mut uses = exact.map(Exact::memo_uses).unwrap_or_default();
        let bounds = self.bounds.iter();
        let bounds = bounds.flat_map(|(inner, cover)| inner.iter().chain(cover));
        for automaton in self.regular.iter().chain(bounds) {
            uses.automaton += automaton.memo_use();
        }
        uses
    }

    /// Times from now on what finds lexemes in text and gaps, by a clock in milliseconds: one
    /// piece of sixteen, chosen at random, for all.
    pub fn time_lexing(&mut self, clock: fn() -> f64) {
        self.clock = Some(clock);
        if let Some(exact) = &mut self.exact {
            exact.time_lexing(clock);
        }
    }

    /// About the milliseconds that finding lexemes has taken since it is timed; an automaton, which
    /// reads bytes and tokens, takes none.
    pub fn lexing_ms(&self) -> f64 {
        self.exact.as_ref().map_or(0.0, Exact::lexing_ms)
    }

    /// Which tokens of the vocabulary no state of the lexer tells apart; `None` without
    /// a vocabulary.
    ///
    /// # Errors
    /// When an automaton of the grammar outgrows the limits.
    pub fn token_partition(&self) -> Result<Option<TokenPartition>, AutomatonError> {
        let parser = self.compiled.parser(&self.limits.automata)?;
        let vocabulary = self.vocabulary.as_ref();
        Ok(vocabulary.map(|vocabulary| TokenPartition::new(&parser.lexer, vocabulary)))
    }

    /// Whether one automaton decides every canvas.
    pub fn is_regular(&self) -> bool {
        self.compiled.is_regular()
    }

    /// The vocabulary that gaps are counted in.
    pub fn vocabulary(&self) -> Option<&Arc<Vocabulary>> {
        self.vocabulary.as_ref()
    }

    /// Decides a pattern, and says which tier did.
    pub fn check(&mut self, pattern: &Pattern) -> (Verdict, Tier) {
        let (verdict, tier) = match self.decide_at_once(pattern, Haste::Some) {
            Some(decided) => decided,
            None => self.decide_at_length(pattern),
        };
        #[cfg(feature = "shortcuts")]
        let verdict = self.judged(pattern, verdict);
        (verdict, tier)
    }

    /// Decides a pattern by automata, or a short search, if that is enough.
    pub(crate) fn decide_at_once(
        &mut self,
        pattern: &Pattern,
        haste: Haste,
    ) -> Option<(Verdict, Tier)> {
        if let Some(language) = &self.language
            && !pattern.counts_cells()
        {
            let verdict = match language.short_filling(pattern) {
                Some(witness) => Verdict::Completable(witness),
                None => Verdict::Impossible,
            };
            return Some((verdict, Tier::Regular));
        }
        if !pattern.segments.contains(&Segment::Gap(Gap::Any))
            && let Some(regular) = &mut self.regular
        {
            let verdict = match regular.witness(pattern) {
                Some(witness) => Verdict::Completable(witness),
                None => Verdict::Impossible,
            };
            return Some((verdict, Tier::Regular));
        }
        if pattern.counts_cells() && self.vocabulary.is_none() {
            return None;
        }
        let (decision, tier) = self
            .exact(pattern.counts_cells())
            .ok()?
            .decide_at_once(pattern, haste)?;
        Some((self.verdict(decision), tier))
    }

    /// The rank behind which nothing mattered to the last no, if that is known; told once.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn take_reach(&mut self) -> Option<u32> {
        self.exact.as_mut()?.refused_within.take()
    }

    #[cfg(not(feature = "shortcuts"))]
    pub(crate) fn take_reach(&mut self) -> Option<u32> {
        None
    }

    /// Decides a pattern that was not decided at once.
    pub(crate) fn decide_at_length(&mut self, pattern: &Pattern) -> (Verdict, Tier) {
        #[cfg(feature = "shortcuts")]
        if pattern.counts_cells()
            && self.vocabulary.is_some()
            && let Some((decision, tier)) = self
                .exact(true)
                .ok()
                .and_then(|exact| exact.decide_long_gaps(pattern))
        {
            return (self.verdict(decision), tier);
        }
        if SHORTCUTS && let Some(decided) = self.decide_by_bounds(pattern) {
            return decided;
        }
        self.decide(pattern, Exact::decide_at_length)
    }

    /// Decides a pattern by automata below and above the language, if one of them does.
    fn decide_by_bounds(&mut self, pattern: &Pattern) -> Option<(Verdict, Tier)> {
        if pattern.segments.contains(&Segment::Gap(Gap::Any)) {
            return None;
        }
        let bounds = self.bounds();
        if let Some(cover) = &mut bounds.1
            && !cover.is_completable(pattern)
        {
            return Some((Verdict::Impossible, Tier::Cover));
        }
        let witness = bounds.0.as_mut()?.witness(pattern)?;
        Some((Verdict::Completable(witness), Tier::Unrolled))
    }

    /// A witness that takes longer than a first search, and less than deciding.
    pub(crate) fn beamed_witness(&mut self, pattern: &Pattern) -> Option<Witness> {
        self.exact(true).ok()?.beamed_witness(pattern)
    }

    /// Whether terminals are so many that witnesses are first looked for among short lexemes.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn has_short_lexemes(&mut self) -> bool {
        self.regular.is_none()
            && self
                .exact(true)
                .is_ok_and(|exact| exact.has_short_lexemes())
    }

    #[cfg(not(feature = "shortcuts"))]
    pub(crate) fn has_short_lexemes(&mut self) -> bool {
        false
    }

    /// Whether a regular language that covers the grammar's has a text for a pattern. A no
    /// is a no of the grammar too, for a fraction of a check's cost; a yes says little.
    /// `None` where there is no such cover, or its budget ran out.
    pub fn is_covered(&mut self, pattern: &Pattern) -> Option<bool> {
        if !pattern.segments.contains(&Segment::Gap(Gap::Any))
            && let Some(regular) = &mut self.regular
        {
            return Some(regular.is_completable(pattern));
        }
        if pattern.counts_cells() && self.vocabulary.is_none() {
            return None;
        }
        self.exact(pattern.counts_cells()).ok()?.is_covered(pattern)
    }

    /// Decides a pattern by the exact parse alone.
    pub fn check_by_parse(&mut self, pattern: &Pattern) -> Verdict {
        let parse = |exact: &mut Exact, pattern: &Pattern| (exact.parse(pattern), Tier::Parse);
        self.decide(pattern, parse).0
    }

    fn decide(
        &mut self,
        pattern: &Pattern,
        how: impl Fn(&mut Exact, &Pattern) -> (Decision, Tier),
    ) -> (Verdict, Tier) {
        if pattern.counts_cells() && self.vocabulary.is_none() {
            let what = Budget::VOCABULARIES;
            return (Verdict::Exhausted { what, limit: 0 }, Tier::Parse);
        }
        let exact = match self.exact(pattern.counts_cells()) {
            Ok(exact) => exact,
            Err(verdict) => return (verdict, Tier::Parse),
        };
        let (decision, tier) = how(exact, pattern);
        (self.verdict(decision), tier)
    }

    fn verdict(&self, decision: Decision) -> Verdict {
        match decision {
            Decision::Completable(witness) => Verdict::Completable(witness),
            Decision::Impossible => Verdict::Impossible,
            Decision::Exhausted => Verdict::Exhausted {
                what: Budget::PARSE_ITEMS,
                limit: self.limits.parse_items,
            },
        }
    }

    /// Items of all parses so far.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn parsed(&self) -> usize {
        self.exact.as_ref().map_or(0, |exact| exact.parsed)
    }

    /// The exact tiers, made when they are first needed; else what ran out.
    fn exact(&mut self, counts_cells: bool) -> Result<&mut Exact, Verdict> {
        let exhausted = |what, limit| {
            let what = Budget::automata(what);
            Err(Verdict::Exhausted { what, limit })
        };
        let mut exact = match self.exact.take() {
            Some(exact) => exact,
            None => match self.compiled.parser(&self.limits.automata) {
                Ok(cfg) => {
                    let tables = self.compiled.tables.clone();
                    let mut exact = Exact::new(cfg, tables, self.vocabulary.clone(), self.limits);
                    if let Some(clock) = self.clock {
                        exact.time_lexing(clock);
                    }
                    exact
                }
                Err(AutomatonError::TooLarge { what, limit }) => return exhausted(what, limit),
                // Terminals are written out before they are compiled.
                Err(
                    AutomatonError::MentionsRule(_)
                    | AutomatonError::MentionsTerminal(_)
                    | AutomatonError::MentionsInterleave,
                ) => {
                    return exhausted("rules inside a terminal", 0);
                }
            },
        };
        if counts_cells {
            exact.count_cells(&self.compiled);
        }
        Ok(self.exact.insert(exact))
    }

    /// The tokens that may stand in each masked cell of a pattern, or in one of them; `None`
    /// if no chart can be drawn.
    pub(crate) fn draw(&mut self, pattern: &Pattern, only: Option<usize>) -> Option<Drawn> {
        #[cfg(feature = "shortcuts")]
        {
            let compiled = Arc::clone(&self.compiled);
            self.exact(true).ok()?.tell_tokens_apart(&compiled);
        }
        self.exact(true).ok()?.draw(pattern, only)
    }

    /// A witness of a pattern in whose gaps these tokens stand, and others where they must.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn likely_witness(&mut self, pattern: &Pattern, likely: Likely) -> Option<Witness> {
        self.exact(true).ok()?.likely(pattern, likely)
    }

    /// The heaviest ways through the graph of a pattern.
    pub(crate) fn weighted_ways(
        &mut self,
        pattern: &Pattern,
        holes: &[Hole<'_>],
        witness: &[TokenId],
    ) -> Option<Ways> {
        self.exact(true)
            .ok()?
            .weighted_ways(pattern, holes, witness)
    }

    /// The best completion within the automaton of the language, or of a part of it, if
    /// there is one.
    pub(crate) fn optimum(
        &mut self,
        cells: &[Option<TokenId>],
        weights: &[Option<Weights>],
    ) -> Option<Vec<TokenId>> {
        let optimum = self.optimum.get_or_insert_with(|| {
            let dfa = Arc::clone(self.compiled.automaton()?);
            let vocabulary = Arc::clone(self.vocabulary.as_ref()?);
            Some(Optimum::new(dfa, vocabulary))
        });
        optimum.as_mut()?.completion(cells, weights)
    }

    /// Tokens that may stand in a masked cell, all other masked cells being
    /// free: exactly those if the grammar is regular, otherwise at least those.
    /// Ends are not among them. `None` if nothing is known.
    pub fn possible(&mut self, cells: &[Option<TokenId>], cell: usize) -> Option<BitSet> {
        self.at_least()?.possible(cells, cell)
    }

    /// The same of every masked cell, where the grammar is regular.
    pub(crate) fn all_possible(
        &mut self,
        cells: &[Option<TokenId>],
    ) -> Option<Vec<Option<BitSet>>> {
        Some(self.regular.as_mut()?.all_possible(cells))
    }

    /// A number of cells below which no text of the language fits (exactly the
    /// shortest text's if the grammar is regular), looked for up to `limit`.
    /// `None` if that many do not suffice, or nothing is known.
    pub fn shortest(&mut self, limit: usize) -> Option<usize> {
        self.at_least()?.shortest(limit)
    }

    /// An automaton that holds at least the language, and no more if that is regular.
    fn at_least(&mut self) -> Option<&mut RegularChecker> {
        if self.regular.is_some() {
            return self.regular.as_mut();
        }
        self.bounds().1.as_mut()
    }

    fn bounds(&mut self) -> &mut (Option<RegularChecker>, Option<RegularChecker>) {
        self.bounds.get_or_insert_with(|| {
            let Shape::Parsed { bounds, .. } = &self.compiled.shape else {
                return (None, None);
            };
            let checker = |dfa: &Option<Arc<Dfa>>| {
                let (dfa, vocabulary) = dfa.as_ref().zip(self.vocabulary.as_ref())?;
                let (dfa, vocabulary) = (Arc::clone(dfa), Arc::clone(vocabulary));
                Some(RegularChecker::new(
                    dfa,
                    vocabulary,
                    self.limits.memo_members,
                ))
            };
            let bounds = bounds.get();
            (checker(&bounds.inner), checker(&bounds.cover))
        })
    }
}

/// What asks an automaton about cells, where there are both.
fn regular_checker(
    dfa: Option<&Arc<Dfa>>,
    vocabulary: Option<&Arc<Vocabulary>>,
    limits: &CheckerLimits,
) -> Option<RegularChecker> {
    let (dfa, vocabulary) = dfa.zip(vocabulary)?;
    let (dfa, vocabulary) = (Arc::clone(dfa), Arc::clone(vocabulary));
    Some(RegularChecker::new(dfa, vocabulary, limits.memo_members))
}
