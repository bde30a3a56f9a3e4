//! Vocabularies from files of the form `tokenizer.json`, and texts as their tokens.

use std::collections::HashMap;
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
        let mut ends: Vec<usize> = (0..=bytes.len()).collect();
        loop {
            let pairs = ends.windows(3).enumerate();
            let joined = pairs.filter_map(|(at, w)| Some((*self.ids.get(&bytes[w[0]..w[2]])?, at)));
            match joined.min() {
                Some((_, at)) => drop(ends.remove(at + 1)),
                None => break,
            }
        }
        let tokens = ends.windows(2).map(|w| self.ids[&bytes[w[0]..w[1]]]);
        tokens.collect()
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
