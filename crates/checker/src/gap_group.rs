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
//! Cost: boundaries² for each symbol of a production, until nothing improves. In
//! most grammars one boundary stands for all.

use lacuna_lexer::{LexerState, TerminalId};
use rustc_hash::FxHashMap;

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

type Arrivals = Box<[(Member, u32)]>;

/// What symbols do between the boundaries of a gap.
#[derive(Clone, Debug)]
pub struct GapGroup {
    /// By terminal and boundary, where its lexemes end.
    terminals: FxHashMap<(TerminalId, Member), Arrivals>,
    /// By nonterminal and boundary, where its texts end.
    nonterminals: FxHashMap<(NonterminalId, Member), Arrivals>,
    /// How its cheapest text from one boundary to another is made.
    made: FxHashMap<(NonterminalId, Member, Member), Made>,
}

/// A production's symbols that are not empty, with the boundaries behind them.
type Made = Box<[(Symbol, Member)]>;

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
        let mut terminals: FxHashMap<(TerminalId, Member), Vec<(Member, u32)>> =
            FxHashMap::default();
        for step in &boundaries.steps {
            let arrivals = terminals.entry((step.terminal, step.from)).or_default();
            arrivals.push((step.to, step.cost));
        }
        let mut group = Self {
            terminals: packed(terminals),
            nonterminals: FxHashMap::default(),
            made: FxHashMap::default(),
        };
        let mut costs: FxHashMap<(NonterminalId, Member), Vec<u32>> = FxHashMap::default();
        loop {
            let mut improved = false;
            for (nonterminal, productions) in (0..).zip(&cfg.productions) {
                for &first in productions {
                    for from in 0..count as Member {
                        let texts = Texts::new(&group, cfg, nullable, first, from, count);
                        for to in 0..count as Member {
                            let cost = texts.cost(to);
                            let known = costs
                                .entry((nonterminal, from))
                                .or_insert_with(|| vec![NEVER; count]);
                            if cost < known[to as usize] {
                                known[to as usize] = cost;
                                improved = true;
                                group.made.insert((nonterminal, from, to), texts.made(to));
                                let arrivals = (0..).zip(known.iter().copied());
                                let arrivals = arrivals.filter(|&(_, cost)| cost != NEVER);
                                group
                                    .nonterminals
                                    .insert((nonterminal, from), arrivals.collect());
                            }
                        }
                    }
                }
            }
            if !improved {
                return Some(group);
            }
        }
    }

    /// Where a symbol leads from a boundary, and at what cost.
    pub(crate) fn arrivals(&self, symbol: Symbol, from: Member) -> &[(Member, u32)] {
        let arrivals = match symbol {
            Symbol::Terminal(terminal) => self.terminals.get(&(terminal, from)),
            Symbol::Nonterminal(nonterminal) => self.nonterminals.get(&(nonterminal, from)),
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
                    for &(symbol, behind) in self.made.get(&(nonterminal, from, to))? {
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

fn packed<K: std::hash::Hash + Eq>(
    arrivals: FxHashMap<K, Vec<(Member, u32)>>,
) -> FxHashMap<K, Arrivals> {
    let arrivals = arrivals.into_iter();
    arrivals.map(|(key, list)| (key, list.into())).collect()
}

/// The texts of one production from one boundary on, by what is known so far.
struct Texts<'a> {
    symbols: &'a [Symbol],
    count: usize,
    /// For each dot, whether the text up to it is empty (first half) or not, and
    /// each boundary: the cost, and the boundary before.
    reached: Vec<Vec<Reached>>,
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
    fn new(
        group: &GapGroup,
        cfg: &'a Cfg,
        nullable: &[bool],
        first: u32,
        from: Member,
        count: usize,
    ) -> Self {
        let symbols = symbols(cfg, first);
        let mut reached = vec![vec![UNREACHED; 2 * count]];
        reached[0][from as usize].cost = 0;
        for &symbol in symbols {
            let last = &reached[reached.len() - 1];
            let may_be_empty = matches!(symbol, Symbol::Nonterminal(n) if nullable[n as usize]);
            let mut next = vec![UNREACHED; 2 * count];
            for (place, &Reached { cost, .. }) in last.iter().enumerate() {
                if cost == NEVER {
                    continue;
                }
                if may_be_empty && cost < next[place].cost {
                    next[place] = Reached {
                        cost,
                        before: place,
                    };
                }
                for &(to, step) in group.arrivals(symbol, (place % count) as Member) {
                    let cost = cost.saturating_add(step);
                    let to = count + to as usize;
                    if cost < next[to].cost {
                        next[to] = Reached {
                            cost,
                            before: place,
                        };
                    }
                }
            }
            let alive = next.iter().any(|reached| reached.cost != NEVER);
            reached.push(next);
            if !alive {
                break;
            }
        }
        reached.resize(symbols.len() + 1, vec![UNREACHED; 2 * count]);
        Self {
            symbols,
            count,
            reached,
        }
    }

    /// The cost of the cheapest text that is not empty.
    fn cost(&self, to: Member) -> u32 {
        self.reached[self.symbols.len()][self.count + to as usize].cost
    }

    fn made(&self, to: Member) -> Made {
        let mut made = Vec::new();
        let mut place = self.count + to as usize;
        for (at, &symbol) in self.symbols.iter().enumerate().rev() {
            let before = self.reached[at + 1][place].before;
            if before != place || self.is_step(at, place) {
                made.push((symbol, (place % self.count) as Member));
            }
            place = before;
        }
        made.reverse();
        made.into()
    }

    /// Whether a symbol that leaves a place where it is was more than empty.
    fn is_step(&self, at: usize, place: usize) -> bool {
        self.reached[at][place].cost < self.reached[at + 1][place].cost
    }
}

/// The symbols of a production from its first on.
fn symbols(cfg: &Cfg, first: u32) -> &[Symbol] {
    let rest = &cfg.symbols[first as usize..];
    let end = rest.iter().position(|s| matches!(s, Symbol::End(_)));
    &rest[..end.unwrap_or(0)]
}
