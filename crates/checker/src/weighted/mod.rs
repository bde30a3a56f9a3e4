//! The heaviest ways through a completion graph whose cells have weights.
//!
//! A *place* is a node at the beginning of a cell, or in text, with the column that the
//! lexemes before it lead to ([`columns`](crate::columns)). Columns tell all that can
//! follow, so of the ways to one place only the heaviest can be part of the heaviest
//! completion: Viterbi's argument, with Earley columns for states. Of the places behind
//! a cell a beam is kept, the heaviest first, but some at each distance from the end, so
//! that what must be closed far behind is among them; those of a known witness are
//! always kept. What the cover rules out for the rest of the pattern is left out.
//!
//! If nothing was left out for its weight alone, the ways are all there are, and the
//! heaviest of them that can be completed is the optimum.
//!
//! Tokens without a weight of their own weigh the same, so of those that do the same
//! from a lexer state ([`TokenClasses`](lacuna_lexer::TokenClasses)) one is tried.
//!
//! Cost: for each cell, the tokens tried (at most [`TRIES`]), each the steps of its
//! lexemes' columns, which are look-ups from the second time on.

mod kept;
mod offers;

use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use lacuna_lexer::{LexerState, TokenId, Vocabulary};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cells;
use crate::columns::{ColumnId, Columns};
use crate::graph::{Label, Point};
use crate::look::Look;
use crate::{Gap, Pattern, Segment, Weights};
use kept::Kept;
use offers::{Offered, Offers};

/// Tokens that are tried in one cell, from all places before it.
const TRIES: usize = 20_000;

/// Places in text that are gone through before the ways are given up.
const MOST_IN_TEXT: usize = 200_000;

/// A masked cell.
pub(crate) struct Hole<'a> {
    /// Its number on the canvas.
    pub cell: usize,
    pub weights: Option<&'a Weights>,
    /// The heaviest end of text in it.
    pub end: (TokenId, f32),
}

impl Hole<'_> {
    fn end_weight(&self) -> f64 {
        self.weights.map_or(0.0, |_| f64::from(self.end.1))
    }
}

/// A way through the cells.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// A token for each hole up to the last one with weights, or up to the text's end.
    pub tokens: Vec<TokenId>,
    pub weight: f64,
    /// Where it leads.
    pub leads: Leads,
    /// About how far the place where it ends is from the end of the text.
    pub distance: u32,
}

/// Where a way leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leads {
    /// To the end of the text: it is a completion as it is.
    ToTheEnd,
    /// To a place that the witness comes to, which goes on from there or from another
    /// place that the same text leads to.
    ToTheWitness,
    /// On, as far as is known.
    On,
}

/// The ways that were kept.
#[derive(Clone, Debug)]
pub(crate) struct Ways {
    /// The heaviest first.
    pub heaviest: Vec<Way>,
    /// Whether there are no others.
    pub are_all: bool,
}

/// A node at the beginning of a cell, or in text, with a column.
type Place = (Point, ColumnId);

/// How a place was come to.
#[derive(Clone, Copy)]
struct Came {
    weight: f64,
    /// The tokens on the way: the last of them, by its number in the trail.
    tokens: u32,
    /// Whether the witness leads here.
    is_witness: bool,
    /// Of the places that were come to, which this is. Places are numbered as they are met, in
    /// this pattern or another, so of ways that weigh the same it is this that decides.
    nth: u32,
}

/// Where a token leads from a lexer state and a column.
type Landings = Arc<[(LexerState, ColumnId)]>;

/// The work on one pattern.
struct Beam<'w> {
    vocabulary: Arc<Vocabulary>,
    holes: &'w [Hole<'w>],
    witness: &'w [TokenId],
    /// The hole behind the last one with weights.
    weighed: usize,
    /// For each segment, and the end, the holes before it.
    before: Vec<usize>,
    /// What ends weigh in a hole and all behind it.
    ends: Vec<f64>,
    /// Places to come, by their rank.
    open: BTreeMap<u32, FxHashMap<Place, Came>>,
    /// Tokens on ways, each with the one before it; the first is none.
    trail: Vec<(u32, TokenId)>,
    landings: FxHashMap<(LexerState, ColumnId, TokenId), Landings>,
    ways: Vec<(Came, Leads, u32)>,
    arrived: u32,
    are_all: bool,
}

impl Look<'_, '_> {
    /// The heaviest ways through the holes, up to the last one that has weights; `None`
    /// if there are too many. `witness` has a token for each hole.
    pub(crate) fn weighted(&mut self, holes: &[Hole<'_>], witness: &[TokenId]) -> Option<Ways> {
        let vocabulary = Arc::clone(self.graph.spanner.as_deref()?.vocabulary());
        let mut ends = vec![0.0; holes.len() + 1];
        for (at, hole) in holes.iter().enumerate().rev() {
            ends[at] = ends[at + 1] + hole.end_weight();
        }
        let weighed = holes.iter().rposition(|hole| hole.weights.is_some());
        let mut beam = Beam {
            vocabulary,
            holes,
            witness,
            weighed: weighed.map_or(0, |last| last + 1),
            before: holes_before(self.graph.pattern()),
            ends,
            open: BTreeMap::new(),
            trail: vec![(0, 0)],
            landings: FxHashMap::default(),
            ways: Vec::new(),
            arrived: 0,
            are_all: true,
        };
        let start = Came {
            weight: 0.0,
            tokens: 0,
            is_witness: true,
            nth: 0,
        };
        beam.open_place(self, (self.graph.start(), Columns::START), start);
        let mut in_text = 0;
        while let Some((rank, here)) = beam.open.pop_first() {
            in_text += here.len();
            if in_text > MOST_IN_TEXT {
                return None;
            }
            beam.go_through(self, rank, here);
        }
        Some(beam.found())
    }
}

impl Beam<'_> {
    /// Brings a way to a place.
    fn open_place(&mut self, look: &Look<'_, '_>, place: Place, mut came: Came) {
        let rank = look.graph.rank(place.0);
        self.arrived += 1;
        came.nth = self.arrived;
        let known = self.open.entry(rank).or_default().entry(place);
        known
            .and_modify(|known| {
                known.is_witness |= came.is_witness;
                if came.weight > known.weight {
                    (known.weight, known.tokens) = (came.weight, came.tokens);
                }
            })
            .or_insert(came);
    }

    /// Follows all places of a rank.
    fn go_through(&mut self, look: &mut Look<'_, '_>, rank: u32, here: FxHashMap<Place, Came>) {
        // Lexemes under way may end where they stand.
        let (within, mut places): (Vec<_>, Vec<_>) = in_order(here)
            .into_iter()
            .partition(|((point, _), _)| point.within);
        for &(place, came) in &within {
            match self.is_in_cells(look, place.0) {
                true => self.finish(look, place, came),
                false => self.read_text(look, place, came),
            }
        }
        let finished = self.open.remove(&rank).unwrap_or_default();
        for (place, came) in in_order(finished) {
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, known)) if known.weight >= came.weight => {
                    known.is_witness |= came.is_witness;
                }
                Some((_, known)) => {
                    let is_witness = known.is_witness | came.is_witness;
                    let nth = known.nth;
                    *known = Came {
                        is_witness,
                        nth,
                        ..came
                    };
                }
                None => places.push((place, came)),
            }
        }
        let (mut in_cells, in_text): (Vec<_>, Vec<_>) = places
            .into_iter()
            .partition(|((point, _), _)| self.is_in_cells(look, *point));
        for (place, came) in in_text {
            self.read_text(look, place, came);
        }
        in_cells.extend(
            within
                .into_iter()
                .filter(|((point, _), _)| self.is_in_cells(look, *point)),
        );
        let Some(&((point, _), _)) = in_cells.first() else {
            return;
        };
        // The same on every run.
        in_cells.sort_unstable_by_key(|(_, came)| came.nth);
        for &(place, came) in &in_cells {
            self.end(look, place, came);
        }
        let hole = self.hole(point);
        match hole < self.weighed {
            true => self.write(look, hole, &in_cells),
            false => {
                for &((_, column), came) in &in_cells {
                    self.leave(look, column, came);
                }
            }
        }
    }

    fn is_in_cells(&self, look: &Look<'_, '_>, point: Point) -> bool {
        let segment = look.graph.pattern().segments.get(point.segment as usize);
        matches!(segment, Some(Segment::Gap(Gap::Cells(_) | Gap::UpTo(_))))
    }

    /// The number of the hole that a point stands before.
    fn hole(&self, point: Point) -> usize {
        let before = self.before.get(point.segment as usize).copied();
        before.unwrap_or(self.holes.len()) + point.offset as usize
    }

    /// Ends a lexeme at the beginning of a cell.
    fn finish(&mut self, look: &mut Look<'_, '_>, (point, column): Place, came: Came) {
        for finish in look.graph.lexer.finishes(point.state) {
            let to = Point {
                state: finish.to,
                within: false,
                ..point
            };
            let Some(terminal) = finish.terminal else {
                continue;
            };
            if let Some(next) = look.step(column, Label::Lexeme(terminal), to)
                && look.is_asked_for(next, to)
            {
                self.open_place(look, (to, next), came);
            }
        }
    }

    /// Reads a lexeme of text, or of what is left of it.
    fn read_text(&mut self, look: &mut Look<'_, '_>, (point, column): Place, came: Came) {
        let hole = match look.graph.pattern().segments.get(point.segment as usize) {
            Some(_) => self.before[point.segment as usize],
            None => self.holes.len(),
        };
        if hole >= self.weighed && self.weighed > 0 {
            self.leave(look, column, came);
            return;
        }
        let Some(asked) = look.ahead.edges(point) else {
            return;
        };
        for edge in asked.edges {
            if edge.label == Label::End {
                if look.columns.ends(column) {
                    self.ways.push((came, Leads::ToTheEnd, 0));
                }
            } else if let Some(next) = look.step(column, edge.label, edge.to)
                && look.is_asked_for(next, edge.to)
            {
                self.open_place(look, (edge.to, next), came);
            }
        }
    }

    /// Ends the text at the beginning of a cell, where it may.
    fn end(&mut self, look: &Look<'_, '_>, (point, column): Place, came: Came) {
        let segment = look.graph.pattern().segments.get(point.segment as usize);
        if !matches!(segment, Some(Segment::Gap(Gap::UpTo(_)))) || !look.columns.ends(column) {
            return;
        }
        let states = cells::states(look.graph, point);
        if states.iter().any(|&state| look.graph.lexer.is_end(state)) {
            let weight = came.weight + self.ends[self.hole(point)];
            self.ways
                .push((Came { weight, ..came }, Leads::ToTheEnd, 0));
        }
    }

    /// Ends a way behind the last hole with weights.
    fn leave(&mut self, look: &mut Look<'_, '_>, column: ColumnId, came: Came) {
        let leads = match came.is_witness {
            true => Leads::ToTheWitness,
            false => Leads::On,
        };
        self.ways.push((came, leads, look.distance(column)));
    }

    /// Writes tokens into a cell, from all places before it, the heaviest ways first.
    fn write(&mut self, look: &mut Look<'_, '_>, hole: usize, places: &[(Place, Came)]) {
        let witness = self.witness.get(hole).copied();
        if let Some(token) = witness.filter(|&token| self.vocabulary.is_fillable(token)) {
            let weight = self.holes[hole]
                .weights
                .map_or(0.0, |w| f64::from(w.of(token)));
            for &((point, column), came) in places.iter().filter(|(_, came)| came.is_witness) {
                for state in cells::states(look.graph, point) {
                    for (landing, column) in self.lands(look, point, state, column, token) {
                        let came = self.came(came, weight, token, true);
                        self.open_place(look, (landing, column), came);
                    }
                }
            }
        }
        let mut kept = Kept::default();
        let mut offers = Offers::new(self.holes[hole].weights, &self.vocabulary);
        let mut sources: Vec<(Place, LexerState, Came)> = Vec::new();
        let mut queue: BinaryHeap<Offered> = BinaryHeap::new();
        for &(place, came) in places {
            let distance = look.distance(place.1);
            for state in cells::states(look.graph, place.0) {
                if let Some(weight) = offers.weight(look, state, 0) {
                    queue.push(Offered {
                        weight: came.weight + weight,
                        distance,
                        source: sources.len(),
                        nth: 0,
                    });
                    sources.push((place, state, came));
                }
            }
        }
        let mut tries = 0;
        while let Some(offered) = queue.pop() {
            tries += 1;
            if tries > TRIES || kept.is_full() {
                self.are_all = false;
                break;
            }
            let ((point, column), state, came) = sources[offered.source];
            let Some(token) = offers.token(look, state, offered.nth) else {
                continue;
            };
            for (landing, column) in self.lands(look, point, state, column, token) {
                if !kept.is_known((landing, column))
                    && !kept.take((landing, column), look.distance(column))
                {
                    self.are_all = false;
                    continue;
                }
                let came = self.came(came, offered.weight - came.weight, token, false);
                self.open_place(look, (landing, column), came);
            }
            let nth = offered.nth + 1;
            if let Some(weight) = offers.weight(look, state, nth) {
                queue.push(Offered {
                    weight: came.weight + weight,
                    nth,
                    ..offered
                });
            }
        }
    }

    fn came(&mut self, from: Came, weight: f64, token: TokenId, is_witness: bool) -> Came {
        self.trail.push((from.tokens, token));
        Came {
            weight: from.weight + weight,
            tokens: self.trail.len() as u32 - 1,
            is_witness,
            nth: 0,
        }
    }

    /// The places behind a token that the rest of the pattern allows.
    fn lands(
        &mut self,
        look: &mut Look<'_, '_>,
        point: Point,
        state: LexerState,
        column: ColumnId,
        token: TokenId,
    ) -> Vec<Place> {
        let key = (state, column, token);
        let landings = match self.landings.get(&key) {
            Some(known) => Arc::clone(known),
            None => {
                let bytes = self.vocabulary.bytes(token).unwrap_or_default();
                let landings: Landings = read(look, state, column, bytes).into();
                self.landings.insert(key, Arc::clone(&landings));
                landings
            }
        };
        let places = landings.iter().map(|&(state, column)| {
            let landing = cells::landing(look.graph, point, state);
            (landing, column)
        });
        places
            .filter(|&(landing, column)| look.is_asked_for(column, landing))
            .collect()
    }

    /// The ways that were found, the heaviest first.
    fn found(mut self) -> Ways {
        self.ways.sort_by(|a, b| b.0.weight.total_cmp(&a.0.weight));
        let heaviest = self.ways.iter().map(|&(came, leads, distance)| {
            let mut tokens = Vec::new();
            let mut at = came.tokens;
            while at != 0 {
                let (before, token) = self.trail[at as usize];
                tokens.push(token);
                at = before;
            }
            tokens.reverse();
            Way {
                tokens,
                weight: came.weight,
                leads,
                distance,
            }
        });
        Ways {
            heaviest: heaviest.collect(),
            are_all: self.are_all,
        }
    }
}

/// The lexer states and columns behind these bytes, where something can go on.
fn read(
    look: &mut Look<'_, '_>,
    state: LexerState,
    column: ColumnId,
    bytes: &[u8],
) -> Vec<(LexerState, ColumnId)> {
    let lexer = look.graph.lexer;
    let mut here = vec![(state, column)];
    for (at, &byte) in bytes.iter().enumerate() {
        let next = here.iter().filter_map(|&(state, column)| {
            let next = lexer.next(state, byte)?;
            Some((next, column))
        });
        here = each_once(next);
        if at + 1 == bytes.len() {
            break;
        }
        let mut place = 0;
        while let Some(&(state, column)) = here.get(place) {
            place += 1;
            for finish in lexer.finishes(state) {
                let column = match finish.terminal {
                    None => Some(column),
                    Some(terminal) => look.columns.step(look.cfg, look.sets, column, terminal),
                };
                if let Some(column) = column
                    && !here.contains(&(finish.to, column))
                {
                    here.push((finish.to, column));
                }
            }
        }
    }
    here.retain(|&(state, column)| look.columns.hopes(look.cfg, look.sets, column, state));
    here
}

/// Each once, in the order in which they come.
fn each_once<T: Copy + Eq + std::hash::Hash>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = FxHashSet::default();
    all.filter(|&one| seen.insert(one)).collect()
}

/// Places in the order in which they were come to.
fn in_order(places: FxHashMap<Place, Came>) -> Vec<(Place, Came)> {
    let mut places: Vec<(Place, Came)> = places.into_iter().collect();
    places.sort_unstable_by_key(|(_, came)| came.nth);
    places
}

/// For each segment, and the end, the holes before it.
fn holes_before(pattern: &Pattern) -> Vec<usize> {
    let mut before = vec![0usize];
    for segment in &pattern.segments {
        let so_far = before.last().copied().unwrap_or(0);
        before.push(match segment {
            Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells)) => so_far.saturating_add(*cells),
            Segment::Gap(Gap::Any) | Segment::Text(_) => so_far,
        });
    }
    before
}
