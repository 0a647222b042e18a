//! The files of a conversation as its tools reach them: those of its messages, and those that calls returned or added.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::json::Json;
use crate::message::{ContentPart, Message, ToolResult};
use crate::portable::{MaybeSend, MaybeSync};

/// So much of one is read at once where nothing else is said.
pub const MOST_ATTACHMENT_BYTES: u64 = 32 << 20;

/// A file of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The same each time the session is opened.
    pub id: String,
    /// Empty for a picture: those are kept without.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// In bytes; 0 where it is elsewhere.
    pub size: u64,
    pub from: AttachedBy,
    /// Where it is, if it is not in the conversation: nothing else reads it then.
    pub url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachedBy {
    Message,
    Tool,
}

/// An attachment that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct AttachedFile {
    pub about: Attachment,
    body: Body,
}

#[derive(Debug, Clone, PartialEq)]
enum Body {
    Base64(String),
    Text(String),
    Elsewhere(String),
}

/// Why there is no file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttachmentError {
    #[error("This conversation has no attachment \"{name}\". {has}")]
    Unknown { name: String, has: String },
    #[error(
        "The attachment \"{name}\" has {size} bytes, more than the {most} that are read at once. Use `read_within` to read more."
    )]
    TooLarge { name: String, size: u64, most: u64 },
    #[error("The file \"{name}\" cannot be read ({why}).")]
    Unreadable { name: String, why: String },
}

impl AttachmentError {
    pub fn code(&self) -> &'static str {
        match self {
            AttachmentError::Unknown { .. } => "ATTACHMENT_UNKNOWN",
            AttachmentError::TooLarge { .. } => "ATTACHMENT_TOO_LARGE",
            AttachmentError::Unreadable { .. } => "FILE_UNREADABLE",
        }
    }
}

/// Where the messages are.
pub(crate) trait Record: MaybeSend + MaybeSync {
    /// They stand still meanwhile.
    fn look(&self, look: &mut dyn FnMut(&[Arc<Message>]));
}

/// The files of the conversation that a call belongs to. Clones are the same.
#[derive(Clone)]
pub struct Attachments(Arc<dyn Record>);

impl fmt::Debug for Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Attachments")
    }
}

impl Attachments {
    pub(crate) fn new(record: Arc<dyn Record>) -> Self {
        Attachments(record)
    }

    /// All of them, the oldest first.
    pub fn list(&self) -> Vec<Attachment> {
        let mut listed: Vec<Attachment> = Vec::new();
        self.each(&mut |about, _| match listed.iter_mut().find(|known| known.id == about.id) {
            Some(known) => *known = about,
            None => listed.push(about),
        });
        listed
    }

    /// One of them, by its id, or the newest of this name: a model knows files by their names.
    pub fn read(&self, id: &str) -> Result<AttachedFile, AttachmentError> {
        self.read_within(id, MOST_ATTACHMENT_BYTES)
    }

    /// The same, also where it is larger than [`MOST_ATTACHMENT_BYTES`].
    pub fn read_within(&self, id: &str, most_bytes: u64) -> Result<AttachedFile, AttachmentError> {
        let all = self.list();
        let by_name = || all.iter().rfind(|one| one.name == id);
        let Some(one) = all.iter().find(|one| one.id == id).or_else(by_name) else {
            return Err(unknown(id, &all));
        };
        if one.size > most_bytes {
            let name = called(one);
            return Err(AttachmentError::TooLarge { name, size: one.size, most: most_bytes });
        }
        let mut found = None;
        self.each(&mut |about, content| {
            if about.id == one.id {
                found = Some(AttachedFile { about, body: content.own() });
            }
        });
        found.ok_or_else(|| unknown(id, &all))
    }

    fn each(&self, tell: &mut dyn FnMut(Attachment, Content<'_>)) {
        self.0.look(&mut |messages| {
            for (at, message) in messages.iter().enumerate() {
                of_message(at, message, tell);
            }
        });
    }
}

impl AttachedFile {
    pub fn bytes(&self) -> Result<Vec<u8>, AttachmentError> {
        let unreadable = |why: String| AttachmentError::Unreadable { name: called(&self.about), why };
        match &self.body {
            Body::Text(text) => Ok(text.clone().into_bytes()),
            Body::Base64(base64) => {
                decoded(base64).ok_or_else(|| unreadable("its content is damaged".to_owned()))
            }
            Body::Elsewhere(url) => Err(unreadable(format!("it is at {url}, and not in the conversation"))),
        }
    }

    /// What is no UTF-8 stands as �.
    pub fn text(&self) -> Result<String, AttachmentError> {
        match &self.body {
            Body::Text(text) => Ok(text.clone()),
            _ => self.bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        }
    }
}

fn called(one: &Attachment) -> String {
    if one.name.is_empty() { one.id.clone() } else { one.name.clone() }
}

fn unknown(id: &str, all: &[Attachment]) -> AttachmentError {
    const MOST_NAMED: usize = 20;
    let named: Vec<String> = all
        .iter()
        .skip(all.len().saturating_sub(MOST_NAMED))
        .map(|Attachment { id, name, .. }| {
            format!("{id} ({})", if name.is_empty() { "no name" } else { name })
        })
        .collect();
    let has = match named.is_empty() {
        true => "It has none.".to_owned(),
        false => format!("It has {}.", named.join(", ")),
    };
    AttachmentError::Unknown { name: id.chars().take(200).collect(), has }
}

/// Where it is in the record.
enum Content<'a> {
    Base64(&'a str),
    Text(&'a str),
    Elsewhere(&'a str),
}

impl Content<'_> {
    fn own(&self) -> Body {
        match *self {
            Content::Base64(base64) => Body::Base64(base64.to_owned()),
            Content::Text(text) => Body::Text(text.to_owned()),
            Content::Elsewhere(url) => Body::Elsewhere(url.to_owned()),
        }
    }

    fn size(&self) -> u64 {
        match self {
            Content::Base64(base64) => base64.trim_end_matches('=').len() as u64 * 3 / 4,
            Content::Text(text) => text.len() as u64,
            Content::Elsewhere(_) => 0,
        }
    }
}

/// What a file is called, as far as its record says it.
#[derive(Default)]
struct About {
    name: String,
    media_type: String,
}

impl About {
    fn of(file: &Value) -> Self {
        let text = |field: &str| file.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        About { name: text("name"), media_type: text("type") }
    }
}

fn of_message(at: usize, message: &Message, tell: &mut dyn FnMut(Attachment, Content<'_>)) {
    let id = message.id.clone().unwrap_or_else(|| at.to_string());
    for (index, part) in message.content.iter().flatten().enumerate() {
        of_part(format!("{id}.{}", index + 1), part, tell);
    }
    for result in message.results() {
        of_result(result.call_id.as_deref().unwrap_or(&id), result, tell);
    }
}

fn of_part(id: String, part: &ContentPart, tell: &mut dyn FnMut(Attachment, Content<'_>)) {
    let file = part.file.as_ref().and_then(|file| file.read::<Value>().ok());
    let about = file.as_ref().map(About::of).unwrap_or_default();
    if part.kind == "text" {
        if let (Some(text), Some(_)) = (&part.text, &file) {
            told_text(id, about, text, AttachedBy::Message, tell);
        }
        return;
    }
    let Some(source) = &part.source else { return };
    let url = source.url.as_deref();
    let place =
        Place { media_type: Some(&source.media_type), base64: source.data.as_deref(), url, named_by: url };
    told(id, about, &place, AttachedBy::Message, tell);
}

/// Where a file's content is, by the words of messages or of MCP.
struct Place<'a> {
    media_type: Option<&'a str>,
    base64: Option<&'a str>,
    url: Option<&'a str>,
    /// The address whose end is its name, where it has none.
    named_by: Option<&'a str>,
}

fn told(
    id: String,
    about: About,
    place: &Place<'_>,
    from: AttachedBy,
    tell: &mut dyn FnMut(Attachment, Content<'_>),
) {
    let content = match (place.base64, place.url) {
        (Some(base64), _) => Content::Base64(base64),
        (None, Some(url)) => Content::Elsewhere(url),
        (None, None) => return,
    };
    let name = match about.name.is_empty() {
        true => place.named_by.map(last_part).unwrap_or_default().to_owned(),
        false => about.name,
    };
    let media_type = match about.media_type.is_empty() {
        true => place.media_type.unwrap_or_default().to_owned(),
        false => about.media_type,
    };
    let url = place.url.filter(|_| place.base64.is_none()).map(str::to_owned);
    tell(Attachment { id, name, media_type, size: content.size(), from, url }, content);
}

/// Its name stands above it, for the model.
fn told_text(
    id: String,
    about: About,
    text: &str,
    from: AttachedBy,
    tell: &mut dyn FnMut(Attachment, Content<'_>),
) {
    let above = format!("{}:\n", if about.name.is_empty() { "file" } else { &about.name });
    let content = Content::Text(text.strip_prefix(&above).unwrap_or(text));
    let About { name, media_type } = about;
    tell(Attachment { id, name, media_type, size: content.size(), from, url: None }, content);
}

/// The name of a file at an address.
fn last_part(address: &str) -> &str {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

fn of_result(id: &str, result: &ToolResult, tell: &mut dyn FnMut(Attachment, Content<'_>)) {
    if let Some(data) = with_files(&result.result.data) {
        let given = data.get("content").unwrap_or(&data);
        let blocks = given.as_array().map_or(std::slice::from_ref(given), Vec::as_slice);
        for (index, block) in blocks.iter().enumerate() {
            of_block(format!("{id}.result.{}", index + 1), block, tell);
        }
    }
    for (index, output) in result.outputs.iter().flatten().enumerate() {
        if output.kind == "file"
            && let Ok(data) = output.data.read::<Value>()
        {
            let text = |field: &str| data.get(field).and_then(Value::as_str);
            let place = Place { media_type: None, base64: text("data"), url: text("url"), named_by: None };
            told(format!("{id}.{}", index + 1), About::of(&data), &place, AttachedBy::Tool, tell);
        }
    }
}

/// What has no word of a file in it is not read: results may be long.
fn with_files(data: &Json) -> Option<Value> {
    let text = data.as_str();
    let words = ["\"source\"", "\"mimeType\"", "\"resource\"", "\"file\""];
    let may_be = text.starts_with(['[', '{']) && words.iter().any(|word| text.contains(word));
    if may_be { data.read().ok() } else { None }
}

/// A part as messages have it, or a block of an MCP server.
fn of_block(id: String, block: &Value, tell: &mut dyn FnMut(Attachment, Content<'_>)) {
    let text = |value: Option<&Value>, field: &str| value?.get(field)?.as_str().map(str::to_owned);
    let file = block.get("file").filter(|file| !file.is_null());
    let about = file.map(About::of).unwrap_or_default();
    let kind = block.get("type").and_then(Value::as_str);
    if kind == Some("text") {
        if let (Some(written), Some(_)) = (block.get("text").and_then(Value::as_str), file) {
            told_text(id, about, written, AttachedBy::Tool, tell);
        }
        return;
    }
    let resource = block.get("resource").filter(|_| kind == Some("resource"));
    let source = block.get("source");
    let media_type = text(source, "media_type").or_else(|| text(Some(resource.unwrap_or(block)), "mimeType"));
    let own = || media_type.as_ref().and_then(|_| text(Some(block), "data"));
    let base64 = text(source, "data").or_else(|| text(resource, "blob")).or_else(own);
    let (url, uri) = (text(source, "url"), text(resource, "uri"));
    let place = Place {
        media_type: media_type.as_deref(),
        base64: base64.as_deref(),
        url: url.as_deref(),
        named_by: uri.as_deref().or(url.as_deref()),
    };
    told(id, about, &place, AttachedBy::Tool, tell);
}

/// Base64 in one of its alphabets, with or without its end; `None` where it is none.
fn decoded(base64: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(base64.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for digit in base64.trim_end().trim_end_matches('=').bytes().filter(|digit| !digit.is_ascii_whitespace())
    {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    // One digit alone is no byte.
    (count < 6).then_some(bytes)
}
