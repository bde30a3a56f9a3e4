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
//! a text of the intersection is read off: as soon as the whole is found, whatever waits
//! to be followed. Time: productions × states³ at worst; memory: nonterminals × states².

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfg::NonterminalId;
use crate::dfa::{State, TerminalDfa};
use crate::normal_form::NormalForm;
use crate::reading::{Piece, text};
use crate::{Stopped, TerminalId, Ticker};

/// A text of the intersection; `None` if there is none.
///
/// # Errors
/// When the time or the memory is over.
pub fn intersect(
    grammar: &NormalForm,
    dfa: &TerminalDfa,
    ticker: &mut Ticker<'_>,
) -> Result<Option<Vec<TerminalId>>, Stopped> {
    let mut found = Found {
        start: (dfa.start, grammar.start),
        accepting: dfa.accepting.clone(),
        ..Found::default()
    };
    let mut followed = Followed::default();
    for state in 0..dfa.edges.len() as State {
        for &nonterminal in &grammar.empty {
            ticker.tick()?;
            found.add(state, nonterminal, state, Why::Empty, ticker)?;
        }
    }
    for (from, edges) in (0..).zip(&dfa.edges) {
        for &(terminal, to) in edges {
            for &nonterminal in &grammar.of_terminal[terminal as usize] {
                ticker.tick()?;
                found.add(from, nonterminal, to, Why::Terminal(terminal), ticker)?;
            }
        }
    }
    let mut done = 0;
    while done < found.symbols.len() {
        if let Some(whole) = found.whole {
            return found.text(whole, ticker).map(Some);
        }
        followed.follow(grammar, &mut found, done as u32, ticker)?;
        done += 1;
    }
    let whole = found.whole.map(|whole| found.text(whole, ticker));
    whole.transpose()
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

/// Bytes of a symbol: here, in what is known, and where it is followed.
const SYMBOL: usize =
    size_of::<Generating>() + 2 * size_of::<Key>() + 2 * size_of::<(State, u32)>();

/// Symbols that generate.
#[derive(Default)]
struct Found {
    known: FxHashSet<Key>,
    /// From where, and of what, the whole is.
    start: (State, NonterminalId),
    accepting: Vec<bool>,
    /// The whole, if it was found.
    whole: Option<u32>,
    /// In the order found; also the queue.
    symbols: Vec<Generating>,
}

impl Found {
    fn add(
        &mut self,
        from: State,
        nonterminal: NonterminalId,
        to: State,
        why: Why,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Stopped> {
        let key = (from, nonterminal, to);
        if self.known.insert(key) {
            ticker.hold(SYMBOL)?;
            if (from, nonterminal) == self.start && self.accepting[to as usize] {
                self.whole.get_or_insert(self.symbols.len() as u32);
            }
            self.symbols.push(Generating { key, why });
        }
        Ok(())
    }

    fn text(&self, number: u32, ticker: &mut Ticker<'_>) -> Result<Vec<TerminalId>, Stopped> {
        let pieces = |number: u32| match self.symbols[number as usize].why {
            Why::Empty => [None, None],
            Why::Terminal(terminal) => [Some(Piece::Terminal(terminal)), None],
            Why::One(one) => [Some(Piece::Of(one)), None],
            Why::Two(first, second) => [Some(Piece::Of(first)), Some(Piece::Of(second))],
        };
        text(number, pieces, ticker)
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
            found.add(from, left, to, Why::One(number), ticker)?;
        }
        for &(left, second) in &grammar.of_first[nonterminal as usize] {
            for &(end, other) in self.ends.get(&(second, to)).into_iter().flatten() {
                ticker.tick()?;
                found.add(from, left, end, Why::Two(number, other), ticker)?;
            }
        }
        for &(left, first) in &grammar.of_second[nonterminal as usize] {
            for &(start, other) in self.starts.get(&(first, from)).into_iter().flatten() {
                ticker.tick()?;
                found.add(start, left, to, Why::Two(other, number), ticker)?;
            }
        }
        Ok(())
    }
}
