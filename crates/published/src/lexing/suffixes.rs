//! Lexemes of which a part is in sight, as automata that are determinised as they are
//! used.
//!
//! What is known of such a lexeme is the set of states that its terminal's automaton may
//! be in. Sets are numbered, and steps from one to the next are made once: by a byte, and
//! by a gap, behind which are all states that any bytes lead to. They are kept from check
//! to check within a bound.

use std::rc::Rc;
use std::sync::Arc;

use lacuna_grammar::automaton::StateId;
use rustc_hash::FxHashMap;

use crate::{Language, Stopped, Terminal, TerminalId, Ticker};

/// Bytes, about, that the automata of a language hold before they are made anew.
const BOUND: usize = 64 << 20;

/// The automata of all terminals.
#[derive(Clone, Debug)]
pub struct Parts {
    language: Arc<Language>,
    automata: Vec<Suffixes>,
}

impl Parts {
    /// Automata that have met nothing.
    pub fn new(language: Arc<Language>) -> Self {
        Self {
            automata: language.terminals.iter().map(Suffixes::new).collect(),
            language,
        }
    }

    /// A terminal with its automaton.
    pub(crate) fn of(&mut self, terminal: TerminalId) -> (&Terminal, &mut Suffixes) {
        let at = terminal as usize;
        (&self.language.terminals[at], &mut self.automata[at])
    }

    /// Forgets all that was met; the numbers of sets are void then.
    pub(crate) fn forget(&mut self) {
        let terminals = &self.language.terminals;
        self.automata = terminals.iter().map(Suffixes::new).collect();
    }

    /// The same, if it is more than its bound.
    pub(crate) fn empty_if_full(&mut self) {
        if self.automata.iter().map(|one| one.bytes).sum::<usize>() > BOUND {
            self.forget();
        }
    }
}

/// A set's number in its terminal's automaton.
pub(crate) type SetId = u32;

/// The automaton of one terminal.
#[derive(Clone, Debug)]
pub(crate) struct Suffixes {
    sets: Vec<Set>,
    ids: FxHashMap<Rc<[StateId]>, SetId>,
    /// Bytes, about, of all this, but for the set that is there from the start.
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Set {
    states: Rc<[StateId]>,
    accepting: bool,
    extends: bool,
    next: FxHashMap<u8, SetId>,
    /// Behind a gap, if that was asked.
    gap: Option<SetId>,
}

/// What a fragment is as the end of a lexeme.
pub(crate) struct Read {
    /// Where the lexeme may end, from the left; not before the first byte.
    pub accepted: Vec<usize>,
    /// Whether it may go on behind the fragment.
    pub goes_on: bool,
}

impl Suffixes {
    /// Of a lexeme that began in the gap before, with bytes that are not in sight.
    pub(crate) const BEGUN: SetId = 0;

    fn new(terminal: &Terminal) -> Self {
        let mut suffixes = Self {
            sets: Vec::new(),
            ids: FxHashMap::default(),
            bytes: 0,
        };
        suffixes.add(terminal, terminal.inside());
        suffixes
    }

    /// Reads a text as the end of a lexeme that began in the gap before.
    pub(crate) fn read(
        &mut self,
        terminal: &Terminal,
        text: &[u8],
        ticker: &mut Ticker<'_>,
    ) -> Result<Read, Stopped> {
        let mut accepted = Vec::new();
        let mut here = Self::BEGUN;
        for (at, &byte) in text.iter().enumerate() {
            here = self.step(terminal, here, byte, ticker)?;
            if self.is_dead(here) {
                break;
            }
            if self.is_accepting(here) {
                accepted.push(at + 1);
            }
        }
        let goes_on = self.sets[here as usize].extends;
        Ok(Read { accepted, goes_on })
    }

    /// The set of a lexeme of which nothing was read.
    pub(crate) fn beginning(
        &mut self,
        terminal: &Terminal,
        ticker: &mut Ticker<'_>,
    ) -> Result<SetId, Stopped> {
        self.id(terminal, vec![terminal.language.start()], ticker)
    }

    /// The set after a text.
    pub(crate) fn after(
        &mut self,
        terminal: &Terminal,
        mut here: SetId,
        text: &[u8],
        ticker: &mut Ticker<'_>,
    ) -> Result<SetId, Stopped> {
        for &byte in text {
            here = self.step(terminal, here, byte, ticker)?;
            if self.is_dead(here) {
                break;
            }
        }
        Ok(here)
    }

    /// The set after a gap.
    pub(crate) fn gap(
        &mut self,
        terminal: &Terminal,
        here: SetId,
        ticker: &mut Ticker<'_>,
    ) -> Result<SetId, Stopped> {
        if let Some(known) = self.sets[here as usize].gap {
            return Ok(known);
        }
        ticker.spend(terminal.state_count())?;
        let states = terminal.anything(&self.sets[here as usize].states);
        let id = self.id(terminal, states, ticker)?;
        self.sets[here as usize].gap = Some(id);
        Ok(id)
    }

    /// Whether no lexeme is so.
    pub(crate) fn is_dead(&self, set: SetId) -> bool {
        self.sets[set as usize].states.is_empty()
    }

    /// Whether a lexeme may end so.
    pub(crate) fn is_accepting(&self, set: SetId) -> bool {
        self.sets[set as usize].accepting
    }

    fn step(
        &mut self,
        terminal: &Terminal,
        from: SetId,
        byte: u8,
        ticker: &mut Ticker<'_>,
    ) -> Result<SetId, Stopped> {
        ticker.tick()?;
        if let Some(&known) = self.sets[from as usize].next.get(&byte) {
            return Ok(known);
        }
        ticker.spend(self.sets[from as usize].states.len())?;
        let states = terminal.step(&self.sets[from as usize].states, byte);
        let next = self.id(terminal, states, ticker)?;
        let step = 2 * size_of::<(u8, SetId)>();
        ticker.hold(step)?;
        self.bytes += step;
        self.sets[from as usize].next.insert(byte, next);
        Ok(next)
    }

    fn id(
        &mut self,
        terminal: &Terminal,
        states: Vec<StateId>,
        ticker: &mut Ticker<'_>,
    ) -> Result<SetId, Stopped> {
        if let Some(&known) = self.ids.get(states.as_slice()) {
            return Ok(known);
        }
        let bytes = size_of_val(states.as_slice()) + 2 * size_of::<Set>();
        ticker.hold(bytes)?;
        self.bytes += bytes;
        Ok(self.add(terminal, states))
    }

    fn add(&mut self, terminal: &Terminal, states: Vec<StateId>) -> SetId {
        let states: Rc<[StateId]> = states.into();
        let id = self.sets.len() as SetId;
        self.sets.push(Set {
            accepting: states.iter().any(|&s| terminal.language.is_accepting(s)),
            extends: states.iter().any(|&s| terminal.extends(s)),
            states: Rc::clone(&states),
            next: FxHashMap::default(),
            gap: None,
        });
        self.ids.insert(states, id);
        id
    }
}
