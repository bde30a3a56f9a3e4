//! Items in any order that are too many to make each step of a state beforehand.
//!
//! Behind an item of *n* any of *n* − 1 others may follow, and each leads to another set of
//! items seen. Who makes all of these for each set that a text leads to makes *n*² sets of *n*
//! bits, though the text reads one item after another. So a state in such an interleave names no
//! steps; they are looked up here, by the symbol that is read, when somebody asks.
//!
//! Cost: a look-up, the items that begin with the symbol, mostly one.

use lacuna_grammar::interleave::{Interleave, Progress};
use rustc_hash::FxHashMap;

use crate::cfg::Symbol;
use crate::dots::{Dot, Moves};

/// Items from which on steps are looked up: of fewer all are made sooner. Where assertions are on,
/// few are many, so that small cases judge both ways.
pub(crate) const MANY: usize = if cfg!(debug_assertions) { 2 } else { 24 };

/// The steps of an interleave, by symbol.
#[derive(Clone, Debug, Default)]
pub(crate) struct ManyItems {
    /// The items that a symbol stands for, and in which way.
    whole: FxHashMap<Symbol, Vec<(u32, u32)>>,
    /// Where a symbol leads that is read within an item where that begins.
    within: FxHashMap<Symbol, Vec<(u32, Dot)>>,
}

impl ManyItems {
    /// The steps of some items, where within each of their symbols a text begins with `begins`.
    pub fn new(
        items: &Interleave<Symbol>,
        mut begins: impl FnMut(Symbol) -> Option<Moves>,
    ) -> Option<Self> {
        let mut many = Self::default();
        for (item, known) in (0..).zip(&items.items) {
            for (number, way) in (0..).zip(&known.ways) {
                many.whole.entry(way.text).or_default().push((item, number));
                for (symbol, behind) in begins(way.text)? {
                    if let Symbol::Terminal(_) | Symbol::Nonterminal(_) = symbol {
                        many.within.entry(symbol).or_default().push((item, behind));
                    }
                }
            }
        }
        Some(many)
    }

    /// The items, and their ways, that a symbol stands for.
    pub fn of(&self, symbol: Symbol) -> &[(u32, u32)] {
        self.whole.get(&symbol).map_or(&[], Vec::as_slice)
    }

    /// Where a symbol leads within the items that may still begin.
    pub fn within(
        &self,
        items: &Interleave<Symbol>,
        progress: &Progress,
        symbol: Symbol,
    ) -> impl Iterator<Item = Dot> {
        let behind = self.within.get(&symbol).into_iter().flatten();
        let left = behind.filter(|&&(item, _)| items.may_follow(progress, item as usize));
        left.map(|&(_, behind)| behind)
    }

    /// The symbols that items begin with.
    pub fn begin_with(
        &self,
        items: &Interleave<Symbol>,
        progress: &Progress,
    ) -> impl Iterator<Item = Symbol> {
        let left = self.within.iter().filter(|(_, behind)| {
            let mut behind = behind.iter();
            behind.any(|&(item, _)| items.may_follow(progress, item as usize))
        });
        left.map(|(&symbol, _)| symbol)
    }
}
