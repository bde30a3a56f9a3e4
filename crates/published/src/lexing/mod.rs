//! Lexing a fragment by itself: all sequences of terminals that it can be, where
//! its first lexeme may have begun before it and its last may go on behind it.
//!
//! From the fragment's start, and from the end of every first lexeme that began in
//! the gap before (any suffix of a lexeme, found by the automata of suffixes), the
//! rest is cut into whole lexemes; the last one may be a proper prefix of a lexeme
//! that ends in the gap behind, or later. Whole ignored lexemes are skipped.
//!
//! The sequences are listed, as published: where lexemes are ambiguous under the
//! free discipline their number doubles with each (`CnCnCn…` as atoms, or as
//! copernicium), and so does the time.

mod suffixes;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Discipline, Language, LexicalMap, Stopped, Terminal, TerminalId, Ticker};
use suffixes::Suffixes;

/// One sequence of terminals that a fragment can be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lexing {
    /// The terminals in order. Ignored ones stand here only at the ends, where a
    /// lexeme is cut.
    pub terminals: Box<[TerminalId]>,
    /// If the first lexeme began before the fragment: how many bytes of the
    /// fragment belong to it.
    pub first: Option<usize>,
    /// If the last lexeme goes on behind the fragment: where in the fragment what
    /// is in sight of it begins.
    pub last: Option<usize>,
}

/// Whether lexemes may begin before a fragment, and end behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ends {
    /// A gap stands before.
    pub left: bool,
    /// A gap stands behind.
    pub right: bool,
}

/// Lexes fragments of one language.
#[derive(Clone, Debug)]
pub struct FragmentLexer {
    language: Arc<Language>,
    longest_only: bool,
    suffixes: Vec<Suffixes>,
}

impl FragmentLexer {
    /// A lexer; `map` is not [`LexicalMap::Exact`], which lists no sequences.
    pub fn new(language: Arc<Language>, map: LexicalMap) -> Self {
        let suffixes = language.terminals.iter().map(Suffixes::new).collect();
        Self {
            suffixes,
            longest_only: map == LexicalMap::Released,
            language,
        }
    }

    /// All lexings of a fragment.
    ///
    /// # Errors
    /// When the time is over.
    pub fn lex(
        &mut self,
        text: &[u8],
        ends: Ends,
        ticker: &mut Ticker<'_>,
    ) -> Result<Vec<Lexing>, Stopped> {
        let mut partial = vec![Partial::default()];
        if ends.left {
            self.first_lexemes(text, ends, &mut partial, ticker)?;
        }
        let mut next = FxHashMap::default();
        let mut found = Vec::new();
        while let Some(split) = partial.pop() {
            ticker.tick()?;
            if split.last.is_some() || split.at == text.len() {
                found.push(Lexing {
                    terminals: split.terminals.into(),
                    first: split.first,
                    last: split.last,
                });
                continue;
            }
            let steps = next
                .entry(split.at)
                .or_insert_with(|| self.next_lexemes(text, split.at, ends.right));
            for step in steps.iter() {
                partial.push(split.then(step));
            }
        }
        Ok(found)
    }

    /// The lexemes that began in the gap before.
    fn first_lexemes(
        &mut self,
        text: &[u8],
        ends: Ends,
        partial: &mut Vec<Partial>,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Stopped> {
        for (id, terminal) in (0..).zip(&self.language.terminals) {
            let read = self.suffixes[id as usize].read(terminal, text, ticker)?;
            let closed = read.accepted.iter().rev();
            let wanted = if self.longest_only { 1 } else { usize::MAX };
            for &end in closed.take(wanted) {
                // What can as well begin in the fragment is dropped either way.
                if !(terminal.ignored && terminal.language.accepts(&text[..end])) {
                    partial.push(Partial {
                        terminals: vec![id],
                        at: end,
                        first: Some(end),
                        last: None,
                    });
                }
            }
            if ends.right && read.goes_on {
                partial.push(Partial {
                    terminals: vec![id],
                    at: text.len(),
                    first: Some(text.len()),
                    last: Some(0),
                });
            }
        }
        Ok(())
    }

    /// The lexemes that begin at a place in the fragment.
    fn next_lexemes(&self, text: &[u8], from: usize, open: bool) -> Vec<Step> {
        let rest = &text[from..];
        let mut whole = Vec::new();
        let mut cut = Vec::new();
        for (id, terminal) in (0..).zip(&self.language.terminals) {
            let (end, goes_on) = longest(terminal, rest);
            let end = end.map(|length| from + length);
            whole.extend(end.map(|end| (id, end)));
            let skipped = terminal.ignored && end == Some(text.len());
            if open && goes_on && !skipped {
                cut.push(id);
            }
        }
        if self.language.discipline == Discipline::Munch {
            // The first of the longest.
            let furthest = whole.iter().map(|&(_, end)| end).max();
            whole.retain(|&(_, end)| Some(end) == furthest);
            whole.truncate(1);
        }
        let whole = whole.into_iter().map(|(terminal, end)| Step {
            terminal: (!self.language.terminals[terminal as usize].ignored).then_some(terminal),
            end,
            last: None,
        });
        let cut = cut.into_iter().map(|terminal| Step {
            terminal: Some(terminal),
            end: text.len(),
            last: Some(from),
        });
        whole.chain(cut).collect()
    }
}

/// The longest lexeme that a text begins with, and whether all of the text begins a
/// longer one.
fn longest(terminal: &Terminal, text: &[u8]) -> (Option<usize>, bool) {
    let mut state = terminal.language.start();
    let mut end = None;
    for (at, &byte) in text.iter().enumerate() {
        match terminal.language.next(state, byte) {
            None => return (end, false),
            Some(next) => state = next,
        }
        if terminal.language.is_accepting(state) {
            end = Some(at + 1);
        }
    }
    (end, terminal.extends(state))
}

/// A lexing under way.
#[derive(Default)]
struct Partial {
    terminals: Vec<TerminalId>,
    at: usize,
    first: Option<usize>,
    last: Option<usize>,
}

impl Partial {
    fn then(&self, step: &Step) -> Self {
        let mut terminals = Vec::with_capacity(self.terminals.len() + 1);
        terminals.extend_from_slice(&self.terminals);
        terminals.extend(step.terminal);
        Self {
            terminals,
            at: step.end,
            first: self.first,
            last: step.last,
        }
    }
}

/// A lexeme at a place; without a terminal if it is ignored.
struct Step {
    terminal: Option<TerminalId>,
    end: usize,
    last: Option<usize>,
}
