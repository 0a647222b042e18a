//! Gemini `generateContent`, outgoing. The model is part of the address, not of the body.

use crate::json::writer::{Object, array, string};
use crate::message::{ContentPart, ToolCall};
use crate::providers::provider_fields::THOUGHT_SIGNATURE;
use crate::providers::request::Thinking;
use crate::providers::request::ToolChoice;
use crate::providers::request::fragments::{UNSIGNED, number};
use crate::providers::request::media::{File, Place};
use crate::providers::request::parts::{FormatWriter, RequestParts};
use crate::providers::request::project::agent_texts;
use crate::providers::request::supported_media;
use crate::providers::request::{CallResult, Group, Part, WireCall, effort};

pub(in crate::providers) static WRITER: FormatWriter =
    FormatWriter { head, list: "contents", lead: None, group };

fn head(prompt: &RequestParts<'_>, body: &mut Object<'_>) {
    let options = prompt.options;
    if !prompt.system.trim().is_empty() {
        let mut system = Object::new(body.key("systemInstruction"));
        array(system.key("parts"), [prompt.system], text);
        system.end();
    }
    if prompt.takes_tools() {
        array(body.key("tools"), [prompt.tools], |out, tools| {
            let mut written = Object::new(out);
            array(written.key("functionDeclarations"), tools, |out, tool| {
                let mut declared = Object::new(out);
                prompt.describe_tool(tool, "parametersJsonSchema", &mut declared);
                declared.end();
            });
            written.end();
        });
    }
    tool_choice(prompt, body);
    let sampling = prompt.sampling();
    if options.max_tokens.is_none()
        && sampling.temperature.is_none()
        && sampling.top_p.is_none()
        && sampling.seed.is_none()
        && sampling.stop.is_empty()
        && options.thinking == Thinking::default()
        && options.answer.is_none()
    {
        return;
    }
    let mut config = Object::new(body.key("generationConfig"));
    if let Some(max_tokens) = prompt.max_tokens() {
        config.raw("maxOutputTokens", &max_tokens.to_string());
    }
    for (key, value) in [("temperature", sampling.temperature), ("topP", sampling.top_p)] {
        if let Some(value) = value {
            config.raw(key, &number(value));
        }
    }
    if let Some(seed) = sampling.seed {
        config.raw("seed", &seed.to_string());
    }
    if !sampling.stop.is_empty() {
        array(config.key("stopSequences"), sampling.stop, string);
    }
    if options.thinking != Thinking::default() {
        effort::gemini(prompt, &mut config);
    }
    if let Some(answer) = &options.answer {
        config.text("responseMimeType", "application/json").raw("responseJsonSchema", &answer.schema);
    }
    config.end();
}

fn tool_choice(prompt: &RequestParts<'_>, body: &mut Object<'_>) {
    if prompt.tools.is_empty() || prompt.options.facts.tools == Some(false) {
        return;
    }
    // It always may make several calls at once.
    prompt.parallel();
    let Some(choice) = prompt.tool_choice() else { return };
    let mut config = Object::new(body.key("toolConfig"));
    let mut calling = Object::new(config.key("functionCallingConfig"));
    match choice {
        ToolChoice::Auto => drop(calling.text("mode", "AUTO")),
        ToolChoice::None => drop(calling.text("mode", "NONE")),
        ToolChoice::Required => drop(calling.text("mode", "ANY")),
        ToolChoice::Tool(name) => {
            calling.text("mode", "ANY");
            array(calling.key("allowedFunctionNames"), [prompt.names.on_wire(&name)], |out, name| {
                string(out, &name);
            });
        }
    }
    calling.end();
    config.end();
}

fn group(prompt: &RequestParts<'_>, group: &Group<'_>, _last: bool, out: &mut String) {
    let mut content = Object::new(out);
    match group {
        Group::User { answers, parts } => {
            content.text("role", "user");
            let list = content.key("parts");
            list.push('[');
            let mut comma = "";
            for answer in answers {
                list.push_str(std::mem::replace(&mut comma, ","));
                response(prompt, answer, list);
            }
            // Models before Gemini 3 take none inside of a result.
            for part in answers.iter().filter_map(CallResult::parts).flatten() {
                if part.source.is_some() {
                    list.push_str(std::mem::replace(&mut comma, ","));
                    media(prompt, list, &part);
                }
            }
            for part in parts {
                list.push_str(std::mem::replace(&mut comma, ","));
                match part {
                    Part::Text(content) | Part::Passing(content) => text(list, content),
                    Part::Media(part) => media(prompt, list, part),
                }
            }
            list.push(']');
        }
        Group::Agent { messages, calls } => {
            content.text("role", "model");
            let list = content.key("parts");
            list.push('[');
            let mut comma = "";
            for content in agent_texts(messages) {
                list.push_str(std::mem::replace(&mut comma, ","));
                text(list, content);
            }
            for (at, call) in calls.iter().enumerate() {
                list.push_str(std::mem::replace(&mut comma, ","));
                write_call(prompt, call, at == 0, list);
            }
            list.push(']');
        }
    }
    content.end();
}

fn text(out: &mut String, content: &str) {
    out.push_str(r#"{"text":"#);
    string(out, content);
    out.push('}');
}

fn write_call(prompt: &RequestParts<'_>, call: &WireCall<'_>, first: bool, out: &mut String) {
    let mut part = Object::new(out);
    let mut written = Object::new(part.key("functionCall"));
    if is_given(&call.id, call.call) {
        written.text("id", &call.id);
    }
    written.text("name", &prompt.names.on_wire(&call.call.tool_name)).raw("args", &prompt.input(call));
    written.end();
    let kept = call.call.extra.0.iter().find(|(key, _)| key == THOUGHT_SIGNATURE);
    // A client may have put anything there.
    if let Some((_, signature)) = kept.filter(|(_, signature)| signature.as_str().starts_with('"')) {
        part.raw("thoughtSignature", signature.as_str());
    } else if first && prompt.options.facts.signed_calls == Some(true) {
        part.text("thoughtSignature", UNSIGNED);
    }
    part.end();
}

/// Whether the provider gave this id: not every one of its endpoints knows the field. Not those that runs make (`….c1`), nor those of
/// chat handlers and other providers (`call_…`, `toolu_…`), nor what stands for an id that came twice.
fn is_given(id: &str, call: &ToolCall) -> bool {
    let number = id.rsplit_once('.').and_then(|(_, end)| end.strip_prefix('c'));
    let by_run =
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    let by_others = id.starts_with("call_") || id.starts_with("toolu_");
    !id.is_empty() && id == call.id() && !by_run && !by_others
}

fn response(prompt: &RequestParts<'_>, answer: &CallResult<'_>, out: &mut String) {
    let mut part = Object::new(out);
    let mut written = Object::new(part.key("functionResponse"));
    if is_given(&answer.id, answer.call) {
        written.text("id", &answer.id);
    }
    written.text("name", &prompt.names.on_wire(&answer.call.tool_name));
    let mut response = Object::new(written.key("response"));
    response.text(if answer.is_error() { "error" } else { "output" }, &answer.text());
    response.end();
    written.end();
    part.end();
}

fn media(prompt: &RequestParts<'_>, out: &mut String, part: &ContentPart) {
    let Some(file) = File::of(part) else { return text(out, &prompt.left_out(part)) };
    if let Some(content) = file.text() {
        return text(out, &content);
    }
    if !supported_media::gemini(&file) {
        return text(out, &prompt.left_out(part));
    }
    let mut written = Object::new(out);
    match &file.place {
        Place::Data(data) => {
            let mut inline = Object::new(written.key("inlineData"));
            inline.text("mimeType", &file.media_type).text("data", data);
            inline.end();
        }
        Place::Address(url) => {
            let mut by_address = Object::new(written.key("fileData"));
            if !file.media_type.is_empty() {
                by_address.text("mimeType", &file.media_type);
            }
            by_address.text("fileUri", url);
            by_address.end();
        }
    }
    written.end();
}
