//! Completions of what a model finds likely.
//!
//! Most canvases of a run can become the text that the model has in mind, and a completion near
//! that one is of use to later steps, which commit what it has. So where terminals are many and a
//! canvas is large, one is looked for among the tokens that each cell's weights name, before all
//! but the shortest search ([`Checker::check_canvas_by`]): a few for each cell, more of them in the
//! gaps near which nothing goes on, and then whatever may stand there
//! ([`choice`](crate::exact)). Cells in which the model is certain are text. If that leads
//! nowhere, it is tried with fewer of those.
//!
//! What is found so is a completion like any other, and where nothing is, the canvas is decided as it
//! would be without weights: they change no verdict.
//!
//! Cost: a few looks ahead over a graph in which a cell has as many ways as it has tokens, and a
//! chart of each; the rows of its spanners are made anew for each cell, and forgotten.

use std::sync::Arc;

use lacuna_lexer::{MemoUse, Spanner, TokenId, Vocabulary};

use crate::canvas::HEEDED_TOKENS;
use crate::graph::Point;
use crate::{Checker, Gap, Pattern, Segment, Weights};

/// The probability from which on a model is certain of a token, first and then.
const CERTAIN: [f64; 2] = [0.99, 0.9995];

/// Of the probability, how much a cell's few tokens leave to others, and how many they are at most;
/// and the same of all that are likely.
const LEFT_BY_FEW: f64 = 0.05;
const FEW: usize = 8;
const LEFT_BY_ALL: f64 = 0.0005;
const ALL: usize = HEEDED_TOKENS;

/// Of the probability, how much as many as are a few must have for any of them to be likely.
const LIKELY: f64 = 0.5;

/// What may stand in one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Offer {
    /// This token, the model being certain of it.
    One(TokenId),
    /// What may stand in any cell: nothing is likely.
    Any,
    /// These tokens, the most probable first, of which so many are a few.
    These { tokens: Vec<TokenId>, few: usize },
}

/// How many lists of tokens a cell has.
const LISTS: usize = 2;

/// The tokens that may stand in the gaps of one pattern, cell by cell.
#[derive(Clone, Debug)]
pub(crate) struct Likely {
    vocabulary: Arc<Vocabulary>,
    cells: Vec<(Offer, [Option<Spanner>; LISTS])>,
    /// By segment, how many cells of gaps stand before it.
    before: Vec<usize>,
}

/// A canvas into which what is certain was written, and what may stand in its gaps.
pub(crate) struct Guess {
    pub canvas: Vec<Option<TokenId>>,
    pub pattern: Pattern,
    pub likely: Likely,
}

impl Guess {
    /// From `certain` on, a probability is certainty. `None` if text would follow an end then.
    pub(crate) fn new(
        cells: &[Option<TokenId>],
        weights: &[Option<Weights>],
        certain: f64,
        vocabulary: &Arc<Vocabulary>,
    ) -> Option<Self> {
        let mut canvas = cells.to_vec();
        let text = end_where_likely(&mut canvas, weights, vocabulary);
        let mut offers = Vec::new();
        for (at, cell) in canvas[..text].iter_mut().enumerate() {
            if cell.is_none() {
                let weights = weights.get(at).and_then(Option::as_ref);
                match offer(weights, certain, vocabulary) {
                    Offer::One(token) => *cell = Some(token),
                    offer => offers.push(offer),
                }
            }
        }
        let pattern = Pattern::of_canvas(&canvas, vocabulary)?;
        let likely = Likely::new(&pattern, offers, vocabulary);
        Some(Self {
            canvas,
            pattern,
            likely,
        })
    }
}

impl Likely {
    /// For each cell of the pattern's gaps what is offered there, in order.
    fn new(pattern: &Pattern, offers: Vec<Offer>, vocabulary: &Arc<Vocabulary>) -> Self {
        let mut cells = 0;
        let before = pattern.segments.iter().map(|segment| {
            let before = cells;
            cells += match segment {
                Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells)) => *cells,
                Segment::Gap(Gap::Any) | Segment::Text(_) => 0,
            };
            before
        });
        Self {
            vocabulary: Arc::clone(vocabulary),
            before: before.collect(),
            cells: offers.into_iter().map(|it| (it, [None, None])).collect(),
        }
    }

    /// What may stand in the cell at a node whose gap was widened by so many steps: `Err` tells how
    /// many steps are left once all that is likely may.
    pub(crate) fn at(&mut self, node: Point, step: u8) -> Result<&mut Spanner, u8> {
        let before = self.before.get(node.segment as usize);
        let cell = before.map(|before| before + node.offset as usize);
        let cell = cell.and_then(|cell| self.cells.get_mut(cell));
        let Some((Offer::These { tokens, few }, spanners)) = cell else {
            return Err(step);
        };
        let list = usize::from(step);
        let Some(spanner) = spanners.get_mut(list) else {
            return Err(step - LISTS as u8);
        };
        let tokens = match list {
            0 => &tokens[..*few],
            _ => &tokens[..],
        };
        let few = || Spanner::new(Arc::new(self.vocabulary.filled_by(tokens)));
        Ok(spanner.get_or_insert_with(few))
    }

    /// Steps by which a gap is widened until all that is likely may stand in it.
    pub(crate) fn steps() -> u8 {
        LISTS as u8
    }

    /// How often what tokens do was asked for.
    pub(crate) fn memo_use(&self) -> MemoUse {
        let mut sum = MemoUse::default();
        let spanners = self.cells.iter().flat_map(|(_, spanners)| spanners);
        for spanner in spanners.flatten() {
            sum += spanner.memo_use();
        }
        sum
    }
}

impl Checker {
    /// A completion of what is likely, if one is found.
    pub(crate) fn likely_completion(
        &mut self,
        cells: &[Option<TokenId>],
        weights: &[Option<Weights>],
        vocabulary: &Arc<Vocabulary>,
    ) -> Option<Vec<TokenId>> {
        CERTAIN.into_iter().find_map(|certain| {
            let guess = Guess::new(cells, weights, certain, vocabulary)?;
            let witness = self.likely_witness(&guess.pattern, guess.likely)?;
            Some(witness.tokens(&guess.canvas, &guess.pattern, vocabulary))
        })
    }
}

/// Ends the text before the masked cells at the end of a canvas in which an end is likelier than
/// anything else; how many cells stand before the first end.
fn end_where_likely(
    canvas: &mut [Option<TokenId>],
    weights: &[Option<Weights>],
    vocabulary: &Vocabulary,
) -> usize {
    let is_end = |&token: &TokenId| vocabulary.is_end(token);
    let ends = (0..canvas.len()).rev().take_while(|&at| {
        let weights = weights.get(at).and_then(Option::as_ref);
        let token = canvas[at].or_else(|| weights.and_then(likeliest));
        token.as_ref().is_some_and(is_end)
    });
    let text = canvas.len() - ends.count();
    if let Some(cell) = canvas.get_mut(text) {
        cell.get_or_insert(vocabulary.end());
    }
    let written = canvas
        .iter()
        .position(|cell| cell.as_ref().is_some_and(is_end));
    written.unwrap_or(canvas.len())
}

fn likeliest(weights: &Weights) -> Option<TokenId> {
    let best = weights.best.iter();
    let likeliest = best.max_by(|a, b| a.1.total_cmp(&b.1));
    likeliest.map(|&(token, _)| token)
}

/// What weights offer, from `certain` on as the only token.
fn offer(weights: Option<&Weights>, certain: f64, vocabulary: &Vocabulary) -> Offer {
    let Some(weights) = weights else {
        return Offer::Any;
    };
    let mut best = weights.best.clone();
    best.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let highest = best.first().map_or(weights.rest, |&(_, weight)| weight);
    let share = |weight: f32| f64::from(weight - highest).exp();
    let others = vocabulary.len().saturating_sub(best.len()) as f64;
    let named = best.iter().map(|&(_, weight)| share(weight));
    let all = named.sum::<f64>() + others * share(weights.rest);
    let (mut tokens, mut few) = (Vec::new(), None);
    let (mut left, mut told) = (1.0, 0.0);
    for &(token, weight) in &best {
        let probability = share(weight) / all;
        left -= probability;
        if !vocabulary.is_fillable(token) {
            continue;
        }
        if probability >= certain {
            return Offer::One(token);
        }
        tokens.push(token);
        told += probability;
        if few.is_none() && (left <= LEFT_BY_FEW || tokens.len() == FEW) {
            few = (told >= LIKELY).then_some(tokens.len());
            if few.is_none() {
                break;
            }
        }
        if left <= LEFT_BY_ALL || tokens.len() == ALL {
            break;
        }
    }
    match few {
        Some(few) => Offer::These { tokens, few },
        None => Offer::Any,
    }
}
