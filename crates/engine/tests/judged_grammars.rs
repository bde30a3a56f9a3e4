//! What tools from outside said about texts, replayed without them.
//!
//! Oracle: `grammars/judge/NAME.jsonl`, a line a text, with the verdict of the
//! tool that `judge_NAME.py` beside it asks. Where a grammar decides otherwise
//! the line names the reason, and where it does not there is none. Grammars of
//! the same language in another dialect must say the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lacuna_engine::{Dialect, GrammarSession, GrammarSource, Purpose};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    grammar: String,
    text: String,
    judge: bool,
    ours: bool,
    class: Option<String>,
    /// What was handed over with the grammar.
    #[serde(default)]
    texts: BTreeMap<String, String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    let name = path.file_name().expect("a name").to_string_lossy();
    name.split('.').next().expect("a stem").to_owned()
}

fn session(path: &Path, texts: &BTreeMap<String, String>) -> GrammarSession {
    let name = path.file_name().expect("a name").to_string_lossy();
    let source = GrammarSource {
        texts: texts.clone().into_iter().collect(),
        ..GrammarSource::new(
            Dialect::of_file(&name).expect("a known ending"),
            std::fs::read_to_string(path).expect("a grammar"),
        )
    };
    let grammar = source
        .compile(Purpose::Judging)
        .expect("a grammar that ships");
    GrammarSession::new(&grammar, None).expect("a session")
}

fn belongs(session: &mut GrammarSession, text: &str) -> bool {
    let whole = [Some(text.as_bytes().to_vec())];
    session.check(&whole, None).expect("a verdict").completable
}

fn lines<T: for<'a> Deserialize<'a>>(path: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{path:?}: {error}")))
        .collect()
}

/// Replays the verdicts of one file about all grammars with its stem.
fn replay(path: &Path) {
    let verdicts: Vec<Line> = lines(path);
    assert!(verdicts.len() >= 500, "{path:?}: {} texts", verdicts.len());
    for line in &verdicts {
        assert_eq!(stem(Path::new(&line.grammar)), stem(path));
        let differs = line.judge != line.ours;
        assert_eq!(differs, line.class.is_some(), "{path:?}: {:?}", line.text);
    }
    let grammars = files(&folder()).into_iter();
    let grammars: Vec<PathBuf> = grammars.filter(|other| stem(other) == stem(path)).collect();
    assert!(!grammars.is_empty(), "{path:?} judges nothing");
    for grammar in grammars {
        let mut sessions = BTreeMap::new();
        for line in &verdicts {
            let session = sessions
                .entry(&line.texts)
                .or_insert_with(|| session(&grammar, &line.texts));
            let verdict = belongs(session, &line.text);
            assert_eq!(verdict, line.ours, "{grammar:?}: {:?}", line.text);
        }
    }
}

#[test]
fn every_grammar_is_judged() {
    for grammar in files(&folder()) {
        let verdicts = folder().join(format!("judge/{}.jsonl", stem(&grammar)));
        assert!(verdicts.is_file(), "{grammar:?}: no {verdicts:?}");
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BeyondBounds {
    #[serde(rename = "collection")]
    _collection: String,
    text: String,
    #[serde(rename = "class")]
    _class: String,
}

/// Molecules that `smiles_coverage.py` found beyond the bounds that the grammar states.
#[test]
fn molecules_beyond_the_bounds_stay_outside() {
    let beyond: Vec<BeyondBounds> = lines(&folder().join("judge/outside/smiles_coverage.jsonl"));
    assert!(!beyond.is_empty());
    let mut session = session(&folder().join("smiles.lark"), &BTreeMap::new());
    for molecule in beyond {
        assert!(!belongs(&mut session, &molecule.text), "{}", molecule.text);
    }
}

#[test]
fn verdicts_are_what_they_were() {
    let files = files(&folder().join("judge")).into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    std::thread::scope(|scope| {
        for path in files {
            scope.spawn(move || replay(&path));
        }
    });
}
