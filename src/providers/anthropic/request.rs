//! Anthropic Messages, outgoing.

use std::borrow::Cow;

use crate::json::codec::from_text;
use crate::json::writer::{Object, array, string};
use crate::message::{ContentPart, Message};
use crate::providers::provider_fields::{THINKING_BLOCKS, THINKING_PLACES};
use crate::providers::request::ToolChoice;
use crate::providers::request::fragments::{extra_field, number, of_kind, text_block};
use crate::providers::request::media::{File, Place};
use crate::providers::request::parts::{FormatWriter, RequestParts};
use crate::providers::request::project::{agent_texts, recorded};
use crate::providers::request::supported_media;
use crate::providers::request::{Group, Part, WireCall, effort};

const DEFAULT_MAX_TOKENS: u32 = 8192;

const THOUGHTS: [&str; 2] = ["thinking", "redacted_thinking"];

pub(in crate::providers) static WRITER: FormatWriter =
    FormatWriter { head, list: "messages", lead: None, group };

fn head(prompt: &RequestParts<'_>, body: &mut Object<'_>) {
    let options = prompt.options;
    body.text("model", &options.model);
    effort::anthropic(prompt, prompt.max_tokens().unwrap_or(DEFAULT_MAX_TOKENS), body);
    if options.stream {
        body.raw("stream", "true");
    }
    let sampling = prompt.sampling();
    for (key, value) in [("temperature", sampling.temperature), ("top_p", sampling.top_p)] {
        if let Some(value) = value {
            body.raw(key, &number(value));
        }
    }
    if !sampling.stop.is_empty() {
        array(body.key("stop_sequences"), sampling.stop, string);
    }
    let mark = prompt.cache_mark();
    match mark {
        _ if prompt.system.trim().is_empty() => {}
        Some(_) => {
            array(body.key("system"), [prompt.system], |out, text| text_block(out, "text", text, mark));
        }
        None => {
            body.text("system", prompt.system);
        }
    }
    if !prompt.takes_tools() {
        return;
    }
    tool_choice(prompt, body);
    // The system prompt comes behind the tools, so its mark covers them too.
    let marked = mark.filter(|_| prompt.system.trim().is_empty());
    let last = prompt.tools.len().saturating_sub(1);
    array(body.key("tools"), prompt.tools.iter().enumerate(), |out, (at, tool)| {
        let mut written = Object::new(out);
        prompt.describe_tool(tool, "input_schema", &mut written);
        if let Some(mark) = marked.filter(|_| at == last) {
            written.raw("cache_control", mark);
        }
        written.end();
    });
}

fn tool_choice(prompt: &RequestParts<'_>, body: &mut Object<'_>) {
    let (choice, parallel) = (prompt.tool_choice(), prompt.parallel());
    let Some(choice) = choice.or(parallel.map(|_| ToolChoice::Auto)) else { return };
    let mut written = Object::new(body.key("tool_choice"));
    match &choice {
        ToolChoice::Auto => written.text("type", "auto"),
        ToolChoice::None => written.text("type", "none"),
        ToolChoice::Required => written.text("type", "any"),
        ToolChoice::Tool(name) => written.text("type", "tool").text("name", &prompt.names.on_wire(name)),
    };
    if let Some(parallel) = parallel.filter(|_| choice != ToolChoice::None) {
        written.raw("disable_parallel_tool_use", if parallel { "false" } else { "true" });
    }
    written.end();
}

fn group(prompt: &RequestParts<'_>, group: &Group<'_>, last: bool, out: &mut String) {
    let mark = prompt.cache_mark().filter(|_| last);
    let mut message = Object::new(out);
    match group {
        Group::User { answers, parts } => {
            message.text("role", "user");
            let marked = answers.len() + recorded(parts);
            let mark_at = |at: usize| mark.filter(|_| at + 1 == marked);
            let all = (0..answers.len()).map(Ok).chain((0..parts.len()).map(Err));
            array(message.key("content"), all.enumerate(), |out, (at, which)| match which {
                Ok(answer) => {
                    let Some(answer) = answers.get(answer) else { return };
                    let mut block = Object::new(out);
                    block.text("type", "tool_result").text("tool_use_id", &answer.id);
                    match answer.parts() {
                        None => drop(block.text("content", &answer.text())),
                        Some(parts) => array(block.key("content"), &parts, |out, part| match &part.text {
                            Some(text) if part.source.is_none() => text_block(out, "text", text, None),
                            _ => media(prompt, out, part, None),
                        }),
                    }
                    if answer.is_error() {
                        block.raw("is_error", "true");
                    }
                    if let Some(mark) = mark_at(at) {
                        block.raw("cache_control", mark);
                    }
                    block.end();
                }
                Err(part) => match parts.get(part) {
                    Some(Part::Text(text) | Part::Passing(text)) => {
                        text_block(out, "text", text, mark_at(at));
                    }
                    Some(Part::Media(part)) => media(prompt, out, part, mark_at(at)),
                    None => {}
                },
            });
        }
        Group::Agent { messages, calls } => {
            message.text("role", "assistant");
            let mut blocks = turn(prompt, messages, calls);
            if let Some(Block::Text(text)) = blocks.last_mut().filter(|_| last) {
                // A request may not end in an assistant's trailing space.
                *text = Cow::Owned(text.trim_end().to_owned());
            }
            let end = blocks.len().saturating_sub(1);
            array(message.key("content"), blocks.iter().enumerate(), |out, (at, block)| {
                write(prompt, out, block, mark.filter(|_| at == end));
            });
        }
    }
    message.end();
}

/// A piece of an assistant's turn.
enum Block<'a> {
    Thought(&'a str),
    Text(Cow<'a, str>),
    Call(&'a WireCall<'a>),
}

/// What an assistant said, thought and called, each thought where it stood.
fn turn<'a>(
    prompt: &RequestParts<'_>,
    messages: &[&'a Message],
    calls: &'a [WireCall<'a>],
) -> Vec<Block<'a>> {
    let mut blocks = Vec::new();
    let (mut written, mut before) = (0, 0);
    let mut until = |blocks: &mut Vec<Block<'a>>, count: usize| {
        for call in calls.get(written..count.min(calls.len())).unwrap_or_default() {
            blocks.push(Block::Call(call));
        }
        written = written.max(count);
    };
    for message in messages {
        let thoughts = match prompt.echoed(message, THINKING_BLOCKS) {
            Some(extra_field) => of_kind(extra_field, &THOUGHTS),
            None => Vec::new(),
        };
        let texts = agent_texts(&[message]);
        // Of a text that was put together from others nobody knows where in it a thought stood.
        let whole = texts == [message.text.as_str()];
        let places = places(message).filter(|places| whole && places.len() == thoughts.len());
        let mut rest = if whole { message.text.as_str() } else { "" };
        let length = message.text.len();
        for (at, thought) in thoughts.into_iter().enumerate() {
            let place = places.as_ref().and_then(|places| places.get(at));
            if let Some((text, called)) = place.map(|place| (place.0, place.1)) {
                let cut = (length.min(text) + rest.len()).saturating_sub(length);
                if let Some((piece, behind)) = rest.split_at_checked(cut) {
                    push_text(&mut blocks, piece);
                    rest = behind;
                }
                if called > 0 {
                    until(&mut blocks, before + called);
                }
            }
            blocks.push(Block::Thought(thought));
        }
        if whole {
            push_text(&mut blocks, rest);
        } else {
            texts.iter().for_each(|text| push_text(&mut blocks, text));
        }
        before += message.calls().len();
    }
    until(&mut blocks, calls.len());
    // A turn does not end with a thought.
    if let Some(end) = blocks.len().checked_sub(1)
        && let Some(other) = blocks.iter().rposition(|block| !matches!(block, Block::Thought(_)))
    {
        let moved = blocks.remove(other);
        blocks.insert(end, moved);
    }
    blocks
}

fn push_text<'a>(blocks: &mut Vec<Block<'a>>, text: &'a str) {
    if !text.trim().is_empty() {
        blocks.push(Block::Text(Cow::Borrowed(text)));
    }
}

/// Where the thoughts of an answer stood: how much of its text, in bytes, and how many of its calls came before each.
fn places(message: &Message) -> Option<Vec<(usize, usize)>> {
    let extra_field = extra_field(message, THINKING_PLACES)?;
    let places: Vec<Vec<usize>> = from_text(extra_field).ok()?;
    places.into_iter().map(|place| Some((*place.first()?, *place.get(1)?))).collect()
}

/// Whether an answer has thoughts, and in front.
pub(in crate::providers) fn begins_with_thoughts(message: &Message) -> bool {
    let first = places(message).and_then(|places| places.first().copied());
    first.is_none_or(|place| place == (0, 0))
        && extra_field(message, THINKING_BLOCKS)
            .is_some_and(|extra_field| !of_kind(extra_field, &THOUGHTS).is_empty())
}

fn write(prompt: &RequestParts<'_>, out: &mut String, block: &Block<'_>, mark: Option<&str>) {
    match block {
        Block::Thought(thought) => out.push_str(thought),
        Block::Text(text) => text_block(out, "text", text, mark),
        Block::Call(call) => {
            let mut block = Object::new(out);
            block.text("type", "tool_use").text("id", &call.id);
            block.text("name", &prompt.names.on_wire(&call.call.tool_name)).raw("input", &prompt.input(call));
            if let Some(mark) = mark {
                block.raw("cache_control", mark);
            }
            block.end();
        }
    }
}

fn media(prompt: &RequestParts<'_>, out: &mut String, part: &ContentPart, mark: Option<&str>) {
    let file = File::of(part);
    let text = file.as_ref().and_then(File::text);
    let facts = &prompt.options.facts;
    let taken =
        file.as_ref().and_then(|file| Some((file, supported_media::anthropic(file, facts, text.is_some())?)));
    let Some((file, kind)) = taken else {
        let text = text.unwrap_or_else(|| prompt.left_out(part));
        return text_block(out, "text", &text, mark);
    };
    let mut block = Object::new(out);
    block.text("type", kind);
    let mut source = Object::new(block.key("source"));
    match (&file.place, text) {
        (_, Some(text)) => source.text("type", "text").text("media_type", "text/plain").text("data", &text),
        (Place::Data(data), None) => {
            source.text("type", "base64").text("media_type", &file.media_type).text("data", data)
        }
        (Place::Address(url), None) => source.text("type", "url").text("url", url),
    };
    source.end();
    if let Some(mark) = mark {
        block.raw("cache_control", mark);
    }
    block.end();
}
