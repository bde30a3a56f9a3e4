//! Every grammar in `grammars/` takes the texts that its folder says belong and
//! refuses the others, by the checker and by the plain recogniser alike. For
//! schemas, texts are judged (any order, any white space) unless a line asks for
//! what is written. At least twenty of each are there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lacuna_engine::{Dialect, GrammarSession, GrammarSource, Purpose};
use lacuna_grammar::Grammar;
use lacuna_grammar::recognize::recognize;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    text: String,
    #[serde(default)]
    texts: BTreeMap<String, String>,
    #[serde(default)]
    purpose: Option<String>,
}

fn grammars() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../grammars");
    let entries = std::fs::read_dir(folder).expect("the folder of grammars");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

/// A grammar compiled for the lines that share purpose and texts.
struct Judge {
    grammar: Grammar,
    session: GrammarSession,
}

impl Judge {
    fn new(dialect: Dialect, text: &str, line: &Line) -> Self {
        let source = GrammarSource {
            dialect,
            text: text.to_owned(),
            texts: line.texts.clone().into_iter().collect(),
            lists: Vec::new(),
            max_depth: None,
            matching: None,
            schema: Default::default(),
        };
        let purpose = match line.purpose.as_deref() {
            Some("writing") => Purpose::Writing,
            None => Purpose::Judging,
            Some(other) => panic!("no such purpose: {other}"),
        };
        let grammar = source.compile(purpose).expect("a grammar that ships");
        let session = GrammarSession::new(&grammar, None).expect("a session");
        Self { grammar, session }
    }

    fn verdict(&mut self, text: &str) -> bool {
        let whole = [Some(text.as_bytes().to_vec())];
        let answer = self.session.check(&whole, None).expect("a verdict");
        let recognised = recognize(&self.grammar, text.as_bytes());
        assert_eq!(
            answer.completable, recognised,
            "checker, recogniser: {text:?}"
        );
        recognised
    }
}

#[test]
fn members_belong_and_others_do_not() {
    for file in grammars() {
        let name = file
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let dialect = Dialect::of_file(&name).expect("a known ending");
        let text = std::fs::read_to_string(&file).expect("the grammar");
        let stem = name.split('.').next().expect("a stem");
        let folder = file.with_file_name(stem);
        let mut judges = BTreeMap::new();
        for (texts, expected) in [("members.jsonl", true), ("others.jsonl", false)] {
            for line in lines(&folder.join(texts)) {
                let judge: &mut Judge = judges
                    .entry((line.purpose.clone(), line.texts.clone()))
                    .or_insert_with(|| Judge::new(dialect, &text, &line));
                assert_eq!(
                    judge.verdict(&line.text),
                    expected,
                    "{name}: {:?}",
                    line.text
                );
            }
        }
    }
}

fn lines(path: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let lines: Vec<Line> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{path:?}: {error}")))
        .collect();
    assert!(lines.len() >= 20, "{path:?}: {} texts", lines.len());
    lines
}
