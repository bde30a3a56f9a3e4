//! A compiled grammar as bytes, to be kept somewhere and read again.
//!
//! The bytes are the same for the same grammar. Reading is made for bytes that may
//! be anything: it allocates no more than the limits allow, and whatever it
//! returns can be asked anything without a panic or a hang. That an automaton is
//! that of *this* grammar cannot be seen by looking at it; whoever keeps the bytes
//! has to see to it that they come back as they were.

use std::sync::{Arc, OnceLock};

use lacuna_grammar::automaton::packed::{Damaged, PackedDfa};
use lacuna_grammar::automaton::{Dfa, Limits};
use lacuna_grammar::interleave::{Interleave, Item, Way};
use lacuna_lexer::{Lexer, PackedLexer};
use serde::{Deserialize, Serialize};

use crate::bounds::{Bounds, LazyBounds};
use crate::cfg::{Cfg, Interleaved, Symbol};
use crate::compiled::Shape;
use crate::{CheckerLimits, Compiled};

#[derive(Serialize, Deserialize)]
struct Packed {
    /// The language, alone; or what is known of it besides the parser.
    language: Option<PackedDfa>,
    inner: Option<PackedDfa>,
    cover: Option<PackedDfa>,
    levels: u32,
    parser: Option<PackedCfg>,
}

#[derive(Serialize, Deserialize)]
struct PackedCfg {
    nonterminals: u32,
    /// Right-hand sides, a number a symbol; productions begin where others end.
    symbols: Vec<u32>,
    interleaves: Vec<PackedInterleave>,
    lexer: PackedLexer,
}

#[derive(Serialize, Deserialize)]
struct PackedInterleave {
    nonterminal: u32,
    hidden: u32,
    items: Vec<PackedItem>,
    separator: u32,
    min: u32,
    max: Option<u32>,
    wanted: u32,
}

#[derive(Serialize, Deserialize)]
struct PackedItem {
    /// What each way meets, and its symbol.
    ways: Vec<(u32, u32)>,
    is_once: bool,
    is_required: bool,
}

impl Compiled {
    /// The compiled grammar as bytes.
    ///
    /// # Errors
    /// Where it is too large to be kept.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Damaged> {
        let pack = |dfa: &Option<Arc<Dfa>>| dfa.as_ref().map(|dfa| dfa.pack());
        let packed = match &self.shape {
            Shape::Regular { language, .. } => Packed {
                language: Some(language.pack()),
                inner: None,
                cover: None,
                levels: 0,
                parser: None,
            },
            Shape::Parsed { bounds, parser } => {
                let bounds = bounds.get();
                Packed {
                    language: None,
                    inner: pack(&bounds.inner),
                    cover: pack(&bounds.cover),
                    levels: bounds.levels as u32,
                    parser: Some(PackedCfg::pack(parser)?),
                }
            }
        };
        postcard::to_allocvec(&packed).map_err(|_| Damaged("too large to be kept"))
    }

    /// Reads what [`to_bytes`](Self::to_bytes) made.
    ///
    /// # Errors
    /// Where it is something else, or larger than the limits.
    pub fn from_bytes(bytes: &[u8], limits: &CheckerLimits) -> Result<Self, Damaged> {
        let (packed, rest): (Packed, _) = postcard::take_from_bytes(bytes)
            .map_err(|_| Damaged("not the bytes of a compiled grammar"))?;
        if !rest.is_empty() {
            return Err(Damaged("bytes behind a compiled grammar"));
        }
        let limits = Limits {
            dfa_states: limits
                .automata
                .dfa_states
                .max(limits.approximations.dfa_states),
            ..limits.automata
        };
        let unpack = |dfa: &PackedDfa| Dfa::unpack(dfa, &limits).map(Arc::new);
        let shape = match packed {
            Packed {
                language: Some(language),
                inner: None,
                cover: None,
                levels: 0,
                parser: None,
            } => Shape::Regular {
                language: unpack(&language)?,
                parser: OnceLock::new(),
            },
            Packed {
                language: None,
                inner,
                cover,
                levels,
                parser: Some(parser),
            } => Shape::Parsed {
                bounds: LazyBounds::from(Bounds {
                    inner: inner.as_ref().map(unpack).transpose()?,
                    cover: cover.as_ref().map(unpack).transpose()?,
                    levels: levels as usize,
                }),
                parser: Arc::new(parser.unpack(&limits)?),
            },
            _ => return Err(Damaged("parts that do not go together")),
        };
        Ok(Self::of(shape))
    }
}

/// What kinds of symbols there are; a symbol is its index times this, and its kind.
const KINDS: u32 = 3;

/// A symbol's number; not that of the end of the text, which stands only at the very
/// end, where it is understood.
fn number(symbol: Symbol) -> Option<Option<u32>> {
    let (index, kind) = match symbol {
        Symbol::Terminal(terminal) => (terminal, 0),
        Symbol::Nonterminal(nonterminal) => (nonterminal, 1),
        Symbol::End(nonterminal) => (nonterminal, 2),
        Symbol::EndOfText => return None,
    };
    let number = index.checked_mul(KINDS);
    Some(number.and_then(|number| number.checked_add(kind)))
}

/// The symbol of a number, if there are so many terminals and nonterminals.
fn symbol(number: u32, terminals: usize, nonterminals: usize) -> Option<Symbol> {
    let (index, kind) = (number / KINDS, number % KINDS);
    let bound = match kind {
        0 => terminals,
        _ => nonterminals,
    };
    let symbol = match kind {
        0 => Symbol::Terminal(index),
        1 => Symbol::Nonterminal(index),
        _ => Symbol::End(index),
    };
    ((index as usize) < bound).then_some(symbol)
}

impl PackedInterleave {
    fn pack(interleaved: &Interleaved) -> Option<Self> {
        let Interleaved {
            nonterminal,
            hidden,
            items,
        } = interleaved;
        let packed = items
            .try_map(|&symbol| number(symbol).flatten().ok_or(()))
            .ok()?;
        let items = packed.items.iter().map(|item| PackedItem {
            ways: item.ways.iter().map(|way| (way.meets, way.text)).collect(),
            is_once: item.is_once,
            is_required: item.is_required,
        });
        Some(Self {
            nonterminal: *nonterminal,
            hidden: *hidden,
            items: items.collect(),
            separator: packed.separator,
            min: packed.min,
            max: packed.max,
            wanted: packed.wanted,
        })
    }

    /// What was packed, if its symbols are some that texts can be made of.
    fn unpack(&self, terminals: usize, nonterminals: usize) -> Option<Interleaved> {
        let items = self.items.iter().map(|item| Item {
            ways: item
                .ways
                .iter()
                .map(|&(meets, text)| Way { meets, text })
                .collect(),
            is_once: item.is_once,
            is_required: item.is_required,
        });
        let packed = Interleave {
            items: items.collect(),
            separator: self.separator,
            min: self.min,
            max: self.max,
            wanted: self.wanted,
        };
        let items = packed.try_map(|&number| {
            let symbol = symbol(number, terminals, nonterminals);
            symbol
                .filter(|symbol| !matches!(symbol, Symbol::End(_)))
                .ok_or(())
        });
        let known = |nonterminal: u32| (nonterminal as usize) < nonterminals;
        let few = self.wanted.count_ones() <= MAX_CONDITIONS && self.min <= MAX_MIN;
        (known(self.nonterminal) && known(self.hidden) && few).then_some(Interleaved {
            nonterminal: self.nonterminal,
            hidden: self.hidden,
            items: items.ok()?,
        })
    }
}

/// Most conditions of an interleave that is read: what misses them is found for each
/// set of them.
const MAX_CONDITIONS: u32 = 8;

/// Most items that one may ask for: a shortest list of them is written out.
const MAX_MIN: u32 = 100_000;

impl PackedCfg {
    fn pack(cfg: &Cfg) -> Result<Self, Damaged> {
        const TOO_LARGE: Damaged = Damaged("too large to be kept");
        let symbols = cfg.symbols.iter().filter_map(|&symbol| number(symbol));
        let interleaves = cfg.interleaves.iter().map(PackedInterleave::pack);
        Ok(Self {
            nonterminals: cfg.productions.len() as u32,
            symbols: symbols.collect::<Option<_>>().ok_or(TOO_LARGE)?,
            interleaves: interleaves.collect::<Option<_>>().ok_or(TOO_LARGE)?,
            lexer: cfg.lexer.pack()?,
        })
    }

    fn unpack(&self, limits: &Limits) -> Result<Cfg, Damaged> {
        const WRONG: Damaged = Damaged("a production");
        let lexer = Lexer::unpack(&self.lexer, limits)?;
        // A nonterminal is the left-hand side of some production, or is mentioned
        // in one, or is an interleave, which has one for its items; without this bound a number could demand any amount of memory.
        if self.nonterminals as usize > self.symbols.len() {
            return Err(WRONG);
        }
        let mut productions = vec![Vec::new(); self.nonterminals as usize];
        let mut symbols = Vec::with_capacity(self.symbols.len() + 1);
        let mut first = 0;
        for &number in &self.symbols {
            let symbol = symbol(number, lexer.terminal_count(), productions.len()).ok_or(WRONG)?;
            symbols.push(symbol);
            if let Symbol::End(nonterminal) = symbol {
                productions[nonterminal as usize].push(first);
                first = symbols.len() as u32;
            }
        }
        let interleaves = self
            .interleaves
            .iter()
            .map(|packed| packed.unpack(lexer.terminal_count(), productions.len()));
        let interleaves = interleaves.collect::<Option<_>>().ok_or(WRONG)?;
        let [Symbol::Nonterminal(_)] = symbols[first as usize..] else {
            return Err(Damaged("the production of whole texts"));
        };
        symbols.push(Symbol::EndOfText);
        Ok(Cfg::of_productions(
            symbols,
            productions,
            interleaves,
            first,
            lexer,
        ))
    }
}
