//! Time, as JavaScript has it: for how long something took, and for waiting.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &Function, milliseconds: f64) -> JsValue;
    #[wasm_bindgen(js_name = clearTimeout)]
    fn clear_timeout(id: &JsValue);
}

/// A wait that is called off when it is dropped.
pub(crate) struct Timeout {
    id: JsValue,
    over: JsFuture,
}

impl Timeout {
    pub(crate) fn after(duration: Duration) -> Self {
        let mut id = JsValue::UNDEFINED;
        let promise = Promise::new(&mut |resolve, _| {
            id = set_timeout(&resolve, duration.as_secs_f64() * 1000.0);
        });
        Self {
            id,
            over: JsFuture::from(promise),
        }
    }
}

impl Future for Timeout {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.over).poll(context).map(|_| ())
    }
}

impl Drop for Timeout {
    fn drop(&mut self) {
        clear_timeout(&self.id);
    }
}
