//! Witnesses of gaps of any length, looked for among few and short lexemes.
//!
//! A chart answers for all texts that a gap can hold at once. One filling is enough for a
//! yes, and gaps are filled by a few lexemes as a rule. So each becomes a few cells that
//! may stay empty, a cell holds the shortest lexeme of some terminal, or one byte, and
//! what looks for witnesses where cells are counted looks here too. It never says no.
//!
//! Cost: the vocabulary once, a walk over the states of the lexer; then that of a search.

use std::sync::Arc;

use lacuna_lexer::{Lexer, Spanner, Vocabulary};

use super::Exact;
use super::tiers::{CHART_AMONG_FEWER, FIRST_SEARCH, WIDE};
use super::widened::widenings;
use crate::gap_reach::{Entry, GapReaches};
use crate::graph::Emit;
use crate::guide::Guide;
use crate::{Pattern, Witness};

/// Cells of a gap, and of one at the end.
const CELLS: usize = 4;
const TAIL: usize = 48;

/// Cells of one at the end where others have one; all have twice as many with each step.
const SHORT_TAIL: usize = 8;
const STEPS: u8 = 3;

/// Short lexemes as a vocabulary, with what is known of them.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    vocabulary: Option<Arc<Vocabulary>>,
    spanner: Option<Spanner>,
    guide: Option<Option<Guide>>,
}

impl Sketch {
    pub(crate) fn new(lexer: &Lexer, reaches: &mut GapReaches) -> Self {
        let vocabulary = short_lexemes(lexer, reaches).map(Arc::new);
        let spanner = |vocabulary| Spanner::new(vocabulary).with_empty_cells();
        Self {
            spanner: vocabulary.clone().map(spanner),
            vocabulary,
            guide: None,
        }
    }

    /// Entries of its memos, a measure of the memory.
    pub(super) fn size(&self) -> usize {
        let guide = self.guide.iter().flatten().map(Guide::size).sum::<usize>();
        guide + self.spanner.as_ref().map_or(0, Spanner::entry_count)
    }
}

impl Exact {
    /// A witness of a pattern whose gaps have any length, by a short search.
    pub(super) fn sketched_at_once(&mut self, pattern: &Pattern) -> Option<Witness> {
        let last = pattern.segments.len().saturating_sub(1);
        let counted = pattern.with_cells(|at| if at == last { TAIL } else { CELLS });
        self.sketched(&mut |exact| exact.search(&counted, None, FIRST_SEARCH)?.witness())
    }

    /// The same of a lexeme for each gap at most, and of more near which there is none.
    pub(super) fn sketched_at_length(&mut self, pattern: &Pattern) -> Option<Witness> {
        let last = pattern.segments.len().saturating_sub(1);
        let counted = |steps: &[u8]| {
            pattern.with_cells(|at| match at == last {
                true => SHORT_TAIL << steps[at],
                false => 1 << steps[at],
            })
        };
        let mut steps = vec![0; pattern.segments.len()];
        self.sketched(&mut |exact| {
            exact.until_found(widenings(pattern), &mut |exact, stuck| {
                let cells = counted(&steps);
                let cells = match stuck {
                    None => cells,
                    Some(stuck) if stuck.widen(&mut steps, &cells, STEPS) => counted(&steps),
                    Some(_) => return Err(None),
                };
                exact.followed(&cells, Some(WIDE), CHART_AMONG_FEWER)
            })
        })
    }

    fn sketched(&mut self, look: &mut dyn FnMut(&mut Self) -> Option<Witness>) -> Option<Witness> {
        // Where items stand in any order, a search piles them up.
        if !self.cfg.interleaves.is_empty() {
            return None;
        }
        let sketch = self.sketch.take();
        let mut sketch = sketch.unwrap_or_else(|| {
            let fresh = self.tables.sketch(&self.cfg.lexer, &mut self.reaches);
            Box::new(fresh)
        });
        let vocabulary = sketch.vocabulary.clone();
        self.exchange(&mut sketch);
        let found = vocabulary.and_then(|vocabulary| Some(look(self)?.spelled(&vocabulary)));
        self.exchange(&mut sketch);
        self.sketch = Some(sketch);
        found
    }

    fn exchange(&mut self, sketch: &mut Sketch) {
        std::mem::swap(&mut self.vocabulary, &mut sketch.vocabulary);
        std::mem::swap(&mut self.choice.spanner, &mut sketch.spanner);
        std::mem::swap(&mut self.memos.guide, &mut sketch.guide);
    }
}

/// The shortest lexeme of each terminal, with what separates it from the next and without,
/// and the bytes that lexemes are made of; `None` if there are none.
fn short_lexemes(lexer: &Lexer, reaches: &mut GapReaches) -> Option<Vocabulary> {
    let mut tokens: Vec<Option<Vec<u8>>> = vec![None, None];
    let mut met = vec![false; lexer.terminal_count()];
    for start in lexer.starts() {
        let reach = reaches.from(lexer, start, Entry::Boundary);
        for end in &reach.ends {
            let is_met = std::mem::replace(&mut met[end.terminal as usize], true);
            if is_met && start != Lexer::START {
                continue;
            }
            let mut reversed = Vec::new();
            reach.spell(end.at, 0, &mut reversed);
            let mut lexeme: Vec<u8> = Vec::new();
            for added in reversed.iter().rev() {
                if let Emit::Byte(byte, _) = added.emit {
                    lexeme.push(byte);
                }
            }
            tokens.push(Some(lexeme.clone()));
            if let Some(Emit::Separate { byte, .. }) = end.separator {
                lexeme.push(byte);
                tokens.push(Some(lexeme));
            }
        }
    }
    let mut known = [false; 256];
    for core in 0..lexer.core_count() {
        for &(byte, _) in lexer.core_moves(core as u32) {
            if !std::mem::replace(&mut known[usize::from(byte)], true) {
                tokens.push(Some(vec![byte]));
            }
        }
    }
    Vocabulary::new(tokens, vec![1], 0).ok()
}
