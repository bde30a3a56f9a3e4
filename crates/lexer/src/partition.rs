//! Which tokens no state of a lexer tells apart.
//!
//! A token's ways from a state are told by the terminals that it finishes, in order,
//! and by the state that it lands in. Two tokens are of one class if their ways are the
//! same from every state, so that no grammar over these terminals can treat them
//! differently (the classes of equal rows of GreatGramma's spanner table).
//!
//! The table itself is never made. Each state, terminal and landing gets a random
//! number; a way counts as the product of its numbers, a token as the sum of its ways.
//! These sums are found for all states and tokens in one descent of the token trie, in
//! which what has come to the same state goes on together. Tokens with the same sum are
//! of one class, but for a chance of about one in 2⁶⁴ for each pair of tokens.
//!
//! Cost: for each node of the trie, the states that are still told apart there; a few
//! of thousands, as a rule.

use rustc_hash::FxHashMap;

use crate::{Lexer, LexerState, TokenId, Vocabulary};

/// The classes of a vocabulary's tokens under one lexer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenPartition {
    /// For each token its class; `None` if it can be read from no state.
    pub of_token: Vec<Option<u32>>,
    /// Number of classes.
    pub classes: usize,
}

/// What has come to a node of the trie: a state, the terminals finished on the way,
/// counted, and the sum of the ways.
type Arrived = (LexerState, u32, u64);

impl TokenPartition {
    /// Finds the classes.
    pub fn new(lexer: &Lexer, vocabulary: &Vocabulary) -> Self {
        let states = 0..lexer.state_count() as LexerState;
        Self::by(lexer, vocabulary, states, |state| state)
    }

    /// Finds the classes as they are from some states only, and if the states that
    /// tokens land in are told apart by these numbers.
    pub(crate) fn by(
        lexer: &Lexer,
        vocabulary: &Vocabulary,
        states: impl Iterator<Item = LexerState>,
        landing: impl Fn(LexerState) -> u32,
    ) -> Self {
        let trie = vocabulary.trie();
        let start = states.map(|state| (state, 0, number(Kind::From, state, 0)));
        let mut path: Vec<Vec<Arrived>> = vec![start.collect()];
        let mut sums: Vec<(u64, TokenId)> = Vec::new();
        trie.descend(|node, depth, byte| {
            path.truncate(depth);
            let before = path.last().map(Vec::as_slice).unwrap_or_default();
            let read = before.iter().filter_map(|&(state, finished, sum)| {
                let next = lexer.next(state, byte)?;
                Some((next, finished, sum))
            });
            let mut here = united(read.collect());
            if here.is_empty() {
                return false;
            }
            let sum = here.iter().fold(0u64, |all, &(state, finished, sum)| {
                all.wrapping_add(sum.wrapping_mul(number(Kind::To, landing(state), finished)))
            });
            sums.extend(trie.tokens_at(node).iter().map(|&token| (sum, token)));
            if trie.has_below(node) {
                finish(lexer, &mut here);
            }
            path.push(here);
            true
        });
        let mut ids: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut of_token = vec![None; vocabulary.len()];
        for (sum, token) in sums {
            // A sum in two halves: pairs are keys elsewhere too, so their map is there.
            let (fresh, halves) = (ids.len() as u32, (sum as u32, (sum >> 32) as u32));
            of_token[token as usize] = Some(*ids.entry(halves).or_insert(fresh));
        }
        Self {
            of_token,
            classes: ids.len(),
        }
    }
}

/// Adds the boundaries of the lexemes that may end here.
fn finish(lexer: &Lexer, here: &mut Vec<Arrived>) {
    let mut at = 0;
    while let Some(&(state, finished, sum)) = here.get(at) {
        at += 1;
        for finish in lexer.finishes(state) {
            here.push(match finish.terminal {
                None => (finish.to, finished, sum),
                Some(terminal) => {
                    let factor = number(Kind::Finished, terminal, finished);
                    (finish.to, finished + 1, sum.wrapping_mul(factor))
                }
            });
        }
    }
    *here = united(std::mem::take(here));
}

/// Each state once, with the sum of all that came to it.
fn united(mut arrived: Vec<Arrived>) -> Vec<Arrived> {
    arrived.sort_unstable_by_key(|&(state, finished, _)| (state, finished));
    arrived.dedup_by(|next, kept| {
        let is_same = (next.0, next.1) == (kept.0, kept.1);
        if is_same {
            kept.2 = kept.2.wrapping_add(next.2);
        }
        is_same
    });
    arrived
}

/// What a random number is for.
#[derive(Clone, Copy)]
enum Kind {
    From,
    Finished,
    To,
}

/// An odd number that looks random (SplitMix64's finaliser), the same in every run.
fn number(kind: Kind, id: u32, count: u32) -> u64 {
    let seed = u64::from(id) << 24 | u64::from(count) << 2 | kind as u64;
    let mut mixed = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) | 1
}
