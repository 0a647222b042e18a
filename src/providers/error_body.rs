//! What the body of an error says, wherever its provider says it.

use std::borrow::Cow;

use super::error_text::{EXCERPT, excerpt};
use crate::json::reader::{Broken, Reader};
use crate::portable::SPEAKS_TO_PROVIDERS;

#[derive(Default)]
pub(super) struct Details<'a> {
    pub(super) message: Option<Cow<'a, str>>,
    /// Every word that names the kind of error (`type`, `code`, `status`), in lower case.
    pub(super) codes: String,
    pub(super) status: Option<u16>,
    pub(super) retry_after_ms: Option<u64>,
    pub(super) request_id: Option<String>,
    /// What the server calls it, and how much that says.
    pub(super) named: Option<(Naming, String)>,
    /// Where in the request it is, in front of the message about that place.
    pub(super) place: String,
    /// What it calls the field that is at fault.
    pub(super) param: Option<String>,
    /// What a chat handler says of its provider.
    pub(super) provider: Behind,
    /// What an endpoint calls its refusal; a failure of the model, which has a kind, is known by that.
    pub(super) code: Option<String>,
    pub(super) has_kind: bool,
}

#[derive(Default)]
pub(super) struct Behind {
    pub(super) status: Option<u16>,
    pub(super) code: Option<String>,
    pub(super) transient: Option<bool>,
    pub(super) media: bool,
}

/// The fields that name the kind of an error, the one that says most last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Naming {
    Reason,
    Status,
    Type,
    Code,
}

impl Details<'_> {
    fn name(&mut self, key: &str, name: &str) {
        let naming = match key {
            "code" => Naming::Code,
            "type" => Naming::Type,
            "status" => Naming::Status,
            _ => Naming::Reason,
        };
        // A status is told beside it, and the types of events and of details name no error.
        let is_name = name.parse::<u16>().is_ok_and(|code| (400..=599).contains(&code))
            || name.is_empty()
            || ["error", "failed"].contains(&name)
            || name.starts_with("response.");
        if !is_name && self.named.as_ref().is_none_or(|(known, _)| *known < naming) {
            self.named = Some((naming, excerpt(name)));
        }
    }
}

pub(super) fn read(body: &str) -> Result<Details<'_>, Broken> {
    let mut details = Details::default();
    let mut reader = Reader::new(body);
    match reader.peek()? {
        b'{' => object(&mut reader, &mut details, 0)?,
        // Google's OpenAI-shaped endpoint wraps its error in an array.
        b'[' => {
            reader.array()?;
            if reader.item()? {
                object(&mut reader, &mut details, 0)?;
            }
        }
        b'"' => details.message = reader.string()?,
        _ => return Err(Broken),
    }
    Ok(details)
}

fn object<'a>(reader: &mut Reader<'a>, details: &mut Details<'a>, depth: usize) -> Result<(), Broken> {
    if depth > 4 || !reader.object()? {
        return if depth > 4 { reader.skip() } else { Ok(()) };
    }
    while let Some(key) = reader.key()? {
        match (key, reader.peek()?) {
            ("error" | "response" | "err" | "metadata" | "x_groq" | "message", b'{') => {
                object(reader, details, depth + 1)?;
            }
            ("message" | "error" | "detail" | "error_description" | "msg", b'"') => {
                let message = reader.string()?;
                if details.message.as_deref().is_none_or(str::is_empty) {
                    details.message = match std::mem::take(&mut details.place) {
                        place if place.is_empty() => message,
                        place => Some(Cow::Owned(place + ": " + &message.unwrap_or_default())),
                    };
                }
            }
            // The router's own message says nothing; this is what the provider behind it said.
            ("raw", b'"') => {
                let raw = reader.text()?;
                let summary = details.message.take().unwrap_or_default();
                details.message = Some(Cow::Owned(format!("{summary}: {}", excerpt(&raw))));
            }
            ("loc", b'[') if SPEAKS_TO_PROVIDERS => details.place = place(reader.raw()?)?,
            ("param", b'"') if SPEAKS_TO_PROVIDERS => {
                details.param = Some(reader.text()?.into_owned());
            }
            ("details" | "detail" | "message", b'[') => {
                reader.array()?;
                while reader.item()? {
                    object(reader, details, depth + 1)?;
                }
            }
            ("type" | "code" | "status" | "reason", b'"') => {
                let code = reader.text()?;
                details.name(key, &code);
                if details.codes.len() < EXCERPT {
                    details.codes.push_str(&excerpt(&code).to_ascii_lowercase());
                    details.codes.push(' ');
                }
                details.status = details.status.or_else(|| code.parse().ok());
                if key == "code" {
                    details.code = Some(code.into_owned());
                }
            }
            ("code" | "status" | "status_code" | "http_status", _) => {
                let code = reader.count()?.and_then(|code| u16::try_from(code).ok());
                details.status = details.status.or(code);
            }
            ("kind", _) => {
                details.has_kind = true;
                reader.skip()?;
            }
            ("provider_status", _) => {
                details.provider.status = reader.count()?.and_then(|code| u16::try_from(code).ok());
            }
            ("provider_code", b'"') => details.provider.code = reader.string()?.map(Cow::into_owned),
            ("transient", _) => details.provider.transient = Some(reader.raw()? == "true"),
            ("media", _) => details.provider.media = reader.raw()? == "true",
            ("retryDelay", b'"') => {
                let delay = reader.text()?;
                details.retry_after_ms = seconds(delay.trim_end_matches('s'));
            }
            ("retry_after" | "retry_after_seconds", _) => details.retry_after_ms = seconds(reader.raw()?),
            ("retry_after_ms", _) => details.retry_after_ms = reader.count()?,
            ("request_id" | "requestId", b'"') => {
                details.request_id = reader.string()?.map(Cow::into_owned);
            }
            _ => reader.skip()?,
        }
    }
    Ok(())
}

/// A place in the body as a path: `["body", "messages", 2]` is `messages.2`.
fn place(path: &str) -> Result<String, Broken> {
    let mut reader = Reader::new(path);
    let mut place = String::new();
    reader.array()?;
    while reader.item()? {
        let step = reader.raw()?.trim_matches('"');
        if step != "body" {
            place.push_str(if place.is_empty() { "" } else { "." });
            place.push_str(step);
        }
    }
    Ok(place)
}

fn seconds(text: &str) -> Option<u64> {
    let seconds = crate::json::reader::number(text.trim_matches('"')).filter(|s| *s >= 0.0)?;
    Some((seconds * 1000.0).ceil() as u64)
}
