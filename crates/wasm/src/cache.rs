//! Compiled grammars between this module and the page's storage.
//!
//! The page's storage answers later and the engine does not wait, so entries are
//! handed over beforehand and taken away afterwards: who asks for a grammar first
//! learns its key, looks it up where the page keeps entries and offers what it
//! finds; behind the call it takes what was compiled and keeps that. There is one
//! cache for the whole module, whatever it is asked through.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use lacuna_engine::GrammarCache;
use lacuna_engine::cache::{CacheKey, Store, StoreError};
use wasm_bindgen::prelude::*;

use crate::crossing::to_js;
use crate::now::performance_now;

/// Milliseconds of compiling below which an entry is not worth keeping.
const WORTH_KEEPING: f64 = 10.0;

/// Entries that wait to be taken, at most.
const MOST_WAITING: usize = 8;

static PASSING: LazyLock<Passing> = LazyLock::new(Passing::default);

static CACHE: LazyLock<Arc<GrammarCache>> = LazyLock::new(|| {
    let cache = GrammarCache::default().with_clock(Arc::new(performance_now));
    Arc::new(cache.with_store(PASSING.clone()))
});

/// The module's cache.
pub(crate) fn cache() -> &'static Arc<GrammarCache> {
    &CACHE
}

/// A store that only passes entries on.
#[derive(Clone, Default)]
struct Passing(Arc<Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    offered: Option<(CacheKey, Vec<u8>)>,
    compiled: Vec<(CacheKey, Vec<u8>)>,
}

impl Passing {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Passing {
    fn get(&self, key: &CacheKey) -> Result<Option<Vec<u8>>, StoreError> {
        let offered = self.entries().offered.take();
        let wanted = offered.filter(|(offered, _)| offered == key);
        Ok(wanted.map(|(_, entry)| entry))
    }

    fn put(
        &self,
        key: &CacheKey,
        entry: Vec<u8>,
        milliseconds: Option<f64>,
    ) -> Result<(), StoreError> {
        let compiled = &mut self.entries().compiled;
        if milliseconds.is_some_and(|took| took >= WORTH_KEEPING) && compiled.len() < MOST_WAITING {
            compiled.push((*key, entry));
        }
        Ok(())
    }
}

/// Whether the compiled grammar of a key is in memory, so that no entry is needed.
#[wasm_bindgen(js_name = holdsCompiled)]
pub fn holds_compiled(key: &str) -> bool {
    key.parse().is_ok_and(|key| CACHE.holds(&key))
}

/// Offers the next call an entry that was kept; what is wrong with it is found out
/// there, and then the grammar is compiled.
#[wasm_bindgen(js_name = offerCompiled)]
pub fn offer_compiled(key: &str, entry: Vec<u8>) {
    let key = key.parse();
    PASSING.entries().offered = key.ok().map(|key| (key, entry));
}

/// What was compiled and took its time, to be kept: `{ key, entry }` each.
#[wasm_bindgen(js_name = takeCompiled)]
pub fn take_compiled() -> Result<js_sys::Array, JsValue> {
    let compiled = std::mem::take(&mut PASSING.entries().compiled);
    let taken = js_sys::Array::new();
    for (key, entry) in compiled {
        let object = js_sys::Object::new();
        let bytes = js_sys::Uint8Array::from(entry.as_slice());
        js_sys::Reflect::set(&object, &"key".into(), &key.to_string().into())?;
        js_sys::Reflect::set(&object, &"entry".into(), &bytes)?;
        taken.push(&object);
    }
    Ok(taken)
}

/// What the cache has done so far.
#[wasm_bindgen(js_name = cacheStatistics)]
pub fn cache_statistics() -> Result<JsValue, JsValue> {
    to_js(&CACHE.statistics())
}
