//! Questions about texts with gaps, under one grammar.

use std::sync::Arc;

#[cfg(feature = "shortcuts")]
use lacuna_checker::CanvasVerdict;
use lacuna_checker::{
    Budget, Checker, CheckerLimits, Gap, Masks, MemoUses, Pattern, Segment, Statistics, Verdict,
    Witness,
};
use lacuna_grammar::Grammar;
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

/// Cells a gap may have: far more than any model's canvas, and few enough that
/// an answer comes at once.
const MAX_CELLS: usize = 100_000;

/// A grammar that answers.
#[derive(Clone, Debug)]
pub struct GrammarSession {
    checker: Checker,
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
        Self { checker }
    }

    /// Has another judge asked about completions, or none; the one that was asked so far.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn set_judge(
        &mut self,
        judge: Option<Arc<dyn lacuna_checker::Judge>>,
    ) -> Option<Arc<dyn lacuna_checker::Judge>> {
        self.checker.set_judge(judge)
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
        fewest_tokens(&mut self.checker, 0, &|| false)
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
                let message = "gaps that count cells need a vocabulary (a tokenizer)";
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
            Verdict::Exhausted { what, limit } => Err(undecided(what, limit)),
        }
    }

    /// Whether a canvas can be completed: masked cells are `None`, or the mask's id. Where
    /// completions are judged, one that is refused is changed until it is accepted, if that can be.
    ///
    /// # Errors
    /// When there is no vocabulary, a token is outside of it, or a budget runs out.
    #[cfg(feature = "shortcuts")]
    pub fn check_canvas(&mut self, mut cells: Vec<Option<TokenId>>) -> Result<Answer, Fault> {
        self.unmask(&mut cells)?;
        if !self.checker.is_judged() {
            return self.check_cells(&cells);
        }
        let witness = match self.checker.check_canvas(&cells).0 {
            CanvasVerdict::Completable(tokens) => Some(self.text_of(&tokens)),
            CanvasVerdict::Impossible { .. } | CanvasVerdict::Malformed => None,
            CanvasVerdict::Exhausted { what, limit } => return Err(undecided(what, limit)),
        };
        Ok(Answer {
            completable: witness.is_some(),
            witness,
        })
    }

    #[cfg(feature = "shortcuts")]
    fn check_cells(&mut self, cells: &[Option<TokenId>]) -> Result<Answer, Fault> {
        let vocabulary = self.checker.vocabulary();
        match vocabulary.and_then(|vocabulary| Pattern::of_canvas(cells, vocabulary)) {
            Some(pattern) => self.check_pattern(&pattern),
            None => Ok(Answer {
                completable: false,
                witness: None,
            }),
        }
    }

    /// The text of a whole canvas.
    #[cfg(feature = "shortcuts")]
    fn text_of(&self, tokens: &[TokenId]) -> Vec<u8> {
        let Some(vocabulary) = self.checker.vocabulary() else {
            return Vec::new();
        };
        let text = tokens
            .iter()
            .take_while(|&&token| !vocabulary.is_end(token));
        let bytes = text.filter_map(|&token| vocabulary.bytes(token));
        bytes.flatten().copied().collect()
    }

    /// Takes the mask's id for a masked cell, in a canvas of tokens that are all there.
    fn unmask(&self, cells: &mut [Option<TokenId>]) -> Result<(), Fault> {
        let Some(vocabulary) = self.checker.vocabulary() else {
            return Err(Fault::new(
                "invalid-input",
                "cells need a vocabulary (a tokenizer)",
            ));
        };
        let (size, mask) = (vocabulary.len(), Some(vocabulary.mask()));
        for cell in cells {
            if *cell == mask {
                *cell = None;
            }
            if let Some(id) = *cell
                && id as usize >= size
            {
                let message = format!("token {id} is outside the vocabulary of {size}");
                return Err(Fault::new("invalid-input", message));
            }
        }
        Ok(())
    }

    /// The tokens that may stand in each masked cell of a canvas, `None` or the mask's id, the
    /// other masked cells being free; ends of text among them.
    ///
    /// # Errors
    /// When there is no vocabulary, a token is outside of it, or a budget runs out for some
    /// token.
    pub fn masks(&mut self, mut cells: Vec<Option<TokenId>>) -> Result<Masks, Fault> {
        self.unmask(&mut cells)?;
        #[cfg(feature = "shortcuts")]
        if self.checker.is_judged() {
            let message = "no grammar says all that this schema asks for: whole texts are judged, \
                           and masks of tokens are not known";
            return Err(Fault::new("undecided", message));
        }
        let masks = self.checker.masks(&cells);
        match masks.undecided {
            0 => Ok(masks),
            tokens => Err(Fault::new(
                "budget",
                format!("the budget ran out; tokens undecided: {tokens}"),
            )),
        }
    }
}

/// Why a question has no answer.
fn undecided(what: Budget, limit: usize) -> Fault {
    #[cfg(feature = "shortcuts")]
    if what == Budget::JUDGED {
        let message = "undecided: no grammar says all that this schema asks for, and no completion \
                       that was found is valid";
        return Fault::new("undecided", message);
    }
    let message = format!("undecided: the budget of {limit} {} ran out", what.counts());
    Fault::new("budget", message)
}
