//! A folder as the workspace of a task. No path leads out of it, whatever links are in it; where the task works, links lead nowhere.

use std::fs::{self, TryLockError};
use std::io::{self, Write};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use super::folder::{BESIDE, create, on_thread, replace};
use glove_wasm::portable::BoxFuture;
use glove_wasm_task::layout::{DECISIONS, LOCK, PROGRESS, TASK, WorkspacePath};
use glove_wasm_task::runtime::{Entry, Lease, Workspace};
use glove_wasm_task::{TaskError, TaskErrorKind};

/// Locked while a file is put in the place of one that was read. It is in no list, by its name.
const SWAPS: &str = "progress/.glove-swap";

/// The folder of a task, with `task/` and `progress/` in it.
#[derive(Debug, Clone)]
pub struct TaskFolder {
    folder: Arc<Dir>,
}

impl TaskFolder {
    /// Makes the folder, and both in it, where they are missing.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TaskError> {
        let path = path.as_ref();
        let open = || {
            fs::create_dir_all(path)?;
            Dir::open_ambient_dir(path, ambient_authority())
        };
        let folder = open().map_err(|error: io::Error| failed(&path.display().to_string(), &error))?;
        for part in [TASK, PROGRESS] {
            // A link that leads out is there, and is none to make.
            let there = folder.create_dir_all(part).or_else(|_| folder.metadata(part).map(drop));
            there.map_err(|error| failed(part, &error))?;
        }
        Ok(TaskFolder { folder: Arc::new(folder) })
    }

    /// Of a file that grows, what follows these bytes; all of it where it is shorter by now. Also says where that begins.
    pub fn read_on(
        &self,
        path: &WorkspacePath,
        from: u64,
    ) -> BoxFuture<'static, Result<(u64, Vec<u8>), TaskError>> {
        self.on_thread(path, move |folder, path| {
            direct(folder, path)?;
            let mut file = match folder.open(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((0, Vec::new())),
                opened => opened?,
            };
            let from = if file.metadata()?.len() < from { 0 } else { from };
            file.seek(SeekFrom::Start(from))?;
            let mut content = Vec::new();
            file.read_to_end(&mut content)?;
            Ok((from, content))
        })
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, path: &WorkspacePath) -> BoxFuture<'static, Result<(), TaskError>> {
        self.on_thread(path, |folder, path| {
            direct(folder, path)?;
            match folder.remove_file(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            }
        })
    }

    /// What stands where this file is to be, or above it: its path, and whether it is a folder.
    pub fn in_the_way(
        &self,
        path: &WorkspacePath,
    ) -> BoxFuture<'static, Result<Option<(String, bool)>, TaskError>> {
        self.on_thread(path, |folder, path| {
            for part in path.ancestors().filter(|part| !part.as_os_str().is_empty()) {
                let Ok(metadata) = folder.metadata(part) else { continue };
                if metadata.is_dir() != (part != path) {
                    return Ok(Some((part.display().to_string(), metadata.is_dir())));
                }
            }
            Ok(None)
        })
    }

    /// Whether somebody runs the task right now.
    pub fn is_leased(&self) -> BoxFuture<'static, Result<bool, TaskError>> {
        self.on_thread(&WorkspacePath::known(LOCK), |folder, path| {
            let file = match folder.open(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                opened => opened?.into_std(),
            };
            match file.try_lock_shared() {
                Ok(()) => Ok(false),
                Err(TryLockError::WouldBlock) => Ok(true),
                Err(TryLockError::Error(error)) => Err(error),
            }
        })
    }

    fn on_thread<T: Send + 'static>(
        &self,
        path: &WorkspacePath,
        work: impl FnOnce(&Dir, &Path) -> io::Result<T> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, TaskError>> {
        let (folder, path) = (Arc::clone(&self.folder), path.clone());
        Box::pin(async move {
            let name = path.as_str().to_owned();
            let done = on_thread("glove-task", move || work(&folder, Path::new(path.as_str()))).await;
            done.and_then(|done| done).map_err(|error| failed(&name, &error))
        })
    }
}

fn failed(path: &str, error: &io::Error) -> TaskError {
    let message = match error.kind() {
        // What cap-std calls a path that leads out, which may be one of many kinds for the system.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            format!("`{path}` leads out of the workspace by a link; remove the link")
        }
        _ => format!("`{path}`: {error}"),
    };
    TaskError::new(TaskErrorKind::Workspace, message)
}

/// Where a task works no link is followed, not even to another file of its own: by one, a tool that may write artifacts could write
/// decisions. Inputs are only read.
fn direct(folder: &Dir, path: &Path) -> io::Result<()> {
    if !path.starts_with(PROGRESS) {
        return Ok(());
    }
    for part in path.ancestors().filter(|part| !part.as_os_str().is_empty()) {
        let is_link = folder.symlink_metadata(part).is_ok_and(|metadata| metadata.is_symlink());
        if is_link {
            return Err(io::Error::other(format!("`{}` is a link; remove it", part.display())));
        }
    }
    Ok(())
}

fn make_parent(folder: &Dir, path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => {
            direct(folder, parent)?;
            folder.create_dir_all(parent)
        }
        _ => Ok(()),
    }
}

/// The files below a folder; links are passed over.
fn below(folder: &Dir, path: &str, found: &mut Vec<Entry>) -> io::Result<()> {
    let entries = match folder.read_dir(path) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        // What no path can name nobody can read either.
        let Some(name) = name.to_str().filter(|name| !name.starts_with(BESIDE)) else { continue };
        let Ok(inner) = WorkspacePath::parse(&format!("{path}/{name}")) else { continue };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            below(folder, inner.as_str(), found)?;
        } else if kind.is_file() && inner.as_str() != LOCK {
            match entry.metadata() {
                Ok(metadata) => found.push(Entry { path: inner, size: metadata.len() }),
                // It went meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

impl Workspace for TaskFolder {
    fn read(&self, path: &WorkspacePath) -> BoxFuture<'static, Result<Option<Vec<u8>>, TaskError>> {
        self.on_thread(path, |folder, path| {
            let missing = |error: &io::Error| {
                matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
            };
            direct(folder, path)?;
            match folder.metadata(path) {
                // Opening a pipe or a device would wait for ever.
                Ok(metadata) if !metadata.is_file() => Err(io::Error::other("is not a regular file")),
                Ok(_) => match folder.read(path) {
                    Err(error) if missing(&error) => Ok(None),
                    read => read.map(Some),
                },
                Err(error) if missing(&error) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn write(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        self.on_thread(path, move |folder, path| {
            make_parent(folder, path)?;
            replace(folder, path, &content)
        })
    }

    fn swap(
        &self,
        path: &WorkspacePath,
        before: Option<Vec<u8>>,
        content: Vec<u8>,
    ) -> BoxFuture<'static, Result<bool, TaskError>> {
        self.on_thread(path, move |folder, path| {
            make_parent(folder, path)?;
            direct(folder, path)?;
            // Held until it is done, by everybody who swaps a file of this task.
            let lock = folder.open_with(SWAPS, OpenOptions::new().write(true).create(true))?.into_std();
            lock.lock()?;
            let there = match folder.read(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                read => Some(read?),
            };
            if there != before {
                return Ok(false);
            }
            match before {
                Some(_) => replace(folder, path, &content).map(|()| true),
                // By others, too, who know no lock.
                None => match create(folder, path, &content) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                    created => created.map(|()| true),
                },
            }
        })
    }

    fn append(&self, path: &WorkspacePath, content: Vec<u8>) -> BoxFuture<'static, Result<(), TaskError>> {
        self.on_thread(path, move |folder, path| {
            make_parent(folder, path)?;
            direct(folder, path)?;
            let mut file = folder.open_with(path, OpenOptions::new().append(true).create(true))?;
            let before = file.metadata()?.len();
            file.write_all(&content).and_then(|()| file.sync_data()).inspect_err(|_| {
                // The next line would be glued to half of this one, where the disk became full.
                let _ = file.set_len(before);
            })
        })
    }

    fn list(&self, path: &WorkspacePath) -> BoxFuture<'static, Result<Vec<Entry>, TaskError>> {
        self.on_thread(path, |folder, path| {
            direct(folder, path)?;
            let mut found = Vec::new();
            below(folder, path.to_str().unwrap_or_default(), &mut found)?;
            found.sort_by(|a, b| a.path.cmp(&b.path));
            Ok(found)
        })
    }

    fn lease(&self) -> BoxFuture<'static, Result<Lease, TaskError>> {
        let locking = self.on_thread(&WorkspacePath::known(LOCK), |folder, path| {
            let file = folder.open_with(path, OpenOptions::new().write(true).create(true))?.into_std();
            // A process that only checks the lock holds it for a moment, so try again.
            for pause in [0, 5, 20, 50] {
                thread::sleep(Duration::from_millis(pause));
                match file.try_lock() {
                    Ok(()) => {
                        // People and services look here from the start.
                        make_parent(folder, &Path::new(DECISIONS).join("of"))?;
                        return Ok(Some(Lease::new(file)));
                    }
                    Err(TryLockError::WouldBlock) => {}
                    Err(TryLockError::Error(error)) => return Err(error),
                }
            }
            Ok(None)
        });
        Box::pin(async move { locking.await?.ok_or_else(TaskError::in_use) })
    }
}
