//! Tasks of the server, asked over connections of their own.

use std::fs;
use std::io::BufReader;
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use glove_wasm::ports::ModelAdapter;
use glove_wasm::testing::{Line, ScriptedModel, Seen};
use glove_wasm_serve::{ServedTasks, Server};
use glove_wasm_sqlite::SqliteDatabase;
use glove_wasm_task::runtime::{TaskAgent, TaskOutput};
use glove_wasm_task::{ApprovalPolicy, TaskEvent};
use serde_json::{Value, json};

use crate::support::server::{Running, rest, whole};
use crate::support::task_examples::examples;

/// Plays the whole task by what it is asked, so that a process that goes on needs no place in a script.
fn model() -> ScriptedModel {
    ScriptedModel::by(|_, seen: &Seen| {
        let Some(last) = seen.messages.last() else { return Line::text("") };
        let text = last.text.as_str();
        match () {
            () if !last.results().is_empty() => Line::text("Written."),
            () if text.contains("Phase: plan.") => {
                Line::text(r#"{"steps": [{"id": "s1", "title": "Write the brief"}]}"#)
            }
            () if text.contains("Phase: verify.") => Line::text(r#"{"pass": true}"#),
            () if text.contains("Phase: act.") => Line::call(
                "fs_write",
                "c1",
                json!({ "path": "progress/artifacts/brief.md", "content": "# Brief\n" }),
            ),
            () => Line::text("Three proposals are open."),
        }
    })
}

struct Place(PathBuf);

impl Place {
    fn new() -> Place {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("glove-tasks-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn tasks(&self) -> PathBuf {
        self.0.join("tasks")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn served(place: &Place, approvals: ApprovalPolicy) -> ServedTasks {
    ServedTasks::new(place.tasks(), move |_| {
        TaskAgent::builder(model()).approvals(approvals.clone()).poll_ms(10).build()
    })
    .poll_ms(10)
}

struct Tasks(Running);

impl Tasks {
    fn start(place: &Place, tasks: ServedTasks) -> Tasks {
        let database = SqliteDatabase::open(place.0.join("sessions.db")).unwrap();
        let server = Server::new(database, || Ok(Arc::new(model()) as Arc<dyn ModelAdapter>));
        let server = server.tasks(tasks).authorize(|caller| {
            let user = caller.header("x-user").map(str::to_owned);
            Box::pin(std::future::ready(user))
        });
        Tasks(Running::start(server))
    }

    fn open(&self, user: &str, line: &str, headers: &str, body: Option<&str>) -> BufReader<TcpStream> {
        self.0.send(&format!("{line} HTTP/1.1\r\nhost: localhost\r\nx-user: {user}\r\n{headers}"), body)
    }

    /// Head and body of a response that ends.
    fn ask(&self, user: &str, line: &str, headers: &str, body: Option<&str>) -> (u16, String, String) {
        whole(self.open(user, line, headers, body))
    }

    fn json(&self, user: &str, line: &str, body: Option<Value>) -> (u16, Value) {
        let (status, _, text) = self.ask(user, line, "", body.map(|body| body.to_string()).as_deref());
        (status, serde_json::from_str(&text).unwrap_or_else(|_| panic!("{line}: {text}")))
    }

    fn begin(&self, user: &str) -> String {
        let body = json!({ "goal": "Find out", "files": { "task/brief.md": "One page." } });
        let (status, begun) = self.json(user, "POST /agent/tasks/do/async", Some(body));
        assert_eq!(status, 202, "{begun}");
        begun["id"].as_str().unwrap().to_owned()
    }

    fn state(&self, user: &str, id: &str) -> Value {
        let (status, state) = self.json(user, &format!("GET /agent/tasks/{id}"), None);
        assert_eq!(status, 200, "{state}");
        state
    }

    fn until(&self, user: &str, id: &str, is: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let state = self.state(user, id);
            if is(&state) {
                return state;
            }
            assert!(Instant::now() < end, "{state}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn decide(&self, user: &str, id: &str, request: &str, decision: &str) -> (u16, Value) {
        let line = format!("POST /agent/tasks/{id}/approvals/{request}/decision");
        self.json(user, &line, Some(json!({ "decision": decision })))
    }

    fn lines(&self, user: &str, id: &str, query: &str) -> Vec<Value> {
        let line = format!("GET /agent/tasks/{id}/events?follow=false{query}");
        let (status, head, text) = self.ask(user, &line, "accept: application/x-ndjson\r\n", None);
        assert!(status == 200 && head.contains("application/x-ndjson"), "{head}");
        text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[derive(serde::Deserialize, glove_wasm::schemars::JsonSchema)]
#[schemars(crate = "glove_wasm::schemars")]
struct Choice {
    #[allow(dead_code, reason = "its schema is what counts")]
    city: String,
}

#[test]
fn a_value_that_was_never_given_is_told_in_the_result_and_among_the_events() {
    let place = Place::new();
    let tasks = ServedTasks::new(place.tasks(), |_| {
        let choice = TaskOutput::<Choice>::new("Says which city you recommend.");
        TaskAgent::builder(model()).output(&choice).poll_ms(10).build()
    });
    let server = Tasks::start(&place, tasks.poll_ms(10));
    let (status, result) = server.json("ada", "POST /agent/tasks/do", Some(json!({ "goal": "Choose" })));
    assert_eq!((status, &result["finish_reason"]), (200, &json!("completed")), "{result}");
    let told = "the task ended and never gave its value (progress/artifacts/output.json is missing)";
    assert_eq!(result["warnings"], json!([told]), "{result}");
    let id = result["id"].as_str().unwrap();
    assert_eq!(server.state("ada", id)["warnings"], json!([told]));
    let events = server.lines("ada", id, "");
    assert!(
        events.iter().any(|event| event["type"] == "output.missing" && event["message"] == told),
        "{events:?}"
    );
}

fn numbers(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| event["id"].as_str().unwrap()[3..].parse().unwrap()).collect()
}

fn plan_alone() -> ApprovalPolicy {
    ApprovalPolicy { require_plan: true, ..ApprovalPolicy::permissive() }
}

#[test]
fn a_task_is_begun_followed_and_read_and_belongs_to_who_began_it() {
    let place = Place::new();
    let server = Tasks::start(&place, served(&place, plan_alone()));
    let id = server.begin("Ada@example.com");
    let waiting = server.until("Ada@example.com", &id, |state| state["status"] == "waiting");
    assert_eq!((&waiting["running"], &waiting["spec"]["goal"]), (&json!(true), &json!("Find out")));
    assert!(waiting.get("outbox").is_none() && waiting.get("approvals").is_none(), "{waiting}");
    let request = waiting["pending"][0]["id"].as_str().unwrap();
    // To everybody else there is none.
    for what in ["", "/events", "/result", "/files", "/file?path=progress/notes.md"] {
        let (status, told) = server.json("ada@example.com", &format!("GET /agent/tasks/{id}{what}"), None);
        assert_eq!((status, &told["error"]["code"]), (404, &json!("TASK_MISSING")), "{what}");
    }
    for what in ["stop", "resume", "upload"] {
        let body = json!({ "files": {} });
        let (status, told) = server.json("eve", &format!("POST /agent/tasks/{id}/{what}"), Some(body));
        assert_eq!((status, &told["error"]["code"]), (404, &json!("TASK_MISSING")), "{what}");
    }
    assert_eq!(server.decide("eve", &id, request, "approved").0, 404);
    assert_eq!(server.decide("Ada@example.com", &id, "req_0099", "approved").0, 404);
    // An event stream goes on over the decision, and ends with the task.
    let mut stream = server.open(
        "Ada@example.com",
        &format!("GET /agent/tasks/{id}/events"),
        "last-event-id: ev_000002\r\n",
        None,
    );
    assert_eq!(server.decide("Ada@example.com", &id, request, "approved").0, 200);
    let (status, told) = server.decide("Ada@example.com", &id, request, "denied");
    assert_eq!((status, &told["error"]["code"]), (409, &json!("TASK_APPROVAL_CLOSED")));
    let text = rest(&mut stream);
    assert!(text.contains("text/event-stream") && text.contains("event: end\ndata: {}"), "{text}");
    let ids: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("id: ev_")).collect();
    assert_eq!(ids.first(), Some(&"000003"));
    let all = server.lines("Ada@example.com", &id, "");
    assert_eq!(numbers(&all), (1..=all.len() as u64).collect::<Vec<_>>());
    assert_eq!(ids.len() + 2, all.len());
    assert!(all.iter().any(|event| event["data"]["approved_by"] == "Ada~40example~2ecom"), "{all:?}");
    assert_eq!(numbers(&server.lines("Ada@example.com", &id, "&after=ev_000004")).first(), Some(&5));
    let (_, result) =
        server.json("Ada@example.com", &format!("GET /agent/tasks/{id}/result?view=full"), None);
    assert_eq!((&result["finish_reason"], &result["id"]), (&json!("completed"), &json!(id)), "{result}");
    let path = result["deliverables"][0]["path"].as_str().unwrap();
    let (_, head, brief) =
        server.ask("Ada@example.com", &format!("GET /agent/tasks/{id}/file?path={path}"), "", None);
    assert!(brief == "# Brief\n" && head.contains("attachment") && head.contains("nosniff"), "{head}");
    for what in ["stop", "resume", "upload", "file?path=progress/notes.md"] {
        let (status, told) =
            server.json("Ada@example.com", &format!("POST /agent/tasks/{id}/{what}"), Some(json!({})));
        assert_eq!((status, &told["error"]["code"]), (409, &json!("TASK_FINISHED")), "{what}");
    }
}

#[test]
fn the_examples_give_the_events_that_they_give_without_a_server() {
    for example in examples() {
        let place = Place::new();
        let (model, policy) = (example.model(), example.policy());
        let tasks = ServedTasks::new(place.tasks(), move |_| {
            TaskAgent::builder(model.clone()).id("researcher").approvals(policy.clone()).poll_ms(10).build()
        });
        let server = Tasks::start(&place, tasks.poll_ms(10));
        let body = json!({ "goal": example.goal, "files": example.files });
        let (status, begun) = server.json("ada", "POST /agent/tasks/do/async", Some(body));
        assert_eq!(status, 202, "{begun}");
        let id = begun["id"].as_str().unwrap().to_owned();
        let mut decided: Vec<String> = Vec::new();
        for decision in &example.decisions {
            let open = |state: &Value| {
                let pending =
                    state["pending"].as_array()?.iter().filter_map(|request| request["id"].as_str());
                pending.map(str::to_owned).find(|id| !decided.contains(id))
            };
            let request = open(&server.until("ada", &id, |state| open(state).is_some())).unwrap();
            let line = format!("POST /agent/tasks/{id}/approvals/{request}/decision");
            let mut body = json!({ "decision": decision.decision });
            if let Some(reason) = &decision.reason {
                body["reason"] = json!(reason);
            }
            let (status, told) = server.json("ada", &line, Some(body));
            assert_eq!(status, 200, "{told}");
            decided.push(request);
        }
        server.until("ada", &id, |state| state["status"] == "finished");
        let lines = server.lines("ada", &id, "");
        let events: Vec<TaskEvent> =
            lines.into_iter().map(|event| serde_json::from_value(event).unwrap()).collect();
        example.expect_events(&events, &id);
        for (path, text) in &example.artifacts {
            let (_, _, found) =
                server.ask("ada", &format!("GET /agent/tasks/{id}/file?path={path}"), "", None);
            assert_eq!(&found, text, "{path}");
        }
    }
}

#[test]
fn of_two_who_decide_at_once_one_is_told_that_it_is_decided() {
    let place = Place::new();
    let server = Tasks::start(&place, served(&place, plan_alone()));
    let id = server.begin("ada");
    server.until("ada", &id, |state| state["status"] == "waiting");
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|at| {
                let (server, id) = (&server, &id);
                let decision = if at % 2 == 0 { "approved" } else { "denied" };
                scope.spawn(move || server.decide("ada", id, "req_0001", decision).0)
            })
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|status| **status == 200).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|status| [200, 409].contains(status)), "{answers:?}");
}

#[test]
fn a_task_goes_on_after_its_server_was_started_anew_also_after_a_stop_in_between() {
    let place = Place::new();
    let mut server = Tasks::start(&place, served(&place, plan_alone()));
    let id = server.begin("ada");
    server.until("ada", &id, |state| state["status"] == "waiting");
    server.0.stop();
    let server = Tasks::start(&place, served(&place, plan_alone()));
    assert_eq!(server.state("ada", &id)["running"], json!(false));
    // Nobody runs it, and reading its result takes nothing from who wants to.
    assert_eq!(server.json("ada", &format!("GET /agent/tasks/{id}/result"), None).0, 200);
    assert_eq!(server.json("ada", &format!("POST /agent/tasks/{id}/stop"), None).0, 200);
    assert_eq!(server.json("ada", &format!("POST /agent/tasks/{id}/resume"), None).0, 202);
    assert_eq!(server.decide("ada", &id, "req_0001", "approved").0, 200);
    let done = server.until("ada", &id, |state| state["status"] != "running" && state["status"] != "waiting");
    assert_eq!(done["finish_reason"], "completed", "{done}");
}

#[test]
fn a_task_whose_steps_are_used_up_goes_on_with_more_of_them_as_far_as_the_server_gives_them() {
    let place = Place::new();
    let tasks = served(&place, ApprovalPolicy::permissive());
    let server = Tasks::start(
        &place,
        tasks.task(|mut wanted, _| {
            wanted.budgets.max_steps = wanted.budgets.max_steps.min(20);
            Ok(wanted)
        }),
    );
    let wanted = json!({ "goal": "Find out", "budgets": { "max_steps": 2 } });
    let (status, begun) = server.json("ada", "POST /agent/tasks/do/async", Some(wanted));
    assert_eq!(status, 202, "{begun}");
    let id = begun["id"].as_str().unwrap();
    let paused = |state: &Value| state["status"] == "paused" && state["running"] == false;
    assert_eq!(server.until("ada", id, paused)["finish_reason"], "budget_steps");
    let resume = format!("POST /agent/tasks/{id}/resume");
    let more = |steps: u32| Some(json!({ "budgets": { "max_steps": steps } }));
    assert_eq!(server.json("eve", &resume, more(10)).0, 404);
    for wrong in [
        json!({ "budgets": { "steps": 10 } }),
        json!({ "budgets": { "max_steps": -1 } }),
        json!({ "budget": {} }),
    ] {
        assert_eq!(server.json("ada", &resume, Some(wrong.clone())).0, 400, "{wrong}");
    }
    assert_eq!(server.json("ada", &resume, more(40)).0, 202);
    let done = server.until("ada", id, |state| state["status"] == "finished" || paused(state));
    assert_eq!(done["finish_reason"], "completed", "{done}");
    assert_eq!(done["spec"]["budgets"]["max_steps"], 20);
}

#[test]
fn a_server_that_gives_no_more_says_so() {
    let place = Place::new();
    let tasks = served(&place, ApprovalPolicy::permissive());
    let server = Tasks::start(
        &place,
        tasks.task(|mut wanted, _| {
            wanted.budgets.max_steps = 2;
            Ok(wanted)
        }),
    );
    let id = server.begin("ada");
    let paused = |state: &Value| state["status"] == "paused" && state["running"] == false;
    server.until("ada", &id, paused);
    let more = json!({ "budgets": { "max_steps": 10 } });
    let (status, told) = server.json("ada", &format!("POST /agent/tasks/{id}/resume"), Some(more));
    assert_eq!((status, &told["error"]["code"]), (403, &json!("TASK_BUDGET_REFUSED")), "{told}");
    assert!(paused(&server.state("ada", &id)), "it was not begun again");
}

#[test]
fn a_stop_that_meets_a_resume_is_not_lost() {
    let place = Place::new();
    let (opened, is_opened) = std::sync::mpsc::channel::<()>();
    let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
    let (opened, may_go_on) = (std::sync::Mutex::new(opened), std::sync::Mutex::new(may_go_on));
    let tasks = served(&place, plan_alone()).task(move |wanted, _| {
        if wanted.budgets.max_steps == 30 {
            opened.lock().unwrap().send(()).unwrap();
            may_go_on.lock().unwrap().recv().unwrap();
        }
        Ok(wanted)
    });
    let server = Tasks::start(&place, tasks);
    let id = server.begin("ada");
    server.until("ada", &id, |state| state["status"] == "waiting");
    let stop = format!("POST /agent/tasks/{id}/stop");
    assert_eq!(server.json("ada", &stop, None).0, 200);
    let paused = |state: &Value| state["status"] == "paused" && state["running"] == false;
    server.until("ada", &id, paused);
    std::thread::scope(|scope| {
        let resume = scope.spawn(|| {
            let more = json!({ "budgets": { "max_steps": 30 } });
            server.json("ada", &format!("POST /agent/tasks/{id}/resume"), Some(more)).0
        });
        // The task is open and its old STOP file still there when somebody stops it once more, with the same words.
        is_opened.recv().unwrap();
        assert_eq!(server.json("ada", &stop, None).0, 200);
        go_on.send(()).unwrap();
        assert_eq!(resume.join().unwrap(), 202);
    });
    let state = server.until("ada", &id, paused);
    assert_eq!(state["finish_reason"], "stopped", "{state}");
    assert!(place.tasks().join(format!("ada.{id}")).join("progress/STOP").exists());
}

#[test]
fn a_stop_stands_in_the_files_when_it_is_answered() {
    let place = Place::new();
    let server = Tasks::start(&place, served(&place, plan_alone()));
    let id = server.begin("ada");
    server.until("ada", &id, |state| state["status"] == "waiting");
    let stop = format!("POST /agent/tasks/{id}/stop");
    assert_eq!(server.json("ada", &stop, Some(json!({ "reason": "too dear" }))).0, 200);
    let file = place.tasks().join(format!("ada.{id}")).join("progress/STOP");
    assert_eq!(fs::read_to_string(file).unwrap(), "too dear\n");
}

#[test]
fn a_client_that_waits_for_the_result_may_leave_and_the_task_stops() {
    let place = Place::new();
    let server = Tasks::start(&place, served(&place, plan_alone()));
    let (status, left) =
        server.json("ada", "POST /agent/tasks/do?view=minimal", Some(json!({ "goal": "Find out" })));
    assert_eq!((status, &left["status"]), (200, &json!("waiting")), "{left}");
    let id = left["id"].as_str().unwrap();
    let line = "POST /agent/approvals/req_0001/decision";
    assert_eq!(server.json("ada", line, Some(json!({ "decision": "approved" }))).0, 400);
    assert_eq!(server.json("ada", line, Some(json!({ "decision": "approved", "task_id": id }))).0, 200);
    assert_eq!(server.json("ada", &format!("POST /agent/tasks/{id}/resume"), None).0, 202);
    server.until("ada", id, |state| state["status"] == "finished");

    let mut leaving =
        server.open("eve", "POST /agent/tasks/do", "", Some(&json!({ "goal": "Find out" }).to_string()));
    let end = Instant::now() + Duration::from_secs(30);
    let started = || {
        fs::read_dir(place.tasks()).unwrap().flatten().find(|entry| {
            entry.file_name().to_string_lossy().starts_with("eve.")
                && entry.path().join("progress/state.json").exists()
        })
    };
    while started().is_none() {
        assert!(Instant::now() < end);
    }
    leaving.get_mut().shutdown(std::net::Shutdown::Both).unwrap();
    drop(leaving);
    let name = started().unwrap().file_name().to_string_lossy().into_owned();
    let id = name.strip_prefix("eve.").unwrap();
    server.until("eve", id, |state| state["running"] == false);
}

/// What stands in braces is an id that was kept.
fn filled(text: &str, saved: &[(String, String)]) -> String {
    saved.iter().fold(text.to_owned(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id))
}

fn fits(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().all(|(name, part)| found.get(name).is_some_and(|found| fits(part, found)))
        }
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(a, b)| fits(a, b))
        }
        _ => wanted == found,
    }
}

fn events_in(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    lines.filter(|line| line.starts_with("{\"")).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A form as browsers write it, or what is none.
fn form_of(form: &Value) -> String {
    let Some(parts) = form.as_array() else { return form.as_str().unwrap().to_owned() };
    let mut text = String::new();
    for part in parts {
        let file = part["filename"].as_str().map(|name| format!("; filename=\"{name}\"")).unwrap_or_default();
        let (name, content) = (part["name"].as_str().unwrap(), part["content"].as_str().unwrap());
        text.push_str(&format!(
            "--edge\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n"
        ));
    }
    format!("{text}--edge--\r\n")
}

/// The same table that the handler for JavaScript has to pass.
#[test]
fn each_request_is_answered_as_the_table_says() {
    let place = Place::new();
    let server = Tasks::start(&place, served(&place, plan_alone()));
    fs::create_dir_all(place.tasks()).unwrap();
    let table = include_str!("../fixtures/tasks/http.json");
    let mut saved: Vec<(String, String)> = Vec::new();
    for row in serde_json::from_str::<Vec<Value>>(table).unwrap() {
        let text = |name: &str| row[name].as_str().map(|text| filled(text, &saved));
        let line = text("ask").unwrap();
        let user = text("user").unwrap_or_else(|| "ada".to_owned());
        let accept = text("accept").map(|accept| format!("accept: {accept}\r\n")).unwrap_or_default();
        let form = row.get("form").map(form_of);
        let body = form.clone().or_else(|| text("text"));
        let body = body.or_else(|| row.get("body").map(|body| filled(&body.to_string(), &saved)));
        let kind = if form.is_some() { "content-type: multipart/form-data; boundary=edge\r\n" } else { "" };
        let headers = format!("{accept}{kind}");
        let wanted = |name: &str| {
            row.get(name)
                .map(|part| serde_json::from_str::<Value>(&filled(&part.to_string(), &saved)).unwrap())
        };
        let until = wanted("until");
        let end = Instant::now() + Duration::from_secs(30);
        let (status, head, told) = loop {
            let answer = server.ask(&user, &line, &headers, body.as_deref());
            let is =
                until.as_ref().is_none_or(|until| fits(until, &serde_json::from_str(&answer.2).unwrap()));
            if is {
                break answer;
            }
            assert!(Instant::now() < end, "{line}: {}", answer.2);
            std::thread::sleep(Duration::from_millis(10));
        };
        let at = format!("{line} {}: {status} {told}", body.unwrap_or_default());
        assert_eq!(json!(status), row["status"], "{at}");
        let json_of = || serde_json::from_str::<Value>(&told).unwrap_or_else(|_| panic!("{at}"));
        for (name, value) in row["heads"].as_object().into_iter().flatten() {
            let line = format!("\r\n{name}: {}", value.as_str().unwrap()).to_lowercase();
            assert!(head.to_lowercase().contains(&line), "{at}: {head}");
        }
        if let Some(code) = row.get("code") {
            assert!(json_of()["error"]["code"] == *code && json_of()["error"]["message"].is_string(), "{at}");
        }
        if let Some(answer) = wanted("answer") {
            assert!(fits(&answer, &json_of()), "{at}");
        }
        for name in row["without"].as_array().into_iter().flatten() {
            assert!(json_of().get(name.as_str().unwrap()).is_none(), "{at}");
        }
        if let Some(content) = row.get("gives") {
            assert_eq!(told, content.as_str().unwrap(), "{at}");
        }
        let is_listed =
            |path: &Value| json_of()["files"].as_array().unwrap().iter().any(|file| file["path"] == *path);
        assert!(row["has"].as_array().into_iter().flatten().all(is_listed), "{at}");
        assert!(!row["hasnot"].as_array().into_iter().flatten().any(is_listed), "{at}");
        for (at_event, id) in row["ids"].as_array().into_iter().flatten().enumerate() {
            assert_eq!(events_in(&told)[at_event]["id"], *id, "{at}");
        }
        if let Some(event) = row.get("event") {
            assert!(events_in(&told).iter().any(|found| fits(event, found)), "{at}");
        }
        if let Some(last) = row.get("last") {
            assert!(fits(last, events_in(&told).last().unwrap()), "{at}");
        }
        let (id, token) = (text("save"), text("save_token"));
        if let Some(name) = id {
            saved.push((name, json_of()["id"].as_str().unwrap().to_owned()));
        }
        if let Some(name) = token {
            assert_eq!(json_of()["task_id"], json_of()["id"], "{at}");
            saved.push((name, json_of()["stream_token"].as_str().unwrap().to_owned()));
        }
    }
    // Of what was refused nothing is left.
    let begun = saved.iter().filter(|(name, _)| name != "token").count();
    assert_eq!(fs::read_dir(place.tasks()).unwrap().count(), begun);
}

#[test]
fn a_stream_that_a_token_opened_ends_with_the_token_and_whoever_asks_again_is_told_so() {
    let place = Place::new();
    let lasts = Duration::from_secs(2);
    let server = Tasks::start(&place, served(&place, plan_alone()).stream_token_ms(2_000));
    // On a slow machine the token may be over before it was used.
    let (mut followed, url, ended_by) = (0..20)
        .find_map(|_| {
            let body = Some(json!({ "goal": "Find out" }));
            let (_, begun) = server.json("ada", "POST /agent/tasks/do/async", body);
            let token = begun["stream_token"].as_str().unwrap().to_owned();
            let url =
                format!("GET /agent/tasks/{}/events?stream_token={token}", begun["id"].as_str().unwrap());
            let made = Instant::now();
            let mut followed =
                server.0.send(&format!("{url} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"), None);
            let mut head = String::new();
            std::io::BufRead::read_line(&mut followed, &mut head).unwrap();
            head.contains(" 200 ").then_some((followed, url, made + lasts))
        })
        .expect("a token can be used at once");
    // The task waits for a person, so nothing but the token ends it.
    let text = rest(&mut followed);
    assert!(Instant::now() + Duration::from_millis(100) >= ended_by, "it ended before its token did");
    assert!(text.contains("approval.requested") && !text.contains("event: end"), "{text}");
    let (status, ..) = whole(server.0.send(&format!("{url} HTTP/1.1\r\nhost: localhost\r\n"), None));
    assert_eq!(status, 401);
}

#[test]
fn a_secret_that_can_be_guessed_is_refused() {
    let place = Place::new();
    let database = SqliteDatabase::open(place.0.join("sessions.db")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for secret in ["", "secret", "x".repeat(31).as_str()] {
        let server = Server::new(database.clone(), || Ok(Arc::new(model()) as Arc<dyn ModelAdapter>));
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            server.tool_secret(secret).serve(listener, std::future::ready(())).await
        });
        let error = served.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains("at least 32"), "{error}");
    }
}

#[test]
fn a_server_works_on_no_more_tasks_than_it_may_and_those_that_wait_do_not_count() {
    let place = Place::new();
    let server = Tasks::start(&place, served(&place, plan_alone()).most_running(1));
    let ids: Vec<String> = (0..10)
        .map(|_| {
            let id = server.begin("ada");
            server.until("ada", &id, |state| state["status"] == "waiting");
            id
        })
        .collect();
    let (status, told) = server.json("ada", "POST /agent/tasks/do", Some(json!({ "goal": "x" })));
    assert_eq!((status, &told["error"]["code"]), (429, &json!("TASK_LIMIT")));
    let (status, told) = server.json("ada", &format!("POST /agent/tasks/{}/resume", ids[0]), None);
    assert_eq!((status, &told["error"]["code"]), (409, &json!("TASK_BUSY")));
    assert_eq!(
        server
            .json("ada", &format!("POST /agent/tasks/{}/stop", ids[0]), Some(json!({ "reason": "enough" })))
            .0,
        200
    );
    server.until("ada", &ids[0], |state| state["status"] == "paused" && state["running"] == false);
    assert!(server.lines("ada", &ids[0], "").iter().any(|event| event["message"] == "enough"));
}

#[test]
fn a_broken_state_is_told_and_what_a_dead_process_had_to_tell_is_told_from_its_state() {
    let place = Place::new();
    let mut server = Tasks::start(&place, served(&place, plan_alone()));
    let id = server.begin("ada");
    server.until("ada", &id, |state| state["status"] == "waiting");
    server.0.stop();
    let progress = place.tasks().join(format!("ada.{id}/progress"));
    // It died between the state and the journal.
    let journal = fs::read_to_string(progress.join("events.ndjson")).unwrap();
    let mut lines: Vec<&str> = journal.lines().collect();
    let count = lines.len();
    let untold: Value = serde_json::from_str(lines.pop().unwrap()).unwrap();
    let stored = fs::read_to_string(progress.join("state.json")).unwrap();
    let mut state: Value = serde_json::from_str(&stored).unwrap();
    state["outbox"] = json!([untold]);
    fs::write(progress.join("state.json"), state.to_string()).unwrap();
    fs::write(progress.join("events.ndjson"), lines.join("\n") + "\n" + r#"{"id":"ev_0"#).unwrap();
    let server = Tasks::start(&place, served(&place, plan_alone()));
    assert_eq!(numbers(&server.lines("ada", &id, "")).len(), count);
    // The state before it is as good.
    fs::write(progress.join("state.json"), "{").unwrap();
    assert_eq!(server.state("ada", &id)["task_id"], json!(id));
    fs::write(progress.join("state.previous.json"), "{").unwrap();
    for what in ["", "/events", "/result"] {
        let (status, told) = server.json("ada", &format!("GET /agent/tasks/{id}{what}"), None);
        assert_eq!((status, &told["error"]["code"]), (500, &json!("TASK_STATE_BROKEN")), "{what}");
    }
}
