//! Traces of the program, sent to a collector that takes only what OTLP over HTTP allows.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::{Value as Json, json};

use super::Home;
use crate::support::server::whole;

#[derive(Default)]
struct Told {
    spans: Vec<Span>,
    services: Vec<String>,
    /// What was sent and is not allowed.
    refused: Vec<String>,
    /// Of requests to the model.
    parents: Vec<String>,
    /// What the provider of models answers next.
    answers: VecDeque<(u16, String)>,
}

struct Collector {
    address: SocketAddr,
    told: Arc<Mutex<Told>>,
}

impl Collector {
    /// Besides, it is a provider of models, which refuses everybody where it has no answer.
    fn start() -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let collector = Collector { address: listener.local_addr().unwrap(), told: Arc::default() };
        let told = Arc::clone(&collector.told);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let told = Arc::clone(&told);
                thread::spawn(move || answer(stream, &told));
            }
        });
        collector
    }
}

fn answer(stream: TcpStream, told: &Mutex<Told>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut line, mut headers) = (String::new(), HashMap::new());
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            let Some((name, value)) = header.trim().split_once(':') else { break };
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let mut told = told.lock().unwrap();
        let (status, answer) = match line.trim() {
            "POST /v1/traces HTTP/1.1" => match taken(&headers, &body, &mut told) {
                Ok(()) => ("200 OK", ExportTraceServiceResponse::default().encode_to_vec()),
                Err(why) => {
                    told.refused.push(why);
                    ("400 Bad Request", Vec::new())
                }
            },
            _ => {
                told.parents.push(headers.get("traceparent").cloned().unwrap_or_default());
                match told.answers.pop_front() {
                    Some((200, events)) => ("200 OK", events.into_bytes()),
                    _ => ("401 Unauthorized", b"{}".to_vec()),
                }
            }
        };
        drop(told);
        let kind = if answer.starts_with(b"data: ") { "text/event-stream" } else { "application/x-protobuf" };
        let head =
            format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", answer.len());
        let stream = reader.get_mut();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&answer).unwrap();
    }
}

fn taken(headers: &HashMap<String, String>, body: &[u8], told: &mut Told) -> Result<(), String> {
    if headers.get("content-type").map(String::as_str) != Some("application/x-protobuf") {
        return Err(format!("a content type: {headers:?}"));
    }
    let request = ExportTraceServiceRequest::decode(body).map_err(|error| error.to_string())?;
    for resource in request.resource_spans {
        let attributes = resource.resource.unwrap_or_default().attributes;
        let service = attributes.iter().find(|known| known.key == "service.name").ok_or("no service.name")?;
        told.services.push(format!("{:?}", service.value));
        for span in resource.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            let is_id = |id: &[u8], length: usize| id.len() == length && id.iter().any(|byte| *byte != 0);
            let parent = &span.parent_span_id;
            let is_good = is_id(&span.trace_id, 16)
                && is_id(&span.span_id, 8)
                && (parent.is_empty() || is_id(parent, 8))
                && !span.name.is_empty()
                && span.kind > 0
                && span.start_time_unix_nano > 0
                && span.end_time_unix_nano >= span.start_time_unix_nano;
            if !is_good {
                return Err(format!("a span: {span:?}"));
            }
            told.spans.push(span);
        }
    }
    Ok(())
}

fn attribute(span: &Span, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|known| known.key == name)?;
    match found.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text.clone()),
        Value::IntValue(number) => Some(number.to_string()),
        other => Some(format!("{other:?}")),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn serve(home: &Home, collector: &Collector, args: &[&str]) -> (Child, SocketAddr) {
    let mut command = home.glove(&["serve", "--listen", "127.0.0.1:0"]);
    command.args(args).env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{}", collector.address));
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut lines = lines.map_while(Result::ok);
    let address = lines.find_map(|line| line.strip_prefix("glove serves at http://")?.parse().ok()).unwrap();
    thread::spawn(move || lines.for_each(drop));
    (child, address)
}

/// Ends it as a system does, so that what has not been sent is sent.
fn end(mut child: Child) {
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(super::ended(&mut child).success());
}

fn ask(address: SocketAddr, line: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let about = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    write!(stream, "{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}{about}\r\n{body}")
        .unwrap();
    let (status, _, text) = whole(stream);
    (status, text)
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

#[test]
fn a_server_tells_a_collector_of_requests_models_and_tools_and_nothing_of_what_was_said() {
    let (home, collector) = (Home::new(), Collector::start());
    let (child, address) = serve(&home, &collector, &["--model", "scripted", "."]);
    let above = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\n");
    let said = json!({ "messages": [{ "sender": "user", "text": "a secret of mine" }] }).to_string();
    assert_eq!(ask(address, "POST /api/chat", &above, &said).0, 200);
    let (status, begun) = ask(address, "POST /api/sessions", &above, &json!({ "text": "list" }).to_string());
    assert_eq!(status, 201, "{begun}");
    let id = serde_json::from_str::<serde_json::Value>(&begun).unwrap()["id"].as_str().unwrap().to_owned();
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let (_, session) = ask(address, &format!("GET /api/sessions/{id}"), "", "");
        // Before it begins, it is idle too.
        if session.contains("\"phase\":\"idle\"") && session.contains("`list_dir` gave") {
            break;
        }
        assert!(Instant::now() < until, "the session does not end: {session}");
        thread::sleep(Duration::from_millis(20));
    }
    end(child);

    let told = collector.told.lock().unwrap();
    assert_eq!(told.refused, Vec::<String>::new());
    assert!(told.services.iter().all(|service| service.contains("\"glove\"")), "{:?}", told.services);
    let names = |name: &str| told.spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
    let of_page: Vec<_> =
        names("chat scripted").into_iter().filter(|span| hex(&span.parent_span_id) == PARENT).collect();
    assert_eq!(of_page.len(), 1, "{:?}", told.spans);
    assert_eq!(hex(&of_page[0].trace_id), TRACE);
    assert_eq!(attribute(of_page[0], "gen_ai.operation.name").as_deref(), Some("chat"));
    assert_eq!(attribute(of_page[0], "gen_ai.request.model").as_deref(), Some("scripted"));
    assert!(attribute(of_page[0], "gen_ai.usage.input_tokens").is_some());
    let [request] = names("invoke_agent")[..] else { panic!("{:?}", told.spans) };
    assert_eq!(attribute(request, "gen_ai.conversation.id").as_deref(), Some(id.as_str()));
    let below: Vec<_> = told.spans.iter().filter(|span| span.parent_span_id == request.span_id).collect();
    assert_eq!(below.iter().filter(|span| span.name == "chat scripted").count(), 2);
    let tool = below.iter().find(|span| span.name == "execute_tool list_dir").unwrap();
    assert_eq!(attribute(tool, "gen_ai.tool.name").as_deref(), Some("list_dir"));
    assert!(attribute(tool, "gen_ai.tool.call.id").is_some());
    assert!(!format!("{:?}", told.spans).contains("a secret of mine"));
}

#[test]
fn the_span_of_a_call_is_passed_on_to_the_provider_and_tells_why_it_failed() {
    let (home, collector) = (Home::new(), Collector::start());
    let provider = format!("http://{}/v1", collector.address);
    let (child, address) = serve(&home, &collector, &["--model", "ollama:small", "--base-url", &provider]);
    let said = json!({ "messages": [{ "sender": "user", "text": "hi" }] }).to_string();
    let above = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\n");
    assert_ne!(ask(address, "POST /api/chat", &above, &said).0, 200);
    end(child);
    let told = collector.told.lock().unwrap();
    assert_eq!(told.refused, Vec::<String>::new());
    let [span] = &told.spans[..] else { panic!("{:?}", told.spans) };
    assert_eq!(told.parents, [format!("00-{TRACE}-{}-01", hex(&span.span_id))]);
    assert_eq!(
        (span.name.as_str(), attribute(span, "error.type").as_deref()),
        ("chat small", Some("MODEL_AUTHENTICATION"))
    );
    assert_eq!(span.status.as_ref().unwrap().code, 2);
}

/// In the form of the table.
fn row_of(span: &Span) -> Json {
    let value = |value: &Value| match value {
        Value::StringValue(text) => json!(text),
        Value::IntValue(number) => json!(number),
        Value::ArrayValue(list) => {
            let texts = list.values.iter().map(|item| match &item.value {
                Some(Value::StringValue(text)) => json!(text),
                other => panic!("{other:?}"),
            });
            texts.collect()
        }
        other => panic!("{other:?}"),
    };
    let attributes = span.attributes.iter().map(|known| {
        let found = known.value.as_ref().and_then(|known| known.value.as_ref()).unwrap();
        (known.key.clone(), value(found))
    });
    json!({
        "name": span.name,
        "kind": match span.kind { 1 => "internal", 3 => "client", _ => "another" },
        "failed": span.status.as_ref().is_some_and(|status| status.code == 2),
        "attributes": attributes.collect::<serde_json::Map<_, _>>(),
    })
}

#[test]
fn each_answer_and_each_run_of_a_tool_is_a_span_as_the_table_of_chat_handlers_says() {
    let (home, collector) = (Home::new(), Collector::start());
    let provider = format!("http://{}/v1", collector.address);
    let (child, address) =
        serve(&home, &collector, &["--model", "ollama:small", "--base-url", &provider, "."]);
    let table: Json = serde_json::from_str(include_str!("../../fixtures/endpoint/traced.json")).unwrap();
    let said = json!({ "messages": [{ "sender": "user", "text": "hi" }] }).to_string();
    let mut wanted = Vec::new();
    for row in table["rows"].as_array().unwrap() {
        let chunks = row["chunks"].as_array().into_iter().flatten();
        let events: String = chunks.map(|chunk| format!("data: {chunk}\n\n")).collect();
        let status = row["status"].as_u64().unwrap().try_into().unwrap();
        collector.told.lock().unwrap().answers.push_back((status, events + "data: [DONE]\n\n"));
        let (_, text) = ask(address, "POST /api/chat", "", &said);
        wanted.push(row["span"].clone());
        let Some(call) = row.get("call") else { continue };
        let ticket = text.split("\"ticket\":\"").nth(1).unwrap().split('"').next().unwrap();
        let mut call = json!({ "toolCall": call });
        call["toolCall"]["ticket"] = json!(ticket);
        let (status, ran) = ask(address, "POST /api/chat", "", &call.to_string());
        assert_eq!(status, 200, "{ran}");
        wanted.push(row["ran"].clone());
    }
    end(child);
    let told = collector.told.lock().unwrap();
    assert_eq!(told.spans.iter().map(row_of).collect::<Vec<_>>(), wanted);
}

#[test]
fn what_was_said_is_told_where_it_is_wanted_without_keys() {
    let (home, collector) = (Home::new(), Collector::start());
    let mut chat =
        home.glove(&["chat", "--model", "scripted", ".", "-p", "list sk-abcdefghijklmnopqrstuvwxyz"]);
    chat.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{}", collector.address));
    chat.env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
    let output = chat.output().unwrap();
    assert!(output.status.success(), "{}", super::stderr(&output));
    let told = collector.told.lock().unwrap();
    let spans = |name: &str| told.spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
    let messages =
        |span: &Span, name: &str| -> Json { serde_json::from_str(&attribute(span, name).unwrap()).unwrap() };
    let [first, second] = spans("chat scripted")[..] else { panic!("{:?}", told.spans) };
    let asked = messages(first, "gen_ai.input.messages");
    assert_eq!(asked, json!([{ "role": "user", "parts": [{ "type": "text", "content": "list [key]" }] }]));
    assert!(attribute(first, "gen_ai.system_instructions").unwrap().starts_with("[{\"type\":\"text\""));
    let answered = messages(first, "gen_ai.output.messages");
    assert_eq!(
        (&answered[0]["role"], &answered[0]["parts"][0]["name"]),
        (&json!("assistant"), &json!("list_dir"))
    );
    assert_eq!(messages(second, "gen_ai.input.messages")[2]["parts"][0]["type"], "tool_call_response");
    let tool = spans("execute_tool list_dir")[0];
    assert_eq!(
        attribute(tool, "gen_ai.tool.call.arguments").unwrap(),
        answered[0]["parts"][0]["arguments"].to_string()
    );
    assert!(attribute(tool, "gen_ai.tool.call.result").is_some());
    assert!(!format!("{:?}", told.spans).contains("sk-abc"));
}

#[test]
fn a_run_of_a_task_is_a_span_with_its_steps_and_their_calls_below() {
    let (home, collector) = (super::task::with_brief(), Collector::start());
    let mut run = home.glove(&["run", "page", "--approve", "automatic", "--model", "scripted:script"]);
    run.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{}", collector.address));
    let output = run.output().unwrap();
    assert!(output.status.success(), "{}", super::stderr(&output));
    let told = collector.told.lock().unwrap();
    let below = |span: &Span| {
        let mut below: Vec<&Span> =
            told.spans.iter().filter(|other| other.parent_span_id == span.span_id).collect();
        below.sort_by_key(|span| span.start_time_unix_nano);
        below
    };
    let names = |spans: &[&Span]| spans.iter().map(|span| span.name.clone()).collect::<Vec<_>>();
    let task = told.spans.iter().find(|span| span.name == "invoke_workflow task").unwrap();
    assert!(task.parent_span_id.is_empty() && task.status.as_ref().is_none_or(|status| status.code != 2));
    let steps = below(task);
    let wanted = ["gather", "plan", "act", "verify"].map(|step| format!("invoke_agent {step}"));
    assert_eq!(names(&steps), wanted);
    assert_eq!(names(&below(steps[2])), ["chat scripted", "execute_tool fs_write", "chat scripted"]);
    assert_eq!(attribute(steps[2], "gen_ai.agent.name").as_deref(), Some("act"));
    let id = attribute(task, "gen_ai.conversation.id");
    assert!(id.is_some() && steps.iter().all(|step| attribute(step, "gen_ai.conversation.id") == id));
}

#[test]
fn a_protocol_that_the_program_does_not_speak_is_said_and_no_collector_is_no_fault() {
    let home = Home::new();
    let mut chat = home.glove(&["chat", "--model", "scripted", "--message", "hi"]);
    chat.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9").env("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    let output = chat.output().unwrap();
    assert!(!output.status.success());
    assert!(
        super::stderr(&output).contains("OTEL_EXPORTER_OTLP_PROTOCOL is `grpc`"),
        "{}",
        super::stderr(&output)
    );
    assert!(home.run(&["chat", "--model", "scripted", "--message", "hi"]).status.success());
}
