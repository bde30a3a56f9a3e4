//! How far a column is from what must come next: about how many tokens to put in
//! between.
//!
//! A search through masked cells needs to know what closes the distance to the text
//! behind them: which lexemes to put down so that the text's first one can be read,
//! or the text can end. Within a production that is a shortest path over parser
//! states, where a symbol costs about the tokens of its shortest text; from there on
//! whatever waits at the column where the production began goes on.
//!
//! Cost: once for each goal, a walk over all parser states; for each column and
//! goal, the states that wait there.

use lacuna_lexer::SortFew;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use lacuna_lexer::{Lexer, LexerState, Spellings, TerminalId, Vocabulary};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfg::{Cfg, NonterminalId, Symbol};
use crate::columns::{ColumnId, Columns};
use crate::lr::{State, StateId};
use crate::sets::StateSets;

/// What is to come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// A lexeme of a terminal.
    Lexeme(TerminalId),
    /// The end of the text.
    End,
}

/// A distance that is none: the goal cannot be reached.
pub const FAR: u32 = u32::MAX;

/// Distances within a grammar, with those asked for so far.
///
/// States are those of the parser's [outline](crate::lr): where items stand in any
/// order, what is still required of them is added.
#[derive(Clone, Debug)]
pub struct Guide {
    paths: Arc<Paths>,
    within: FxHashMap<Goal, Arc<[u32]>>,
    returns: FxHashMap<(ColumnId, Goal), Arc<FxHashMap<NonterminalId, u32>>>,
    /// Entries in all of them.
    returned: usize,
    distances: FxHashMap<(ColumnId, Goal), u32>,
    /// By terminal, for each state of the lexer, the fewest bytes to a lexeme's end; at
    /// [`Goal::End`], of an ignored lexeme.
    bytes: FxHashMap<Goal, Arc<[u32]>>,
    under_way: FxHashMap<(ColumnId, LexerState, Goal), Distance>,
}

/// What is known whatever is asked.
#[derive(Debug)]
struct Paths {
    states: Vec<Arc<State>>,
    /// Steps between states, backwards, with their costs.
    before: Vec<Steps>,
    /// For each state, the productions that can be completed from it, with the
    /// fewest lexemes.
    tails: Vec<Tails>,
    costs: Costs,
    /// For each state of the lexer, the states one byte before it.
    bytes_before: Vec<Vec<LexerState>>,
    /// What ends in states of the lexer: a terminal's lexemes, or ignored ones.
    #[cfg(feature = "shortcuts")]
    ends: Vec<(Option<TerminalId>, LexerState)>,
}

impl Paths {
    /// Shows the states of the lexer in which lexemes of a terminal end.
    #[cfg(feature = "shortcuts")]
    fn each_ending(
        &self,
        _: &Lexer,
        terminal: Option<TerminalId>,
        mut show: impl FnMut(LexerState),
    ) {
        let alike = self.ends.iter().filter(|(ended, _)| *ended == terminal);
        alike.for_each(|&(_, core)| show(core));
    }

    #[cfg(not(feature = "shortcuts"))]
    fn each_ending(
        &self,
        lexer: &Lexer,
        terminal: Option<TerminalId>,
        mut show: impl FnMut(LexerState),
    ) {
        for core in 0..lexer.core_count() as LexerState {
            let mut finishes = lexer.core_finishes(core).iter();
            if finishes.any(|finish| finish.terminal == terminal) {
                show(core);
            }
        }
    }
}

/// How far it is to a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Distance {
    /// Twice the tokens to put in between, about; a lexeme that has begun counts as
    /// half of one.
    pub halves: u32,
    /// Bytes to the end of the one that has begun.
    pub bytes: u32,
}

impl Distance {
    /// The goal cannot be reached.
    pub const FAR: Self = Self {
        halves: FAR,
        bytes: 0,
    };
}

/// Steps between states, with their costs.
type Steps = Vec<(StateId, u32)>;

/// Productions that can be completed from a state, with the cost.
type Tails = Box<[(NonterminalId, u32)]>;

/// States of a parser that has a guide.
const MAX_STATES: usize = 20_000;

impl Guide {
    /// The guide of a grammar; `None` if its parser has too many states.
    pub fn new(cfg: &Cfg, sets: &mut StateSets, vocabulary: &Vocabulary) -> Option<Self> {
        let states = sets.states().outlines().all(cfg, MAX_STATES)?;
        let costs = Costs::new(cfg, vocabulary);
        let mut before: Vec<Steps> = vec![Vec::new(); states.len()];
        for (id, state) in (0..).zip(&states) {
            for (to, cost) in costs.steps(state) {
                before[to as usize].push((id, cost));
            }
        }
        let tails = tails(&states, &before);
        for (id, state) in (0..).zip(&states) {
            if let Some(prediction) = state.prediction {
                before[prediction as usize].push((id, 0));
            }
        }
        let paths = Paths {
            states,
            before,
            tails,
            costs,
            bytes_before: bytes_before(&cfg.lexer),
            #[cfg(feature = "shortcuts")]
            ends: ends(&cfg.lexer),
        };
        Some(Self {
            paths: Arc::new(paths),
            within: FxHashMap::default(),
            returns: FxHashMap::default(),
            returned: 0,
            distances: FxHashMap::default(),
            bytes: FxHashMap::default(),
            under_way: FxHashMap::default(),
        })
    }

    /// Bytes of memory that what is known before anything is asked takes, closely.
    #[cfg(feature = "shortcuts")]
    pub fn heap_bytes(&self) -> usize {
        let paths = &*self.paths;
        let steps = paths.before.iter().map(Vec::len).sum::<usize>();
        let tails = paths.tails.iter().map(|tails| tails.len()).sum::<usize>();
        let bytes_before = paths.bytes_before.iter().map(Vec::len).sum::<usize>();
        let states = paths.states.len() + paths.bytes_before.len();
        32 * states + 8 * (steps + tails + paths.ends.len()) + 4 * bytes_before
    }

    /// Entries of all memos, a measure of the memory.
    pub fn size(&self) -> usize {
        self.within.len() * self.paths.states.len()
            + 2 * (self.returned + self.distances.len() + self.under_way.len())
    }

    /// The fewest lexemes to put behind a column so that the goal can follow.
    pub fn distance(
        &mut self,
        cfg: &Cfg,
        sets: &mut StateSets,
        columns: &Columns,
        column: ColumnId,
        goal: Goal,
    ) -> u32 {
        if let Some(&known) = self.distances.get(&(column, goal)) {
            return known;
        }
        let within = self.within(goal);
        let mut least = FAR;
        for &(state, _) in sets.members(columns.begun(column)).iter() {
            least = least.min(within[sets.outline(state) as usize]);
        }
        for &(origin, set) in columns.entries(column).iter() {
            let returns = self.returns(cfg, sets, columns, origin, goal);
            for &(state, _) in sets.members(set).iter() {
                least = least.min(self.behind_state(cfg, sets, &within, &returns, state));
            }
        }
        self.distances.insert((column, goal), least);
        least
    }

    /// The distance where a lexeme, or an ignored one, is under way behind a column.
    pub fn distance_within(
        &mut self,
        cfg: &Cfg,
        sets: &mut StateSets,
        columns: &mut Columns,
        column: ColumnId,
        state: LexerState,
        goal: Goal,
    ) -> Distance {
        let key = (column, state, goal);
        if let Some(&known) = self.under_way.get(&key) {
            return known;
        }
        let lexer = &cfg.lexer;
        let mut least = Distance::FAR;
        let core = lexer.core(state) as usize;
        let bytes = self.bytes_to(lexer, None)[core];
        if bytes < FAR {
            let tokens = self.distance(cfg, sets, columns, column, goal);
            let halves = tokens.saturating_mul(2);
            least = least.min(Distance { halves, bytes });
        }
        for terminal in columns.reads(cfg, sets, column).iter() {
            let terminal = terminal as TerminalId;
            if !lexer.is_alive(state, terminal) {
                continue;
            }
            let bytes = self.bytes_to(lexer, Some(terminal))[core];
            if bytes == FAR {
                continue;
            }
            if let Some(next) = columns.step(cfg, sets, column, terminal) {
                let tokens = self.distance(cfg, sets, columns, next, goal);
                let halves = tokens.saturating_mul(2).saturating_add(1);
                least = least.min(Distance { halves, bytes });
            }
        }
        self.under_way.insert(key, least);
        least
    }

    /// For each core of the lexer, the fewest bytes to where a lexeme of a terminal
    /// ends that is under way there, however many characters were counted.
    fn bytes_to(&mut self, lexer: &Lexer, terminal: Option<TerminalId>) -> Arc<[u32]> {
        let key = terminal.map_or(Goal::End, Goal::Lexeme);
        if let Some(known) = self.bytes.get(&key) {
            return Arc::clone(known);
        }
        let mut bytes = vec![FAR; lexer.core_count()];
        let mut queue = VecDeque::new();
        self.paths.each_ending(lexer, terminal, |core| {
            bytes[core as usize] = 0;
            queue.push_back(core);
        });
        while let Some(core) = queue.pop_front() {
            for &before in &self.paths.bytes_before[core as usize] {
                if bytes[before as usize] == FAR {
                    bytes[before as usize] = bytes[core as usize] + 1;
                    queue.push_back(before);
                }
            }
        }
        let bytes: Arc<[u32]> = bytes.into();
        self.bytes.insert(key, Arc::clone(&bytes));
        bytes
    }

    /// From the states behind nonterminals on: to the goal within a production, or behind it.
    /// Where the steps of a state are looked up, those of its outline do.
    fn behind_nonterminals(
        &self,
        cfg: &Cfg,
        sets: &mut StateSets,
        within: &[u32],
        returns: &FxHashMap<NonterminalId, u32>,
        state: StateId,
    ) -> Vec<(NonterminalId, u32)> {
        let made = sets.state(cfg, state);
        if made.is_lean() {
            let owed = sets.states().owed(cfg, state);
            let cost = self.paths.costs.of(&owed);
            let owed: FxHashSet<Symbol> = owed.into_iter().collect();
            let outline = &self.paths.states[sets.outline(state) as usize];
            let behind = outline.nonterminals.iter().map(|&(nonterminal, to)| {
                let symbol = Symbol::Nonterminal(nonterminal);
                let paid = match owed.contains(&symbol) {
                    true => self.paths.costs.of(&[symbol]),
                    false => 0,
                };
                let owed = cost.saturating_sub(paid);
                (nonterminal, self.onwards(within, returns, to, owed))
            });
            return behind.collect();
        }
        let behind = made.nonterminals.iter().map(|&(nonterminal, to)| {
            let cost = self.behind_state(cfg, sets, within, returns, to);
            (nonterminal, cost)
        });
        behind.collect()
    }

    /// From a state on: to the goal within its production, or behind it.
    fn behind_state(
        &self,
        cfg: &Cfg,
        sets: &mut StateSets,
        within: &[u32],
        returns: &FxHashMap<NonterminalId, u32>,
        state: StateId,
    ) -> u32 {
        let owed = match cfg.interleaves.is_empty() {
            true => 0,
            false => self.paths.costs.of(&sets.states().owed(cfg, state)),
        };
        self.onwards(within, returns, sets.outline(state), owed)
    }

    /// The same from an outline on, behind which so much is owed.
    fn onwards(
        &self,
        within: &[u32],
        returns: &FxHashMap<NonterminalId, u32>,
        outline: StateId,
        owed: u32,
    ) -> u32 {
        let tails = self.paths.tails[outline as usize].iter();
        let behind = tails.map(|&(nonterminal, cost)| {
            let returned = returns.get(&nonterminal).copied().unwrap_or(FAR);
            returned.saturating_add(cost).saturating_add(owed)
        });
        behind.fold(within[outline as usize], u32::min)
    }

    /// From where a nonterminal that began at a column is complete, to the goal.
    fn returns(
        &mut self,
        cfg: &Cfg,
        sets: &mut StateSets,
        columns: &Columns,
        column: ColumnId,
        goal: Goal,
    ) -> Arc<FxHashMap<NonterminalId, u32>> {
        let mut open = vec![column];
        while let Some(&next) = open.last() {
            if self.returns.contains_key(&(next, goal)) {
                open.pop();
                continue;
            }
            let origins = columns.entries(next);
            let origins = origins.iter().map(|&(origin, _)| origin);
            let mut missing: Vec<ColumnId> = origins
                .filter(|&origin| !self.returns.contains_key(&(origin, goal)))
                .collect();
            if !missing.is_empty() {
                open.append(&mut missing);
                continue;
            }
            let found = self.returns_here(cfg, sets, columns, next, goal);
            self.returned += found.len();
            self.returns.insert((next, goal), Arc::new(found));
            open.pop();
        }
        self.returns
            .get(&(column, goal))
            .map(Arc::clone)
            .unwrap_or_default()
    }

    fn returns_here(
        &mut self,
        cfg: &Cfg,
        sets: &mut StateSets,
        columns: &Columns,
        column: ColumnId,
        goal: Goal,
    ) -> FxHashMap<NonterminalId, u32> {
        let within = self.within(goal);
        let mut returns: FxHashMap<NonterminalId, u32> = FxHashMap::default();
        for &(origin, set) in columns.entries(column).iter() {
            let Some(outer) = self.returns.get(&(origin, goal)) else {
                continue;
            };
            for &(state, _) in sets.members(set).iter() {
                let behind = self.behind_nonterminals(cfg, sets, &within, outer, state);
                for (nonterminal, cost) in behind {
                    let known = returns.entry(nonterminal).or_insert(FAR);
                    *known = cost.min(*known);
                }
            }
        }
        // What began here may wait for what begins here too.
        let begun = sets.members(columns.begun(column));
        let mut grown = true;
        while std::mem::replace(&mut grown, false) {
            for &(state, _) in begun.iter() {
                let behind = self.behind_nonterminals(cfg, sets, &within, &returns, state);
                for (nonterminal, cost) in behind {
                    let known = returns.entry(nonterminal).or_insert(FAR);
                    if cost < *known {
                        *known = cost;
                        grown = true;
                    }
                }
            }
        }
        returns
    }

    /// For each state, the fewest lexemes to the goal without completing its
    /// production.
    fn within(&mut self, goal: Goal) -> Arc<[u32]> {
        if let Some(known) = self.within.get(&goal) {
            return Arc::clone(known);
        }
        let mut least = vec![FAR; self.paths.states.len()];
        let mut queue = BinaryHeap::new();
        for (id, state) in (0..).zip(&self.paths.states) {
            let is_there = match goal {
                Goal::Lexeme(terminal) => state.after_terminal(terminal).is_some(),
                Goal::End => state.ends,
            };
            if is_there {
                least[id as usize] = 0;
                queue.push(Reverse((0u32, id)));
            }
        }
        while let Some(Reverse((cost, id))) = queue.pop() {
            if cost > least[id as usize] {
                continue;
            }
            for &(from, step) in &self.paths.before[id as usize] {
                let cost = cost.saturating_add(step);
                if cost < least[from as usize] {
                    least[from as usize] = cost;
                    queue.push(Reverse((cost, from)));
                }
            }
        }
        let least: Arc<[u32]> = least.into();
        self.within.insert(goal, Arc::clone(&least));
        least
    }
}

fn bytes_before(lexer: &Lexer) -> Vec<Vec<LexerState>> {
    let mut before = vec![Vec::new(); lexer.core_count()];
    for core in 0..lexer.core_count() as LexerState {
        for &(_, next) in lexer.core_moves(core) {
            before[next as usize].push(core);
        }
    }
    before
}

#[cfg(feature = "shortcuts")]
fn ends(lexer: &Lexer) -> Vec<(Option<TerminalId>, LexerState)> {
    let mut ends = Vec::new();
    for core in 0..lexer.core_count() as LexerState {
        let finishes = lexer.core_finishes(core).iter();
        ends.extend(finishes.map(|finish| (finish.terminal, core)));
    }
    ends
}

/// For each state, the productions that can be completed from it: shortest paths to
/// where each is complete.
fn tails(states: &[Arc<State>], before: &[Steps]) -> Vec<Tails> {
    let mut complete_in: FxHashMap<NonterminalId, Vec<StateId>> = FxHashMap::default();
    for (id, state) in (0..).zip(states) {
        for &nonterminal in &state.completes {
            complete_in.entry(nonterminal).or_default().push(id);
        }
    }
    let mut tails: Vec<Vec<(NonterminalId, u32)>> = vec![Vec::new(); states.len()];
    let mut least = vec![FAR; states.len()];
    let mut queue = BinaryHeap::new();
    for (nonterminal, complete) in complete_in {
        let mut reached = Vec::new();
        queue.extend(complete.into_iter().map(|id| Reverse((0u32, id))));
        while let Some(Reverse((cost, id))) = queue.pop() {
            if least[id as usize] != FAR {
                continue;
            }
            least[id as usize] = cost;
            reached.push(id);
            tails[id as usize].push((nonterminal, cost));
            for &(from, step) in &before[id as usize] {
                let cost = cost.saturating_add(step);
                if least[from as usize] == FAR && cost != FAR {
                    queue.push(Reverse((cost, from)));
                }
            }
        }
        reached.into_iter().for_each(|id| least[id as usize] = FAR);
    }
    let sorted = tails.into_iter().map(|mut tails| {
        tails.sort_few();
        tails.into()
    });
    sorted.collect()
}

/// About how many tokens symbols take.
#[derive(Clone, Debug)]
struct Costs {
    terminals: Vec<u32>,
    nonterminals: Vec<u32>,
}

impl Costs {
    fn new(cfg: &Cfg, vocabulary: &Vocabulary) -> Self {
        let mut costs = Self {
            terminals: tokens_of_lexemes(&cfg.lexer, vocabulary),
            nonterminals: vec![FAR; cfg.productions.len()],
        };
        let mut grown = true;
        while std::mem::replace(&mut grown, false) {
            for (nonterminal, productions) in cfg.productions.iter().enumerate() {
                for &start in productions {
                    let length = costs.length(&cfg.symbols[start as usize..]);
                    grown |= length < costs.nonterminals[nonterminal];
                    let known = &mut costs.nonterminals[nonterminal];
                    *known = length.min(*known);
                }
            }
        }
        costs
    }

    /// Some symbols', one of each.
    fn of(&self, symbols: &[Symbol]) -> u32 {
        symbols.iter().fold(0, |cost: u32, symbol| {
            cost.saturating_add(self.length(std::slice::from_ref(symbol)))
        })
    }

    /// A production's, from its first symbol on.
    fn length(&self, symbols: &[Symbol]) -> u32 {
        let mut length = 0u32;
        for symbol in symbols {
            length = length.saturating_add(match symbol {
                Symbol::Terminal(terminal) => self.terminals[*terminal as usize],
                Symbol::Nonterminal(nonterminal) => self.nonterminals[*nonterminal as usize],
                Symbol::End(_) | Symbol::EndOfText => break,
            });
        }
        length
    }

    /// The states behind one symbol, with what it costs.
    fn steps<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (StateId, u32)> + 'a {
        let terminals = state.terminals.iter();
        let terminals = terminals.map(|&(terminal, to)| (to, self.terminals[terminal as usize]));
        let nonterminals = state.nonterminals.iter();
        terminals.chain(nonterminals.map(|&(n, to)| (to, self.nonterminals[n as usize])))
    }
}

/// For each terminal, the tokens that spell its shortest lexeme.
fn tokens_of_lexemes(lexer: &Lexer, vocabulary: &Vocabulary) -> Vec<u32> {
    let mut tokens = vec![1; lexer.terminal_count()];
    let mut known = vec![false; lexer.terminal_count()];
    // The state before each on its shortest text, and the byte between; of a start itself.
    let mut before: Vec<Option<(LexerState, u8)>> = vec![None; lexer.core_count()];
    let mut queue: VecDeque<LexerState> = lexer.starts().collect();
    for &start in &queue {
        before[start as usize] = Some((start, 0));
    }
    while let Some(core) = queue.pop_front() {
        for terminal in lexer.core_finishes(core).iter().filter_map(|f| f.terminal) {
            if !std::mem::replace(&mut known[terminal as usize], true) {
                let text = shortest_text(core, &before);
                let spellings = Spellings::new(vocabulary, &text, text.len());
                let fewest = spellings.fewest().unwrap_or(text.len());
                tokens[terminal as usize] = u32::try_from(fewest).unwrap_or(FAR);
            }
        }
        for &(byte, next) in lexer.core_moves(core) {
            if before[next as usize].is_none() {
                before[next as usize] = Some((core, byte));
                queue.push_back(next);
            }
        }
    }
    tokens
}

fn shortest_text(mut core: LexerState, before: &[Option<(LexerState, u8)>]) -> Vec<u8> {
    let mut text = Vec::new();
    while let Some((earlier, byte)) = before[core as usize]
        && earlier != core
    {
        text.push(byte);
        core = earlier;
    }
    text.reverse();
    text
}
