//! Productions over terminals.

use crate::TerminalId;

/// Index of a nonterminal.
pub type NonterminalId = u32;

/// One symbol of a right-hand side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A lexeme of this terminal.
    Terminal(TerminalId),
    /// What this nonterminal derives.
    Nonterminal(NonterminalId),
}

/// `left → right`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Production {
    /// What derives.
    pub left: NonterminalId,
    /// What is derived.
    pub right: Vec<Symbol>,
}

/// A context-free grammar over terminals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cfg {
    /// The start symbol.
    pub start: NonterminalId,
    /// Number of nonterminals.
    pub nonterminals: u32,
    /// All productions.
    pub productions: Vec<Production>,
}

impl Cfg {
    /// A new nonterminal.
    pub fn nonterminal(&mut self) -> NonterminalId {
        self.nonterminals += 1;
        self.nonterminals - 1
    }

    /// Adds a production.
    pub fn add(&mut self, left: NonterminalId, right: Vec<Symbol>) {
        self.productions.push(Production { left, right });
    }
}
