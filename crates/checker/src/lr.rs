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
//! many, parses meet few. Where items may stand in any order ([`dots`](crate::dots)),
//! there is a state for each set of items seen, so nobody may ask for all of them.
//! Each state has an [outline](States::outline) then: the state of the same symbols
//! where sets are forgotten. Those are few.
//!
//! Cost: a state once, then one look-up for each symbol.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cfg::{Cfg, Interleaved, NonterminalId, Symbol};
use crate::dots::{Dot, Dots, Moves, Within};
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
    /// In a state within items in any order: where symbols lead that are read as a
    /// whole inside a gap of any length. In others as elsewhere.
    pub inside_gap: Option<Box<[(Symbol, StateId)]>>,
    /// What is still required of items in any order.
    pub owed: Box<[Symbol]>,
    /// Whether it is where texts begin: a prediction or the first state.
    pub begins: bool,
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

    /// The state behind a symbol that is read as a whole inside a gap of any length.
    pub fn after_in_gap(&self, symbol: Symbol) -> Option<StateId> {
        match (&self.inside_gap, symbol) {
            (Some(moves), _) => {
                let mut moves = moves.iter();
                moves
                    .find(|&&(known, _)| known == symbol)
                    .map(|&(_, to)| to)
            }
            (None, Symbol::Terminal(terminal)) => self.after_terminal(terminal),
            (None, Symbol::Nonterminal(nonterminal)) => self.after_nonterminal(nonterminal),
            (None, Symbol::End(_) | Symbol::EndOfText) => None,
        }
    }

    /// Where symbols lead that are read as a whole inside a gap of any length.
    pub fn inside_gap(&self) -> impl Iterator<Item = (Symbol, StateId)> {
        let (terminals, nonterminals) = match self.inside_gap {
            Some(_) => Default::default(),
            None => (self.terminals.iter(), self.nonterminals.iter()),
        };
        let terminals = terminals.map(|&(terminal, to)| (Symbol::Terminal(terminal), to));
        let nonterminals = nonterminals.map(|&(n, to)| (Symbol::Nonterminal(n), to));
        let inside = self.inside_gap.iter().flat_map(|moves| moves.iter());
        terminals.chain(nonterminals).chain(inside.copied())
    }
}

fn find(targets: &[(u32, StateId)], symbol: u32) -> Option<StateId> {
    let at = targets.binary_search_by_key(&symbol, |&(known, _)| known);
    at.ok().map(|at| targets[at].1)
}

/// The states met so far.
#[derive(Clone, Debug)]
pub struct States {
    nullable: Arc<[bool]>,
    dots: Dots,
    /// The states without sets of items seen, where the grammar has such.
    outline: Option<Box<States>>,
    sets: Vec<Key>,
    ids: FxHashMap<Key, StateId>,
    made: Vec<Option<Arc<State>>>,
}

/// What tells a state from others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    kind: Kind,
    dots: Box<[Dot]>,
    /// Its outline; 0 where there are none.
    outline: StateId,
}

/// What a state is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// The items before every text.
    Start,
    /// Items that just moved.
    Kernel,
    /// All that may begin behind a kernel.
    Prediction,
}

impl States {
    /// The state before every text.
    pub const START: StateId = 0;

    /// No state but the first.
    pub fn new(cfg: &Cfg) -> Self {
        let nullable: Arc<[bool]> = nullable(cfg).into();
        let outline = (!cfg.interleaves.is_empty())
            .then(|| Box::new(Self::with_dots(cfg, Arc::clone(&nullable), true)));
        let mut states = Self::with_dots(cfg, nullable, false);
        states.outline = outline;
        states
    }

    fn with_dots(cfg: &Cfg, nullable: Arc<[bool]>, is_outline: bool) -> Self {
        let mut states = Self {
            dots: Dots::new(cfg, &nullable, is_outline),
            nullable,
            outline: None,
            sets: Vec::new(),
            ids: FxHashMap::default(),
            made: Vec::new(),
        };
        states.closed(cfg, Kind::Start, vec![cfg.first_place()], Self::START);
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

    /// Words that states take beside the first ones, a measure of the memory.
    pub fn size(&self) -> usize {
        match self.outline {
            Some(_) => 8 * self.sets.len() + self.dots.size(),
            None => 0,
        }
    }

    /// The states without sets of items seen: finitely many, for whoever asks for
    /// all.
    pub fn outlines(&mut self) -> &mut States {
        match self.outline {
            Some(ref mut outline) => outline,
            None => self,
        }
    }

    /// The state among [`outlines`](Self::outlines) that stands for a state.
    pub fn outline(&self, id: StateId) -> StateId {
        match self.outline {
            Some(_) => self.sets[id as usize].outline,
            None => id,
        }
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
        let Key {
            kind,
            dots,
            outline,
        } = self.sets[id as usize].clone();
        let is_kernel = kind != Kind::Prediction;
        let outline = self.outline.as_mut().map(|states| states.get(cfg, outline));
        let mut completes = Vec::new();
        let mut moves: Moves = Vec::new();
        dots.iter()
            .for_each(|&dot| self.dots.moves(cfg, dot, &mut moves));
        let mut ends = false;
        moves.retain(|&(symbol, _)| {
            match symbol {
                // In a prediction, what is complete derives the empty text.
                Symbol::End(nonterminal) if is_kernel => completes.push(nonterminal),
                Symbol::End(_) | Symbol::Terminal(_) | Symbol::Nonterminal(_) => {}
                Symbol::EndOfText => ends = true,
            }
            matches!(symbol, Symbol::Terminal(_) | Symbol::Nonterminal(_))
        });
        completes.sort_unstable();
        completes.dedup();
        let prediction = match is_kernel {
            true => {
                let outlined = outline.as_ref().and_then(|outline| outline.prediction);
                self.prediction(cfg, &dots, outlined.unwrap_or(0))
            }
            false => None,
        };
        let mut terminals = Vec::new();
        let mut nonterminals = Vec::new();
        for (symbol, dots) in by_symbol(moves) {
            let outlined = outline.as_ref().and_then(|outline| match symbol {
                Symbol::Terminal(terminal) => outline.after_terminal(terminal),
                Symbol::Nonterminal(nonterminal) => outline.after_nonterminal(nonterminal),
                Symbol::End(_) | Symbol::EndOfText => None,
            });
            let target = self.kernel(cfg, dots, outlined.unwrap_or(0));
            match symbol {
                Symbol::Terminal(terminal) => terminals.push((terminal, target)),
                Symbol::Nonterminal(nonterminal) => nonterminals.push((nonterminal, target)),
                Symbol::End(_) | Symbol::EndOfText => {}
            }
        }
        let between = dots.iter().copied().find(|&dot| self.dots.is_between(dot));
        State {
            prediction,
            completes: completes.into(),
            terminals: terminals.into(),
            nonterminals: nonterminals.into(),
            ends,
            inside_gap: between.map(|_| self.inside_gap(cfg, &dots)),
            owed: between.map_or(Box::default(), |dot| self.dots.owed(cfg, dot).into()),
            begins: kind != Kind::Kernel,
        }
    }

    fn inside_gap(&mut self, cfg: &Cfg, dots: &[Dot]) -> Box<[(Symbol, StateId)]> {
        let mut moves: Moves = Vec::new();
        dots.iter()
            .for_each(|&dot| self.dots.moves_in_gap(cfg, dot, &mut moves));
        moves.retain(|(symbol, _)| matches!(symbol, Symbol::Terminal(_) | Symbol::Nonterminal(_)));
        let targets = by_symbol(moves).into_iter().map(|(symbol, dots)| {
            let outlined = self.outline.as_mut().map(|outline| {
                let dots = dots.iter();
                let dots = dots.map(|&dot| self.dots.outlined(cfg, dot, &mut outline.dots));
                let dots = dots.collect();
                outline.kernel(cfg, dots, 0)
            });
            let target = self.kernel(cfg, dots, outlined.unwrap_or(0));
            (symbol, target)
        });
        targets.collect()
    }

    /// The symbols that were read where a nonterminal was, inside a gap behind a state,
    /// in a production that ends in another one: itself, or those that are hidden.
    /// `None` where the states do not belong together.
    pub fn read_in_gap(
        &self,
        cfg: &Cfg,
        nonterminal: NonterminalId,
        before: StateId,
        end: StateId,
    ) -> Option<Vec<Symbol>> {
        let mut interleaves = cfg.interleaves.iter();
        let Some(at) = interleaves.position(|it| it.hidden == nonterminal) else {
            return Some(vec![Symbol::Nonterminal(nonterminal)]);
        };
        let place = |state: StateId| {
            let mut dots = self.sets[state as usize].dots.iter().copied();
            dots.find(|&dot| self.dots.interleave(dot) == Some(at as u32))
        };
        let mut symbols = self.dots.revealed(cfg, place(before)?, place(end)?)?;
        // A separator that may be empty is.
        symbols.retain(
            |symbol| !matches!(symbol, Symbol::Nonterminal(n) if self.nullable[*n as usize]),
        );
        Some(symbols)
    }

    /// Whether items in any order are under way in a state.
    pub fn is_between(&self, state: StateId) -> bool {
        let key = &self.sets[state as usize];
        key.kind != Kind::Prediction && key.dots.iter().any(|&dot| self.dots.is_between(dot))
    }

    /// Number of items seen before a state.
    pub fn seen(&self, state: StateId) -> u32 {
        let dots = self.sets[state as usize].dots.iter();
        dots.map(|&dot| self.dots.seen(dot)).sum()
    }

    /// Where in items in any order a state is, whatever was seen.
    pub(crate) fn within(&self, state: StateId) -> Option<Within> {
        let mut dots = self.sets[state as usize].dots.iter();
        dots.find_map(|&dot| self.dots.within(dot))
    }

    /// Whether all that can follow one state can follow another, and not the reverse.
    pub fn serves(&self, cfg: &Cfg, better: StateId, state: StateId) -> bool {
        let better = &self.sets[better as usize].dots;
        let dots = &self.sets[state as usize].dots;
        better != dots
            && dots.iter().all(|&dot| {
                let mut better = better.iter();
                better.any(|&better| better == dot || self.dots.serves(cfg, better, dot))
            })
    }

    /// The kernel of these items and of what they become by passing nullable
    /// nonterminals.
    fn kernel(&mut self, cfg: &Cfg, dots: Vec<Dot>, outline: StateId) -> StateId {
        self.closed(cfg, Kind::Kernel, dots, outline)
    }

    fn closed(&mut self, cfg: &Cfg, kind: Kind, mut dots: Vec<Dot>, outline: StateId) -> StateId {
        self.pass_nullable(cfg, &mut dots);
        self.id(kind, dots, outline)
    }

    fn prediction(&mut self, cfg: &Cfg, kernel: &[Dot], outline: StateId) -> Option<StateId> {
        let mut predicted = vec![false; cfg.productions.len()];
        let mut found: Vec<Dot> = Vec::new();
        let mut work: Vec<Dot> = kernel.to_vec();
        let mut moves: Moves = Vec::new();
        while let Some(dot) = work.pop() {
            moves.clear();
            self.dots.moves(cfg, dot, &mut moves);
            for &(symbol, _) in &moves {
                let Symbol::Nonterminal(nonterminal) = symbol else {
                    continue;
                };
                if std::mem::replace(&mut predicted[nonterminal as usize], true) {
                    continue;
                }
                let mut dots = self.dots.beginnings(cfg, nonterminal);
                self.pass_nullable(cfg, &mut dots);
                work.extend(&dots);
                found.append(&mut dots);
            }
        }
        (!found.is_empty()).then(|| self.id(Kind::Prediction, found, outline))
    }

    fn pass_nullable(&mut self, cfg: &Cfg, dots: &mut Vec<Dot>) {
        let mut at = 0;
        let mut moves: Moves = Vec::new();
        while let Some(&dot) = dots.get(at) {
            at += 1;
            if !self.dots.passes(cfg, &self.nullable, dot) {
                continue;
            }
            moves.clear();
            self.dots.moves(cfg, dot, &mut moves);
            for &(symbol, behind) in &moves {
                if let Symbol::Nonterminal(nonterminal) = symbol
                    && self.nullable[nonterminal as usize]
                    && !dots.contains(&behind)
                {
                    dots.push(behind);
                }
            }
        }
    }

    fn id(&mut self, kind: Kind, mut dots: Vec<Dot>, outline: StateId) -> StateId {
        dots.sort_unstable();
        dots.dedup();
        let fresh = self.sets.len() as StateId;
        let (sets, made) = (&mut self.sets, &mut self.made);
        let key = Key {
            kind,
            dots: dots.into_boxed_slice(),
            outline,
        };
        *self.ids.entry(key).or_insert_with_key(|key| {
            sets.push(key.clone());
            made.push(None);
            fresh
        })
    }
}

/// The places that each symbol leads to, in the order of the symbols.
fn by_symbol(mut moves: Moves) -> Vec<(Symbol, Vec<Dot>)> {
    moves.sort_unstable_by_key(|&(symbol, _)| order(symbol));
    let groups = moves.chunk_by(|a, b| a.0 == b.0);
    groups
        .map(|group| (group[0].0, group.iter().map(|&(_, dot)| dot).collect()))
        .collect()
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
        for Interleaved {
            nonterminal, items, ..
        } in &cfg.interleaves
        {
            let may_be_empty =
                |symbol: &Symbol| matches!(symbol, Symbol::Nonterminal(n) if nullable[*n as usize]);
            let fewest = items.restricted(may_be_empty).fewest();
            let empty = fewest.is_some_and(|it| it.len() < 2 || may_be_empty(&items.separator));
            grown |= empty && !nullable[*nonterminal as usize];
            nullable[*nonterminal as usize] |= empty;
        }
        if !grown {
            return nullable;
        }
    }
}
