//! Whether a refusal is about a picture or a file of the conversation. Those are left out of it for good, so what names a tool, a
//! model or a parameter that happens to be called after pictures does not count.

use crate::json::scan::word_at;

/// Nothing else is said so, whatever the status.
const CERTAIN: [&str; 12] = [
    "support image input",
    "image input is not supported",
    "required for image input",
    "not a multimodal",
    "content must be a string",
    "failed to decode image",
    "failed to load image",
    "image: unknown format",
    "invalid image input",
    "invalid base64 data",
    "illegal base64 data",
    "图片输入格式",
];

/// What a picture or a file is called, where it stands as a word of its own.
const NAMES: [&str; 21] = [
    "image",
    "images",
    "picture",
    "pictures",
    "pdf",
    "pdfs",
    "video",
    "videos",
    "audio",
    "multimodal",
    "image_url",
    "image_data",
    "video_url",
    "input_image",
    "input_audio",
    "input_file",
    "file_data",
    "inline_data",
    "inlinedata",
    "mime",
    "media",
];

const REFUSED: [&str; 16] = [
    "could not process",
    "unable to process",
    "could not be",
    "unable to download",
    "error while downloading",
    "failed to download",
    "cannot",
    "invalid",
    "not valid",
    "not a valid",
    "unsupported",
    "not supported",
    "not support",
    "only supported by",
    "unknown variant",
    "password protected",
];

/// The fields of a request that hold what is said.
const SAID: [&str; 7] = ["messages", "input", "contents", "content", "system", "file", "url"];

/// Steps of a path into what is said that lead to a call of a tool.
const CALLS: [&str; 5] = ["tool_use", "tool_calls", "function", "arguments", "function_call"];

/// Sentences about something else that may well say "image".
const OTHERS: [&str; 5] = ["schema", "tool name", "function name", "function declaration", "temperature"];

/// `place` is where in the request the provider says that the fault is, `message` is in lower case.
pub(crate) fn is_about_media(status: u16, place: Option<&str>, message: &str) -> bool {
    let mentions = |words: &[&str]| words.iter().any(|word| word_at(message, word).is_some());
    let elsewhere = place.is_some_and(|place| !place.is_empty() && !is_said(&place.to_ascii_lowercase()))
        || prefix(message).is_some_and(|place| !is_said(place));
    if !(400..=501).contains(&status) || elsewhere {
        return false;
    }
    mentions(&CERTAIN)
        || (status < 500 && status != 404) && !mentions(&OTHERS) && mentions(&REFUSED) && names_media(message)
}

/// The path that a message begins with: `messages.0.content: …`.
fn prefix(message: &str) -> Option<&str> {
    let (place, _) = message.split_once(':')?;
    let is_path = !place.contains(|c: char| c.is_whitespace()) && place.contains(['.', '[']);
    (is_path || ["tools", "tool_choice", "model", "functions"].contains(&place)).then_some(place)
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split(['.', '[', ']', '/']).filter(|step| !step.is_empty() && *step != "body")
}

fn is_said(path: &str) -> bool {
    let first = steps(path).next().unwrap_or_default();
    (SAID.contains(&first) || NAMES.contains(&first)) && !steps(path).any(|step| CALLS.contains(&step))
}

fn names_media(message: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '[' | ']');
    let mut words = message
        .split(|c| !is_part(c))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| !word.is_empty())
        .peekable();
    while let Some(word) = words.next() {
        let is_name = match word.split_once(['.', '[', '/']) {
            None => NAMES.contains(&word),
            Some((first, _)) if SAID.contains(&first) => {
                is_said(word) && steps(word).any(|step| NAMES.contains(&step))
            }
            Some(("image" | "video" | "audio", _)) | Some(("application", "pdf")) => true,
            // A path or a name of something else.
            Some(_) => word.split('/').all(|part| NAMES.contains(&part)),
        };
        let is_kind_of_model = words.peek().is_some_and(|next| ["model", "models"].contains(next));
        if is_name && !is_kind_of_model {
            return true;
        }
    }
    false
}
