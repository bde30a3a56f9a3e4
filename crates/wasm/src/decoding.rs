//! How to decode, as JavaScript tells it: a method, and whatever is to be otherwise.

use lacuna_decoder::{
    CommitKind, KeyCache, Options, OrderKind, RecoveryKind, Remask, ScheduleKind, Truncation,
};
use lacuna_engine::{Fault, Judge, Method};
use lacuna_lexer::TokenId;
use serde::Deserialize;

/// Refusals after which a published method gives up, where nothing else is said.
const PUBLISHED_REFUSALS: usize = 100;

/// A method and its options; what is left out is as the method has it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Decoding {
    /// A name that `lacuna eval` knows; ours if left out.
    method: Option<String>,
    schedule: Option<ScheduleKind>,
    block: Option<usize>,
    key_cache: Option<KeyCache>,
    order: Option<OrderKind>,
    temperature: Option<f32>,
    top_k: Option<usize>,
    top_p: Option<f32>,
    min_p: Option<f32>,
    repetition_penalty: Option<f32>,
    bias: Option<Vec<(TokenId, f32)>>,
    ban: Option<Vec<TokenId>>,
    masks_after: Option<MasksAfter>,
    commit: Option<CommitKind>,
    foresight: Option<f32>,
    recovery: Option<RecoveryKind>,
    refusals: Option<usize>,
    refusals_in_all: Option<usize>,
    remask: Option<f32>,
    early_stop: Option<bool>,
    width: Option<usize>,
}

/// Refusals, or the word for no number of them.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum MasksAfter {
    Refusals(usize),
    Word(Never),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Never {
    Never,
}

impl Decoding {
    /// What decides, and how a canvas of so many cells is filled in so many steps.
    pub(crate) fn read(self, length: usize, steps: usize) -> Result<(Judge, Options), Fault> {
        let name = self.method.as_deref().unwrap_or("lacuna");
        let name = match name {
            // Outside of evaluations the schedule of a text that has ended is of no interest.
            "unconstrained" => "unconstrained-stop",
            name => name,
        };
        let Method { judge, options, .. } = Method::of_name(name, PUBLISHED_REFUSALS)?;
        let options = Options {
            length,
            steps,
            block: self.block,
            key_cache: self.key_cache.unwrap_or(options.key_cache),
            schedule: self.schedule.unwrap_or(options.schedule),
            order: self.order.unwrap_or(options.order),
            temperature: self.temperature.unwrap_or(options.temperature),
            truncation: Truncation {
                top_k: self.top_k,
                top_p: self.top_p,
                min_p: self.min_p,
            },
            bias: self.bias.unwrap_or_default(),
            banned: self.ban.unwrap_or_default(),
            repetition_penalty: self.repetition_penalty.unwrap_or(1.0),
            masks_after: match self.masks_after {
                None => options.masks_after,
                Some(MasksAfter::Refusals(refusals)) => Some(refusals),
                Some(MasksAfter::Word(Never::Never)) => None,
            },
            commit: self.commit.unwrap_or(options.commit),
            foresight: self.foresight.unwrap_or(options.foresight),
            recovery: self.recovery.unwrap_or(options.recovery),
            refusals_per_step: self.refusals.unwrap_or(options.refusals_per_step),
            refusals_per_run: self.refusals_in_all.or(options.refusals_per_run),
            remask: self.remask.map(|below| Remask {
                below,
                ..Remask::default()
            }),
            early_stop: self.early_stop.unwrap_or(options.early_stop),
            width: self.width.unwrap_or(options.width),
            ..options
        };
        Ok((judge, options))
    }
}
