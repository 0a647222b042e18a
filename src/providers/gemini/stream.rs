//! Gemini `generateContent`, incoming: stream chunks and whole answers.

use std::borrow::Cow;

use crate::answer::{Finish, TurnBuilder};
use crate::error::{ModelError, ModelErrorKind};
use crate::json::codec::{Write, to_text};
use crate::json::reader::{Broken, Reader, Written};
use crate::json::writer::Object;
use crate::json::{Json, MAX_DEPTH, check};
use crate::message::Usage;
use crate::providers::errors;
use crate::providers::mapping::{Brought, Mapping, set};
use crate::providers::provider_fields::THOUGHT_SIGNATURE;

/// Pieces of an array come in order. One that is further behind the items that came is none: what lies between would
/// have to be filled up.
const WIDEST_GAP: usize = 16;

/// Each piece is looked for among the fields of its object, so one that has more than any tool's is not read.
const MAX_FIELDS: usize = 1_000;

/// Arguments that come in pieces, as far as they came.
#[derive(Debug, Clone, PartialEq)]
enum Args {
    Text(String),
    /// A number or a word as it was written.
    Plain(String),
    List(Vec<Args>),
    Object(Vec<(String, Args)>),
}

const NULL: Args = Args::Plain(String::new());

impl Write for Args {
    fn write(&self, out: &mut String) {
        match self {
            Args::Text(text) => text.write(out),
            Args::Plain(plain) if plain.is_empty() => out.push_str("null"),
            Args::Plain(plain) => out.push_str(plain),
            Args::List(items) => items.write(out),
            Args::Object(fields) => {
                let mut object = Object::new(out);
                for (key, value) in fields {
                    value.write(object.key(key));
                }
                object.end();
            }
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct GeminiStream {
    /// A call whose arguments come in pieces, and what they are so far.
    open: Option<(usize, Args)>,
}

#[derive(Default)]
struct GeminiPart<'a> {
    text: Written<'a>,
    thought: bool,
    signature: Written<'a>,
    call: Option<CallPart<'a>>,
}

#[derive(Default)]
struct CallPart<'a> {
    id: Written<'a>,
    name: Written<'a>,
    args: &'a str,
    pieces: Option<Reader<'a>>,
    will_continue: bool,
}

impl Mapping for GeminiStream {
    /// A chunk of a stream or a whole answer: they have the same form.
    fn event<'a>(&mut self, data: &'a str, turn: &mut TurnBuilder) -> Brought<'a> {
        let mut reader = Reader::new(data);
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "candidates" => {
                        if reader.array()? {
                            while reader.item()? {
                                self.candidate(&mut reader, turn)?;
                            }
                        }
                    }
                    "usageMetadata" => usage(&mut reader, turn)?,
                    "promptFeedback" => prompt_feedback(&mut reader, turn)?,
                    "error" => {
                        if reader.raw()? != "null" {
                            turn.fail(errors::from_event(data));
                        }
                    }
                    _ => reader.skip()?,
                }
            }
        }
        reader.end()?;
        Ok(None)
    }

    fn response(&mut self, body: &str, turn: &mut TurnBuilder) -> Result<(), Broken> {
        self.event(body, turn)?;
        self.close(turn);
        if !turn.end_without_reason() {
            turn.fail(errors::unexpected(body));
        }
        Ok(())
    }

    fn ends_at_once(&self) -> bool {
        false
    }
}

impl GeminiStream {
    fn candidate(&mut self, reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
        let (mut index, mut content, mut reason, mut why) = (0, None, None, None);
        if !reader.object()? {
            return Ok(());
        }
        while let Some(key) = reader.key()? {
            match key {
                "index" => index = reader.count()?.unwrap_or_default(),
                "content" => {
                    content = Some(*reader);
                    reader.skip()?;
                }
                "finishReason" => {
                    reason = reader.string()?.filter(|text| text != "FINISH_REASON_UNSPECIFIED");
                }
                "finishMessage" => why = reader.string()?.filter(|text| !text.is_empty()),
                _ => reader.skip()?,
            }
        }
        if index != 0 {
            return Ok(());
        }
        // A tool that ran at the provider ended one part of the answer; this may be the next.
        if let Some(mut content) = content {
            self.content(&mut content, turn)?;
        }
        match reason.as_deref() {
            None => return Ok(()),
            Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL") => {
                let why = why.unwrap_or_else(|| "the model wrote a malformed tool call".into());
                // Another try often goes well.
                let error = ModelError::new(ModelErrorKind::BadResponse, why);
                turn.fail(ModelError { retryable: true, ..error });
            }
            Some(reason) => {
                // A call that was to be continued is not whole.
                if let Some((call, args)) = self.open.take()
                    && args != NULL
                {
                    turn.call_args_whole(call, &to_text(&args));
                }
                turn.finish_reason(finish(reason, turn.call_count() > 0), Some(reason));
                turn.end();
            }
        }
        Ok(())
    }

    fn content(&mut self, reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
        if !reader.object()? {
            return Ok(());
        }
        while let Some(key) = reader.key()? {
            if key != "parts" || reader.peek()? != b'[' {
                reader.skip()?;
                continue;
            }
            reader.array()?;
            while reader.item()? {
                let part = part(reader)?;
                if let Some(call) = part.call {
                    self.call(&call, part.signature, turn)?;
                } else if part.thought {
                    turn.reasoning(&part.text.text());
                } else {
                    turn.text(&part.text.text());
                }
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        part: &CallPart<'_>,
        signature: Written<'_>,
        turn: &mut TurnBuilder,
    ) -> Result<(), Broken> {
        if self.open.is_none() || !part.name.is_empty() {
            self.close(turn);
            let (id, name) = (part.id.text(), part.name.text());
            let again = !id.is_empty() && turn.has_call(&id, &name, part.args);
            if name.is_empty() || again {
                return Ok(());
            }
            let call = turn.call_start(Some(&id), &name);
            if !signature.is_empty() {
                turn.call_extra(call, THOUGHT_SIGNATURE, Json::string(&signature.text()));
            }
            if part.args.starts_with('{') {
                turn.call_args(call, part.args);
            }
            self.open = Some((call, NULL));
        }
        if let (Some(mut pieces), Some((_, args))) = (part.pieces, self.open.as_mut()) {
            put_pieces(&mut pieces, args)?;
        }
        if !part.will_continue {
            self.close(turn);
        }
        Ok(())
    }

    fn close(&mut self, turn: &mut TurnBuilder) {
        if let Some((call, args)) = self.open.take() {
            if args != NULL {
                turn.call_args_whole(call, &to_text(&args));
            }
            turn.call_end(call);
        }
    }
}

fn usage(reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
    if !reader.object()? {
        return Ok(());
    }
    // Each chunk says all of it anew, and leaves out what is none. Some chunks say nothing of tokens.
    let (mut usage, mut candidates, mut counts) = (Usage::default(), 0, false);
    while let Some(key) = reader.key()? {
        let place = match key {
            "promptTokenCount" => &mut usage.tokens_in,
            "candidatesTokenCount" => &mut candidates,
            "thoughtsTokenCount" => &mut usage.reasoning,
            "cachedContentTokenCount" => &mut usage.cache_read,
            _ => {
                reader.skip()?;
                continue;
            }
        };
        set(place, reader)?;
        counts = true;
    }
    if counts {
        usage.tokens_out = candidates.saturating_add(usage.reasoning);
        *turn.usage() = usage;
    }
    Ok(())
}

fn part<'a>(reader: &mut Reader<'a>) -> Result<GeminiPart<'a>, Broken> {
    let mut part = GeminiPart::default();
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "text" => part.text = reader.written()?,
                "thought" => part.thought = reader.raw()? == "true",
                "thoughtSignature" => part.signature = reader.written()?,
                "functionCall" => part.call = Some(call_part(reader)?),
                _ => reader.skip()?,
            }
        }
    }
    Ok(part)
}

fn call_part<'a>(reader: &mut Reader<'a>) -> Result<CallPart<'a>, Broken> {
    let mut call = CallPart::default();
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "id" => call.id = reader.written()?,
                "name" => call.name = reader.written()?,
                "args" => call.args = reader.raw()?,
                "willContinue" => call.will_continue = reader.raw()? == "true",
                "partialArgs" => {
                    call.pieces = Some(*reader);
                    reader.skip()?;
                }
                _ => reader.skip()?,
            }
        }
    }
    Ok(call)
}

/// Pieces of arguments, each with the place it belongs to: text is added to, other values are set.
fn put_pieces(reader: &mut Reader<'_>, args: &mut Args) -> Result<(), Broken> {
    if !reader.array()? {
        return Ok(());
    }
    while reader.item()? {
        let (mut path, mut value) = (Cow::default(), NULL);
        if reader.object()? {
            while let Some(key) = reader.key()? {
                match key {
                    "jsonPath" => path = reader.text()?,
                    "stringValue" => value = Args::Text(reader.text()?.into_owned()),
                    "numberValue" | "boolValue" => {
                        let raw = reader.raw()?;
                        check(raw, 0).map_err(|_| Broken)?;
                        value = Args::Plain(raw.to_owned());
                    }
                    _ => reader.skip()?,
                }
            }
        }
        // Without it the call would run with other arguments.
        let place = place(args, &path).ok_or(Broken)?;
        match (place, value) {
            (Args::Text(text), Args::Text(more)) => text.push_str(&more),
            (place, value) => *place = value,
        }
    }
    Ok(())
}

/// The value at a path such as `$.list[0].name` or `$['odd name']`, made where it is missing.
fn place<'v>(root: &'v mut Args, path: &str) -> Option<&'v mut Args> {
    let mut at = root;
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    for _ in 0..MAX_DEPTH {
        if rest.is_empty() {
            return Some(at);
        }
        if let Some(inside) = rest.strip_prefix('[') {
            let (step, after) = match inside.strip_prefix(['\'', '"']) {
                Some(quoted) => quoted.split_once("']").or_else(|| quoted.split_once("\"]"))?,
                None => inside.split_once(']')?,
            };
            rest = after;
            if inside.starts_with(['\'', '"']) {
                at = field(at, step)?;
                continue;
            }
            match step.parse::<usize>() {
                Ok(index) => {
                    if !matches!(at, Args::List(_)) {
                        *at = Args::List(Vec::new());
                    }
                    let Args::List(list) = at else { return None };
                    if index > list.len() + WIDEST_GAP {
                        return None;
                    }
                    if list.len() <= index {
                        list.resize(index + 1, NULL);
                    }
                    at = list.get_mut(index)?;
                    continue;
                }
                Err(_) => at = field(at, step)?,
            }
        } else {
            let inside = rest.strip_prefix('.').unwrap_or(rest);
            let end = inside.find(['.', '[']).unwrap_or(inside.len());
            let (step, after) = inside.split_at_checked(end)?;
            rest = after;
            if !step.is_empty() {
                at = field(at, step)?;
            } else if !after.starts_with('[') {
                return None;
            }
        }
    }
    None
}

fn field<'v>(at: &'v mut Args, key: &str) -> Option<&'v mut Args> {
    if !matches!(at, Args::Object(_)) {
        *at = Args::Object(Vec::new());
    }
    let Args::Object(fields) = at else { return None };
    // Pieces come in order, so the one that is being written stands at the end.
    let known = fields.iter().rposition(|(name, _)| name == key);
    let index = known.unwrap_or(fields.len());
    if known.is_none() {
        if index == MAX_FIELDS {
            return None;
        }
        fields.push((key.to_owned(), NULL));
    }
    fields.get_mut(index).map(|(_, value)| value)
}

/// A prompt that was refused has no candidates.
fn prompt_feedback(reader: &mut Reader<'_>, turn: &mut TurnBuilder) -> Result<(), Broken> {
    if reader.object()? {
        while let Some(key) = reader.key()? {
            match key {
                "blockReason" => {
                    if let Some(reason) = reader.string()? {
                        turn.finish_reason(Finish::Refused, Some(&reason));
                        turn.end();
                    }
                }
                _ => reader.skip()?,
            }
        }
    }
    Ok(())
}

fn finish(reason: &str, called: bool) -> Finish {
    match reason {
        "STOP" if called => Finish::ToolCalls,
        "STOP" => Finish::Stop,
        "MAX_TOKENS" => Finish::Length,
        "SAFETY"
        | "RECITATION"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT" => Finish::Refused,
        _ => Finish::Other,
    }
}
