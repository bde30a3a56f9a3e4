//! All terminals of a grammar as one automaton over bytes, in either lexical
//! discipline.
//!
//! A state says what the lexeme under way may become; from some states it may
//! end, which leads to a *boundary*, the state before the next lexeme. Bytes
//! are deterministic; whether a lexeme ends is not.
//!
//! - *Free* ([`Lexer::free`]): any segmentation counts. A lexeme of any accepted
//!   terminal may end anywhere, and there is one boundary, or one for each context that
//!   lexemes begin in ([`Lexer::within`]).
//! - *Maximal munch* ([`Lexer::munching`]): a lexeme may end only where no
//!   longer one would have matched. That depends on bytes to come, so ending
//!   leaves an *obligation* behind: the state of the lexeme that ended, which
//!   the following bytes must not lead to acceptance. A state is the lexeme
//!   under way with the set of open obligations, and the boundaries are as many
//!   as the sets that arise. An obligation vanishes when it is dead, and with
//!   the end of the text. This is exact for any lookahead (`1..2`, or `1.e5`
//!   against `1..e5`); most lexers need one byte of it, and then obligations are
//!   gone after the first byte of the next lexeme.
//!
//! A grammar's constraint on whole texts is a further component of the state,
//! which boundaries keep.
//!
//! Cost: states and byte classes, once; sets of obligations that do not arise
//! cost nothing.

use crate::few::SortFew;
use std::ops::Range;
use std::sync::OnceLock;

use lacuna_grammar::Lexicon;
use lacuna_grammar::automaton::{AutomatonError, Dfa, Grouped, Limits, Ranged, SHORTCUTS};
use rustc_hash::FxHashMap;

use crate::Contexts;
use crate::alive::Alive;
use crate::combined::{Combined, DEAD};
use crate::construction::Construction;
use crate::counting::{Cores, Counting, Counts};
use crate::product::Labels;

/// Index of a terminal.
pub type TerminalId = u32;

/// Index of a state of the [`Lexer`].
pub type LexerState = u32;

/// A way for the lexeme under way to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Finish {
    /// Its terminal; `None` if that is ignored.
    pub terminal: Option<TerminalId>,
    /// The boundary it leads to.
    pub to: LexerState,
}

/// The combined automaton.
#[derive(Clone, Debug)]
pub struct Lexer {
    pub(crate) classes: Box<[u8; 256]>,
    pub(crate) class_count: usize,
    pub(crate) table: Vec<LexerState>,
    /// What is said of states is said by row: where none are counted, that is the state.
    pub(crate) finishes: Grouped<Finish>,
    /// Whether a text may end in states of the row.
    pub(crate) ends: Vec<bool>,
    pub(crate) alive: Alive,
    /// Counts beside states, if there are any; the table is that of their cores.
    pub(crate) counting: Option<Box<Counting>>,
    /// For each core, the cores that one byte leads to, each with one byte; made when they are
    /// first asked for, if they are.
    pub(crate) moves: OnceLock<Grouped<(u8, LexerState)>>,
    pub(crate) separators: FxHashMap<LexerState, u8>,
    pub(crate) owing: Owing,
    pub(crate) terminal_count: usize,
    /// The first boundaries, one for each context that lexemes begin in.
    pub(crate) starts: u32,
}

/// What becomes of obligations, apart from all else.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owing {
    /// The combined automaton's table, and whether its states accept; empty where
    /// no boundary has obligations.
    pub table: Vec<LexerState>,
    pub accepting: Vec<bool>,
    /// For each boundary, its obligations and the boundary without them.
    pub boundaries: FxHashMap<LexerState, (Box<[LexerState]>, LexerState)>,
}

/// What a boundary's obligations come to before a known text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owed {
    /// They are gone: all is as at this boundary, which has none.
    Nothing(LexerState),
    /// One is broken.
    Broken,
    /// Some outlast the text.
    Open,
}

impl Lexer {
    /// The boundary before the first lexeme.
    pub const START: LexerState = 0;

    /// The combined automaton of `terminals`, none of which may hold the empty
    /// text (a grammar says that with an optional terminal), under free
    /// discipline.
    ///
    /// # Errors
    /// When it would have more states than the limit.
    pub fn free(
        terminals: &[Ranged],
        constraint: Option<&Dfa>,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let contexts = Contexts::any(terminals.len());
        if constraint.is_none() {
            return Self::within(terminals, &[], &contexts, limits);
        }
        let labels = Labels::new(terminals.len(), &[]);
        let combined = Combined::new(terminals, &contexts, &labels, constraint, limits)?;
        let ways = (0..combined.state_count() as LexerState)
            .map(|state| {
                let accepted = combined.accepts(state).iter();
                accepted.map(|&terminal| (Some(terminal), false)).collect()
            })
            .collect();
        Construction::new(&combined, constraint, ways).run(terminals.len(), limits)
    }

    /// The same without a constraint, where it is known in which contexts lexemes begin. The
    /// characters of some terminals may be counted: of these the automata are given of texts of
    /// any length.
    ///
    /// # Errors
    /// When it would have more states than the limit, counts aside.
    pub fn within(
        terminals: &[Ranged],
        counts: &[(TerminalId, Counts)],
        contexts: &Contexts,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let labels = Labels::new(terminals.len(), counts);
        let combined = Combined::new(terminals, contexts, &labels, None, limits)?;
        if counts.is_empty() || !SHORTCUTS {
            return Self::uncounted(combined, contexts);
        }
        let (set_of, alive) = combined.alive_labels()?;
        let (accepts, accepted) = combined.accepted_sets();
        let cores = Cores {
            sets: accepts.iter().copied().zip(set_of).collect(),
            accepted,
            alive: &alive,
        };
        let (counting, mut rows) = Counting::new(&cores, contexts, &labels)?;
        let alive = rows.alive();
        Ok(Self {
            counting: Some(Box::new(counting)),
            ..Self::of_rows(combined, rows.finishes, alive, contexts)
        })
    }

    /// Where lexemes end anywhere and leave nothing behind, states are those of the
    /// combined automaton, and the only boundaries are its starts.
    fn uncounted(combined: Combined, contexts: &Contexts) -> Result<Self, AutomatonError> {
        let terminal_count = contexts.behind.len();
        let end = |&terminal: &TerminalId| Finish {
            terminal: Some(terminal),
            to: contexts.behind[terminal as usize],
        };
        let alive = combined.alive(contexts, terminal_count)?;
        let states = 0..combined.state_count() as LexerState;
        let mut finishes = Grouped::default();
        for state in states {
            finishes.add(combined.accepts(state).iter().map(end));
        }
        Ok(Self::of_rows(combined, finishes, alive, contexts))
    }

    fn of_rows(
        combined: Combined,
        finishes: Grouped<Finish>,
        alive: Alive,
        contexts: &Contexts,
    ) -> Self {
        let boundaries = 0..contexts.sets.len();
        let mut ends = vec![false; finishes.owners()];
        ends[boundaries.clone()].fill(true);
        let boundaries = boundaries.map(|boundary| boundary as LexerState);
        let Combined {
            classes,
            representatives,
            table,
            ..
        } = combined;
        Self {
            alive,
            counting: None,
            moves: OnceLock::new(),
            class_count: representatives.len(),
            classes,
            table,
            finishes,
            ends,
            separators: FxHashMap::default(),
            owing: Owing {
                boundaries: boundaries.map(|it| (it, (Box::default(), it))).collect(),
                ..Owing::default()
            },
            terminal_count: contexts.behind.len(),
            starts: contexts.sets.len() as u32,
        }
    }

    /// The combined automaton of a lexicon. Lexemes of terminals that are not
    /// `wanted`, nor ignored, take others' place where they match longer, and end
    /// nowhere; those that are, end as lexemes of the terminal that stands for theirs.
    ///
    /// # Errors
    /// When it would have more states than the limit.
    pub fn munching(
        lexicon: &Lexicon,
        wanted: &[Option<TerminalId>],
        constraint: Option<&Dfa>,
        limits: &Limits,
    ) -> Result<Self, AutomatonError> {
        let terminals: Vec<Ranged> = lexicon
            .terminals
            .iter()
            .map(|terminal| Ranged::from(terminal.language.as_ref()))
            .collect();
        let labels = Labels::new(terminals.len(), &[]);
        let contexts = Contexts::any(terminals.len());
        let mut combined = Combined::new(&terminals, &contexts, &labels, constraint, limits)?;
        // As what a lexeme counts: as nothing, if it is none of those.
        let counts = |winner: TerminalId| match lexicon.terminals[winner as usize].ignored {
            true => Some(None),
            false => wanted[winner as usize].map(Some),
        };
        if SHORTCUTS {
            combined.merge(|accepted| accepted.first().map(|&winner| counts(winner)));
        }
        let extends = combined.extends();
        let states = 0..combined.state_count() as LexerState;
        let found = states.map(|state| counts(*combined.accepts(state).first()?));
        let found: Vec<Option<Option<TerminalId>>> = found.collect();
        let leads = combined.leads_to(|state| found[state as usize].is_some());
        let found = found.into_iter().zip(extends);
        let ways = found.map(|(found, binds)| Vec::from_iter(found.map(|it| (it, binds))));
        let ways = ways.collect();
        Construction::new(&combined, constraint, ways)
            .of_what_leads_on(leads)
            .run(terminals.len(), limits)
    }

    /// Counts beside states, if there are any; the grammar engine alone is without them.
    pub(crate) fn counted(&self) -> Option<&Counting> {
        self.counting.as_deref().filter(|_| SHORTCUTS)
    }

    /// Number of states.
    pub fn state_count(&self) -> usize {
        match self.counted() {
            None => self.finishes.owners(),
            Some(counting) => counting.count(),
        }
    }

    /// A number that those of all states are below: as many as there are, where no characters are
    /// counted.
    pub fn state_bound(&self) -> LexerState {
        match self.counted() {
            None => self.finishes.owners() as LexerState,
            Some(counting) => counting.bound,
        }
    }

    /// What a state is but for the characters that were counted: a state, where none are.
    pub fn core(&self, state: LexerState) -> LexerState {
        match self.counted() {
            None => state,
            Some(counting) => counting.split(state).0,
        }
    }

    /// Of a state in which characters are counted: its core, the count, and from which count on
    /// whatever goes on behind a state goes on behind those of its core with fewer.
    pub fn count_of(&self, state: LexerState) -> Option<(LexerState, u32, u32)> {
        self.counted()?.count_of(state)
    }

    /// Number of cores: all are below.
    pub fn core_count(&self) -> usize {
        self.table.len() / self.class_count.max(1)
    }

    /// Whether the end of a lexeme may oblige what follows, as it does where the longest one
    /// counts.
    pub fn owes(&self) -> bool {
        !self.owing.table.is_empty()
    }

    /// Whether characters are counted.
    pub fn counts(&self) -> bool {
        self.counted().is_some()
    }

    /// The core after one more byte, and whether one character more is counted there.
    pub(crate) fn core_next(&self, core: LexerState, byte: u8) -> Option<(LexerState, bool)> {
        let class = self.classes[byte as usize] as usize;
        let next = self.table[core as usize * self.class_count + class];
        let counting = self.counted().filter(|_| next != DEAD);
        let is_counted = counting.is_some_and(|counting| counting.is_counted(next));
        (next != DEAD).then_some((next, is_counted))
    }

    /// How lexemes end in states of a core, whatever the count is.
    pub fn core_finishes(&self, core: LexerState) -> &[Finish] {
        self.finishes.of(match self.counted() {
            None => core,
            Some(counting) => counting.row_of_core(core),
        })
    }

    /// The same number for states in which the same lexemes may end.
    pub(crate) fn row(&self, state: LexerState) -> u32 {
        match self.counted() {
            None => state,
            Some(counting) => counting.row(state),
        }
    }

    /// The boundaries that every lexeme can begin at, where nothing is owed: one for each context,
    /// [`START`](Self::START) first.
    pub fn starts(&self) -> Range<LexerState> {
        0..self.starts
    }

    /// Number of terminals.
    pub fn terminal_count(&self) -> usize {
        self.terminal_count
    }

    /// The state after one more byte; `None` where no terminal goes on so.
    pub fn next(&self, state: LexerState, byte: u8) -> Option<LexerState> {
        let class = self.classes[byte as usize] as usize;
        let next = |core| self.table[core as usize * self.class_count + class];
        let next = match self.counted() {
            None => next(state),
            Some(counting) => counting.after(state, &next),
        };
        (next != DEAD).then_some(next)
    }

    /// The ways in which the lexeme under way may end here.
    pub fn finishes(&self, state: LexerState) -> &[Finish] {
        self.finishes.of(self.row(state))
    }

    /// Whether a text may end here: between lexemes, and as the constraint has it.
    pub fn is_end(&self, state: LexerState) -> bool {
        self.ends[self.row(state) as usize]
    }

    /// Whether the next lexeme that is not ignored, from this state on, may be
    /// of `terminal`.
    pub fn is_alive(&self, state: LexerState, terminal: TerminalId) -> bool {
        self.alive.contains(self.row(state), terminal as usize)
    }

    /// The same number, below [`outlooks`](Self::outlooks), for states of which
    /// [`is_alive`](Self::is_alive) and [`may_end`](Self::may_end) say the same.
    pub fn outlook(&self, state: LexerState) -> u32 {
        self.alive.set_of(self.row(state))
    }

    /// Number of different outlooks.
    pub fn outlooks(&self) -> usize {
        self.alive.count()
    }

    /// Whether the text may end from this state on with ignored lexemes only.
    pub fn may_end(&self, state: LexerState) -> bool {
        self.alive.contains(self.row(state), self.terminal_count)
    }

    /// What a boundary's obligations come to if `text` follows.
    pub fn owed(&self, boundary: LexerState, text: &[u8]) -> Owed {
        let Some((obligations, free)) = self.owing.boundaries.get(&boundary) else {
            return Owed::Open;
        };
        let classes = self.class_count;
        let mut open = false;
        for &obligation in obligations {
            let mut state = obligation;
            let mut gone = false;
            for &byte in text {
                state = self.owing.table
                    [state as usize * classes + self.classes[byte as usize] as usize];
                if state == DEAD {
                    gone = true;
                    break;
                }
                if self.owing.accepting[state as usize] {
                    return Owed::Broken;
                }
            }
            open |= !gone;
        }
        match open {
            true => Owed::Open,
            false => Owed::Nothing(*free),
        }
    }

    /// A byte of an ignored lexeme that may stand at a boundary behind a terminal,
    /// such that whatever can come next can come behind it; and the state there.
    pub fn separator(&self, boundary: LexerState) -> Option<(u8, LexerState)> {
        let &byte = self.separators.get(&boundary)?;
        Some((byte, self.next(boundary, byte)?))
    }

    /// One byte, the most readable one, for each target a state leads to.
    pub fn moves(&self, state: LexerState) -> impl Iterator<Item = (u8, LexerState)> + '_ {
        let (core, count) = match self.counted() {
            None => (state, 0),
            Some(counting) => counting.split(state),
        };
        let moves = self.core_moves(core).iter();
        moves.filter_map(move |&(byte, core)| match self.counted() {
            None => Some((byte, core)),
            Some(counting) => match counting.at(core, count) {
                DEAD => None,
                next => Some((byte, next)),
            },
        })
    }

    /// The same of cores.
    pub fn core_moves(&self, core: LexerState) -> &[(u8, LexerState)] {
        let Self { table, classes, .. } = self;
        let cores = self.core_count();
        self.moves
            .get_or_init(|| moves(table, classes, cores))
            .of(core)
    }
}

/// One byte, the most readable one, for each state that each state leads to.
pub(crate) fn moves(
    table: &[LexerState],
    classes: &[u8; 256],
    states: usize,
) -> Grouped<(u8, LexerState)> {
    let width = table.len() / states.max(1);
    // The most readable byte of each class, behind how many others are more so.
    let mut readable = vec![u16::MAX; width];
    let mut more = 0u8;
    for byte in (b'a'..=b'z').chain(b' '..=b'~').chain(0..=255) {
        let readable = &mut readable[classes[byte as usize] as usize];
        if *readable == u16::MAX {
            *readable = u16::from_be_bytes([more, byte]);
            more = more.wrapping_add(1);
        }
    }
    let mut moves = Grouped::default();
    let mut found: Vec<(u16, LexerState)> = Vec::new();
    for state in 0..states {
        let row = &table[state * width..][..width];
        let mut end = 0;
        for run in row.chunk_by(|one, other| one == other) {
            let (begin, next) = (end, run[0]);
            end += run.len();
            if next == DEAD {
                continue;
            }
            let bytes = readable[begin..end].iter().copied();
            let byte = bytes.fold(u16::MAX, u16::min);
            match found.iter_mut().find(|(_, known)| *known == next) {
                Some((known, _)) => *known = byte.min(*known),
                None => found.push((byte, next)),
            }
        }
        found.sort_few();
        moves.add(found.drain(..).map(|(byte, next)| (byte as u8, next)));
    }
    moves
}
