//! Whatever the model says, a run under a grammar ends in a sentence of it, by
//! the independent recogniser; every commit is reported once; fixed seeds
//! replay; how many candidates the model is asked for at a time changes nothing.

use std::sync::Arc;

use lacuna_checker::{Checker, CheckerLimits};
use lacuna_decoder::{DecodeError, Event, How, Needs, Options, Run};
use lacuna_grammar::{Grammar, gbnf, recognize::recognize};
use pollster::block_on;

use crate::support::{ADVERSARIES, ARITHMETIC, Adversary, COUNTED, JSON, Model, vocabulary};

fn run(
    grammar: &Grammar,
    adversary: Adversary,
    options: Options,
) -> Result<(Vec<Event>, Vec<u8>), DecodeError> {
    let vocabulary = vocabulary();
    let checker = Checker::new(grammar, Some(vocabulary.clone()), CheckerLimits::default());
    let mut run = Run::new(
        Model::new(adversary, Arc::clone(&vocabulary)),
        vocabulary,
        Some(checker.expect("a checker")),
        options.clone(),
        Box::new(|| 0.0),
    )?;
    let mut events = Vec::new();
    for _ in 0..=options.steps {
        events.extend(block_on(run.step())?);
        if let Some(Event::Done { text, .. }) = events.last() {
            let text = text.clone();
            return Ok((events, text));
        }
    }
    panic!("{adversary:?} did not end in {} steps", options.steps)
}

#[test]
fn every_adversary_ends_in_a_sentence() {
    for (name, text) in [
        ("json", JSON),
        ("arithmetic", ARITHMETIC),
        ("counted", COUNTED),
    ] {
        let grammar = gbnf::parse(text).expect(name);
        for adversary in ADVERSARIES {
            for (length, steps, temperature) in [(24, 8, 0.0), (16, 16, 1.0), (12, 1, 0.0)] {
                let options = Options {
                    length,
                    steps,
                    temperature,
                    seed: 7,
                    ..Options::default()
                };
                let (events, text) = run(&grammar, adversary, options)
                    .unwrap_or_else(|error| panic!("{name}, {adversary:?}: {error}"));
                assert!(
                    recognize(&grammar, &text),
                    "{name}, {adversary:?}, {length} cells: {:?}",
                    String::from_utf8_lossy(&text)
                );
                let mut cells: Vec<usize> = events
                    .iter()
                    .filter_map(|event| match event {
                        Event::Commit(commit) => Some(commit.cell),
                        _ => None,
                    })
                    .collect();
                let committed = cells.len();
                cells.sort_unstable();
                cells.dedup();
                assert_eq!(cells.len(), committed, "a cell was committed twice");
            }
        }
    }
}

#[test]
fn spent_refusals_are_recovered_from_the_witness() {
    let grammar = gbnf::parse(JSON).expect("JSON");
    let options = Options {
        refusals_per_step: 0,
        steps: 4,
        length: 20,
        ..Options::default()
    };
    let (events, text) = run(&grammar, Adversary::OneToken(9), options).expect("a text");
    assert!(recognize(&grammar, &text));
    let recovered =
        |event: &Event| matches!(event, Event::Commit(commit) if commit.how == How::Recovery);
    assert!(events.iter().any(recovered));
}

#[test]
fn candidates_at_a_time_change_nothing() {
    let grammar = gbnf::parse(JSON).expect("JSON");
    for adversary in ADVERSARIES {
        for (refusals_per_step, temperature) in [(2000, 0.0), (2000, 1.0), (3, 0.0)] {
            let outcome = |candidates: usize| {
                let options = Options {
                    length: 20,
                    steps: 6,
                    seed: 5,
                    temperature,
                    refusals_per_step,
                    candidates,
                    ..Options::default()
                };
                run(&grammar, adversary, options).expect("a text")
            };
            let all = outcome(vocabulary().len());
            for candidates in [0, 1, 2, 7] {
                assert_eq!(
                    outcome(candidates),
                    all,
                    "{adversary:?}, {candidates} candidates, temperature {temperature}, \
                     {refusals_per_step} refusals"
                );
            }
        }
    }
}

#[test]
fn when_every_known_candidate_is_bad_the_model_is_asked_for_others() {
    let grammar = gbnf::parse(COUNTED).expect("counted");
    let vocabulary = vocabulary();
    let limits = CheckerLimits::default();
    let checker = Checker::new(&grammar, Some(Arc::clone(&vocabulary)), limits);
    let options = Options {
        length: 12,
        steps: 12,
        candidates: 2,
        ..Options::default()
    };
    let model = Model::new(Adversary::Outsider, Arc::clone(&vocabulary));
    let checker = Some(checker.expect("a checker"));
    let mut run = Run::new(model, vocabulary, checker, options, Box::new(|| 0.0)).expect("a run");
    let mut events = Vec::new();
    while !run.is_done() {
        events.extend(block_on(run.step()).expect("a step"));
    }
    assert!(run.denoiser().narrowed > 0);
    let origins = events.iter().filter_map(|event| match event {
        Event::Commit(commit) => Some(commit.how),
        _ => None,
    });
    assert!(origins.into_iter().all(|how| how != How::Recovery));
    let Some(Event::Done { text, .. }) = events.pop() else {
        panic!("the run is over")
    };
    assert!(recognize(&grammar, &text), "{text:?}");
}

#[test]
fn a_seed_replays_a_run() {
    let grammar = gbnf::parse(JSON).expect("JSON");
    let options = Options {
        length: 24,
        steps: 6,
        seed: 3,
        temperature: 1.0,
        ..Options::default()
    };
    let first = run(&grammar, Adversary::Noise(5), options.clone()).expect("a text");
    assert_eq!(
        first,
        run(&grammar, Adversary::Noise(5), options.clone()).expect("a text")
    );
    let other = Options { seed: 4, ..options };
    assert_ne!(
        first.0,
        run(&grammar, Adversary::Noise(5), other).expect("a text").0
    );
}

#[test]
fn a_canvas_that_nothing_fits_is_refused_before_the_model_is_asked() {
    let grammar = gbnf::parse(COUNTED).expect("counted");
    let options = Options {
        length: 2,
        steps: 2,
        ..Options::default()
    };
    let error = run(&grammar, Adversary::Flat, options).expect_err("two cells hold no sentence");
    assert_eq!(
        error,
        DecodeError::NoMember {
            length: 2,
            needs: Some(Needs::AtLeast(3))
        }
    );
}

#[test]
fn without_a_grammar_the_model_has_its_way() {
    let vocabulary = vocabulary();
    let model = Model::new(Adversary::OneToken(2), Arc::clone(&vocabulary));
    let options = Options {
        length: 6,
        steps: 2,
        ..Options::default()
    };
    let mut run = Run::new(model, vocabulary, None, options, Box::new(|| 0.0)).expect("a run");
    let mut last = None;
    while !run.is_done() {
        last = block_on(run.step()).expect("a step").pop();
    }
    assert!(matches!(last, Some(Event::Done { text, .. }) if text == b"{{{{{{"));
}
