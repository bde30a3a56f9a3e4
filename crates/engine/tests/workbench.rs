//! What the playground asks.
//!
//! Oracles: for gaps of characters, all texts of so many characters put into the gap and
//! read by the plain recogniser; for completions, that the text is what was written with
//! the gaps' parts in between, and belongs.

use std::sync::Arc;

use lacuna_engine::{
    By, Dialect, Explanation, ExportTarget, GrammarSource, Piece, Place, Purpose, Repeat, Workbench,
};
use lacuna_grammar::recognize::recognize;
use lacuna_lexer::Vocabulary;

const LETTERS: &[u8] = b"ab(),";

/// Cells hold a letter each.
fn letters() -> Arc<Vocabulary> {
    let tokens = LETTERS.iter().map(|&byte| Some(vec![byte]));
    let tokens = tokens.chain([None, None]).collect();
    let (end, mask) = (LETTERS.len() as u32, LETTERS.len() as u32 + 1);
    Arc::new(Vocabulary::new(tokens, vec![end], mask).expect("a vocabulary"))
}

fn open(dialect: Dialect, text: &str) -> Workbench {
    let source = GrammarSource::new(dialect, text);
    Workbench::open(source, Purpose::Judging, &letters()).expect("a grammar")
}

fn text(text: &str) -> Piece {
    Piece::Text(text.as_bytes().to_vec())
}

/// All texts of so many letters.
fn words(length: usize) -> Vec<Vec<u8>> {
    let longer = |word: Vec<u8>| {
        let letters = LETTERS.iter();
        letters.map(move |&letter| [word.as_slice(), &[letter]].concat())
    };
    (0..length).fold(vec![Vec::new()], |words, _| {
        words.into_iter().flat_map(longer).collect()
    })
}

#[test]
fn gaps_of_both_kinds_in_one_text() {
    let grammars = [
        (
            Dialect::Gbnf,
            "root ::= \"(\" root (\",\" root)* \")\" | [ab]+",
        ),
        (Dialect::Gbnf, "root ::= (\"ab\" | \"(\" [ab] \")\")*"),
        (
            Dialect::Lark,
            "start: item (\",\" item)*\nitem: WORD | \"(\" start \")\"\nWORD: /[ab]+/",
        ),
        (Dialect::Regex, "(?:a|ba)*(?:,[ab(]{2})?"),
    ];
    let mut answers = [0, 0];
    for (dialect, grammar) in grammars {
        let mut bench = open(dialect, grammar);
        for before in ["", "(", "a", "(a,", "ab(", "b"] {
            for after in ["", ")", "b", ",a"] {
                for cells in 0..4 {
                    let pieces = [text(before), Piece::Cells(cells), text(after)];
                    let grammar = &bench.linted().grammar;
                    let mut filled = words(cells).into_iter();
                    let expected = filled.any(|word| {
                        let whole = [before.as_bytes(), &word, after.as_bytes()].concat();
                        recognize(grammar, &whole)
                    });
                    let found = bench.complete(&pieces).expect("a verdict");
                    assert_eq!(found.is_some(), expected, "{before}□{cells}{after}");
                    answers[usize::from(expected)] += 1;

                    // What is completable with a gap more has a completion that says so.
                    let pieces = [text(before), Piece::Any, text(after), Piece::Cells(cells)];
                    let found = bench.complete(&pieces);
                    let found = found.unwrap_or_else(|fault| panic!("{pieces:?}: {fault}"));
                    if let Some(completion) = found {
                        let [first, last] = completion.fillings.as_slice() else {
                            panic!("two gaps");
                        };
                        let whole = [
                            before.as_bytes(),
                            &completion.text[first.clone()],
                            after.as_bytes(),
                            &completion.text[last.clone()],
                        ];
                        assert_eq!(whole.concat(), completion.text);
                        assert_eq!(last.len(), cells);
                        assert!(recognize(&bench.linted().grammar, &completion.text));
                    }
                }
            }
        }
    }
    assert!(answers.iter().all(|&count| count > 50), "{answers:?}");
}

#[test]
fn derivations_name_rules_and_their_places() {
    let bench = open(Dialect::Gbnf, "root ::= item (\",\" item)*\nitem ::= [ab]+");
    let derivation = bench.derive(b"a,bb").expect("a derivation");
    let rules = derivation.nodes.iter().filter_map(|node| match node.by {
        By::Rule(rule) => Some((rule.0, node.start, node.end)),
        _ => None,
    });
    assert_eq!(rules.collect::<Vec<_>>(), [(0, 0, 4), (1, 0, 1), (1, 2, 4)]);
    let Place::Span { start, .. } = bench.linted().places[1] else {
        panic!("a place in the text");
    };
    assert_eq!(start, 26);
    assert_eq!(
        bench.derive(b"a,").expect_err("no member").kind,
        "no-member"
    );
}

#[test]
fn exports_tell_what_cannot_be_held() {
    let bench = open(Dialect::Gbnf, "root ::= \"(\" root \")\" | \"a\"");
    assert!(bench.export(ExportTarget::Lark).is_ok());
    let fault = bench.export(ExportTarget::Regex).expect_err("nested");
    assert_eq!((fault.kind, fault.diagnostics[0].line), ("export", Some(1)));
}

#[test]
fn classes_put_letters_together_that_are_alike() {
    let bench = open(Dialect::Gbnf, "root ::= \"(\" [ab]* \")\"");
    let classes = bench.classes(&letters()).expect("classes");
    assert_eq!(classes[0], classes[1]);
    assert_ne!(classes[0], classes[2]);
    assert_eq!(classes[4], None);
}

#[test]
fn what_no_grammar_says_is_judged() {
    let schema = r#"{"type": "array", "uniqueItems": true, "items": {"type": "string"}}"#;
    let bytes = (0..=u8::MAX).map(|byte| Some(vec![byte]));
    let tokens = bytes.chain([None, None]).collect();
    let vocabulary = Arc::new(Vocabulary::new(tokens, vec![256], 257).expect("a vocabulary"));
    let source = || GrammarSource::new(Dialect::JsonSchema, schema);
    for purpose in [Purpose::Judging, Purpose::Writing] {
        let mut bench = Workbench::open(source(), purpose, &vocabulary).expect("a wider grammar");
        let warnings = &bench.compiled().lints().warnings;
        assert_eq!(warnings[0].kind, "whole-texts");
        let completion =
            bench.complete(&[text(r#"["a",""#), Piece::Any, text(r#"","#), Piece::Any]);
        let completion = completion.expect("a verdict").expect("a completion");
        let items: Vec<String> = serde_json::from_slice(&completion.text).expect("JSON");
        for (at, item) in items.iter().enumerate() {
            assert!(!items[..at].contains(item), "{items:?}");
        }
        let twice = [text(r#"["a","#), text(r#""b","b"]"#)];
        assert_eq!(bench.complete(&twice).expect("a verdict"), None);
        let repeats = Some(Repeat {
            segment: 1,
            offset: 4,
            text: r#""b""#.to_owned(),
        });
        let explained = bench.explain(&twice).expect("a reason");
        assert_eq!(explained, Explanation::Invalid { repeats });
        // What the grammar itself refuses is told as ever.
        let explained = bench.explain(&[text(r#"["a",1]"#)]).expect("a reason");
        let breaks = matches!(&explained, Explanation::Breaks { offset: 5, .. });
        assert!(breaks, "{explained:?}");
        let fault = bench.export(ExportTarget::Gbnf).expect_err("no grammar");
        assert_eq!(fault.kind, "export");
    }
}
