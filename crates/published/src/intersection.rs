//! Whether a grammar and a regular language have a text in common: bottom-up search
//! for generating symbols of the intersection grammar, which is never built.
//!
//! The symbol `p A q` of that grammar derives what `A` derives and what leads the
//! automaton from `p` to `q`. It generates if some production of it does:
//!
//! - `A → ε` and `p = q`;
//! - `A → a` and an edge `p –a→ q`;
//! - `A → B` and `p B q` generates;
//! - `A → B C`, and `p B r` and `r C q` generate for some `r`.
//!
//! Rules are enumerated when a symbol is found to generate that they mention, so
//! what is not generating costs nothing. Found symbols keep why they generate, and
//! a text of the intersection is read off. Time: productions × states³ at worst.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfg::NonterminalId;
use crate::dfa::{State, TerminalDfa};
use crate::normal_form::NormalForm;
use crate::{Stopped, TerminalId, Ticker};

/// A text of the intersection; `None` if there is none.
///
/// # Errors
/// When the time is over.
pub fn intersect(
    grammar: &NormalForm,
    dfa: &TerminalDfa,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Vec<TerminalId>>, Stopped> {
    let mut found = Found::default();
    let mut followed = Followed::default();
    for state in 0..dfa.edges.len() as State {
        for &nonterminal in &grammar.empty {
            found.add(state, nonterminal, state, Why::Empty);
        }
    }
    for (from, edges) in (0..).zip(&dfa.edges) {
        for &(terminal, to) in edges {
            for &nonterminal in &grammar.of_terminal[terminal as usize] {
                found.add(from, nonterminal, to, Why::Terminal(terminal));
            }
        }
    }
    let mut done = 0;
    while done < found.symbols.len() {
        let symbol = found.symbols[done];
        let (from, nonterminal, to) = symbol.key;
        let whole = from == dfa.start && nonterminal == grammar.start;
        if whole && dfa.accepting[to as usize] {
            return Ok(Some(found.text(done as u32)));
        }
        followed.follow(grammar, &mut found, done as u32, ticker)?;
        done += 1;
    }
    Ok(None)
}

/// `from`, nonterminal, `to`.
type Key = (State, NonterminalId, State);

#[derive(Clone, Copy)]
struct Generating {
    key: Key,
    why: Why,
}

/// Why a symbol generates; numbers are those of other symbols.
#[derive(Clone, Copy)]
enum Why {
    Empty,
    Terminal(TerminalId),
    One(u32),
    Two(u32, u32),
}

/// Symbols that generate.
#[derive(Default)]
struct Found {
    known: FxHashSet<Key>,
    /// In the order found; also the queue.
    symbols: Vec<Generating>,
}

impl Found {
    fn add(&mut self, from: State, nonterminal: NonterminalId, to: State, why: Why) {
        let key = (from, nonterminal, to);
        if self.known.insert(key) {
            self.symbols.push(Generating { key, why });
        }
    }

    fn text(&self, number: u32) -> Vec<TerminalId> {
        let mut text = Vec::new();
        let mut work = vec![number];
        while let Some(number) = work.pop() {
            match self.symbols[number as usize].why {
                Why::Empty => {}
                Why::Terminal(terminal) => text.push(terminal),
                Why::One(one) => work.push(one),
                Why::Two(first, second) => work.extend([second, first]),
            }
        }
        text
    }
}

/// Symbols that were followed already.
#[derive(Default)]
struct Followed {
    /// By where they begin: where they end, and their numbers.
    ends: FxHashMap<(NonterminalId, State), Vec<(State, u32)>>,
    /// The same, by where they end.
    starts: FxHashMap<(NonterminalId, State), Vec<(State, u32)>>,
}

impl Followed {
    /// Finds all that generates because this does, with what was followed before.
    fn follow(
        &mut self,
        grammar: &NormalForm,
        found: &mut Found,
        number: u32,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Stopped> {
        let (from, nonterminal, to) = found.symbols[number as usize].key;
        let ends = self.ends.entry((nonterminal, from)).or_default();
        ends.push((to, number));
        let starts = self.starts.entry((nonterminal, to)).or_default();
        starts.push((from, number));
        ticker.tick()?;
        for &left in &grammar.of_one[nonterminal as usize] {
            found.add(from, left, to, Why::One(number));
        }
        for &(left, second) in &grammar.of_first[nonterminal as usize] {
            for &(end, other) in self.ends.get(&(second, to)).into_iter().flatten() {
                ticker.tick()?;
                found.add(from, left, end, Why::Two(number, other));
            }
        }
        for &(left, first) in &grammar.of_second[nonterminal as usize] {
            for &(start, other) in self.starts.get(&(first, from)).into_iter().flatten() {
                ticker.tick()?;
                found.add(start, left, to, Why::Two(other, number));
            }
        }
        Ok(())
    }
}
