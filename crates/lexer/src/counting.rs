//! Counts of characters beside the states of a lexer.
//!
//! A terminal of a hundred states within two thousand characters would make two hundred
//! thousand states of a lexer. Here these are numbers that stand for a state of the combined
//! automaton without counts, its *core*, and a count: where a byte leads, what may end there
//! and what can come of it follow from both, and nothing is made beforehand. All counted
//! terminals of a lexeme began where it began, so one count does for all of them.
//!
//! What a count changes, it changes at few places: where a terminal has been too short until
//! then, or is too long from then on. Between these, a core's *stages*, everything is the same
//! but the count. So what is asked of states is kept by *row*: one for each core without a
//! count, and one for each stage, those that say the same being one.
//!
//! Cost: the cores, and for each as many stages as terminals are counted in it.

use lacuna_grammar::automaton::{Ahead, AutomatonError, Grouped};
use rustc_hash::FxHashMap;

use crate::alive::Alive;
use crate::combined::DEAD;
use crate::product::Labels;
use crate::{BitSet, Contexts, Finish, LexerState, TerminalId};

/// How characters of a terminal are counted.
#[derive(Clone, Debug)]
pub struct Counts {
    /// What is ahead of each state of its automaton.
    pub ahead: Vec<Ahead>,
    /// The fewest characters.
    pub min: u32,
    /// The most, if there is a most.
    pub max: Option<u32>,
}

impl Counts {
    /// The count from which on nothing changes.
    fn last(&self) -> u32 {
        self.max.map_or(self.min, |max| max.saturating_add(1))
    }
}

/// Index of a row.
pub(crate) type RowIndex = u32;

/// States that are told apart until nothing is too short: a gap of any length may lead to all.
const MOST_SHORT: u64 = 1 << 22;

/// A core that does not count.
pub(crate) const PLAIN: u32 = u32::MAX;

/// States that are a core and a count.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    /// Number of cores; states below are cores without a count.
    pub cores: u32,
    /// The states of each core that counts are so many bits, if there are not too many then.
    pub bits: Option<u32>,
    /// For each core its row, whatever its count is, and its place among those that count.
    pub of_core: Vec<(RowIndex, u32)>,
    /// Those that count.
    pub counted: Vec<Counted>,
    /// By kind, the last count of a stage and its row, in order; the last stage holds all counts
    /// behind. No row where nothing can come of it.
    pub stages: Grouped<(u32, RowIndex)>,
    /// Number of states.
    pub states: usize,
    /// A number that those of all states are below.
    pub bound: LexerState,
}

/// A core that counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub core: u32,
    /// The state that is the core with the count 0; others follow.
    pub first: LexerState,
    /// Whether it stands between characters.
    pub is_between: bool,
    /// The count from which on nothing changes, here or behind.
    pub last: u32,
    /// The count from which on nothing is too short: fewer characters are better from there.
    pub enough: u32,
    /// What tells its stages: those of one kind have the same.
    pub kind: u32,
}

/// What the cores are, by the sets of what they accept and of what can come of them.
pub(crate) struct Cores<'a> {
    /// For each core, the places of both.
    pub sets: Vec<(u32, u32)>,
    pub accepted: &'a [Vec<TerminalId>],
    /// As labels.
    pub alive: &'a [Vec<u32>],
}

/// The terminals that are accepted, and those that can come next; in order.
type Says = (Vec<TerminalId>, Vec<TerminalId>);

/// What is asked of states, by row.
pub(crate) struct Rows<'a> {
    pub finishes: Grouped<Finish>,
    alive: Vec<BitSet>,
    /// For each terminal, the boundary behind it.
    behind: &'a [LexerState],
    /// By the numbers of both, and how many are accepted.
    known: FxHashMap<Box<[u32]>, RowIndex>,
}

impl Counting {
    /// Splits cores into stages. Lexemes begin at the first cores, without a count, whose rows are
    /// the first.
    pub(crate) fn new<'a>(
        cores: &Cores<'_>,
        contexts: &'a Contexts,
        labels: &Labels<'_>,
    ) -> Result<(Self, Rows<'a>), AutomatonError> {
        let mut rows = Rows {
            finishes: Grouped::default(),
            alive: Vec::new(),
            behind: &contexts.behind,
            known: FxHashMap::default(),
        };
        let mut counting = Self {
            cores: cores.sets.len() as u32,
            bits: None,
            of_core: Vec::with_capacity(cores.sets.len()),
            counted: Vec::new(),
            stages: Grouped::default(),
            states: 0,
            bound: 0,
        };
        let said = |sets: (u32, u32)| {
            let accepted = &cores.accepted[sets.0 as usize];
            (accepted, &cores.alive[sets.1 as usize])
        };
        let (starts, others) = cores.sets.split_at(contexts.sets.len());
        for &sets in starts {
            let (accepted, alive) = said(sets);
            let row = rows.add_start(&at_count(accepted, alive, labels, 0));
            counting.of_core.push((row, PLAIN));
        }
        let mut known: FxHashMap<(u32, u32), (RowIndex, Option<Counted>)> = FxHashMap::default();
        for (core, &sets) in (starts.len() as u32..).zip(others) {
            let (row, counted) = match known.get(&sets) {
                Some(&known) => known,
                None => {
                    let (accepted, alive) = said(sets);
                    let row = rows.add(at_any_count(accepted, alive, labels));
                    let counted = match counts_characters(alive, labels)? {
                        None => None,
                        Some(is_between) => {
                            counting.add_stages(accepted, alive, labels, &mut rows);
                            let counts = || {
                                let ahead = alive.iter().filter_map(|&it| labels.ahead(it));
                                ahead.map(|(counts, _)| counts)
                            };
                            Some(Counted {
                                core,
                                first: 0,
                                is_between,
                                last: counts().map(Counts::last).max().unwrap_or(0),
                                enough: counts().map(|it| it.min).max().unwrap_or(0),
                                kind: counting.stages.owners() as u32 - 1,
                            })
                        }
                    };
                    known.insert(sets, (row, counted));
                    (row, counted)
                }
            };
            let place = match counted {
                None => PLAIN,
                Some(counted) => {
                    counting.counted.push(Counted { core, ..counted });
                    counting.counted.len() as u32 - 1
                }
            };
            counting.of_core.push((row, place));
        }
        match counting.settle() {
            true => Ok((counting, rows)),
            false => Err(AutomatonError::TooLarge {
                what: "lexer states",
                limit: DEAD as usize,
            }),
        }
    }

    /// Of its parts, the states numbered; `None` where these are too many.
    pub(crate) fn of_parts(
        of_core: Vec<(RowIndex, u32)>,
        counted: Vec<Counted>,
        stages: Grouped<(u32, RowIndex)>,
    ) -> Option<Self> {
        let mut counting = Self {
            cores: of_core.len() as u32,
            bits: None,
            of_core,
            counted,
            stages,
            states: 0,
            bound: 0,
        };
        counting.settle().then_some(counting)
    }

    /// Adds the stages of a kind of cores.
    fn add_stages(
        &mut self,
        accepted: &[TerminalId],
        alive: &[u32],
        labels: &Labels<'_>,
        rows: &mut Rows<'_>,
    ) {
        let turns = labels.turns(accepted, alive);
        let mut stages: Vec<(u32, RowIndex)> = Vec::with_capacity(turns.len());
        for (at, &from) in turns.iter().enumerate() {
            let to = turns.get(at + 1).map_or(u32::MAX, |next| next - 1);
            let says = at_count(accepted, alive, labels, from);
            let row = match says.1.is_empty() {
                true => DEAD,
                false => rows.add(says),
            };
            match stages.last_mut() {
                Some(stage) if stage.1 == row => stage.0 = to,
                _ => stages.push((to, row)),
            }
        }
        self.stages.add(stages);
    }

    /// The core of a state, and its count.
    #[inline(never)]
    pub(crate) fn split(&self, state: LexerState) -> (u32, u32) {
        let told = self.told(state);
        told.map_or((state, 0), |(counted, count)| (counted.core, count))
    }

    /// The row of a state.
    // Not for every place where a lexer is read: few count, and code is to be small.
    #[inline(never)]
    pub(crate) fn row(&self, state: LexerState) -> RowIndex {
        match self.told(state) {
            None => self.of_core[state as usize].0,
            Some((counted, count)) => self.row_of(counted, count),
        }
    }

    /// What a state is that counts, and its count.
    fn told(&self, state: LexerState) -> Option<(&Counted, u32)> {
        let beyond = state.checked_sub(self.cores)?;
        let counted = match self.bits {
            Some(bits) => &self.counted[(beyond >> bits) as usize],
            None => {
                let behind = self.counted.partition_point(|it| it.first <= state);
                &self.counted[behind - 1]
            }
        };
        Some((counted, state - counted.first))
    }

    /// Of a state that counts: its core, its count, and from which count on fewer characters are
    /// as good as more.
    pub(crate) fn count_of(&self, state: LexerState) -> Option<(u32, u32, u32)> {
        let (counted, count) = self.told(state)?;
        Some((counted.core, count, counted.enough))
    }

    fn row_of(&self, counted: &Counted, count: u32) -> RowIndex {
        let stages = self.stages.of(counted.kind);
        let at = stages.partition_point(|&(to, _)| to < count);
        stages.get(at).map_or(DEAD, |&(_, row)| row)
    }

    /// The row of what is said of a core whatever its count is.
    pub(crate) fn row_of_core(&self, core: u32) -> RowIndex {
        self.of_core[core as usize].0
    }

    /// Whether one character more is counted where a core is come to.
    pub(crate) fn is_counted(&self, core: u32) -> bool {
        let counted = self.counted.get(self.of_core[core as usize].1 as usize);
        counted.is_some_and(|counted| counted.is_between)
    }

    /// The state behind another, where `next` is the core that a core leads to.
    #[inline(never)]
    pub(crate) fn after(&self, state: LexerState, next: &dyn Fn(u32) -> u32) -> LexerState {
        let (core, count) = self.split(state);
        match next(core) {
            DEAD => DEAD,
            next => self.at(next, count),
        }
    }

    /// The state where a core is come to behind so many characters.
    #[inline(never)]
    pub(crate) fn at(&self, core: u32, before: u32) -> LexerState {
        let (_, place) = self.of_core[core as usize];
        if place == PLAIN {
            return core;
        }
        let counted = &self.counted[place as usize];
        let count = (before + u32::from(counted.is_between)).min(counted.last);
        match self.row_of(counted, count) {
            DEAD => DEAD,
            _ => counted.first + count,
        }
    }

    /// Number of states.
    pub(crate) fn count(&self) -> usize {
        self.states
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let cores = size_of_val(self.of_core.as_slice()) + size_of_val(self.counted.as_slice());
        cores + self.stages.heap_bytes()
    }

    /// Numbers the states; whether these are not too many.
    fn settle(&mut self) -> bool {
        // Of one number for all, a shift tells which it is.
        let last = self.counted.iter().map(|counted| counted.last).max();
        let bits = u32::BITS - last.unwrap_or(0).leading_zeros();
        let all = (self.counted.len() as u128) << bits;
        let is_few = all + u128::from(self.cores) < u128::from(DEAD);
        self.bits = is_few.then_some(bits);
        let mut next = Some(self.cores);
        for counted in &mut self.counted {
            let Some(first) = next else { return false };
            counted.first = first;
            let size = match self.bits {
                Some(bits) => Some(1 << bits),
                None => counted.last.checked_add(1),
            };
            next = size.and_then(|size| first.checked_add(size));
        }
        // How many counts of a kind something can come of, up to the last that differs.
        let sizes = self.counted.iter().map(|counted| {
            let mut from = 0u64;
            let mut size = 0;
            for &(to, row) in self.stages.of(counted.kind) {
                let to = u64::from(to.min(counted.last)) + 1;
                if row != DEAD {
                    size += to.saturating_sub(from);
                }
                from = to.max(from);
            }
            size as usize
        });
        self.bound = next.unwrap_or(DEAD);
        let plain = self.of_core.iter().filter(|&&(_, place)| place == PLAIN);
        self.states = plain.count() + sizes.sum::<usize>();
        let short = self.counted.iter();
        let short = short.map(|counted| u64::from(counted.enough.min(counted.last)) + 1);
        next.is_some() && short.sum::<u64>() <= MOST_SHORT
    }
}

impl Rows<'_> {
    /// The row of a start, where no lexeme has begun: there a text may end.
    fn add_start(&mut self, says: &Says) -> RowIndex {
        self.push(says, true)
    }

    /// The row that says so.
    fn add(&mut self, says: Says) -> RowIndex {
        let (accepted, alive) = &says;
        let spelled = [&[accepted.len() as u32], accepted.as_slice(), alive].concat();
        if let Some(&known) = self.known.get(spelled.as_slice()) {
            return known;
        }
        let fresh = self.push(&says, false);
        self.known.insert(spelled.into(), fresh);
        fresh
    }

    fn push(&mut self, (accepted, alive): &Says, is_end: bool) -> RowIndex {
        self.finishes.add(accepted.iter().map(|&terminal| Finish {
            terminal: Some(terminal),
            to: self.behind[terminal as usize],
        }));
        let mut set = BitSet::new(self.behind.len() + 1);
        for &terminal in alive {
            set.insert(terminal as usize);
        }
        if is_end {
            set.insert(self.behind.len());
        }
        self.alive.push(set);
        self.alive.len() as RowIndex - 1
    }

    /// What can come next, by row.
    pub(crate) fn alive(&mut self) -> Alive {
        Alive::of(std::mem::take(&mut self.alive))
    }
}

/// Whether a core where something is counted stands between characters; `None` where nothing is.
fn counts_characters(alive: &[u32], labels: &Labels<'_>) -> Result<Option<bool>, AutomatonError> {
    let mut ahead = alive.iter().filter_map(|&label| labels.ahead(label));
    let Some((_, first)) = ahead.next() else {
        return Ok(None);
    };
    match ahead.any(|(_, other)| other.is_between != first.is_between) {
        false => Ok(Some(first.is_between)),
        // Spelled in two ways, characters would have to be counted for each.
        true => Err(AutomatonError::TooLarge {
            what: "ways to count characters at once",
            limit: 1,
        }),
    }
}

/// What a core says at one count.
fn at_count(accepted: &[TerminalId], alive: &[u32], labels: &Labels<'_>, count: u32) -> Says {
    let within = |terminal: &TerminalId| match labels.counts(*terminal) {
        None => true,
        Some(counts) => counts.max.is_none_or(|max| count <= max) && count >= counts.min,
    };
    let accepted = accepted.iter().copied().filter(within).collect();
    let leads = alive.iter().filter(|&&label| match labels.ahead(label) {
        None => true,
        Some((counts, ahead)) => ahead.can_end(count, counts.min, counts.max),
    });
    let mut alive: Vec<TerminalId> = leads.map(|&label| labels.terminal(label)).collect();
    alive.sort_unstable();
    (accepted, alive)
}

/// What it says with any count.
fn at_any_count(accepted: &[TerminalId], alive: &[u32], labels: &Labels<'_>) -> Says {
    let mut alive: Vec<TerminalId> = alive.iter().map(|&label| labels.terminal(label)).collect();
    alive.sort_unstable();
    (accepted.to_vec(), alive)
}
