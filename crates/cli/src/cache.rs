//! A folder of compiled grammars.
//!
//! An entry is a file; it is written beside its place and renamed, so that another
//! process sees all of it or nothing, and two that write the same leave either's.
//! What was not used for longest is removed when the folder grows too large. A
//! folder that cannot be read or written any more makes commands slower, not wrong.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use lacuna_engine::GrammarCache;
use lacuna_engine::cache::{CacheKey, CacheStatistics, MAX_ENTRY, Origin, Store, StoreError};

use crate::error::CommandError;

/// Where compiled grammars are kept.
#[derive(Args)]
pub struct CacheArguments {
    /// Keep compiled grammars in this folder, and what was measured of graphics cards, and
    /// take both from it
    #[arg(long = "cache", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Mebibytes that the folder may grow to
    #[arg(long, value_name = "MIB", default_value_t = 256, requires = "folder")]
    cache_size: u64,
}

impl CacheArguments {
    /// The folder, if one is named.
    #[cfg(feature = "gpu")]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The cache; with no folder it is in memory alone.
    pub fn open(&self) -> Result<Arc<GrammarCache>, CommandError> {
        let origin = Instant::now();
        let clock = Arc::new(move || origin.elapsed().as_secs_f64() * 1000.0);
        let cache = GrammarCache::default().with_clock(clock);
        let Some(folder) = &self.folder else {
            return Ok(Arc::new(cache));
        };
        fs::create_dir_all(folder).map_err(|error| CommandError::file(folder, error))?;
        Ok(Arc::new(cache.with_store(Folder {
            path: folder.clone(),
            most: self.cache_size.saturating_mul(1 << 20),
        })))
    }
}

/// Where a grammar came from, as a sentence.
pub fn describe_origin(origin: Origin) -> String {
    match origin {
        Origin::Memory => "the grammar was compiled before".to_owned(),
        Origin::Storage => "the compiled grammar was in the cache".to_owned(),
        Origin::Compiled => "the grammar was compiled".to_owned(),
        Origin::Rebuilt(why) => format!("the grammar was compiled anew: in the cache, {why}"),
    }
}

/// What a cache did, as a sentence.
pub fn describe_cache(statistics: &CacheStatistics) -> String {
    let CacheStatistics {
        memory_hits,
        storage_hits,
        misses,
        rebuilds,
        ..
    } = statistics;
    format!(
        "grammars: {misses} compiled, {rebuilds} compiled anew, {memory_hits} from memory, \
         {storage_hits} from the cache's folder"
    )
}

/// The folder.
struct Folder {
    path: PathBuf,
    most: u64,
}

/// Entries end in this, and nothing else in the folder is touched.
const ENDING: &str = "lacuna-grammar";

/// Entries being written end in this.
const UNFINISHED: &str = "lacuna-unfinished";

/// After so long, whoever was writing is not writing any more.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

impl Folder {
    fn place(&self, key: &CacheKey) -> PathBuf {
        self.path.join(format!("{key}.{ENDING}"))
    }

    fn write(&self, place: &Path, entry: &[u8]) -> std::io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let unfinished = self.path.join(format!("{process}-{number}.{UNFINISHED}"));
        let written = File::create(&unfinished)
            .and_then(|mut file| file.write_all(entry))
            .and_then(|()| fs::rename(&unfinished, place));
        if written.is_err() {
            // Whatever is left of it is of no use.
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    /// Removes what was not used for longest, until the rest is small enough.
    fn make_room(&self) -> std::io::Result<()> {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for file in fs::read_dir(&self.path)? {
            let path = file?.path();
            // Another process may have removed it meanwhile.
            let Ok(facts) = fs::symlink_metadata(&path) else {
                continue;
            };
            let used = facts.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let age = now.duration_since(used).unwrap_or_default();
            match path.extension().and_then(OsStr::to_str) {
                Some(ENDING) if facts.is_file() => entries.push((used, facts.len(), path)),
                Some(UNFINISHED) if age > ABANDONED => remove(&path)?,
                _ => {}
            }
        }
        entries.sort();
        let mut bytes: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, size, path) in entries {
            if bytes <= self.most {
                break;
            }
            remove(&path)?;
            bytes -= size;
        }
        Ok(())
    }
}

/// Removes a file, which may have been removed already.
fn remove(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl Store for Folder {
    fn get(&self, key: &CacheKey) -> Result<Option<Vec<u8>>, StoreError> {
        let file = match File::open(self.place(key)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let mut entry = Vec::new();
        // One byte more than there may be shows that there are too many.
        let mut bytes = (&file).take(MAX_ENTRY as u64 + 1);
        bytes.read_to_end(&mut entry).map_err(failed)?;
        // Where this is not allowed, entries make room in the order of their writing.
        let now = SystemTime::now();
        let writable = File::options().write(true).open(self.place(key));
        let _ = writable.and_then(|file| file.set_modified(now));
        Ok(Some(entry))
    }

    fn put(&self, key: &CacheKey, entry: Vec<u8>, _: Option<f64>) -> Result<(), StoreError> {
        if entry.len() as u64 > self.most {
            return Ok(());
        }
        let written = self.write(&self.place(key), &entry);
        written.and_then(|()| self.make_room()).map_err(failed)
    }
}

fn failed(error: std::io::Error) -> StoreError {
    StoreError(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> CacheKey {
        let hash = format!("{number:02x}").repeat(32);
        format!("{hash}-{hash}").parse().expect("a key")
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("the folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Folder {
            path: folder.path().to_owned(),
            most: 100,
        };
        fs::write(folder.path().join("notes.txt"), [0; 500]).expect("a file");
        let age = |number: u8, seconds: u64| {
            let used = SystemTime::now() - Duration::from_secs(seconds);
            let file = File::options().write(true).open(store.place(&key(number)));
            file.and_then(|file| file.set_modified(used))
                .expect("an entry");
        };
        for number in 0..3 {
            store
                .put(&key(number), vec![number; 30], None)
                .expect("room");
            age(number, 100 - u64::from(number));
        }
        // Used now, so it is not the oldest any more.
        assert_eq!(store.get(&key(0)), Ok(Some(vec![0; 30])));
        store.put(&key(3), vec![3; 30], None).expect("room");
        let held = |number| store.get(&key(number)).expect("an answer").is_some();
        assert_eq!([0, 1, 2, 3].map(held), [true, false, true, true]);
        store.put(&key(4), vec![4; 101], None).expect("an answer");
        assert!(!held(4) && held(3));
        assert_eq!(names(folder.path()).len(), 4, "with the notes");
    }

    #[test]
    fn what_was_left_unfinished_is_removed_when_it_is_old() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Folder {
            path: folder.path().to_owned(),
            most: 100,
        };
        for (name, hours) in [("1-0", 3), ("2-0", 0)] {
            let path = folder.path().join(format!("{name}.{UNFINISHED}"));
            let file = File::create(path).expect("a file");
            let then = SystemTime::now() - Duration::from_secs(hours * 60 * 60);
            file.set_modified(then).expect("a file");
        }
        store.put(&key(0), vec![0; 3], None).expect("room");
        let expected = [format!("{}.{ENDING}", key(0)), format!("2-0.{UNFINISHED}")];
        assert_eq!(names(folder.path()), expected);
    }

    #[test]
    fn a_folder_that_is_gone_is_an_error_and_no_panic() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Folder {
            path: folder.path().join("gone"),
            most: 100,
        };
        assert_eq!(store.get(&key(0)), Ok(None));
        assert!(store.put(&key(0), vec![1], None).is_err());
    }
}
