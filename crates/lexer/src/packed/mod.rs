//! A lexer as short lists of numbers, to be kept somewhere and read again.
//!
//! Kept is what its construction found out; what follows from that ([`Alive`], but where
//! characters are counted, and moves) is worked out anew, which takes less time than
//! reading it and leaves less to be wrong. What is read may come from anywhere: it is refused unless
//! every index is in range and it has the shape that walks over it rely on. A
//! *boundary* is one of the first states, or where a lexeme ended; no byte leads to one,
//! and no lexeme ends at one, so that no lexeme is empty.

mod counting;

use std::sync::OnceLock;

use lacuna_grammar::automaton::packed::{
    Damaged, pack_classes, pack_flags, pack_rows, unpack_classes, unpack_flags, unpack_rows,
};
use lacuna_grammar::automaton::{Grouped, Limits, SHORTCUTS};
use serde::{Deserialize, Serialize};

use crate::alive::Alive;
use crate::combined::DEAD;
use crate::counting::Counting;
use crate::lexer::{Owing, moves};
use crate::{Finish, Lexer, LexerState, TerminalId};
use counting::PackedCounting;

/// A [`Lexer`] as lists of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedLexer {
    classes: Vec<u32>,
    rows: Vec<u32>,
    /// The state, as a distance, the terminal plus one (or 0) and the boundary, of
    /// every way for a lexeme to end.
    finishes: Vec<u32>,
    ends: Vec<u32>,
    /// The boundary, as a distance, and the byte.
    separators: Vec<u32>,
    /// Rows of the automaton that obligations are states of.
    owing_rows: Vec<u32>,
    owing_accepting: Vec<u32>,
    /// The boundary, as a distance, the boundary without obligations, and their
    /// number, then they themselves.
    owed: Vec<u32>,
    terminals: u32,
    /// How many contexts lexemes begin in.
    starts: u32,
    counting: Option<PackedCounting>,
}

/// States times terminals up to which a lexer is read: 256 MiB of bits.
const MAX_ALIVE: u64 = 1 << 31;

impl Lexer {
    /// The lexer as lists of numbers, the same for the same lexer.
    ///
    /// # Errors
    /// Where more characters are counted than have a packed form.
    pub fn pack(&self) -> Result<PackedLexer, Damaged> {
        let counting = self.counted();
        let counting = counting.map(|counting| PackedCounting::pack(counting, self));
        let mut finishes = Vec::new();
        let mut last = 0;
        for (state, ways) in (0u32..).zip(self.finishes.each()) {
            for finish in ways {
                let terminal = finish.terminal.map_or(0, |terminal| terminal + 1);
                finishes.extend([state - last, terminal, finish.to]);
                last = state;
            }
        }
        let mut separators = Vec::new();
        let mut last = 0;
        for (boundary, byte) in sorted(&self.separators) {
            separators.extend([boundary - last, u32::from(*byte)]);
            last = boundary;
        }
        let mut owed = Vec::new();
        let mut last = 0;
        for (boundary, (obligations, free)) in sorted(&self.owing.boundaries) {
            owed.extend([boundary - last, *free, obligations.len() as u32]);
            owed.extend_from_slice(obligations);
            last = boundary;
        }
        Ok(PackedLexer {
            classes: pack_classes(&self.classes),
            rows: pack_rows(&self.table, self.class_count),
            finishes,
            ends: pack_flags(&self.ends),
            separators,
            owing_rows: pack_rows(&self.owing.table, self.class_count),
            owing_accepting: pack_flags(&self.owing.accepting),
            owed,
            terminals: self.terminal_count as u32,
            starts: self.starts,
            counting: counting.transpose()?,
        })
    }

    /// Reads what [`pack`](Self::pack) made.
    ///
    /// # Errors
    /// Where it is something else, or has more states than the limit.
    pub fn unpack(packed: &PackedLexer, limits: &Limits) -> Result<Self, Damaged> {
        let (classes, class_count) = unpack_classes(&packed.classes)?;
        let table = unpack_rows(&packed.rows, class_count, limits.dfa_states)?;
        let states = table.len() / class_count;
        // The grammar engine alone neither writes nor reads counts.
        let counting = packed.counting.as_ref();
        if counting.is_some() && !SHORTCUTS {
            return Err(Damaged("characters that are counted"));
        }
        let counting = counting.filter(|_| SHORTCUTS);
        let rows = counting.map_or(Ok(states), PackedCounting::row_count)?;
        if rows as u64 * u64::from(packed.terminals) > MAX_ALIVE {
            return Err(Damaged("more terminals than the limit"));
        }
        let terminal_count = packed.terminals as usize;
        let finishes = unpack_finishes(&packed.finishes, rows, states, packed.terminals)?;
        // One at the start, and one behind each terminal at most.
        let most = states.min(packed.terminals as usize + 1);
        if packed.starts == 0 || packed.starts as usize > most {
            return Err(Damaged("the contexts of lexemes"));
        }
        let boundaries = boundaries(&table, &finishes, packed.starts, states)?;
        let ends = unpack_flags(&packed.ends, rows)?;
        let mut lexer = Self {
            alive: Alive::of(Vec::new()),
            moves: OnceLock::new(),
            counting: None,
            owing: unpack_owing(packed, class_count, &boundaries, limits)?,
            separators: Default::default(),
            classes,
            class_count,
            table,
            finishes,
            ends,
            terminal_count,
            starts: packed.starts,
        };
        match counting {
            Some(counting) => counting.unpack_into(&mut lexer, &boundaries)?,
            None => lexer.find_alive(&boundaries)?,
        }
        lexer.with_separators(&packed.separators, &boundaries)
    }

    /// Bytes of memory that the lexer takes, closely.
    pub fn heap_bytes(&self) -> usize {
        let moves = self.moves.get().map_or(0, Grouped::heap_bytes);
        let lists = self.finishes.heap_bytes() + moves;
        let owed = self.owing.boundaries.values();
        let owed = owed.map(|(obligations, _)| size_of_val(&**obligations) + 48);
        let tables = (self.table.len() + self.owing.table.len()) * size_of::<LexerState>();
        let flags = self.ends.len() + self.owing.accepting.len();
        let lists = lists + owed.sum::<usize>();
        let counting = self.counted().map_or(0, Counting::heap_bytes);
        let alive = self.alive.heap_bytes();
        tables + flags + lists + 12 * self.separators.len() + alive + counting
    }

    /// What can come of states, where none count: what bytes and ends of lexemes lead to.
    fn find_alive(&mut self, boundaries: &[bool]) -> Result<(), Damaged> {
        let mut each = self.finishes.each().zip(boundaries);
        if each.any(|(ways, &boundary)| boundary && !ways.is_empty()) {
            return Err(Damaged("an empty lexeme"));
        }
        if self
            .ends
            .iter()
            .zip(boundaries)
            .any(|(&end, &at)| end && !at)
        {
            return Err(Damaged("an end inside a lexeme"));
        }
        let moves = moves(&self.table, &self.classes, self.finishes.owners());
        self.alive = Alive::new(&moves, &self.finishes, &self.ends, self.terminal_count);
        self.moves = moves.into();
        Ok(())
    }

    fn with_separators(mut self, packed: &[u32], boundaries: &[bool]) -> Result<Self, Damaged> {
        const WRONG: Damaged = Damaged("a separator");
        let mut boundary = 0u32;
        for (index, separator) in packed.chunks(2).enumerate() {
            let &[distance, byte] = separator else {
                return Err(WRONG);
            };
            boundary = further(boundary, distance, index).ok_or(WRONG)?;
            let byte = u8::try_from(byte).map_err(|_| WRONG)?;
            if boundaries.get(boundary as usize) != Some(&true) {
                return Err(WRONG);
            }
            let state = self.next(boundary, byte).ok_or(WRONG)?;
            let mut ends = self.finishes(state).iter();
            if !ends.any(|finish| finish.terminal.is_none()) {
                return Err(WRONG);
            }
            self.separators.insert(boundary, byte);
        }
        Ok(self)
    }
}

fn sorted<V>(map: &rustc_hash::FxHashMap<LexerState, V>) -> Vec<(LexerState, &V)> {
    let mut entries: Vec<_> = map.iter().map(|(&state, value)| (state, value)).collect();
    entries.sort_unstable_by_key(|&(state, _)| state);
    entries
}

/// The next of a list of ascending numbers, of which only the first may be 0 away
/// from 0.
fn further(from: u32, distance: u32, index: usize) -> Option<u32> {
    match distance == 0 && index > 0 {
        true => None,
        false => from.checked_add(distance),
    }
}

fn unpack_finishes(
    packed: &[u32],
    rows: usize,
    states: usize,
    terminals: u32,
) -> Result<Grouped<Finish>, Damaged> {
    const WRONG: Damaged = Damaged("the end of a lexeme");
    let mut finishes = Grouped::default();
    let mut ways: Vec<Finish> = Vec::new();
    let mut row = 0u32;
    for way in packed.chunks(3) {
        let &[distance, terminal, to] = way else {
            return Err(WRONG);
        };
        row = row.checked_add(distance).ok_or(WRONG)?;
        if row as usize >= rows || to as usize >= states || terminal > terminals {
            return Err(WRONG);
        }
        while finishes.owners() < row as usize {
            finishes.add(ways.drain(..));
        }
        ways.push(Finish {
            terminal: terminal.checked_sub(1) as Option<TerminalId>,
            to,
        });
    }
    while finishes.owners() < rows {
        finishes.add(ways.drain(..));
    }
    Ok(finishes)
}

/// For each state, whether it is a boundary.
fn boundaries(
    table: &[LexerState],
    finishes: &Grouped<Finish>,
    starts: u32,
    states: usize,
) -> Result<Vec<bool>, Damaged> {
    let mut boundaries = vec![false; states];
    boundaries[..starts as usize].fill(true);
    for finish in finishes.all() {
        boundaries[finish.to as usize] = true;
    }
    let mut moves = table.iter().filter(|&&next| next != DEAD);
    match moves.any(|&next| boundaries[next as usize]) {
        true => Err(Damaged("a byte that leads to a boundary")),
        false => Ok(boundaries),
    }
}

fn unpack_owing(
    packed: &PackedLexer,
    class_count: usize,
    boundaries: &[bool],
    limits: &Limits,
) -> Result<Owing, Damaged> {
    const WRONG: Damaged = Damaged("an obligation");
    let table = match packed.owing_rows.is_empty() {
        true => Vec::new(),
        false => unpack_rows(&packed.owing_rows, class_count, limits.dfa_states)?,
    };
    let states = table.len() / class_count;
    let mut owing = Owing {
        accepting: unpack_flags(&packed.owing_accepting, states)?,
        table,
        boundaries: Default::default(),
    };
    let mut rest = packed.owed.as_slice();
    let mut boundary = 0u32;
    while let Some((&[distance, free, count], behind)) = rest.split_first_chunk() {
        boundary = further(boundary, distance, owing.boundaries.len()).ok_or(WRONG)?;
        let (obligations, behind) = behind.split_at_checked(count as usize).ok_or(WRONG)?;
        rest = behind;
        let is_boundary = |at: u32| boundaries.get(at as usize) == Some(&true);
        let known = obligations.iter().all(|&owed| (owed as usize) < states);
        if !known || !is_boundary(boundary) || !is_boundary(free) {
            return Err(WRONG);
        }
        owing
            .boundaries
            .insert(boundary, (obligations.into(), free));
    }
    let frees = owing.boundaries.values().map(|(_, free)| free);
    let are_free = frees
        .map(|free| owing.boundaries.get(free))
        .all(|owed| owed.is_some_and(|(obligations, _)| obligations.is_empty()));
    match rest.is_empty() && are_free {
        true => Ok(owing),
        false => Err(WRONG),
    }
}
