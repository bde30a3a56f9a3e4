//! The tables in `docs` name tests for their constructs: each is there, and where a
//! construct is said to be refused by name, the name is among what is expected.
//!
//! In the documents of GBNF and of regular expressions a row's last cell names
//! cases, apart by semicolons; in that of Lark it names case files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// What a row says of a construct, and the tests that it names.
struct Row {
    said: String,
    tests: String,
}

impl Row {
    /// The kinds of findings that it names.
    fn kinds(&self) -> impl Iterator<Item = &str> {
        let quoted = self.said.split('`').skip(1).step_by(2);
        let is_kind = |word: &&str| {
            let letters = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
            word.contains('-') && word.bytes().all(letters) && !word.starts_with('-')
        };
        quoted.filter(is_kind)
    }
}

/// The rows of all tables whose header says that tests are named in the last cell.
fn rows(document: &str) -> Vec<Row> {
    let text = std::fs::read_to_string(here("../../docs").join(document)).expect(document);
    let (mut rows, mut in_table) = (Vec::new(), false);
    for line in text.lines() {
        let Some(row) = line.strip_prefix('|').and_then(|it| it.strip_suffix('|')) else {
            in_table = false;
            continue;
        };
        // A bar inside a cell is escaped.
        let cells: Vec<String> = row
            .replace("\\|", "\u{1}")
            .split('|')
            .map(|cell| cell.trim().replace('\u{1}', "|"))
            .collect();
        if cells[0] == "construct" && cells.last().is_some_and(|cell| cell.starts_with("test")) {
            in_table = true;
        } else if in_table && !cells[0].starts_with("---") {
            let [_, said, tests] = <[String; 3]>::try_from(cells).expect(line);
            rows.push(Row { said, tests });
        }
    }
    assert!(rows.len() >= 10, "{document}: {} rows", rows.len());
    rows
}

/// Cases by name.
fn cases(files: &[&str]) -> BTreeMap<String, String> {
    let texts = files.iter().map(|file| {
        let path = here("tests/cases").join(file);
        std::fs::read_to_string(path).expect(file)
    });
    let cases = texts.flat_map(|text| {
        let cases = text.split("\n=== ").skip(1);
        let named = cases.filter_map(|case| case.split_once('\n'));
        let named = named.map(|(name, case)| (name.to_owned(), case.to_owned()));
        named.collect::<Vec<_>>()
    });
    cases.collect()
}

fn assert_kinds(document: &str, row: &Row, tests: &str) {
    for kind in row.kinds() {
        let expected = format!("\n{kind} ");
        assert!(
            tests.contains(&expected),
            "{document}: {kind} in {}",
            row.tests
        );
    }
}

fn assert_cases(document: &str, files: &[&str]) {
    let cases = cases(files);
    for row in rows(document) {
        let tests = row.tests.split("; ").map(|name| {
            let case = cases.get(name);
            case.unwrap_or_else(|| panic!("{document}: no case {name:?}"))
        });
        let tests: String = tests.map(String::as_str).collect();
        assert_kinds(document, &row, &tests);
    }
}

#[test]
fn of_gbnf() {
    let files = ["gbnf.txt", "gbnf_tokens.txt", "gbnf_gallery.txt"];
    assert_cases("gbnf.md", &files);
}

#[test]
fn of_regular_expressions() {
    assert_cases("regex.md", &["regex.txt"]);
}

#[test]
fn of_json_schema() {
    assert_cases("json_schema.md", &["json_schema.txt"]);
}

#[test]
fn of_lark() {
    for row in rows("lark.md") {
        let tests = row.tests.split(", ").map(|name| {
            let path = here("tests/cases/lark").join(format!("{name}.txt"));
            std::fs::read_to_string(path)
                .unwrap_or_else(|_| panic!("lark.md: no case file {name:?}"))
        });
        assert_kinds("lark.md", &row, &tests.collect::<String>());
    }
}
