//! Sessions in PostgreSQL: Debian's own server, started here in a folder that is gone with the test.

mod bad_input;
mod killed;
mod leases;
pub mod losing_line;
mod lost_answers;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};

use glove_wasm_postgres::PostgresDatabase;
use rustix::process::{Pid, Signal, getuid, kill_process};

use crate::native_sqlite::Folder;

/// What the tests call it that every database of servers is held to.
use {PostgresDatabase as Database, PostgresServer as Server};

/// In what a store sends to write a step.
const WRITES: &str = "glove_append";

/// It does not run as root.
pub const NOBODY: u32 = 65_534;

pub struct PostgresServer {
    folder: Folder,
    port: u16,
    process: Mutex<Option<Child>>,
}

/// The programs of the newest version that is installed.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(Result::ok);
    let mut found: Vec<_> = versions.map(|version| version.path().join("bin")).collect();
    found.retain(|path| path.join("initdb").exists());
    found.sort();
    found.pop()
}

/// The path of one of them.
pub fn program(name: &str) -> Option<PathBuf> {
    Some(programs()?.join(name))
}

impl PostgresServer {
    /// The one of all tests that run at this time. `None` where PostgreSQL is not installed, which is printed.
    pub fn shared() -> Option<Arc<PostgresServer>> {
        static SHARED: Mutex<Weak<PostgresServer>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return Some(server);
        }
        let server = Arc::new(PostgresServer::start()?);
        *shared = Arc::downgrade(&server);
        Some(server)
    }

    pub fn start() -> Option<PostgresServer> {
        let Some(programs) = programs() else {
            eprintln!(
                "skipped: PostgreSQL is not installed; on Debian, `apt-get install postgresql` does it"
            );
            return None;
        };
        let folder = Folder::new();
        fs::write(folder.file("password"), "s3cret").unwrap();
        if getuid().is_root() {
            for path in [folder.path().to_owned(), folder.file("password")] {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        let mut initdb = Command::new(programs.join("initdb"));
        initdb.args([
            "--no-sync",
            "--username=glove",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
        ]);
        initdb.arg("--pwfile").arg(folder.file("password")).arg(folder.file("data"));
        assert!(as_nobody(&mut initdb).status().unwrap().success(), "initdb failed");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = PostgresServer { folder, port, process: Mutex::default() };
        server.run();
        Some(server)
    }

    pub fn run(&self) {
        let mut postgres = Command::new(programs().unwrap().join("postgres"));
        postgres.arg("-D").arg(self.folder.file("data")).args(["-p", &self.port.to_string(), "-k", ""]);
        postgres.args(["-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=16MB"]);
        *self.process.lock().unwrap() = Some(as_nobody(&mut postgres).spawn().unwrap());
        let begun = Instant::now();
        while let Err(error) = PostgresDatabase::open(&self.url()) {
            assert!(begun.elapsed() < Duration::from_secs(60), "{error}");
            sleep(Duration::from_millis(50));
        }
    }

    /// At once, as in a crash: what was not answered may be written or not.
    pub fn stop(&self) {
        if let Some(mut process) = self.process.lock().unwrap().take() {
            let pid = Pid::from_raw(process.id().try_into().unwrap()).unwrap();
            kill_process(pid, Signal::QUIT).unwrap();
            process.wait().unwrap();
        }
    }

    pub fn url(&self) -> String {
        self.url_at(self.port)
    }

    pub fn url_at(&self, port: u16) -> String {
        format!("postgres://glove:s3cret@127.0.0.1:{port}/postgres")
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn open(&self) -> PostgresDatabase {
        PostgresDatabase::open(&self.url()).unwrap()
    }

    /// The address of a new database of this server, which no other test uses.
    pub fn new_database(&self) -> String {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("own_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        self.sql(&format!("CREATE DATABASE {name}"));
        self.url().replace("/postgres", &format!("/{name}"))
    }

    /// What happens to a session while the process of its holder stands still for longer than its time.
    fn let_run_out(&self, id: &str) {
        let nobody = "held_until = now() - interval '1 second', holder = 'nobody'";
        self.sql(&format!("UPDATE glove_sessions SET {nobody} WHERE id = '{id}'"));
    }

    fn remove(&self, id: &str) {
        self.sql(&format!("DELETE FROM glove_sessions WHERE id = '{id}'"));
    }

    fn holds(&self, id: &str) -> bool {
        let rows = "SELECT id FROM glove_sessions UNION ALL SELECT session FROM glove_messages UNION ALL SELECT session FROM glove_records";
        self.sql(rows).lines().any(|row| row == id)
    }

    /// What a person does in the database by hand.
    pub fn sql(&self, statement: &str) -> String {
        sql(&self.url(), statement)
    }
}

pub fn sql(url: &str, statement: &str) -> String {
    let mut psql = Command::new(programs().unwrap().join("psql"));
    let done =
        psql.args([url, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

fn as_nobody(command: &mut Command) -> &mut Command {
    if getuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.stop();
    }
}
