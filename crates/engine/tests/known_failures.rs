//! What goes wrong in published implementations, each as a test of its own.
//!
//! Texts and gaps are asked through a session, as the command line does; canvases of
//! tokens through the checker.

use std::path::Path;
use std::sync::Arc;

use lacuna_checker::{Checker, CheckerLimits, Filling, Pattern, Verdict};
use lacuna_engine::{Dialect, GrammarSession, GrammarSource, Purpose};
use lacuna_grammar::Grammar;
use lacuna_grammar::recognize::recognize;
use lacuna_lexer::{TokenId, Vocabulary};

fn shipped(name: &str) -> Grammar {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../grammars")
        .join(name);
    let text = std::fs::read_to_string(path).expect("a grammar that ships");
    compiled(Dialect::of_file(name).expect("a dialect"), &text)
}

fn compiled(dialect: Dialect, text: &str) -> Grammar {
    let source = GrammarSource::new(dialect, text);
    source.compile(Purpose::Judging).expect("a grammar")
}

/// Whether a text with gaps of any length (`□`) can be completed; a witness must be a
/// text of the grammar.
fn completable(grammar: &Grammar, text: &str) -> bool {
    let mut session = GrammarSession::new(grammar, None).expect("a session");
    let mut segments: Vec<Option<Vec<u8>>> = Vec::new();
    for (at, piece) in text.split('□').enumerate() {
        if at > 0 {
            segments.push(None);
        }
        if !piece.is_empty() {
            segments.push(Some(piece.as_bytes().to_vec()));
        }
    }
    let answer = session.check(&segments, None).expect("a verdict");
    if let Some(witness) = &answer.witness {
        assert!(recognize(grammar, witness), "{text}: {witness:?}");
    }
    answer.completable
}

/// Every byte is a token, and so are some longer texts; token 0 ends the text, token 1
/// is the mask.
fn vocabulary(longer: &[&[u8]]) -> Arc<Vocabulary> {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let longer = longer.iter().map(|text| text.to_vec());
    let all = [None, None]
        .into_iter()
        .chain(bytes.chain(longer).map(Some));
    Arc::new(Vocabulary::new(all.collect(), vec![0], 1).expect("a vocabulary"))
}

fn byte(byte: u8) -> Option<TokenId> {
    Some(2 + TokenId::from(byte))
}

/// The cells of a text in which `_` is a masked cell and `$` an end.
fn cells(text: &str) -> Vec<Option<TokenId>> {
    let cells = text.bytes().map(|b| match b {
        b'_' => None,
        b'$' => Some(0),
        b => byte(b),
    });
    cells.collect()
}

fn check(grammar: &Grammar, vocabulary: &Arc<Vocabulary>, cells: &[Option<TokenId>]) -> Verdict {
    let limits = CheckerLimits::default();
    let mut checker =
        Checker::new(grammar, Some(Arc::clone(vocabulary)), limits).expect("a checker");
    let pattern = Pattern::of_canvas(cells, vocabulary).expect("a canvas that makes sense");
    let verdict = checker.check(&pattern).0;
    if let Verdict::Completable(witness) = &verdict {
        let text = witness.text(&pattern, Some(vocabulary));
        assert!(recognize(grammar, &text), "{text:?}");
    }
    verdict
}

#[test]
fn a_gap_may_end_in_any_suffix_of_a_lexeme() {
    let cpp = shipped("cpp.lark");
    assert!(completable(&cpp, r#"int main() { f(□, "b"); }"#));
    assert!(completable(&cpp, r#"int main() { f("a□, "b"); }"#));
}

#[test]
fn fillings_are_not_limited_to_one_byte_characters() {
    for json in [shipped("json.gbnf"), shipped("json.lark")] {
        assert!(completable(&json, r#"{"名□": 1}"#));
        assert!(completable(&json, r#"{"□名": 1}"#));
    }
}

#[test]
fn a_gap_of_so_many_cells_is_filled_by_as_many_tokens() {
    let vocabulary = vocabulary(&[]);
    let arithmetic = shipped("arithmetic.gbnf");
    let open = "(".repeat(30);
    let verdict = check(&arithmetic, &vocabulary, &cells(&format!("{open}_$")));
    assert_eq!(verdict, Verdict::Impossible);
    let masks = "_".repeat(31);
    let verdict = check(&arithmetic, &vocabulary, &cells(&format!("{open}{masks}$")));
    let Verdict::Completable(witness) = verdict else {
        panic!("{verdict:?}");
    };
    assert!(matches!(&witness.gaps[..], [Filling::Tokens(tokens)] if tokens.len() == 31));
    let schema = r#"{"type": "object", "required": ["a", "b", "c", "d", "e"],
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"},
        "c": {"type": "integer"}, "d": {"type": "integer"}, "e": {"type": "integer"}}}"#;
    let schema = compiled(Dialect::JsonSchema, schema);
    assert_eq!(
        check(&schema, &vocabulary, &cells("{_$")),
        Verdict::Impossible
    );
}

#[test]
fn a_text_may_end_inside_a_gap() {
    let vocabulary = vocabulary(&[]);
    let json = shipped("json.gbnf");
    for canvas in ["[]___", "[]_$_", "[___$_"] {
        let verdict = check(&json, &vocabulary, &cells(canvas));
        assert!(matches!(verdict, Verdict::Completable(_)), "{canvas}");
    }
    let ended = Pattern::of_canvas(&cells("[$]"), &vocabulary);
    assert_eq!(ended, None, "text behind an end");
}

#[test]
fn a_budget_that_runs_out_is_not_a_no() {
    let limits = CheckerLimits {
        parse_items: 10,
        ..CheckerLimits::default()
    };
    let cpp = shipped("cpp.lark");
    let mut checker = Checker::new(&cpp, Some(vocabulary(&[])), limits).expect("a checker");
    let canvas = Pattern::of_canvas(&cells("int main() { ____ }"), &vocabulary(&[]));
    let verdict = checker.check(&canvas.expect("a canvas")).0;
    assert!(matches!(verdict, Verdict::Exhausted { .. }), "{verdict:?}");
}

#[test]
fn tokens_that_hold_parts_of_characters_are_read_as_their_bytes() {
    let name = "名".as_bytes();
    let vocabulary = vocabulary(&[b"\"", &name[..2]]);
    let json = shipped("json.gbnf");
    let part = Some(2 + 256 + 1);
    let canvas = [byte(b'"'), part, None, byte(b'"')];
    let Verdict::Completable(witness) = check(&json, &vocabulary, &canvas) else {
        panic!("completable by the last byte of a character");
    };
    let [Filling::Tokens(tokens)] = &witness.gaps[..] else {
        panic!("{witness:?}");
    };
    let last = vocabulary.bytes(tokens[0]).expect("bytes");
    assert!(std::str::from_utf8(&[&name[..2], last].concat()).is_ok());
    let broken = [byte(b'"'), part, byte(b'"')];
    assert_eq!(check(&json, &vocabulary, &broken), Verdict::Impossible);
}

/// In `CnCn…` every `Cn` is two atoms, or one of a lexicon that knows it: 2^k
/// readings.
#[test]
fn texts_of_many_readings_take_linear_work() {
    let ambiguous = "root ::= atom+\natom ::= \"C\" | \"n\" | \"Cn\" | branch\n\
                     branch ::= \"(\" atom+ \")\"\n";
    let grammar = compiled(Dialect::Gbnf, ambiguous);
    for atoms in [1_000, 2_000, 4_000] {
        let limits = CheckerLimits {
            parse_items: 100 * atoms,
            ..CheckerLimits::default()
        };
        let mut checker = Checker::new(&grammar, None, limits).expect("a checker");
        let text = "Cn".repeat(atoms / 2);
        let pieces = [format!("{text}("), format!("{text})")];
        let mut segments = pieces
            .iter()
            .map(|piece| lacuna_checker::Segment::Text(piece.as_bytes().to_vec()));
        let segments = vec![
            segments.next().expect("a piece"),
            lacuna_checker::Segment::Gap(lacuna_checker::Gap::Any),
            segments.next().expect("a piece"),
        ];
        let verdict = checker.check(&Pattern { segments }).0;
        assert!(
            matches!(verdict, Verdict::Completable(_)),
            "{atoms}: {verdict:?}"
        );
    }
    assert!(completable(
        &shipped("smiles.lark"),
        &format!("{}□", "Cn".repeat(500))
    ));
}

#[test]
fn what_is_kept_of_one_grammar_does_not_answer_for_another() {
    let grammars = [shipped("json.gbnf"), shipped("arithmetic.gbnf")];
    let mut sessions =
        grammars.map(|grammar| GrammarSession::new(&grammar, None).expect("a session"));
    for _ in 0..2 {
        for (session, text) in sessions.iter_mut().zip(["[1]", "(1)"]) {
            let other = if text == "[1]" { "(1)" } else { "[1]" };
            let mut belongs = |text: &str| {
                let whole = [Some(text.as_bytes().to_vec())];
                session.check(&whole, None).expect("a verdict").completable
            };
            assert!(belongs(text) && !belongs(other), "{text}");
        }
    }
}

#[test]
fn blanks_do_not_split_operators() {
    let cpp = shipped("cpp.lark");
    assert!(completable(&cpp, "int main() { a->b; a - b; }"));
    assert!(!completable(&cpp, "int main() { a - > b; }"));
    assert!(!completable(&cpp, "int main() { a + = b; }"));
}

#[test]
fn no_gap_opens_a_comment_unless_asked_to() {
    let cpp = shipped("cpp.lark");
    // Two line ends: the first could go on a line of the preprocessor.
    assert!(!completable(&cpp, "int main() { □\n\n@ }"));
    assert!(!completable(&cpp, "int main() { □\n\nif }"));
}

#[test]
fn json_is_neither_less_nor_more_than_json() {
    for json in [shipped("json.gbnf"), shipped("json.lark")] {
        assert!(completable(&json, r#""a \" b""#));
        assert!(!completable(&json, r#""\q""#));
        assert!(!completable(&json, "[1,]"));
    }
    let schema = r#"{"type": "object", "properties": {
        "n": {"type": "integer", "minimum": 3, "maximum": 20},
        "l": {"type": "array", "items": {}, "minItems": 2},
        "e": {"enum": [1, null, "x", [true]]},
        "u": {"anyOf": [{"type": "boolean"}, {"type": "string", "maxLength": 1}]}}}"#;
    let schema = compiled(Dialect::JsonSchema, schema);
    for (text, belongs) in [
        (r#"{"l": [1, 2], "n": 7}"#, true),
        (r#"{"n": 2}"#, false),
        (r#"{"n": 21}"#, false),
        (r#"{"l": [1]}"#, false),
        (r#"{"e": [true]}"#, true),
        (r#"{"e": null, "u": "y"}"#, true),
        (r#"{"e": 2}"#, false),
        (r#"{"u": "yy"}"#, false),
        (r#"{"u": 0}"#, false),
    ] {
        assert_eq!(completable(&schema, text), belongs, "{text}");
    }
}

#[test]
fn cpp_and_smiles_are_what_they_are_outside() {
    let cpp = shipped("cpp.lark");
    for statement in [
        "int a = 0xFF; float b = 1.0f; double c = 1.5e5;",
        "char d = '\\0';",
        "do { } while (x);",
        "struct S { int y; };",
        "int* p = new int[3]; delete[] p;",
    ] {
        let text = format!("int main() {{ {statement} }}");
        assert!(completable(&cpp, &text), "{statement}");
    }
    let smiles = shipped("smiles.lark");
    for (text, belongs) in [
        ("C1CCCCC1", true),
        ("C1CC", false),
        ("C$C", true),
        ("C$", false),
    ] {
        assert_eq!(completable(&smiles, text), belongs, "{text}");
    }
}
