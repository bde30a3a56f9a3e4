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

use std::rc::Rc;

use super::alphabet::{Alphabet, sets_of};
use super::{AutomatonError, Dfa, Language, Limits, NfaBuilder, NfaState};
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
        let Some(alphabet) = Alphabet::of_sets(sets.iter().map(Vec::as_slice)) else {
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
            byte_edges: &nfa.byte_edges,
            empty_edges: &nfa.empty_edges,
            conditions: &self.conditions,
            words: &self.words,
            behind: &behind,
            start,
            anything: self.anything,
            ends: [self.anything, self.nothing, self.no_word],
            next: [self.no_word, self.word],
            ways: 0,
        };
        let symbols: Vec<u8> = (0..=u8::MAX).take(self.words.len()).collect();
        let first = machine.first();
        let ends = machine.ends;
        let automaton = Dfa::explore(
            first,
            &symbols,
            |place, symbol| machine.step(place, symbol),
            |place| some_ends(&place.ways, ends),
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

/// A state, and what is demanded of the rest of the text besides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Way {
    state: NfaState,
    /// In order; shared by the ways that go on from one.
    demands: Rc<[Demand]>,
}

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

/// A state of the automaton that results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    before: Before,
    ways: Vec<Way>,
}

struct Machine<'c> {
    byte_edges: &'c [Vec<(u8, u8, NfaState)>],
    empty_edges: &'c [Vec<NfaState>],
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
        let ways = self.closed(vec![way(self.start)], &before);
        Place { before, ways }
    }

    /// `None` where too many ways were followed.
    fn step(&mut self, place: &Place, symbol: u8) -> Option<Place> {
        let read = |ways: &Vec<Way>| self.read(ways, symbol);
        let before = Before {
            is_beginning: false,
            is_word: self.words[usize::from(symbol)],
            behind: place.before.behind.iter().map(read).collect(),
            holds: vec![false; self.behind.len()],
        };
        let before = self.looked_behind(before);
        let mut ways = self.read(&place.ways, symbol);
        // A pattern may begin at any character.
        ways.push(way(self.start));
        let ways = self.closed(ways, &before);
        (self.ways <= MAX_WAYS).then_some(Place { before, ways })
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

    /// What ways come to by a symbol, before conditions are looked at.
    fn read(&self, ways: &[Way], symbol: u8) -> Vec<Way> {
        let mut found = Vec::new();
        let mut known: Known = Vec::new();
        for Way { state, demands } in ways {
            let edges = self.byte_edges[*state as usize].iter();
            let edges = edges.filter(|(low, high, _)| (*low..=*high).contains(&symbol));
            let mut edges = edges.peekable();
            if edges.peek().is_none() {
                continue;
            }
            let read = |demand: &Demand| Demand {
                negated: demand.negated,
                ways: self.read(&demand.ways, symbol),
            };
            let demands = once(&mut known, demands, |demands| {
                Some(demands.iter().map(read).collect())
            });
            found.extend(edges.filter_map(|&(_, _, state)| {
                let demands = demands.clone()?;
                Some(Way { state, demands })
            }));
        }
        found
    }

    /// All that ways come to without a character, in order, what says the same or less
    /// left out.
    fn closed(&mut self, ways: Vec<Way>, before: &Before) -> Vec<Way> {
        let mut todo = Vec::new();
        let mut known: Known = Vec::new();
        for Way { state, demands } in ways {
            let demands = once(&mut known, &demands, |demands| {
                self.demanded(demands, before)
            });
            todo.extend(demands.map(|demands| Way { state, demands }));
        }
        let mut seen: Vec<Way> = Vec::new();
        while let Some(way) = todo.pop() {
            self.ways += 1;
            if self.ways > MAX_WAYS {
                continue;
            }
            let Err(place) = seen.binary_search(&way) else {
                continue;
            };
            let to = |state: NfaState| Way {
                state,
                demands: way.demands.clone(),
            };
            let beside = self.empty_edges[way.state as usize].iter();
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
            let reads = !self.byte_edges[way.state as usize].is_empty();
            reads || ends.contains(&way.state) || marks(way.state)
        });
        let all = way(self.anything);
        if seen.binary_search(&all).is_ok() {
            return vec![all];
        }
        let mut is_less = Vec::with_capacity(seen.len());
        for alike in seen.chunk_by(|one, other| one.state == other.state) {
            is_less.extend(alike.iter().map(|way| {
                alike.iter().any(|other| {
                    let mut demands = other.demands.iter();
                    other != way && demands.all(|demand| way.demands.contains(demand))
                })
            }));
        }
        let mut is_less = is_less.into_iter();
        seen.retain(|_| is_less.next() == Some(false));
        seen
    }

    /// Demands closed; `None` where one cannot be met.
    fn demanded(&mut self, demands: &[Demand], before: &Before) -> Option<Rc<[Demand]>> {
        let mut kept = way(self.start);
        for Demand { negated, ways } in demands {
            let ways = self.closed(ways.clone(), before);
            let negated = *negated;
            kept = self.with(kept, Demand { negated, ways })?;
        }
        Some(kept.demands)
    }

    /// The way with a demand more; `None` where that cannot be met.
    fn with(&self, mut way: Way, demand: Demand) -> Option<Way> {
        let is_sure = demand.ways == [self::way(self.anything)];
        if is_sure || demand.ways.is_empty() {
            return (is_sure != demand.negated).then_some(way);
        }
        let denied = Demand {
            negated: !demand.negated,
            ways: demand.ways.clone(),
        };
        if way.demands.contains(&denied) {
            return None;
        }
        if let Err(place) = way.demands.binary_search(&demand) {
            let (before, behind) = way.demands.split_at(place);
            way.demands = [before, &[demand], behind].concat().into();
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
}

/// What was made of demands, which many ways share.
type Known = Vec<(Rc<[Demand]>, Option<Rc<[Demand]>>)>;

fn once(
    known: &mut Known,
    demands: &Rc<[Demand]>,
    make: impl FnOnce(&[Demand]) -> Option<Rc<[Demand]>>,
) -> Option<Rc<[Demand]>> {
    if demands.is_empty() {
        return Some(demands.clone());
    }
    if let Some((_, made)) = known.iter().find(|(other, _)| other == demands) {
        return made.clone();
    }
    let made = make(demands);
    known.push((demands.clone(), made.clone()));
    made
}

fn way(state: NfaState) -> Way {
    Way {
        state,
        demands: Rc::new([]),
    }
}

/// Whether one of the ways is at its end, where the text is.
fn some_ends(ways: &[Way], ends: [NfaState; 3]) -> bool {
    ways.iter().any(|way| {
        let mut demands = way.demands.iter();
        ends.contains(&way.state)
            && demands.all(|demand| some_ends(&demand.ways, ends) != demand.negated)
    })
}
