//! A source compiled for a tokenizer: all that a session or a run needs of it.

use std::sync::Arc;

use lacuna_checker::{
    Checker, CheckerLimits, Compiled, Gap, Pattern, Segment, Statistics, Verdict,
};
#[cfg(feature = "shortcuts")]
use lacuna_grammar::json_schema::{REPEATED_NAMES, WHOLE_TEXTS, any_value_is_judged};
use lacuna_grammar::lint::{LintOptions, lint, no_text, shortest_text};
use lacuna_grammar::{Linted, TokenTexts};
use lacuna_lexer::{TokenId, Vocabulary};

use crate::source::Extent;
#[cfg(feature = "shortcuts")]
use crate::whole_texts::judge_by;
use crate::{Fault, Finding, GrammarSession, GrammarSource, Purpose};

/// A grammar that was compiled, to be shared by all who ask about it.
#[derive(Clone, Debug)]
pub struct CompiledGrammar {
    pub(super) compiled: Arc<Compiled>,
    /// Tokens that the grammar names.
    pub(super) tokens: Vec<TokenId>,
    pub(super) rules: usize,
    pub(super) lints: Lints,
    /// Judges what the grammar completes, where it admits more than is valid.
    #[cfg(feature = "shortcuts")]
    pub(super) judge: Option<Arc<dyn lacuna_checker::Judge>>,
}

/// What there is to say about a grammar that can be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lints {
    /// What looks wrong: what the front end warned of, and behind that what linting found.
    pub warnings: Vec<Finding>,
    /// How many the front end warned of.
    pub read: usize,
    /// Whether the grammar was linted.
    pub is_linted: bool,
    /// The bytes of a shortest text, or a lower bound, as linting found.
    pub shortest: Option<u64>,
}

/// What a front end made of a source.
pub(super) struct Read {
    linted: Linted,
    lints: Lints,
    /// Bytes of all that it made it of.
    #[cfg(feature = "shortcuts")]
    written: usize,
    /// Bytes of what the grammar may hold parts of.
    #[cfg(feature = "shortcuts")]
    held: usize,
    /// The warning to give if lexemes or constraints leave no text.
    if_empty: Option<Finding>,
    #[cfg(feature = "shortcuts")]
    judge: Option<Arc<dyn lacuna_checker::Judge>>,
}

impl Read {
    pub(super) fn new(
        source: &GrammarSource,
        purpose: Purpose,
        vocabulary: Option<&Arc<Vocabulary>>,
        lint: bool,
        extent: Extent,
    ) -> Result<Self, Fault> {
        let tokens = vocabulary.map(|vocabulary| &**vocabulary as &dyn TokenTexts);
        let linted = source.read(purpose, tokens, extent)?;
        Ok(Self::of(source, purpose, linted, lint))
    }

    #[cfg_attr(
        not(feature = "shortcuts"),
        expect(
            unused_variables,
            reason = "nothing is judged, and no run tells of warnings"
        )
    )]
    fn of(source: &GrammarSource, purpose: Purpose, mut linted: Linted, is_linted: bool) -> Self {
        #[cfg(feature = "shortcuts")]
        let judge = judge_of(source, purpose, &linted);
        let read = linted.warnings.len();
        let (mut shortest, mut if_empty) = (None, None);
        if is_linted {
            let found = lint(&linted, &LintOptions::default());
            linted.warnings.extend(found);
            let grammar = &linted.grammar;
            shortest = shortest_text(grammar);
            // Without them, the front end has looked.
            let is_open = grammar.lexicon.is_some() || grammar.constraint.is_some();
            if_empty = is_open.then(|| Finding::new(&source.text, &no_text(&linted)));
        }
        Self {
            lints: Lints {
                warnings: source.findings(&linted),
                read,
                is_linted,
                shortest,
            },
            if_empty,
            linted,
            #[cfg(feature = "shortcuts")]
            written: source.written(),
            #[cfg(feature = "shortcuts")]
            held: source.held(),
            #[cfg(feature = "shortcuts")]
            judge,
        }
    }

    pub(super) fn compile(
        self,
        vocabulary: Option<&Arc<Vocabulary>>,
        limits: &CheckerLimits,
    ) -> Result<CompiledGrammar, Fault> {
        let counts_cells = vocabulary.is_some();
        let grammar = self.linted.grammar;
        #[cfg(feature = "shortcuts")]
        let limits = &limits.holding(self.held);
        let compiled = Compiled::new(&grammar, counts_cells, limits);
        // Larger automata only where no smaller ones do.
        #[cfg(feature = "shortcuts")]
        let compiled = compiled.or_else(|error| match limits.for_text(self.written) {
            larger if larger.automata.dfa_states > limits.automata.dfa_states => {
                Compiled::new(&grammar, counts_cells, &larger)
            }
            _ => Err(error),
        });
        let compiled = compiled?;
        let mut grammar = CompiledGrammar {
            compiled: Arc::new(compiled),
            rules: grammar.rules.len(),
            tokens: grammar.tokens,
            lints: self.lints,
            #[cfg(feature = "shortcuts")]
            judge: self.judge,
        };
        if let Some(warning) = self.if_empty
            && grammar.is_empty(vocabulary)
        {
            grammar.lints.warnings.push(warning);
        }
        Ok(grammar)
    }
}

/// What judges the texts that are written, where names may repeat that must differ.
#[cfg(feature = "shortcuts")]
fn judge_of(
    source: &GrammarSource,
    purpose: Purpose,
    linted: &Linted,
) -> Option<Arc<dyn lacuna_checker::Judge>> {
    let mut warnings = linted.warnings.iter();
    let may_repeat = warnings.any(|warning| warning.kind == REPEATED_NAMES);
    let is_judged = may_repeat && purpose == Purpose::Writing;
    is_judged
        .then(|| source.validator())
        .flatten()
        .map(judge_by)
}

impl CompiledGrammar {
    /// Compiles a source, for whoever keeps what he compiled himself.
    ///
    /// # Errors
    /// As of [`GrammarCache::compile`](super::GrammarCache::compile).
    pub fn of(
        source: &GrammarSource,
        purpose: Purpose,
        vocabulary: Option<&Arc<Vocabulary>>,
    ) -> Result<Self, Fault> {
        let read = Read::new(source, purpose, vocabulary, true, Extent::Exact)?;
        let compiled = read.compile(vocabulary, &CheckerLimits::default());
        compiled.map_err(|fault| source.placed(fault, purpose, vocabulary.map(|it| &**it)))
    }

    /// The same with what the front end made of the source. Where no grammar says in full what a
    /// schema asks for, it admits more, and completions are judged.
    pub(crate) fn with_linted(
        source: &GrammarSource,
        purpose: Purpose,
        vocabulary: &Arc<Vocabulary>,
    ) -> Result<(Self, Linted), Fault> {
        let exact = Self::exact_with_linted(source, purpose, vocabulary);
        #[cfg(feature = "shortcuts")]
        if let Err(refusal) = &exact {
            let limits = CheckerLimits::default();
            let judged = Self::judged(source, purpose, Some(vocabulary), true, &limits, refusal);
            return judged.map_or(exact, Ok);
        }
        exact
    }

    /// Of a schema that was refused because no grammar says all that it asks for, or none of
    /// bearable size, a grammar that admits more, whose completions are judged by the schema: any
    /// JSON value, if that is all that can be had, and the texts are not to be written by it.
    /// With what the front end made of it.
    #[cfg(feature = "shortcuts")]
    pub(super) fn judged(
        source: &GrammarSource,
        purpose: Purpose,
        vocabulary: Option<&Arc<Vocabulary>>,
        lint: bool,
        limits: &CheckerLimits,
        refusal: &Fault,
    ) -> Option<(Self, Linted)> {
        let mut findings = refusal.diagnostics.iter();
        if findings.any(|it| matches!(&*it.kind, "impossible-schema" | "too-much-work")) {
            return None;
        }
        let validator = source.validator()?;
        let read = Read::new(source, purpose, vocabulary, lint, Extent::Wide).ok()?;
        let (linted, lints) = (read.linted.clone(), read.lints.clone());
        let admits_more = linted.warnings.iter().any(|it| it.kind == WHOLE_TEXTS);
        let wide = admits_more.then(|| read.compile(vocabulary, limits).ok());
        let mut grammar = match wide.flatten() {
            Some(grammar) => grammar,
            None if purpose == Purpose::Judging => {
                let any = source.any_value();
                let any = Read::new(&any, purpose, vocabulary, false, Extent::Exact).ok()?;
                let mut grammar = any.compile(vocabulary, limits).ok()?;
                grammar.lints = lints;
                let warning = any_value_is_judged(&refusal.message);
                let warning = Finding::new(&source.text, &warning);
                grammar.lints.warnings.insert(0, warning);
                grammar.lints.read += 1;
                grammar
            }
            None => return None,
        };
        grammar.judge = Some(judge_by(validator));
        Some((grammar, linted))
    }

    fn exact_with_linted(
        source: &GrammarSource,
        purpose: Purpose,
        vocabulary: &Arc<Vocabulary>,
    ) -> Result<(Self, Linted), Fault> {
        let read = Read::new(source, purpose, Some(vocabulary), true, Extent::Exact)?;
        let linted = read.linted.clone();
        let compiled = read.compile(Some(vocabulary), &CheckerLimits::default());
        let placed = |fault| source.placed(fault, purpose, Some(&**vocabulary));
        Ok((compiled.map_err(placed)?, linted))
    }

    /// A session; `vocabulary` is the one that this was compiled for.
    pub fn session(&self, vocabulary: Option<Arc<Vocabulary>>) -> GrammarSession {
        GrammarSession::with_checker(self.checker(vocabulary))
    }

    /// A checker with empty memos; `vocabulary` is the one that this was compiled
    /// for.
    pub fn checker(&self, vocabulary: Option<Arc<Vocabulary>>) -> Checker {
        let vocabulary = vocabulary.map(|vocabulary| self.named_in(&vocabulary));
        let compiled = Arc::clone(&self.compiled);
        let checker = Checker::from_compiled(compiled, vocabulary, CheckerLimits::default());
        #[cfg(feature = "shortcuts")]
        let checker = checker.judged_by(self.judge.clone());
        checker
    }

    /// A vocabulary in which the special tokens that the grammar names can be written.
    pub fn named_in(&self, vocabulary: &Arc<Vocabulary>) -> Arc<Vocabulary> {
        vocabulary.naming(&self.tokens)
    }

    /// Whether the grammar admits more than is valid, so that completions are judged. Then it has
    /// no entry, for a judge has none.
    pub fn is_judged(&self) -> bool {
        #[cfg(feature = "shortcuts")]
        return self.judge.is_some();
        #[cfg(not(feature = "shortcuts"))]
        false
    }

    /// Whether no text belongs; not, where a budget runs out.
    fn is_empty(&self, vocabulary: Option<&Arc<Vocabulary>>) -> bool {
        let anything = Pattern {
            segments: vec![Segment::Gap(Gap::Any)],
        };
        let (verdict, _) = self.checker(vocabulary.cloned()).check(&anything);
        matches!(verdict, Verdict::Impossible)
    }

    /// Rules of the grammar.
    pub fn rules(&self) -> usize {
        self.rules
    }

    /// What the front end warned of; linting finds more ([`Self::lints`]).
    pub fn warnings(&self) -> &[Finding] {
        &self.lints.warnings[..self.lints.read]
    }

    /// What there is to say about it.
    pub fn lints(&self) -> &Lints {
        &self.lints
    }

    /// Sizes of everything that a check may use.
    ///
    /// # Errors
    /// When an automaton of the grammar outgrows the limits.
    pub fn statistics(&self) -> Result<Statistics, Fault> {
        Ok(self.compiled.statistics(&CheckerLimits::default())?)
    }

    /// Bytes of memory that it takes, closely.
    pub fn heap_bytes(&self) -> usize {
        let warnings = self.lints.warnings.iter();
        let warnings = warnings.map(|finding| size_of_val(finding) + finding.message.len());
        let own = size_of_val(self) + size_of_val(self.tokens.as_slice());
        self.compiled.heap_bytes() + warnings.sum::<usize>() + own
    }
}
