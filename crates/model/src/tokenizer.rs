//! `tokenizer.json`: text to ids, and the exact bytes of every id.
//!
//! Two things differ from what one usually does with a tokenizer. Special tokens are never
//! read out of text: a request that contains the characters `<|sep|>` is a request about
//! those characters. And tokens are bytes, not strings: the checker decides about the bytes
//! that will be emitted, and a token may hold a part of a character.
//!
//! Byte-level tokenizers (GPT-2's alphabet) and sentencepiece-like ones (`▁` for a blank,
//! `<0x0A>` for a byte) are understood; any other kind is refused, since its bytes would be a
//! guess.

use crate::config::ModelConfig;
use crate::tokenizer_parts::{BLANK, refuse_unsupported};
use std::collections::HashMap;
use thiserror::Error;
use tokenizers::decoders::DecoderWrapper;
use tokenizers::models::ModelWrapper;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;

/// A tokenizer that fits its model.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    token_bytes: Vec<Option<Vec<u8>>>,
    special: HashMap<String, u32>,
}

/// Why a tokenizer was refused, or could not encode.
#[derive(Debug, Error)]
pub enum TokenizerError {
    /// Not a `tokenizer.json`.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// A part of it that would make the bytes of tokens a guess, or is not to be had.
    #[error("{0} is not supported")]
    Unsupported(String),
    /// The tokenizer's vocabulary is not the model's.
    #[error("the tokenizer does not fit the model: it has {tokenizer} tokens, the model {model}")]
    VocabSize {
        /// Tokens in `tokenizer.json`, added ones included.
        tokenizer: usize,
        /// `vocab_size` in `config.json`.
        model: usize,
    },
    /// A token's id lies outside the model's vocabulary.
    #[error(
        "the tokenizer does not fit the model: token {token:?} has id {id}, the model has {model} tokens"
    )]
    IdOutOfRange {
        /// The token, as it is written in the file.
        token: String,
        /// Its id.
        id: u32,
        /// `vocab_size` in `config.json`.
        model: usize,
    },
    /// Two tokens with one id.
    #[error("the tokens {:?} and {:?} have the same id, {id}", tokens[0], tokens[1])]
    SameId {
        /// The tokens, as they are written in the file.
        tokens: [String; 2],
        /// Their id.
        id: u32,
    },
    /// The file does not say how tokens spell bytes, or not in a way known here.
    #[error("neither byte-level nor sentencepiece-like, so tokens have no bytes")]
    UnknownAlphabet,
    /// A token of a byte-level vocabulary with a character outside its alphabet.
    #[error("token {token:?} (id {id}) is not spelled in the byte-level alphabet")]
    NotInAlphabet {
        /// The token, as it is written in the file.
        token: String,
        /// Its id.
        id: u32,
    },
    /// A text that the tokenizer cannot encode.
    #[error("the text cannot be encoded: {0}")]
    Encode(String),
}

/// How the tokens of a vocabulary spell bytes.
#[derive(Clone, Copy, PartialEq)]
enum Spelling {
    ByteLevel,
    SentencePiece,
}

impl Tokenizer {
    /// Reads a `tokenizer.json` for the model that `config` describes.
    ///
    /// # Errors
    /// [`TokenizerError`]: above all, a vocabulary that is not the model's.
    pub fn from_json(json: &[u8], config: &ModelConfig) -> Result<Self, TokenizerError> {
        let mut inner = read(json)?;
        inner.set_encode_special_tokens(true);
        // Settings for training batches; a prompt is neither cut nor padded.
        let whole = inner.with_truncation(None);
        whole
            .map_err(|error| TokenizerError::Unreadable(error.to_string()))?
            .with_padding(None);
        without_dropout(&mut inner);
        let special = special_tokens(&inner);
        let mut token_bytes = token_bytes(&inner, Some(config.vocab_size))?;
        let ends = config.eos_token_ids.iter().copied();
        for id in ends
            .chain([config.mask_token_id])
            .chain(config.pad_token_id)
        {
            if let Some(entry) = token_bytes.get_mut(id as usize) {
                *entry = None;
            }
        }
        Ok(Self {
            inner,
            token_bytes,
            special,
        })
    }

    /// The exact bytes of every id of a `tokenizer.json`, whatever model it
    /// belongs to; none for special tokens and for ids that no token has.
    ///
    /// # Errors
    /// [`TokenizerError`], where the file is no tokenizer or its alphabet is
    /// unknown.
    pub fn read_token_bytes(json: &[u8]) -> Result<Vec<Option<Vec<u8>>>, TokenizerError> {
        Self::read_tokens(json).map(|(bytes, _)| bytes)
    }

    /// As [`Self::read_token_bytes`], and the special tokens as text, with their
    /// ids.
    ///
    /// # Errors
    /// The same.
    #[expect(clippy::type_complexity, reason = "two tables, as named above")]
    pub fn read_tokens(
        json: &[u8],
    ) -> Result<(Vec<Option<Vec<u8>>>, HashMap<String, u32>), TokenizerError> {
        let inner = read(json)?;
        Ok((token_bytes(&inner, None)?, special_tokens(&inner)))
    }

    /// The ids of a text, all of it taken as plain text.
    ///
    /// # Errors
    /// [`TokenizerError::Encode`], where the vocabulary cannot spell the text.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, TokenizerError> {
        let encoding = self
            .inner
            .encode_fast(text, false)
            .map_err(|error| TokenizerError::Encode(error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// The exact bytes of every id, `vocab_size` entries; none for special tokens, for the
    /// mask, the ends and the padding, and for ids that no token has.
    pub fn token_bytes(&self) -> &[Option<Vec<u8>>] {
        &self.token_bytes
    }

    /// The bytes that these ids emit; special tokens emit none.
    pub fn decode(&self, ids: &[u32]) -> Vec<u8> {
        let bytes = |&id: &u32| self.token_bytes.get(id as usize)?.as_deref();
        ids.iter().filter_map(bytes).flatten().copied().collect()
    }

    /// The special tokens, as text, with their ids.
    pub fn special_tokens(&self) -> &HashMap<String, u32> {
        &self.special
    }
}

fn read(json: &[u8]) -> Result<tokenizers::Tokenizer, TokenizerError> {
    refuse_unsupported(json)?;
    tokenizers::Tokenizer::from_bytes(json)
        .map_err(|error| TokenizerError::Unreadable(error.to_string()))
}

/// Without what training at random leaves out: the same text is always the same tokens.
fn without_dropout(tokenizer: &mut tokenizers::Tokenizer) {
    if let ModelWrapper::BPE(bpe) = tokenizer.get_model()
        && bpe.dropout.is_some()
    {
        let mut bpe = bpe.clone();
        bpe.dropout = None;
        tokenizer.with_model(bpe);
    }
}

fn token_bytes(
    inner: &tokenizers::Tokenizer,
    vocab_size: Option<usize>,
) -> Result<Vec<Option<Vec<u8>>>, TokenizerError> {
    let vocab = inner.get_vocab(true);
    if let Some(model) = vocab_size.filter(|&size| size != vocab.len()) {
        return Err(TokenizerError::VocabSize {
            tokenizer: vocab.len(),
            model,
        });
    }
    // Without a model's word on it, ids may have holes, but not many.
    let highest = vocab.values().copied().max().unwrap_or(0) as usize;
    let model = vocab_size.unwrap_or(highest.saturating_add(1).min(2 * vocab.len() + 1));
    let spelling = spelling(inner).ok_or(TokenizerError::UnknownAlphabet)?;
    let added = inner.get_added_tokens_decoder();
    let mut table = vec![None; model];
    let mut vocab: Vec<(String, u32)> = vocab.into_iter().collect();
    vocab.sort_unstable_by(|(a, of_a), (b, of_b)| (of_a, a).cmp(&(of_b, b)));
    if let Some([(first, id), (second, _)]) = vocab.array_windows().find(|[a, b]| a.1 == b.1) {
        return Err(TokenizerError::SameId {
            tokens: [first.clone(), second.clone()],
            id: *id,
        });
    }
    for (token, id) in vocab {
        let Some(entry) = table.get_mut(id as usize) else {
            return Err(TokenizerError::IdOutOfRange { token, id, model });
        };
        *entry = match added.get(&id) {
            Some(added) if added.special => None,
            // Added tokens are matched in the text itself, before any alphabet.
            Some(added) => Some(added.content.clone().into_bytes()),
            None => match spelling {
                Spelling::SentencePiece => Some(sentencepiece_bytes(&token)),
                Spelling::ByteLevel => match byte_level_bytes(&token) {
                    Some(bytes) => Some(bytes),
                    None => return Err(TokenizerError::NotInAlphabet { token, id }),
                },
            },
        };
    }
    Ok(table)
}

fn special_tokens(inner: &tokenizers::Tokenizer) -> HashMap<String, u32> {
    let added = inner.get_added_tokens_decoder().into_iter();
    added
        .filter(|(_, token)| token.special)
        .map(|(id, token)| (token.content, id))
        .collect()
}

fn spelling(inner: &tokenizers::Tokenizer) -> Option<Spelling> {
    let decoder = inner.get_decoder().and_then(decoder_spelling);
    decoder.or_else(|| inner.get_pre_tokenizer().and_then(pre_tokenizer_spelling))
}

fn decoder_spelling(decoder: &DecoderWrapper) -> Option<Spelling> {
    match decoder {
        DecoderWrapper::ByteLevel(_) => Some(Spelling::ByteLevel),
        DecoderWrapper::Metaspace(_) | DecoderWrapper::ByteFallback(_) => {
            Some(Spelling::SentencePiece)
        }
        DecoderWrapper::Sequence(parts) => parts.get_decoders().iter().find_map(decoder_spelling),
        _ => None,
    }
}

fn pre_tokenizer_spelling(pre_tokenizer: &PreTokenizerWrapper) -> Option<Spelling> {
    match pre_tokenizer {
        PreTokenizerWrapper::ByteLevel(_) => Some(Spelling::ByteLevel),
        PreTokenizerWrapper::Metaspace(_) => Some(Spelling::SentencePiece),
        PreTokenizerWrapper::Sequence(parts) => {
            parts.as_ref().iter().find_map(pre_tokenizer_spelling)
        }
        _ => None,
    }
}

/// GPT-2's alphabet: printable Latin-1 characters stand for themselves, the other 68 bytes,
/// in order, for U+0100 and up.
fn byte_level_bytes(token: &str) -> Option<Vec<u8>> {
    token.chars().map(byte_of_char).collect()
}

fn byte_of_char(c: char) -> Option<u8> {
    match u32::from(c) {
        code @ (0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) => Some(code as u8),
        code @ 0x100..=0x120 => Some((code - 0x100) as u8), // 0x00..=0x20
        code @ 0x121..=0x142 => Some((code - 0x121 + 0x7f) as u8), // 0x7f..=0xa0
        0x143 => Some(0xad),
        _ => None,
    }
}

fn sentencepiece_bytes(token: &str) -> Vec<u8> {
    let hex = token
        .strip_prefix("<0x")
        .and_then(|rest| rest.strip_suffix('>'));
    let digits = |hex: &&str| hex.len() == 2 && hex.bytes().all(|b| b.is_ascii_hexdigit());
    match hex
        .filter(digits)
        .and_then(|hex| u8::from_str_radix(hex, 16).ok())
    {
        Some(byte) => vec![byte],
        None => token.replace(BLANK, " ").into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alphabet_is_a_bijection_of_all_bytes() {
        let mut seen = [0; 256];
        for code in 0..0x200 {
            if let Some(byte) = char::from_u32(code).and_then(byte_of_char) {
                seen[usize::from(byte)] += 1;
            }
        }
        assert_eq!(seen, [1; 256]);
        assert_eq!(byte_level_bytes("Ġa"), Some(b" a".to_vec()));
        assert_eq!(byte_level_bytes("Ċ"), Some(b"\n".to_vec()));
        assert_eq!(byte_level_bytes("☃"), None);
    }

    #[test]
    fn sentencepiece_spells_blanks_and_bytes() {
        assert_eq!(sentencepiece_bytes("▁the"), b" the");
        assert_eq!(sentencepiece_bytes("<0xE2>"), [0xe2]);
        assert_eq!(sentencepiece_bytes("<0xE2"), b"<0xE2");
        assert_eq!(sentencepiece_bytes("<0x+2>"), b"<0x+2>");
    }
}
