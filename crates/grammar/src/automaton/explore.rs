//! Automata made directly, where a caller knows what a state is.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::dfa::DEAD;
use super::{AutomatonError, Dfa, Limits, StateId};

impl Dfa {
    /// The smallest automaton of the texts over `alphabet` that a machine
    /// accepts; `step` says where a byte leads, if anywhere.
    ///
    /// # Errors
    /// When the machine has more states than the limit.
    pub(crate) fn explore<S: Clone + Eq + Hash>(
        start: S,
        alphabet: &[u8],
        mut step: impl FnMut(&S, u8) -> Option<S>,
        accepts: impl Fn(&S) -> bool,
        limits: &Limits,
    ) -> Result<Dfa, AutomatonError> {
        let mut classes = Box::new([0u8; 256]);
        for (class, &byte) in (1..).zip(alphabet) {
            classes[byte as usize] = class;
        }
        let class_count = alphabet.len() + 1;
        let mut ids: FxHashMap<S, StateId> = FxHashMap::default();
        ids.insert(start.clone(), 0);
        let mut states = vec![start];
        let mut table = Vec::new();
        let mut done = 0;
        while done < states.len() {
            table.push(DEAD);
            for &byte in alphabet {
                let Some(next) = step(&states[done], byte) else {
                    table.push(DEAD);
                    continue;
                };
                let fresh = states.len() as StateId;
                let id = *ids.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    fresh
                });
                table.push(id);
            }
            if states.len() > limits.dfa_states {
                return Err(AutomatonError::TooLarge {
                    what: "deterministic states",
                    limit: limits.dfa_states,
                });
            }
            done += 1;
        }
        let accepting = states.iter().map(accepts).collect();
        let found = Dfa {
            classes,
            class_count,
            table,
            accepting,
            start: 0,
        };
        Ok(found.trim().minimize())
    }

    /// The smallest automaton of a list of texts: the tree of their beginnings,
    /// minimised.
    ///
    /// # Errors
    /// When the tree has more nodes than the limit.
    pub(crate) fn of_texts<'t>(
        texts: impl IntoIterator<Item = &'t [u8]> + Clone,
        limits: &Limits,
    ) -> Result<Dfa, AutomatonError> {
        let mut classes = Box::new([0u8; 256]);
        for &byte in texts.clone().into_iter().flatten() {
            classes[byte as usize] = 1;
        }
        let mut class_count = 1;
        for class in classes.iter_mut().filter(|class| **class == 1) {
            *class = class_count as u8;
            class_count += 1;
        }
        let mut table = vec![DEAD; class_count];
        let mut accepting = vec![false];
        for text in texts {
            let mut state = 0;
            for &byte in text {
                let cell = state * class_count + classes[byte as usize] as usize;
                if table[cell] == DEAD {
                    table[cell] = accepting.len() as StateId;
                    table.resize(table.len() + class_count, DEAD);
                    accepting.push(false);
                }
                state = table[cell] as usize;
            }
            accepting[state] = true;
            if accepting.len() > limits.nfa_states {
                return Err(AutomatonError::TooLarge {
                    what: "beginnings of texts",
                    limit: limits.nfa_states,
                });
            }
        }
        let tree = Dfa {
            classes,
            class_count,
            table,
            accepting,
            start: 0,
        };
        Ok(tree.trim().minimize())
    }

    /// The automaton with these transitions, by state, which is started in state
    /// 0; not minimised.
    pub(crate) fn of_rows(rows: &[Vec<(u8, StateId)>], accepting: Vec<bool>) -> Dfa {
        let mut classes = Box::new([0u8; 256]);
        for &(byte, _) in rows.iter().flatten() {
            classes[byte as usize] = 1;
        }
        let mut class_count = 1;
        for class in classes.iter_mut().filter(|class| **class == 1) {
            *class = class_count as u8;
            class_count += 1;
        }
        let mut table = vec![DEAD; class_count * rows.len()];
        for (state, row) in rows.iter().enumerate() {
            for &(byte, next) in row {
                table[state * class_count + classes[byte as usize] as usize] = next;
            }
        }
        let found = Dfa {
            classes,
            class_count,
            table,
            accepting,
            start: 0,
        };
        found.trim()
    }

    /// The texts of any of some languages.
    ///
    /// # Errors
    /// When there are too many states.
    pub(crate) fn union_of<'d>(
        languages: impl IntoIterator<Item = &'d Dfa>,
        limits: &Limits,
    ) -> Result<Dfa, AutomatonError> {
        let mut builder = super::NfaBuilder::new(limits);
        let (start, accept) = (builder.state()?, builder.state()?);
        for language in languages {
            builder.automaton(language, start, accept)?;
        }
        let union = builder.finish(start, accept).determinize(limits)?;
        Ok(union.minimize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_machines() {
        let limits = Limits::default();
        let words: [&[u8]; 3] = [b"ab", b"cb", b""];
        let dfa = Dfa::of_texts(words, &limits).unwrap();
        for (text, belongs) in [
            ("ab", true),
            ("cb", true),
            ("", true),
            ("a", false),
            ("b", false),
        ] {
            assert_eq!(dfa.accepts(text.as_bytes()), belongs, "{text}");
        }
        let thirds = Dfa::explore(
            0u32,
            b"01",
            |rest, byte| Some((2 * rest + (byte - b'0') as u32) % 3),
            |rest| *rest == 0,
            &limits,
        );
        let thirds = thirds.unwrap();
        assert_eq!(thirds.state_count(), 3);
        assert!(thirds.accepts(b"110") && !thirds.accepts(b"111") && !thirds.accepts(b"2"));
    }
}
