//! Canvases under a regular language: sets of automaton states, cell by cell.
//!
//! The automaton is run over the pattern as a set of states; a masked cell
//! takes the set to all states that some token leads to. Sets are interned and
//! their steps memoised, which amounts to determinising, on demand, the
//! automaton whose alphabet is {byte, masked cell}: a check of a canvas seen
//! before but for one cell costs one look-up for every byte and cell behind it.
//! Exact in both directions for the automaton's language, gap lengths included. Where sets are
//! large, a filling is first looked for with few of their states (`few`).

mod few;

use std::sync::Arc;

use few::{Followed, Thinning};
use lacuna_grammar::automaton::{Dfa, StateId};
use lacuna_lexer::{Arrived, BitSet, Descent, MemoUse, TokenId, Vocabulary};
use rustc_hash::FxHashMap;

use crate::scratch_set::ScratchSet;
use crate::{Filling, Gap, Pattern, Segment, Witness};

/// Index of an interned set of states; 0 is the empty set.
type SetId = u32;

const EMPTY: SetId = 0;

/// Where one token can lead, each place with one token that leads there, in
/// order of places.
type Row = Box<[(StateId, TokenId)]>;

/// A step backwards: a set, the states behind, whether the text may be over, and the cell
/// between, if there is one.
type StepBack = (SetId, SetId, bool, Option<Option<TokenId>>);

/// A checker for one automaton and vocabulary, with its memo.
#[derive(Clone, Debug)]
pub struct RegularChecker {
    dfa: Arc<Dfa>,
    vocabulary: Arc<Vocabulary>,
    rows: Vec<Option<Row>>,
    sets: Vec<Arc<[StateId]>>,
    ids: FxHashMap<Arc<[StateId]>, SetId>,
    accepting: Vec<bool>,
    after_cell: Vec<Option<SetId>>,
    after_byte: FxHashMap<(SetId, u8), SetId>,
    before_cell: FxHashMap<StepBack, (SetId, Option<Arc<BitSet>>)>,
    members: usize,
    memo_limit: usize,
    memo_use: MemoUse,
    thinning: Thinning,
    /// States, while they are gathered.
    scratch: ScratchSet,
}

impl RegularChecker {
    /// A checker whose memo holds at most `memo_limit` set members before it is
    /// emptied.
    pub fn new(dfa: Arc<Dfa>, vocabulary: Arc<Vocabulary>, memo_limit: usize) -> Self {
        let rows = vec![None; dfa.state_count()];
        let scratch = ScratchSet::new(dfa.state_count());
        let mut checker = Self {
            dfa,
            vocabulary,
            rows,
            sets: Vec::new(),
            ids: FxHashMap::default(),
            accepting: Vec::new(),
            after_cell: Vec::new(),
            after_byte: FxHashMap::default(),
            before_cell: FxHashMap::default(),
            members: 0,
            memo_limit,
            memo_use: MemoUse::default(),
            thinning: Thinning::default(),
            scratch,
        };
        checker.intern(Vec::new());
        checker
    }

    /// How often it was asked for a step, and how often that was not known.
    pub fn memo_use(&self) -> MemoUse {
        self.memo_use
    }

    /// A filling of the pattern within the language, if there is one.
    ///
    /// Gaps must count cells.
    pub fn witness(&mut self, pattern: &Pattern) -> Option<Witness> {
        let trail = self.run(pattern)?;
        Some(self.trace_back(pattern, &trail))
    }

    /// Whether the pattern can be filled within the language.
    pub fn is_completable(&mut self, pattern: &Pattern) -> bool {
        self.run(pattern).is_some()
    }

    /// The least number of cells that a whole text needs, up to `limit`.
    pub fn shortest(&mut self, limit: usize) -> Option<usize> {
        let mut set = self.start();
        for cells in 0..=limit {
            if self.accepting[set as usize] {
                return Some(cells);
            }
            let next = self.step_cell(set);
            if next == EMPTY {
                return None;
            }
            set = next;
        }
        None
    }

    /// The tokens that may stand in a masked cell, all other masked cells being
    /// free; ends are not among them. `None` if text stands behind an end.
    ///
    /// Tokens are grouped by the set of states they lead to, and what stands
    /// behind the cell is run once for each group.
    pub fn possible(&mut self, cells: &[Option<TokenId>], cell: usize) -> Option<BitSet> {
        let vocabulary = Arc::clone(&self.vocabulary);
        let behind = Pattern::of_canvas(&cells[cell + 1..], &vocabulary)?;
        self.forget_if_full();
        let mut before = self.start();
        for token in &cells[..cell] {
            before = match token {
                None => self.step_cell(before),
                Some(token) => {
                    let bytes = vocabulary.bytes(*token)?;
                    bytes
                        .iter()
                        .fold(before, |set, &byte| self.step_byte(set, byte))
                }
            };
        }
        let mut possible = BitSet::new(vocabulary.len());
        let before = Arc::clone(&self.sets[before as usize]);
        for (states, tokens) in self.reached(&before) {
            let set = self.intern(states);
            if self.run_from(set, &behind).is_some() {
                tokens.iter().for_each(|&token| {
                    possible.insert(token as usize);
                });
            }
        }
        Some(possible)
    }

    /// The same of all masked cells: sets of states forwards, those of them from which the
    /// rest can be read backwards, and the tokens between the two. No tokens stand behind an
    /// end.
    pub fn all_possible(&mut self, cells: &[Option<TokenId>]) -> Vec<Option<BitSet>> {
        let vocabulary = Arc::clone(&self.vocabulary);
        self.forget_if_full();
        let is_end = |cell: &Option<TokenId>| cell.is_some_and(|token| vocabulary.is_end(token));
        let text = &cells[..cells.iter().position(is_end).unwrap_or(cells.len())];
        // From here on the text may be over.
        let tail = text.iter().rposition(Option::is_some);
        let tail = tail.map_or(0, |last| last + 1);
        let bytes = |token: TokenId| vocabulary.bytes(token).unwrap_or_default();
        let mut before = vec![self.start()];
        for (at, cell) in text.iter().enumerate() {
            before.push(match cell {
                None => self.step_cell(before[at]),
                Some(token) => {
                    let bytes = bytes(*token).iter();
                    bytes.fold(before[at], |set, &byte| self.step_byte(set, byte))
                }
            });
        }
        let masked = cells.iter().map(Option::is_none);
        let masks = masked.map(|masked| masked.then(|| BitSet::new(vocabulary.len())));
        let mut masks: Vec<Option<BitSet>> = masks.collect();
        let mut behind = EMPTY;
        for at in (0..=text.len()).rev() {
            let step = (before[at], behind, at >= tail, text.get(at).copied());
            let (here, mask) = self.step_back(step);
            if let (Some(mask), Some(Some(of_cell))) = (mask, masks.get_mut(at)) {
                of_cell.union_with(&mask);
            }
            behind = here;
        }
        masks
    }

    /// The states of a set from which the rest can be read, where it can be read from those
    /// behind, or the text may be over; and the tokens of a masked cell between.
    fn step_back(&mut self, step: StepBack) -> (SetId, Option<Arc<BitSet>>) {
        if let Some((here, mask)) = self.before_cell.get(&step) {
            return (*here, mask.clone());
        }
        let (set, behind, may_end, cell) = step;
        let mut leads_on = BitSet::new(self.dfa.state_count());
        for &state in self.sets[behind as usize].iter() {
            leads_on.insert(state as usize);
        }
        let (mut here, mut goes_on) = (Vec::new(), Vec::new());
        for &state in Arc::clone(&self.sets[set as usize]).iter() {
            let is_open = match cell {
                None => false,
                Some(None) => {
                    let row = self.row(state);
                    row.iter()
                        .any(|&(next, _)| leads_on.contains(next as usize))
                }
                Some(Some(token)) => {
                    let mut bytes = self.vocabulary.bytes(token).unwrap_or_default().iter();
                    let next = bytes.try_fold(state, |state, &byte| self.dfa.next(state, byte));
                    next.is_some_and(|next| leads_on.contains(next as usize))
                }
            };
            if is_open {
                goes_on.push(state);
            }
            if is_open || (may_end && self.dfa.is_accepting(state)) {
                here.push(state);
            }
        }
        let mask = (cell == Some(None)).then(|| {
            let mut mask = BitSet::new(self.vocabulary.len());
            for (states, tokens) in self.reached(&goes_on) {
                if states.iter().any(|&to| leads_on.contains(to as usize)) {
                    tokens.iter().for_each(|&token| {
                        mask.insert(token as usize);
                    });
                }
            }
            Arc::new(mask)
        });
        self.members += mask.as_ref().map_or(1, |mask| mask.heap_bytes() / 4);
        let here = self.intern(here);
        self.before_cell.insert(step, (here, mask.clone()));
        (here, mask)
    }

    /// The tokens that can be read from some states, and the states that they lead to.
    fn reached(&self, from: &[StateId]) -> Vec<(Vec<StateId>, Vec<TokenId>)> {
        let mut reached = Reached {
            dfa: &self.dfa,
            groups: Vec::new(),
        };
        let start = from.iter().map(|&state| (state, 0, 0)).collect();
        let trie = self.vocabulary.trie();
        trie.descend_alike(self.dfa.classes().0, start, &mut reached);
        reached.groups
    }

    /// Runs the pattern; the sets before each byte and cell, and the last one.
    /// `None` if the language holds no filling. In an open tail the trail stops
    /// at the first place where the text may end.
    fn run(&mut self, pattern: &Pattern) -> Option<Vec<SetId>> {
        self.forget_if_full();
        let start = self.start();
        self.run_from(start, pattern)
    }

    fn run_from(&mut self, start: SetId, pattern: &Pattern) -> Option<Vec<SetId>> {
        let mut trail = vec![start];
        trail.extend(self.run_behind(start, &pattern.segments, 0, Followed::All)?);
        Some(trail)
    }

    /// The sets behind each byte and cell of what is left of a pattern, `done` cells of its first
    /// segment aside.
    fn run_behind(
        &mut self,
        mut set: SetId,
        segments: &[Segment],
        mut done: usize,
        mut followed: Followed,
    ) -> Option<Vec<SetId>> {
        let mut trail = Vec::new();
        for (at, segment) in segments.iter().enumerate() {
            match segment {
                Segment::Text(bytes) => {
                    for &byte in bytes {
                        set = self.step_byte(set, byte);
                        trail.push(set);
                        if set == EMPTY {
                            return None;
                        }
                    }
                }
                Segment::Gap(Gap::Any) => return None,
                Segment::Gap(Gap::Cells(cells) | Gap::UpTo(cells)) => {
                    let may_end = matches!(segment, Segment::Gap(Gap::UpTo(_)));
                    for done in std::mem::take(&mut done)..*cells {
                        if may_end && self.accepting[set as usize] {
                            break;
                        }
                        let rest = &segments[at..];
                        if let Some(rest) = self.run_with_few(set, rest, done, &mut followed) {
                            trail.extend(rest);
                            return Some(trail);
                        }
                        set = self.thinned(set, followed);
                        set = self.step_cell(set);
                        trail.push(set);
                        if set == EMPTY {
                            return None;
                        }
                    }
                }
            }
        }
        self.accepting[set as usize].then_some(trail)
    }

    /// Walks the trail from its end to its start along one path of states.
    fn trace_back(&mut self, pattern: &Pattern, trail: &[SetId]) -> Witness {
        let dfa = Arc::clone(&self.dfa);
        let last = trail.len() - 1;
        let accepting = self.sets[trail[last] as usize]
            .iter()
            .find(|&&s| dfa.is_accepting(s));
        let mut target = accepting.copied().unwrap_or_else(|| dfa.start());
        let mut at = last;
        let mut gaps = Vec::new();
        let text_bytes: usize = pattern
            .segments
            .iter()
            .map(|segment| match segment {
                Segment::Text(bytes) => bytes.len(),
                Segment::Gap(Gap::Cells(cells)) => *cells,
                Segment::Gap(_) => 0,
            })
            .sum();
        let tail_cells = last - text_bytes;
        for segment in pattern.segments.iter().rev() {
            match segment {
                Segment::Text(bytes) => {
                    for &byte in bytes.iter().rev() {
                        let set = Arc::clone(&self.sets[trail[at - 1] as usize]);
                        let from = set.iter().find(|&&s| dfa.next(s, byte) == Some(target));
                        target = from.copied().unwrap_or(target);
                        at -= 1;
                    }
                }
                Segment::Gap(gap) => {
                    let cells = if let Gap::Cells(cells) = gap {
                        *cells
                    } else {
                        tail_cells
                    };
                    let mut tokens = Vec::with_capacity(cells);
                    for _ in 0..cells {
                        let set = Arc::clone(&self.sets[trail[at - 1] as usize]);
                        for &state in set.iter() {
                            let row = self.row(state);
                            if let Ok(found) = row.binary_search_by_key(&target, |entry| entry.0) {
                                tokens.push(row[found].1);
                                target = state;
                                break;
                            }
                        }
                        at -= 1;
                    }
                    tokens.reverse();
                    gaps.push(Filling::Tokens(tokens));
                }
            }
        }
        gaps.reverse();
        Witness { gaps }
    }

    fn start(&mut self) -> SetId {
        match self.dfa.is_empty() {
            true => EMPTY,
            false => self.intern(vec![self.dfa.start()]),
        }
    }

    fn step_byte(&mut self, set: SetId, byte: u8) -> SetId {
        self.memo_use.asked += 1;
        if let Some(&known) = self.after_byte.get(&(set, byte)) {
            return known;
        }
        self.memo_use.made += 1;
        let mut next: Vec<StateId> = self.sets[set as usize]
            .iter()
            .filter_map(|&s| self.dfa.next(s, byte))
            .collect();
        next.sort_unstable();
        next.dedup();
        let id = self.intern(next);
        self.after_byte.insert((set, byte), id);
        id
    }

    fn step_cell(&mut self, set: SetId) -> SetId {
        self.memo_use.asked += 1;
        if let Some(known) = self.after_cell[set as usize] {
            return known;
        }
        self.memo_use.made += 1;
        let states = Arc::clone(&self.sets[set as usize]);
        for &state in states.iter() {
            self.row(state);
        }
        let rows = states.iter().map(|&state| &self.rows[state as usize]);
        for &(next, _) in rows.flatten().flatten() {
            self.scratch.insert(next);
        }
        let next = self.scratch.take();
        let id = self.intern(next);
        self.after_cell[set as usize] = Some(id);
        id
    }

    fn row(&mut self, state: StateId) -> &[(StateId, TokenId)] {
        let Self {
            dfa,
            vocabulary,
            scratch,
            ..
        } = self;
        self.rows[state as usize].get_or_insert_with(|| {
            let trie = vocabulary.trie();
            let mut landings = Vec::new();
            trie.walk(
                0,
                state,
                |state, byte| dfa.next(state, byte),
                |node, state| {
                    if let Some(&token) = trie.tokens_at(node).first()
                        && !scratch.contains(state)
                    {
                        scratch.insert(state);
                        landings.push((state, token));
                    }
                },
            );
            scratch.take();
            landings.sort_unstable();
            landings.into()
        })
    }

    fn intern(&mut self, set: Vec<StateId>) -> SetId {
        if let Some(&known) = self.ids.get(set.as_slice()) {
            return known;
        }
        let set: Arc<[StateId]> = set.into();
        let id = self.sets.len() as SetId;
        self.members += set.len();
        self.accepting
            .push(set.iter().any(|&state| self.dfa.is_accepting(state)));
        self.after_cell.push(None);
        self.ids.insert(Arc::clone(&set), id);
        self.sets.push(set);
        id
    }

    fn forget_if_full(&mut self) {
        if self.members <= self.memo_limit {
            return;
        }
        self.sets.clear();
        self.ids.clear();
        self.accepting.clear();
        self.after_cell.clear();
        self.after_byte.clear();
        self.before_cell.clear();
        self.members = 0;
        self.intern(Vec::new());
    }
}

struct Reached<'a> {
    dfa: &'a Dfa,
    groups: Vec<(Vec<StateId>, Vec<TokenId>)>,
}

impl Descent for Reached<'_> {
    fn read(&self, here: &[Arrived], byte: u8) -> Vec<Arrived> {
        let next = |&(state, ..): &Arrived| Some((self.dfa.next(state, byte)?, 0, 0));
        here.iter().filter_map(next).collect()
    }

    fn visit(&mut self, tokens: &[TokenId], here: &[Arrived]) {
        let states = here.iter().map(|&(state, ..)| state).collect();
        self.groups.push((states, tokens.into()));
    }
}
