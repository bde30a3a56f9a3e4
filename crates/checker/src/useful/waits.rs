//! What waits for symbols, by the state that each becomes behind one.
//!
//! Where a symbol has been read, the states that may follow are known, and of each the
//! boundaries from which it does, as bits: where something waits that began there itself, and
//! where something waits that began before. What that is, is kept in [blocks](Block) of 64. From
//! one place to the next on a way, the boundaries that a symbol may have begun at hardly change
//! but for the nearest; so a block keeps what it answered last, and before that, since places of
//! two ways often take turns.
//!
//! A boundary is asked what waits there for a symbol when that is first read from there.
//!
//! Cost: a bit or an entry for each symbol that is read from a boundary; to follow a symbol,
//! a word for each 64 boundaries before each block that it began in, and what waits at
//! those where it did not begin when the block gave the answer that is nearest.

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::TerminalId;

use super::forward::{Known, Waiter};
use super::places::{BoundaryId, NONE};
use super::readings::{MoveId, Readings};
use super::spans::{join, set};
use crate::cfg::NonterminalId;
use crate::lr::StateId;
use crate::node_sets::meet;

/// Number of a symbol: of a terminal or a nonterminal.
pub(super) type SymbolId = u32;

/// Number of what waits for a symbol to become one state.
pub(super) type WaitId = u32;

/// The number of a terminal.
pub(super) fn terminal(terminal: TerminalId) -> SymbolId {
    2 * terminal
}

/// The number of a nonterminal.
pub(super) fn nonterminal(nonterminal: NonterminalId) -> SymbolId {
    2 * nonterminal + 1
}

/// The nonterminal of a number, if it is one's.
pub(super) fn as_nonterminal(symbol: SymbolId) -> Option<NonterminalId> {
    (symbol % 2 == 1).then_some(symbol / 2)
}

/// What waits.
#[derive(Default)]
pub(super) struct Waits {
    all: Vec<Waiting>,
    /// What waits for each move; [`NONE`] where nothing does.
    by_move: Vec<WaitId>,
    /// By symbol.
    by_symbol: Vec<Behind>,
    /// Words that are kept.
    pub kept: usize,
}

/// What is known of a symbol.
#[derive(Clone, Default)]
struct Behind {
    /// The boundaries that were asked what waits there.
    asked: Vec<u64>,
    /// The states that follow the symbol, each with what waits for it.
    targets: Vec<(StateId, WaitId)>,
}

/// What becomes one state behind one symbol.
#[derive(Clone, Default)]
pub(super) struct Waiting {
    /// The boundaries where what waits began there itself.
    pub here: Vec<u64>,
    /// Those where it began before.
    pub before: Vec<u64>,
    /// What waits there, for each word of the last that is not empty, ascending.
    pub blocks: Vec<Block>,
}

/// What waits at 64 boundaries in a row, and began before.
#[derive(Clone, Default)]
pub(super) struct Block {
    /// Which word of bits they are.
    pub word: usize,
    /// What waits at each: its place among all that is known.
    pub waiting: Vec<(BoundaryId, u32)>,
    /// The first word of where it began.
    pub first: usize,
    /// What it answered last, and what before that.
    answers: [Answer; ANSWERS],
}

/// How many answers a block keeps; the grammar engine alone keeps one, for size.
const ANSWERS: usize = if SHORTCUTS { 2 } else { 1 };

/// What a block answered last.
#[derive(Clone, Default)]
struct Answer {
    boundaries: u64,
    began: Vec<u64>,
}

impl Answer {
    /// How many of some boundaries it is of; `None` if it is of others too.
    fn of(&self, boundaries: u64) -> Option<u32> {
        (self.boundaries & !boundaries == 0).then(|| self.boundaries.count_ones())
    }
}

impl Waits {
    /// Adds to others those of some boundaries that were not asked yet for what waits for a symbol;
    /// now they are.
    pub fn ask(&mut self, symbol: SymbolId, among: &[u64], fresh: &mut Vec<BoundaryId>) {
        let asked = &mut at(&mut self.by_symbol, symbol).asked;
        asked.resize(asked.len().max(among.len()), 0);
        for ((first, asked), among) in (0..).step_by(64).zip(asked).zip(among) {
            let mut left = among & !*asked;
            *asked |= among;
            while left != 0 {
                fresh.push(first + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }

    /// Takes note of what waits at a boundary for a symbol.
    pub fn add(
        &mut self,
        (symbol, boundary): (SymbolId, BoundaryId),
        waiter: Waiter,
        readings: &Readings,
        known: &[Known],
    ) {
        let at_move = waiter.becomes as usize;
        if at_move >= self.by_move.len() {
            self.by_move.resize(readings.move_count(), NONE);
        }
        let mut wait = self.by_move[at_move];
        if wait == NONE {
            wait = self.all.len() as WaitId;
            self.by_move[at_move] = wait;
            let behind = at(&mut self.by_symbol, symbol);
            behind.targets.push((readings.behind(waiter.becomes), wait));
            self.all.push(Waiting::default());
        }
        let waiting = &mut self.all[wait as usize];
        let word = boundary as usize / 64;
        let bits = match waiter.known {
            NONE => &mut waiting.here,
            _ => &mut waiting.before,
        };
        if bits.len() <= word {
            bits.resize(word + 1, 0);
        }
        set(bits, boundary);
        if waiter.known == NONE {
            return;
        }
        let place = waiting.blocks.partition_point(|block| block.word < word);
        if waiting.blocks.get(place).is_none_or(|it| it.word > word) {
            let block = Block {
                word,
                first: word,
                ..Block::default()
            };
            waiting.blocks.insert(place, block);
        }
        let block = &mut waiting.blocks[place];
        block.waiting.push((boundary, waiter.known));
        let first = known[waiter.known as usize].span.first as usize;
        self.kept += 1 + block.first - first.min(block.first);
        if first < block.first {
            // What was answered so far began later.
            block.first = first;
            block.answers = Default::default();
        }
    }

    /// The states that may follow a symbol, each with what waits for it.
    pub fn behind(&self, symbol: SymbolId) -> &[(StateId, WaitId)] {
        let behind = self.by_symbol.get(symbol as usize);
        behind.map_or(&[], |behind| &behind.targets)
    }

    /// What waits for a move; `None` if nothing does.
    pub fn of_move(&self, id: MoveId) -> Option<WaitId> {
        let wait = *self.by_move.get(id as usize)?;
        (wait != NONE).then_some(wait)
    }

    /// What waits.
    pub fn of(&self, wait: WaitId) -> &Waiting {
        &self.all[wait as usize]
    }

    /// The same.
    pub fn of_mut(&mut self, wait: WaitId) -> &mut Waiting {
        &mut self.all[wait as usize]
    }
}

impl Waiting {
    /// Whether something waits at some of these boundaries.
    pub fn is_at(&self, boundaries: &[u64]) -> bool {
        meet(&self.here, boundaries) || meet(&self.before, boundaries)
    }
}

impl Block {
    /// Those of some boundaries at which something waits here, of all where something that began
    /// before does.
    pub fn among(&self, before: &[u64], boundaries: &[u64]) -> u64 {
        before[self.word] & boundaries.get(self.word).copied().unwrap_or(0)
    }

    /// Adds where what waits at some of its boundaries began to a row; the words that were
    /// looked at.
    pub fn bring(
        &mut self,
        boundaries: u64,
        known: &[Known],
        words: &[u64],
        row: &mut [u64],
    ) -> usize {
        // The one that says more of what is asked, and nothing else; or in place of the older.
        if let [last, other] = &mut self.answers[..] {
            let (of_last, of_other) = (last.of(boundaries), other.of(boundaries));
            if of_other > of_last || of_last.is_none() {
                std::mem::swap(last, other);
            }
        }
        let Answer {
            boundaries: answered,
            began,
        } = &mut self.answers[0];
        if *answered & !boundaries != 0 {
            *answered = 0;
            began.clear();
        }
        began.resize(self.word + 1 - self.first, 0);
        let fresh = boundaries & !*answered;
        let mut work = began.len();
        if fresh != 0 {
            for &(boundary, known_at) in &self.waiting {
                if fresh >> (boundary % 64) & 1 == 1 {
                    let span = known[known_at as usize].span;
                    let at = span.first as usize - self.first;
                    join(&mut began[at..], span.of_all(words));
                    work += span.words as usize;
                }
            }
            *answered = boundaries;
        }
        join(&mut row[self.first..], began);
        work
    }
}

/// A place in a list that grows as it is asked.
fn at<T: Default>(list: &mut Vec<T>, number: u32) -> &mut T {
    let number = number as usize;
    if list.len() <= number {
        list.resize_with(number + 1, T::default);
    }
    &mut list[number]
}
