//! A text cut into lexemes by maximal munch, with their places.

use crate::automaton::Dfa;
use crate::{Lexicon, TerminalId};

/// One lexeme that the rules see.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub terminal: TerminalId,
    pub start: usize,
    pub end: usize,
}

/// The lexemes that are not ignored; `None` if the text cannot be cut.
pub(super) fn cut(lexicon: &Lexicon, text: &[u8]) -> Option<Vec<Lexeme>> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let mut best: Option<(usize, usize)> = None;
        for (id, terminal) in lexicon.terminals.iter().enumerate() {
            let length = longest(&terminal.language, rest);
            if length > best.map_or(0, |(longest, _)| longest) {
                best = Some((length, id));
            }
        }
        let (length, id) = best?;
        let end = start + length;
        if !lexicon.terminals.get(id)?.ignored {
            let terminal = TerminalId(id as u32);
            found.push(Lexeme {
                terminal,
                start,
                end,
            });
        }
        start = end;
    }
    Some(found)
}

/// Bytes of the longest lexeme that the text begins with; 0 if there is none.
fn longest(language: &Dfa, text: &[u8]) -> usize {
    let (mut state, mut length) = (language.start(), 0);
    for (at, &byte) in text.iter().enumerate() {
        match language.next(state, byte) {
            Some(next) => state = next,
            None => break,
        }
        if language.is_accepting(state) {
            length = at + 1;
        }
    }
    length
}
