//! Configurations: where the reading of a text stands.
//!
//! Those that were met are numbered, and kept within a bound; their numbers are void when
//! they are forgotten, which is not before a text has been read.

use std::rc::Rc;
use std::sync::Arc;

use lacuna_grammar::automaton::{AutomatonError, Dfa, Limits, NfaBuilder, StateId, byte_classes};
use rustc_hash::FxHashMap;

use crate::{Discipline, Language, Stopped, TerminalId, Ticker};

/// Bytes, about, that what was met may take before it is forgotten.
const BOUND: usize = 256 << 20;

/// Index of a lexeme under way; 0 is none.
type LexemeId = u32;

/// Index of a configuration.
pub(super) type ConfigurationId = u32;

/// What a lexeme may still become.
type Lexeme = Box<[(TerminalId, StateId)]>;

/// Where reading stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Configuration {
    lexeme: LexemeId,
    /// What ended and must not grow, as states of the union; sorted.
    owed: Vec<StateId>,
    constraint: StateId,
}

/// Reads texts of one language; what it meets is kept.
#[derive(Debug)]
pub(super) struct Reader {
    language: Arc<Language>,
    /// The lexemes of all terminals together, minimal: keywords and names are soon
    /// one there, which keeps configurations few.
    union: Dfa,
    /// One byte of each class that no automaton tells apart, readable ones first.
    alphabet: Vec<u8>,
    lexemes: Vec<Lexeme>,
    /// For each lexeme, where it stands in the union; the start for none.
    in_union: Vec<StateId>,
    lexeme_ids: FxHashMap<Lexeme, LexemeId>,
    configurations: Vec<Configuration>,
    ids: FxHashMap<Configuration, ConfigurationId>,
    /// For each configuration, where its bytes lead, each place once.
    moves: FxHashMap<ConfigurationId, Rc<[(u8, ConfigurationId)]>>,
    /// Bytes, about, of what was met.
    bytes: usize,
    /// Of them, those that were told of.
    told: usize,
}

impl Reader {
    /// A reader that has met nothing; it stands at configuration 0.
    pub(super) fn new(language: Arc<Language>, limits: &Limits) -> Result<Self, AutomatonError> {
        let union = union(&language, limits)?;
        let automata = language.terminals.iter().map(|terminal| &terminal.language);
        let automata = automata.chain(&language.constraint);
        let mut ranges = automata.flat_map(|dfa| {
            (0..dfa.state_count() as StateId).flat_map(|state| {
                let ranges = dfa.byte_ranges(state).into_iter();
                ranges.map(|(low, high, _)| (low, high))
            })
        });
        let (classes, _) = byte_classes(&mut ranges);
        let mut met = [false; 256];
        let readable = (b'a'..=b'z').chain(b' '..=b'~').chain(0..=255);
        let alphabet = readable.filter(|&byte| {
            let class = classes[byte as usize] as usize;
            !std::mem::replace(&mut met[class], true)
        });
        let mut reader = Self {
            alphabet: alphabet.collect(),
            lexemes: Vec::new(),
            in_union: Vec::new(),
            union,
            lexeme_ids: FxHashMap::default(),
            configurations: Vec::new(),
            ids: FxHashMap::default(),
            moves: FxHashMap::default(),
            bytes: 0,
            told: 0,
            language,
        };
        reader.forget();
        Ok(reader)
    }

    /// Forgets all configurations but the first.
    pub(super) fn forget(&mut self) {
        self.lexemes = vec![Box::default()];
        self.in_union = vec![self.union.start()];
        self.lexeme_ids = FxHashMap::default();
        self.configurations = Vec::new();
        self.ids = FxHashMap::default();
        self.moves = FxHashMap::default();
        (self.bytes, self.told) = (0, 0);
        let constraint = self.language.constraint.as_ref();
        self.id(Configuration {
            lexeme: 0,
            owed: Vec::new(),
            constraint: constraint.map_or(0, |dfa| dfa.start()),
        });
    }

    /// The same, if they are more than their bound.
    pub(super) fn empty_if_full(&mut self) {
        if self.bytes > BOUND {
            self.forget();
        }
    }

    /// Bytes, about, that have come since this was asked last.
    pub(super) fn grown(&mut self) -> usize {
        let grown = self.bytes - self.told;
        self.told = self.bytes;
        grown
    }

    /// What reading a lexeme of the terminal reads in the ε-NFA.
    pub(super) fn label(&self, terminal: TerminalId) -> Option<TerminalId> {
        (!self.language.terminals[terminal as usize].ignored).then_some(terminal)
    }

    /// Whether a text may end so; what is owed is owed no more then.
    pub(super) fn may_end(&self, configuration: ConfigurationId) -> bool {
        let configuration = &self.configurations[configuration as usize];
        let constraint = self.language.constraint.as_deref();
        let allowed = constraint.is_none_or(|dfa: &Dfa| dfa.is_accepting(configuration.constraint));
        configuration.lexeme == 0 && allowed
    }

    /// Whether the lexeme under way can be of the terminal, or ignored.
    pub(super) fn can_become(
        &self,
        configuration: ConfigurationId,
        wanted: Option<TerminalId>,
    ) -> bool {
        let lexeme = self.configurations[configuration as usize].lexeme;
        let fits = |&(terminal, _): &(TerminalId, StateId)| {
            Some(terminal) == wanted || self.language.terminals[terminal as usize].ignored
        };
        lexeme == 0 || self.lexemes[lexeme as usize].iter().any(fits)
    }

    /// The terminal that the lexeme under way is of, if it ends here, and where that
    /// leads.
    pub(super) fn ended(
        &mut self,
        configuration: ConfigurationId,
    ) -> Option<(TerminalId, ConfigurationId)> {
        let ended = self.configurations[configuration as usize].clone();
        let lexeme = &self.lexemes[ended.lexeme as usize];
        // Under maximal munch terminals are disjoint, otherwise it is only one.
        let terminal = self.accepted(lexeme)?;
        let mut owed = ended.owed;
        if self.language.discipline == Discipline::Munch {
            owed.push(self.in_union[ended.lexeme as usize]);
            owed.sort_unstable();
            owed.dedup();
        }
        let next = self.id(Configuration {
            lexeme: 0,
            owed,
            constraint: ended.constraint,
        });
        Some((terminal, next))
    }

    fn accepted(&self, lexeme: &Lexeme) -> Option<TerminalId> {
        let mut members = lexeme.iter();
        let accepts = |&&(terminal, state): &&(TerminalId, StateId)| {
            self.language.terminals[terminal as usize]
                .language
                .is_accepting(state)
        };
        members.find(accepts).map(|&(terminal, _)| terminal)
    }

    /// Where the bytes of a gap lead.
    ///
    /// # Errors
    /// When the time is over.
    pub(super) fn moves(
        &mut self,
        from: ConfigurationId,
        ticker: &mut Ticker<'_>,
    ) -> Result<Rc<[(u8, ConfigurationId)]>, Stopped> {
        if let Some(known) = self.moves.get(&from) {
            return Ok(Rc::clone(known));
        }
        let mut moves: Vec<(u8, ConfigurationId)> = Vec::new();
        for byte in self.alphabet.clone() {
            ticker.spend(self.work(from))?;
            for next in self.after(from, byte) {
                if moves.iter().all(|&(_, known)| known != next) {
                    moves.push((byte, next));
                }
            }
        }
        let moves: Rc<[_]> = moves.into();
        self.bytes += size_of_val(&*moves) + 64;
        self.moves.insert(from, Rc::clone(&moves));
        Ok(moves)
    }

    /// Automata that are asked for one more byte.
    fn work(&self, from: ConfigurationId) -> usize {
        let Configuration { lexeme, owed, .. } = &self.configurations[from as usize];
        owed.len()
            + match lexeme {
                0 => self.language.terminals.len(),
                _ => self.lexemes[*lexeme as usize].len(),
            }
    }

    /// The configurations after a byte: several only where a lexeme begins under the
    /// free discipline.
    pub(super) fn after(&mut self, from: ConfigurationId, byte: u8) -> Vec<ConfigurationId> {
        let from = self.configurations[from as usize].clone();
        let constraint = match &self.language.constraint {
            None => Some(0),
            Some(dfa) => dfa.next(from.constraint, byte),
        };
        let Some(constraint) = constraint else {
            return Vec::new();
        };
        let mut owed = Vec::with_capacity(from.owed.len());
        for &ended in &from.owed {
            match self.union.next(ended, byte) {
                Some(longer) if self.union.is_accepting(longer) => return Vec::new(),
                longer => owed.extend(longer),
            }
        }
        owed.sort_unstable();
        owed.dedup();
        let begun = from.lexeme != 0;
        let lexemes = match begun {
            true => vec![self.read(&self.lexemes[from.lexeme as usize], byte)],
            false => self.first(byte),
        };
        let lexemes = lexemes.into_iter().filter(|lexeme| !lexeme.is_empty());
        let lexemes: Vec<Lexeme> = lexemes.collect();
        let next = lexemes.into_iter().map(|lexeme| {
            let lexeme = self.lexeme_id(lexeme, from.lexeme, byte);
            let owed = owed.clone();
            self.id(Configuration {
                lexeme,
                owed,
                constraint,
            })
        });
        next.collect()
    }

    /// The lexemes that a byte begins.
    fn first(&self, byte: u8) -> Vec<Lexeme> {
        let terminals = (0..).zip(&self.language.terminals);
        let starts = terminals.map(|(id, terminal)| (id, terminal.language.start()));
        match self.language.discipline {
            Discipline::Munch => vec![self.read(&starts.collect::<Lexeme>(), byte)],
            Discipline::Free => starts.map(|start| self.read(&[start], byte)).collect(),
        }
    }

    fn read(&self, lexeme: &[(TerminalId, StateId)], byte: u8) -> Lexeme {
        let next = lexeme.iter().filter_map(|&(terminal, state)| {
            let language = &self.language.terminals[terminal as usize].language;
            Some((terminal, language.next(state, byte)?))
        });
        next.collect()
    }

    /// The number of a lexeme, which is another with one more byte.
    fn lexeme_id(&mut self, lexeme: Lexeme, before: LexemeId, byte: u8) -> LexemeId {
        if let Some(&known) = self.lexeme_ids.get(&lexeme) {
            return known;
        }
        let id = self.lexemes.len() as LexemeId;
        let before = self.in_union[before as usize];
        // What a terminal goes on with, the union does.
        let here = self.union.next(before, byte).unwrap_or(before);
        self.in_union.push(here);
        self.bytes += 2 * size_of_val(&*lexeme) + 64;
        self.lexemes.push(lexeme.clone());
        self.lexeme_ids.insert(lexeme, id);
        id
    }

    fn id(&mut self, configuration: Configuration) -> ConfigurationId {
        let (configurations, bytes) = (&mut self.configurations, &mut self.bytes);
        *self
            .ids
            .entry(configuration)
            .or_insert_with_key(|configuration| {
                let owed = size_of_val(configuration.owed.as_slice());
                *bytes += 2 * (owed + size_of::<Configuration>());
                configurations.push(configuration.clone());
                configurations.len() as ConfigurationId - 1
            })
    }
}

/// All lexemes in one automaton; nothing under the free discipline, where none is
/// owed.
fn union(language: &Language, limits: &Limits) -> Result<Dfa, AutomatonError> {
    let mut builder = NfaBuilder::new(limits);
    let (start, accept) = (builder.state()?, builder.state()?);
    if language.discipline == Discipline::Munch {
        for terminal in &language.terminals {
            builder.automaton(&terminal.language, start, accept)?;
        }
    }
    let nfa = builder.finish(start, accept);
    Ok(nfa.determinize(limits)?.minimize())
}
