//! Slots: a spelling, then the values of a list, one a line.
//!
//! Oracle: a text belongs to a grammar that is nothing but the slot exactly if it
//! is one of the values as written down here; with a text handed over, every
//! single word of it belongs.

use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{OpenGrammar, Slots, lark};

use super::input;

/// A spelling as `%slot` has it, values, and texts to try.
pub fn slots(input: &[u8]) {
    let Some([spelling, values, texts]) = input::parts(input) else {
        return;
    };
    if values.len() > 500 || texts.len() > 500 {
        return;
    }
    let grammar = format!("start: A\n%slot A: {spelling}");
    let Ok(open) = lark::open(&grammar, &lark::Options::default()) else {
        return;
    };
    list(&open, spelling, values, texts);
    words(&open, spelling, values);
}

fn list(open: &OpenGrammar, spelling: &str, values: &str, texts: &str) {
    let values: Vec<&str> = values.lines().collect();
    let filled = open.fill(&Slots::default().with_list("A", values.iter().copied()));
    let (Some(spell), Ok(filled)) = (spelled(spelling), filled) else {
        return;
    };
    let belonging: Vec<String> = values.iter().map(|value| spell(value)).collect();
    for text in &belonging {
        assert!(recognize(&filled.grammar, text.as_bytes()), "{text:?}");
    }
    for text in texts.lines() {
        let belongs = belonging.iter().any(|known| known == text);
        assert_eq!(
            recognize(&filled.grammar, text.as_bytes()),
            belongs,
            "{text:?}"
        );
    }
}

fn words(open: &OpenGrammar, spelling: &str, text: &str) {
    let filled = open.fill(&Slots::default().with_text("A", text));
    let (Some(spell), Ok(filled)) = (spelled(spelling), filled) else {
        return;
    };
    // Words between blanks: other characters may be words or stand between them.
    let plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    for word in text
        .split(' ')
        .filter(plain)
        .filter(|word| !word.is_empty())
    {
        assert!(
            recognize(&filled.grammar, spell(word).as_bytes()),
            "{word:?}"
        );
    }
}

/// How a value is written, for the spellings that are judged.
fn spelled(spelling: &str) -> Option<fn(&str) -> String> {
    match spelling.trim() {
        "plain" => Some(str::to_owned),
        "json" => Some(|value| serde_json::Value::from(value).to_string()),
        "quoted \"\\\"\"" => Some(|value| format!("\"{}\"", value.replace('"', "\"\""))),
        "quoted \"'\"" => Some(|value| format!("'{}'", value.replace('\'', "''"))),
        _ => None,
    }
}
