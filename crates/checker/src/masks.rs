//! Token masks for holes: for every masked cell, the tokens that keep the canvas
//! completable, the other masked cells being free.
//!
//! What the cover leaves of the completion graph ([`Lookahead`]) bounds the masks
//! from above; tokens that do the same in it are one *group*, decided together. Every
//! witness that is found decides a group of each cell at once, so most groups are
//! never asked about; the rest are, one by one, by the checker. So a mask is exact,
//! however coarse the bound.
//!
//! Exact for each cell alone, not for two together: after a commit the masks are to be
//! drawn anew.
//!
//! Cost: the look-ahead; for each cell, the token classes of the lexer states that can
//! stand before it; a check for each group that no witness shows.

use lacuna_lexer::{BitSet, LexerState, NO_ROW, StepId, TokenClasses, TokenId, Vocabulary};
use rustc_hash::FxHashMap;

use crate::cells;
use crate::graph::{CompletionGraph, Label, Point};
use crate::lookahead::Lookahead;
use crate::{Checker, Filling, Gap, Pattern, Segment, Verdict};

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
    /// Every token in a group of its own.
    fn single(vocabulary: &Vocabulary) -> Self {
        let mut groups = Self {
            of_token: vec![0; vocabulary.len()],
            tokens: vec![Vec::new()],
        };
        for token in 0..vocabulary.len() as TokenId {
            if vocabulary.bytes(token).is_some() {
                groups.of_token[token as usize] = groups.tokens.len() as u32;
                groups.tokens.push(vec![token]);
            }
        }
        groups
    }
}

impl Checker {
    /// The tokens that may stand in each masked cell of a canvas, all other masked
    /// cells being free. Exactly those, but for what is undecided within the budgets.
    pub fn masks(&mut self, cells: &[Option<TokenId>]) -> Masks {
        let Some(vocabulary) = self.vocabulary().cloned() else {
            return Masks::nothing(cells, 0);
        };
        let Some(pattern) = Pattern::of_canvas(cells, &vocabulary) else {
            return Masks::nothing(cells, vocabulary.len());
        };
        let mut masks = Masks::nothing(cells, vocabulary.len());
        let witness = match self.check(&pattern).0 {
            Verdict::Completable(witness) => tokens_of(&witness.gaps),
            Verdict::Impossible => return masks,
            Verdict::Exhausted { .. } => {
                masks.undecided = masks.cells.iter().flatten().count() * vocabulary.len();
                return masks;
            }
        };
        self.mask_ends(cells, &vocabulary, &mut masks);
        if self.is_regular() {
            for (cell, mask) in masks.cells.iter_mut().enumerate() {
                if let Some(mask) = mask
                    && let Some(possible) = self.possible(cells, cell)
                {
                    mask.union_with(&possible);
                }
            }
            return masks;
        }
        let text_cells = cells.iter().position(|cell| is_end(*cell, &vocabulary));
        let text_cells = text_cells.unwrap_or(cells.len());
        let holes: Vec<usize> = (0..text_cells).filter(|&at| cells[at].is_none()).collect();
        let groups = match self.token_groups(&pattern) {
            Some(groups) => groups,
            None => vec![Groups::single(&vocabulary); holes.len()],
        };
        show(&groups, &holes, &witness, &mut masks);
        for (hole, &cell) in holes.iter().enumerate() {
            for group in &groups[hole].tokens {
                let Some(&token) = group.first() else {
                    continue;
                };
                let known = masks.cells[cell].as_ref();
                if known.is_some_and(|mask| mask.contains(token as usize)) {
                    continue;
                }
                let mut tried = cells.to_vec();
                tried[cell] = Some(token);
                let Some(pattern) = Pattern::of_canvas(&tried, &vocabulary) else {
                    continue;
                };
                match self.check(&pattern).0 {
                    Verdict::Impossible => {}
                    Verdict::Exhausted { .. } => masks.undecided += group.len(),
                    Verdict::Completable(witness) => {
                        let mut found = tokens_of(&witness.gaps);
                        found.insert(hole.min(found.len()), token);
                        show(&groups, &holes, &found, &mut masks);
                    }
                }
            }
        }
        masks
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
                let pattern = Pattern::of_canvas(&tried, vocabulary);
                match pattern.map(|pattern| self.check(&pattern).0) {
                    Some(Verdict::Completable(_)) => may_end = true,
                    Some(Verdict::Exhausted { .. }) => masks.undecided += vocabulary.ends().len(),
                    Some(Verdict::Impossible) | None => {}
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

/// Adds what a witness shows: its tokens, and those that do the same.
fn show(groups: &[Groups], holes: &[usize], witness: &[TokenId], masks: &mut Masks) {
    for ((&token, groups), &cell) in witness.iter().zip(groups).zip(holes) {
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

/// The tokens of a witness, gap by gap; ends are left out.
fn tokens_of(gaps: &[Filling]) -> Vec<TokenId> {
    let tokens = gaps.iter().map(|gap| match gap {
        Filling::Tokens(tokens) => tokens.as_slice(),
        Filling::Bytes(_) => &[],
    });
    tokens.flatten().copied().collect()
}

/// The groups of tokens that a look-ahead leaves to each masked cell, in order.
pub(crate) fn groups(graph: &mut CompletionGraph<'_>, ahead: &Lookahead) -> Vec<Groups> {
    let mut entries: FxHashMap<(u32, u32), Vec<Point>> = FxHashMap::default();
    for point in ahead.points().filter(|point| point.row == NO_ROW) {
        let place = entries.entry((point.segment, point.offset)).or_default();
        place.push(point);
    }
    let mut groups = Vec::new();
    let pattern = graph.pattern;
    for (segment, piece) in (0..).zip(&pattern.segments) {
        let Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells)) = piece else {
            continue;
        };
        for offset in 0..u32::try_from(*cells).unwrap_or(u32::MAX) {
            let mut here = entries.remove(&(segment, offset)).unwrap_or_default();
            here.sort_unstable();
            groups.push(of_cell(graph, ahead, &here));
        }
    }
    groups
}

/// The groups of one cell; `entries` are the nodes at its beginning.
fn of_cell(graph: &mut CompletionGraph<'_>, ahead: &Lookahead, entries: &[Point]) -> Groups {
    let mut of_token: Vec<u32> = Vec::new();
    // Refined by one class after the other: the group before, and the class.
    let mut refined: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut class_id = 0;
    let mut groups = 0u32;
    for &entry in entries {
        for state in cells::states(graph, entry) {
            let lexer = graph.lexer;
            let Some(spanner) = graph.spanner.as_deref_mut() else {
                return Groups::default();
            };
            if of_token.is_empty() {
                of_token = vec![0; spanner.vocabulary().len()];
            }
            let classes = spanner.classes(lexer, state);
            let open = open_classes(graph, ahead, entry, &classes);
            for class in open {
                class_id += 1;
                for &token in &classes.classes[class].tokens {
                    let group = &mut of_token[token as usize];
                    *group = *refined.entry((*group, class_id)).or_insert_with(|| {
                        groups += 1;
                        groups
                    });
                }
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

/// The classes of tokens with a way from a node to the next place that the rest of
/// the pattern allows.
fn open_classes(
    graph: &CompletionGraph<'_>,
    ahead: &Lookahead,
    entry: Point,
    classes: &TokenClasses,
) -> Vec<usize> {
    let mut points: Vec<Option<Point>> = vec![Some(entry)];
    for step in classes.steps.iter().skip(1) {
        let point = Point {
            row: step.row,
            state: 0,
            within: false,
            ..entry
        };
        let reached = step.before.iter().any(|&(before, terminal)| {
            let before = points[before as usize];
            before.is_some_and(|before| ahead.leads(before, Label::Lexeme(terminal), point))
        });
        points.push(reached.then_some(point));
    }
    let lands = |&(step, state): &(StepId, LexerState)| {
        points[step as usize].is_some_and(|point| {
            let landing = cells::landing(graph, point, state);
            ahead.leads(point, Label::Within, landing)
        })
    };
    let open = classes.classes.iter().enumerate();
    open.filter(|(_, class)| class.landings.iter().any(lands))
        .map(|(at, _)| at)
        .collect()
}
