//! Completions that are looked for before they are needed.
//!
//! Oracle: where nothing is recovered, a run writes the same whatever it looks at ahead; and a
//! model that knows its text is asked to wait for fewer checks.

use lacuna_checker::{Checker, CheckerLimits};
use lacuna_decoder::{Event, Options, Run, Timings};
use lacuna_grammar::gbnf;
use lacuna_lexer::TokenId;
use pollster::block_on;

use crate::support::{ADVERSARIES, ARITHMETIC, COUNTED, JSON, Model, varied, vocabulary};

/// A grammar of a dozen lexemes of one byte.
const MANY: &str = r#"
root ::= item ("," item)*
item ::= "(" item ")" | "[" item "]" | "{" item "}" | item "+" [0-9]+ | [a-z]+ ":" item | [0-9]+ | [a-z]+ "!"
"#;

fn checker(grammar: &str) -> Checker {
    let grammar = gbnf::parse(grammar).expect("a grammar");
    let limits = CheckerLimits {
        // As if terminals were many, so that on large canvases the model's likely tokens are heeded.
        lexemes_from: 1,
        ..CheckerLimits::default()
    };
    Checker::new(&grammar, Some(vocabulary()), limits).expect("a checker")
}

/// Runs over a canvas of masks to the end: all events but that, and the timings.
fn decode(grammar: &str, model: Model, options: &Options) -> (Vec<Event>, Timings) {
    let (vocabulary, checker) = (vocabulary(), Some(checker(grammar)));
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
    let (mut compared, mut heeded) = (0, 0);
    for index in 0..180 {
        let (grammar, length) = match index % 16 {
            15 => (MANY, 72),
            other => ([JSON, COUNTED, ARITHMETIC][other % 3], 14),
        };
        assert_eq!(checker(grammar).heeds_weights(length), length == 72);
        let adversary = ADVERSARIES[index % ADVERSARIES.len()];
        let decode = |foresight| {
            let options = Options {
                length,
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
        heeded += usize::from(length == 72);
        for foresight in [1.0, 20.0] {
            assert_eq!(decode(foresight).0, events, "{foresight}, {index}");
        }
    }
    assert!(compared >= 60 && heeded >= 5, "{compared}, {heeded}");
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

/// Checks of a run over a canvas of a model that knows a text, which is what the run writes.
fn checks(grammar: &str, text: &[TokenId], foresight: f32, sureness: f32) -> usize {
    let options = Options {
        length: text.len() + 3,
        steps: 12,
        foresight,
        ..Options::default()
    };
    let model = Model::knowing(text.to_vec(), sureness, vocabulary());
    let (events, timings) = decode(grammar, model, &options);
    let written = events.iter().filter_map(|event| match event {
        Event::Commit(commit) => Some((commit.cell, commit.token)),
        _ => None,
    });
    let mut written: Vec<(usize, TokenId)> = written.collect();
    written.sort_unstable();
    let known = written.iter().zip(text).all(|(a, b)| a.1 == *b);
    assert!(known && written.len() >= text.len(), "{written:?}");
    timings.checks
}

const OBJECT: &str = r#"{"abc":[1,9,{"z":null}],"a":"b c"}"#;

#[test]
fn a_model_that_knows_its_text_waits_for_fewer_checks() {
    let text = tokens(OBJECT);
    let without = checks(JSON, &text, 0.0, 12.0);
    assert!(without >= 8, "{without}");
    // All of it goes together at once.
    assert_eq!(checks(JSON, &text, 1.0, 12.0), 2);
    // Of what it is less sure of, some does.
    let some = checks(JSON, &text, 1.0, 6.0);
    assert!((3..without).contains(&some), "{some} of {without}");
}

#[test]
fn the_completion_of_a_large_canvas_is_what_a_model_has_in_mind() {
    let text = tokens(&["{abc:([z:{b!+9}]+9)}"; 4].join(","));
    assert!(text.len() > 64, "{}", text.len());
    let without = checks(MANY, &text, 0.0, 6.0);
    assert!(without >= 8, "{without}");
    // But where a short search finds another text, as it does while little is fixed.
    let (sure, less_sure) = (
        checks(MANY, &text, 1.0, 12.0),
        checks(MANY, &text, 1.0, 6.0),
    );
    assert!(
        2 * sure <= without && sure <= less_sure && less_sure < without,
        "{sure} and {less_sure} of {without}"
    );
}
