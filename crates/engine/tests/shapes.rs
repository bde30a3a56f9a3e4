//! What a canvas looks like before a run: the lengths that gaps are given, and what is said
//! where nothing fits.
#![cfg(feature = "model")]

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use lacuna_decoder::{Cell, DenoiseRequest, Denoiser, Event, Guard, Options, Piece, Template};
use lacuna_engine::{
    Content, DevicePreference, Dialect, Engine, GenerateRequest, GrammarSource, Judge, LoadOptions,
    ModelRun, Region, Shape, WeightFiles, block_on,
};
use lacuna_logits::TokenSet;

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

fn request(dialect: Dialect, grammar: &str) -> GenerateRequest {
    GenerateRequest {
        request: "give the novel Salt and Thunder four out of six stars".to_owned(),
        task: None,
        grammar: (dialect, grammar.to_owned()),
        texts: Vec::new(),
        lists: Vec::new(),
        max_depth: None,
        matching: None,
        schema: Default::default(),
        options: Options::default(),
        judge: Judge::Checker,
    }
}

fn no_time() -> Box<dyn Fn() -> f64> {
    Box::new(|| 0.0)
}

/// What the model gives its best tokens in the masked cells, as the mean of logarithms.
fn liking(engine: &Engine, request: &GenerateRequest, cells: &[Cell]) -> f32 {
    let vocabulary = engine.vocabulary();
    let masked: Vec<usize> = (0..cells.len()).filter(|&c| cells[c].is_none()).collect();
    let mut model = engine.prompted(request).expect("a model");
    let rows = block_on(model.denoise(&DenoiseRequest {
        cells,
        masked: &masked,
        writable: &TokenSet::from_fn(vocabulary.len(), |token| vocabulary.bytes(token).is_some()),
        top: 1,
        noise: None,
        kept: None,
    }));
    let rows = rows.expect("an answer");
    let best = rows.iter().map(|row| row.probability(&row.best[0]).ln());
    best.sum::<f32>() / masked.len() as f32
}

/// The oracle asks the model about each length by itself, and the checker whether a text
/// fits it.
#[test]
fn a_gap_of_several_lengths_gets_the_one_that_the_model_prefers() {
    let engine = engine();
    let before = r#"{"intent":"RateBook","object_name":""#;
    let (mut chosen, mut overruled) = (Vec::new(), 0);
    for (pattern, gap) in [
        (r#"[A-Za-z ]+"#, 1..=9),
        (r#"[A-Za-z ]+"#, 4..=12),
        // The model's own lengths spell none of these.
        (r#"(xq){4,}"#, 1..=12),
        (r#"[0-9]{4}"#, 1..=8),
    ] {
        let grammar = format!(r#"\{{"intent":"RateBook","object_name":"{pattern}"\}}"#);
        let request = request(Dialect::Regex, &grammar);
        let cells_of = |text: &str| {
            let tokens = engine.encode(text).expect("tokens").into_iter();
            tokens.map(Some).collect::<Vec<Cell>>()
        };
        let canvases = gap.clone().map(|length| {
            let end: Cell = Some(engine.vocabulary().end());
            let gap: Vec<Cell> = vec![None; length];
            [cells_of(before), gap, cells_of("\"}"), vec![end]].concat()
        });
        let mut canvases: Vec<Vec<Cell>> = canvases.collect();
        canvases.sort_by(|a, b| {
            let liking = |cells: &[Cell]| liking(&engine, &request, cells);
            liking(b).total_cmp(&liking(a))
        });
        let fits = |cells: &Vec<Cell>| {
            let guard = engine.guard(&request);
            guard.expect("a guard").open(cells).is_ok()
        };
        let expected = canvases.iter().position(fits);
        let pieces = vec![
            Piece::Text(before.to_owned()),
            Piece::Gap(gap),
            Piece::Text("\"}".to_owned()),
        ];
        let shape = Shape::Template(Template { pieces });
        let run = block_on(engine.start_shaped(&request, &shape, no_time()));
        let run = run.unwrap_or_else(|fault| panic!("{pattern}: {fault}"));
        let expected = expected.expect("a length that fits");
        assert_eq!(run.canvas().cells(), canvases[expected], "{pattern}");
        overruled += usize::from(expected > 0);
        chosen.push(canvases[expected].len());
    }
    // Neither always the shortest nor always the model's first.
    chosen.dedup();
    assert!(chosen.len() > 1 && overruled > 0, "{chosen:?} {overruled}");
}

/// The oracle tries every length.
#[test]
fn a_canvas_that_is_too_short_is_told_the_fewest_cells() {
    let engine = engine();
    for grammar in [
        r#"root ::= "(" root ")" root | "q"{40} | "[]!"{9}"#,
        r#"root ::= "a" root "b" | "cz"{7}"#,
        r#"root ::= "x" "yz"{3}"#,
    ] {
        let mut request = request(Dialect::Gbnf, grammar);
        let mut started = |cells: usize| {
            request.options.length = cells;
            engine.start(&request, no_time()).err()
        };
        let fewest = (1..40).find(|&cells| started(cells).is_none());
        let fewest = fewest.unwrap_or_else(|| panic!("{grammar}: no length"));
        assert!(fewest > 1, "{grammar}");
        let says = format!("at least {fewest}");
        let alone = started(fewest - 1).expect("too short");
        assert!(alone.message.contains(&says), "{alone}");
        let regions = [(3, None), (fewest - 1, Some(grammar))];
        let regions = regions.map(|(cells, grammar)| Region {
            content: Content::Masks(cells),
            grammar: grammar.map(|text| GrammarSource::new(Dialect::Gbnf, text.to_owned())),
        });
        let shape = Shape::Regions(regions.to_vec());
        let fault = block_on(engine.start_shaped(&request, &shape, no_time())).err();
        let fault = fault.expect("too short");
        assert!(fault.message.contains(&says), "{fault}");
    }
}

/// The oracle tries all lengths of the gaps, by a guard of its own.
#[test]
fn a_template_that_nothing_fits_is_told_what_its_gaps_need() {
    let engine = engine();
    let nested = r#"root ::= "(" root ")" | "[" root "," root "]" | "qxz" | "7""#;
    for (grammar, before, between, behind, is_anything) in [
        (nested, "((", None, ")))))", true),
        (nested, "[(", Some(","), ")))]", true),
        (r#"root ::= "x" "yz"{3}"#, "x", None, "", true),
        (
            r#"root ::= "a" root "b" | "c"{6}"#,
            "aa",
            Some("cc"),
            "b",
            true,
        ),
        (nested, "((", None, "]", false),
        (r#"root ::= "a" root "b" | "c"{6}"#, "ab", None, "c", false),
    ] {
        let request = request(Dialect::Gbnf, grammar);
        let cells_of = |text: &str| {
            let tokens = engine.encode(text).expect("tokens").into_iter();
            tokens.map(Some).collect::<Vec<Cell>>()
        };
        let fits = |first: usize, second: usize| {
            let between = between.map_or(Vec::new(), cells_of);
            let mut cells = [cells_of(before), vec![None; first], between].concat();
            cells.extend(vec![None; second]);
            cells.extend(cells_of(behind));
            if !behind.is_empty() {
                cells.push(Some(engine.vocabulary().end()));
            }
            let guard = engine.guard(&request);
            guard.expect("a guard").open(&cells).is_ok()
        };
        let seconds = if between.is_some() { 9 } else { 1 };
        let all = (0..12).flat_map(|first| (0..seconds).map(move |second| (first, second)));
        let fewest = all.filter(|&(first, second)| fits(first, second));
        let fewest = fewest.map(|(first, second)| first + second).min();
        assert_eq!(fewest.is_some(), is_anything, "{grammar}");

        let text = |text: &str| Piece::Text(text.to_owned());
        let mut pieces = vec![text(before), Piece::Gap(1..=1)];
        if let Some(between) = between {
            pieces.extend([text(between), Piece::Gap(1..=1)]);
        }
        if !behind.is_empty() {
            pieces.push(text(behind));
        }
        let shape = Shape::Template(Template { pieces });
        let fault = block_on(engine.start_shaped(&request, &shape, no_time())).err();
        let message = fault.expect("nothing fits").message;
        let Some(fewest) = fewest else {
            assert!(message.contains("however long the gaps"), "{message}");
            continue;
        };
        let (_, takes) = message.split_once("the shortest takes ").expect(&message);
        let takes = takes
            .split(" and ")
            .map(|cells| cells.parse().expect(&message));
        let takes: Vec<usize> = takes.collect();
        assert_eq!(takes.iter().sum::<usize>(), fewest, "{grammar}: {message}");
        let second = takes.get(1).copied().unwrap_or(0);
        assert!(fits(takes[0], second), "{grammar}: {message}");
    }
    let mut request = request(Dialect::Gbnf, r#"root ::= "x" "yz"{3}"#);
    request.options.length = 1;
    let pieces = vec![Piece::Gap(1..=1)];
    let shape = Shape::Template(Template { pieces });
    let masks = block_on(engine.start_shaped(&request, &Shape::Masks, no_time())).err();
    let template = block_on(engine.start_shaped(&request, &shape, no_time())).err();
    let message = |fault: Option<lacuna_engine::Fault>| fault.expect("too short").message;
    assert_eq!(message(template), message(masks));
}

#[test]
fn gaps_of_no_length_or_of_too_many_cells_are_refused_before_they_are_laid_out() {
    let engine = engine();
    let request = request(Dialect::Regex, ".*");
    let template = |gap| {
        let pieces = vec![Piece::Text("a".to_owned()), Piece::Gap(gap)];
        Shape::Template(Template { pieces })
    };
    let region = |cells| Region {
        content: Content::Masks(cells),
        grammar: None,
    };
    let (none, huge) = (RangeInclusive::new(2, 1), 1 << 40);
    let no_length = "at least 2 cells and at most 1";
    for (shape, kind, words) in [
        (template(none), "invalid-input", no_length),
        (template(huge..=huge), "too-long", "the model holds"),
        (
            Shape::Regions(vec![region(huge), region(usize::MAX)]),
            "too-long",
            "the model holds",
        ),
    ] {
        let fault = block_on(engine.start_shaped(&request, &shape, no_time())).err();
        let fault = fault.unwrap_or_else(|| panic!("{shape:?} was taken"));
        assert_eq!(fault.kind, kind, "{fault}");
        assert!(fault.message.contains(words), "{fault}");
    }
}

#[test]
fn the_request_goes_by_its_name_alone() {
    let engine = engine();
    for (dialect, name, grammar) in [
        (
            Dialect::JsonSchema,
            "request",
            r#"{"type": "string", "x-spanOf": "request"}"#,
        ),
        (Dialect::Lark, "REQUEST", "start: REQUEST\n%slot REQUEST"),
    ] {
        let mut request = request(dialect, grammar);
        let start = |request: &GenerateRequest| engine.start(request, no_time()).err();
        // What is the same, or has another name, is no contradiction.
        let (same, other) = (request.request.clone(), "Bob Dylan".to_owned());
        request.texts = vec![
            (name.to_owned(), same),
            ("artist".to_owned(), other.clone()),
        ];
        assert_eq!(start(&request), None, "{grammar}");
        request.texts = vec![(name.to_owned(), other)];
        let fault = start(&request).unwrap_or_else(|| panic!("{grammar} was taken"));
        assert_eq!(fault.kind, "invalid-input");
        assert!(
            fault.message.contains(&format!("{name} is the prompt")),
            "{fault}"
        );
    }
}

#[test]
fn tokens_that_the_vocabulary_does_not_have_are_refused() {
    let engine = engine();
    let tokens = engine.vocabulary().len();
    for (option, bias, banned) in [
        ("bias", vec![(999_999, 1.0)], vec![]),
        ("ban", vec![], vec![999_999]),
    ] {
        let mut request = request(Dialect::Regex, ".*");
        (request.options.bias, request.options.banned) = (bias, banned);
        let fault = engine.start(&request, no_time()).err();
        let fault = fault.unwrap_or_else(|| panic!("the {option} was taken"));
        assert_eq!(fault.kind, "invalid-input");
        let words = format!("the {option} names token 999999, but the vocabulary has {tokens}");
        assert!(fault.message.starts_with(&words), "{fault}");
    }
}

/// The text that a run ends in.
fn written(mut run: ModelRun) -> String {
    loop {
        let events = block_on(run.step()).unwrap_or_else(|fault| panic!("{fault}"));
        if let Some(Event::Done { text, .. }) = events.last() {
            return String::from_utf8_lossy(text).into_owned();
        }
    }
}

#[test]
fn what_is_banned_may_stand_in_fixed_text() {
    let engine = engine();
    let before = "Answer: ";
    let banned = engine.encode(before).expect("tokens");
    let gap = || Piece::Gap(6..=6);
    let text = || Piece::Text(before.to_owned());
    let template = Shape::Template(Template {
        pieces: vec![text(), gap()],
    });
    let regions = Shape::Regions(vec![
        Region {
            content: Content::Text(before.to_owned()),
            grammar: None,
        },
        Region {
            content: Content::Masks(6),
            grammar: Some(GrammarSource::new(Dialect::Regex, "[a-zA-Z :]{1,20}")),
        },
    ]);
    let mut request = request(Dialect::Regex, "Answer: [a-zA-Z :]{1,20}");
    request.options.banned = banned.clone();
    for judge in [Judge::Checker, Judge::Nobody] {
        request.judge = judge;
        for shape in [&template, &regions] {
            let run = block_on(engine.start_shaped(&request, shape, no_time()));
            let mut run = run.unwrap_or_else(|fault| panic!("{judge:?} {shape:?}: {fault}"));
            let mut text = None;
            while text.is_none() {
                for event in block_on(run.step()).unwrap_or_else(|fault| panic!("{fault}")) {
                    match event {
                        Event::Commit(commit) => assert!(!banned.contains(&commit.token)),
                        Event::Done { text: done, .. } => text = Some(done),
                        _ => {}
                    }
                }
            }
            let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
            assert!(text.starts_with(before), "{judge:?} {shape:?}: {text:?}");
        }
    }
}

#[test]
fn a_region_may_hold_the_special_tokens_that_its_grammar_names() {
    let engine = engine();
    let request = request(Dialect::Gbnf, "root ::= \"\"");
    let special = |name: &str| Region {
        content: Content::Masks(8),
        grammar: Some(GrammarSource::new(
            Dialect::Gbnf,
            format!(r#"root ::= "ab" <{name}> "cd""#),
        )),
    };
    let free = Region {
        content: Content::Masks(3),
        grammar: None,
    };
    let name = "|sep|";
    let shape = Shape::Regions(vec![free, special(name)]);
    let run = block_on(engine.start_shaped(&request, &shape, no_time()));
    let text = written(run.unwrap_or_else(|fault| panic!("{fault}")));
    assert!(text.ends_with(&format!("ab<{name}>cd")), "{text}");
}

#[test]
fn a_trigger_without_a_grammar_in_force_is_none() {
    let engine = engine();
    let mut request = request(Dialect::Regex, "zzz");
    (request.judge, request.options.length) = (Judge::Nobody, 32);
    let start = |shape: &Shape| {
        let run = block_on(engine.start_shaped(&request, shape, no_time()));
        written(run.unwrap_or_else(|fault| panic!("{fault}")))
    };
    assert_eq!(start(&Shape::Trigger("{".to_owned())), start(&Shape::Masks));
}

/// A gap that may be empty is not empty because nothing is unlikely in it.
#[test]
fn a_gap_that_may_be_empty_is_if_the_model_would_go_on_behind_it() {
    let engine = engine();
    let request = request(Dialect::Regex, "(.|\n)*");
    let cells = |before: &str, behind: &str| {
        let pieces = vec![
            Piece::Text(before.to_owned()),
            Piece::Gap(0..=5),
            Piece::Text(behind.to_owned()),
        ];
        let shape = Shape::Template(Template { pieces });
        let run = block_on(engine.start_shaped(&request, &shape, no_time()));
        let run = run.unwrap_or_else(|fault| panic!("{fault}"));
        run.canvas().masks().len()
    };
    let before = r#"{"intent":"RateBook","object_name":"#;
    assert!(cells(&format!("{before}\""), "\"}") > 0);
    assert_eq!(
        cells(
            r#"{"intent":"RateBook"#,
            r#"","object_name":"Salt and Thunder"}"#
        ),
        0
    );
}

/// No cell at all is no canvas, however sure the model is of it.
#[test]
fn gaps_that_may_all_be_empty_are_given_a_cell() {
    let engine = engine();
    for (pattern, gaps) in [("[a-z ]*", &[0..=4][..]), ("(abc)*", &[0..=3, 0..=2])] {
        let request = request(Dialect::Regex, pattern);
        let pieces = gaps.iter().cloned().map(Piece::Gap).collect();
        let shape = Shape::Template(Template { pieces });
        let run = block_on(engine.start_shaped(&request, &shape, no_time()));
        written(run.unwrap_or_else(|fault| panic!("{pattern}: {fault}")));
    }
}

#[test]
fn a_template_that_nothing_fits_is_refused_before_the_model_is_asked() {
    let engine = engine();
    let request = request(Dialect::Regex, "a{400}");
    let pieces = vec![Piece::Text("a".to_owned()), Piece::Gap(1..=60)];
    let shape = Shape::Template(Template { pieces });
    let started = std::time::Instant::now();
    let fault = block_on(engine.start_shaped(&request, &shape, no_time())).err();
    assert_eq!(fault.expect("too short").kind, "no-member");
    let took = started.elapsed();
    let pass = {
        let mut model = engine.prompted(&request).expect("a model");
        let cells = [None; 60];
        let masked: Vec<usize> = (0..60).collect();
        let started = std::time::Instant::now();
        block_on(model.denoise(&DenoiseRequest {
            cells: &cells,
            masked: &masked,
            writable: &TokenSet::from_fn(engine.vocabulary().len(), |_| true),
            top: 1,
            noise: None,
            kept: None,
        }))
        .expect("an answer");
        started.elapsed()
    };
    assert!(
        took < 30 * pass,
        "{took:?} for none of 60 passes, {pass:?} each"
    );
}

#[test]
fn a_truncation_that_leaves_nothing_out_draws_what_none_draws() {
    let engine = engine();
    let mut request = request(Dialect::Regex, ".*");
    (request.options.length, request.options.steps) = (24, 6);
    (request.options.temperature, request.options.seed) = (1.5, 4);
    let mut text = |top_k| {
        request.options.truncation.top_k = top_k;
        written(engine.start(&request, no_time()).expect("a run"))
    };
    assert_eq!(text(Some(engine.vocabulary().len())), text(None));
}
