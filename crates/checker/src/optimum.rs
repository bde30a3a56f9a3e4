//! The most probable completion of a canvas within a regular language.
//!
//! DINGO (Suresh and others, 2025): the model's distributions of a step are independent,
//! so the probability of a text is a product over cells, and the best text of a regular
//! language is found by dynamic programming over automaton states, cell by cell. What is
//! committed already, cells that nothing is said about, and the end of the text are part
//! of the same program.
//!
//! Each cell has weights for its best few tokens ([`Weights::best`], the *width*); all
//! others weigh the same, and less ([`Weights::rest`]). With a width of the whole
//! vocabulary the result is the optimum; with less, it is the optimum for those weights.
//!
//! For a grammar that is not regular, the same over an automaton of its texts in which
//! recursion goes a few levels deep gives the best of those, which is a text of the
//! grammar, though a deeper one may be more probable ([`weighted`](crate::weighted)).
//!
//! Cost: cells × states × (width + places that a token can lead to), and twelve bytes for
//! each cell and state that is reached.

use std::sync::Arc;

use lacuna_grammar::automaton::{Dfa, StateId};
use lacuna_lexer::{BitSet, TokenId, Vocabulary};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Weights;
use crate::best::heaviest_end;

/// A position of the canvas: a token, or a mask.
type Cell = Option<TokenId>;

/// Cells times states up to which a program is run.
const MOST: usize = 32_000_000;

/// A place of the program: an automaton state, or behind the end of the text.
type Place = u32;

/// The best completions within an automaton's language.
#[derive(Clone, Debug)]
pub(crate) struct Optimum {
    dfa: Arc<Dfa>,
    vocabulary: Arc<Vocabulary>,
    /// By state: where one token can lead, each place with one token.
    landings: FxHashMap<StateId, Arc<[(StateId, TokenId)]>>,
}

/// How a place behind a cell was come to.
#[derive(Clone, Copy)]
struct Came {
    to: Place,
    from: Place,
    token: TokenId,
}

impl Optimum {
    /// For an automaton and a vocabulary.
    pub(crate) fn new(dfa: Arc<Dfa>, vocabulary: Arc<Vocabulary>) -> Self {
        Self {
            dfa,
            vocabulary,
            landings: FxHashMap::default(),
        }
    }

    /// The completion with the greatest sum of weights, a token for every cell; a cell
    /// whose weights are `None` weighs nothing. `None` if there is none, or the canvas
    /// is too large for the automaton.
    pub(crate) fn completion(
        &mut self,
        cells: &[Cell],
        weights: &[Option<Weights>],
    ) -> Option<Vec<TokenId>> {
        let dfa = Arc::clone(&self.dfa);
        let vocabulary = Arc::clone(&self.vocabulary);
        let ended = dfa.state_count() as Place;
        if cells.len().saturating_mul(dfa.state_count() + 1) > MOST {
            return None;
        }
        if dfa.is_empty() {
            return None;
        }
        let mut trail: Vec<Vec<Came>> = Vec::with_capacity(cells.len());
        let mut front = Front::new(dfa.state_count() + 1);
        front.offer(dfa.start(), 0.0, 0, 0);
        let (mut here, _) = front.take();
        let nothing = Weights::default();
        for (at, cell) in cells.iter().enumerate() {
            let weights = weights.get(at).and_then(Option::as_ref);
            let weights = weights.unwrap_or(&nothing);
            let end = heaviest_end(&vocabulary, weights);
            let mut named = BitSet::new(vocabulary.len());
            let best: Vec<(TokenId, &[u8], f32)> = weights
                .best
                .iter()
                .filter(|&&(token, _)| vocabulary.is_fillable(token))
                .filter_map(|&(token, weight)| Some((token, vocabulary.bytes(token)?, weight)))
                .collect();
            for &(token, ..) in &best {
                named.insert(token as usize);
            }
            for &(from, so_far) in &here {
                let may_end = from == ended || dfa.is_accepting(from);
                match cell {
                    Some(token) if vocabulary.is_end(*token) => {
                        if may_end {
                            front.offer(ended, so_far, from, *token);
                        }
                    }
                    Some(_) if from == ended => {}
                    Some(token) => {
                        let bytes = vocabulary.bytes(*token)?;
                        if let Some(to) = dfa.read(from, bytes) {
                            front.offer(to, so_far, from, *token);
                        }
                    }
                    None => {
                        if may_end {
                            front.offer(ended, so_far + f64::from(end.1), from, end.0);
                        }
                        if from == ended {
                            continue;
                        }
                        for &(token, bytes, weight) in &best {
                            if let Some(to) = dfa.read(from, bytes) {
                                front.offer(to, so_far + f64::from(weight), from, token);
                            }
                        }
                        let rest = so_far + f64::from(weights.rest);
                        for &(to, token) in self.landings(from).iter() {
                            // Where it is a named one, that was offered, and weighs more.
                            if !named.contains(token as usize) {
                                front.offer(to, rest, from, token);
                            }
                        }
                    }
                }
            }
            let came;
            (here, came) = front.take();
            trail.push(came);
        }
        let finals = here
            .iter()
            .filter(|(place, _)| *place == ended || dfa.is_accepting(*place));
        let best = finals.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let mut place = best?.0;
        let mut tokens = Vec::with_capacity(cells.len());
        for came in trail.iter().rev() {
            let at = came.binary_search_by_key(&place, |came| came.to).ok()?;
            tokens.push(came[at].token);
            place = came[at].from;
        }
        tokens.reverse();
        Some(tokens)
    }

    fn landings(&mut self, state: StateId) -> Arc<[(StateId, TokenId)]> {
        if let Some(known) = self.landings.get(&state) {
            return Arc::clone(known);
        }
        let mut seen = FxHashSet::default();
        let mut landings = Vec::new();
        let trie = self.vocabulary.trie();
        trie.walk(
            0,
            state,
            |state, byte| self.dfa.next(state, byte),
            |node, to| {
                if let Some(&token) = trie.tokens_at(node).first()
                    && seen.insert(to)
                {
                    landings.push((to, token));
                }
            },
        );
        landings.sort_unstable();
        let landings: Arc<[(StateId, TokenId)]> = landings.into();
        self.landings.insert(state, Arc::clone(&landings));
        landings
    }
}

/// The best way to each place behind a cell.
struct Front {
    /// By place; not a number where nothing leads.
    weights: Vec<f64>,
    ways: Vec<(Place, TokenId)>,
    reached: Vec<Place>,
}

impl Front {
    fn new(places: usize) -> Self {
        Self {
            weights: vec![f64::NAN; places],
            ways: vec![(0, 0); places],
            reached: Vec::new(),
        }
    }

    fn offer(&mut self, to: Place, weight: f64, from: Place, token: TokenId) {
        // What is not a number weighs nothing.
        let weight = weight.max(f64::NEG_INFINITY);
        let known = &mut self.weights[to as usize];
        if known.is_nan() {
            self.reached.push(to);
        } else if weight <= *known {
            return;
        }
        *known = weight;
        self.ways[to as usize] = (from, token);
    }

    /// The places with their weights, and the ways to them, in order of places; the
    /// front is empty then.
    fn take(&mut self) -> (Vec<(Place, f64)>, Vec<Came>) {
        let mut reached = std::mem::take(&mut self.reached);
        reached.sort_unstable();
        let mut places = Vec::with_capacity(reached.len());
        let mut came = Vec::with_capacity(reached.len());
        for to in reached {
            let weight = std::mem::replace(&mut self.weights[to as usize], f64::NAN);
            let (from, token) = self.ways[to as usize];
            places.push((to, weight));
            came.push(Came { to, from, token });
        }
        (places, came)
    }
}

#[cfg(test)]
mod tests {
    use lacuna_grammar::{Grammar, regex};

    use super::*;
    use crate::{CheckerLimits, Compiled};

    fn dfa(pattern: &str) -> Arc<Dfa> {
        let grammar: Grammar = regex::parse(pattern).expect(pattern);
        let compiled = Compiled::new(&grammar, true, &CheckerLimits::default());
        let compiled = compiled.expect("a compiled grammar");
        Arc::clone(compiled.automaton().expect("a regular language"))
    }

    fn vocabulary() -> Arc<Vocabulary> {
        let words = ["a", "b", "c", "ab", "ba"].map(|word| Some(word.as_bytes().to_vec()));
        let tokens = [None, None].into_iter().chain(words).collect();
        Arc::new(Vocabulary::new(tokens, vec![0], 1).expect("a vocabulary"))
    }

    /// The greatest sum of weights over all fillings, tried one by one.
    fn by_trying(
        dfa: &Dfa,
        vocabulary: &Vocabulary,
        cells: &[Cell],
        weights: &[Option<Weights>],
    ) -> Option<f64> {
        let weight = |at: usize, token: TokenId| -> f64 {
            let Some(weights) = &weights[at] else {
                return 0.0;
            };
            let named = weights.best.iter().find(|(known, _)| *known == token);
            f64::from(named.map_or(weights.rest, |&(_, weight)| weight))
        };
        let mut best: Option<f64> = None;
        let mut open: Vec<(Vec<TokenId>, f64)> = vec![(Vec::new(), 0.0)];
        while let Some((tokens, sum)) = open.pop() {
            let at = tokens.len();
            if at == cells.len() {
                let text = tokens.iter().take_while(|&&token| token != 0);
                let bytes: Vec<u8> = text
                    .clone()
                    .flat_map(|&token| vocabulary.bytes(token).unwrap_or_default())
                    .copied()
                    .collect();
                let ends = tokens[text.count()..].iter().all(|&token| token == 0);
                if ends && dfa.accepts(&bytes) {
                    best = Some(best.map_or(sum, |best| best.max(sum)));
                }
                continue;
            }
            for token in [0, 2, 3, 4, 5, 6] {
                let more = match cells[at] {
                    Some(fixed) if fixed != token => continue,
                    Some(_) => 0.0,
                    None => weight(at, token),
                };
                open.push(([&tokens[..], &[token]].concat(), sum + more));
            }
        }
        best
    }

    fn weight_of(tokens: &[TokenId], cells: &[Cell], weights: &[Option<Weights>]) -> f64 {
        let masked = (0..cells.len()).filter(|&at| cells[at].is_none());
        masked
            .filter_map(|at| {
                let weights = weights[at].as_ref()?;
                let named = weights.best.iter().find(|(known, _)| *known == tokens[at]);
                Some(f64::from(named.map_or(weights.rest, |&(_, weight)| weight)))
            })
            .sum()
    }

    #[test]
    fn it_is_the_best_of_all_fillings() {
        let vocabulary = vocabulary();
        let mut state = 7u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let mut found = 0;
        for pattern in ["(ab)*c?", "a{2,4}b|cab", "(a|bc)*", "[abc]{3}", "x"] {
            let dfa = dfa(pattern);
            let mut optimum = Optimum::new(Arc::clone(&dfa), Arc::clone(&vocabulary));
            for width in [0, 2, 6] {
                for _ in 0..60 {
                    let cells: Vec<Cell> = (0..1 + random(5))
                        .map(|_| match random(4) {
                            0 => Some([0, 2, 3, 4][random(4) as usize]),
                            _ => None,
                        })
                        .collect();
                    let weights: Vec<Option<Weights>> = cells
                        .iter()
                        .map(|_| {
                            let mut best: Vec<(TokenId, f32)> = [0, 2, 3, 4, 5, 6]
                                .map(|token| (token, -(random(1000) as f32) / 100.0))
                                .to_vec();
                            best.sort_by(|a, b| b.1.total_cmp(&a.1));
                            best.truncate(width);
                            let weights = Weights { best, rest: -11.0 };
                            (random(5) > 0).then_some(weights)
                        })
                        .collect();
                    let expected = by_trying(&dfa, &vocabulary, &cells, &weights);
                    let tokens = optimum.completion(&cells, &weights);
                    assert_eq!(tokens.is_some(), expected.is_some(), "{pattern}: {cells:?}");
                    let (Some(tokens), Some(expected)) = (tokens, expected) else {
                        continue;
                    };
                    found += 1;
                    let weight = weight_of(&tokens, &cells, &weights);
                    assert!((weight - expected).abs() < 1e-6, "{pattern}: {cells:?}");
                }
            }
        }
        assert!(found > 100, "{found}");
    }
}
