//! The title of a session: the first text of a person, in one line.

use std::sync::Arc;

use glove_wasm::message::Message;

const LONGEST_TITLE: usize = 120;

pub fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_TITLE {
        return line;
    }
    let mut cut: String = line.chars().take(LONGEST_TITLE - 1).collect();
    cut.push('…');
    cut
}

/// What the first of these that a person wrote makes of a title, as it was written.
pub fn title_of<'a>(messages: impl IntoIterator<Item = &'a Arc<Message>>) -> String {
    let said =
        messages.into_iter().find(|message| message.is_from_person() && !message.text.trim().is_empty());
    // A text of a database cannot have it, and a title can do without.
    said.map(|message| one_line(message.as_written())).unwrap_or_default().replace('\0', "")
}
