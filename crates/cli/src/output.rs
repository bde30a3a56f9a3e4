//! What commands write: to standard output, and to files for what they found.
//!
//! Whoever reads standard output may stop reading, as `head` does; that is no failure of the
//! command.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::CommandError;

/// Writes to standard output; false where nobody reads it any more.
pub fn print(text: &[u8]) -> Result<bool, CommandError> {
    let mut output = std::io::stdout().lock();
    match output.write_all(text).and_then(|()| output.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(CommandError::file(Path::new("standard output"), error)),
    }
}

/// Writes a line to standard error. Where that cannot be written nobody is there to be told.
pub fn tell(line: impl Display) {
    tell_on(format_args!("{line}\n"));
}

/// The same of what is no whole line.
pub fn tell_on(text: impl Display) {
    let _ = write!(std::io::stderr().lock(), "{text}");
}

/// A file for what a command finds, opened before the command begins, so that one that cannot
/// be written is said at once. What it held stays until there is something else.
pub struct FindingsFile {
    path: PathBuf,
    _open: File,
}

impl FindingsFile {
    /// Opens the file, if one is named.
    pub fn open(path: Option<&Path>) -> Result<Option<Self>, CommandError> {
        let open = |path: &Path| {
            let mut options = OpenOptions::new();
            let options = options.write(true).create(true).truncate(false);
            let file = options.open(path);
            Ok(Self {
                path: path.to_owned(),
                _open: file.map_err(|error| CommandError::file(path, error))?,
            })
        };
        path.map(open).transpose()
    }

    /// Writes this in place of what is there, as JSON.
    pub fn write(&self, json: serde_json::Result<Vec<u8>>) -> Result<(), CommandError> {
        let path = &self.path;
        let json = json.map_err(|error| CommandError::content(path, error))?;
        std::fs::write(path, json).map_err(|error| CommandError::file(path, error))
    }
}
