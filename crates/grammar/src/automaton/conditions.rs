//! Automata with conditions on what surrounds a place: look-ahead, look-behind, word
//! boundaries and the ends of the text.
//!
//! What was read is known: it is followed beside the automaton, deterministically, and
//! says whether a condition on it holds. What is to come is not: a way that meets such a
//! condition goes on with a demand on the rest of the text, which is a set of ways of its
//! own of which one must reach the end, or none may. A state of the automaton that
//! results is a set of ways with their demands (an alternating automaton made
//! deterministic, as in Chandra, Kozen and Stockmeyer, "Alternation", 1981), so what it
//! accepts is exact whatever is repeated or negated.
//!
//! Many ways have the same demands, at many places, so lists of demands are numbers, and
//! what becomes of each by a symbol or at a place is found once.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::alphabet::{Alphabet, sets_of};
use super::{AutomatonError, Dfa, Language, Limits, Nfa, NfaBuilder, NfaState};
use crate::Expr;

/// Most ways that one construction follows, demands included.
const MAX_WAYS: usize = 100_000;
/// The characters of words.
const WORD: [(u32, u32); 4] = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];

/// What is asked of a place in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Condition {
    /// The text begins here.
    Beginning,
    /// The text ends here.
    End,
    /// Of the characters on both sides one is a word's and one is not, or not so.
    Boundary { negated: bool },
    /// What follows begins with what the automaton reads from this state to
    /// [`Conditions::anything`], or does not.
    Ahead { from: NfaState, negated: bool },
    /// What was read ends with the text of that number, or does not.
    Behind { number: usize, negated: bool },
}

/// A nondeterministic automaton over characters with conditions, in the making.
pub(crate) struct Conditions {
    alphabet: Alphabet,
    /// For each symbol, whether it is a word's.
    words: Vec<bool>,
    pub builder: NfaBuilder,
    /// Each between two states.
    conditions: Vec<(NfaState, Condition, NfaState)>,
    /// Where texts to look behind for begin and end.
    behind: Vec<(NfaState, NfaState)>,
    anything: NfaState,
    nothing: NfaState,
    word: NfaState,
    no_word: NfaState,
}

impl Conditions {
    /// An automaton for what some expressions say; `None` where these are not of
    /// characters, or tell too many apart.
    pub(crate) fn new<'e>(
        expressions: impl Iterator<Item = &'e Expr>,
        limits: &Limits,
    ) -> Result<Option<Self>, AutomatonError> {
        let mut sets = vec![WORD.to_vec()];
        for expr in expressions {
            let Some(own) = sets_of(expr) else {
                return Ok(None);
            };
            sets.extend(own);
        }
        let Some(alphabet) = Alphabet::of_sets(sets.iter().map(Vec::as_slice).collect()) else {
            return Ok(None);
        };
        let mut words = vec![false; alphabet.count()];
        for (low, high) in alphabet.symbols_of(&WORD) {
            words[usize::from(low)..=usize::from(high)].fill(true);
        }
        let mut builder = NfaBuilder::new(limits);
        let [anything, nothing, word, no_word] = [
            builder.state()?,
            builder.state()?,
            builder.state()?,
            builder.state()?,
        ];
        for (symbol, &is_word) in (0..=u8::MAX).zip(&words) {
            let next = if is_word { word } else { no_word };
            builder.byte_edge(anything, symbol, symbol, anything);
            builder.byte_edge(next, symbol, symbol, anything);
        }
        Ok(Some(Self {
            alphabet,
            words,
            builder,
            conditions: Vec::new(),
            behind: Vec::new(),
            anything,
            nothing,
            word,
            no_word,
        }))
    }

    /// The state from which every text is read.
    pub(crate) fn anything(&self) -> NfaState {
        self.anything
    }

    /// Connects two states by what an expression says.
    pub(crate) fn expression(
        &mut self,
        expr: &Expr,
        from: NfaState,
        to: NfaState,
    ) -> Result<(), AutomatonError> {
        let alphabet = &self.alphabet;
        self.builder
            .symbols(expr, from, to, &mut |builder, set, from, to| {
                for (low, high) in alphabet.symbols_of(set) {
                    builder.byte_edge(from, low, high, to);
                }
            })
    }

    /// Connects two states where a condition holds.
    pub(crate) fn condition(&mut self, condition: Condition, from: NfaState, to: NfaState) {
        self.conditions.push((from, condition, to));
    }

    /// A text to look behind for, from a state to another; its number. Conditions in it
    /// are on what was read, and those texts have numbers already.
    pub(crate) fn look_behind(&mut self, from: NfaState, to: NfaState) -> usize {
        self.behind.push((from, to));
        self.behind.len() - 1
    }

    /// The texts in which something from `start` to [`Self::anything`] can be read
    /// somewhere.
    pub(crate) fn searched(
        self,
        start: NfaState,
        limits: &Limits,
    ) -> Result<Language, AutomatonError> {
        let Self {
            builder, behind, ..
        } = self;
        let nfa = builder.finish(start, self.anything);
        let mut machine = Machine {
            nfa: &nfa,
            conditions: &self.conditions,
            words: &self.words,
            behind: &behind,
            start,
            anything: self.anything,
            ends: [self.anything, self.nothing, self.no_word],
            next: [self.no_word, self.word],
            ways: 0,
            lists: Vec::new(),
            numbers: FxHashMap::default(),
            read: FxHashMap::default(),
            closed: FxHashMap::default(),
            stepped: Vec::new(),
        };
        machine.number(Rc::new([]));
        let symbols: Vec<u8> = (0..=u8::MAX).take(self.words.len()).collect();
        let first = machine.first();
        let automaton = Dfa::explore(
            first,
            &symbols,
            |place, symbol| machine.step(place, symbol),
            |place| place.ends,
            limits,
        )?;
        match machine.ways > MAX_WAYS {
            true => Err(AutomatonError::TooLarge {
                what: "ways through a pattern",
                limit: MAX_WAYS,
            }),
            false => Ok(Language {
                alphabet: Some(self.alphabet),
                automaton,
            }),
        }
    }
}

/// A state, and what is demanded of the rest of the text besides: the number of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Way {
    state: NfaState,
    demands: u32,
}

/// The number of the list without demands.
const NOTHING: u32 = 0;
/// In place of a number: what cannot be met.
const NEVER: u32 = u32::MAX;

/// One of these ways reaches the end, or none does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Demand {
    negated: bool,
    /// In order.
    ways: Vec<Way>,
}

/// What is known of what was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Before {
    is_beginning: bool,
    is_word: bool,
    /// How far each text to look behind for was read.
    behind: Vec<Vec<Way>>,
    /// Whether it was just read to its end.
    holds: Vec<bool>,
}

impl Before {
    /// All that conditions ask of it, if that is not too much for a number.
    fn facts(&self) -> Option<u32> {
        let facts = [self.is_beginning, self.is_word];
        let facts = facts.iter().chain(&self.holds);
        let bits = (0..).zip(facts).map(|(at, &holds)| u32::from(holds) << at);
        (self.holds.len() < 30).then(|| bits.sum())
    }
}

/// A state of the automaton that results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    /// First, for places mostly differ in these.
    ways: Vec<Way>,
    /// Whether a text may end here.
    ends: bool,
    before: Before,
}

struct Machine<'c> {
    nfa: &'c Nfa,
    conditions: &'c [(NfaState, Condition, NfaState)],
    words: &'c [bool],
    behind: &'c [(NfaState, NfaState)],
    start: NfaState,
    anything: NfaState,
    /// States in which a text may end.
    ends: [NfaState; 3],
    /// States that read no word's character, and that read one.
    next: [NfaState; 2],
    /// Ways followed so far.
    ways: usize,
    /// Lists of demands, in order, each once.
    lists: Vec<Rc<[Demand]>>,
    numbers: FxHashMap<Rc<[Demand]>, u32>,
    /// What lists come to by a symbol, before conditions are looked at.
    read: FxHashMap<(u32, u32), u32>,
    /// What they come to then, by what is known.
    closed: FxHashMap<(u32, u32), u32>,
    /// What was found for other symbols in the place at hand, by what they come to first.
    stepped: Vec<(Place, Place)>,
}

impl Machine<'_> {
    fn first(&mut self) -> Place {
        let before = Before {
            is_beginning: true,
            is_word: false,
            behind: vec![Vec::new(); self.behind.len()],
            holds: vec![false; self.behind.len()],
        };
        let before = self.looked_behind(before);
        self.place(vec![way(self.start)], before)
    }

    fn place(&mut self, ways: Vec<Way>, before: Before) -> Place {
        let ways = self.closed(ways, &before);
        let ends = self.some_ends(&ways);
        Place { before, ways, ends }
    }

    /// `None` where too many ways were followed.
    fn step(&mut self, place: &Place, symbol: u8) -> Option<Place> {
        if symbol == 0 {
            self.stepped.clear();
        }
        let behind = place.before.behind.iter();
        let before = Before {
            is_beginning: false,
            is_word: self.words[usize::from(symbol)],
            behind: behind.map(|ways| self.read(ways, symbol)).collect(),
            holds: vec![false; self.behind.len()],
        };
        let mut ways = self.read(&place.ways, symbol);
        // A pattern may begin at any character.
        ways.push(way(self.start));
        let first = Place {
            before,
            ways,
            ends: false,
        };
        if let Some((_, known)) = self.stepped.iter().find(|(other, _)| *other == first) {
            self.ways += first.ways.len();
            return (self.ways <= MAX_WAYS).then(|| known.clone());
        }
        let before = self.looked_behind(first.before.clone());
        let place = self.place(first.ways.clone(), before);
        self.stepped.push((first, place.clone()));
        (self.ways <= MAX_WAYS).then_some(place)
    }

    /// Begins each text to look behind for here too, and finds which ones end here.
    fn looked_behind(&mut self, mut before: Before) -> Before {
        for (number, &(from, to)) in self.behind.iter().enumerate() {
            let mut ways = std::mem::take(&mut before.behind[number]);
            ways.push(way(from));
            let ways = self.closed(ways, &before);
            before.holds[number] = ways.iter().any(|way| way.state == to);
            before.behind[number] = ways;
        }
        before
    }

    /// The number of a list of demands.
    fn number(&mut self, list: Rc<[Demand]>) -> u32 {
        let fresh = self.lists.len() as u32;
        *self.numbers.entry(list).or_insert_with_key(|list| {
            self.lists.push(list.clone());
            fresh
        })
    }

    /// What ways come to by a symbol, before conditions are looked at.
    fn read(&mut self, ways: &[Way], symbol: u8) -> Vec<Way> {
        let mut found = Vec::new();
        let nfa = self.nfa;
        for way in ways {
            let edges = nfa.byte_edges.of(way.state).iter();
            let edges = edges.filter(|(low, high, _)| (*low..=*high).contains(&symbol));
            let mut edges = edges.peekable();
            if edges.peek().is_none() {
                continue;
            }
            let demands = self.demands_read(way.demands, symbol);
            found.extend(edges.map(|&(_, _, state)| Way { state, demands }));
        }
        found
    }

    fn demands_read(&mut self, demands: u32, symbol: u8) -> u32 {
        if demands == NOTHING {
            return NOTHING;
        }
        let key = (demands, u32::from(symbol));
        if let Some(&known) = self.read.get(&key) {
            return known;
        }
        let list = self.lists[demands as usize].clone();
        let read = list.iter().map(|demand| Demand {
            negated: demand.negated,
            ways: self.read(&demand.ways, symbol),
        });
        let read = read.collect();
        let read = self.number(read);
        self.read.insert(key, read);
        read
    }

    /// All that ways come to without a character, in order, what says the same or less
    /// left out.
    fn closed(&mut self, ways: Vec<Way>, before: &Before) -> Vec<Way> {
        let mut todo = Vec::new();
        for Way { state, demands } in ways {
            let demands = self.demanded(demands, before);
            if demands != NEVER {
                todo.push(Way { state, demands });
            }
        }
        let mut seen: Vec<Way> = Vec::new();
        let nfa = self.nfa;
        while let Some(way) = todo.pop() {
            self.ways += 1;
            if self.ways > MAX_WAYS {
                continue;
            }
            let Err(place) = seen.binary_search(&way) else {
                continue;
            };
            let to = |state: NfaState| Way { state, ..way };
            let beside = nfa.empty_edges.of(way.state).iter();
            todo.extend(beside.map(|&state| to(state)));
            let conditions = self.conditions;
            for &(_, condition, state) in conditions.iter().filter(|it| it.0 == way.state) {
                todo.extend(self.met(condition, to(state), before));
            }
            seen.insert(place, way);
        }
        // Between characters only what reads or ends counts.
        let ends = self.ends;
        let marks = |state: NfaState| self.behind.iter().any(|&(_, to)| to == state);
        seen.retain(|way| {
            let reads = !nfa.byte_edges.of(way.state).is_empty();
            reads || ends.contains(&way.state) || marks(way.state)
        });
        let all = way(self.anything);
        if seen.binary_search(&all).is_ok() {
            return vec![all];
        }
        let copies = |way: &Way| nfa.first_copies[way.state as usize];
        seen.sort_unstable_by_key(|way| (copies(way), *way));
        let mut kept: Vec<Way> = Vec::new();
        for alike in seen.chunk_by(|one, other| copies(one) == copies(other)) {
            let first = kept.len();
            for (at, way) in alike.iter().enumerate() {
                let behind = alike[at + 1..].iter();
                let behind = behind.take_while(|other| other.state == way.state);
                let mut others = kept[first..].iter().chain(behind);
                if !others.any(|other| self.asks_no_more(other.demands, way.demands)) {
                    kept.push(*way);
                }
            }
        }
        kept
    }

    /// Whether all of some demands are among others.
    fn asks_no_more(&self, demands: u32, others: u32) -> bool {
        let others = &self.lists[others as usize];
        let mut demands = self.lists[demands as usize].iter();
        demands.all(|demand| others.contains(demand))
    }

    /// Demands closed; [`NEVER`] where one cannot be met.
    fn demanded(&mut self, demands: u32, before: &Before) -> u32 {
        if demands == NOTHING {
            return NOTHING;
        }
        let key = before.facts().map(|facts| (demands, facts));
        if let Some(&known) = key.and_then(|key| self.closed.get(&key)) {
            return known;
        }
        let list = self.lists[demands as usize].clone();
        let mut kept = Some(way(self.start));
        for Demand { negated, ways } in list.iter() {
            let ways = self.closed(ways.clone(), before);
            let negated = *negated;
            kept = kept.and_then(|kept| self.with(kept, Demand { negated, ways }));
        }
        let found = kept.map_or(NEVER, |kept| kept.demands);
        if let Some(key) = key {
            self.closed.insert(key, found);
        }
        found
    }

    /// The way with a demand more; `None` where that cannot be met.
    fn with(&mut self, mut way: Way, demand: Demand) -> Option<Way> {
        let is_sure = demand.ways == [self::way(self.anything)];
        if is_sure || demand.ways.is_empty() {
            return (is_sure != demand.negated).then_some(way);
        }
        let list = self.lists[way.demands as usize].clone();
        let is_denied =
            |other: &Demand| other.negated != demand.negated && other.ways == demand.ways;
        if list.iter().any(is_denied) {
            return None;
        }
        if let Err(place) = list.binary_search(&demand) {
            let (before, behind) = list.split_at(place);
            let list = [before, &[demand], behind].concat();
            way.demands = self.number(list.into());
        }
        Some(way)
    }

    /// The way behind a condition, if it can be met.
    fn met(&mut self, condition: Condition, way: Way, before: &Before) -> Option<Way> {
        let next = |state: NfaState| Demand {
            negated: false,
            ways: vec![self::way(state)],
        };
        match condition {
            Condition::Beginning => before.is_beginning.then_some(way),
            Condition::Behind { number, negated } => {
                (before.holds[number] != negated).then_some(way)
            }
            Condition::End => self.with(way, next(self.ends[1])),
            Condition::Boundary { negated } => {
                let wanted = before.is_word == negated;
                self.with(way, next(self.next[usize::from(wanted)]))
            }
            Condition::Ahead { from, negated } => {
                let ways = self.closed(vec![self::way(from)], before);
                self.with(way, Demand { negated, ways })
            }
        }
    }

    /// Whether one of the ways is at its end, where the text is.
    fn some_ends(&self, ways: &[Way]) -> bool {
        ways.iter().any(|way| {
            let mut demands = self.lists[way.demands as usize].iter();
            self.ends.contains(&way.state)
                && demands.all(|demand| self.some_ends(&demand.ways) != demand.negated)
        })
    }
}

fn way(state: NfaState) -> Way {
    Way {
        state,
        demands: NOTHING,
    }
}
