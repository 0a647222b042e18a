//! Records, and what a provider gets of them.

use glove_wasm::json::Json;
use glove_wasm::message::{ContentPart, ContentSource, Message, ToolCall, ToolResult, ToolResultData};
use glove_wasm::providers::Format;
use glove_wasm::providers::request::{Notices, Options, RequestParts, ToolNames};
use glove_wasm::tool::ToolDefinition;
use serde_json::Value;

pub const FORMATS: [Format; 5] =
    [Format::Anthropic, Format::OpenAiChat, Format::OpenAiResponses, Format::Gemini, Format::Endpoint];

pub fn tools() -> Vec<ToolDefinition> {
    let schema = r#"{"$schema":"x","type":"object","properties":{"city":{"type":"string"}}}"#;
    let tool = |name: &str, schema: &str| ToolDefinition {
        name: name.to_owned(),
        description: "d".to_owned(),
        schema: Json::parse(schema).unwrap(),
    };
    vec![tool("weather", schema), tool("my tool", "{}")]
}

pub fn body_with(format: Format, options: &Options, system: &str, messages: &[Message]) -> Value {
    body_for(format, options, system, messages, &tools())
}

pub fn body_for(
    format: Format,
    options: &Options,
    system: &str,
    messages: &[Message],
    tools: &[ToolDefinition],
) -> Value {
    let names = ToolNames::new(format, &options.facts, tools);
    let prompt = RequestParts { format, system, tools, names: &names, options, notices: &Notices::default() };
    serde_json::from_str(&prompt.body(&messages.iter().collect::<Vec<_>>())).unwrap()
}

pub fn options() -> Options {
    Options { model: "m".to_owned(), stream: true, ..Options::default() }
}

pub fn list(format: Format, messages: &[Message]) -> Value {
    let key = match format {
        Format::OpenAiResponses => "input",
        Format::Gemini => "contents",
        Format::Anthropic | Format::OpenAiChat | Format::Endpoint => "messages",
    };
    body_with(format, &options(), "", messages)[key].clone()
}

pub fn call(name: &str, id: &str, args: &str) -> ToolCall {
    ToolCall::from_model(name, Some(id.to_owned()).filter(|id| !id.is_empty()), args)
}

pub fn result(name: &str, id: &str, data: ToolResultData) -> ToolResult {
    ToolResult {
        tool_name: name.to_owned(),
        call_id: Some(id.to_owned()).filter(|id| !id.is_empty()),
        result: data,
        ..ToolResult::default()
    }
}

pub fn fine(text: &str) -> ToolResultData {
    ToolResultData::success(Json::string(text))
}

pub fn results(results: Vec<ToolResult>) -> Message {
    Message { tool_results: Some(results), ..Message::user("tool results") }
}

pub fn calls(text: &str, calls: Vec<ToolCall>) -> Message {
    Message::agent(text).with_calls(calls)
}

pub fn media(kind: &str, from: &str, media_type: &str, value: &str) -> ContentPart {
    let mut source =
        ContentSource { kind: from.to_owned(), media_type: media_type.to_owned(), ..Default::default() };
    *(if from == "url" { &mut source.url } else { &mut source.data }) = Some(value.to_owned());
    ContentPart { kind: kind.to_owned(), source: Some(source), ..Default::default() }
}

pub fn with_parts(parts: Vec<ContentPart>) -> Message {
    Message { content: Some(parts), ..Message::user("[multimodal message]") }
}

/// A turn with two calls, one of which failed, and something said between the calls and their results.
pub fn tool_turn() -> Vec<Message> {
    vec![
        Message::user("hi"),
        calls("Looking.", vec![call("weather", "c1", r#"{"city":"Rome"}"#), call("my tool", "c2", "")]),
        Message::user("by the way"),
        results(vec![
            result("my tool", "c2", ToolResultData::aborted("stopped by the user")),
            result("weather", "c1", fine("sunny")),
        ]),
        Message::user("and?"),
    ]
}
