//! How much of what a provider says is kept, and quoted.

use crate::json::scan::word_at;

/// How much of a body that is no JSON is quoted.
pub(super) const EXCERPT: usize = 200;
/// How much of a provider's own message is kept.
const LONGEST: usize = 4 * 1024;

/// The beginning of a body. The source of a web page says nothing to people, its heading may.
pub(super) fn quoted(body: &str) -> String {
    let body = body.trim_start();
    if !body.starts_with('<') || body.starts_with("<?xml") {
        return excerpt(body);
    }
    let from = ["<title", "<h1", "<body"].iter().find_map(|tag| word_at(body, tag)).unwrap_or_default();
    let is_title = body.get(from..).is_some_and(|rest| !rest.starts_with("<body") && from > 0);
    let mut text = String::new();
    for part in body.get(from..).unwrap_or_default().split('<') {
        if is_title && part.starts_with('/') {
            break;
        }
        text.push_str(part.split_once('>').map_or("", |(_, text)| text));
    }
    match excerpt(&text) {
        title if title.is_empty() => "a web page".to_owned(),
        title => format!("a web page ({title})"),
    }
}

/// What is told of a failure is kept and shown, so it has an end.
pub(crate) fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
    }
    text
}

/// The beginning of a text on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let mut out = String::new();
    for c in text.trim().chars() {
        if out.len() >= EXCERPT {
            out.push('…');
            break;
        }
        match c.is_ascii_whitespace() {
            false => out.push(c),
            true if !out.ends_with(' ') => out.push(' '),
            true => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_long_text_is_quoted() {
        assert!(excerpt(&"x".repeat(5000)).chars().count() <= EXCERPT + 1);
    }
}
