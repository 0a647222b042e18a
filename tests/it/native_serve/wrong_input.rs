//! Wrong input of all kinds at all addresses: it is refused, and is never the server's own failure.

use glove_wasm_serve::{ServedTasks, SessionDatabase};
use glove_wasm_task::ApprovalPolicy;
use glove_wasm_task::runtime::TaskAgent;

use super::*;
use crate::native_postgres::PostgresServer;
use crate::native_redis::RedisServer;

const METHODS: [&str; 3] = ["GET", "POST", "DELETE"];

fn running(folder: &Folder, database: SessionDatabase) -> Running {
    let served = Server::new(database, || Ok(Arc::new(model()) as Arc<dyn ModelAdapter>));
    let agent =
        |_: &str| TaskAgent::builder(model()).approvals(ApprovalPolicy::automatic()).poll_ms(10).build();
    let tasks = ServedTasks::new(folder.0.join("tasks"), agent).poll_ms(10);
    Running::start(
        served.tasks(tasks).limits(ServerLimits { body_bytes: 100_000, ..ServerLimits::default() }),
    )
}

/// Of any form, for whatever reads it.
fn bodies() -> Vec<String> {
    let long = "x".repeat(50_000);
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let mut bodies: Vec<String> = [
        "",
        " ",
        "{",
        "null",
        "7",
        "\"\"",
        "[]",
        "{}",
        "{}{}",
        "\u{0}",
        "\"\\ud800\"",
        "{\"text\":\"\\ud800\"}",
    ]
    .map(str::to_owned)
    .to_vec();
    bodies.extend([deep.clone(), format!("{{\"text\":{deep}}}"), "x".repeat(100_001)]);
    let values = [
        "null",
        "true",
        "-1",
        "1e400",
        "18446744073709551616",
        "\"\"",
        "\"\\u0000\"",
        "[]",
        "{}",
        "[null]",
        "\"../..\"",
        "\"import\"",
        "{\"task/a\":\"x\",\"task/a/b\":\"y\"}",
        "{\"task/a\":{\"base64\":\"=\"}}",
    ];
    let names = [
        "text",
        "id",
        "messages",
        "transcript",
        "name",
        "value",
        "reject",
        "method",
        "args",
        "goal",
        "files",
        "content",
        "reason",
        "decision",
        "task_id",
        "budgets",
        "history",
    ];
    for name in names {
        bodies.extend(values.iter().map(|value| format!("{{\"{name}\":{value}}}")));
        bodies.push(format!("{{\"{name}\":\"{long}\"}}"));
    }
    for (name, value) in [
        ("text", "\"x\""),
        ("name", "\"x\\u0000y\""),
        ("messages", "[{\"sender\":\"user\",\"text\":\"x\\u0000\"}]"),
    ] {
        bodies.extend(values.iter().map(|id| format!("{{\"id\":{id},\"{name}\":{value}}}")));
    }
    for decision in ["approved", "denied", "else"] {
        bodies
            .push(format!("{{\"task_id\":\"x\",\"decision\":\"{decision}\",\"reason\":\"{}\"}}", "y\\u0000"));
    }
    bodies
}

/// What pages ask, wrongly.
fn asks() -> Vec<String> {
    let methods = [
        "request",
        "resume",
        "undo",
        "switchBranch",
        "messages",
        "prompts",
        "fork",
        "abort",
        "cancelQueued",
        "answer",
        "resolveSlot",
        "rejectSlot",
        "removeSlot",
        "clearStack",
        "nothing",
        "",
    ];
    let args = [
        "[]",
        "[null]",
        "[-1]",
        "[99999999999]",
        "[1e300]",
        "[\"unknown\"]",
        "[\"unknown\",\"{}\"]",
        "[\"unknown\",\"{\"]",
        "[\"unknown\",\"null\"]",
        "[{}]",
        "[\"\"]",
        "[\"{\\\"text\\\":\\\"x\\\",\\\"edits\\\":\\\"unknown\\\"}\"]",
        "[\"{\\\"regenerate\\\":true}\"]",
        "[\"{\\\"id\\\":\\\"\\\",\\\"text\\\":\\\"x\\\"}\"]",
        "\"[]\"",
        "null",
    ];
    let mut asks = Vec::new();
    for (number, method) in methods.iter().enumerate() {
        for (at, args) in args.iter().enumerate() {
            asks.push(format!("{{\"id\":\"a{number}-{at}\",\"method\":\"{method}\",\"args\":{args}}}"));
        }
    }
    asks
}

fn transcripts(exported: &str) -> Vec<String> {
    let mut transcripts = vec![String::new(), "{}".to_owned(), "null".to_owned(), exported.replace('{', "[")];
    let whole: Value = serde_json::from_str(exported).unwrap_or_default();
    let nul = Value::from("a\u{0}b");
    for name in ["id", "title", "tasks", "inbox", "messages", "checkpoint", "records", "createdAt"] {
        for value in [&Value::Null, &nul, &json!(-1), &json!([nul]), &json!({}), &json!([{ "id": nul }])] {
            let mut changed = whole.clone();
            changed[name] = (*value).clone();
            transcripts.push(changed.to_string());
        }
    }
    let item = json!({ "id": nul, "tag": nul, "request": nul, "response": null, "status": "pending", "blocking": false, "created_at": "x", "resolved_at": null });
    let mut changed = whole;
    changed["inbox"] = json!([item]);
    transcripts.push(changed.to_string());
    transcripts
}

fn nothing_fails(folder: &Folder, database: SessionDatabase) {
    let running = running(folder, database);
    let id = running.begin("hi");
    let session = format!("/api/sessions/{id}");
    let (_, begun) = running.json("POST", "/agent/tasks/do/async", Some(&json!({ "goal": "A page" })));
    let task = format!("/agent/tasks/{}", begun["id"].as_str().unwrap());
    let (_, exported) = running.ask("GET", &format!("{session}/export"), &[], None);
    let mut asked = 0;
    let mut told = |method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>| {
        asked += 1;
        let (status, text) = running.ask(method, path, headers, body);
        let shown = body.unwrap_or_default().chars().take(200).collect::<String>();
        assert!((200..500).contains(&status), "{method} {path} {headers:?} {shown}: {status} {text}");
    };
    let mut addresses = Vec::new();
    for id in ["unknown", "%00", "..", "import", "a.b", ".", "é", &"x".repeat(5_000)] {
        let id = id.replace('é', "%c3%a9");
        for rest in ["", "/export", "/messages", "/stop", "/fork", "//", "/ask"] {
            addresses.push(format!("/api/sessions/{id}{rest}"));
        }
        for rest in
            ["", "/result", "/files", "/file", "/file?path=%00", "/stop", "/resume", "/approvals/x/decision"]
        {
            addresses.push(format!("/agent/tasks/{id}{rest}"));
        }
    }
    for query in [
        "",
        "?path=",
        "?path=..%2f..%2fetc",
        "?path=task",
        "?path=progress",
        "?path=%ff",
        "?path=task/a%00",
        "?view=x",
    ] {
        addresses.extend([
            format!("{task}/file{query}"),
            format!("{task}/result{query}"),
            format!("{task}/files{query}"),
        ]);
    }
    addresses.push(format!("{task}/file?path=progress/artifacts/{}", "y".repeat(250)));
    addresses.push(format!("{task}/file?path=task/{}", "y".repeat(900)));
    for path in &addresses {
        for method in METHODS {
            told(method, path, &[], None);
        }
        told("POST", path, &[], Some("{\"content\":\"x\",\"text\":\"x\",\"decision\":\"approved\"}"));
    }
    for last in ["x", "-1", "99999999999999999999999", "e-1", "\u{ff}"] {
        told("GET", &format!("{task}/events?follow=false"), &[("last-event-id", last)], None);
        told(
            "GET",
            &format!("{task}/events?follow=false&after={}", last.replace('\u{ff}', "%ff")),
            &[],
            None,
        );
    }
    let posts = [
        "/api/chat".to_owned(),
        "/api/sessions".to_owned(),
        "/api/sessions/import".to_owned(),
        format!("{session}/messages"),
        format!("{session}/answers"),
        format!("{session}/ask"),
        format!("{session}/name"),
        "/agent/tasks/do/async".to_owned(),
        "/agent/approvals/req_0001/decision".to_owned(),
        format!("{task}/approvals/req_0001/decision"),
        format!("{task}/upload"),
        format!("{task}/file?path=progress/notes.md"),
    ];
    for body in bodies() {
        for path in &posts {
            told("POST", path, &[], Some(&body));
        }
    }
    for body in asks() {
        told("POST", &format!("{session}/ask"), &[], Some(&body));
    }
    for transcript in transcripts(&exported) {
        for more in [json!({}), json!({ "withRun": true }), json!({ "id": "x\u{0}" })] {
            let mut body = more;
            body["transcript"] = transcript.clone().into();
            told("POST", "/api/sessions/import", &[], Some(&body.to_string()));
        }
    }
    // It is there all the while.
    assert_eq!(running.ask("GET", "/healthz", &[], None).0, 200);
    let (_, metrics) = running.ask("GET", "/metrics", &[], None);
    assert!(metrics.contains("glove_requests_total"), "{metrics}");
    eprintln!("{asked} wrong requests");
}

#[test]
fn wrong_input_is_no_failure_of_the_server() {
    let folder = Folder::new();
    nothing_fails(&folder, folder.database().into());
}

#[test]
fn wrong_input_is_no_failure_of_a_server_with_postgresql() {
    let Some(postgres) = PostgresServer::shared() else { return };
    nothing_fails(&Folder::new(), SessionDatabase::open(&postgres.new_database()).unwrap());
}

#[test]
fn wrong_input_is_no_failure_of_a_server_with_redis() {
    let Some(redis) = RedisServer::start() else { return };
    nothing_fails(&Folder::new(), SessionDatabase::open(&redis.url()).unwrap());
}
