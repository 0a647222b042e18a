//! OpenAI Responses, outgoing. Nothing is stored at the provider: each request carries its whole context.

use crate::json::scan::joined;
use crate::json::writer::{Object, array};
use crate::message::ContentPart;
use crate::providers::facts::ThinkingForm;
use crate::providers::provider_fields::REASONING_ITEMS;
use crate::providers::request::ToolChoice;
use crate::providers::request::fragments::{BETWEEN, number, of_kind, text_block};
use crate::providers::request::media::{File, Kind};
use crate::providers::request::parts::{FormatWriter, RequestParts};
use crate::providers::request::project::agent_texts;
use crate::providers::request::supported_media::{ending, openai_responses};
use crate::providers::request::{Group, Part, effort};

/// No answer can be bounded further.
const SHORTEST: u32 = 16;

pub(in crate::providers) static WRITER: FormatWriter =
    FormatWriter { head, list: "input", lead: None, group };

fn head(prompt: &RequestParts<'_>, body: &mut Object<'_>) {
    let options = prompt.options;
    body.text("model", &options.model);
    if !prompt.system.trim().is_empty() {
        body.text("instructions", prompt.system);
    }
    if let Some(max_tokens) = prompt.max_tokens() {
        if max_tokens < SHORTEST {
            prompt.changed("maxTokens", &max_tokens.to_string(), &SHORTEST.to_string());
        }
        body.raw("max_output_tokens", &max_tokens.max(SHORTEST).to_string());
    }
    if options.stream {
        body.raw("stream", "true");
    }
    body.raw("store", "false");
    let sampling = prompt.sampling();
    for (key, value) in [("temperature", sampling.temperature), ("top_p", sampling.top_p)] {
        if let Some(value) = value {
            body.raw(key, &number(value));
        }
    }
    // A model that does not reason has none, and refuses to be asked for it.
    if (options.echo_reasoning || options.wants_back(prompt.format, false))
        && effort::form(prompt) != ThinkingForm::None
    {
        body.raw("include", r#"["reasoning.encrypted_content"]"#);
    }
    effort::openai_responses(prompt, body);
    if let Some(answer) = &options.answer {
        let mut text = Object::new(body.key("text"));
        let mut format = Object::new(text.key("format"));
        format.text("type", "json_schema");
        answer.write_named(&mut format);
        format.end();
        text.end();
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
            choice.text("type", "function").text("name", &prompt.names.on_wire(&name));
            choice.end();
        }
    }
    if let Some(parallel) = prompt.parallel() {
        body.raw("parallel_tool_calls", if parallel { "true" } else { "false" });
    }
    array(body.key("tools"), prompt.tools, |out, tool| {
        let mut written = Object::new(out);
        written.text("type", "function");
        prompt.describe_tool(tool, "parameters", &mut written);
        written.raw("strict", "false");
        written.end();
    });
}

fn group(prompt: &RequestParts<'_>, group: &Group<'_>, _last: bool, out: &mut String) {
    let mut items = Items { out, comma: "" };
    match group {
        Group::User { answers, parts } => {
            for answer in answers {
                let mut item = items.next();
                item.text("type", "function_call_output").text("call_id", &answer.id);
                match answer.parts() {
                    None => drop(item.text("output", &answer.text())),
                    Some(parts) => array(item.key("output"), &parts, |out, part| match &part.text {
                        Some(text) if part.source.is_none() => text_block(out, "input_text", text, None),
                        _ => media(prompt, out, part),
                    }),
                }
                item.end();
            }
            if !parts.is_empty() {
                let mut item = items.next();
                item.text("type", "message").text("role", "user");
                array(item.key("content"), parts, |out, part| match part {
                    Part::Text(text) | Part::Passing(text) => text_block(out, "input_text", text, None),
                    Part::Media(part) => media(prompt, out, part),
                });
                item.end();
            }
        }
        Group::Agent { messages, calls } => {
            let mut calls = calls.iter();
            // Of neighbours each has its own: a thought without what it led to is refused.
            for message in messages {
                for item in prompt
                    .echoed(message, REASONING_ITEMS)
                    .map_or(Vec::new(), |extra_field| of_kind(extra_field, &["reasoning"]))
                {
                    items.raw(item);
                }
                let text = joined(&agent_texts(&[message]), BETWEEN);
                if !text.is_empty() {
                    let mut item = items.next();
                    item.text("type", "message").text("role", "assistant");
                    array(item.key("content"), [text.as_str()], |out, text| {
                        text_block(out, "output_text", text, None);
                    });
                    item.end();
                }
                for call in calls.by_ref().take(message.calls().len()) {
                    let mut item = items.next();
                    item.text("type", "function_call").text("call_id", &call.id);
                    item.text("name", &prompt.names.on_wire(&call.call.tool_name));
                    item.text("arguments", &prompt.input(call));
                    item.end();
                }
            }
        }
    }
}

/// Items of the list, with commas between.
struct Items<'o> {
    out: &'o mut String,
    comma: &'static str,
}

impl Items<'_> {
    fn raw(&mut self, json: &str) {
        self.out.push_str(std::mem::replace(&mut self.comma, ","));
        self.out.push_str(json);
    }

    fn next(&mut self) -> Object<'_> {
        self.raw("");
        Object::new(self.out)
    }
}

fn media(prompt: &RequestParts<'_>, out: &mut String, part: &ContentPart) {
    let file = File::of(part);
    if let Some(text) = file.as_ref().and_then(File::text) {
        return text_block(out, "input_text", &text, None);
    }
    let facts = &prompt.options.facts;
    let taken = file.as_ref().and_then(|file| Some((file, openai_responses(file, facts)?)));
    let Some((file, kind)) = taken else {
        return text_block(out, "input_text", &prompt.left_out(part), None);
    };
    let mut block = Object::new(out);
    block.text("type", kind);
    match ending(file).filter(|_| file.data().is_some()) {
        _ if file.kind == Kind::Picture => block.text("image_url", &file.url()),
        Some(ending) => block.text("filename", &format!("document.{ending}")).text("file_data", &file.url()),
        None => block.text("file_url", &file.url()),
    };
    block.end();
}
