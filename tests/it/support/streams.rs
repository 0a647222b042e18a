//! A recorded stream, what is expected of it, and the ways it is cut and bent.

use std::path::{Path, PathBuf};

use glove_wasm::answer::{Delta, Outcome, Turn};
use glove_wasm::message::{ToolCall, Usage};
use glove_wasm::providers::{Decoder, Format};
use serde_json::Value;

pub struct Recording {
    pub name: String,
    pub format: Format,
    pub bytes: Vec<u8>,
    pub expected: Value,
}

const FOLDERS: [(&str, Format); 5] = [
    ("anthropic-messages", Format::Anthropic),
    ("openai-chat", Format::OpenAiChat),
    ("openai-responses", Format::OpenAiResponses),
    ("gemini-generate-content", Format::Gemini),
    ("glove-remote", Format::Endpoint),
];

/// The recordings below a folder; none where it does not exist.
fn load(root: &Path) -> Vec<Recording> {
    let mut all = Vec::new();
    for (folder, format) in FOLDERS {
        let folder = root.join(folder);
        let Ok(expected) = std::fs::read_to_string(folder.join("expected.jsonl")) else { continue };
        for line in expected.lines().filter(|line| !line.trim().is_empty()) {
            let mut expected: Value = serde_json::from_str(line).unwrap();
            let id = expected["id"].as_str().unwrap().to_owned();
            let bytes = std::fs::read(folder.join(format!("raw/{id}.sse"))).unwrap();
            // The clients that settled what to expect of recordings knew no end without a reason.
            if format == Format::OpenAiChat && expected["tool_calls"].is_array() && closes(&bytes) {
                expected["outcome"] = "ok".into();
            }
            all.push(Recording { name: format!("{}/{id}", folder.display()), format, bytes, expected });
        }
    }
    all
}

/// The project's own streams.
pub fn own_recordings() -> Vec<Recording> {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/streams"))
}

/// The project's own streams, and those in the folder that GLOVE_RECORDED_STREAMS names.
pub fn recordings() -> Vec<Recording> {
    let mut all = own_recordings();
    match std::env::var_os("GLOVE_RECORDED_STREAMS").map(PathBuf::from) {
        Some(folder) => {
            assert!(folder.is_dir(), "GLOVE_RECORDED_STREAMS is no folder: {}", folder.display());
            all.extend(load(&folder));
        }
        None => eprintln!("no recorded streams here: only the project's own are run"),
    }
    all
}

/// What comes of a stream in pieces.
pub fn outcome<P: AsRef<[u8]>>(format: Format, pieces: impl IntoIterator<Item = P>) -> Outcome {
    let mut decoder = Decoder::new(format, Vec::new());
    for piece in pieces {
        decoder.push(piece.as_ref());
    }
    decoder.finish()
}

pub fn answered(outcome: Outcome) -> Turn {
    match outcome {
        Outcome::Answered(turn) => turn,
        Outcome::Failed(failure) => panic!("not answered: {}", failure.error.message),
    }
}

/// Everything that must not depend on how a stream was cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    pub answered: bool,
    pub error: Option<String>,
    pub text: String,
    pub reasoning: String,
    pub calls: Vec<ToolCall>,
    pub usage: Usage,
    pub stop_reason: Option<String>,
    /// Text, reasoning and the arguments of each call, as the deltas gave them.
    pub shown: (String, String, Vec<String>),
}

pub fn decode<'a>(format: Format, chunks: impl IntoIterator<Item = &'a [u8]>) -> Transcript {
    let mut decoder = Decoder::new(format, Vec::new());
    let mut shown = (String::new(), String::new(), Vec::<String>::new());
    for chunk in chunks {
        for delta in decoder.push(chunk) {
            match delta {
                Delta::Text { text } | Delta::Refusal { text } => shown.0.push_str(&text),
                Delta::Reasoning { text } => shown.1.push_str(&text),
                Delta::CallStarted { index, .. } => {
                    assert_eq!(index, shown.2.len(), "calls are announced in order");
                    shown.2.push(String::new());
                }
                Delta::CallArgs { index, text } => shown.2[index].push_str(&text),
                Delta::CallEnded { .. } | Delta::Notice { .. } | Delta::Retry { .. } => {}
            }
        }
    }
    match decoder.finish() {
        Outcome::Answered(turn) => Transcript {
            answered: true,
            error: None,
            text: turn.message.text.clone(),
            reasoning: turn.message.reasoning_content.clone().unwrap_or_default(),
            calls: turn.message.calls().to_vec(),
            usage: turn.usage,
            stop_reason: turn.stop_reason,
            shown,
        },
        Outcome::Failed(failure) => {
            let partial = failure.partial.as_ref();
            assert!(partial.is_none_or(|message| message.partial && message.calls().is_empty()));
            Transcript {
                answered: false,
                error: Some(format!("{} {}", failure.error.kind.code(), failure.error.message)),
                text: partial.map(|message| message.text.clone()).unwrap_or_default(),
                reasoning: partial.and_then(|m| m.reasoning_content.clone()).unwrap_or_default(),
                calls: Vec::new(),
                usage: failure.usage,
                stop_reason: None,
                shown,
            }
        }
    }
}

/// What differs from the expected facts; empty where all is right.
pub fn differences(found: &Transcript, expected: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |what: &str, fine: bool, found: &dyn std::fmt::Debug, wanted: &Value| {
        if !fine {
            wrong.push(format!("{what}: found {found:?}, expected {wanted}"));
        }
    };
    let outcome = &expected["outcome"];
    check("outcome", found.answered == (outcome == "ok"), &found.error, outcome);
    if let Some(part) = expected["error_contains"].as_str() {
        let said = found.error.as_deref().unwrap_or_default();
        check("error", said.contains(part), &found.error, &expected["error_contains"]);
    }
    let cut = found.error.as_deref().is_some_and(|error| error.starts_with("MODEL_STREAM_CUT"));
    check("cut", cut == (outcome == "truncated"), &found.error, outcome);
    let texts = expected["accept"]["text"].as_array();
    let text_fits = found.text == expected["text"].as_str().unwrap_or_default()
        || texts.is_some_and(|texts| texts.iter().any(|text| *text == found.text.as_str()));
    check("text", text_fits, &found.text, &expected["text"]);
    if let Some(reasoning) = expected["reasoning"].as_str() {
        check("reasoning", found.reasoning == reasoning, &found.reasoning, &expected["reasoning"]);
    }
    let calls = expected["tool_calls"].as_array().cloned().unwrap_or_default();
    check("number of calls", found.calls.len() == calls.len(), &found.calls, &expected["tool_calls"]);
    for (call, wanted) in found.calls.iter().zip(&calls) {
        check("call id", call.id.as_deref() == wanted["id"].as_str(), call, wanted);
        check("call name", wanted["name"] == call.tool_name.as_str(), call, wanted);
        match wanted["args_raw"].as_str() {
            Some(raw) => {
                let fits = call.unparsed_args && call.input_args.to_text().as_deref() == Some(raw);
                check("raw arguments", fits, call, wanted);
            }
            None => {
                let args: Value = call.input_args.read().unwrap();
                check("arguments", args == wanted["args"] && !call.unparsed_args, call, wanted);
            }
        }
    }
    let usage = &expected["usage"];
    if usage.is_object() && outcome == "ok" {
        let count =
            |names: [&str; 2]| names.iter().find_map(|name| usage[*name].as_u64()).unwrap_or_default();
        let found_usage = (found.usage.tokens_in, found.usage.tokens_out);
        let wanted = (count(["input_total", "input"]), count(["output_total", "output"]));
        check("tokens", found_usage == wanted, &found.usage, usage);
        for (name, found) in [
            ("cache_read", found.usage.cache_read),
            ("cache_write", found.usage.cache_creation),
            ("reasoning", found.usage.reasoning),
        ] {
            check(name, usage[name].as_u64().is_none_or(|wanted| wanted == found), &found, usage);
        }
    }
    if let Some(raw) = expected["finish"]["raw"].as_str().filter(|_| outcome == "ok") {
        check(
            "stop reason",
            found.stop_reason.as_deref() == Some(raw),
            &found.stop_reason,
            &expected["finish"],
        );
    }
    if found.answered {
        check("shown text", found.shown.0 == found.text, &found.shown.0, &Value::from(found.text.as_str()));
        check(
            "shown thoughts",
            found.shown.1 == found.reasoning,
            &found.shown.1,
            &Value::from(found.reasoning.as_str()),
        );
    }
    wrong
}

/// Where each event ends: behind its blank line.
pub fn event_ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = 0;
    let mut line_is_empty = true;
    while at < bytes.len() {
        let line_end = matches!(bytes[at], b'\n' | b'\r');
        at += 1 + usize::from(bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n'));
        if line_end && line_is_empty {
            ends.push(at);
        }
        line_is_empty = line_end;
    }
    ends
}

/// The same stream with LF as its line end.
pub fn with_lf(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap().replace("\r\n", "\n").replace('\r', "\n")
}

/// The stream bent in ways that must change nothing.
pub fn mutations(format: Format, bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let lf = with_lf(bytes);
    let inside = lf.replace("\ndata:", "\n: inside\ndata:");
    let around = lf.replace("\n\n", "\n\n: between\n\n:\n");
    let named =
        lf.replace("\n\n", "\n\nevent: of_another_kind\ndata: {\"x\":[1]}\n\nevent: odd\ndata: not json\n\n");
    let typed = lf.replace(
        "\n\n",
        "\n\ndata: {\"type\":\"unknown.kind\",\"delta\":\"no\",\"text\":\"no\",\"index\":0}\n\n",
    );
    let fields = lf.replace("\ndata:", "\nid: 7\nretry: 10\nunknown: x\ndata:");
    let tight = lf.replace("\ndata: ", "\ndata:").replace("\nevent: ", "\nevent:");
    let padded = lf.replace("}\n\n", "}   \t\n\n");
    let mut all = vec![
        ("LF", lf.clone().into_bytes()),
        ("CRLF", lf.replace('\n', "\r\n").into_bytes()),
        ("CR", lf.replace('\n', "\r").into_bytes()),
        ("BOM", format!("\u{FEFF}{lf}").into_bytes()),
        ("comments between", around.into_bytes()),
        ("comments inside", inside.into_bytes()),
        ("unknown events by name", named.into_bytes()),
        ("other fields", fields.into_bytes()),
        ("no space after the colon", tight.into_bytes()),
        ("padding after the JSON", padded.into_bytes()),
        ("no blank line at the end", lf.trim_end_matches('\n').as_bytes().to_vec()),
        ("one line end at the end", format!("{}\n", lf.trim_end_matches('\n')).into_bytes()),
        ("blank lines at the start", format!("\n\n\n{lf}").into_bytes()),
    ];
    if matches!(format, Format::Anthropic | Format::OpenAiResponses | Format::Endpoint) {
        all.push(("unknown events by type", typed.into_bytes()));
    }
    all
}

/// A stream of the chat format that tells its tokens and then says that nothing follows.
fn closes(bytes: &[u8]) -> bool {
    let whole = with_lf(bytes);
    let before = whole.split_once("data: [DONE]").map(|(before, _)| before);
    before.is_some_and(|before| before.contains(r#""usage": {"#) || before.contains(r#""usage":{"#))
        && !whole.contains(r#""error""#)
}

/// The event with which a stream states its end, counted in events; `None` where it never does.
pub fn end_statement(format: Format, bytes: &[u8]) -> Option<usize> {
    let whole = with_lf(bytes);
    let events: Vec<&str> = whole.split("\n\n").collect();
    let says_end = |event: &&str| {
        let data: String = event.lines().filter_map(|line| line.strip_prefix("data:")).collect();
        let Ok(json) = serde_json::from_str::<Value>(&data) else { return false };
        let kind = json["type"].as_str().unwrap_or_default();
        match format {
            Format::Anthropic => kind == "message_stop",
            Format::OpenAiChat => json["choices"].as_array().into_iter().flatten().any(|choice| {
                choice["index"].as_u64().unwrap_or(0) == 0
                    && choice["finish_reason"].as_str().is_some_and(|reason| !reason.is_empty())
            }),
            Format::OpenAiResponses => {
                ["response.completed", "response.incomplete", "response.done"].contains(&kind)
            }
            Format::Gemini => {
                json["candidates"].as_array().into_iter().flatten().any(|c| c["finishReason"].is_string())
                    || json["promptFeedback"]["blockReason"].is_string()
            }
            Format::Endpoint => kind == "done",
        }
    };
    let done = || events.iter().position(|event| event.trim() == "data: [DONE]");
    let said = events.iter().position(says_end);
    said.or_else(|| done().filter(|_| format == Format::OpenAiChat && closes(bytes)))
}
