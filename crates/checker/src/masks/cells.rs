//! The tokens that useful edges of the graph stand for, cell by cell.
//!
//! A token is read from a lexer state, finishes lexemes on its way, and lands in a state: a
//! path through its cell. The last edge of such a path says whether a derivation takes it,
//! since rows have one way to them each ([`useful`](crate::useful)); tokens of one class
//! take the same paths ([`TokenClasses`]).
//!
//! Cost: the useful edges in cells, and the tokens of what takes each.

use lacuna_lexer::{BitSet, NO_ROW, RowId, StateSet, StepId, TerminalId, TokenClasses, key};

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
    let landings = landings(useful);
    for landings in landings.chunk_by(|a, b| a >> 32 == b >> 32) {
        let from = (landings[0] >> 32) as PlaceId;
        let cell = cell_of(from);
        let is_text = |segment: &Segment| matches!(segment, Segment::Text(_));
        let segment = places.places[from as usize].point.segment as usize;
        let segment = graph.pattern.segments.get(segment);
        if segment.is_none_or(is_text) || only.is_some_and(|only| only != cell) {
            continue;
        }
        let mut states = StateSet::new(graph.lexer);
        for &landing in landings {
            let point = places.places[landing as PlaceId as usize].point;
            states.insert(point.state);
            for &state in ahead.standing_in(point) {
                states.insert(state);
            }
        }
        let (entered, path) = path(places, from);
        for state in cells::states(graph, places.places[entered as usize].point) {
            let spanner = graph.spanner.as_deref_mut()?;
            let classes = spanner.classes(graph.lexer, state);
            for step in steps(&classes, &path) {
                classes.add_landings(step, &states, &mut masks.cells[cell]);
            }
        }
    }
    Some(masks)
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

/// The useful edges along which tokens end, as keys: where from, and where they land.
fn landings(useful: &Useful) -> Vec<u128> {
    let places = &useful.places;
    let mut landings = Vec::new();
    for to in 0..places.places.len() as PlaceId {
        for (number, edge) in places.incoming(to) {
            if edge.label == Label::Within && useful.edges[number] {
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
