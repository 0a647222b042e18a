//! Anthropic Messages, incoming: stream events and whole answers.

use crate::json::Json;
use crate::json::reader::{Broken, Reader, Written};
use crate::providers::errors;
use crate::providers::mapping::{Brought, Mapping, Piece, PieceOf, set};
use crate::providers::provider_fields::{THINKING_BLOCKS, THINKING_PLACES};

use crate::answer::{Finish, MOST_CALLS, TurnBuilder};

#[derive(Debug, Default)]
pub(crate) struct AnthropicStream {
    /// Content blocks by their index in the stream.
    blocks: Vec<(u64, Block)>,
    /// Finished thinking blocks, as they are sent back.
    thinking: Vec<String>,
    /// Where each of them stood.
    places: Vec<Place>,
    tokens: Tokens,
}

/// How many bytes of the text and how many calls came before.
type Place = (usize, usize);

#[derive(Debug)]
enum Block {
    Text,
    Thinking {
        place: Place,
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
struct AnthropicEvent<'a> {
    kind: Written<'a>,
    index: u64,
    block: BlockFields<'a>,
    delta: DeltaFields<'a>,
    error: Option<&'a str>,
}

#[derive(Default)]
struct BlockFields<'a> {
    kind: Written<'a>,
    id: Written<'a>,
    name: Written<'a>,
    text: Written<'a>,
    signature: Written<'a>,
    input: &'a str,
    raw: &'a str,
}

#[derive(Default)]
struct DeltaFields<'a> {
    text: Written<'a>,
    thinking: Written<'a>,
    signature: Written<'a>,
    json: Written<'a>,
    stop_reason: Written<'a>,
}

impl Mapping for AnthropicStream {
    fn event<'a>(&mut self, data: &'a str, turn: &mut TurnBuilder) -> Brought<'a> {
        let mut reader = Reader::new(data);
        let mut event = AnthropicEvent::default();
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "type" => event.kind = reader.written()?,
                    "index" => event.index = reader.count()?.unwrap_or_default(),
                    "content_block" => block_fields(&mut reader, &mut event.block)?,
                    "delta" => delta_fields(&mut reader, &mut event.delta)?,
                    "message" => self.message_start(&mut reader, turn)?,
                    "usage" => self.usage(&mut reader, turn)?,
                    "error" => event.error = Some(reader.raw()?),
                    _ => reader.skip()?,
                }
            }
        }
        reader.end()?;
        match event.kind.text().as_ref() {
            // First, because most events are these.
            "content_block_delta" => return Ok(self.block_delta(event.index, &event.delta, turn)),
            "content_block_start" => self.block_start(event.index, &event.block, turn),
            "content_block_stop" => self.block_stop(event.index, turn),
            "message_delta" if !event.delta.stop_reason.is_empty() => {
                let reason = event.delta.stop_reason.text();
                turn.finish_reason(finish(&reason), Some(&reason));
            }
            "message_stop" => self.end(turn),
            "error" => turn.fail(errors::from_event(data)),
            _ if event.error.is_some_and(|error| error != "null") => turn.fail(errors::from_event(data)),
            _ => {}
        }
        Ok(None)
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

impl AnthropicStream {
    fn content(&mut self, reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<bool, Broken> {
        if !reader.array()? {
            return Ok(false);
        }
        let mut index = 0;
        while reader.item()? {
            let mut block = BlockFields::default();
            block_fields(reader, &mut block)?;
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
        let (kind, id) = (fields.kind.text(), fields.id.text());
        // A beginning that is sent again is no further call: it would run without arguments.
        let is_open = |(at, block): &(u64, Block)| match block {
            Block::Call { call, .. } => {
                *at == index && turn.call_id(*call) == Some(id.as_ref()).filter(|id| !id.is_empty())
            }
            _ => false,
        };
        if kind == "tool_use" && self.blocks.iter().any(is_open) {
            return;
        }
        let place = (turn.text_so_far().len(), turn.call_count());
        let block = match kind.as_ref() {
            "text" => {
                turn.text(&fields.text.text());
                Block::Text
            }
            "thinking" => {
                turn.reasoning(&fields.text.text());
                Block::Thinking {
                    place,
                    text: fields.text.text().into_owned(),
                    signature: fields.signature.text().into_owned(),
                }
            }
            "redacted_thinking" => {
                self.thinking.push(fields.raw.to_owned());
                self.places.push(place);
                Block::Other
            }
            "tool_use" => {
                let call = turn.call_start(Some(&id), &fields.name.text());
                Block::Call { call, input: fields.input.to_owned() }
            }
            _ => Block::Other,
        };
        // Each delta is looked for among them.
        if self.blocks.len() == MOST_CALLS {
            turn.too_many("open blocks");
            return;
        }
        self.blocks.push((index, block));
    }

    fn block_delta<'a>(
        &mut self,
        index: u64,
        delta: &DeltaFields<'a>,
        turn: &mut TurnBuilder,
    ) -> Option<Piece<'a>> {
        let block = self.blocks.iter_mut().rev().find(|(at, _)| *at == index).map(|(_, block)| block);
        match block {
            // A delta whose beginning never came is taken for what it carries.
            Some(Block::Text) | None if delta.thinking.is_empty() && delta.json.is_empty() => {
                return Some(PieceOf::Text.added(delta.text, turn));
            }
            Some(Block::Text) | None => {
                turn.text(&delta.text.text());
                turn.reasoning(&delta.thinking.text());
                turn.stray_args(&delta.json.text());
            }
            Some(Block::Thinking { text, signature, .. }) => {
                text.push_str(&delta.thinking.text());
                signature.push_str(&delta.signature.text());
                turn.reasoning(&delta.thinking.text());
            }
            Some(Block::Call { call, .. }) => return Some(PieceOf::Call(*call).added(delta.json, turn)),
            Some(Block::Other) => {}
        }
        None
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
            Block::Thinking { place, text, signature } if !signature.is_empty() => {
                self.places.push(place);
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
            let places = std::mem::take(&mut self.places);
            if places.iter().any(|place| *place != (0, 0)) {
                let places: Vec<_> = places.iter().map(|(text, calls)| format!("[{text},{calls}]")).collect();
                if let Ok(places) = Json::parse(&format!("[{}]", places.join(","))) {
                    turn.extra(THINKING_PLACES, places);
                }
            }
        }
        turn.end();
    }
}

fn block_fields<'a>(reader: &mut Reader<'a>, block: &mut BlockFields<'a>) -> Result<(), Broken> {
    let mut whole = *reader;
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "type" => block.kind = reader.written()?,
                "id" => block.id = reader.written()?,
                "name" => block.name = reader.written()?,
                "text" | "thinking" => block.text = reader.written()?,
                "signature" => block.signature = reader.written()?,
                "input" => block.input = reader.raw()?,
                _ => reader.skip()?,
            }
        }
    }
    if block.kind.text() == "redacted_thinking" {
        block.raw = whole.raw()?;
    }
    Ok(())
}

fn delta_fields<'a>(reader: &mut Reader<'a>, delta: &mut DeltaFields<'a>) -> Result<(), Broken> {
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "text" => delta.text = reader.written()?,
                "thinking" => delta.thinking = reader.written()?,
                "signature" => delta.signature = reader.written()?,
                "partial_json" => delta.json = reader.written()?,
                "stop_reason" => delta.stop_reason = reader.written()?,
                _ => reader.skip()?,
            }
        }
    }
    Ok(())
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
