//! The grammar as productions over terminals.
//!
//! With a lexicon, these are its terminals. Without one, terminals are the
//! largest regular parts of the rules, so that the parser
//! sees only what recursion needs: a string, a number, `"," white space` are
//! one terminal each (and a regular grammar is one terminal as a whole). Parts
//! that would make large automata stay rules. This keeps the language, because any segmentation of a
//! text into lexemes counts. Terminals do not hold the empty text; a part that
//! does becomes optional.

use lacuna_grammar::Expr;
use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, Ranged, SHORTCUTS};
use lacuna_grammar::interleave::Interleave;
use lacuna_lexer::{Lexer, TerminalId};

use crate::ContextLimits;
use crate::normalize::Normalized;
use crate::unroll::write_out_expression;

mod contexts;
mod drawing;
mod interleaves;
mod lowering;
mod network;
mod terminals;

use contexts::Follow;
use drawing::Productions;
use lowering::Lowering;
use network::Network;

/// Index of a nonterminal.
pub type NonterminalId = u32;

/// One symbol of a production's right-hand side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A lexeme of this terminal.
    Terminal(TerminalId),
    /// What this nonterminal derives.
    Nonterminal(NonterminalId),
    /// The end of a production of this nonterminal.
    End(NonterminalId),
    /// The end of the text, behind ignored lexemes at most.
    EndOfText,
}

impl Symbol {
    /// A number of its own, terminals first; there are fewer than 2^30 of a kind.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Terminal(terminal) => terminal,
            Self::Nonterminal(nonterminal) => 1 << 30 | nonterminal,
            Self::End(nonterminal) => 2 << 30 | nonterminal,
            Self::EndOfText => 3 << 30,
        }
    }
}

/// Puts what is read, each with a place, in order.
pub(crate) fn sort_moves(moves: &mut [(Symbol, u32)]) {
    moves.sort_unstable_by_key(|&(symbol, place)| {
        u64::from(symbol.number()) << 32 | u64::from(place)
    });
}

/// A nonterminal that derives items in any order.
///
/// Its only production is a shortest list of items, for whoever asks what it costs;
/// the parser reads the items themselves ([`dots`](crate::dots)).
#[derive(Clone, Debug)]
pub struct Interleaved {
    /// The nonterminal.
    pub nonterminal: NonterminalId,
    /// One that derives any list of the items, and stands in no production.
    pub hidden: NonterminalId,
    /// What is read; the ways' symbols all differ.
    pub items: Interleave<Symbol>,
}

/// Productions over terminals, right-hand sides one after the other.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// All right-hand sides, each closed by [`Symbol::End`]. An index into this
    /// is a dotted production.
    pub symbols: Vec<Symbol>,
    /// For each nonterminal, where its productions begin.
    pub productions: Vec<Vec<u32>>,
    /// The nonterminals whose items stand in any order.
    pub interleaves: Vec<Interleaved>,
    /// The dotted production that every text begins with: the start symbol and
    /// [`Symbol::EndOfText`].
    pub goal: u32,
    /// The productions as the parser reads them, if these are not read as they are.
    network: Option<Network>,
    /// The terminals as one automaton.
    pub lexer: Lexer,
}

impl Cfg {
    /// Lowers a grammar. Where it `encloses`, what counts characters is one terminal with the texts
    /// beside it.
    ///
    /// # Errors
    /// When an automaton outgrows the limits.
    pub(crate) fn new(
        normalized: &Normalized,
        contexts: ContextLimits,
        encloses: bool,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        if let Some(cfg) = Self::of_one_terminal(normalized, limits)? {
            return Ok(cfg);
        }
        let mut lowering = Lowering::new(normalized, encloses, limits);
        let start = lowering.run()?;
        let grammar = &normalized.grammar;
        let constraint = grammar.constraint.as_deref();
        let goal = lowering.symbols.len() as u32;
        let whole = [Symbol::Nonterminal(start), Symbol::EndOfText];
        lowering.symbols.extend(whole);
        let Lowering {
            mut symbols,
            productions,
            interleaves,
            terminals,
            counts,
            ..
        } = lowering;
        let lexer = match &grammar.lexicon {
            Some(lexicon) => {
                let mut wanted = vec![None; lexicon.terminals.len()];
                for symbol in &symbols {
                    if let Symbol::Terminal(terminal) = *symbol {
                        wanted[terminal as usize] = Some(terminal);
                    }
                }
                if SHORTCUTS {
                    let sides = Productions::new(&symbols, &productions, &interleaves);
                    if let Some(network) = sides.drawn(goal) {
                        let alike = network.alike(wanted.len(), &interleaves);
                        let one = |terminal: &mut TerminalId| *terminal = alike[*terminal as usize];
                        wanted.iter_mut().flatten().for_each(one);
                        symbols.iter_mut().for_each(|symbol| {
                            if let Symbol::Terminal(terminal) = symbol {
                                one(terminal);
                            }
                        });
                    }
                }
                Lexer::munching(lexicon, &wanted, constraint, limits)?
            }
            None if !SHORTCUTS || constraint.is_some() => {
                Lexer::free(&terminals, constraint, limits)?
            }
            None => {
                let follow = Follow {
                    symbols: &symbols,
                    productions: &productions,
                    interleaves: &interleaves,
                    start,
                };
                follow.lexer(&terminals, &counts, contexts, limits)?
            }
        };
        Ok(Self::of_productions(
            symbols,
            productions,
            interleaves,
            goal,
            lexer,
        ))
    }

    /// Productions over the terminals of a lexer, with the networks that are drawn of them.
    pub(crate) fn of_productions(
        symbols: Vec<Symbol>,
        productions: Vec<Vec<u32>>,
        interleaves: Vec<Interleaved>,
        goal: u32,
        lexer: Lexer,
    ) -> Self {
        let network = Productions::new(&symbols, &productions, &interleaves).drawn(goal);
        Self {
            symbols,
            productions,
            interleaves,
            goal,
            network,
            lexer,
        }
    }

    /// The productions of a regular grammar: one terminal, or nothing, or both.
    /// `None` if the grammar is not regular, or its automaton is not small.
    fn of_one_terminal(
        normalized: &Normalized,
        limits: &Limits,
    ) -> Result<Option<Self>, AutomatonError> {
        let Normalized {
            grammar, recursive, ..
        } = normalized;
        if grammar.lexicon.is_some()
            || (ONE_TERMINAL.nfa_states..usize::MAX).contains(&normalized.cost)
        {
            return Ok(None);
        }
        let start = &Expr::Rule(grammar.start);
        let Ok(whole) = write_out_expression(grammar, start, recursive, &ONE_TERMINAL) else {
            return Ok(None);
        };
        let constraint = grammar.constraint.as_deref();
        Self::of_terminal(&whole, constraint, limits).map(Some)
    }

    /// The productions of a regular language, as one terminal.
    ///
    /// # Errors
    /// When an automaton outgrows the limits.
    pub(crate) fn of_language(language: &Dfa, limits: &Limits) -> Result<Self, AutomatonError> {
        Self::of_terminal(language, None, limits)
    }

    fn of_terminal(
        whole: &Dfa,
        constraint: Option<&Dfa>,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let nullable = whole.is_accepting(whole.start());
        let terminal = Ranged::from(whole).without_empty_text();
        let mut cfg = Self {
            symbols: Vec::new(),
            productions: vec![Vec::new()],
            interleaves: Vec::new(),
            goal: 0,
            network: None,
            lexer: Lexer::free(std::slice::from_ref(&terminal), constraint, limits)?,
        };
        let alternatives = [
            (nullable, None),
            (!terminal.is_empty(), Some(Symbol::Terminal(0))),
        ];
        for (_, symbol) in alternatives.iter().filter(|(there, _)| *there) {
            cfg.productions[0].push(cfg.symbols.len() as u32);
            cfg.symbols.extend(*symbol);
            cfg.symbols.push(Symbol::End(0));
        }
        cfg.goal = cfg.symbols.len() as u32;
        let whole = [Symbol::Nonterminal(0), Symbol::EndOfText];
        cfg.symbols.extend(whole);
        Ok(cfg)
    }

    /// Bytes of memory that it takes, closely.
    pub fn heap_bytes(&self) -> usize {
        let productions = self.productions.iter();
        let productions = productions.map(|starts| size_of_val(starts.as_slice()) + 24);
        let symbols = size_of_val(self.symbols.as_slice());
        let interleaves = self.interleaves.iter();
        let interleaves = interleaves.map(|it| 24 * it.items.forms().count());
        let interleaves = interleaves.sum::<usize>();
        let network = self.network.as_ref().map_or(0, Network::heap_bytes);
        let parser = symbols + network + productions.sum::<usize>();
        parser + interleaves + self.lexer.heap_bytes()
    }
}

/// Sizes up to which a regular grammar is one terminal.
const ONE_TERMINAL: Limits = Limits {
    nfa_states: 20_000,
    dfa_states: 20_000,
};
