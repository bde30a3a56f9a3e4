//! The ε-NFA over terminals of a text with gaps, made of the lexings of its
//! fragments.
//!
//! Between two fragments stands a hub, on which every terminal loops. A lexing is a
//! path from the hub before its fragment to the hub behind it, or, where its first
//! lexeme began earlier, from the node at which that lexeme began: an earlier
//! fragment whose last lexeme was cut, or a hub. Such a lexeme joins parts of
//! several fragments, and is allowed if its terminal has a lexeme of these parts
//! with anything between them. The papers' theorem is that the paths are then the
//! lexings of all completions, if terminals may stand side by side.

use std::sync::Arc;

use lacuna_checker::{Pattern, Segment};
use rustc_hash::FxHashMap;

use crate::lexing::{Ends, Lexing};
use crate::{Enfa, Language, Node, Stopped, TerminalId, Ticker};

/// The first part of a lexeme that begins in a gap.
const UNSEEN: &[u8] = b"";

/// A lexeme that is cut at a gap: where it began, and its parts so far.
#[derive(Clone)]
struct Open<'a> {
    from: Node,
    parts: Vec<&'a [u8]>,
}

/// Answers whether a terminal has a lexeme of some parts; may remember answers.
pub trait Joins {
    /// Whether the terminal has a lexeme that is these parts in order, with
    /// anything between them and, unless `closed`, behind them.
    ///
    /// # Errors
    /// When the time is over.
    fn joins(
        &mut self,
        terminal: TerminalId,
        parts: &[&[u8]],
        closed: bool,
        ticker: &mut Ticker<'_>,
    ) -> Result<bool, Stopped>;
}

/// Asks the automaton each time.
pub struct Unremembered<'a>(pub &'a Language);

impl Joins for Unremembered<'_> {
    fn joins(
        &mut self,
        terminal: TerminalId,
        parts: &[&[u8]],
        closed: bool,
        ticker: &mut Ticker<'_>,
    ) -> Result<bool, Stopped> {
        self.0.terminals[terminal as usize].spans(parts.iter().copied(), closed, ticker)
    }
}

/// The text's fragments, each with whether gaps stand beside it. Gaps of any kind
/// are gaps of any length here.
pub fn fragments(pattern: &Pattern) -> Vec<(&[u8], Ends)> {
    let is_gap = |index: usize| matches!(pattern.segments.get(index), Some(Segment::Gap(_)));
    let segments = pattern.segments.iter().enumerate();
    segments
        .filter_map(|(index, segment)| match segment {
            Segment::Gap(_) => None,
            Segment::Text(text) => {
                let left = index > 0 && is_gap(index - 1);
                let right = is_gap(index + 1);
                Some((text.as_slice(), Ends { left, right }))
            }
        })
        .collect()
}

/// Gives the lexings of a fragment; may remember them.
pub type Lex<'a> = dyn FnMut(&[u8], Ends) -> Result<Arc<[Lexing]>, Stopped> + 'a;

/// The ε-NFA; `lex` gives the lexings of each fragment.
///
/// # Errors
/// When the time is over.
pub fn completion(
    pattern: &Pattern,
    language: &Language,
    joins: &mut dyn Joins,
    lex: &mut Lex<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<Enfa, Stopped> {
    let mut builder = Builder {
        language,
        joins,
        enfa: Enfa::default(),
        open: FxHashMap::default(),
    };
    let mut here = builder.enfa.node();
    builder.enfa.start = here;
    let fragments = fragments(pattern);
    let first_is_gap = matches!(pattern.segments.first(), Some(Segment::Gap(_)));
    if first_is_gap {
        builder.gap(here);
    }
    for (text, ends) in fragments {
        let lexings = lex(text, ends)?;
        here = builder.fragment(here, text, ends, &lexings, ticker)?;
        if ends.right {
            builder.gap(here);
        }
    }
    builder.enfa.accept(here);
    Ok(builder.enfa)
}

struct Builder<'a, 'b> {
    language: &'b Language,
    joins: &'b mut dyn Joins,
    enfa: Enfa,
    /// The lexemes that are cut at the gap before what comes next.
    open: FxHashMap<TerminalId, Vec<Open<'a>>>,
}

impl<'a> Builder<'a, '_> {
    /// A gap at `hub`: all terminals loop, what was cut may end here, and any
    /// lexeme may begin.
    fn gap(&mut self, hub: Node) {
        let open = std::mem::take(&mut self.open);
        for (&terminal, lexemes) in &open {
            for lexeme in lexemes {
                // A proper prefix of a lexeme: something completes it.
                let label = self.label(terminal);
                self.enfa.edge(lexeme.from, label, hub);
            }
        }
        self.open = open;
        for terminal in 0..self.language.terminals.len() as TerminalId {
            if let Some(label) = self.label(terminal) {
                self.enfa.edge(hub, Some(label), hub);
            }
            // It begins with bytes that are not in sight.
            let parts = vec![UNSEEN];
            let begins = Open { from: hub, parts };
            self.open.entry(terminal).or_default().push(begins);
        }
    }

    /// A fragment behind `hub`; the hub behind it is returned.
    fn fragment(
        &mut self,
        hub: Node,
        text: &'a [u8],
        ends: Ends,
        lexings: &[Lexing],
        ticker: &mut Ticker<'_>,
    ) -> Result<Node, Stopped> {
        let behind = self.enfa.node();
        let before = std::mem::take(&mut self.open);
        for lexing in lexings {
            ticker.tick()?;
            self.lexing(hub, behind, text, lexing, &before, ticker)?;
        }
        debug_assert!(ends.right || self.open.is_empty());
        Ok(behind)
    }

    fn lexing(
        &mut self,
        hub: Node,
        behind: Node,
        text: &'a [u8],
        lexing: &Lexing,
        before: &FxHashMap<TerminalId, Vec<Open<'a>>>,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Stopped> {
        let Some((&last, whole)) = lexing.terminals.split_last() else {
            self.enfa.edge(hub, None, behind);
            return Ok(());
        };
        if lexing.first.is_some() && lexing.last.is_some() && whole.is_empty() {
            // All of the fragment lies within one lexeme.
            for lexeme in before.get(&last).into_iter().flatten() {
                let mut parts = lexeme.parts.clone();
                parts.push(text);
                let from = lexeme.from;
                if self.joins.joins(last, &parts, false, ticker)? {
                    self.open
                        .entry(last)
                        .or_default()
                        .push(Open { from, parts });
                }
            }
            return Ok(());
        }
        // The lexemes that end in the fragment; a cut one goes to `open`.
        let ending = match lexing.last {
            Some(_) => whole,
            None => &lexing.terminals,
        };
        let mut at = hub;
        for (index, &terminal) in ending.iter().enumerate() {
            let to = match index + 1 == lexing.terminals.len() {
                true => behind,
                false => self.enfa.node(),
            };
            match lexing.first {
                Some(bytes) if index == 0 => {
                    for lexeme in before.get(&terminal).into_iter().flatten() {
                        let mut parts = lexeme.parts.clone();
                        parts.push(&text[..bytes]);
                        // What begins in the gap itself was found to end so.
                        if lexeme.parts == [UNSEEN]
                            || self.joins.joins(terminal, &parts, true, ticker)?
                        {
                            self.enfa.edge(lexeme.from, self.label(terminal), to);
                        }
                    }
                }
                _ => self.enfa.edge(at, self.label(terminal), to),
            }
            at = to;
        }
        if let Some(from) = lexing.last {
            let parts = vec![&text[from..]];
            let lexeme = Open { from: at, parts };
            self.open.entry(last).or_default().push(lexeme);
        }
        Ok(())
    }

    fn label(&self, terminal: TerminalId) -> Option<TerminalId> {
        (!self.language.terminals[terminal as usize].ignored).then_some(terminal)
    }
}
