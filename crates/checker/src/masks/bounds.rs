//! What looking ahead tells of the tokens in each masked cell: those that certainly may stand
//! there, and those that may as far as it tells.
//!
//! Found on [`Pairs`] of nodes and columns, of which more and more levels are kept. A class of
//! tokens is open where it leads to a pair from which the end can be reached, and certain
//! where a whole column does.
//!
//! Cost: for each cell, the token classes of the lexer states that can stand before it, and
//! for each of these the steps that are taken to make sure of it.

use std::sync::Arc;

use lacuna_lexer::{
    BitSet, LexerState, Representatives, StepId, TokenClass, TokenClasses, TokenId, TokenStep,
};
use rustc_hash::FxHashMap;

use super::groups::Groups;
use crate::cells;
use crate::columns::ColumnId;
use crate::graph::{Label, Point};
use crate::pairs::{Look, Pair, PairId, Pairs};
use crate::{Gap, Segment};

/// What a look ahead tells of one masked cell.
pub(crate) struct CellBounds {
    /// Tokens that certainly may stand there.
    pub shown: BitSet,
    /// The others that may, as far as it tells.
    pub open: Groups,
}

impl CellBounds {
    /// Before a look ahead: nothing is sure, and at most these tokens may stand there.
    pub fn within(tokens: usize, most: Option<&BitSet>) -> Self {
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
    pub fn stand_for(&mut self, representatives: &Representatives) {
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
    pub fn open(&self) -> usize {
        self.open.tokens.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_exact(&self) -> bool {
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
