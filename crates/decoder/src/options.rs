//! How a run decodes: the built-in choice for every decision, as data.

use std::collections::BTreeMap;

use lacuna_lexer::TokenId;
use lacuna_logits::Noise;
use serde::{Deserialize, Serialize};

use crate::{DecodeError, Remask};

/// How a run decodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Options {
    /// Cells of the canvas, where it is not given.
    pub length: usize,
    /// Denoising steps; more than masked cells are as many as masked cells.
    pub steps: usize,
    /// Cells of a block; blocks are filled one after another. `None`: one block.
    pub block: Option<usize>,
    /// What the model may keep from step to step, which makes steps shorter and their
    /// answers approximate.
    pub key_cache: KeyCache,
    /// How many cells each step commits.
    pub schedule: ScheduleKind,
    /// Which cells come first.
    pub order: OrderKind,
    /// Seed of the noise.
    pub seed: u64,
    /// 0 takes the most probable candidates; 1 samples.
    pub temperature: f32,
    /// Which candidates may be sampled.
    pub truncation: Truncation,
    /// What is added to the logits of some tokens.
    pub bias: Vec<(TokenId, f32)>,
    /// Tokens that are never written.
    pub banned: Vec<TokenId>,
    /// Above 1 makes tokens that stand in the canvas less probable: their positive
    /// logits are divided by it, their negative ones multiplied.
    pub repetition_penalty: f32,
    /// After so many refusals in a step, candidates are drawn from exactly what may stand
    /// in each cell, and again after as many; 0: from the start of every step, and drawn
    /// anew after each commit, so that none is refused, for each cell that the completion at hand does
    /// not prove right. `None`: from all tokens, however many are refused.
    pub masks_after: Option<usize>,
    /// How a step's candidates are committed together.
    pub commit: CommitKind,
    /// Before a step's candidates are checked, a completion is looked for that has others of the
    /// model's as well: the most probable, such that at most so many are expected to be wrong, and
    /// fewer after mistakes. 0: none. Saves later checks, and decides no commit.
    pub foresight: f32,
    /// What becomes of a step whose refusals have run out.
    pub recovery: RecoveryKind,
    /// Refusals in one step after which it is recovered.
    pub refusals_per_step: usize,
    /// Refusals in the whole run after which steps are recovered at once.
    pub refusals_per_run: Option<usize>,
    /// Which commits are masked again, if any.
    pub remask: Option<Remask>,
    /// Ends the run as soon as the text is complete and ended, instead of filling
    /// what stands behind its end.
    pub early_stop: bool,
    /// Candidates of a cell that the model is asked for at a time. Where tokens are weighed, more
    /// may be told apart than `width`; else it changes nothing but how often the model is asked.
    pub candidates: usize,
    /// Tokens of a cell that are told apart where the most probable text is sought; the
    /// others share what is left of the probability.
    pub width: usize,
}

/// How many cells each step commits; see [`crate::Schedule`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScheduleKind {
    /// Evenly many each step (LLaDA).
    #[default]
    Fixed,
    /// By a global time that falls evenly from 1 (Dream).
    Linear,
    /// By a global time that falls as a cosine, slowly first.
    Cosine,
    /// All whose probability is at least this, and always one (Fast-dLLM).
    Threshold(f32),
    /// As many as are confident enough for being so many (Fast-dLLM): the largest
    /// n with (n + 1) · (1 − the n-th probability) below this.
    Factor(f32),
}

/// Keys and values that the model keeps while a block is filled (Fast-dLLM).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyCache {
    /// None: every step computes every position.
    #[default]
    None,
    /// Those of the prompt and of what stands before the block. With one block, those of
    /// the prompt.
    Prefix,
    /// Those of everything but the block. With one block, those of the prompt.
    Dual,
}

impl KeyCache {
    /// All, with the names that the surfaces use.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("none", Self::None),
        ("prefix", Self::Prefix),
        ("dual", Self::Dual),
    ];
}

/// Which cells come first; see [`crate::Order`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrderKind {
    /// Whose candidate is the most probable.
    #[default]
    Confidence,
    /// Whose best candidate is furthest ahead of its second.
    Margin,
    /// Whose distribution has the least entropy.
    Entropy,
    /// Whichever, by the seed.
    Random,
    /// The leftmost.
    LeftToRight,
}

/// How a step's candidates are committed together; see [`crate::BatchCommit`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommitKind {
    /// Never: one by one (Mündler and others).
    Sequential,
    /// All, or one by one.
    Whole,
    /// A subset that a regular cover allows (EPIC, Algorithm 4), the rest one by one.
    Relaxed,
    /// What committing the step's candidates one by one would commit, found by halving; what takes
    /// the place of those that are refused, behind them.
    #[default]
    Bisect,
    /// Along the most probable text that the canvas can become (DINGO), or over Earley columns,
    /// where the grammar is not regular, along the most probable that is found within bounds
    /// on their number; the rest as [`CommitKind::Bisect`].
    Best,
}

/// What becomes of a step whose refusals have run out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryKind {
    /// The step's cells are filled with what the model likes best of what the
    /// grammar allows.
    #[default]
    Guided,
    /// They are filled along the most probable completion that is found.
    Best,
    /// They are filled from the witness of the last check.
    Witness,
    /// The whole text is, and the run is over (the papers').
    Finish,
}

/// Which candidates may be sampled; what it leaves out counts only where the grammar
/// refuses all the others. Without a temperature it changes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Truncation {
    /// The k most probable.
    pub top_k: Option<usize>,
    /// The most probable whose probabilities sum to this.
    pub top_p: Option<f32>,
    /// Those with at least this share of the most probable one's probability.
    pub min_p: Option<f32>,
}

impl Truncation {
    /// Whether it leaves anything out.
    pub fn is_some(&self) -> bool {
        self.top_k.is_some() || self.top_p.is_some() || self.min_p.is_some()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            length: 64,
            steps: 16,
            block: None,
            key_cache: KeyCache::default(),
            schedule: ScheduleKind::default(),
            order: OrderKind::default(),
            seed: 0,
            temperature: 0.0,
            truncation: Truncation::default(),
            bias: Vec::new(),
            banned: Vec::new(),
            repetition_penalty: 1.0,
            masks_after: Some(8),
            commit: CommitKind::default(),
            foresight: 1.0,
            recovery: RecoveryKind::default(),
            refusals_per_step: 2000,
            refusals_per_run: None,
            remask: None,
            early_stop: true,
            candidates: 16,
            width: 64,
        }
    }
}

/// The least repetition penalty, and one over the greatest: what it makes of a logit stays a number.
const LEAST_PENALTY: f32 = 1e-6;

/// The most that biases add to a token's logit: the sum stays a number.
const MOST_BIAS: f32 = 1e6;

impl Options {
    /// What is added to the logits of tokens.
    pub(crate) fn biases(&self) -> BTreeMap<TokenId, f32> {
        let mut biases = BTreeMap::new();
        for &(token, more) in &self.bias {
            *biases.entry(token).or_default() += more;
        }
        biases
    }

    /// One token after another, as a left-to-right model writes.
    pub fn left_to_right(length: usize) -> Self {
        Self {
            length,
            steps: length,
            block: Some(1),
            order: OrderKind::LeftToRight,
            ..Self::default()
        }
    }

    /// Sixteen steps in which the papers' decoders commit: one by one, and the whole
    /// text from the witness once `refusals` candidates were refused.
    pub fn published(refusals: usize, commit: CommitKind) -> Self {
        Self {
            commit,
            masks_after: None,
            recovery: RecoveryKind::Finish,
            refusals_per_step: usize::MAX,
            refusals_per_run: Some(refusals),
            ..Self::default()
        }
    }

    /// Temperatures below it are as this one, at which noise tells apart only what is as probable
    /// up to rounding: logits that are divided by less may be too large for their type.
    const COLDEST: f32 = 1e-6;

    /// The noise of a step; none where the most probable candidates are taken.
    pub(crate) fn noise(&self, step: usize) -> Option<Noise> {
        (self.temperature > 0.0).then_some(Noise {
            temperature: self.temperature.max(Self::COLDEST),
            seed: self.seed,
            step: u32::try_from(step).unwrap_or(u32::MAX),
        })
    }

    /// Whether all tokens that are named are among so many.
    pub(crate) fn expect_tokens(&self, tokens: usize) -> Result<(), DecodeError> {
        let biased = self.bias.iter().map(|&(token, _)| ("the bias", token));
        let banned = self.banned.iter().map(|&token| ("the ban", token));
        let mut named = biased.chain(banned);
        match named.find(|&(_, token)| token as usize >= tokens) {
            Some((option, token)) => Err(DecodeError::UnknownToken {
                option,
                token,
                tokens,
            }),
            None => Ok(()),
        }
    }

    /// Whether the options make sense, which needs neither a model nor a grammar. Every run
    /// asks before its first step.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] for the first that does not.
    pub fn validate(&self) -> Result<(), DecodeError> {
        let share = |share: f32| share > 0.0 && share <= 1.0;
        let Truncation {
            top_k,
            top_p,
            min_p,
        } = self.truncation;
        let wrong = [
            (self.steps == 0, "a run needs at least one step"),
            (self.block == Some(0), "a block needs at least one cell"),
            (
                !self.temperature.is_finite() || self.temperature < 0.0,
                "the temperature must be a number from 0 up",
            ),
            (
                !(LEAST_PENALTY..=1.0 / LEAST_PENALTY).contains(&self.repetition_penalty),
                "the repetition penalty must lie between 1e-6 and 1e6",
            ),
            (
                !self.biases().values().all(|bias| bias.abs() <= MOST_BIAS),
                "the biases of a token must add up to a number between -1e6 and 1e6; a token that \
                 must not be written is banned",
            ),
            (
                !self.foresight.is_finite() || self.foresight < 0.0,
                "the foresight must be a number from 0 up",
            ),
            (self.width == 0, "the width must be at least 1"),
            (top_k == Some(0), "top-k must be at least 1"),
            (
                top_p.is_some_and(|p| !share(p)),
                "top-p must be above 0 and at most 1",
            ),
            (
                min_p.is_some_and(|p| !share(p)),
                "min-p must be above 0 and at most 1",
            ),
            (
                matches!(self.schedule, ScheduleKind::Threshold(threshold) if !share(threshold)),
                "a threshold must be above 0 and at most 1",
            ),
            (
                matches!(self.schedule, ScheduleKind::Factor(factor)
                         if factor <= 0.0 || !factor.is_finite()),
                "a factor must be a number above 0",
            ),
            (
                self.remask.is_some_and(|remask| !share(remask.below)),
                "the probability below which cells are masked again must be above 0 and at most 1",
            ),
        ];
        match wrong.into_iter().find(|(wrong, _)| *wrong) {
            Some((_, message)) => Err(DecodeError::Invalid(message)),
            None => Ok(()),
        }
    }
}
