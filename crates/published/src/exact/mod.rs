//! The lexings of all completions by definition, for judging.
//!
//! A text is read byte by byte. Under maximal munch a lexeme is the states of all
//! terminals that it may still become, and where it ends it owes that no longer one
//! would have matched: what ended is read on beside what follows, and must not come
//! to a lexeme again. A *configuration* is the lexeme under way with what is owed;
//! the ε-NFA has a node for each place in the text with each configuration that it
//! can be read in, in a gap for every byte. A constraint on whole texts is read
//! beside. Under the free discipline a lexeme is one terminal's, and nothing is
//! owed.
//!
//! Nothing is taken for granted here and nothing is fast: a gap of a C++ text has
//! some thousand configurations.

mod reader;
mod witness;

use std::sync::Arc;

use lacuna_checker::{Pattern, Segment, Witness};
use rustc_hash::FxHashMap;

use crate::{Enfa, Language, Node, Stopped, TerminalId, Ticker};
use reader::{ConfigurationId, Reader};

/// A place in a pattern: a byte of a text, or a gap with its number.
#[derive(Clone, Copy)]
enum Place {
    Byte(u8),
    Gap(usize),
}

fn places(pattern: &Pattern) -> Vec<Place> {
    let mut places = Vec::new();
    let mut gaps = 0;
    for segment in &pattern.segments {
        match segment {
            Segment::Text(text) => places.extend(text.iter().map(|&byte| Place::Byte(byte))),
            Segment::Gap(_) => {
                places.push(Place::Gap(gaps));
                gaps += 1;
            }
        }
    }
    places
}

/// Lexes completions of one language; what it meets is kept.
#[derive(Debug)]
pub struct ExactLexer {
    reader: Reader,
}

impl ExactLexer {
    /// A lexer that has met nothing.
    pub fn new(language: Arc<Language>) -> Self {
        Self {
            reader: Reader::new(language),
        }
    }

    /// The ε-NFA of a pattern; gaps of any kind are gaps of any length.
    ///
    /// # Errors
    /// When the time is over.
    pub fn enfa(&mut self, pattern: &Pattern, ticker: &mut Ticker<'_>) -> Result<Enfa, Stopped> {
        let places = places(pattern);
        let mut enfa = Enfa::default();
        let mut nodes: FxHashMap<(usize, ConfigurationId), Node> = FxHashMap::default();
        let mut work = vec![(0, 0)];
        enfa.start = enfa.node();
        nodes.insert((0, 0), enfa.start);
        while let Some((at, configuration)) = work.pop() {
            let node = nodes[&(at, configuration)];
            if at == places.len() && self.reader.may_end(configuration) {
                enfa.accept(node);
            }
            let mut targets = Vec::new();
            match places.get(at) {
                None => {}
                Some(&Place::Byte(byte)) => {
                    let next = self.reader.after(configuration, byte).into_iter();
                    targets.extend(next.map(|next| (None, (at + 1, next))));
                }
                Some(Place::Gap(_)) => {
                    targets.push((None, (at + 1, configuration)));
                    let moves = self.reader.moves(configuration);
                    targets.extend(moves.iter().map(|&(_, next)| (None, (at, next))));
                }
            }
            if let Some((terminal, next)) = self.reader.ended(configuration) {
                targets.push((self.reader.label(terminal), (at, next)));
            }
            for (label, to) in targets {
                ticker.tick()?;
                let target = *nodes.entry(to).or_insert_with(|| {
                    work.push(to);
                    enfa.node()
                });
                enfa.edge(node, label, target);
            }
        }
        Ok(enfa)
    }

    /// A short filling of the gaps whose text is cut into these lexemes, ignored
    /// ones between them as need be.
    ///
    /// # Errors
    /// When the time is over.
    pub fn witness(
        &mut self,
        pattern: &Pattern,
        terminals: &[TerminalId],
        ticker: &mut Ticker<'_>,
    ) -> Result<Option<Witness>, Stopped> {
        witness::witness(&mut self.reader, &places(pattern), terminals, ticker)
    }
}
