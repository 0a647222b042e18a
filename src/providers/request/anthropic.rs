//! Anthropic Messages, outgoing.

use crate::json_write::{Object, array, string};
use crate::message::{ContentPart, ContentSource};
use crate::providers::anthropic::THINKING_BLOCKS;
use crate::providers::request::project::agent_texts;
use crate::providers::request::{
    Group, Part, Prompt, Writer, media_note, number, of_kind, schema, text_block, thinking,
};

const DEFAULT_MAX_TOKENS: u32 = 8192;

pub(super) static WRITER: Writer = Writer { head, list: "messages", lead: None, group };

fn head(prompt: &Prompt<'_>, body: &mut Object<'_>) {
    let options = prompt.options;
    body.text("model", &options.model);
    thinking::anthropic(options, options.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS), body);
    if options.stream {
        body.raw("stream", "true");
    }
    // A model that thinks takes no temperature.
    if let Some(temperature) = options.temperature.filter(|_| !options.anthropic_thinks()) {
        body.raw("temperature", &number(temperature));
    }
    if let Some(stop) = options.stop {
        array(body.key("stop_sequences"), [stop], string);
    }
    let mark = prompt.cache_mark();
    match mark {
        _ if prompt.system.is_empty() => {}
        Some(_) => {
            array(body.key("system"), [prompt.system], |out, text| text_block(out, "text", text, mark));
        }
        None => {
            body.text("system", prompt.system);
        }
    }
    if prompt.tools.is_empty() {
        return;
    }
    // The system prompt comes behind the tools, so its mark covers them too.
    let marked = mark.filter(|_| prompt.system.is_empty());
    let last = prompt.tools.len().saturating_sub(1);
    array(body.key("tools"), prompt.tools.iter().enumerate(), |out, (at, tool)| {
        let mut written = Object::new(out);
        written.text("name", &prompt.names.on_wire(&tool.name)).text("description", &tool.description);
        schema(tool, written.key("input_schema"));
        if let Some(mark) = marked.filter(|_| at == last) {
            written.raw("cache_control", mark);
        }
        written.end();
    });
}

fn group(prompt: &Prompt<'_>, group: &Group<'_>, last: bool, out: &mut String) {
    let mark = prompt.cache_mark().filter(|_| last);
    let mut message = Object::new(out);
    match group {
        Group::User { answers, parts } => {
            message.text("role", "user");
            let blocks = answers.len() + parts.len();
            let mark_at = |at: usize| mark.filter(|_| at + 1 == blocks);
            let all = (0..answers.len()).map(Ok).chain((0..parts.len()).map(Err));
            array(message.key("content"), all.enumerate(), |out, (at, which)| match which {
                Ok(answer) => {
                    let Some(answer) = answers.get(answer) else { return };
                    let mut block = Object::new(out);
                    block.text("type", "tool_result").text("tool_use_id", &answer.id);
                    block.text("content", &answer.text());
                    if answer.is_error() {
                        block.raw("is_error", "true");
                    }
                    if let Some(mark) = mark_at(at) {
                        block.raw("cache_control", mark);
                    }
                    block.end();
                }
                Err(part) => match parts.get(part) {
                    Some(Part::Text(text)) => text_block(out, "text", text, mark_at(at)),
                    Some(Part::Media(part)) => media(out, part, mark_at(at)),
                    None => {}
                },
            });
        }
        Group::Agent { messages, calls } => {
            message.text("role", "assistant");
            let content = message.key("content");
            content.push('[');
            let mut comma = "";
            for kept in messages.iter().filter_map(|message| prompt.echoed(message, THINKING_BLOCKS)) {
                for block in of_kind(kept, &["thinking", "redacted_thinking"]) {
                    content.push_str(std::mem::replace(&mut comma, ","));
                    content.push_str(block);
                }
            }
            let texts = agent_texts(messages);
            for (at, text) in texts.iter().enumerate() {
                content.push_str(std::mem::replace(&mut comma, ","));
                let ends = calls.is_empty() && at + 1 == texts.len();
                // A request may not end in an assistant's trailing space.
                text_block(content, "text", if last { text.trim_end() } else { text }, mark.filter(|_| ends));
            }
            for (at, call) in calls.iter().enumerate() {
                content.push_str(std::mem::replace(&mut comma, ","));
                let mut block = Object::new(content);
                block.text("type", "tool_use").text("id", &call.id);
                block.text("name", &prompt.names.on_wire(&call.call.tool_name)).raw("input", &call.input());
                if let Some(mark) = mark.filter(|_| at + 1 == calls.len()) {
                    block.raw("cache_control", mark);
                }
                block.end();
            }
            content.push(']');
        }
    }
    message.end();
}

fn media(out: &mut String, part: &ContentPart, mark: Option<&str>) {
    let kind = match part.kind.as_str() {
        kind @ ("image" | "document") => kind,
        _ => return text_block(out, "text", &media_note(part), mark),
    };
    let leads =
        |source: &&ContentSource| source.url.is_some() || source.kind == "base64" && source.data.is_some();
    let Some(source) = part.source.as_ref().filter(leads) else {
        return text_block(out, "text", &media_note(part), mark);
    };
    let mut block = Object::new(out);
    block.text("type", kind);
    let mut written = Object::new(block.key("source"));
    match (&source.data, &source.url) {
        (Some(data), _) if source.kind == "base64" => {
            written.text("type", "base64").text("media_type", &source.media_type).text("data", data);
        }
        (_, url) => {
            written.text("type", "url").text("url", url.as_deref().unwrap_or_default());
        }
    }
    written.end();
    if let Some(mark) = mark {
        block.raw("cache_control", mark);
    }
    block.end();
}
