//! What tuning found of graphics cards, in a file of the cache's folder.
//!
//! A file that cannot be read or written costs a second of measuring, no more; of two
//! commands that write at once, one's cards are measured again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lacuna_engine::Tunings;

/// The file, a JSON object with a tuning for each adapter and shape of model.
pub struct TuningFile(PathBuf);

impl TuningFile {
    /// The one in this folder.
    pub fn within(folder: &Path) -> Self {
        Self(folder.join("cards.json"))
    }

    fn read(&self) -> BTreeMap<String, String> {
        let bytes = fs::read(&self.0).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

impl Tunings for TuningFile {
    fn get(&self, key: &str) -> Option<String> {
        self.read().remove(key)
    }

    fn put(&self, key: &str, tuning: &str) {
        let mut all = self.read();
        all.insert(key.to_owned(), tuning.to_owned());
        let unfinished = self.0.with_extension(std::process::id().to_string());
        let written = serde_json::to_vec(&all)
            .map_err(std::io::Error::from)
            .and_then(|bytes| fs::write(&unfinished, bytes))
            .and_then(|()| fs::rename(&unfinished, &self.0));
        if written.is_err() {
            // Whatever is left of it is of no use.
            let _ = fs::remove_file(&unfinished);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = TuningFile::within(folder.path());
        assert_eq!(file.get("a"), None);
        file.put("a", "{1}");
        file.put("b", "{2}");
        file.put("a", "{3}");
        let again = TuningFile::within(folder.path());
        assert_eq!(again.get("a").as_deref(), Some("{3}"));
        assert_eq!(again.get("b").as_deref(), Some("{2}"));
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
        fs::write(folder.path().join("cards.json"), "no JSON").expect("a file");
        assert_eq!(again.get("a"), None);
        TuningFile::within(&folder.path().join("gone")).put("a", "{1}");
    }
}
