//! The regular cover of a grammar: its LR(0) automaton with returns forgotten.
//!
//! Where a production is complete, the cover goes on behind its nonterminal
//! wherever that stands, not only where it began (the transition network of EPIC,
//! section 4.3). So it takes more texts than the grammar, in a finite memory, and
//! what it refuses, the grammar refuses. Its states are the parser's, which makes
//! it a lookahead as well: of all states that a parse could be in somewhere, only
//! those matter from which the cover can read the rest.
//!
//! Sets of states are bits in words. A terminal leads to some states, to each from a set of states
//! that read it; what was asked for is interned.
//!
//! Cost: once for a grammar, the words of a set for each transition; then forwards, once for each
//! set and terminal, the words of a set for each state that the terminal leads to, and backwards
//! for each of these that is wanted.

use std::sync::Arc;

use lacuna_lexer::{Lexer, LexerState, MemoUse, TerminalId, key};
use rustc_hash::FxHashMap;

use crate::cfg::Cfg;
use crate::lr::{StateId, States};
use crate::node_sets::meet;

/// Index of a set of states; [`NO_STATES`] is the empty one.
pub type CoverSetId = u32;

/// The empty set.
pub const NO_STATES: CoverSetId = 0;

type Bits = Box<[u64]>;

/// The cover, with the sets that were asked for so far.
#[derive(Clone, Debug)]
pub struct Cover {
    tables: Arc<Tables>,
    sets: Vec<Bits>,
    ids: FxHashMap<Bits, CoverSetId>,
    /// Where terminals lead to from sets, as far as that was asked for.
    steps: FxHashMap<(CoverSetId, TerminalId), CoverSetId>,
    /// By outlook of a lexer state, the states that can read what may become of it; empty
    /// where that was not asked for.
    hopes: Vec<Vec<u64>>,
    memo_use: MemoUse,
}

#[derive(Debug)]
struct Tables {
    /// Words of a set.
    words: usize,
    /// For each state, those it stands for: what it predicts, and what goes on
    /// behind what it completes.
    after: Vec<u64>,
    /// By terminal, where it leads to.
    steps: Vec<Vec<Step>>,
    /// The states from which a text can end without more of it.
    ends: Bits,
}

/// The transitions over a terminal to one state.
#[derive(Clone, Debug)]
struct Step {
    to: StateId,
    /// The states that read it.
    from: Bits,
    /// These, and those that stand for them.
    before: Bits,
}

/// States of a parser that has a cover.
pub(crate) const MAX_STATES: usize = 6_000;

/// Words of the states that read terminals, 64 megabytes, and as many of those before these.
const MAX_STEP_WORDS: usize = 8 << 20;

impl Cover {
    /// The cover; `None` if the parser has too many states.
    pub fn new(cfg: &Cfg, states: &mut States) -> Option<Self> {
        let made = states.outlines().all(cfg, MAX_STATES)?;
        let count = made.len();
        let words = count.div_ceil(64);
        let none: Bits = vec![0; words].into();
        // What a state stands for at once; nonterminals come behind the states.
        let mut steps: Vec<Vec<u32>> = vec![Vec::new(); count + cfg.productions.len()];
        let mut transitions = Vec::new();
        for (id, state) in (0..).zip(&made) {
            for &(terminal, to) in &state.terminals {
                transitions.push(key([0, terminal, to, id]));
            }
            for &(nonterminal, to) in &state.nonterminals {
                steps[count + nonterminal as usize].push(to);
            }
            let completes = state.completes.iter();
            let completes = completes.map(|&nonterminal| count as u32 + nonterminal);
            steps[id as usize].extend(state.prediction.into_iter().chain(completes));
        }
        let mut back: Vec<Vec<u32>> = vec![Vec::new(); steps.len()];
        for (from, targets) in (0..).zip(&steps) {
            for &to in targets {
                back[to as usize].push(from);
            }
        }
        let before = reached(&back, count);
        let mut ends = none.clone();
        for (state, before) in made.iter().zip(before.chunks(words)) {
            if state.ends {
                join(&mut ends, before);
            }
        }
        transitions.sort_unstable();
        let mut over = Vec::new();
        over.resize(cfg.lexer.terminal_count(), Vec::new());
        let mut kept = 0;
        for alike in transitions.chunk_by(|a, b| a >> 32 == b >> 32) {
            kept += words;
            if kept > MAX_STEP_WORDS {
                return None;
            }
            let mut step = Step {
                to: (alike[0] >> 32) as StateId,
                from: none.clone(),
                before: none.clone(),
            };
            for &transition in alike {
                let from = transition as StateId;
                insert(&mut step.from, from);
                join(&mut step.before, &before[from as usize * words..][..words]);
            }
            over[(alike[0] >> 64) as usize].push(step);
        }
        let tables = Tables {
            words,
            after: reached(&steps, count),
            steps: over,
            ends,
        };
        let mut cover = Self {
            tables: Arc::new(tables),
            sets: vec![none.clone()],
            ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            hopes: vec![Vec::new(); cfg.lexer.outlooks()],
            memo_use: MemoUse::default(),
        };
        cover.ids.insert(none, NO_STATES);
        Some(cover)
    }

    /// Words that a set of states takes.
    pub fn words(&self) -> usize {
        self.tables.words
    }

    /// Adds the states before every text.
    pub fn start(&self, found: &mut [u64]) {
        join(found, &self.tables.after[..found.len()]);
    }

    /// The states from which the text can end without more of it.
    pub fn end(&self) -> &[u64] {
        &self.tables.ends
    }

    /// The states behind a lexeme from those of a set.
    pub fn forward(&mut self, set: CoverSetId, terminal: TerminalId) -> CoverSetId {
        self.memo_use.asked += 1;
        if let Some(&known) = self.steps.get(&(set, terminal)) {
            return known;
        }
        self.memo_use.made += 1;
        let (tables, words) = (&*self.tables, self.tables.words);
        let mut found = vec![0; words];
        for step in &tables.steps[terminal as usize] {
            // With a state came those that it stands for.
            if !has(&found, step.to) && meet(&self.sets[set as usize], &step.from) {
                join(
                    &mut found,
                    &tables.after[step.to as usize * words..][..words],
                );
            }
        }
        let found = self.id(&found);
        self.steps.insert((set, terminal), found);
        found
    }

    /// The states of a set, as bits.
    pub fn states(&self, set: CoverSetId) -> &[u64] {
        &self.sets[set as usize]
    }

    /// Adds the states from which a lexeme leads from those of a set to those that are `wanted`, and
    /// others from which it does so, to more that this found or that [end](Self::end) a text.
    pub fn backward(
        &self,
        set: CoverSetId,
        terminal: TerminalId,
        wanted: &[u64],
        found: &mut [u64],
    ) {
        for step in &self.tables.steps[terminal as usize] {
            if has(wanted, step.to) && meet(self.states(set), &step.from) {
                join(found, &step.before);
            }
        }
    }

    /// The states that can read what may become of a lexeme under way.
    pub fn hopes(&mut self, lexer: &Lexer, state: LexerState) -> &[u64] {
        let can = &mut self.hopes[lexer.outlook(state) as usize];
        if can.is_empty() {
            let tables = &*self.tables;
            can.resize(tables.words, 0);
            for (terminal, steps) in (0..).zip(&tables.steps) {
                if lexer.is_alive(state, terminal) {
                    steps.iter().for_each(|step| join(can, &step.from));
                }
            }
            if lexer.may_end(state) {
                join(can, &tables.ends);
            }
        }
        can
    }

    /// Whether a set holds a state, an [outline](States::outline).
    pub fn holds(&self, set: CoverSetId, state: StateId) -> bool {
        has(&self.sets[set as usize], state)
    }

    /// Words and entries in all sets, a measure of the memory.
    pub fn size(&self) -> usize {
        (2 * self.sets.len() + self.hopes.len()) * self.tables.words + 2 * self.steps.len()
    }

    /// Bytes of memory that its tables take, closely.
    #[cfg(feature = "shortcuts")]
    pub fn heap_bytes(&self) -> usize {
        let tables = &*self.tables;
        let steps = tables.steps.iter().map(Vec::len).sum::<usize>();
        8 * (tables.after.len() + 2 * steps * tables.words)
    }

    /// How often it was asked for a set's number or a step, and how often that was not known.
    pub fn memo_use(&self) -> MemoUse {
        self.memo_use
    }

    /// The number of a set.
    pub fn id(&mut self, set: &[u64]) -> CoverSetId {
        self.memo_use.asked += 1;
        if let Some(&known) = self.ids.get(set) {
            return known;
        }
        self.memo_use.made += 1;
        let fresh = self.sets.len() as CoverSetId;
        self.sets.push(set.into());
        self.ids.insert(set.into(), fresh);
        fresh
    }
}

/// For each of the first `count` places, those of them that steps lead to, itself
/// included.
fn reached(steps: &[Vec<u32>], count: usize) -> Vec<u64> {
    let words = count.div_ceil(64);
    let mut seen = vec![usize::MAX; steps.len()];
    let mut reached = vec![0; count * words];
    for start in 0..count {
        let bits = &mut reached[start * words..][..words];
        let mut work = vec![start as u32];
        seen[start] = start;
        while let Some(place) = work.pop() {
            if (place as usize) < count {
                insert(bits, place);
            }
            for &next in &steps[place as usize] {
                if std::mem::replace(&mut seen[next as usize], start) != start {
                    work.push(next);
                }
            }
        }
    }
    reached
}

fn has(set: &[u64], state: StateId) -> bool {
    set[state as usize / 64] >> (state % 64) & 1 == 1
}

fn insert(set: &mut [u64], state: StateId) {
    set[state as usize / 64] |= 1 << (state % 64);
}

fn join(set: &mut [u64], more: &[u64]) {
    for (word, more) in set.iter_mut().zip(more) {
        *word |= more;
    }
}
