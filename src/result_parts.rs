//! What models are told of the result of a tool. Pictures and files among it are parts as messages have them, or the blocks that MCP
//! servers send.

use std::borrow::Cow;

use crate::json::Json;
use crate::json::codec::{Read, Write, from_checked, from_text, object, to_text};
use crate::json::scan::word_at;
use crate::message::{ContentPart, ContentSource, Extra, SideOutput, ToolResult, ToolStatus};

#[derive(Read)]
struct Block {
    #[json(rename = "type")]
    kind: String,
    text: Option<String>,
    source: Option<ContentSource>,
    data: Option<String>,
    #[json(rename = "mimeType")]
    media_type: Option<String>,
    resource: Option<Resource>,
    #[json(flatten)]
    rest: Extra,
}

#[derive(Read)]
#[json(rename_all = "camelCase")]
struct Resource {
    blob: Option<String>,
    text: Option<String>,
    mime_type: Option<String>,
}

/// What an MCP server answers a call with.
#[derive(Read)]
struct Answer {
    content: Vec<Json>,
    #[json(flatten)]
    rest: Extra,
}

/// Blocks of other kinds have sources too, for instance results of a search: those are what a tool says, and no file.
const FILES: &[&str] = &["image", "document", "file", "audio", "video"];

/// The parts of a result that has a picture or a file among them.
pub(crate) fn parts(data: &Json) -> Option<Vec<ContentPart>> {
    let text = data.as_str();
    let may_be = || ["\"source\"", "\"mimeType\""].iter().any(|word| word_at(text, word).is_some());
    if !text.starts_with(['[', '{']) || !may_be() {
        return None;
    }
    let (blocks, rest) = match from_checked::<Answer>(text) {
        Ok(answer) => (answer.content, answer.rest),
        Err(_) => (from_checked(text).unwrap_or_else(|_| vec![data.clone()]), Extra::default()),
    };
    let mut parts = Vec::new();
    for block in &blocks {
        add(block, &mut parts);
    }
    add_rest(&rest, &mut parts);
    parts.iter().any(|part| part.source.is_some()).then_some(parts)
}

/// A block of another kind is told as it is.
fn add(block: &Json, parts: &mut Vec<ContentPart>) {
    let read = from_text::<Block>(block.as_str()).ok();
    let known = read.and_then(|mut block| {
        let rest = std::mem::take(&mut block.rest);
        Some((known(block)?, rest))
    });
    let Some((part, rest)) = known else {
        return parts.push(text_part(block.to_text().unwrap_or_else(|| block.to_string())));
    };
    // Blank texts are refused where others stand beside them.
    if part.source.is_some() || part.text.as_ref().is_some_and(|text| !text.trim().is_empty()) {
        parts.push(part);
    }
    add_rest(&rest, parts);
}

/// What else a tool has said beside a file, without what is for clients.
fn add_rest(rest: &Extra, parts: &mut Vec<ContentPart>) {
    let says = |(name, value): &&(String, Json)| {
        let name = name.as_str();
        !matches!(
            (name, value.as_str()),
            ("annotations" | "_meta" | "cache_control", _) | ("isError", "false")
        )
    };
    let said: Vec<_> = rest.0.iter().filter(says).collect();
    if said.is_empty() {
        return;
    }
    let fields: Vec<(&str, &dyn Write)> =
        said.iter().map(|(name, value)| (name.as_str(), value as &dyn Write)).collect();
    let mut text = String::new();
    object(&mut text, &fields);
    parts.push(text_part(text));
}

fn known(block: Block) -> Option<ContentPart> {
    let Block { kind, text, source, data, media_type, resource, .. } = block;
    if kind == "text" {
        return text.map(text_part);
    }
    if let Some(resource) = resource.filter(|_| kind == "resource") {
        return match resource.blob {
            Some(blob) => Some(file(blob, &resource.mime_type.unwrap_or_default())),
            None => resource.text.map(text_part),
        };
    }
    if !FILES.contains(&kind.as_str()) {
        return None;
    }
    match source.filter(|source| source.data.is_some() || source.url.is_some()) {
        Some(source) => Some(ContentPart { kind, source: Some(source), ..ContentPart::default() }),
        None => Some(file(data?, &media_type?)),
    }
}

fn text_part(text: String) -> ContentPart {
    ContentPart { kind: "text".to_owned(), text: Some(text), ..ContentPart::default() }
}

fn file(data: String, media_type: &str) -> ContentPart {
    let begins = media_type.split('/').next().unwrap_or_default();
    let kind = if matches!(begins, "image" | "audio" | "video") { begins } else { "document" };
    let source = ContentSource {
        kind: "base64".to_owned(),
        data: Some(data),
        media_type: media_type.to_owned(),
        ..ContentSource::default()
    };
    ContentPart { kind: kind.to_owned(), source: Some(source), ..ContentPart::default() }
}

/// The parts as one text, with a note in the place of each picture and file.
pub(crate) fn told(parts: &[ContentPart], note: impl Fn(&ContentPart) -> String) -> String {
    let mut told = String::new();
    for part in parts {
        if !told.is_empty() {
            told.push('\n');
        }
        match &part.text {
            Some(text) if part.source.is_none() => told.push_str(text),
            _ => told.push_str(&note(part)),
        }
    }
    told
}

impl ContentPart {
    /// What stands for a picture or a file that a model does not get.
    pub(crate) fn note(&self) -> String {
        let mut kind = self.kind.clone();
        if let Some(first) = kind.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        match self.source.as_ref().map(|source| source.media_type.as_str()) {
            None | Some("") => format!("[{kind} attachment]"),
            Some(media_type) => format!("[{kind} attachment: {media_type}]"),
        }
    }
}

impl ToolResult {
    /// What the tool gave with pictures and files among it, and what is told of its other files. A summary stands for all of it.
    pub(crate) fn parts(&self) -> Option<Vec<ContentPart>> {
        let result = &self.result;
        let counts = result.summary.is_none() && !self.is_failed();
        let mut parts = counts.then(|| parts(&result.data))??;
        for output in self.outputs.iter().flatten() {
            if let Some(text) = output.text_for_model() {
                let kind = "text".to_owned();
                parts.push(ContentPart { kind, text: Some(text), ..ContentPart::default() });
            }
        }
        Some(parts)
    }

    fn is_failed(&self) -> bool {
        matches!(self.result.status, ToolStatus::Error | ToolStatus::Aborted)
    }

    /// The data where results have a form of their own: the text that is told in its place, where one is.
    pub fn data_for_model(&self) -> Cow<'_, Json> {
        let result = &self.result;
        let told = result.summary.is_some()
            || self.outputs.iter().flatten().any(|output| output.text_for_model().is_some());
        if self.is_failed() || !told {
            return Cow::Borrowed(&result.data);
        }
        let written = self.parts().and_then(|parts| Json::parse(&to_text(&parts)).ok());
        Cow::Owned(written.unwrap_or_else(|| Json::string(&self.text_for_model())))
    }

    /// What the model reads of this result: the data as it is when it is text, else as JSON, with notes in the place of pictures and
    /// files; an error with its message first; then what is told of files. The summary of a result stands for its data where one was made.
    pub fn text_for_model(&self) -> String {
        if let Some(parts) = self.parts() {
            return told(&parts, ContentPart::note);
        }
        let result = &self.result;
        let data = match (&result.summary, result.data.to_text()) {
            (Some(summary), _) if result.status == ToolStatus::Success => summary.clone(),
            (_, Some(text)) => text,
            (_, None) => result.data.to_string(),
        };
        let mut text = match result.status {
            ToolStatus::Success | ToolStatus::Pending => data,
            ToolStatus::Error | ToolStatus::Aborted => {
                let mut text = "Error: ".to_owned();
                text.push_str(result.message.as_deref().unwrap_or("Unknown error"));
                if !result.data.is_null() && !data.is_empty() {
                    text.push('\n');
                    text.push_str(&data);
                }
                text
            }
        };
        for output in self.outputs.iter().flatten() {
            if let Some(summary) = output.text_for_model() {
                text.push('\n');
                text.push_str(&summary);
            }
        }
        text
    }
}

impl SideOutput {
    fn text_for_model(&self) -> Option<String> {
        match (self.kind.as_str(), &self.summary) {
            ("widget", _) | (_, None) if self.kind != "file" => None,
            (_, Some(summary)) => Some(summary.clone()),
            (_, None) => {
                let name = from_checked::<FileName>(self.data.as_str()).ok().and_then(|file| file.name);
                Some(format!("[File: {}]", name.as_deref().unwrap_or("unnamed")))
            }
        }
    }
}

#[derive(Read)]
struct FileName {
    name: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_and_files_are_found_in_the_forms_in_which_tools_give_them() {
        let table = [
            (
                r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}"#,
                "[Image attachment: image/png]",
            ),
            (
                r#"[{"type":"text","text":"a"},{"type":"document","source":{"type":"url","url":"https://h/a.pdf"}}]"#,
                "a\n[Document attachment]",
            ),
            (
                r#"{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},{"type":"text","text":"b"}],"isError":false}"#,
                "[Image attachment: image/png]\nb",
            ),
            (
                r#"[{"type":"resource","resource":{"uri":"file:///a","mimeType":"application/pdf","blob":"JVBERi0="}},{"type":"resource_link","uri":"u"}]"#,
                "[Document attachment: application/pdf]\n{\"type\":\"resource_link\",\"uri\":\"u\"}",
            ),
            (r#"{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}"#, "[Audio attachment: audio/wav]"),
            (
                r#"{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png","alt":"a dog"}],"structuredContent":{"dogs":1},"isError":true}"#,
                "[Image attachment: image/png]\n{\"alt\":\"a dog\"}\n{\"structuredContent\":{\"dogs\":1},\"isError\":true}",
            ),
        ];
        for (data, expected) in table {
            let parts = parts(&Json::parse(data).unwrap()).unwrap_or_else(|| panic!("{data}"));
            assert_eq!(told(&parts, ContentPart::note), expected, "{data}");
        }
    }

    #[test]
    fn what_only_looks_like_a_picture_stays_what_it_is() {
        for data in [
            "null",
            r#""iVBORw0KGgo=""#,
            r#"[{"type":"text","text":"a"}]"#,
            r#"{"type":"image","source":"web"}"#,
            r#"[{"type":"article","title":"T","snippet":"S","source":{"type":"web","url":"https://h"}}]"#,
            r#"{"type":"image","source":{"type":"none"}}"#,
            r#"{"files":[{"name":"a","mimeType":"image/png","data":"x"}]}"#,
            r#"[{"source":{"type":"base64","data":"x"}}]"#,
            r#"{"content":"see \"source\"","mimeType":"text/plain"}"#,
        ] {
            assert!(parts(&Json::parse(data).unwrap()).is_none(), "{data}");
        }
    }
}
