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
use lacuna_lexer::{Lexer, PackedLexer};
use serde::{Deserialize, Serialize};

use crate::cfg::{Cfg, Symbol};
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
    lexer: PackedLexer,
}

impl Compiled {
    /// The compiled grammar as bytes.
    ///
    /// # Errors
    /// Where it is too large to be kept.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Damaged> {
        let pack = |dfa: &Option<Arc<Dfa>>| dfa.as_ref().map(|dfa| dfa.pack());
        let packed = match &self.0 {
            Shape::Regular { language, .. } => Packed {
                language: Some(language.pack()),
                inner: None,
                cover: None,
                levels: 0,
                parser: None,
            },
            Shape::Parsed {
                inner,
                cover,
                levels,
                parser,
            } => Packed {
                language: None,
                inner: pack(inner),
                cover: pack(cover),
                levels: *levels as u32,
                parser: Some(PackedCfg::pack(parser)?),
            },
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
                inner: inner.as_ref().map(unpack).transpose()?,
                cover: cover.as_ref().map(unpack).transpose()?,
                levels: levels as usize,
                parser: Arc::new(parser.unpack(&limits)?),
            },
            _ => return Err(Damaged("parts that do not go together")),
        };
        Ok(Self(shape))
    }
}

/// What kinds of symbols there are; a symbol is its index times this, and its kind.
const KINDS: u32 = 3;

impl PackedCfg {
    fn pack(cfg: &Cfg) -> Result<Self, Damaged> {
        let number = |symbol: &Symbol| {
            let (index, kind) = match *symbol {
                Symbol::Terminal(terminal) => (terminal, 0),
                Symbol::Nonterminal(nonterminal) => (nonterminal, 1),
                Symbol::End(nonterminal) => (nonterminal, 2),
                // Only at the very end, where it is understood.
                Symbol::EndOfText => return None,
            };
            Some(
                index
                    .checked_mul(KINDS)
                    .and_then(|number| number.checked_add(kind)),
            )
        };
        let symbols = cfg.symbols.iter().filter_map(number);
        Ok(Self {
            nonterminals: cfg.productions.len() as u32,
            symbols: symbols
                .collect::<Option<_>>()
                .ok_or(Damaged("too large to be kept"))?,
            lexer: cfg.lexer.pack(),
        })
    }

    fn unpack(&self, limits: &Limits) -> Result<Cfg, Damaged> {
        const WRONG: Damaged = Damaged("a production");
        let lexer = Lexer::unpack(&self.lexer, limits)?;
        // A nonterminal is the left-hand side of some production, or is mentioned
        // in one; without this bound a number could demand any amount of memory.
        if self.nonterminals as usize > self.symbols.len() {
            return Err(WRONG);
        }
        let mut productions = vec![Vec::new(); self.nonterminals as usize];
        let mut symbols = Vec::with_capacity(self.symbols.len() + 1);
        let mut first = 0;
        for &number in &self.symbols {
            let (index, kind) = (number / KINDS, number % KINDS);
            let bound = match kind {
                0 => lexer.terminal_count(),
                _ => productions.len(),
            };
            if index as usize >= bound {
                return Err(WRONG);
            }
            symbols.push(match kind {
                0 => Symbol::Terminal(index),
                1 => Symbol::Nonterminal(index),
                _ => Symbol::End(index),
            });
            if kind == 2 {
                productions[index as usize].push(first);
                first = symbols.len() as u32;
            }
        }
        let [Symbol::Nonterminal(_)] = symbols[first as usize..] else {
            return Err(Damaged("the production of whole texts"));
        };
        symbols.push(Symbol::EndOfText);
        Ok(Cfg {
            symbols,
            productions,
            goal: first,
            lexer,
        })
    }
}
