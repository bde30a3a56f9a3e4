//! Which terminals can follow which, for a lexer whose lexemes begin in several contexts.
//!
//! What can stand behind a terminal is what productions say of it (the FOLLOW sets of LL
//! parsing; Aho, Lam, Sethi and Ullman, *Compilers*, section 4.4.2). It is taken too large
//! rather than too small: the parser refuses what does not belong there. Terminals whose
//! products with others are large are *wide*: they go on with many bytes. Contexts are told
//! apart by the wide terminals that can stand in them, and hold all others that can where
//! these can.
//!
//! Cost: terminals times symbols, as bits, as often as a set grows; mostly twice.

use std::collections::VecDeque;

use lacuna_grammar::automaton::{AutomatonError, Limits, Ranged};
use lacuna_lexer::{BitSet, Contexts, Counts, Lexer, TerminalId};
use rustc_hash::FxHashMap;

use super::{Interleaved, NonterminalId, Symbol};
use crate::ContextLimits;

/// Symbols times terminals up to which contexts are looked for: 4 MiB of bits, and some 128 MiB
/// of contexts at the very most.
const MOST_BITS: usize = 1 << 25;

/// Productions whose terminals may follow one another.
pub(super) struct Follow<'a> {
    pub symbols: &'a [Symbol],
    pub productions: &'a [Vec<u32>],
    pub interleaves: &'a [Interleaved],
    /// What whole texts are derived from.
    pub start: NonterminalId,
}

/// What is found of symbols: terminals, and behind these nonterminals.
struct Sets {
    terminals: usize,
    /// Whether it can be empty; by nonterminal.
    nullable: Vec<bool>,
    /// The terminals that its texts begin with; by nonterminal.
    first: Vec<BitSet>,
    /// Those that can stand behind; by symbol.
    behind: Vec<BitSet>,
}

impl Follow<'_> {
    /// The lexer of these terminals, in one context if it has no more states than that.
    ///
    /// # Errors
    /// When it has more states than the limit, in one context and in several.
    pub fn lexer(
        &self,
        terminals: &[Ranged],
        counts: &[(TerminalId, Counts)],
        contexts: ContextLimits,
        limits: &Limits,
    ) -> Result<Lexer, AutomatonError> {
        let any = Contexts::any(terminals.len());
        let within = |contexts: &Contexts, states: usize| {
            let dfa_states = limits.dfa_states.min(states);
            let limits = Limits {
                dfa_states,
                ..*limits
            };
            Lexer::within(terminals, counts, contexts, &limits)
        };
        let few = match counts.is_empty() {
            true => contexts.states,
            false => contexts.counting_states,
        };
        let in_one = within(&any, few);
        if few == usize::MAX || !matches!(in_one, Err(AutomatonError::TooLarge { .. })) {
            return in_one;
        }
        let several = self.contexts(terminals, contexts.wide);
        match several.map(|several| within(&several, usize::MAX)) {
            Some(Ok(lexer)) => Ok(lexer),
            _ if few < limits.dfa_states => within(&any, usize::MAX),
            _ => in_one,
        }
    }

    /// The contexts of these terminals; `None` where there is only one, or too much to look at.
    fn contexts(&self, terminals: &[Ranged], wide: u32) -> Option<Contexts> {
        let symbols = terminals.len() + 2 * self.productions.len();
        if symbols.saturating_mul(terminals.len()) > MOST_BITS {
            return None;
        }
        let sets = self.sets(terminals.len());
        let wide: Vec<bool> = terminals.iter().map(|it| is_wide(it, wide)).collect();
        let mut contexts = ByWide::default();
        contexts.add(&wide, &sets.first[self.start as usize]);
        let behind = sets.behind[..terminals.len()].iter();
        let behind: Vec<u32> = behind.map(|behind| contexts.add(&wide, behind)).collect();
        let sets = contexts.sets.iter();
        let sets: Vec<Vec<TerminalId>> = sets
            .map(|set| set.iter().map(|terminal| terminal as TerminalId).collect())
            .collect();
        (sets.len() > 1).then_some(Contexts { sets, behind })
    }

    /// The symbols of a production.
    fn side(&self, from: usize) -> Vec<Symbol> {
        let is_side = |symbol: &&Symbol| !matches!(symbol, Symbol::End(_) | Symbol::EndOfText);
        let side = self.symbols[from..].iter().take_while(is_side);
        side.copied().collect()
    }

    /// Each production, and of each nonterminal for items in any order that it is any list.
    fn each(&self) -> impl Iterator<Item = (usize, Vec<Symbol>)> + '_ {
        let productions = (0..).zip(self.productions);
        let written = productions.flat_map(move |(nonterminal, sides)| {
            let sides = sides.iter();
            sides.map(move |&from| (nonterminal, self.side(from as usize)))
        });
        let lists = self.interleaves.iter().flat_map(|it| {
            let any = vec![Symbol::Nonterminal(it.hidden)];
            [any, Vec::new()].map(|side| (it.nonterminal as usize, side))
        });
        written.chain(lists)
    }

    fn sets(&self, terminals: usize) -> Sets {
        let nonterminals = self.productions.len();
        let empty = || BitSet::new(terminals);
        let mut sets = Sets {
            terminals,
            nullable: vec![false; nonterminals],
            first: (0..nonterminals).map(|_| empty()).collect(),
            behind: (0..terminals + nonterminals).map(|_| empty()).collect(),
        };
        let sides: Vec<(usize, Vec<Symbol>)> = self.each().collect();
        sets.find_nullable(&sides);
        // Each way in which one set holds another.
        let mut holds: Vec<Vec<u32>> = vec![Vec::new(); nonterminals];
        for (nonterminal, side) in &sides {
            for &symbol in side {
                match symbol {
                    Symbol::Terminal(it) => drop(sets.first[*nonterminal].insert(it as usize)),
                    Symbol::Nonterminal(it) => holds[it as usize].push(*nonterminal as u32),
                    Symbol::End(_) | Symbol::EndOfText => {}
                }
                if !sets.is_nullable(symbol) {
                    break;
                }
            }
        }
        spread(&mut sets.first, &holds);
        let mut holds: Vec<Vec<u32>> = vec![Vec::new(); terminals + nonterminals];
        for (nonterminal, side) in &sides {
            let mut first = empty();
            let mut is_last = true;
            for &symbol in side.iter().rev() {
                let Some(place) = sets.place(symbol) else {
                    continue;
                };
                sets.behind[place].union_with(&first);
                if is_last {
                    holds[terminals + nonterminal].push(place as u32);
                }
                if !sets.is_nullable(symbol) {
                    first = empty();
                    is_last = false;
                }
                match symbol {
                    Symbol::Terminal(it) => drop(first.insert(it as usize)),
                    _ => drop(first.union_with(&sets.first[place - terminals])),
                }
            }
        }
        spread(&mut sets.behind, &holds);
        sets
    }
}

impl Sets {
    fn place(&self, symbol: Symbol) -> Option<usize> {
        match symbol {
            Symbol::Terminal(terminal) => Some(terminal as usize),
            Symbol::Nonterminal(nonterminal) => Some(self.terminals + nonterminal as usize),
            Symbol::End(_) | Symbol::EndOfText => None,
        }
    }

    fn is_nullable(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Nonterminal(nonterminal) => self.nullable[nonterminal as usize],
            _ => false,
        }
    }

    fn find_nullable(&mut self, sides: &[(usize, Vec<Symbol>)]) {
        // For each nonterminal the sides that it stands in, as often; for each side, how many of
        // its symbols may not be empty yet.
        let mut within: Vec<Vec<u32>> = vec![Vec::new(); self.nullable.len()];
        let mut left: Vec<usize> = Vec::with_capacity(sides.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, (nonterminal, side)) in (0..).zip(sides) {
            for &symbol in side {
                if let Symbol::Nonterminal(it) = symbol {
                    within[it as usize].push(at);
                }
            }
            left.push(side.len());
            if side.is_empty() {
                open.push(*nonterminal);
            }
        }
        while let Some(nonterminal) = open.pop() {
            if std::mem::replace(&mut self.nullable[nonterminal], true) {
                continue;
            }
            for &side in &within[nonterminal] {
                left[side as usize] -= 1;
                if left[side as usize] == 0 {
                    open.push(sides[side as usize].0);
                }
            }
        }
    }
}

/// Adds each set to those that hold it, until nothing is new.
fn spread(sets: &mut [BitSet], holds: &[Vec<u32>]) {
    let mut open: VecDeque<u32> = (0..sets.len() as u32).collect();
    let mut is_open = vec![true; sets.len()];
    while let Some(from) = open.pop_front() {
        is_open[from as usize] = false;
        let set = std::mem::replace(&mut sets[from as usize], BitSet::new(0));
        for &to in &holds[from as usize] {
            if to != from
                && sets[to as usize].union_with(&set)
                && !std::mem::replace(&mut is_open[to as usize], true)
            {
                open.push_back(to);
            }
        }
        sets[from as usize] = set;
    }
}

/// Contexts, each with all that stands where its wide terminals do.
#[derive(Default)]
struct ByWide {
    sets: Vec<BitSet>,
    by_wide: FxHashMap<BitSet, u32>,
}

impl ByWide {
    fn add(&mut self, wide: &[bool], set: &BitSet) -> u32 {
        let mut key = BitSet::new(wide.len());
        for terminal in set.iter().filter(|&it| wide[it]) {
            key.insert(terminal);
        }
        let fresh = self.sets.len() as u32;
        let context = *self.by_wide.entry(key).or_insert(fresh);
        match self.sets.get_mut(context as usize) {
            Some(known) => drop(known.union_with(set)),
            None => self.sets.push(set.clone()),
        }
        context
    }
}

fn is_wide(terminal: &Ranged, wide: u32) -> bool {
    terminal.ranges().each().any(|ranges| {
        let bytes = ranges
            .iter()
            .map(|&(low, high, _)| 1 + u32::from(high - low));
        bytes.sum::<u32>() >= wide
    })
}
