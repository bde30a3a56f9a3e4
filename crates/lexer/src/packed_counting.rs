//! Counts beside the states of a lexer, as lists of numbers.
//!
//! What is read may come from anywhere: rows, kinds and cores that are not there are refused,
//! and so is a text that ends inside of a lexeme.

use lacuna_grammar::automaton::Grouped;
use lacuna_grammar::automaton::packed::Damaged;
use serde::{Deserialize, Serialize};

use crate::alive::Alive;
use crate::combined::DEAD;
use crate::counting::{Counted, Counting, PLAIN, RowIndex};
use crate::{BitSet, Lexer};

/// A [`Counting`] as lists of numbers, with what can come next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PackedCounting {
    /// The row of each core.
    rows: Vec<u32>,
    /// The core of each that counts, whether it stands between characters, the last count that
    /// changes anything, the one from which on nothing is too short, and the kind.
    counted: Vec<(u32, bool, u32, u32, u32)>,
    /// For each kind the last count of each stage, and the row plus one, or 0.
    stages: Vec<Vec<(u32, u32)>>,
    /// For each row the terminals that can come next.
    alive: Vec<Vec<u32>>,
}

impl PackedCounting {
    pub(crate) fn pack(counting: &Counting, alive: &Alive) -> Self {
        let counted = counting.counted.iter();
        let counted = counted.map(|it| (it.core, it.is_between, it.last, it.enough, it.kind));
        let stages = counting.stages.each().map(|stages| {
            let stages = stages.iter();
            stages.map(|&(to, row)| (to, row.wrapping_add(1))).collect()
        });
        let alive = alive.set_of.iter().map(|&set| {
            let set = alive.sets[set as usize].iter();
            set.map(|terminal| terminal as u32).collect()
        });
        Self {
            rows: counting.of_core.iter().map(|&(row, _)| row).collect(),
            counted: counted.collect(),
            stages: stages.collect(),
            alive: alive.collect(),
        }
    }

    /// Number of rows.
    pub(crate) fn row_count(&self) -> usize {
        self.alive.len()
    }

    /// What was packed, of a table of so many cores.
    pub(crate) fn unpack(
        &self,
        cores: usize,
        terminals: usize,
    ) -> Result<(Counting, Alive), Damaged> {
        const WRONG: Damaged = Damaged("counts beside states");
        let is_start = |row: RowIndex| row == Lexer::START;
        let is_row = |row: RowIndex| (row as usize) < self.row_count();
        let (first, others) = self.rows.split_first().ok_or(WRONG)?;
        let are_rows = others.iter().all(|&row| is_row(row) && !is_start(row));
        if self.rows.len() != cores || !is_start(*first) || !is_row(*first) || !are_rows {
            return Err(WRONG);
        }
        let mut counting = Counting {
            cores: cores as u32,
            bits: None,
            of_core: self.rows.iter().map(|&row| (row, PLAIN)).collect(),
            counted: Vec::new(),
            stages: Grouped::default(),
            states: 0,
        };
        for stages in &self.stages {
            let is_last = stages.last().is_some_and(|&(to, _)| to == u32::MAX);
            let is_sorted = stages.is_sorted_by(|one, other| one.0 < other.0);
            let rows = stages.iter().map(|&(_, row)| row.wrapping_sub(1));
            let mut rows = rows.filter(|&row| row != DEAD);
            if !is_last || !is_sorted || !rows.all(|row| is_row(row) && !is_start(row)) {
                return Err(WRONG);
            }
            let stages = stages.iter();
            let stages = stages.map(|&(to, row)| (to, row.wrapping_sub(1)));
            counting.stages.add(stages);
        }
        for (place, &(core, is_between, last, enough, kind)) in (0..).zip(&self.counted) {
            let of_core = counting.of_core.get_mut(core as usize).ok_or(WRONG)?;
            if of_core.1 != PLAIN || kind as usize >= self.stages.len() {
                return Err(WRONG);
            }
            of_core.1 = place;
            counting.counted.push(Counted {
                core,
                first: 0,
                is_between,
                last,
                enough,
                kind,
            });
        }
        let mut sets = Vec::with_capacity(self.alive.len());
        for (row, alive) in (0..).zip(&self.alive) {
            let mut set = BitSet::new(terminals + 1);
            for &terminal in alive {
                let most = terminals + usize::from(is_start(row));
                if terminal as usize >= most {
                    return Err(WRONG);
                }
                set.insert(terminal as usize);
            }
            sets.push(set);
        }
        match counting.settle() {
            true => Ok((counting, Alive::of(sets))),
            false => Err(Damaged("more states than are numbered")),
        }
    }
}

impl Counting {
    /// Numbers the states; whether these are not too many.
    pub(crate) fn settle(&mut self) -> bool {
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
        let plain = self.of_core.iter().filter(|&&(_, place)| place == PLAIN);
        self.states = plain.count() + sizes.sum::<usize>();
        next.is_some()
    }
}
