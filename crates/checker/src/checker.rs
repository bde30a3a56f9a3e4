//! The three tiers behind one question.

use std::sync::Arc;

use lacuna_grammar::Grammar;
use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits};
use lacuna_lexer::{BitSet, Spanner, TokenId, Vocabulary};

use crate::any_length::RegularLanguage;
use crate::cfg::Cfg;
use crate::chart::{Chart, Parse};
use crate::fit::{fit, without_counts};
use crate::graph::{Addition, CompletionGraph, Emit};
use crate::lr::States;
use crate::normalize::{Normalized, normalize};
use crate::regular::RegularChecker;
use crate::tidy::without_needless_separators;
use crate::unroll::{Below, unroll, write_out};
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

/// Sizes of what was built for a grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Whether the grammar is regular, so that one automaton decides.
    pub regular: bool,
    /// States of the automaton that says yes (the language itself if regular).
    pub inner_states: usize,
    /// Levels of recursion it writes out.
    pub levels: usize,
    /// States of the regular cover, if the grammar is not regular.
    pub cover_states: usize,
    /// Terminals of the parser.
    pub terminals: usize,
    /// Nonterminals of the parser.
    pub nonterminals: usize,
    /// Productions of the parser.
    pub productions: usize,
    /// States of the combined lexer.
    pub lexer_states: usize,
}

/// Decides patterns of one grammar, with memos that fill as it is used.
///
/// Several checkers share nothing, so grammars cannot disturb one another.
#[derive(Clone, Debug)]
pub struct Checker {
    normalized: Arc<Normalized>,
    cfg: Option<Arc<Cfg>>,
    states: Option<States>,
    /// For gaps of any length, and for gaps that count cells.
    charts: [Chart; 2],
    vocabulary: Option<Arc<Vocabulary>>,
    spanner: Option<Spanner>,
    inner: Option<RegularChecker>,
    cover: Option<RegularChecker>,
    regular: bool,
    /// The language itself, where it is regular and was found to be.
    language: Option<RegularLanguage>,
    statistics: Statistics,
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
        let normalized = normalize(grammar);
        let mut statistics = Statistics::default();
        let mut inner = None;
        let mut cover = None;
        let mut language = None;
        if let Some(vocabulary) = &vocabulary {
            let mut bounds = Bounds::new(&normalized, &limits);
            if bounds.exact {
                language = bounds.inner.take().map(Arc::new);
            }
            statistics.levels = bounds.levels;
            statistics.regular = bounds.exact;
            let checker = |dfa: Arc<Dfa>| {
                RegularChecker::new(dfa, Arc::clone(vocabulary), limits.memo_members)
            };
            let below = bounds.inner.map(Arc::new).or_else(|| language.clone());
            statistics.inner_states = below.as_ref().map_or(0, |dfa| dfa.state_count());
            statistics.cover_states = bounds.cover.as_ref().map_or(0, Dfa::state_count);
            inner = below.map(checker);
            cover = bounds.cover.map(Arc::new).map(checker);
        } else if normalized.grammar.rules.len() == 1 {
            // Of larger grammars the parser's tables are made sooner.
            language = regular_language(&normalized, &limits).map(Arc::new);
        }
        let regular = statistics.regular;
        let mut checker = Self {
            normalized: Arc::new(normalized),
            cfg: None,
            states: None,
            charts: Default::default(),
            spanner: vocabulary.clone().map(Spanner::new),
            vocabulary,
            inner,
            cover,
            regular,
            statistics,
            limits,
            language: language.map(RegularLanguage::new),
        };
        // A regular grammar's automaton decides alone.
        if checker.language.is_none() {
            checker.cfg()?;
        }
        Ok(checker)
    }

    /// Sizes of everything that a check may use.
    ///
    /// # Errors
    /// When an automaton of the grammar outgrows the limits.
    pub fn statistics(&mut self) -> Result<Statistics, AutomatonError> {
        let cfg = self.cfg()?;
        Ok(Statistics {
            terminals: cfg.lexer.terminal_count(),
            nonterminals: cfg.productions.len(),
            productions: cfg.productions.iter().map(Vec::len).sum(),
            lexer_states: cfg.lexer.state_count(),
            ..self.statistics
        })
    }

    /// Whether one automaton decides every canvas.
    pub fn is_regular(&self) -> bool {
        self.regular
    }

    fn cfg(&mut self) -> Result<Arc<Cfg>, AutomatonError> {
        if let Some(cfg) = &self.cfg {
            return Ok(Arc::clone(cfg));
        }
        let cfg = Arc::new(Cfg::new(&self.normalized, &self.limits.automata)?);
        self.cfg = Some(Arc::clone(&cfg));
        Ok(cfg)
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
                let tier = if self.regular {
                    Tier::Regular
                } else {
                    Tier::Unrolled
                };
                if let Some(witness) = inner.witness(pattern) {
                    return (Verdict::Completable(witness), tier);
                }
                if self.regular {
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
            Ok(Parse::Found(additions)) => {
                let additions = self.tidied(pattern, additions);
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
            Parse::Found(additions) => {
                let tidied = self.tidied(&uncounted, additions.clone());
                let (cfg, vocabulary) = (self.cfg.as_ref()?, self.vocabulary.as_ref()?);
                // Fewer bytes first; but what separates can also be repeated.
                [tidied, additions]
                    .iter()
                    .find_map(|additions| fit(pattern, additions, &cfg.lexer, vocabulary))
                    .map(Verdict::Completable)
            }
        }
    }

    fn tidied(&self, pattern: &Pattern, additions: Vec<Addition>) -> Vec<Addition> {
        match &self.cfg {
            Some(cfg) => without_needless_separators(pattern, additions, &cfg.lexer),
            None => additions,
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
        if let Some(spanner) = &mut self.spanner {
            spanner.forget_beyond(self.limits.memo_members);
        }
        let mut graph = CompletionGraph::new(pattern, &cfg.lexer, self.spanner.as_mut());
        let states = self.states.get_or_insert_with(|| States::new(&cfg));
        let chart = &mut self.charts[usize::from(pattern.counts_cells())];
        Ok(chart.parse(&cfg, states, &mut graph, self.limits.parse_items))
    }

    /// Tokens that may stand in a masked cell, all other masked cells being
    /// free: exactly those if the grammar is regular, otherwise at least those.
    /// Ends are not among them. `None` if nothing is known.
    pub fn possible(&mut self, cells: &[Option<TokenId>], cell: usize) -> Option<BitSet> {
        let bound = if self.regular {
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
        let bound = if self.regular {
            &mut self.inner
        } else {
            &mut self.cover
        };
        bound.as_mut()?.shortest(limit)
    }
}

/// Automata below and above the language, as far as the limits hold them.
#[derive(Default)]
struct Bounds {
    inner: Option<Dfa>,
    cover: Option<Dfa>,
    levels: usize,
    /// Whether `inner` is the language itself.
    exact: bool,
}

impl Bounds {
    fn new(normalized: &Normalized, limits: &CheckerLimits) -> Self {
        let Normalized {
            grammar, recursive, ..
        } = normalized;
        if grammar.lexicon.is_some() {
            return Self::default();
        }
        if let Some(language) = regular_language(normalized, limits) {
            return Self {
                inner: Some(language),
                exact: true,
                ..Self::default()
            };
        }
        let constrained = |dfa: Dfa| constrained(dfa, grammar, &limits.approximations);
        let inner = unroll(grammar, recursive, Below::Nothing, &limits.approximations);
        let cover = unroll(grammar, recursive, Below::Shared, &limits.approximations);
        Self {
            levels: inner.as_ref().map_or(0, |inner| inner.levels),
            inner: inner.and_then(|inner| constrained(inner.dfa)),
            cover: cover.and_then(|cover| constrained(cover.dfa)),
            exact: false,
        }
    }
}

/// The automaton of the language, if that is regular and visibly so. It may use
/// the larger limits, since it is all that is needed then.
fn regular_language(normalized: &Normalized, limits: &CheckerLimits) -> Option<Dfa> {
    let Normalized {
        grammar, recursive, ..
    } = normalized;
    if grammar.lexicon.is_some() {
        return None;
    }
    let (start, limits) = (grammar.start, &limits.automata);
    let flat = write_out(grammar, start, recursive, &Below::Nothing, limits).ok()?;
    match flat.mentions.is_empty() {
        true => constrained(flat.dfa, grammar, limits),
        false => None,
    }
}

/// What is left of an approximation under the constraint on whole texts.
fn constrained(dfa: Dfa, grammar: &Grammar, limits: &Limits) -> Option<Dfa> {
    match &grammar.constraint {
        Some(constraint) => dfa.intersect(constraint, limits).ok(),
        None => Some(dfa),
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
