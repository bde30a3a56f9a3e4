//! All tiers behind one question.

use std::sync::Arc;

use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, SHORTCUTS};
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
use crate::{Gap, Pattern, Segment, Tier, Verdict, Weights, Witness};

/// Budgets of a [`Checker`]. Each is a count of work, so a check gives the same
/// answer on every machine.
#[derive(Clone, Copy, Debug)]
pub struct CheckerLimits {
    /// States of any automaton built for the grammar.
    pub automata: Limits,
    /// States of an automaton of a whole grammar of several rules, before it is made smallest:
    /// larger ones take longer to make than the parser's tables, which are made then.
    pub language_states: usize,
    /// States of the automata that approximate a recursive grammar.
    pub approximations: Limits,
    /// Items that one exact parse may settle; some ten million a second.
    pub parse_items: usize,
    /// Members of state sets that a memo holds before it is emptied.
    pub memo_members: usize,
    /// Tokens of a vocabulary from which on those that do the same are found first, so
    /// that one of each kind is walked over; that takes up to half a second, once.
    pub classes_from: usize,
    /// Plain tokens at most that witnesses are first looked for among.
    pub few_tokens: usize,
    /// Tokens that are lexemes, from which on witnesses are looked for among whole lexemes
    /// before that: of fewer terminals, other tokens are no more trouble.
    pub lexemes_from: usize,
    /// States that the copies of one regular rule may have in terminals; a rule whose
    /// copies would have more is a terminal of its own, which the lexer has once. Where the
    /// lexer is too large this way, the next number counts, and the other way round.
    pub copied_states: usize,
    /// The same where gaps count cells: there tokens that go over many small lexemes cost
    /// more than a lexer of some size does.
    pub copied_states_in_cells: usize,
    /// Where gaps count cells, which lexers read lexemes in several contexts.
    pub contexts: ContextLimits,
    /// Completions of a canvas that a judge of whole texts is asked about, where there is one,
    /// before the canvas is left undecided.
    pub judged: usize,
}

/// Which lexers read lexemes in several contexts, where only what can stand behind what was
/// read is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextLimits {
    /// Those that would have more states in one context, in which any terminal can stand.
    pub states: usize,
    /// The same where characters are counted: there it is mostly patterns in one another's way
    /// that make states.
    pub counting_states: usize,
    /// Contexts are told apart by terminals that go on with so many bytes somewhere.
    pub wide: u32,
}

impl ContextLimits {
    /// As many contexts as there may be, for all lexers.
    pub const MANY: Self = Self {
        states: 0,
        counting_states: 0,
        wide: 0,
    };

    /// One context for all lexers.
    pub const ONE: Self = Self {
        states: usize::MAX,
        counting_states: usize::MAX,
        wide: 32,
    };
}

impl Default for ContextLimits {
    fn default() -> Self {
        Self {
            states: 100_000,
            counting_states: 4_000,
            wide: 32,
        }
    }
}

impl Default for CheckerLimits {
    fn default() -> Self {
        Self {
            automata: Limits {
                nfa_states: 1_200_000,
                dfa_states: 300_000,
            },
            language_states: 10_000,
            approximations: Limits {
                nfa_states: 2_000,
                dfa_states: 500,
            },
            parse_items: 8_000_000,
            memo_members: 8_000_000,
            classes_from: 16_384,
            few_tokens: 160,
            lexemes_from: 32,
            copied_states: 300,
            copied_states_in_cells: 2_000,
            contexts: ContextLimits::default(),
            judged: 64,
        }
    }
}

impl CheckerLimits {
    /// States for each byte of what was handed over: a character of a list of words is one, and
    /// its other spelling in JSON, `\u0061`, five more.
    const STATES_FOR_A_BYTE: usize = 6;

    /// States beyond which no list is too long to blame: a gigabyte, or what a page has to spare.
    const MOST_STATES: usize = match cfg!(target_pointer_width = "32") {
        true => 600_000,
        false => 2_400_000,
    };

    /// The same limits for a grammar that was read of a text of so many bytes, its lists
    /// included: automata may be larger where more was written, as a list of words is, which has
    /// states for each character.
    ///
    /// ```
    /// # use lacuna_checker::CheckerLimits;
    /// let limits = CheckerLimits::default();
    /// assert_eq!(limits.for_text(100).automata.dfa_states, 300_000);
    /// assert_eq!(limits.for_text(90_000).automata.dfa_states, 540_000);
    /// ```
    #[must_use]
    pub fn for_text(mut self, bytes: usize) -> Self {
        let Limits {
            nfa_states,
            dfa_states,
        } = self.automata;
        let states = bytes
            .saturating_mul(Self::STATES_FOR_A_BYTE)
            .min(Self::MOST_STATES);
        if states > dfa_states {
            self.automata = Limits {
                nfa_states: nfa_states.max(4 * states),
                dfa_states: states,
            };
        }
        self
    }
}

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
    pub(crate) fn has_short_lexemes(&mut self) -> bool {
        self.regular.is_none()
            && self
                .exact(true)
                .is_ok_and(|exact| exact.has_short_lexemes())
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
            let what = "vocabularies to count cells in";
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
                what: "parse items",
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
        let exhausted = |what, limit| Err(Verdict::Exhausted { what, limit });
        let mut exact = match self.exact.take() {
            Some(exact) => exact,
            None => match self.compiled.parser(&self.limits.automata) {
                Ok(cfg) => {
                    let mut exact = Exact::new(cfg, self.vocabulary.clone(), self.limits);
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
