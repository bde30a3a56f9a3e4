//! The best completion of a canvas under a model's weights.
//!
//! For a regular grammar the optimum, by dynamic programming over its automaton
//! ([`optimum`](crate::optimum)). Otherwise the best of the ways through the completion
//! graph that a beam keeps ([`weighted`](crate::weighted)), of the texts in which
//! recursion goes a few levels deep, where there is an automaton of those, and of the
//! witness. So there is a best completion wherever there is a witness, it weighs no less
//! than that, and it says whether it is the optimum.
//!
//! Cost: a check, the ways, and a check for each of the heaviest until one is
//! completable.

use lacuna_lexer::{TokenId, Vocabulary};
use rustc_hash::FxHashMap;

use crate::weighted::{Hole, Leads, Way};
use crate::{CanvasVerdict, Checker, Pattern};

/// Checks of heavy ways before a lighter completion is taken, and of ways that end
/// equally far from the end of the text.
const MOST_CHECKS: usize = 16;
const MOST_ALIKE: usize = 4;

/// What a model says of a masked cell, as logarithms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// The best tokens, in any order, no token twice.
    pub best: Vec<(TokenId, f32)>,
    /// What every other token weighs; no more than any of the best.
    pub rest: f32,
}

impl Weights {
    /// What a token weighs.
    pub fn of(&self, token: TokenId) -> f32 {
        let known = self.best.iter().find(|&&(known, _)| known == token);
        known.map_or(self.rest, |&(_, weight)| weight)
    }
}

/// A heavy completion of a canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// A token for every cell, ends behind the text.
    pub tokens: Vec<TokenId>,
    /// The sum of the weights of what it writes into masked cells.
    pub weight: f64,
    /// Whether no completion weighs more.
    pub is_optimal: bool,
}

impl Checker {
    /// A completion of a canvas that weighs as much as can be found, a cell whose
    /// weights are `None` weighing nothing; the very heaviest if it is said to be
    /// [optimal](Best::is_optimal). `None` if the canvas is not known to be completable.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use lacuna_checker::{Checker, CheckerLimits, Weights};
    /// use lacuna_lexer::Vocabulary;
    ///
    /// let grammar = lacuna_grammar::gbnf::parse(r#"root ::= "(" root ")" | "x""#)?;
    /// let tokens = [None, None].into_iter().chain(["(", ")", "x"].map(|t| Some(t.into())));
    /// let vocabulary = Arc::new(Vocabulary::new(tokens.collect(), vec![0], 1)?);
    /// let limits = CheckerLimits::default();
    /// let mut checker = Checker::new(&grammar, Some(vocabulary), limits)?;
    /// // A model that likes ( and a long text.
    /// let weights = vec![Some(Weights { best: vec![(2, -0.1), (3, -1.0)], rest: -4.0 }); 5];
    /// let best = checker.best(&[None; 5], &weights).expect("a text of five cells");
    /// assert_eq!(best.tokens, [2, 2, 4, 3, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn best(&mut self, cells: &[Option<TokenId>], weights: &[Option<Weights>]) -> Option<Best> {
        let best = self.best_of_grammar(cells, weights)?;
        #[cfg(feature = "shortcuts")]
        let best = self.best_judged(cells, weights, best)?;
        Some(best)
    }

    /// The best completion, or one like it that the judge accepts, or any that he does.
    #[cfg(feature = "shortcuts")]
    fn best_judged(
        &mut self,
        cells: &[Option<TokenId>],
        weights: &[Option<Weights>],
        best: Best,
    ) -> Option<Best> {
        let vocabulary = self.vocabulary()?.clone();
        let found = CanvasVerdict::Completable(best.tokens.clone());
        let tokens = match self.judged_canvas(cells, found, &vocabulary) {
            CanvasVerdict::Completable(tokens) if tokens == best.tokens => return Some(best),
            CanvasVerdict::Completable(tokens) => tokens,
            _ => match self.check_canvas(cells).0 {
                CanvasVerdict::Completable(tokens) => tokens,
                _ => return None,
            },
        };
        Some(Best {
            weight: weight(&holes(cells, weights, &vocabulary), &tokens),
            tokens,
            is_optimal: false,
        })
    }

    fn best_of_grammar(
        &mut self,
        cells: &[Option<TokenId>],
        weights: &[Option<Weights>],
    ) -> Option<Best> {
        let vocabulary = self.vocabulary()?.clone();
        let pattern = Pattern::of_canvas(cells, &vocabulary)?;
        let holes = holes(cells, weights, &vocabulary);
        let optimum = self.optimum(cells, weights);
        if self.is_regular()
            && let Some(tokens) = optimum
        {
            return Some(Best {
                weight: weight(&holes, &tokens),
                tokens,
                is_optimal: true,
            });
        }
        let CanvasVerdict::Completable(witness) = self.check_canvas(cells).0 else {
            return None;
        };
        let in_holes = holes.iter().filter_map(|hole| witness.get(hole.cell));
        let in_holes: Vec<TokenId> = in_holes.copied().collect();
        let ways = self.weighted_ways(&pattern, &holes, &in_holes);
        let mut best = Best {
            weight: weight(&holes, &witness),
            tokens: witness,
            is_optimal: false,
        };
        if let Some(tokens) = optimum {
            best.take(&holes, tokens);
        }
        let Some(ways) = ways else {
            return Some(best);
        };
        // What comes to where the witness came can go on as it does, unless the witness
        // went on from another reading of the same text.
        let mut known = ways.heaviest.iter();
        if let Some(way) = known.find(|way| way.leads == Leads::ToTheWitness) {
            let rest = in_holes.iter().skip(way.tokens.len());
            let tokens: Vec<TokenId> = way.tokens.iter().chain(rest).copied().collect();
            let tokens = completion(cells, &tokens, &holes);
            let whole: Vec<Option<TokenId>> = tokens.iter().copied().map(Some).collect();
            if let CanvasVerdict::Completable(tokens) = self.check_canvas(&whole).0 {
                best.take(&holes, tokens);
            }
        }
        let mut is_sure = ways.are_all;
        let mut checks = MOST_CHECKS;
        let mut refused: FxHashMap<u32, usize> = FxHashMap::default();
        for way in &ways.heaviest {
            if way.weight <= best.weight {
                break;
            }
            // What is as far from the end is refused for the same reason, as a rule.
            let refusals = refused.entry(way.distance).or_default();
            if way.leads != Leads::ToTheEnd && (checks == 0 || *refusals == MOST_ALIKE) {
                is_sure = false;
                continue;
            }
            checks -= usize::from(way.leads != Leads::ToTheEnd);
            if let Some(tokens) = self.completed(cells, &holes, way, &mut is_sure) {
                best.take(&holes, tokens);
                break;
            }
            *refusals += 1;
        }
        best.is_optimal = is_sure;
        Some(best)
    }

    /// The whole completion of a way, if there is one; `is_sure` is taken back where that
    /// is not known.
    fn completed(
        &mut self,
        cells: &[Option<TokenId>],
        holes: &[Hole<'_>],
        way: &Way,
        is_sure: &mut bool,
    ) -> Option<Vec<TokenId>> {
        if way.leads == Leads::ToTheEnd {
            return Some(completion(cells, &way.tokens, holes));
        }
        let mut tried = cells.to_vec();
        for (hole, &token) in holes.iter().zip(&way.tokens) {
            tried[hole.cell] = Some(token);
        }
        match self.check_canvas(&tried).0 {
            CanvasVerdict::Completable(tokens) => Some(tokens),
            CanvasVerdict::Impossible { .. } | CanvasVerdict::Malformed => None,
            CanvasVerdict::Exhausted { .. } => {
                *is_sure = false;
                None
            }
        }
    }
}

impl Best {
    /// Becomes another completion if that weighs more.
    fn take(&mut self, holes: &[Hole<'_>], tokens: Vec<TokenId>) {
        let other = weight(holes, &tokens);
        if other > self.weight {
            (self.tokens, self.weight) = (tokens, other);
        }
    }
}

/// The end of text that weighs most in a cell.
pub(crate) fn heaviest_end(vocabulary: &Vocabulary, weights: &Weights) -> (TokenId, f32) {
    let ends = vocabulary.ends().iter();
    let best = ends
        .map(|&end| (end, weights.of(end)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    best.unwrap_or((vocabulary.end(), weights.rest))
}

/// The masked cells before a committed end, or of the whole canvas.
fn holes<'a>(
    cells: &[Option<TokenId>],
    weights: &'a [Option<Weights>],
    vocabulary: &Vocabulary,
) -> Vec<Hole<'a>> {
    let is_end = |cell: &Option<TokenId>| cell.is_some_and(|token| vocabulary.is_end(token));
    let text = cells.iter().position(is_end).unwrap_or(cells.len());
    let holes = (0..text).filter(|&cell| cells[cell].is_none());
    let nothing = Weights::default();
    holes
        .map(|cell| {
            let weights = weights.get(cell).and_then(Option::as_ref);
            let end = heaviest_end(vocabulary, weights.unwrap_or(&nothing));
            Hole { cell, weights, end }
        })
        .collect()
}

/// All cells: committed ones as they are, the tokens in the holes, ends behind them.
fn completion(cells: &[Option<TokenId>], tokens: &[TokenId], holes: &[Hole<'_>]) -> Vec<TokenId> {
    let mut tokens = tokens.iter().copied();
    let mut holes = holes.iter().peekable();
    let mut last_end = 0;
    let all = cells.iter().enumerate().map(|(at, &cell)| {
        let hole = holes.next_if(|hole| hole.cell == at);
        let token = cell.or_else(|| match hole {
            Some(hole) => tokens.next().or(Some(hole.end.0)),
            None => None,
        });
        let token = token.unwrap_or(last_end);
        last_end = token;
        token
    });
    all.collect()
}

/// What the tokens in the holes of a whole completion weigh.
fn weight(holes: &[Hole<'_>], tokens: &[TokenId]) -> f64 {
    let weighed = holes.iter().filter_map(|hole| {
        let weight = hole.weights?.of(*tokens.get(hole.cell)?);
        Some(f64::from(weight))
    });
    weighed.sum()
}
