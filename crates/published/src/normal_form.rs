//! C2F+ε normal form: right-hand sides of one terminal, of up to two nonterminals,
//! or of nothing.
//!
//! Chomsky's form forbids `A → B` and `A → ε`, and removing these can square a
//! grammar. Allowing them keeps it linear: a long right-hand side is cut into pairs,
//! from the left, and a terminal beside other symbols gets a nonterminal of its own.

use rustc_hash::FxHashMap;

use crate::TerminalId;
use crate::cfg::{Cfg, NonterminalId, Symbol};

/// A grammar in C2F+ε, its productions by what they are made of.
#[derive(Clone, Debug, Default)]
pub struct NormalForm {
    /// The start symbol.
    pub start: NonterminalId,
    /// Number of nonterminals.
    pub nonterminals: u32,
    /// The `A` of every `A → ε`.
    pub empty: Vec<NonterminalId>,
    /// For each terminal `a`, the `A` of every `A → a`.
    pub of_terminal: Vec<Vec<NonterminalId>>,
    /// For each `B`, the `A` of every `A → B`.
    pub of_one: Vec<Vec<NonterminalId>>,
    /// For each `B`, the `(A, C)` of every `A → B C`.
    pub of_first: Vec<Vec<(NonterminalId, NonterminalId)>>,
    /// For each `C`, the `(A, B)` of every `A → B C`.
    pub of_second: Vec<Vec<(NonterminalId, NonterminalId)>>,
}

impl NormalForm {
    /// The normal form of a grammar over so many terminals.
    pub fn new(cfg: &Cfg, terminals: usize) -> Self {
        let mut made = Self {
            start: cfg.start,
            nonterminals: cfg.nonterminals,
            of_terminal: vec![Vec::new(); terminals],
            ..Self::default()
        };
        let mut lone: FxHashMap<TerminalId, NonterminalId> = FxHashMap::default();
        let mut pairs = Vec::new();
        let mut ones = Vec::new();
        for production in &cfg.productions {
            let mut parts = Vec::with_capacity(production.right.len());
            if let [Symbol::Terminal(terminal)] = production.right[..] {
                made.of_terminal[terminal as usize].push(production.left);
                continue;
            }
            for &symbol in &production.right {
                parts.push(match symbol {
                    Symbol::Nonterminal(nonterminal) => nonterminal,
                    Symbol::Terminal(terminal) => *lone.entry(terminal).or_insert_with(|| {
                        let fresh = made.nonterminals;
                        made.nonterminals += 1;
                        made.of_terminal[terminal as usize].push(fresh);
                        fresh
                    }),
                });
            }
            match parts.as_slice() {
                [] => made.empty.push(production.left),
                &[one] => ones.push((production.left, one)),
                &[first, ref middle @ .., last] => {
                    let mut first = first;
                    for &next in middle {
                        let fresh = made.nonterminals;
                        made.nonterminals += 1;
                        pairs.push((fresh, first, next));
                        first = fresh;
                    }
                    pairs.push((production.left, first, last));
                }
            }
        }
        let count = made.nonterminals as usize;
        made.of_one = vec![Vec::new(); count];
        made.of_first = vec![Vec::new(); count];
        made.of_second = vec![Vec::new(); count];
        for (left, one) in ones {
            made.of_one[one as usize].push(left);
        }
        for (left, first, second) in pairs {
            made.of_first[first as usize].push((left, second));
            made.of_second[second as usize].push((left, first));
        }
        made
    }

    /// Number of productions.
    pub fn production_count(&self) -> usize {
        let of_terminal: usize = self.of_terminal.iter().map(Vec::len).sum();
        let of_one: usize = self.of_one.iter().map(Vec::len).sum();
        let of_two: usize = self.of_first.iter().map(Vec::len).sum();
        self.empty.len() + of_terminal + of_one + of_two
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_with_the_symbols_only() {
        // S → a S b S | ε
        let (a, b) = (Symbol::Terminal(0), Symbol::Terminal(1));
        let mut cfg = Cfg::default();
        cfg.start = cfg.nonterminal();
        let s = Symbol::Nonterminal(cfg.start);
        cfg.add(cfg.start, vec![a, s, b, s]);
        cfg.add(cfg.start, Vec::new());
        let normal = NormalForm::new(&cfg, 2);
        // S → X S, X → Y B, Y → A S, A → a, B → b, S → ε
        assert_eq!(normal.production_count(), 6);
        assert_eq!(normal.nonterminals, 5);
        assert_eq!(normal.empty, [cfg.start]);
    }
}
