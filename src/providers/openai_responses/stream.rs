//! OpenAI Responses, incoming: stream events and whole answers.

use std::borrow::Cow;

use crate::answer::{Finish, TurnBuilder};
use crate::ids::Ids;
use crate::json::Json;
use crate::json::reader::{Broken, Reader, Written};
use crate::providers::errors;
use crate::providers::mapping::{Brought, Mapping, set};
use crate::providers::provider_fields::REASONING_ITEMS;

#[derive(Debug, Default)]
pub(crate) struct OpenAiResponsesStream {
    /// The output's index and item id of a call, and its place in the turn.
    calls: Vec<(u64, String, usize)>,
    /// Reasoning items as they are sent back.
    reasoning: Vec<String>,
    /// The same, to know those that are sent again.
    known_reasoning: Ids,
    reasoned: bool,
}

#[derive(Default)]
struct ResponsesEvent<'a> {
    kind: Written<'a>,
    index: u64,
    item_id: Written<'a>,
    text: Written<'a>,
    args: Written<'a>,
    item: Item<'a>,
    response: Option<Reader<'a>>,
}

#[derive(Default)]
struct Item<'a> {
    kind: Written<'a>,
    id: Written<'a>,
    call_id: Written<'a>,
    name: Written<'a>,
    args: Written<'a>,
    content: Option<Reader<'a>>,
    summary: Option<Reader<'a>>,
    encrypted: bool,
    raw: &'a str,
}

impl Mapping for OpenAiResponsesStream {
    fn event<'a>(&mut self, data: &'a str, turn: &mut TurnBuilder) -> Brought<'a> {
        let mut reader = Reader::new(data);
        let mut event = ResponsesEvent::default();
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "type" => event.kind = reader.written()?,
                    "output_index" => event.index = reader.count()?.unwrap_or_default(),
                    "item_id" => event.item_id = reader.written()?,
                    "delta" => event.text = reader.written()?,
                    "arguments" => event.args = reader.written()?,
                    "item" => item_fields(&mut reader, &mut event.item)?,
                    "response" => {
                        event.response = Some(reader);
                        reader.skip()?;
                    }
                    _ => reader.skip()?,
                }
            }
        }
        reader.end()?;
        match event.kind.text().as_ref() {
            "response.output_text.delta" => turn.text(&event.text.text()),
            "response.refusal.delta" => turn.refusal(&event.text.text()),
            "response.reasoning_summary_text.delta"
            | "response.reasoning_text.delta"
            | "response.reasoning.delta" => {
                self.reasoned = true;
                turn.reasoning(&event.text.text());
            }
            "response.reasoning_summary_part.added" if self.reasoned => turn.reasoning("\n\n"),
            // One that is sent again is no further call.
            "response.output_item.added"
                if event.item.kind.text() == "function_call" && !self.has_item(&event.item.id.text()) =>
            {
                self.call(event.index, &event.item, turn);
            }
            "response.function_call_arguments.delta" => {
                match self.known(event.index, &event.item_id.text()) {
                    Some(call) => turn.call_args(call, &event.text.text()),
                    None => turn.stray_args(&event.text.text()),
                }
            }
            "response.function_call_arguments.done" => {
                if let Some(call) = self.known(event.index, &event.item_id.text()) {
                    turn.call_args_whole(call, &event.args.text());
                }
            }
            "response.output_item.done" => self.item_done(event.index, &event.item, turn),
            "response.completed" | "response.incomplete" | "response.done" => {
                if let Some(mut response) = event.response {
                    self.whole(&mut response, data, turn)?;
                } else {
                    turn.end();
                }
            }
            "response.failed" | "response.cancelled" | "response.error" | "error" => {
                turn.fail(errors::from_event(data));
            }
            _ => {}
        }
        Ok(None)
    }

    fn response(&mut self, body: &str, turn: &mut TurnBuilder) -> Result<(), Broken> {
        let mut reader = Reader::new(body);
        self.whole(&mut reader, body, turn)?;
        reader.end()
    }

    fn ends_at_once(&self) -> bool {
        true
    }

    fn owns(&self, name: &str) -> bool {
        name.starts_with("response.")
    }
}

impl OpenAiResponsesStream {
    fn whole(&mut self, reader: &mut Reader<'_>, data: &str, turn: &mut TurnBuilder) -> Result<(), Broken> {
        let (mut status, mut reason, mut output) = (Cow::default(), None, None);
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "status" => status = reader.text()?,
                    "usage" => usage(reader, turn)?,
                    "incomplete_details" => reason = text_field(reader, "reason")?,
                    "output" => {
                        output = Some(*reader);
                        reader.skip()?;
                    }
                    _ => reader.skip()?,
                }
            }
        }
        // Some gateways leave deltas out and send only the whole.
        if let Some(mut output) = output {
            let is_news = turn.text_so_far().is_empty() && turn.call_count() == 0;
            self.output(&mut output, is_news, turn)?;
        }
        match status.as_ref() {
            "failed" | "cancelled" => turn.fail(errors::from_event(data)),
            "" if output.is_none() => turn.fail(errors::unexpected(data)),
            status => {
                let finish = match reason.as_deref() {
                    Some("max_output_tokens" | "max_tokens") => Finish::Length,
                    Some("content_filter") => Finish::Refused,
                    Some(_) => Finish::Other,
                    None if status == "incomplete" => Finish::Other,
                    None if turn.call_count() > 0 => Finish::ToolCalls,
                    None => Finish::Stop,
                };
                if matches!(finish, Finish::ToolCalls) {
                    // The whole is complete, so are its calls, also where a gateway leaves their ends out.
                    for (.., call) in &self.calls {
                        if turn.args_are_whole(*call) {
                            turn.call_end(*call);
                        }
                    }
                }
                turn.finish_reason(finish, Some(reason.as_deref().unwrap_or(status)));
                self.end(turn);
            }
        }
        Ok(())
    }

    /// Of an answer that was streamed only what is said of its calls counts: those have ids.
    fn output(
        &mut self,
        reader: &mut Reader<'_>,
        is_news: bool,
        turn: &mut TurnBuilder,
    ) -> Result<(), Broken> {
        if !reader.array()? {
            return Ok(());
        }
        let mut index = 0;
        while reader.item()? {
            let mut item = Item::default();
            item_fields(reader, &mut item)?;
            let kind = item.kind.text();
            if !is_news {
                if kind == "function_call" && !(item.id.is_empty() && item.call_id.is_empty()) {
                    self.item_done(u64::MAX, &item, turn);
                }
                continue;
            }
            if let (true, Some(mut content)) = (kind == "message", item.content) {
                message_content(&mut content, turn)?;
            }
            if let (true, Some(mut summary)) = (kind == "reasoning" && !self.reasoned, item.summary) {
                let mut text = String::new();
                texts(&mut summary, &mut text)?;
                turn.reasoning(&text);
            }
            self.item_done(index, &item, turn);
            index += 1;
        }
        Ok(())
    }

    fn item_done(&mut self, index: u64, item: &Item<'_>, turn: &mut TurnBuilder) {
        match item.kind.text().as_ref() {
            // After a failure ignore further items: a hostile answer could make the list grow without limit.
            _ if turn.is_failed() => {}
            "function_call" => {
                let call_id = item.call_id.text();
                let known = Some(&call_id).filter(|id| !id.is_empty()).and_then(|id| turn.call_by_id(id));
                let known = known
                    .or_else(|| self.known(index, &item.id.text()))
                    .filter(|call| !self.is_other(*call, item, turn));
                let call = known.unwrap_or_else(|| self.call(index, item, turn));
                turn.call_args_whole(call, &item.args.text());
                turn.call_end(call);
            }
            // Without its encrypted content an item lives at the provider only.
            "reasoning" if item.encrypted && self.known_reasoning.insert(item.raw) => {
                self.reasoning.push(item.raw.to_owned());
            }
            _ => {}
        }
    }

    fn call(&mut self, index: u64, item: &Item<'_>, turn: &mut TurnBuilder) -> usize {
        let id = if item.call_id.is_empty() { item.id } else { item.call_id };
        let call = turn.call_start(Some(&id.text()), &item.name.text());
        turn.call_args(call, &item.args.text());
        self.calls.push((index, item.id.text().into_owned(), call));
        call
    }

    fn has_item(&self, id: &str) -> bool {
        !id.is_empty() && self.calls.iter().any(|(_, item, _)| item == id)
    }

    fn known(&self, index: u64, item_id: &str) -> Option<usize> {
        let by_id = self.calls.iter().find(|(_, id, _)| !item_id.is_empty() && id == item_id);
        // Some gateways leave the index out: two items that have ids are two.
        let by_index =
            |(at, id, _): &&(u64, String, usize)| *at == index && (id.is_empty() || item_id.is_empty());
        by_id.or_else(|| self.calls.iter().rev().find(by_index)).map(|(.., call)| *call)
    }

    /// Two items that have nothing but the ids of their calls are two calls where those differ, also where a gateway
    /// leaves the index out.
    fn is_other(&self, call: usize, item: &Item<'_>, turn: &TurnBuilder) -> bool {
        let unnamed = |(_, id, known): &(u64, String, usize)| *known == call && id.is_empty();
        item.id.is_empty()
            && !item.call_id.is_empty()
            && self.calls.iter().any(unnamed)
            && turn.call_id(call).is_some_and(|id| id != item.call_id.text())
    }

    fn end(&mut self, turn: &mut TurnBuilder) {
        if !self.reasoning.is_empty()
            && let Ok(items) = Json::parse(&format!("[{}]", self.reasoning.join(",")))
        {
            self.reasoning.clear();
            turn.extra(REASONING_ITEMS, items);
        }
        turn.end();
    }
}

fn item_fields<'a>(reader: &mut Reader<'a>, item: &mut Item<'a>) -> Result<(), Broken> {
    let mut whole = *reader;
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "type" => item.kind = reader.written()?,
                "id" => item.id = reader.written()?,
                "call_id" => item.call_id = reader.written()?,
                "name" => item.name = reader.written()?,
                "arguments" => item.args = reader.written()?,
                "encrypted_content" => item.encrypted = !reader.written()?.is_empty(),
                "content" | "summary" => {
                    let place = if key == "content" { &mut item.content } else { &mut item.summary };
                    *place = Some(*reader);
                    reader.skip()?;
                }
                _ => reader.skip()?,
            }
        }
    }
    if item.encrypted {
        item.raw = whole.raw()?;
    }
    Ok(())
}

fn message_content(reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
    if !reader.array()? {
        return Ok(());
    }
    while reader.item()? {
        let (mut text, mut refusal) = (Cow::default(), Cow::default());
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "text" => text = reader.text()?,
                    "refusal" => refusal = reader.text()?,
                    _ => reader.skip()?,
                }
            }
        }
        turn.text(&text);
        turn.refusal(&refusal);
    }
    Ok(())
}

fn texts(reader: &mut Reader<'_>, out: &mut String) -> Result<(), Broken> {
    if !reader.array()? {
        return Ok(());
    }
    while reader.item()? {
        if let Some(text) = text_field(reader, "text")? {
            if !out.is_empty() {
                out.push_str("\n\n");
            }
            out.push_str(&text);
        }
    }
    Ok(())
}

fn text_field<'a>(reader: &mut Reader<'a>, wanted: &str) -> Result<Option<Cow<'a, str>>, Broken> {
    let mut found = None;
    if reader.object()? {
        while let Some(key) = reader.key()? {
            if key == wanted {
                found = reader.string()?;
            } else {
                reader.skip()?;
            }
        }
    }
    Ok(found)
}

fn usage(reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
    if !reader.object()? {
        return Ok(());
    }
    let usage = turn.usage();
    while let Some(key) = reader.key()? {
        match key {
            "input_tokens" => set(&mut usage.tokens_in, reader)?,
            "output_tokens" => set(&mut usage.tokens_out, reader)?,
            "cost" => usage.cost = reader.number()?.or(usage.cost),
            "input_tokens_details" | "output_tokens_details" => {
                if reader.object()? {
                    while let Some(key) = reader.key()? {
                        match key {
                            "cached_tokens" => set(&mut usage.cache_read, reader)?,
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
