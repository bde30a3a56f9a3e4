//! What a compiled grammar is asked about texts with gaps, in the build that is it alone: the whole
//! engine's worker asks it for nothing but what it is.

use js_sys::{Array, Uint8Array, Uint32Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::Grammar;
use crate::crossing::{thrown, to_js};
use crate::now::performance_now;
use crate::plain;

#[derive(Serialize)]
struct CheckResult {
    completable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<String>,
    micros: u64,
}

#[wasm_bindgen]
impl Grammar {
    /// Whether a text with gaps can be completed: `segments` holds strings, bytes
    /// and, for gaps, `null`. A gap has any length, or the cells that `gaps` tells of
    /// each, in order; one at the end is an open tail.
    ///
    /// # Errors
    /// Throws if `segments` is something else, or a budget runs out.
    pub fn check(&mut self, segments: &JsValue, gaps: &JsValue) -> Result<JsValue, JsValue> {
        let (segments, gaps) = (read_segments(segments)?, read_gaps(gaps)?);
        let started = performance_now();
        let answer = self.session.check(&segments, gaps.as_deref());
        let answer = answer.map_err(thrown)?;
        to_js(&CheckResult {
            completable: answer.completable,
            witness: answer
                .witness
                .map(|text| String::from_utf8_lossy(&text).into_owned()),
            micros: ((performance_now() - started) * 1000.0) as u64,
        })
    }

    /// Why a text with gaps cannot be completed; the arguments are those of `check`.
    ///
    /// # Errors
    /// As of `check`.
    pub fn explain(&mut self, segments: &JsValue, gaps: &JsValue) -> Result<JsValue, JsValue> {
        let (segments, gaps) = (read_segments(segments)?, read_gaps(gaps)?);
        let explanation = self.session.explain(&segments, gaps.as_deref());
        to_js(&explanation.map_err(thrown)?)
    }

    /// The tokens that may stand in each masked cell of a canvas, all other masked
    /// cells being free: for each of `cells` that is `null` a list of ids, else `null`.
    ///
    /// # Errors
    /// Throws without a vocabulary, or if a budget runs out.
    pub fn allowed(&mut self, cells: &JsValue) -> Result<Array, JsValue> {
        let of = "tokens' numbers, and null where a cell is masked";
        let cells = plain::list(cells, "cells", of, read_cell)?;
        let masks = self.session.masks(cells).map_err(thrown)?;
        let allowed = masks.cells.iter().map(|mask| match mask {
            None => JsValue::NULL,
            Some(mask) => {
                let ids: Vec<u32> = mask.iter().map(|id| id as u32).collect();
                Uint32Array::from(ids.as_slice()).into()
            }
        });
        Ok(allowed.collect())
    }
}

/// Segments as JavaScript hands them over.
fn read_segments(segments: &JsValue) -> Result<Vec<Option<Vec<u8>>>, JsValue> {
    let read = |segment: JsValue| {
        if segment.is_null() {
            return Some(None);
        }
        let bytes = segment.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec);
        bytes
            .or_else(|| segment.as_string().map(String::into_bytes))
            .map(Some)
    };
    let of = "strings, bytes, and null for gaps";
    plain::list(segments, "segments", of, read)
}

/// How many cells each gap has, if they are counted.
fn read_gaps(gaps: &JsValue) -> Result<Option<Vec<usize>>, JsValue> {
    if gaps.is_undefined() {
        return Ok(None);
    }
    let read = |cells: JsValue| Some(plain::count(&cells, u32::MAX)? as usize);
    plain::list(gaps, "gaps", "numbers of cells", read).map(Some)
}

/// A cell as JavaScript hands it over: `Some(None)` is a masked one.
fn read_cell(cell: JsValue) -> Option<Option<u32>> {
    match cell.is_null() || cell.is_undefined() {
        true => Some(None),
        false => plain::count(&cell, u32::MAX).map(Some),
    }
}
