//! Vocabularies from files of the form `tokenizer.json`, and texts as their tokens.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lacuna_lexer::{TokenId, Vocabulary};
use serde_json::Value;

/// A vocabulary with what encoding needs.
pub struct Encoder {
    /// What to call it in tables.
    pub name: String,
    /// The tokens.
    pub vocabulary: Arc<Vocabulary>,
    ids: HashMap<Vec<u8>, TokenId>,
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Encoder {
    /// The large vocabulary, if it was fetched.
    pub fn large() -> Option<Self> {
        let path = root().join(".lacuna/cl100k_base/tokenizer.json");
        path.exists().then(|| Self::read(&path, "cl100k"))
    }

    /// That of the model that ships.
    pub fn shipped() -> Self {
        let path = root().join("models/lacuna-mini/tokenizer.json");
        Self::read(&path, "lacuna-mini")
    }

    fn read(path: &Path, name: &str) -> Self {
        let json = |path: &Path| -> Value {
            let text = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        };
        let (tokenizer, config) = (json(path), json(&path.with_file_name("config.json")));
        let spelled = spelled_bytes();
        let vocab = tokenizer["model"]["vocab"]
            .as_object()
            .expect("a vocabulary");
        let added = tokenizer["added_tokens"].as_array().expect("added tokens");
        let id = |value: &Value| value.as_u64().expect("an id") as usize;
        let special: Vec<usize> = added.iter().map(|token| id(&token["id"])).collect();
        let count = vocab.values().map(id).chain(special.iter().copied()).max();
        let mut tokens = vec![None; count.expect("a token") + 1];
        let mut ids = HashMap::new();
        for (token, number) in vocab {
            let number = id(number);
            let bytes = token.chars().map(|c| spelled.get(&c).copied());
            if let (false, Some(bytes)) = (special.contains(&number), bytes.collect::<Option<_>>())
            {
                let bytes: Vec<u8> = bytes;
                ids.insert(bytes.clone(), number as TokenId);
                tokens[number] = Some(bytes);
            }
        }
        let ends = config["eos_token_id"].as_array().expect("ends");
        let ends = ends.iter().map(|end| id(end) as TokenId).collect();
        let mask = id(&config["mask_token_id"]) as TokenId;
        Self {
            name: name.to_owned(),
            vocabulary: Arc::new(Vocabulary::new(tokens, ends, mask).expect("a vocabulary")),
            ids,
        }
    }

    /// A text's tokens: byte pairs are joined, that of the lowest id first, as byte
    /// pair encodings were made. Splitting a text into words beforehand is left
    /// out: tokens across words were never learnt.
    pub fn encode(&self, text: &str) -> Vec<TokenId> {
        let bytes = text.as_bytes();
        // Where the token that begins at a byte ends, and where the one that ends there begins.
        let mut ends: Vec<usize> = (1..=bytes.len()).collect();
        let mut starts: Vec<usize> = (0..=bytes.len()).map(|end| end.saturating_sub(1)).collect();
        let pair = |start: usize, middle: usize, end: usize| {
            let id = *self.ids.get(&bytes[start..end])?;
            Some(Reverse((id, start, middle, end)))
        };
        let neighbours = (2..=bytes.len()).filter_map(|end| pair(end - 2, end - 1, end));
        let mut pairs: BinaryHeap<_> = neighbours.collect();
        while let Some(Reverse((_, start, middle, end))) = pairs.pop() {
            // One of the two may be part of another by now.
            if starts[middle] != start || ends[start] != middle || ends[middle] != end {
                continue;
            }
            ends[start] = end;
            starts[end] = start;
            // No token begins or ends there any more.
            (ends[middle], starts[middle]) = (middle, middle);
            if start > 0 {
                pairs.extend(pair(starts[start], start, end));
            }
            if end < bytes.len() {
                pairs.extend(pair(start, end, ends[end]));
            }
        }
        let all = std::iter::successors(Some(0), |&start| ends.get(start).copied());
        let all = all.take_while(|&start| start < bytes.len());
        all.map(|start| self.ids[&bytes[start..ends[start]]])
            .collect()
    }
}

/// The bytes behind the characters in which `tokenizer.json` spells them: GPT-2's
/// alphabet.
fn spelled_bytes() -> HashMap<char, u8> {
    let readable = |byte: &u8| matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
    let themselves = (0..=255u8)
        .filter(readable)
        .map(|byte| (char::from(byte), byte));
    let others = (0..=255u8).filter(|byte| !readable(byte));
    let others = ('\u{100}'..).zip(others);
    themselves.chain(others).collect()
}
