//! What a server says that it has taken is stored: while the database is locked, nobody is answered.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::wait::block_on;
use glove_wasm::ports::{Tool, ToolContext, ToolFailure};
use glove_wasm::testing::{Gate, Line, ScriptedModel, Seen};
use glove_wasm_serve::{Server, ServerLimits, SessionDatabase};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Folder, Running, server};

/// Pays when it is to, writes for ever at "write", and greets otherwise.
fn model(gate: &Gate) -> ScriptedModel {
    let gate = gate.clone();
    ScriptedModel::by(move |_, seen: &Seen| match seen.messages.last() {
        Some(last) if last.text == "pay" => Line::call("pay", "", json!({})),
        Some(last) if last.text == "write" => Line::deltas(["Well, "]).then_gate(&gate),
        _ => Line::deltas(["Hello."]),
    })
}

struct Case {
    running: Running,
    folder: Folder,
    _gate: Gate,
}

impl Case {
    fn new() -> Case {
        let (folder, gate) = (Folder::new(), Gate::new());
        let made: Server = server(&folder, model(&gate));
        Case { running: Running::start(made), folder, _gate: gate }
    }

    fn session(&self, id: &str) -> Value {
        self.running.json("GET", &format!("/api/sessions/{id}"), None).1
    }

    fn until(&self, id: &str, is: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let session = self.session(id);
            if is(&session) {
                return session;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "{session}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// A session with an open question, and the id of that.
    fn asks(&self) -> (String, String) {
        let id = self.running.begin("pay");
        let session = self.until(&id, |session| {
            session["phase"] == "waiting"
                && session["slots"].as_array().is_some_and(|slots| !slots.is_empty())
        });
        (id, session["slots"][0]["id"].as_str().unwrap().to_owned())
    }

    /// What is answered after the lock is let go, which must not be before.
    fn told_after_the_lock(&self, path: &str, body: Option<Value>) -> (u16, String) {
        let lock = Connection::open(self.folder.0.join("sessions.db")).unwrap();
        lock.execute_batch("BEGIN IMMEDIATE").unwrap();
        thread::scope(|scope| {
            let (tell, told) = channel();
            let body = body.map(|body| body.to_string());
            scope.spawn(move || tell.send(self.running.ask("POST", path, &[], body.as_deref())).unwrap());
            let early = told.recv_timeout(Duration::from_millis(300));
            assert_eq!(early, Err(RecvTimeoutError::Timeout), "{path} was answered before the write");
            lock.execute_batch("COMMIT").unwrap();
            told.recv_timeout(Duration::from_secs(30)).unwrap()
        })
    }

    /// What another process would find.
    fn stored<T>(&self, id: &str, read: impl FnOnce(&glove_wasm::run::Run) -> T) -> T {
        let database = SessionDatabase::from(self.folder.database());
        read(&block_on(database.export(id)).unwrap().run().unwrap())
    }
}

#[test]
fn an_answer_is_confirmed_when_it_is_stored() {
    let case = Case::new();
    let (id, question) = case.asks();
    let answer = json!({ "id": question, "value": "once" });
    let told = case.told_after_the_lock(&format!("/api/sessions/{id}/answers"), Some(answer));
    assert_eq!(told.0, 200);
    assert_eq!(case.stored(&id, |run| run.questions().count()), 0);
    for (method, value) in [
        ("answer", json!({ "allow": { "remember": false } }).to_string()),
        ("resolveSlot", json!("once").to_string()),
        ("rejectSlot", "too dear".to_owned()),
    ] {
        let (id, question) = case.asks();
        let ask = json!({ "id": "a1", "method": method, "args": [question, value] });
        let told = case.told_after_the_lock(&format!("/api/sessions/{id}/ask"), Some(ask));
        assert_eq!(told, (200, "true".to_owned()), "{method}");
        assert_eq!(case.stored(&id, |run| run.questions().count()), 0, "{method}");
    }
}

#[test]
fn a_stop_is_confirmed_when_it_is_stored() {
    let case = Case::new();
    for (path, body, expected) in [
        ("stop", None, (202, "{}")),
        ("ask", Some(json!({ "id": "a1", "method": "abort", "args": [null] })), (200, "true")),
    ] {
        let id = case.running.begin("write");
        case.until(&id, |session| session["partial"] == "Well, ");
        let told = case.told_after_the_lock(&format!("/api/sessions/{id}/{path}"), body);
        assert_eq!((told.0, told.1.as_str()), expected);
        assert!(case.stored(&id, |run| run.request().is_none()), "{path}");
    }
    let id = case.running.begin("write");
    case.until(&id, |session| session["partial"] == "Well, ");
    let waits = json!({ "text": "and this", "id": "r2" });
    assert_eq!(case.running.json("POST", &format!("/api/sessions/{id}/messages"), Some(&waits)).0, 202);
    let ask = json!({ "id": "a1", "method": "cancelQueued", "args": ["r2"] });
    let told = case.told_after_the_lock(&format!("/api/sessions/{id}/ask"), Some(ask));
    assert_eq!(told, (200, "true".to_owned()));
    assert_eq!(case.stored(&id, |run| run.queued().count()), 0);
}

#[test]
fn a_branch_is_shown_when_that_is_stored() {
    let case = Case::new();
    let id = case.running.begin("hi");
    case.running.rests(&id);
    let first = case.session(&id)["messages"][0]["id"].clone();
    let ask = json!({ "id": "a1", "method": "switchBranch", "args": [first] });
    let told = case.told_after_the_lock(&format!("/api/sessions/{id}/ask"), Some(ask));
    assert!(matches!(told.0, 200 | 202), "{told:?}");
}

#[test]
fn an_answer_that_cannot_be_stored_is_refused_and_taken_when_it_is_said_again() {
    let case = Case::new();
    let (id, question) = case.asks();
    let path = format!("/api/sessions/{id}/answers");
    let answer = json!({ "id": question, "value": "once" });
    let file = Connection::open(case.folder.0.join("sessions.db")).unwrap();
    file.execute_batch(
        "CREATE TRIGGER refuse BEFORE UPDATE ON glove_runs BEGIN SELECT RAISE(ABORT, 'refused'); END",
    )
    .unwrap();
    let (status, told) = case.running.json("POST", &path, Some(&answer));
    assert_eq!((status, &told["error"]["retryable"]), (503, &json!(true)), "{told}");
    file.execute_batch("DROP TRIGGER refuse").unwrap();
    // The session was let go: the question is open as the database has it.
    let (status, told) = case.running.json("POST", &path, Some(&answer));
    assert_eq!(status, 200, "{told}");
    assert_eq!(case.stored(&id, |run| run.questions().count()), 0);
    case.running.rests(&id);
    assert_eq!(case.session(&id)["messages"][2]["tool_results"][0]["result"]["status"], "success");
}

/// As after a death of its server or after three in a row, where it waits for a person.
fn set_deaths(folder: &Folder, deaths: u32) {
    let file = Connection::open(folder.0.join("sessions.db")).unwrap();
    assert_eq!(file.execute("UPDATE glove_runs SET deaths = ?1", [deaths]).unwrap(), 1);
}

#[test]
fn an_answer_whose_tool_does_not_ask_again_is_refused_and_its_question_stays_open() {
    let serve = |folder: &Folder, gate: &Gate| {
        let limits = ServerLimits { asked_again: Duration::from_millis(100), ..ServerLimits::default() };
        let ask = async |_: Value, context: ToolContext| {
            let sure: bool = context.display.push_and_wait("confirm", &json!({ "message": "Sure?" })).await?;
            Ok::<_, ToolFailure>(if sure { "paid" } else { "not paid" })
        };
        let made = server(folder, model(gate)).limits(limits);
        Running::start(made.tools(move |_| vec![Tool::new("pay", "Pays", json!({ "type": "object" }), ask)]))
    };
    for is_resumed in [true, false] {
        let (folder, gate) = (Folder::new(), Gate::new());
        let mut case = Case { running: serve(&folder, &gate), folder, _gate: gate.clone() };
        let id = case.running.begin("pay");
        let is_asked = |session: &Value| session["slots"].as_array().is_some_and(|slots| !slots.is_empty());
        let question = case.until(&id, is_asked)["slots"][0]["id"].as_str().unwrap().to_owned();
        case.running.stop();
        set_deaths(&case.folder, 3);
        case.running = serve(&case.folder, &gate);
        let (path, answer) = (format!("/api/sessions/{id}"), json!({ "id": question, "value": true }));
        let answers = format!("{path}/answers");
        for _ in 0..2 {
            let (status, told) = case.running.json("POST", &answers, Some(&answer));
            assert_eq!((status, &told["error"]["code"]), (503, &json!("ANSWER_NOT_STORED")), "{told}");
            assert_eq!(told["error"]["retryable"], json!(true));
            assert!(case.stored(&id, |run| run.may_ask_again(&question).is_some()), "it is open");
        }
        if is_resumed {
            let resumed = case.running.json("POST", &format!("{path}/resume"), Some(&json!({})));
            assert_eq!(resumed.0, 202, "{}", resumed.1);
        } else {
            // What was answered is nowhere; another server asks again, and is told.
            case.running.stop();
            set_deaths(&case.folder, 0);
            case.running = serve(&case.folder, &gate);
            let (status, told) = case.running.json("POST", &answers, Some(&answer));
            assert_eq!(status, 200, "{told}");
        }
        let session = case.until(&id, |session| session["phase"] == "idle");
        assert_eq!(session["messages"][2]["tool_results"][0]["result"]["data"], "paid", "{session}");
        assert!(case.stored(&id, |run| run.may_ask_again(&question).is_none()));
    }
}
