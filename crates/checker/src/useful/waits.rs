//! What waits for symbols, by the state that each becomes behind one.
//!
//! Where a symbol has been read, the states that may follow are known, and of each the
//! boundaries from which it does: where something
//! waits that began there itself, as bits, and where something waits that began before. The
//! last are kept in [blocks](Block) of 64. From one place to the next, the boundaries that a
//! symbol may have begun at hardly change but for the nearest; so a block keeps what it
//! answered last.
//!
//! A boundary is asked what waits there for a symbol when that is first read from there.
//!
//! Cost: a bit or an entry for each symbol that is read from a boundary; to follow a symbol,
//! a word for each 64 boundaries before each block that it began in, and what waits at
//! those where it did not begin when the block was last asked.

use lacuna_lexer::TerminalId;

use super::forward::{Known, Waiter};
use super::places::{BoundaryId, NONE};
use super::spans::{join, set};
use crate::cfg::NonterminalId;
use crate::lr::StateId;

/// Number of a symbol: of a terminal or a nonterminal.
pub(super) type SymbolId = u32;

/// Number of a symbol and a state behind it.
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
    /// By state, the symbols that lead to it, ascending, each with what waits for it.
    by_state: Vec<Vec<(SymbolId, WaitId)>>,
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
    pub blocks: Vec<Block>,
}

/// What waits at 64 boundaries in a row, and began before.
#[derive(Clone, Default)]
pub(super) struct Block {
    /// Which word of bits they are.
    pub word: usize,
    /// The boundaries, as bits.
    pub boundaries: u64,
    /// What waits at each: its place among all that is known.
    pub waiting: Vec<(BoundaryId, u32)>,
    /// The first word of where it began.
    pub first: usize,
    answer: Answer,
}

/// What a block answered last.
#[derive(Clone, Default)]
struct Answer {
    boundaries: u64,
    began: Vec<u64>,
}

impl Waits {
    /// Those of some boundaries that were not asked yet for what waits for a symbol; now they
    /// are.
    pub fn ask(&mut self, symbol: SymbolId, among: &[u64]) -> Vec<BoundaryId> {
        let asked = &mut at(&mut self.by_symbol, symbol).asked;
        asked.resize(asked.len().max(among.len()), 0);
        let mut fresh = Vec::new();
        for ((first, asked), among) in (0..).step_by(64).zip(asked).zip(among) {
            let mut left = among & !*asked;
            *asked |= among;
            while left != 0 {
                fresh.push(first + left.trailing_zeros());
                left &= left - 1;
            }
        }
        fresh
    }

    /// Takes note of what waits for a symbol at a boundary.
    pub fn add(&mut self, symbol: SymbolId, boundary: BoundaryId, waiter: Waiter, known: &[Known]) {
        let fresh = self.all.len() as WaitId;
        let leading = at(&mut self.by_state, waiter.target);
        let wait = match leading.binary_search_by_key(&symbol, |&(known, _)| known) {
            Ok(known) => leading[known].1,
            Err(place) => {
                leading.insert(place, (symbol, fresh));
                let behind = at(&mut self.by_symbol, symbol);
                behind.targets.push((waiter.target, fresh));
                self.all.push(Waiting::default());
                fresh
            }
        };
        let waiting = &mut self.all[wait as usize];
        let word = boundary as usize / 64;
        if waiter.known == NONE {
            if waiting.here.len() <= word {
                waiting.here.resize(word + 1, 0);
            }
            return set(&mut waiting.here, boundary);
        }
        let place = waiting.blocks.partition_point(|block| block.word < word);
        if waiting
            .blocks
            .get(place)
            .is_none_or(|block| block.word > word)
        {
            let block = Block {
                word,
                first: word,
                ..Block::default()
            };
            waiting.blocks.insert(place, block);
        }
        let block = &mut waiting.blocks[place];
        block.boundaries |= 1 << (boundary % 64);
        block.waiting.push((boundary, waiter.known));
        let first = known[waiter.known as usize].span.first as usize;
        self.kept += 1 + block.first - first.min(block.first);
        if first < block.first {
            // What was answered so far began later.
            block.first = first;
            block.answer = Answer::default();
        }
    }

    /// The states that may follow a symbol, each with what waits for it.
    pub fn behind(&self, symbol: SymbolId) -> &[(StateId, WaitId)] {
        let behind = self.by_symbol.get(symbol as usize);
        behind.map_or(&[], |behind| &behind.targets)
    }

    /// The symbols that lead to a state, each with what waits for it.
    pub fn before(&self, state: StateId) -> &[(SymbolId, WaitId)] {
        let leading = self.by_state.get(state as usize);
        leading.map_or(&[], |leading| leading)
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
        let here = self.here.iter().zip(boundaries);
        here.fold(0, |any, (here, passing)| any | here & passing) != 0
            || self.blocks.iter().any(|block| block.among(boundaries) != 0)
    }
}

impl Block {
    /// Those of some boundaries at which something waits here.
    pub fn among(&self, boundaries: &[u64]) -> u64 {
        self.boundaries & boundaries.get(self.word).copied().unwrap_or(0)
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
        let Answer {
            boundaries: answered,
            began,
        } = &mut self.answer;
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
fn at<T: Clone + Default>(list: &mut Vec<T>, number: u32) -> &mut T {
    let number = number as usize;
    if list.len() <= number {
        list.resize(number + 1, T::default());
    }
    &mut list[number]
}
