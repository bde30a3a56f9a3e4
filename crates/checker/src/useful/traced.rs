//! Backwards over symbols: from what is of use behind one to what waited for it.
//!
//! From one place to the next before it, what of a state is of use hardly changes, and
//! neither does where its symbol may have begun. So for each block of what waits
//! ([`waits`](super::waits)) it is kept what was asked last, and what was found.
//!
//! A state that is of use wherever it began came from all that waited for its symbol where that
//! began: all of this is of use, wherever it began, and is marked once. As a rule a look ahead
//! has left little else.
//!
//! Cost: a word for each 64 boundaries, and once for each entry where it began. For a state that is
//! not of use wherever it began, for each block in which a symbol began a word for each 64
//! boundaries before it; where other things are asked than before, the same for each entry of the
//! block.

use std::ops::Range;

use lacuna_grammar::automaton::SHORTCUTS;

use super::forward::{Chart, Known};
use super::spans::{Span, join};
use super::waits::{Block, WaitId, Waiting};

/// What was found, for each block of all that waits.
#[derive(Default)]
pub(super) struct Traced {
    by_wait: Vec<FoundOf>,
    /// What of the state that is traced is of use.
    behind: Vec<u64>,
}

/// What was found of what waits for a symbol to become one state.
#[derive(Clone, Default)]
struct FoundOf {
    /// The boundaries at which all that waits is of use, wherever it began.
    filled: Vec<u64>,
    blocks: Vec<Found>,
}

/// What was asked of a block, and found.
#[derive(Clone, Default)]
struct Found {
    /// The boundaries that were asked last.
    asked: u64,
    /// Of these, those where what waits is of use.
    useful: u64,
    /// Where what becomes of it began and was of use then, from a word on.
    first: usize,
    behind: Vec<u64>,
    /// The boundaries whose entries are marked with all of the next, at least.
    marked: u64,
    marks: Vec<u64>,
}

impl Traced {
    /// Finds those of some boundaries from which a state is of use that is known behind a
    /// symbol, and adds them to what is `found`; what waited there is marked. Returns the words
    /// that were looked at.
    pub fn trace(
        &mut self,
        chart: &Chart<'_>,
        useful: &mut [u64],
        (known, wait): (usize, WaitId),
        from: &[u64],
        found: &mut [u64],
    ) -> usize {
        let Known { span, .. } = chart.known[known];
        let waiting = chart.waits.of(wait);
        let behind = span.of_all(useful);
        let mut work = behind.len();
        let at = wait as usize;
        if at >= self.by_wait.len() {
            self.by_wait.resize_with(at + 1, FoundOf::default);
        }
        let traced = &mut self.by_wait[at];
        if SHORTCUTS {
            traced.filled.resize(waiting.before.len(), 0);
        }
        if SHORTCUTS && behind == span.of_all(&chart.words) {
            // It came from all of these boundaries, whatever waited there.
            for (found, (here, from)) in found.iter_mut().zip(waiting.here.iter().zip(from)) {
                *found |= here & from;
            }
            let mut fresh = 0;
            let before = waiting.before.iter().zip(from).zip(&traced.filled);
            for (found, ((before, from), filled)) in found.iter_mut().zip(before) {
                *found |= before & from;
                fresh |= before & from & !filled;
            }
            if fresh != 0 {
                work += traced.fill(waiting, chart, useful, from);
            }
            return work;
        }
        for (at, behind) in (span.first as usize..).zip(behind) {
            if let Some((here, from)) = waiting.here.get(at).zip(from.get(at)) {
                found[at] |= behind & here & from;
            }
        }
        traced
            .blocks
            .resize_with(waiting.blocks.len(), Found::default);
        self.behind.clear();
        self.behind.extend_from_slice(span.of_all(useful));
        let words = waiting.before.len().saturating_sub(span.first as usize);
        self.behind.resize(self.behind.len().max(words), 0);
        for (block, last) in waiting.blocks.iter().zip(&mut traced.blocks) {
            let among = block.among(&waiting.before, from);
            // What waits began no earlier than its block's first word, and no later than that.
            let word = block.word;
            let first = block.first.max(span.first as usize);
            if among == 0 || first > word {
                continue;
            }
            let unfilled = match SHORTCUTS {
                true => among & !traced.filled[word],
                false => among,
            };
            let asks = among & !found[word];
            if asks | unfilled != 0 {
                let at = span.first as usize;
                let behind = &self.behind[first - at..=word - at];
                work += last.look(block, chart, useful, (asks, unfilled), (first, behind));
                found[word] |= last.useful & among;
            }
        }
        work
    }
}

impl FoundOf {
    /// Marks all that waits at some boundaries; the words that were looked at.
    fn fill(
        &mut self,
        waiting: &Waiting,
        chart: &Chart<'_>,
        useful: &mut [u64],
        from: &[u64],
    ) -> usize {
        let mut work = 0;
        for block in &waiting.blocks {
            let filled = &mut self.filled[block.word];
            let fresh = block.among(&waiting.before, from) & !*filled;
            if fresh == 0 {
                continue;
            }
            *filled |= fresh;
            for &(boundary, waits) in &block.waiting {
                if fresh >> (boundary % 64) & 1 == 1 {
                    let span = chart.known[waits as usize].span;
                    let all = span.of_all(&chart.words);
                    span.of_all_mut(useful).copy_from_slice(all);
                    work += all.len();
                }
            }
        }
        work
    }
}

impl Found {
    /// Finds at which of some boundaries what waits is of use, because it began where what
    /// becomes of it is so, from a word on.
    fn look(
        &mut self,
        block: &Block,
        chart: &Chart<'_>,
        useful: &mut [u64],
        (asks, unfilled): (u64, u64),
        (first, behind): (usize, &[u64]),
    ) -> usize {
        if self.first != first {
            *self = Self {
                first,
                ..Self::default()
            };
        }
        let len = behind.len();
        self.behind.resize(len, 0);
        self.marks.resize(len, 0);
        // What is there that was not before, what no longer is, and what is not marked yet.
        let (mut more, mut fewer, mut unmarked) = (0, 0, 0);
        for ((last, marks), now) in self.behind.iter().zip(&self.marks).zip(behind) {
            more |= now & !last;
            fewer |= last & !now;
            unmarked |= now & !marks;
        }
        let mut fresh = 0..0;
        if unmarked != 0 {
            let pairs = behind.iter().zip(&self.marks);
            fresh = within(pairs.map(|(now, marks)| now & !marks != 0));
        }
        if more | fewer != 0 {
            let yes = if fewer == 0 { self.useful } else { 0 };
            let no = if more == 0 { !self.useful } else { 0 };
            (self.asked, self.useful) = (yes | self.asked & no, yes);
            self.behind.copy_from_slice(behind);
        }
        let is_new = unfilled & !self.marked;
        let asks = asks & !self.asked;
        let todo = if fresh.is_empty() {
            asks | is_new
        } else {
            asks | unfilled
        };
        let mut work = len;
        if todo == 0 {
            return work;
        }
        let all = within(self.behind.iter().map(|&word| word != 0));
        for &(boundary, waits) in &block.waiting {
            let bit = 1 << (boundary % 64);
            if bit & todo == 0 {
                continue;
            }
            let before = chart.known[waits as usize].span;
            let range = if bit & is_new != 0 {
                all.clone()
            } else {
                fresh.clone()
            };
            work += range.len();
            let window = Window {
                first,
                words: &self.behind,
            };
            let any = window.mark(before, range, &chart.words, useful);
            if any
                || bit & asks & !self.useful != 0 && window.meets(before, all.clone(), &chart.words)
            {
                self.useful |= bit;
            }
        }
        self.asked |= asks;
        if is_new != 0 {
            self.marked = unfilled;
            self.marks.copy_from_slice(&self.behind);
        } else if !fresh.is_empty() {
            self.marked = unfilled;
            join(&mut self.marks, &self.behind);
        }
        work
    }
}

/// From the first that holds to the last.
fn within(mut words: impl DoubleEndedIterator<Item = bool> + ExactSizeIterator) -> Range<usize> {
    let len = words.len();
    let start = words.position(|holds| holds).unwrap_or(len);
    let end = words.rposition(|holds| holds);
    start..end.map_or((start + 1).min(len), |last| start + 2 + last)
}

/// Words of a set of boundaries, from one on.
struct Window<'a> {
    first: usize,
    words: &'a [u64],
}

impl Window<'_> {
    /// The words of a set that are in a range of these: where it has them among all, and where
    /// these are.
    fn shared(&self, set: Span, range: Range<usize>) -> (usize, Range<usize>) {
        let first = set.first as usize;
        let begin = first.max(self.first + range.start);
        let end = (first + set.words as usize).min(self.first + range.end);
        match begin < end {
            true => (set.at + begin - first, begin - self.first..end - self.first),
            false => (0, 0..0),
        }
    }

    /// Marks what of a set is in a range of these; whether anything is.
    fn mark(&self, set: Span, range: Range<usize>, words: &[u64], marks: &mut [u64]) -> bool {
        let (at, range) = self.shared(set, range);
        let mut any = 0;
        let sets = words[at..].iter().zip(&mut marks[at..]);
        for (&here, (&word, mark)) in self.words[range].iter().zip(sets) {
            *mark |= word & here;
            any |= word & here;
        }
        any != 0
    }

    /// Whether a set has something of a range of these.
    fn meets(&self, set: Span, range: Range<usize>, words: &[u64]) -> bool {
        let (at, range) = self.shared(set, range);
        let both = self.words[range].iter().zip(&words[at..]);
        both.fold(0, |any, (here, word)| any | here & word) != 0
    }
}
