//! The lexings of all completions by definition, for judging.
//!
//! A text is read byte by byte. Under maximal munch a lexeme is the states of all
//! terminals that it may still become, and where it ends it owes that no longer one
//! would have matched: what ended is read on beside what follows, and must not come
//! to a lexeme again. A *configuration* is the lexeme under way with what is owed;
//! the ε-NFA has a node for each place in the text with each configuration between
//! lexemes that it can be read in, and gaps are walked through by every byte. A
//! constraint on whole texts is read beside. Under the free discipline a lexeme is one terminal's, and nothing is
//! owed.
//!
//! Nothing is taken for granted here and nothing is fast: a gap of a C++ text has
//! some thousand configurations. They are kept from check to check within a bound.

mod reader;
mod witness;

use std::sync::Arc;

use lacuna_checker::{Pattern, Segment, Witness};
use lacuna_grammar::automaton::{AutomatonError, Limits};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Enfa, Language, Node, Stopped, TerminalId, Ticker};
use reader::{ConfigurationId, Reader};

/// A place in a pattern, and how reading stands there.
type Reading = (usize, ConfigurationId);

/// Bytes of a reading that was met and waits, and of one that is a node.
const READING: usize = 3 * size_of::<Reading>();
const NODE: usize = 3 * size_of::<(Reading, Node)>();

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
    ///
    /// # Errors
    /// When an automaton outgrows the limits.
    pub fn new(language: Arc<Language>, limits: &Limits) -> Result<Self, AutomatonError> {
        Ok(Self {
            reader: Reader::new(language, limits)?,
        })
    }

    /// Forgets all that was met.
    pub fn forget(&mut self) {
        self.reader.forget();
    }

    /// The ε-NFA of a pattern; gaps of any kind are gaps of any length.
    ///
    /// # Errors
    /// When the time or the memory is over.
    pub fn enfa(&mut self, pattern: &Pattern, ticker: &mut Ticker<'_>) -> Result<Enfa, Stopped> {
        self.reader.empty_if_full();
        let places = places(pattern);
        let mut enfa = Enfa::default();
        let mut nodes: FxHashMap<Reading, Node> = FxHashMap::default();
        enfa.start = enfa.node();
        nodes.insert((0, 0), enfa.start);
        let mut work = vec![(0, 0)];
        while let Some(boundary) = work.pop() {
            let node = nodes[&boundary];
            if boundary.0 == places.len() && self.reader.may_end(boundary.1) {
                enfa.accept(node);
            }
            for (label, to) in self.lexemes(&places, boundary, ticker)? {
                ticker.hold(NODE + Enfa::EDGE)?;
                let target = *nodes.entry(to).or_insert_with(|| {
                    work.push(to);
                    enfa.node()
                });
                enfa.edge(node, label, target);
            }
        }
        Ok(enfa.trimmed())
    }

    /// All lexemes that can begin at a boundary, each with the boundary behind it. What
    /// this takes for the time being is given back.
    fn lexemes(
        &mut self,
        places: &[Place],
        boundary: Reading,
        ticker: &mut Ticker<'_>,
    ) -> Result<FxHashSet<(Option<TerminalId>, Reading)>, Stopped> {
        let mut found = FxHashSet::default();
        let mut met = FxHashSet::from_iter([boundary]);
        let mut work = vec![boundary];
        while let Some((at, configuration)) = work.pop() {
            ticker.tick()?;
            ticker.hold(READING)?;
            let mut next = Vec::new();
            match places.get(at) {
                None => {}
                Some(&Place::Byte(byte)) => {
                    let after = self.reader.after(configuration, byte).into_iter();
                    next.extend(after.map(|configuration| (at + 1, configuration)));
                }
                Some(Place::Gap(_)) => {
                    let behind = (at + 1, configuration);
                    // A gap left between lexemes: still a boundary.
                    match (at, configuration) == boundary {
                        true => drop(found.insert((None, behind))),
                        false => next.push(behind),
                    }
                    let moves = self.reader.moves(configuration, ticker)?;
                    next.extend(moves.iter().map(|&(_, configuration)| (at, configuration)));
                }
            }
            work.extend(next.into_iter().filter(|&reading| met.insert(reading)));
            if let Some((terminal, boundary)) = self.reader.ended(configuration) {
                found.insert((self.reader.label(terminal), (at, boundary)));
            }
            ticker.hold(self.reader.grown())?;
        }
        ticker.release(READING * met.len());
        Ok(found)
    }

    /// A short filling of the gaps whose text is cut into these lexemes, ignored
    /// ones between them as need be.
    ///
    /// # Errors
    /// When the time or the memory is over.
    pub fn witness(
        &mut self,
        pattern: &Pattern,
        terminals: &[TerminalId],
        ticker: &mut Ticker<'_>,
    ) -> Result<Option<Witness>, Stopped> {
        self.reader.empty_if_full();
        witness::witness(&mut self.reader, &places(pattern), terminals, ticker)
    }
}
