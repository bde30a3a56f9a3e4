//! What lexemes can do inside a gap of any length.
//!
//! That depends on the state of the lexer that they enter with and on nothing else, and
//! how they leave it on the byte behind it; so both are found once, and kept up to a
//! bound.
//!
//! Cost: for a state met for the first time, the states of the lexer that it leads to.

use std::collections::VecDeque;
use std::sync::Arc;

use lacuna_grammar::automaton::SHORTCUTS;
#[cfg(feature = "shortcuts")]
use lacuna_lexer::BitSet;
use lacuna_lexer::{Lexer, LexerState, Stopwatch, TerminalId};
use rustc_hash::FxHashMap;
#[cfg(feature = "shortcuts")]
use rustc_hash::FxHashSet;

use crate::cfg::{Cfg, Symbol};
use crate::gap_group::{Boundaries, GapStep, Member};
use crate::graph::{Addition, Emit};
use crate::sweep::tokens;

/// What lexemes can do in a gap of any length, by the state they enter it with.
#[derive(Clone, Debug, Default)]
pub struct GapReaches {
    known: ByEntry<FxHashMap<LexerState, Arc<GapReach>>>,
    /// The ways to leave a gap, by the state it is entered with and the byte behind it.
    leaving: ByEntry<LeavingBy>,
    entries: usize,
    boundaries: FxHashMap<Box<[LexerState]>, Arc<Boundaries>>,
    /// The states that a gap is left in, if only the nearest are looked at.
    nearest: Option<usize>,
    /// The terminals that stand in productions.
    used: Option<Vec<bool>>,
    /// States that were walked over for what was not known, a measure of the time.
    pub(crate) walked: usize,
    /// Of all that finds edges of a graph.
    pub(crate) stopwatch: Stopwatch,
}

/// What all entries share, or, where only the nearest states are looked at, what lexemes under way
/// have for themselves.
type ByEntry<T> = [T; if SHORTCUTS { 2 } else { 1 }];

/// The ways to leave a gap, by the state it is entered with and the byte behind it.
type LeavingBy = FxHashMap<(LexerState, u8), Arc<[Leaving]>>;

/// How a gap is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entry {
    /// Between lexemes.
    Boundary,
    /// With a lexeme under way.
    Within,
}

/// What a lexeme under way can become inside a gap of any length.
#[derive(Debug)]
pub(crate) struct GapReach {
    /// The states it can come to, cheapest first; the one it entered with is the
    /// first.
    pub states: Vec<Reached>,
    /// The boundaries at which it can end, each once.
    pub ends: Vec<GapEnd>,
}

#[derive(Debug)]
pub(crate) struct Reached {
    pub state: LexerState,
    pub cost: u32,
    /// Where it came from, by its place here, and the byte read if one was.
    pub before: u32,
    pub byte: Option<u8>,
}

/// A way to leave a gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaving {
    /// The state it is left with, by its place.
    pub at: u32,
    /// The state behind the next byte.
    pub state: LexerState,
    pub cost: u32,
}

#[derive(Debug)]
pub(crate) struct GapEnd {
    pub terminal: TerminalId,
    pub to: LexerState,
    pub cost: u32,
    /// The state in which it ends, by its place.
    pub at: u32,
    pub separator: Option<Emit>,
}

/// States and ends that are kept for later patterns: some 40 megabytes.
const MAX_KEPT: usize = 2_000_000;

/// States looked at for each that a gap is left in, where only the nearest are.
const STATES_PER_LEAVING: usize = 32;

impl GapReaches {
    /// What can be done with the nearest so many states that a gap is left in, and with what a
    /// lexeme under way comes to first.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn of_nearest(nearest: usize) -> Self {
        Self {
            nearest: Some(nearest),
            ..Self::default()
        }
    }

    /// Knows what lexemes that begin in a gap can do, and the boundaries that these lead to.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn of_boundaries(cfg: &Cfg) -> Self {
        let mut reaches = Self::default();
        reaches.boundaries(cfg, cfg.lexer.starts().collect());
        reaches
    }

    /// Bytes of memory that what is known takes, closely.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn heap_bytes(&self) -> usize {
        self.entries * size_of::<Reached>()
    }

    /// Takes all over that another knows, if nothing is known here.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn begin_with(&mut self, other: &Self) {
        if self.entries == 0 {
            let stopwatch = std::mem::take(&mut self.stopwatch);
            *self = Self {
                stopwatch,
                walked: self.walked,
                ..other.clone()
            };
        }
    }

    /// Takes over what lexemes that begin in a gap can do, which is the same wherever states are
    /// looked at.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn share_boundaries(&mut self, lexer: &Lexer, other: &Self) {
        for state in lexer.starts() {
            if let Some(reach) = other.known[0].get(&state)
                && !self.known[0].contains_key(&state)
            {
                self.make_room(reach.states.len() + reach.ends.len());
                self.known[0].insert(state, Arc::clone(reach));
            }
        }
    }

    fn table(&self, entry: Entry) -> usize {
        usize::from(SHORTCUTS && self.nearest.is_some() && entry == Entry::Within)
    }

    pub(crate) fn from(&mut self, lexer: &Lexer, state: LexerState, entry: Entry) -> Arc<GapReach> {
        let table = self.table(entry);
        if let Some(known) = self.known[table].get(&state) {
            return Arc::clone(known);
        }
        // Lexemes that begin in the gap are all looked at, for there is one place only where
        // they do.
        let most = match (table, self.nearest) {
            (1, Some(nearest)) => nearest * STATES_PER_LEAVING,
            _ => usize::MAX,
        };
        let reach = Arc::new(GapReach::new(lexer, state, most));
        self.walked = self.walked.wrapping_add(reach.states.len());
        self.make_room(reach.states.len() + reach.ends.len());
        self.known[table].insert(state, Arc::clone(&reach));
        reach
    }

    /// The ways to leave a gap that a byte comes behind: to each state the cheapest.
    pub(crate) fn leaving(
        &mut self,
        lexer: &Lexer,
        (entered, entry): (LexerState, Entry),
        reach: &GapReach,
        next: u8,
    ) -> Arc<[Leaving]> {
        let table = self.table(entry);
        if let Some(known) = self.leaving[table].get(&(entered, next)) {
            return Arc::clone(known);
        }
        self.walked = self.walked.wrapping_add(reach.states.len());
        let mut seen = Seen::new(lexer);
        let states = (0..).zip(&reach.states);
        let leaving = states.filter_map(|(at, reached)| {
            let state = lexer.next(reached.state, next)?;
            let cost = reached.cost;
            seen.insert(state).then_some(Leaving { at, state, cost })
        });
        let nearest = self.nearest.filter(|_| SHORTCUTS);
        let leaving = leaving.take(nearest.unwrap_or(usize::MAX));
        let leaving: Arc<[Leaving]> = leaving.collect();
        self.make_room(1 + leaving.len());
        self.leaving[table].insert((entered, next), Arc::clone(&leaving));
        leaving
    }

    /// Forgets what was found, if there is no room for more.
    fn make_room(&mut self, entries: usize) {
        self.entries += entries;
        if self.entries > MAX_KEPT {
            self.known = Default::default();
            self.leaving = Default::default();
            self.entries = entries;
        }
    }

    /// All boundaries that lexemes lead to from these, inside a gap.
    pub(crate) fn boundaries(
        &mut self,
        cfg: &Cfg,
        mut entries: Vec<LexerState>,
    ) -> Arc<Boundaries> {
        entries.sort_unstable();
        entries.dedup();
        if let Some(known) = self.boundaries.get(entries.as_slice()) {
            return Arc::clone(known);
        }
        let used = self.used.get_or_insert_with(|| used_terminals(cfg)).clone();
        let mut states = entries.clone();
        let mut lexemes: Vec<(TerminalId, LexerState, LexerState, u32)> = Vec::new();
        let mut at = 0;
        while let Some(&from) = states.get(at) {
            at += 1;
            for end in &self.from(&cfg.lexer, from, Entry::Boundary).ends {
                if !used[end.terminal as usize] {
                    continue;
                }
                if !states.contains(&end.to) {
                    states.push(end.to);
                }
                lexemes.push((end.terminal, from, end.to, tokens(end.cost)));
            }
        }
        states.sort_unstable();
        let member = |state: LexerState| states.partition_point(|&known| known < state) as Member;
        let steps = lexemes.iter().map(|&(terminal, from, to, cost)| GapStep {
            terminal,
            from: member(from),
            to: member(to),
            cost,
        });
        let boundaries = Arc::new(Boundaries {
            steps: steps.collect(),
            states: states.into(),
        });
        self.boundaries
            .insert(entries.into(), Arc::clone(&boundaries));
        boundaries
    }
}

fn used_terminals(cfg: &Cfg) -> Vec<bool> {
    let mut used = vec![false; cfg.lexer.terminal_count()];
    for symbol in &cfg.symbols {
        if let Symbol::Terminal(terminal) = symbol {
            used[*terminal as usize] = true;
        }
    }
    used
}

impl GapReach {
    /// What comes of a state, as far as the nearest so many.
    fn new(lexer: &Lexer, entry: LexerState, most: usize) -> Self {
        let mut states = vec![Reached {
            state: entry,
            cost: 0,
            before: 0,
            byte: None,
        }];
        let mut queue = VecDeque::from([0u32]);
        let mut settled = Settled::new(lexer);
        let mut order = Vec::new();
        let mut ends: Vec<GapEnd> = Vec::new();
        let mut known: FxHashMap<(TerminalId, LexerState), u32> = FxHashMap::default();
        while let Some(at) = queue.pop_front() {
            let Reached { state, cost, .. } = states[at as usize];
            if !settled.insert(state) {
                continue;
            }
            if order.len() >= most {
                break;
            }
            order.push(at);
            for finish in lexer.finishes(state) {
                let Some(terminal) = finish.terminal else {
                    states.push(Reached {
                        state: finish.to,
                        cost,
                        before: at,
                        byte: None,
                    });
                    queue.push_front(states.len() as u32 - 1);
                    continue;
                };
                let separator = lexer.separator(finish.to);
                let to = separator.map_or(finish.to, |(_, state)| state);
                if known.insert((terminal, to), cost).is_none() {
                    let separator = separator.map(|(byte, state)| Emit::Separate {
                        byte,
                        boundary: finish.to,
                        state,
                    });
                    ends.push(GapEnd {
                        terminal,
                        to,
                        cost,
                        at,
                        separator,
                    });
                }
            }
            for (byte, next) in lexer.moves(state) {
                if settled.meets(next) {
                    states.push(Reached {
                        state: next,
                        cost: cost + 1,
                        before: at,
                        byte: Some(byte),
                    });
                    queue.push_back(states.len() as u32 - 1);
                }
            }
        }
        let (states, places) = keep(states, &order);
        for end in &mut ends {
            end.at = places[end.at as usize];
        }
        Self { states, ends }
    }

    /// What it writes to end at a boundary, last first.
    pub fn spell_end(&self, end: &GapEnd, segment: u32, reversed: &mut Vec<Addition>) {
        reversed.extend(end.separator.map(|emit| Addition { segment, emit }));
        self.spell(end.at, segment, reversed);
    }

    /// What it writes to come to a state, last first.
    pub fn spell(&self, mut at: u32, segment: u32, reversed: &mut Vec<Addition>) {
        while at != 0 {
            let Reached {
                state,
                before,
                byte,
                ..
            } = self.states[at as usize];
            reversed.extend(byte.map(|byte| Addition {
                segment,
                emit: Emit::Byte(byte, state),
            }));
            at = before;
        }
    }
}

/// States from which all that goes on behind a gap is known to go on.
struct Settled<'l> {
    lexer: &'l Lexer,
    states: Seen,
    /// What was come to by a byte, the cheapest way first.
    #[cfg(feature = "shortcuts")]
    met: Seen,
    /// By core, the fewest characters that were counted behind which nothing is too short any
    /// more: from states with more of them nothing else goes on.
    fewest: FxHashMap<LexerState, u32>,
}

impl<'l> Settled<'l> {
    fn new(lexer: &'l Lexer) -> Self {
        Self {
            lexer,
            states: Seen::new(lexer),
            #[cfg(feature = "shortcuts")]
            met: Seen::new(lexer),
            fewest: FxHashMap::default(),
        }
    }

    /// Adds a state; whether more goes on from it.
    fn insert(&mut self, state: LexerState) -> bool {
        if self.contains(state) {
            return false;
        }
        if let Some((core, count, enough)) = self.lexer.count_of(state)
            && count >= enough
        {
            self.fewest.insert(core, count);
        }
        self.states.insert(state)
    }

    fn contains(&self, state: LexerState) -> bool {
        self.states.contains(state) || self.is_more(state)
    }

    /// Comes to a state by a byte; whether that is for the first time.
    fn meets(&mut self, state: LexerState) -> bool {
        #[cfg(feature = "shortcuts")]
        if !self.met.insert(state) {
            return false;
        }
        !self.contains(state)
    }

    /// Whether a state of the core with no more characters is there, where none are missing.
    fn is_more(&self, state: LexerState) -> bool {
        let is_more = |(core, count, _)| self.fewest.get(&core).is_some_and(|&few| few <= count);
        self.lexer.count_of(state).is_some_and(is_more)
    }
}

/// States of a lexer, as bits where they are not so many as where long texts are counted.
#[cfg(feature = "shortcuts")]
enum Seen {
    Few(BitSet),
    Many(FxHashSet<LexerState>),
}

/// States of a lexer that are few: 32 kilobytes of bits.
#[cfg(feature = "shortcuts")]
const FEW: usize = 1 << 18;

#[cfg(feature = "shortcuts")]
impl Seen {
    fn new(lexer: &Lexer) -> Self {
        let states = lexer.state_bound() as usize;
        match states <= FEW {
            true => Self::Few(BitSet::new(states)),
            false => Self::Many(FxHashSet::default()),
        }
    }

    /// Adds a state; whether it is new.
    fn insert(&mut self, state: LexerState) -> bool {
        match self {
            Self::Few(states) => states.insert(state as usize),
            Self::Many(states) => states.insert(state),
        }
    }

    fn contains(&self, state: LexerState) -> bool {
        match self {
            Self::Few(states) => states.contains(state as usize),
            Self::Many(states) => states.contains(&state),
        }
    }
}

/// States of a lexer.
#[cfg(not(feature = "shortcuts"))]
struct Seen(FxHashMap<LexerState, ()>);

#[cfg(not(feature = "shortcuts"))]
impl Seen {
    fn new(_: &Lexer) -> Self {
        Self(FxHashMap::default())
    }

    fn insert(&mut self, state: LexerState) -> bool {
        self.0.insert(state, ()).is_none()
    }

    fn contains(&self, state: LexerState) -> bool {
        self.0.contains_key(&state)
    }
}

/// The states that were settled, in that order, and where each has gone.
fn keep(mut states: Vec<Reached>, order: &[u32]) -> (Vec<Reached>, Vec<u32>) {
    let mut places = vec![0; states.len()];
    for (place, &at) in (0..).zip(order) {
        places[at as usize] = place;
    }
    for reached in &mut states {
        reached.before = places[reached.before as usize];
    }
    let kept = order.iter().map(|&at| {
        let Reached {
            state,
            cost,
            before,
            byte,
        } = states[at as usize];
        Reached {
            state,
            cost,
            before,
            byte,
        }
    });
    (kept.collect(), places)
}
