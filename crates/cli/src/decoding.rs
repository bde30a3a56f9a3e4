//! How to decode, from the command line.

use lacuna_decoder::{
    CommitKind, KeyCache, Options, OrderKind, RecoveryKind, Remask, ScheduleKind, Truncation,
};
use lacuna_lexer::TokenId;

/// The options of a run.
#[derive(clap::Args)]
pub struct DecodingArguments {
    /// Denoising steps
    #[arg(long, value_name = "N", default_value_t = 16)]
    steps: usize,
    /// Fill the canvas in blocks of so many cells, one after another
    #[arg(long, value_name = "N")]
    block: Option<usize>,
    /// Keys and values that the model keeps while a block is filled, which is faster and
    /// approximate: none, prefix (of what stands before the block) or dual (of all but the
    /// block)
    #[arg(long, value_name = "NAME", default_value = "none", value_parser = key_cache)]
    key_cache: KeyCache,
    /// How many cells each step commits: fixed (evenly many), linear or cosine (by a
    /// global time), threshold:P (all at least so probable), factor:F (as many as are
    /// confident enough for being so many)
    #[arg(long, value_name = "NAME", default_value = "fixed", value_parser = schedule)]
    schedule: ScheduleKind,
    /// Which cells come first: confidence, margin, entropy, random or left-to-right
    #[arg(long, value_name = "NAME", default_value = "confidence", value_parser = order)]
    cell_order: OrderKind,
    /// Draw candidates from exactly the tokens that keep the text completable, cell by
    /// cell, after N refusals in a step; 0: from its start, never: refuse however often
    #[arg(long, value_name = "N", default_value = "8", value_parser = masks_after)]
    masks: MasksAfter,
    /// How a step's candidates are committed together: bisect, whole, relaxed (by a
    /// regular cover, as EPIC does), sequential or best (along the most probable text)
    #[arg(long, value_name = "NAME", default_value = "bisect", value_parser = commit)]
    commit: CommitKind,
    /// Look, before each step's check, for a text that has other probable tokens too, at most so
    /// many of them expected to be wrong, which saves later checks; 0: do not
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    foresight: f32,
    /// What becomes of a step whose refusals have run out: guided (what the model likes
    /// best of what the grammar allows), best (along the most probable text), witness (any
    /// text that fits, for its cells) or finish (any text that fits, for all cells)
    #[arg(long, value_name = "NAME", default_value = "guided", value_parser = recovery)]
    recovery: RecoveryKind,
    /// Refusals in one step after which it is recovered
    #[arg(long, value_name = "N", default_value_t = 2000)]
    refusals: usize,
    /// Refusals in the whole run after which every step is recovered at once
    #[arg(long, value_name = "N")]
    refusals_in_all: Option<usize>,
    /// Seed of the noise
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// 0 takes the most probable tokens, 1 samples
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    temperature: f32,
    /// Sample among the K most probable tokens
    #[arg(long, value_name = "K")]
    top_k: Option<usize>,
    /// Sample among the most probable tokens whose probabilities sum to P
    #[arg(long, value_name = "P")]
    top_p: Option<f32>,
    /// Sample among tokens with at least this share of the best one's probability
    #[arg(long, value_name = "P")]
    min_p: Option<f32>,
    /// Above 1 makes tokens that stand in the text less probable
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    repetition_penalty: f32,
    /// Add to a token's logit (repeatable)
    #[arg(long, value_name = "ID=X", value_parser = bias, allow_hyphen_values = true)]
    bias: Vec<(TokenId, f32)>,
    /// Never write a token (repeatable)
    #[arg(long, value_name = "ID")]
    ban: Vec<TokenId>,
    /// Tokens of a cell that are told apart where --commit best seeks the most probable text
    #[arg(long, value_name = "N", default_value_t = 64)]
    width: usize,
    /// Mask again, after each step, the commit of an earlier step with the least
    /// probability, if that was below P; each cell once
    #[arg(long, value_name = "P")]
    remask: Option<f32>,
    /// Go on when the text is complete, until every cell is filled
    #[arg(long)]
    fill: bool,
}

impl DecodingArguments {
    /// The options for a canvas of so many cells.
    pub fn options(&self, length: usize) -> Options {
        Options {
            length,
            steps: self.steps,
            block: self.block,
            key_cache: self.key_cache,
            schedule: self.schedule,
            order: self.cell_order,
            seed: self.seed,
            temperature: self.temperature,
            truncation: Truncation {
                top_k: self.top_k,
                top_p: self.top_p,
                min_p: self.min_p,
            },
            bias: self.bias.clone(),
            banned: self.ban.clone(),
            repetition_penalty: self.repetition_penalty,
            masks_after: self.masks.0,
            commit: self.commit,
            foresight: self.foresight,
            recovery: self.recovery,
            refusals_per_step: self.refusals,
            refusals_per_run: self.refusals_in_all,
            remask: self.remask.map(|below| Remask {
                below,
                ..Remask::default()
            }),
            early_stop: !self.fill,
            width: self.width,
            ..Options::default()
        }
    }
}

/// Refusals, or never.
#[derive(Clone, Copy)]
struct MasksAfter(Option<usize>);

fn masks_after(text: &str) -> Result<MasksAfter, String> {
    match text {
        "never" => Ok(MasksAfter(None)),
        number => {
            let refusals = number.parse();
            let refusals = refusals.map_err(|_| "expected a number or never".to_owned())?;
            Ok(MasksAfter(Some(refusals)))
        }
    }
}

fn named<T: Copy>(name: &str, known: &[(&str, T)]) -> Result<T, String> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, kind)| *kind).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// How many cells a canvas has.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a number from 1 up".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// A cache of keys and values, by its name.
pub fn key_cache(name: &str) -> Result<KeyCache, String> {
    named(name, &KeyCache::NAMES)
}

/// The schedule of a name.
pub fn schedule(name: &str) -> Result<ScheduleKind, String> {
    let number = |text: &str| {
        text.parse()
            .map_err(|_| format!("{text:?} is not a number"))
    };
    match name.split_once(':') {
        Some(("threshold", value)) => Ok(ScheduleKind::Threshold(number(value)?)),
        Some(("factor", value)) => Ok(ScheduleKind::Factor(number(value)?)),
        _ => named(
            name,
            &[
                ("fixed", ScheduleKind::Fixed),
                ("linear", ScheduleKind::Linear),
                ("cosine", ScheduleKind::Cosine),
            ],
        )
        .map_err(|message| format!("{message}, threshold:P, factor:F")),
    }
}

/// The order of cells that a name stands for.
pub fn order(name: &str) -> Result<OrderKind, String> {
    named(
        name,
        &[
            ("confidence", OrderKind::Confidence),
            ("margin", OrderKind::Margin),
            ("entropy", OrderKind::Entropy),
            ("random", OrderKind::Random),
            ("left-to-right", OrderKind::LeftToRight),
        ],
    )
}

fn commit(name: &str) -> Result<CommitKind, String> {
    named(
        name,
        &[
            ("bisect", CommitKind::Bisect),
            ("whole", CommitKind::Whole),
            ("relaxed", CommitKind::Relaxed),
            ("sequential", CommitKind::Sequential),
            ("best", CommitKind::Best),
        ],
    )
}

fn recovery(name: &str) -> Result<RecoveryKind, String> {
    named(
        name,
        &[
            ("guided", RecoveryKind::Guided),
            ("best", RecoveryKind::Best),
            ("witness", RecoveryKind::Witness),
            ("finish", RecoveryKind::Finish),
        ],
    )
}

fn bias(argument: &str) -> Result<(TokenId, f32), String> {
    let parts = argument.split_once('=').and_then(|(token, bias)| {
        let (token, bias) = (token.parse().ok()?, bias.parse().ok()?);
        Some((token, bias))
    });
    parts.ok_or_else(|| "expected ID=X, a token's id and a number".to_owned())
}
