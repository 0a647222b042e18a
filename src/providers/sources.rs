//! Where an answer says that it comes from: each address once, in the order of their first mention. Every format names its sources in
//! lists of objects with an address, each under its own keys, and none of these has another meaning in another format.

use crate::answer::TurnBuilder;
use crate::ids::Ids;
use crate::json::Json;
use crate::json::reader::{Broken, Reader};
use crate::json::scan::find2;

/// In bytes: more than anybody looks at.
const MOST: usize = 20_000;
/// Lists and objects in each other: no provider puts them deeper.
const DEEPEST: u8 = 12;

const NO_TITLE: &str = r#""""#;

/// How an address begins, as it is written. A document of the request has none.
const OF_THE_WEB: &str = r#""http"#;

#[derive(Debug, Default)]
pub(crate) struct Sources {
    known: Ids,
    list: String,
}

/// Whether there is a `://` anywhere, perhaps with its slashes escaped. It is asked of every event, so it looks for a byte that the
/// events of a plain answer do not have.
fn has_address(data: &str) -> bool {
    let bytes = data.as_bytes();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..) {
        at += find2(b'/', b'/', rest);
        let before = bytes.get(..at).unwrap_or_default();
        if at < bytes.len() && (before.ends_with(b":") || before.ends_with(b":\\")) {
            return true;
        }
        at += 1;
    }
    false
}

/// Of annotations and citations, of Gemini, and of those that search the web before each answer.
fn is_list(name: &str) -> bool {
    ["tation", "groundingChunks", "search_results"].iter().any(|word| name.contains(word))
}

impl Sources {
    /// Looks for them in an event, or in a whole answer.
    pub(crate) fn read(&mut self, data: &str, turn: &mut TurnBuilder) {
        let before = self.list.len();
        // Most events have none.
        if !has_address(data)
            || !is_list(data)
            || self.value(&mut Reader::new(data), 0, false).is_err()
            || self.list.len() == before
        {
            return;
        }
        if let Some(list) = self.list.get(1..) {
            turn.sources(Json::parse(&format!("[{list}]")).ok());
        }
    }

    fn value(&mut self, reader: &mut Reader<'_>, depth: u8, inside: bool) -> Result<(), Broken> {
        // As they are written.
        let (mut url, mut title) = ("", NO_TITLE);
        match reader.peek()? {
            b'[' if depth < DEEPEST => {
                reader.array()?;
                while reader.item()? {
                    self.value(reader, depth + 1, inside)?;
                }
            }
            b'{' if depth < DEEPEST => {
                reader.object()?;
                while let Some(key) = reader.key()? {
                    match key {
                        // Of calls.
                        "args" | "input" => reader.skip()?,
                        "url" | "uri" | "source" if inside => {
                            let value = reader.raw()?;
                            // Perplexity says in `source` that it is of the web.
                            if value.starts_with(OF_THE_WEB) || !url.starts_with(OF_THE_WEB) {
                                url = value;
                            }
                        }
                        "title" if inside => title = reader.raw()?,
                        _ => self.value(reader, depth + 1, inside || is_list(key))?,
                    }
                }
            }
            _ => reader.skip()?,
        }
        if !title.starts_with('"') {
            title = NO_TITLE;
        }
        if url.starts_with(OF_THE_WEB)
            && self.list.len() + url.len() + title.len() < MOST
            && self.known.insert(url)
        {
            for part in [r#",{"url":"#, url, r#","title":"#, title, "}"] {
                self.list.push_str(part);
            }
        }
        Ok(())
    }
}
