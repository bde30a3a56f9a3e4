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
//!
//! What comes behind a place in a fragment does not depend on what came before it, so
//! lexings share a node for each place at which a lexeme ends: a fragment has as many
//! nodes as that, however many its lexings are. A cut lexeme is not kept as its parts but
//! as the set of states that these lead its terminal's automaton to ([`Parts`]), so that
//! every fragment is read once for each lexeme that goes on in it.

use std::sync::Arc;

use lacuna_checker::{Pattern, Segment};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lexing::{Ends, Lexing, Parts, SetId, Suffixes};
use crate::{Enfa, Language, Node, Stopped, TerminalId, Ticker};

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
pub type Lex<'a> = dyn FnMut(&[u8], Ends, &mut Ticker<'_>) -> Result<Arc<[Lexing]>, Stopped> + 'a;

/// The ε-NFA; `lex` gives the lexings of each fragment.
///
/// # Errors
/// When the time or the memory is over.
pub fn completion(
    pattern: &Pattern,
    language: &Language,
    parts: &mut Parts,
    lex: &mut Lex<'_>,
    ticker: &mut Ticker<'_>,
) -> Result<Enfa, Stopped> {
    let mut builder = Builder {
        language,
        parts,
        enfa: Enfa::default(),
        open: FxHashMap::default(),
    };
    let mut here = builder.enfa.node();
    builder.enfa.start = here;
    let fragments = fragments(pattern);
    let first_is_gap = matches!(pattern.segments.first(), Some(Segment::Gap(_)));
    if first_is_gap {
        builder.gap(here, ticker)?;
    }
    for (text, ends) in fragments {
        let lexings = lex(text, ends, ticker)?;
        here = builder.fragment(here, text, &lexings, ticker)?;
        debug_assert!(ends.right || builder.open.is_empty());
        if ends.right {
            builder.gap(here, ticker)?;
        }
    }
    builder.enfa.accept(here);
    Ok(builder.enfa)
}

/// A lexeme that is cut at a gap.
#[derive(Clone, Copy)]
struct Open {
    /// Where it began.
    from: Node,
    /// What was in sight of it before the gap led to these states; `None`: nothing was.
    seen: Option<SetId>,
}

/// A fragment between two hubs, and what its lexings have in common.
struct Fragment<'a> {
    text: &'a [u8],
    hub: Node,
    behind: Node,
    /// The lexemes that are cut at the gap before it.
    before: FxHashMap<TerminalId, Vec<Open>>,
    /// The nodes behind lexemes that end at a place.
    nodes: FxHashMap<usize, Node>,
    /// The edges that are there.
    edges: FxHashSet<(Begin, TerminalId, Node)>,
    /// The lexemes that are known to be cut at the gap behind it, by where they begin:
    /// node and place.
    cut: FxHashSet<(Node, TerminalId, usize)>,
}

/// Where a lexeme of a fragment begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Begin {
    /// In the fragment, or right before it.
    At(Node),
    /// Earlier; so many bytes of the fragment belong to it.
    Earlier(usize),
}

struct Builder<'a> {
    language: &'a Language,
    parts: &'a mut Parts,
    enfa: Enfa,
    /// The lexemes that are cut at the gap before what comes next.
    open: FxHashMap<TerminalId, Vec<Open>>,
}

impl Builder<'_> {
    /// A gap at `hub`: all terminals loop, what was cut may end here, and any
    /// lexeme may begin.
    fn gap(&mut self, hub: Node, ticker: &mut Ticker<'_>) -> Result<(), Stopped> {
        let open = std::mem::take(&mut self.open);
        for (&terminal, lexemes) in &open {
            for lexeme in lexemes {
                // A proper prefix of a lexeme: something completes it.
                self.edge(lexeme.from, terminal, hub, ticker)?;
            }
        }
        self.open = open;
        for terminal in 0..self.language.terminals.len() as TerminalId {
            if self.label(terminal).is_some() {
                self.edge(hub, terminal, hub, ticker)?;
            }
            let begins = Open {
                from: hub,
                seen: None,
            };
            self.open.entry(terminal).or_default().push(begins);
        }
        Ok(())
    }

    /// A fragment behind `hub`; the hub behind it is returned.
    fn fragment(
        &mut self,
        hub: Node,
        text: &[u8],
        lexings: &[Lexing],
        ticker: &mut Ticker<'_>,
    ) -> Result<Node, Stopped> {
        let mut fragment = Fragment {
            text,
            hub,
            behind: self.enfa.node(),
            before: std::mem::take(&mut self.open),
            nodes: FxHashMap::default(),
            edges: FxHashSet::default(),
            cut: FxHashSet::default(),
        };
        for lexing in lexings {
            self.lexing(&mut fragment, lexing, ticker)?;
        }
        Ok(fragment.behind)
    }

    fn lexing(
        &mut self,
        fragment: &mut Fragment<'_>,
        lexing: &Lexing,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Stopped> {
        ticker.spend(1 + lexing.terminals.len())?;
        let Some((&last, whole)) = lexing.terminals.split_last() else {
            self.enfa.edge(fragment.hub, None, fragment.behind);
            return Ok(());
        };
        if lexing.first.is_some() && lexing.last.is_some() && whole.is_empty() {
            return self.all_within(fragment, last, ticker);
        }
        // The lexemes that end in the fragment; a cut one goes to `open`.
        let ending = match lexing.last {
            Some(_) => whole,
            None => &lexing.terminals,
        };
        let mut at = fragment.hub;
        for (index, &terminal) in ending.iter().enumerate() {
            let to = match index + 1 == lexing.terminals.len() {
                true => fragment.behind,
                false => {
                    let node = fragment.nodes.entry(lexing.ends[index]);
                    *node.or_insert_with(|| self.enfa.node())
                }
            };
            let begin = match lexing.first {
                Some(bytes) if index == 0 => Begin::Earlier(bytes),
                _ => Begin::At(at),
            };
            if fragment.edges.insert((begin, terminal, to)) {
                match begin {
                    Begin::At(at) => self.edge(at, terminal, to, ticker)?,
                    Begin::Earlier(bytes) => {
                        self.ending(fragment, terminal, bytes, to, ticker)?;
                    }
                }
            }
            at = to;
        }
        if let Some(from) = lexing.last
            && fragment.cut.insert((at, last, from))
        {
            let (terminal, automaton) = self.parts.of(last);
            let set = automaton.beginning(terminal, ticker)?;
            let set = automaton.after(terminal, set, &fragment.text[from..], ticker)?;
            let (from, seen) = (at, Some(set));
            self.open.entry(last).or_default().push(Open { from, seen });
        }
        Ok(())
    }

    /// All of the fragment lies within one lexeme.
    fn all_within(
        &mut self,
        fragment: &Fragment<'_>,
        terminal: TerminalId,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Stopped> {
        let (language, automaton) = self.parts.of(terminal);
        let open = self.open.entry(terminal).or_default();
        for &Open { from, seen } in fragment.before.get(&terminal).into_iter().flatten() {
            let set = match seen {
                None => Suffixes::BEGUN,
                Some(set) => automaton.gap(language, set, ticker)?,
            };
            let set = automaton.after(language, set, fragment.text, ticker)?;
            if !automaton.is_dead(set) {
                let seen = Some(set);
                open.push(Open { from, seen });
            }
        }
        Ok(())
    }

    /// What began earlier and ends behind so many bytes of the fragment.
    fn ending(
        &mut self,
        fragment: &Fragment<'_>,
        terminal: TerminalId,
        bytes: usize,
        to: Node,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Stopped> {
        for &Open { from, seen } in fragment.before.get(&terminal).into_iter().flatten() {
            let ends = match seen {
                // The lexing was found so.
                None => true,
                Some(set) => {
                    let (language, automaton) = self.parts.of(terminal);
                    let set = automaton.gap(language, set, ticker)?;
                    let set = automaton.after(language, set, &fragment.text[..bytes], ticker)?;
                    automaton.is_accepting(set)
                }
            };
            if ends {
                self.edge(from, terminal, to, ticker)?;
            }
        }
        Ok(())
    }

    fn edge(
        &mut self,
        from: Node,
        terminal: TerminalId,
        to: Node,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Stopped> {
        ticker.tick()?;
        ticker.hold(Enfa::EDGE)?;
        self.enfa.edge(from, self.label(terminal), to);
        Ok(())
    }

    fn label(&self, terminal: TerminalId) -> Option<TerminalId> {
        (!self.language.terminals[terminal as usize].ignored).then_some(terminal)
    }
}
