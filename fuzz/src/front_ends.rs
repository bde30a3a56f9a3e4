//! Front ends: no text makes one panic or hang, findings and warnings lie within
//! the text, and what is read can be linted and cut at a depth.
//!
//! Oracle: a grammar cut at a depth holds no text that the whole one does not, as
//! the plain recogniser sees it.

use lacuna_grammar::json_schema::SchemaOptions;
use lacuna_grammar::lint::{LintOptions, lint};
use lacuna_grammar::nesting::limit_nesting;
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Diagnostic, Diagnostics, Linted, Place, TokenTexts};

use super::input;

/// GBNF, without a tokenizer and with one.
pub fn gbnf(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    judge(text, lacuna_grammar::gbnf::lint(text));
    judge(text, lacuna_grammar::gbnf::read(text, Some(&SomeTokens)));
    if let Some(grammar) = input::small_grammar(text) {
        let whole = Linted::silent(grammar, Place::Pointer(String::new()));
        cut(&whole);
    }
}

/// Lark.
pub fn lark(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let options = lacuna_grammar::lark::Options::default();
    judge(text, lacuna_grammar::lark::parse_with(text, &options));
    let started = format!("start: \"a\"\n{text}");
    judge(
        &started,
        lacuna_grammar::lark::parse_with(&started, &options),
    );
}

/// Regular expressions.
pub fn regex(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let whole = Place::Span {
        start: 0,
        end: text.len(),
    };
    let read = lacuna_grammar::regex::parse(text);
    judge(text, read.map(|grammar| Linted::silent(grammar, whole)));
}

/// JSON Schema, for writing and for judging.
pub fn json_schema(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    for options in [SchemaOptions::generation(), SchemaOptions::membership()] {
        let options = options.with_text("request", "two words");
        let read = lacuna_grammar::json_schema::compile(text, &options);
        let root = Place::Pointer(String::new());
        judge(text, read.map(|grammar| Linted::silent(grammar, root)));
    }
}

fn judge(text: &str, read: Result<Linted, Diagnostics>) {
    let within = |finding: &Diagnostic| {
        assert!(!finding.message.is_empty());
        if let Place::Span { start, end } = finding.place {
            assert!(start <= end && end <= text.len(), "{finding} in {text:?}");
            assert!(text.is_char_boundary(start), "{finding} in {text:?}");
            assert!(text.is_char_boundary(end), "{finding} in {text:?}");
            assert!(finding.line_and_column(text).is_some());
        }
    };
    match read {
        Ok(linted) => {
            linted.warnings.iter().for_each(within);
            let found = lint(&linted, &LintOptions::default());
            found.iter().for_each(within);
            assert_eq!(linted.places.len(), linted.grammar.rules.len());
        }
        Err(found) => {
            assert!(!found.0.is_empty());
            found.0.iter().for_each(within);
        }
    }
}

fn cut(whole: &Linted) {
    let Ok(limited) = limit_nesting(whole, 1) else {
        return;
    };
    if limited.grammar.rules.len() > 200 {
        return;
    }
    for text in ["", "a", "b", "aa", "ab", "(a)", "((a))", "[a]"] {
        let text = text.as_bytes();
        if recognize(&limited.grammar, text) {
            assert!(recognize(&whole.grammar, text), "{text:?}");
        }
    }
}

/// A few tokens, some alike, some without a place in a text.
struct SomeTokens;

impl TokenTexts for SomeTokens {
    fn count(&self) -> u32 {
        7
    }

    fn text(&self, token: u32) -> Option<&[u8]> {
        let texts = [
            None,
            Some("<t>"),
            Some("a"),
            Some("ab"),
            Some("b"),
            Some("a"),
            Some(""),
        ];
        texts.get(token as usize)?.map(str::as_bytes)
    }
}
