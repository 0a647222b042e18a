//! The endpoint of pages: its tools, and answers that are read on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use glove_wasm::json::Json;
use glove_wasm::ports::{ModelAdapter, Tool, ToolContext, ToolFailure};
use glove_wasm::testing::{Gate, Line, ScriptedModel, Seen};
use glove_wasm_serve::{Server, ServerLimits, SessionDatabase};
use serde_json::{Value, json};

use super::{Folder, Followed, HI};
#[cfg(unix)]
use crate::native_postgres::PostgresServer;
#[cfg(unix)]
use crate::native_redis::RedisServer;
use crate::support::server::{Running, rest, whole};

/// What both kinds of servers have in the table: a model that calls the tools, and counts how often it greets.
struct Table {
    greeted: Arc<AtomicUsize>,
    ran: Arc<AtomicUsize>,
}

impl Table {
    fn server(&self, database: impl Into<SessionDatabase>) -> Server {
        let greeted = Arc::clone(&self.greeted);
        let model = ScriptedModel::by(move |_, seen: &Seen| {
            let text = seen.messages.last().map_or("", |last| last.text.as_str());
            match text.split_once(' ') {
                Some(("book", people)) => {
                    Line::call("book", "c1", json!({ "people": people.parse::<u32>().unwrap() }))
                }
                Some(("pay", euros)) => {
                    Line::call("pay", "c1", json!({ "sum": euros.parse::<u32>().unwrap() }))
                }
                _ if text == "fail" || text == "ask" => Line::call(text, "c1", json!({})),
                _ => {
                    greeted.fetch_add(1, Ordering::SeqCst);
                    Line::deltas(["Hello ", "there."])
                }
            }
        });
        let ran = Arc::clone(&self.ran);
        Server::new(database, move || Ok(Arc::new(model.clone()) as Arc<dyn ModelAdapter>))
            .authorize(|caller| {
                let user = caller.header("x-user").map(str::to_owned);
                Box::pin(std::future::ready(user))
            })
            .tool_secret("a secret that nobody can guess at all")
            .chat_tools(move |_| tools(&ran))
    }
}

fn tools(ran: &Arc<AtomicUsize>) -> Vec<Tool> {
    #[derive(serde::Deserialize)]
    struct Book {
        people: f64,
    }
    let schema = json!({
        "type": "object", "properties": { "people": { "type": "integer", "maximum": 8 } }, "required": ["people"]
    });
    let ran = Arc::clone(ran);
    let book = move |Book { people }: Book, context: ToolContext| {
        let ran = Arc::clone(&ran);
        async move {
            ran.fetch_add(1, Ordering::SeqCst);
            context.display.push_and_forget("info", &json!({ "message": "half of it" }))?;
            context.widget("table", Json::of(&json!({ "number": 7 }))?)?;
            Ok::<_, ToolFailure>(format!("booked for {people}"))
        }
    };
    let approved = |Book { people }: &Book| (*people > 4.0).then(|| format!("for {people}"));
    let anything = json!({ "type": "object" });
    let fail =
        async |_: Value, _: ToolContext| Err::<(), _>(ToolFailure::new("postgres://root:hunter2@db failed"));
    let ask = async |_: Value, context: ToolContext| -> Result<bool, ToolFailure> {
        Ok(context.display.push_and_wait("confirm", &"sure?").await?)
    };
    let euros =
        json!({ "type": "object", "properties": { "euros": { "type": "number" } }, "required": ["euros"] });
    let pay = async |input: Value, _: ToolContext| format!("paid {}", input["euros"]);
    let in_euros = |written: Json| {
        let mut fields: serde_json::Map<String, Value> = written.read().map_err(|error| error.to_string())?;
        let sum = fields.remove("sum");
        if sum.is_some() && fields.contains_key("euros") {
            return Err("two names".to_owned());
        }
        fields.extend(sum.map(|sum| ("euros".to_owned(), sum)));
        Ok(Json::from(Value::Object(fields)))
    };
    vec![
        Tool::new("book", "Books a table.", schema, book).approval_if(approved),
        Tool::new("fail", "Fails.", anything.clone(), fail).idempotent(0).timeout(Duration::from_secs(5)),
        Tool::new("ask", "Asks.", anything, ask).requires_permission(),
        Tool::new("pay", "Pays.", euros, pay).read_as(in_euros).requires_approval("It costs."),
    ]
}

/// Whether all that is wanted is there; objects may have more.
fn fits(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().all(|(name, value)| found.get(name).is_some_and(|found| fits(value, found)))
        }
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, found)| fits(wanted, found))
        }
        _ => wanted == found,
    }
}

fn events(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect()
}

#[test]
fn each_request_is_answered_as_the_table_says() {
    let folder = Folder::new();
    all_of_the_table(folder.database().into(), folder.database().into());
}

#[cfg(unix)]
#[test]
fn answers_that_are_kept_in_a_database_are_those_of_the_table() {
    if let Some(postgres) = PostgresServer::shared() {
        let url = postgres.new_database();
        all_of_the_table(SessionDatabase::open(&url).unwrap(), SessionDatabase::open(&url).unwrap());
    }
    if let Some(redis) = RedisServer::start() {
        let url = redis.url();
        all_of_the_table(SessionDatabase::open(&url).unwrap(), SessionDatabase::open(&url).unwrap());
    }
}

fn all_of_the_table(database: SessionDatabase, of_hasty: SessionDatabase) {
    let table = Table { greeted: Arc::default(), ran: Arc::default() };
    let plain = Running::start(table.server(database));
    let limits = ServerLimits { tool_ticket: Duration::from_millis(1), ..ServerLimits::default() };
    let hasty = Running::start(table.server(of_hasty).limits(limits));
    let mut saved: Vec<(String, String)> = Vec::new();
    let (mut rows, mut greeted) = (0, 0);
    for row in
        serde_json::from_str::<Vec<Value>>(include_str!("../../fixtures/endpoint/served.json")).unwrap()
    {
        let filled = |text: String| {
            saved.iter().fold(text, |text, (name, ticket)| text.replace(&format!("{{{name}}}"), ticket))
        };
        let body = match (&row["say"], row.get("call"), &row["text"]) {
            (Value::String(say), _, _) => Some(
                json!({ "systemPrompt": "", "messages": [{ "sender": "user", "text": say }] }).to_string(),
            ),
            (_, Some(call), _) => Some(filled(format!("{{\"toolCall\":{call}}}"))),
            (_, _, Value::String(text)) => Some(text.clone()),
            _ => None,
        };
        let mut headers = vec![("x-user", row["user"].as_str().unwrap_or("ann"))];
        headers.extend(row["name"].as_str().map(|name| ("x-glove-answer", name)));
        headers.extend(row.get("over").map(|_| ("x-glove-answer-over", "1")));
        for (name, value) in row["headers"].as_object().into_iter().flatten() {
            headers.push((name.as_str(), value.as_str().unwrap()));
        }
        let server = if row["server"] == "hasty" { &hasty } else { &plain };
        if row["code"] == "TOOL_CALL_EXPIRED" {
            std::thread::sleep(limits.tool_ticket * 5);
        }
        let method = row["ask"].as_str().unwrap_or("POST");
        if row.get("name").is_none() {
            greeted = table.greeted.load(Ordering::SeqCst);
        }
        let (status, head, text) = whole(server.open(method, "/api/chat", &headers, body.as_deref()));
        let at = format!("{row}: {status} {head} {text}");
        assert_eq!(json!(status), row["status"], "{at}");
        let json_of = || serde_json::from_str::<Value>(&text).unwrap_or_else(|_| panic!("{at}"));
        if let Some(code) = row.get("code") {
            assert!(json_of()["error"]["code"] == *code && json_of()["error"]["message"].is_string(), "{at}");
        }
        if let Some(answer) = row.get("answer") {
            assert!(fits(answer, &json_of()), "{at}");
        }
        if let Some(wanted) = row.get("events") {
            assert!(fits(wanted, &json!(events(&text))), "{at}");
        }
        for part in row["has"].as_array().into_iter().flatten() {
            assert!(text.contains(part.as_str().unwrap()), "{part} {at}");
        }
        for part in row["hasnot"].as_array().into_iter().flatten() {
            assert!(!text.contains(part.as_str().unwrap()), "{part} {at}");
        }
        for (name, value) in row["heads"].as_object().into_iter().flatten() {
            let line = format!("\r\n{name}: {}", value.as_str().unwrap());
            assert!(head.contains(&line), "{at}");
        }
        if let Some(ran) = row.get("ran") {
            assert_eq!(json!(table.ran.load(Ordering::SeqCst)), *ran, "{at}");
        }
        if let Some(asked) = row.get("asked") {
            assert_eq!(json!(table.greeted.load(Ordering::SeqCst) - greeted), *asked, "{at}");
        }
        if let Some(name) = row["save"].as_str() {
            let ticket = text.split("\"ticket\":\"").nth(1).unwrap().split('"').next().unwrap();
            saved.push((name.to_owned(), ticket.to_owned()));
        }
        rows += 1;
    }
    assert!(rows > 50);
}

#[test]
fn arguments_that_nobody_could_be_shown_do_not_run_where_they_can_be_read_later() {
    let folder = Folder::new();
    let model = ScriptedModel::by(|_, _| Line::call("pay", "c1", json!({ "euros": 3 })));
    let server = Server::new(folder.database(), move || Ok(Arc::new(model.clone()) as Arc<dyn ModelAdapter>));
    let (reads, paid) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (of_tool, of_pay) = (Arc::clone(&reads), Arc::clone(&paid));
    let running = Running::start(server.chat_tools(move |_| {
        let (reads, paid) = (Arc::clone(&of_tool), Arc::clone(&of_pay));
        let read = move |written: Json| match reads.fetch_add(1, Ordering::SeqCst) {
            0 => Err("no rate of exchange".to_owned()),
            _ => Ok(written),
        };
        let pay = move |_: Value, _: ToolContext| {
            paid.fetch_add(1, Ordering::SeqCst);
            std::future::ready("paid")
        };
        let anything = json!({ "type": "object" });
        vec![Tool::new("pay", "Pays.", anything, pay).read_as(read).requires_approval("It costs.")]
    }));
    let (_, _, answer) = whole(running.open("POST", "/api/chat", &[], Some(HI)));
    let ticket = answer.split("\"ticket\":\"").nth(1).unwrap().split('"').next().unwrap();
    let call = json!({ "id": "c1", "name": "pay", "input": { "euros": 3 }, "ticket": ticket });
    let body = json!({ "toolCall": call }).to_string();
    let (status, _, outcome) = whole(running.open("POST", "/api/chat", &[], Some(&body)));
    assert!(status == 200 && outcome.contains("no rate of exchange"), "{status} {outcome}");
    assert_eq!((reads.load(Ordering::SeqCst), paid.load(Ordering::SeqCst)), (1, 0), "{outcome}");
}

#[test]
fn a_rule_is_asked_once_for_a_call_whose_arguments_are_read_before_and_behind_it() {
    let folder = Folder::new();
    let model = ScriptedModel::by(|_, _| Line::call("pay", "c1", json!({ "cents": 300 })));
    let server = Server::new(folder.database(), move || Ok(Arc::new(model.clone()) as Arc<dyn ModelAdapter>));
    let rules = Arc::new(AtomicUsize::new(0));
    let of_tool = Arc::clone(&rules);
    let running = Running::start(server.chat_tools(move |_| {
        let rules = Arc::clone(&of_tool);
        let rule = move |_: &Value| {
            rules.fetch_add(1, Ordering::SeqCst);
            true
        };
        let read = |written: Json| {
            let cents = written.read::<Value>().ok().and_then(|written| written["cents"].as_u64());
            Ok(Json::from(json!({ "euros": cents.unwrap_or_default() / 100 })))
        };
        let pay = |input: Value, _: ToolContext| std::future::ready(format!("paid {}", input["euros"]));
        let anything = json!({ "type": "object" });
        vec![Tool::new("pay", "Pays.", anything, pay).read_as(read).permission_if(rule)]
    }));
    let (_, _, answer) = whole(running.open("POST", "/api/chat", &[], Some(HI)));
    let ticket = answer.split("\"ticket\":\"").nth(1).unwrap().split('"').next().unwrap();
    let ask = |more: Value| {
        let mut call = json!({ "id": "c1", "name": "pay", "input": { "cents": 300 }, "ticket": ticket });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let body = json!({ "toolCall": call }).to_string();
        let (status, _, told) = whole(running.open("POST", "/api/chat", &[], Some(&body)));
        assert_eq!(status, 200, "{told}");
        told
    };
    let shown = ask(json!({ "wants": "arguments" }));
    assert!(shown.contains("\"euros\":3") && rules.load(Ordering::SeqCst) == 0, "{shown}");
    let verdict = ask(json!({ "wants": "permission" }));
    assert_eq!(rules.load(Ordering::SeqCst), 1, "{verdict}");
    let outcome = ask(json!({ "shown": { "euros": 3 } }));
    assert!(outcome.contains("paid 3"), "{outcome}");
    assert_eq!(rules.load(Ordering::SeqCst), 1, "{outcome}");
}

#[test]
fn an_answer_goes_on_when_its_line_is_cut_and_the_model_is_asked_once() {
    let folder = Folder::new();
    let gate = Gate::new();
    let waits = gate.clone();
    let model = ScriptedModel::by(move |_, _| Line::deltas(["Hello ", "there."]).then_gate(&waits));
    let asked = model.clone();
    let running = Running::start(Server::new(folder.database(), move || {
        Ok(Arc::new(model.clone()) as Arc<dyn ModelAdapter>)
    }));
    let name = ("x-glove-answer", "a-name-of-its-own");
    let mut first = Followed { lines: running.open("POST", "/api/chat", &[name], Some(HI)) };
    let (id, event) = first.next().unwrap();
    assert_eq!((id.as_str(), &event["text"]), ("1", &json!("Hello ")));
    drop(first);
    // Its client is gone, and the model goes on.
    let mut second = running.open("POST", "/api/chat", &[name, ("last-event-id", "1")], Some(HI));
    gate.open();
    let rest = rest(&mut second);
    assert!(rest.contains("id: 2\n") && !rest.contains("id: 1\n") && rest.contains(": over"), "{rest}");
    assert!(rest.contains("\"type\":\"done\""), "{rest}");
    assert_eq!(asked.calls(), 1);
}

#[test]
fn an_answer_that_is_not_wanted_any_more_stops_the_model_and_a_stopped_tool_is_stopped() {
    let folder = Folder::new();
    let dropped = Arc::new(AtomicUsize::new(0));
    struct OnDrop(Arc<AtomicUsize>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let counter = Arc::clone(&dropped);
    let closed = Gate::new();
    let model = ScriptedModel::by(move |number, _| match number {
        0 => Line::call("work", "c1", json!({})),
        _ => Line::deltas(["Well, "]).then_gate(&closed),
    });
    let server = Server::new(folder.database(), move || Ok(Arc::new(model.clone()) as Arc<dyn ModelAdapter>));
    let running = Running::start(server.chat_tools(move |_| {
        let counter = Arc::clone(&counter);
        let work = move |_: Value, _: ToolContext| {
            let held = OnDrop(Arc::clone(&counter));
            async move {
                std::future::pending::<()>().await;
                drop(held);
            }
        };
        vec![Tool::new("work", "Works.", json!({ "type": "object" }), work)]
    }));
    let (_, text) = running.ask("POST", "/api/chat", &[], Some(HI));
    let ticket = text.split("\"ticket\":\"").nth(1).unwrap().split('"').next().unwrap();
    let call = |wants: &str| {
        format!(
            "{{\"toolCall\":{{\"id\":\"c1\",\"name\":\"work\",\"input\":{{}},\"ticket\":\"{ticket}\"{wants}}}}}"
        )
    };
    let mut reading = Followed { lines: running.open("POST", "/api/chat", &[], Some(&call(""))) };
    assert_eq!(reading.next().unwrap().1["type"], "tool_begun");
    // A page that is gone does not stop it.
    drop(reading);
    let mut again =
        Followed { lines: running.open("POST", "/api/chat", &[], Some(&call(",\"again\":true"))) };
    assert_eq!(again.next().unwrap().1["type"], "tool_begun");
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    assert_eq!(running.ask("POST", "/api/chat", &[], Some(&call(",\"wants\":\"stop\""))).0, 204);
    assert!(again.next().is_none(), "the stream of what was stopped ends");
    until(|| dropped.load(Ordering::SeqCst) == 1);

    let name = ("x-glove-answer", "a-name-of-its-own");
    let mut reading = Followed { lines: running.open("POST", "/api/chat", &[name], Some(HI)) };
    assert_eq!(reading.next().unwrap().1["text"], "Well, ");
    assert_eq!(running.ask("POST", "/api/chat", &[name, ("x-glove-answer-over", "1")], None).0, 204);
    assert!(reading.next().is_none());
    until(|| running.ask("GET", "/metrics", &[], None).1.contains("glove_streams 0\n"));
}

fn until(is: impl Fn() -> bool) {
    let end = std::time::Instant::now() + Duration::from_secs(30);
    while !is() {
        assert!(std::time::Instant::now() < end, "it does not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}
