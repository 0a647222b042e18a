//! OpenAI chat completions, outgoing.

use crate::json::scan::joined;
use crate::json::writer::{Object, array};
use crate::message::{ContentPart, Message};
use crate::providers::facts::{ReasoningBack, TokensField};
use crate::providers::provider_fields::{EXTRA_CONTENT, REASONING_DETAILS};
use crate::providers::request::ToolChoice;
use crate::providers::request::fragments::{
    BETWEEN, UNSIGNED, extra_field, number, of_kind, push_string, reasoning, text_block,
};
use crate::providers::request::media::File;
use crate::providers::request::parts::{FormatWriter, RequestParts};
use crate::providers::request::project::{agent_texts, recorded};
use crate::providers::request::supported_media;
use crate::providers::request::{CallResult, Group, Part, WireCall, effort};

/// The kind of a file is read off its name too, which no message has.
const PDF_NAME: &str = "document.pdf";

/// What an assistant says where it has to say something between the results of tools and a person.
const HEARD: &str = "OK.";

pub(in crate::providers) static WRITER: FormatWriter =
    FormatWriter { head, list: "messages", lead: Some(system), group };

fn head(prompt: &RequestParts<'_>, body: &mut Object<'_>) {
    let (options, facts) = (prompt.options, &prompt.options.facts);
    body.text("model", &options.model);
    if let Some(max_tokens) = prompt.max_tokens() {
        let name = match facts.max_tokens_field {
            Some(TokensField::MaxCompletionTokens) => "max_completion_tokens",
            Some(TokensField::MaxTokens) | None => "max_tokens",
        };
        body.raw(name, &max_tokens.to_string());
    }
    if options.stream {
        body.raw("stream", "true");
        if facts.stream_options != Some(false) {
            body.raw("stream_options", r#"{"include_usage":true}"#);
        }
    }
    let sampling = prompt.sampling();
    for (key, value) in [("temperature", sampling.temperature), ("top_p", sampling.top_p)] {
        if let Some(value) = value {
            body.raw(key, &number(value));
        }
    }
    if let Some(seed) = sampling.seed {
        body.raw(facts.seed_field.as_deref().unwrap_or("seed"), &seed.to_string());
    }
    if !sampling.stop.is_empty() {
        array(body.key("stop"), sampling.stop, push_string);
    }
    effort::openai_chat(prompt, body);
    if let Some(answer) = &options.answer {
        let mut format = Object::new(body.key("response_format"));
        format.text("type", "json_schema");
        let mut schema = Object::new(format.key("json_schema"));
        answer.write_named(&mut schema);
        schema.end();
        format.end();
    }
    if facts.reasoning_back == Some(ReasoningBack::Never) && options.echo_reasoning {
        prompt.leave_out("reasoning", "does not take its earlier reasoning back");
    }
    if !prompt.takes_tools() {
        return;
    }
    match prompt.tool_choice() {
        None => {}
        Some(ToolChoice::Auto) => drop(body.text("tool_choice", "auto")),
        Some(ToolChoice::None) => drop(body.text("tool_choice", "none")),
        Some(ToolChoice::Required) => drop(body.text("tool_choice", "required")),
        Some(ToolChoice::Tool(name)) => {
            let mut choice = Object::new(body.key("tool_choice"));
            choice.text("type", "function");
            let mut function = Object::new(choice.key("function"));
            function.text("name", &prompt.names.on_wire(&name));
            function.end();
            choice.end();
        }
    }
    if let Some(parallel) = prompt.parallel() {
        body.raw("parallel_tool_calls", if parallel { "true" } else { "false" });
    }
    array(body.key("tools"), prompt.tools, |out, tool| {
        let mut written = Object::new(out);
        written.text("type", "function");
        let mut function = Object::new(written.key("function"));
        prompt.describe_tool(tool, "parameters", &mut function);
        function.end();
        written.end();
    });
}

/// The system prompt is the first message of the list.
fn system(prompt: &RequestParts<'_>, out: &mut String) {
    if prompt.system.trim().is_empty() {
        return;
    }
    let mut message = Object::new(out);
    message.text("role", "system");
    text(message.key("content"), prompt.system, mark(prompt));
    message.end();
}

fn mark(prompt: &RequestParts<'_>) -> Option<&'static str> {
    prompt.cache_mark().filter(|_| prompt.options.facts.cache_marks == Some(true))
}

/// Content as plain text, or as a block where a mark has to be put.
fn text(out: &mut String, text: &str, mark: Option<&str>) {
    match mark {
        Some(_) => array(out, [text], |out, text| text_block(out, "text", text, mark)),
        None => push_string(out, text),
    }
}

fn group(prompt: &RequestParts<'_>, group: &Group<'_>, last: bool, out: &mut String) {
    let mark = mark(prompt).filter(|_| last);
    // Of a model without tools its calls in the record are told as text.
    let has_tools = prompt.options.facts.tools != Some(false);
    match group {
        Group::User { answers, parts } => {
            let (results, texts) =
                if has_tools { (answers.as_slice(), Vec::new()) } else { (&[][..], results(answers)) };
            for (at, answer) in results.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                let mut message = Object::new(out);
                message.text("role", "tool").text("tool_call_id", &answer.id);
                let ends = recorded(parts) == 0 && at + 1 == results.len();
                // Nothing but text may stand there.
                for part in answer.parts().unwrap_or_default() {
                    if part.source.is_some() {
                        prompt.left_out_of_result(&part);
                    }
                }
                text(message.key("content"), &answer.text(), mark.filter(|_| ends));
                message.end();
            }
            let all: Vec<Part<'_>> =
                texts.iter().map(|text| Part::Text(text)).chain(parts.iter().cloned()).collect();
            if all.is_empty() {
                return;
            }
            if !results.is_empty() {
                out.push(',');
                if prompt.options.facts.user_behind_tool == Some(false) {
                    let mut between = Object::new(out);
                    between.text("role", "assistant").text("content", HEARD);
                    between.end();
                    out.push(',');
                }
            }
            let mut message = Object::new(out);
            message.text("role", "user");
            user_content(prompt, message.key("content"), &all, mark);
            message.end();
        }
        Group::Agent { messages, calls } => {
            let mut message = Object::new(out);
            message.text("role", "assistant");
            let mut content = joined(&agent_texts(messages), BETWEEN);
            if !has_tools {
                for call in calls {
                    let name = &call.call.tool_name;
                    content.push_str(&format!(
                        "{}[Used {name}: {}]",
                        if content.is_empty() { "" } else { BETWEEN },
                        call.input()
                    ));
                }
            }
            if !content.is_empty() {
                text(message.key("content"), &content, mark.filter(|_| calls.is_empty()));
            } else if prompt.options.facts.null_content == Some(false) {
                message.text("content", "");
            } else {
                message.raw("content", "null");
            }
            thoughts(prompt, messages, !calls.is_empty(), &mut message);
            if !calls.is_empty() && has_tools {
                array(message.key("tool_calls"), calls.iter().enumerate(), |out, (at, call)| {
                    write_call(prompt, call, at == 0, out);
                });
            }
            message.end();
        }
    }
}

/// Results as text.
fn results(answers: &[CallResult<'_>]) -> Vec<String> {
    answers.iter().map(|answer| format!("[Result of {}: {}]", answer.call.tool_name, answer.text())).collect()
}

/// The thoughts that led to an answer, where they go back.
fn thoughts(prompt: &RequestParts<'_>, messages: &[&Message], has_calls: bool, message: &mut Object<'_>) {
    let (options, back) = (prompt.options, prompt.options.facts.reasoning_back);
    let echoes = options.echo_reasoning;
    // Only OpenRouter gives them, so where nothing is known of the host it stands behind that.
    let asked = echoes || options.is_told_to_think();
    if asked && matches!(back, Some(ReasoningBack::Details) | None)
        || back == Some(ReasoningBack::DetailsAlways)
    {
        let mut details = Vec::new();
        for message in messages {
            if let Some(extra_field) = extra_field(message, REASONING_DETAILS) {
                details.append(&mut of_kind(
                    extra_field,
                    &["reasoning.text", "reasoning.summary", "reasoning.encrypted"],
                ));
            }
        }
        if !details.is_empty() {
            array(message.key(REASONING_DETAILS), details, |out, item| out.push_str(item));
            return;
        }
    }
    let needed = has_calls && back == Some(ReasoningBack::Calls) && options.thinks_by_itself();
    if !(needed || echoes && back != Some(ReasoningBack::Never)) {
        return;
    }
    match reasoning(messages) {
        Some(text) => drop(message.text("reasoning_content", &text)),
        // Of an answer of another model there is none, and an empty one counts as none.
        None if needed => drop(message.text("reasoning_content", " ")),
        None => {}
    }
}

fn write_call(prompt: &RequestParts<'_>, call: &WireCall<'_>, first: bool, out: &mut String) {
    let mut written = Object::new(out);
    written.text("id", &call.id).text("type", "function");
    let mut function = Object::new(written.key("function"));
    function.text("name", &prompt.names.on_wire(&call.call.tool_name)).text("arguments", &prompt.input(call));
    function.end();
    let facts = &prompt.options.facts;
    if facts.extra_content == Some(true) {
        match call.call.extra.0.iter().find(|(key, _)| key == EXTRA_CONTENT) {
            Some((key, value)) => drop(written.raw(key, value.as_str())),
            None if first && facts.signed_calls == Some(true) => {
                let signature = format!(r#"{{"google":{{"thought_signature":"{UNSIGNED}"}}}}"#);
                written.raw(EXTRA_CONTENT, &signature);
            }
            None => {}
        }
    }
    written.end();
}

/// A part in the form that it is sent in.
enum Sent<'a> {
    Text(std::borrow::Cow<'a, str>),
    File { kind: &'static str, file: File<'a> },
}

fn user_content(prompt: &RequestParts<'_>, out: &mut String, parts: &[Part<'_>], mark: Option<&str>) {
    let mut sent = Vec::new();
    for part in parts {
        sent.push(match part {
            Part::Text(text) | Part::Passing(text) => Sent::Text((*text).into()),
            Part::Media(part) => media(prompt, part),
        });
    }
    let mut texts = Vec::new();
    for part in &sent {
        match part {
            Sent::Text(text) => texts.push(text.as_ref()),
            Sent::File { .. } => {}
        }
    }
    let recorded = recorded(parts);
    if texts.len() == sent.len() && (mark.is_none() || recorded == sent.len() || recorded == 0) {
        return text(out, &joined(&texts, BETWEEN), mark.filter(|_| recorded > 0));
    }
    array(out, sent.iter().enumerate(), |out, (at, part)| {
        let mark = mark.filter(|_| at + 1 == recorded);
        match part {
            Sent::Text(text) => text_block(out, "text", text, mark),
            Sent::File { kind, file } => write_file(out, kind, file, mark),
        }
    });
}

fn media<'a>(prompt: &RequestParts<'_>, part: &'a ContentPart) -> Sent<'a> {
    let Some(file) = File::of(part) else { return Sent::Text(prompt.left_out(part).into()) };
    if let Some(text) = file.text() {
        return Sent::Text(text.into());
    }
    match supported_media::openai_chat(&file, &prompt.options.facts) {
        Some(kind) => Sent::File { kind, file },
        None => Sent::Text(prompt.left_out(part).into()),
    }
}

fn write_file(out: &mut String, kind: &str, file: &File<'_>, mark: Option<&str>) {
    let mut block = Object::new(out);
    block.text("type", kind);
    let mut inner = Object::new(block.key(kind));
    if kind == "file" {
        inner.text("filename", PDF_NAME).text("file_data", &file.url());
    } else {
        inner.text("url", &file.url());
    }
    inner.end();
    if let Some(mark) = mark {
        block.raw("cache_control", mark);
    }
    block.end();
}
