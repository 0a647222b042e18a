//! What work in a folder has in common: files that are replaced as a whole, and threads for what would hold up everything else.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cap_std::fs::{Dir, OpenOptions};
use futures_channel::oneshot;

/// How the names of files begin that are about to take another's place. One that a dead process has left is of no use.
pub(crate) const BESIDE: &str = ".glove-";

/// All of the new content or all of the old: it is written beside the file and put in its place.
pub fn replace(folder: &Dir, target: &Path, content: &[u8]) -> io::Result<()> {
    written_beside(folder, target, content, |beside| folder.rename(beside, folder, target))
}

/// A new file as a whole; an error of the kind `AlreadyExists` where there is one.
pub(crate) fn create(folder: &Dir, target: &Path, content: &[u8]) -> io::Result<()> {
    written_beside(folder, target, content, |beside| match folder.hard_link(beside, folder, target) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            // A file system without links: made at once, and whole only with its last byte.
            let mut file = folder.open_with(target, OpenOptions::new().write(true).create_new(true))?;
            file.write_all(content)?;
            file.sync_all()?;
            folder.remove_file(beside)
        }
        linked => linked.and_then(|()| folder.remove_file(beside)),
    })
}

/// Writes the content beside a file, and lets it be put in its place.
fn written_beside(
    folder: &Dir,
    target: &Path,
    content: &[u8],
    put: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let beside: PathBuf = target.with_file_name(format!("{BESIDE}{}-{number}.tmp", std::process::id()));
    let written = (|| {
        let mut file = folder.open_with(&beside, OpenOptions::new().write(true).create_new(true))?;
        file.write_all(content)?;
        file.sync_all()?;
        if let Ok(metadata) = folder.metadata(target) {
            folder.set_permissions(&beside, metadata.permissions())?;
        }
        put(&beside)
    })();
    if written.is_err() {
        // Nothing of it may stay.
        let _ = folder.remove_file(&beside);
    }
    written
}

/// Runs this on a thread of its own.
pub async fn on_thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (reply, answer) = oneshot::channel();
    thread::Builder::new().name(name.to_owned()).spawn(move || drop(reply.send(work())))?;
    answer.await.map_err(|_| io::Error::other("the work ended without a result"))
}
