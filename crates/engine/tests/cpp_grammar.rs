//! `cpp.lark` takes whole programs, and comments only where its option allows them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lacuna_engine::{Dialect, GrammarSession, GrammarSource, Purpose};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    text: String,
}

fn grammars() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(grammars().join(name)).expect("a file of the grammar")
}

fn session(text: String) -> GrammarSession {
    let source = GrammarSource::new(Dialect::Lark, text);
    let grammar = source.compile(Purpose::Judging).expect("a grammar");
    GrammarSession::new(&grammar, None).expect("a session")
}

/// The grammar as it ships.
fn plain() -> GrammarSession {
    session(read("cpp.lark"))
}

/// The grammar with its option for comments, as its last section says.
fn with_comments() -> GrammarSession {
    let text = read("cpp.lark");
    let (before, option) = text
        .split_once("// Comments: take the slashes off the lines below to allow them.")
        .expect("the option");
    session(format!("{before}{}", option.replace("\n// ", "\n")))
}

fn programs() -> Vec<String> {
    let lines = read("cpp/programs.jsonl");
    let parsed = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a program"));
    parsed.map(|program: Program| program.text).collect()
}

fn belongs(session: &mut GrammarSession, text: &str) -> bool {
    let whole = [Some(text.as_bytes().to_vec())];
    session.check(&whole, None).expect("a verdict").completable
}

#[test]
fn whole_programs_belong() {
    let programs = programs();
    assert!(programs.len() >= 150, "{} programs", programs.len());
    let mut session = plain();
    for program in &programs {
        assert!(belongs(&mut session, program), "{program}");
    }
}

/// The compiler has taken each program: `grammars/judge/cpp.jsonl` keeps its verdicts.
#[test]
fn whole_programs_were_judged() {
    #[derive(Deserialize)]
    struct Verdict {
        text: String,
        judge: bool,
    }
    let verdicts = read("judge/cpp.jsonl");
    let verdicts = verdicts
        .lines()
        .map(|line| serde_json::from_str(line).expect("a verdict"));
    let taken: BTreeSet<String> = verdicts
        .filter(|verdict: &Verdict| verdict.judge)
        .map(|verdict| verdict.text)
        .collect();
    for program in programs() {
        assert!(taken.contains(&program), "{program}");
    }
}

#[test]
fn comments_belong_only_by_the_option() {
    let (mut plain, mut commented) = (plain(), with_comments());
    for text in [
        "int main() { // why\n return 0; }",
        "int main() {\n//\n return 0; }",
        "//\n#define A 1\nint a;",
        "int main() { /* why */ return 0; }",
        "/***/ int a; /* * / ** */ int b = 4 /* by */ / 2; // last",
        "// first\n#include <vector> // this\n#define ONE /* so */ 1 // that\n/* and\n this */ int a;",
        "int a; // then\n#define B // nothing\nint c;",
        "vector<vector<int> /* a */ > b; vector<int> // c\n d; vector<vector<int>/**/> e;",
        "// nothing but this",
    ] {
        assert!(belongs(&mut commented, text), "{text}");
        assert!(!belongs(&mut plain, text), "{text}");
    }
}

#[test]
fn comments_split_operators_and_do_not_nest() {
    let (mut plain, mut commented) = (plain(), with_comments());
    for text in [
        "int main() { a >/**/> b; }",
        "int main() { a > // c\n > b; }",
        "int main() { a -/**/> b; }",
        "int main() { a <<// c\n= b; }",
        "int main() { /* /* */ */ }",
        "int main() { a = b /*; }",
        "int main() { a = b */ c; }",
        "int main() // { }",
    ] {
        assert!(!belongs(&mut commented, text), "{text}");
        assert!(!belongs(&mut plain, text), "{text}");
    }
    let text = r#"const char* a = "// no"; const char* b = "/*"; int c = '/*';"#;
    assert!(belongs(&mut plain, text) && belongs(&mut commented, text));
}

#[test]
fn gaps_are_decided_with_the_option_too() {
    let mut session = with_comments();
    for (before, behind, expected) in [
        ("int main() {", "}", true),
        ("int main() { // so\n f(", "); /* and so */ }", true),
        ("/", "int a;", true),
        ("int main() { ) // ", "}", false),
        ("int main() { a = b; } }", "// }", false),
    ] {
        let [before, behind] = [before, behind].map(|text| Some(text.as_bytes().to_vec()));
        let answer = session.check(&[before, None, behind], None);
        assert_eq!(answer.expect("a verdict").completable, expected);
    }
}

#[test]
fn programs_with_a_comment_behind_every_line_belong_by_the_option() {
    let (mut plain, mut commented) = (plain(), with_comments());
    // A comment cannot stand behind a line that goes on, nor in a raw string.
    let programs = programs().into_iter();
    let programs = programs.filter(|text| !text.contains("\\\n") && !text.contains("R\"("));
    let mut count = 0;
    for program in programs {
        let text = program.replace('\n', " // it is so: */ \"\n");
        assert!(belongs(&mut commented, &text), "{text}");
        assert!(!belongs(&mut plain, &text), "{text}");
        count += 1;
    }
    assert!(count >= 100, "{count} programs");
}
