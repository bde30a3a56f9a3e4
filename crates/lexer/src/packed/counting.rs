//! Counts beside states as lists of numbers.
//!
//! What can come of a state follows from counts too, so that it cannot be worked out anew
//! from where bytes lead, as where none are counted: it is kept, by row. What is read may
//! lie about it, and about counts, but every index is in range, a text ends nowhere but
//! where the lexer says what of, and stages hold every count.

use lacuna_grammar::automaton::Grouped;
use lacuna_grammar::automaton::packed::Damaged;
use serde::{Deserialize, Serialize};

use crate::alive::Alive;
use crate::combined::DEAD;
use crate::counting::{Counted, Counting, PLAIN};
use crate::{BitSet, Lexer};

/// A [`Counting`] and what can come of its rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedCounting {
    /// For each core, its row and its kind plus one, or 0 where none is counted.
    cores: Vec<u32>,
    /// For each kind, twice the count from which on nothing changes and whether it stands
    /// between characters, the count from which on nothing is too short and the number of
    /// its stages; of each stage the characters more than the last, and its row plus one, or 0.
    /// The last stage has no end.
    kinds: Vec<u32>,
    /// For each row, how many terminals can come next, and these, as distances.
    alive: Vec<u32>,
}

const WRONG: Damaged = Damaged("counts of characters");

impl PackedCounting {
    pub(super) fn pack(counting: &Counting, lexer: &Lexer) -> Result<Self, Damaged> {
        let mut cores = Vec::with_capacity(2 * counting.of_core.len());
        let mut kinds = Vec::new();
        let mut packed = 0;
        for &(row, place) in &counting.of_core {
            let counted = counting.counted.get(place as usize);
            cores.extend([row, counted.map_or(0, |counted| counted.kind + 1)]);
            let Some(counted) = counted.filter(|counted| counted.kind == packed) else {
                continue;
            };
            packed += 1;
            let stages = counting.stages.of(counted.kind);
            let last = counted.last.checked_mul(2).ok_or(WRONG)?;
            let last = last + u32::from(counted.is_between);
            kinds.extend([last, counted.enough, stages.len() as u32]);
            let mut from = 0;
            for &(to, row) in stages {
                kinds.extend([to - from, if row == DEAD { 0 } else { row + 1 }]);
                from = to;
            }
        }
        let mut alive = Vec::new();
        for row in 0..lexer.finishes.owners() as u32 {
            let terminals = 0..lexer.terminal_count as u32;
            let terminals: Vec<u32> = terminals
                .filter(|&terminal| lexer.alive.contains(row, terminal as usize))
                .collect();
            alive.push(terminals.len() as u32);
            let mut last = 0;
            for terminal in terminals {
                alive.push(terminal - last);
                last = terminal;
            }
        }
        Ok(Self {
            cores,
            kinds,
            alive,
        })
    }

    /// Number of rows.
    pub(super) fn row_count(&self) -> Result<usize, Damaged> {
        let mut rest = self.alive.as_slice();
        let mut rows = 0;
        while let Some((&count, behind)) = rest.split_first() {
            rest = behind.get(count as usize..).ok_or(WRONG)?;
            rows += 1;
        }
        Ok(rows)
    }

    /// Sets what was packed as the counts of a lexer that has its rows.
    pub(super) fn unpack_into(
        &self,
        lexer: &mut Lexer,
        boundaries: &[bool],
    ) -> Result<(), Damaged> {
        let rows = lexer.finishes.owners() as u32;
        let row = |row: u32| if row < rows { Ok(row) } else { Err(WRONG) };
        let mut stages = Grouped::default();
        let mut kinds = Vec::new();
        let mut rest = self.kinds.as_slice();
        while let Some((&[last, enough, count], behind)) = rest.split_first_chunk() {
            let size = (count as usize).checked_mul(2).ok_or(WRONG)?;
            let (of_kind, behind) = behind.split_at_checked(size).ok_or(WRONG)?;
            rest = behind;
            let mut to = 0u32;
            let of_kind = of_kind.chunks_exact(2).map(|stage| {
                to = to.checked_add(stage[0]).ok_or(WRONG)?;
                Ok((to, stage[1].checked_sub(1).map_or(Ok(DEAD), row)?))
            });
            let of_kind = of_kind.collect::<Result<Vec<_>, _>>()?;
            let is_ascending = of_kind.is_sorted_by(|one, next| one.0 < next.0);
            if !is_ascending || of_kind.last().is_none_or(|stage| stage.0 != u32::MAX) {
                return Err(WRONG);
            }
            stages.add(of_kind);
            kinds.push(Counted {
                core: 0,
                first: 0,
                is_between: last & 1 == 1,
                last: last / 2,
                enough,
                kind: kinds.len() as u32,
            });
        }
        let cores = lexer.core_count();
        if !rest.is_empty() || self.cores.len() != 2 * cores {
            return Err(WRONG);
        }
        let mut counted = Vec::new();
        let mut of_core = Vec::with_capacity(cores);
        for (core, packed) in (0..).zip(self.cores.chunks_exact(2)) {
            let place = match packed[1].checked_sub(1) {
                None => PLAIN,
                Some(kind) => {
                    let kind = *kinds.get(kind as usize).ok_or(WRONG)?;
                    counted.push(Counted { core, ..kind });
                    counted.len() as u32 - 1
                }
            };
            of_core.push((row(packed[0])?, place));
        }
        let counting = Counting::of_parts(of_core, counted, stages).ok_or(WRONG)?;
        // Between lexemes nothing is counted, none ends, and a text may end; nowhere else.
        let mut cores = boundaries.iter().zip(&counting.of_core);
        let are_bound = cores.all(|(&is_boundary, &(row, place))| {
            let is_end = lexer.ends[row as usize];
            is_end == is_boundary
                && (!is_end || place == PLAIN && lexer.finishes.of(row).is_empty())
        });
        let mut stages = counting.stages.all().iter();
        let is_inside = stages.all(|&(_, row)| row == DEAD || !lexer.ends[row as usize]);
        let mut finishes = lexer.finishes.all().iter();
        if !are_bound || !is_inside || finishes.any(|finish| finish.terminal.is_none()) {
            return Err(WRONG);
        }
        lexer.alive = self.unpack_alive(lexer)?;
        lexer.counting = Some(Box::new(counting));
        Ok(())
    }

    fn unpack_alive(&self, lexer: &Lexer) -> Result<Alive, Damaged> {
        let mut sets = Vec::with_capacity(lexer.finishes.owners());
        let mut rest = self.alive.as_slice();
        for (finishes, &is_end) in lexer.finishes.each().zip(&lexer.ends) {
            let (&count, behind) = rest.split_first().ok_or(WRONG)?;
            let (of_row, behind) = behind.split_at_checked(count as usize).ok_or(WRONG)?;
            rest = behind;
            let mut set = BitSet::new(lexer.terminal_count + 1);
            let mut terminal = 0u32;
            for distance in of_row {
                terminal = terminal.checked_add(*distance).ok_or(WRONG)?;
                if terminal as usize >= lexer.terminal_count {
                    return Err(WRONG);
                }
                set.insert(terminal as usize);
            }
            // What ends here can.
            let mut ended = finishes.iter().filter_map(|finish| finish.terminal);
            if !ended.all(|terminal| set.contains(terminal as usize)) {
                return Err(WRONG);
            }
            if is_end {
                set.insert(lexer.terminal_count);
            }
            sets.push(set);
        }
        Ok(Alive::of(sets))
    }
}
