//! What the native provider and the writers send is what vendors take, by the rules of `tests/strict`.

use crate::support::requests::{
    FORMATS, body_with, call, calls, fine, media, options, result, results, tool_turn, with_parts,
};
use crate::support::strict::{host_of, judge, judge_body};
use glove_wasm::json::Json;
use glove_wasm::message::{Message, ToolResultData};
use glove_wasm::providers::Format;
use glove_wasm::providers::request::Options;
use serde_json::{Value, json};

/// Models that each format is asked for, with rules of their own.
fn models(format: Format) -> &'static [&'static str] {
    match format {
        Format::Anthropic => &["claude-sonnet-4-20250514", "claude-opus-4-6", "claude-3-5-haiku-20241022"],
        Format::OpenAiChat => &["gpt-4.1", "o3", "gpt-5", "llama"],
        Format::OpenAiResponses => &["gpt-5.1", "o3", "gpt-4.1"],
        Format::Gemini => &["gemini-2.5-flash", "gemini-2.0-flash"],
        Format::Endpoint => &[""],
    }
}

fn situations() -> Vec<(&'static str, Vec<Message>)> {
    let turn = |data| {
        let made = calls("", vec![call("weather", "c1", r#"{"city":"Rome"}"#)]);
        vec![Message::user("hi"), made, results(vec![result("weather", "c1", data)]), Message::user("and?")]
    };
    let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    vec![
        ("a word", vec![Message::user("hi")]),
        (
            "many turns",
            (0..21).map(|at| if at % 2 == 0 { Message::user("u") } else { Message::agent("a") }).collect(),
        ),
        ("calls, one of which failed", tool_turn()),
        ("a result", turn(fine("sunny"))),
        ("a result of nothing", turn(ToolResultData::success(Json::null()))),
        ("a stopped call", turn(ToolResultData::aborted("stopped"))),
        (
            "a call without a result",
            vec![Message::user("hi"), calls("", vec![call("weather", "c1", "{}")]), Message::user("stop")],
        ),
        (
            "no arguments",
            vec![
                Message::user("hi"),
                calls("", vec![call("my tool", "c1", "")]),
                results(vec![result("my tool", "c1", fine("x"))]),
            ],
        ),
        ("a picture", vec![with_parts(vec![media("image", "base64", "image/png", png)])]),
        (
            "a picture by its address",
            vec![with_parts(vec![media("image", "url", "image/png", "https://a.example/a.png")])],
        ),
        ("an answer of nothing", vec![Message::user("hi"), Message::agent(""), Message::user("hello?")]),
    ]
}

#[test]
fn every_writer_writes_what_its_vendor_takes() {
    let mut wrong = Vec::new();
    for format in FORMATS {
        for model in models(format) {
            for (name, messages) in situations() {
                for stream in [true, false] {
                    let options = Options { model: (*model).to_owned(), stream, ..options() };
                    let body = body_with(format, &options, "You help.", &messages);
                    let found = judge_body(host_of(format), Some(model), &body);
                    wrong.extend(
                        found.into_iter().map(|found| format!("{format:?} {model}, {name}: {found}")),
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn good() -> Value {
    json!({ "model": "m", "messages": [{ "role": "user", "content": "hi" }], "stream": true })
}

fn sent(url: &str, headers: &[(&str, &str)], body: &Value) -> Vec<String> {
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    judge("openai", url, &headers, &body.to_string())
}

const URL: &str = "https://api.openai.com/v1/chat/completions";
const HEADERS: [(&str, &str); 2] = [("content-type", "application/json"), ("authorization", "Bearer k")];

#[test]
fn a_planted_mistake_of_each_kind_is_noticed() {
    assert_eq!(sent(URL, &HEADERS, &good()), [""; 0]);
    let with = |key: &str, value: Value| {
        let mut body = good();
        body[key] = value;
        body
    };
    for (what, found) in [
        ("the path", sent("https://api.openai.com/v1/chat", &HEADERS, &good())),
        ("the content type", sent(URL, &HEADERS[1..], &good())),
        ("the key", sent(URL, &HEADERS[..1], &good())),
        ("a field that there is not", sent(URL, &HEADERS, &with("top_k", json!(1)))),
        ("no tools", sent(URL, &HEADERS, &with("tools", json!([])))),
        ("a message of another form", sent(URL, &HEADERS, &with("messages", json!([{ "role": "user" }])))),
    ] {
        assert_eq!(found.len(), 1, "{what}: {found:?}");
    }
    let mut limited = with("model", json!("o3"));
    limited["max_tokens"] = json!(5);
    assert!(sent(URL, &HEADERS, &limited)[0].starts_with("model.max-tokens-name"));
}
