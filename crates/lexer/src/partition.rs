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
//! which what has come to the same state goes on together, and so do nodes to which the same
//! has come: of a vocabulary's words in a string, those of the same length. Tokens with the same
//! sum are of one class, but for a chance of about one in 2⁶⁴ for each pair of tokens.
//!
//! Cost: for each byte behind each group of nodes, the states that are still told apart there,
//! a few of thousands, as a rule; and a step for each node.

use rustc_hash::FxHashMap;

use crate::alike::{Arrived, Descent};
use crate::{Lexer, LexerState, TokenId, Vocabulary};

/// The classes of a vocabulary's tokens under one lexer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenPartition {
    /// For each token its class; `None` if it can be read from no state.
    pub of_token: Vec<Option<u32>>,
    /// Number of classes.
    pub classes: usize,
}

impl TokenPartition {
    /// Finds the classes.
    pub fn new(lexer: &Lexer, vocabulary: &Vocabulary) -> Self {
        let states = 0..lexer.state_count() as LexerState;
        let landing: Vec<[u32; 2]> = states.clone().map(|state| [state; 2]).collect();
        Self::by(
            &sums(lexer, vocabulary, states.collect(), &landing),
            0,
            vocabulary,
        )
    }

    /// Finds the classes as they are from some states only, and if the states that
    /// tokens land in are told apart by the first of their numbers, and by the second.
    pub(crate) fn from_states(
        lexer: &Lexer,
        vocabulary: &Vocabulary,
        states: Vec<LexerState>,
        landing: &[[u32; 2]],
    ) -> [Self; 2] {
        let sums = sums(lexer, vocabulary, states, landing);
        [0, 1].map(|which| Self::by(&sums, which, vocabulary))
    }

    fn by(sums: &[Sums], which: usize, vocabulary: &Vocabulary) -> Self {
        let mut ids: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut of_token = vec![None; vocabulary.len()];
        for (sums, token) in sums {
            let fresh = ids.len() as u32;
            let class = *ids.entry(halves(sums[which])).or_insert(fresh);
            of_token[*token as usize] = Some(class);
        }
        Self {
            of_token,
            classes: ids.len(),
        }
    }
}

/// A token, and the sums of its ways.
type Sums = ([u64; 2], TokenId);

/// The sums of all tokens that can be read.
fn sums(
    lexer: &Lexer,
    vocabulary: &Vocabulary,
    states: Vec<LexerState>,
    landing: &[[u32; 2]],
) -> Vec<Sums> {
    let start = states.into_iter();
    let start = start.map(|state| (state, 0, number(Kind::From, state, 0)));
    let mut ways = Ways {
        lexer,
        landing,
        sums: Vec::new(),
    };
    let trie = vocabulary.trie();
    trie.descend_alike(&lexer.classes, start.collect(), &mut ways);
    ways.sums
}

struct Ways<'a> {
    lexer: &'a Lexer,
    landing: &'a [[u32; 2]],
    sums: Vec<Sums>,
}

impl Descent for Ways<'_> {
    fn read(&self, here: &[Arrived], byte: u8) -> Vec<Arrived> {
        let read = here.iter().filter_map(|&(state, finished, sum)| {
            let next = self.lexer.next(state, byte)?;
            Some((next, finished, sum))
        });
        read.collect()
    }

    fn visit(&mut self, tokens: &[TokenId], here: &[Arrived]) {
        let mut sums = [0u64; 2];
        for &(state, finished, way) in here {
            for (sum, &landing) in sums.iter_mut().zip(&self.landing[state as usize]) {
                let factor = number(Kind::To, landing, finished);
                *sum = sum.wrapping_add(way.wrapping_mul(factor));
            }
        }
        self.sums.extend(tokens.iter().map(|&token| (sums, token)));
    }

    /// Adds the boundaries of the lexemes that may end here.
    fn finish(&self, here: &mut Vec<Arrived>) {
        let mut at = 0;
        while let Some(&(state, finished, sum)) = here.get(at) {
            at += 1;
            for finish in self.lexer.finishes(state) {
                here.push(match finish.terminal {
                    None => (finish.to, finished, sum),
                    Some(terminal) => {
                        let factor = number(Kind::Finished, terminal, finished);
                        (finish.to, finished + 1, sum.wrapping_mul(factor))
                    }
                });
            }
        }
    }
}

/// A number in two: pairs are keys elsewhere too, so their map is there.
fn halves(number: u64) -> (u32, u32) {
    (number as u32, (number >> 32) as u32)
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
