//! A compiled grammar as it is kept outside: what becomes of it on the way is found
//! out.
//!
//! An entry says which build of this code wrote it and under which key, and ends in
//! its content; a SHA-256 over all of it stands in between. An entry of another
//! build is *stale*, one that any byte of is wrong is *damaged*, and neither is
//! used. A person who can write to the storage can also write entries whose hash is
//! right: those are still read with every index checked (`lacuna_checker` and what
//! it packs), so they can lie about the language but do no harm to the program; the
//! same person could change the program itself.

use lacuna_checker::{CheckerLimits, Compiled};
use lacuna_grammar::automaton::packed::Damaged;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::compiled::{CompiledGrammar, Lints};
use super::key::CacheKey;
use crate::Finding;

/// Entries larger than this are neither written nor read.
pub const MAX_ENTRY: usize = 64 << 20;

const MAGIC: [u8; 8] = *b"lacunaGC";

/// Which build of the code that compiles grammars this is.
const FINGERPRINT: &[u8] = env!("LACUNA_FINGERPRINT").as_bytes();

const HASH: usize = 32;
const KEY: usize = 64;

/// Why an entry is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// It does not begin as an entry does.
    #[error("it is no compiled grammar")]
    Foreign,
    /// Another build wrote it.
    #[error("another version of this program wrote it")]
    Stale,
    /// It was written under another key.
    #[error("it belongs to another grammar")]
    OtherKey,
    /// Its bytes are not those that were written.
    #[error("it is damaged")]
    Damaged,
    /// It is whole, but not what this program writes.
    #[error("{0}")]
    Content(#[from] Damaged),
}

impl EntryError {
    /// A stable name.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Foreign => "foreign",
            Self::Stale => "stale",
            Self::OtherKey => "other-key",
            Self::Damaged => "damaged",
            Self::Content(_) => "content",
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Content<'a> {
    rules: u32,
    tokens: Vec<u32>,
    /// As JSON.
    warnings: &'a str,
    read: u32,
    is_linted: bool,
    shortest: Option<u64>,
    #[serde(borrow)]
    compiled: &'a [u8],
}

impl CompiledGrammar {
    /// The entry of this grammar under a key; `None` if it would be too large, or is judged by
    /// what no entry holds.
    pub fn to_entry(&self, key: &CacheKey) -> Option<Vec<u8>> {
        let Lints {
            warnings,
            read,
            is_linted,
            shortest,
        } = &self.lints;
        if self.is_judged() {
            return None;
        }
        let compiled = self.compiled.to_bytes().ok()?;
        let content = Content {
            rules: u32::try_from(self.rules).ok()?,
            tokens: self.tokens.clone(),
            warnings: &serde_json::to_string(warnings).ok()?,
            read: u32::try_from(*read).ok()?,
            is_linted: *is_linted,
            shortest: *shortest,
            compiled: &compiled,
        };
        let content = postcard::to_allocvec(&content).ok()?;
        let head = [&MAGIC, FINGERPRINT, &key.bytes()].concat();
        let entry = [&head, &hash(&head, &content)[..], &content].concat();
        (entry.len() <= MAX_ENTRY).then_some(entry)
    }

    /// Reads the entry of a key.
    ///
    /// # Errors
    /// Where it is not what this build wrote under this key.
    pub fn from_entry(
        entry: &[u8],
        key: &CacheKey,
        limits: &CheckerLimits,
    ) -> Result<Self, EntryError> {
        // Of how long a text it was made the entry does not say.
        #[cfg(feature = "shortcuts")]
        let limits = &limits.for_text(usize::MAX);
        let rest = entry.strip_prefix(&MAGIC).ok_or(EntryError::Foreign)?;
        let rest = rest.strip_prefix(FINGERPRINT).ok_or(EntryError::Stale)?;
        let (written, rest) = rest.split_at_checked(KEY).ok_or(EntryError::Damaged)?;
        let (expected, content) = rest.split_at_checked(HASH).ok_or(EntryError::Damaged)?;
        let head = &entry[..entry.len() - rest.len()];
        if entry.len() > MAX_ENTRY || hash(head, content) != *expected {
            return Err(EntryError::Damaged);
        }
        if *written != key.bytes() {
            return Err(EntryError::OtherKey);
        }
        let (content, behind): (Content<'_>, _) = postcard::take_from_bytes(content)
            .map_err(|_| Damaged("not the content of an entry"))?;
        if !behind.is_empty() {
            return Err(Damaged("bytes behind the content").into());
        }
        let damaged = || Damaged("the warnings");
        let warnings: Vec<Finding> =
            serde_json::from_str(content.warnings).map_err(|_| damaged())?;
        let read = content.read as usize;
        if read > warnings.len() {
            return Err(damaged().into());
        }
        let lints = Lints {
            warnings,
            read,
            is_linted: content.is_linted,
            shortest: content.shortest,
        };
        Ok(Self {
            compiled: Compiled::from_bytes(content.compiled, limits)?.into(),
            tokens: content.tokens,
            rules: content.rules as usize,
            lints,
            #[cfg(feature = "shortcuts")]
            judge: None,
        })
    }
}

fn hash(head: &[u8], content: &[u8]) -> [u8; HASH] {
    let mut hash = Sha256::new();
    hash.update(head);
    hash.update(content);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::compiled::Read;
    use crate::cache::key::hash_tokenizer;
    use crate::source::Extent;
    use crate::{Dialect, GrammarSource, Purpose};

    fn entry() -> (CacheKey, Vec<u8>) {
        let source = GrammarSource::new(
            Dialect::Gbnf,
            "root ::= \"[\" root \"]\" | [a-z]{1,9}\n  unused ::= root",
        );
        let limits = CheckerLimits::default();
        let key = CacheKey::new(&source, Purpose::Judging, hash_tokenizer(None), &limits);
        let read =
            Read::new(&source, Purpose::Judging, None, true, Extent::Exact).expect("a grammar");
        let grammar = read.compile(None, &limits).expect("a small grammar");
        assert!(!grammar.lints().warnings.is_empty());
        (key, grammar.to_entry(&key).expect("an entry"))
    }

    fn read_entry(entry: &[u8], key: &CacheKey) -> Result<CompiledGrammar, EntryError> {
        CompiledGrammar::from_entry(entry, key, &CheckerLimits::default())
    }

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let (key, entry) = entry();
        let read = read_entry(&entry, &key).expect("a grammar");
        assert_eq!(read.to_entry(&key), Some(entry));
    }

    #[test]
    fn every_changed_byte_is_found_out() {
        let (key, entry) = entry();
        for at in 0..entry.len() {
            for bit in 0..8 {
                let mut changed = entry.clone();
                changed[at] ^= 1 << bit;
                let error = read_entry(&changed, &key).expect_err("it is changed");
                let stale = MAGIC.len()..MAGIC.len() + FINGERPRINT.len();
                let expected = match at {
                    at if at < MAGIC.len() => EntryError::Foreign,
                    at if stale.contains(&at) => EntryError::Stale,
                    _ => EntryError::Damaged,
                };
                assert_eq!(error, expected, "byte {at}");
            }
            assert!(read_entry(&entry[..at], &key).is_err(), "{at} bytes");
        }
        let longer = [&entry[..], b"\0"].concat();
        assert_eq!(read_entry(&longer, &key).err(), Some(EntryError::Damaged));
    }

    #[test]
    fn an_entry_of_another_key_is_not_used() {
        let (key, entry) = entry();
        let other = key.to_string().replace('a', "b").parse().expect("a key");
        assert_ne!(key, other);
        assert_eq!(read_entry(&entry, &other).err(), Some(EntryError::OtherKey));
    }

    /// With the hash made right again, what is changed is refused or read; neither
    /// panics.
    #[test]
    fn changes_under_a_right_hash_do_no_harm() {
        let (key, entry) = entry();
        let head = MAGIC.len() + FINGERPRINT.len() + KEY;
        let mut refused = 0;
        for at in head + HASH..entry.len() {
            for change in [1, 0x40, 0x80, 0xFF] {
                let mut changed = entry.clone();
                changed[at] = changed[at].wrapping_add(change);
                let hash = hash(&changed[..head], &changed[head + HASH..]);
                changed[head..head + HASH].copy_from_slice(&hash);
                match read_entry(&changed, &key) {
                    Err(EntryError::Content(_)) => refused += 1,
                    Err(error) => panic!("byte {at}: {error}"),
                    Ok(read) => assert!(read.heap_bytes() < 1 << 20),
                }
            }
        }
        assert!(refused > entry.len(), "{refused} of {}", 4 * entry.len());
    }
}
