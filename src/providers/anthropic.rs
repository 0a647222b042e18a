//! Anthropic Messages, incoming: stream events and whole answers.

use std::borrow::Cow;

use crate::json::Json;
use crate::json_read::{Broken, Reader};
use crate::providers::{Mapping, errors};
use crate::stream::{Finish, TurnBuilder};

/// The message field that keeps signed thinking for the next request.
pub(crate) const THINKING_BLOCKS: &str = "thinking_blocks";

#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// Content blocks by their index in the stream.
    blocks: Vec<(u64, Block)>,
    /// Finished thinking blocks, as they are sent back.
    thinking: Vec<String>,
    tokens: Tokens,
}

#[derive(Debug)]
enum Block {
    Text,
    Thinking {
        text: String,
        signature: String,
    },
    Call {
        call: usize,
        /// What the block's beginning gave as input; real deltas come after an empty object.
        input: String,
    },
    /// Of tools that run at the provider, and of kinds to come.
    Other,
}

/// The provider's counts: its `input_tokens` leave the cached ones out.
#[derive(Debug, Default)]
struct Tokens {
    input: u64,
    cache_creation: u64,
    cache_read: u64,
}

#[derive(Default)]
struct Event<'a> {
    kind: Cow<'a, str>,
    index: u64,
    block: BlockFields<'a>,
    delta: DeltaFields<'a>,
    error: Option<&'a str>,
}

#[derive(Default)]
struct BlockFields<'a> {
    kind: Cow<'a, str>,
    id: Option<Cow<'a, str>>,
    name: Cow<'a, str>,
    text: Cow<'a, str>,
    signature: Cow<'a, str>,
    input: &'a str,
    raw: &'a str,
}

#[derive(Default)]
struct DeltaFields<'a> {
    text: Cow<'a, str>,
    thinking: Cow<'a, str>,
    signature: Cow<'a, str>,
    json: Cow<'a, str>,
    stop_reason: Option<Cow<'a, str>>,
}

impl Mapping for Stream {
    fn event(&mut self, data: &str, turn: &mut TurnBuilder) -> Result<(), Broken> {
        let mut reader = Reader::new(data);
        let mut event = Event::default();
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "type" => event.kind = reader.text()?,
                    "index" => event.index = reader.count()?.unwrap_or_default(),
                    "content_block" => event.block = block_fields(&mut reader)?,
                    "delta" => event.delta = delta_fields(&mut reader)?,
                    "message" => self.message_start(&mut reader, turn)?,
                    "usage" => self.usage(&mut reader, turn)?,
                    "error" => event.error = Some(reader.raw()?),
                    _ => reader.skip()?,
                }
            }
        }
        reader.end()?;
        match event.kind.as_ref() {
            "content_block_start" => self.block_start(event.index, &event.block, turn),
            "content_block_delta" => self.block_delta(event.index, &event.delta, turn),
            "content_block_stop" => self.block_stop(event.index, turn),
            "message_delta" => {
                if let Some(reason) = event.delta.stop_reason {
                    turn.finish_reason(finish(&reason), Some(&reason));
                }
            }
            "message_stop" => self.end(turn),
            "error" => turn.fail(errors::from_event(data)),
            _ if event.error.is_some_and(|error| error != "null") => turn.fail(errors::from_event(data)),
            _ => {}
        }
        Ok(())
    }

    fn response(&mut self, body: &str, turn: &mut TurnBuilder) -> Result<(), Broken> {
        let mut reader = Reader::new(body);
        let (mut content, mut reason, mut is_message) = (false, None, true);
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "type" => is_message = reader.string()?.as_deref() == Some("message"),
                    "content" => content = self.content(&mut reader, turn)?,
                    "stop_reason" => reason = reader.string()?,
                    "usage" => self.usage(&mut reader, turn)?,
                    _ => reader.skip()?,
                }
            }
        }
        reader.end()?;
        if !is_message || !content {
            turn.fail(errors::unexpected(body));
            return Ok(());
        }
        if let Some(reason) = reason {
            turn.finish_reason(finish(&reason), Some(&reason));
        }
        self.end(turn);
        Ok(())
    }

    fn ends_at_once(&self) -> bool {
        true
    }

    fn owns(&self, name: &str) -> bool {
        name.starts_with("message_") || name.starts_with("content_block_")
    }
}

impl Stream {
    fn content(&mut self, reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<bool, Broken> {
        if !reader.array()? {
            return Ok(false);
        }
        let mut index = 0;
        while reader.item()? {
            let block = block_fields(reader)?;
            self.block_start(index, &block, turn);
            self.block_stop(index, turn);
            index += 1;
        }
        Ok(true)
    }

    fn message_start(&mut self, reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "usage" => self.usage(reader, turn)?,
                    _ => reader.skip()?,
                }
            }
        }
        Ok(())
    }

    fn usage(&mut self, reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
        if !reader.object()? {
            return Ok(());
        }
        let usage = turn.usage();
        while let Some(key) = reader.key()? {
            match key {
                "input_tokens" => set(&mut self.tokens.input, reader)?,
                "cache_creation_input_tokens" => set(&mut self.tokens.cache_creation, reader)?,
                "cache_read_input_tokens" => set(&mut self.tokens.cache_read, reader)?,
                "output_tokens" => set(&mut usage.tokens_out, reader)?,
                "output_tokens_details" => {
                    if reader.object()? {
                        while let Some(key) = reader.key()? {
                            match key {
                                "thinking_tokens" => set(&mut usage.reasoning, reader)?,
                                _ => reader.skip()?,
                            }
                        }
                    }
                }
                _ => reader.skip()?,
            }
        }
        usage.cache_creation = self.tokens.cache_creation;
        usage.cache_read = self.tokens.cache_read;
        usage.tokens_in =
            (self.tokens.input.saturating_add(usage.cache_creation)).saturating_add(usage.cache_read);
        Ok(())
    }

    fn block_start(&mut self, index: u64, fields: &BlockFields<'_>, turn: &mut TurnBuilder) {
        // A beginning that is sent again is no further call: it would run without arguments.
        let is_open = |(at, block): &(u64, Block)| match block {
            Block::Call { call, .. } => *at == index && turn.call_id(*call) == fields.id.as_deref(),
            _ => false,
        };
        if fields.kind == "tool_use" && self.blocks.iter().any(is_open) {
            return;
        }
        let block = match fields.kind.as_ref() {
            "text" => {
                turn.text(&fields.text);
                Block::Text
            }
            "thinking" => {
                turn.reasoning(&fields.text);
                Block::Thinking {
                    text: fields.text.clone().into_owned(),
                    signature: fields.signature.clone().into_owned(),
                }
            }
            "redacted_thinking" => {
                self.thinking.push(fields.raw.to_owned());
                Block::Other
            }
            "tool_use" => {
                let call = turn.call_start(fields.id.as_deref(), &fields.name);
                Block::Call { call, input: fields.input.to_owned() }
            }
            _ => Block::Other,
        };
        self.blocks.push((index, block));
    }

    fn block_delta(&mut self, index: u64, delta: &DeltaFields<'_>, turn: &mut TurnBuilder) {
        let block = self.blocks.iter_mut().rev().find(|(at, _)| *at == index).map(|(_, block)| block);
        match block {
            // A delta whose beginning never came is taken for what it carries.
            Some(Block::Text) | None => {
                turn.text(&delta.text);
                turn.reasoning(&delta.thinking);
                turn.stray_args(&delta.json);
            }
            Some(Block::Thinking { text, signature }) => {
                text.push_str(&delta.thinking);
                signature.push_str(&delta.signature);
                turn.reasoning(&delta.thinking);
            }
            Some(Block::Call { call, .. }) => turn.call_args(*call, &delta.json),
            Some(Block::Other) => {}
        }
    }

    fn block_stop(&mut self, index: u64, turn: &mut TurnBuilder) {
        let Some(at) = self.blocks.iter().rposition(|(other, _)| *other == index) else { return };
        match self.blocks.swap_remove(at).1 {
            Block::Call { call, input } => {
                // An empty object is only where the deltas would go.
                if input.bytes().filter(|byte| !byte.is_ascii_whitespace()).count() > 2 {
                    turn.call_args_whole(call, &input);
                }
                turn.call_end(call);
            }
            // Unsigned thinking comes from look-alike servers and would be refused when sent back.
            Block::Thinking { text, signature } if !signature.is_empty() => {
                let (text, signature) = (Json::string(&text), Json::string(&signature));
                self.thinking
                    .push(format!(r#"{{"type":"thinking","thinking":{text},"signature":{signature}}}"#));
            }
            Block::Thinking { .. } | Block::Text | Block::Other => {}
        }
    }

    fn end(&mut self, turn: &mut TurnBuilder) {
        if !self.thinking.is_empty()
            && let Ok(blocks) = Json::parse(&format!("[{}]", self.thinking.join(",")))
        {
            self.thinking.clear();
            turn.extra(THINKING_BLOCKS, blocks);
        }
        turn.end();
    }
}

pub(crate) fn set(place: &mut u64, reader: &mut Reader<'_>) -> Result<(), Broken> {
    if let Some(count) = reader.count()? {
        *place = count;
    }
    Ok(())
}

fn block_fields<'a>(reader: &mut Reader<'a>) -> Result<BlockFields<'a>, Broken> {
    let mut whole = *reader;
    let mut block = BlockFields::default();
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "type" => block.kind = reader.text()?,
                "id" => block.id = reader.string()?,
                "name" => block.name = reader.text()?,
                "text" | "thinking" => block.text = reader.text()?,
                "signature" => block.signature = reader.text()?,
                "input" => block.input = reader.raw()?,
                _ => reader.skip()?,
            }
        }
    }
    if block.kind == "redacted_thinking" {
        block.raw = whole.raw()?;
    }
    Ok(block)
}

fn delta_fields<'a>(reader: &mut Reader<'a>) -> Result<DeltaFields<'a>, Broken> {
    let mut delta = DeltaFields::default();
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "text" => delta.text = reader.text()?,
                "thinking" => delta.thinking = reader.text()?,
                "signature" => delta.signature = reader.text()?,
                "partial_json" => delta.json = reader.text()?,
                "stop_reason" => delta.stop_reason = reader.string()?,
                _ => reader.skip()?,
            }
        }
    }
    Ok(delta)
}

fn finish(reason: &str) -> Finish {
    match reason {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "tool_use" => Finish::ToolCalls,
        "refusal" => Finish::Refused,
        _ => Finish::Other,
    }
}
