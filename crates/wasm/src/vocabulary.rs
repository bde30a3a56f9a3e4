//! A vocabulary that JavaScript tells: the grammar engine alone reads no tokenizer.

use std::sync::Arc;

use lacuna_engine::Fault;
use lacuna_lexer::Vocabulary;
use wasm_bindgen::prelude::*;

use crate::crossing::thrown;
use crate::plain;

/// The bytes of every token.
#[wasm_bindgen]
#[derive(Clone)]
pub struct TokenTable(Arc<Vocabulary>);

#[wasm_bindgen]
impl TokenTable {
    /// A table of the tokens' bytes, one after the other in `bytes`, the length of each
    /// in `lengths` (0 for one that emits nothing); the ids that end a text, and the
    /// mask's.
    ///
    /// # Errors
    /// Throws if the lengths do not add up, or the table is no vocabulary.
    #[wasm_bindgen(constructor)]
    pub fn new(
        bytes: &[u8],
        lengths: &[u32],
        #[wasm_bindgen(unchecked_param_type = "readonly number[]")] ends: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "number")] mask: &JsValue,
    ) -> Result<TokenTable, JsValue> {
        let token = |id: &JsValue| plain::count(id, u32::MAX);
        let ends = plain::list(ends, "ends", "tokens' numbers", |id| token(&id))?;
        let mask =
            token(mask).ok_or_else(|| plain::invalid("mask", "this is no token's number"))?;
        let mut rest = bytes;
        let mut tokens = Vec::with_capacity(lengths.len());
        for &length in lengths {
            let (token, after) = rest.split_at_checked(length as usize).ok_or_else(|| {
                let message = "the tokens' lengths are more than their bytes";
                thrown(Fault::new("invalid-input", message))
            })?;
            tokens.push((!token.is_empty()).then(|| token.to_vec()));
            rest = after;
        }
        let vocabulary = Vocabulary::new(tokens, ends, mask)
            .map_err(|error| thrown(Fault::new("tokenizer", error.to_string())))?;
        Ok(Self(Arc::new(vocabulary)))
    }

    /// Another hold on the same table: handing one over gives it away.
    pub fn share(&self) -> TokenTable {
        self.clone()
    }
}

impl TokenTable {
    pub(crate) fn into_vocabulary(self) -> Arc<Vocabulary> {
        self.0
    }
}
