//! The order in which tokens are tried in a cell: the heaviest first, and of those that weigh
//! the same and do the same one.

use std::cmp::Ordering;
use std::sync::Arc;

use lacuna_lexer::{LexerState, TokenId, Vocabulary};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Weights;
use crate::look::Look;

/// A token that may be tried next.
pub(super) struct Offered {
    pub(super) weight: f64,
    /// From the end of the text, of the place before it.
    pub(super) distance: u32,
    pub(super) source: usize,
    pub(super) nth: usize,
}

impl Ord for Offered {
    fn cmp(&self, other: &Self) -> Ordering {
        let near = other.distance.cmp(&self.distance);
        let first = (other.source, other.nth).cmp(&(self.source, self.nth));
        self.weight.total_cmp(&other.weight).then(near).then(first)
    }
}

impl PartialOrd for Offered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Offered {}

/// The tokens of one cell, the heaviest first: those with weights of their own, then
/// one of each class of the others.
pub(super) struct Offers {
    named: Vec<(TokenId, f32)>,
    rest: f32,
    others: FxHashMap<LexerState, Arc<[TokenId]>>,
}

impl Offers {
    pub(super) fn new(weights: Option<&Weights>, vocabulary: &Vocabulary) -> Self {
        let best = weights.map_or(&[][..], |weights| &weights.best);
        let named = best.iter().copied();
        let mut named: Vec<(TokenId, f32)> = named
            .filter(|&(token, _)| vocabulary.is_fillable(token))
            .collect();
        named.sort_by(|a, b| b.1.total_cmp(&a.1));
        Self {
            named,
            rest: weights.map_or(0.0, |weights| weights.rest),
            others: FxHashMap::default(),
        }
    }

    pub(super) fn weight(
        &mut self,
        look: &mut Look<'_, '_>,
        state: LexerState,
        nth: usize,
    ) -> Option<f64> {
        if let Some(&(_, weight)) = self.named.get(nth) {
            return Some(f64::from(weight));
        }
        self.token(look, state, nth)?;
        Some(f64::from(self.rest))
    }

    pub(super) fn token(
        &mut self,
        look: &mut Look<'_, '_>,
        state: LexerState,
        nth: usize,
    ) -> Option<TokenId> {
        if let Some(&(token, _)) = self.named.get(nth) {
            return Some(token);
        }
        if !self.others.contains_key(&state) {
            let spanner = look.graph.spanner.as_deref_mut()?;
            let classes = spanner.classes(look.graph.lexer, state);
            let named: FxHashSet<TokenId> = self.named.iter().map(|&(token, _)| token).collect();
            let one_of_each = classes.classes.iter().filter_map(|class| {
                let mut tokens = class.tokens.iter();
                tokens.find(|token| !named.contains(token)).copied()
            });
            self.others.insert(state, one_of_each.collect());
        }
        let others = self.others.get(&state)?;
        others.get(nth - self.named.len()).copied()
    }
}
