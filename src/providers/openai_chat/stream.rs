//! OpenAI chat completions and their dialects, incoming: stream chunks and whole answers.

use std::borrow::Cow;

use crate::answer::{Finish, TurnBuilder};
use crate::json::Json;
use crate::json::reader::{Broken, Reader};
use crate::providers::details::Details;
use crate::providers::errors;
use crate::providers::mapping::{Brought, Mapping, PieceOf, set};
use crate::providers::provider_fields::{EXTRA_CONTENT, REASONING_DETAILS};

#[derive(Debug, Default)]
pub(crate) struct OpenAiChatStream {
    /// The provider's index of a call, and ours. A later entry of the same index replaces an earlier one.
    calls: Vec<(u64, usize)>,
    /// It is read from one body and not from a stream.
    is_whole: bool,
    /// The event that is read held nothing but pieces of text.
    is_plain: bool,
    details: Details,
}

/// One piece of a call.
#[derive(Default)]
struct CallDelta<'a> {
    index: Option<u64>,
    id: Cow<'a, str>,
    name: Cow<'a, str>,
    args: Cow<'a, str>,
    extra: Option<&'a str>,
}

impl Mapping for OpenAiChatStream {
    /// A chunk of a stream or a whole answer: they differ in `delta` against `message`.
    fn event<'a>(&mut self, data: &'a str, turn: &mut TurnBuilder) -> Brought<'a> {
        let mut reader = Reader::new(data);
        let before = turn.text_so_far().len();
        let mut piece = None;
        self.is_plain = true;
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "choices" => piece = self.choices(&mut reader, turn)?,
                    "usage" => usage(&mut reader, turn)?,
                    "x_groq" => groq(&mut reader, data, turn)?,
                    // Some servers send the error itself in the place of a chunk that has one.
                    "object" => {
                        if reader.raw()? == r#""error""# {
                            turn.fail(errors::from_event(data));
                        }
                    }
                    "error" => {
                        if !matches!(reader.raw()?, "null" | r#""""#) {
                            turn.fail(errors::from_event(data));
                        }
                    }
                    _ => reader.skip()?,
                }
            }
        }
        reader.end()?;
        // It was the only one.
        let said = turn.text_so_far().len() - before;
        Ok(piece.filter(|piece| self.is_plain && !turn.is_ended() && said == piece.text.text().len()))
    }

    fn response(&mut self, body: &str, turn: &mut TurnBuilder) -> Result<(), Broken> {
        self.is_whole = true;
        self.event(body, turn)?;
        for (_, call) in &self.calls {
            turn.call_end(*call);
        }
        if !turn.end_without_reason() {
            turn.fail(errors::unexpected(body));
        }
        Ok(())
    }

    fn ends_at_once(&self) -> bool {
        false
    }

    fn closed(&mut self, turn: &mut TurnBuilder) {
        self.details.keep(turn);
    }
}

impl OpenAiChatStream {
    fn choices<'a>(&mut self, reader: &mut Reader<'a>, turn: &mut TurnBuilder) -> Brought<'a> {
        let mut piece = None;
        if reader.array()? {
            while reader.item()? {
                piece = self.choice(reader, turn)?;
            }
        }
        Ok(piece)
    }

    fn choice<'a>(&mut self, reader: &mut Reader<'a>, turn: &mut TurnBuilder) -> Brought<'a> {
        let (mut index, mut delta, mut message, mut reason, mut error) = (None, None, None, None, "null");
        let (mut read, mut piece) = (false, None);
        if !reader.object()? {
            return Ok(None);
        }
        while let Some(key) = reader.key()? {
            match key {
                "index" => index = reader.count()?,
                "delta" if index == Some(0) && !self.is_whole => {
                    read = true;
                    piece = self.delta(reader, turn)?;
                }
                // Which candidate this belongs to may be said after it.
                "delta" | "message" => {
                    let place = if key == "delta" { &mut delta } else { &mut message };
                    *place = (reader.peek()? == b'{').then_some(*reader);
                    reader.skip()?;
                }
                "finish_reason" => reason = reader.string()?,
                "error" => error = reader.raw()?,
                "usage" => usage(reader, turn)?,
                _ => reader.skip()?,
            }
        }
        if index.is_some_and(|index| index != 0) {
            return Ok(None);
        }
        // Some providers give both: what is new and the whole so far.
        let last = self.is_whole || reason.as_deref().is_some_and(|reason| !reason.is_empty());
        let (first, second) = if self.is_whole { (message, delta) } else { (delta, message) };
        // A text that is taken only where nothing else came.
        self.is_plain &= second.is_none();
        if let Some(mut fields) = first {
            self.delta(&mut fields, turn)?;
        }
        if let Some(mut fields) = second.filter(|_| first.is_none() && !read || last && turn.is_blank()) {
            self.delta(&mut fields, turn)?;
        }
        if !matches!(error, "null" | r#""""#) {
            turn.fail(errors::from_event(error));
        }
        match reason.as_deref() {
            None | Some("") => {}
            Some("error") => {
                turn.fail(errors::from_event(r#"{"message":"the provider failed in mid-answer"}"#));
            }
            Some(reason) => {
                for (_, call) in &self.calls {
                    turn.call_end(*call);
                }
                turn.finish_reason(finish(reason), Some(reason));
                turn.end();
            }
        }
        if turn.is_ended() {
            self.details.keep(turn);
        }
        Ok(piece)
    }

    fn delta<'a>(&mut self, reader: &mut Reader<'a>, turn: &mut TurnBuilder) -> Brought<'a> {
        if !reader.object()? {
            return Ok(None);
        }
        let (mut reasoned, mut piece) = (false, None);
        while let Some(key) = reader.key()? {
            let first = reader.peek()?;
            self.is_plain &= first == b'n' || matches!(key, "content" | "role");
            match key {
                // Nothing, whatever its name.
                _ if first == b'n' => reader.skip()?,
                "content" if first == b'[' => parts(reader, turn)?,
                "content" => piece = Some(PieceOf::Text.added(reader.written()?, turn)),
                // Some dialects send the same thought under both names.
                "reasoning_content" | "reasoning" if !reasoned => {
                    let text = reader.text()?;
                    reasoned = !text.is_empty();
                    turn.reasoning(&text);
                }
                REASONING_DETAILS => self.details.read(reader, turn)?,
                "refusal" => turn.refusal(&reader.text()?),
                "tool_calls" => {
                    if reader.array()? {
                        while reader.item()? {
                            let delta = call_delta(reader)?;
                            self.call(&delta, turn);
                        }
                    }
                }
                "function_call" => {
                    let mut delta = CallDelta { index: Some(0), ..CallDelta::default() };
                    if reader.peek()? == b'{' {
                        function(reader, &mut delta)?;
                        self.call(&delta, turn);
                    } else {
                        reader.skip()?;
                    }
                }
                _ => reader.skip()?,
            }
        }
        Ok(piece)
    }

    fn call(&mut self, delta: &CallDelta<'_>, turn: &mut TurnBuilder) {
        let id = Some(delta.id.as_ref()).filter(|id| !id.is_empty());
        // What has failed is not looked for: the list would grow with what a hostile answer holds.
        if turn.is_failed() {
            return;
        }
        // A whole call that is sent again is no further one.
        if !delta.args.is_empty() && id.is_some_and(|id| turn.has_call(id, &delta.name, &delta.args)) {
            return;
        }
        let call = match self.known(delta, id, turn) {
            Some(call) => {
                turn.call_head(call, id, &delta.name);
                call
            }
            None => {
                let call = turn.call_start(id, &delta.name);
                self.calls.push((delta.index.unwrap_or(call as u64), call));
                call
            }
        };
        turn.call_args(call, &delta.args);
        if let Some(extra) = delta.extra.and_then(|raw| Json::parse(raw).ok()) {
            turn.call_extra(call, EXTRA_CONTENT, extra);
        }
    }

    /// The call that a piece continues; `None` for the first piece of a call.
    fn known(&self, delta: &CallDelta<'_>, id: Option<&str>, turn: &mut TurnBuilder) -> Option<usize> {
        let named = !delta.name.is_empty();
        let Some(index) = delta.index else {
            return match id {
                Some(id) => turn.call_by_id(id),
                None if named => None,
                None => self.calls.last().map(|(_, call)| *call),
            };
        };
        let call = self.calls.iter().rev().find(|(at, _)| *at == index).map(|(_, call)| *call)?;
        let other_id = id.is_some_and(|id| turn.call_id(call).is_some_and(|known| known != id));
        // Some endpoints give every parallel call the index 0, told apart by id, or by nothing at all.
        let fresh = named && (other_id || delta.args.starts_with('{') && turn.args_are_whole(call));
        (!fresh).then_some(call)
    }
}

fn call_delta<'a>(reader: &mut Reader<'a>) -> Result<CallDelta<'a>, Broken> {
    let mut delta = CallDelta::default();
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "index" => delta.index = reader.count()?,
                "id" => delta.id = reader.text()?,
                "function" => function(reader, &mut delta)?,
                EXTRA_CONTENT => delta.extra = Some(reader.raw()?),
                _ => reader.skip()?,
            }
        }
    }
    Ok(delta)
}

fn function<'a>(reader: &mut Reader<'a>, delta: &mut CallDelta<'a>) -> Result<(), Broken> {
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "name" => delta.name = reader.text()?,
                "arguments" => {
                    delta.args = match reader.peek()? {
                        b'{' => Cow::Borrowed(reader.raw()?),
                        _ => reader.text()?,
                    }
                }
                _ => reader.skip()?,
            }
        }
    }
    Ok(())
}

/// Content as a list of parts, which may hold thoughts.
fn parts(reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
    if !reader.array()? {
        return Ok(());
    }
    while reader.item()? {
        if reader.peek()? == b'"' {
            turn.text(&reader.text()?);
            continue;
        }
        let (mut text, mut thoughts) = (Cow::default(), String::new());
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "text" => text = reader.text()?,
                    "thinking" => thinking(reader, &mut thoughts)?,
                    _ => reader.skip()?,
                }
            }
        }
        turn.reasoning(&thoughts);
        turn.text(&text);
    }
    Ok(())
}

fn thinking(reader: &mut Reader<'_>, out: &mut String) -> Result<(), Broken> {
    if reader.peek()? == b'"' {
        out.push_str(&reader.text()?);
        return Ok(());
    }
    if reader.array()? {
        while reader.item()? {
            if reader.object()? {
                while let Some(key) = reader.key()? {
                    match key {
                        "text" => out.push_str(&reader.text()?),
                        _ => reader.skip()?,
                    }
                }
            }
        }
    }
    Ok(())
}

fn groq(reader: &mut Reader<'_>, data: &str, turn: &mut TurnBuilder) -> Result<(), Broken> {
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "usage" => usage(reader, turn)?,
                "error" => {
                    if reader.raw()? != "null" {
                        turn.fail(errors::from_event(data));
                    }
                }
                _ => reader.skip()?,
            }
        }
    }
    Ok(())
}

fn usage(reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
    if !reader.object()? {
        return Ok(());
    }
    let usage = turn.usage();
    while let Some(key) = reader.key()? {
        match key {
            "prompt_tokens" => set(&mut usage.tokens_in, reader)?,
            "completion_tokens" => set(&mut usage.tokens_out, reader)?,
            "prompt_cache_hit_tokens" | "cached_tokens" => set(&mut usage.cache_read, reader)?,
            "cost" => usage.cost = reader.number()?.or(usage.cost),
            "prompt_tokens_details" | "completion_tokens_details" => {
                if reader.object()? {
                    while let Some(key) = reader.key()? {
                        match key {
                            "cached_tokens" => set(&mut usage.cache_read, reader)?,
                            "cache_write_tokens" => set(&mut usage.cache_creation, reader)?,
                            "reasoning_tokens" => set(&mut usage.reasoning, reader)?,
                            _ => reader.skip()?,
                        }
                    }
                }
            }
            _ => reader.skip()?,
        }
    }
    Ok(())
}

fn finish(reason: &str) -> Finish {
    match reason {
        "stop" | "end_turn" | "eos" => Finish::Stop,
        "length" | "max_tokens" => Finish::Length,
        "tool_calls" | "function_call" => Finish::ToolCalls,
        "content_filter" | "refusal" => Finish::Refused,
        _ => Finish::Other,
    }
}
