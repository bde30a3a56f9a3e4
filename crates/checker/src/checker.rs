//! The three tiers behind one question.

use std::sync::Arc;

use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits};
use lacuna_lexer::{BitSet, Spanner, TokenId, Vocabulary};

use crate::any_length::RegularLanguage;
use crate::cfg::Cfg;
use crate::chart::{Chart, Parse};
use crate::compiled::{Compiled, Shape, Statistics};
use crate::fit::{fit, without_counts};
use crate::graph::{Addition, CompletionGraph, Emit};
use crate::regular::RegularChecker;
use crate::respell::respell;
use crate::sets::StateSets;
use crate::sweep::GapReaches;
use crate::tidy::without_needless_separators;
use crate::{Filling, Gap, Pattern, Segment, Tier, Verdict, Witness};

/// Budgets of a [`Checker`]. Each is a count of work, so a check gives the same
/// answer on every machine.
#[derive(Clone, Copy, Debug)]
pub struct CheckerLimits {
    /// States of any automaton built for the grammar.
    pub automata: Limits,
    /// States of the automata that approximate a recursive grammar.
    pub approximations: Limits,
    /// Items that one exact parse may settle; about a million a second.
    pub parse_items: usize,
    /// Members of state sets that a memo holds before it is emptied.
    pub memo_members: usize,
}

impl Default for CheckerLimits {
    fn default() -> Self {
        Self {
            automata: Limits {
                nfa_states: 400_000,
                dfa_states: 100_000,
            },
            approximations: Limits {
                nfa_states: 6_000,
                dfa_states: 1_500,
            },
            parse_items: 1_000_000,
            memo_members: 8_000_000,
        }
    }
}

/// Decides patterns of one grammar, with memos that fill as it is used.
///
/// Checkers share nothing but what is compiled once, so grammars cannot disturb
/// one another.
#[derive(Clone, Debug)]
pub struct Checker {
    compiled: Arc<Compiled>,
    sets: Option<StateSets>,
    reaches: GapReaches,
    /// For gaps of any length, and for gaps that count cells.
    charts: [Chart; 2],
    vocabulary: Option<Arc<Vocabulary>>,
    spanner: Option<Spanner>,
    inner: Option<RegularChecker>,
    cover: Option<RegularChecker>,
    /// The language itself, where it is regular and was found to be.
    language: Option<RegularLanguage>,
    limits: CheckerLimits,
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
        let (inner, cover, language) = match &compiled.0 {
            Shape::Regular { language, .. } => (Some(language), None, Some(language)),
            Shape::Parsed { inner, cover, .. } => (inner.as_ref(), cover.as_ref(), None),
        };
        let regular_checker = |dfa: Option<&Arc<Dfa>>| {
            let (dfa, vocabulary) = dfa.zip(vocabulary.as_ref())?;
            let (dfa, vocabulary) = (Arc::clone(dfa), Arc::clone(vocabulary));
            Some(RegularChecker::new(dfa, vocabulary, limits.memo_members))
        };
        Self {
            sets: None,
            reaches: GapReaches::default(),
            charts: Default::default(),
            spanner: vocabulary.clone().map(Spanner::new),
            inner: regular_checker(inner),
            cover: regular_checker(cover),
            language: language.map(|dfa| RegularLanguage::new(Arc::clone(dfa))),
            vocabulary,
            limits,
            compiled,
        }
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

    /// Whether one automaton decides every canvas.
    pub fn is_regular(&self) -> bool {
        self.compiled.is_regular()
    }

    fn cfg(&self) -> Result<Arc<Cfg>, AutomatonError> {
        self.compiled.parser(&self.limits.automata)
    }

    /// The vocabulary that gaps are counted in.
    pub fn vocabulary(&self) -> Option<&Arc<Vocabulary>> {
        self.vocabulary.as_ref()
    }

    /// Decides a pattern, and says which tier did.
    pub fn check(&mut self, pattern: &Pattern) -> (Verdict, Tier) {
        if let Some(language) = &self.language
            && !pattern.counts_cells()
        {
            let verdict = match language.shortest_filling(pattern) {
                Some(witness) => Verdict::Completable(witness),
                None => Verdict::Impossible,
            };
            return (verdict, Tier::Regular);
        }
        let any = pattern
            .segments
            .iter()
            .any(|s| matches!(s, Segment::Gap(Gap::Any)));
        if !any {
            if let Some(cover) = &mut self.cover
                && !cover.is_completable(pattern)
            {
                return (Verdict::Impossible, Tier::Cover);
            }
            if let Some(inner) = &mut self.inner {
                let tier = if self.compiled.is_regular() {
                    Tier::Regular
                } else {
                    Tier::Unrolled
                };
                if let Some(witness) = inner.witness(pattern) {
                    return (Verdict::Completable(witness), tier);
                }
                if self.compiled.is_regular() {
                    return (Verdict::Impossible, tier);
                }
            }
        }
        if !any && pattern.counts_cells() && self.spanner.is_some() {
            match self.check_without_counts(pattern) {
                Some(Verdict::Completable(witness)) => {
                    return (Verdict::Completable(witness), Tier::Fitted);
                }
                Some(verdict) => return (verdict, Tier::AnyLength),
                None => {}
            }
        }
        (self.check_by_parse(pattern), Tier::Parse)
    }

    /// Decides a pattern by the exact parse alone.
    pub fn check_by_parse(&mut self, pattern: &Pattern) -> Verdict {
        if pattern.counts_cells() && self.spanner.is_none() {
            return Verdict::Exhausted {
                what: "vocabularies to count cells in",
                limit: 0,
            };
        }
        match self.parse(pattern) {
            Ok(Parse::Found(found)) => {
                let additions = self.tidied(pattern, found.additions);
                Verdict::Completable(witness(pattern, &additions))
            }
            Ok(Parse::Nothing) => Verdict::Impossible,
            Ok(Parse::Exhausted) => Verdict::Exhausted {
                what: "parse items",
                limit: self.limits.parse_items,
            },
            Err(verdict) => verdict,
        }
    }

    /// What a parse with gaps of any length says about gaps that count cells:
    /// no, or a witness that happens to fit; `None` if that leaves it open.
    fn check_without_counts(&mut self, pattern: &Pattern) -> Option<Verdict> {
        let uncounted = without_counts(pattern);
        let parse = self.parse(&uncounted).ok()?;
        match parse {
            Parse::Nothing => Some(Verdict::Impossible),
            Parse::Exhausted => None,
            Parse::Found(found) => {
                let tidied = self.tidied(&uncounted, found.additions.clone());
                let (cfg, vocabulary) = (self.cfg().ok()?, self.vocabulary.as_ref()?);
                // Fewer bytes first; but what separates can also be repeated.
                let fitting = [tidied, found.additions.clone()]
                    .iter()
                    .find_map(|additions| fit(pattern, additions, &cfg.lexer, vocabulary));
                let respelled = fitting.or_else(|| {
                    let spanner = self.spanner.as_mut();
                    let reaches = &mut self.reaches;
                    let mut graph = CompletionGraph::new(pattern, &cfg.lexer, spanner, reaches);
                    let budget = self.limits.parse_items / 4;
                    let additions = respell(&mut graph, &found.terminals(), budget)?;
                    Some(witness(pattern, &additions))
                });
                respelled.map(Verdict::Completable)
            }
        }
    }

    fn tidied(&self, pattern: &Pattern, additions: Vec<Addition>) -> Vec<Addition> {
        match self.cfg() {
            Ok(cfg) => without_needless_separators(pattern, additions, &cfg.lexer),
            Err(_) => additions,
        }
    }

    fn parse(&mut self, pattern: &Pattern) -> Result<Parse, Verdict> {
        let cfg = self.cfg().map_err(|error| match error {
            AutomatonError::TooLarge { what, limit } => Verdict::Exhausted { what, limit },
            // Terminals are written out before they are compiled.
            AutomatonError::MentionsRule(_) | AutomatonError::MentionsTerminal(_) => {
                Verdict::Exhausted {
                    what: "rules inside a terminal",
                    limit: 0,
                }
            }
        })?;
        if let Some(spanner) = &mut self.spanner
            && spanner.entry_count() > self.limits.memo_members
        {
            spanner.clear();
            self.charts.iter_mut().for_each(Chart::clear);
        }
        if let Some(sets) = &self.sets
            && sets.size() > self.limits.memo_members
        {
            self.sets = None;
            self.charts.iter_mut().for_each(Chart::clear);
        }
        let spanner = self.spanner.as_mut();
        let mut graph = CompletionGraph::new(pattern, &cfg.lexer, spanner, &mut self.reaches);
        let sets = self.sets.get_or_insert_with(|| StateSets::new(&cfg));
        let chart = &mut self.charts[usize::from(pattern.counts_cells())];
        Ok(chart.parse(&cfg, sets, &mut graph, self.limits.parse_items))
    }

    /// Tokens that may stand in a masked cell, all other masked cells being
    /// free: exactly those if the grammar is regular, otherwise at least those.
    /// Ends are not among them. `None` if nothing is known.
    pub fn possible(&mut self, cells: &[Option<TokenId>], cell: usize) -> Option<BitSet> {
        let bound = if self.compiled.is_regular() {
            &mut self.inner
        } else {
            &mut self.cover
        };
        bound.as_mut()?.possible(cells, cell)
    }

    /// A number of cells below which no text of the language fits (exactly the
    /// shortest text's if the grammar is regular), looked for up to `limit`.
    /// `None` if that many do not suffice, or nothing is known.
    pub fn shortest(&mut self, limit: usize) -> Option<usize> {
        let bound = if self.compiled.is_regular() {
            &mut self.inner
        } else {
            &mut self.cover
        };
        bound.as_mut()?.shortest(limit)
    }
}

/// Sorts what a parse added into the gaps it belongs to.
fn witness(pattern: &Pattern, additions: &[Addition]) -> Witness {
    let gaps = (0u32..)
        .zip(&pattern.segments)
        .filter_map(|(segment, piece)| match piece {
            Segment::Text(_) => None,
            Segment::Gap(gap) => Some((segment, gap)),
        })
        .map(|(segment, gap)| {
            let emits = additions.iter().filter(|added| added.segment == segment);
            let emits = emits.map(|added| added.emit);
            match gap {
                Gap::Any => Filling::Bytes(
                    emits
                        .filter_map(|emit| match emit {
                            Emit::Byte(byte, _) | Emit::Separate { byte, .. } => Some(byte),
                            Emit::Leave(_) | Emit::Token(_) => None,
                        })
                        .collect(),
                ),
                Gap::Cells(_) | Gap::UpTo(_) => Filling::Tokens(
                    emits
                        .filter_map(|emit| match emit {
                            Emit::Token(token) => Some(token),
                            Emit::Leave(_) | Emit::Separate { .. } | Emit::Byte(..) => None,
                        })
                        .collect(),
                ),
            }
        });
    Witness {
        gaps: gaps.collect(),
    }
}
