//! What is too long is cut: results of tools and other texts, with a notice of how much there was, names, and lists of issues.

use super::input::Issue;
use super::settings::Settings;
use super::texts;
use crate::json::Json;
use crate::result_parts;
use crate::tool::find;

/// A limit below this would leave no room for the notice.
const LEAST_BYTES: usize = 200;
/// In bytes; providers take names of 64 or 128.
const LONGEST_NAME: usize = 200;
/// More than these would not help a model to do better.
const MAX_ISSUES: usize = 100;

/// How long a result or another text may be, in bytes.
pub(super) fn limit(settings: &Settings) -> usize {
    settings.limits.result_bytes.max(LEAST_BYTES)
}

/// What all files of one result may have: a request with more is refused.
const MAX_MEDIA: usize = 5_000_000;

pub(super) fn data(data: &mut Json, limit: usize) {
    if data.as_str().len() > limit
        && let Some(parts) = result_parts::parts(data)
    {
        let texts: usize = parts.iter().filter_map(|part| part.text.as_ref()).map(String::len).sum();
        if texts <= limit && data.as_str().len() <= MAX_MEDIA {
            return;
        }
        *data = Json::string(&result_parts::told(&parts, |part| texts::left_out(&part.kind)));
    }
    // A text is never longer than its JSON, so most need no look inside.
    if data.as_str().len() > limit {
        let text = data.to_text().unwrap_or_else(|| data.to_string());
        if let Some(cut) = front(&text, limit) {
            *data = Json::string(&cut);
        }
    }
}

pub(super) fn text(text: Option<&mut String>, limit: usize) {
    if let Some(text) = text
        && let Some(cut) = front(text, limit)
    {
        *text = cut;
    }
}

pub(super) fn issues(issues: &mut Vec<Issue>, limit: usize) {
    issues.truncate(MAX_ISSUES);
    issues.iter_mut().for_each(|issue| text(Some(&mut issue.message), limit / MAX_ISSUES + LEAST_BYTES));
}

/// A name that is no tool's is only ever shown, stored and told back to the model.
pub(super) fn name(name: &mut String, settings: &Settings) {
    if name.len() > LONGEST_NAME && find(&settings.tools, name).is_none() {
        name.truncate(name.floor_char_boundary(LONGEST_NAME - "…".len()));
        name.push('…');
    }
}

/// The front of a text that is too long, with a notice, together within the limit; `None` when it is not.
fn front(text: &str, limit: usize) -> Option<String> {
    if text.len() <= limit {
        return None;
    }
    let room = limit.saturating_sub(texts::cut_notice(text.len(), text.len()).len());
    let head = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
    Some(format!("{head}{}", texts::cut_notice(head.len(), text.len())))
}
