//! Items in any order, and the lists that stand for them among the productions.

use std::collections::VecDeque;

use lacuna_grammar::analysis;
use lacuna_grammar::automaton::AutomatonError;
use lacuna_grammar::interleave::{Choice, Interleave};
use rustc_hash::FxHashSet;

use super::lowering::Lowering;
use super::{Interleaved, NonterminalId, Symbol};

impl Lowering<'_> {
    /// A nonterminal for items in any order.
    pub fn interleave(&mut self, interleave: &Interleave) -> Result<NonterminalId, AutomatonError> {
        let left = interleave.restricted(|text| analysis::is_productive(text, &self.productive));
        let mut known = FxHashSet::default();
        let items = left.try_map(|text| {
            let symbol = self.symbol(text)?;
            if known.insert(symbol) {
                return Ok(symbol);
            }
            // Alike, but to be told apart.
            let another = self.nonterminal();
            self.production(another, &[symbol]);
            Ok(Symbol::Nonterminal(another))
        })?;
        let nonterminal = self.nonterminal();
        let hidden = self.nonterminal();
        let item = self.nonterminal();
        for way in items.items.iter().flat_map(|item| &item.ways) {
            self.production(item, &[way.text]);
        }
        let item = Symbol::Nonterminal(item);
        self.production(hidden, &[item]);
        self.production(
            hidden,
            &[Symbol::Nonterminal(hidden), items.separator, item],
        );
        self.interleaves.push(Interleaved {
            nonterminal,
            hidden,
            items,
        });
        Ok(nonterminal)
    }

    /// A production for each interleave: a list of its items, such that texts of all of
    /// them are known to be finite without it.
    pub fn write_lists(&mut self) {
        if self.interleaves.is_empty() {
            return;
        }
        let count = self.productions.len();
        let mut used_by: Vec<Vec<NonterminalId>> = vec![Vec::new(); count];
        let mut use_by = |symbol: &Symbol, user| {
            if let Symbol::Nonterminal(used) = symbol {
                used_by[*used as usize].push(user);
            }
        };
        for (user, productions) in (0..).zip(&self.productions) {
            for &first in productions {
                let symbols = right_hand_side(&self.symbols, first);
                symbols.iter().for_each(|symbol| use_by(symbol, user));
            }
        }
        let interleaves = std::mem::take(&mut self.interleaves);
        let mut interleave_of = vec![None; count];
        for (at, interleaved) in interleaves.iter().enumerate() {
            interleave_of[interleaved.nonterminal as usize] = Some(at);
            let forms = interleaved.items.forms();
            forms.for_each(|symbol| use_by(symbol, interleaved.nonterminal));
        }
        let mut finite = vec![false; count];
        let mut queue: VecDeque<NonterminalId> = (0..count as NonterminalId).collect();
        while let Some(nonterminal) = queue.pop_front() {
            if finite[nonterminal as usize] {
                continue;
            }
            let is_finite = |symbol: &Symbol| match symbol {
                Symbol::Nonterminal(nonterminal) => finite[*nonterminal as usize],
                Symbol::Terminal(_) | Symbol::End(_) | Symbol::EndOfText => true,
            };
            let mut productions = self.productions[nonterminal as usize].iter();
            let mut found = productions
                .any(|&first| right_hand_side(&self.symbols, first).iter().all(is_finite));
            if let Some(at) = interleave_of[nonterminal as usize] {
                let items = interleaves[at].items.restricted(is_finite);
                let list = items.fewest().map(|fewest| list(&items, &fewest));
                if let Some(list) = list.filter(|list| list.iter().all(is_finite)) {
                    self.production(nonterminal, &list);
                    found = true;
                }
            }
            if found {
                finite[nonterminal as usize] = true;
                queue.extend(&used_by[nonterminal as usize]);
            }
        }
        self.interleaves = interleaves;
    }
}

/// The symbols of a production from its first on.
fn right_hand_side(symbols: &[Symbol], first: u32) -> &[Symbol] {
    let rest = &symbols[first as usize..];
    let end = rest
        .iter()
        .position(|symbol| matches!(symbol, Symbol::End(_)));
    &rest[..end.unwrap_or(rest.len())]
}

/// The symbols of these items, with separators.
fn list(items: &Interleave<Symbol>, chosen: &[Choice]) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for &(item, way) in chosen {
        symbols.push(items.items[item].ways[way].text);
        symbols.push(items.separator);
    }
    symbols.pop();
    symbols
}
