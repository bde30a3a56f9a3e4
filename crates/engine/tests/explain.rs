//! Where texts break, and what could have stood there.

use lacuna_engine::{Dialect, Explanation, GrammarSession, GrammarSource, Purpose};

fn session(dialect: Dialect, text: &str) -> GrammarSession {
    let source = GrammarSource::new(dialect, text);
    let grammar = source.compile(Purpose::Judging).expect("a grammar");
    GrammarSession::new(&grammar, None).expect("small automata")
}

fn explained(dialect: Dialect, grammar: &str, segments: &[Option<&str>]) -> Explanation {
    let segments: Vec<Option<Vec<u8>>> = segments
        .iter()
        .map(|segment| segment.map(|text| text.as_bytes().to_vec()))
        .collect();
    let explanation = session(dialect, grammar).explain(&segments, None);
    explanation.expect("within budgets")
}

#[test]
fn a_break_is_the_first_character_that_cannot_stand() {
    let object = r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}"#;
    let explanation = explained(Dialect::JsonSchema, object, &[Some(r#"{"a": x"#), None]);
    let Explanation::Breaks {
        segment,
        offset,
        found,
        expected,
        others,
        end,
        witness,
    } = explanation
    else {
        panic!("{explanation:?}");
    };
    assert_eq!((segment, offset, found.as_deref()), (0, 6, Some("x")));
    assert_eq!(expected, "\t\n\r -0123456789");
    assert!(!others && !end);
    assert!(witness.starts_with(r#"{"a": "#), "{witness}");
}

#[test]
fn a_break_behind_a_gap_is_in_its_own_segment() {
    let explanation = explained(
        Dialect::Gbnf,
        r#"root ::= "(" [a-z]* ")""#,
        &[Some("("), None, Some("é)")],
    );
    let Explanation::Breaks {
        segment,
        offset,
        found,
        expected,
        ..
    } = explanation
    else {
        panic!("{explanation:?}");
    };
    assert_eq!((segment, offset, found.as_deref()), (2, 0, Some("é")));
    assert_eq!(expected, format!("){}", ('a'..='z').collect::<String>()));
}

#[test]
fn a_text_that_ends_too_early_breaks_at_its_end() {
    let explanation = explained(Dialect::Regex, "(ab)+é?", &[Some("aba")]);
    let Explanation::Breaks {
        offset,
        found,
        expected,
        others,
        end,
        ..
    } = explanation
    else {
        panic!("{explanation:?}");
    };
    assert_eq!((offset, found, expected.as_str()), (3, None, "b"));
    assert!(!others && !end);
}

#[test]
fn what_follows_a_whole_text_could_have_been_its_end() {
    let explanation = explained(Dialect::Regex, "(ab)+é?", &[Some("ab"), Some("x")]);
    let Explanation::Breaks {
        segment,
        offset,
        expected,
        others,
        end,
        ..
    } = explanation
    else {
        panic!("{explanation:?}");
    };
    assert_eq!((segment, offset, expected.as_str()), (1, 0, "a"));
    assert!(others && end);
}

#[test]
fn what_breaks_nowhere_is_said_to_be_completable() {
    let explanation = explained(Dialect::Regex, "a+", &[None, Some("a")]);
    assert_eq!(
        explanation,
        Explanation::Completable {
            witness: "a".to_owned()
        }
    );
}
