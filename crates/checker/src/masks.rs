//! Token masks for holes: for every masked cell, the tokens that keep the canvas
//! completable, the other masked cells being free.
//!
//! [`Pairs`] of nodes and columns, of which more and more levels are kept, bound the
//! masks from above, and make sure of most tokens. Tokens that do the same in what is
//! left are one *group*, decided together by the checker; every witness that it finds
//! decides a group of each cell. So a mask is exact, however coarse the bound.
//!
//! Exact for each cell alone, not for two together: after a commit a mask can only lose
//! tokens, and is narrowed before the next one ([`Checker::mask_within`]): what it had lost
//! stays lost, and completions that have the new token settle most of the rest.
//!
//! Cost: the pairs; for each cell, the token classes of the lexer states that can stand
//! before it; a check for each group that is left.

use std::sync::Arc;

use lacuna_lexer::{
    BitSet, LexerState, Representatives, StepId, TokenClass, TokenClasses, TokenId, TokenStep,
    Vocabulary,
};
use rustc_hash::FxHashMap;

use crate::cells;
use crate::columns::ColumnId;
use crate::graph::{Label, Point};
use crate::pairs::{Look, Pair, PairId, Pairs};
use crate::{CanvasVerdict, Checker, Gap, Pattern, Segment, Tier};

/// Checks that drawing masks may take; how many one counts for that took a parse, or
/// that ran out of its budget.
const EFFORT: usize = 5_000;
const PARSED: usize = 25;
const EXHAUSTED: usize = 250;

/// The tokens that may stand in each cell of a canvas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masks {
    /// For each cell that is masked, the tokens that keep the canvas completable,
    /// ends of text among them; none if it is not completable as it stands.
    pub cells: Vec<Option<BitSet>>,
    /// Tokens that could not be decided within the budgets, counted for each cell;
    /// they are not in the masks.
    pub undecided: usize,
}

/// The tokens that a bound leaves to a cell, those that do the same together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// For each token, the group it belongs to; 0 is none.
    of_token: Vec<u32>,
    tokens: Vec<Vec<TokenId>>,
}

impl Groups {
    /// No token.
    fn none(tokens: usize) -> Self {
        Self {
            of_token: vec![0; tokens],
            tokens: vec![Vec::new()],
        }
    }

    /// These tokens, each in a group of its own.
    fn single(tokens: usize, of: impl Iterator<Item = TokenId>) -> Self {
        let mut groups = Self::none(tokens);
        for token in of {
            groups.of_token[token as usize] = groups.tokens.len() as u32;
            groups.tokens.push(vec![token]);
        }
        groups
    }
}

/// A cell whose mask is wanted alone, and tokens that it has at most.
type Narrowed<'a> = (usize, &'a BitSet);

impl Checker {
    /// The tokens that may stand in each masked cell of a canvas, all other masked
    /// cells being free. Exactly those, but for what is undecided within the budgets.
    pub fn masks(&mut self, cells: &[Option<TokenId>]) -> Masks {
        self.draw_masks(cells, None)
    }

    /// The same of one masked cell, where it is known which tokens it has at most: those of
    /// its mask before other cells were committed, say. `None` if any of them cannot be
    /// decided within the budgets.
    pub fn mask_within(
        &mut self,
        cells: &[Option<TokenId>],
        cell: usize,
        most: &BitSet,
    ) -> Option<BitSet> {
        let mut masks = self.draw_masks(cells, Some((cell, most)));
        let mask = masks.cells.get_mut(cell)?.take()?;
        (masks.undecided == 0).then_some(mask)
    }

    // Inlined, so that who only draws whole masks does not carry the other way.
    #[inline(always)]
    fn draw_masks(&mut self, cells: &[Option<TokenId>], only: Option<Narrowed<'_>>) -> Masks {
        let Some(vocabulary) = self.vocabulary().cloned() else {
            return Masks::nothing(cells, 0);
        };
        let Some(pattern) = Pattern::of_canvas(cells, &vocabulary) else {
            return Masks::nothing(cells, vocabulary.len());
        };
        let mut masks = Masks::nothing(cells, vocabulary.len());
        let witness = match self.check_canvas(cells).0 {
            CanvasVerdict::Completable(tokens) => tokens,
            CanvasVerdict::Impossible | CanvasVerdict::Malformed => return masks,
            CanvasVerdict::Exhausted { .. } => {
                masks.undecided = masks.cells.iter().flatten().count() * vocabulary.len();
                return masks;
            }
        };
        match only {
            None => self.mask_ends(cells, &vocabulary, &mut masks),
            Some((cell, most)) => self.narrow_ends(cells, cell, most, &vocabulary, &mut masks),
        }
        let is_wanted = |cell: usize| only.is_none_or(|(wanted, _)| wanted == cell);
        if self.is_regular() {
            let possible = match only {
                None => self.all_possible(cells).unwrap_or_default(),
                Some((wanted, _)) => {
                    let mut possible = vec![None; cells.len()];
                    possible[wanted] = self.possible(cells, wanted);
                    possible
                }
            };
            for (mask, possible) in masks.cells.iter_mut().zip(possible) {
                if let Some((mask, possible)) = mask.as_mut().zip(possible) {
                    mask.union_with(&possible);
                }
            }
            return masks;
        }
        let text_cells = cells.iter().position(|cell| is_end(*cell, &vocabulary));
        let text_cells = text_cells.unwrap_or(cells.len());
        let holes: Vec<usize> = (0..text_cells).filter(|&at| cells[at].is_none()).collect();
        let known = only.map(|(wanted, most)| {
            let of = |&cell: &usize| {
                CellBounds::within(vocabulary.len(), (cell == wanted).then_some(most))
            };
            holes.iter().map(of).collect()
        });
        let groups: Vec<Groups> = match self.mask_bounds(&pattern, known) {
            Some(bounds) => {
                let bounds = holes.iter().zip(bounds).map(|(&cell, bounds)| {
                    if let Some(mask) = &mut masks.cells[cell] {
                        mask.union_with(&bounds.shown);
                    }
                    bounds.open
                });
                bounds.collect()
            }
            None => {
                let is_text = |token: &TokenId| vocabulary.bytes(*token).is_some();
                let tokens = 0..vocabulary.len() as TokenId;
                let groups = holes.iter().map(|&cell| {
                    let tokens = tokens.clone().filter(is_text);
                    let may = |&token: &TokenId| {
                        only.is_none_or(|(_, most)| most.contains(token as usize))
                    };
                    Groups::single(
                        vocabulary.len(),
                        tokens.filter(|_| is_wanted(cell)).filter(may),
                    )
                });
                groups.collect()
            }
        };
        for known in self.completions.all_of(cells).chain([witness.as_slice()]) {
            show(&groups, &holes, known, &vocabulary, &mut masks);
        }
        let mut effort = EFFORT;
        for (hole, &cell) in holes.iter().enumerate() {
            if groups[hole].tokens.len() <= 1 {
                continue;
            }
            let (at_least, at_most) = self.approximate_mask(cells, cell);
            if let (Some(mask), Some(at_least)) = (&mut masks.cells[cell], at_least) {
                mask.union_with(&at_least);
            }
            for group in &groups[hole].tokens {
                let Some(&token) = group.first() else {
                    continue;
                };
                let known = masks.cells[cell].as_ref();
                let may = |mask: &BitSet| mask.contains(token as usize);
                if known.is_some_and(may) || !at_most.as_ref().is_none_or(may) {
                    continue;
                }
                let mut tried = cells.to_vec();
                tried[cell] = Some(token);
                if effort == 0 {
                    masks.undecided += group.len();
                    continue;
                }
                let (verdict, tier) = self.check_canvas(&tried);
                let cost = match (&verdict, tier) {
                    (CanvasVerdict::Exhausted { .. }, _) => EXHAUSTED,
                    (_, Tier::Parse) => PARSED,
                    _ => 1,
                };
                effort = effort.saturating_sub(cost);
                match verdict {
                    CanvasVerdict::Impossible | CanvasVerdict::Malformed => {}
                    CanvasVerdict::Exhausted { .. } => masks.undecided += group.len(),
                    CanvasVerdict::Completable(found) => {
                        show(&groups, &holes, &found, &vocabulary, &mut masks);
                    }
                }
            }
        }
        masks
    }

    /// Adds the ends of text to one cell's mask, if they may stand there and `most` has them.
    fn narrow_ends(
        &mut self,
        cells: &[Option<TokenId>],
        cell: usize,
        most: &BitSet,
        vocabulary: &Vocabulary,
        masks: &mut Masks,
    ) {
        let ends = vocabulary.ends().iter().map(|&end| end as usize);
        if !ends.clone().any(|end| most.contains(end)) {
            return;
        }
        let mut tried = cells.to_vec();
        tried[cell] = Some(vocabulary.end());
        match (self.check_canvas(&tried).0, &mut masks.cells[cell]) {
            (CanvasVerdict::Completable(_), Some(mask)) => ends.for_each(|end| {
                mask.insert(end);
            }),
            (CanvasVerdict::Exhausted { .. }, _) => masks.undecided += ends.count(),
            _ => {}
        }
    }

    /// Adds the ends of text: where nothing but masks and ends follows, and the text
    /// can be over.
    fn mask_ends(&mut self, cells: &[Option<TokenId>], vocabulary: &Vocabulary, masks: &mut Masks) {
        let text = cells
            .iter()
            .rposition(|cell| cell.is_some() && !is_end(*cell, vocabulary));
        let from = text.map_or(0, |at| at + 1);
        // Where the text may be over in one cell, it may be in any later one.
        let mut may_end = false;
        for cell in from..cells.len() {
            if cells[cell].is_some() {
                // Ends follow an end.
                may_end = true;
                continue;
            }
            if !may_end {
                let mut tried = cells.to_vec();
                tried[cell] = Some(vocabulary.end());
                match self.check_canvas(&tried).0 {
                    CanvasVerdict::Completable(_) => may_end = true,
                    CanvasVerdict::Exhausted { .. } => masks.undecided += vocabulary.ends().len(),
                    CanvasVerdict::Impossible | CanvasVerdict::Malformed => {}
                }
            }
            if may_end && let Some(mask) = &mut masks.cells[cell] {
                for &end in vocabulary.ends() {
                    mask.insert(end as usize);
                }
            }
        }
    }
}

impl Masks {
    fn nothing(cells: &[Option<TokenId>], tokens: usize) -> Self {
        let masked = cells.iter().map(Option::is_none);
        Self {
            cells: masked
                .map(|masked| masked.then(|| BitSet::new(tokens)))
                .collect(),
            undecided: 0,
        }
    }
}

/// Adds what a completion shows: its tokens, and those that do the same.
fn show(
    groups: &[Groups],
    holes: &[usize],
    completion: &[TokenId],
    vocabulary: &Vocabulary,
    masks: &mut Masks,
) {
    for (groups, &cell) in groups.iter().zip(holes) {
        let Some(&token) = completion.get(cell) else {
            continue;
        };
        if vocabulary.is_end(token) {
            continue;
        }
        let group = groups.of_token.get(token as usize).copied().unwrap_or(0);
        let Some(mask) = &mut masks.cells[cell] else {
            continue;
        };
        mask.insert(token as usize);
        for &token in groups.tokens.get(group as usize).into_iter().flatten() {
            mask.insert(token as usize);
        }
    }
}

fn is_end(cell: Option<TokenId>, vocabulary: &Vocabulary) -> bool {
    cell.is_some_and(|token| vocabulary.is_end(token))
}

/// What a look ahead tells of one masked cell.
pub(crate) struct CellBounds {
    /// Tokens that certainly may stand there.
    shown: BitSet,
    /// The others that may, as far as it tells.
    open: Groups,
}

impl CellBounds {
    /// Before a look ahead: nothing is sure, and at most these tokens may stand there.
    fn within(tokens: usize, most: Option<&BitSet>) -> Self {
        let mut open = Groups::none(tokens);
        let most: Vec<TokenId> = most
            .iter()
            .flat_map(|most| most.iter())
            .map(|token| token as TokenId)
            .collect();
        if !most.is_empty() {
            most.iter()
                .for_each(|&token| open.of_token[token as usize] = 1);
            open.tokens.push(most);
        }
        Self {
            shown: BitSet::new(tokens),
            open,
        }
    }

    /// Says of the tokens that are stood for what it says of those that stand for them.
    pub(crate) fn stand_for(&mut self, representatives: &Representatives) {
        for token in self.shown.iter().collect::<Vec<usize>>() {
            for other in representatives.others(token as TokenId) {
                self.shown.insert(other as usize);
            }
        }
        for (group, tokens) in (0..).zip(&mut self.open.tokens) {
            let others = tokens
                .iter()
                .flat_map(|&token| representatives.others(token));
            let others: Vec<TokenId> = others.collect();
            for &other in &others {
                self.open.of_token[other as usize] = group;
            }
            tokens.extend(others);
        }
    }

    /// Groups of tokens that are left to be decided.
    pub(crate) fn open(&self) -> usize {
        self.open.tokens.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub(crate) fn is_exact(&self) -> bool {
        self.open() == 0
    }
}

/// Steps through the graph that are taken to make sure of a class of tokens at one
/// node, and of all classes of a cell.
const STEPS: usize = 400;
const STEPS_OF_A_CELL: usize = 10_000;

/// What pairs tell of each masked cell, in order, beyond what is known.
pub(crate) fn mask_bounds(
    look: &mut Look<'_, '_>,
    pairs: &mut Pairs,
    known: Option<Vec<CellBounds>>,
) -> Vec<CellBounds> {
    let mut known = known.into_iter().flatten();
    let mut entries = pairs.entries();
    let pattern = look.graph.pattern;
    let mut bounds = Vec::new();
    for (segment, piece) in (0..).zip(&pattern.segments) {
        let Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells)) = piece else {
            continue;
        };
        for offset in 0..u32::try_from(*cells).unwrap_or(u32::MAX) {
            let here = entries.remove(&(segment, offset)).unwrap_or_default();
            let known = known.next();
            bounds.extend(match known {
                Some(known) if known.is_exact() => Some(known),
                known => Cell::bounds(look, pairs, &here, known),
            });
        }
    }
    bounds
}

/// The work on one cell.
struct Cell {
    /// The token classes of each lexer state that can stand before the cell.
    states: Vec<(LexerState, Arc<TokenClasses>, Standings)>,
    shown: BitSet,
    /// The groups of the tokens that are not yet decided, if not all.
    wanted: Option<Vec<u32>>,
    /// Steps left to make sure of tokens.
    steps: usize,
}

/// What is known of each class, and how many of its first tokens are shown.
type Standings = Vec<(Standing, usize)>;

/// What is known of a class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// No token of it may stand here, as far as is known.
    Closed,
    /// Some way is open.
    Open,
    /// It certainly may stand here, or was decided before.
    Settled,
}

/// Where a part of a token leads: a pair, with a whole column if one is known.
type Reached = Box<[(PairId, Option<ColumnId>)]>;

impl Cell {
    fn bounds(
        look: &mut Look<'_, '_>,
        pairs: &mut Pairs,
        entries: &[PairId],
        known: Option<CellBounds>,
    ) -> Option<CellBounds> {
        let tokens = look.graph.spanner.as_deref()?.vocabulary().len();
        let mut cell = Self {
            states: Vec::new(),
            shown: BitSet::new(tokens),
            wanted: None,
            steps: STEPS_OF_A_CELL,
        };
        if let Some(CellBounds { shown, open }) = known {
            cell.shown = shown;
            cell.wanted = Some(open.of_token);
        }
        for &entry in entries {
            cell.enter(look, pairs, entry);
        }
        Some(CellBounds {
            open: cell.open(tokens),
            shown: cell.shown,
        })
    }

    /// Finds out what the tokens can do that begin at a pair.
    fn enter(&mut self, look: &mut Look<'_, '_>, pairs: &mut Pairs, entry: PairId) {
        let Pair {
            point, ref wholes, ..
        } = pairs.pairs[entry as usize];
        let entered = wholes.columns().map(|whole| (entry, Some(whole)));
        let mut entered: Vec<(PairId, Option<ColumnId>)> = entered.collect();
        if entered.is_empty() {
            entered.push((entry, None));
        }
        for state in cells::states(look.graph, point) {
            let Some(at) = self.state(look, state) else {
                continue;
            };
            let (_, classes, standings) = &mut self.states[at];
            let mut reached: Vec<Option<Reached>> = vec![None; classes.steps.len()];
            reached[0] = Some(entered.as_slice().into());
            for (class, (standing, shown)) in classes.classes.iter().zip(standings) {
                // Other states may have shown all that there is to show.
                let rest = &class.tokens[*shown..];
                let is_shown = |&&token: &&TokenId| self.shown.contains(token as usize);
                *shown += rest.iter().take_while(is_shown).count();
                if *shown == class.tokens.len() {
                    *standing = Standing::Settled;
                }
                let is_settled = match standing {
                    Standing::Settled => true,
                    Standing::Open => entered[0].1.is_none() || self.steps == 0,
                    Standing::Closed => false,
                };
                if is_settled {
                    continue;
                }
                let found = stand(look, pairs, classes, class, &mut reached, &mut self.steps);
                if found == Standing::Settled {
                    for &token in &class.tokens {
                        self.shown.insert(token as usize);
                    }
                }
                if found != Standing::Closed {
                    *standing = found;
                }
            }
        }
    }

    /// The place of a lexer state among those met.
    fn state(&mut self, look: &mut Look<'_, '_>, state: LexerState) -> Option<usize> {
        let known = self.states.iter().position(|&(known, ..)| known == state);
        known.or_else(|| {
            let spanner = look.graph.spanner.as_deref_mut()?;
            let classes = spanner.classes(look.graph.lexer, state);
            let is_wanted = |class: &TokenClass| match &self.wanted {
                None => true,
                Some(wanted) => class
                    .tokens
                    .iter()
                    .any(|&token| wanted[token as usize] != 0),
            };
            let standings = classes.classes.iter().map(|class| match is_wanted(class) {
                true => (Standing::Closed, 0),
                false => (Standing::Settled, 0),
            });
            let standings = standings.collect();
            self.states.push((state, classes, standings));
            Some(self.states.len() - 1)
        })
    }

    /// The tokens that are neither shown nor ruled out.
    fn open(&self, tokens: usize) -> Groups {
        let mut of_token: Vec<u32> = vec![0; tokens];
        // Refined by one class after the other: the group before, and the class.
        let mut refined: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let (mut id, mut groups) = (0, 0u32);
        for (_, classes, standings) in &self.states {
            for (class, &(standing, _)) in classes.classes.iter().zip(standings) {
                if standing != Standing::Open {
                    continue;
                }
                id += 1;
                for &token in &class.tokens {
                    let is_wanted = self.wanted.as_ref();
                    let is_wanted = is_wanted.is_none_or(|wanted| wanted[token as usize] != 0);
                    if !is_wanted || self.shown.contains(token as usize) {
                        continue;
                    }
                    let group = &mut of_token[token as usize];
                    *group = *refined.entry((*group, id)).or_insert_with(|| {
                        groups += 1;
                        groups
                    });
                }
            }
        }
        let mut tokens: Vec<Vec<TokenId>> = vec![Vec::new(); groups as usize + 1];
        for (token, &group) in (0..).zip(&of_token) {
            if group != 0 {
                tokens[group as usize].push(token);
            }
        }
        Groups { of_token, tokens }
    }
}

/// What can be told of the tokens of a class from one pair on.
fn stand(
    look: &mut Look<'_, '_>,
    pairs: &mut Pairs,
    classes: &TokenClasses,
    class: &TokenClass,
    reached: &mut [Option<Reached>],
    steps: &mut usize,
) -> Standing {
    let mut standing = Standing::Closed;
    for &(step, state) in &class.landings {
        reach(look, pairs, classes, step, reached);
        for &(pair, whole) in reached[step as usize].iter().flatten() {
            let landing = cells::landing(look.graph, pairs.pairs[pair as usize].point, state);
            let landing = look.ahead.stands_for(landing);
            let Some(to) = pairs.follow(pair, Label::Within, landing) else {
                continue;
            };
            if !pairs.pairs[to as usize].is_open {
                continue;
            }
            standing = Standing::Open;
            let whole = whole.and_then(|whole| look.step(whole, Label::Within, landing));
            let Some(whole) = whole else {
                continue;
            };
            let most = STEPS.min(*steps);
            let mut left = most;
            let leads_on = look.leads_on(pairs, to, whole, &mut left);
            *steps -= most - left;
            if leads_on == Some(true) {
                return Standing::Settled;
            }
        }
    }
    standing
}

/// Finds the pairs that the tokens through a step lead to.
fn reach(
    look: &mut Look<'_, '_>,
    pairs: &Pairs,
    classes: &TokenClasses,
    step: StepId,
    reached: &mut [Option<Reached>],
) {
    if reached[step as usize].is_some() {
        return;
    }
    let TokenStep { row, before } = &classes.steps[step as usize];
    let mut found: Vec<(PairId, Option<ColumnId>)> = Vec::new();
    for &(before, terminal) in before {
        // As deep as a token is long.
        reach(look, pairs, classes, before, reached);
        for &(pair, whole) in reached[before as usize].iter().flatten() {
            let label = Label::Lexeme(terminal);
            let behind = look.ahead.stands_for(Point {
                row: *row,
                state: 0,
                within: false,
                ..pairs.pairs[pair as usize].point
            });
            if let Some(to) = pairs.follow(pair, label, behind) {
                let whole = whole.and_then(|whole| look.step(whole, label, behind));
                found.push((to, whole));
            }
        }
    }
    reached[step as usize] = Some(found.into());
}
