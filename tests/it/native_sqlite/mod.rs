//! Sessions in SQLite.

mod bad_input;
pub mod killed;
mod original;
mod processes;
mod recorded;
mod sessions;
mod transfer;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use glove_wasm_sqlite::SqliteDatabase;

/// A folder that is gone with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("glove-sqlite-{}-{}", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn database(&self) -> SqliteDatabase {
        SqliteDatabase::open(self.file("sessions.db")).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Tells this program, when it runs as another process, what its test is to do.
const ROLE: &str = "GLOVE_SQLITE_TEST_ROLE";

/// The same test in another process, with a role and the folder.
pub fn other_process(test: &str, role: &str, folder: &Path) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(ROLE, format!("{role}\n{}", folder.display())).stdin(Stdio::null()).stderr(Stdio::inherit());
    command
}

/// What this process is to do, if it is the other one.
pub fn role() -> Option<(String, PathBuf)> {
    let role = env::var(ROLE).ok()?;
    let (role, folder) = role.split_once('\n').unwrap();
    Some((role.to_owned(), PathBuf::from(folder)))
}
