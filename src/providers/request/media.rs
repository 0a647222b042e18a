//! Pictures and files: what they are, and what stands for those that a provider does not take (`supported_media.rs` says which).

use std::borrow::Cow;

use crate::message::{ContentPart, ContentSource};
use crate::providers::base64::text_of;
use crate::providers::request::parts::RequestParts;

pub(in crate::providers) const PDF: &str = "application/pdf";

/// What every provider that reads pictures takes.
pub(in crate::providers) const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Types of texts that are not called so.
const TEXTS: [&str; 8] = [
    "application/json",
    "application/xml",
    "application/yaml",
    "application/x-yaml",
    "application/javascript",
    "application/x-javascript",
    "application/x-ndjson",
    "application/sql",
];

/// How the data of a file begins whose type is not told.
const BEGINNINGS: [(&str, &str); 5] = [
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi0", PDF),
];

/// How an address ends whose type is not told.
const ENDINGS: [(&str, &str); 9] = [
    (".png", "image/png"),
    (".jpg", "image/jpeg"),
    (".jpeg", "image/jpeg"),
    (".gif", "image/gif"),
    (".webp", "image/webp"),
    (".svg", "image/svg+xml"),
    (".heic", "image/heic"),
    (".pdf", PDF),
    (".mp4", "video/mp4"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::providers) enum Kind {
    Picture,
    Video,
    Sound,
    Text,
    Other,
}

/// Where a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::providers) enum Place<'a> {
    /// Here, as whole base64 of the usual alphabet.
    Data(Cow<'a, str>),
    Address(&'a str),
}

/// A file that leads somewhere.
#[derive(Debug)]
pub(in crate::providers) struct File<'a> {
    pub kind: Kind,
    /// In small letters; empty where nobody knows.
    pub media_type: Cow<'a, str>,
    pub place: Place<'a>,
}

impl<'a> File<'a> {
    pub(in crate::providers) fn of(part: &'a ContentPart) -> Option<Self> {
        let source = part.source.as_ref()?;
        let (declared, place) = place(source)?;
        let mut media_type = Cow::Borrowed(declared.split(';').next().unwrap_or_default().trim());
        if media_type.bytes().any(|byte| byte.is_ascii_uppercase()) {
            media_type = Cow::Owned(media_type.to_ascii_lowercase());
        }
        if matches!(media_type.as_ref(), "" | "application/octet-stream") {
            media_type = Cow::Borrowed(guessed(&place));
        }
        if media_type == "image/jpg" {
            media_type = Cow::Borrowed("image/jpeg");
        }
        let kind = match (media_type.split('/').next().unwrap_or_default(), part.kind.as_str()) {
            ("image", _) | ("", "image") => Kind::Picture,
            ("video", _) | ("", "video") => Kind::Video,
            ("audio", _) | ("", "audio") => Kind::Sound,
            ("text", _) => Kind::Text,
            _ if TEXTS.contains(&media_type.as_ref()) => Kind::Text,
            _ => Kind::Other,
        };
        Some(File { kind, media_type, place })
    }

    /// Whether it is a picture of one of these types. A picture by URL may have an unknown type.
    pub(in crate::providers) fn is_picture(&self, types: &[&str]) -> bool {
        self.kind == Kind::Picture && self.is_one_of(types)
    }

    pub(in crate::providers) fn is_pdf(&self) -> bool {
        self.media_type == PDF
    }

    /// The type of a URL may be unknown.
    pub(in crate::providers) fn is_one_of(&self, types: &[&str]) -> bool {
        types.contains(&self.media_type.as_ref())
            || self.media_type.is_empty() && matches!(self.place, Place::Address(_))
    }

    pub(in crate::providers) fn data(&self) -> Option<&str> {
        match &self.place {
            Place::Data(data) => Some(data),
            Place::Address(_) => None,
        }
    }

    /// What stands in a file of text, where it is here.
    pub(in crate::providers) fn text(&self) -> Option<String> {
        let data = self.data().filter(|_| self.kind == Kind::Text)?;
        text_of(data).filter(|text| !text.trim().is_empty())
    }

    /// As one URL.
    pub(in crate::providers) fn url(&self) -> Cow<'a, str> {
        match &self.place {
            Place::Data(data) => Cow::Owned(format!("data:{};base64,{data}", self.media_type)),
            Place::Address(url) => Cow::Borrowed(url),
        }
    }
}

/// The type as it was told, and where the file is.
fn place(source: &ContentSource) -> Option<(&str, Place<'_>)> {
    let address = match (&source.data, &source.url) {
        (Some(data), _) if source.kind == "base64" => data.as_str(),
        (_, Some(url)) => url.as_str(),
        (_, None) => return None,
    };
    if let Some((declared, data)) = address.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"))
    {
        let declared = if declared.is_empty() { source.media_type.as_str() } else { declared };
        return Some((declared, Place::Data(base64(data)?)));
    }
    if source.data.is_some() && source.kind == "base64" {
        return Some((source.media_type.as_str(), Place::Data(base64(address)?)));
    }
    // No server reads what is only in a page, or on a disk.
    let is_reached =
        address.starts_with("https://") || address.starts_with("http://") || address.starts_with("gs://");
    is_reached.then_some((source.media_type.as_str(), Place::Address(address)))
}

/// Base64 as servers take it: what is written with line breaks, for addresses or without its end is written anew.
fn base64(text: &str) -> Option<Cow<'_, str>> {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    let digits = text.trim_end_matches('=');
    if !digits.is_empty()
        && digits.bytes().all(is_digit)
        && text.len().is_multiple_of(4)
        && text.len() - digits.len() < 3
    {
        return Some(Cow::Borrowed(text));
    }
    let mut whole = String::new();
    for byte in digits.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        whole.push(char::from(match byte {
            b'-' => b'+',
            b'_' => b'/',
            byte if is_digit(byte) => byte,
            _ => return None,
        }));
    }
    let missing = (4 - whole.len() % 4) % 4;
    whole.push_str("==".get(..missing)?);
    (!whole.is_empty()).then_some(Cow::Owned(whole))
}

fn guessed(place: &Place<'_>) -> &'static str {
    let known = match place {
        Place::Data(data) => BEGINNINGS.iter().find(|(begin, _)| data.starts_with(begin)),
        Place::Address(url) => {
            let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
            ENDINGS.iter().find(|(end, _)| path.ends_with(end))
        }
    };
    known.map_or("", |(_, media_type)| media_type)
}

impl RequestParts<'_> {
    /// What stands for media that the provider does not take; the developer is told, and the model reads it.
    pub(in crate::providers) fn left_out(&self, part: &ContentPart) -> String {
        let why = format!(
            "`{}` does not accept this kind of file. Send another kind, send its text, or use another model.",
            self.options.model
        );
        self.replaced(part, "", why)
    }

    /// The same where a tool's result is nothing but text. A page reads in the sentence that no file of a person's is meant.
    pub(in crate::providers) fn left_out_of_result(&self, part: &ContentPart) {
        let why = format!("`{}` takes only text from a tool.", self.options.model);
        self.replaced(part, " of a tool's result", why);
    }

    fn replaced(&self, part: &ContentPart, of: &str, why: String) -> String {
        let note = part.note();
        let data = part.source.as_ref().and_then(|source| source.data.as_deref());
        let is_broken = data.is_some_and(|data| !data.is_empty()) && File::of(part).is_none();
        let why = if is_broken { "its data is not base64.".to_owned() } else { why };
        let message = format!("{note}{of} was left out of the request and replaced by this note: {why}");
        self.notices.add("MEDIA_LEFT_OUT", message);
        note
    }
}
