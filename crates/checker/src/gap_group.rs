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
//! Cost: boundaries² for each symbol of a production, again when one of its nonterminals
//! has become cheaper. In most grammars one boundary stands for all.

use std::collections::VecDeque;

use lacuna_lexer::{LexerState, TerminalId};

use crate::cfg::{Cfg, NonterminalId, Symbol};

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

impl Boundaries {
    /// The place of a lexer state.
    pub fn member(&self, state: LexerState) -> Option<Member> {
        let at = self.states.binary_search(&state).ok()?;
        Some(at as Member)
    }
}

type Arrivals = Vec<(Member, u32)>;

/// What symbols do between the boundaries of a gap.
#[derive(Clone, Debug)]
pub struct GapGroup {
    /// By terminal and boundary, where its lexemes end.
    terminals: Vec<Arrivals>,
    /// By nonterminal and boundary, where its texts end.
    nonterminals: Vec<Arrivals>,
    /// By nonterminal and two boundaries, how the cheapest text between them is made.
    made: Vec<Made>,
    /// Number of boundaries.
    count: usize,
}

/// A production's symbols that are not empty, with the boundaries behind them.
type Made = Vec<(Symbol, Member)>;

const NEVER: u32 = u32::MAX;

/// Work up to which a group is worked out at once.
const MAX_WORK: usize = 40_000_000;

impl GapGroup {
    /// Works a group out; `None` if it is too large for that.
    pub(crate) fn new(cfg: &Cfg, nullable: &[bool], boundaries: &Boundaries) -> Option<Self> {
        let count = boundaries.states.len();
        if count.pow(3).saturating_mul(cfg.symbols.len()) > MAX_WORK {
            return None;
        }
        // Which items stand where matters to boundaries, where there are several.
        if count > 1 && !cfg.interleaves.is_empty() {
            return None;
        }
        let mut terminals = vec![Arrivals::new(); cfg.lexer.terminal_count() * count];
        for step in &boundaries.steps {
            let place = step.terminal as usize * count + step.from as usize;
            terminals[place].push((step.to, step.cost));
        }
        let mut group = Self {
            terminals,
            nonterminals: vec![Arrivals::new(); cfg.productions.len() * count],
            made: vec![Made::new(); cfg.productions.len() * count * count],
            count,
        };
        let mut costs = vec![NEVER; cfg.productions.len() * count * count];
        let mut texts = Texts::new(nullable, count);
        let mut productions = Productions::new(cfg);
        while let Some((nonterminal, first)) = productions.next() {
            let symbols = symbols(cfg, first);
            for from in 0..count as Member {
                texts.read(&group, symbols, from);
                let place = nonterminal as usize * count + from as usize;
                let known = &mut costs[place * count..][..count];
                let mut improved = false;
                for (to, known) in (0..).zip(&mut *known) {
                    let cost = texts.cost(to);
                    if cost < *known {
                        *known = cost;
                        improved = true;
                        let made = place * count + to as usize;
                        group.made[made] = texts.made(symbols, to);
                    }
                }
                if improved {
                    let arrivals = (0..).zip(known.iter().copied());
                    let arrivals = arrivals.filter(|&(_, cost)| cost != NEVER);
                    group.nonterminals[place] = arrivals.collect();
                    productions.improved(nonterminal);
                }
            }
        }
        Some(group)
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
                    let made = self.place(nonterminal, from) * self.count + to as usize;
                    let made = self.made.get(made).filter(|made| !made.is_empty())?;
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
struct Productions {
    /// Each with its nonterminal and its first symbol.
    all: Vec<(NonterminalId, u32)>,
    /// For each nonterminal, the productions that it stands in.
    uses: Vec<Vec<u32>>,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
}

impl Productions {
    /// All of a grammar's, to be looked at once.
    fn new(cfg: &Cfg) -> Self {
        let by_nonterminal = (0..).zip(&cfg.productions);
        let all: Vec<(NonterminalId, u32)> = by_nonterminal
            .flat_map(|(nonterminal, firsts)| firsts.iter().map(move |&first| (nonterminal, first)))
            .collect();
        let mut uses = vec![Vec::new(); cfg.productions.len()];
        for (production, &(_, first)) in (0..).zip(&all) {
            for &symbol in symbols(cfg, first) {
                if let Symbol::Nonterminal(part) = symbol
                    && uses[part as usize].last() != Some(&production)
                {
                    uses[part as usize].push(production);
                }
            }
        }
        Self {
            queue: (0..all.len() as u32).collect(),
            is_queued: vec![true; all.len()],
            uses,
            all,
        }
    }

    fn next(&mut self) -> Option<(NonterminalId, u32)> {
        let production = self.queue.pop_front()? as usize;
        self.is_queued[production] = false;
        Some(self.all[production])
    }

    fn improved(&mut self, nonterminal: NonterminalId) {
        for &production in &self.uses[nonterminal as usize] {
            if !std::mem::replace(&mut self.is_queued[production as usize], true) {
                self.queue.push_back(production);
            }
        }
    }
}

/// The texts of one production from one boundary on, by what is known so far.
struct Texts<'a> {
    nullable: &'a [bool],
    count: usize,
    /// For each dot, whether the text up to it is empty (first half) or not, and
    /// each boundary: the cost, and the boundary before.
    reached: Vec<Reached>,
    /// Number of symbols.
    len: usize,
}

#[derive(Clone, Copy)]
struct Reached {
    cost: u32,
    before: usize,
}

const UNREACHED: Reached = Reached {
    cost: NEVER,
    before: 0,
};

impl<'a> Texts<'a> {
    fn new(nullable: &'a [bool], count: usize) -> Self {
        Self {
            nullable,
            count,
            reached: Vec::new(),
            len: 0,
        }
    }

    fn read(&mut self, group: &GapGroup, symbols: &[Symbol], from: Member) {
        let (count, width) = (self.count, 2 * self.count);
        self.len = symbols.len();
        self.reached.clear();
        self.reached.resize((symbols.len() + 1) * width, UNREACHED);
        self.reached[from as usize].cost = 0;
        for (at, &symbol) in symbols.iter().enumerate() {
            let (before, behind) = self.reached.split_at_mut((at + 1) * width);
            let (last, next) = (&before[at * width..], &mut behind[..width]);
            let may_be_empty = match symbol {
                Symbol::Nonterminal(nonterminal) => self.nullable[nonterminal as usize],
                Symbol::Terminal(_) | Symbol::End(_) | Symbol::EndOfText => false,
            };
            let mut alive = false;
            for (place, &Reached { cost, .. }) in last.iter().enumerate() {
                if cost == NEVER {
                    continue;
                }
                let mut reach = |to: usize, cost: u32| {
                    if cost < next[to].cost {
                        let before = place;
                        next[to] = Reached { cost, before };
                        alive = true;
                    }
                };
                if may_be_empty {
                    reach(place, cost);
                }
                for &(to, step) in group.arrivals(symbol, (place % count) as Member) {
                    reach(count + to as usize, cost.saturating_add(step));
                }
            }
            if !alive {
                return;
            }
        }
    }

    fn reached(&self, dot: usize, place: usize) -> Reached {
        self.reached[dot * 2 * self.count + place]
    }

    /// The cost of the cheapest text that is not empty.
    fn cost(&self, to: Member) -> u32 {
        self.reached(self.len, self.count + to as usize).cost
    }

    fn made(&self, symbols: &[Symbol], to: Member) -> Made {
        let mut made = Vec::new();
        let mut place = self.count + to as usize;
        for (at, &symbol) in symbols.iter().enumerate().rev() {
            let Reached { cost, before } = self.reached(at + 1, place);
            // A symbol that leaves a place where it is was empty, or cost something.
            if before != place || self.reached(at, place).cost < cost {
                made.push((symbol, (place % self.count) as Member));
            }
            place = before;
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
