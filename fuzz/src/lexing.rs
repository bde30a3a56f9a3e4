//! The lexer: a Lark grammar and a text.
//!
//! Oracle: cutting the text by running every terminal's automaton from each
//! lexeme's start, longest match first and ties by order, gives the one sequence
//! of lexemes that the combined automaton has, obligations and all; or none.

use std::collections::BTreeSet;

use lacuna_grammar::automaton::Limits;
use lacuna_grammar::{Lexicon, lark};
use lacuna_lexer::{Lexer, LexerState, TerminalId};

use super::input;

/// Ways of cutting that are followed at once.
const MAX_WAYS: usize = 2000;

/// A Lark grammar, and a text to be cut.
pub fn lexer(input: &[u8]) {
    let Some([grammar, text]) = input::parts(input) else {
        return;
    };
    let text = text.as_bytes();
    let Ok(grammar) = lark::parse(grammar) else {
        return;
    };
    let Some(lexicon) = &grammar.lexicon else {
        return;
    };
    let limits = Limits {
        nfa_states: 20_000,
        dfa_states: 5_000,
    };
    let Ok(lexer) = Lexer::munching(
        lexicon,
        &(0..lexicon.terminals.len() as u32)
            .map(Some)
            .collect::<Vec<_>>(),
        None,
        &limits,
    ) else {
        return;
    };
    if text.len() > 64 {
        return;
    }
    if let Some(found) = by_automaton(&lexer, text) {
        let expected: BTreeSet<Vec<TerminalId>> = by_cutting(lexicon, text).into_iter().collect();
        assert_eq!(found, expected, "{text:?}");
    }
}

/// `None` where there are too many ways on the way.
fn by_automaton(lexer: &Lexer, text: &[u8]) -> Option<BTreeSet<Vec<TerminalId>>> {
    let mut ways = BTreeSet::from([(Lexer::START, Vec::new())]);
    for &byte in text {
        let mut next = BTreeSet::new();
        for (state, lexemes) in ways {
            next.extend(lexer.next(state, byte).map(|state| (state, lexemes)));
        }
        ways = with_boundaries(lexer, next)?;
    }
    let ended = ways.into_iter().filter(|(state, _)| lexer.is_end(*state));
    Some(ended.map(|(_, lexemes)| lexemes).collect())
}

type Ways = BTreeSet<(LexerState, Vec<TerminalId>)>;

fn with_boundaries(lexer: &Lexer, ways: Ways) -> Option<Ways> {
    let mut all = ways.clone();
    for (state, lexemes) in ways {
        for finish in lexer.finishes(state) {
            let mut lexemes = lexemes.clone();
            lexemes.extend(finish.terminal);
            all.insert((finish.to, lexemes));
        }
    }
    (all.len() <= MAX_WAYS).then_some(all)
}

fn by_cutting(lexicon: &Lexicon, text: &[u8]) -> Option<Vec<TerminalId>> {
    let (mut lexemes, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let longest = |language: &lacuna_grammar::automaton::Dfa| {
            let mut ends = (at + 1..=text.len()).rev();
            ends.find(|&end| language.accepts(&text[at..end]))
        };
        let mut best: Option<(usize, usize)> = None;
        for (index, terminal) in lexicon.terminals.iter().enumerate() {
            if let Some(end) = longest(&terminal.language)
                && best.is_none_or(|(_, before)| end > before)
            {
                best = Some((index, end));
            }
        }
        let (winner, end) = best?;
        if !lexicon.terminals[winner].ignored {
            lexemes.push(winner as TerminalId);
        }
        at = end;
    }
    Some(lexemes)
}
