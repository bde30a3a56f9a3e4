//! Oracle: whatever a token does between lexemes, a plain token does: it finishes the same
//! terminals, and lands where the same ones may end.

use std::collections::BTreeSet;

use lacuna_grammar::automaton::Limits;
use lacuna_grammar::lark;
use lacuna_lexer::{Lexer, LexerState, PlainTokens, TerminalId, Vocabulary};

const GRAMMARS: [&str; 3] = [
    "start: (NAME | \"ab\" | \"(\")*\nNAME: /[a-h]+/\n%ignore \" \"",
    "start: (\"ab\" | \"a\" | NUMBER | \"((\" | \"(\")*\nNUMBER: /[c-h]+(\\([c-h]+)?/",
    "start: (STRING | \"(\")*\nSTRING: /\"[^\"]*\"/\n%ignore / [a-h]*/",
];

/// What a token does in one way: the terminals that it finishes, and those that may end
/// where it lands.
type Way = (Vec<TerminalId>, BTreeSet<Option<TerminalId>>);

fn ways(lexer: &Lexer, token: &[u8]) -> BTreeSet<Way> {
    let mut here: BTreeSet<(LexerState, Vec<TerminalId>)> =
        BTreeSet::from([(Lexer::START, Vec::new())]);
    for (at, &byte) in token.iter().enumerate() {
        if at > 0 {
            let mut open: Vec<_> = here.iter().cloned().collect();
            while let Some((state, finished)) = open.pop() {
                for finish in lexer.finishes(state) {
                    let finished = finished.iter().copied().chain(finish.terminal);
                    let next = (finish.to, finished.collect::<Vec<_>>());
                    if here.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        let read = here.into_iter();
        let read = read.filter_map(|(state, finished)| Some((lexer.next(state, byte)?, finished)));
        here = read.collect();
    }
    let ways = here.into_iter().map(|(state, finished)| {
        let ends = lexer.finishes(state).iter().map(|finish| finish.terminal);
        (finished, ends.collect())
    });
    ways.collect()
}

fn lexer(text: &str) -> Lexer {
    let grammar = lark::parse(text).expect(text);
    let lexicon = grammar.lexicon.as_ref().expect("a lexicon");
    let all = 0..lexicon.terminals.len() as u32;
    let wanted: Vec<Option<u32>> = all.map(Some).collect();
    Lexer::munching(lexicon, &wanted, None, &Limits::default()).expect(text)
}

/// All texts of up to three of these bytes.
fn vocabulary() -> Vocabulary {
    let mut tokens = vec![String::new()];
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].len() < 3 {
            let longer: Vec<String> = "abcdefgh( \""
                .chars()
                .map(|byte| format!("{}{byte}", tokens[at]))
                .collect();
            tokens.extend(longer);
        }
        at += 1;
    }
    let tokens = tokens
        .into_iter()
        .skip(1)
        .map(|text| Some(text.into_bytes()));
    let tokens = [None, None].into_iter().chain(tokens).collect();
    Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary")
}

#[test]
fn plain_tokens_do_between_lexemes_what_all_do() {
    let vocabulary = vocabulary();
    for text in GRAMMARS {
        let lexer = lexer(text);
        let plain = PlainTokens::new(&lexer, &vocabulary, usize::MAX)
            .vocabulary(usize::MAX)
            .expect("fewer than half");
        let plain: Vec<&[u8]> = (0..plain.len() as u32)
            .filter_map(|token| vocabulary.bytes(token))
            .filter(|bytes| {
                plain
                    .trie()
                    .prefixes(bytes)
                    .any(|(length, _)| length == bytes.len())
            })
            .collect();
        let known: BTreeSet<BTreeSet<Way>> =
            plain.iter().map(|token| ways(&lexer, token)).collect();
        let mut readable = 0;
        for token in 0..vocabulary.len() as u32 {
            let Some(bytes) = vocabulary.bytes(token) else {
                continue;
            };
            let ways = ways(&lexer, bytes);
            readable += usize::from(!ways.is_empty());
            assert!(
                ways.is_empty() || known.contains(&ways),
                "{text}: {bytes:?}"
            );
        }
        assert!(2 * plain.len() < readable, "{} of {readable}", plain.len());
        let few = PlainTokens::new(&lexer, &vocabulary, usize::MAX)
            .vocabulary(3)
            .expect("three");
        assert!(
            few.trie().node_count() <= 4,
            "a root and three single bytes"
        );
    }
}

#[test]
fn a_blank_is_what_is_ignored_between_lexemes() {
    let vocabulary = vocabulary();
    let alone = |text: &str| {
        let lexer = lexer(text);
        let blank = PlainTokens::new(&lexer, &vocabulary, usize::MAX).blank(&lexer)?;
        let texts = (0..vocabulary.len() as u32).filter_map(|token| vocabulary.bytes(token));
        let mut read = texts.filter(|text| blank.trie().prefixes(text).next().is_some());
        Some((read.next()?.to_vec(), blank.trie().node_count()))
    };
    let blank = Some((b" ".to_vec(), 2));
    assert_eq!(GRAMMARS.map(alone), [blank.clone(), None, blank]);
}
