//! Grammars that were compiled before, for whoever asks for the same again.
//!
//! A [`GrammarCache`] is asked with the source, not with what a front end makes of
//! it, so that a hit costs no front end either: a key hashes the text, what fills
//! its slots, what it is compiled for and the tokenizer ([`CacheKey`]). What was
//! used last is kept in memory, up to a bound in bytes; what is found nowhere is
//! compiled.
//!
//! Behind the memory there may be a [`Store`]: a folder, or a browser's storage. It
//! is not trusted. An entry of another build, or one that is not byte for byte what
//! was written, is compiled anew and written again ([`EntryError`]); and a store
//! that fails costs nothing but its use.
//!
//! Cost: a key hashes the grammar's text, and the tokenizer once; an entry takes a
//! small part of the time that compiling takes (`lacuna compile` tells how small).

mod compiled;
mod entry;
mod key;
mod memory;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lacuna_checker::CheckerLimits;
use lacuna_lexer::Vocabulary;
use serde::Serialize;

pub use compiled::{CompiledGrammar, Lints};
pub use entry::{EntryError, MAX_ENTRY};
pub use key::{CacheKey, NoKey};

use crate::source::Extent;
use crate::{Clock, Fault, GrammarSource, Purpose};
use compiled::Read;
use memory::Memory;

/// Where entries are kept when the memory is gone.
pub trait Store: Send + Sync {
    /// The entry of a key, if there is one.
    ///
    /// # Errors
    /// Whatever is in the way; the cache goes on without.
    fn get(&self, key: &CacheKey) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keeps an entry. `milliseconds` is what it took to compile, if known.
    ///
    /// # Errors
    /// Whatever is in the way; the cache goes on without.
    fn put(
        &self,
        key: &CacheKey,
        entry: Vec<u8>,
        milliseconds: Option<f64>,
    ) -> Result<(), StoreError>;
}

/// Why a store did not answer, or did not keep.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(pub String);

/// Where a compiled grammar came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was in memory.
    Memory,
    /// The store had it.
    Storage,
    /// It was compiled, for the first time as far as is known.
    Compiled,
    /// It was compiled, because what the store had is of no use.
    Rebuilt(EntryError),
}

impl Origin {
    /// A stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Storage => "storage",
            Self::Compiled => "compiled",
            Self::Rebuilt(_) => "rebuilt",
        }
    }
}

/// A compiled grammar, and how it was come by.
#[derive(Clone, Debug)]
pub struct Found {
    /// The grammar.
    pub grammar: Arc<CompiledGrammar>,
    /// Where it came from.
    pub origin: Origin,
    /// What it took, if it was compiled and the cache has a clock.
    pub times: Option<CompileTimes>,
}

/// Where the time of compiling went, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompileTimes {
    /// From the text to rules, and linting them.
    pub front_end: f64,
    /// From rules to automata and productions.
    pub checker: f64,
}

/// What a cache has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheStatistics {
    /// Grammars found in memory.
    pub memory_hits: u64,
    /// Grammars found in the store.
    pub storage_hits: u64,
    /// Grammars compiled because they were found nowhere.
    pub misses: u64,
    /// Grammars compiled because the store's entry was stale or damaged.
    pub rebuilds: u64,
    /// Grammars put out of memory to make room.
    pub evictions: u64,
    /// Times that the store failed.
    pub storage_failures: u64,
    /// Grammars in memory.
    pub entries: usize,
    /// Bytes that they take.
    pub bytes: usize,
}

/// Compiled grammars; may be shared by threads.
pub struct GrammarCache {
    state: Mutex<State>,
    store: Option<Box<dyn Store>>,
    clock: Option<Clock>,
    limits: CheckerLimits,
}

struct State {
    memory: Memory<CacheKey, Arc<CompiledGrammar>>,
    counts: CacheStatistics,
    /// The tokenizer that was hashed last: it is mostly the same.
    tokenizer: Option<(Arc<Vocabulary>, [u8; 32])>,
}

/// Bytes that compiled grammars may take in memory where nothing else is said.
pub const DEFAULT_MEMORY: usize = 64 << 20;

impl Default for GrammarCache {
    fn default() -> Self {
        Self::new(DEFAULT_MEMORY)
    }
}

impl fmt::Debug for GrammarCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("GrammarCache");
        shown.field("statistics", &self.statistics());
        shown.finish_non_exhaustive()
    }
}

impl GrammarCache {
    /// A cache that keeps up to so many bytes in memory, without a store.
    pub fn new(memory: usize) -> Self {
        Self {
            state: Mutex::new(State {
                memory: Memory::new(memory),
                counts: CacheStatistics::default(),
                tokenizer: None,
            }),
            store: None,
            clock: None,
            limits: CheckerLimits::default(),
        }
    }

    /// The same, with a store behind the memory.
    pub fn with_store(mut self, store: impl Store + 'static) -> Self {
        self.store = Some(Box::new(store));
        self
    }

    /// The same, telling the store how long compiling took.
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// The compiled grammar of a source, and where it came from. Gaps that count
    /// cells need the vocabulary. With `lint`, the grammar has its lints.
    ///
    /// # Errors
    /// A [`Fault`] of kind `grammar` with every finding, or `grammar-too-large`; none of a schema
    /// that whole texts can be judged by, which its grammar's warnings say.
    pub fn compile(
        &self,
        source: &GrammarSource,
        purpose: Purpose,
        vocabulary: Option<&Arc<Vocabulary>>,
        lint: bool,
    ) -> Result<Found, Fault> {
        let key = self.key(source, purpose, vocabulary);
        let enough = |grammar: &CompiledGrammar| !lint || grammar.lints().is_linted;
        if let Some(grammar) = self.recall(&key).filter(|grammar| enough(grammar)) {
            self.state().counts.memory_hits += 1;
            return Ok(Found {
                grammar,
                origin: Origin::Memory,
                times: None,
            });
        }
        let mut origin = Origin::Compiled;
        match self.load(&key) {
            Some(Ok(grammar)) if enough(&grammar) => {
                self.state().counts.storage_hits += 1;
                return Ok(Found {
                    grammar: self.remember(key, grammar),
                    origin: Origin::Storage,
                    times: None,
                });
            }
            Some(Err(error)) => origin = Origin::Rebuilt(error),
            Some(Ok(_)) | None => {}
        }
        // Nothing is locked meanwhile: who asks for the same compiles it too.
        let now = || self.clock.as_ref().map(|clock| clock());
        let started = now();
        let mut was_read = None;
        let compiled =
            Read::new(source, purpose, vocabulary, lint, Extent::Exact).and_then(|read| {
                was_read = now();
                read.compile(vocabulary, &self.limits)
            });
        let grammar = match compiled {
            Ok(grammar) => grammar,
            Err(fault) => {
                #[cfg(feature = "shortcuts")]
                if let Some((grammar, _)) =
                    CompiledGrammar::judged(source, purpose, vocabulary, lint, &self.limits, &fault)
                {
                    // It is kept in memory alone: a judge has no entry.
                    self.state().counts.misses += 1;
                    return Ok(Found {
                        grammar: self.remember(key, grammar),
                        origin: Origin::Compiled,
                        times: None,
                    });
                }
                return Err(source.placed(fault, purpose, vocabulary.map(|it| &**it)));
            }
        };
        let times = started.zip(was_read).zip(now());
        let times = times.map(|((started, was_read), now)| CompileTimes {
            front_end: was_read - started,
            checker: now - was_read,
        });
        match origin {
            Origin::Rebuilt(_) => self.state().counts.rebuilds += 1,
            _ => self.state().counts.misses += 1,
        }
        let grammar = self.remember(key, grammar);
        let milliseconds = times.map(|times| times.front_end + times.checker);
        if !grammar.is_judged() {
            self.save(&key, &grammar, milliseconds);
        }
        Ok(Found {
            grammar,
            origin,
            times,
        })
    }

    /// The key that [`compile`](Self::compile) looks for.
    pub fn key(
        &self,
        source: &GrammarSource,
        purpose: Purpose,
        vocabulary: Option<&Arc<Vocabulary>>,
    ) -> CacheKey {
        CacheKey::new(source, purpose, self.tokenizer(vocabulary), &self.limits)
    }

    /// Whether the memory holds a key.
    pub fn holds(&self, key: &CacheKey) -> bool {
        self.state().memory.contains(key)
    }

    /// What the cache has done so far.
    pub fn statistics(&self) -> CacheStatistics {
        let state = self.state();
        CacheStatistics {
            evictions: state.memory.evictions(),
            entries: state.memory.len(),
            bytes: state.memory.bytes(),
            ..state.counts
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tokenizer(&self, vocabulary: Option<&Arc<Vocabulary>>) -> [u8; 32] {
        let Some(vocabulary) = vocabulary else {
            return key::hash_tokenizer(None);
        };
        if let Some((known, hash)) = &self.state().tokenizer
            && Arc::ptr_eq(known, vocabulary)
        {
            return *hash;
        }
        let hash = key::hash_tokenizer(Some(vocabulary));
        self.state().tokenizer = Some((Arc::clone(vocabulary), hash));
        hash
    }

    fn recall(&self, key: &CacheKey) -> Option<Arc<CompiledGrammar>> {
        let size = |grammar: &Arc<CompiledGrammar>| grammar.heap_bytes();
        self.state().memory.get(key, size)
    }

    fn remember(&self, key: CacheKey, grammar: CompiledGrammar) -> Arc<CompiledGrammar> {
        let grammar = Arc::new(grammar);
        let bytes = grammar.heap_bytes();
        let mut state = self.state();
        state.memory.insert(key, Arc::clone(&grammar), bytes);
        grammar
    }

    fn load(&self, key: &CacheKey) -> Option<Result<CompiledGrammar, EntryError>> {
        match self.store.as_ref()?.get(key) {
            Ok(entry) => Some(CompiledGrammar::from_entry(&entry?, key, &self.limits)),
            Err(_) => {
                self.state().counts.storage_failures += 1;
                None
            }
        }
    }

    fn save(&self, key: &CacheKey, grammar: &CompiledGrammar, milliseconds: Option<f64>) {
        let Some(store) = &self.store else { return };
        let Some(entry) = grammar.to_entry(key) else {
            return;
        };
        if store.put(key, entry, milliseconds).is_err() {
            self.state().counts.storage_failures += 1;
        }
    }
}
