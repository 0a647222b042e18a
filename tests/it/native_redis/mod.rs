//! Sessions in Redis: Debian's own server, started here in a folder that is gone with the test.

mod bad_input;
#[path = "../native_postgres/killed.rs"]
#[allow(clippy::duplicate_mod)]
mod killed;
#[path = "../native_postgres/leases.rs"]
#[allow(clippy::duplicate_mod)]
mod leases;
#[path = "../native_postgres/lost_answers.rs"]
#[allow(clippy::duplicate_mod)]
mod lost_answers;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

use glove_wasm_redis::RedisDatabase;

use crate::native_sqlite::Folder;

/// What the tests call it that every database of servers is held to.
use {RedisDatabase as Database, RedisServer as Server};

/// In what a store sends to write a step.
const WRITES: &str = "EVALSHA";

const PROGRAM: &str = "/usr/bin/redis-server";

pub struct RedisServer {
    folder: Folder,
    port: u16,
    settings: Vec<&'static str>,
    process: Mutex<Option<Child>>,
}

impl RedisServer {
    /// One that forgets nothing. `None` where Redis is not installed, which is printed.
    pub fn start() -> Option<RedisServer> {
        RedisServer::with(&["--appendonly", "yes", "--appendfsync", "always"])
    }

    /// One that no other test uses either: it is there at once.
    fn shared() -> Option<RedisServer> {
        RedisServer::start()
    }

    /// What happens to a session while the process of its holder stands still for longer than its time.
    fn let_run_out(&self, id: &str) {
        self.says(&format!("HSET glove:session:{id} until 1 holder nobody")).unwrap();
    }

    fn remove(&self, id: &str) {
        self.says(&format!("DEL glove:session:{id}")).unwrap();
    }

    fn holds(&self, id: &str) -> bool {
        self.says("KEYS glove:*").unwrap().contains(id)
    }

    pub fn with(settings: &[&'static str]) -> Option<RedisServer> {
        if !Path::new(PROGRAM).exists() {
            eprintln!("skipped: Redis is not installed; on Debian, `apt-get install redis-server` does it");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Mutex::default();
        let server = RedisServer { folder: Folder::new(), port, settings: settings.to_vec(), process };
        server.run();
        Some(server)
    }

    pub fn run(&self) {
        let mut redis = Command::new(PROGRAM);
        redis.args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
        redis.arg("--dir").arg(self.folder.path()).args(&self.settings);
        redis.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        *self.process.lock().unwrap() = Some(redis.spawn().unwrap());
        let begun = Instant::now();
        while !self.says("PING").is_some_and(|said| said.starts_with("+PONG") || said.starts_with("-NOAUTH"))
        {
            assert!(begun.elapsed() < Duration::from_secs(60), "Redis does not start");
            sleep(Duration::from_millis(20));
        }
    }

    /// At once, as in a crash.
    pub fn stop(&self) {
        if let Some(mut process) = self.process.lock().unwrap().take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        self.url_at(self.port)
    }

    pub fn url_at(&self, port: u16) -> String {
        format!("redis://127.0.0.1:{port}")
    }

    pub fn open(&self) -> RedisDatabase {
        RedisDatabase::open(&self.url()).unwrap()
    }

    /// What it answers to a command in words.
    pub fn says(&self, command: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.write_all(format!("{command}\r\n").as_bytes()).ok()?;
        let mut answer = vec![0; 4096];
        let count = stream.read(&mut answer).ok()?;
        Some(String::from_utf8_lossy(&answer[..count]).into_owned())
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.stop();
    }
}
