//! Files of a folder as schemas with instances.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

/// A file and its schemas.
pub struct File {
    pub name: String,
    pub groups: Vec<Group>,
}

/// A schema and what is known of some values.
#[derive(Deserialize)]
pub struct Group {
    #[serde(default)]
    pub description: String,
    pub schema: Box<RawValue>,
    #[serde(default)]
    pub tests: Vec<Test>,
}

/// A value, as it is spelled, and whether it is valid.
#[derive(Deserialize)]
pub struct Test {
    #[serde(default)]
    pub description: String,
    pub data: Box<RawValue>,
    pub valid: bool,
}

/// All files of a folder and of those in it that end in `.json`, by name: a list of
/// groups, one group, or a schema alone.
pub fn read(folder: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    for path in paths(folder)? {
        let text = std::fs::read_to_string(&path)?;
        let shown = path.strip_prefix(folder).unwrap_or(&path);
        files.push(File {
            name: shown.display().to_string(),
            groups: groups(&text).map_err(io::Error::from)?,
        });
    }
    Ok(files)
}

/// The documents of a folder with their addresses, which begin with `base`.
pub fn documents(base: &str, folder: &Path) -> io::Result<Vec<(String, String)>> {
    let mut documents = Vec::new();
    for path in paths(folder)? {
        let inside = path.strip_prefix(folder).unwrap_or(&path);
        let steps = inside.iter().map(|step| step.to_string_lossy());
        let steps: Vec<_> = steps.collect();
        let uri = format!("{}/{}", base.trim_end_matches('/'), steps.join("/"));
        documents.push((uri, std::fs::read_to_string(&path)?));
    }
    Ok(documents)
}

fn groups(text: &str) -> serde_json::Result<Vec<Group>> {
    #[derive(Deserialize)]
    struct Tested {
        schema: Box<RawValue>,
        tests: Vec<Test>,
    }
    if let Ok(groups) = serde_json::from_str(text) {
        return Ok(groups);
    }
    let (schema, tests) = match serde_json::from_str::<Tested>(text) {
        Ok(tested) => (tested.schema, tested.tests),
        Err(_) => (serde_json::from_str(text)?, Vec::new()),
    };
    Ok(vec![Group {
        description: String::new(),
        schema,
        tests,
    }])
}

fn paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            for inside in std::fs::read_dir(&path)? {
                todo.push(inside?.path());
            }
        } else if path.extension().is_some_and(|ending| ending == "json") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
