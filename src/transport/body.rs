//! Request bodies of a growing conversation: what was written of settled messages is kept, so that a further turn
//! costs what is new in it and one copy.

use crate::message::{Message, Sender};
use crate::providers::request::{Prompt, ToolNames, groups_behind};
use crate::run::view::View;

/// The settled front of one conversation in one provider's form.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The id of the first message: the conversation, and its last summary.
    first: Option<String>,
    names: ToolNames,
    /// How many messages of the view are in `text`.
    count: usize,
    text: String,
}

impl Kept {
    pub(super) fn body(&mut self, prompt: &Prompt<'_>, view: View<'_>) -> String {
        let first = view.first().and_then(|message| message.id.as_ref());
        if first.is_none()
            || self.first.as_ref() != first
            || self.names != *prompt.names
            || self.count > view.recorded_len()
        {
            *self = Kept { first: first.cloned(), names: prompt.names.clone(), ..Kept::default() };
        }
        let cut =
            self.count + cut(&view.skip(self.count).collect::<Vec<_>>(), view.recorded_len() - self.count);
        if self.first.is_some() && cut > self.count {
            let settled: Vec<&Message> = view.skip(self.count).take(cut - self.count).collect();
            write(prompt, &settled, self.count > 0, false, &mut self.text);
            self.count = cut;
        }
        let open: Vec<&Message> = view.skip(self.count).collect();
        let mut out = prompt.open();
        if !self.text.is_empty() {
            prompt.separate(&mut out);
            out.push_str(&self.text);
        }
        write(prompt, &open, self.count > 0, true, &mut out);
        prompt.close(&mut out);
        out
    }
}

/// `behind`: other messages stand in front of these.
fn write(prompt: &Prompt<'_>, messages: &[&Message], behind: bool, last: bool, out: &mut String) {
    let groups = groups_behind(prompt.format, messages, behind);
    let end = groups.len().saturating_sub(1);
    for (at, group) in groups.iter().enumerate() {
        if !out.is_empty() {
            prompt.separate(out);
        }
        prompt.write_group(group, last && at == end, out);
    }
}

/// How many of the messages can be kept: up to the last answer that follows on a user's message. What comes before
/// an answer never changes, and no group reaches over it.
fn cut(messages: &[&Message], settled: usize) -> usize {
    let settled = messages.get(..settled).unwrap_or_default();
    let begins_group = |pair: &[&Message]| match pair {
        [before, answer] => {
            before.sender == Sender::User
                && answer.sender == Sender::Agent
                && !answer.partial
                && (!answer.calls().is_empty() || !answer.text.trim().is_empty())
        }
        _ => false,
    };
    settled.windows(2).rposition(begins_group).map_or(0, |before| before + 1)
}
