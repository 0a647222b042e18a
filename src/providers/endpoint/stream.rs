//! A chat endpoint that speaks the original's protocol, incoming: its event stream.

use std::borrow::Cow;

use crate::answer::{Finish, TurnBuilder};
use crate::error::{ModelError, ModelErrorKind};
use crate::json::codec::from_text;
use crate::json::reader::{Broken, Reader, Written};
use crate::message::{Message, Usage};
use crate::providers::error_text::excerpt;
use crate::providers::errors;
use crate::providers::mapping::{Brought, Mapping, PieceOf, set};
use crate::providers::provider_fields::PROVIDER_FIELDS;

#[derive(Debug, Default)]
pub(crate) struct EndpointStream;

#[derive(Default)]
struct EndpointEvent<'a> {
    kind: Written<'a>,
    text: Written<'a>,
    id: Written<'a>,
    name: Written<'a>,
    code: Written<'a>,
    input: Option<&'a str>,
    message: Option<&'a str>,
    stop_reason: Option<Cow<'a, str>>,
    finish: Option<&'a str>,
    usage: Usage,
    wait_ms: Option<u64>,
}

impl Mapping for EndpointStream {
    fn event<'a>(&mut self, data: &'a str, turn: &mut TurnBuilder) -> Brought<'a> {
        let mut reader = Reader::new(data);
        let mut event = EndpointEvent::default();
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "type" => event.kind = reader.written()?,
                    "text" | "delta" => event.text = reader.written()?,
                    "id" => event.id = reader.written()?,
                    "name" => event.name = reader.written()?,
                    "code" => event.code = reader.written()?,
                    "input" => event.input = Some(reader.raw()?),
                    "message" => event.message = Some(reader.raw()?),
                    "stop_reason" => event.stop_reason = reader.string()?,
                    "finish" => event.finish = Some(reader.raw()?),
                    "tokens_in" => set(&mut event.usage.tokens_in, &mut reader)?,
                    "tokens_out" => set(&mut event.usage.tokens_out, &mut reader)?,
                    "cache_creation_input_tokens" => set(&mut event.usage.cache_creation, &mut reader)?,
                    "cache_read_input_tokens" => set(&mut event.usage.cache_read, &mut reader)?,
                    "reasoning_tokens" => set(&mut event.usage.reasoning, &mut reader)?,
                    "wait_ms" => event.wait_ms = reader.count()?,
                    "cost" => event.usage.cost = reader.number()?,
                    _ => reader.skip()?,
                }
            }
        }
        reader.end()?;
        let mut piece = None;
        match event.kind.text().as_ref() {
            "text_delta" => piece = Some(PieceOf::Text.added(event.text, turn)),
            "reasoning_delta" => turn.reasoning(&event.text.text()),
            "tool_input_delta" => {
                let call = open_call(&event, turn);
                piece = Some(PieceOf::Call(call).added(event.text, turn));
            }
            "tool_use" => {
                let args = arguments(event.input.unwrap_or_default());
                if !turn.has_call(&event.id.text(), &event.name.text(), &args) {
                    let call = open_call(&event, turn);
                    turn.call_args_whole(call, &args);
                    turn.call_end(call);
                }
            }
            "model_notice" => {
                let message = event.message.and_then(|raw| from_text(raw).ok()).unwrap_or_default();
                turn.notice(&event.code.text(), message);
            }
            "model_retry" => turn.retry(&event.code.text(), event.wait_ms.unwrap_or_default()),
            "done" => done(&event, data, turn),
            "error" => turn.fail(error(data)),
            "start" | "text-delta" => {
                turn.fail(ModelError::new(ModelErrorKind::BadResponse, errors::AI_SDK_STREAM));
            }
            _ => {}
        }
        Ok(piece)
    }

    fn response(&mut self, body: &str, turn: &mut TurnBuilder) -> Result<(), Broken> {
        self.event(body, turn).map(drop)
    }

    fn ends_at_once(&self) -> bool {
        true
    }
}

/// A failure with the kind that the other end gave it, where it gave one.
fn error(data: &str) -> ModelError {
    let mut error = errors::from_endpoint(None, data);
    let mut reader = Reader::new(data);
    let mut read = || {
        reader.object()?;
        while let Some(key) = reader.key()? {
            match key {
                "kind" => error.kind = from_text(reader.raw()?).map_err(|_| Broken)?,
                "retryable" => error.retryable = reader.raw()? == "true",
                _ => reader.skip()?,
            }
        }
        Ok::<(), Broken>(())
    };
    // Without a kind that is known the words decide.
    let _ = read();
    error
}

/// The call that is being written, else a further one.
fn open_call(event: &EndpointEvent<'_>, turn: &mut TurnBuilder) -> usize {
    let (id, name) = (event.id.text(), event.name.text());
    let id = Some(id.as_ref()).filter(|id| !id.is_empty());
    turn.open_call(id, &name).unwrap_or_else(|| turn.call_start(id, &name))
}

/// Arguments as raw text: a string is what a model wrote that was no JSON.
fn arguments(input: &str) -> String {
    match input.trim_start().starts_with('"') {
        true => from_text(input).unwrap_or_default(),
        false => input.to_owned(),
    }
}

fn done(event: &EndpointEvent<'_>, data: &str, turn: &mut TurnBuilder) {
    let Some(Ok(message)) = event.message.map(from_text::<Message>) else {
        let message = format!("the endpoint's `done` event has no valid message: {}", excerpt(data));
        turn.fail(ModelError::new(ModelErrorKind::BadResponse, message));
        return;
    };
    *turn.usage() = event.usage;
    if is_old_error(&message, &event.usage, turn) {
        let mut text = message.text.as_str();
        while let Some(rest) = text.strip_prefix("Error: ") {
            text = rest;
        }
        turn.fail(ModelError::new(ModelErrorKind::Server, text));
        return;
    }
    turn.reasoning_whole(message.reasoning_content.as_deref().unwrap_or_default());
    turn.text_whole(&message.text);
    turn.sources(message.sources);
    let calls = message.tool_calls.unwrap_or_default();
    turn.calls_whole(calls.into_iter().map(|call| {
        let args = arguments(call.input_args.as_str());
        (call, args)
    }));
    for (key, value) in message.extra.0 {
        if PROVIDER_FIELDS.contains(&key.as_str()) {
            turn.extra(&key, value);
        }
    }
    let finish = event.finish.and_then(|raw| from_text::<Finish>(raw).ok());
    let by_calls = if turn.call_count() > 0 { Finish::ToolCalls } else { Finish::Stop };
    turn.finish_reason(finish.unwrap_or(by_calls), event.stop_reason.as_deref());
    turn.end();
}

/// The original's handler reports a failed model as an answer `Error: …` that was never streamed and cost nothing.
fn is_old_error(message: &Message, usage: &Usage, turn: &TurnBuilder) -> bool {
    message.text.starts_with("Error: ")
        && message.tool_calls.is_none()
        && (usage.tokens_in, usage.tokens_out) == (0, 0)
        && !turn.text_so_far().ends_with(&message.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_of_text_is_the_same_in_whatever_way_it_is_written() {
        let table = [
            (r#"{"type":"text_delta","text":"é✓"}"#, "é✓"),
            (r#"{"type":"text_delta","text":"a\"}b\\"}"#, "a\"}b\\"),
            (r#"{"type":"text_delta","text":"a","text":"b"}"#, "b"),
            (r#"{"type":"text_delta","text":"a","type":"x"}"#, ""),
            (r#"{"text":"a","type":"text_delta"}"#, "a"),
            (r#"{ "type": "text_delta", "text": "a" }"#, "a"),
            (r#"{"type":"text_delta","text":""}"#, ""),
        ];
        for (data, text) in table {
            let mut turn = TurnBuilder::default();
            assert!(EndpointStream.event(data, &mut turn).is_ok(), "{data}");
            assert_eq!(turn.text_so_far(), text, "{data}");
        }
        for data in [r#"{"type":"text_delta","text":"}"#, r#"{"type":"text_delta","text":"a\"}"#] {
            assert_eq!(EndpointStream.event(data, &mut TurnBuilder::default()), Err(Broken), "{data}");
        }
    }
}
