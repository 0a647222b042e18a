//! The file of a database: SQLite goes on writing to one that was removed, where nobody finds it again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use glove_wasm::error::{StoreError, StoreErrorKind};

pub(super) struct DatabaseFile {
    path: PathBuf,
    id: Option<(u64, u64)>,
}

impl DatabaseFile {
    /// Once the database is open.
    pub(super) fn at(path: &Path) -> Self {
        DatabaseFile { path: path.to_owned(), id: id(path).unwrap_or_default() }
    }

    /// Fails where another file, or none, is at the path by now.
    pub(super) fn is_there(&self) -> Result<(), StoreError> {
        match id(&self.path) {
            Ok(found) if found == self.id => Ok(()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Ok(()),
            _ => Err(StoreError::new(
                StoreErrorKind::Unavailable,
                "the file was removed or replaced while it was open; nothing was written. Put it back, or open the database again",
            )),
        }
    }
}

/// What is the same for the file under any name.
#[cfg(unix)]
fn id(path: &Path) -> io::Result<Option<(u64, u64)>> {
    use std::os::unix::fs::MetadataExt;

    let metadata = fs::metadata(path)?;
    Ok(Some((metadata.dev(), metadata.ino())))
}

/// An open file cannot be removed there.
#[cfg(not(unix))]
fn id(path: &Path) -> io::Result<Option<(u64, u64)>> {
    fs::metadata(path).map(|_| None)
}
