//! A provider's answer, read as it comes: bytes in, deltas out.

use std::borrow::Cow;

use crate::answer::{Batch, Outcome, TurnBuilder, WireNames};
use crate::error::{ModelError, ModelErrorKind};
use crate::json::reader::Reader;
use crate::json::scan::word_at;
use crate::providers::error_text::excerpt;
use crate::providers::format::Format;
use crate::providers::mapping::Mapping;
use crate::providers::repeated::Repeated;
use crate::providers::sources::Sources;
use crate::providers::split_surrogates::SplitSurrogates;
use crate::providers::{anthropic, gemini, openai_chat, openai_responses};
use crate::providers::{endpoint, errors};
use crate::sse::{DEFAULT_LIMIT, SseDecoder, SseEvent};

/// How much of an answer is kept to quote it, when it turns out to be no event stream.
const HEAD: usize = 4096;

/// How the last event of an endpoint begins.
const ENDPOINT_END: &str = r#"{"type":"done""#;

/// Reads one answer of a provider: bytes in, deltas out, and at the end what became of it.
#[derive(Debug)]
pub struct Decoder {
    sse: SseDecoder,
    reading: Reading,
}

/// What the events of a stream are written into.
#[derive(Debug)]
struct Reading {
    format: Format,
    mapping: Box<dyn Mapping>,
    surrogates: SplitSurrogates,
    repeated: Repeated,
    turn: TurnBuilder,
    sources: Sources,
    /// Something of the provider's own came since this was last asked.
    lives: bool,
    /// The stream said that nothing more comes.
    closed: bool,
    events: usize,
    /// The beginning of the input, while no event has come.
    head: Vec<u8>,
}

fn mapping(format: Format) -> Box<dyn Mapping> {
    match format.spoken() {
        Format::Anthropic => Box::<anthropic::stream::AnthropicStream>::default(),
        Format::OpenAiChat => Box::<openai_chat::stream::OpenAiChatStream>::default(),
        Format::OpenAiResponses => Box::<openai_responses::stream::OpenAiResponsesStream>::default(),
        Format::Gemini => Box::<gemini::stream::GeminiStream>::default(),
        Format::Endpoint => Box::<endpoint::stream::EndpointStream>::default(),
    }
}

impl Decoder {
    /// `names` are those that were changed for the provider.
    pub fn new(format: Format, names: impl Into<WireNames>) -> Self {
        Decoder::with_limit(format, names, DEFAULT_LIMIT)
    }

    /// A decoder that fails on events of more than `limit` bytes.
    pub fn with_limit(format: Format, names: impl Into<WireNames>, limit: usize) -> Self {
        let reading = Reading {
            format,
            mapping: mapping(format),
            surrogates: SplitSurrogates::default(),
            repeated: Repeated::default(),
            turn: TurnBuilder::new(names),
            sources: Sources::default(),
            lives: false,
            closed: false,
            events: 0,
            head: Vec::new(),
        };
        Decoder { sse: SseDecoder::new(limit), reading }
    }

    /// Reads one network chunk and gives what it added to the turn.
    pub fn push(&mut self, chunk: &[u8]) -> Batch {
        let Decoder { sse, reading } = self;
        if reading.events == 0 {
            let room = HEAD.saturating_sub(reading.head.len()).min(chunk.len());
            reading.head.extend_from_slice(chunk.get(..room).unwrap_or_default());
        }
        if let Err(error) = sse.push(chunk, &mut |event| reading.event(event)) {
            reading.turn.fail(ModelError::new(ModelErrorKind::BadResponse, error.to_string()));
        }
        reading.turn.take_batch()
    }

    /// Nothing that could still come matters: the connection may be closed.
    pub fn is_settled(&self) -> bool {
        self.reading.closed || self.reading.turn.is_failed()
    }

    /// The provider's end statement came; at the most figures may follow.
    pub fn has_answer(&self) -> bool {
        self.reading.turn.is_ended() && !self.reading.turn.is_failed()
    }

    /// Whether the provider said since the last call of this that it is at work: by an event of its own that need not have
    /// brought anything. What only keeps the connection open does not say so.
    pub fn lives(&mut self) -> bool {
        std::mem::take(&mut self.reading.lives)
    }

    /// The input is over. What the last, unfinished event added is in the outcome only.
    pub fn finish(mut self) -> Outcome {
        let reading = &mut self.reading;
        // Too large an event has been reported by `push`.
        let _ = self.sse.finish(&mut |event| reading.event(event));
        let head = String::from_utf8_lossy(&reading.head);
        let head = head.trim_start_matches('\u{FEFF}').trim_start();
        if reading.events == 0 && !is_event_stream(head) {
            reading.turn.fail(errors::unexpected(head));
        }
        let lost = self.reading.turn.is_ended() && self.reading.surrogates.is_waiting();
        if self.reading.format.spoken() != Format::Endpoint && lost {
            self.reading.turn.half_lost();
        }
        self.reading.turn.into_outcome()
    }
}

impl Reading {
    fn event(&mut self, event: SseEvent<'_>) {
        self.events += 1;
        self.head.clear();
        if self.closed || self.turn.is_failed() {
            return;
        }
        let data = event.data.trim_ascii();
        let is_error = event.name == "error";
        if let Some((of, text)) = self.repeated.piece(data).filter(|_| !is_error) {
            of.add(text, &mut self.turn);
            self.lives = true;
            return;
        }
        // What an endpoint says at the end is whole.
        let joined =
            if data.starts_with(ENDPOINT_END) { Cow::Borrowed(data) } else { self.surrogates.join(data) };
        let data = joined.as_ref();
        if data == "[DONE]" {
            // Some gateways put it behind streams of other formats too, where it says nothing.
            self.closed = self.format == Format::OpenAiChat;
            if self.closed {
                self.turn.close();
                if self.turn.is_ended() {
                    self.mapping.closed(&mut self.turn);
                }
            }
            return;
        }
        let is_object = data.starts_with('{');
        if event.unterminated && (is_object || !is_error) && !is_whole(data) {
            return;
        }
        let read = match is_object {
            true => self.mapping.event(data, &mut self.turn),
            false => Ok(None),
        };
        self.repeated.keep(data, read.ok().flatten().filter(|_| !self.surrogates.is_waiting()));
        if read.is_err() && self.owns(event.name) {
            let message = format!("the provider sent an event that is not JSON: {}", excerpt(data));
            self.turn.fail(ModelError::new(ModelErrorKind::BadResponse, message));
        } else if is_error {
            // If the mapping has already reported a failure, that one counts.
            self.turn.fail(errors::from_event(data));
        }
        if self.format.spoken() != Format::Endpoint {
            self.sources.read(data, &mut self.turn);
            self.lives |= is_object && self.owns(event.name) && !is_ping(data);
        }
        self.closed = self.turn.is_ended() && self.mapping.ends_at_once();
    }

    /// Whether an event with this name is one of the format's own.
    fn owns(&self, name: &str) -> bool {
        name.is_empty() || name == "message" || name == "error" || self.mapping.owns(name)
    }
}

/// What says nothing but that the connection lives, where its event has no name that tells it.
fn is_ping(data: &str) -> bool {
    let words = [r#""ping""#, r#""keepalive""#, r#""heartbeat""#];
    data.len() <= 2 || data.len() < 80 && words.iter().any(|word| word_at(data, word).is_some())
}

/// Whether a text that held no event began like a stream of them (or is empty).
fn is_event_stream(head: &str) -> bool {
    let line = head.lines().next().unwrap_or_default();
    ["data:", "event:", "id:", "retry:", ":"]
        .iter()
        .any(|field| line.starts_with(field) || field.starts_with(line))
}

fn is_whole(data: &str) -> bool {
    let mut reader = Reader::new(data);
    reader.skip().and_then(|()| reader.end()).is_ok()
}

/// The turn of an answer that was asked for without streaming.
pub fn read_response(format: Format, names: impl Into<WireNames>, body: &str) -> Outcome {
    let mut turn = TurnBuilder::new(names);
    let body = body.trim_start_matches('\u{FEFF}');
    if mapping(format).response(body, &mut turn).is_err() {
        turn.fail(errors::unexpected(body));
    }
    if format.spoken() != Format::Endpoint {
        Sources::default().read(body, &mut turn);
    }
    turn.into_outcome()
}
