//! Networks in which nonterminals that need none of their own are written out.
//!
//! What lowering writes has a nonterminal for each option, group and list, and grammars have
//! rules that only name a few symbols. Each of them is completed by a step of its own wherever
//! it stands, for every place where it may have begun. So those are written out where they are
//! mentioned: what may be left out is passed by, a choice is a fork, and a list, or a rule that
//! is recursive on the left, is a loop. What a derivation was is not asked of the parser.
//!
//! What is written out for each of several mentions is small. Places behind which all goes on
//! alike are one place, and terminals that lead from all places to the same ones are one
//! terminal to the parser, and to the lexer.
//!
//! Cost: a place for each symbol that is written out, within a bound; then what each place
//! leads to.

use lacuna_lexer::TerminalId;
use rustc_hash::FxHashMap;

use super::network::{Network, Place};
use super::{Interleaved, NonterminalId, Symbol, sort_moves};

/// In place of one that is never come to.
const NOWHERE: Place = Place::MAX;

/// Places that are written out for each symbol of the productions, at most.
const GROWTH: usize = 4;

/// How deep written out nonterminals may stand in others.
const MAX_DEPTH: u32 = 32;

/// Places in a nonterminal that is written out though it is mentioned more than once.
const FEW_PLACES: usize = 1;

impl Network {
    /// For each terminal, the first of those that lead from all places to where it does: no text
    /// tells them apart. Those of items in any order stand for themselves.
    pub fn alike(&self, terminals: usize, interleaves: &[Interleaved]) -> Vec<TerminalId> {
        let mut uses: Vec<Vec<(Place, Place)>> = vec![Vec::new(); terminals];
        for (from, moves) in (0..).zip(&self.moves) {
            for &(symbol, to) in moves {
                if let Symbol::Terminal(terminal) = symbol {
                    uses[terminal as usize].push((from, to));
                }
            }
        }
        for symbol in interleaves.iter().flat_map(|it| it.items.forms()) {
            if let Symbol::Terminal(terminal) = *symbol {
                uses[terminal as usize].push((NOWHERE, terminal));
            }
        }
        let mut first: FxHashMap<Vec<(Place, Place)>, TerminalId> = FxHashMap::default();
        let uses = (0..).zip(uses);
        uses.map(|(terminal, mut uses)| {
            uses.sort_unstable();
            *first.entry(uses).or_insert(terminal)
        })
        .collect()
    }
}

/// Right-hand sides, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Productions<'a> {
    symbols: &'a [Symbol],
    productions: &'a [Vec<u32>],
    interleaves: &'a [Interleaved],
}

impl<'a> Productions<'a> {
    pub fn new(
        symbols: &'a [Symbol],
        productions: &'a [Vec<u32>],
        interleaves: &'a [Interleaved],
    ) -> Self {
        Self {
            symbols,
            productions,
            interleaves,
        }
    }

    /// Their networks, the goal's with them; `None` where they would be large.
    pub fn drawn(self, goal: u32) -> Option<Network> {
        let limit = GROWTH * self.symbols.len() + 64;
        Drawing::new(self, self.written_out()).draw(goal, limit)
    }

    /// The right-hand sides of a nonterminal.
    fn of(self, nonterminal: NonterminalId) -> impl Iterator<Item = &'a [Symbol]> {
        let firsts = self.productions[nonterminal as usize].iter();
        firsts.map(move |&first| self.from(first))
    }

    fn from(self, first: u32) -> &'a [Symbol] {
        let rest = &self.symbols[first as usize..];
        let is_end = |symbol: &Symbol| matches!(symbol, Symbol::End(_));
        &rest[..rest.iter().position(is_end).unwrap_or(rest.len())]
    }

    /// The nonterminals that one is made of, itself at the beginning left aside.
    fn mentions(self, nonterminal: NonterminalId) -> impl Iterator<Item = NonterminalId> {
        self.of(nonterminal)
            .flat_map(move |symbols| without_itself(nonterminal, symbols))
            .filter_map(|symbol| match symbol {
                Symbol::Nonterminal(mentioned) => Some(*mentioned),
                _ => None,
            })
    }

    /// Which nonterminals are written out where they are mentioned: none that comes to mention
    /// itself by others that are.
    fn written_out(self) -> Vec<bool> {
        let count = self.productions.len();
        let mut uses = vec![0u32; count];
        for nonterminal in 0..count as NonterminalId {
            for mentioned in self.mentions(nonterminal) {
                uses[mentioned as usize] += 1;
            }
        }
        let mut chosen: Vec<bool> = uses.iter().map(|&uses| uses > 0).collect();
        for interleaved in self.interleaves {
            for nonterminal in [interleaved.nonterminal, interleaved.hidden] {
                chosen[nonterminal as usize] = false;
            }
        }
        // How deep others stand in a nonterminal, and how many places are in it; known behind
        // those that it mentions.
        let mut known: Vec<Option<(u32, usize)>> = vec![None; count];
        let mut is_open = vec![false; count];
        for root in 0..count as NonterminalId {
            let mut work = vec![root];
            while let Some(&nonterminal) = work.last() {
                let at = nonterminal as usize;
                if !chosen[at] || known[at].is_some() {
                    work.pop();
                    continue;
                }
                let is_first = !std::mem::replace(&mut is_open[at], true);
                let before = work.len();
                if is_first {
                    for mentioned in self.mentions(nonterminal) {
                        let mentioned_at = mentioned as usize;
                        if chosen[mentioned_at]
                            && is_open[mentioned_at]
                            && known[mentioned_at].is_none()
                        {
                            // It comes to mention itself.
                            chosen[mentioned_at] = false;
                        } else if chosen[mentioned_at] && known[mentioned_at].is_none() {
                            work.push(mentioned);
                        }
                    }
                }
                if work.len() > before {
                    continue;
                }
                work.pop();
                let (depth, places) = self.size(nonterminal, &chosen, &known);
                let is_small = uses[at] == 1 || places <= FEW_PLACES;
                chosen[at] &= depth <= MAX_DEPTH && is_small;
                known[at] = Some((depth, places));
            }
        }
        chosen
    }

    /// How deep others are written out in a nonterminal, and how many places are in it: those
    /// between its beginning and its end.
    fn size(
        self,
        nonterminal: NonterminalId,
        chosen: &[bool],
        known: &[Option<(u32, usize)>],
    ) -> (u32, usize) {
        let (mut depth, mut places) = (0, 0usize);
        for symbols in self.of(nonterminal) {
            let rest = without_itself(nonterminal, symbols);
            // A loop is a place.
            places += usize::from(rest.len() < symbols.len());
            for symbol in rest {
                if let Symbol::Nonterminal(mentioned) = symbol
                    && chosen[*mentioned as usize]
                    && let Some((below, more)) = known[*mentioned as usize]
                {
                    depth = depth.max(below);
                    places = places.saturating_add(more);
                }
            }
            places = places.saturating_add(rest.len().saturating_sub(1));
        }
        (depth + 1, places)
    }
}

/// A right-hand side behind the nonterminal itself, if it begins with that.
fn without_itself(nonterminal: NonterminalId, symbols: &[Symbol]) -> &[Symbol] {
    match symbols {
        [Symbol::Nonterminal(first), rest @ ..] if *first == nonterminal => rest,
        all => all,
    }
}

/// A place as it is drawn: what is read there, and the places that are passed to at once.
#[derive(Clone, Default)]
struct Drawn {
    read: Option<(Symbol, Place)>,
    passes: Vec<Place>,
}

/// Networks being drawn, from their ends to their beginnings: a place is the same for all that
/// goes on alike behind it.
struct Drawing<'a> {
    productions: Productions<'a>,
    written_out: Vec<bool>,
    places: Vec<Drawn>,
    /// By the number of the symbol that is read, and the place behind.
    reads: FxHashMap<(u32, Place), Place>,
    /// Written out nonterminals, by the place behind.
    entries: FxHashMap<(NonterminalId, Place), Place>,
}

impl<'a> Drawing<'a> {
    fn new(productions: Productions<'a>, written_out: Vec<bool>) -> Self {
        Self {
            productions,
            written_out,
            places: Vec::new(),
            reads: FxHashMap::default(),
            entries: FxHashMap::default(),
        }
    }

    /// Draws what may begin somewhere, with all that is written out in it; `None` if that is more
    /// places than the limit.
    fn draw(mut self, goal: u32, limit: usize) -> Option<Network> {
        let mut is_begun: Vec<bool> = self.written_out.iter().map(|written| !written).collect();
        for symbol in self
            .productions
            .interleaves
            .iter()
            .flat_map(|it| it.items.forms())
        {
            if let Symbol::Nonterminal(nonterminal) = symbol {
                is_begun[*nonterminal as usize] = true;
            }
        }
        let mut beginnings = vec![NOWHERE; is_begun.len()];
        let begun = (0..).zip(is_begun).filter(|(_, is_begun)| *is_begun);
        for (nonterminal, _) in begun {
            let end = self.place(Drawn::default());
            self.places[end as usize].read = Some((Symbol::End(nonterminal), end));
            beginnings[nonterminal as usize] = self.entry(nonterminal, end);
            if self.places.len() > limit {
                return None;
            }
        }
        let end = self.place(Drawn::default());
        let goal = self.sequence(self.productions.from(goal), end);
        self.left_over(goal, &beginnings, limit)
    }

    /// What can be come to from the beginning of all texts, moves in place of what is passed to;
    /// `None` if that is many more moves than places may be.
    fn left_over(&self, goal: Place, beginnings: &[Place], limit: usize) -> Option<Network> {
        let mut left = limit.saturating_mul(2);
        let mut numbers = vec![NOWHERE; self.places.len()];
        let mut found = vec![goal];
        numbers[goal as usize] = 0;
        let mut met = vec![NOWHERE; self.places.len()];
        let mut moves = Vec::new();
        while let Some(&place) = found.get(moves.len()) {
            let mut here = self.moves(place, &mut met);
            left = left.checked_sub(here.len())?;
            let mut number = |place: Place| {
                let number = &mut numbers[place as usize];
                if *number == NOWHERE {
                    *number = found.len() as Place;
                    found.push(place);
                }
                *number
            };
            for (symbol, to) in &mut here {
                *to = number(*to);
                self.predicted(*symbol, &mut |nonterminal| {
                    number(beginnings[nonterminal as usize]);
                });
            }
            sort_moves(&mut here);
            here.dedup();
            moves.push(here.into());
        }
        // Where nothing comes to, nothing is read.
        let nothing = moves.len() as Place;
        moves.push(Box::default());
        let beginnings = beginnings.iter().map(|&place| {
            let number = numbers.get(place as usize).copied();
            number
                .filter(|&number| number != NOWHERE)
                .unwrap_or(nothing)
        });
        Some(Network {
            moves,
            beginnings: beginnings.collect(),
            goal: 0,
        })
    }

    /// The nonterminals that may begin where a symbol may.
    fn predicted(&self, symbol: Symbol, see: &mut dyn FnMut(NonterminalId)) {
        let Symbol::Nonterminal(nonterminal) = symbol else {
            return;
        };
        see(nonterminal);
        let interleaves = self.productions.interleaves.iter();
        for interleaved in interleaves.filter(|it| it.nonterminal == nonterminal) {
            for symbol in interleaved.items.forms() {
                if let Symbol::Nonterminal(nonterminal) = symbol {
                    see(*nonterminal);
                }
            }
        }
    }

    fn place(&mut self, drawn: Drawn) -> Place {
        self.places.push(drawn);
        self.places.len() as Place - 1
    }

    /// The place before a nonterminal's texts that another place is behind.
    fn entry(&mut self, nonterminal: NonterminalId, behind: Place) -> Place {
        if let Some(&known) = self.entries.get(&(nonterminal, behind)) {
            return known;
        }
        let (mut once, mut again) = (Vec::new(), Vec::new());
        for symbols in self.productions.of(nonterminal) {
            match without_itself(nonterminal, symbols) {
                all if all.len() == symbols.len() => once.push(all),
                // To be what it was is nothing more.
                [] => {}
                rest => again.push(rest),
            }
        }
        let mut last = behind;
        if !again.is_empty() {
            last = self.place(Drawn {
                read: None,
                passes: vec![behind],
            });
            for symbols in again {
                let first = self.sequence(symbols, last);
                self.places[last as usize].passes.push(first);
            }
        }
        let mut firsts: Vec<Place> = Vec::with_capacity(once.len());
        for symbols in once {
            firsts.push(self.sequence(symbols, last));
        }
        firsts.sort_unstable();
        firsts.dedup();
        let entry = match firsts.as_slice() {
            [only] => *only,
            _ => self.place(Drawn {
                read: None,
                passes: firsts,
            }),
        };
        self.entries.insert((nonterminal, behind), entry);
        entry
    }

    /// The place before some symbols that another place is behind.
    fn sequence(&mut self, symbols: &[Symbol], behind: Place) -> Place {
        symbols
            .iter()
            .rev()
            .fold(behind, |behind, &symbol| match symbol {
                Symbol::Nonterminal(nonterminal) if self.written_out[nonterminal as usize] => {
                    self.entry(nonterminal, behind)
                }
                _ => match self.reads.get(&(symbol.number(), behind)) {
                    Some(&known) => known,
                    None => {
                        let place = self.place(Drawn {
                            read: Some((symbol, behind)),
                            passes: Vec::new(),
                        });
                        self.reads.insert((symbol.number(), behind), place);
                        place
                    }
                },
            })
    }

    /// What is read at a place and at those that it passes to; `met` knows for which places
    /// others were passed to last.
    fn moves(&self, from: Place, met: &mut [Place]) -> Vec<(Symbol, Place)> {
        let mut moves = Vec::new();
        let mut work = vec![from];
        while let Some(place) = work.pop() {
            if std::mem::replace(&mut met[place as usize], from) != from {
                let Drawn { read, passes } = &self.places[place as usize];
                moves.extend(*read);
                work.extend(passes);
            }
        }
        moves
    }
}

#[cfg(all(test, feature = "shortcuts"))]
mod tests {
    use lacuna_grammar::automaton::Limits;
    use lacuna_grammar::{Slots, lark};

    use crate::ContextLimits;
    use crate::cfg::{Cfg, Symbol};
    use crate::normalize::normalize;

    /// The productions of a Lark grammar.
    fn lowered(text: &str) -> Cfg {
        let open = lark::open(text, &lark::Options::default()).expect(text);
        let grammar = open.fill(&Slots::default()).expect(text).grammar;
        let limits = Limits {
            nfa_states: 1_000,
            dfa_states: 1_000,
        };
        Cfg::new(&normalize(&grammar, 100), ContextLimits::ONE, true, &limits).expect(text)
    }

    /// All that is read anywhere: how many places, different terminals and nonterminals.
    fn read(text: &str) -> (usize, usize, usize) {
        let cfg = lowered(text);
        let (mut terminals, mut nonterminals) = (Vec::new(), Vec::new());
        for place in 0..cfg.places() {
            let mut moves = Vec::new();
            cfg.moves(place as u32, &mut moves);
            for (symbol, _) in moves {
                match symbol {
                    Symbol::Terminal(terminal) => terminals.push(terminal),
                    Symbol::Nonterminal(nonterminal) => nonterminals.push(nonterminal),
                    Symbol::End(_) | Symbol::EndOfText => {}
                }
            }
        }
        let different = |symbols: &mut Vec<u32>| {
            symbols.sort_unstable();
            symbols.dedup();
            symbols.len()
        };
        (
            cfg.places(),
            different(&mut terminals),
            different(&mut nonterminals),
        )
    }

    #[test]
    fn nonterminals_that_need_none_of_their_own_are_written_out() {
        // Three places of the whole, of which only `start` is read as one; one where nothing
        // leads to. Before `a`, before what may follow it, behind all.
        assert_eq!(read("start: \"a\" \"b\"* \"c\"?"), (7, 3, 1));
        // Recursion on the left is a loop.
        let list = "start: list\nlist: \"a\" | list \",\" \"a\"";
        assert_eq!(read(list), (7, 2, 1));
        // What is recursive in the middle is left.
        let nested = "start: inner\ninner: \"(\" inner \")\" | one\n\
            one: \"x\" | \"y\" | two\ntwo: \"z\"";
        assert_eq!(read(nested).2, 2);
        // As is what is longer, and mentioned more than once.
        let twice = "start: long \",\" long\nlong: \"a\" \"b\" \"c\" \"d\"";
        assert_eq!(read(twice).2, 2);
    }

    #[test]
    fn terminals_that_lead_to_the_same_places_are_one() {
        let one = "start: \"x\" ((\"+\" | \"-\" | \"*\") \"x\")*";
        assert_eq!(read(one).1, 2);
        let told_apart = "start: \"-\"? \"x\" ((\"+\" | \"-\" | \"*\") \"x\")*";
        assert_eq!(read(told_apart).1, 3);
        // The lexer tells them apart no more: its states are as many as for one of them.
        let (many, few) = (lowered(one), lowered("start: \"x\" (\"+\" \"x\")*"));
        assert_eq!(many.lexer.state_count(), few.lexer.state_count());
    }
}
