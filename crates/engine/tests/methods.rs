//! The methods that are compared, run by an engine, and runs that are given up within a
//! step.
#![cfg(feature = "model")]

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use lacuna_decoder::{Event, How, Options, Outcome, Piece, Template};
use lacuna_engine::{
    Content, DevicePreference, Dialect, Engine, GenerateRequest, GrammarSource, LoadOptions,
    Method, Purpose, Region, Shape, WeightFiles, block_on,
};
use lacuna_grammar::recognize::recognize;

fn file(path: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn engine() -> Engine {
    let part = |name: &str| file(&format!("models/lacuna-mini/{name}"));
    let options = LoadOptions::new(DevicePreference::Cpu, Arc::new(|| 0.0));
    let (config, tokenizer) = (part("config.json"), part("tokenizer.json"));
    let weights = WeightFiles::whole(&part("model.safetensors")).expect("weights");
    let engine = block_on(Engine::load(&config, &tokenizer, weights, options));
    engine.unwrap_or_else(|fault| panic!("{fault}"))
}

const REQUEST: &str = "give the novel Salt and Thunder four out of six stars";

fn request(method: &str) -> GenerateRequest {
    let schema = String::from_utf8(file("grammars/snips.schema.json")).expect("text");
    let Method { judge, options, .. } = Method::of_name(method, 100).expect("a method");
    GenerateRequest {
        request: REQUEST.to_owned(),
        task: None,
        grammar: (Dialect::JsonSchema, schema),
        texts: Vec::new(),
        lists: Vec::new(),
        max_depth: None,
        matching: None,
        schema: Default::default(),
        options: Options {
            length: 48,
            steps: 8,
            ..options
        },
        judge,
    }
}

fn is_member(request: &GenerateRequest, text: &[u8]) -> bool {
    let (dialect, text_of_grammar) = request.grammar.clone();
    let source = GrammarSource {
        texts: [("request".to_owned(), REQUEST.to_owned())].into(),
        ..GrammarSource::new(dialect, text_of_grammar)
    };
    let grammar = source.compile(Purpose::Writing).expect("a grammar");
    recognize(&grammar, text)
}

fn no_time() -> Box<dyn Fn() -> f64> {
    Box::new(|| 0.0)
}

#[test]
fn every_method_writes_and_tells_what_it_cost() {
    let engine = engine();
    for name in ["lacuna", "epic", "mundler", "unconstrained"] {
        let request = request(name);
        let mut run = engine
            .start(&request, no_time())
            .unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let mut done = None;
        while !run.is_done() {
            for event in block_on(run.step()).unwrap_or_else(|fault| panic!("{name}: {fault}")) {
                if let Event::Done { text, outcome, .. } = event {
                    done = Some((text, outcome));
                }
            }
        }
        let (text, outcome) = done.expect("an end");
        let member = is_member(&request, &text);
        let (timings, memo) = (run.timings(), run.memo());
        match name {
            "lacuna" => {
                assert!(
                    member && outcome == Outcome::Complete,
                    "{name}: {outcome:?}"
                );
                assert!(timings.checks > 0, "{name}");
                assert!(memo.is_some_and(|memo| memo.asked > memo.made), "{name}");
            }
            "unconstrained" => assert!(timings.checks == 0 && memo.is_none(), "{name}"),
            _ => {
                assert!(member, "{name}");
                assert!(timings.checks > 0, "{name}");
                assert_eq!(memo.is_some_and(|memo| memo.asked > 0), name == "epic");
            }
        }
        assert_eq!(run.grammar_origin().is_some(), name == "lacuna");
    }
}

#[test]
fn published_methods_fill_templates_and_know_no_regions() {
    let engine = engine();
    let request = request("epic");
    let pieces = vec![
        Piece::Text(r#"{"intent":"RateBook","rating_value":""#.to_owned()),
        Piece::Gap(1..=3),
        Piece::Text("\"}".to_owned()),
    ];
    let shape = Shape::Template(Template { pieces });
    let run = block_on(engine.start_shaped(&request, &shape, no_time()));
    let run = run.unwrap_or_else(|fault| panic!("{fault}"));
    let summary = block_on(run.finish(|_| {})).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(
        summary
            .text
            .starts_with(br#"{"intent":"RateBook","rating_value":""#)
    );

    let content = Content::Masks(8);
    let shape = Shape::Regions(vec![Region {
        content,
        grammar: None,
    }]);
    let refused = block_on(engine.start_shaped(&request, &shape, no_time())).err();
    assert_eq!(refused.expect("a fault").kind, "invalid-input");
}

#[test]
fn unknown_methods_are_refused_by_name() {
    let fault = Method::of_name("dingo", 9).expect_err("no such method");
    assert_eq!(fault.kind, "invalid-input");
    assert!(fault.message.contains("dingo") && fault.message.contains("mundler"));
}

#[test]
fn a_run_is_given_up_within_a_step() {
    let engine = engine();
    let mut request = request("lacuna");
    // One by one and hot: many checks a step, a pause before each.
    request.options.commit = lacuna_decoder::CommitKind::Sequential;
    request.options.steps = 2;
    let pauses = Rc::new(Cell::new(0));
    let run = |most: usize| {
        let seen = Rc::clone(&pauses);
        seen.set(0);
        let run = engine.start(&request, no_time());
        let run = run.unwrap_or_else(|fault| panic!("{fault}"));
        let mut run = run.pausing(Box::new(move || {
            seen.set(seen.get() + 1);
            let goes_on = seen.get() < most;
            Box::pin(async move { goes_on })
        }));
        block_on(run.step())
    };
    assert!(run(usize::MAX).is_ok());
    let within = pauses.get();
    assert!(within > 10, "{within} pauses in a step");
    for most in [1, 2, within] {
        let fault = run(most).expect_err("given up");
        assert_eq!((fault.kind, pauses.get()), ("cancelled", most));
    }
}

#[test]
fn a_token_that_is_the_only_one_left_is_said_to_be_forced() {
    let engine = engine();
    let mut request = request("lacuna-masks");
    request.grammar = (Dialect::Regex, "the".to_owned());
    request.options.length = 1;
    assert_eq!(engine.encode("the").map(|tokens| tokens.len()), Ok(1));
    let mut run = engine
        .start(&request, no_time())
        .unwrap_or_else(|fault| panic!("{fault}"));
    let events = block_on(run.step()).unwrap_or_else(|fault| panic!("{fault}"));
    let how = events.iter().find_map(|event| match event {
        Event::Commit(commit) => Some(commit.how),
        _ => None,
    });
    assert_eq!(how, Some(How::Forced));
}
