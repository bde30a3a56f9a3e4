//! A run's events as JSON lines.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use lacuna_decoder::Event;
use lacuna_lexer::Vocabulary;
use serde_json::{Value, json};

/// One event as a JSON object; bytes that are no UTF-8 as base64.
pub fn to_json(event: &Event, vocabulary: &Vocabulary) -> Value {
    match event {
        Event::Step { step, masked } => json!({"type": "step", "step": step, "masked": masked}),
        Event::Move { step, to } => json!({
            "type": "move", "step": step, "device": to.device, "message": to.message,
        }),
        Event::Refusal(refusal) => tagged("refusal", json!(refusal), refusal.token, vocabulary),
        Event::Commit(commit) => tagged("commit", json!(commit), commit.token, vocabulary),
        Event::Remask { step, cell } => json!({"type": "remask", "step": step, "cell": cell}),
        Event::Done {
            text,
            outcome,
            steps,
            timings,
        } => json!({
            "type": "done", "text": bytes(text), "outcome": outcome, "steps": steps,
            "timings": timings,
        }),
    }
}

fn tagged(kind: &str, mut event: Value, token: u32, vocabulary: &Vocabulary) -> Value {
    event["type"] = kind.into();
    event["text"] = bytes(vocabulary.bytes(token).unwrap_or_default());
    event["end"] = vocabulary.is_end(token).into();
    event
}

fn bytes(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => json!({ "base64": BASE64_STANDARD.encode(bytes) }),
    }
}
