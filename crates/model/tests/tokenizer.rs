//! Tokenizers small enough to read, of both spellings: bytes are exact, special tokens are
//! not read out of text, and a tokenizer of another model is refused with both numbers.

use crate::common;
use lacuna_model::{ModelConfig, PromptTemplate, Tokenizer, TokenizerError};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const SPECIAL: [&str; 3] = ["<|end|>", "<|mask|>", "<|sep|>"];

/// GPT-2's alphabet as its paper's code builds it, not as the crate computes it.
fn alphabet() -> Vec<char> {
    let printable = |b: u8| matches!(b, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let mut next = 0x100;
    (0..=255u8)
        .map(|byte| match printable(byte) {
            true => char::from(byte),
            false => {
                next += 1;
                char::from_u32(next - 1).unwrap()
            }
        })
        .collect()
}

/// Three special tokens, all bytes, and merges, some of which end within a character.
fn byte_level() -> Value {
    let merges = [
        ["t", "h"],
        ["th", "e"],
        ["Ġ", "the"],
        ["Ã", "©"], // é
        ["â", "ĺ"], // two of the three bytes of ☃
        ["ð", "Ł"], // two of the four bytes of most emoji
        ["Ċ", "Ċ"],
    ];
    let tokens = SPECIAL.map(str::to_owned).into_iter();
    let tokens = tokens.chain(alphabet().into_iter().map(String::from));
    let tokens: Vec<String> = tokens
        .chain(merges.iter().map(|pair| pair.concat()))
        .collect();
    tokenizer(
        &tokens,
        json!(merges),
        json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}),
        json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}),
        false,
    )
}

fn sentencepiece() -> Value {
    let bytes = (0..=255).map(|byte| format!("<0x{byte:02X}>"));
    let letters = ["▁", "a", "b", "é", "ab", "▁a"].map(str::to_owned);
    let tokens: Vec<String> = SPECIAL
        .map(str::to_owned)
        .into_iter()
        .chain(bytes)
        .chain(letters)
        .collect();
    tokenizer(
        &tokens,
        json!([["a", "b"], ["▁", "a"]]),
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": false}),
        json!({"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"}]}),
        true,
    )
}

fn tokenizer(
    tokens: &[String],
    merges: Value,
    pre_tokenizer: Value,
    decoder: Value,
    byte_fallback: bool,
) -> Value {
    let vocab: Map<_, _> = tokens
        .iter()
        .enumerate()
        .map(|(id, token)| (token.clone(), json!(id)))
        .collect();
    let added: Vec<_> = SPECIAL
        .iter()
        .enumerate()
        .map(|(id, content)| added(id, content))
        .collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added,
        "normalizer": null, "pre_tokenizer": pre_tokenizer, "post_processor": null,
        "decoder": decoder,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "fuse_unk": false,
            "continuing_subword_prefix": null, "end_of_word_suffix": null,
            "byte_fallback": byte_fallback, "ignore_merges": false,
            "vocab": vocab, "merges": merges,
        }
    })
}

fn added(id: usize, content: &str) -> Value {
    json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
        "normalized": false, "special": true})
}

fn config(vocab_size: usize) -> ModelConfig {
    ModelConfig {
        vocab_size,
        ..common::ten_million()
    }
}

fn load(value: &Value) -> Tokenizer {
    let size = value["model"]["vocab"].as_object().unwrap().len();
    Tokenizer::from_json(value.to_string().as_bytes(), &config(size)).unwrap()
}

fn error(value: &Value, vocab_size: usize) -> TokenizerError {
    let read = Tokenizer::from_json(value.to_string().as_bytes(), &config(vocab_size));
    read.err().expect("an error")
}

#[test]
fn tokens_are_bytes_and_may_split_characters() {
    let tokenizer = load(&byte_level());
    let bytes = tokenizer.token_bytes();
    assert_eq!(bytes.len(), 266);
    assert!(bytes[..3].iter().all(Option::is_none));
    for byte in 0..=255u8 {
        assert_eq!(bytes[3 + usize::from(byte)].as_deref(), Some(&[byte][..]));
    }
    assert_eq!(bytes[261].as_deref(), Some(&b" the"[..]));
    assert_eq!(bytes[263].as_deref(), Some(&"☃".as_bytes()[..2]));
    let snowman = tokenizer.encode("☃").unwrap();
    assert_eq!(snowman, [263, 3 + 0x83]);
}

#[test]
fn bytes_are_read_without_a_model_too() {
    let json = byte_level().to_string();
    let alone = Tokenizer::read_token_bytes(json.as_bytes()).unwrap();
    assert_eq!(alone, load(&byte_level()).token_bytes());
    let mut hole = byte_level();
    hole["model"]["vocab"]["ĊĊ"] = json!(u32::MAX);
    let read = Tokenizer::read_token_bytes(hole.to_string().as_bytes());
    assert!(matches!(read, Err(TokenizerError::IdOutOfRange { .. })));
}

#[test]
fn sentencepiece_tokens_are_bytes() {
    let tokenizer = load(&sentencepiece());
    let ids = tokenizer.encode("ab é\u{1f600}").unwrap();
    assert_eq!(tokenizer.decode(&ids), "ab é\u{1f600}".as_bytes());
    assert_eq!(
        tokenizer.token_bytes()[3 + 0xe2].as_deref(),
        Some(&[0xe2][..])
    );
    assert_eq!(tokenizer.token_bytes()[264].as_deref(), Some(&b" a"[..]));
}

#[test]
fn special_tokens_in_a_text_are_text() {
    for value in [byte_level(), sentencepiece()] {
        let tokenizer = load(&value);
        let ids = tokenizer.encode("a<|sep|><|mask|>b").unwrap();
        assert!(ids.iter().all(|&id| id > 2), "{ids:?}");
        assert_eq!(tokenizer.decode(&ids), b"a<|sep|><|mask|>b");
    }
}

#[test]
fn a_prompt_is_its_template_filled_in() {
    let tokenizer = load(&byte_level());
    let template = PromptTemplate::new("{task}\n{request}<|sep|>", &tokenizer);
    let plain = |text: &str| tokenizer.encode(text).unwrap();
    let ids = template
        .fill(&tokenizer, "task {request}", "a<|sep|>{task}")
        .unwrap();
    let mut expected = plain("task {request}\na<|sep|>{task}");
    expected.push(2);
    assert_eq!(ids, expected);
    // One text between special tokens: the two line ends are one token.
    let ids = template.fill(&tokenizer, "a\n", "").unwrap();
    assert_eq!(ids, [u32::from(b'a') + 3, 265, 2]);
}

#[test]
fn a_tokenizer_of_another_model_is_refused_with_both_numbers() {
    let message = error(&byte_level(), 2048).to_string();
    assert!(
        message.contains("266") && message.contains("2048"),
        "{message}"
    );
    assert!(matches!(
        error(&byte_level(), 265),
        TokenizerError::VocabSize {
            tokenizer: 266,
            model: 265
        }
    ));
    let mut hole = byte_level();
    hole["model"]["vocab"]["ĊĊ"] = json!(4000);
    assert!(matches!(
        error(&hole, 266),
        TokenizerError::IdOutOfRange {
            id: 4000,
            model: 266,
            ..
        }
    ));
}

#[test]
fn tokens_without_known_bytes_are_refused() {
    let mut unknown = byte_level();
    unknown["decoder"] = Value::Null;
    unknown["pre_tokenizer"] = Value::Null;
    assert!(matches!(
        error(&unknown, 266),
        TokenizerError::UnknownAlphabet
    ));
    let mut foreign = byte_level();
    foreign["model"]["vocab"]["☃"] = json!(266);
    assert!(matches!(
        error(&foreign, 267),
        TokenizerError::NotInAlphabet { id: 266, .. }
    ));
}

/// What the library panics on, and what would make the bytes of tokens a guess.
#[test]
fn parts_that_are_not_supported_are_named() {
    let sequence = |part| json!({"type": "Sequence", "normalizers": [part]});
    let metaspace = json!({"type": "Metaspace", "replacement": "_", "prepend_scheme": "never"});
    let fixed =
        json!({"type": "Sequence", "pretokenizers": [{"type": "FixedLength", "length": 0}]});
    let replace = json!({"type": "Replace", "pattern": {"String": "_"}, "content": " "});
    for (field, value) in [
        ("normalizer", json!({"type": "Precompiled"})),
        ("normalizer", json!({"precompiled_charsmap": null})),
        (
            "normalizer",
            sequence(json!({"type": "Precompiled", "precompiled_charsmap": "AA=="})),
        ),
        ("pre_tokenizer", fixed),
        ("pre_tokenizer", metaspace.clone()),
        ("decoder", metaspace),
        (
            "decoder",
            json!({"type": "Sequence", "decoders": [replace, {"type": "ByteFallback"}]}),
        ),
        ("model/continuing_subword_prefix", json!("##########")),
        ("model/end_of_word_suffix", json!("</w>")),
    ] {
        let mut tokenizer = byte_level();
        *tokenizer.pointer_mut(&format!("/{field}")).unwrap() = value;
        let error = error(&tokenizer, 266);
        assert!(matches!(error, TokenizerError::Unsupported(_)), "{error}");
        let named = field.replace('/', ".");
        assert!(error.to_string().starts_with(&named), "{error}");
        assert!(Tokenizer::read_token_bytes(tokenizer.to_string().as_bytes()).is_err());
    }
}

#[test]
fn two_tokens_with_one_id_are_refused() {
    let mut twice = byte_level();
    twice["model"]["vocab"]["ĊĊ"] = json!(261);
    let error = error(&twice, 266).to_string();
    assert_eq!(error, r#"the tokens "ĊĊ" and "Ġthe" have the same id, 261"#);
}

#[test]
fn nothing_is_left_out_at_random() {
    let mut training = byte_level();
    training["model"]["dropout"] = json!(0.9);
    let text = "the the the";
    let expected = load(&byte_level()).encode(text).unwrap();
    let tokenizer = load(&training);
    for _ in 0..20 {
        assert_eq!(tokenizer.encode(text).unwrap(), expected);
    }
}

#[test]
fn a_truncated_tokenizer_is_an_error() {
    let whole = byte_level().to_string();
    for length in (0..whole.len())
        .step_by(97)
        .filter(|&length| whole.is_char_boundary(length))
    {
        let read = Tokenizer::from_json(&whole.as_bytes()[..length], &config(266));
        let bytes = Tokenizer::read_token_bytes(&whole.as_bytes()[..length]);
        assert!(bytes.is_err(), "{length}");
        assert!(
            matches!(read.err(), Some(TokenizerError::Unreadable(_))),
            "{length}"
        );
    }
}

/// A random child of a value, as a JSON pointer's step.
fn children(value: &Value, random: &mut common::Random) -> Option<String> {
    let step = |key: String| format!("/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Array(items) if !items.is_empty() => {
            Some(step(random.below(items.len()).to_string()))
        }
        Value::Object(items) if !items.is_empty() => items
            .keys()
            .nth(random.below(items.len()))
            .cloned()
            .map(step),
        _ => None,
    }
}

/// Parts of the file replaced by something else: an error or a tokenizer, never a panic.
#[test]
fn damaged_tokenizers_do_not_panic() {
    let random = &mut common::Random(11);
    let replacements = [
        json!(null),
        json!(0),
        json!(-1),
        json!(1e300),
        json!(4_294_967_295u64),
        json!(true),
        json!(""),
        json!("☃"),
        json!([]),
        json!({}),
        json!([["a"]]),
        json!({"type": "Fuse"}),
        json!({"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated", "invert": false}),
    ];
    for round in 0..600 {
        let mut value = if round % 2 == 0 {
            byte_level()
        } else {
            sentencepiece()
        };
        // A random place: downwards until a leaf, or until the coin says so.
        let mut pointer = String::new();
        while let Some(below) = children(value.pointer(&pointer).unwrap(), random) {
            pointer.push_str(&below);
            if random.below(4) == 0 {
                break;
            }
        }
        let replacement = replacements[random.below(replacements.len())].clone();
        *value.pointer_mut(&pointer).unwrap() = replacement;
        let _ = Tokenizer::read_token_bytes(value.to_string().as_bytes());
        let read = Tokenizer::from_json(value.to_string().as_bytes(), &config(266));
        if let Ok(tokenizer) = read {
            let _ = tokenizer.encode("the é☃ <|sep|>\n\n");
        }
    }
}

proptest! {
    /// For every text, the bytes of its tokens are the bytes of the text.
    #[test]
    fn encoding_keeps_every_byte(text in "\\PC*|(the |é|☃|<\\|sep\\|>|\u{1f600}|\n|\u{0}|[ -~])*") {
        let tokenizer = load(&byte_level());
        let ids = tokenizer.encode(&text).unwrap();
        prop_assert_eq!(tokenizer.decode(&ids), text.as_bytes());
    }
}
