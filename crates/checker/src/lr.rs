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
//! where sets are forgotten. Those are few. Where such items are many, the steps of a
//! state are found one by one as they are asked for ([`States::after`]), and what begins
//! with one of them is a prediction of its own ([`State::items`]).
//!
//! Cost: a state once, then one look-up for each symbol.

use lacuna_lexer::SortFew;
use std::sync::Arc;

use lacuna_grammar::automaton::SHORTCUTS;
use rustc_hash::FxHashMap;

use crate::cfg::{Cfg, Interleaved, NonterminalId, Symbol, sort_moves};
use crate::dots::{Dot, Dots, Moves};
use crate::many_items::ManyItems;
use lacuna_lexer::TerminalId;

/// Index of a state.
pub type StateId = u32;

/// What one state says.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The kernel's prediction, if it has one; predictions have none.
    pub prediction: Option<StateId>,
    /// What may begin with any of many items, if some may follow.
    pub items: Option<StateId>,
    /// The nonterminals whose productions are complete.
    pub completes: Box<[NonterminalId]>,
    is_lean: bool,
    /// Of a state whose steps are found when they are asked for: those that are not looked up, in
    /// the order of their symbols, and the places whose steps are.
    rest: Box<[(Symbol, Dot)]>,
    many: Box<[Dot]>,
    /// Where terminals lead, by terminal.
    pub terminals: Box<[(TerminalId, StateId)]>,
    /// Where nonterminals lead, by nonterminal.
    pub nonterminals: Box<[(NonterminalId, StateId)]>,
    /// Whether the text may end here.
    pub ends: bool,
    /// In a state within items in any order that lists symbols: where they lead that are
    /// read as a whole inside a gap of any length. In others as elsewhere.
    inside_gap: Option<Box<[(Symbol, StateId)]>>,
    /// Whether it is where texts begin: a prediction or the first state.
    pub begins: bool,
}

impl State {
    /// Whether steps are found when they are asked for; no symbols are listed then.
    pub fn is_lean(&self) -> bool {
        SHORTCUTS && self.is_lean
    }

    /// All that may begin behind the state.
    pub fn predictions(&self) -> impl Iterator<Item = StateId> {
        self.prediction.into_iter().chain(self.items)
    }

    /// The state behind a terminal, if symbols are listed.
    pub fn after_terminal(&self, terminal: TerminalId) -> Option<StateId> {
        find(&self.terminals, terminal)
    }

    /// The state behind a nonterminal, if symbols are listed.
    pub fn after_nonterminal(&self, nonterminal: NonterminalId) -> Option<StateId> {
        find(&self.nonterminals, nonterminal)
    }

    /// Where a symbol leads that is not looked up.
    fn rest_over(&self, symbol: Symbol) -> impl Iterator<Item = Dot> {
        let from = self
            .rest
            .partition_point(|&(known, _)| known.number() < symbol.number());
        let alike = self.rest[from..].iter();
        let alike = alike.take_while(move |&&(known, _)| known == symbol);
        alike.map(|&(_, dot)| dot)
    }

    fn listed(&self, symbol: Symbol) -> Option<StateId> {
        match symbol {
            Symbol::Terminal(terminal) => self.after_terminal(terminal),
            Symbol::Nonterminal(nonterminal) => self.after_nonterminal(nonterminal),
            Symbol::End(_) | Symbol::EndOfText => None,
        }
    }

    /// Where symbols lead that are read as a whole inside a gap of any length, in which items
    /// in any order may be hidden or not.
    fn inside_gap(&self, hides: bool) -> impl Iterator<Item = (Symbol, StateId)> {
        let inside_gap = self.inside_gap.as_ref().filter(|_| hides);
        let (terminals, nonterminals) = match inside_gap {
            Some(_) => Default::default(),
            None => (self.terminals.iter(), self.nonterminals.iter()),
        };
        let terminals = terminals.map(|&(terminal, to)| (Symbol::Terminal(terminal), to));
        let nonterminals = nonterminals.map(|&(n, to)| (Symbol::Nonterminal(n), to));
        let inside = inside_gap.into_iter().flat_map(|moves| moves.iter());
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
    /// Kernels of one item, by what it is and their outline.
    kernels: FxHashMap<(Dot, StateId), StateId>,
    made: Vec<Option<Arc<State>>>,
    /// Steps of lean states.
    steps: FxHashMap<(StateId, Symbol), StateId>,
    /// Of lean states within items, where symbols lead inside gaps.
    inside_gaps: FxHashMap<StateId, Box<[(Symbol, StateId)]>>,
    /// For each nonterminal, the last time that it was predicted; a list of its own for each
    /// state would be as long for all states as the square of a grammar.
    predicted: Vec<u32>,
    round: u32,
    work: usize,
}

/// What it takes to meet a state, where sets of items are told apart; that of looking at a known
/// one is 1.
const WORK: usize = 3;

/// What tells a state from others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    kind: Kind,
    dots: Arc<[Dot]>,
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
    /// All that may begin with any of many items, at the places that they may follow.
    Items,
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
            kernels: FxHashMap::default(),
            made: Vec::new(),
            steps: FxHashMap::default(),
            inside_gaps: FxHashMap::default(),
            predicted: Vec::new(),
            round: 0,
            work: 0,
        };
        if SHORTCUTS && !is_outline {
            for interleave in states.dots.may_be_looked_up(cfg) {
                if let Some(many) = states.many_items(cfg, interleave) {
                    states.dots.look_up(interleave, many);
                }
            }
        }
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

    /// The work of meeting states since the last call.
    pub fn take_work(&mut self) -> usize {
        std::mem::take(&mut self.work)
    }

    /// The work since it was last taken.
    pub fn work(&self) -> usize {
        self.work
    }

    /// Words that states take beside the first ones, a measure of the memory.
    pub fn size(&self) -> usize {
        match self.outline {
            Some(_) => {
                8 * self.sets.len()
                    + 8 * self.steps.len()
                    + 16 * self.inside_gaps.len()
                    + self.dots.size()
            }
            None => 0,
        }
    }

    /// Bytes of memory that the states take, closely.
    #[cfg(feature = "shortcuts")]
    pub fn heap_bytes(&self) -> usize {
        let keys = self.sets.iter();
        let keys = keys.map(|key| 2 * size_of::<Key>() + size_of_val(&*key.dots));
        let made = self.made.iter().flatten().map(|state| {
            let moves = state.terminals.len() + state.nonterminals.len();
            size_of::<State>() + 8 * moves + 4 * state.completes.len()
        });
        let outline = self
            .outline
            .as_ref()
            .map_or(0, |states| states.heap_bytes());
        keys.chain(made).sum::<usize>() + outline
    }

    /// The states without sets of items seen: finitely many, for whoever asks for
    /// all.
    pub fn outlines(&mut self) -> &mut States {
        match self.outline {
            Some(ref mut outline) => outline,
            None => self,
        }
    }

    /// All states, in their order; `None` if they are more than so many. Only of
    /// [outlines](Self::outlines) are there finitely many.
    pub fn all(&mut self, cfg: &Cfg, most: usize) -> Option<Vec<Arc<State>>> {
        let mut made = Vec::new();
        while made.len() < self.count() {
            if self.count() > most {
                return None;
            }
            made.push(self.get(cfg, made.len() as StateId));
        }
        Some(made)
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
        let is_kernel = matches!(kind, Kind::Start | Kind::Kernel);
        let is_lean = dots.iter().any(|&dot| self.dots.is_among_many(dot));
        let outline = self.outline.as_mut().map(|states| states.get(cfg, outline));
        let mut completes = Vec::new();
        let mut moves: Moves = Vec::new();
        if kind != Kind::Items {
            dots.iter()
                .for_each(|&dot| self.dots.moves(cfg, dot, &mut moves));
        }
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
        completes.sort_few();
        completes.dedup();
        let (prediction, items) = match is_kernel {
            true => {
                let outlined = outline.as_ref().and_then(|outline| outline.prediction);
                self.prediction(cfg, &dots, outlined.unwrap_or(0))
            }
            false => (None, None),
        };
        let (mut rest, mut many) = (Moves::new(), Vec::new());
        if SHORTCUTS && is_lean {
            rest = std::mem::take(&mut moves);
            rest.sort_by_key(|&(symbol, _)| symbol.number());
            many.extend(dots.iter().filter(|&&dot| self.dots.is_among_many(dot)));
        }
        let mut terminals = Vec::new();
        let mut nonterminals = Vec::new();
        for (symbol, dots) in by_symbol(moves) {
            let outlined = outline.as_ref().and_then(|outline| outline.listed(symbol));
            let target = self.kernel(cfg, dots, outlined.unwrap_or(0));
            match symbol {
                Symbol::Terminal(terminal) => terminals.push((terminal, target)),
                Symbol::Nonterminal(nonterminal) => nonterminals.push((nonterminal, target)),
                Symbol::End(_) | Symbol::EndOfText => {}
            }
        }
        let is_between = dots.iter().any(|&dot| self.dots.is_between(dot));
        State {
            prediction,
            items,
            is_lean,
            rest: rest.into(),
            many: many.into(),
            completes: completes.into(),
            terminals: terminals.into(),
            nonterminals: nonterminals.into(),
            ends,
            inside_gap: (is_between && !is_lean).then(|| self.inside_gap(cfg, &dots)),
            begins: kind != Kind::Kernel,
        }
    }

    /// The state behind a symbol.
    pub fn after(&mut self, cfg: &Cfg, id: StateId, symbol: Symbol) -> Option<StateId> {
        let state = self.get(cfg, id);
        if !state.is_lean() {
            return state.listed(symbol);
        }
        if let Some(&known) = self.steps.get(&(id, symbol)) {
            return Some(known);
        }
        let Key { kind, outline, .. } = self.sets[id as usize];
        let mut behind: Vec<Dot> = state.rest_over(symbol).collect();
        for &dot in state.many.iter() {
            match kind {
                Kind::Items => self.dots.within_item(cfg, dot, symbol, &mut behind),
                Kind::Start | Kind::Kernel | Kind::Prediction => {
                    self.dots.over(cfg, dot, symbol, &mut behind);
                }
            }
        }
        if behind.is_empty() {
            return None;
        }
        let outlined = self.outline.as_mut();
        let outlined = outlined.and_then(|states| states.get(cfg, outline).listed(symbol));
        let target = self.kernel(cfg, behind, outlined.unwrap_or(0));
        self.steps.insert((id, symbol), target);
        Some(target)
    }

    /// Shows the terminals that a state reads.
    pub fn each_terminal(&mut self, cfg: &Cfg, id: StateId, mut show: impl FnMut(TerminalId)) {
        let state = self.get(cfg, id);
        let listed = state.terminals.iter();
        listed.for_each(|&(terminal, _)| show(terminal));
        if state.is_lean() {
            for symbol in self.symbols(cfg, id) {
                if let Symbol::Terminal(terminal) = symbol {
                    show(terminal);
                }
            }
        }
    }

    /// The symbols that a lean state reads.
    fn symbols(&mut self, cfg: &Cfg, id: StateId) -> Vec<Symbol> {
        let state = self.get(cfg, id);
        let kind = self.sets[id as usize].kind;
        let mut symbols: Vec<Symbol> = state.rest.iter().map(|&(symbol, _)| symbol).collect();
        for &dot in state.many.iter() {
            match kind {
                Kind::Items => self.dots.items_begin_with(cfg, dot, &mut symbols),
                Kind::Start | Kind::Kernel | Kind::Prediction => {
                    self.dots.symbols_over(cfg, dot, &mut symbols);
                }
            }
        }
        symbols.retain(|symbol| matches!(symbol, Symbol::Terminal(_) | Symbol::Nonterminal(_)));
        symbols.sort_unstable_by_key(|&symbol| symbol.number());
        symbols.dedup();
        symbols
    }

    /// A state with all symbols listed.
    pub fn listed(&mut self, cfg: &Cfg, id: StateId) -> Arc<State> {
        let state = self.get(cfg, id);
        if !state.is_lean() {
            return state;
        }
        let (mut terminals, mut nonterminals) = (Vec::new(), Vec::new());
        for symbol in self.symbols(cfg, id) {
            match (symbol, self.after(cfg, id, symbol)) {
                (Symbol::Terminal(terminal), Some(to)) => terminals.push((terminal, to)),
                (Symbol::Nonterminal(nonterminal), Some(to)) => {
                    nonterminals.push((nonterminal, to));
                }
                (_, _) => {}
            }
        }
        Arc::new(State {
            is_lean: false,
            terminals: terminals.into(),
            nonterminals: nonterminals.into(),
            ..State::clone(&state)
        })
    }

    /// Shows where symbols lead that are read as a whole inside a gap of any length, in which
    /// items in any order may be hidden or not.
    pub fn each_inside_gap(
        &mut self,
        cfg: &Cfg,
        id: StateId,
        hides: bool,
        mut show: impl FnMut(Symbol, StateId),
    ) {
        let state = self.get(cfg, id);
        if !state.is_lean() {
            let inside = state.inside_gap(hides);
            return inside.for_each(|(symbol, to)| show(symbol, to));
        }
        let key = &self.sets[id as usize];
        if key.kind == Kind::Items || !hides {
            for symbol in self.symbols(cfg, id) {
                if let Some(to) = self.after(cfg, id, symbol) {
                    show(symbol, to);
                }
            }
            return;
        }
        if !self.inside_gaps.contains_key(&id) {
            let dots = key.dots.clone();
            let inside = self.inside_gap(cfg, &dots);
            self.inside_gaps.insert(id, inside);
        }
        let inside = self.inside_gaps.get(&id).into_iter().flatten();
        inside.for_each(|&(symbol, to)| show(symbol, to));
    }

    /// What is still required of items in any order.
    pub fn owed(&self, cfg: &Cfg, id: StateId) -> Vec<Symbol> {
        let mut dots = self.sets[id as usize].dots.iter();
        let between = dots.find(|&&dot| self.dots.is_between(dot));
        between.map_or(Vec::new(), |&dot| self.dots.owed(cfg, dot))
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
        matches!(key.kind, Kind::Start | Kind::Kernel)
            && key.dots.iter().any(|&dot| self.dots.is_between(dot))
    }

    /// The numbers of the interleaves that are under way in a state.
    pub fn interleaves(&self, state: StateId) -> Vec<u32> {
        let dots = self.sets[state as usize].dots.iter();
        dots.filter_map(|&dot| self.dots.interleave(dot)).collect()
    }

    /// Number of items seen before a state.
    pub fn seen(&self, state: StateId) -> u32 {
        let dots = self.sets[state as usize].dots.iter();
        dots.map(|&dot| self.dots.seen(dot)).sum()
    }

    /// A number for where in items in any order a state is, whatever was seen.
    pub(crate) fn within(&self, state: StateId) -> u32 {
        let mut dots = self.sets[state as usize].dots.iter();
        dots.find_map(|&dot| self.dots.within(dot)).unwrap_or(0)
    }

    /// Whether all that can follow one state can follow another, and not the reverse.
    pub fn serves(&self, cfg: &Cfg, better: StateId, state: StateId) -> bool {
        let better = &self.sets[better as usize].dots;
        let dots = &self.sets[state as usize].dots;
        // Mostly there is one.
        if let (&[better], &[dot]) = (&**better, &**dots) {
            return better != dot && self.dots.serves(cfg, better, dot);
        }
        better != dots
            && dots.iter().all(|&dot| {
                let mut better = better.iter();
                better.any(|&better| better == dot || self.dots.serves(cfg, better, dot))
            })
    }

    /// The kernel of these items and of what they become by passing nullable
    /// nonterminals.
    fn kernel(&mut self, cfg: &Cfg, dots: Vec<Dot>, outline: StateId) -> StateId {
        let &[dot] = dots.as_slice() else {
            return self.closed(cfg, Kind::Kernel, dots, outline);
        };
        // What may be left out in turn, at each place all that follows, is passed once.
        if let Some(&known) = self.kernels.get(&(dot, outline)) {
            return known;
        }
        let kernel = self.closed(cfg, Kind::Kernel, dots, outline);
        self.kernels.insert((dot, outline), kernel);
        kernel
    }

    fn closed(&mut self, cfg: &Cfg, kind: Kind, mut dots: Vec<Dot>, outline: StateId) -> StateId {
        self.pass_nullable(cfg, &mut dots);
        self.id(kind, dots, outline)
    }

    fn prediction(
        &mut self,
        cfg: &Cfg,
        kernel: &[Dot],
        outline: StateId,
    ) -> (Option<StateId>, Option<StateId>) {
        let found = self.begun(cfg, kernel);
        let all = kernel.iter().chain(&found).copied();
        let items: Vec<Dot> = all.filter(|&dot| self.dots.is_before_many(dot)).collect();
        let mut id =
            |kind, dots: Vec<Dot>| (!dots.is_empty()).then(|| self.id(kind, dots, outline));
        (id(Kind::Prediction, found), id(Kind::Items, items))
    }

    /// The places where texts begin that may stand at some places, but for items that are
    /// looked up.
    fn begun(&mut self, cfg: &Cfg, places: &[Dot]) -> Vec<Dot> {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.predicted.clear();
            self.round = 1;
        }
        self.predicted.resize(cfg.productions.len(), 0);
        let mut found: Vec<Dot> = Vec::new();
        let mut work: Vec<Dot> = places.to_vec();
        let mut moves: Moves = Vec::new();
        let mut symbols: Vec<Symbol> = Vec::new();
        while let Some(dot) = work.pop() {
            moves.clear();
            symbols.clear();
            self.dots.moves(cfg, dot, &mut moves);
            symbols.extend(moves.iter().map(|&(symbol, _)| symbol));
            if !self.dots.is_before_many(dot) {
                self.dots.symbols_over(cfg, dot, &mut symbols);
            }
            for &symbol in &symbols {
                let Symbol::Nonterminal(nonterminal) = symbol else {
                    continue;
                };
                let known = &mut self.predicted[nonterminal as usize];
                if std::mem::replace(known, self.round) == self.round {
                    continue;
                }
                let mut dots = self.dots.beginnings(cfg, nonterminal);
                self.pass_nullable(cfg, &mut dots);
                work.extend(&dots);
                found.append(&mut dots);
            }
        }
        found
    }

    /// The steps of an interleave, to be looked up; `None` where items begin with other items
    /// in any order.
    fn many_items(&mut self, cfg: &Cfg, interleave: usize) -> Option<ManyItems> {
        ManyItems::new(&cfg.interleaves[interleave].items, |symbol| {
            let Symbol::Nonterminal(nonterminal) = symbol else {
                return Some(Moves::new());
            };
            let mut dots = self.dots.beginnings(cfg, nonterminal);
            self.pass_nullable(cfg, &mut dots);
            dots.append(&mut self.begun(cfg, &dots));
            dots.sort_few();
            dots.dedup();
            let mut moves = Moves::new();
            for &dot in &dots {
                self.dots.moves(cfg, dot, &mut moves);
            }
            let mut dots = dots.iter();
            (!dots.any(|&dot| self.dots.is_between(dot))).then_some(moves)
        })
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
        dots.sort_few();
        dots.dedup();
        let fresh = self.sets.len() as StateId;
        let (sets, made, work) = (&mut self.sets, &mut self.made, &mut self.work);
        let has_sets = self.outline.is_some();
        let key = Key {
            kind,
            dots: dots.into(),
            outline,
        };
        let words: usize = match SHORTCUTS {
            true => key.dots.iter().map(|&dot| self.dots.words(dot)).sum(),
            false => 0,
        };
        *self.ids.entry(key).or_insert_with_key(|key| {
            *work += if has_sets { WORK + words / 4 } else { 0 };
            sets.push(key.clone());
            made.push(None);
            fresh
        })
    }
}

/// The places that each symbol leads to, in the order of the symbols.
fn by_symbol(mut moves: Moves) -> Vec<(Symbol, Vec<Dot>)> {
    sort_moves(&mut moves);
    let groups = moves.chunk_by(|a, b| a.0 == b.0);
    groups
        .map(|group| (group[0].0, group.iter().map(|&(_, dot)| dot).collect()))
        .collect()
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
