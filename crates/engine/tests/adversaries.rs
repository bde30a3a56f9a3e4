//! Models that know nothing or mean harm, under every grammar that ships, in the tokens
//! of the model that ships: each run ends in a text of the grammar, by the independent
//! recogniser, or has a named reason not to begin.

use std::path::Path;
use std::sync::Arc;

use lacuna_decoder::{CommitKind, DecodeError, Event, Options, RecoveryKind, Run};
use lacuna_engine::{Dialect, GrammarCache, GrammarSource, Purpose, block_on};
use lacuna_grammar::recognize::recognize;
use lacuna_lexer::Vocabulary;
use lacuna_model::{ModelConfig, Tokenizer};

#[path = "../../decoder/tests/support/mod.rs"]
#[allow(dead_code, reason = "the decoder's tests use all of it")]
mod support;
use support::{Adversary, Model};

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn vocabulary() -> Arc<Vocabulary> {
    let file =
        |name: &str| std::fs::read(root().join("models/lacuna-mini").join(name)).expect(name);
    let config = ModelConfig::from_json(&file("config.json")).expect("a configuration");
    let tokenizer = Tokenizer::from_json(&file("tokenizer.json"), &config).expect("a tokenizer");
    let (ends, mask) = (config.eos_token_ids.clone(), config.mask_token_id);
    let vocabulary = Vocabulary::new(tokenizer.token_bytes().to_vec(), ends, mask);
    Arc::new(vocabulary.expect("a vocabulary"))
}

fn grammars() -> Vec<String> {
    let folder = std::fs::read_dir(root().join("grammars")).expect("the grammars");
    let names = folder.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut names: Vec<String> = names.map(|name| name.expect("a name")).collect();
    names.retain(|name| Dialect::of_file(name).is_ok());
    names.sort();
    names
}

const COMMITS: [CommitKind; 4] = [
    CommitKind::Bisect,
    CommitKind::Best,
    CommitKind::Sequential,
    CommitKind::Relaxed,
];
const RECOVERIES: [RecoveryKind; 4] = [
    RecoveryKind::Guided,
    RecoveryKind::Witness,
    RecoveryKind::Best,
    RecoveryKind::Finish,
];

#[test]
fn every_run_ends_in_a_text_of_the_grammar_or_has_a_reason_not_to_begin() {
    let vocabulary = vocabulary();
    let cache = GrammarCache::default();
    let (mut ended, mut refused) = (0, 0);
    for (grammar_index, name) in grammars().into_iter().enumerate() {
        let source = GrammarSource {
            texts: [(
                "request".to_owned(),
                "two tickets from Paris to Rome on 3 May, by Ann Lee".to_owned(),
            )]
            .into(),
            ..GrammarSource::new(
                Dialect::of_file(&name).expect("a dialect"),
                std::fs::read_to_string(root().join("grammars").join(&name)).expect("a text"),
            )
        };
        let found = cache.compile(&source, Purpose::Writing, Some(&vocabulary), false);
        let compiled = found.expect(&name).grammar;
        let grammar = source.compile(Purpose::Writing).expect(&name);
        for (index, adversary) in [
            Adversary::Outsider,
            Adversary::Noise(5),
            Adversary::AlwaysEnd,
            Adversary::NotANumber,
            Adversary::Infinite,
        ]
        .into_iter()
        .enumerate()
        {
            for (at, length) in [3, 40].into_iter().enumerate() {
                let options = Options {
                    length,
                    steps: 5,
                    seed: 2,
                    temperature: (index % 2) as f32,
                    commit: COMMITS[(2 * index + at + grammar_index) % COMMITS.len()],
                    recovery: RECOVERIES[(index + at + grammar_index) % RECOVERIES.len()],
                    refusals_per_step: 12,
                    ..Options::default()
                };
                let model = Model::new(adversary, Arc::clone(&vocabulary));
                let checker = Some(compiled.checker(Some(Arc::clone(&vocabulary))));
                let vocabulary = Arc::clone(&vocabulary);
                let mut run = match Run::new(model, vocabulary, checker, options, Box::new(|| 0.0))
                {
                    Ok(run) => run,
                    Err(DecodeError::NoMember { .. } | DecodeError::Exhausted { .. }) => {
                        refused += 1;
                        continue;
                    }
                    Err(error) => panic!("{name}, {adversary:?}: {error}"),
                };
                let mut text = None;
                while !run.is_done() {
                    let events = block_on(run.step()).expect("a step");
                    text = events.into_iter().find_map(|event| match event {
                        Event::Done { text, .. } => Some(text),
                        _ => None,
                    });
                }
                let text = text.expect("a text");
                ended += 1;
                let shown = String::from_utf8_lossy(&text);
                assert!(
                    recognize(&grammar, &text),
                    "{name}, {adversary:?}: {shown:?}"
                );
            }
        }
    }
    assert!(
        ended > 100 && refused > 10,
        "{ended} ended, {refused} refused"
    );
}
