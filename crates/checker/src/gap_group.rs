//! All boundaries of a gap of any length, with the lexemes between them and what
//! whole nonterminals cost there.
//!
//! Inside such a gap lexemes follow one another freely, from boundary to boundary,
//! in circles. What that can do to a parse is worked out once for a group of
//! boundaries, the same in every gap: the cost of each terminal from one boundary
//! to another, and of each nonterminal's cheapest text, the least fixed point over
//! the productions (Knuth, "A generalization of Dijkstra's algorithm", Information
//! Processing Letters 6, 1977). Only texts that are not empty count: what may be
//! empty is passed by when parser states are made.
//!
//! Of items in any order the last one tells the boundary behind them, if whatever stands before
//! it is all one to the lexer; then a list for each item that may be the last is enough, and
//! which items stand there may be left open at the boundaries that any leads to. Where it is not
//! all one, there is no group.
//!
//! Cost: boundaries² for each symbol of a production, again when one of its nonterminals
//! has become cheaper. In most grammars one boundary stands for all.

use std::collections::VecDeque;

use lacuna_grammar::automaton::SHORTCUTS;
use lacuna_lexer::{LexerState, TerminalId};

use crate::cfg::{Cfg, Interleaved, NonterminalId, Symbol};
use crate::lr::{StateId, States};

/// Index of a boundary in its group.
pub type Member = u32;

/// A lexeme between two boundaries of a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GapStep {
    /// Its terminal.
    pub terminal: TerminalId,
    /// The boundary it begins at.
    pub from: Member,
    /// The boundary it ends at.
    pub to: Member,
    /// About how many tokens it takes.
    pub cost: u32,
}

/// The boundaries of a gap, and the lexemes between them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Boundaries {
    /// Their lexer states, sorted.
    pub states: Box<[LexerState]>,
    /// The cheapest lexeme of each terminal.
    pub steps: Box<[GapStep]>,
}

type Arrivals = Vec<(Member, u32)>;

/// What symbols do between the boundaries of a gap.
#[derive(Debug)]
pub struct GapGroup {
    /// By terminal and boundary, where its lexemes end.
    terminals: Vec<Arrivals>,
    /// By nonterminal and boundary, where its texts end.
    nonterminals: Vec<Arrivals>,
    /// By nonterminal and boundary, for each where its texts end how the cheapest is made.
    made: Vec<Vec<(Member, Made)>>,
    /// The nonterminals that stand for hidden items, sorted, with the boundaries behind which
    /// these may be any; none where one boundary stands for all, behind which they always may.
    hiding: Vec<(NonterminalId, Box<[Member]>)>,
    /// Number of boundaries.
    count: usize,
}

/// A production's symbols that are not empty, with the boundaries behind them.
type Made = Vec<(Symbol, Member)>;

/// Steps over symbols up to which a group is worked out: half a second, and as many bytes as
/// boundaries take where they are many.
const MAX_WORK: usize = 20_000_000;

impl GapGroup {
    /// Works a group out; `None` if it is too large for that.
    pub(crate) fn new(cfg: &Cfg, nullable: &[bool], boundaries: &Boundaries) -> Option<Self> {
        let count = boundaries.states.len();
        let places = cfg.productions.len().saturating_mul(count);
        if places > MAX_WORK {
            return None;
        }
        if !SHORTCUTS && count > 1 && !cfg.interleaves.is_empty() {
            return None;
        }
        let mut lists = Vec::new();
        let mut productions = Productions::new(cfg);
        if SHORTCUTS && count > 1 {
            // Which item is the last matters to boundaries.
            for interleaved in &cfg.interleaves {
                lists_by_last(interleaved, nullable, MAX_WORK / count, &mut lists)?;
            }
            for (nonterminal, list) in &lists {
                productions.add(*nonterminal, list);
            }
        }
        let mut terminals = vec![Arrivals::new(); cfg.lexer.terminal_count() * count];
        for step in &boundaries.steps {
            let place = step.terminal as usize * count + step.from as usize;
            improve(&mut terminals[place], step.to, step.cost);
        }
        let mut group = Self {
            terminals,
            nonterminals: vec![Arrivals::new(); places],
            made: vec![Vec::new(); places],
            hiding: Vec::new(),
            count,
        };
        let mut texts = Texts::new(nullable);
        while let Some(next) = productions.next() {
            let (nonterminal, symbols) = &productions.all[next];
            let nonterminal = *nonterminal;
            let mut is_improved = false;
            for from in 0..count as Member {
                texts.read(&group, symbols, from);
                let place = group.place(nonterminal, from);
                for (to, cost) in texts.ends() {
                    if improve(&mut group.nonterminals[place], to, cost) {
                        is_improved = true;
                        let made = texts.made(symbols, to);
                        let known = &mut group.made[place];
                        match known.iter_mut().find(|known| known.0 == to) {
                            Some(known) => known.1 = made,
                            None => known.push((to, made)),
                        }
                    }
                }
            }
            if texts.work > MAX_WORK {
                return None;
            }
            if is_improved {
                productions.improved(nonterminal);
            }
        }
        if SHORTCUTS && count > 1 {
            for interleaved in &cfg.interleaves {
                let hiding = group.told_by_last(interleaved)?;
                group.hiding.push((interleaved.hidden, hiding));
            }
            group.hiding.sort_unstable();
        }
        Some(group)
    }

    /// The boundaries that any item leads to; `None` unless those around items in any order depend
    /// on the last of them alone: each leads to the same ones wherever it may begin, and so does
    /// the separator behind each.
    fn told_by_last(&self, interleaved: &Interleaved) -> Option<Box<[Member]>> {
        let items = &interleaved.items;
        let ends = |symbol: Symbol, from: Member| -> Vec<Member> {
            self.arrivals(symbol, from).iter().map(|it| it.0).collect()
        };
        let all = 0..self.count as Member;
        let ways = || items.items.iter().flat_map(|item| &item.ways);
        let may_begin = |from: &Member| ways().any(|way| !ends(way.text, *from).is_empty());
        let beginnings: Vec<Member> = all.filter(may_begin).collect();
        let Some(&first) = beginnings.first() else {
            return Some(Box::default());
        };
        let mut behind: Vec<Member> = Vec::new();
        let mut behind_each: Vec<Member> = (0..self.count as Member).collect();
        for way in ways() {
            let known = ends(way.text, first);
            let is_alike = |from: &Member| ends(way.text, *from) == known;
            if known.is_empty() || !beginnings.iter().all(is_alike) {
                return None;
            }
            behind_each.retain(|to| known.contains(to));
            behind.extend(known);
        }
        behind.sort_unstable();
        behind.dedup();
        let mut separated = behind.iter().map(|&from| ends(items.separator, from));
        let known = separated.next().unwrap_or_default();
        let leads_on = |to: &Member| beginnings.contains(to);
        let is_told = known.iter().any(leads_on) && separated.all(|ends| ends == known);
        is_told.then(|| behind_each.into())
    }

    /// Shows where a state leads inside the gap over whole symbols, with the boundaries that
    /// these lead to from one.
    ///
    /// Where any item may stand, which one it was is left open; elsewhere each is shown.
    pub(crate) fn each_inside(
        &self,
        cfg: &Cfg,
        states: &mut States,
        state: StateId,
        from: Member,
        mut show: impl FnMut(Symbol, StateId, (Member, u32)),
    ) {
        let are_some = SHORTCUTS && !self.hiding.is_empty();
        states.each_inside_gap(cfg, state, true, |symbol, target| {
            let hiding = match symbol {
                Symbol::Nonterminal(nonterminal) if are_some => self.hiding(nonterminal),
                _ => None,
            };
            for &(to, cost) in self.arrivals(symbol, from) {
                if hiding.is_none_or(|hiding| hiding.contains(&to)) {
                    show(symbol, target, (to, cost));
                }
            }
        });
        if !are_some {
            return;
        }
        let interleaves = states.interleaves(state).into_iter();
        let interleaves: Vec<&Interleaved> = interleaves
            .map(|at| &cfg.interleaves[at as usize])
            .collect();
        if interleaves.is_empty() {
            return;
        }
        let hides = |to: Member| {
            let mut hiding = interleaves.iter().map(|it| self.hiding(it.hidden));
            hiding.all(|hiding| hiding.is_some_and(|hiding| hiding.contains(&to)))
        };
        states.each_inside_gap(cfg, state, false, |symbol, target| {
            if interleaves.iter().any(|it| it.items.separator == symbol) {
                return;
            }
            for &(to, cost) in self.arrivals(symbol, from) {
                if !hides(to) {
                    show(symbol, target, (to, cost));
                }
            }
        });
    }

    /// The boundaries behind which items may be any that a nonterminal stands for, if it does.
    fn hiding(&self, nonterminal: NonterminalId) -> Option<&[Member]> {
        let at = self.hiding.binary_search_by_key(&nonterminal, |it| it.0);
        at.ok().map(|at| &*self.hiding[at].1)
    }

    /// Bytes of memory that it takes, closely.
    #[cfg(feature = "shortcuts")]
    pub(crate) fn heap_bytes(&self) -> usize {
        let lists = self.terminals.iter().chain(&self.nonterminals);
        let arrivals = lists.map(|list| size_of::<Arrivals>() + size_of_val(list.as_slice()));
        let made = self.made.iter().flatten();
        let made = made.map(|(_, made)| size_of::<Made>() + 8 + size_of_val(made.as_slice()));
        arrivals.chain(made).sum()
    }

    /// A cheapest way to read symbols one after another between two boundaries: those that are
    /// not empty, each with the boundary behind it.
    pub(crate) fn way(
        &self,
        nullable: &[bool],
        symbols: &[Symbol],
        from: Member,
        to: Member,
    ) -> Vec<(Symbol, Member)> {
        let mut texts = Texts::new(nullable);
        texts.read(self, symbols, from);
        texts.made(symbols, to)
    }

    fn place(&self, symbol: u32, from: Member) -> usize {
        symbol as usize * self.count + from as usize
    }

    /// Where a symbol leads from a boundary, and at what cost.
    pub(crate) fn arrivals(&self, symbol: Symbol, from: Member) -> &[(Member, u32)] {
        let arrivals = match symbol {
            Symbol::Terminal(terminal) => self.terminals.get(self.place(terminal, from)),
            Symbol::Nonterminal(nonterminal) => {
                self.nonterminals.get(self.place(nonterminal, from))
            }
            Symbol::End(_) | Symbol::EndOfText => None,
        };
        arrivals.map_or(&[], |arrivals| arrivals)
    }

    /// The lexemes of a symbol's cheapest text between two boundaries, last
    /// first: terminals, with the boundaries before and behind each. `None` if it
    /// takes more than `limit` steps.
    pub(crate) fn spell(
        &self,
        symbol: Symbol,
        from: Member,
        to: Member,
        limit: usize,
    ) -> Option<Vec<(TerminalId, Member, Member)>> {
        let mut reversed = Vec::new();
        let mut visited = 0;
        let mut stack = vec![(symbol, from, to)];
        while let Some((symbol, from, to)) = stack.pop() {
            visited += 1;
            if visited > limit {
                return None;
            }
            match symbol {
                Symbol::Terminal(terminal) => reversed.push((terminal, from, to)),
                Symbol::Nonterminal(nonterminal) => {
                    let mut at = from;
                    let made = self.made.get(self.place(nonterminal, from))?;
                    let (_, made) = made.iter().find(|made| made.0 == to)?;
                    for &(symbol, behind) in made {
                        stack.push((symbol, at, behind));
                        at = behind;
                    }
                }
                Symbol::End(_) | Symbol::EndOfText => {}
            }
        }
        Some(reversed)
    }
}

/// The productions whose texts are to be looked at, again where what they are made of
/// became cheaper.
struct Productions<'a> {
    /// Each nonterminal's, by their symbols.
    all: Vec<(NonterminalId, &'a [Symbol])>,
    /// For each nonterminal, the productions that it stands in.
    uses: Vec<Vec<u32>>,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
}

impl<'a> Productions<'a> {
    /// All of a grammar's, to be looked at once.
    fn new(cfg: &'a Cfg) -> Self {
        let mut productions = Self {
            all: Vec::new(),
            uses: vec![Vec::new(); cfg.productions.len()],
            queue: VecDeque::new(),
            is_queued: Vec::new(),
        };
        for (nonterminal, firsts) in (0..).zip(&cfg.productions) {
            for &first in firsts {
                productions.add(nonterminal, symbols(cfg, first));
            }
        }
        productions
    }

    fn add(&mut self, nonterminal: NonterminalId, symbols: &'a [Symbol]) {
        let production = self.all.len() as u32;
        for &symbol in symbols {
            if let Symbol::Nonterminal(part) = symbol
                && self.uses[part as usize].last() != Some(&production)
            {
                self.uses[part as usize].push(production);
            }
        }
        self.all.push((nonterminal, symbols));
        self.queue.push_back(production);
        self.is_queued.push(true);
    }

    fn next(&mut self) -> Option<usize> {
        let production = self.queue.pop_front()? as usize;
        self.is_queued[production] = false;
        Some(production)
    }

    fn improved(&mut self, nonterminal: NonterminalId) {
        for &production in &self.uses[nonterminal as usize] {
            if !std::mem::replace(&mut self.is_queued[production as usize], true) {
                self.queue.push_back(production);
            }
        }
    }
}

/// Adds, for each item in any order, and each way of it, a list in which it is the last; `None` if
/// one may be empty, or they have more symbols than `most`.
fn lists_by_last(
    interleaved: &Interleaved,
    nullable: &[bool],
    most: usize,
    lists: &mut Vec<(NonterminalId, Vec<Symbol>)>,
) -> Option<()> {
    let items = &interleaved.items;
    let may_be_empty =
        |symbol: &Symbol| matches!(symbol, Symbol::Nonterminal(n) if nullable[*n as usize]);
    if items.forms().any(may_be_empty) {
        return None;
    }
    let mut symbols = 0;
    for (item, known) in items.items.iter().enumerate() {
        for (number, way) in known.ways.iter().enumerate() {
            let behind = items.after(&items.start(), item, number);
            let Some(others) = behind.and_then(|behind| items.hidden_items(&behind)) else {
                continue;
            };
            let mut list = Vec::with_capacity(2 * others.len() + 1);
            for (item, way) in others {
                list.extend([items.items[item].ways[way].text, items.separator]);
            }
            list.push(way.text);
            symbols += list.len();
            if symbols > most {
                return None;
            }
            lists.push((interleaved.nonterminal, list));
        }
    }
    Some(())
}

/// Adds an end, or makes it cheaper; whether that is news. Ends are sorted.
fn improve(arrivals: &mut Arrivals, to: Member, cost: u32) -> bool {
    let at = arrivals.partition_point(|known| known.0 < to);
    match arrivals.get_mut(at) {
        Some((known, before)) if *known == to => {
            let is_news = cost < *before;
            *before = cost.min(*before);
            is_news
        }
        _ => {
            arrivals.insert(at, (to, cost));
            true
        }
    }
}

/// The texts of one production from one boundary on, by what is known so far.
struct Texts<'a> {
    nullable: &'a [bool],
    /// What is reached behind the symbols, one after another; the first is the start.
    reached: Vec<Reached>,
    /// Where the places behind the last symbol begin.
    last: usize,
    /// Steps so far.
    work: usize,
}

#[derive(Clone, Copy)]
struct Reached {
    /// A boundary, and whether the text up to it is empty.
    place: (Member, bool),
    cost: u32,
    /// What was reached before.
    before: usize,
}

impl<'a> Texts<'a> {
    fn new(nullable: &'a [bool]) -> Self {
        Self {
            nullable,
            reached: Vec::new(),
            last: 0,
            work: 0,
        }
    }

    fn read(&mut self, group: &GapGroup, symbols: &[Symbol], from: Member) {
        self.work += 1;
        self.reached.clear();
        self.reached.push(Reached {
            place: (from, true),
            cost: 0,
            before: 0,
        });
        self.last = 0;
        for &symbol in symbols {
            let may_be_empty = match symbol {
                Symbol::Nonterminal(nonterminal) => self.nullable[nonterminal as usize],
                Symbol::Terminal(_) | Symbol::End(_) | Symbol::EndOfText => false,
            };
            let next = self.reached.len();
            for before in self.last..next {
                let Reached { place, cost, .. } = self.reached[before];
                let arrivals = group.arrivals(symbol, place.0);
                self.work += 1 + arrivals.len();
                if may_be_empty {
                    self.reach(next, place, cost, before);
                }
                for &(to, step) in arrivals {
                    self.reach(next, (to, false), cost.saturating_add(step), before);
                }
            }
            self.last = next;
            if next == self.reached.len() {
                return;
            }
        }
    }

    fn reach(&mut self, next: usize, place: (Member, bool), cost: u32, before: usize) {
        // No more than two for each boundary, and mostly one in all.
        let mut known = self.reached[next..].iter_mut();
        match known.find(|known| known.place == place) {
            Some(known) if cost < known.cost => {
                known.cost = cost;
                known.before = before;
            }
            Some(_) => {}
            None => self.reached.push(Reached {
                place,
                cost,
                before,
            }),
        }
    }

    fn behind_all(&self) -> &[Reached] {
        &self.reached[self.last..]
    }

    /// Where the texts end that are not empty, each with the cost of a cheapest.
    fn ends(&self) -> impl Iterator<Item = (Member, u32)> {
        let ends = self.behind_all().iter().filter(|end| !end.place.1);
        ends.map(|end| (end.place.0, end.cost))
    }

    fn made(&self, symbols: &[Symbol], to: Member) -> Made {
        let mut made = Vec::new();
        let mut ends = self.behind_all().iter();
        let Some(mut at) = ends.find(|end| end.place == (to, false)) else {
            return made;
        };
        for &symbol in symbols.iter().rev() {
            let before = &self.reached[at.before];
            // A symbol that leaves a place where it is was empty, or cost something.
            if before.place != at.place || before.cost < at.cost {
                made.push((symbol, at.place.0));
            }
            at = before;
        }
        made.reverse();
        made
    }
}

/// The symbols of a production from its first on.
fn symbols(cfg: &Cfg, first: u32) -> &[Symbol] {
    let rest = &cfg.symbols[first as usize..];
    let end = rest.iter().position(|s| matches!(s, Symbol::End(_)));
    &rest[..end.unwrap_or(0)]
}
