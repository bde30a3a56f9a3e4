//! Tokens that do the same from a lexer state, together.
//!
//! A token may finish lexemes on its way, in one way or in several, and lands in a
//! state. Tokens of which all that is alike form a class, so what holds of one in
//! some place of a text holds of all (the token classes of GreatGramma, section 3,
//! but per lexer state). The ways of the tokens from one state are a small acyclic
//! graph of *steps*: a step is the row of the spanner table behind a finished
//! lexeme, with the ways that lead to it.
//!
//! Cost: one walk of the token trie for a state, and two places in memory for each token that can
//! go on from it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::keys::{key, keys_of};
use crate::spanner::{NO_ROW, RowId, Spanner};
use crate::{BitSet, Lexer, LexerState, TerminalId, TokenId, TrieNode};

/// Index of a step; 0 is the beginning of the token.
pub type StepId = u32;

/// The tokens from one lexer state.
#[derive(Clone, Debug, Default)]
pub struct TokenClasses {
    /// The steps, each behind all that lead to it.
    pub steps: Box<[TokenStep]>,
    /// The classes. No token is in two of them.
    pub classes: Box<[TokenClass]>,
    /// The ways from step to step: the one before, the lexeme finished in between, the
    /// row behind it, the step there; each as one number, ascending.
    ways: Box<[u128]>,
    /// The last steps and landings, each with where its classes begin and end among all
    /// such; the same.
    landed: Box<[u128]>,
    landed_classes: Box<[u32]>,
    /// All tokens, and the class of each, in their order; for each word of the tokens, how many
    /// are in words before.
    tokens: BitSet,
    class_of: Box<[u32]>,
    before: Box<[u32]>,
}

/// A place in the middle of tokens, behind a finished lexeme.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenStep {
    /// What the rest of a token can do from here; at the beginning there is none.
    pub row: RowId,
    /// The steps before it, each with the lexeme that is finished in between.
    pub before: Box<[(StepId, TerminalId)]>,
}

/// Tokens that do the same.
#[derive(Clone, Debug)]
pub struct TokenClass {
    /// Where they can land, each with the last step on the way.
    pub landings: Box<[(StepId, LexerState)]>,
    /// The tokens, ascending.
    pub tokens: Box<[TokenId]>,
}

/// Of this many tokens one is few: those are added one by one, and else what is not there yet is
/// looked at.
const FEW: usize = 8;

impl TokenClasses {
    fn new(steps: Vec<TokenStep>, classes: Vec<TokenClass>, vocabulary: usize) -> Self {
        let (mut ways, mut landings) = (Vec::new(), Vec::new());
        for (to, step) in (0..).zip(&steps) {
            for &(from, terminal) in &step.before {
                ways.push(key([from, terminal, step.row, to]));
            }
        }
        let mut tokens = BitSet::new(vocabulary);
        let mut class_of = Vec::new();
        for (index, class) in (0..).zip(&classes) {
            for &(step, state) in &class.landings {
                landings.push(key([0, step, state, index]));
            }
            for &token in &class.tokens {
                tokens.insert(token as usize);
                class_of.push(key([0, 0, token, index]));
            }
        }
        ways.sort_unstable();
        landings.sort_unstable();
        class_of.sort_unstable();
        let last = |keys: &[u128]| keys.iter().map(|&key| key as u32).collect();
        let mut landed = Vec::new();
        let mut end = 0;
        for alike in landings.chunk_by(|a, b| a >> 32 == b >> 32) {
            let begin = end;
            end += alike.len() as u32;
            landed.push(alike[0] >> 32 << 64 | key([0, 0, begin, end]));
        }
        let mut counted = 0;
        let before = tokens.words().iter().map(|word| {
            counted += word.count_ones();
            counted - word.count_ones()
        });
        Self {
            ways: ways.into(),
            landed: landed.into(),
            landed_classes: last(&landings),
            before: before.collect(),
            tokens,
            class_of: last(&class_of),
            steps: steps.into(),
            classes: classes.into(),
        }
    }

    /// The steps behind another, a lexeme that is finished in between, and a row; added to
    /// `found`.
    pub fn behind(&self, step: StepId, terminal: TerminalId, row: RowId, found: &mut Vec<StepId>) {
        for &way in keys_of(&self.ways, [step, terminal, row]) {
            found.push(way as StepId);
        }
    }

    /// The classes of the tokens that land behind a step in a state, by their indices.
    pub fn landing(&self, step: StepId, state: LexerState) -> &[u32] {
        let landed = keys_of(&self.landed, [step, state]).first();
        landed.map_or(&[], |&landed| {
            &self.landed_classes[(landed >> 32) as u32 as usize..landed as u32 as usize]
        })
    }

    /// Adds the tokens of some classes to a set.
    pub fn add_tokens(&self, classes: &BitSet, to: &mut BitSet) {
        let tokens = |class: usize| self.classes[class].tokens.iter();
        let count: usize = classes.iter().map(|class| tokens(class).len()).sum();
        if count < self.class_of.len() / FEW {
            for &token in classes.iter().flat_map(tokens) {
                to.insert(token as usize);
            }
            return;
        }
        let words = self.tokens.words().iter().zip(&self.before);
        for ((&tokens, &before), to) in words.zip(to.words_mut()) {
            let mut left = tokens & !*to;
            while left != 0 {
                let bit = left & left.wrapping_neg();
                left ^= bit;
                let at = before + (tokens & (bit - 1)).count_ones();
                if classes.contains(self.class_of[at as usize] as usize) {
                    *to |= bit;
                }
            }
        }
    }

    /// Steps, landings and tokens, a measure of the memory.
    pub fn size(&self) -> usize {
        let steps = self.steps.iter().map(|step| 1 + step.before.len());
        let classes = self.classes.iter();
        let classes = classes.map(|class| class.landings.len() + class.tokens.len());
        let landed = 4 * self.landed.len() + self.landed_classes.len();
        let tokens = self.class_of.len() + 3 * self.before.len();
        steps.sum::<usize>() + classes.sum::<usize>() + landed + tokens
    }
}

/// What of a token has been read: the lexer's state, and the last step.
type Place = (LexerState, StepId);

/// The walk that finds the classes of a state.
pub(crate) struct Walk<'a> {
    spanner: &'a mut Spanner,
    lexer: &'a Lexer,
    steps: Vec<TokenStep>,
    ids: FxHashMap<TokenStep, StepId>,
    classes: FxHashMap<Box<[(StepId, LexerState)]>, Vec<TokenId>>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(spanner: &'a mut Spanner, lexer: &'a Lexer) -> Self {
        let start = TokenStep {
            row: NO_ROW,
            before: Box::default(),
        };
        Self {
            spanner,
            lexer,
            steps: vec![start],
            ids: FxHashMap::default(),
            classes: FxHashMap::default(),
        }
    }

    pub(crate) fn classes(mut self, state: LexerState) -> TokenClasses {
        let vocabulary = Arc::clone(self.spanner.vocabulary());
        let trie = vocabulary.trie();
        // The places at each node on the way to the current one.
        let mut places: Vec<Vec<Place>> = vec![vec![(state, 0)]];
        trie.descend(|node, depth, byte| {
            places.truncate(depth);
            let before = places.last().map(Vec::as_slice).unwrap_or_default();
            let read = before.iter().filter_map(|&(state, step)| {
                let next = self.lexer.next(state, byte)?;
                Some((next, step))
            });
            let mut here: Vec<Place> = read.collect();
            here.sort_unstable();
            here.dedup();
            if here.is_empty() {
                return false;
            }
            let tokens = trie.tokens_at(node);
            if !tokens.is_empty() {
                let landings = here.iter().map(|&(state, step)| (step, state)).collect();
                self.classes.entry(landings).or_default().extend(tokens);
            }
            if trie.has_below(node) {
                self.finish(node, &mut here);
            }
            places.push(here);
            true
        });
        // Those with the lowest tokens first.
        let mut found: Vec<Option<TokenClass>> = Vec::with_capacity(self.classes.len());
        let mut order: Vec<u128> = Vec::with_capacity(self.classes.len());
        for (landings, mut tokens) in self.classes {
            tokens.sort_unstable();
            let first = tokens.first().copied().unwrap_or(TokenId::MAX);
            order.push(key([0, 0, first, found.len() as u32]));
            found.push(Some(TokenClass {
                landings,
                tokens: tokens.into(),
            }));
        }
        order.sort_unstable();
        let mut classes = Vec::with_capacity(found.len());
        for at in order {
            classes.extend(found[at as u32 as usize].take());
        }
        TokenClasses::new(self.steps, classes, vocabulary.len())
    }

    /// Adds the boundaries at which lexemes may end at a node.
    fn finish(&mut self, node: TrieNode, here: &mut Vec<Place>) {
        let mut finished: Vec<(LexerState, StepId, TerminalId)> = Vec::new();
        let mut at = 0;
        while let Some(&(state, step)) = here.get(at) {
            at += 1;
            for finish in self.lexer.finishes(state) {
                match finish.terminal {
                    Some(terminal) => finished.push((finish.to, step, terminal)),
                    None if here.contains(&(finish.to, step)) => {}
                    None => here.push((finish.to, step)),
                }
            }
        }
        finished.sort_unstable();
        finished.dedup();
        for ways in finished.chunk_by(|a, b| a.0 == b.0) {
            let boundary = ways[0].0;
            let row = self.spanner.row_at(self.lexer, node, boundary);
            if row == NO_ROW {
                continue;
            }
            let step = TokenStep {
                row,
                before: ways.iter().map(|&(_, step, t)| (step, t)).collect(),
            };
            let fresh = self.steps.len() as StepId;
            let id = *self.ids.entry(step).or_insert_with_key(|step| {
                self.steps.push(step.clone());
                fresh
            });
            here.push((boundary, id));
        }
    }
}
