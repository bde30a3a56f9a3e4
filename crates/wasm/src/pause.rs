//! Pauses within a step, in which the worker reads its messages.

use std::future::ready;

use js_sys::{Function, Promise};
use lacuna_decoder::Pause;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::now::performance_now;

/// Milliseconds of work between two pauses: a turn of the message queue is not free.
const WORK_MS: f64 = 12.0;

/// A pause in which `turn` is called; it gives a promise of whether to go on.
pub(crate) fn pausing(turn: Function) -> Pause {
    let mut last = performance_now();
    Box::new(move || {
        let now = performance_now();
        if now - last < WORK_MS {
            return Box::pin(ready(true));
        }
        last = now;
        let turn = turn.clone();
        Box::pin(async move {
            let Ok(promise) = turn.call0(&JsValue::UNDEFINED) else {
                return false;
            };
            let answer = JsFuture::from(Promise::resolve(&promise)).await;
            answer.is_ok_and(|answer| answer.is_truthy())
        })
    })
}
