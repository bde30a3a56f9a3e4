//! Every grammar in `grammars/` takes the texts that its folder says belong and
//! refuses the others, by the checker and by the plain recogniser alike. For
//! schemas, texts are judged (any order, any white space) unless a line asks for
//! what is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lacuna_engine::{Dialect, GrammarSession, GrammarSource, Purpose};
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

fn verdict(dialect: Dialect, text: &str, line: &Line) -> bool {
    let source = GrammarSource {
        dialect,
        text: text.to_owned(),
        texts: line.texts.clone(),
    };
    let purpose = match line.purpose.as_deref() {
        Some("writing") => Purpose::Writing,
        None => Purpose::Judging,
        Some(other) => panic!("no such purpose: {other}"),
    };
    let grammar = source.compile(purpose).expect("a grammar that ships");
    let mut session = GrammarSession::new(&grammar, None).expect("a session");
    let whole = [Some(line.text.clone().into_bytes())];
    let checked = session.check(&whole, None).expect("a verdict").completable;
    let recognised = recognize(&grammar, line.text.as_bytes());
    assert_eq!(
        checked, recognised,
        "checker and recogniser on {:?}",
        line.text
    );
    checked
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
        for (texts, expected) in [("members.jsonl", true), ("others.jsonl", false)] {
            for line in lines(&folder.join(texts)) {
                assert_eq!(
                    verdict(dialect, &text, &line),
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
    assert!(!lines.is_empty(), "{path:?} is empty");
    lines
}
