//! The regular cover of a grammar: its LR(0) automaton with returns forgotten.
//!
//! Where a production is complete, the cover goes on behind its nonterminal
//! wherever that stands, not only where it began (the transition network of EPIC,
//! section 4.3). So it takes more texts than the grammar, in a finite memory, and
//! what it refuses, the grammar refuses. Its states are the parser's, which makes
//! it a lookahead as well: of all states that a parse could be in somewhere, only
//! those matter from which the cover can read the rest.
//!
//! Sets of states are bitsets, interned, and their steps memoised.
//!
//! Cost: once for a grammar, states × steps; then a look-up for each edge of a
//! graph, or a pass over a terminal's transitions where the set is new.

use std::sync::Arc;

use lacuna_lexer::{Lexer, LexerState, MemoUse, TerminalId};
use rustc_hash::FxHashMap;

use crate::cfg::Cfg;
use crate::lr::{StateId, States};

/// Index of a set of states; [`NO_STATES`] is the empty one.
pub type CoverSetId = u32;

/// The empty set.
pub const NO_STATES: CoverSetId = 0;

type Bits = Box<[u64]>;

/// The cover, with the sets met so far.
#[derive(Clone, Debug)]
pub struct Cover {
    tables: Arc<Tables>,
    sets: Vec<Bits>,
    ids: FxHashMap<Bits, CoverSetId>,
    forward: FxHashMap<(CoverSetId, TerminalId), CoverSetId>,
    backward: FxHashMap<(CoverSetId, TerminalId), CoverSetId>,
    /// By outlooks of lexer states.
    hopes: FxHashMap<(CoverSetId, u32), CoverSetId>,
    unions: FxHashMap<(CoverSetId, CoverSetId), CoverSetId>,
    memo_use: MemoUse,
}

#[derive(Debug)]
struct Tables {
    /// For each state, those it stands for: what it predicts, and what goes on
    /// behind what it completes.
    after: Vec<Bits>,
    /// The reverse.
    before: Vec<Bits>,
    /// By terminal, all transitions.
    transitions: Vec<Vec<(StateId, StateId)>>,
    ends: Vec<StateId>,
}

/// States of a parser that has a cover.
const MAX_STATES: usize = 6_000;

impl Cover {
    /// The cover; `None` if the parser has too many states.
    pub fn new(cfg: &Cfg, states: &mut States) -> Option<Self> {
        let states = states.outlines();
        let mut made = Vec::new();
        while made.len() < states.count() {
            if states.count() > MAX_STATES {
                return None;
            }
            made.push(states.get(cfg, made.len() as StateId));
        }
        let count = made.len();
        let mut transitions = vec![Vec::new(); cfg.lexer.terminal_count()];
        let mut ends = Vec::new();
        // What a state stands for at once; nonterminals come behind the states.
        let mut steps: Vec<Vec<u32>> = vec![Vec::new(); count + cfg.productions.len()];
        for (id, state) in (0..).zip(&made) {
            for &(terminal, to) in &state.terminals {
                transitions[terminal as usize].push((id, to));
            }
            for &(nonterminal, to) in &state.nonterminals {
                steps[count + nonterminal as usize].push(to);
            }
            let completes = state.completes.iter();
            let completes = completes.map(|&nonterminal| count as u32 + nonterminal);
            steps[id as usize].extend(state.prediction.into_iter().chain(completes));
            if state.ends {
                ends.push(id);
            }
        }
        let mut back: Vec<Vec<u32>> = vec![Vec::new(); steps.len()];
        for (from, targets) in (0..).zip(&steps) {
            for &to in targets {
                back[to as usize].push(from);
            }
        }
        let tables = Tables {
            after: reached(&steps, count),
            before: reached(&back, count),
            transitions,
            ends,
        };
        let mut cover = Self {
            tables: Arc::new(tables),
            sets: Vec::new(),
            ids: FxHashMap::default(),
            forward: FxHashMap::default(),
            backward: FxHashMap::default(),
            hopes: FxHashMap::default(),
            unions: FxHashMap::default(),
            memo_use: MemoUse::default(),
        };
        cover.intern(empty(count));
        Some(cover)
    }

    /// How often it was asked for a step, and how often that was not known.
    pub fn memo_use(&self) -> MemoUse {
        self.memo_use
    }

    /// The states before every text.
    pub fn start(&mut self) -> CoverSetId {
        self.intern(self.tables.after[States::START as usize].clone())
    }

    /// The states in which a text may end.
    pub fn end(&mut self) -> CoverSetId {
        let tables = Arc::clone(&self.tables);
        let mut bits = empty(tables.after.len());
        for &state in &tables.ends {
            join(&mut bits, &tables.before[state as usize]);
        }
        self.intern(bits)
    }

    /// The states behind a lexeme.
    pub fn forward(&mut self, set: CoverSetId, terminal: TerminalId) -> CoverSetId {
        self.memo_use.asked += 1;
        if let Some(&known) = self.forward.get(&(set, terminal)) {
            return known;
        }
        self.memo_use.made += 1;
        let tables = Arc::clone(&self.tables);
        let mut next = empty(tables.after.len());
        for &(from, to) in &tables.transitions[terminal as usize] {
            if holds(&self.sets[set as usize], from) {
                join(&mut next, &tables.after[to as usize]);
            }
        }
        let next = self.intern(next);
        self.forward.insert((set, terminal), next);
        next
    }

    /// The states that can read what may become of a lexeme under way.
    pub fn hope(&mut self, lexer: &Lexer, set: CoverSetId, state: LexerState) -> CoverSetId {
        let key = (set, lexer.outlook(state));
        if let Some(&known) = self.hopes.get(&key) {
            return known;
        }
        let tables = Arc::clone(&self.tables);
        let mut left = empty(tables.after.len());
        let bits = &self.sets[set as usize];
        let alive = (0..).zip(&tables.transitions);
        for (_, transitions) in alive.filter(|&(terminal, _)| lexer.is_alive(state, terminal)) {
            for &(from, _) in transitions {
                if holds(bits, from) {
                    left[from as usize / 64] |= 1 << (from % 64);
                }
            }
        }
        if lexer.may_end(state) {
            for &end in &tables.ends {
                if holds(bits, end) {
                    left[end as usize / 64] |= 1 << (end % 64);
                }
            }
        }
        let left = self.intern(left);
        self.hopes.insert(key, left);
        left
    }

    /// The states before a lexeme behind which one of a set is wanted.
    pub fn backward(&mut self, set: CoverSetId, terminal: TerminalId) -> CoverSetId {
        self.memo_use.asked += 1;
        if let Some(&known) = self.backward.get(&(set, terminal)) {
            return known;
        }
        self.memo_use.made += 1;
        let tables = Arc::clone(&self.tables);
        let mut before = empty(tables.after.len());
        for &(from, to) in &tables.transitions[terminal as usize] {
            if holds(&self.sets[set as usize], to) {
                join(&mut before, &tables.before[from as usize]);
            }
        }
        let before = self.intern(before);
        self.backward.insert((set, terminal), before);
        before
    }

    /// Both sets as one.
    pub fn union(&mut self, a: CoverSetId, b: CoverSetId) -> CoverSetId {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == NO_STATES {
            return b;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let mut bits = self.sets[a as usize].clone();
        join(&mut bits, &self.sets[b as usize]);
        let union = self.intern(bits);
        self.unions.insert((a, b), union);
        union
    }

    /// Whether two sets share a state.
    pub fn meet(&self, a: CoverSetId, b: CoverSetId) -> bool {
        let (a, b) = (&self.sets[a as usize], &self.sets[b as usize]);
        a.iter().zip(b).any(|(a, b)| a & b != 0)
    }

    /// Whether a set holds a state, an [outline](States::outline).
    pub fn holds(&self, set: CoverSetId, state: StateId) -> bool {
        holds(&self.sets[set as usize], state)
    }

    /// Words and entries in all sets and memos, a measure of the memory.
    pub fn size(&self) -> usize {
        let words = self.sets.first().map_or(0, |bits| bits.len());
        let memos = self.forward.len() + self.backward.len() + self.hopes.len() + self.unions.len();
        2 * self.sets.len() * words + 2 * memos
    }

    fn intern(&mut self, bits: Bits) -> CoverSetId {
        if let Some(&known) = self.ids.get(&bits) {
            return known;
        }
        let fresh = self.sets.len() as CoverSetId;
        self.sets.push(bits.clone());
        self.ids.insert(bits, fresh);
        fresh
    }
}

/// For each of the first `count` places, those of them that steps lead to, itself
/// included.
fn reached(steps: &[Vec<u32>], count: usize) -> Vec<Bits> {
    let mut seen = vec![usize::MAX; steps.len()];
    let places = 0..count;
    let reached = places.map(|start| {
        let mut bits = empty(count);
        let mut work = vec![start as u32];
        seen[start] = start;
        while let Some(place) = work.pop() {
            if (place as usize) < count {
                bits[place as usize / 64] |= 1 << (place % 64);
            }
            for &next in &steps[place as usize] {
                if std::mem::replace(&mut seen[next as usize], start) != start {
                    work.push(next);
                }
            }
        }
        bits
    });
    reached.collect()
}

fn empty(count: usize) -> Bits {
    vec![0; count.div_ceil(64)].into()
}

fn holds(bits: &[u64], state: StateId) -> bool {
    bits[state as usize / 64] >> (state % 64) & 1 == 1
}

fn join(bits: &mut [u64], more: &[u64]) {
    for (word, more) in bits.iter_mut().zip(more) {
        *word |= more;
    }
}
