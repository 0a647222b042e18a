//! Several servers with one database: any of them answers for a session, and goes on with what another one left.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::wait::block_on;
use glove_wasm::ports::ModelAdapter;
use glove_wasm::testing::{Gate, Line, ScriptedModel};
use glove_wasm_serve::{Server, ServerLimits, SessionDatabase};
use serde_json::{Value, json};

use super::Running;
use crate::native_postgres::{PostgresServer, sql};
use crate::native_redis::RedisServer;

fn server(database: SessionDatabase, model: &ScriptedModel) -> Server {
    let model = model.clone();
    Server::new(database, move || Ok(Arc::new(model.clone()) as Arc<dyn ModelAdapter>))
}

fn greeting() -> ScriptedModel {
    ScriptedModel::by(|_, _| Line::deltas(["Hello ", "there."]))
}

/// What `look` finds, within a time in which everything here has to happen.
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn answer(running: &Running, id: &str) -> Option<String> {
    let (_, session) = running.json("GET", &format!("/api/sessions/{id}"), None);
    let last = session["messages"].as_array()?.last()?;
    let is_over = session["phase"] == "idle" && last["sender"] == "agent";
    is_over.then(|| last["text"].as_str().unwrap().to_owned())
}

fn counted(running: &Running, name: &str) -> u64 {
    let (_, text) = running.ask("GET", "/metrics", &[], None);
    let line = text.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

/// A database server, and the address of a database that no other test uses: servers of other tests would take sessions over.
fn postgres() -> Option<(Arc<PostgresServer>, String)> {
    let server = PostgresServer::shared()?;
    let url = server.new_database();
    Some((server, url))
}

fn both(url: &str) -> [SessionDatabase; 2] {
    [SessionDatabase::open(url).unwrap(), SessionDatabase::open(url).unwrap()]
}

#[test]
fn any_server_answers_for_a_session_of_another() {
    let Some((_postgres, url)) = postgres() else { return };
    any_answers(both(&url));
}

fn any_answers([first, second]: [SessionDatabase; 2]) {
    let (one, two) =
        (Running::start(server(first, &greeting())), Running::start(server(second, &greeting())));
    let id = one.begin("hi");
    let mut followed = two.follow(&id, None);
    let (event, _) = followed.until("snapshot");
    until(|| answer(&two, &id));
    let body = json!({ "text": "again", "id": "request-1" });
    let (status, said) = two.json("POST", &format!("/api/sessions/{id}/messages"), Some(&body));
    assert_eq!((status, said), (202, json!({ "request": "request-1" })));
    followed.until("request_finished");
    // The numbers are those of the server that has the session.
    let mut again = one.follow(&id, Some(&event));
    assert_ne!(again.next().unwrap().1["type"], "snapshot");
    assert_eq!((counted(&one, "glove_sessions"), counted(&two, "glove_sessions")), (1, 0));
    assert!(counted(&two, "glove_requests_passed_on_total") >= 3);
    let (status, refused) = two.json("POST", &format!("/api/sessions/{id}/ask"), Some(&json!({ "id": 1 })));
    assert_eq!((status, &refused["error"]["code"]), (400, &json!("REQUEST_INVALID")));
    let (status, _) = two.json("DELETE", &format!("/api/sessions/{id}"), None);
    assert_eq!(status, 200);
    assert_eq!(one.json("GET", &format!("/api/sessions/{id}"), None).0, 404);
}

#[test]
fn servers_share_a_redis_alike() {
    let Some(redis) = RedisServer::start() else { return };
    any_answers(both(&redis.url()));
    ends_in_a_run(both(&redis.url()));
}

#[test]
fn what_was_passed_on_is_not_passed_on_again() {
    let Some((_postgres, url)) = postgres() else { return };
    let [first, second] = both(&url);
    let (one, two) =
        (Running::start(server(first, &greeting())), Running::start(server(second, &greeting())));
    let id = one.begin("hi");
    let (status, text) = two.ask("GET", &format!("/api/sessions/{id}"), &[("x-glove-passed-on", "1")], None);
    let refused: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &refused["error"]["code"]), (503, &json!("SESSION_UNREACHABLE")));
    drop(one);
}

#[test]
fn a_run_of_a_server_that_ends_is_gone_on_with_at_once() {
    let Some((_postgres, url)) = postgres() else { return };
    ends_in_a_run(both(&url));
}

fn ends_in_a_run([first, second]: [SessionDatabase; 2]) {
    let gate = Gate::new();
    let closed = gate.clone();
    let waiting = ScriptedModel::by(move |_, _| Line::deltas(["Never ", "said."]).after_gate(&closed));
    let limits = ServerLimits { grace: Duration::ZERO, ..ServerLimits::default() };
    let mut one = Running::start(server(first, &waiting).limits(limits));
    let id = one.begin("hi");
    block_on(gate.reached());
    let model = greeting();
    let two = Running::start(server(second, &model));
    one.stop();
    until(|| (model.calls() == 1).then_some(()));
    assert_eq!(until(|| answer(&two, &id)), "Hello there.");
}

#[test]
fn a_server_that_slept_ends_its_streams_and_another_goes_on_with_the_run() {
    let Some((_postgres, url)) = postgres() else { return };
    let [first, second] = both(&url);
    let gate = Gate::new();
    let closed = gate.clone();
    let waiting = ScriptedModel::by(move |_, _| Line::deltas(["Never ", "said."]).after_gate(&closed));
    let one = Running::start(server(first, &waiting));
    let id = one.begin("hi");
    block_on(gate.reached());
    let model = greeting();
    let two = Running::start(server(second, &model));
    // As if the first had stood still for longer than its time. It may notice before the second looks, and take the session again.
    let mut event = String::new();
    for takeover in 1.. {
        let mut followed = one.follow(&id, None);
        (event, _) = followed.until("snapshot");
        let other = "held_until = now() - interval '1 second', holder = 'nobody', deaths = 0";
        sql(&url, &format!("UPDATE glove_sessions SET {other} WHERE id = '{id}'"));
        let mut after = Vec::new();
        while let Some((_, told)) = followed.next() {
            after.push(told);
        }
        assert_eq!(after, Vec::<Value>::new(), "who follows is told nothing of a failure");
        until(|| (model.calls() + waiting.calls() > takeover).then_some(()));
        if model.calls() > 0 {
            break;
        }
    }
    assert_eq!(until(|| answer(&one, &id)), "Hello there.", "the first asks the second");
    assert_eq!(model.calls(), 1);
    // Numbers of the first say nothing to the second.
    assert_eq!(one.follow(&id, Some(&event)).next().unwrap().1["type"], "snapshot");
    gate.open();
    assert_eq!(counted(&two, "glove_sessions"), 1);
    until(|| (counted(&one, "glove_sessions") == 0).then_some(()));
}

#[test]
fn a_session_that_ends_its_servers_waits_for_a_person_after_the_third() {
    if let Some((_postgres, url)) = postgres() {
        held_back(&url, |id| {
            let dead = "held_until = now() - interval '1 second', holder = 'nobody-' || random()";
            sql(&url, &format!("UPDATE glove_sessions SET {dead} WHERE id = '{id}'"));
        });
    }
    if let Some(redis) = RedisServer::start() {
        held_back(&redis.url(), |id| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
            redis.says(&format!("HSET glove:session:{id} holder nobody-{now} until {}", now - 1_000));
            redis.says(&format!("ZADD glove:working {} {id}", now - 1_000));
        });
    }
}

/// `kill` leaves the session as a server that died at work does.
fn held_back(url: &str, kill: impl Fn(&str)) {
    let gate = Gate::new();
    let closed = gate.clone();
    let asked = ScriptedModel::by(move |_, _| Line::deltas(["Never ", "said."]).after_gate(&closed));
    let limits = ServerLimits { grace: Duration::ZERO, ..ServerLimits::default() };
    let told = Arc::new(Mutex::new(String::new()));
    let noted = Arc::clone(&told);
    let served = server(SessionDatabase::open(url).unwrap(), &asked)
        .limits(limits)
        .log(move |line| noted.lock().unwrap().push_str(line));
    let mut last = Running::start(served);
    let id = last.begin("hi");
    until(|| (asked.calls() == 1).then_some(()));
    for takeover in 1..=2 {
        kill(&id);
        until(|| (asked.calls() == takeover + 1).then_some(()));
    }
    kill(&id);
    until(|| told.lock().unwrap().contains("SESSION_HELD_BACK").then_some(()));
    assert_eq!(asked.calls(), 3, "it does not begin a fourth time by itself");
    let (_, all) = last.page(&id, None).until_kind("all");
    assert!(all["events"].to_string().contains("SESSION_HELD_BACK"), "{all}");
    let says_so = |about: &Value| {
        assert_eq!(about["phase"], "interrupted", "{about}");
        assert_eq!(about["error"]["code"], "SESSION_HELD_BACK", "{about}");
        let why = about["error"]["message"].as_str().unwrap();
        assert!(why.starts_with("3 servers ended in a row"), "{why}");
    };
    let session = format!("/api/sessions/{id}");
    says_so(&last.json("GET", &session, None).1);
    says_so(&last.json("GET", "/api/sessions", None).1[0]);
    says_so(&last.follow(&id, None).until("snapshot").1);
    let resumed = last.json("POST", &format!("/api/sessions/{id}/resume"), Some(&json!({})));
    assert_eq!(resumed.0, 202);
    until(|| (asked.calls() == 4).then_some(()));
    gate.open();
    assert_eq!(until(|| answer(&last, &id)), "Never said.");
    // The list tells what is stored, which the end of the run is a moment after its answer.
    let told = || last.json("GET", &session, None).1;
    let listed = || last.json("GET", "/api/sessions", None).1[0].clone();
    for about in [&told as &dyn Fn() -> Value, &listed] {
        let idle = until(|| Some(about()).filter(|about| about["phase"] == "idle"));
        assert_eq!(idle["error"], Value::Null, "{idle}");
    }
    last.stop();
}
