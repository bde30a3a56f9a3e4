//! What the published methods do on small texts: examples of the papers' constructions,
//! and the entries of what is known to go wrong with them, each as it is.

use lacuna_checker::{Gap, Pattern, Segment};
use lacuna_grammar::automaton::Limits;
use lacuna_grammar::{Grammar, Slots, gbnf, lark};
use lacuna_published::lexing::{Ends, FragmentLexer};
use lacuna_published::{
    Answer, Epic, EpicParts, Language, LexicalMap, Mundler, Stopped, Ticker, never,
};

fn read(text: &str) -> Grammar {
    let open = lark::open(text, &lark::Options::default()).expect("a grammar");
    open.fill(&Slots::default()).expect("no slots").grammar
}

/// `_` is a gap.
fn pattern(text: &str) -> Pattern {
    let texts = text.split('_').map(|text| Segment::Text(text.into()));
    let gap = || Segment::Gap(Gap::Any);
    let pieces = texts.flat_map(|text| [gap(), text]).skip(1);
    Pattern::with_open_tail(pieces)
}

/// What every method says with every combination of parts, which must be the same.
fn completable(grammar: &Grammar, map: LexicalMap, text: &str) -> bool {
    let limits = Limits::default();
    let pattern = pattern(text);
    let mut mundler = Mundler::new(grammar, map, &limits).expect("a small grammar");
    let answer = mundler.check(&pattern, &never).is_completable();
    for parts in 0..8 {
        let on = |part: u8| parts & 1 << part != 0;
        let parts = EpicParts {
            memo: on(0),
            dfa_free: on(1),
            parallel: on(2),
        };
        let mut epic = Epic::new(grammar, map, parts, &limits).expect("a small grammar");
        // Twice: from the memo too.
        for _ in 0..2 {
            let by_epic = epic.check(&pattern, &never).is_completable();
            assert_eq!(by_epic, answer, "{text}: {parts:?}");
        }
    }
    answer
}

const CALLS: &str = r#"
start: call ";"
call: NAME "(" (value ("," value)*)? ")"
value: NAME | STRING | call
NAME: /[a-z]+/
STRING: /"(\\.|[^"\\])*"/
%ignore " "
"#;

fn lexings(grammar: &Grammar, map: LexicalMap, text: &str, ends: Ends) -> Vec<String> {
    let language = Language::new(grammar, &Limits::default()).expect("a small grammar");
    let names = ["NAME", "STRING", ";", "(", ",", ")"];
    let name = |language: &Language, id: u32| {
        // Terminals are told apart by a lexeme.
        let lexemes: [&[u8]; 6] = [b"x", b"\"\"", b";", b"(", b",", b")"];
        let terminal = &language.terminals[id as usize].language;
        let known = lexemes.iter().position(|lexeme| terminal.accepts(lexeme));
        known.map_or("blank", |at| names[at])
    };
    let language = std::sync::Arc::new(language);
    let mut lexer = FragmentLexer::new(std::sync::Arc::clone(&language), map);
    let lexings = lexer.lex(text.as_bytes(), ends, &mut Ticker::new(&never));
    let mut found: Vec<String> = lexings
        .expect("time")
        .iter()
        .map(|lexing| {
            let terminals = lexing.terminals.iter().map(|&id| name(&language, id));
            let begun = if lexing.first.is_some() { "…" } else { "" };
            let cut = if lexing.last.is_some() { "…" } else { "" };
            format!("{begun}{}{cut}", terminals.collect::<Vec<_>>().join(" "))
        })
        .collect();
    found.sort();
    found
}

#[test]
fn a_fragment_is_lexed_from_every_way_to_begin_and_to_end() {
    let calls = read(CALLS);
    let both = Ends {
        left: true,
        right: true,
    };
    let neither = Ends {
        left: false,
        right: false,
    };
    let lexings = |text, ends| lexings(&calls, LexicalMap::Described, text, ends);
    assert_eq!(lexings("f(x)", neither), ["NAME ( NAME )"]);
    // The name may have begun before, or go on behind; a string may be all of it.
    assert_eq!(
        lexings("f", both),
        ["NAME", "NAME…", "…NAME", "…NAME…", "…STRING…"]
    );
    assert_eq!(
        lexings("f\"", both),
        ["NAME STRING…", "…NAME STRING…", "…STRING"]
    );
    // Nothing but ignored lexemes is the empty sequence.
    assert_eq!(lexings(" ", neither), [""]);
}

#[test]
fn lexemes_join_across_gaps() {
    let calls = read(CALLS);
    for map in [
        LexicalMap::Described,
        LexicalMap::Released,
        LexicalMap::Exact,
    ] {
        assert!(completable(&calls, map, "f(\"a_b_c\");"));
        assert!(completable(&calls, map, "f_(_g_;"));
        assert!(completable(&calls, map, "_"));
        assert!(!completable(&calls, map, "f(_;)"));
        assert!(!completable(&calls, map, "f;_"));
        assert!(!completable(&calls, map, ""));
    }
}

/// Any segmentation counts under the free discipline, so a lexeme may end before a longer
/// one does.
#[test]
fn a_shorter_lexeme_is_a_lexeme() {
    let words = gbnf::parse(
        r#"root ::= word rest
word ::= [ab]+
rest ::= "b" root "c" | "b""#,
    );
    let words = words.expect("a grammar");
    for map in [LexicalMap::Described, LexicalMap::Exact] {
        for text in ["aab", "ab", "aabababc", "a_b", "_bc"] {
            assert!(completable(&words, map, text), "{text}");
        }
        assert!(!completable(&words, map, "aa"));
    }
}

/// What a text begins with may be the end of an ignored lexeme, also where that lexeme
/// could begin in the text but another one does.
#[test]
fn the_end_of_an_ignored_lexeme_is_none_of_another() {
    let blanks = read(
        r#"
start: B | K B
B: "b"
K: "ab"
BLANK: "a" | "ca"
%ignore BLANK
"#,
    );
    for map in [LexicalMap::Described, LexicalMap::Exact] {
        assert!(completable(&blanks, map, "_ab"));
        assert!(!completable(&blanks, map, "ab"));
    }
}

/// A prefix and a suffix of one lexeme may overlap in it only as far as it is long.
#[test]
fn parts_of_a_keyword_are_not_counted_twice() {
    let null = read("start: \"null\"\n");
    for map in [LexicalMap::Described, LexicalMap::Exact] {
        for text in ["nu_ll", "n_u_l_", "_n_u_l_l_", "null_"] {
            assert!(completable(&null, map, text), "{text}");
        }
        for text in ["nul_ull", "n_ll_l", "nul_l_l", "n_l_ll"] {
            assert!(!completable(&null, map, text), "{text}");
        }
    }
}

/// Known failure 1. The code that was released keeps, of each terminal, only the
/// longest end of a lexeme that a fragment begins with: `", "` after a backslash.
#[test]
fn the_longest_suffix_only_refuses_what_can_be_completed() {
    let calls = read(CALLS);
    let text = "f(_\", \"b\");";
    assert!(completable(&calls, LexicalMap::Described, text));
    assert!(completable(&calls, LexicalMap::Exact, text));
    assert!(!completable(&calls, LexicalMap::Released, text));
}

/// Not among the papers' claims, but their assumption: any terminals may stand side
/// by side in a gap, or be left out of it.
#[test]
fn maximal_munch_across_a_gap_is_taken_for_granted() {
    let names = read("start: NAME NAME\nNAME: /[a-z]+/\n");
    for map in [LexicalMap::Described, LexicalMap::Released] {
        assert!(completable(&names, map, "a_b"), "a wrong yes, as published");
    }
    assert!(!completable(&names, LexicalMap::Exact, "a_b"));
}

/// Known failure 3. How many masks a gap has is not asked.
#[test]
fn thirty_open_parentheses_pass() {
    let parentheses = gbnf::parse(r#"root ::= "(" root ")" | "x""#).expect("a grammar");
    let text = format!("{}_", "(".repeat(30));
    for map in [LexicalMap::Described, LexicalMap::Exact] {
        assert!(completable(&parentheses, map, &text));
    }
}

/// Known failure 7. Lexings are listed, so their number doubles with each ambiguous
/// lexeme; the budget of time ends it.
#[test]
fn ambiguous_lexemes_double_the_lexings() {
    // A bracket keeps the atoms from being one terminal.
    let atoms = gbnf::parse(
        r#"root ::= (atom | bracket)+
atom ::= "C" bracket? | "n" bracket? | "Cn" bracket?
bracket ::= "[" root "]""#,
    );
    let atoms = atoms.expect("a grammar");
    let language = Language::new(&atoms, &Limits::default()).expect("a small grammar");
    let mut lexer = FragmentLexer::new(language.into(), LexicalMap::Described);
    let ends = Ends {
        left: false,
        right: false,
    };
    let mut count = |pairs: usize| {
        let text = "Cn".repeat(pairs);
        let lexings = lexer.lex(text.as_bytes(), ends, &mut Ticker::new(&never));
        lexings.expect("time").len()
    };
    assert_eq!([1, 2, 3, 8].map(&mut count), [2, 4, 8, 256]);
    let started = std::time::Instant::now();
    let stop = || started.elapsed().as_millis() > 20;
    let text = "Cn".repeat(500);
    let lexings = lexer.lex(text.as_bytes(), ends, &mut Ticker::new(&stop));
    assert!(lexings.is_err(), "stopped, not impossible");
}

/// Known failure 5 is not repeated: being stopped is an answer of its own.
#[test]
fn a_time_out_is_not_a_no() {
    let atoms = gbnf::parse(
        r#"root ::= x root | x
x ::= "a" | "aa" | [a] root [a]"#,
    );
    let atoms = atoms.expect("a grammar");
    let limits = Limits::default();
    let mut mundler = Mundler::new(&atoms, LexicalMap::Described, &limits).expect("a grammar");
    let text = "a".repeat(2000);
    let answer = mundler.check(&pattern(&text), &|| true);
    assert_eq!(answer, Answer::Stopped(Stopped::Time));
}

/// Known failure 8 is not repeated: a memo belongs to one grammar.
#[test]
fn memos_of_two_grammars_are_two() {
    let limits = Limits::default();
    let parts = EpicParts::default();
    let map = LexicalMap::Described;
    let (letters, digits) = (read("start: /[a-z]+/+"), read("start: /[0-9]+/+"));
    let mut letters = Epic::new(&letters, map, parts, &limits).expect("a grammar");
    let mut digits = Epic::new(&digits, map, parts, &limits).expect("a grammar");
    let text = pattern("_12");
    assert!(!letters.check(&text, &never).is_completable());
    assert!(digits.check(&text, &never).is_completable());
    assert!(!letters.check(&text, &never).is_completable());
    assert_eq!(letters.memo_use(), (2, 1));
}

/// EPIC's Algorithms 1 and 4 on a text: what goes together is committed together.
#[test]
fn a_step_commits_what_is_compatible() {
    let calls = read(CALLS);
    let cells: [Option<&str>; 6] = [Some("f"), None, None, None, None, Some(";")];
    let apply = |commits: &[(usize, &'static str)]| {
        let mut cells = cells;
        for &(cell, text) in commits {
            cells[cell] = Some(text);
        }
        let pieces = cells.iter().map(|cell| match cell {
            Some(text) => Segment::Text((*text).into()),
            None => Segment::Gap(Gap::Any),
        });
        Pattern::with_open_tail(pieces)
    };
    let limits = Limits::default();
    for parallel in [true, false] {
        let parts = EpicParts {
            parallel,
            ..EpicParts::default()
        };
        let map = LexicalMap::Described;
        let mut epic = Epic::new(&calls, map, parts, &limits).expect("a grammar");
        let good = [(1, "("), (2, "x"), (4, ")")];
        let committed = epic.commit(&good, 3, &apply, &never);
        assert_eq!(committed.expect("time"), good);
        // Two semicolons never stand in one statement: the cover knows.
        let mixed = [(1, "("), (2, ";"), (4, ")")];
        let committed = epic.commit(&mixed, 3, &apply, &never);
        assert_eq!(committed.expect("time"), [(1, "("), (4, ")")]);
    }
}
