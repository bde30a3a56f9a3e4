//! Events as plain objects; a token's bytes as a `Uint8Array`, because they may
//! be part of a character.

use lacuna_decoder::{Event, How, Outcome, Reason, Timings};
use lacuna_engine::{GrammarWarning, MemoUse, ModelRun};
use lacuna_lexer::{TokenId, Vocabulary};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::crossing::to_js;

/// What is known when a run begins.
pub(crate) struct Begin {
    pub steps: usize,
    pub constrained: bool,
    /// Where the compiled grammar came from.
    pub grammar: Option<&'static str>,
}

impl Begin {
    pub(crate) fn to_js(&self, run: &ModelRun) -> Result<JsValue, JsValue> {
        let (cells, vocabulary) = (run.canvas().cells(), run.vocabulary());
        let begin = to_js(&Tagged::Begin {
            length: cells.len(),
            steps: self.steps,
            prompt_tokens: run.prompt_tokens(),
            constrained: self.constrained,
            grammar: self.grammar,
            warnings: run.grammar_warnings(),
            ends: vocabulary.ends(),
        })?;
        let fixed = js_sys::Array::new();
        for (cell, token) in cells.iter().enumerate() {
            if let &Some(token) = token {
                fixed.push(&with_bytes(
                    to_js(&Fixed { cell, token })?,
                    token,
                    vocabulary,
                )?);
            }
        }
        js_sys::Reflect::set(&begin, &JsValue::from_str("fixed"), &fixed)?;
        Ok(begin)
    }
}

/// A cell that is filled from the start, and stays so.
#[derive(Serialize)]
struct Fixed {
    cell: usize,
    token: TokenId,
}

#[derive(Serialize)]
#[serde(
    tag = "type",
    rename_all = "lowercase",
    rename_all_fields = "camelCase"
)]
enum Tagged<'a> {
    Begin {
        length: usize,
        steps: usize,
        prompt_tokens: usize,
        constrained: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        grammar: Option<&'static str>,
        warnings: &'a [GrammarWarning],
        ends: &'a [TokenId],
    },
    Step {
        step: usize,
        steps: usize,
        masked: usize,
    },
    Move {
        step: usize,
        device: &'a str,
        message: &'a str,
    },
    Refusal {
        step: usize,
        cell: usize,
        token: TokenId,
        probability: f32,
        reason: Reason,
    },
    Commit {
        step: usize,
        cell: usize,
        token: TokenId,
        probability: f32,
        how: How,
        end: bool,
    },
    Remask {
        step: usize,
        cell: usize,
    },
    Figures {
        step: usize,
        #[serde(flatten)]
        of: Figures,
    },
    Done {
        text: String,
        outcome: Outcome,
        steps: usize,
        timings: Timings,
    },
}

/// What a step has cost.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Figures {
    model_ms: f64,
    checker_ms: f64,
    selection_ms: f64,
    masks_ms: f64,
    recovery_ms: f64,
    beside_ms: f64,
    checks: usize,
    agreed: usize,
    refusals: usize,
    batches: usize,
    batches_tried: usize,
    batch_tokens: usize,
    recovered: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    memo_asked: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memo_known: Option<u64>,
}

/// Sums over a run, as they stood at some time.
pub(crate) type Sums = (Timings, Option<MemoUse>);

/// What happened between two times.
pub(crate) fn figures_to_js(
    step: usize,
    (before, memo_before): Sums,
    (now, memo): Sums,
) -> Result<JsValue, JsValue> {
    let memo_before = memo_before.unwrap_or_default();
    to_js(&Tagged::Figures {
        step,
        of: Figures {
            model_ms: now.model_ms - before.model_ms,
            checker_ms: now.checker_ms - before.checker_ms,
            selection_ms: now.selection_ms - before.selection_ms,
            masks_ms: now.masks_ms - before.masks_ms,
            recovery_ms: now.recovery_ms - before.recovery_ms,
            beside_ms: now.beside_ms - before.beside_ms,
            checks: now.checks - before.checks,
            agreed: now.agreed - before.agreed,
            refusals: now.refusals - before.refusals,
            batches: now.batches - before.batches,
            batches_tried: now.batches_tried - before.batches_tried,
            batch_tokens: now.batch_tokens - before.batch_tokens,
            recovered: now.recovered - before.recovered,
            memo_asked: memo.map(|memo| memo.asked - memo_before.asked),
            memo_known: memo.map(|memo| memo.known() - memo_before.known()),
        },
    })
}

/// One event; `steps` is how many the run takes at most.
pub(crate) fn event_to_js(
    event: &Event,
    steps: usize,
    vocabulary: &Vocabulary,
) -> Result<JsValue, JsValue> {
    match event {
        Event::Step { step, masked } => to_js(&Tagged::Step {
            step: *step,
            steps,
            masked: *masked,
        }),
        Event::Move { step, to } => to_js(&Tagged::Move {
            step: *step,
            device: &to.device,
            message: &to.message,
        }),
        Event::Refusal(refusal) => {
            let tagged = Tagged::Refusal {
                step: refusal.step,
                cell: refusal.cell,
                token: refusal.token,
                probability: refusal.probability,
                reason: refusal.reason,
            };
            with_bytes(to_js(&tagged)?, refusal.token, vocabulary)
        }
        Event::Commit(commit) => {
            let tagged = Tagged::Commit {
                step: commit.step,
                cell: commit.cell,
                token: commit.token,
                probability: commit.probability,
                how: commit.how,
                end: vocabulary.is_end(commit.token),
            };
            with_bytes(to_js(&tagged)?, commit.token, vocabulary)
        }
        Event::Remask { step, cell } => to_js(&Tagged::Remask {
            step: *step,
            cell: *cell,
        }),
        Event::Done {
            text,
            outcome,
            steps,
            timings,
        } => to_js(&Tagged::Done {
            text: String::from_utf8_lossy(text).into_owned(),
            outcome: *outcome,
            steps: *steps,
            timings: *timings,
        }),
    }
}

fn with_bytes(
    object: JsValue,
    token: TokenId,
    vocabulary: &Vocabulary,
) -> Result<JsValue, JsValue> {
    let bytes = js_sys::Uint8Array::from(vocabulary.bytes(token).unwrap_or_default());
    js_sys::Reflect::set(&object, &JsValue::from_str("bytes"), &bytes)?;
    Ok(object)
}
