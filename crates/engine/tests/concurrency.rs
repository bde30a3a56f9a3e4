//! Grammars do not disturb one another: two in one process, asked from two
//! threads at once, answer as each does alone.

use lacuna_engine::{Answer, Dialect, GrammarSession, GrammarSource, Purpose};

fn session(text: &str) -> GrammarSession {
    let source = GrammarSource::new(Dialect::Gbnf, text);
    let grammar = source.compile(Purpose::Judging).expect("a grammar");
    GrammarSession::new(&grammar, None).expect("a session")
}

const BRACKETS: &str = r#"root ::= "[" root "]" root | "" "#;
const LIST: &str = r#"root ::= "[" ([a-z] ("," [a-z])*)? "]""#;

fn answers(mut session: GrammarSession) -> Vec<Answer> {
    let texts = ["[", "[[", "[a", "[a,", "]", "[]", "[][", "[[]]", "[a]"];
    (0..40)
        .flat_map(|_| texts)
        .map(|text| {
            let segments = [Some(text.as_bytes().to_vec()), None];
            session.check(&segments, None).expect("an answer")
        })
        .collect()
}

#[test]
fn two_grammars_at_once_answer_as_each_alone() {
    let alone = (answers(session(BRACKETS)), answers(session(LIST)));
    let together = std::thread::scope(|scope| {
        let first = scope.spawn(|| answers(session(BRACKETS)));
        let second = scope.spawn(|| answers(session(LIST)));
        (
            first.join().expect("brackets"),
            second.join().expect("list"),
        )
    });
    assert_eq!(alone, together);
    assert_ne!(alone.0, alone.1);
}

#[test]
fn two_grammars_in_turn_answer_as_each_alone() {
    let (mut brackets, mut list) = (session(BRACKETS), session(LIST));
    for text in ["[", "[[", "[a", "]", "[][", "[a]"] {
        let segments = [Some(text.as_bytes().to_vec()), None];
        let ask = |session: &mut GrammarSession| session.check(&segments, None).expect("one");
        let turns = (ask(&mut brackets), ask(&mut list));
        assert_eq!(
            turns,
            (ask(&mut session(BRACKETS)), ask(&mut session(LIST))),
            "{text}"
        );
    }
}
