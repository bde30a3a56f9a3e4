//! The tokens that useful edges of the graph stand for, cell by cell.
//!
//! A token is read from a lexer state, finishes lexemes on its way, and lands in a state: a
//! path through its cell. The last edge of such a path says whether a derivation takes it,
//! since rows have one way to them each ([`useful`](crate::useful)); tokens of one class
//! take the same paths ([`TokenClasses`]).
//!
//! Cost: for each useful edge in a cell the classes that take it; for each lexer state before the
//! cell, the tokens from it that are not in the mask yet.

use std::sync::Arc;

use lacuna_lexer::{BitSet, LexerState, NO_ROW, RowId, StepId, TerminalId, TokenClasses, key};
use rustc_hash::FxHashMap;

use crate::cells;
use crate::graph::{CompletionGraph, Label};
use crate::lookahead::Lookahead;
use crate::useful::{PlaceId, Places, Useful};
use crate::{Gap, Pattern, Segment};

/// The masks of a pattern's cells.
pub(crate) struct CellMasks {
    /// Of each masked cell, in order.
    pub cells: Vec<BitSet>,
    /// The first of them before which the text may be over, or their number, if it may be
    /// over behind all; `None` if there is no completion.
    pub first_end: Option<usize>,
}

impl CellMasks {
    /// Those of a pattern that cannot be completed.
    pub fn none(pattern: &Pattern, tokens: usize) -> Self {
        let (_, cells) = first_cells(pattern);
        Self {
            cells: vec![BitSet::new(tokens); cells],
            first_end: None,
        }
    }
}

/// The tokens that may stand in each masked cell; with `only`, in one of them, and none in
/// others. `None` without a vocabulary.
pub(crate) fn cell_masks(
    graph: &mut CompletionGraph<'_>,
    ahead: &Lookahead,
    useful: &Useful,
    only: Option<usize>,
) -> Option<CellMasks> {
    let vocabulary = graph.spanner.as_deref()?.vocabulary().len();
    let mut masks = CellMasks::none(graph.pattern, vocabulary);
    let (first, count) = first_cells(graph.pattern);
    let cell_of = |place: PlaceId| {
        let point = useful.places.places[place as usize].point;
        let first = first.get(point.segment as usize);
        first.map_or(count, |first| first + point.offset as usize)
    };
    masks.first_end = useful.first_end.map(cell_of);
    let places = &useful.places;
    let landings = landings(graph.pattern, useful);
    let cell_of_landings = |landings: &u128| cell_of((landings >> 32) as PlaceId);
    for landings in landings.chunk_by(|a, b| cell_of_landings(a) == cell_of_landings(b)) {
        let cell = cell_of_landings(&landings[0]);
        if let Some(mask) = masks.cells.get_mut(cell)
            && only.is_none_or(|only| only == cell)
        {
            let mut taken = Taken::default();
            for landings in landings.chunk_by(|a, b| a >> 32 == b >> 32) {
                take(graph, ahead, places, landings, &mut taken)?;
            }
            for (classes, taken) in &taken.classes {
                classes.add_tokens(taken, mask);
            }
        }
    }
    Some(masks)
}

/// The classes of tokens that some derivation takes in a cell.
#[derive(Default)]
struct Taken {
    /// By lexer state before the cell, where they are.
    places: FxHashMap<LexerState, u32>,
    classes: Vec<(Arc<TokenClasses>, BitSet)>,
}

/// Takes the classes of tokens of which the last edges are these, all out of one place.
fn take(
    graph: &mut CompletionGraph<'_>,
    ahead: &Lookahead,
    places: &Places,
    landings: &[u128],
    taken: &mut Taken,
) -> Option<()> {
    let (entered, path) = path(places, (landings[0] >> 32) as PlaceId);
    for state in cells::states(graph, places.places[entered as usize].point) {
        let place = match taken.places.get(&state) {
            Some(&known) => known as usize,
            None => {
                let spanner = graph.spanner.as_deref_mut()?;
                let classes = spanner.classes(graph.lexer, state);
                let none = BitSet::new(classes.classes.len());
                let fresh = taken.classes.len();
                taken.places.insert(state, fresh as u32);
                taken.classes.push((classes, none));
                fresh
            }
        };
        let (classes, taken) = &mut taken.classes[place];
        for step in steps(classes, &path) {
            for &landing in landings {
                let point = places.places[landing as PlaceId as usize].point;
                let alike = ahead.standing_in(point).iter();
                for &state in alike.chain([&point.state]) {
                    for &class in classes.landing(step, state) {
                        taken.insert(class as usize);
                    }
                }
            }
        }
    }
    Some(())
}

/// For each segment, which of all masked cells is its first or the next; and how many there
/// are.
fn first_cells(pattern: &Pattern) -> (Vec<usize>, usize) {
    let (mut first, mut before) = (Vec::new(), 0);
    for segment in &pattern.segments {
        first.push(before);
        if let Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells)) = segment {
            before += cells;
        }
    }
    (first, before)
}

/// The useful edges along which tokens end in cells, as keys: where from, and where they land.
fn landings(pattern: &Pattern, useful: &Useful) -> Vec<u128> {
    let places = &useful.places;
    let mut landings = Vec::new();
    let is_in_cell = |place: PlaceId| {
        let segment = places.places[place as usize].point.segment as usize;
        let segment = pattern.segments.get(segment);
        matches!(segment, Some(Segment::Gap(Gap::Cells(_) | Gap::UpTo(_))))
    };
    for to in 0..places.places.len() as PlaceId {
        for (number, edge) in places.incoming(to) {
            if edge.label == Label::Within && useful.edges[number] && is_in_cell(edge.from) {
                landings.push(key([0, 0, edge.from, to]));
            }
        }
    }
    landings.sort_unstable();
    landings
}

/// The place at which the token began that is under way at another, and the lexemes and
/// rows in between.
fn path(places: &Places, mut place: PlaceId) -> (PlaceId, Vec<(TerminalId, RowId)>) {
    let mut path = Vec::new();
    loop {
        let row = places.places[place as usize].point.row;
        let before = places.incoming(place).next();
        let Some((_, edge)) = before.filter(|_| row != NO_ROW) else {
            path.reverse();
            return (place, path);
        };
        if let Label::Lexeme(terminal) = edge.label {
            path.push((terminal, row));
        }
        place = edge.from;
    }
}

/// The steps at the end of a path.
fn steps(classes: &TokenClasses, path: &[(TerminalId, RowId)]) -> Vec<StepId> {
    let mut steps = vec![0];
    for &(terminal, row) in path {
        let mut behind = Vec::new();
        for step in steps {
            classes.behind(step, terminal, row, &mut behind);
        }
        behind.sort_unstable();
        behind.dedup();
        steps = behind;
    }
    steps
}
