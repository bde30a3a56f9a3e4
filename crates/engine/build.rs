//! Gives the crate a number that changes with the code that compiles grammars, so
//! that what another build compiled and kept is known to be stale.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What a compiled grammar depends on, from this crate's folder.
const SOURCES: [&str; 6] = [
    "../../Cargo.lock",
    "../grammar/src",
    "../lexer/src",
    "../checker/src",
    "src/cache",
    "src/source.rs",
];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut hasher = DefaultHasher::new();
    env::var("CARGO_PKG_VERSION").ok().hash(&mut hasher);
    for source in SOURCES {
        // Away from the repository the version has to do.
        let path = root.join(source);
        if path.exists() {
            println!("cargo::rerun-if-changed={source}");
            source.hash(&mut hasher);
            hash(&path, &mut hasher)?;
        }
    }
    println!(
        "cargo::rustc-env=LACUNA_FINGERPRINT={:016x}",
        hasher.finish()
    );
    Ok(())
}

fn hash(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    if !path.is_dir() {
        fs::read(path)?.hash(hasher);
        return Ok(());
    }
    let entries = fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.file_name()));
    let mut names = entries.collect::<io::Result<Vec<_>>>()?;
    names.sort();
    for name in names {
        name.hash(hasher);
        hash(&path.join(name), hasher)?;
    }
    Ok(())
}
