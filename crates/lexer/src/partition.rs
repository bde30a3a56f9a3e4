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

use std::ops::Range;

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
    /// For each class, how many lexemes its tokens finish at least before the one that they
    /// end in.
    pub(crate) finished: Vec<u32>,
}

impl TokenPartition {
    /// Finds the classes.
    ///
    /// Tokens that lead from a core to the same with the same count, and finish the same behind
    /// the same count, do so from all its states: where characters are counted, they are read
    /// from cores as if there were no bounds.
    pub fn new(lexer: &Lexer, vocabulary: &Vocabulary) -> Self {
        let cores = 0..lexer.core_count() as LexerState;
        Self::by(lexer, vocabulary, cores, None)
    }

    /// Finds the classes as they are from some states only, and if the states that tokens land
    /// in are told apart by these numbers of their rows.
    pub(crate) fn from_states(
        lexer: &Lexer,
        vocabulary: &Vocabulary,
        states: Range<LexerState>,
        landing: &[u32],
    ) -> Self {
        Self::by(lexer, vocabulary, states, Some(landing))
    }

    fn by(
        lexer: &Lexer,
        vocabulary: &Vocabulary,
        states: Range<LexerState>,
        landing: Option<&[u32]>,
    ) -> Self {
        let start = states.map(|state| (state, 0, number(Kind::From, state, 0)));
        let mut ways = Ways {
            lexer,
            is_unbounded: lexer.counts() && landing.is_none(),
            landing,
            ids: FxHashMap::default(),
            of_token: vec![None; vocabulary.len()],
            finished: Vec::new(),
        };
        let trie = vocabulary.trie();
        trie.descend_alike(&lexer.classes, start.collect(), &mut ways);
        Self {
            of_token: ways.of_token,
            classes: ways.ids.len(),
            finished: ways.finished,
        }
    }
}

/// A descent that sums up the ways of tokens.
struct Ways<'a> {
    lexer: &'a Lexer,
    /// Whether characters are counted from where a token begins, without bounds: then a state
    /// stands for a core, and as many times the number of cores as were counted.
    is_unbounded: bool,
    /// What tells the rows apart that tokens land in; all states, if nothing is given.
    landing: Option<&'a [u32]>,
    /// Classes by sums, in two halves: pairs are keys elsewhere too, so their map is there.
    ids: FxHashMap<(u32, u32), u32>,
    of_token: Vec<Option<u32>>,
    finished: Vec<u32>,
}

impl Descent for Ways<'_> {
    fn read(&self, here: &[Arrived], byte: u8) -> Vec<Arrived> {
        let read = here.iter().filter_map(|&(state, finished, sum)| {
            let next = match self.is_unbounded {
                true => self.unbounded(state, byte)?,
                false => self.lexer.next(state, byte)?,
            };
            Some((next, finished, sum))
        });
        read.collect()
    }

    fn visit(&mut self, tokens: &[TokenId], here: &[Arrived]) {
        let sum = here.iter().fold(0u64, |all, &(state, finished, way)| {
            let landed = match self.landing {
                None => state,
                Some(rows) => rows[self.lexer.row(state) as usize],
            };
            let factor = number(Kind::To, landed, finished);
            all.wrapping_add(way.wrapping_mul(factor))
        });
        let fresh = self.ids.len() as u32;
        let halves = (sum as u32, (sum >> 32) as u32);
        let class = *self.ids.entry(halves).or_insert(fresh);
        if class == fresh {
            let finished = here.iter().map(|&(_, finished, _)| finished);
            self.finished.push(finished.min().unwrap_or(0));
        }
        for &token in tokens {
            self.of_token[token as usize] = Some(class);
        }
    }

    /// Adds the boundaries of the lexemes that may end here.
    fn finish(&self, here: &mut Vec<Arrived>) {
        let mut at = 0;
        while let Some(&(state, finished, sum)) = here.get(at) {
            at += 1;
            let cores = self.lexer.core_count() as u32;
            let (finishes, behind) = match self.is_unbounded {
                true => (self.lexer.core_finishes(state % cores), state / cores),
                false => (self.lexer.finishes(state), 0),
            };
            for finish in finishes {
                here.push(match finish.terminal {
                    None => (finish.to, finished, sum),
                    Some(terminal) => {
                        let factor = number(Kind::Finished, terminal, finished);
                        let factor = factor.wrapping_mul(number(Kind::Behind, behind, 0));
                        (finish.to, finished + 1, sum.wrapping_mul(factor))
                    }
                });
            }
        }
    }
}

impl Ways<'_> {
    /// The place behind one more byte.
    fn unbounded(&self, place: u32, byte: u8) -> Option<u32> {
        let cores = self.lexer.core_count() as u32;
        let (core, is_counted) = self.lexer.core_next(place % cores, byte)?;
        let count = place / cores + u32::from(is_counted);
        count.checked_mul(cores)?.checked_add(core)
    }
}

/// What a random number is for.
#[derive(Clone, Copy)]
enum Kind {
    From,
    Finished,
    To,
    /// Characters that were counted before a lexeme ended.
    Behind,
}

/// An odd number that looks random (SplitMix64's finaliser), the same in every run.
fn number(kind: Kind, id: u32, count: u32) -> u64 {
    let seed = u64::from(id) << 24 | u64::from(count) << 2 | kind as u64;
    let mut mixed = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) | 1
}
