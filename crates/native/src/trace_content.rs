//! What was said, as the conventions of OpenTelemetry for generative AI write it into spans, struck of keys. It is told only where the
//! environment asks for it (`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`).

use std::sync::LazyLock;

use opentelemetry::KeyValue;

use super::environment::variable;
use super::known_keys::KnownKeys;
use glove_wasm::json::Json;
use glove_wasm::json::writer::{Object, array};
use glove_wasm::message::{Message, Sender};
use glove_wasm::ports::ModelRequest;
use glove_wasm::run::input::{Reply, ToolOutcome};

const SWITCH: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

static CONTENT: LazyLock<Option<Content>> = LazyLock::new(|| {
    let wanted = variable(SWITCH).unwrap_or_default();
    let is_wanted =
        ["true", "span_only", "span_and_event"].contains(&wanted.trim().to_ascii_lowercase().as_str());
    is_wanted.then(|| Content(KnownKeys::of_environment()))
});

/// Writes what was said.
pub(super) struct Content(KnownKeys);

impl Content {
    /// `None` unless it is wanted.
    pub(super) fn wanted() -> Option<&'static Content> {
        CONTENT.as_ref()
    }

    fn value(&self, name: &'static str, text: &str) -> KeyValue {
        KeyValue::new(name, self.0.struck(text))
    }

    pub(super) fn asked(&self, request: &ModelRequest<'_>) -> Vec<KeyValue> {
        let mut messages = String::new();
        array(&mut messages, request.messages.skip(0), |out, message| written(out, message, None));
        let mut attributes = vec![self.value("gen_ai.input.messages", &messages)];
        if !request.system_prompt.is_empty() {
            let mut instructions = String::new();
            array(&mut instructions, [request.system_prompt], |out, prompt| part(out, "text", prompt));
            attributes.push(self.value("gen_ai.system_instructions", &instructions));
        }
        attributes
    }

    pub(super) fn answered(&self, reply: &Reply) -> KeyValue {
        let why = reply.stop_reason.as_deref().unwrap_or("stop");
        let mut messages = String::new();
        array(&mut messages, &reply.messages, |out, message| written(out, message, Some(why)));
        self.value("gen_ai.output.messages", &messages)
    }

    pub(super) fn called(&self, input: &Json) -> KeyValue {
        self.value("gen_ai.tool.call.arguments", input.as_str())
    }

    pub(super) fn returned(&self, outcome: &ToolOutcome) -> Option<KeyValue> {
        let name = "gen_ai.tool.call.result";
        match outcome {
            ToolOutcome::Returned { result, .. } => Some(self.value(name, result.data.as_str())),
            ToolOutcome::Threw(why) => Some(self.value(name, why)),
            _ => None,
        }
    }
}

/// `why` is how an answer of the model ended.
fn written(out: &mut String, message: &Message, why: Option<&str>) {
    let is_result = !message.results().is_empty();
    let mut object = Object::new(out);
    object.text(
        "role",
        match message.sender {
            Sender::Agent => "assistant",
            Sender::User if is_result => "tool",
            Sender::User => "user",
        },
    );
    let parts = object.key("parts");
    parts.push('[');
    let begin = parts.len();
    let mut next = |write: &dyn Fn(&mut String)| {
        if parts.len() > begin {
            parts.push(',');
        }
        write(parts);
    };
    if let Some(thought) = &message.reasoning_content {
        next(&|out| part(out, "reasoning", thought));
    }
    if !message.text.is_empty() && !is_result {
        next(&|out| part(out, "text", &message.text));
    }
    for content in message.content.as_deref().unwrap_or_default() {
        match &content.text {
            Some(text) if *text == message.text => {}
            Some(text) => next(&|out| part(out, "text", text)),
            // A picture or a file: that it was there, and not its bytes.
            None => next(&|out| {
                let mut object = Object::new(out);
                object.text("type", &content.kind);
                object.end();
            }),
        }
    }
    for call in message.calls() {
        next(&|out| {
            let mut object = Object::new(out);
            object.text("type", "tool_call").text("id", call.id()).text("name", &call.tool_name);
            object.raw("arguments", call.input_args.as_str());
            object.end();
        });
    }
    for result in message.results() {
        next(&|out| {
            let mut object = Object::new(out);
            object
                .text("type", "tool_call_response")
                .text("id", result.call_id.as_deref().unwrap_or_default());
            object.text("response", &result.text_for_model());
            object.end();
        });
    }
    parts.push(']');
    if let Some(why) = why {
        object.text("finish_reason", why);
    }
    object.end();
}

fn part(out: &mut String, kind: &str, content: &str) {
    let mut object = Object::new(out);
    object.text("type", kind).text("content", content);
    object.end();
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use glove_wasm::json::codec::from_text;

    #[test]
    fn messages_are_written_as_the_conventions_say() {
        let messages = json!([
            { "sender": "user", "text": "Look.", "content": [{ "type": "text", "text": "Look." }, { "type": "image" }] },
            { "sender": "agent", "text": "", "reasoning_content": "Hm.", "tool_calls": [
                { "tool_name": "look", "id": "c1", "input_args": { "at": 1 } }
            ] },
            { "sender": "user", "text": "tool results", "tool_results": [
                { "tool_name": "look", "call_id": "c1", "result": { "status": "success", "data": "a cat" } }
            ] },
        ]);
        let messages: Vec<Message> = from_text(&messages.to_string()).unwrap();
        let mut attributes = String::new();
        array(&mut attributes, &messages, |out, message| written(out, message, None));
        assert_eq!(
            serde_json::from_str::<Value>(&attributes).unwrap(),
            json!([
                { "role": "user", "parts": [{ "type": "text", "content": "Look." }, { "type": "image" }] },
                { "role": "assistant", "parts": [
                    { "type": "reasoning", "content": "Hm." },
                    { "type": "tool_call", "id": "c1", "name": "look", "arguments": { "at": 1 } }
                ] },
                { "role": "tool", "parts": [{ "type": "tool_call_response", "id": "c1", "response": "a cat" }] },
            ])
        );
        let mut answer = String::new();
        written(&mut answer, &Message::new(Sender::Agent, "A cat."), Some("stop"));
        let expected = json!({ "role": "assistant", "parts": [{ "type": "text", "content": "A cat." }], "finish_reason": "stop" });
        assert_eq!(serde_json::from_str::<Value>(&answer).unwrap(), expected);
    }

    #[test]
    fn keys_are_struck() {
        let content = Content(KnownKeys::of_environment());
        let attributes = content.called(&Json::parse(r#"{"key":"sk-abcdefghijklmnopqrstuvwxyz"}"#).unwrap());
        assert_eq!(attributes.value.as_str(), r#"{"key":"[key]"}"#);
    }
}
