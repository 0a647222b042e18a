//! OpenAI chat completions, outgoing.

use crate::json_write::{Object, array};
use crate::message::ContentPart;
use crate::providers::openai_chat::EXTRA_CONTENT;
use crate::providers::request::project::agent_texts;
use crate::providers::request::{
    BETWEEN, Call, ChatDialect, Group, PDF, PDF_NAME, Part, Prompt, Writer, media_note, media_url, number,
    push_string, reasoning, schema, text_block, thinking, user_texts,
};
use crate::scan::joined;

pub(super) static WRITER: Writer = Writer { head, list: "messages", lead: Some(system), group };

fn head(prompt: &Prompt<'_>, body: &mut Object<'_>) {
    let options = prompt.options;
    body.text("model", &options.model);
    if let Some(max_tokens) = options.max_tokens {
        let name = match options.dialect {
            ChatDialect::OpenAi => "max_completion_tokens",
            ChatDialect::Plain | ChatDialect::OpenRouter | ChatDialect::Mistral | ChatDialect::Google => {
                "max_tokens"
            }
        };
        body.raw(name, &max_tokens.to_string());
    }
    if options.stream {
        body.raw("stream", "true");
        if options.dialect != ChatDialect::Mistral {
            body.raw("stream_options", r#"{"include_usage":true}"#);
        }
    }
    if let Some(temperature) = options.temperature {
        body.raw("temperature", &number(temperature));
    }
    if let Some(stop) = options.stop {
        array(body.key("stop"), [stop], push_string);
    }
    thinking::openai_chat(options, body);
    if prompt.tools.is_empty() {
        return;
    }
    array(body.key("tools"), prompt.tools, |out, tool| {
        let mut written = Object::new(out);
        written.text("type", "function");
        let mut function = Object::new(written.key("function"));
        function.text("name", &prompt.names.on_wire(&tool.name)).text("description", &tool.description);
        schema(tool, function.key("parameters"));
        function.end();
        written.end();
    });
}

/// The system prompt is the first message of the list.
fn system(prompt: &Prompt<'_>, out: &mut String) {
    if prompt.system.is_empty() {
        return;
    }
    let mut message = Object::new(out);
    message.text("role", "system");
    text(message.key("content"), prompt.system, mark(prompt));
    message.end();
}

fn mark(prompt: &Prompt<'_>) -> Option<&'static str> {
    prompt.cache_mark().filter(|_| prompt.options.dialect == ChatDialect::OpenRouter)
}

/// Content as plain text, or as a block where a mark has to be put.
fn text(out: &mut String, text: &str, mark: Option<&str>) {
    match mark {
        Some(_) => array(out, [text], |out, text| text_block(out, "text", text, mark)),
        None => push_string(out, text),
    }
}

fn group(prompt: &Prompt<'_>, group: &Group<'_>, last: bool, out: &mut String) {
    let mark = mark(prompt).filter(|_| last);
    match group {
        Group::User { answers, parts } => {
            for (at, answer) in answers.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                let mut message = Object::new(out);
                message.text("role", "tool").text("tool_call_id", &answer.id);
                let ends = parts.is_empty() && at + 1 == answers.len();
                text(message.key("content"), &answer.text(), mark.filter(|_| ends));
                message.end();
            }
            if parts.is_empty() {
                return;
            }
            if !answers.is_empty() {
                out.push(',');
            }
            let mut message = Object::new(out);
            message.text("role", "user");
            user_content(prompt, message.key("content"), parts, mark);
            message.end();
        }
        Group::Agent { messages, calls } => {
            let mut message = Object::new(out);
            message.text("role", "assistant");
            match joined(&agent_texts(messages), BETWEEN) {
                said if said.is_empty() => {
                    message.raw("content", "null");
                }
                said => text(message.key("content"), &said, mark.filter(|_| calls.is_empty())),
            }
            if let Some(reasoning) = reasoning(prompt, messages) {
                message.text("reasoning_content", &reasoning);
            }
            if !calls.is_empty() {
                array(message.key("tool_calls"), calls, |out, call| write_call(prompt, call, out));
            }
            message.end();
        }
    }
}

fn write_call(prompt: &Prompt<'_>, call: &Call<'_>, out: &mut String) {
    let mut written = Object::new(out);
    written.text("id", &call.id).text("type", "function");
    let mut function = Object::new(written.key("function"));
    function.text("name", &prompt.names.on_wire(&call.call.tool_name)).text("arguments", &call.input());
    function.end();
    let extra = call.call.extra.0.iter().find(|(key, _)| key == EXTRA_CONTENT);
    if let Some((key, value)) = extra.filter(|_| prompt.options.dialect == ChatDialect::Google) {
        written.raw(key, value.as_str());
    }
    written.end();
}

fn user_content(prompt: &Prompt<'_>, out: &mut String, parts: &[Part<'_>], mark: Option<&str>) {
    let texts = user_texts(parts);
    if texts.len() == parts.len() {
        return text(out, &joined(&texts, BETWEEN), mark);
    }
    let last = parts.len().saturating_sub(1);
    array(out, parts.iter().enumerate(), |out, (at, part)| {
        let mark = mark.filter(|_| at == last);
        match part {
            Part::Text(text) => text_block(out, "text", text, mark),
            Part::Media(part) => media(prompt, out, part, mark),
        }
    });
}

fn media(prompt: &Prompt<'_>, out: &mut String, part: &ContentPart, mark: Option<&str>) {
    let url = part.source.as_ref().and_then(media_url);
    let Some(url) = url.filter(|url| takes(prompt.options.dialect, part, url)) else {
        return text_block(out, "text", &media_note(part), mark);
    };
    let mut block = Object::new(out);
    if part.kind == "document" {
        block.text("type", "file");
        let mut file = Object::new(block.key("file"));
        file.text("filename", PDF_NAME).text("file_data", &url);
        file.end();
    } else {
        block.text("type", "image_url");
        let mut image = Object::new(block.key("image_url"));
        image.text("url", &url);
        image.end();
    }
    if let Some(mark) = mark {
        block.raw("cache_control", mark);
    }
    block.end();
}

/// PDFs are taken by two, one of which fetches them too; others refuse the whole request.
fn takes(dialect: ChatDialect, part: &ContentPart, url: &str) -> bool {
    let is_pdf = part.source.as_ref().is_some_and(|source| source.media_type == PDF);
    match (part.kind.as_str(), dialect) {
        ("image" | "video", _) => true,
        ("document", ChatDialect::OpenAi) => is_pdf && url.starts_with("data:"),
        ("document", ChatDialect::OpenRouter) => is_pdf,
        _ => false,
    }
}
