//! The original's endpoint protocol, outgoing: messages in the record's own shape, without what is for people only.

use crate::json::scan::joined;
use crate::json::writer::{Object, array};
use crate::message::ToolStatus;
use crate::providers::provider_fields::EXTRA_CONTENT;
use crate::providers::provider_fields::PROVIDER_FIELDS;
use crate::providers::provider_fields::THOUGHT_SIGNATURE;
use crate::providers::request::fragments::{BETWEEN, each_field, reasoning, user_texts};
use crate::providers::request::parts::{FormatWriter, RequestParts};
use crate::providers::request::project::agent_texts;
use crate::providers::request::thoughts_back::is_wanted_back;
use crate::providers::request::{CallResult, Group, Part};
use crate::tool::ToolDefinition;

pub(in crate::providers) static WRITER: FormatWriter =
    FormatWriter { head, list: "messages", lead: None, group };

fn head(prompt: &RequestParts<'_>, body: &mut Object<'_>) {
    body.text("systemPrompt", prompt.system);
    if prompt.tools.is_empty() {
        return;
    }
    array(body.key("tools"), prompt.tools, |out, tool| {
        let mut written = Object::new(out);
        written.text("name", &tool.name).text("description", &tool.description);
        schema(tool, written.key("parameters"));
        written.end();
    });
}

fn group(prompt: &RequestParts<'_>, group: &Group<'_>, _last: bool, out: &mut String) {
    match group {
        Group::User { answers, parts } => {
            if !answers.is_empty() {
                let mut message = Object::new(out);
                message.text("sender", "user").text("text", "tool results");
                array(message.key("tool_results"), answers, result);
                message.end();
            }
            if parts.is_empty() {
                return;
            }
            if !answers.is_empty() {
                out.push(',');
            }
            user(parts, out);
        }
        Group::Agent { messages, calls } => {
            let mut message = Object::new(out);
            message.text("sender", "agent");
            message.text("text", &joined(&agent_texts(messages), BETWEEN));
            if !calls.is_empty() {
                array(message.key("tool_calls"), calls, |out, call| {
                    let mut written = Object::new(out);
                    written.text("tool_name", &call.call.tool_name).raw("input_args", &call.input());
                    written.text("id", &call.id);
                    for (key, value) in &call.call.extra.0 {
                        if [THOUGHT_SIGNATURE, EXTRA_CONTENT].contains(&key.as_str()) {
                            written.raw(key, value.as_str());
                        }
                    }
                    written.end();
                });
            }
            let wanted = messages.iter().any(|message| is_wanted_back(message));
            if let Some(reasoning) = reasoning(messages).filter(|_| prompt.options.echo_reasoning || wanted) {
                message.text("reasoning_content", &reasoning);
            }
            for field in PROVIDER_FIELDS {
                if let Some(kept) = messages.iter().find_map(|message| prompt.echoed(message, field)) {
                    message.raw(field, kept);
                }
            }
            message.end();
        }
    }
}

fn user(parts: &[Part<'_>], out: &mut String) {
    let texts = user_texts(parts);
    let text = joined(&texts, BETWEEN);
    let mut message = Object::new(out);
    message.text("sender", "user");
    message.text("text", if text.is_empty() { "[multimodal message]" } else { &text });
    if texts.len() < parts.len() {
        array(message.key("content"), parts, |out, part| {
            let mut written = Object::new(out);
            match part {
                Part::Text(text) | Part::Passing(text) => {
                    written.text("type", "text").text("text", text);
                }
                Part::Media(part) => {
                    written.text("type", &part.kind);
                    if let Some(source) = &part.source {
                        let mut from = Object::new(written.key("source"));
                        from.text("type", &source.kind).text("media_type", &source.media_type);
                        for (key, value) in [("data", &source.data), ("url", &source.url)] {
                            if let Some(value) = value {
                                from.text(key, value);
                            }
                        }
                        from.end();
                    }
                }
            }
            written.end();
        });
    }
    message.end();
}

fn result(out: &mut String, answer: &CallResult<'_>) {
    let mut written = Object::new(out);
    written.text("tool_name", &answer.call.tool_name).text("call_id", &answer.id);
    let mut data = Object::new(written.key("result"));
    match answer.result {
        None => {
            data.text("data", &answer.text()).text("status", "success");
        }
        Some(result) => match result.result.status {
            // A server of the original tells its model of `error` only; the message says what it was.
            ToolStatus::Error | ToolStatus::Aborted => {
                data.raw("data", result.result.data.as_str()).text("status", "error");
                data.text("message", result.result.message.as_deref().unwrap_or("Unknown error"));
            }
            ToolStatus::Success | ToolStatus::Pending => {
                data.raw("data", result.data_for_model().as_str());
                data.text("status", "success");
            }
        },
    }
    data.end();
    written.end();
}

/// A tool's schema for a handler, which knows what its provider takes: an object with properties, without the dialect's name.
fn schema(tool: &ToolDefinition, out: &mut String) {
    let (mut typed, mut properties) = (false, false);
    let mut object = Object::new(out);
    let _ = each_field(tool.schema.as_str(), |key, value| match key {
        "$schema" => {}
        key => {
            typed |= key == "type";
            properties |= key == "properties";
            object.copied(key, value);
        }
    });
    if !typed {
        object.text("type", "object");
    }
    if !properties {
        object.raw("properties", "{}");
    }
    object.end();
}
