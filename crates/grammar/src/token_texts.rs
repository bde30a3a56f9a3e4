//! What a grammar may ask of a tokenizer.
//!
//! This crate knows no vocabulary; a dialect that names tokens (GBNF) is handed
//! one behind this trait.

/// The texts of a tokenizer's tokens.
pub trait TokenTexts {
    /// Ids are smaller than this.
    fn count(&self) -> u32;

    /// The bytes that stand for a token in a text, special tokens included; `None`
    /// for one that has no place in a text (a mask, an end of text, an id that no
    /// token has).
    fn text(&self, token: u32) -> Option<&[u8]>;
}
