//! OpenAI Responses, outgoing. Nothing is stored at the provider: each request carries its whole context.

use crate::json_write::{Object, array};
use crate::message::ContentPart;
use crate::providers::openai_responses::REASONING_ITEMS;
use crate::providers::request::project::agent_texts;
use crate::providers::request::{
    BETWEEN, Group, PDF, PDF_NAME, Part, Prompt, Writer, media_note, media_url, number, of_kind, schema,
    text_block, thinking,
};
use crate::scan::joined;

pub(super) static WRITER: Writer = Writer { head, list: "input", lead: None, group };

fn head(prompt: &Prompt<'_>, body: &mut Object<'_>) {
    let options = prompt.options;
    body.text("model", &options.model);
    if !prompt.system.is_empty() {
        body.text("instructions", prompt.system);
    }
    if let Some(max_tokens) = options.max_tokens {
        body.raw("max_output_tokens", &max_tokens.to_string());
    }
    if options.stream {
        body.raw("stream", "true");
    }
    body.raw("store", "false");
    if let Some(temperature) = options.temperature {
        body.raw("temperature", &number(temperature));
    }
    if options.echo_reasoning {
        body.raw("include", r#"["reasoning.encrypted_content"]"#);
    }
    thinking::openai_responses(options, body);
    if prompt.tools.is_empty() {
        return;
    }
    array(body.key("tools"), prompt.tools, |out, tool| {
        let mut written = Object::new(out);
        written.text("type", "function").text("name", &prompt.names.on_wire(&tool.name));
        written.text("description", &tool.description);
        schema(tool, written.key("parameters"));
        written.raw("strict", "false");
        written.end();
    });
}

fn group(prompt: &Prompt<'_>, group: &Group<'_>, _last: bool, out: &mut String) {
    let mut items = Items { out, comma: "" };
    match group {
        Group::User { answers, parts } => {
            for answer in answers {
                let mut item = items.next();
                item.text("type", "function_call_output").text("call_id", &answer.id);
                item.text("output", &answer.text());
                item.end();
            }
            if !parts.is_empty() {
                let mut item = items.next();
                item.text("type", "message").text("role", "user");
                array(item.key("content"), parts, |out, part| match part {
                    Part::Text(text) => text_block(out, "input_text", text, None),
                    Part::Media(part) => media(out, part),
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
                    .map_or(Vec::new(), |kept| of_kind(kept, &["reasoning"]))
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
                    item.text("arguments", &call.input());
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

fn media(out: &mut String, part: &ContentPart) {
    let source = part.source.as_ref();
    let Some((source, url)) = source.and_then(|source| Some((source, media_url(source)?))) else {
        return text_block(out, "input_text", &media_note(part), None);
    };
    let mut block = Object::new(out);
    match part.kind.as_str() {
        "image" => {
            block.text("type", "input_image").text("image_url", &url);
        }
        "document" if source.kind == "base64" => {
            let name = if source.media_type == PDF { PDF_NAME } else { "document" };
            block.text("type", "input_file").text("filename", name).text("file_data", &url);
        }
        "document" => {
            block.text("type", "input_file").text("file_url", &url);
        }
        _ => {
            block.text("type", "input_text").text("text", &media_note(part));
        }
    }
    block.end();
}
