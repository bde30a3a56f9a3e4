//! What the command is asked.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::corpus;

const USAGE: &str = "usage: schema_corpus FOLDER [--documents URI=FOLDER] [--draft URI] [--formats] \
                     [--witnesses N] [--slowest N] [--times FILE] [--gaps] [--quiet]";

pub struct Arguments {
    pub folder: PathBuf,
    /// Documents that references may lead to, as texts and as the outside validator
    /// takes them.
    pub documents: Vec<(String, String)>,
    pub read_documents: BTreeMap<String, Value>,
    /// What `$schema` is to say where it says nothing.
    pub draft: Option<String>,
    /// Whether `format` constrains.
    pub asserts_formats: bool,
    /// Texts to draw of each schema.
    pub witnesses: u64,
    /// Slowest schemas to name.
    pub slowest: usize,
    /// Where the times of every schema are written.
    pub times: Option<PathBuf>,
    /// Whether canvases with gaps are asked.
    pub asks_gaps: bool,
    /// Whether files are not listed one by one.
    pub is_quiet: bool,
}

impl Arguments {
    pub fn read(mut given: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut read = Self {
            folder: PathBuf::new(),
            documents: Vec::new(),
            read_documents: BTreeMap::new(),
            draft: None,
            asserts_formats: false,
            witnesses: 12,
            slowest: 0,
            times: None,
            asks_gaps: false,
            is_quiet: false,
        };
        while let Some(argument) = given.next() {
            let mut value = || given.next().ok_or(USAGE);
            match argument.as_str() {
                "--documents" => read.add_documents(&value()?)?,
                "--draft" => read.draft = Some(value()?),
                "--formats" => read.asserts_formats = true,
                "--witnesses" => read.witnesses = value()?.parse().map_err(|_| USAGE)?,
                "--slowest" => read.slowest = value()?.parse().map_err(|_| USAGE)?,
                "--times" => read.times = Some(value()?.into()),
                "--gaps" => read.asks_gaps = true,
                "--quiet" => read.is_quiet = true,
                other if other.starts_with('-') => return Err(USAGE.to_owned()),
                folder => read.folder = folder.into(),
            }
        }
        match read.folder.as_os_str().is_empty() {
            true => Err(USAGE.to_owned()),
            false => Ok(read),
        }
    }

    fn add_documents(&mut self, given: &str) -> Result<(), String> {
        let (base, folder) = given.split_once('=').ok_or(USAGE)?;
        let found = corpus::documents(base, folder.as_ref());
        for (uri, text) in found.map_err(|error| format!("{folder}: {error}"))? {
            let value = serde_json::from_str(&text).map_err(|error| format!("{uri}: {error}"))?;
            self.read_documents.insert(uri.clone(), value);
            self.documents.push((uri, text));
        }
        Ok(())
    }
}
