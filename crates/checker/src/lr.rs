//! Earley items in the bundles in which they always occur.
//!
//! A state is the set of dotted productions that reading the same symbols makes
//! true together: an LR(0) state, split in two as Aycock and Horspool ("Practical
//! Earley Parsing", The Computer Journal 2002) do. The *kernel* holds the items
//! that just moved; its *prediction* holds all that may begin behind them. An
//! item that starts at another place than its kernel is thereby another state,
//! so that a state has one origin. Nullable nonterminals are passed as the sets
//! are made, and no empty derivation is ever found by parsing.
//!
//! States are made when a parse first reaches them, and kept: grammars have
//! many, parses meet few. Cost: a state once, then one look-up for each symbol.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cfg::{Cfg, NonterminalId, Symbol};
use lacuna_lexer::TerminalId;

/// Index of a state.
pub type StateId = u32;

/// What one state says.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The kernel's prediction, if it has one; predictions have none.
    pub prediction: Option<StateId>,
    /// The nonterminals whose productions are complete.
    pub completes: Box<[NonterminalId]>,
    /// Where terminals lead, by terminal.
    pub terminals: Box<[(TerminalId, StateId)]>,
    /// Where nonterminals lead, by nonterminal.
    pub nonterminals: Box<[(NonterminalId, StateId)]>,
    /// Whether the text may end here.
    pub ends: bool,
    /// The symbol that leads here: all ways into a kernel read the same one.
    /// `None` for predictions and the first state.
    pub accessed_by: Option<Symbol>,
}

impl State {
    /// The state behind a terminal.
    pub fn after_terminal(&self, terminal: TerminalId) -> Option<StateId> {
        find(&self.terminals, terminal)
    }

    /// The state behind a nonterminal.
    pub fn after_nonterminal(&self, nonterminal: NonterminalId) -> Option<StateId> {
        find(&self.nonterminals, nonterminal)
    }
}

fn find(targets: &[(u32, StateId)], symbol: u32) -> Option<StateId> {
    let at = targets.binary_search_by_key(&symbol, |&(known, _)| known);
    at.ok().map(|at| targets[at].1)
}

/// The states met so far.
#[derive(Clone, Debug)]
pub struct States {
    nullable: Vec<bool>,
    sets: Vec<(bool, Box<[u32]>)>,
    ids: FxHashMap<(bool, Box<[u32]>), StateId>,
    made: Vec<Option<Arc<State>>>,
    accessed_by: Vec<Option<Symbol>>,
}

impl States {
    /// The state before every text.
    pub const START: StateId = 0;

    /// No state but the first.
    pub fn new(cfg: &Cfg) -> Self {
        let mut states = Self {
            nullable: nullable(cfg),
            sets: Vec::new(),
            ids: FxHashMap::default(),
            made: Vec::new(),
            accessed_by: Vec::new(),
        };
        states.kernel(cfg, vec![cfg.goal], None);
        states
    }

    /// For each nonterminal, whether it derives the empty text.
    pub fn nullable(&self) -> &[bool] {
        &self.nullable
    }

    /// Number of states met.
    pub fn count(&self) -> usize {
        self.sets.len()
    }

    /// A state, made if it was not.
    pub fn get(&mut self, cfg: &Cfg, id: StateId) -> Arc<State> {
        if let Some(made) = &self.made[id as usize] {
            return Arc::clone(made);
        }
        let made = Arc::new(self.make(cfg, id));
        self.made[id as usize] = Some(Arc::clone(&made));
        made
    }

    fn make(&mut self, cfg: &Cfg, id: StateId) -> State {
        let (is_kernel, dots) = self.sets[id as usize].clone();
        let mut completes = Vec::new();
        let mut targets: Vec<(Symbol, u32)> = Vec::new();
        let mut ends = false;
        for &dot in &dots {
            match cfg.symbols[dot as usize] {
                // In a prediction, what is complete derives the empty text.
                Symbol::End(nonterminal) if is_kernel => completes.push(nonterminal),
                Symbol::End(_) => {}
                Symbol::EndOfText => ends = true,
                symbol => targets.push((symbol, dot + 1)),
            }
        }
        completes.sort_unstable();
        completes.dedup();
        let prediction = match is_kernel {
            true => self.prediction(cfg, &dots),
            false => None,
        };
        let mut terminals = Vec::new();
        let mut nonterminals = Vec::new();
        targets.sort_unstable_by_key(|&(symbol, _)| order(symbol));
        for group in targets.chunk_by(|a, b| a.0 == b.0) {
            let dots = group.iter().map(|&(_, dot)| dot).collect();
            let target = self.kernel(cfg, dots, Some(group[0].0));
            match group[0].0 {
                Symbol::Terminal(terminal) => terminals.push((terminal, target)),
                Symbol::Nonterminal(nonterminal) => nonterminals.push((nonterminal, target)),
                Symbol::End(_) | Symbol::EndOfText => {}
            }
        }
        State {
            prediction,
            completes: completes.into(),
            terminals: terminals.into(),
            nonterminals: nonterminals.into(),
            ends,
            accessed_by: self.accessed_by[id as usize],
        }
    }

    /// The kernel of these items and of what they become by passing nullable
    /// nonterminals; `symbol` leads to it.
    fn kernel(&mut self, cfg: &Cfg, mut dots: Vec<u32>, symbol: Option<Symbol>) -> StateId {
        self.pass_nullable(cfg, &mut dots);
        self.id(true, dots, symbol)
    }

    fn prediction(&mut self, cfg: &Cfg, kernel: &[u32]) -> Option<StateId> {
        let mut predicted = vec![false; cfg.productions.len()];
        let mut found: Vec<u32> = Vec::new();
        let mut work: Vec<u32> = kernel.to_vec();
        while let Some(dot) = work.pop() {
            let Symbol::Nonterminal(nonterminal) = cfg.symbols[dot as usize] else {
                continue;
            };
            if std::mem::replace(&mut predicted[nonterminal as usize], true) {
                continue;
            }
            let mut dots = cfg.productions[nonterminal as usize].clone();
            self.pass_nullable(cfg, &mut dots);
            work.extend(&dots);
            found.append(&mut dots);
        }
        (!found.is_empty()).then(|| self.id(false, found, None))
    }

    fn pass_nullable(&self, cfg: &Cfg, dots: &mut Vec<u32>) {
        let mut at = 0;
        while let Some(&dot) = dots.get(at) {
            if let Symbol::Nonterminal(nonterminal) = cfg.symbols[dot as usize]
                && self.nullable[nonterminal as usize]
            {
                dots.push(dot + 1);
            }
            at += 1;
        }
    }

    fn id(&mut self, is_kernel: bool, mut dots: Vec<u32>, symbol: Option<Symbol>) -> StateId {
        dots.sort_unstable();
        dots.dedup();
        let fresh = self.sets.len() as StateId;
        let (sets, made) = (&mut self.sets, &mut self.made);
        let accessed_by = &mut self.accessed_by;
        let key = (is_kernel, dots.into_boxed_slice());
        *self.ids.entry(key).or_insert_with_key(|key| {
            sets.push(key.clone());
            made.push(None);
            accessed_by.push(symbol);
            fresh
        })
    }
}

fn order(symbol: Symbol) -> (u8, u32) {
    match symbol {
        Symbol::Terminal(terminal) => (0, terminal),
        Symbol::Nonterminal(nonterminal) => (1, nonterminal),
        Symbol::End(nonterminal) => (2, nonterminal),
        Symbol::EndOfText => (3, 0),
    }
}

/// For each nonterminal, whether it derives the empty text.
fn nullable(cfg: &Cfg) -> Vec<bool> {
    let mut nullable = vec![false; cfg.productions.len()];
    loop {
        let mut grown = false;
        for (nonterminal, productions) in cfg.productions.iter().enumerate() {
            if nullable[nonterminal] {
                continue;
            }
            let empty = productions.iter().any(|&first| {
                let symbols = cfg.symbols[first as usize..].iter();
                let mut rest = symbols.skip_while(
                    |symbol| matches!(symbol, Symbol::Nonterminal(n) if nullable[*n as usize]),
                );
                matches!(rest.next(), Some(Symbol::End(_)))
            });
            nullable[nonterminal] |= empty;
            grown |= empty;
        }
        if !grown {
            return nullable;
        }
    }
}
