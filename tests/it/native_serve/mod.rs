//! The server, asked over connections of its own.

use std::future::ready;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::ports::{ModelAdapter, Tool, ToolContext};
use glove_wasm::testing::{Gate, Line, ScriptedModel, Seen};
use glove_wasm_serve::{Caller, Server, ServerLimits};
use glove_wasm_sqlite::SqliteDatabase;
use serde_json::{Value, json};

use crate::support::server::{Running, rest, whole};
use crate::support::wait::until;

#[cfg(unix)]
mod answered;
mod attacks;
mod endpoint;
mod joining;
mod limits;
#[cfg(unix)]
mod many;
mod refused;
mod slow_readers;
mod stored;
#[cfg(unix)]
mod wrong_input;

struct Folder(std::path::PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("glove-serve-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn database(&self) -> SqliteDatabase {
        SqliteDatabase::open(self.0.join("sessions.db")).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A model that calls `pay` when it reads "pay", and greets otherwise.
fn model() -> ScriptedModel {
    ScriptedModel::by(|_, seen: &Seen| match seen.messages.last() {
        Some(last) if !last.results().is_empty() => Line::deltas(["Thank ", "you."]).tokens(3, 2),
        Some(last) if last.text == "pay" => Line::call("pay", "", json!({})),
        _ => Line::deltas(["Hello ", "there."]).tokens(3, 2),
    })
}

fn server(folder: &Folder, model: ScriptedModel) -> Server {
    let made = Server::new(folder.database(), move || Ok(Arc::new(model.clone()) as Arc<dyn ModelAdapter>));
    made.tools(|_| {
        let pay =
            Tool::new("pay", "Pays", json!({ "type": "object" }), async |_: Value, _: ToolContext| "paid");
        vec![pay.requires_permission()]
    })
}

impl Running {
    fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> BufReader<TcpStream> {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head += "host: localhost\r\n";
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        self.send(&head, body)
    }

    /// The status and the body of a response that ends.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> (u16, String) {
        let (status, _, body) = whole(self.open(method, path, headers, body));
        (status, body)
    }

    fn json(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let (status, text) = self.ask(method, path, &[], body.map(Value::to_string).as_deref());
        (status, serde_json::from_str(&text).unwrap())
    }

    fn begin(&self, text: &str) -> String {
        let (status, begun) = self.json("POST", "/api/sessions", Some(&json!({ "text": text })));
        assert_eq!(status, 201);
        begun["id"].as_str().unwrap().to_owned()
    }

    /// Waits until nothing of the session is being done.
    fn rests(&self, id: &str) {
        let begun = Instant::now();
        while self.json("GET", &format!("/api/sessions/{id}"), None).1["phase"] != "idle" {
            assert!(begun.elapsed() < Duration::from_secs(60), "{id} goes on for ever");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn follow(&self, id: &str, last: Option<&str>) -> Followed {
        let headers: Vec<_> = last.map(|last| ("last-event-id", last)).into_iter().collect();
        Followed { lines: self.open("GET", &format!("/api/sessions/{id}/events"), &headers, None) }
    }
}

/// An event stream that is read as it comes.
struct Followed {
    lines: BufReader<TcpStream>,
}

impl Followed {
    /// The next event with its id; `None` at the end of the stream.
    fn next(&mut self) -> Option<(String, Value)> {
        let mut id = String::new();
        let begun = Instant::now();
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "no event came");
            if let Some(value) = line.strip_prefix("id: ") {
                id = value.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((id, serde_json::from_str(data).unwrap()));
            }
        }
    }

    fn until(&mut self, kind: &str) -> (String, Value) {
        loop {
            let (id, event) = self.next().unwrap_or_else(|| panic!("the stream ended before `{kind}`"));
            if event["type"] == kind {
                return (id, event["data"].clone());
            }
        }
    }
}

const HI: &str = r#"{"messages":[{"sender":"user","text":"hi"}],"systemPrompt":"You greet."}"#;

#[test]
fn the_endpoint_streams_an_answer_and_ends_with_the_whole_message() {
    let folder = Folder::new();
    let model = model();
    let running = Running::start(server(&folder, model.clone()));
    let (status, text) = running.ask("POST", "/api/chat", &[], Some(HI));
    assert_eq!(status, 200);
    let events: Vec<Value> = text
        .split("\n\n")
        .filter_map(|event| serde_json::from_str(event.strip_prefix("data: ")?).ok())
        .collect();
    assert_eq!(events[0], json!({ "type": "text_delta", "text": "Hello " }));
    assert_eq!(events[2]["message"]["text"], "Hello there.");
    assert_eq!((events.len(), &events[2]["tokens_out"]), (3, &json!(2)));
    assert_eq!(model.seen()[0].system_prompt, "You greet.");
}

#[test]
fn what_fails_before_the_answer_has_a_status_and_gives_nothing_away() {
    let folder = Folder::new();
    let failing = ScriptedModel::new([
        Line::failure(ModelErrorKind::Network, "no route to 10.1.2.3"),
        Line::cut(["Hel"]),
    ]);
    let running = Running::start(
        server(&folder, failing).limits(ServerLimits { body_bytes: 1000, ..Default::default() }),
    );
    let (status, text) = running.ask("POST", "/api/chat", &[], Some(HI));
    let refused: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &refused["error"]["code"]), (502, &json!("MODEL_NETWORK")));
    assert!(!text.contains("10.1.2.3"), "{text}");
    let (status, text) = running.ask("POST", "/api/chat", &[], Some(HI));
    assert_eq!(status, 200);
    assert!(text.contains(r#""type":"error","code":"MODEL_STREAM_CUT""#), "{text}");
    for (method, path, body, expected) in [
        ("GET", "/api/chat", None, (405, "METHOD_NOT_ALLOWED")),
        ("POST", "/api/chat", Some("{"), (400, "BODY_NOT_JSON")),
        ("POST", "/api/chat", Some("{}"), (400, "REQUEST_INVALID")),
        ("POST", "/api/chat", Some(" ".repeat(1001).as_str()), (413, "BODY_TOO_LARGE")),
        ("POST", "/api/sessions", Some("[]"), (400, "REQUEST_INVALID")),
        ("GET", "/api/sessions/none", None, (404, "SESSION_UNKNOWN")),
        ("GET", "/elsewhere", None, (404, "NOT_FOUND")),
    ] {
        let (status, text) = running.ask(method, path, &[], body);
        let refused: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((status, refused["error"]["code"].as_str().unwrap()), expected, "{method} {path}");
    }
    let text =
        running.ask("POST", "/api/chat", &[("content-type", "text/plain"), ("content-length", "0")], None).1;
    assert!(text.contains("CONTENT_TYPE"), "{text}");
}

#[test]
fn a_client_that_leaves_stops_the_model() {
    let folder = Folder::new();
    let dropped = Arc::new(AtomicUsize::new(0));
    struct Endless(Arc<AtomicUsize>);
    struct OnDrop(Arc<AtomicUsize>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    impl ModelAdapter for Endless {
        fn name(&self) -> String {
            "endless".to_owned()
        }
        fn prompt(
            &self,
            _: glove_wasm::ports::ModelRequest<'_>,
            deltas: glove_wasm::ports::DeltaSink,
            _: glove_wasm::ports::AbortSignal,
        ) -> glove_wasm::portable::BoxFuture<'static, Result<glove_wasm::run::input::Reply, ModelError>>
        {
            let held = OnDrop(Arc::clone(&self.0));
            Box::pin(async move {
                deltas.text("Well, ");
                std::future::pending::<()>().await;
                drop(held);
                unreachable!("it never ends")
            })
        }
    }
    let counter = Arc::clone(&dropped);
    let running = Running::start(Server::new(folder.database(), move || {
        Ok(Arc::new(Endless(Arc::clone(&counter))) as Arc<dyn ModelAdapter>)
    }));
    let mut reading = Followed { lines: running.open("POST", "/api/chat", &[], Some(HI)) };
    assert_eq!(reading.next().unwrap().1["text"], "Well, ");
    drop(reading);
    until(|| dropped.load(Ordering::SeqCst) > 0);
}

#[test]
fn a_session_is_followed_answered_and_followed_on_from_the_last_event() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()));
    let id = running.begin("pay");
    let mut following = running.follow(&id, None);
    let (mut last, mut snapshot) = following.next().unwrap();
    while snapshot["data"]["slots"].as_array().is_none_or(Vec::is_empty) && snapshot["type"] != "display" {
        (last, snapshot) = following.next().unwrap();
    }
    let slots = if snapshot["type"] == "display" { &snapshot["data"] } else { &snapshot["data"]["slots"] };
    assert_eq!(slots[0]["renderer"], "permission_request");
    let slot = slots[0]["id"].as_str().unwrap().to_owned();
    drop(following);

    let answers = format!("/api/sessions/{id}/answers");
    let wrong = running.json("POST", &answers, Some(&json!({ "id": slot, "value": "maybe" })));
    assert_eq!((wrong.0, &wrong.1["error"]["code"]), (422, &json!("DISPLAY_WRONG_OUTPUT")));
    let gone = running.json("POST", &answers, Some(&json!({ "id": "gone", "value": true })));
    assert_eq!((gone.0, &gone.1["error"]["code"]), (404, &json!("QUESTION_UNKNOWN")));
    assert_eq!(running.json("POST", &answers, Some(&json!({ "id": slot, "value": "once" }))).0, 200);

    // Nothing of what happened meanwhile is missing, and nothing comes twice.
    let mut back = running.follow(&id, Some(&last));
    let mut kinds = Vec::new();
    loop {
        let (at, event) = back.next().unwrap();
        let (Some((_, number)), Some((_, before))) = (at.rsplit_once('-'), last.rsplit_once('-')) else {
            panic!()
        };
        assert_eq!(number.parse::<u64>().unwrap(), before.parse::<u64>().unwrap() + 1);
        last = at;
        kinds.push(event["type"].as_str().unwrap().to_owned());
        if event["type"] == "request_finished" {
            break;
        }
    }
    assert!(!kinds.contains(&"snapshot".to_owned()), "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| *kind == "tool_use_result").count(), 1, "{kinds:?}");
    let (_, session) = running.json("GET", &format!("/api/sessions/{id}"), None);
    assert_eq!((&session["phase"], &session["messages"][3]["text"]), (&json!("idle"), &json!("Thank you.")));
    assert!(running.ask("GET", "/metrics", &[], None).1.contains("glove_tool_calls_total 1\n"));

    let said = running.json(
        "POST",
        &format!("/api/sessions/{id}/messages"),
        Some(&json!({ "text": "hi", "id": "r1" })),
    );
    assert_eq!(said, (202, json!({ "request": "r1" })));
    assert_eq!(back.until("request_finished").1["request"], "r1");
    assert_eq!(running.json("DELETE", &format!("/api/sessions/{id}"), None).0, 200);
    assert_eq!(running.json("GET", &format!("/api/sessions/{id}"), None).0, 404);
}

#[test]
fn a_session_outlives_its_server() {
    let folder = Folder::new();
    let mut running = Running::start(server(&folder, model()));
    let id = running.begin("pay");
    let mut following = running.follow(&id, None);
    let (last, _) = following.next().unwrap();
    let waits = format!("/api/sessions/{id}");
    until(|| running.json("GET", &waits, None).1["phase"] == "waiting");
    running.stop();
    while following.next().is_some() {}

    let running = Running::start(server(&folder, model()));
    let listed = running.json("GET", "/api/sessions", None).1;
    assert_eq!((&listed[0]["id"], &listed[0]["asks"]), (&json!(id), &json!(true)));
    let mut following = running.follow(&id, Some(&last));
    let snapshot = following.until("snapshot").1;
    assert_eq!(snapshot["messages"][0]["text"], "pay");
    let mut slots = snapshot["slots"].clone();
    while slots.as_array().is_none_or(Vec::is_empty) {
        slots = following.until("display").1;
    }
    let answer = json!({ "id": slots[0]["id"], "reject": true, "reason": "too dear" });
    assert_eq!(running.json("POST", &format!("/api/sessions/{id}/answers"), Some(&answer)).0, 200);
    assert_eq!(following.until("request_finished").1["outcome"], "completed");
}

#[test]
fn a_run_is_stopped_and_the_end_of_the_server_does_not_wait_for_ever() {
    let folder = Folder::new();
    let gate = Gate::new();
    let slow = ScriptedModel::by(move |_, _| Line::deltas(["Well"]).then_gate(&gate));
    let limits = ServerLimits { grace: Duration::from_millis(100), ..ServerLimits::default() };
    let mut running = Running::start(server(&folder, slow).limits(limits));
    let id = running.begin("hi");
    let answers = || {
        // The piece that came before is in the snapshot, and one that comes later is an event.
        until(|| running.json("GET", &format!("/api/sessions/{id}"), None).1["partial"] == "Well");
    };
    answers();
    let mut following = running.follow(&id, None);
    assert_eq!(following.until("snapshot").1["partial"], "Well");
    assert_eq!(running.json("POST", &format!("/api/sessions/{id}/stop"), Some(&json!({}))).0, 202);
    assert_eq!(following.until("request_finished").1["outcome"], "aborted");
    running.json("POST", &format!("/api/sessions/{id}/messages"), Some(&json!({ "text": "again" })));
    answers();
    running.stop();
    let stored = crate::support::wait::block_on(folder.database().sessions()).unwrap();
    assert_eq!(stored[0].phase, "model", "it goes on when it is opened again");
}

#[test]
fn each_caller_has_sessions_of_their_own() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()).authorize(|caller: Caller| {
        Box::pin(ready(caller.header("authorization").map(|name| name.to_owned())))
    }));
    let ask = |who: &str, method: &str, path: &str, body: Option<&str>| {
        let (status, text) = running.ask(method, path, &[("authorization", who)], body);
        (status, serde_json::from_str::<Value>(&text).unwrap())
    };
    let id =
        ask("ada", "POST", "/api/sessions", Some(r#"{"text":"hi"}"#)).1["id"].as_str().unwrap().to_owned();
    let path = format!("/api/sessions/{id}");
    assert_eq!(ask("ada", "GET", &path, None).0, 200);
    for (method, path) in [("GET", path.clone()), ("DELETE", path.clone()), ("POST", format!("{path}/stop"))]
    {
        assert_eq!(ask("eve", method, &path, None).0, 404, "{method} {path}");
    }
    assert_eq!(ask("eve", "GET", "/api/sessions", None).1, json!([]));
    assert_eq!(running.ask("GET", &path, &[], None).0, 401);
    assert_eq!(running.ask("POST", "/api/chat", &[], Some(HI)).0, 401);
    assert_eq!(running.ask("GET", "/healthz", &[], None).0, 200);
}

#[test]
fn a_page_that_gives_this_machine_a_name_of_its_own_is_refused() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()));
    assert_eq!(running.ask("GET", "/api/sessions", &[("host", "evil.example")], None).0, 403);
    assert_eq!(running.ask("GET", "/api/sessions", &[("host", "127.0.0.1:8787")], None).0, 200);
}

impl Running {
    fn page(&self, id: &str, last: Option<&str>) -> Followed {
        let headers: Vec<_> = last.map(|last| ("last-event-id", last)).into_iter().collect();
        Followed { lines: self.open("GET", &format!("/api/sessions/{id}/feed"), &headers, None) }
    }

    fn ask_session(&self, id: &str, ask: &Value) -> (u16, Value) {
        self.json("POST", &format!("/api/sessions/{id}/ask"), Some(ask))
    }
}

impl Followed {
    fn until_kind(&mut self, kind: &str) -> (String, Value) {
        loop {
            let (id, told) = self.next().unwrap_or_else(|| panic!("the stream ended before `{kind}`"));
            if told["kind"] == kind {
                return (id, told);
            }
        }
    }
}

#[test]
fn a_page_is_told_the_session_as_it_is_and_then_what_changes() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()));
    let (status, begun) = running.json("POST", "/api/sessions", Some(&json!({ "id": "mine" })));
    assert_eq!((status, &begun["id"]), (201, &json!("mine")));
    let mut page = running.page("mine", None);
    let (first, all) = page.until_kind("all");
    assert_eq!(all["events"][0], json!({ "kind": "timeline", "len": 0, "set": [] }));
    assert_eq!(all["events"][2]["phase"], "idle");
    let prompt = json!({ "id": "r1", "text": "hi" }).to_string();
    let ask = json!({ "id": "a1", "method": "request", "args": [prompt] });
    // Its outcome may be there as soon as it has begun.
    let status = running.ask_session("mine", &ask).0;
    assert!(matches!(status, 200 | 202), "{status}");
    let (_, answered) = page.until_kind("answered");
    assert_eq!((&answered["id"], &answered["value"]["outcome"]), (&json!("a1"), &json!("completed")));
    // Who asks again is told what came of it, and nothing is begun.
    assert_eq!(running.ask_session("mine", &ask), (200, answered));
    let (_, messages) =
        running.ask_session("mine", &json!({ "id": "a2", "method": "messages", "args": [0] }));
    assert_eq!(messages.as_array().unwrap().len(), 2);
    // Who was away gets the rest alone.
    let mut back = running.page("mine", Some(&first));
    assert_eq!(back.next().unwrap().1["kind"], "events");
    let mut late = running.page("mine", None);
    assert_eq!(late.until_kind("all").1["events"][0]["len"], 2);
}

#[test]
fn a_request_that_a_page_asks_for_again_is_answered_when_it_is_stored() {
    let (folder, gate) = (Folder::new(), Gate::new());
    let running =
        Running::start(server(&folder, ScriptedModel::new([Line::text("Hello.").after_gate(&gate)])));
    running.json("POST", "/api/sessions", Some(&json!({ "id": "mine" })));
    let mut page = running.page("mine", None);
    // It has no id of its own, and nobody waits for the first answer.
    let ask = json!({ "id": "a1", "method": "request", "args": [json!({ "text": "hi" }).to_string()] });
    for _ in 0..2 {
        assert_eq!(running.ask_session("mine", &ask).0, 202);
        assert_eq!(running.json("GET", "/api/sessions/mine", None).1["phase"], "model");
    }
    gate.open();
    page.until_kind("answered");
    let messages = running.ask_session("mine", &json!({ "id": "a2", "method": "messages", "args": [0] })).1;
    assert_eq!(messages.as_array().unwrap().len(), 2, "{messages}");
}

#[test]
fn what_a_page_asks_wrongly_is_refused_and_changes_nothing() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()));
    running.json("POST", "/api/sessions", Some(&json!({ "id": "mine" })));
    for ask in [
        json!({ "id": "a", "method": "drive", "args": [] }),
        json!({ "id": "a", "method": "request", "args": [] }),
        json!({ "id": "a", "method": "request", "args": ["{"] }),
        json!({ "id": "a", "method": "undo", "args": [-1] }),
        json!({ "id": "a", "method": "answer", "args": ["q", "{\"allow\":1}"] }),
        json!({ "id": "a", "method": "resolveSlot", "args": ["s", "{"] }),
        json!({ "method": "resume" }),
    ] {
        let (status, refused) = running.ask_session("mine", &ask);
        assert_eq!((status, &refused["error"]["code"]), (400, &json!("REQUEST_INVALID")), "{ask}");
    }
    // Nothing waits for it: whoever decided has to be told.
    let late = json!({ "id": "a", "method": "answer", "args": ["q", "{\"allow\":{\"remember\":false}}"] });
    assert_eq!(running.ask_session("mine", &late), (200, json!(false)));
    let again = json!({ "id": "a", "method": "undo", "args": [1], "seen": "of-another-process-7" });
    let (status, refused) = running.ask_session("mine", &again);
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("SESSION_MOVED")));
    for id in ["", "a/b", "import", "someone.else"] {
        let (status, _) = running.json("POST", "/api/sessions", Some(&json!({ "id": id })));
        assert_eq!(status, 400, "{id}");
    }
}

#[test]
fn a_session_of_somebody_else_is_no_session_for_a_page() {
    let folder = Folder::new();
    let guarded = server(&folder, model()).authorize(|caller: Caller| {
        let user = caller.header("x-user").map(str::to_owned);
        Box::pin(ready(user))
    });
    let running = Running::start(guarded);
    let own = [("x-user", "ada")];
    let begun = running.ask("POST", "/api/sessions", &own, Some(r#"{"id":"mine"}"#));
    assert_eq!(begun.0, 201, "{}", begun.1);
    let ask = r#"{"id":"a","method":"messages","args":[0]}"#;
    assert_eq!(running.ask("POST", "/api/sessions/mine/ask", &own, Some(ask)), (200, "[]".to_owned()));
    for path in ["/api/sessions/mine/ask", "/api/sessions/ada.mine/ask"] {
        assert_eq!(running.ask("POST", path, &[("x-user", "bob")], Some(ask)).0, 404, "{path}");
    }
}

#[test]
fn a_failure_of_the_model_tells_a_page_no_more_than_it_may_know() {
    let folder = Folder::new();
    let failing = ScriptedModel::new([Line::failure(ModelErrorKind::Network, "no route to 10.1.2.3")]);
    let running = Running::start(server(&folder, failing));
    running.json("POST", "/api/sessions", Some(&json!({ "id": "mine" })));
    let mut page = running.page("mine", None);
    let prompt = json!({ "id": "r1", "text": "hi" }).to_string();
    running.ask_session("mine", &json!({ "id": "a1", "method": "request", "args": [prompt] }));
    let mut all = String::new();
    loop {
        let (_, told) = page.next().unwrap();
        all += &told.to_string();
        if told["kind"] == "answered" {
            assert_eq!(told["value"]["error"]["code"], "MODEL_NETWORK");
            break;
        }
    }
    assert!(!all.contains("10.1.2.3"), "{all}");
}

#[test]
fn each_failure_of_the_model_is_one_line_of_the_log_without_what_was_said() {
    let folder = Folder::new();
    let of_provider = |kind, status| ModelError {
        status: Some(status),
        provider_code: Some("their_code".to_owned()),
        ..ModelError::new(kind, "cannot read: my secret diary")
    };
    let lines = [
        Line::failed_with(of_provider(ModelErrorKind::Server, 500)),
        Line::failed_with(of_provider(ModelErrorKind::RateLimit, 429)),
        Line::cut(["Hel"]),
        Line::failed_with(of_provider(ModelErrorKind::BadRequest, 400)),
    ];
    let told = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&told);
    let served = server(&folder, ScriptedModel::new(lines))
        .log(move |line| noted.lock().unwrap().push(line.to_owned()));
    let running = Running::start(served);
    for _ in 0..3 {
        running.ask("POST", "/api/chat", &[], Some(HI));
    }
    running.json("POST", "/api/sessions", Some(&json!({ "id": "mine" })));
    let mut page = running.page("mine", None);
    let prompt = json!({ "id": "r1", "text": "hi" }).to_string();
    running.ask_session("mine", &json!({ "id": "a1", "method": "request", "args": [prompt] }));
    while page.next().unwrap().1["kind"] != "answered" {}
    let told = told.lock().unwrap();
    assert_eq!(told[0], "MODEL_SERVER: The model's provider failed. (HTTP 500, their_code)");
    assert!(
        told[1].starts_with("MODEL_RATE_LIMIT: ") && told[1].ends_with(" (HTTP 429, their_code)"),
        "{told:?}"
    );
    assert!(told[2].starts_with("MODEL_STREAM_CUT: "), "{told:?}");
    let last =
        "session mine: MODEL_BAD_REQUEST: The model's provider refused the request. (HTTP 400, their_code)";
    assert_eq!((told[3].as_str(), told.len()), (last, 4));
    assert!(!told.concat().contains("diary"));
}

#[test]
fn a_failure_of_the_model_is_one_line_of_the_log_also_where_others_had_joined_its_request() {
    let (folder, gates) = (Folder::new(), [Gate::new(), Gate::new()]);
    let failure = || Line::failure(ModelErrorKind::BadRequest, "no");
    let lines = [
        Line::call("look", "c1", json!({})).after_gate(&gates[0]),
        failure().after_gate(&gates[1]),
        failure(),
    ];
    let told = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&told);
    let look = |_: &str| {
        vec![Tool::new("look", "Looks", json!({ "type": "object" }), async |_: Value, _: ToolContext| "seen")]
    };
    let served = server(&folder, ScriptedModel::new(lines))
        .tools(look)
        .log(move |line| noted.lock().unwrap().push(line.to_owned()));
    let running = Running::start(served);
    running.json("POST", "/api/sessions", Some(&json!({ "id": "mine" })));
    let mut page = running.page("mine", None);
    let ask = |id: &str, prompt: &Value| {
        let ask = json!({ "id": id, "method": "request", "args": [prompt.to_string()] });
        running.ask_session("mine", &ask).0
    };
    assert_eq!(ask("a1", &json!({ "id": "r1", "text": "hi" })), 202);
    assert_eq!(ask("a2", &json!({ "id": "r2", "text": "and this", "whenBusy": "steer" })), 202);
    gates.iter().for_each(Gate::open);
    for _ in 0..2 {
        page.until_kind("answered");
    }
    assert_eq!(told.lock().unwrap().len(), 1, "{told:?}");
    // The next one that fails alike is another failure.
    // It may have failed before that it was begun is said.
    let status = ask("a3", &json!({ "id": "r3", "text": "hi again" }));
    assert!(matches!(status, 200 | 202), "{status}");
    page.until_kind("answered");
    assert_eq!(told.lock().unwrap().len(), 2, "{told:?}");
}

#[test]
fn an_id_of_a_client_that_is_too_long_is_refused() {
    let folder = Folder::new();
    let running = Running::start(server(&folder, model()));
    running.json("POST", "/api/sessions", Some(&json!({ "id": "mine" })));
    let long = "x".repeat(1_000);
    let prompt = json!({ "id": long, "text": "hi" }).to_string();
    for (path, body) in [
        ("ask", json!({ "id": long, "method": "messages", "args": [0] })),
        ("ask", json!({ "id": "", "method": "messages", "args": [0] })),
        ("ask", json!({ "id": "a1", "method": "request", "args": [prompt] })),
        ("messages", json!({ "id": long, "text": "hi" })),
    ] {
        let (status, refused) = running.json("POST", &format!("/api/sessions/mine/{path}"), Some(&body));
        assert_eq!((status, &refused["error"]["code"]), (400, &json!("REQUEST_INVALID")), "{body}");
    }
}
