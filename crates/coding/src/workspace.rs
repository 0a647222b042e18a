//! The folder of the tools: no path leads out of it, whatever it is written like and whatever it links to.

use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;

use super::undo_buffer::UndoBuffer;
use glove_wasm::ports::ToolFailure;

/// A folder that an agent works in. [`Workspace::tools`] are `read_file`, `list_dir` and `search`, which run by themselves,
/// `write_file` and `edit_file`, for which a person is asked once, and `bash`, for which a person is asked for each command.
///
/// The file tools keep to the folder: the operating system resolves each path below it. A command of `bash` can do whatever the
/// process can.
#[derive(Clone)]
pub struct Workspace {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    folder: Dir,
    /// By the call and the file.
    before: Mutex<UndoBuffer>,
    /// Variables that commands find beside the ordinary ones.
    variables: Mutex<Vec<(String, String)>>,
    /// Variables that commands find, and nobody else reads.
    secrets: Mutex<Vec<(String, String)>>,
}

impl Workspace {
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref().canonicalize()?;
        let folder = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Workspace {
            inner: Arc::new(Inner {
                path,
                folder,
                before: Mutex::default(),
                variables: Mutex::default(),
                secrets: Mutex::default(),
            }),
        })
    }

    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Gives the commands of `bash` an environment variable. Of the program's own they have the ordinary ones alone, such as `PATH` and
    /// `HOME` ([`is_ordinary`](glove_wasm_native::environment::is_ordinary)).
    pub fn set_variable(&self, variable: &str, value: &str) {
        put(&self.inner.variables, variable, value);
    }

    pub(super) fn variables(&self) -> Vec<(String, String)> {
        locked(&self.inner.variables).clone()
    }

    /// Gives the commands of `bash` an environment variable that is secret. Where its value is in their output, the model reads the variable's name.
    pub fn set_secret(&self, variable: &str, value: &str) {
        put(&self.inner.secrets, variable, value);
    }

    pub(super) fn secrets(&self) -> Vec<(String, String)> {
        locked(&self.inner.secrets).clone()
    }

    pub(super) fn folder(&self) -> &Dir {
        &self.inner.folder
    }

    /// A regular file, to be read. What is put in its place meanwhile is not waited for: a pipe would keep who opens it for ever.
    pub(super) fn open_file(&self, path: &Path) -> Result<File, ToolFailure> {
        // A device may do something when it is opened.
        let is_file = |file: bool| match file {
            true => Ok(()),
            false => Err(ToolFailure::new(format!("`{}` is no regular file", path.display()))),
        };
        let folder = self.folder();
        is_file(folder.metadata(path).map_err(|error| failed(path, &error))?.is_file())?;
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        let file = folder.open_with(path, OpenOptions::new().read(true).custom_flags(flags));
        let file = file.map_err(|error| failed(path, &error))?;
        is_file(file.metadata().map_err(|error| failed(path, &error))?.is_file())?;
        Ok(file)
    }

    /// A path as a model writes it, below the folder. The empty one is the folder itself.
    pub(super) fn below(&self, path: &str) -> Result<PathBuf, ToolFailure> {
        if path.contains('\0') {
            return Err(ToolFailure::new("a path cannot contain a zero byte"));
        }
        let path = Path::new(path);
        let relative = path.strip_prefix(&self.inner.path).unwrap_or(path);
        if relative.is_absolute() || relative.components().any(|part| matches!(part, Component::Prefix(_))) {
            return Err(outside(relative));
        }
        Ok(if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative.to_owned() })
    }

    /// The real path of a folder below this one.
    pub(super) fn real_folder(&self, path: &Path) -> Result<PathBuf, ToolFailure> {
        let display_path = path.to_owned();
        let real = self.folder().canonicalize(path).map_err(|error| failed(&display_path, &error))?;
        if !self.folder().metadata(&real).map_err(|error| failed(&display_path, &error))?.is_dir() {
            return Err(ToolFailure::new(format!("`{}` is a file, not a folder", display_path.display())));
        }
        Ok(self.inner.path.join(real))
    }

    /// Keeps what is in files before calls change them in this folder too, so that it can be given back when the program was started again.
    /// What is there already counts; up to 64 MB are kept. One folder is of one session.
    pub fn keep_undo_in(&self, folder: impl Into<PathBuf>) {
        self.undo_buffer().keep_in(folder.into());
    }

    /// What was in files before calls changed them.
    pub(super) fn undo_buffer(&self) -> MutexGuard<'_, UndoBuffer> {
        locked(&self.inner.before)
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn put(variables: &Mutex<Vec<(String, String)>>, variable: &str, value: &str) {
    let mut variables = locked(variables);
    variables.retain(|(known, _)| known != variable);
    variables.push((variable.to_owned(), value.to_owned()));
}

fn outside(path: &Path) -> ToolFailure {
    ToolFailure::new(format!("`{}` is outside the working folder; give a path below it", path.display()))
}

pub(super) fn failed(path: &Path, error: &io::Error) -> ToolFailure {
    let display_path = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => ToolFailure::new(format!("`{display_path}` does not exist")),
        // What cap-std calls a path that leads out, which may be one of many kinds for the system.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => outside(path),
        _ => ToolFailure::new(format!("`{display_path}`: {error}")),
    }
}

/// Work that would hold up everything else, on a thread of its own.
pub(super) async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    glove_wasm_native::internal::on_thread("glove-tool", work).await?
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("path", &self.inner.path).finish_non_exhaustive()
    }
}
