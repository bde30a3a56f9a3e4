//! Nothing outgrows its bound: a check that would ends as stopped, a grammar is refused.

use std::sync::Arc;

use lacuna_checker::{Gap, Pattern, Segment};
use lacuna_grammar::automaton::{AutomatonError, Limits};
use lacuna_grammar::{Grammar, gbnf};
use lacuna_published::completion::completion;
use lacuna_published::cover::Cover;
use lacuna_published::dfa::TerminalDfa;
use lacuna_published::earley::{Dotted, parse};
use lacuna_published::exact::ExactLexer;
use lacuna_published::intersection::intersect;
use lacuna_published::lexing::{Ends, FragmentLexer, Parts};
use lacuna_published::normal_form::NormalForm;
use lacuna_published::{
    Answer, Epic, EpicParts, Language, LexicalMap, Mundler, PublishedError, Stopped, TerminalId,
    Ticker, never,
};

fn read(text: &str) -> Grammar {
    gbnf::parse(text).expect("a grammar")
}

fn language(text: &str) -> Arc<Language> {
    Arc::new(Language::new(&read(text), &Limits::default()).expect("a small grammar"))
}

const ATOMS: &str = r#"root ::= (atom | bracket)+
atom ::= "C" bracket? | "n" bracket? | "Cn" bracket?
bracket ::= "[" root "]""#;

/// `_` is a gap.
fn pattern(text: &str) -> Pattern {
    let texts = text.split('_').map(|text| Segment::Text(text.into()));
    let pieces = texts.flat_map(|text| [Segment::Gap(Gap::Any), text]);
    Pattern::with_open_tail(pieces.skip(1))
}

/// 2⁵⁰⁰ lexings: as many as there is room for are listed.
#[test]
fn lexings_that_double_run_out_of_memory() {
    let mut lexer = FragmentLexer::new(language(ATOMS), LexicalMap::Described);
    let ends = Ends {
        left: false,
        right: false,
    };
    let mut ticker = Ticker::with_room(&never, 10_000_000);
    let lexings = lexer.lex("Cn".repeat(500).as_bytes(), ends, &mut ticker);
    assert_eq!(lexings, Err(Stopped::Memory));
}

type Found = Option<Vec<TerminalId>>;

/// A method's parts, put together by hand to be given less room.
type Parse = fn(&Language, &Pattern, &mut Ticker<'_>) -> Result<Found, Stopped>;

fn described(
    language: &Arc<Language>,
    pattern: &Pattern,
    ticker: &mut Ticker<'_>,
) -> Result<lacuna_published::Enfa, Stopped> {
    let mut parts = Parts::new(Arc::clone(language));
    let mut lexer = FragmentLexer::new(Arc::clone(language), LexicalMap::Described);
    let mut lex = |text: &[u8], ends: Ends, ticker: &mut Ticker<'_>| {
        Ok(lexer.lex(text, ends, ticker)?.into())
    };
    completion(pattern, language, &mut parts, &mut lex, ticker)
}

/// With less room than a check takes it is stopped, and with as much or more it says what it
/// says with any.
#[test]
fn every_part_counts_what_it_holds() {
    let by_intersection: Parse = |language, pattern, ticker| {
        let language = Arc::new(language.clone());
        let enfa = described(&language, pattern, ticker)?;
        let normal = NormalForm::new(&language.cfg, language.terminals.len());
        match TerminalDfa::minimal(&enfa, ticker)? {
            Some(dfa) => intersect(&normal, &dfa, ticker),
            None => Ok(None),
        }
    };
    let by_parse: Parse = |language, pattern, ticker| {
        let language = Arc::new(language.clone());
        let enfa = described(&language, pattern, ticker)?;
        parse(&Dotted::new(&language.cfg), &enfa, ticker)
    };
    let exactly: Parse = |language, pattern, ticker| {
        let language = Arc::new(language.clone());
        let lexer = ExactLexer::new(Arc::clone(&language), &Limits::default());
        let mut lexer = lexer.expect("a small grammar");
        let enfa = lexer.enfa(pattern, ticker)?;
        let found = parse(&Dotted::new(&language.cfg), &enfa, ticker)?;
        if let Some(terminals) = &found {
            let witness = lexer.witness(pattern, terminals, ticker)?;
            assert!(witness.is_some(), "{pattern:?}");
        }
        Ok(found)
    };
    let language = language(ATOMS);
    for (text, answer) in [("Cn_[n_]C_n]_", true), ("Cn]_", false)] {
        let pattern = pattern(text);
        for method in [by_intersection, by_parse, exactly] {
            let check = |bytes| method(&language, &pattern, &mut Ticker::with_room(&never, bytes));
            let unbounded = check(usize::MAX).expect("all the room there is");
            assert_eq!(unbounded.is_some(), answer, "{text}");
            let rooms = (0..24).map(|power| 1 << power);
            let (less, enough): (Vec<_>, Vec<_>) = rooms.map(check).partition(Result::is_err);
            assert!(less.iter().all(|said| *said == Err(Stopped::Memory)));
            assert!(enough.iter().all(|said| said.as_ref() == Ok(&unbounded)));
            assert!(less.len() > 8 && enough.len() > 1, "{text}: {}", less.len());
        }
    }
}

/// A lexer that has met a text needs less for it, until that is forgotten.
#[test]
fn what_is_forgotten_is_met_anew() {
    let mut lexer = FragmentLexer::new(language(ATOMS), LexicalMap::Described);
    let ends = Ends {
        left: true,
        right: true,
    };
    let mut need = |cold: bool| {
        let is_enough = |bytes: &usize| {
            if cold {
                lexer.forget();
            }
            let mut ticker = Ticker::with_room(&never, *bytes);
            lexer.lex(b"Cn[C", ends, &mut ticker).is_ok()
        };
        (0..).step_by(8).find(is_enough)
    };
    let cold = need(true);
    let warm = need(false);
    assert!(warm < cold, "{warm:?}, {cold:?}");
    assert_eq!(need(true), cold);
}

fn refused(text: &str) -> PublishedError {
    let (grammar, limits) = (read(text), Limits::default());
    let map = LexicalMap::Described;
    let by_epic = Epic::new(&grammar, map, EpicParts::default(), &limits);
    let by_mundler = Mundler::new(&grammar, map, &limits);
    let error = by_mundler.err().expect("too large a grammar");
    assert_eq!(by_epic.err().as_ref(), Some(&error));
    error
}

#[test]
fn repetitions_of_repetitions_are_counted_in_all() {
    let too_large = PublishedError::Automaton(AutomatonError::TooLarge {
        what: "symbols in productions",
        limit: Limits::default().nfa_states,
    });
    let x = r#"x ::= "a" | "(" x ")""#;
    for root in [
        "((x{1000}){1000}){1000}",
        "((x{0,1000}){2000}){1000}",
        &["x{100000}"; 21].join(" | "),
        &["x{100000}"; 21].join(" "),
    ] {
        let refused = refused(&format!("root ::= {root}\n{x}"));
        assert_eq!(refused, too_large, "{root}");
    }
}

/// Rules that are others' names, or add a level, or twice nothing: neither time nor the stack
/// is used up by their number.
#[test]
fn chains_of_a_hundred_thousand_rules() {
    let count = 100_000;
    let map = LexicalMap::Described;
    for (link, last) in [
        ("next", r#""x""#),
        ("next?", r#""x""#),
        ("next next", r#""" | "x""#),
        ("next", r#""(" root ")" | "x""#),
    ] {
        let mut text = String::from("root ::= r0\n");
        for rule in 0..count {
            let right = link.replace("next", &format!("r{}", rule + 1));
            text.push_str(&format!("r{rule} ::= {right}\n"));
        }
        text.push_str(&format!("r{count} ::= {last}\n"));
        let (grammar, limits) = (read(&text), Limits::default());
        let epic = Epic::new(&grammar, map, EpicParts::default(), &limits);
        let mut epic = epic.expect(link);
        let mut completable = |text: &str| match epic.check(&pattern(text), &never) {
            Answer::Completable(_) => true,
            Answer::Impossible => false,
            Answer::Stopped(stopped) => panic!("{link}: {stopped}"),
        };
        assert!(completable("x_") && !completable("y_"), "{link}, {last}");
        assert_eq!(epic.cover_allows(&pattern("x"), &never), Ok(true));
    }
}

/// A cover's tables are quadratic in its places, so a large grammar has none, and all goes to
/// the exact check.
#[test]
fn a_grammar_may_be_too_large_for_a_cover() {
    let grammar = |places: usize| {
        let x = r#"x ::= "a" | "(" x ")""#;
        language(&format!("root ::= (\"[\" x){{{places}}}\n{x}"))
    };
    let cover = |language: &Language| {
        let cover = Cover::new(&language.cfg, language.terminals.len());
        cover.map(|cover| cover.state_count())
    };
    // Brackets, what is in parentheses and they themselves, and the beginning.
    assert_eq!(cover(&grammar(3000)), Some(3000 + 3 + 1));
    assert_eq!(cover(&grammar(100_000)), None);
}
