//! Completions that are looked for before they are needed.
//!
//! Oracle: where nothing is recovered, a run writes the same whatever it looks at ahead; and a
//! model that knows its text is asked to wait for fewer checks.

use std::sync::Arc;

use lacuna_checker::{Checker, CheckerLimits};
use lacuna_decoder::{Event, Options, Run, Timings};
use lacuna_grammar::gbnf;
use lacuna_lexer::TokenId;
use pollster::block_on;

use crate::support::{ADVERSARIES, ARITHMETIC, COUNTED, JSON, Model, varied, vocabulary};

/// Runs over a canvas of masks to the end: all events but that, and the timings.
fn decode(grammar: &str, model: Model, options: &Options) -> (Vec<Event>, Timings) {
    let vocabulary = vocabulary();
    let grammar = gbnf::parse(grammar).expect("a grammar");
    let limits = CheckerLimits::default();
    let checker = Checker::new(&grammar, Some(Arc::clone(&vocabulary)), limits);
    let checker = Some(checker.expect("a checker"));
    let run = Run::new(
        model,
        vocabulary,
        checker,
        options.clone(),
        Box::new(|| 0.0),
    );
    let mut run = run.expect("a run");
    let mut events = Vec::new();
    while !run.is_done() {
        events.extend(block_on(run.step()).expect("a step"));
    }
    events.pop();
    (events, run.timings())
}

#[test]
fn what_is_looked_at_ahead_changes_nothing_that_is_written() {
    let mut compared = 0;
    for index in 0..180 {
        let grammar = [JSON, COUNTED, ARITHMETIC][index % 3];
        let adversary = ADVERSARIES[index % ADVERSARIES.len()];
        let decode = |foresight| {
            let options = Options {
                length: 14,
                foresight,
                ..varied(index)
            };
            let model = Model::new(adversary, vocabulary());
            decode(grammar, model, &options)
        };
        let (events, timings) = decode(0.0);
        // What is recovered is taken from a completion, of which there are many.
        if timings.recovered > 0 {
            continue;
        }
        compared += 1;
        for foresight in [1.0, 20.0] {
            assert_eq!(decode(foresight).0, events, "{foresight}, {index}");
        }
    }
    assert!(compared >= 60, "{compared}");
}

/// The longest tokens first.
fn tokens(mut text: &str) -> Vec<TokenId> {
    let vocabulary = vocabulary();
    let mut tokens = Vec::new();
    while !text.is_empty() {
        let all = 0..vocabulary.len() as TokenId;
        let fits = all.filter_map(|token| {
            let bytes = vocabulary.bytes(token)?;
            text.as_bytes()
                .starts_with(bytes)
                .then_some((bytes.len(), token))
        });
        let (length, token) = fits.max().expect("a token");
        tokens.push(token);
        text = &text[length..];
    }
    tokens
}

#[test]
fn a_model_that_knows_its_text_waits_for_fewer_checks() {
    let text = tokens(
        "{\"abc\":[1,2,{\"z\":null}],\"a\":\"b c\"}"
            .replace('2', "9")
            .as_str(),
    );
    let checks = |foresight, sureness| {
        let options = Options {
            length: text.len() + 3,
            steps: 12,
            foresight,
            ..Options::default()
        };
        let model = Model::knowing(text.clone(), sureness, vocabulary());
        let (events, timings) = decode(JSON, model, &options);
        let written = events.iter().filter_map(|event| match event {
            Event::Commit(commit) => Some((commit.cell, commit.token)),
            _ => None,
        });
        let mut written: Vec<(usize, TokenId)> = written.collect();
        written.sort_unstable();
        let known = written.iter().zip(&text).all(|(a, b)| a.1 == *b);
        assert!(known && written.len() >= text.len(), "{written:?}");
        timings.checks
    };
    let without = checks(0.0, 12.0);
    assert!(without >= 8, "{without}");
    // All of it goes together at once.
    assert_eq!(checks(1.0, 12.0), 2);
    // Of what it is less sure of, some does.
    let some = checks(1.0, 6.0);
    assert!((3..without).contains(&some), "{some} of {without}");
}
