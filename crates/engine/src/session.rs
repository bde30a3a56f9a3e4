//! Questions about texts with gaps, under one grammar.

use std::sync::Arc;

use lacuna_checker::{
    Checker, CheckerLimits, Gap, Masks, MemoUses, Pattern, Segment, Statistics, Verdict, Witness,
};
use lacuna_grammar::Grammar;
use lacuna_grammar::json_schema::Validator;
use lacuna_lexer::{TokenId, Vocabulary};

use crate::fewest::fewest_tokens;
use crate::{Fault, Fewest};

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether the text can be completed.
    pub completable: bool,
    /// A completed text, if so.
    pub witness: Option<Vec<u8>>,
}

/// Judges whole texts. Behind a trait, so that who never asks for a judge need not carry
/// one: the grammar engine's module for browsers is small.
trait Judging: std::fmt::Debug + Send + Sync {
    fn is_valid(&self, text: &[u8]) -> Option<bool>;
}

impl Judging for Validator {
    fn is_valid(&self, text: &[u8]) -> Option<bool> {
        Validator::is_valid(self, text)
    }
}

/// A completion, if the validator says that it is one. Of a text without gaps there is no
/// other.
fn judged(
    validator: &dyn Judging,
    pattern: &Pattern,
    text: Vec<u8>,
) -> Result<Option<Vec<u8>>, Fault> {
    let is_whole = pattern
        .segments
        .iter()
        .all(|segment| matches!(segment, Segment::Text(_)));
    match validator.is_valid(&text) {
        Some(true) => Ok(Some(text)),
        Some(false) if is_whole => Ok(None),
        Some(false) => Err(Fault::new(
            "undecided",
            "undecided: no grammar says all that this schema asks for, and the completion \
             that was found is not valid",
        )),
        None => Err(Fault::new(
            "undecided",
            "undecided: the schema asks for something that is not supported",
        )),
    }
}

/// Cells a gap may have: far more than any model's canvas, and few enough that
/// an answer comes at once.
const MAX_CELLS: usize = 100_000;

/// A grammar that answers.
#[derive(Clone, Debug)]
pub struct GrammarSession {
    checker: Checker,
    /// Judges whole texts that the grammar admits, where it admits more than is valid.
    validator: Option<Arc<dyn Judging>>,
}

impl GrammarSession {
    /// A session; `vocabulary` is needed where gaps count cells.
    ///
    /// # Errors
    /// When the grammar's automata outgrow their limits.
    pub fn new(grammar: &Grammar, vocabulary: Option<Arc<Vocabulary>>) -> Result<Self, Fault> {
        let vocabulary = vocabulary.map(|vocabulary| vocabulary.naming(&grammar.tokens));
        let checker = Checker::new(grammar, vocabulary, CheckerLimits::default())?;
        Ok(Self::with_checker(checker))
    }

    pub(crate) fn with_checker(checker: Checker) -> Self {
        Self {
            checker,
            validator: None,
        }
    }

    /// The same under a grammar that admits more than is valid (see
    /// [`SchemaChoices::wide`](crate::SchemaChoices)): a completion is one only if the
    /// validator says so. Only [`check`](Self::check) and
    /// [`check_pattern`](Self::check_pattern) ask it.
    #[must_use]
    pub fn with_validator(self, validator: Option<Validator>) -> Self {
        let validator = validator.map(|validator| Arc::new(validator) as Arc<dyn Judging>);
        Self { validator, ..self }
    }

    /// The vocabulary that gaps are counted in: in it the tokens that the grammar
    /// names may fill cells.
    pub fn vocabulary(&self) -> Option<&Arc<Vocabulary>> {
        self.checker.vocabulary()
    }

    /// Sizes of what is built for the grammar.
    ///
    /// # Errors
    /// When the grammar's automata outgrow their limits.
    pub fn statistics(&mut self) -> Result<Statistics, Fault> {
        Ok(self.checker.statistics()?)
    }

    /// How often what was known of the grammar and the vocabulary was asked for, and how
    /// often it had to be found.
    pub fn memo_uses(&self) -> MemoUses {
        self.checker.memo_uses()
    }

    /// How many classes the vocabulary's tokens fall into, those of a class being the
    /// same to the grammar; `None` without a vocabulary.
    ///
    /// # Errors
    /// When the grammar's automata outgrow their limits.
    pub fn token_classes(&self) -> Result<Option<usize>, Fault> {
        let partition = self.checker.token_partition()?;
        Ok(partition.map(|partition| partition.classes))
    }

    /// How few tokens a text of the grammar can have; `None` without a vocabulary.
    pub fn fewest_tokens(&mut self) -> Option<Fewest> {
        fewest_tokens(&mut self.checker)
    }

    /// Whether a text with gaps can be completed. A segment is text, or `None`
    /// for a gap; without `gaps` a gap may become any bytes, otherwise the
    /// entries are the cells of each gap, in order, and one at the end is an
    /// open tail.
    ///
    /// # Errors
    /// A [`Fault`] if the numbers of gaps differ, there is no vocabulary to
    /// count in, or a budget runs out.
    pub fn check(
        &mut self,
        segments: &[Option<Vec<u8>>],
        gaps: Option<&[usize]>,
    ) -> Result<Answer, Fault> {
        let nulls = segments.iter().filter(|segment| segment.is_none()).count();
        if let Some(gaps) = gaps {
            if gaps.len() != nulls {
                let message = format!(
                    "the length of \"gaps\" is {}, but the number of gaps in \"segments\" {nulls}",
                    gaps.len()
                );
                return Err(Fault::new("invalid-input", message));
            }
            if self.checker.vocabulary().is_none() {
                let message = "gaps that count cells need a tokenizer";
                return Err(Fault::new("invalid-input", message));
            }
        }
        if gaps.is_some_and(|gaps| gaps.iter().any(|&cells| cells > MAX_CELLS)) {
            let message = format!("a gap may have up to {MAX_CELLS} cells");
            return Err(Fault::new("invalid-input", message));
        }
        let mut cells = gaps.unwrap_or_default().iter();
        let segments = segments.iter().map(|segment| match segment {
            Some(text) => Segment::Text(text.clone()),
            None => Segment::Gap(cells.next().map_or(Gap::Any, |&cells| Gap::Cells(cells))),
        });
        self.check_pattern(&Pattern::with_open_tail(segments))
    }

    /// Whether a pattern can be completed.
    ///
    /// # Errors
    /// When a budget runs out.
    pub fn check_pattern(&mut self, pattern: &Pattern) -> Result<Answer, Fault> {
        let witness = self.witness(pattern)?;
        let vocabulary = self.checker.vocabulary().map(AsRef::as_ref);
        let witness = witness.map(|witness| witness.text(pattern, vocabulary));
        let witness = match (&self.validator, witness) {
            (Some(validator), Some(text)) => judged(&**validator, pattern, text)?,
            (_, witness) => witness,
        };
        Ok(Answer {
            completable: witness.is_some(),
            witness,
        })
    }

    /// A filling of a pattern's gaps, if there is one.
    ///
    /// # Errors
    /// When a budget runs out.
    pub fn witness(&mut self, pattern: &Pattern) -> Result<Option<Witness>, Fault> {
        match self.checker.check(pattern).0 {
            Verdict::Completable(witness) => Ok(Some(witness)),
            Verdict::Impossible => Ok(None),
            Verdict::Exhausted { what, limit } => Err(Fault::new(
                "budget",
                format!("undecided: the budget of {limit} {what} ran out"),
            )),
        }
    }

    /// The tokens that may stand in each masked cell of a canvas, the other masked
    /// cells being free; ends of text among them.
    ///
    /// # Errors
    /// When there is no vocabulary, a token is outside of it, or a budget runs out for some
    /// token.
    pub fn masks(&mut self, cells: &[Option<TokenId>]) -> Result<Masks, Fault> {
        let Some(vocabulary) = self.checker.vocabulary() else {
            let message = "masks of tokens need a tokenizer";
            return Err(Fault::new("invalid-input", message));
        };
        let size = vocabulary.len();
        if let Some(id) = cells.iter().flatten().find(|&&id| id as usize >= size) {
            let message = format!("token {id} is outside the vocabulary of {size}");
            return Err(Fault::new("invalid-input", message));
        }
        let masks = self.checker.masks(cells);
        match masks.undecided {
            0 => Ok(masks),
            tokens => Err(Fault::new(
                "budget",
                format!("the budget ran out; tokens undecided: {tokens}"),
            )),
        }
    }
}
