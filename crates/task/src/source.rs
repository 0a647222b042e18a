//! Where what a task says comes from: the lines of `progress/sources.jsonl`, and what was read, kept beside the step that read it.

use crate::layout::{WorkspacePath, of_step};
use crate::report::Deliverable;
use crate::text::{first_line, sha256};
use glove_wasm::json::codec::{Read, Write, from_text, through_codec};

const LONGEST_TITLE: usize = 200;
const LONGEST_SNIPPET: usize = 300;

/// A page or a file of the web that a tool read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Read, Write)]
pub struct Source {
    pub url: String,
    #[json(default)]
    pub title: String,
    #[json(default)]
    pub snippet: String,
    /// `sha256:…` of what was read.
    #[json(default)]
    pub checksum: String,
    /// Where that is kept.
    #[json(default)]
    pub path: String,
}

through_codec! { Source }

/// A source, and what was read there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    pub url: String,
    pub content: String,
}

/// What the tools that read the web answer with.
#[derive(Read)]
struct Answer {
    url: String,
    text: String,
    status: Option<u32>,
}

impl Fetched {
    /// The result of a call; nothing where it read no page.
    pub fn of_result(tool: &str, data: &str) -> Option<Fetched> {
        if !["http_fetch", "url_extract"].contains(&tool) {
            return None;
        }
        let Answer { url, text, status } = from_text(data).ok()?;
        let is_page = status.is_none_or(|status| status < 400);
        is_page.then_some(Fetched { url, content: text })
    }

    /// As a step cites it and keeps it. The name is the whole hash of the content, where no tool writes: nothing else ever stands there.
    pub fn kept_by(&self, step: &str) -> (Source, WorkspacePath) {
        let hash = sha256(self.content.as_bytes());
        let path = of_step(step, &format!("sources/{hash}.txt"));
        let source = Source {
            url: self.url.clone(),
            title: title_of(&self.content),
            snippet: first_line(
                &self.content.split_whitespace().collect::<Vec<_>>().join(" "),
                LONGEST_SNIPPET,
            ),
            checksum: format!("sha256:{hash}"),
            path: path.as_str().to_owned(),
        };
        (source, path)
    }

    pub(crate) fn deliverable(&self, path: &WorkspacePath, source: &Source) -> Deliverable {
        Deliverable {
            title: source.title.clone(),
            ..Deliverable::of(path.as_str(), "source", self.content.as_bytes())
        }
    }
}

/// The `<title>` of a page, or else its first line.
fn title_of(text: &str) -> String {
    let inside = text.split_once("<title").and_then(|(_, rest)| rest.split_once('>'));
    let inside = inside.and_then(|(_, rest)| rest.split_once('<')).map(|(title, _)| title.trim());
    let line =
        || text.lines().map(|line| line.trim_start_matches(['#', ' ', '\t'])).find(|line| !line.is_empty());
    first_line(inside.filter(|title| !title.is_empty()).or_else(line).unwrap_or_default(), LONGEST_TITLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_is_called_is_its_title_or_its_first_line() {
        let table = [
            ("<html><head><title lang=en> Whales </title></head>", "Whales"),
            ("\n# Whales\n\nThey sing.", "Whales"),
            ("<title></title>\nText", "<title></title>"),
            ("<title", "<title"),
            ("", ""),
        ];
        for (text, title) in table {
            assert_eq!(title_of(text), title, "{text}");
        }
    }

    #[test]
    fn a_page_that_is_not_there_is_no_source() {
        let data = r#"{"url":"https://a.example/","status":404,"type":"text/html","text":"Gone"}"#;
        assert_eq!(Fetched::of_result("http_fetch", data), None);
        assert_eq!(Fetched::of_result("http_post", &data.replace("404", "200")), None);
        assert_eq!(Fetched::of_result("http_fetch", "\"text\""), None);
        assert!(Fetched::of_result("http_fetch", &data.replace("404", "200")).is_some());
    }
}
