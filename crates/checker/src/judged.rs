//! Canvases under a grammar that admits more than is wanted, where a judge of whole texts says
//! what is wanted.
//!
//! No grammar of sensible size says that no two items of a list are equal, but of a whole text
//! that is told at once. So a completion is only one if the judge accepts it ([`Judge`]). One
//! that is refused is *changed*: the masked cells of what is at fault, and more and more of
//! those beside it, are left free, all others keep their tokens, and one of them is given another
//! of the tokens that the grammar allows there, until the judge is content or has been asked
//! often enough. Where the text may end in masked cells, shorter completions come first. Patterns,
//! whose gaps may have any length, are changed in their own way ([`judged_pattern`](crate::judged_pattern)).
//!
//! A yes is a yes, and *impossible* is said where not even the grammar has a filling, or where
//! nothing is masked. What lies between, a grammar's filling and no accepted one found, is
//! [exhausted](crate::CanvasVerdict::Exhausted): here a search is not exact.
//!
//! Cost: a question to the judge for each completion that is not kept, and for each change the
//! masks and the check of a canvas in which little is masked.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use lacuna_lexer::{BitSet, TokenId, Vocabulary};

use crate::canvas::all_but_near;
use crate::exact::Haste;
use crate::judged_pattern::Changing as PatternChanging;
use crate::{Budget, CanvasVerdict, Checker, Pattern, Segment, Verdict};

/// Says which of a grammar's texts are wanted.
pub trait Judge: Debug + Send + Sync {
    /// What is to be said of a whole text.
    fn judge(&self, text: &[u8]) -> Judgement;
}

/// What a [`Judge`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The text is wanted.
    Accepted,
    /// It is not.
    Refused {
        /// The bytes of what is at fault, each with those of what it must not go with: where
        /// one of both is written differently, there may be a fault less. Empty where that is
        /// not known.
        faults: Vec<[Range<usize>; 2]>,
    },
    /// The judge cannot tell.
    Unknown,
}

/// Masked cells that are left free on each side of what is at fault, one after another.
const REACHES: [usize; 3] = [0, 6, usize::MAX];
/// Masked cells of the shortest text that is tried; then a quarter more, and so on.
const FEWEST: usize = 8;
/// Cells of a fault in which other tokens are tried, and tokens for each of them.
const MOST_CELLS: usize = 3;
const MOST_TOKENS: usize = 3;

impl Checker {
    /// The same checker, for whose completions a judge is asked.
    #[must_use]
    pub fn judged_by(mut self, judge: Option<Arc<dyn Judge>>) -> Self {
        self.judge = judge;
        self
    }

    /// Has another judge asked, or none; the one that was asked so far.
    pub fn set_judge(&mut self, judge: Option<Arc<dyn Judge>>) -> Option<Arc<dyn Judge>> {
        std::mem::replace(&mut self.judge, judge)
    }

    /// Whether completions are judged. Then masks are those of the grammar, and may be too wide.
    pub fn is_judged(&self) -> bool {
        self.judge.is_some()
    }

    /// A verdict on a pattern, its witness one that the judge accepts.
    pub(crate) fn judged(&mut self, pattern: &Pattern, verdict: Verdict) -> Verdict {
        let witness = match verdict {
            Verdict::Completable(witness) => witness,
            verdict => return verdict,
        };
        let Some(judge) = self.judge.clone() else {
            return Verdict::Completable(witness);
        };
        let vocabulary = self.vocabulary().map(AsRef::as_ref);
        let is_text = |segment: &Segment| matches!(segment, Segment::Text(_));
        let found = match judge.judge(&witness.text(pattern, vocabulary)) {
            Judgement::Accepted => Some(witness),
            Judgement::Refused { .. } if pattern.segments.iter().all(is_text) => {
                return Verdict::Impossible;
            }
            Judgement::Refused { faults } => {
                let left = self.limits().judged;
                PatternChanging::new(self, &*judge, pattern, left).changed(witness, faults)
            }
            Judgement::Unknown => None,
        };
        match found {
            Some(witness) => Verdict::Completable(witness),
            None => Verdict::Exhausted {
                what: Budget::JUDGED,
                limit: self.limits().judged,
            },
        }
    }

    /// A verdict on a canvas, its completion one that the judge accepts.
    pub(crate) fn judged_canvas(
        &mut self,
        cells: &[Option<TokenId>],
        verdict: CanvasVerdict,
        vocabulary: &Vocabulary,
    ) -> CanvasVerdict {
        let (Some(judge), CanvasVerdict::Completable(tokens)) = (&self.judge, &verdict) else {
            return verdict;
        };
        let judge = Arc::clone(judge);
        let faults = match judge.judge(&Spelled::new(tokens, vocabulary).text) {
            Judgement::Accepted => return verdict,
            Judgement::Unknown => return self.nothing_accepted(),
            Judgement::Refused { faults } => faults,
        };
        let is_end = |cell: &Option<TokenId>| cell.is_some_and(|token| vocabulary.is_end(token));
        if cells
            .iter()
            .take_while(|cell| !is_end(cell))
            .all(Option::is_some)
        {
            return CanvasVerdict::Impossible {
                first_cells: cells.len(),
            };
        }
        // Meanwhile the grammar alone is asked; what it answers is not kept.
        self.judge = None;
        let kept = std::mem::take(&mut self.completions);
        let mut changing = Changing {
            left: self.limits().judged,
            checker: self,
            judge: &*judge,
            cells,
            vocabulary,
        };
        let found = changing.shorter(tokens);
        let found = found.or_else(|| changing.changed(tokens.clone(), faults));
        self.completions = kept;
        self.judge = Some(judge);
        match found {
            Some(tokens) => CanvasVerdict::Completable(tokens),
            None => self.nothing_accepted(),
        }
    }

    fn nothing_accepted(&self) -> CanvasVerdict {
        CanvasVerdict::Exhausted {
            what: Budget::JUDGED,
            limit: self.limits().judged,
        }
    }
}

/// A completion on its way to one that is accepted.
struct Changing<'a> {
    checker: &'a mut Checker,
    judge: &'a dyn Judge,
    cells: &'a [Option<TokenId>],
    vocabulary: &'a Vocabulary,
    /// Questions that the judge may still be asked.
    left: usize,
}

/// A completion with what is at fault in it.
struct Refused {
    tokens: Vec<TokenId>,
    faults: Vec<[Range<usize>; 2]>,
}

/// What came of a change.
enum Outcome {
    Accepted(Vec<TokenId>),
    Better(Refused),
    NoBetter,
}

impl Changing<'_> {
    /// An accepted completion that ends sooner than a refused one, if the text may end in masked
    /// cells: what is short has fewer items that can repeat.
    fn shorter(&mut self, refused: &[TokenId]) -> Option<Vec<TokenId>> {
        let is_end = |token: TokenId| self.vocabulary.is_end(token);
        let text = refused.iter().position(|&token| is_end(token));
        let text = text.unwrap_or(refused.len());
        let committed = self.cells.iter().rposition(Option::is_some);
        let first = committed.map_or(0, |last| last + 1);
        let mut share = FEWEST;
        while first + share < text && self.left > 0 {
            let mut canvas = self.cells.to_vec();
            canvas[first + share..].fill(Some(self.vocabulary.end()));
            share += share.div_ceil(4);
            let pattern = Pattern::of_canvas(&canvas, self.vocabulary)?;
            let decided = self.checker.decide_at_once(&pattern, Haste::Some);
            let Some((Verdict::Completable(witness), _)) = decided else {
                continue;
            };
            let tokens = witness.tokens(&canvas, &pattern, self.vocabulary);
            self.left -= 1;
            let faults = match self
                .judge
                .judge(&Spelled::new(&tokens, self.vocabulary).text)
            {
                Judgement::Accepted => return Some(tokens),
                Judgement::Unknown => return None,
                Judgement::Refused { faults } => faults,
            };
            let part = self.left.min(self.checker.limits().judged / 4);
            let mut changing = Changing {
                checker: self.checker,
                judge: self.judge,
                cells: &canvas,
                vocabulary: self.vocabulary,
                left: part,
            };
            let found = changing.changed(tokens, faults);
            self.left -= part - changing.left;
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// An accepted completion, if changing this one leads to one.
    fn changed(
        &mut self,
        tokens: Vec<TokenId>,
        faults: Vec<[Range<usize>; 2]>,
    ) -> Option<Vec<TokenId>> {
        let mut now = Refused { tokens, faults };
        'better: loop {
            let places = self.places(&now);
            for reach in REACHES {
                match self.change_all(&now, &places, reach) {
                    Outcome::Accepted(tokens) => return Some(tokens),
                    Outcome::Better(better) => {
                        now = better;
                        continue 'better;
                    }
                    Outcome::NoBetter => {}
                }
                for place in &places {
                    match self.change_one(&now, place, reach) {
                        Outcome::Accepted(tokens) => return Some(tokens),
                        Outcome::Better(better) => {
                            now = better;
                            continue 'better;
                        }
                        Outcome::NoBetter => {}
                    }
                }
            }
            return None;
        }
    }

    /// The masked cells of each fault that has any.
    fn places(&self, refused: &Refused) -> Vec<Vec<usize>> {
        let spelled = Spelled::new(&refused.tokens, self.vocabulary);
        let masked_in = |place: &Range<usize>| {
            let spans = spelled.spans.iter().enumerate();
            let within = spans.filter(|(at, span)| {
                // A number goes on in what stands beside it.
                let touches = span.start <= place.end && place.start <= span.end;
                touches && self.cells[*at].is_none()
            });
            within.map(|(at, _)| at).collect::<Vec<usize>>()
        };
        if refused.faults.is_empty() {
            return vec![masked_in(&(0..spelled.text.len()))];
        }
        let faults = refused.faults.iter();
        let places = faults.filter_map(|both| {
            let both = both.iter().map(masked_in);
            both.into_iter().find(|masked| !masked.is_empty())
        });
        places.collect()
    }

    /// Writes all faults differently at once.
    fn change_all(&mut self, refused: &Refused, places: &[Vec<usize>], reach: usize) -> Outcome {
        if places.len() < 2 {
            return Outcome::NoBetter;
        }
        let all: Vec<usize> = places.iter().flatten().copied().collect();
        let mut free = self.free(refused, &all, reach);
        let masks = self.checker.masks(&free).cells;
        for (number, place) in places.iter().enumerate() {
            let choices = self.choices(refused, place, &masks);
            let Some((cell, tokens)) = choices.into_iter().find(|(cell, _)| free[*cell].is_none())
            else {
                continue;
            };
            free[cell] = tokens.get(number % tokens.len()).copied();
        }
        self.try_canvas(refused, &free)
    }

    /// Writes one of the faults differently.
    fn change_one(&mut self, refused: &Refused, place: &[usize], reach: usize) -> Outcome {
        let free = self.free(refused, place, reach);
        let masks = self.checker.masks(&free).cells;
        for (cell, tokens) in self
            .choices(refused, place, &masks)
            .into_iter()
            .take(MOST_CELLS)
        {
            let most = tokens.len().min(MOST_TOKENS);
            // Far from one another, so that they are of different kinds.
            for number in 0..most {
                let mut canvas = free.clone();
                canvas[cell] = Some(tokens[number * tokens.len() / most]);
                match self.try_canvas(refused, &canvas) {
                    Outcome::NoBetter => {}
                    better => return better,
                }
            }
        }
        Outcome::NoBetter
    }

    /// The canvas with a completion's tokens but for the cells of a place and those near it.
    fn free(&self, refused: &Refused, place: &[usize], reach: usize) -> Vec<Option<TokenId>> {
        all_but_near(self.cells, &refused.tokens, place, reach, self.vocabulary)
    }

    /// For each cell of a place the other tokens that may stand there, plain ones if there are
    /// some, of these such as the completion does not have; cells that have a plain token now come
    /// first, for what separates may as well be made longer, and of these the cell with most.
    fn choices(
        &self,
        refused: &Refused,
        place: &[usize],
        masks: &[Option<BitSet>],
    ) -> Vec<(usize, Vec<TokenId>)> {
        let is_plain = |token: &TokenId| {
            let bytes = self.vocabulary.bytes(*token).unwrap_or_default();
            bytes.iter().all(u8::is_ascii_alphanumeric)
        };
        let of_cell = |&cell: &usize| {
            let mask = masks.get(cell)?.as_ref()?;
            let tokens = mask.iter().map(|token| token as TokenId);
            let others = tokens
                .filter(|&token| token != refused.tokens[cell] && !self.vocabulary.is_end(token));
            let tokens = those_if_any(others.collect(), is_plain);
            let tokens = those_if_any(tokens, |token| !refused.tokens.contains(token));
            (!tokens.is_empty()).then_some((cell, tokens))
        };
        let mut choices: Vec<_> = place.iter().filter_map(of_cell).collect();
        choices.sort_by_key(|(cell, tokens)| {
            let is_first = is_plain(&refused.tokens[*cell]);
            std::cmp::Reverse((is_first, tokens.len()))
        });
        choices
    }

    /// Asks the judge of a completion of a canvas in which something was changed.
    fn try_canvas(&mut self, refused: &Refused, canvas: &[Option<TokenId>]) -> Outcome {
        if self.left == 0 {
            return Outcome::NoBetter;
        }
        let CanvasVerdict::Completable(tokens) = self.checker.check_canvas(canvas).0 else {
            return Outcome::NoBetter;
        };
        self.left -= 1;
        match self
            .judge
            .judge(&Spelled::new(&tokens, self.vocabulary).text)
        {
            Judgement::Accepted => Outcome::Accepted(tokens),
            Judgement::Refused { faults } if faults.len() < refused.faults.len() => {
                Outcome::Better(Refused { tokens, faults })
            }
            Judgement::Refused { .. } | Judgement::Unknown => Outcome::NoBetter,
        }
    }
}

/// Those of some tokens that are such, or all where none is.
fn those_if_any(tokens: Vec<TokenId>, are: impl Fn(&TokenId) -> bool) -> Vec<TokenId> {
    let those: Vec<TokenId> = tokens.iter().copied().filter(are).collect();
    match those.is_empty() {
        true => tokens,
        false => those,
    }
}

/// A completion's text, and the bytes of each cell before the end.
struct Spelled {
    text: Vec<u8>,
    spans: Vec<Range<usize>>,
}

impl Spelled {
    fn new(tokens: &[TokenId], vocabulary: &Vocabulary) -> Self {
        let (mut text, mut spans) = (Vec::new(), Vec::new());
        for &token in tokens
            .iter()
            .take_while(|&&token| !vocabulary.is_end(token))
        {
            let start = text.len();
            text.extend(vocabulary.bytes(token).unwrap_or_default());
            spans.push(start..text.len());
        }
        Self { text, spans }
    }
}
