//! Two processes and one session.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use glove_wasm::error::Error;
use glove_wasm::runtime::Glove;
use glove_wasm::testing::{Line, ScriptedModel};
use glove_wasm_sqlite::{SqliteDatabase, SqliteStore};

use super::{Folder, other_process, role};
use crate::support::runtime::{block_on, transcript};

fn agent(store: SqliteStore, name: &'static str) -> Glove {
    Glove::builder(ScriptedModel::by(move |_, _| Line::text(name))).store(store).build().unwrap()
}

/// The other process: asks once for each line that it reads, and says how that ended.
fn serve(folder: &Path) {
    let database = SqliteDatabase::open(folder.join("sessions.db")).unwrap();
    let agent = agent(database.store("s"), "other");
    let say = |line: &str| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "said {line}").unwrap();
        out.flush().unwrap();
    };
    for line in std::io::stdin().lines() {
        match block_on(agent.process_request(line.unwrap().as_str())) {
            Ok(response) => say(&response.text()),
            Err(error) => say(error.code()),
        }
    }
}

struct Other {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Other {
    fn start(test: &str, folder: &Folder) -> Other {
        let mut command = other_process(test, "serve", folder.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Other { stdin: child.stdin.take().unwrap(), child, lines }
    }

    fn ask(&mut self, text: &str) -> String {
        writeln!(self.stdin, "{text}").unwrap();
        loop {
            let line = self.lines.next().expect("the other process ended by itself").unwrap();
            if let Some((_, said)) = line.split_once("said ") {
                return said.to_owned();
            }
        }
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_session_that_another_process_holds_is_refused_until_that_process_has_died() {
    if let Some((_, folder)) = role() {
        return serve(&folder);
    }
    let test = "native_sqlite::processes::a_session_that_another_process_holds_is_refused_until_that_process_has_died";
    let folder = Folder::new();
    let mut other = Other::start(test, &folder);
    assert_eq!(other.ask("one"), "other");
    let database = folder.database();
    let refused = block_on(agent(database.store("s"), "here").process_request("two")).unwrap_err();
    let Error::Store(error) = &refused else { panic!("{refused:?}") };
    assert_eq!(refused.code(), "STORE_CONFLICT");
    assert!(error.message.contains(&format!("another process ({})", other.child.id())), "{error}");
    // It keeps the session for as long as it lives.
    assert_eq!(block_on(database.store("s").acquire()).unwrap_err().kind.code(), "STORE_CONFLICT");
    assert_eq!(other.ask("two"), "other");

    other.child.kill().unwrap();
    other.child.wait().unwrap();
    let store = database.store("s");
    let died = Instant::now();
    block_on(store.acquire()).unwrap();
    assert!(died.elapsed() < Duration::from_secs(6), "{:?}", died.elapsed());
    let agent = agent(store, "here");
    block_on(agent.process_request("three")).unwrap();
    let whole = ["user: one", "agent: other", "user: two", "agent: other", "user: three", "agent: here"];
    assert_eq!(transcript(&agent.messages()), whole);
}

#[test]
fn a_process_that_slept_through_its_lease_writes_nothing_any_more() {
    if let Some((_, folder)) = role() {
        return serve(&folder);
    }
    let test = "native_sqlite::processes::a_process_that_slept_through_its_lease_writes_nothing_any_more";
    let folder = Folder::new();
    let mut other = Other::start(test, &folder);
    assert_eq!(other.ask("one"), "other");
    other.signal("-STOP");
    let store = folder.database().store("s");
    block_on(store.acquire()).unwrap();
    let agent = agent(store, "here");
    block_on(agent.process_request("two")).unwrap();
    other.signal("-CONT");
    assert_eq!(other.ask("three"), "STORE_CONFLICT");
    assert_eq!(transcript(&agent.messages()), ["user: one", "agent: other", "user: two", "agent: here"]);
    assert_eq!(block_on(agent.process_request("four")).unwrap().text(), "here");
}

#[test]
fn a_store_that_is_dropped_gives_its_session_back_at_once() {
    let folder = Folder::new();
    let database = folder.database();
    block_on(agent(database.store("s"), "a").process_request("one")).unwrap();
    let elsewhere = folder.database();
    // The last store is dropped with its agent, and the thread gives the session back.
    let begun = Instant::now();
    while block_on(agent(elsewhere.store("s"), "b").process_request("two")).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(2));
        sleep(Duration::from_millis(10));
    }
}
