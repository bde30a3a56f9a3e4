//! Automata over symbols, which stand for the characters that nobody tells apart.

use rustc_hash::FxHashMap;

use super::alphabet::{Alphabet, MOST};
use super::decode::{Decoder, Range};
use super::{AutomatonError, Dfa, Language, NfaBuilder, NfaState, StateId};
use crate::Expr;
use crate::analysis::is_nullable;
use crate::characters::normalise;

impl Language {
    /// The same over symbols, if they are few enough.
    pub(super) fn over_symbols(self) -> Self {
        let dfa = &self.automaton;
        let mut decoder = Decoder::new(dfa);
        let mut places: FxHashMap<StateId, StateId> = FxHashMap::default();
        places.insert(dfa.start(), 0);
        let mut order = vec![dfa.start()];
        let mut rows: Vec<Vec<Range>> = Vec::new();
        while let Some(&state) = order.get(rows.len()) {
            let mut row = decoder.characters_from(state);
            for (_, _, to) in &mut row {
                let fresh = order.len() as StateId;
                let place = *places.entry(*to).or_insert(fresh);
                if place == fresh {
                    order.push(*to);
                }
                *to = place;
            }
            rows.push(row);
        }
        let mut sets: Vec<Vec<(u32, u32)>> = Vec::new();
        for row in &rows {
            let mut by_target: FxHashMap<StateId, Vec<(u32, u32)>> = FxHashMap::default();
            for &(low, high, to) in row {
                by_target.entry(to).or_default().push((low, high));
            }
            sets.extend(by_target.into_values().map(normalise));
        }
        let Some(alphabet) = Alphabet::of_sets(sets.iter().map(Vec::as_slice).collect()) else {
            return self;
        };
        // One character of each symbol shows where all lead.
        let mut shown = [0; MOST];
        for &(low, _, symbol) in alphabet.runs() {
            shown[symbol as usize] = low;
        }
        let symbols = rows.iter().map(|row| {
            let lead = |symbol: usize| {
                let code = shown[symbol];
                let at = row.partition_point(|&(low, _, _)| low <= code);
                let piece = row.get(at.checked_sub(1)?)?;
                (piece.1 >= code).then_some((symbol as u8, piece.2))
            };
            (0..alphabet.count()).filter_map(lead).collect()
        });
        let symbols: Vec<Vec<(u8, StateId)>> = symbols.collect();
        let accepting = order.iter().map(|&state| dfa.is_accepting(state));
        Self {
            automaton: Dfa::of_rows(&symbols, accepting.collect()),
            alphabet: Some(alphabet),
        }
    }
}

/// Connects two states by a set of characters.
type OnSet<'a> = dyn FnMut(&mut NfaBuilder, &[(u32, u32)], NfaState, NfaState) + 'a;

impl NfaBuilder {
    /// As [`NfaBuilder::expression`], over symbols; of an expression that mentions
    /// only characters.
    pub(super) fn symbols(
        &mut self,
        expr: &Expr,
        from: NfaState,
        to: NfaState,
        on_set: &mut OnSet<'_>,
    ) -> Result<(), AutomatonError> {
        match expr {
            Expr::Literal(bytes) => {
                let mut at = from;
                for character in std::str::from_utf8(bytes).unwrap_or_default().chars() {
                    let next = self.state()?;
                    on_set(self, &[(character as u32, character as u32)], at, next);
                    at = next;
                }
                self.empty_edge(at, to);
            }
            Expr::Chars(ranges) => on_set(self, &normalise(ranges.to_vec()), from, to),
            Expr::Sequence(parts) => {
                let mut at = from;
                for part in parts {
                    let next = self.state()?;
                    self.symbols(part, at, next, on_set)?;
                    at = next;
                }
                self.empty_edge(at, to);
            }
            Expr::Choice(choices) => {
                // Listed texts that begin alike share their beginnings.
                let mut known: FxHashMap<(NfaState, u32), NfaState> = FxHashMap::default();
                for choice in choices {
                    let parts = match choice {
                        Expr::Sequence(parts) => parts.as_slice(),
                        other => std::slice::from_ref(other),
                    };
                    let mut at = from;
                    let mut parts = parts.iter().peekable();
                    while let Some(Expr::Literal(bytes)) = parts.peek() {
                        parts.next();
                        let text = std::str::from_utf8(bytes).unwrap_or_default();
                        for code in text.chars().map(u32::from) {
                            at = match known.get(&(at, code)) {
                                Some(&next) => next,
                                None => {
                                    let next = self.state()?;
                                    on_set(self, &[(code, code)], at, next);
                                    known.insert((at, code), next);
                                    next
                                }
                            };
                        }
                    }
                    for part in parts {
                        let next = self.state()?;
                        self.symbols(part, at, next, on_set)?;
                        at = next;
                    }
                    self.empty_edge(at, to);
                }
            }
            Expr::Repeat { item, min, max } => {
                // So all repetitions of what may be empty are optional.
                let min = if is_nullable(item, &[]) { &0 } else { min };
                self.repeated(*min, *max, from, to, &mut |builder, from, to| {
                    builder.symbols(item, from, to, on_set)
                })?;
            }
            other => self.expression(other, from, to, &mut |_, rule, _, _| {
                Err(AutomatonError::MentionsRule(rule.0))
            })?,
        }
        Ok(())
    }
}
