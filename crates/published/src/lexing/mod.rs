//! Lexing a fragment by itself: all sequences of terminals that it can be, where
//! its first lexeme may have begun before it and its last may go on behind it.
//!
//! From the fragment's start, and from the end of every first lexeme that began in
//! the gap before (any suffix of a lexeme, found by the automata of [`Parts`]), the
//! rest is cut into whole lexemes; the last one may be a proper prefix of a lexeme
//! that ends in the gap behind, or later. Under maximal munch a place has one whole
//! lexeme; under the free discipline every lexeme that begins there is one way to go
//! on. Whole ignored lexemes are skipped.
//!
//! The sequences are listed, as published: where lexemes are ambiguous under the
//! free discipline their number doubles with each (`CnCnCn…` as atoms, or as
//! copernicium), and so does the time. What is found at a place does not depend on how
//! it was come to, so it is looked for once, and the list is gone through depth first:
//! beside it there is only the way to the sequence at hand.

mod suffixes;

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Discipline, Language, LexicalMap, Stopped, Terminal, TerminalId, Ticker};
pub use suffixes::Parts;
pub(crate) use suffixes::{SetId, Suffixes};

/// One sequence of terminals that a fragment can be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lexing {
    /// The terminals in order. Ignored ones stand here only at the ends, where a
    /// lexeme is cut.
    pub terminals: Box<[TerminalId]>,
    /// Where in the fragment each of them ends.
    pub ends: Box<[usize]>,
    /// If the first lexeme began before the fragment: how many bytes of the
    /// fragment belong to it.
    pub first: Option<usize>,
    /// If the last lexeme goes on behind the fragment: where in the fragment what
    /// is in sight of it begins.
    pub last: Option<usize>,
}

impl Lexing {
    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.terminals) + size_of_val(&*self.ends)
    }
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
    parts: Parts,
}

impl FragmentLexer {
    /// A lexer; `map` is not [`LexicalMap::Exact`], which lists no sequences.
    pub fn new(language: Arc<Language>, map: LexicalMap) -> Self {
        Self {
            parts: Parts::new(Arc::clone(&language)),
            longest_only: map == LexicalMap::Released,
            language,
        }
    }

    /// Forgets all that was met.
    pub fn forget(&mut self) {
        self.parts.forget();
    }

    /// All lexings of a fragment.
    ///
    /// # Errors
    /// When the time or the memory is over.
    pub fn lex(
        &mut self,
        text: &[u8],
        ends: Ends,
        ticker: &mut Ticker<'_>,
    ) -> Result<Vec<Lexing>, Stopped> {
        self.parts.empty_if_full();
        let mut partial = vec![Partial::default()];
        if ends.left {
            self.first_lexemes(text, ends, &mut partial, ticker)?;
        }
        let mut next: FxHashMap<usize, Vec<Step>> = FxHashMap::default();
        let mut path: Vec<(TerminalId, usize)> = Vec::new();
        let mut found = Vec::new();
        while let Some(Partial {
            before,
            step,
            first,
        }) = partial.pop()
        {
            ticker.tick()?;
            path.truncate(before);
            path.extend(step.terminal.map(|terminal| (terminal, step.end)));
            if step.last.is_some() || step.end == text.len() {
                ticker.spend(path.len())?;
                let lexing = Lexing {
                    terminals: path.iter().map(|&(terminal, _)| terminal).collect(),
                    ends: path.iter().map(|&(_, end)| end).collect(),
                    first,
                    last: step.last,
                };
                ticker.hold(lexing.bytes())?;
                found.push(lexing);
                continue;
            }
            let steps = match next.entry(step.end) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(fresh) => {
                    fresh.insert(self.next_lexemes(text, step.end, ends.right, ticker)?)
                }
            };
            let before = path.len();
            let steps = steps.iter().copied();
            partial.extend(steps.map(|step| Partial {
                before,
                step,
                first,
            }));
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
        let whole = self.next_lexemes(text, 0, false, ticker)?;
        for (id, terminal) in (0..).zip(&self.language.terminals) {
            let (_, automaton) = self.parts.of(id);
            let read = automaton.read(terminal, text, ticker)?;
            let closed = read.accepted.iter().rev();
            let wanted = if self.longest_only { 1 } else { usize::MAX };
            for &end in closed.take(wanted) {
                // What can as well begin in the fragment is dropped either way.
                let as_well = |step: &Step| step.terminal.is_none() && step.end == end;
                if !(terminal.ignored && whole.iter().any(as_well)) {
                    partial.push(Partial::begun(id, end, None));
                }
            }
            if ends.right && read.goes_on {
                partial.push(Partial::begun(id, text.len(), Some(0)));
            }
        }
        Ok(())
    }

    /// The lexemes that begin at a place in the fragment.
    fn next_lexemes(
        &self,
        text: &[u8],
        from: usize,
        open: bool,
        ticker: &mut Ticker<'_>,
    ) -> Result<Vec<Step>, Stopped> {
        let mut whole = Vec::new();
        let mut cut = Vec::new();
        for (id, terminal) in (0..).zip(&self.language.terminals) {
            let (lengths, goes_on) = lexemes(terminal, &text[from..], ticker)?;
            let ends = lengths.iter().map(|length| from + length);
            let longest = ends.clone().next_back();
            match self.language.discipline {
                Discipline::Munch => whole.extend(longest.map(|end| (id, end))),
                Discipline::Free => whole.extend(ends.map(|end| (id, end))),
            }
            let skipped = terminal.ignored && longest == Some(text.len());
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
        let steps: Vec<Step> = whole.chain(cut).collect();
        ticker.hold(size_of_val(steps.as_slice()))?;
        Ok(steps)
    }
}

/// The lexemes that a text begins with, by their lengths, and whether all of the text
/// begins a longer one.
fn lexemes(
    terminal: &Terminal,
    text: &[u8],
    ticker: &mut Ticker<'_>,
) -> Result<(Vec<usize>, bool), Stopped> {
    let mut state = terminal.language.start();
    let mut lengths = Vec::new();
    for (at, &byte) in text.iter().enumerate() {
        ticker.tick()?;
        match terminal.language.next(state, byte) {
            None => return Ok((lengths, false)),
            Some(next) => state = next,
        }
        if terminal.language.is_accepting(state) {
            lengths.push(at + 1);
        }
    }
    Ok((lengths, terminal.extends(state)))
}

/// A lexing under way.
#[derive(Clone, Copy, Default)]
struct Partial {
    /// Terminals of the way to it, before its last step.
    before: usize,
    step: Step,
    first: Option<usize>,
}

impl Partial {
    /// A lexeme that began in the gap before.
    fn begun(terminal: TerminalId, end: usize, last: Option<usize>) -> Self {
        let terminal = Some(terminal);
        Self {
            before: 0,
            step: Step {
                terminal,
                end,
                last,
            },
            first: Some(end),
        }
    }
}

/// A lexeme at a place; without a terminal if it is ignored.
#[derive(Clone, Copy, Default)]
struct Step {
    terminal: Option<TerminalId>,
    end: usize,
    last: Option<usize>,
}
